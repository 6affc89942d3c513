"""RoPE of images and video: rows, columns and frames in shares of the channels."""

from __future__ import annotations

import numpy as np

import refpos

from .record import Call, Group, columns, last_rows, one_head
from .stages import F32, count, half, interleaved, inverse, outer

DIM = 32


def size(s):
    return s.pick((5, 7), (32, 64))


def cells(height, width):
    """Rows and columns of the cells, row by row."""
    return np.repeat(count(height), width), np.tile(count(width), height)


def states(s):
    height, width = size(s)
    return s.normal(1, 2, height * width, DIM)


def ask(s):
    return Call(refpos.rope_2d, (states(s), *size(s)), dict(pairing="interleaved", axis_order="hw", base=100.0))


def program(
    s,
    *,
    grid=cells,
    inv=lambda dim: inverse(dim, 100.0),
    order=lambda a: np.concatenate(a, -1),
    turn=interleaved,
    other=None,
):
    """Axial frequencies of a vision tower."""
    rows, cols = grid(*size(s))
    first, second = outer(rows, inv(DIM // 2)), outer(cols, (other or inv)(DIM // 2))
    angles = order((first, second))
    return turn(states(s), np.cos(angles), np.sin(angles))


def blocks_of_half(x, cos, sin):
    """rotate_half within each half of the channels."""
    part = DIM // 2
    return np.concatenate(
        (
            half(x[..., :part], cos[..., : part // 2], sin[..., : part // 2]),
            half(x[..., part:], cos[..., part // 2 :], sin[..., part // 2 :]),
        ),
        axis=-1,
    )


MISTAKES = {
    "axes exchanged": (dict(grid=lambda h, w: cells(h, w)[::-1]), "axis_order wh"),
    "grid column by column": (
        dict(grid=lambda h, w: (np.tile(count(h), w), np.repeat(count(w), h))),
        "transposed | column by column | order cells",
    ),
    "width for height": (
        dict(grid=lambda h, w: (np.repeat(count(w), h), np.tile(count(h), w))),
        "transposed | height width",
    ),
    "base 10000": (dict(inv=inverse), "base 10000"),
    "base 1000": (dict(inv=lambda dim: inverse(dim, 1e3)), "base 1000"),
    "frequencies of the full width": (
        dict(inv=lambda dim: inverse(2 * dim, 100.0)[: dim // 2]),
        "exponent dim | base 10 | exponent_dim 32",
    ),
    "strided frequencies": (
        dict(inv=lambda dim: inverse(2 * dim, 100.0)[::2], other=lambda dim: inverse(2 * dim, 100.0)[1::2]),
        "strided",
    ),
    "axes alternate": (
        dict(order=lambda a: np.stack(a, -1).reshape(len(a[0]), -1)),
        "arrangement interleaved | alternat",
    ),
    "half pairing": (dict(turn=half), "half"),
    "halves of blocks": (dict(turn=blocks_of_half), "block-half"),
    "cells from 1": (
        dict(grid=lambda h, w: tuple(a + 1 for a in cells(h, w))),
        "cells 1 | positions 1 | offset 1 | +1 | shifted 1 | height 1 width",
    ),
    "cells at half pixels": (
        dict(grid=lambda h, w: tuple(a + F32(0.5) for a in cells(h, w))),
        "0.5 | half-pixel | 1/2",
    ),
    "normalised coordinates": (
        dict(grid=lambda h, w: (cells(h, w)[0] / F32(h), cells(h, w)[1] / F32(w))),
        "normali | divided size | / height",
    ),
    "one position for all": (
        dict(grid=lambda h, w: (count(h * w), count(h * w))),
        "flat | 1D | running | sequence | token number | rope",
    ),
    "only rows": (
        dict(grid=lambda h, w: (cells(h, w)[0], cells(h, w)[1] * 0)),
        "columns not rotated | column 0 | not width | columns 0",
    ),
    "backwards": (dict(inv=lambda dim: -inverse(dim, 100.0)), "inverse | sign | negative | backward"),
    "times pi": (dict(inv=lambda dim: inverse(dim, 100.0) * F32(np.pi)), "pi"),
    "bottom row first": (
        dict(grid=lambda h, w: (cells(h, w)[0][::-1], cells(h, w)[1])),
        "row revers | flipped | upside",
    ),
}
GROUPS = [
    Group(
        "rope 2d",
        "rope 2d",
        ask,
        program,
        MISTAKES,
        (
            "axes exchanged + base 10000",
            "half pairing + base 1000",
            "cells from 1 + base 10000",
            "axes exchanged + half pairing",
        ),
        {
            "backwards @ one head": (one_head(0), "head | axis 1: index"),
            "base 10000 @ last half": (last_rows(2), "last | from | rows 18 | rows 1024"),
            "base 10000 @ column channels": (columns(2), "16 | columns | width | second"),
        },
        {
            "axial": {},
            "complex": dict(turn=lambda x, c, z: interleaved(x.astype(F32), c, z).astype(x.dtype)),
            "float64": dict(inv=lambda dim: 100.0 ** (-np.arange(0, dim, 2) / dim)),
        },
    ),
]

WIDTHS = (8, 12, 12)


def box(s):
    return s.pick((2, 3, 4), (8, 16, 16))


def boxes(t, h, w):
    return tuple(
        axis.reshape(-1).astype(F32) for axis in np.meshgrid(np.arange(t), np.arange(h), np.arange(w), indexing="ij")
    )


def video(s):
    return s.normal(1, 2, int(np.prod(box(s))), DIM)


def ask_video(s):
    return Call(
        refpos.rope_3d, (video(s), *box(s)), dict(pairing="interleaved", axis_order="thw", widths=WIDTHS, base=256.0)
    )


def rope_3d(
    s,
    *,
    grid=boxes,
    widths=WIDTHS,
    inv=lambda dim: inverse(dim, 256.0),
    join=lambda a: np.concatenate(a, -1),
    turn=interleaved,
):
    """get_nd_rotary_pos_embed of HunyuanVideo."""
    axes = grid(*box(s))
    angles = join([outer(axis, inv(width)) for axis, width in zip(axes, widths, strict=True)])
    return turn(video(s), np.cos(angles), np.sin(angles))


VIDEO = {
    "base 10000": (dict(inv=inverse), "base 10000"),
    "order whd": (dict(grid=lambda t, h, w: boxes(t, h, w)[::-1]), "axis_order wht | axes"),
    "height and width exchanged": (
        dict(grid=lambda t, h, w: tuple(boxes(t, h, w)[i] for i in (0, 2, 1))),
        "axis_order twh",
    ),
    "widths exchanged": (dict(widths=(12, 12, 8)), "widths 12 8"),
    "equal widths": (dict(widths=(10, 10, 12)), "widths 10 12"),
    "half pairing": (dict(turn=half), "half"),
    "frames from 1": (
        dict(grid=lambda t, h, w: (boxes(t, h, w)[0] + 1, *boxes(t, h, w)[1:])),
        "frame 1 | time 1 | axis t 1",
    ),
    "frames times 4": (
        dict(grid=lambda t, h, w: (boxes(t, h, w)[0] * 4, *boxes(t, h, w)[1:])),
        "frame 4 | time 4 | t 4",
    ),
    "frames not rotated": (
        dict(grid=lambda t, h, w: (boxes(t, h, w)[0] * 0, *boxes(t, h, w)[1:])),
        "frame | time | axis t",
    ),
    "space before time": (
        dict(grid=lambda t, h, w: tuple(np.roll(a.reshape(t, h * w).T.reshape(-1), 0) for a in boxes(t, h, w))),
        "transposed | order cells | frame last",
    ),
    "backwards": (dict(inv=lambda dim: -inverse(dim, 256.0)), "inverse | sign | negative | backward"),
    "one set of frequencies for all axes": (
        dict(inv=lambda dim: inverse(DIM, 256.0)[: dim // 2]),
        "exponent_dim 32 | sections | exponent | one set",
    ),
}
GROUPS.append(
    Group(
        "rope 3d",
        "rope 3d",
        ask_video,
        rope_3d,
        VIDEO,
        ("base 10000 + half pairing", "backwards + height and width exchanged"),
        {
            "backwards @ one head": (one_head(1), "head | axis 1: index"),
            "base 10000 @ last frame": (last_rows(2), "last | from | frame | rows 12 | rows 1024"),
        },
        {"as Hunyuan": {}, "in float32": dict(turn=lambda x, c, z: interleaved(x.astype(F32), c, z).astype(x.dtype))},
    ),
)
