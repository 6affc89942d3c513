"""Golden cases of the frequencies of the multimodal rotation."""

from ...case import call, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("mrope_frequencies", paper("Wang et al. 2024, Qwen2-VL, arXiv:2409.12191, section 2.1"))


def _hf(name):
    return project("transformers", "5.23.0", f"models/{name}/modeling_{name}.py")


CASES = [
    *[
        value(f"qwen2-vl-{SHORT[dtype]}", f"Qwen2-VL: sections 16, 24 and 24, {dtype}", dim=128, sections=[16, 24, 24],
              arrangement="chunked", base=1000000, dtype=dtype,
              flags=("AxisOrder", "AxisSections", "Base", *narrow(dtype)),
              source=_hf("qwen2_vl"))
        for dtype in DTYPES
    ],
    value("qwen3-vl", "Qwen3-VL: time, row and column in turn", dim=128, sections=[24, 20, 20],
          arrangement="interleaved", base=5000000, flags=("AxisOrder", "AxisSections", "Base"), source=_hf("qwen3_vl")),
    value("qwen3-5", "Qwen3.5: a quarter of a head of 256 channels", dim=64, sections=[11, 11, 10],
          arrangement="interleaved", base=10000000, flags=("AxisOrder", "AxisSections", "Base", "PartialRotary"),
          source=_hf("qwen3_5")),
    value("genlip", "sections whose strides run beyond the frequencies", dim=64, sections=[8, 12, 12],
          arrangement="interleaved", flags=("AxisOrder", "AxisSections"),
          source=project("huggingface/pytorch-image-models", "1.0.31", "timm/layers/pos_embed_sincos.py")),
    value("glm-4v", "GLM-4V: sections 8, 12 and 12 of a rotary width of 64", dim=64, sections=[8, 12, 12],
          arrangement="chunked", flags=("AxisOrder", "AxisSections", "PartialRotary"), source=_hf("glm4v")),
    value("ernie-4-5-vl", "ERNIE-4.5-VL: rows and columns alternate, then time", dim=128, sections=[22, 22, 20],
          arrangement="alternating", base=500000, flags=("AxisOrder", "AxisSections", "Base"),
          source=_hf("ernie4_5_vl_moe")),
    value("videorope", "VideoRoPE: time has the lowest sixteen frequencies", dim=128, sections=[24, 24, 16],
          arrangement="alternating", base=1000000, flags=("AxisOrder", "AxisSections", "Base"),
          source=project("Wiselnn570/VideoRoPE", "309f5c8", "videorope-transformer/modeling_videorope.py")),
    value("time-only", "sections without rows and columns are text", dim=8, sections=[4, 0, 0], arrangement="chunked"),
    refused("dim-odd", "an odd width", "E_ODD_DIM", "dim", dim=7, sections=[1, 1, 1], arrangement="chunked"),
    refused("sections-sum", "sections of another width", "E_SHAPE", "sections", dim=128, sections=[16, 24, 25],
            arrangement="chunked"),
    refused("sections-count", "two sections", "E_SHAPE", "sections", dim=8, sections=[2, 2], arrangement="chunked"),
    refused("sections-negative", "a negative section", "E_SIZE", "sections", dim=8, sections=[5, -1, 0],
            arrangement="chunked"),
    refused("alternating-unequal", "more rows than columns", "E_SHAPE", "sections", dim=12, sections=[3, 2, 1],
            arrangement="alternating"),
    refused("arrangement", "an arrangement that is not known", "E_CHOICE", "arrangement", dim=12, sections=[2, 2, 2],
            arrangement="mixed"),
    refused("base-zero", "base 0", "E_BASE", "base", dim=12, sections=[2, 2, 2], arrangement="chunked", base=0),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float32="qwen3-5 ernie-4-5-vl",
    float16="qwen3-5 ernie-4-5-vl",
    bfloat16="qwen3-5 ernie-4-5-vl",
)

# what no other case tells apart
YARN = call("yarn", dim=16, base=100, factor=4, original_max_position_embeddings=400, beta_fast=20, beta_slow=0.5)
CASES += [
    value("interleaved-unequal-f32", "one row and two columns in turn, the default base, in float32", dim=16,
          sections=[5, 1, 2], arrangement="interleaved", dtype="float32", flags=("AxisOrder", "AxisSections")),
    value("of-yarn-f32", "the frequencies of YaRN and its attention factor, in float32", dim=16, sections=[2, 1, 5],
          arrangement="chunked", frequencies=YARN, dtype="float32",
          flags=("AttentionFactor", "AxisSections", "Scaling")),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="interleaved-unequal-f32 of-yarn-f32",
    float16="interleaved-unequal-f32 of-yarn-f32",
    bfloat16="interleaved-unequal-f32 of-yarn-f32",
)
