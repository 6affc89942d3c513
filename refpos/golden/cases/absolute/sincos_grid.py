"""Golden cases of the sine-cosine encoding of grids of any number of axes."""

from ...case import call, fraction, grid, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("sincos_grid", paper("He et al. 2022, Masked Autoencoders, arXiv:2111.06377, appendix A.1"))
FLAGS = ("AxisOrder", "NonSquare")
TIMM = project("huggingface/pytorch-image-models", "1.0.31", "timm/layers/pos_embed_sincos.py",
               "build_sincos2d_pos_embed")  # fmt: skip
RT_DETR = project("lyuwenyu/RT-DETR", "ddda7b0", "rtdetr_pytorch/src/zoo/rtdetr/hybrid_encoder.py",
                  "build_2d_sincos_position_embedding")  # fmt: skip
MOCO = project("facebookresearch/moco-v3", "1c6b717", "vits.py", "build_2d_sincos_position_embedding")
PE = project("positional-encodings", "6.0.3", "positional_encodings/torch_encodings.py")
SCALE_MAE = project("bair-climate-initiative/scale-mae", "89280d8", "mae/util/pos_embed.py",
                    "get_2d_sincos_pos_embed_with_resolution")  # fmt: skip
AUDIO_MAE = project("facebookresearch/AudioMAE", "bd60e29", "util/pos_embed.py", "get_2d_sincos_pos_embed_flexible")
VJEPA = project("facebookresearch/vjepa2", "c2963a4", "src/models/utils/pos_embs.py", "get_3d_sincos_pos_embed")
IJEPA = project("facebookresearch/ijepa", "52c1ae9", "src/models/vision_transformer.py", "get_2d_sincos_pos_embed")


def _hf(model, function):
    return project("transformers", "5.23.0", f"models/{model}/modeling_{model}.py", function)


def _diffusers(function, file="models/embeddings.py"):
    return project("huggingface/diffusers", "0.42.1", file, function)


def _scaled(size, base, scale=1):
    """Coordinates i / (size / base) / scale."""
    return call("affine", size=size, step=fraction(base, size * scale))


def _cropped(size, full, base):
    """The middle of the coordinates i / (full / base)."""
    return call("cropped", coordinates=_scaled(full, base), size=size)


