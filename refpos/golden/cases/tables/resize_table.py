"""Golden cases of learned tables at another size."""

from ...case import fraction, listed, paper, project, scattered, suite, tiny
from ...telling_inputs import DTYPES, SHORT, narrow
from .._absolute import tables
from .._formats import in_formats

PAPER = paper("Dosovitskiy et al. 2021, An Image is Worth 16x16 Words, arXiv:2010.11929, section 3.2")
value, refused = suite("resize_table", PAPER)
RESIZING, RECTANGLE = ("Resampling",), ("Resampling", "NonSquare")
CUBIC = {"method": "cubic", "align": "half-pixel", "cubic": -0.75}
CUBIC_ANTIALIAS = {"method": "cubic", "align": "half-pixel", "cubic": -0.5, "antialias": True}
LINEAR = {"method": "linear", "align": "half-pixel"}
LINEAR_ANTIALIAS = {**LINEAR, "antialias": True}
CORNERS = {"method": "linear", "align": "corners"}
NEAREST = {"method": "nearest"}
WEIGHT = {"weight": scattered("float32", (4, 4, 2), 1)}
#: every named method, for one grid
ALL = {
    "cubic": CUBIC, "cubic-half": {**CUBIC, "cubic": -0.5}, "cubic-antialias": CUBIC_ANTIALIAS,
    "cubic-corners": {**CUBIC, "align": "corners"}, "cubic-zeros": {**CUBIC, "border": "zeros"},
    "cubic-renormalise": {**CUBIC, "cubic": -0.5, "border": "renormalise"},
    "linear": LINEAR, "linear-antialias": LINEAR_ANTIALIAS, "linear-corners": CORNERS,
    "linear-zeros": {**LINEAR, "border": "zeros"}, "linear-renormalise": {**LINEAR, "border": "renormalise"},
    "nearest": NEAREST, "nearest-exact": {"method": "nearest-exact"},
}  # fmt: skip


def _hf(file, function=None):
    return project("transformers", "5.23.0", f"models/{file}", function)


