"""Golden cases of the XD-RoPE of HunYuan-VL."""

from ...case import call, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, LONG, SHORT, narrow
from .._formats import in_formats

value, refused = suite("xdrope", paper("Tencent 2025, HunyuanOCR technical report, arXiv:2511.19575"))
FLAGS = ("AxisOrder", "AxisSections", "InterleavedVsHalf")
HUNYUAN = project("transformers", "5.23.0", "models/hunyuan_vl/modeling_hunyuan_vl.py")
#: sequence, column, row and image of a token of text and of an image of 2 x 2 tokens
IDS = (0, 1, 2, 3, 4, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1)
FAR = (1, 4097, 131071, 2, 257, 4099, 3, 2049, 65537, 4, 4096, 131072)


def tensors(shape, seed, ids=IDS, dtype="float32", axes=(4, 5), kind="int64"):
    """The input tensors x and position_ids."""
    return {"x": scattered(dtype, shape, seed), "position_ids": listed(ids, kind, axes)}


CASES = [
    *[
        value(f"far-{SHORT[dtype]}", f"far positions on four axes, {dtype}", sections=[1, 1, 1, 1],
              inputs=tensors((3, 8), 600 + k, FAR, dtype, (4, 3)), flags=(*FLAGS, *LONG, *narrow(dtype)))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"image-{SHORT[dtype]}", f"text and an image of 2 x 2 tokens, {dtype}", sections=[2, 2, 2, 2],
              inputs=tensors((5, 16), 604 + k, dtype=dtype), flags=(*FLAGS, *narrow(dtype)))
        for k, dtype in enumerate(DTYPES)
    ],
    value("hunyuan-vl", "HunYuan-VL: four sections of 16 pairs", sections=[16, 16, 16, 16],
          inputs=tensors((5, 128), 610), flags=FLAGS, source=HUNYUAN),
    value("hunyuan-vl-alpha", "HunYuan-VL: the base grown by alpha 1000", sections=[16, 16, 16, 16],
          frequencies=call("ntk_alpha", dim=128, base=10000, alpha=1000),
          inputs=tensors((5, 128), 611, dtype="bfloat16"), flags=(*FLAGS, "Scaling", "DoubleRounding"), source=HUNYUAN),
    value("hunyuan-vl-table", "HunYuan-VL: ones beside zeros, which turn into cosines and sines of the first halves",
          sections=[16, 16, 16, 16], frequencies=call("ntk_alpha", dim=128, base=10000, alpha=1000),
          inputs={"x": listed(((1.0,) * 64 + (0.0,) * 64) * 2, "float32", (2, 128)),
                  "position_ids": listed((3, 4, 3, 0, 3, 1, 3, 2), "int64", (4, 2))},
          flags=(*FLAGS, "Scaling"), source=HUNYUAN),
    value("text", "text: the same position on each axis", sections=[1, 1, 1, 1],
          inputs=tensors((4, 8), 612, (0, 1, 2, 3) * 4, "float64", (4, 4)), flags=FLAGS),
    value("two-axes", "two axes: each half of the channels its own", sections=[1, 1],
          inputs=tensors((3, 4), 613, (1, 2, 3, 7, 5, 6), "float64", (2, 3)), flags=FLAGS),
    value("three-axes", "an axis that covers the ends of both halves", sections=[1, 2, 1],
          inputs=tensors((3, 8), 614, (1, 2, 3, 7, 5, 6, 11, 13, 17), "float64", (3, 3)), flags=FLAGS),
    value("one-axis", "one axis: the common rotation", sections=[2],
          inputs=tensors((3, 4), 615, (1, 2, 3), axes=(1, 3)), flags=FLAGS),
    value("unequal", "sections of unequal length", sections=[3, 1], base=500000,
          inputs=tensors((3, 8), 616, (1, 2, 3, 7, 5, 6), axes=(2, 3)), flags=(*FLAGS, "Base")),
    value("partial", "channels beyond the sections are copied", sections=[1, 1],
          inputs=tensors((3, 7), 617, (1, 2, 3, 7, 5, 6), axes=(2, 3)), flags=(*FLAGS, "PartialRotary")),
    value("batch", "ids (axes, batch, seq)", sections=[1, 1],
          inputs=tensors((2, 2, 2, 4), 618, (1, 2, 3, 7, 5, 6, 4, 9), axes=(2, 2, 2)), flags=(*FLAGS, "HeadAxis")),
    value("batch-after", "the same for x (batch, seq, heads, width)", sections=[1, 1], seq_axis=-3,
          inputs=tensors((2, 2, 3, 4), 619, (1, 2, 3, 7, 5, 6, 4, 9), axes=(2, 2, 2)), flags=(*FLAGS, "HeadAxis")),
    value("halves", "positions that are halves", sections=[1, 1], flags=(*FLAGS, "FractionalPosition"),
          inputs=tensors((3, 4), 620, (1.5, 2, -3.5, 0.25, 5, 6), axes=(2, 3), kind="float64")),
    value("empty", "no tokens", sections=[1, 1], inputs=tensors((0, 4), 621, (), axes=(2, 0))),
    refused("sections-none", "no sections", "E_SHAPE", "sections", sections=[], inputs=tensors((5, 8), 1)),
    refused("sections-frequencies", "sections of another width than the frequencies", "E_SHAPE", "sections",
            sections=[1, 1, 1, 1], frequencies=call("inverse_frequencies", dim=16, base=10000),
            inputs=tensors((5, 16), 1)),
    refused("sections-wide", "sections beyond the channels", "E_ROTARY_DIM", "rotary_dim", sections=[2, 2, 2, 2],
            inputs=tensors((5, 8), 1)),
    refused("ids-few", "fewer axes of ids than sections", "E_SHAPE", "positions", sections=[1, 1, 1, 1],
            inputs=tensors((5, 8), 1, IDS[:10], axes=(2, 5))),
    refused("base-zero", "base 0", "E_BASE", "base", sections=[1, 1, 1, 1], base=0, inputs=tensors((5, 8), 1)),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="unequal hunyuan-vl-table",
    float16="unequal hunyuan-vl-table",
    bfloat16="unequal",
)

# conventions that no case above tells
CASES += in_formats(CASES, float64="batch-after", float16="batch-after", bfloat16="batch-after")
