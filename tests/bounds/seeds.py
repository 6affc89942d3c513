"""Seeds in plain double: a knot rotated by the angle from it."""

from fractions import Fraction

from . import gappa, registry, source, tools
from .polynomials import X
from .registry import FUSED, NOT_FUSED, proof

TWO_PI = Fraction("6.2831854")  # or less
NUMPY = "refpos/kernels/numpy_waves.py"


@proof(FUSED, NOT_FUSED)
def seed_double(variant, knot=("A", "B")):
    code, given, skipped = source.read("ext/seeds.h", "seed"), ("x", "c1", "s1"), ("gather_two",)
    script = gappa.Script()
    values = {name: gappa.Number(name, exact) for name, exact in zip(given, ("x", *knot), strict=True)}
    source.run(code, {**values, **script.operations(variant == FUSED)}, given, skipped, script.bind)
    series = source.run(code, {"x": X, "c1": 1, "s1": 1, **gappa.WITHOUT_PARTS}, given, skipped)
    phase = 8 * TWO_PI / 2**64
    return {
        **script.filled(),
        "em": tools.supnorm(series["m"], "cos(2*pi*2^(-62)*x) - 1", "2^51") + phase,
        "es": tools.supnorm(series["s"], "sin(2*pi*2^(-62)*x)", "2^51") + phase,
    }


@proof(FUSED, NOT_FUSED)
def seed_double_factor(variant):
    source.only(r"scaled\[i\] = to\.scaled\[i\] \* t\.steps\[0\]\n", source.text("ext/compiled.pyx"))
    return seed_double(variant, ("(A * F)", "(B * F)"))


@proof(*gappa.ORDERS)
def seed_double_numpy(variant):
    code, values = source.read(NUMPY, "_near_one"), {"out": None, **gappa.NUMPY, **source.constants(NUMPY)}
    source.only(r"part \*= _near_one\(", source.text(NUMPY))
    script = gappa.Script()
    near = source.run(code, {**values, "x": gappa.Number("x")}, bind=script.bind)
    near = gappa.Complex(near["out.real"], near["out.imag"], variant)
    seed = gappa.Complex(gappa.Number("c1", "A"), gappa.Number("s1", "B"), variant) * near
    script.bind("cos", seed.real), script.bind("sin", seed.imag)
    series = source.run(code, {**values, "x": X})
    phase = 3 * TWO_PI / 2**64
    return {
        **script.filled(),
        "ec": tools.supnorm(series["out.real"], "cos(2*pi*2^(-74)*x)", "3*2^62") + phase,
        "es": tools.supnorm(series["out.imag"], "sin(2*pi*2^(-74)*x)", "3*2^62") + phase,
    }


#: regions of the circle: sizes of T_cos and T_sin, of A and B, which are 2^-7.7 apart from these, and their roundings
REGIONS = {
    "neither part is above 7/8": ("7b-3", "7b-3", "113b-7", "113b-7", "1b-54", "1b-54"),
    "the cosine is above 7/8": ("1", "31b-6", "1", "1b-1", "1b-54", "1b-55"),
    "the sine is above 7/8": ("31b-6", "1", "1b-1", "1", "1b-55", "1b-54"),
}


@proof(*(f"{order}, {region}" for order in gappa.ORDERS for region in REGIONS))
def seed_wave_numpy(variant):
    order, _, region = variant.partition(", ")
    names = ("T_cos", "T_sin", "A", "B", "uA", "uB")
    square = registry.power(registry.bits_of("seed_wave_numpy", variant))[0] ** 2
    return {
        "square": square,
        **seed_double_numpy(order),
        "region": region,
        **dict(zip(names, REGIONS[region], strict=True)),
    }