TORCH = project("torch", "2.13.0", "nn/functional.py", "interpolate")
TIMM = project("timm", "1.0.31", "layers/pos_embed.py", "resample_abs_pos_embed")
JAX = project("jax", "0.10.2", "image/scale.py", "resize")
ZOOM = project("scipy", "1.17.1", "ndimage/_interpolation.py", "zoom")
#: (name, about, old grid, prefix, channels, size, dtype, options, source)
MODELS = [
    ("vit", "ViT: 14 x 14 and a class token to 16 x 24", (14, 14), 1, 4, (16, 24), "float32", CUBIC,
     _hf("vit/modeling_vit.py", "interpolate_pos_encoding")),
    ("vit-smaller", "ViT: to 9 x 7, without antialiasing", (14, 14), 1, 4, (9, 7), "float32", CUBIC,
     _hf("vit/modeling_vit.py", "interpolate_pos_encoding")),
    ("deit", "DeiT: class and distillation tokens", (14, 14), 2, 3, (16, 16), "float16", CUBIC,
     _hf("deit/modeling_deit.py", "interpolate_pos_encoding")),
    ("clip", "CLIP: 16 x 16 and a class token to 24 x 24", (16, 16), 1, 2, (24, 24), "bfloat16", CUBIC,
     _hf("clip/modeling_clip.py", "interpolate_pos_encoding")),
    ("dinov2", "DINOv2: 37 x 37 to 16 x 16", (37, 37), 1, 2, (16, 16), "float32", CUBIC,
     _hf("dinov2/modeling_dinov2.py", "interpolate_pos_encoding")),
    ("dinov2-registers", "DINOv2 with registers: antialiased", (37, 37), 1, 2, (16, 24), "float32", CUBIC_ANTIALIAS,
     _hf("dinov2_with_registers/modeling_dinov2_with_registers.py", "interpolate_pos_encoding")),
    ("rf-detr", "RF-DETR: antialiased, enlarged", (16, 16), 1, 2, (20, 28), "bfloat16", CUBIC_ANTIALIAS,
     _hf("rf_detr/modeling_rf_detr.py", "interpolate_pos_encoding")),
    ("dpt", "DPT: linear", (14, 14), 1, 2, (10, 20), "float32", LINEAR,
     _hf("dpt/modeling_dpt.py", "_resize_pos_embed")),
    ("pvt", "PVT: linear, a rectangle", (7, 7), 0, 4, (5, 9), "float32", LINEAR,
     _hf("pvt/modeling_pvt.py", "interpolate_pos_encoding")),
    ("vilt", "ViLT: linear, aligned at the corners", (12, 12), 1, 4, (10, 20), "float32", CORNERS,
     _hf("vilt/modeling_vilt.py", "visual_embed")),
    ("radio", "RADIO: to the larger side, before it is cut", (8, 8), 0, 4, (12, 12), "bfloat16", LINEAR,
     _hf("radio/modeling_radio.py", "_interpolate_position_embedding")),
    ("siglip2", "SigLIP 2: linear, antialiased", (16, 16), 0, 4, (3, 8), "float32", LINEAR_ANTIALIAS,
     _hf("siglip2/modeling_siglip2.py", "resize_positional_embeddings")),
    ("qwen3-vl", "Qwen3-VL: linear, aligned at the corners; rows in row-major order", (48, 48), 0, 1, (6, 10),
     "float32", CORNERS, _hf("qwen3_vl/modeling_qwen3_vl.py")),
    ("glm4v", "GLM-4V: grid_sample, cubic, at the centres of patches", (24, 24), 0, 2, (10, 6), "float32", CUBIC,
     _hf("glm4v/modeling_glm4v.py", "Glm4vVisionEmbeddings.forward")),
    ("kimi-k25", "Kimi K2.5: cubic", (16, 16), 0, 2, (7, 20), "bfloat16", CUBIC,
     _hf("kimi_k25/modeling_kimi_k25.py")),
    ("paddleocr-vl", "PaddleOCR-VL: linear, 27 x 27", (27, 27), 0, 1, (12, 40), "float32", LINEAR,
     _hf("paddleocr_vl/modeling_paddleocr_vl.py")),
    ("hiera", "Hiera: 7 x 7 to 10 x 14", (7, 7), 0, 4, (10, 14), "float32", CUBIC,
     _hf("hiera/modeling_hiera.py", "interpolate_pos_encoding")),
    ("sam2", "SAM 2: the global part of its sum, 7 x 7 to 16 x 24", (7, 7), 0, 2, (16, 24), "float32", CUBIC,
     _hf("sam2/modeling_sam2.py", "_get_pos_embed")),
    ("timesformer", "TimeSformer: space by the nearest row", (14, 14), 1, 2, (10, 16), "float32", NEAREST,
     _hf("timesformer/modeling_timesformer.py", "forward")),
    ("timesformer-time", "TimeSformer: 5 frames to 8, by the nearest one", (5,), 0, 4, (8,), "float32", NEAREST,
     _hf("timesformer/modeling_timesformer.py", "forward")),
    ("timm", "timm: cubic, antialiased, enlarged", (14, 14), 1, 2, (28, 28), "float32", CUBIC_ANTIALIAS, TIMM),
    ("timm-smaller", "timm: cubic, antialiased, to half", (14, 14), 1, 4, (7, 7), "float16", CUBIC_ANTIALIAS, TIMM),
    ("timm-naflex", "timm NaFlexViT: to the larger side, before it is cut", (16, 16), 0, 2, (9, 9), "float32",
     CUBIC_ANTIALIAS, project("timm", "1.0.31", "models/naflexvit.py", "NaFlexEmbeds")),
    ("timm-naflex-factorised", "timm NaFlexViT: one axis of the factorised table", (16,), 0, 4, (9,), "float32", LINEAR,
     project("timm", "1.0.31", "models/naflexvit.py", "NaFlexEmbeds")),
    ("flexivit", "FlexiViT: 7 x 7 to 30 x 30, antialiased linear", (7, 7), 0, 1, (30, 30), "float32", LINEAR_ANTIALIAS,
     project("google-research/big_vision", "26c7bc8", "big_vision/models/proj/flexi/vit.py", "_Model")),
    ("jax-cubic", "jax.image.resize: cubic, antialiased by default", (14, 14), 0, 2, (16, 24), "float32",
     CUBIC_ANTIALIAS, JAX),
    ("jax-cubic-plain", "jax.image.resize without antialias: weights at the border are renormalised", (14, 14), 0, 2,
     (16, 24), "float32", ALL["cubic-renormalise"], JAX),
    ("big-vision", "big_vision: zoom by order 1, aligned at the corners", (14, 14), 0, 2, (16, 24), "float32", CORNERS,
     project("google-research/big_vision", "0127fb6", "big_vision/models/vit.py", "resample_posemb")),
    ("jax-vit", "vision_transformer: a class row, and zoom by order 1", (4, 4), 1, 4, (7, 7), "float64", CORNERS, ZOOM),
    ("ast", "AST: an axis that grows, linear; time first", (24, 12), 0, 2, (24, 101), "float32", LINEAR,
     project("YuanGongND/ast", "6fc7f9d", "src/models/ast_models.py", "ASTModel")),
    ("text", "512 positions to 700, cut to the width of 2", (512,), 0, 2, (700,), "float32", LINEAR, TORCH),
    ("video", "three axes: 4 x 5 x 6 to 6 x 4 x 9", (4, 5, 6), 0, 2, (6, 4, 9), "float32", LINEAR, TORCH),
]  # fmt: skip
CASES = [
    *[
        value(f"all-{name}-{SHORT[dtype]}", f"14 x 14 and a class token to 16 x 24, {name}, {dtype}", size=[16, 24],
              grid=[14, 14], prefix=1, dtype=dtype, inputs={"weight": scattered(kind, (197, 1), 40)},
              flags=(*RECTANGLE, *narrow(dtype)), source=TORCH, **options)
        for k, (name, options) in enumerate(ALL.items())
        for dtype, kind in (("float64", "float64"), (DTYPES[k % 3 + 1], "float32"))
    ],
    *[
        value(f"{name}-{SHORT[dtype]}", about, size=list(size), dtype=dtype, flags=flags, source=source,
              inputs={"weight": scattered(dtype, shape, 60 + k)}, **held, **options)
        for k, (name, about, old, prefix, channels, size, dtype, options, source) in enumerate(MODELS)
        for flags in [RECTANGLE if len(set(size)) > 1 else RESIZING]
        for shape, held in [(
            ((*old, channels), {}) if not prefix else
            ((prefix + old[0] * old[1], channels), {"prefix": prefix, "grid": list(old)})
        )]
    ],
    # a scale in place of new / old
    *[
        value(f"{name}-{SHORT[dtype]}", about, size=[16, size], scale=scale, grid=[14, 14], prefix=1, dtype=dtype,
              inputs={"weight": scattered("float32", (197, 2), 101)}, flags=("Resampling", "NonSquare"),
              source=source, **CUBIC)
        for name, about, size, scale, dtype, source in (
            ("dino-scale", "DINO: (n + 0.1) / side as the scale", 24, [fraction(161, 140), fraction(241, 140)],
             "float32",
             project("facebookresearch/dino", "de9ee3d", "vision_transformer.py", "interpolate_pos_encoding")),
            ("dino-scale-float", "DINO: the same in float64", 24, [16.1 / 14, 24.1 / 14], "float64",
             project("facebookresearch/dinov2", "e1277af", "dinov2/models/vision_transformer.py",
                     "interpolate_pos_encoding")),
        )
    ],
    value("dino-ramp-f32", "a ramp 0 .. 195, 14 to 16 by the scale 16.1 / 14: off by up to 1.5", size=[16, 16],
          grid=[14, 14], scale=fraction(161, 140), dtype="float32", flags=RESIZING,
          inputs={"weight": listed([float(k) for k in range(196)], "float32", (196, 1))}, **CUBIC),
    value("tvp-f32", "TVP: a scale by axis that leaves one as it is", size=[10, 15], scale=[1, 1.5], dtype="float32",
          inputs={"weight": scattered("float32", (10, 10, 2), 103)}, flags=RECTANGLE,
          source=_hf("tvp/modeling_tvp.py", "interpolate_pos_encoding"), **CUBIC),
    value("scale-beyond", "a scale that asks for rows past the end: the last one, held", size=[9], scale=1,
          dtype="float64", inputs={"weight": scattered("float64", (5, 2), 104)}, flags=RESIZING, **CUBIC),
    value("scale-zeros", "the same where zeros lie outside", size=[9], scale=1, dtype="float64", border="zeros",
          inputs={"weight": scattered("float64", (5, 2), 104)}, flags=RESIZING, **CUBIC),
    *tables("resize_table", value),
    # rows that are left before it is resized, as AST cuts them
    *[
        value(f"crop-{SHORT[dtype]}", f"AST: 12 x 101 to 10 frequencies cut in the middle and 128 times, {dtype}",
              size=[10, 128], crop=[[1, 11], [0, 101]], dtype=dtype,
              inputs={"weight": scattered(kind, (12, 101, 1), 120)}, flags=(*RECTANGLE, *narrow(dtype)), **LINEAR,
              source=project("YuanGongND/ast", "6fc7f9d", "src/models/ast_models.py", "ASTModel"))
        for dtype, kind in (("float64", "float64"), ("float32", "float32"), ("bfloat16", "float32"))
    ],
    value("crop-odd", "AST: both axes cut, one to an odd size", size=[7, 4], crop=[[9, 16], [10, 14]], dtype="float16",
          grid=[24, 24], prefix=2, inputs={"weight": scattered("float16", (578, 1), 121)}, flags=RECTANGLE, **LINEAR,
          source=project("YuanGongND/ast", "6fc7f9d", "src/models/ast_models.py", "ASTModel")),
    value("crop-then-cubic", "what is cut away is not read where the cubic reaches beyond the end", size=[6, 5],
          crop=[[1, 4], [0, 3]], dtype="float64", inputs={"weight": scattered("float64", (5, 4, 2), 122)},
          flags=RECTANGLE, **CUBIC),
    value("crop-nearest", "frames cut, then by the nearest one", size=[9], crop=[[2, 6]], dtype="float32",
          inputs={"weight": scattered("float32", (7, 3), 123)}, flags=RESIZING, **NEAREST),
    # a second table, repeated and added before the one rounding
    *[
        value(f"window-{SHORT[dtype]}", f"SAM 2: 7 x 7 to 16 x 20 and a window of 8 x 8, {dtype}", size=[16, 20],
              dtype=dtype, flags=(*RECTANGLE, *narrow(dtype)), source=_hf("sam2/modeling_sam2.py", "_get_pos_embed"),
              inputs={"weight": scattered(kind, (7, 7, 1), 124), "window": scattered(kind, (8, 8, 1), 125)}, **CUBIC)
        for dtype, kind in (("float64", "float64"), ("float32", "float32"), ("float16", "float16"),
                            ("bfloat16", "bfloat16"))
    ],
    value("window-once", "the sum is rounded once: two roundings to bfloat16 differ", size=[5], dtype="bfloat16",
          inputs={"weight": listed([1.0, 1.0078125, -1.0, 3.0], "float32", (4, 1)),
                  "window": listed([0.00390625, -0.005859375], "float32", (2, 1))}, flags=RESIZING, **CORNERS),
    value("window-cancels", "a window that cancels the table: +0", size=[4], dtype="float32",
          inputs={"weight": listed([1.5, -2.5], "float32", (2, 1)), "window": listed([-1.5], "float32", (1, 1))},
          flags=RESIZING, **CORNERS),
    value("window-grid", "a window behind a class token", size=[3, 5], grid=[4, 4], prefix=1, dtype="float32",
          inputs={"weight": scattered("float32", (17, 2), 126), "window": scattered("float32", (2, 3, 2), 127)},
          flags=RECTANGLE, **CUBIC_ANTIALIAS),
    # sizes
    value("corners-one", "corners: 1 row to 3, and 5 columns to 1", size=[3, 1], dtype="float64",
          inputs={"weight": scattered("float64", (1, 5, 2), 105)}, flags=RECTANGLE, **CORNERS),
    value("same-size", "the size it has: the values themselves", size=[3, 4], dtype="float32", flags=RECTANGLE,
          inputs={"weight": scattered("float32", (3, 4, 2), 106)}, **CUBIC),
    value("same-size-antialias", "the size it has, antialiased: the values themselves", size=[3, 4], dtype="float32",
          inputs={"weight": scattered("float32", (3, 4, 2), 106)}, flags=RECTANGLE, **CUBIC_ANTIALIAS),
    value("to-one", "one row of all, antialiased", size=[1, 1], dtype="float32", flags=RESIZING,
          inputs={"weight": scattered("float32", (5, 7, 3), 107)}, **LINEAR_ANTIALIAS),
    value("empty", "no rows: the prefix alone", size=[0, 3], grid=[2, 2], prefix=1, dtype="float32",
          inputs={"weight": scattered("float32", (5, 2), 108)}, **CUBIC),
    # numbers
    *[
        value(f"tiny-{SHORT[dtype]}", f"sums below the normal range of {dtype}", size=[5, 4], dtype=dtype,
              inputs={"weight": tiny(dtype, (3, 3, 2), 109)}, flags=("Resampling", "Subnormal", *narrow(dtype)),
              **CUBIC)
        for dtype in DTYPES
    ],
    *[
        value(f"narrowed-{SHORT[dtype]}", f"float64 to {dtype}, rounded once", size=[5, 9], dtype=dtype, prefix=1,
              grid=[4, 4], inputs={"weight": scattered("float64", (17, 2), 110)}, flags=(*RECTANGLE, *narrow(dtype)),
              **LINEAR)
        for dtype in DTYPES[1:]
    ],
    value("ties-f32", "halves of neighbours, to even", size=[5], dtype="float32", flags=RESIZING,
          inputs={"weight": listed([1.0, -3.0, 1 + 2.0**-23, -3 - 2.0**-22, 1.0, 3.0], "float32", (3, 2))}, **CORNERS),
    value("overflow-f16", "a cubic goes beyond the largest float16", size=[8], dtype="float16", flags=RESIZING,
          inputs={"weight": listed([65504.0, 65504.0, -65504.0, -65504.0], "float16", (4, 1))}, **CUBIC),
    value("signs-of-zero", "a sum that is 0 is +0", size=[3], dtype="float64", flags=RESIZING,
          inputs={"weight": listed([-0.0, 1.0, -0.0, -1.0], "float64", (2, 2))}, **CORNERS),
    # refusals
    *[
        refused(slug, about, code, argument, **{"size": [3, 5], "inputs": WEIGHT, **call})
        for slug, about, code, argument, call in (
            ("no-align", "no alignment said", "E_CHOICE", "align", {"method": "linear"}),
            ("no-cubic", "no cubic said", "E_CHOICE", "cubic", {"method": "cubic", "align": "half-pixel"}),
            ("cubic-other", "a cubic of nobody", "E_CHOICE", "cubic", {**CUBIC, "cubic": -1}),
            ("method", "an unknown method", "E_CHOICE", "method", {**LINEAR, "method": "bilinear"}),
            ("nearest-align", "an alignment of the nearest row", "E_CHOICE", "align", {**NEAREST, "align": "corners"}),
            ("antialias-corners", "antialiased corners", "E_CHOICE", "align", {**CORNERS, "antialias": True}),
            ("border", "an unknown border", "E_CHOICE", "border", {**CUBIC, "border": "reflect"}),
            ("scale-corners", "a scale with corners", "E_CHOICE", "scale", {**CORNERS, "scale": 2}),
            ("scale-zero", "a scale of 0", "E_NUMBER", "scale", {**LINEAR, "scale": 0}),
            ("scale-outside", "an antialiased row outside of the grid", "E_NUMBER", "scale",
             {**LINEAR_ANTIALIAS, "scale": 1}),
            ("size-axes", "one size for two axes", "E_SHAPE", "weight", {**LINEAR, "size": [5]}),
            ("size-negative", "a negative size", "E_SIZE", "size", {**LINEAR, "size": [3, -1]}),
            ("prefix-without-grid", "a prefix of no sequence", "E_SHAPE", "grid", {**LINEAR, "prefix": 1}),
            ("prefix-rows", "a sequence with a row too many", "E_SHAPE", "weight",
             {**LINEAR, "grid": [4, 4], "prefix": 1, "inputs": {"weight": scattered("float32", (18, 2), 1)}}),
            ("no-rows", "a grid without rows", "E_SHAPE", "weight",
             {**LINEAR, "inputs": {"weight": scattered("float32", (0, 4, 2), 1)}}),
            ("crop-axes", "one pair for two axes", "E_SHAPE", "crop", {**LINEAR, "crop": [[0, 2]]}),
            ("crop-empty", "no rows left", "E_SHAPE", "crop", {**LINEAR, "crop": [[0, 2], [3, 3]]}),
            ("crop-beyond", "rows beyond the table", "E_SHAPE", "crop", {**LINEAR, "crop": [[0, 5], [0, 4]]}),
            ("window-nearest", "a window with copies", "E_CHOICE", "window",
             {**NEAREST, "inputs": {**WEIGHT, "window": scattered("float32", (2, 2, 2), 1)}}),
            ("window-channels", "a window of other channels", "E_SHAPE", "window",
             {**LINEAR, "inputs": {**WEIGHT, "window": scattered("float32", (2, 2, 3), 1)}}),
            ("window-empty", "a window without rows", "E_SHAPE", "window",
             {**LINEAR, "inputs": {**WEIGHT, "window": scattered("float32", (2, 0, 2), 1)}}),
            ("grid-not-square", "a sequence whose grid has other sides", "E_SHAPE", "weight",
             {**LINEAR, "grid": [14, 14], "prefix": 1, "inputs": {"weight": scattered("float32", (193, 1), 1)}}),
            ("grid-zero", "an old grid of size 0", "E_SIZE", "grid",
             {**LINEAR, "grid": [0, 4], "prefix": 1, "inputs": {"weight": scattered("float32", (1, 2), 1)}}),
            ("rank", "a weight with an axis too many", "E_SHAPE", "weight",
             {**LINEAR, "inputs": {"weight": scattered("float32", (1, 4, 4, 2), 1)}}),
            ("rank-of-rows", "a grid where a sequence is said", "E_SHAPE", "weight",
             {**LINEAR, "grid": [4, 4], "inputs": WEIGHT}),
            ("integers", "weights that are integers", "E_DTYPE", "weight",
             {**LINEAR, "inputs": {"weight": listed((1, 2, 3, 4), "int64", (2, 2, 1))}}),
        )
    ],
]  # fmt: skip

