"""Golden cases of the gradient of a learned table at another size: exact sums with the transposed weights."""

from ...case import paper, suite
from .._gradients import cotangents_refused, in_each, special

PAPER = paper("Dosovitskiy et al. 2021, An Image is Worth 16x16 Words, arXiv:2010.11929, section 3.2")
value, refused = suite("vjp_resize_table", PAPER)
RESIZING, RECTANGLE = ("Resampling",), ("NonSquare", "Resampling")
CUBIC = {"method": "cubic", "align": "half-pixel", "cubic": -0.75}
LINEAR = {"method": "linear", "align": "half-pixel"}

CASES = [
    *in_each(value, "cubic", "cubic, 3 x 4 to 5 x 3", {"weight": (3, 4, 1), "cotangent": (5, 3, 1)}, size=[5, 3],
             **CUBIC, flags=RECTANGLE),
    *in_each(value, "cubic-antialias", "cubic, antialiased, 6 to 4", {"weight": (6, 2), "cotangent": (4, 2)}, size=4,
             method="cubic", align="half-pixel", cubic=-0.5, antialias=True, flags=RESIZING),
    *in_each(value, "corners-prefix", "linear at the corners, a class token before 2 x 3 rows",
             {"weight": (7, 2), "cotangent": (9, 2)}, size=[4, 2], method="linear", align="corners", prefix=1,
             grid=[2, 3], flags=RECTANGLE),
    *in_each(value, "nearest-crop", "nearest rows of a part: the others have no gradient",
             {"weight": (3, 4, 2), "cotangent": (3, 2, 2)}, size=[3, 2], method="nearest", crop=[[1, 3], [0, 3]],
             flags=RECTANGLE),
    *in_each(value, "nearest-exact", "nearest rows, rounded", {"weight": (5, 2), "cotangent": (3, 2)}, size=3,
             method="nearest-exact", flags=RESIZING),
    *in_each(value, "window", "zeros beyond the border, and a window that is tiled",
             {"weight": (2, 3, 1), "window": (2, 2, 1), "cotangent": (5, 3, 1)}, size=[5, 3], border="zeros", **LINEAR,
             flags=RECTANGLE),
    *in_each(value, "scale", "renormalised weights, a given scale", {"weight": (4, 2), "cotangent": (6, 2)}, size=6,
             scale=1.75, border="renormalise", **CUBIC, flags=RESIZING),
    *in_each(value, "not-finite", "infinities and NaN meet the rows that they were made of",
             {"weight": (4, 1), "cotangent": special(8, 1)}, size=8, **LINEAR, flags=RESIZING),
    *in_each(value, "none", "no new rows", {"weight": (3, 2), "cotangent": (0, 2)}, size=0, **LINEAR,
             dtypes=("float32", "float64")),
    *in_each(value, "clamp", "cubic, rows beyond are those next to them", {"weight": (4, 1), "cotangent": (7, 1)},
             size=7, border="clamp", **CUBIC, flags=RESIZING),
    *in_each(value, "larger-scale", "another scale, rows beyond are zeros", {"weight": (4, 1), "cotangent": (6, 1)},
             size=6, scale=1.25, border="zeros", **LINEAR, flags=RESIZING),
    *in_each(value, "scales", "a scale for each axis", {"weight": (2, 3, 1), "cotangent": (3, 4, 1)}, size=[3, 4],
             scale=[1.25, 1.5], **LINEAR, flags=RECTANGLE),
    *cotangents_refused(refused, "weight", (4, 2), (6, 2), size=6, **LINEAR),
]  # fmt: skip
