"""Golden cases of the three-dimensional sine-cosine encoding."""

from ...case import call, fraction, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("sincos_3d", paper("Bardes et al. 2024, V-JEPA, arXiv:2404.08471, appendix A"))
FLAGS = ("AxisOrder", "NonSquare", "SineCosineOrder")
VJEPA = project("facebookresearch/vjepa2", "c2963a4", "src/models/utils/pos_embs.py", "get_3d_sincos_pos_embed")
DIFFUSERS = project("huggingface/diffusers", "0.42.1", "models/embeddings.py", "get_3d_sincos_pos_embed")
SMALL = {"frames": 2, "height": 3, "width": 2}

CASES = [
    *[
        value(f"{layout}-{order}-{SHORT[dtype]}", f"2 frames of 3 x 2 cells, {layout}, {order}, {dtype}", **SMALL,
              dim=12, axis_order=order, layout=layout, dtype=dtype, flags=(*FLAGS, *narrow(dtype)))
        for layout, order in (("sin-cos", "thw"), ("interleaved", "wht"), ("cos-sin", "hwt")) for dtype in DTYPES
    ],
    *[
        value(f"order-{order}", f"the axes as {order}", **SMALL, dim=6, axis_order=order, flags=FLAGS)
        for order in ("twh", "htw", "wth")
    ],
    value("vjepa-f32", "V-JEPA: half of 192 channels for frames, a quarter each for rows and columns", frames=2,
          height=2, width=2, dim=192, widths=[96, 48, 48], dtype="float32", flags=FLAGS, source=VJEPA),
    value("vjepa-uniform-f32", "V-JEPA with uniform power: three times 2 ceil(dim/6), cut off at 64", frames=2,
          height=2, width=2, dim=64, widths=[22, 22, 22], dtype="float32", flags=(*FLAGS, "OddDimension"),
          source=VJEPA),
    value("cogvideox-f32", "CogVideoX: a quarter for frames, then columns and rows", frames=2, height=2, width=3,
          dim=64, axis_order="twh", widths=[16, 24, 24], dtype="float32", flags=FLAGS, source=DIFFUSERS),
    value("cogvideox-interpolated", "CogVideoX: rows and columns divided by 1.875", frames=2,
          height=call("affine", size=2, step=fraction(8, 15)), width=call("affine", size=3, step=fraction(8, 15)),
          dim=16, axis_order="twh", widths=[4, 6, 6], flags=(*FLAGS, "FractionalPosition"), source=DIFFUSERS),
    value("endpoint", "frequencies with endpoint", **SMALL, dim=18, endpoint=True, flags=(*FLAGS, "Endpoint")),
    value("base-100", "base 100", **SMALL, dim=12, base=100, flags=(*FLAGS, "Base")),
    value("tokens-2", "two leading rows of zeros", **SMALL, dim=6, extra_tokens=2, flags=(*FLAGS, "OffByOne")),
    value("tokens-0", "rows of a sequence", **SMALL, dim=6, extra_tokens=0, flags=FLAGS),
    value("offset-65536-f32", "rows and columns from 65536", frames=1, height=call("affine", size=2, start=65536),
          width=call("affine", size=3, start=65536), dim=12, dtype="float32",
          flags=(*FLAGS, "NarrowAngle", "LongContextInteger", "LargeArgument")),
    value("centred", "positions around 0", frames=1, height=call("centred", size=3, rounding="floor"),
          width=call("centred", size=4, rounding="middle"), dim=6, flags=(*FLAGS, "Centring", "OffByOne")),
    value("one-cell", "one cell", frames=1, height=1, width=1, dim=6, flags=FLAGS),
    value("one-pair", "one pair for each axis, unequal sizes", frames=5, height=1, width=4, dim=6, flags=FLAGS),
    value("empty", "no frames", frames=0, height=2, width=2, dim=6),
    refused("dim", "a width that is no multiple of 6", "E_ODD_DIM", "dim", **SMALL, dim=8),
    refused("widths-odd", "an odd width of an axis", "E_ODD_DIM", "widths", **SMALL, dim=6, widths=[1, 3, 2]),
    refused("widths-few", "two widths", "E_SHAPE", "widths", **SMALL, dim=6, widths=[2, 4]),
    refused("widths-small", "widths below dim", "E_SHAPE", "widths", **SMALL, dim=12, widths=[2, 2, 2]),
    refused("order", "an order that is not known", "E_CHOICE", "axis_order", **SMALL, dim=6, axis_order="xyz"),
    refused("layout", "a layout that is not known", "E_CHOICE", "layout", **SMALL, dim=6, layout="cat"),
    refused("size", "a negative number of frames", "E_SIZE", "frames", frames=-1, height=2, width=2, dim=6),
    refused("base-zero", "base 0", "E_BASE", "base", **SMALL, dim=6, base=0),
    refused("dtype", "integers as the result", "E_DTYPE", "dtype", **SMALL, dim=6, dtype="int32"),
]

# what no other case tells apart
CASES += [
    value("widths-f32", "widths that differ, and a base of 100, in float32", frames=2, height=3, width=4, dim=24,
          widths=[4, 8, 12], base=100, dtype="float32", flags=("AxisOrder", "Base", "NonSquare")),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float32="order-htw order-wth tokens-2 endpoint",
    float16="cogvideox-interpolated order-htw order-wth tokens-2 widths-f32 endpoint",
    bfloat16="cogvideox-interpolated order-htw order-wth tokens-2 widths-f32 endpoint",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float32="tokens-0",
    float16="tokens-0",
    bfloat16="tokens-0",
)

# conventions that no case above tells
CASES += [
    value("widths-wth-f32", "widths stand in the order of the axes: columns, frames, rows", **SMALL, dim=12, base=100,
          axis_order="wth", widths=[2, 4, 6], dtype="float32", flags=("AxisOrder", "Base", "NonSquare")),
]

CASES += in_formats(
    CASES,
    float64="widths-wth-f32",
    float16="widths-wth-f32 one-pair",
    bfloat16="widths-wth-f32 one-pair",
)