# what no other case tells apart
CASES += [
    *[
        value(f"border-{border}-f32", f"cubic, and at the border {border}, in float32", size=[3, 7], method="cubic",
              align="half-pixel", cubic=-0.5, border=border, dtype="float32", flags=("NonSquare", "Resampling"),
              inputs={"weight": scattered("float32", (4, 5, 2), 240)})
        for border in ("clamp", "renormalise", "zeros")
    ],
    value("one-axis-f32", "a table of one axis, its size a number, in float32", size=7, method="nearest-exact",
          dtype="float32", flags=("Resampling",), inputs={"weight": scattered("float32", (5, 2), 241)}),
    *[
        value(f"small-{slug}-f32", f"{slug}, in float32", size=[3, 7], method=method, align=align,
              dtype="float32", flags=("NonSquare", "Resampling"), **options,
              inputs={"weight": scattered("float32", (4, 5, 2), 242)})
        for slug, method, align, options in (("linear-half-pixel", "linear", "half-pixel", {}),
                                             ("linear-corners", "linear", "corners", {}),
                                             ("nearest", "nearest", None, {}),
                                             ("cubic-corners", "cubic", "corners", {"cubic": -0.75}))
    ],
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="one-axis-f32 border-clamp-f32 model-timm-resize",
    float16="""
        model-tvp-resize one-axis-f32 border-clamp-f32 border-renormalise-f32 window-cancels
        model-timesformer-time-resize scale-beyond model-timm-resize
    """,
    bfloat16="scale-zeros one-axis-f32 model-tvp-resize border-clamp-f32 border-zeros-f32 model-timm-resize",
)

