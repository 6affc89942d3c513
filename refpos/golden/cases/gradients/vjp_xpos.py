"""Golden cases of the gradient of xPos: the cotangent, rotated back, with the factor of the query or key."""

from ...case import paper, suite
from .._gradients import cotangents_refused, in_each, whole

PAPER = paper("Sun et al. 2022, A Length-Extrapolatable Transformer, arXiv:2212.10554, algorithm 1")
value, refused = suite("vjp_xpos", PAPER)
FLAGS = ("Centring", "Inverse", "InterleavedVsHalf", "QueryKeyScale")
TOKENS = {"x": (4, 8), "cotangent": (4, 8), "positions": whole(0, 1, 257, 4096)}

CASES = [
    *in_each(value, "queries", "queries, the middle rounded down", TOKENS, pairing="interleaved", centring="floor",
             flags=FLAGS),
    *in_each(value, "keys", "keys of 5 of 8 tokens, whose factor is that of the rotation",
             {"x": (5, 6), "cotangent": (5, 6)}, positions=5, length=8, pairing="half", centring="ceil", downscale=True,
             scale_base=64, gamma=0.5, rotary_dim=4, base=500, flags=(*FLAGS, "Base", "PartialRotary")),
    *in_each(value, "of-inverse", "the gradient of the inverse rotates forwards",
             {"x": (1, 3, 2, 4), "cotangent": (1, 3, 2, 4)},
             positions=3, pairing="interleaved", centring="floor", inverse=True, seq_axis=-3, flags=FLAGS),
    *cotangents_refused(refused, "x", (4, 8), (4, 8), positions=4, pairing="half", centring="floor"),
]  # fmt: skip
