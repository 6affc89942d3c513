"""Golden cases of the gradient of the rotation of the cells of an image: the cotangent, rotated back."""

from ...case import call, fraction, paper, suite
from .._gradients import cotangents_refused, in_each

SOURCE = paper("Heo et al. 2024, Rotary Position Embedding for Vision Transformer, arXiv:2403.13298, section 3")
value, refused = suite("vjp_rope_2d", SOURCE)
FLAGS = ("AxisOrder", "Inverse", "InterleavedVsHalf", "NonSquare")
CELLS = {"x": (6, 8), "cotangent": (6, 8)}

CASES = [
    *in_each(value, "rows-first", "2 x 3 cells, rows first", CELLS, height=2, width=3, pairing="interleaved",
             axis_order="hw", flags=FLAGS),
    *in_each(value, "columns-first", "2 x 3 cells, columns first, base 100", CELLS, height=2, width=3, pairing="half",
             axis_order="wh", base=100, flags=(*FLAGS, "Base")),
    *in_each(value, "strided-partial", "strided frequencies, axes in turn, 4 of 10 channels of each axis",
             {"x": (1, 6, 2, 10), "cotangent": (1, 6, 2, 10)}, height=3, width=2, pairing="interleaved",
             axis_order="hw", allocation="strided", arrangement="interleaved", rotary_dim=8, seq_axis=-3,
             flags=(*FLAGS, "PartialRotary")),
    *in_each(value, "times-pi", "multiples of pi at centred cells, of the inverse", CELLS, width=3,
             height=call("affine", size=2, step=fraction(1, 3)), pairing="block-half", axis_order="hw", times_pi=2,
             inverse=True, flags=FLAGS),
    *in_each(value, "bases", "a base for each axis", CELLS, height=2, width=3, pairing="half", axis_order="hw",
             base=[100, 1000], flags=(*FLAGS, "Base")),
    *in_each(value, "bases-far", "a base for each axis, cells that are far apart", CELLS,
             height=call("affine", size=2, step=1000), width=call("affine", size=3, step=1000), pairing="half",
             axis_order="hw", base=[100, 1000], flags=(*FLAGS, "Base")),
    *in_each(value, "sections", "frequencies in sections", CELLS, height=2, width=3, pairing="half", axis_order="hw",
             allocation="sections", flags=FLAGS),
    *in_each(value, "half-turns", "multiples of pi, the first 4 of 6 channels", {"x": (6, 6), "cotangent": (6, 6)},
             height=2, width=3, pairing="interleaved", axis_order="wh", rotary_dim=4, times_pi=0.375,
             flags=(*FLAGS, "PartialRotary")),
    *cotangents_refused(refused, "x", (6, 8), (6, 8), height=2, width=3, pairing="half", axis_order="hw"),
]  # fmt: skip
