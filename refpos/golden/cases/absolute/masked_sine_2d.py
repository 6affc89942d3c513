"""Golden cases of the sine of masked images."""

from ...case import fraction, listed, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("masked_sine_2d", paper("Carion et al. 2020, DETR, arXiv:2005.12872, appendix A.4"))
FLAGS = ("AxisOrder", "NonSquare", "OffByOne")
PLAIN = {"normalize": False, "half_pixel": False, "axis_order": "hw"}
DETR = {"normalize": True, "half_pixel": False, "axis_order": "hw", "scale": "2pi"}
HALF = {**DETR, "half_pixel": True}


def masked(*images):
    """Masks of one shape as an input tensor, each a list of texts with # where there is image."""
    cells = [int(cell == "#") for image in images for row in image for cell in row]
    shape = (len(images[0]), len(images[0][0]))
    return {"mask": listed(cells, "int64", shape if len(images) == 1 else (len(images), *shape))}


def hf(model, function):
    """A class of transformers as the source."""
    return project("transformers", "5.23.0", f"models/{model}/modeling_{model}.py", function)


PADDED = ["####..", "####..", "####..", "......"]  # padding right and below
INNER = ["##.#", ".###", "#..#"]  # no mask of images, but of any counts
NOTHING = ["...", "..."]
MODELS = {
    "detr": hf("detr", "DetrSinePositionEmbedding"),
    "maskformer": hf("maskformer", "MaskFormerSinePositionEmbedding"),
    "sam2": hf("sam2", "Sam2SinePositionEmbedding"),
}

