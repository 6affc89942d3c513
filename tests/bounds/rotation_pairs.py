"""Rotations of float64 channels by cosines and sines as pairs: one by one, with own seeds, and in NumPy."""

from fractions import Fraction

from . import gappa, registry, source
from .exact_sums import Bits, ExactSum, binder, upper_bits
from .registry import FUSED, NOT_FUSED, power, proof
from .rotations import CALLS, NUMPY, ONE_BY_ONE

PYX, IN_NUMPY = "ext/compiled.pyx", "refpos/kernels/numpy_kernels.py"
WAVES = "refpos/steps/waves/rotation.py"
PLAIN, FACTOR, OWN = "without a factor", "with a factor", "own seeds"
NAMES = ("x", "y", "c1", "c0", "s1", "s0")
#: of pairs that a factor multiplies, in units of the power of two above it
WITH_FACTOR = {"low": Fraction(1, 2**25), "seeds": power("76.6")[1]}
#: the ends of the rounding test: of each place the code that has them
TESTS = {
    NUMPY: (IN_NUMPY, r"return leading \+ \(rest - radius\), np\.add\(leading, rest \+ radius, out=out\)"),
    ONE_BY_ONE: (PYX, r"narrowed\(leading \+ \(rest - error_radius\), .*?narrowed\(leading \+ \(rest \+ error_radius\)"),
    OWN: (PYX, r"exact_sum\(a, b, &high, &low\).*?upper = high \+ \(low - error_radius\), high \+ \(low \+ error_radius\)"),
}
#: the calls with own seeds
OWN_CALLS = (
    r"combine_pairs\(u, v, pair\[0\], pair\[1\], -sign \* pair\[2\], -sign \* pair\[3\], &leading, &rest\)",
    r"combine_pairs\(v, u, pair\[0\], pair\[1\], sign \* pair\[2\], sign \* pair\[3\], &leading, &rest\)",
)


def magnitudes(kind):
    """What is known of the pairs: how large their lower parts are, and how far off they are."""
    return WITH_FACTOR if kind == FACTOR else {"low": Fraction(1, 2**27), "seeds": power(registry.stated()["seed_pairs"])[1]}


def tested(radius):
    """The radius of a rounding test, as it is after its own roundings, and what errors may be."""
    return {"radius": radius, "rounded": radius / 2**40, "room": radius * (1 - Fraction(1, 2**39))}


def in_numpy(script, numbers):
    """What has a rounding error of its own, and the products of which sums are made."""
    code, bind = source.read(IN_NUMPY, "_combine_pairs"), binder(script)
    values = numbers | {"_upper_26_bits": upper_bits(IN_NUMPY, "_upper_26_bits")}
    made = source.run(code, values, NAMES, bind=bind)
    bind("rest", made["returned"][1])
    return ("p", "q"), ("middle", "rest")


def one_by_one(script, numbers):
    """The same of the compiled kernels, whose products are all exact."""
    code, bind, products = source.read(PYX, "combine_pairs"), binder(script), ("p", "q", "r", "u")
    values = numbers | {"bits_of": Bits, "from_bits": lambda value: value, "exact_sum": ExactSum(bind, products)}
    source.run(code, values, bind=bind)
    return products, ("rest",)


def ends(own):
    """The ends of the rounding test; with own seeds of the value as a double and what that leaves."""
    lines = ("value = double(sum_3 + rest);", "left = sum_3 + rest - value;") if own else ()
    of = "left" if own else "rest"
    made = [f"{end} = double({of} {sign} reach);\nE_{end} = {of} {sign} reach;" for end, sign in (("lower", "-"), ("upper", "+"))]
    return "\n".join((*lines, *made))


