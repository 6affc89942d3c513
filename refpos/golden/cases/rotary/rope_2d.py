"""Golden cases of the rotation by row and column."""

from ...case import call, fraction, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite(
    "rope_2d", paper("Heo et al. 2024, Rotary Position Embedding for Vision Transformer, arXiv:2403.13298, section 3")
)
FLAGS = ("AxisOrder", "NonSquare", "InterleavedVsHalf")
ROPE_VIT = project("naver-ai/rope-vit", "ce85c2e", "deit/models_v2_rope.py")
DINO = project("facebookresearch/dinov3", "6876159", "dinov3/layers/rope_position_encoding.py")


def _hf(name):
    return project("transformers", "5.23.0", f"models/{name}/modeling_{name}.py")


def x(tokens, dim, seed, dtype="float32"):
    """Rows of channels, one for each cell."""
    return {"x": scattered(dtype, (tokens, dim), seed)}


def _middles(size, count):
    return call("half_pixel", size=size, count=count)


CASES = [
    # every format, pairing and order
    *[
        value(f"{pairing}-{order}-{SHORT[dtype]}", f"a grid of 3 x 5 cells, {pairing}, {order}, {dtype}", height=3,
              width=5, pairing=pairing, axis_order=order, inputs=x(15, 8, 300 + k, dtype),
              flags=(*FLAGS, *narrow(dtype)))
        for k, (pairing, order, dtype) in enumerate(
            (p, o, d) for p, o in (("half", "hw"), ("interleaved", "wh"), ("block-half", "hw")) for d in DTYPES)
    ],
    # real models
    value("qwen2-vl-vision-2x3", "the vision tower of Qwen2-VL: heads of 80 channels, halves", height=2, width=3,
          pairing="half", axis_order="hw", inputs=x(6, 80, 320), flags=FLAGS, source=_hf("qwen2_vl")),
    value("rope-vit-2x3", "RoPE-ViT: columns first, base 100, interleaved", height=2, width=3, pairing="interleaved",
          axis_order="wh", base=100, inputs=x(6, 64, 321), flags=(*FLAGS, "Base"), source=ROPE_VIT),
    value("sam2-1x2", "SAM 2: memory attention, 256 channels", height=1, width=2, pairing="interleaved",
          axis_order="wh", inputs=x(2, 256, 322), flags=FLAGS,
          source=project("facebookresearch/sam2", "2b90b9f", "sam2/modeling/position_encoding.py")),
    value("gemma4-vision-2x3", "the vision tower of Gemma 4: each half rotated within itself, base 100", height=2,
          width=3, pairing="block-half", axis_order="wh", base=100, inputs=x(6, 64, 323, "bfloat16"),
          flags=(*FLAGS, "Base", "DoubleRounding"), source=_hf("gemma4")),
    value("pixtral-2x3", "Pixtral: rows and columns share one set of frequencies", height=2, width=3, pairing="half",
          axis_order="hw", allocation="strided", inputs=x(6, 64, 324), flags=("AxisSections", *FLAGS, "Endpoint"),
          source=_hf("pixtral")),
    value("kimi-2x3", "Kimi K2.5: columns and rows alternate", height=2, width=3, pairing="interleaved",
          axis_order="wh", arrangement="interleaved", inputs=x(6, 72, 325), flags=(*FLAGS, "AxisSections"),
          source=_hf("kimi_k25")),
    value("llama4-vision-2x2", "Llama 4: positions from 1, columns first", height=call("affine", size=2, start=1),
          width=call("affine", size=2, start=1), pairing="interleaved", axis_order="wh", inputs=x(4, 88, 326),
          flags=("AxisOrder", "OffByOne", "InterleavedVsHalf"), source=_hf("llama4")),
    value("eva02-2x3", "EVA-02: rows 16 i / 2, columns 16 i / 3", pairing="interleaved", axis_order="hw",
          height=call("affine", size=2, step=8), width=call("affine", size=3, step=fraction(16, 3)),
          inputs=x(6, 64, 327), flags=(*FLAGS, "FractionalPosition"),
          source=project("baaivision/EVA", "5623d08", "EVA-02/asuka/rope.py")),
    *[
        value(f"dinov3-{SHORT[dtype]}", f"DINOv3: 3 x 4 cells, whole turns, base 100, {dtype}", pairing="half",
              axis_order="hw", height=_middles(3, 4), width=_middles(4, 4), base=100, times_pi=2,
              inputs=x(12, 16, 330 + k, dtype),
              flags=(*FLAGS, "FractionalPosition", "Base", "Centring", *narrow(dtype)),
              source=DINO)
        for k, dtype in enumerate(DTYPES)
    ],
    # shapes
    value("one-cell", "a grid of one cell: nothing turns", height=1, width=1, pairing="half", axis_order="hw",
          inputs=x(1, 8, 340), flags=FLAGS),
    value("one-row", "a grid of one row", height=1, width=7, pairing="half", axis_order="hw", inputs=x(7, 4, 341),
          flags=FLAGS),
    value("square", "a square, which hides the order in its shape", height=3, width=3, pairing="half",
          axis_order="wh", inputs=x(9, 4, 342), flags=("AxisOrder",)),
    value("partial", "the first 8 of 11 channels", height=2, width=3, pairing="half", axis_order="hw", rotary_dim=8,
          inputs=x(6, 11, 343, "float64"), flags=(*FLAGS, "PartialRotary", "OddDimension")),
    value("inverse", "rotated back", height=2, width=3, pairing="interleaved", axis_order="hw", inverse=True,
          inputs=x(6, 8, 344, "float64"), flags=(*FLAGS, "Inverse")),
    value("sections", "one set of frequencies cut in two", height=2, width=3, pairing="half", axis_order="hw",
          allocation="sections", inputs=x(6, 8, 345, "float64"), flags=("AxisSections", *FLAGS, "Endpoint")),
    value("heads-after-sequence", "x (batch, cells, heads, width)", height=2, width=3, pairing="half", axis_order="hw",
          seq_axis=-3, inputs={"x": scattered("float32", (2, 6, 2, 4), 346)}, flags=(*FLAGS, "HeadAxis")),
    value("empty", "a grid without rows", height=0, width=3, pairing="half", axis_order="hw",
          inputs={"x": scattered("float32", (0, 4), 347)}),
    refused("order", "an order that is not known", "E_CHOICE", "axis_order", height=2, width=3, pairing="half",
            axis_order="xy", inputs=x(6, 8, 1)),
    refused("cells", "more rows of x than cells", "E_SHAPE", "positions", height=2, width=2, pairing="half",
            axis_order="hw", inputs=x(6, 8, 1)),
    refused("width", "a rotary width that is no multiple of 4", "E_ODD_DIM", "rotary_dim", height=2, width=3,
            pairing="half", axis_order="hw", inputs=x(6, 6, 1)),
    refused("pairing", "no pairing", "E_CHOICE", "pairing", height=2, width=3, pairing=None, axis_order="hw",
            inputs=x(6, 8, 1)),
    refused("size", "a negative height", "E_POSITION", "positions", height=-2, width=3, pairing="half",
            axis_order="hw", inputs=x(6, 8, 1)),
]

