"""Golden cases of learned tables of each axis."""

from ...case import listed, paper, project, scattered, suite, tiny
from ...telling_inputs import DTYPES, SHORT, narrow
from .. import _absolute
from .._formats import in_formats

value, refused = suite("learned_axes", paper("Carion et al. 2020, DETR, arXiv:2005.12872"))
CONCAT = {"combine": "concat", "axis_order": "hw"}
SUM = {"combine": "sum"}


def _hf(file, name):
    return project("transformers", "5.23.0", f"models/{file}", name)


DETR = _hf("detr/modeling_detr.py", "DetrLearnedPositionEmbedding")
REFORMER = _hf("reformer/modeling_reformer.py", "AxialPositionEmbeddings")
GEMMA4 = _hf("gemma4/modeling_gemma4.py", "Gemma4VisionPatchEmbedder")
FLAGS = ("AxisOrder", "NonSquare")


def weights(dtype, *shape, seed):
    """Tables of one shape as an input tensor."""
    return {"weights": scattered(dtype, shape, seed)}


CASES = [
    *[
        value(f"detr-{SHORT[dtype]}", f"DETR: columns, then rows, 3 x 5 of 50, {dtype}", grid=[3, 5], dtype=dtype,
              combine="concat", axis_order="wh", inputs=weights(dtype, 2, 50, 3, seed=320), flags=FLAGS, source=DETR)
        for dtype in DTYPES
    ],
    *[
        value(f"sum-{SHORT[dtype]}", f"rows and columns added, 3 x 5, {dtype}", grid=[3, 5], dtype=dtype,
              inputs=weights(dtype, 2, 6, 4, seed=321), flags=(*FLAGS, *narrow(dtype)), **SUM,
              source=project("diffusers", "0.42.1", "models/embeddings.py", "ImagePositionalEmbeddings"))
        for dtype in DTYPES
    ],
    value("florence2-f32", "Florence-2: concat, columns first", grid=[4, 7], dtype="float32", combine="concat",
          axis_order="wh", inputs=weights("float32", 2, 50, 2, seed=322), flags=FLAGS,
          source=_hf("florence2/modeling_florence2.py", "Florence2VisionLearnedAbsolutePositionEmbedding2D")),
    value("gemma4-bf16", "Gemma 4: two tables of one tensor, added", grid=[5, 3], dtype="bfloat16", source=GEMMA4,
          inputs=weights("bfloat16", 2, 16, 4, seed=323), flags=(*FLAGS, "DoubleRounding"), **SUM),
    value("reformer-f32", "Reformer: p // 5, then p % 5", grid=[3, 5], dtype="float32", source=REFORMER,
          inputs=weights("float32", 2, 5, 4, seed=324), flags=FLAGS, **CONCAT),
    value("sum-3d-f32", "frames, rows and columns added", grid=[2, 3, 4], dtype="float32",
          inputs=weights("float32", 3, 4, 3, seed=325), flags=FLAGS, **SUM),
    value("sum-3d-f64", "the same in float64: three terms, rounded once", grid=[2, 3, 4], dtype="float64",
          inputs=weights("float64", 3, 4, 3, seed=326), flags=FLAGS, **SUM),
    value("concat-3d-f16", "columns, rows, frames", grid=[2, 1, 3], dtype="float16", combine="concat",
          axis_order="wht", inputs=weights("float16", 3, 3, 1, seed=327), flags=FLAGS),
    value("narrowed-bf16", "tables of float32 added and rounded once to bfloat16", grid=[4, 3], dtype="bfloat16",
          inputs=weights("float32", 2, 4, 4, seed=328), flags=(*FLAGS, "DoubleRounding"), **SUM),
    value("cancelling-f32", "sums that cancel", grid=[2, 2], dtype="float32", flags=("Cancellation",),
          inputs={"weights": listed([1.0, -3.0, 1e-30, 2.0, -1.0, 3.0, -1e-30, 2.0**-30], "float64", (2, 2, 2))},
          **SUM),
    value("tiny-f64", "subnormal tables", grid=[2, 2], dtype="float64", flags=("Subnormal",),
          inputs={"weights": tiny("float64", (2, 2, 3), 329)}, **SUM),
    value("one-row", "a single row", grid=[1, 4], dtype="float32", inputs=weights("float32", 2, 4, 2, seed=330),
          flags=FLAGS, **CONCAT),
    value("empty", "no columns", grid=[3, 0], dtype="float32", inputs=weights("float32", 2, 4, 2, seed=331), **SUM),
    *_absolute.tables("learned_axes", value),
    *[
        refused(slug, about, code, argument,
                **{"grid": [3, 2], "inputs": weights("float32", 2, 4, 2, seed=1), **CONCAT, **call})
        for slug, about, code, argument, call in (
            ("no-order", "an order not said", "E_CHOICE", "axis_order", {"axis_order": None}),
            ("order", "an order of three axes for two", "E_AXIS", "axis_order", {"axis_order": "thw"}),
            ("order-of-sum", "an order of a sum", "E_CHOICE", "axis_order", {"combine": "sum"}),
            ("combine", "an unknown way", "E_CHOICE", "combine", {"combine": "mean"}),
            ("beyond", "a grid beyond its table", "E_POSITION", "grid", {"grid": [3, 5]}),
            ("axes", "three sizes for two tables", "E_SHAPE", "grid", {"grid": [2, 2, 2]}),
            ("negative", "a negative size", "E_SIZE", "grid", {"grid": [2, -1]}),
            ("weights-flat", "tables of one axis", "E_SHAPE", "weights",
             {"inputs": {"weights": scattered("float32", (2, 4), 1)}}),
        )
    ],
]  # fmt: skip

# what no other case tells apart
CASES += [
    *[
        value(f"concat-{order}-f32", f"three axes side by side as {order}, in float32", grid=[2, 3, 4],
              combine="concat", axis_order=order, dtype="float32", flags=("AxisOrder", "NonSquare"),
              inputs={"weights": scattered("float32", (3, 4, 2), 340)})
        for order in ("thw", "twh", "htw", "hwt", "wth", "wht")
    ],
    value("concat-axes-f32", "two axes side by side, the order as numbers, in float32", grid=[2, 3], combine="concat",
          axis_order=[1, 0], dtype="float32", flags=("AxisOrder", "NonSquare"),
          inputs={"weights": scattered("float32", (2, 4, 2), 341)}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="""
        concat-3d-f16 concat-thw-f32 concat-twh-f32 concat-htw-f32 concat-hwt-f32 concat-wth-f32 one-row
        concat-axes-f32
    """,
    float16="concat-thw-f32 concat-twh-f32 concat-htw-f32 concat-hwt-f32 concat-wth-f32 one-row concat-axes-f32",
    bfloat16="""
        concat-3d-f16 concat-thw-f32 concat-twh-f32 concat-htw-f32 concat-hwt-f32 concat-wth-f32 one-row
        concat-axes-f32
    """,
)
