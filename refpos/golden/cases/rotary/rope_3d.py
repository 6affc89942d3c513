"""Golden cases of the rotation by frame, row and column."""

from ...case import call, fraction, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats
from .rope_2d import x

value, refused = suite("rope_3d", paper("Kong et al. 2024, HunyuanVideo, arXiv:2412.03603, section 4.2"))
FLAGS = ("AxisOrder", "NonSquare", "InterleavedVsHalf")
SMALL = {"frames": 2, "height": 3, "width": 2}
TINY = {"frames": 2, "height": 1, "width": 3}


def _df(file):
    return project("huggingface/diffusers", "0.42.1", file)


CASES = [
    *[
        value(f"{order}-{pairing}-{SHORT[dtype]}", f"2 frames of 3 x 2 cells, {order}, {pairing}, {dtype}", **SMALL,
              pairing=pairing, axis_order=order, widths=[2, 4, 6], inputs=x(12, 12, 400 + k, dtype),
              flags=(*FLAGS, *narrow(dtype)))
        for k, (order, pairing, dtype) in enumerate(
            (o, p, d) for o, p in (("thw", "interleaved"), ("wht", "half")) for d in DTYPES)
    ],
    *[
        value(f"order-{order}", f"the axes as {order}", **SMALL, pairing="interleaved", axis_order=order,
              widths=[2, 2, 2], inputs=x(12, 6, 410 + k, "float64"), flags=FLAGS)
        for k, order in enumerate(("twh", "htw", "hwt", "wth"))
    ],
    value("hunyuan-video", "HunyuanVideo: 16, 56 and 56 channels, base 256", **TINY, pairing="interleaved",
          axis_order="thw", widths=[16, 56, 56], base=256, inputs=x(6, 128, 420), flags=(*FLAGS, "Base"),
          source=project("Tencent/HunyuanVideo", "fa14b00", "hyvideo/modules/posemb_layers.py")),
    value("wan", "Wan: 44, 42 and 42 channels", **TINY, pairing="interleaved", axis_order="thw", widths=[44, 42, 42],
          inputs=x(6, 128, 421, "bfloat16"), flags=(*FLAGS, "DoubleRounding"),
          source=project("Wan-Video/Wan2.1", "9737cba", "wan/modules/model.py")),
    value("cogvideox", "CogVideoX: 16, 24 and 24 channels", **TINY, pairing="interleaved", axis_order="thw",
          widths=[16, 24, 24], inputs=x(6, 64, 422), flags=FLAGS, source=_df("models/embeddings.py")),
    value("cosmos-30fps", "Cosmos: frames at 30 a second, trained at 24, halves",
          frames=call("affine", size=2, step=fraction(24, 30)), height=1, width=3, pairing="half", axis_order="thw",
          widths=[44, 42, 42], inputs=x(6, 128, 423), flags=(*FLAGS, "FractionalPosition"),
          source=_df("models/transformers/transformer_cosmos.py")),
    value("z-image", "Z-Image: 32, 48 and 48 channels, base 256", **TINY, pairing="interleaved", axis_order="thw",
          widths=[32, 48, 48], base=256, inputs=x(6, 128, 424), flags=(*FLAGS, "Base"),
          source=_df("models/transformers/transformer_z_image.py")),
    value("bases", "a base for each axis", **SMALL, pairing="half", axis_order="thw", widths=[4, 4, 4],
          base=[10000, 100, 500000], inputs=x(12, 12, 425, "float64"), flags=(*FLAGS, "Base")),
    value("interleaved-axes", "the axes alternate", **SMALL, pairing="half", axis_order="thw", widths=[4, 4, 4],
          arrangement="interleaved", inputs=x(12, 12, 426, "float64"), flags=(*FLAGS, "AxisSections")),
    value("whole-turns", "whole turns at thirds", frames=call("half_pixel", size=3), height=1, width=2,
          pairing="half", axis_order="thw", widths=[4, 2, 2], times_pi=2, inputs=x(6, 8, 427, "float64"),
          flags=("Centring", *FLAGS, "FractionalPosition")),
    value("negative", "rows and columns around 0", frames=2, height=call("centred", size=3, rounding="floor"),
          width=call("centred", size=2, rounding="ceil"), pairing="interleaved", axis_order="thw", widths=[2, 4, 4],
          inputs=x(12, 10, 428), flags=("Centring", *FLAGS, "OffByOne")),
    value("offset-65536", "an image at 65536", frames=1, height=call("affine", size=2, start=65536),
          width=call("affine", size=3, start=65536), pairing="interleaved", axis_order="thw", widths=[2, 4, 4],
          inputs=x(6, 10, 429), flags=(*FLAGS, "LongContextInteger", "NarrowAngle", "LargeArgument")),
    value("partial", "channels beyond the widths are copied", **SMALL, pairing="half", axis_order="thw",
          widths=[2, 2, 2], inputs=x(12, 9, 430), flags=(*FLAGS, "PartialRotary")),
    value("one-frame", "an image", frames=1, height=2, width=3, pairing="half", axis_order="thw", widths=[2, 4, 4],
          inputs=x(6, 10, 431), flags=FLAGS),
    value("inverse", "rotated back", **SMALL, pairing="half", axis_order="thw", widths=[2, 2, 2], inverse=True,
          inputs=x(12, 6, 432), flags=(*FLAGS, "Inverse")),
    value("empty", "no frames", frames=0, height=2, width=3, pairing="half", axis_order="thw", widths=[2, 2, 2],
          inputs=x(0, 6, 433)),
    refused("order", "an order that is not known", "E_CHOICE", "axis_order", **SMALL, pairing="half", axis_order="hw",
            widths=[2, 2, 2], inputs=x(12, 6, 1)),
    refused("widths-two", "two widths", "E_SHAPE", "widths", **SMALL, pairing="half", axis_order="thw", widths=[2, 4],
            inputs=x(12, 6, 1)),
    refused("widths-odd", "an odd width", "E_ODD_DIM", "widths", **SMALL, pairing="half", axis_order="thw",
            widths=[2, 3, 1], inputs=x(12, 6, 1)),
    refused("widths-wide", "widths beyond the channels", "E_ROTARY_DIM", "rotary_dim", **SMALL, pairing="half",
            axis_order="thw", widths=[4, 4, 4], inputs=x(12, 6, 1)),
    refused("cells", "fewer rows of x than cells", "E_SHAPE", "positions", **SMALL, pairing="half", axis_order="thw",
            widths=[2, 2, 2], inputs=x(11, 6, 1)),
]

