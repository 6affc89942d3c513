"""Golden cases of blocks of 8-bit numbers with a scale each."""

from ...case import call, listed, paper, scattered, suite
from ...telling_inputs import DTYPES, SHORT
from .._eight_bits import DTYPES8, SHORT8, calls

value, refused = suite(
    "round_mxfp8", paper("Open Compute Project, OCP Microscaling Formats (MX) Specification 1.0, 2023")
)
RULES = ("floor", "even", "rceil")


def numbers(values, dtype="float64", shape=None):
    return {"values": listed(values, dtype, shape)}


def block(largest, *others):
    """A block of 32 with that largest magnitude."""
    return [largest, *others, *(largest * k / 37 for k in range(31 - len(others)))]


def edges():
    """Blocks at the limits of each rule: below, at and above a power of two, 7/8 and 31/32 of it."""
    limits = [1.0, 0.875, 0.96875, 0.9375]
    ends = [end for one in limits for end in (one * (1 - 2.0**-53), one, one * (1 + 2.0**-52))]
    return [number for end in ends for number in block(end)]


def far():
    """Blocks whose scales are beyond both ends of E8M0, zeros, and subnormal numbers of float64 and of the elements."""
    return [*block(2.0**-140), *block(2.0**200, 2.0**190), *[0.0, -0.0] * 16, *block(5e-324), *block(2.0**-118)]


CASES = [
    *[
        value(f"limits-{rule}-{SHORT8[dtype]}", "blocks whose largest number decides the scale", dtype=dtype,
              scale_rule=rule, inputs=numbers(edges()), flags=("DoubleRounding",))
        for rule in RULES for dtype in DTYPES8
    ],
    *[
        value(f"scattered-{SHORT[kind]}-{rule}", f"{kind} numbers", dtype=DTYPES8[k % 2], scale_rule=rule,
              inputs={"values": scattered(kind, (3, 64), 720 + k, 5)})
        for k, (kind, rule) in enumerate((kind, rule) for kind in DTYPES for rule in RULES)
    ],
    *[
        value(f"{slug}-{SHORT8[dtype]}", about, dtype=dtype, scale_rule=RULES[k % 3], values=made,
              flags=("DoubleRounding",))
        for k, (slug, (made, about)) in enumerate(calls(32).items()) for dtype in DTYPES8
    ],
    *[
        value(f"range-{rule}", "scales beyond both ends of E8M0, subnormal numbers, zeros", dtype="float8_e4m3fn",
              scale_rule=rule, flags=("Subnormal",), inputs=numbers(far()))
        for rule in RULES
    ],
    *[
        value(f"not-finite-{SHORT8[dtype]}", "a NaN or an infinity in a block", dtype=dtype, scale_rule="floor",
              inputs=numbers([*block(float("nan")), *block(1.0, float("inf")), *block(-2.5)]))
        for dtype in DTYPES8
    ],
    value("causal", "minus infinity makes a block NaN", dtype="float8_e5m2", scale_rule="rceil",
          values=call("alibi", num_heads=2, query_len=2, key_len=64, mode="causal")),
    value("empty", "no blocks", dtype="float8_e4m3fn", scale_rule="even", inputs=numbers([], "float32", (3, 0))),
    refused("width", "31 numbers", "E_SHAPE", "values", dtype="float8_e4m3fn", scale_rule="floor",
            inputs={"values": scattered("float32", (2, 31), 7)}),
    refused("scalar", "a number without axes", "E_SHAPE", "values", dtype="float8_e4m3fn", scale_rule="floor",
            inputs=numbers([1.0], "float32", ())),
    refused("rule", "an unknown rule", "E_CHOICE", "scale_rule", dtype="float8_e4m3fn", scale_rule="ceil",
            inputs=numbers(block(1.0))),
    refused("dtype", "a scale as element", "E_CHOICE", "dtype", dtype="float8_e8m0fnu", scale_rule="floor",
            inputs=numbers(block(1.0))),
]  # fmt: skip