# conventions that no case above tells
CASES += [
    *[
        value(f"scale-nearest-{SHORT[dtype]}", f"5 rows to 7 by the scale 7/4, the nearest row, {dtype}", size=7,
              scale=1.75, dtype=dtype, flags=(*RESIZING, *narrow(dtype)), **NEAREST,
              inputs={"weight": scattered("float32", (5, 2), 250)})
        for dtype in DTYPES
    ],
    *[
        value(f"scale-zeros-prefix-{SHORT[dtype]}", f"linear by two scales, zeros outside, 2 rows before, {dtype}",
              size=[4, 6], scale=[1.75, 1.125], grid=[3, 4], prefix=2, border="zeros", dtype=dtype,
              flags=(*RECTANGLE, *narrow(dtype)), inputs={"weight": scattered("float32", (14, 1), 251)}, **LINEAR)
        for dtype in DTYPES
    ],
    *[
        value(f"scale-antialias-{SHORT[dtype]}", f"9 x 6 to 3 x 2 by the scales 2/5 and 3/8, antialiased, {dtype}",
              size=[3, 2], scale=[fraction(2, 5), 0.375], dtype=dtype, flags=(*RECTANGLE, *narrow(dtype)),
              inputs={"weight": scattered("float32", (9, 6, 2), 252)}, **LINEAR_ANTIALIAS)
        for dtype in DTYPES
    ],
    *[
        value(f"corners-{border}-{SHORT[dtype]}", f"a cubic between the corners, and at the border {border}, {dtype}",
              size=[3, 6], border=border, dtype=dtype, flags=(*RECTANGLE, *narrow(dtype)),
              inputs={"weight": scattered("float32", (2, 3, 2), 253)}, **{**CUBIC, "align": "corners"})
        for border in ("zeros", "renormalise") for dtype in DTYPES
    ],
]  # fmt: skip