@proof(*(f"{place}, {kind}" for kind in (PLAIN, FACTOR) for place in (NUMPY, ONE_BY_ONE)), f"{ONE_BY_ONE}, {OWN}")
def rotation_pairs(variant):
    place, kind = variant.split(", ")
    calls = OWN_CALLS if kind == OWN else CALLS[IN_NUMPY if place == NUMPY else PYX]
    for file, pattern in (TESTS[OWN if kind == OWN else place], *((PYX if place != NUMPY else IN_NUMPY, call) for call in calls)):
        source.only(pattern, source.text(file))
    script = gappa.Script()
    products, others = (in_numpy if place == NUMPY else one_by_one)(script, {name: gappa.Number(name) for name in NAMES})
    sums = [f"{a} + {b} -> ({a} - E_{a}) + ({b} - E_{b}) + {of} * N {{ N <> 0 }};" for a, b, of in zip(products[::2], products[1::2], ("(P + Q)", "(R + U)"))]
    radius = source.constants(WAVES)["CLOSER_RADIUS" if kind == OWN else "PAIR_RADIUS"]
    return {
        **script.filled(),
        **magnitudes(kind),
        **tested(Fraction(radius)),
        "leading": "leading" if place == NUMPY else "sum_3",
        "value": "value" if kind == OWN else "leading" if place == NUMPY else "sum_3",
        "ends": ends(kind == OWN),
        "exact": " ".join(f"/\\ |{name} - E_{name}| <= 0" for name in products),
        "errors": " + ".join(f"({name} - E_{name}) / N" for name in (*products, *others)),
        "sums": "\n".join(sums),
    }


#: names of the code of the channel that the cosine multiplies, of the other one, and of the result
CHANNELS = {"first channel": ("x", "y", "u", "-"), "second channel": ("y", "x", "v", "+")}
VECTORS = "ext/rotations.h"


class Exponent:
    """A number in 1 .. 2, of whose pattern the exponent is kept."""

    def __and__(self, mask):
        if mask != 0x7FF0000000000000:
            raise ValueError(f"a mask must keep the exponent alone, got {mask:#x}")
        return 1


def parts_on_a_grid(script):
    """x1 and y1 by the code, where the exponent of the size is 0."""
    text = source.text(VECTORS)
    source.only(r"size = SIZE_D\(x\) \+ SIZE_D\(y\), grid", text)
    source.only(r"x1 = \(x \+ grid\) - grid, y1 = \(y \+ grid\) - grid, x0 = x - x1, y0 = y - y1;", text)
    source.only(r"reach = fma_d\(size, k->radius, k->least_d\), twice = reach \+ reach;", text)
    source.only(r"need_same\(&sure, u, u1 \+ \(u0 - twice\)\);\s+need_same\(&sure, v, v1 \+ \(v0 - twice\)\);", text)
    scale = source.only(r"grid = \(VD\)\(\(VQ\)size & (0x\w+)ull\) \* (0x[\d.]+p\d+);", text)
    anchor = (Exponent() & int(scale[0], 16)) * float.fromhex(scale[1])
    return {f"{name}1": script.bind(f"{name}1", script.grid(gappa.Number(name), anchor)) for name in "xy"}


def in_order(script, is_fused):
    """The operations of the code, each result of which gets a name, and these names."""
    made, bind = [], binder(script)

    def named(function):
        def call(*numbers):
            made.append(bind(f"sum{len(made) + 1}", function(*numbers)).rounded)
            return gappa.Number(made[-1])

        return call

    operations = script.operations(is_fused)
    return made, operations | {name: named(operations[name]) for name in ("fma_d", "fnma_d")}


@proof(*(f"{how}, {channel}, {kind}" for kind in (PLAIN, FACTOR) for how in (FUSED, NOT_FUSED) for channel in CHANNELS))
def rotation_pairs_vectors(variant):
    how, channel, kind = variant.split(", ")
    of_cosine, of_sine, result, sign = CHANNELS[channel]
    script = gappa.Script()
    made, operations = in_order(script, how == FUSED)
    parts = parts_on_a_grid(script)
    numbers = {name: gappa.Number(name) for name in NAMES[2:]} | {"reach": gappa.Number("reach")}
    for name, of in ((of_cosine, "x"), (of_sine, "y")):
        whole, upper = gappa.Number(of), parts[f"{of}1"]
        numbers |= {name: whole, f"{name}1": upper, f"{name}0": whole - upper}
    code = source.read(VECTORS, "turn_64", f"{result}1", f"{result}1")
    found = source.run(code, numbers | script.operations(how == FUSED))
    script.bind("leading", found[f"{result}1"])
    code = source.read(VECTORS, "turn_64", f"{result}0", f"{result}0")
    source.run(code, numbers | operations)
    return {
        **script.filled(),
        **magnitudes(kind),
        **tested(Fraction(source.constants(WAVES)["PAIR_RADIUS"])),
        "sign": sign,
    }
