"""Biases read from tables: T5's buckets and Swin's windows."""

from __future__ import annotations

import math

import numpy as np

import refpos

from .record import Call, Group, last_rows, one_head
from .stages import F32, distances

# -- T5 ---------------------------------------------------------------------------------------------------------------


def offsets(s):
    return np.arange(-s.pick(200, 2047), s.pick(201, 2048))


def ask_buckets(s):
    return Call(refpos.t5_buckets, (offsets(s),), dict(bidirectional=True))


def bucket(
    d,
    *,
    both_sides=True,
    buckets=32,
    reach=128,
    exact=None,
    floor=np.trunc,
    later=lambda d: d > 0,
    last=-1,
    log=np.log,
    extra=0,
):
    """_relative_position_bucket of T5, of key minus query."""
    result = np.zeros_like(d)
    if both_sides:
        buckets //= 2
        result = result + later(d) * buckets
        d = np.abs(d)
    else:
        d = -np.minimum(d, 0)
    small = buckets // 2 if exact is None else exact
    scaled = log(np.maximum(d, 1).astype(F32) / F32(small)) / F32(math.log(reach / small)) * F32(buckets - small)
    large = np.minimum(small + floor(scaled).astype(np.int64), buckets + last)
    return result + np.where(d < small, d, large) + extra


