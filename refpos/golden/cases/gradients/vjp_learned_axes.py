"""Golden cases of the gradients of learned tables of the axes of a grid: exact sums over the other axes."""

from ...case import paper, suite
from .._gradients import cotangents_refused, in_each, special

PAPER = paper("Carion et al. 2020, DETR, arXiv:2005.12872; Kitaev et al. 2020, Reformer, arXiv:2001.04451, appendix A")
value, refused = suite("vjp_learned_axes", PAPER)
FLAGS = ("AxisOrder", "NonSquare")

CASES = [
    *in_each(value, "sum", "rows and columns of 3 x 4 cells, added", {"weights": (2, 5, 2), "cotangent": (3, 4, 2)},
             grid=[3, 4], combine="sum", flags=FLAGS),
    *in_each(value, "concat", "columns, then rows", {"weights": (2, 4, 2), "cotangent": (3, 2, 4)}, grid=[3, 2],
             combine="concat", axis_order="wh", flags=FLAGS),
    *in_each(value, "frames", "frames, columns and rows", {"weights": (3, 3, 1), "cotangent": (2, 3, 1, 3)},
             grid=[2, 3, 1], combine="concat", axis_order="twh", flags=FLAGS),
    *in_each(value, "not-finite", "infinities and NaN in a sum", {"weights": (2, 4, 1), "cotangent": special(4, 2, 1)},
             grid=[4, 2], combine="sum", flags=FLAGS),
    *[
        case
        for order in ("htw", "hwt", "thw", "wht", "wth")
        for case in in_each(value, f"order-{order}", f"the axes in the order {order}",
                            {"weights": (3, 3, 1), "cotangent": (2, 3, 1, 3)}, grid=[2, 3, 1], combine="concat",
                            axis_order=order, flags=FLAGS)
    ],
    *in_each(value, "rows-first", "rows, then columns", {"weights": (2, 4, 2), "cotangent": (3, 2, 4)}, grid=[3, 2],
             combine="concat", axis_order="hw", flags=FLAGS),
    *in_each(value, "axes-numbered", "axes by their numbers", {"weights": (2, 4, 1), "cotangent": (3, 2, 2)},
             grid=[3, 2], combine="concat", axis_order=[1, 0], flags=FLAGS),
    *cotangents_refused(refused, "weights", (2, 5, 2), (3, 4, 2), grid=[3, 4], combine="sum"),
]  # fmt: skip
