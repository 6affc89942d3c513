"""Rotations of float64 channels by cosines and sines as pairs: one by one, with own seeds, and in NumPy."""

from fractions import Fraction

from . import gappa, registry, source
from .exact_sums import Bits, ExactSum, binder, upper_bits
from .registry import power, proof
from .rotations import CALLS, NUMPY, ONE_BY_ONE

PYX, IN_NUMPY = "ext/compiled.pyx", "refpos/kernels/numpy_kernels.py"
WAVES = "refpos/steps/waves/rotation.py"
PLAIN, FACTOR, OWN = "without a factor", "with a factor", "own seeds"
NAMES = ("x", "y", "c1", "c0", "s1", "s0")
#: the ends of the rounding test: of each place the code that has them
TESTS = {
    NUMPY: (IN_NUMPY, r"return leading \+ \(rest - radius\), np\.add\(leading, rest \+ radius, out=out\)"),
    ONE_BY_ONE: (
        PYX,
        r"narrowed\(leading \+ \(rest - error_radius\), .*?narrowed\(leading \+ \(rest \+ error_radius\)",
    ),
    OWN: (
        PYX,
        r"exact_sum\(a, b, &high, &low\).*?upper = high \+ \(low - error_radius\), high \+ \(low \+ error_radius\)",
    ),
}
#: the calls with own seeds
OWN_CALLS = (
    r"combine_pairs\(u, v, pair\[0\], pair\[1\], -sign \* pair\[2\], -sign \* pair\[3\], &leading, &rest\)",
    r"combine_pairs\(v, u, pair\[0\], pair\[1\], sign \* pair\[2\], sign \* pair\[3\], &leading, &rest\)",
)


def magnitudes(kind):
    """What is known of the pairs, in units of the power of two above a factor: how large their lower parts are, and how
    far off they are."""
    seeds = registry.total("seeds times a factor") if kind == FACTOR else registry.stated()["seed_pairs"]
    return {"low": Fraction(1, 2 ** (25 if kind == FACTOR else 27)), "seeds": power(seeds)[1]}


def tested(radius):
    """The radius of a rounding test, as it is after its own roundings, and what errors may be."""
    return {"radius": radius, "rounded": radius / 2**40, "room": Fraction(radius) * (1 - Fraction(1, 2**39))}


def in_numpy(script, numbers):
    """Names of exact products, of other numbers with rounding errors of their own, and of the leading sum."""
    code, bind = source.read(IN_NUMPY, "_combine_pairs"), binder(script)
    values = numbers | {"_upper_26_bits": upper_bits(IN_NUMPY, "_upper_26_bits")}
    made = source.run(code, values, NAMES, bind=bind)
    bind("rest", made["returned"][1])
    return ("p", "q"), ("middle", "rest"), "leading"


def one_by_one(script, numbers):
    """The same of the compiled kernels, whose products are all exact."""
    code, bind, products = source.read(PYX, "combine_pairs"), binder(script), ("p", "q", "r", "u")
    values = numbers | {"bits_of": Bits, "from_bits": lambda value: value, "exact_sum": ExactSum(bind, products)}
    source.run(code, values, bind=bind)
    return products, ("rest",), "sum3"


def ends(value):
    """The ends of the rounding test; with own seeds, of the value as a double and what that leaves of the sum."""
    lines = ("value = double(sum3 + rest);", "left = sum3 + rest - value;") if value == "value" else ()
    rest = "left" if value == "value" else "rest"
    parts = [
        f"E_{end} = {rest} {sign} reach;\n{end} = double(E_{end});" for end, sign in (("lower", "-"), ("upper", "+"))
    ]
    return "\n".join((*lines, *parts))


def checked(place, kind):
    """An error, unless the code calls the functions, and tests what they give, as it is written here."""
    file, test = TESTS[OWN if kind == OWN else place]
    for pattern in (test, *(OWN_CALLS if kind == OWN else CALLS[file])):
        source.only(pattern, source.text(file))


@proof(*(f"{place}, {kind}" for kind in (PLAIN, FACTOR) for place in (NUMPY, ONE_BY_ONE)), f"{ONE_BY_ONE}, {OWN}")
def rotation_pairs(variant):
    place, kind = variant.split(", ")
    checked(place, kind)
    script, numbers = gappa.Script(), {name: gappa.Number(name) for name in NAMES}
    products, others, leading = (in_numpy if place == NUMPY else one_by_one)(script, numbers)
    value = "value" if kind == OWN else leading
    sums = [
        f"{a} + {b} -> ({a} - E_{a}) + ({b} - E_{b}) + {of} * N {{ N <> 0 }};"
        for a, b, of in zip(products[::2], products[1::2], ("(P + Q)", "(R + U)")[: len(products) // 2], strict=True)
    ]
    return {
        **script.filled(),
        **magnitudes(kind),
        **tested(source.constants(WAVES)["CLOSER_RADIUS" if kind == OWN else "PAIR_RADIUS"]),
        "leading": leading,
        "value": value,
        "ends": ends(value),
        "exact": " ".join(f"/\\ |{name} - E_{name}| <= 0" for name in products),
        "errors": " + ".join(f"({name} - E_{name}) / N" for name in (*products, *others)),
        "sums": "\n".join(sums),
    }