# what no other case tells apart
CASES += [
    value("bases-f32", "a base for each axis, far from the first cell, in float32", pairing="half", axis_order="hw",
          height=call("affine", size=2, start=40), width=call("affine", size=3, start=60), base=[50, 200],
          flags=("AxisOrder", "Base", "NonSquare"), inputs={"x": scattered("float32", (6, 8), 360)}),
    value("sections-partial-inverse-f32", "sections of 8 of 11 channels, rotated back, heads after the sequence",
          pairing="half", axis_order="wh", height=2, width=3, allocation="sections", rotary_dim=8, inverse=True,
          seq_axis=-3,
          flags=("AxisOrder", "HeadAxis", "NonSquare", "PartialRotary"),
          inputs={"x": scattered("float32", (6, 2, 11), 361)}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="bases-f32 pixtral-2x3 kimi-2x3",
    float16="bases-f32 sections-partial-inverse-f32 pixtral-2x3 kimi-2x3",
    bfloat16="bases-f32 sections-partial-inverse-f32 pixtral-2x3 kimi-2x3",
)

# conventions that no case above tells
CASES += in_formats(CASES, float64="heads-after-sequence")

# a second value of numbers that all other cases have alike
CASES += [
    value("half-turns-f32", "angles in half turns, the first 4 of 6 channels", height=2, width=3, pairing="half",
          axis_order="hw", rotary_dim=4, base=100, times_pi=1, flags=(*FLAGS, "Base", "PartialRotary"),
          inputs=x(6, 6, 362)),
]
CASES += in_formats(
    CASES,
    float64="half-turns-f32",
    float16="half-turns-f32",
    bfloat16="half-turns-f32",
)