CASES = [
    *[
        value(f"kinds-{order}-{layout}-{SHORT[dtype]}", f"3 x 5 cells, kinds apart, {order}, {layout}, {dtype}",
              grid=[3, 5], dim=8, axis_order=order, layout=layout, packing="kinds", dtype=dtype,
              flags=(*FLAGS, "SineCosineOrder", *narrow(dtype)))
        for order, layout in (("hw", "sin-cos"), ("wh", "cos-sin")) for dtype in DTYPES
    ],
    *[
        value(f"{token_order}-{order}-{SHORT[dtype]}", f"3 x 5 cells in {token_order} order, {order}, {dtype}",
              grid=[3, 5], dim=8, axis_order=order, token_order=token_order, extra_tokens=1, dtype=dtype,
              flags=(*FLAGS, "OffByOne", *narrow(dtype)))
        for token_order, order, dtype in (
            ("column-major", "wh", "float64"), ("column-major", "hw", "float32"), ("reversed", "wh", "float16"),
            ("reversed", "hw", "bfloat16"),
        )
    ],
    # real models, two axes
    value("timm-f32", "timm: sines of both axes, then cosines", grid=[3, 5], dim=16, axis_order="hw", packing="kinds",
          extra_tokens=0, dtype="float32", flags=(*FLAGS, "SineCosineOrder", "NarrowAngle"), source=TIMM),
    value("timm-interleaved-f32", "timm, interleave_sin_cos: blocks of sines and cosines of each axis", grid=[3, 5],
          dim=16, axis_order="hw", extra_tokens=0, dtype="float32", flags=(*FLAGS, "InterleavedVsHalf"), source=TIMM),
    value("timm-reversed-f32", "timm, reverse_coord: columns outside and first in the channels", grid=[3, 5], dim=16,
          axis_order="wh", packing="kinds", token_order="reversed", extra_tokens=0, dtype="float32", flags=FLAGS,
          source=TIMM),
    value("rt-detr-original-f32", "RT-DETR of its authors: columns outside, tokens that are read row by row",
          grid=[20, 30], dim=16, axis_order="wh", token_order="column-major", extra_tokens=0, dtype="float32",
          flags=(*FLAGS, "NarrowAngle"), source=RT_DETR),
    value("omdet-turbo-f32", "OmDet-Turbo: 20 x 20 cells of width 256, columns outside", grid=[20, 20], dim=256,
          axis_order="wh", token_order="column-major", extra_tokens=0, dtype="float32", flags=("AxisOrder",),
          source=_hf("omdet_turbo", "build_2d_sincos_position_embedding")),
    value("omdet-turbo-rectangle-f32", "OmDet-Turbo: 3 x 5 cells", grid=[3, 5], dim=16, axis_order="wh",
          token_order="column-major", extra_tokens=0, dtype="float32", flags=FLAGS,
          source=_hf("omdet_turbo", "build_2d_sincos_position_embedding")),
    value("moco-v3-f32", "MoCo v3 ViT-S: columns outside, a class row of zeros", grid=[14, 14], dim=384,
          axis_order="wh", token_order="column-major", extra_tokens=1, dtype="float32",
          flags=("AxisOrder", "OffByOne"), source=MOCO),
    value("rt-detr-f32", "RT-DETR of transformers: rows first, row by row", grid=[3, 5], dim=16, axis_order="hw",
          extra_tokens=0, dtype="float32", flags=FLAGS, source=_hf("rt_detr", "RTDetrSinePositionEmbedding")),
    value("aimv2-f32", "AIMv2: columns first, as the model turns the halves of its function", grid=[3, 5], dim=16,
          axis_order="wh", extra_tokens=0, dtype="float32", flags=FLAGS, source=_hf("aimv2", "Aimv2VisionEmbeddings")),
    value("vit-mae-f32", "ViT-MAE: 14 x 14 cells of width 768, columns first, a class row", grid=[14, 14], dim=768,
          axis_order="wh", extra_tokens=1, dtype="float32", flags=("AxisOrder", "OffByOne"),
          source=_hf("vit_mae", "initialize_weights")),
    value("granite-docling-f32", "Granite Docling: columns first, width 1024", grid=[8, 8], dim=1024, axis_order="wh",
          extra_tokens=0, dtype="float32", flags=("AxisOrder",),
          source=_hf("granite_docling", "GraniteDoclingPositionEmbedding")),
    value("ijepa-f32", "I-JEPA ViT-H/14: columns first, as in MAE", grid=[16, 16], dim=1280, axis_order="wh",
          extra_tokens=0, dtype="float32", flags=("AxisOrder",), source=IJEPA),
    value("big-vision-dim-8", "simple ViT: frequencies with endpoint, columns first", grid=[3, 5], dim=8,
          axis_order="wh", endpoint=True, extra_tokens=0, flags=(*FLAGS, "Endpoint"),
          source=project("google-research/big_vision", "5f95305", "big_vision/models/vit.py", "posemb_sincos_2d")),
    # coordinates of diffusers: i / (n / base_size) / interpolation_scale
    value("dit-7x12-f32", "DiT at 7 x 12 of 16: each axis squeezed by its own size", grid=[_scaled(7, 16),
          _scaled(12, 16)], dim=16, axis_order="wh", extra_tokens=0, dtype="float32",
          flags=(*FLAGS, "FractionalPosition", "NarrowAngle"), source=_diffusers("get_2d_sincos_pos_embed")),
    value("dit-xl-f32", "DiT-XL/2: 16 x 16 of 16", grid=[_scaled(16, 16), _scaled(16, 16)], dim=1152, axis_order="wh",
          extra_tokens=0, dtype="float32", flags=("AxisOrder",), source=_diffusers("PatchEmbed")),
    value("pixart-f32", "PixArt-alpha: the whole width, 5 x 7 cells of 64, divided by 2", grid=[_scaled(5, 64, 2),
          _scaled(7, 64, 2)], dim=1152, axis_order="wh", extra_tokens=0, dtype="float32",
          flags=("AxisOrder", "FractionalPosition"), source=_diffusers("PatchEmbed")),
    value("pixart-40x30", "PixArt-alpha at 40 x 30 cells of 64, divided by 2", grid=[_scaled(40, 64, 2),
          _scaled(30, 64, 2)], dim=8, axis_order="wh", extra_tokens=0, dtype="float32",
          flags=(*FLAGS, "FractionalPosition"), source=_diffusers("PatchEmbed")),
    value("sd3-f32", "Stable Diffusion 3: the middle 4 x 6 of 192 thirds, width 1536", grid=[_cropped(4, 192, 64),
          _cropped(6, 192, 64)], dim=1536, axis_order="wh", extra_tokens=0, dtype="float32",
          flags=("AxisOrder", "Centring", "FractionalPosition"), source=_diffusers("cropped_pos_embed")),
    value("sd3-7x12", "the middle 7 x 12 of 16: an odd crop", grid=[_cropped(7, 16, 8), _cropped(12, 16, 8)], dim=16,
          axis_order="wh", extra_tokens=0, flags=(*FLAGS, "Centring", "FractionalPosition"),
          source=_diffusers("cropped_pos_embed")),
    value("cogview3-plus-f32", "CogView3 Plus: the first cells, behind rows of zeros for text", grid=[3, 5], dim=16,
          axis_order="wh", extra_tokens=4, dtype="float32", flags=(*FLAGS, "OffByOne"),
          source=_diffusers("CogView3PlusPatchEmbed")),
    value("scale-mae-f32", "Scale-MAE: coordinates times the resolution 0.1, a class row",
          grid=[call("affine", size=3, step=0.1), call("affine", size=5, step=0.1)], dim=16, axis_order="wh",
          extra_tokens=1, dtype="float32", flags=(*FLAGS, "FractionalPosition", "NarrowAngle"), source=SCALE_MAE),
    value("scale-mae-third", "Scale-MAE: the resolution 2.7", grid=[call("affine", size=4, step=2.7),
          call("affine", size=4, step=2.7)], dim=16, axis_order="wh", flags=("AxisOrder", "FractionalPosition"),
          source=SCALE_MAE),
    value("audio-mae-f32", "Audio-MAE: 64 x 8 patches, the second axis first, a class row", grid=[64, 8], dim=768,
          axis_order="wh", extra_tokens=1, dtype="float32", flags=(*FLAGS, "OffByOne"), source=AUDIO_MAE),
    value("audio-mae-cut", "Audio-MAE: 12 x 101 patches cut to 12 x 4, not resized",
          grid=[12, call("cropped", coordinates=101, size=4, start=0)], dim=8, axis_order="wh", dtype="float32",
          flags=FLAGS, source=AUDIO_MAE),
    # one axis
    value("videomae-f32", "VideoMAE: one index for all 8 x 14 x 14 patches", grid=[1568], dim=16,
          axis_order=[0], layout="interleaved", dtype="float32", flags=("InterleavedVsHalf", "NarrowAngle"),
          source=_hf("videomae", "get_sinusoid_encoding_table")),
    value("videomae-2x3x5", "VideoMAE: one index for 2 x 3 x 5 patches", grid=[30], dim=8, axis_order=[0],
          layout="interleaved", flags=("InterleavedVsHalf", "AxisOrder"),
          source=_hf("videomae", "get_sinusoid_encoding_table")),
    value("kimi-k25-f32", "Kimi K2.5: row 0 of zeros for single images, then 4 frames of width 1152", grid=[4],
          dim=1152, axis_order=[0], extra_tokens=1, dtype="float32", flags=("OffByOne",),
          source=_hf("kimi_k25", "compute_pos_embed")),
    value("kimi-k25-3", "Kimi K2.5: 3 frames", grid=[3], dim=8, axis_order=[0], extra_tokens=1, flags=("OffByOne",),
          source=_hf("kimi_k25", "compute_pos_embed")),
    # widths that are cut
    *[
        value(f"positional-encodings-{slug}", f"positional-encodings: {len(sizes)} axes, {dim} channels of {widths}",
              grid=sizes, dim=dim, axis_order=list(range(len(sizes))), widths=widths, layout="interleaved", dtype=dtype,
              flags=("InterleavedVsHalf", "OddDimension", *narrow(dtype)), source=PE)
        for slug, sizes, dim, widths, dtype in (
            ("1d-7", [4], 7, [8], "float32"), ("1d-10", [4], 10, [10], "float64"),
            ("2d-7", [3, 5], 7, [4, 4], "float64"), ("2d-10", [3, 5], 10, [6, 6], "float32"),
            ("3d-7", [2, 3, 4], 7, [4, 4, 4], "float32"), ("3d-10", [2, 3, 4], 10, [4, 4, 4], "float16"),
        )
    ],
    value("kinds-cut", "kinds apart, the last cosines cut off", grid=[3, 5], dim=9, axis_order="hw", widths=[4, 6],
          packing="kinds", flags=(*FLAGS, "OddDimension")),
    value("cut-to-one-axis", "channels for the first axis alone", grid=[3, 2], dim=3, axis_order="hw", widths=[4, 2],
          flags=(*FLAGS, "OddDimension")),
    value("vjepa-uniform-1024-f32", "V-JEPA with uniform power: three times 342, cut to 1024", grid=[4, 3, 5],
          dim=1024, axis_order="thw", widths=[342, 342, 342], extra_tokens=0, dtype="float32",
          flags=("OddDimension", "AxisOrder"), source=VJEPA),
    value("vjepa-1024-f32", "V-JEPA: half for frames, a quarter each for rows and columns", grid=[2, 3, 3], dim=1024,
          axis_order="thw", widths=[512, 256, 256], extra_tokens=1, dtype="float32", flags=("AxisOrder", "OffByOne"),
          source=VJEPA),
    # three axes and more
    *[
        value(f"cogvideox{slug}-f32", f"CogVideoX: 3 frames of {height} x {width} cells divided by 1.875{more}",
              grid=[3, *(call("affine", size=size, step=fraction(8, 15)) for size in (height, width))], dim=16,
              axis_order="twh", widths=[4, 6, 6], extra_tokens=tokens, dtype="float32",
              flags=(*FLAGS, "FractionalPosition", "OffByOne"), source=_diffusers("get_3d_sincos_pos_embed"))
        for slug, height, width, tokens, more in (
            ("", 4, 6, 0, ""), ("-text", 2, 3, 226, ", behind 226 rows of zeros"),
        )
    ],
    *[
        value(f"{token_order}-{len(sizes)}d-{SHORT[dtype]}", f"{len(sizes)} axes in {token_order} order, {dtype}",
              grid=sizes, dim=4 * len(sizes), axis_order=order, token_order=token_order, packing=packing, dtype=dtype,
              flags=(*FLAGS, *narrow(dtype)))
        for token_order, sizes, order, packing, dtype in (
            ("column-major", [2, 3, 4], "wht", "axes", "float64"), ("reversed", [2, 3, 4], "thw", "kinds", "float32"),
            ("row-major", [2, 1, 3, 2], [3, 1, 0, 2], "kinds", "bfloat16"),
            ("reversed", [2, 1, 3, 2], [1, 2, 3, 0], "axes", "float16"),
            ("column-major", [2, 2, 1, 2, 3], [4, 3, 2, 1, 0], "kinds", "float64"),
        )
    ],
    value("widths-4d", "four axes of different widths", grid=[2, 3, 2, 2], dim=20, axis_order=[2, 0, 3, 1],
          widths=[2, 8, 4, 6], layout="cos-sin", flags=(*FLAGS, "SineCosineOrder")),
    # coordinates
    value("listed", "coordinates one by one", grid=[[0, 3, 131071, -2], call("listed", values=[0, fraction(1, 3), 2])],
          dim=8, axis_order="hw", flags=(*FLAGS, "FractionalPosition", "LargeArgument", "NarrowAngle")),
    value("floats-f32", "coordinates that are floats", grid=[[0.5, -0.25, 999.9], 2], dim=8, axis_order="wh",
          dtype="float32", flags=(*FLAGS, "FractionalPosition")),
    value("far-apart", "coordinates without a common power of two", grid=[[1e300, 0.1, 5e-324, -3.0], 2], dim=4,
          axis_order="hw", flags=(*FLAGS, "LargeArgument", "Subnormal")),
    value("grid", "the cells of a grid", grid=grid(3, call("linspace", start=-1, stop=1, size=5, endpoint=True)), dim=8,
          axis_order="hw", flags=(*FLAGS, "FractionalPosition")),
    value("shifted-f32", "columns from 65536", grid=[2, call("affine", size=3, start=65536)], dim=8, axis_order="hw",
          packing="kinds", dtype="float32", flags=(*FLAGS, "NarrowAngle", "LongContextInteger", "LargeArgument")),
    value("same-coordinates", "all coordinates alike", grid=[call("affine", size=3, start=2, step=0), 2], dim=8,
          axis_order="hw", flags=FLAGS),
    # the rest
    value("endpoint-kinds", "with endpoint, kinds apart", grid=[3, 4], dim=16, axis_order="wh", endpoint=True,
          packing="kinds", flags=(*FLAGS, "Endpoint")),
    value("base-100", "base 100", grid=[4, 3], dim=16, axis_order="hw", base=100, packing="kinds",
          flags=(*FLAGS, "Base")),
    value("dim-2", "one axis, one frequency", grid=[5], dim=2, axis_order=[0], packing="kinds", dtype="bfloat16",
          flags=("DoubleRounding",)),
    value("cell", "one cell of three axes", grid=[1, 1, 1], dim=6, axis_order="thw", packing="kinds"),
    value("empty", "no columns", grid=[3, 0], dim=8, axis_order="hw", extra_tokens=2),
    refused("grid-none", "no grid", "E_SHAPE", "grid", grid=None, dim=8, axis_order="hw"),
    refused("grid-number", "a size in place of a list of sizes", "E_SHAPE", "grid", grid=3, dim=8, axis_order=[0]),
    refused("grid-empty", "no axes", "E_SHAPE", "grid", grid=[], dim=8, axis_order=[]),
    refused("grid-one-axis", "coordinates in place of a list of them", "E_SHAPE", "grid", dim=8, axis_order=[0],
            grid=call("affine", size=3)),
    refused("size-negative", "a negative size", "E_SIZE", "grid", grid=[3, -1], dim=8, axis_order="hw"),
    refused("coordinates-nan", "a coordinate that is NaN", "E_POSITION", "positions", grid=[3, [0.0, float("nan")]],
            dim=8, axis_order="hw"),
    refused("coordinates-2d", "coordinates with two axes", "E_SHAPE", "grid", grid=[3, [[0, 1]]], dim=8,
            axis_order="hw"),
    refused("dim-6", "a width that is no multiple of twice the axes", "E_ODD_DIM", "dim", grid=[2, 2], dim=6,
            axis_order="hw"),
    refused("dim-zero", "no width", "E_SIZE", "dim", grid=[2, 2], dim=0, axis_order="hw", widths=[2, 2]),
    refused("widths-odd", "an odd width", "E_ODD_DIM", "widths", grid=[2, 2], dim=8, axis_order="hw", widths=[5, 3]),
    refused("widths-many", "three widths for two axes", "E_SHAPE", "widths", grid=[2, 2], dim=6, axis_order="hw",
            widths=[2, 2, 2]),
    refused("widths-small", "widths below dim", "E_SHAPE", "widths", grid=[2, 2], dim=8, axis_order="hw",
            widths=[4, 2]),
    refused("axis-order-none", "no axis order", "E_CHOICE", "axis_order", grid=[2, 2], dim=8, axis_order=None),
    refused("axis-order-letters", "letters that are not known", "E_CHOICE", "axis_order", grid=[2, 2], dim=8,
            axis_order="xy"),
    refused("axis-order-frames", "the letters of three axes for two", "E_AXIS", "axis_order", grid=[2, 2], dim=8,
            axis_order="thw"),
    refused("axis-order-twice", "an axis twice", "E_AXIS", "axis_order", grid=[2, 2], dim=8, axis_order=[0, 0]),
    refused("axis-order-beyond", "an axis that is not there", "E_AXIS", "axis_order", grid=[2, 2], dim=8,
            axis_order=[0, 2]),
    refused("kinds-interleaved", "kinds apart and interleaved", "E_CHOICE", "layout", grid=[2, 2], dim=8,
            axis_order="hw", packing="kinds", layout="interleaved"),
    refused("packing", "an unknown packing", "E_CHOICE", "packing", grid=[2, 2], dim=8, axis_order="hw",
            packing="blocks"),
    refused("token-order", "an unknown order of tokens", "E_CHOICE", "token_order", grid=[2, 2], dim=8,
            axis_order="hw", token_order="merge-blocks"),
    refused("crop-beyond", "a crop that is larger than the grid", "E_SIZE", "size", dim=8, axis_order="hw",
            grid=[call("cropped", coordinates=16, size=17), 3]),
    refused("crop-start", "a crop that ends beyond the grid", "E_SIZE", "start", dim=8, axis_order="hw",
            grid=[call("cropped", coordinates=16, size=8, start=9), 3]),
    refused("base-zero", "base 0", "E_BASE", "base", grid=[2, 2], dim=8, axis_order="hw", base=0),
    refused("dtype", "integers as the result", "E_DTYPE", "dtype", grid=[2, 2], dim=8, axis_order="hw",
            dtype="int32"),
    *[
        value(f"extended-{SHORT[dtype]}", f"96 x 64 cells of width 256, kinds apart, {dtype}", grid=[96, 64], dim=256,
              axis_order="wh", packing="kinds", token_order="column-major", dtype=dtype, tier="extended",
              flags=(*FLAGS, *narrow(dtype)))
        for dtype in DTYPES
    ],
]

# what no other case tells apart
CASES += [
    *[
        value(f"order-{order}-f32", f"the axes as {order}, of widths that differ, in float32", grid=[2, 3, 4], dim=12,
              axis_order=order, widths=[2, 4, 6], dtype="float32", flags=("AxisOrder", "NonSquare"))
        for order in ("thw", "twh", "htw", "hwt", "wth", "wht")
    ],
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="reversed-3d-f32 order-twh-f32 order-htw-f32 order-hwt-f32 order-wth-f32",
    float32="big-vision-dim-8 base-100 column-major-3d-f64",
    float16="""
        column-major-3d-f64 order-thw-f32 order-twh-f32 order-htw-f32 order-hwt-f32 order-wth-f32 big-vision-dim-8
        base-100
    """,
    bfloat16="""
        column-major-3d-f64 order-thw-f32 order-twh-f32 order-htw-f32 order-hwt-f32 order-wth-f32
        positional-encodings-1d-7 big-vision-dim-8 base-100 reversed-4d-f16
    """,
)