BUCKETS = {
    "one direction": (dict(both_sides=False), "bidirectional False"),
    "64 buckets": (dict(buckets=64), "num_buckets 64"),
    "16 buckets": (dict(buckets=16), "num_buckets 16"),
    "distance 64": (dict(reach=64), "max_distance 64"),
    "distance 256": (dict(reach=256), "max_distance 256"),
    "query minus key": (
        dict(later=lambda d: d < 0),
        "sign | query minus key | exchanged | negative | query - key | revers",
    ),
    "zero on the upper side": (dict(later=lambda d: d >= 0), "0 upper | zero | >= 0 | r 0"),
    "rounded up": (dict(floor=np.ceil), "ceil"),
    "rounded to nearest": (dict(floor=np.round), "round"),
    "one more bucket": (dict(last=0), "last bucket | clipped | one more | beyond"),
    "exact 16": (dict(exact=4), "exact | E 4"),
    "buckets from 1": (dict(extra=1), "+1 | offset 1 | more 1 | shifted 1"),
    "log of base 2": (dict(log=np.log2), "log2"),
    "no side added": (dict(later=lambda d: d * 0), "side | both directions | symmetric | abs"),
}
GROUPS = [
    Group(
        "t5",
        "t5 buckets",
        ask_buckets,
        lambda s, **stages: bucket(offsets(s), **stages),
        BUCKETS,
        ("64 buckets + distance 256", "query minus key + distance 64", "one direction + distance 64"),
        {
            "distance 256 @ keys after": (
                lambda shape: (slice(shape[0] // 2, None),),
                "> 0 | after | from | 200 | 2047 | 2058",
            )
        },
        {"as T5": {}},
    ),
]


def sizes(s):
    return s.pick((20, 20), (48, 1024))


def ask_bias(s):
    return Call(refpos.t5_bias, (s.normal(32, 4), *sizes(s)), dict(bidirectional=True))


def t5(s, *, table=lambda s: s.normal(32, 4), offset=0, flip=1, after=lambda b: b, **stages):
    """compute_bias."""
    d = flip * distances(*sizes(s), offset)
    return after(table(s)[bucket(d, **stages)].transpose(2, 0, 1))


T5 = {
    "one direction": (dict(both_sides=False), "bidirectional False"),
    "distance 20": (dict(reach=20), "max_distance 20"),
    "distance 256": (dict(reach=256), "max_distance 256"),
    "query minus key": (dict(flip=-1), "sign | query minus key | transposed | query - key | negative | exchanged"),
    "query offset 3": (dict(offset=3), "query_offset 3"),
    "query offset 1": (dict(offset=1), "query_offset 1"),
    "16 buckets of 32": (dict(buckets=16), "num_buckets 16"),
    "heads reversed": (dict(after=lambda b: b[::-1]), "head revers | revers"),
    "table by heads": (
        dict(table=lambda s: s.normal(32, 4).reshape(4, 32).T),
        "transposed | reshape | (heads",
    ),
    "scaled by sqrt(64)": (
        dict(after=lambda b: b * b.dtype.type(8)),
        "times 8 | factor 8 | multiplied 8 | scale 8 | sqrt(64) | sqrt dim",
    ),
    "divided by sqrt(64)": (dict(after=lambda b: b / b.dtype.type(8)), "0.125 | sqrt | divided 8"),
    "one head for all": (dict(after=lambda b: b[[0, 0, 0, 0]]), "head 0 | first head | one head | same head"),
    "zero on the upper side": (dict(later=lambda d: d >= 0), "zero | distance 0 | diagonal"),
    "masked above the diagonal": (
        dict(after=lambda b: np.where(distances(*b.shape[1:]) > 0, b.dtype.type(-np.inf), b)),
        "causal | mask | -inf",
    ),
    "rounded up": (dict(floor=np.ceil), "ceil"),
}
GROUPS.append(
    Group(
        "t5",
        "t5 bias",
        ask_bias,
        t5,
        T5,
        ("distance 20 + query offset 3", "one direction + query offset 3"),
        {
            "query minus key @ one head": (one_head(2), "head 2 | head | axis 0: index"),
            "query offset 3 @ last rows": (last_rows(4), "15 | 36 | last"),
            "distance 20 @ one head": (one_head(0), "head 0 | head | axis 0: index"),
        },
        {"as T5": {}, "one hot": dict(after=lambda b: b.copy())},
    ),
)

# -- Swin -------------------------------------------------------------------------------------------------------------


def window(s):
    return s.pick((3, 5), (16, 12))


def index(h, w, *, order=lambda r, c, h, w: (r + h - 1) * (2 * w - 1) + c + w - 1, flip=1, cells="row"):
    """relative_position_index of Swin, of query minus key."""
    rows, cols = np.repeat(np.arange(h), w), np.tile(np.arange(w), h)
    if cells == "column":
        rows, cols = np.tile(np.arange(h), w), np.repeat(np.arange(w), h)
    r, c = flip * (rows[:, None] - rows[None, :]), flip * (cols[:, None] - cols[None, :])
    return order(r, c, h, w)


def ask_rows(s):
    return Call(refpos.relative.window_rows, window(s), dict(sign="query-key"))


INDEX = {
    "key minus query": (dict(flip=-1), "key-query"),
    "absolute": (dict(order=lambda r, c, h, w: np.abs(r) * w + np.abs(c)), "absolute"),
    "strides exchanged": (
        dict(order=lambda r, c, h, w: (c + w - 1) * (2 * h - 1) + r + h - 1),
        "axes | width height | transposed | column",
    ),
    "stride of the height": (
        dict(order=lambda r, c, h, w: (r + h - 1) * (2 * h - 1) + c + w - 1),
        "2 height - 1 | height | stride",
    ),
    "stride 2w": (dict(order=lambda r, c, h, w: (r + h - 1) * 2 * w + c + w - 1), "2w | 2 width | stride"),
    "cells by columns": (dict(cells="column"), "column by column | transposed | column"),
    "not shifted": (dict(order=lambda r, c, h, w: r * (2 * w - 1) + c), "negative | shifted | - "),
    "columns mirrored": (
        dict(order=lambda r, c, h, w: (r + h - 1) * (2 * w - 1) - c + w - 1),
        "column sign | mirrored | flipped",
    ),
    "one less": (dict(order=lambda r, c, h, w: (r + h - 1) * (2 * w - 1) + c + w - 2), "-1 | less"),
    "sum of offsets": (dict(order=lambda r, c, h, w: r + h - 1 + c + w - 1), "sum | not multiplied"),
}
GROUPS.append(
    Group(
        "swin",
        "window rows",
        ask_rows,
        lambda s, **stages: index(*window(s), **stages),
        INDEX,
        (),
        {"key minus query @ last queries": (last_rows(3), "last | from | rows 10 | rows 128")},
        {"as Swin": {}},
    ),
)


def ask_window(s):
    h, w = window(s)
    return Call(refpos.window_bias, (s.normal((2 * h - 1) * (2 * w - 1), 3), h, w), dict(sign="query-key"))


def swin(s, *, table=lambda t, h, w: t, after=lambda b: b, **stages):
    """relative_position_bias of Swin."""
    h, w = window(s)
    read = table(s.normal((2 * h - 1) * (2 * w - 1), 3), h, w)
    return after(read[index(h, w, **stages)].transpose(2, 0, 1))


def grid(rule):
    return lambda t, h, w: rule(t.reshape(2 * h - 1, 2 * w - 1, -1)).reshape(t.shape)


SWIN = {
    "key minus query": (dict(flip=-1), "key-query"),
    "absolute": (dict(order=lambda r, c, h, w: np.abs(r) * w + np.abs(c)), "absolute"),
    "strides exchanged": (
        dict(order=lambda r, c, h, w: (c + w - 1) * (2 * h - 1) + r + h - 1),
        "axes | width height | transposed | column",
    ),
    "cells by columns": (dict(cells="column"), "column by column | transposed | column"),
    "table upside down": (dict(table=grid(lambda g: g[::-1])), "row sign | revers | flipped"),
    "table mirrored": (dict(table=grid(lambda g: g[:, ::-1])), "column sign | revers | mirrored | flipped"),
    "heads reversed": (dict(after=lambda b: b[::-1]), "head revers | revers"),
    "bias transposed": (dict(after=lambda b: b.transpose(0, 2, 1)), "transposed | key-query"),
    "scaled by sqrt(32)": (
        dict(after=lambda b: (b.astype(F32) * F32(math.sqrt(32))).astype(b.dtype)),
        "5.657 | sqrt",
    ),
    "sixteen sigmoid": (dict(after=lambda b: (16 / (1 + np.exp(-b.astype(F32)))).astype(b.dtype)), "sigmoid"),
    "one row off": (dict(table=lambda t, h, w: np.roll(t, 1, axis=0)), "row 1 | roll | shifted | -1"),
    "window of the other shape": (
        dict(order=lambda r, c, h, w: np.minimum((r + h - 1) * (2 * h - 1) + c + w - 1, (2 * h - 1) * (2 * w - 1) - 1)),
        "2 height - 1 | height | stride",
    ),
}
GROUPS.append(
    Group(
        "swin",
        "window bias",
        ask_window,
        swin,
        SWIN,
        ("heads reversed + key minus query",),
        {
            "key minus query @ one head": (one_head(1), "head 1 | head | axis 0: index"),
            "absolute @ last queries": (last_rows(3), "last | from | rows 10 | rows 128"),
            "table mirrored @ one head": (one_head(0), "head 0 | head | axis 0: index"),
        },
        {"as Swin": {}, "swapped twice": dict(after=lambda b: np.ascontiguousarray(b))},
    ),
)
