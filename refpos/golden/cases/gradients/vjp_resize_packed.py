"""Golden cases of the gradient of a table at the sizes of several images: exact sums over all of them."""

from ...case import extreme, project, suite, tiny
from .._gradients import cotangents_refused, in_each, special, whole

QWEN3_VL = project("transformers", "5.23.0", "models/qwen3_vl/modeling_qwen3_vl.py")
value, refused = suite("vjp_resize_packed", QWEN3_VL)
CORNERS, LINEAR = {"method": "linear", "align": "corners"}, {"method": "linear", "align": "half-pixel"}
CUBIC = {"method": "cubic", "align": "half-pixel", "cubic": -0.75}
FLAGS = ("Resampling", "NonSquare", "AxisOrder")


def given(table, *grids, length=None, cotangent=None):
    """The tensors of a case: a table, images (frames, height, width), and what their rows receive."""
    rows = (sum(t * h * w for t, h, w in grids),) if length is None else (len(grids), length)
    shape = (*rows, table[-1])
    return {"weight": table, "grid_thw": whole(*(size for grid in grids for size in grid), shape=(len(grids), 3)),
            "cotangent": shape if cotangent is None else cotangent(shape)}  # fmt: skip


CASES = [
    *in_each(value, "merged", "4 x 6 and two frames of 2 x 4 in blocks of 2 x 2",
             given((3, 4, 1), (1, 4, 6), (2, 2, 4)), merge_size=2, **CORNERS, flags=FLAGS),
    *in_each(value, "rows", "row by row", given((3, 2, 2), (1, 2, 3), (1, 4, 1)), **LINEAR, flags=FLAGS),
    *in_each(value, "padded", "rows behind an image are copies of its first", given(
        (4, 3, 1), (1, 2, 3), (1, 3, 1), (2, 1, 2), length=7), **LINEAR, antialias=True, length=7, flags=FLAGS),
    *in_each(value, "merged-padded", "blocks of 2 x 2, padded", given((3, 3, 2), (1, 2, 4), (1, 4, 2), length=9),
             merge_size=2, length=9, **LINEAR, flags=FLAGS),
    *in_each(value, "cubic", "cubic, the same size twice", given((4, 3, 1), (1, 3, 5), (1, 3, 5)), **CUBIC,
             flags=FLAGS),
    *in_each(value, "clamp", "cubic, rows beyond are those next to them", given((3, 4, 1), (1, 2, 4)), border="clamp",
             merge_size=1, **CUBIC, flags=FLAGS),
    *in_each(value, "zeros", "cubic, zeros outside of the grid", given((3, 4, 1), (1, 2, 7)), border="zeros", **CUBIC,
             flags=FLAGS),
    *in_each(value, "renormalise", "cubic -1/2, renormalised", given((3, 4, 1), (1, 5, 2)), border="renormalise",
             **{**CUBIC, "cubic": -0.5}, flags=FLAGS),
    *in_each(value, "nearest", "nearest rows: others have no gradient", given((5, 3, 2), (1, 3, 4), (1, 1, 2)),
             method="nearest", flags=FLAGS),
    *in_each(value, "nearest-exact", "nearest rows, rounded", given((5, 3, 1), (1, 3, 4), (1, 2, 2)),
             method="nearest-exact", flags=FLAGS),
    *in_each(value, "not-finite", "infinities and NaN meet the rows that they were made of", given(
        (2, 3, 1), (1, 2, 4), (1, 1, 2), cotangent=lambda shape: special(*shape)), **LINEAR, flags=FLAGS),
    *in_each(value, "subnormal", "the smallest numbers", given(
        (2, 2, 1), (2, 2, 3), cotangent=lambda shape: lambda dtype: tiny(dtype, shape, 3)), **LINEAR,
        flags=(*FLAGS, "Subnormal")),
    *in_each(value, "extreme", "the largest numbers", given(
        (2, 2, 1), (2, 2, 3), cotangent=lambda shape: lambda dtype: extreme(dtype, shape)), **CORNERS, flags=FLAGS),
    *in_each(value, "one", "one patch of one row", given((1, 1, 3), (1, 1, 1), (1, 2, 1)), **CORNERS,
             flags=("Resampling",)),
    *in_each(value, "no-images", "no image", given((2, 3, 2)), **LINEAR, dtypes=("float32",), flags=("Resampling",)),
    *in_each(value, "no-images-padded", "no image, though each would have 4 rows", given((2, 3, 2), length=4), length=4,
             **LINEAR, dtypes=("float32",), flags=("Resampling",)),
    *cotangents_refused(refused, "weight", (3, 3, 2), (6, 2), inputs={"grid_thw": whole(1, 2, 3, shape=(1, 3))},
                        **LINEAR),
    *[
        refused(slug, about, code, argument, **{**LINEAR, **call}, inputs={
            "grid_thw": whole(1, 2, 3, shape=(1, 3))("float32"), "weight": special(2, 2, 2)("float32"),
            "cotangent": special(6, 2)("float32")})
        for slug, about, code, argument, call in (
            ("length", "an image of more rows", "E_SIZE", "length", {"length": 5}),
            ("merge-size", "rows that are no multiple of the block", "E_SIZE", "grid_thw", {"merge_size": 2}),
            ("no-align", "no alignment", "E_CHOICE", "align", {"align": "none"}),
        )
    ],
]  # fmt: skip
