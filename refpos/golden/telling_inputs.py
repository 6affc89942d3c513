"""Inputs that tell implementations apart, shared by the suites."""

#: the ends of what 8, 11, 16 and 24 bits count, the largest float16, context lengths, a prime, the last int32
POSITIONS = (
    0, 1, 10, 255, 256, 257, 2047, 2048, 2049, 4095, 4096, 4097, 65503, 65504, 65519, 65520, 65535, 65536, 131071,
    131072,
    262144, 999983, 2**24 - 1, 2**24, 2**24 + 1, 2**31 - 1,
)  # fmt: skip
#: the same in few
FEW = (0, 1, 257, 2049, 4097, 65537, 131071, 2**24 + 1)
DTYPES = ("float64", "float32", "float16", "bfloat16")
SHORT = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16"}

#: what positions beyond a few hundred show
LONG = ("NarrowAngle", "LongContextInteger", "LargeArgument")


def narrow(dtype):
    """The flag of formats that a path through float32 rounds twice."""
    return ("DoubleRounding",) if dtype in ("float16", "bfloat16") else ()
