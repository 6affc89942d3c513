"""Golden cases of the gradient of xPos: the cotangent, rotated back, with the factor of the query or key."""

from ...case import call, paper, suite
from .._gradients import cotangents_refused, in_each, whole

PAPER = paper("Sun et al. 2022, A Length-Extrapolatable Transformer, arXiv:2212.10554, algorithm 1")
value, refused = suite("vjp_xpos", PAPER)
FLAGS = ("Centring", "Inverse", "InterleavedVsHalf", "QueryKeyScale")
TOKENS = {"x": (4, 8), "cotangent": (4, 8), "positions": whole(0, 1, 257, 4096)}

CASES = [
    *in_each(value, "queries", "queries, the middle rounded down", TOKENS, pairing="interleaved", centring="floor",
             flags=FLAGS),
    *in_each(value, "keys", "keys of 5 of 7 tokens, whose factor is that of the rotation",
             {"x": (5, 6), "cotangent": (5, 6)}, positions=5, length=7, pairing="half", centring="ceil", downscale=True,
             scale_base=2, gamma=0.5, rotary_dim=4, base=500, flags=(*FLAGS, "Base", "PartialRotary")),
    *in_each(value, "of-inverse", "the gradient of the inverse rotates forwards",
             {"x": (1, 3, 2, 4), "cotangent": (1, 3, 2, 4)},
             positions=3, pairing="interleaved", centring="floor", inverse=True, seq_axis=-3, flags=FLAGS),
    *in_each(value, "linear", "linear scaling, 5 of 9 tokens", {"x": (5, 6), "cotangent": (5, 6)},
             positions=5, length=9, pairing="half", centring="floor", gamma=0.75, scale_base=2,
             frequencies=call("linear", dim=6, base=10000, factor=4), flags=(*FLAGS, "Scaling")),
    *in_each(value, "wide", "the first 2 of 4 channels of 3 tokens", {"x": (3, 4), "cotangent": (3, 4)}, positions=3,
             pairing="half", centring="ceil", rotary_dim=2, flags=(*FLAGS, "PartialRotary")),
    *cotangents_refused(refused, "x", (4, 8), (4, 8), positions=4, pairing="half", centring="floor"),
]  # fmt: skip
