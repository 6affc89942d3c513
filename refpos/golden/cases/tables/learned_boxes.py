"""Golden cases of learned vectors of boxes."""

from ...case import listed, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .. import _absolute
from .._formats import in_formats
from ..positions.box_rows import LAYOUTLM, LILT, V2, V3, boxes

value, refused = suite("learned_boxes", LAYOUTLM)
FLAGS = ("AxisOrder", "OffByOne")
#: words on a page of 20 by 20, a line, a column, and a corner
WORDS = ((2, 3, 9, 5), (0, 0, 19, 19), (4, 7, 11, 7), (7, 4, 7, 11), (19, 19, 19, 19))
#: right before left, lower before upper
SWAPPED = ((9, 3, 2, 5), (2, 5, 9, 3))
SUM, CONCAT = {"combine": "sum", "clip": None}, {"combine": "concat", "clip": None}


def inputs(dtype, words=WORDS, seed=320, positions=20, channels=3, shape=None):
    """Tables of x, y, heights and widths, and boxes."""
    return {"weights": scattered(dtype, (4, positions, channels), seed), **boxes(*words, shape=shape)}


CASES = [
    *[
        value(f"layoutlm-{SHORT[dtype]}", f"LayoutLM: the sum of six vectors, {dtype}", dtype=dtype, **SUM,
              inputs=inputs(dtype, seed=320 + k), flags=(*FLAGS, *narrow(dtype)))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"{name}-{SHORT[dtype]}", f"{about}, {dtype}", dtype=dtype, combine="concat", clip=clip, flags=FLAGS,
              inputs=inputs(dtype, words, 330 + k), source=source)
        for k, (name, about, clip, words, dtype, source) in enumerate((
            ("layoutlmv2", "LayoutLMv2: six vectors side by side", None, WORDS, "float32", V2),
            ("layoutlmv3", "LayoutLMv3: heights and widths below 0 read row 0", 19, (*WORDS, *SWAPPED), "float32", V3),
            ("layoutlmv3", "LayoutLMv3: heights and widths are clipped", 6, (*WORDS, *SWAPPED), "bfloat16", V3),
            ("lilt", "LiLT: six vectors side by side", None, WORDS, "float16", LILT),
            ("side-by-side", "six vectors side by side", None, WORDS, "float64", V2),
        ))
    ],
    *[
        value(f"narrowed-{SHORT[dtype]}", f"tables of float64 as {dtype}: the sum is rounded once", dtype=dtype, **SUM,
              inputs=inputs("float64", seed=336), flags=(*FLAGS, *narrow(dtype)))
        for dtype in DTYPES[1:]
    ],
    value("narrowed-concat-f32", "tables of float64, side by side as float32", dtype="float32", **CONCAT,
          inputs=inputs("float64", seed=337), flags=FLAGS),
    value("sum-clipped-f32", "a sum with sizes of 0 to 6", dtype="float32", combine="sum", clip=6, flags=FLAGS,
          inputs=inputs("float32", (*WORDS, *SWAPPED), 338)),
    value("batch-f32", "boxes of shape (2, 1, 4)", dtype="float32", **SUM, flags=FLAGS,
          inputs=inputs("float32", WORDS[:2], 339, shape=(2, 1, 4))),
    value("single-f64", "one box", dtype="float64", **SUM, flags=FLAGS,
          inputs=inputs("float64", WORDS[:1], 340, shape=(4,))),
    value("cancelled-f32", "both corners of a line: a vector twice, and its negative", dtype="float32", **SUM,
          flags=("Cancellation",), inputs={
              "weights": listed((2.0**26, 1.0, -(2.0**27), 1.0, 3.0, 3.0, 2.0**-20, 3.0), "float32", (4, 2, 1)),
              **boxes((0, 0, 0, 0), (0, 0, 1, 1)),
          }),
    value("none-f32", "no boxes", dtype="float32", **CONCAT, inputs=inputs("float32", (), 341, shape=(0, 4))),
    *_absolute.tables("learned_boxes", value),
    refused("width", "right before left, not clipped", "E_POSITION", "boxes", **SUM,
            inputs=inputs("float32", SWAPPED[:1])),
    refused("beyond", "a side beyond its table", "E_POSITION", "boxes", **CONCAT,
            inputs=inputs("float32", ((0, 0, 20, 3),))),
    refused("clip-beyond", "a clip beyond its table", "E_POSITION", "boxes", combine="concat", clip=1023,
            inputs=inputs("float32", ((0, 0, 19, 30),))),
    refused("negative", "a side before the page", "E_POSITION", "boxes", **SUM,
            inputs=inputs("float32", ((0, -1, 1, 1),))),
    refused("tables", "three tables", "E_SHAPE", "weights", **SUM,
            inputs={"weights": scattered("float32", (3, 4, 2), 1), **boxes((0, 0, 1, 1))}),
    refused("combine", "an unknown way", "E_CHOICE", "combine", combine="mean", clip=None, inputs=inputs("float32")),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float64="sum-clipped-f32",
    float16="sum-clipped-f32",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float64="layoutlmv3-f32",
    float16="layoutlmv3-f32",
)
