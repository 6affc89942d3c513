"""Golden cases of the multimodal rotation."""

from ...case import call, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, LONG, SHORT, narrow
from .._formats import in_formats

value, refused = suite("mrope", paper("Wang et al. 2024, Qwen2-VL, arXiv:2409.12191, section 2.1"))
FLAGS = ("AxisOrder", "AxisSections", "InterleavedVsHalf")
#: text, an image of 1 x 3 tokens, text
IDS = (0, 1, 1, 1, 4, 0, 1, 1, 1, 4, 0, 1, 2, 3, 4)
FAR = (0, 4095, 131071, 131071, 0, 4096, 131071, 131072, 0, 4097, 131071, 131073)


def tensors(shape, seed, ids=IDS, dtype="float32", axes=(3, 5), kind="int64"):
    """The input tensors x and position_ids."""
    return {"x": scattered(dtype, shape, seed), "position_ids": listed(ids, kind, axes)}


def _hf(name):
    return project("transformers", "5.23.0", f"models/{name}/modeling_{name}.py")


CASES = [
    *[
        value(f"{arrangement}-{pairing}-{SHORT[dtype]}", f"{arrangement}, {pairing}, far positions, {dtype}",
              pairing=pairing, sections=sections, arrangement=arrangement,
              inputs=tensors((4, 12), 500 + k, FAR, dtype, (3, 4)), flags=(*FLAGS, *LONG, *narrow(dtype)))
        for k, (arrangement, pairing, sections, dtype) in enumerate(
            (a, p, s, d) for a, p, s in (("chunked", "half", [2, 3, 1]), ("interleaved", "interleaved", [2, 2, 2]),
                                         ("alternating", "half", [2, 2, 2])) for d in DTYPES)
    ],
    value("qwen2-vl", "Qwen2-VL: sections 16, 24 and 24, halves", pairing="half", sections=[16, 24, 24],
          arrangement="chunked", base=1000000, inputs=tensors((5, 128), 520), flags=(*FLAGS, "Base"),
          source=_hf("qwen2_vl")),
    value("qwen2-5-vl-bf16", "Qwen2.5-VL in bfloat16", pairing="half", sections=[16, 24, 24], arrangement="chunked",
          base=1000000, inputs=tensors((5, 128), 521, dtype="bfloat16"), flags=(*FLAGS, "Base", "DoubleRounding"),
          source=_hf("qwen2_5_vl")),
    value("qwen3-vl", "Qwen3-VL: time, row and column in turn", pairing="half", sections=[24, 20, 20],
          arrangement="interleaved", base=5000000, inputs=tensors((5, 128), 522), flags=(*FLAGS, "Base"),
          source=_hf("qwen3_vl")),
    value("qwen3-5", "Qwen3.5: a quarter of 256 channels", pairing="half", sections=[11, 11, 10],
          arrangement="interleaved", base=10000000, inputs=tensors((5, 256), 523),
          flags=(*FLAGS, "Base", "PartialRotary"), source=_hf("qwen3_5")),
    value("glm-4v", "GLM-4V: half of 128 channels, interleaved pairs", pairing="interleaved", sections=[8, 12, 12],
          arrangement="chunked", inputs=tensors((5, 128), 524), flags=(*FLAGS, "PartialRotary"), source=_hf("glm4v")),
    value("ernie-4-5-vl", "ERNIE-4.5-VL: rows and columns alternate, then time", pairing="interleaved",
          sections=[22, 22, 20], arrangement="alternating", base=500000, inputs=tensors((5, 128), 525),
          flags=(*FLAGS, "Base"), source=_hf("ernie4_5_vl_moe")),
    value("videorope", "VideoRoPE: time has the lowest frequencies, halves", pairing="half", sections=[24, 24, 16],
          arrangement="alternating", base=1000000,
          inputs=tensors((3, 128), 526, (0, 2.5, 5, -1, 0, 1, -3, 7, 2), axes=(3, 3), kind="float64"),
          flags=(*FLAGS, "Base", "FractionalPosition"),
          source=project("Wiselnn570/VideoRoPE", "309f5c8", "videorope-transformer/modeling_videorope.py")),
    value("text", "text: the same position on each axis", pairing="half", sections=[2, 1, 1], arrangement="chunked",
          inputs=tensors((4, 8), 527, (0, 1, 2, 3) * 3, "float64", (3, 4)), flags=("InterleavedVsHalf",)),
    value("batch", "ids (3, batch, seq) for x (batch, heads, seq, width)", pairing="half", sections=[2, 1, 1],
          arrangement="chunked", inputs=tensors((2, 2, 3, 8), 528, tuple(range(18)), axes=(3, 2, 3)),
          flags=(*FLAGS, "HeadAxis")),
    value("batch-after", "the same for x (batch, seq, heads, width)", pairing="half", sections=[2, 1, 1],
          arrangement="interleaved", seq_axis=-3,
          inputs=tensors((2, 3, 2, 8), 529, tuple(range(18)), axes=(3, 2, 3)), flags=(*FLAGS, "HeadAxis")),
    value("yarn", "frequencies of YaRN with their factor", pairing="half", sections=[2, 1, 1], arrangement="chunked",
          frequencies=call("yarn", dim=8, base=10000, factor=4, original_max_position_embeddings=32768),
          inputs=tensors((5, 8), 530), flags=(*FLAGS, "Scaling", "AttentionFactor")),
    value("time-only", "sections without rows and columns", pairing="half", sections=[4, 0, 0], arrangement="chunked",
          inputs=tensors((5, 8), 531), flags=FLAGS),
    value("inverse", "rotated back", pairing="interleaved", sections=[1, 1, 2], arrangement="chunked", inverse=True,
          inputs=tensors((5, 8), 532, dtype="float64"), flags=(*FLAGS, "Inverse")),
    value("empty", "no tokens", pairing="half", sections=[1, 1, 1], arrangement="chunked",
          inputs=tensors((0, 6), 533, (), axes=(3, 0))),
    refused("sections-two", "two sections", "E_SHAPE", "sections", pairing="half", sections=[2, 2],
            arrangement="chunked", inputs=tensors((5, 8), 1)),
    refused("sections-wide", "sections beyond the channels", "E_ROTARY_DIM", "rotary_dim", pairing="half",
            sections=[4, 4, 4], arrangement="chunked", inputs=tensors((5, 8), 1)),
    refused("ids-two", "two axes of ids", "E_SHAPE", "positions", pairing="half", sections=[2, 1, 1],
            arrangement="chunked", inputs=tensors((5, 8), 1, IDS[:10], axes=(2, 5))),
    refused("length", "ids for another length", "E_SHAPE", "positions", pairing="half", sections=[2, 1, 1],
            arrangement="chunked", inputs=tensors((4, 8), 1)),
    refused("arrangement", "an arrangement that is not known", "E_CHOICE", "arrangement", pairing="half",
            sections=[2, 1, 1], arrangement="blocks", inputs=tensors((5, 8), 1)),
]

