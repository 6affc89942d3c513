"""Golden cases of the gradient of the rotation of the cells of a video: the cotangent, rotated back."""

from ...case import call, paper, suite
from .._gradients import cotangents_refused, in_each

value, refused = suite("vjp_rope_3d", paper("Kong et al. 2024, HunyuanVideo, arXiv:2412.03603, section 4.2"))
FLAGS = ("AxisOrder", "Inverse", "InterleavedVsHalf", "NonSquare")
GRID = {"frames": 2, "height": 1, "width": 3}
CELLS = {"x": (6, 10), "cotangent": (6, 10)}

CASES = [
    *in_each(value, "frames-first", "2 x 1 x 3 cells, frames first, base 256", CELLS, **GRID, pairing="interleaved",
             axis_order="thw", widths=[2, 4, 4], base=256, flags=(*FLAGS, "Base")),
    *in_each(value, "columns-first", "columns, rows, frames, two channels beyond", CELLS, **GRID, pairing="half",
             axis_order="wht", widths=[4, 2, 2], flags=(*FLAGS, "PartialRotary")),
    *in_each(value, "in-turn", "axes in turn, multiples of pi, of the inverse",
             {"x": (1, 6, 2, 12), "cotangent": (1, 6, 2, 12)}, **GRID, pairing="half", axis_order="thw",
             widths=[4, 4, 4], arrangement="interleaved", times_pi=0.25, inverse=True, seq_axis=-3, flags=FLAGS),
    *[
        case
        for order in ("htw", "hwt", "twh", "wth")
        for case in in_each(value, f"order-{order}", f"axes in the order {order}", CELLS, **GRID, pairing="block-half",
                            axis_order=order, widths=[2, 4, 4], flags=FLAGS)
    ],
    *in_each(value, "bases", "a base for each axis, multiples of pi", CELLS, **GRID, pairing="half", axis_order="thw",
             widths=[4, 2, 4], base=[100, 1000, 10], times_pi=0.375, flags=(*FLAGS, "Base")),
    *in_each(value, "bases-far", "a base for each axis, frames that are far apart", CELLS, height=1, width=3,
             frames=call("affine", size=2, step=1000), pairing="half", axis_order="thw", widths=[4, 2, 4],
             base=[100, 1000, 10], flags=(*FLAGS, "Base")),
    *cotangents_refused(refused, "x", (6, 10), (6, 10), **GRID, pairing="half", axis_order="thw", widths=[2, 4, 4]),
]  # fmt: skip
