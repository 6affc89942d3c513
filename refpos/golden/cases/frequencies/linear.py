"""Golden cases of linear scaling."""

from ...case import paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("linear", paper("Chen et al. 2023, Positional Interpolation, arXiv:2306.15595, section 2.3"))
UTILS = project("transformers", "5.23.0", "modeling_rope_utils.py", "_compute_linear_scaling_rope_parameters")
GEMMA = project("google/gemma-3-4b-it", "1", "config.json")


def _of(function, **arguments):
    return {"function": function, "arguments": arguments}


CASES = [
    *[
        value(f"factor-4-{SHORT[dtype]}", f"frequencies of width 64 divided by 4, {dtype}", dim=64, factor=4,
              dtype=dtype,
              flags=("Scaling", *narrow(dtype)), source=UTILS)
        for dtype in DTYPES
    ],
    value("gemma-3-f32", "Gemma 3, full attention: width 256, base 1000000, factor 8", dim=256, base=1000000, factor=8,
          dtype="float32", flags=("Scaling", "Base"), source=GEMMA),
    value("factor-3", "a factor that is no power of two", dim=16, factor=3, flags=("Scaling",)),
    value("factor-tenth", "factor 0.1 as a float64: frequencies grow", dim=8, factor=0.1, flags=("Scaling",)),
    value("diffusers", "linear_factor 1.5 of an image axis of width 32", dim=32, factor=1.5, flags=("Scaling",),
          source=project("diffusers", "0.35.0", "models/embeddings.py", "get_1d_rotary_pos_embed")),
    value("powers-of-two", "base 2**16 and factor 8: every frequency is a power of two", dim=16, base=65536, factor=8,
          flags=("Scaling",)),
    value("tiny-f16", "factor 4096 in float16: subnormal numbers and zeros", dim=16, base=1000000, factor=4096,
          dtype="float16", flags=("Scaling", "Subnormal", "DoubleRounding")),
    value("of-ntk", "linear scaling of the frequencies of NTK scaling", dim=16, factor=2,
          frequencies=_of("ntk", dim=16, base=10000, factor=4), flags=("Scaling",)),
    value("of-yarn-f32", "linear scaling of YaRN keeps its attention factor", dim=32, factor=2, dtype="float32",
          frequencies=_of("yarn", dim=32, base=10000, factor=16, original_max_position_embeddings=4096),
          flags=("AttentionFactor", "Scaling")),
    refused("dim-odd", "an odd width", "E_ODD_DIM", "dim", dim=7, factor=2),
    refused("base-zero", "base 0", "E_BASE", "base", dim=8, base=0, factor=2),
    refused("factor-zero", "factor 0", "E_NUMBER", "factor", dim=8, factor=0),
    refused("factor-negative", "a negative factor", "E_NUMBER", "factor", dim=8, factor=-4),
    refused("factor-nan", "factor NaN", "E_NUMBER", "factor", dim=8, factor=float("nan")),
    refused("frequencies-width", "frequencies of another width", "E_ROTARY_DIM", "frequencies", dim=8, factor=2,
            frequencies=_of("inverse_frequencies", dim=16, base=10000)),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float16="of-ntk",
    bfloat16="powers-of-two of-ntk",
)

# what the cases of a format do not tell apart
CASES += in_formats(
    CASES,
    float64="of-yarn-f32",
    float16="of-yarn-f32",
    bfloat16="of-yarn-f32",
)
