"""Golden cases of the gradient of a bias of clipped distances: the exact sum of the cotangents of each distance."""

from ...case import paper, suite
from .._gradients import cotangents_refused, in_each, special

PAPER = paper("Shaw et al. 2018, Self-Attention with Relative Position Representations, arXiv:1803.02155, section 3.2")
value, refused = suite("vjp_relative_bias", PAPER)
FLAGS = ("OffByOne", "UnequalLengths")

CASES = [
    *in_each(value, "key-query", "5 queries and 7 keys, clipped to 2", {"weight": (5, 2), "cotangent": (2, 5, 7)},
             query_len=5, key_len=7, sign="key-query", flags=FLAGS),
    *in_each(value, "query-key", "distances -2 to 3 from position 2 on", {"weight": (6, 1), "cotangent": (1, 4, 6)},
             query_len=4, key_len=6, sign="query-key", low=-2, high=3, query_offset=2, flags=FLAGS),
    *in_each(value, "absolute", "absolute distances", {"weight": (4, 2), "cotangent": (2, 3, 4)}, query_len=3,
             key_len=4, sign="absolute", outside="refuse", flags=FLAGS),
    *in_each(value, "not-finite", "infinities and NaN", {"weight": (3, 1), "cotangent": special(1, 2, 4)},
             query_len=2, key_len=4, sign="key-query", flags=FLAGS),
    *in_each(value, "low", "distances -1 to 2", {"weight": (4, 1), "cotangent": (1, 4, 6)}, query_len=4, key_len=6,
             sign="key-query", low=-1, flags=FLAGS),
    *cotangents_refused(refused, "weight", (5, 2), (2, 5, 7), query_len=5, key_len=7, sign="key-query"),
]  # fmt: skip
