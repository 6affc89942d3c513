"""Cosines and sines of small angles as pairs, with errors relative to themselves."""

from fractions import Fraction
from types import SimpleNamespace

from . import gappa, registry, source, tools
from .polynomials import X
from .registry import power, proof

POWERS, SMALL = "refpos/arithmetic/powers.py", "refpos/steps/angles/small_angles.py"
FACTOR = SimpleNamespace(high=gappa.Number("f1"), low=gappa.Number("f0"))
#: of the high of a factor, which is 1/2 times a power of two where there is none, and of its low
FACTORS = {"without a factor": ("[1b-1, 1b-1]", "[0, 0]"), "with a factor": ("[1b-1, 1]", "[0, 1b-53]")}


def _filled(name, script, variant, relative, series):
    """What both scripts are filled with; angles are below 2**LARGEST, and off by 2**-53 of themselves."""
    numbers = source.constants(SMALL)
    largest = numbers["LARGEST"]
    for code in (r"small = np\.frexp\(high\)\[1\] \+ scale <= LARGEST\n", r"np\.where\(small, high, 0\.0\)"):
        source.only(code, source.text(SMALL))
    function, kind, polynomial = series
    # a radius is also added to the lower half, and taken off it, which is below 2**-28
    if power(registry.bits_of(name, variant))[1] + Fraction(1, 2**81) > numbers["RADIUS"]:
        raise ValueError(f"RADIUS must be more than the error, got {numbers['RADIUS']}")
    f1, f0 = FACTORS[variant]
    return {
        **script.filled(),
        "relative": " + ".join(
            f"{gappa.literal(c)} * {'E_square * ' * (k // 2)}1" for (k, _), c in relative.terms.items()
        ),
        "largest": f"1b{largest}",
        "series": tools.supnorm(polynomial, function, f"2^({largest + 2.0**-10})", kind),
        "f1": f1,
        "f0": f0,
    }


def _multiply(script):
    """`powers.multiply`, in which the product of the highs is a double and its error, exactly: m_total and m_lower."""

    def bind(name, value):
        is_named = not isinstance(value, gappa.Number) or value.rounded.isidentifier()
        return value if is_named else script.bind(f"m_{name}", value)

    def exact_product(one, other):
        product = script.bind("product", one * other)
        return gappa.Number(product.rounded), gappa.Number(f"({one.rounded} * {other.rounded} - product)")

    def multiply(high, low, other_high, other_low):
        values = {"high": high, "low": script.bind("second", low), "other_high": other_high, "other_low": other_low}
        values["exact_product"] = exact_product
        code = source.read(POWERS, "multiply")
        total, rest = source.run(code, values, bind=bind)["returned"]
        return total, bind("lower", rest)

    return multiply


@proof(*FACTORS)
def small_lower(variant):
    return small_sines(variant)


@proof(*FACTORS)
def small_sines(variant):
    script, code = gappa.Script(), source.read(SMALL, "sines", "square", "(high,low)")
    values = {"x": gappa.Number("x", "angle"), "high": gappa.Number("h"), "low": gappa.Number("l"), "factor": FACTOR}
    values["powers"] = SimpleNamespace(multiply=_multiply(script))
    source.run(code, values, bind=lambda name, value: value if name in ("high", "low") else script.bind(name, value))
    series = {"x": X, "high": 1, "low": 0, "factor": FACTOR}
    series["powers"] = SimpleNamespace(multiply=lambda high, low, *_: (high, low))
    relative = source.run(code, series)["low"]
    return _filled("small_sines", script, variant, relative, ("sin(x)", "relative", X + X * relative))


@proof(*FACTORS)
def small_cosines(variant):
    script = gappa.Script()
    square = source.run(
        source.read(SMALL, "sines", "square", "square"), {"x": gappa.Number("x", "angle")}, bind=script.bind
    )
    code = source.read(SMALL, "round_cos_sin", "low", "low")
    source.run(code, {**square, "factor": FACTOR}, bind=script.bind)
    source.only(
        r"powers\.round_pairs\(factor\.high, low, factor\.high \* radius, factor\.exponent, fmt\)", source.text(SMALL)
    )
    of_square = {"square": X * X, "factor": SimpleNamespace(high=1, low=0)}
    relative = source.run(code, of_square)["low"]
    return _filled("small_cosines", script, variant, relative, ("cos(x)", "absolute", 1 + relative))
