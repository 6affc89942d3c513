"""Golden cases of the attention temperature."""

from ...case import listed, project, suite
from ...telling_inputs import DTYPES, FEW, SHORT, narrow
from .._formats import in_formats

LLAMA = project("transformers", "5.23.0", "models/llama4/modeling_llama4.py", "Llama4TextAttention")
MINISTRAL = project("transformers", "5.23.0", "models/ministral3/modeling_ministral3.py", "get_llama_4_attn_scale")
value, refused = suite("attention_temperature", LLAMA)
OURS = {"attn_scale": 0.1, "floor_scale": 8192, "shift": 1}
THEIRS = {"attn_scale": 0.1, "floor_scale": 16384, "shift": 0}
FLAGS = ("AttentionFactor", "ScalingBoundary", "QueryKeyScale")


def _at(values, dtype="int64", shape=None):
    return {"positions": listed(values, dtype, shape)}


CASES = [
    *[
        value(f"llama-4-{SHORT[dtype]}", f"Llama 4 at telling positions, {dtype}", **OURS, dtype=dtype,
              inputs=_at((*FEW, 8190, 8191, 8192, 16382, 16383, 16384)), flags=(*FLAGS, "OffByOne", *narrow(dtype)))
        for dtype in DTYPES
    ],
    *[
        value(f"ministral-3-{SHORT[dtype]}", f"Ministral 3 at telling positions, {dtype}", **THEIRS, dtype=dtype,
              inputs=_at((*FEW, 16383, 16384, 16385, 32767, 32768)), flags=(*FLAGS, "OffByOne", *narrow(dtype)),
              source=MINISTRAL)
        for dtype in ("float64", "float32", "bfloat16")
    ],
    value("first", "the first 4 positions: 1", positions=4, **OURS, flags=FLAGS),
    value("batch", "positions of shape (2, 3)", **OURS, inputs=_at((0, 8191, 8192, 5, 9000, 24575), shape=(2, 3)),
          flags=(*FLAGS, "HeadAxis")),
    value("far", "positions beyond 2**24", **OURS, inputs=_at((2**24 - 1, 2**24, 2**31 - 1)),
          flags=(*FLAGS, "LongContextInteger")),
    value("fractional", "positions that are not integers", **OURS, inputs=_at((8190.5, 8191.0, 8191.5), "float64"),
          flags=(*FLAGS, "FractionalPosition")),
    value("scale-zero", "scale 0: 1 everywhere", positions=3, attn_scale=0, floor_scale=1, shift=0, flags=FLAGS),
    value("every-token", "floor_scale 1: a step at every position", positions=8, attn_scale=0.5, floor_scale=1, shift=0,
          flags=FLAGS),
    value("empty", "no positions", positions=0, **OURS, flags=()),
    refused("negative", "a position before the first", "E_POSITION", "positions", **THEIRS, inputs=_at((0, -1))),
    refused("positions-nan", "a position that is NaN", "E_POSITION", "positions", **OURS,
            inputs=_at((float("nan"),), "float64")),
    refused("floor-zero", "floor_scale 0", "E_NUMBER", "floor_scale", positions=4, attn_scale=0.1, floor_scale=0,
            shift=1),
    refused("scale-negative", "a negative scale", "E_NUMBER", "attn_scale", positions=4, attn_scale=-0.1,
            floor_scale=8192,
            shift=1),
    refused("dtype", "integers as the result", "E_DTYPE", "dtype", positions=4, **OURS, dtype="int32"),
]

# what no other case tells apart
CASES += [
    value("shift-100-f32", "a shift of 100 that a position of 8091 needs for the next step, in float32", attn_scale=0.1,
          floor_scale=8192, shift=100, dtype="float32", inputs={"positions": listed((8091, 8092, 16283, 16284))}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="shift-100-f32",
    float16="shift-100-f32",
    bfloat16="shift-100-f32",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float32="every-token",
    float16="every-token",
    bfloat16="every-token",
)

# what no other case tells apart
CASES += [
    value("shift-3-f32", "a shift of 3 that decides each floor, far from the next integer, in float32",
          attn_scale=0.5, floor_scale=5, shift=3, dtype="float32", inputs=_at((0, 1, 3, 4, 6, 8, 13, 18, 34)),
          flags=(*FLAGS, "OffByOne")),
    value("fractional-shift-f32", "fractions of the positions and of the shift that decide each floor, in float32",
          attn_scale=0.25, floor_scale=5, shift=2.75, dtype="float32",
          inputs=_at((1.0, 2.5, 3.0, 7.5, 12.75, 22.5), "float64", (2, 3)), flags=(*FLAGS, "FractionalPosition")),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="shift-3-f32 fractional-shift-f32",
    float16="shift-3-f32 fractional-shift-f32",
    bfloat16="shift-3-f32 fractional-shift-f32",
)
