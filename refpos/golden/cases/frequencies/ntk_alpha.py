"""Golden cases of the NTK scaling of HunYuan."""

from ...case import project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("ntk_alpha", project(
    "transformers", "5.23.0", "models/hunyuan_v1_dense/modeling_hunyuan_v1_dense.py",
    "compute_ntk_alpha_rope_parameters"
))

CASES = [
    *[
        value(f"hunyuan-{SHORT[dtype]}", f"HunYuan: head width 128, base 10000, alpha 1000, {dtype}", dim=128,
              alpha=1000,
              dtype=dtype, flags=("Scaling", "Base", *narrow(dtype)))
        for dtype in DTYPES
    ],
    value("alpha-50", "alpha 50 at width 64", dim=64, alpha=50, flags=("Scaling", "Base")),
    value("alpha-tenth", "alpha 0.1 as a float64", dim=16, alpha=0.1, flags=("Scaling", "Base")),
    value("dim-4", "the narrowest width", dim=4, alpha=1000, flags=("Scaling",)),
    value("alpha-1", "alpha 1 changes nothing", dim=16, alpha=1, flags=("Scaling",)),
    refused("dim-2", "width 2, for which the exponent has no value", "E_SIZE", "dim", dim=2, alpha=1000),
    refused("alpha-zero", "alpha 0", "E_NUMBER", "alpha", dim=8, alpha=0),
    refused("base-infinite", "base infinity", "E_BASE", "base", dim=8, base=float("inf"), alpha=2),
]

# what no other case tells apart
CASES += [
    value("base-100-f32", "base 100, in float32", dim=16, base=100, alpha=50, dtype="float32",
          flags=("Base", "Scaling")),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="base-100-f32",
    float16="base-100-f32",
    bfloat16="base-100-f32",
)
