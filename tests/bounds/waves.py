"""Products of waves, cos + i sin in plain double, by which the NumPy kernels add the angles of digits of positions."""

from . import gappa, registry, source
from .registry import power, proof, query

WAVES, SMALL = "refpos/kernels/numpy_waves.py", "refpos/kernels/numpy_small.py"
#: where the product lies: sizes of its real and imaginary part (circle.smt2)
REGIONS = {
    "neither part above 7/8": ("[0, 57345b-16]", "[0, 57345b-16]"),
    "the real part above 7/8": ("[57343b-16, 4503599627370495b-52]", "[0, 31b-6]"),
    "the imaginary part above 7/8": ("[0, 31b-6]", "[57343b-16, 4503599627370495b-52]"),
    "the real part about 1": ("[4503599627370495b-52, 70368744177665b-46]", "[0, 1b-22]"),
    "the imaginary part about 1": ("[0, 1b-22]", "[4503599627370495b-52, 70368744177665b-46]"),
}


@proof(*(f"{order}, {region}" for order in gappa.ORDERS for region in REGIONS))
def wave_product(variant):
    order, _, region = variant.partition(", ")
    for file, code in (
        (WAVES, r"made \*= table\.take\("),
        (WAVES, r"\(coarse\[:, None\] \* fine\)"),
        ("refpos/kernels/numpy_seeds.py", r"leading = waves\[0\] \* rotated\[0\]\n"),
    ):
        source.only(code, source.text(file))
    script = gappa.Script()
    one, other = (gappa.Complex(*map(gappa.Number, names), order) for names in ("ab", "cd"))
    product = one * other
    script.bind("u", product.real), script.bind("v", product.imag)
    real, imag = REGIONS[region]
    square = power(registry.bits_of("wave_product", variant))[0] ** 2
    return {**script.filled(), "square": square, "region": region, "real": real, "imag": imag}


@query
def circle():
    return {}


def _chain(factors):
    """The error of a product of factors, given by their errors, from the left; and that all of them fit."""
    error, fits = factors[0], []
    for k, factor in enumerate(factors[1:], 2):
        fits.append(f"(fits {error} {factor})")
        error = f"({'last' if k == len(factors) else 'times'} {error} {factor})"
    return error, f"(and {' '.join(fits)})"


@query
def digits():
    """A value of a digit is the product of two seeds, in small tables a seed; a row that of its digits."""
    source.only(r"parts \+= \[[^\n]* for steps in \(digits\[::step\], range\(step\)\)\]\n", source.text(WAVES))
    most = source.constants(WAVES)["MOST_DIGITS"]
    few, factor, more = source.only(r"return make, (\d) if count == (\d) else (\d)\n", source.text(WAVES))
    small = source.only(r"MOST_DIGITS = \{2: (\d), 4: 2\}", source.text(SMALL))
    of_small = source.only(
        r"self\.radii, .* = \(\((\d) \* radius,\) \* 4 if self\.planes == 2 else", source.text(SMALL)
    )
    if factor != "2":
        raise ValueError(f"rows of two digits must have a radius of their own, got {factor}")
    radius = source.constants("refpos/steps/waves/tables.py")["DOUBLE_RADIUS"]
    values = {
        "seed": power(registry.stated()["seed_wave_numpy"])[1],
        "product": power(registry.stated()["wave_product"])[1],
    }
    for name in ("two", "five"):
        values[f"bound_of_{name}"] = power(registry.bits_of("digits", f"{name} digits"))[0]
    values |= {
        "radius_of_two": int(few) * radius,
        "radius_of_five": int(more) * radius,
        "radius_of_small": int(of_small) * radius,
    }
    made = {name: f"(/ {value.as_integer_ratio()[0]} {value.as_integer_ratio()[1]})" for name, value in values.items()}
    digit = "(times seed seed)"
    for name, factors in (("two", [digit] * 2), ("five", [digit] * most), ("small", ["seed"] * int(small))):
        made[name], made[f"{name}_fits"] = _chain(factors)
    return made
