"""Golden cases of the distances of ReRoPE and Leaky ReRoPE."""

from ...case import counting, listed, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats
from .rerope_positions import FLAGS, LEAKY, REROPE

value, refused = suite("rerope_distances", REROPE)
EDGES = {"query_positions": listed((511, 512, 513, 4095, 131071)), "key_positions": counting(0, 8)}

CASES = [
    value("small", "9 tokens, window 3", query_positions=9, key_positions=9, window=3, dtype="int64", flags=FLAGS),
    value("decode", "the last query of 9 tokens", key_positions=9, window=3, dtype="int64",
          inputs={"query_positions": listed((8,))}, flags=(*FLAGS, "UnequalLengths")),
    value("512", "window 512 at its edges", window=512, dtype="int64", inputs=EDGES, flags=FLAGS),
    *[
        value(f"leaky-16-{SHORT[dtype]}", f"window 512, factor 16 at its edges, {dtype}", window=512, factor=16,
              dtype=dtype, inputs=EDGES, flags=(*FLAGS, "Scaling", *narrow(dtype)), source=LEAKY)
        for dtype in DTYPES
    ],
    value("leaky-3", "window 3, factor 3", query_positions=9, key_positions=9, window=3, factor=3, dtype="float64",
          flags=(*FLAGS, "Scaling"), source=LEAKY),
    value("leaky-1", "factor 1: ordinary distances", query_positions=9, key_positions=9, window=3, factor=1,
          dtype="int64", flags=FLAGS, source=LEAKY),
    value("empty", "no queries", query_positions=0, key_positions=3, window=3, dtype="int64"),
    refused("integers", "thirds as integers", "E_DTYPE", "dtype", query_positions=9, key_positions=9, window=3,
            factor=3,
            dtype="int64"),
    refused("window-zero", "window 0", "E_SIZE", "window", query_positions=2, key_positions=2, window=0),
    refused("factor-nan", "a factor that is NaN", "E_NUMBER", "factor", query_positions=2, key_positions=2, window=3,
            factor=float("nan")),
    refused("matrix", "keys of two axes", "E_SHAPE", "key_positions", query_positions=2, window=3,
            inputs={"key_positions": listed((0, 1), shape=(1, 2))}),
]

# what no other case tells apart
CASES += [
    value("no-factor-f32", "ReRoPE without a factor, in float32", window=6, dtype="float32",
          inputs={"query_positions": listed((0, 5, 19)), "key_positions": listed((0, 1, 7))}),
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