# what no other case tells apart
CASES += [
    value("bases-far-f32", "a base for each axis, far from the first cell, heads after the sequence, in float32",
          pairing="half", axis_order="thw", widths=[4, 4, 6], base=[50, 100, 200], seq_axis=-3,
          frames=call("affine", size=2, start=40), height=call("affine", size=1, start=60),
          width=call("affine", size=3, start=80), flags=("AxisOrder", "Base", "HeadAxis", "NonSquare"),
          inputs={"x": scattered("float32", (6, 2, 14), 440)}),
    value("block-half-f32", "halves of each axis, in float32", pairing="block-half", axis_order="htw",
          widths=[4, 2, 6], frames=2, height=3, width=2, flags=("AxisOrder", "InterleavedVsHalf", "NonSquare"),
          inputs={"x": scattered("float32", (12, 12), 441)}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="block-half-f32 bases-far-f32 offset-65536 inverse",
    float32="order-twh order-hwt order-wth whole-turns bases interleaved-axes",
    float16="block-half-f32 order-twh order-hwt order-wth bases-far-f32 whole-turns inverse interleaved-axes",
    bfloat16="block-half-f32 order-twh order-hwt order-wth bases-far-f32 whole-turns inverse interleaved-axes",
)

# conventions that no case above tells
CASES += in_formats(CASES, float64="partial", float16="partial", bfloat16="partial")

# a second value of numbers that all other cases have alike
CASES += [
    value("half-turns-f32", "angles in half turns", frames=2, height=1, width=3, pairing="half", axis_order="thw",
          widths=[4, 2, 2], base=100, times_pi=1, inputs=x(6, 8, 428), flags=FLAGS),
]
CASES += in_formats(
    CASES,
    float64="half-turns-f32",
    float16="half-turns-f32",
    bfloat16="half-turns-f32",
)