CASES = [
    value("first-numbers", "a row of two cells", mask=[1, 2], dim=4, eps=0, **DETR, flags=FLAGS),
    *[
        value(f"detr-{SHORT[dtype]}", f"3 x 5 cells, DETR, {dtype}", mask=[3, 5], dim=16, dtype=dtype, **DETR,
              flags=(*FLAGS, *narrow(dtype)), source=MODELS["detr"])
        for dtype in DTYPES
    ],
    *[
        value(f"padded-{SHORT[dtype]}", f"padding right and below: the counts of the mask, not the size, {dtype}",
              dim=8, dtype=dtype, inputs=masked(PADDED), **DETR, flags=(*FLAGS, *narrow(dtype)), source=MODELS["detr"])
        for dtype in DTYPES
    ],
    *[
        value(f"deformable-{SHORT[dtype]}", f"Deformable-DETR: 1/2 is subtracted, {dtype}", dim=8, dtype=dtype,
              inputs=masked(PADDED), **HALF, flags=(*FLAGS, *narrow(dtype)),
              source=hf("deformable_detr", "DeformableDetrSinePositionEmbedding"))
        for dtype in DTYPES
    ],
    value("deformable-plain", "Deformable-DETR without normalize: 1/2 is not subtracted", mask=[3, 4], dim=8,
          normalize=False, half_pixel=True, axis_order="hw", flags=FLAGS,
          source=hf("deformable_detr", "DeformableDetrSinePositionEmbedding")),
    value("plain", "whole counts from 1", mask=[3, 4], dim=8, **PLAIN, flags=FLAGS),
    value("plain-padded", "whole counts of a padded image", dim=8, inputs=masked(PADDED), **PLAIN, flags=FLAGS),
    value("plain-long-f32", "whole counts to 2050", mask=[1, 2050], dim=4, dtype="float32", **PLAIN,
          flags=(*FLAGS, "NarrowAngle", "LongContextInteger")),
    value("columns-first", "columns in the first channels", mask=[2, 3], dim=8, **{**DETR, "axis_order": "wh"},
          flags=FLAGS),
    value("columns-first-padded", "columns in the first channels, padded", dim=8, inputs=masked(PADDED),
          **{**HALF, "axis_order": "wh"}, flags=FLAGS),
    value("two-images", "two masks", dim=8, inputs=masked(INNER, [row[::-1] for row in INNER]), **DETR, flags=FLAGS),
    value("inner-padding-half", "counts that differ from cell to cell", dim=8, inputs=masked(INNER), **HALF,
          flags=FLAGS),
    value("all-padding", "a mask of zeros: 0 / eps", dim=8, inputs=masked(NOTHING), **DETR, flags=FLAGS),
    value("all-padding-half", "a mask of zeros: -1/2 / eps", dim=8, inputs=masked(NOTHING), **HALF,
          flags=(*FLAGS, "LargeArgument")),
    value("all-padding-plain", "a mask of zeros without normalize", dim=8, inputs=masked(NOTHING), **PLAIN,
          flags=FLAGS),
    value("eps-0", "eps 0: twelfths of a turn are exact", mask=[4, 12], dim=4, eps=0, **DETR, flags=FLAGS),
    value("eps-0-half", "eps 0: the middles of 6 cells are exact", mask=[2, 6], dim=4, eps=0, **HALF, flags=FLAGS),
    value("eps-millionth", "eps a millionth exactly, not the float64 next to it", mask=[3, 2], dim=8,
          eps=fraction(1, 10**6), **DETR, flags=FLAGS),
    value("eps-large", "eps 1/8", mask=[3, 2], dim=8, eps=0.125, **DETR, flags=FLAGS),
    value("scale-pi", "scale pi", mask=[3, 2], dim=8, **{**DETR, "scale": "pi"}, flags=FLAGS),
    value("scale-6", "scale 6.25", mask=[3, 2], dim=8, **{**DETR, "scale": 6.25}, flags=FLAGS),
    value("scale-float", "scale 2 pi as a float64 is no whole turn", mask=[2, 3], dim=4, eps=0,
          **{**DETR, "scale": 6.283185307179586}, flags=FLAGS),
    value("dab-detr", "DAB-DETR: base 20 for rows and columns", dim=8, base=[20, 20], inputs=masked(PADDED), **DETR,
          flags=(*FLAGS, "Base"), source=hf("dab_detr", "DabDetrSinePositionEmbedding")),
    value("dab-detr-two-bases", "DAB-DETR: another base for rows than for columns", mask=[3, 4], dim=12, base=[20, 50],
          **DETR, flags=(*FLAGS, "Base"), source=hf("dab_detr", "DabDetrSinePositionEmbedding")),
    value("two-bases-columns-first", "the first base is that of rows, wherever their channels are", mask=[3, 4], dim=12,
          base=[20, 50], **{**DETR, "axis_order": "wh"}, flags=(*FLAGS, "Base")),
    # widths of models
    value("detr-r50-f32", "DETR R50: 25 x 34 cells of width 256", mask=[25, 34], dim=256, dtype="float32", **DETR,
          flags=FLAGS, source=MODELS["detr"]),
    value("maskformer-f32", "MaskFormer: 5 x 7 cells of width 256", mask=[5, 7], dim=256, dtype="float32", **DETR,
          flags=FLAGS, source=MODELS["maskformer"]),
    value("sam2-f32", "SAM 2: width 256 is that of both axes", mask=[4, 6], dim=256, dtype="float32", **DETR,
          flags=FLAGS, source=MODELS["sam2"]),
    value("xcit-f32", "XCiT: 3 x 5 cells, 32 channels for each axis", mask=[3, 5], dim=64, dtype="float32", **DETR,
          flags=FLAGS, source=project("huggingface/pytorch-image-models", "1.0.31", "timm/models/xcit.py",
                                      "PositionalEncodingFourier")),
    value("one-cell", "one cell", mask=[1, 1], dim=4, **DETR, flags=FLAGS),
    value("one-cell-half", "one cell, its middle", mask=[1, 1], dim=4, **HALF, flags=FLAGS),
    value("no-rows", "no rows", mask=[0, 3], dim=4, **DETR),
    value("no-columns", "a mask without columns", dim=4, inputs={"mask": listed([], "int64", (3, 0))}, **DETR),
    refused("dim-6", "a width that is no multiple of 4", "E_ODD_DIM", "dim", mask=[2, 2], dim=6, **DETR),
    refused("scale-missing", "normalize without scale", "E_NUMBER", "scale", mask=[2, 2], dim=4,
            **{**DETR, "scale": None}),
    refused("scale-without", "scale without normalize", "E_NUMBER", "scale", mask=[2, 2], dim=4,
            **{**DETR, "normalize": False}),
    refused("scale-name", "a scale that is not known", "E_CHOICE", "scale", mask=[2, 2], dim=4,
            **{**DETR, "scale": "tau"}),
    refused("eps-negative", "a negative eps", "E_NUMBER", "eps", mask=[2, 2], dim=4, eps=-1, **DETR),
    refused("eps-zero", "eps 0 and a mask of zeros", "E_NUMBER", "eps", dim=4, eps=0, inputs=masked(NOTHING), **DETR),
    refused("mask-2", "a mask with a 2", "E_SHAPE", "mask", dim=4, inputs={"mask": listed([0, 2], "int64", (1, 2))},
            **DETR),
    refused("mask-line", "a mask of one axis", "E_SHAPE", "mask", dim=4,
            inputs={"mask": listed([0, 1, 1], "int64", (3,))}, **DETR),
    refused("mask-float", "a mask of floats", "E_SHAPE", "mask", dim=4,
            inputs={"mask": listed([0.0, 1.0], "float32", (1, 2))}, **DETR),
    refused("height-negative", "a negative height", "E_SIZE", "mask", mask=[-1, 2], dim=4, **DETR),
    refused("axis-order", "an order that is not known", "E_CHOICE", "axis_order", mask=[2, 2], dim=4,
            **{**DETR, "axis_order": "yx"}),
    refused("base-three", "three bases", "E_BASE", "base", mask=[2, 2], dim=4, base=[1, 2, 3], **DETR),
    refused("normalize", "normalize as a number", "E_CHOICE", "normalize", mask=[2, 2], dim=4,
            **{**DETR, "normalize": 1}),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="two-bases-columns-first scale-float scale-pi",
    float16="two-bases-columns-first scale-float scale-pi",
    bfloat16="two-bases-columns-first scale-float scale-pi",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float32="scale-6",
    float16="scale-6",
    bfloat16="scale-6",
)
