"""Position tables resized to another grid."""

from __future__ import annotations

import numpy as np

import refpos

from .record import Call, Group, last_rows


def change(s):
    return s.pick(((4, 4), (6, 7)), ((16, 16), (24, 20)))


CHANNELS, PREFIX = 8, 1


def sequence(s):
    (h, w), _ = change(s)
    return s.normal(PREFIX + h * w, CHANNELS)


def ask_resize(s):
    keywords = dict(method="cubic", align="half-pixel", cubic=-0.75, prefix=PREFIX, grid=change(s)[0])
    return Call(refpos.resize_table, (sequence(s), change(s)[1]), keywords)


def keys_kernel(x, a):
    x = np.abs(x)
    near, far = (a + 2) * x**3 - (a + 3) * x**2 + 1, a * (x**3 - 5 * x**2 + 8 * x - 4)
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))


def cubic(a):
    return lambda x: keys_kernel(x, a)


def hat(x):
    return np.maximum(1 - np.abs(x), 0)


TORCH_CUBIC = cubic(-0.75)


def weights(old, new, *, kernel=TORCH_CUBIC, align="half", border="clamp", scale=None):
    """The matrix of an interpolation along one axis, (new, old)."""
    j = np.arange(new, dtype=np.float64)
    if align == "corners":
        x = j * (old - 1) / (new - 1)
    elif align == "half":
        x = (j + 0.5) * (old / new if scale is None else 1 / scale(old, new)) - 0.5
    else:  # neither: j old / new
        x = j * old / new
    matrix = np.zeros((new, old))
    for shift in range(-1, 3):
        at = np.floor(x).astype(int) + shift
        inside = (at >= 0) & (at < old)
        value = kernel(x - at) * (inside if border != "clamp" else 1)
        np.add.at(matrix, (np.arange(new), np.clip(at, 0, old - 1)), value)
    return matrix / matrix.sum(1, keepdims=True) if border == "renormalise" else matrix


def nearest(old, new):
    return np.eye(old)[np.floor(np.arange(new) * old / new).astype(int)]


def resize(s, *, matrix=weights, kept=PREFIX, before=lambda g: g, after=lambda g: g, tail=False, **stages):
    """resample_abs_pos_embed of timm: the class token stays, the grid is interpolated."""
    (h, w), (new_h, new_w) = change(s)
    table = sequence(s).astype(np.float64)
    first, cells = (table[-kept:], table[:-kept]) if tail else (table[:kept], table[kept:])
    cells = before(cells.reshape(h, w, -1))
    rows, cols = matrix(cells.shape[0], new_h, **stages), matrix(cells.shape[1], new_w, **stages)
    made = np.einsum("ai,bj,ijc->abc", rows, cols, cells)
    made = after(made).reshape(-1, CHANNELS)
    return np.concatenate((made, first) if tail else (first, made)).astype(s.number)


def squashed(s):
    """The class token resized with the grid: all rows as one axis."""
    table = sequence(s).astype(np.float64)
    (_, _), (h, w) = change(s)
    return (weights(len(table), PREFIX + h * w) @ table).astype(s.number)


RESIZE = {
    "align corners": (dict(align="corners"), "corners"),
    "neither alignment": (dict(align="asymmetric"), "j old / new | asymmetric | half | align"),
    "cubic -1/2": (dict(kernel=cubic(-0.5)), "cubic -0.5 | cubic=-0.5 | -1/2"),
    "linear": (dict(kernel=hat), "linear"),
    "nearest": (dict(matrix=lambda old, new: nearest(old, new)), "nearest"),
    "border zeros": (dict(border="zeros"), "zeros"),
    "border renormalised": (dict(border="renormalise"), "renormalise | antialias"),
    "scale with 0.1": (dict(scale=lambda old, new: (new + 0.1) / old), "scale 1.525 | scale 1.506 | scale"),
    "grid transposed": (dict(before=lambda g: g.transpose(1, 0, 2)), "transposed"),
    "rows and columns of the result exchanged": (
        dict(after=lambda g: g.transpose(1, 0, 2)),
        "transposed | column by column",
    ),
    "class token last": (dict(tail=True), "last | prefix | end"),
    "class token resized with the grid": (dict(squash=True), "prefix 0 | one axis | class token | prefix | 1D"),
    "class token lost": (dict(zero=True), "prefix | first row | class token | zero | row 0"),
    "upside down": (dict(after=lambda g: g[::-1]), "revers | flipped"),
    "channels reversed": (dict(after=lambda g: g[..., ::-1]), "channels | revers"),
    "Catmull-Rom by corners": (dict(kernel=cubic(-0.5), align="corners"), "cubic -0.5 corners | -0.5 corners"),
    "cubic -1": (dict(kernel=cubic(-1.0)), "cubic -1"),
}


def resized(s, *, squash=False, zero=False, **stages):
    made = squashed(s) if squash else resize(s, **stages)
    if zero:
        made[:1] = 0
    return made


GROUPS = [
    Group(
        "resize",
        "resize",
        ask_resize,
        resized,
        RESIZE,
        ("linear + align corners", "cubic -1/2 + border zeros", "border renormalised + cubic -1/2"),
        {
            "linear @ last half": (last_rows(2), "last | from | rows 22 | rows 241"),
            "grid transposed @ last half": (last_rows(2), "last | from | rows 22 | rows 241"),
        },
        {"float64": {}, "columns first": dict(after=lambda g: np.ascontiguousarray(g))},
    ),
]


def ask_shrink(s):
    return Call(
        refpos.resize_table,
        (s.normal(*s.pick((9, 8), (32, 24)), 4), s.pick((4, 5), (14, 14))),
        dict(method="linear", align="half-pixel", antialias=True),
    )


def filtered(old, new, *, widen=True, kernel=hat, align=0.5):
    """The matrix of an antialiased linear interpolation."""
    ratio = max(old / new, 1) if widen else 1
    x = (np.arange(new) + 0.5) * old / new - 0.5 if align else np.arange(new) * (old - 1) / (new - 1)
    matrix = kernel((x[:, None] - np.arange(old)) / ratio)
    return matrix / matrix.sum(1, keepdims=True)


def shrink(s, *, matrix=filtered, **stages):
    """interpolate(..., mode="bilinear", antialias=True)."""
    table = s.normal(*s.pick((9, 8), (32, 24)), 4).astype(np.float64)
    new = s.pick((4, 5), (14, 14))
    parts = [matrix(old, size, **stages) for old, size in zip(table.shape, new, strict=False)]
    return np.einsum("ai,bj,ijc->abc", *parts, table).astype(s.number)


GROUPS.append(
    Group(
        "resize",
        "antialias",
        ask_shrink,
        shrink,
        {
            "no antialias": (dict(widen=False), "antialias False | antialias"),
            "cubic": (dict(kernel=cubic(-0.5)), "cubic"),
            "corners": (dict(align=0, widen=False), "corners"),
            "nearest": (dict(matrix=lambda old, new: nearest(old, new)), "nearest"),
            "box": (dict(kernel=lambda x: (np.abs(x) <= 0.5).astype(float)), "box | area | mean"),
        },
        (),
        {},
        {"as torch": {}},
    ),
)
