"""Golden cases of the gradient of a tiled table: the exact sum of the cotangents of each tile."""

from ...case import paper, suite
from .._gradients import cotangents_refused, in_each, special

value, refused = suite("vjp_tile_table", paper("Ravi et al. 2024, SAM 2, arXiv:2408.00714, of which it is a part"))
FLAGS = ("NonSquare",)

CASES = [
    *in_each(value, "line", "3 rows to 8", {"weight": (3, 2), "cotangent": (8, 2)}, size=8, flags=FLAGS),
    *in_each(value, "image", "2 x 3 rows to 5 x 4", {"weight": (2, 3, 1), "cotangent": (5, 4, 1)}, size=[5, 4],
             flags=FLAGS),
    *in_each(value, "cropped", "fewer rows than the table has", {"weight": (4, 2), "cotangent": (3, 2)}, size=3,
             flags=FLAGS),
    *in_each(value, "not-finite", "infinities and NaN", {"weight": (3, 1), "cotangent": special(8, 1)}, size=8,
             flags=FLAGS),
    *cotangents_refused(refused, "weight", (3, 2), (8, 2), size=8),
]  # fmt: skip
