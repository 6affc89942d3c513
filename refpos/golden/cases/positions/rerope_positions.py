"""Golden cases of the second rotation of ReRoPE and Leaky ReRoPE."""

from ...case import listed, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

REROPE = project("bojone/rerope", "2cbd019", "rerope_patch.py", "forward_with_rerope")
LEAKY = project("bojone/rerope", "2cbd019", "leaky_rerope_patch.py", "forward_with_leaky_rerope")
value, refused = suite("rerope_positions", REROPE)
FLAGS = ("OffByOne", "ScalingBoundary")
PLACES = listed((0, 1, 511, 512, 513, 4095, 131071))

CASES = [
    *[
        value(f"rerope-{role}", f"ReRoPE: window 512, {role}", role=role, window=512, dtype="int64",
              inputs={"positions": PLACES}, flags=FLAGS)
        for role in ("query", "key")
    ],
    *[
        value(f"leaky-16-{role}-{SHORT[dtype]}", f"Leaky ReRoPE: window 512, factor 16, {role}, {dtype}", role=role,
              window=512, factor=16, dtype=dtype, inputs={"positions": PLACES},
              flags=(*FLAGS, "Scaling", *narrow(dtype)), source=LEAKY)
        for role in ("query", "key") for dtype in DTYPES
    ],
    *[
        value(f"leaky-{name}-{role}", f"Leaky ReRoPE: window 100, factor {factor}, {role}", role=role, window=100,
              factor=factor, dtype="float64", inputs={"positions": PLACES}, flags=(*FLAGS, "Scaling"), source=LEAKY)
        for name, factor in (("3", 3), ("2.5", 2.5)) for role in ("query", "key")
    ],
    value("leaky-1", "factor 1: positions as they are", role="query", window=512, factor=1, dtype="int64",
          inputs={"positions": PLACES}, flags=FLAGS),
    value("far", "positions to 2**53 in thirds", role="query", window=2**31, factor=3, dtype="float64",
          inputs={"positions": listed((2**31, 2**53 - 1, 2**53))}, flags=(*FLAGS, "LongContextInteger")),
    value("empty", "no positions", role="key", window=2, dtype="int64", positions=0),
    refused("integers", "sixteenths as integers", "E_DTYPE", "dtype", role="key", window=512, factor=16, dtype="int64",
            positions=2),
    refused("factor-small", "a factor below 1", "E_NUMBER", "factor", role="key", window=512, factor=0.5, positions=2),
    refused("window-zero", "window 0", "E_SIZE", "window", role="key", window=0, positions=2),
    refused("role-unknown", "a role that is no name", "E_CHOICE", "role", role="keys", window=2, positions=2),
    refused("negative", "a negative position", "E_POSITION", "positions", role="key", window=2,
            inputs={"positions": listed((-1,))}),
]

# what no other case tells apart
CASES += [
    value("no-factor-f32", "ReRoPE without a factor, in float32", role="query", window=6, dtype="float32",
          inputs={"positions": listed((0, 5, 9))}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="no-factor-f32",
    float16="no-factor-f32",
    bfloat16="no-factor-f32",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float32="leaky-1",
    float16="leaky-1",
    bfloat16="leaky-1",
)
