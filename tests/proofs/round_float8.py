"""The 8-bit formats: exact digits rounded by the rules of OFP8 and MX, which have their own tables here."""

import math
from fractions import Fraction

import numpy as np
from witness.digits import SHAPES
from witness.formulas import with_specials
from witness.suites import WITNESSES, witness

#: significand bits, exponent of the smallest normal number, bias, largest finite pattern, pattern beyond it, NaN
EIGHT = {
    "float8_e4m3fn": (4, -6, 7, 0x7E, 0x7F, 0x7F),
    "float8_e5m2": (3, -14, 15, 0x7B, 0x7C, 0x7E),
}
FAR = 2000  # bias of formats of 16 bits, with the same significands, in which nothing is too large
LONG = ("exponents", 55, -254, 255, 64)
ARRAYS = {"x", "weight", "positions", "timesteps", "position_ids"}


def exact_patterns(values, name, shape):
    """Bit patterns of float64 numbers, or of a call, in a format of that shape."""
    SHAPES[name] = shape
    if not isinstance(values, dict):
        return with_specials(values, name)
    suite, given = values["function"], dict(values["arguments"])
    call = given.pop("frequencies", {})
    for key in ARRAYS & given.keys():
        given[key] = np.array(given[key]) if key == "position_ids" else numbers(given[key])
    if suite == "t5_bias":
        bits = WITNESSES[suite]({**given, "weight": given["weight"].view(np.uint64)}, call, name)["output"]
        return with_specials(bits.view(np.float64), name)
    made = WITNESSES[suite](given, call, name)
    return np.stack([made["cos"], made["sin"]]) if "cos" in made else made["output"]


def numbers(values):
    """Fractions, also in lists, as the float64 numbers that they are; integers as int64."""
    array = np.array(values, object)
    if all(isinstance(one, int) for one in array.reshape(-1)):
        return array.astype(np.int64).astype(np.float64) if array.ndim > 1 else array.astype(np.int64)
    assert all(Fraction(float(one)) == one for one in array.reshape(-1))
    return array.astype(np.float64)


def eight_bits(values, dtype, saturate, scale=0):
    """Bit patterns of the numbers divided by 2**scale."""
    precision, smallest, bias, largest, beyond, nan = EIGHT[dtype]
    wide = exact_patterns(values, f"{dtype} times 2**{scale}", (precision, smallest + scale, FAR, 16)).astype(np.int64)
    fraction, field = wide & (1 << precision - 1) - 1, wide >> precision - 1 & (1 << 16 - precision) - 1
    special = field == (1 << 16 - precision) - 1
    exponent = np.where(field > 0, field - FAR - scale + bias, 0)
    found = exponent << precision - 1 | fraction
    found = np.where((found > largest) | special, largest if saturate else beyond, found)
    found = np.where(found == nan, nan, found | wide >> 8 & 0x80)
    return np.where(special & (fraction > 0), nan, found)


@witness(
    "round_float8", source="standard: Open Compute Project, OCP 8-bit Floating Point Specification (OFP8) 1.0, 2023"
)
def exact(given, call, dtype):
    values = given["values"]
    found = eight_bits(values, given["dtype"], given["saturate"])
    return {"output": found.astype(np.uint64)}


@witness(
    "round_mxfp8",
    source="standard: Open Compute Project, OCP Microscaling Formats (MX) Specification 1.0, 2023, sections 5 and 6.3",
)
def blocks(given, call, dtype):
    values, kind, rule = given["values"], given["dtype"], given["scale_rule"]
    name, *shape = LONG
    sizes = exact_patterns(values, name, tuple(shape)) & np.uint64(2**63 - 1)
    shape = sizes.shape
    largest = sizes.reshape(*shape[:-1], shape[-1] // 32, 32).max(-1)  # patterns are in the order of the numbers
    scales = np.vectorize(lambda bits: scale_of(int(bits), kind, rule), otypes=[np.int64])(largest)
    each = np.repeat(scales, 32, -1)
    elements = np.zeros(shape, np.int64)
    for scale in np.unique(scales).tolist():
        if scale < 128:
            found = eight_bits(values, kind, True, scale)
            elements = np.where(each == scale, found, elements)
    elements = np.where(each == 128, EIGHT[kind][-1], elements)
    return {"elements": elements.astype(np.uint64), "scales": (scales + 127).astype(np.uint64)}


def scale_of(bits, kind, rule):
    """The exponent of the scale of a block from the pattern of its largest number; 128 for NaN."""
    _, precision, _, bias, _ = LONG
    field, fraction = bits >> precision - 1, bits & (1 << precision - 1) - 1
    if field == (1 << 64 - precision) - 1:
        return 128
    if field == 0:
        return -127
    number, power = 1 + Fraction(fraction, 1 << precision - 1), field - bias  # number * 2**power
    top = 8 if kind == "float8_e4m3fn" else 15
    if rule == "even":
        unit = Fraction(1, 8 if top == 8 else 4)
        power += math.floor(number / unit + Fraction(1, 2)) * unit >= 2
    if rule == "rceil":
        power += number > Fraction(7, 4)  # 448 = 7/4 * 2**8, 57344 = 7/4 * 2**15
    return max(-127, min(127, power - top))
