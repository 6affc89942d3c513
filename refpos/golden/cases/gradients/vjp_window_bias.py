"""Golden cases of the gradient of the bias of a window: the exact sum of the cotangents of each offset."""

from ...case import paper, suite
from .._gradients import cotangents_refused, in_each, special

value, refused = suite("vjp_window_bias", paper("Liu et al. 2021, Swin Transformer, arXiv:2103.14030, section 3.2"))
FLAGS = ("AxisOrder", "NonSquare")

CASES = [
    *in_each(value, "swin", "2 x 3 cells, query minus key", {"weight": (15, 1), "cotangent": (1, 6, 6)}, height=2,
             width=3, sign="query-key", flags=FLAGS),
    *in_each(value, "beit", "a class token before 2 x 2 cells, 2 heads", {"weight": (12, 2), "cotangent": (2, 5, 5)},
             height=2, width=2, sign="key-query", class_token=True, flags=FLAGS),
    *in_each(value, "stride", "queries on every second cell", {"weight": (15, 1), "cotangent": (1, 2, 6)}, height=2,
             width=3, sign="key-query", stride=2, flags=FLAGS),
    *in_each(value, "absolute", "absolute offsets", {"weight": (6, 1), "cotangent": (1, 6, 6)}, height=3, width=2,
             sign="absolute", flags=FLAGS),
    *in_each(value, "not-finite", "infinities and NaN", {"weight": (3, 1), "cotangent": special(1, 2, 2)}, height=1,
             width=2, sign="query-key", flags=FLAGS),
    *cotangents_refused(refused, "weight", (15, 1), (1, 6, 6), height=2, width=3, sign="query-key"),
]  # fmt: skip