# what no other case tells apart
CASES += [
    value("block-half-inverse-f32", "halves of each axis, rotated back, heads after the sequence, in float32",
          pairing="block-half", sections=[2, 3, 1], arrangement="chunked", inverse=True, seq_axis=-3,
          flags=("AxisSections", "HeadAxis", "InterleavedVsHalf"),
          inputs={"x": scattered("float32", (4, 2, 12), 540),
                  "position_ids": listed((0, 1, 2, 3, 0, 0, 1, 1, 0, 5, 0, 5), shape=(3, 4))}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="block-half-inverse-f32 videorope yarn",
    float32="inverse",
    float16="block-half-inverse-f32 videorope yarn",
    bfloat16="block-half-inverse-f32 yarn",
)

# conventions that no case above tells
CASES += [
    value("interleaved-partial-batch-f32", "three axes in turn until rows, then columns end, 12 of 14 channels",
          pairing="half", sections=[3, 1, 2], arrangement="interleaved", base=20,
          flags=(*FLAGS, "Base", "HeadAxis", "PartialRotary"),
          inputs=tensors((2, 3, 14), 550, (0, 5, 40, 17, 8, 1, 21, 2, 9, 4, 33, 12, 11, 30, 3, 6, 25, 19),
                         axes=(3, 2, 3))),
    value("yarn-partial-inverse-f32", "YaRN on the first 8 of 10 channels, rotated back: the factor stays",
          pairing="interleaved", sections=[1, 1, 2], arrangement="alternating", inverse=True,
          frequencies=call("yarn", dim=8, base=100, factor=16, original_max_position_embeddings=64),
          flags=(*FLAGS, "AttentionFactor", "FractionalPosition", "Inverse", "PartialRotary", "Scaling"),
          inputs=tensors((3, 10), 551, (1.5, -7.25, 40, -20.5, 2.75, 9, -11.5, 30, -3.75), axes=(3, 3),
                         kind="float64")),
]

CASES += in_formats(
    CASES,
    float64="interleaved-partial-batch-f32 yarn-partial-inverse-f32",
    float16="interleaved-partial-batch-f32 yarn-partial-inverse-f32",
    bfloat16="interleaved-partial-batch-f32 yarn-partial-inverse-f32",
)
