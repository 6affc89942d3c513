"""Golden cases of the softmax scale of YaRN."""

from ...case import project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("yarn_softmax_scale", project(
    "transformers", "5.23.0", "models/deepseek_v3/modeling_deepseek_v3.py", "yarn_apply_mscale"
))
FLAGS = ("AttentionFactor", "QueryKeyScale")

CASES = [
    *[
        value(f"deepseek-v3-{SHORT[dtype]}", f"DeepSeek-V3: factor 40, {dtype}", factor=40, dtype=dtype,
              flags=(*FLAGS, *narrow(dtype)))
        for dtype in DTYPES
    ],
    value("deepseek-v2", "DeepSeek-V2: mscale_all_dim 0.707", factor=40, mscale_all_dim=0.707, flags=FLAGS),
    value("mistral-4-f32", "Mistral 4: factor 128", factor=128, dtype="float32", flags=FLAGS),
    value("ministral-3", "Ministral 3: factor 16", factor=16, flags=FLAGS),
    value("factor-1", "factor 1: 1", factor=1, flags=FLAGS),
    value("factor-below-1", "factor 1/2: 1", factor=0.5, flags=FLAGS),
    value("mscale-zero", "mscale_all_dim 0: 1", factor=40, mscale_all_dim=0, flags=FLAGS),
    refused("factor-zero", "factor 0", "E_NUMBER", "factor", factor=0),
    refused("mscale-negative", "a negative mscale_all_dim", "E_NUMBER", "mscale_all_dim", factor=2, mscale_all_dim=-1),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float32="deepseek-v2",
    float16="deepseek-v2",
    bfloat16="deepseek-v2",
)

# what the cases of a format do not tell apart
CASES += in_formats(
    CASES,
    float32="factor-below-1",
    float16="mistral-4-f32 factor-below-1",
    bfloat16="mistral-4-f32 factor-below-1",
)
