"""Golden cases of a learned table at the sizes of several images."""

from ...case import listed, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._absolute import tables
from .._formats import in_formats


def _hf(file, function=None):
    return project("transformers", "5.23.0", f"models/{file}", function)


QWEN3_VL, SIGLIP2 = _hf("qwen3_vl/modeling_qwen3_vl.py"), _hf("siglip2/modeling_siglip2.py",
                                                              "resize_positional_embeddings")  # fmt: skip
value, refused = suite("resize_packed", QWEN3_VL)
CORNERS, LINEAR = {"method": "linear", "align": "corners"}, {"method": "linear", "align": "half-pixel"}
CUBIC = {"method": "cubic", "align": "half-pixel", "cubic": -0.75}
ANTIALIASED = {**LINEAR, "antialias": True}
FLAGS = ("Resampling", "NonSquare", "AxisOrder")


def images(*grids):
    """Frames, rows and columns of each image as an input tensor."""
    return {"grid_thw": listed([size for grid in grids for size in grid], shape=(len(grids), 3))}


def given(dtype, *shape, seed, grids):
    """A table and images."""
    return {"weight": scattered(dtype, shape, seed), **images(*grids)}


TWO = ((1, 6, 10), (2, 4, 2))
CASES = [
    *[
        value(f"merge-{SHORT[dtype]}", f"6 x 10 and two frames of 4 x 2 in blocks of 2 x 2, {dtype}", merge_size=2,
              inputs=given(kind, 12, 12, 1, seed=200, grids=TWO), dtype=dtype, flags=(*FLAGS, *narrow(dtype)),
              **CORNERS)
        for dtype, kind in zip(DTYPES, ("float64", "float32", "float16", "float32"))
    ],
    *[
        value(f"padded-{SHORT[dtype]}", f"3 x 8 and 1 x 30, each of 32 rows, {dtype}", length=32, dtype=dtype,
              inputs=given(dtype, 16, 16, 1, seed=201, grids=((1, 3, 8), (1, 1, 30))), flags=(*FLAGS, *narrow(dtype)),
              source=SIGLIP2, **ANTIALIASED)
        for dtype in DTYPES
    ],
    value("rows", "row by row: the same images in another order", dtype="float64", flags=FLAGS, **CORNERS,
          inputs=given("float64", 12, 12, 1, seed=200, grids=TWO)),
    value("merge-3", "blocks of 3 x 3", merge_size=3, inputs=given("float32", 7, 5, 2, seed=202, grids=((1, 3, 9),)),
          dtype="float32", flags=FLAGS, **CUBIC),
    value("merge-padded", "blocks of 2 x 2, padded", merge_size=2, length=9, flags=FLAGS, **ANTIALIASED,
          inputs=given("float32", 7, 7, 2, seed=203, grids=((1, 2, 4), (1, 4, 2))), dtype="float32"),
    value("frames-padded", "three frames, padded by the first row", length=8, flags=FLAGS, **LINEAR,
          inputs=given("float16", 3, 4, 2, seed=204, grids=((3, 1, 2),)), dtype="float16"),
    value("exact-length", "as many rows as the image has", length=6, inputs=given("float32", 3, 4, 2, seed=205,
          grids=((1, 2, 3),)), dtype="float32", flags=FLAGS, **LINEAR),
    value("nearest", "the nearest row: bits are copied", method="nearest", dtype="bfloat16", flags=FLAGS,
          inputs=given("bfloat16", 5, 3, 2, seed=206, grids=((1, 3, 4), (1, 1, 2)))),
    value("zeros", "zeros outside of the grid", border="zeros", inputs=given("float32", 4, 4, 2, seed=207,
          grids=((1, 3, 7),)), dtype="float32", flags=FLAGS, **CUBIC),
    value("one", "one patch of one row", inputs=given("float32", 1, 1, 3, seed=208, grids=((1, 1, 1), (1, 2, 1))),
          dtype="float32", flags=("Resampling",), **CORNERS),
    value("no-images", "no image", inputs={"weight": scattered("float32", (2, 3, 2), 209),
          "grid_thw": listed((), shape=(0, 3))}, dtype="float32", flags=("Resampling",), **LINEAR),
    value("no-images-padded", "no image, though each would have 4 rows", length=4, flags=("Resampling",), **LINEAR,
          inputs={"weight": scattered("float32", (2, 3, 2), 209), "grid_thw": listed((), shape=(0, 3))},
          dtype="float32"),
    *tables("resize_packed", value),
    *[
        refused(slug, about, code, argument, **{
            "inputs": given("float32", 4, 4, 2, seed=1, grids=((1, 2, 4),)), **CORNERS, **call})
        for slug, about, code, argument, call in (
            ("length", "an image of more rows", "E_SIZE", "length", {"length": 7}),
            ("length-negative", "a negative length", "E_SIZE", "length", {"length": -1}),
            ("merge-size", "rows that are no multiple of the block", "E_SIZE", "grid_thw", {"merge_size": 4}),
            ("merge-zero", "blocks of nothing", "E_SIZE", "merge_size", {"merge_size": 0}),
            ("method", "an unknown method", "E_CHOICE", "method", {"method": "bilinear"}),
            ("no-cubic", "no slope said", "E_CHOICE", "cubic", {"method": "cubic"}),
            ("no-rows", "an image without rows", "E_SIZE", "grid_thw",
             {"inputs": given("float32", 4, 4, 2, seed=1, grids=((1, 0, 4),))}),
            ("no-table", "a table without rows", "E_SHAPE", "weight",
             {"inputs": given("float32", 0, 4, 2, seed=1, grids=((1, 2, 4),))}),
            ("sequence", "a sequence of rows, which says no sides", "E_SHAPE", "weight",
             {"inputs": given("float32", 16, 2, seed=1, grids=((1, 2, 4),))}),
            ("pairs", "rows and columns without frames", "E_SHAPE", "grid_thw",
             {"inputs": {"weight": scattered("float32", (4, 4, 2), 1), "grid_thw": listed((2, 4), shape=(1, 2))}}),
        )
    ],
]  # fmt: skip

# what no other case tells apart
CASES += [
    *[
        value(f"border-{border}-f32", f"cubic, and at the border {border}, in float32", method="cubic",
              align="half-pixel", cubic=-0.5, border=border, dtype="float32", flags=("NonSquare", "Resampling"),
              inputs={"weight": scattered("float32", (4, 5, 2), 240), "grid_thw": listed((1, 3, 7), shape=(1, 3))})
        for border in ("clamp", "renormalise", "zeros")
    ],
    *[
        value(f"small-{method}-f32", f"{method}, in float32", method=method, dtype="float32",
              flags=("NonSquare", "Resampling"),
              inputs={"weight": scattered("float32", (4, 5, 2), 241), "grid_thw": listed((1, 3, 7), shape=(1, 3))})
        for method in ("nearest", "nearest-exact")
    ],
    value("small-corners-f32", "linear between the corners, in float32", method="linear", align="corners",
          dtype="float32", flags=("NonSquare", "Resampling"),
          inputs={"weight": scattered("float32", (4, 5, 2), 242), "grid_thw": listed((1, 3, 7), shape=(1, 3))}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="zeros border-renormalise-f32 border-clamp-f32 merge-3 nearest small-nearest-exact-f32",
    float16="zeros border-renormalise-f32 border-clamp-f32 merge-3 nearest small-nearest-exact-f32",
    bfloat16="zeros border-renormalise-f32 border-clamp-f32 merge-3 small-nearest-exact-f32",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float64="exact-length",
    bfloat16="exact-length",
)
