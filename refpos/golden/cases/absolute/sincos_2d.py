"""Golden cases of the two-dimensional sine-cosine grid."""

from ...case import paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("sincos_2d", paper("He et al. 2022, Masked Autoencoders, arXiv:2111.06377, appendix A.1"))
MAE = project("facebookresearch/mae", "efb2a80", "util/pos_embed.py", "get_2d_sincos_pos_embed")
LAYOUTS = ("sin-cos", "cos-sin", "interleaved")


def _layout_flag(layout):
    return "SineCosineOrder" if layout == "cos-sin" else "InterleavedVsHalf"


CASES = [
    *[
        value(f"rectangle-{order}-{layout}-{SHORT[dtype]}",
              f"3 x 5 cells, axis order {order}, layout {layout}, {dtype}", height=3, width=5,
              dim=8, axis_order=order, layout=layout, dtype=dtype,
              flags=("AxisOrder", "NonSquare", _layout_flag(layout), *narrow(dtype)))
        for order, layout, dtype in (
            ("hw", "sin-cos", "float64"), ("wh", "sin-cos", "float64"), ("hw", "cos-sin", "float64"),
            ("wh", "cos-sin", "float32"),
            ("hw", "interleaved", "float32"), ("wh", "interleaved", "float64"), ("hw", "sin-cos", "float16"),
            ("wh", "sin-cos", "bfloat16"), ("wh", "interleaved", "float16"), ("hw", "cos-sin", "bfloat16"),
        )
    ],
    value("mae-base-f32", "MAE ViT-B: 14 x 14 cells of width 768, columns first", height=14, width=14, dim=768,
          axis_order="wh", dtype="float32", flags=("AxisOrder",), source=MAE),
    value("mae-base-f64", "MAE ViT-B before its cast to float32", height=14, width=14, dim=768, axis_order="wh",
          flags=("AxisOrder",), source=MAE),
    value("mae-base-cls-f32", "MAE ViT-B with the zero row of the class token", height=14, width=14, dim=768,
          axis_order="wh", extra_tokens=1, dtype="float32", flags=("AxisOrder", "OffByOne"), source=MAE),
    value("mae-narrow-f32", "14 x 14 cells of width 16, in full", height=14, width=14, dim=16, axis_order="wh",
          dtype="float32", flags=("AxisOrder",), source=MAE),
    value("dit-xl-2-f32", "DiT-XL/2: 16 x 16 cells of width 1152", height=16, width=16, dim=1152, axis_order="wh",
          dtype="float32", flags=("AxisOrder",), source=project("facebookresearch/DiT", "ed81ce2", "models.py",
                                               "get_2d_sincos_pos_embed")),
    value("vjepa-f32", "V-JEPA: rows first, 14 x 14 cells of width 384", height=14, width=14, dim=384, axis_order="hw",
          dtype="float32",
          flags=("AxisOrder",), source=project("facebookresearch/vjepa2", "c2963a4", "src/models/utils/pos_embs.py")),
    value("big-vision-f32", "big_vision ViT-S/16: endpoint, columns first", height=14, width=14, dim=384,
          axis_order="wh", endpoint=True, dtype="float32", flags=("AxisOrder", "Endpoint"),
          source=project("google-research/big_vision", "5f95305", "big_vision/models/vit.py", "posemb_sincos_2d")),
    value("rt-detr-f32", "RT-DETR: 20 x 30 cells of width 16, rows first", height=20, width=30, dim=16, axis_order="hw",
          dtype="float32", flags=("AxisOrder", "NonSquare"), source=project("transformers", "5.23.0",
                                                           "models/rt_detr/modeling_rt_detr.py")),
    value("wide-7x20", "7 x 20 cells", height=7, width=20, dim=16, axis_order="hw", dtype="float32",
          flags=("AxisOrder", "NonSquare")),
    value("tall-20x7", "20 x 7 cells", height=20, width=7, dim=16, axis_order="hw", dtype="float32",
          flags=("AxisOrder", "NonSquare")),
    value("row", "a single row of 9 cells", height=1, width=9, dim=8, axis_order="wh",
          flags=("AxisOrder", "NonSquare")),
    value("column", "a single column of 9 cells", height=9, width=1, dim=8, axis_order="wh",
          flags=("AxisOrder", "NonSquare")),
    value("cell", "one cell", height=1, width=1, dim=8, axis_order="hw"),
    value("no-rows", "no rows", height=0, width=3, dim=8, axis_order="hw"),
    value("dim-4", "the narrowest width: one frequency for each axis", height=2, width=3, dim=4, axis_order="hw",
          flags=("AxisOrder",)),
    value("dim-12", "width 12: three frequencies for each axis", height=3, width=4, dim=12, axis_order="wh",
          flags=("AxisOrder",)),
    value("dim-12-interleaved", "width 12, interleaved within each half", height=3, width=4, dim=12, axis_order="wh",
          layout="interleaved", flags=("AxisOrder", "InterleavedVsHalf")),
    *[
        value(f"endpoint-{order}-{SHORT[dtype]}", f"endpoint, axis order {order}, {dtype}", height=3, width=4,
              dim=16, axis_order=order,
              endpoint=True, dtype=dtype, flags=("AxisOrder", "Endpoint", "NonSquare", *narrow(dtype)))
        for order, dtype in (("hw", "float64"), ("wh", "float32"))
    ],
    value("endpoint-dim-4", "one frequency for each axis with endpoint", height=2, width=3, dim=4,
          axis_order="wh", endpoint=True, flags=("Endpoint",)),
    *[
        value(f"extra-{count}-{SHORT[dtype]}", f"{count} leading rows of zeros", height=2, width=3, dim=8,
              axis_order="hw", extra_tokens=count, dtype=dtype, flags=("OffByOne", "NonSquare", *narrow(dtype)))
        for count, dtype in ((0, "float64"), (1, "float64"), (4, "float32"), (2, "bfloat16"))
    ],
    value("base-100", "base 100", height=4, width=3, dim=16, axis_order="hw", base=100, flags=("Base", "NonSquare")),
    value("base-1000000-f32", "base 1000000", height=4, width=3, dim=16, axis_order="wh", base=1000000, dtype="float32",
          flags=("Base", "NonSquare")),
    value("long-row-f32", "2 x 2050 cells of width 4: coordinates beyond 2048", height=2, width=2050, dim=4,
          axis_order="wh", dtype="float32", flags=("NonSquare", "NarrowAngle", "LongContextInteger")),
    refused("dim-6", "a width that is no multiple of 4", "E_ODD_DIM", "dim", height=2, width=2, dim=6, axis_order="hw"),
    refused("dim-7", "an odd width", "E_ODD_DIM", "dim", height=2, width=2, dim=7, axis_order="hw"),
    refused("dim-zero", "no width", "E_ODD_DIM", "dim", height=2, width=2, dim=0, axis_order="hw"),
    refused("axis-order", "an unknown axis order", "E_CHOICE", "axis_order", height=2, width=2, dim=4, axis_order="yx"),
    refused("axis-order-null", "no axis order", "E_CHOICE", "axis_order", height=2, width=2, dim=4, axis_order=None),
    refused("height-negative", "a negative height", "E_SIZE", "height", height=-1, width=2, dim=4, axis_order="hw"),
    refused("width-float", "a width that is not an integer", "E_SIZE", "width", height=2, width=2.5, dim=4,
            axis_order="hw"),
    refused("extra-negative", "a negative number of leading rows", "E_SIZE", "extra_tokens", height=2, width=2, dim=4,
            axis_order="hw", extra_tokens=-1),
    refused("base-negative", "a negative base", "E_BASE", "base", height=2, width=2, dim=4, axis_order="hw", base=-1),
    *[
        value(f"extended-{order}-{SHORT[dtype]}", f"96 x 64 cells of width 256, axis order {order}, {dtype}", height=96,
              width=64, dim=256,
              axis_order=order, dtype=dtype, tier="extended", flags=("AxisOrder", "NonSquare", *narrow(dtype)))
        for order, dtype in zip(("hw", "wh", "hw", "wh"), DTYPES)
    ],
]

# the same in other formats
CASES += in_formats(
    CASES,
    float16="extra-1-f64 rectangle-hw-cos-sin-f64 endpoint-hw-f64 base-100",
    bfloat16="rectangle-wh-interleaved-f64 endpoint-hw-f64 base-100",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float16="extra-0-f64",
)
