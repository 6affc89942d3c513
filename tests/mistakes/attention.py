"""Attention with a bias, a mask and a scale, and its scores."""

from __future__ import annotations

import math

import numpy as np

import refpos

from .record import Call, Group, first_rows, one_batch, one_head
from .scores import DIM, HEADS, keys, queries, sizes
from .stages import F32, distances, matmul, softmax


def values(s):
    return s.normal(2, HEADS, sizes(s)[1], DIM, seed=3)


def added(s):
    return s.normal(HEADS, *sizes(s), seed=10)


def ask_attention(s):
    keywords = dict(bias=added(s), causal="lower-right", dtype=s.dtype)
    return Call(refpos.attention, (queries(s), keys(s), values(s)), keywords)


def lower_right(q, k):
    return distances(q, k, k - q) <= 0


def upper_left(q, k):
    return distances(q, k) <= 0


def sdpa(
    s,
    *,
    scale=0.25,
    when="after",
    mask=lower_right,
    axis=-1,
    bias_of=added,
    least=-np.inf,
    value=values,
    heads=lambda t: t,
    weights=lambda w: w,
    order=slice(None),
    narrow=True,
):
    """scaled_dot_product_attention with a bias, sums in float32 and weights in the format."""
    q, k = queries(s), heads(keys(s))
    scores = np.matmul(q.astype(F32), k.astype(F32).swapaxes(-1, -2)[..., :])
    extra = bias_of(s).astype(F32)
    scores = scores * F32(scale) + extra if when == "after" else (scores + extra) * F32(scale)
    if mask is not None:
        scores = np.where(mask(*scores.shape[-2:]), scores, F32(least))
    made = weights(softmax(scores, axis))
    made = np.nan_to_num(made)[..., order].astype(s.number if narrow else F32)
    return matmul(made, value(s)[..., order, :], s.number)


def times(factor):
    """The bias multiplied."""
    return dict(bias_of=lambda s: added(s).astype(F32) * F32(factor))


ATTENTION = {
    "not scaled": (dict(scale=1.0), "scale 1"),
    "scale 1/dim": (dict(scale=1 / 16), "scale 0.0625 | scale 1/16"),
    "scaled by all heads": (dict(scale=1 / math.sqrt(DIM * HEADS)), "scale 0.1443 | 0.1443"),
    "times sqrt(dim)": (dict(scale=4.0), "scale 4"),
    "bias before the scale": (dict(when="before"), "bias 0.25 | bias scale | bias 1/4"),
    "bias left out": (times(0.0), "bias None | without bias | no bias | bias 0 | bias left"),
    "bias subtracted": (times(-1.0), "bias sign | bias -1 | bias negat | bias subtracted"),
    "bias twice": (times(2.0), "bias 2 | bias twice | bias double"),
    "bias times sqrt(dim)": (times(4.0), "bias 4 | bias sqrt"),
    "mask upper left": (dict(mask=upper_left), "upper-left"),
    "no mask": (dict(mask=None), "causal None | no mask | without mask | not causal"),
    "diagonal masked": (
        dict(mask=lambda q, k: (distances(q, k, k - q) < 0) | (distances(q, k, k - q) == 1 - k)),
        "diagonal | -1 | itself",
    ),
    "mask reversed": (
        dict(mask=lambda q, k: distances(q, k, k - q) >= 0),
        "anti | revers | after | above | upper | inverted",
    ),
    "mask one too far": (
        dict(mask=lambda q, k: distances(q, k, k - q) <= 1),
        "diagonal | one more | next | offset 1 | +1",
    ),
    "softmax over queries": (dict(axis=-2), "axis queries | softmax axis | -2 | softmax queries"),
    "softmax over heads": (dict(axis=1), "softmax head | axis heads | axis head"),
    "bias of reversed keys": (
        dict(bias_of=lambda s: added(s)[..., ::-1]),
        "bias revers | keys revers",
    ),
    "bias of the first head": (dict(bias_of=lambda s: added(s)[:1]), "bias head | head 0 bias | first head"),
    "bias heads reversed": (dict(bias_of=lambda s: added(s)[::-1]), "bias head | bias revers"),
    "masked with zero": (dict(least=0.0), "masked 0 | mask zero"),
    "masked with -10": (dict(least=-10.0), "-10"),
    "weights not normalised": (
        dict(weights=lambda w: w * 2),
        "times 2 | factor 2 | scale 2 | multiplied 2 | twice | double | normal",
    ),
    "values rolled": (dict(value=lambda s: np.roll(values(s), 1, axis=-2)), "values shifted | roll"),
    "heads of keys exchanged": (dict(heads=lambda k: k[:, ::-1]), "heads revers | heads exchanged | head order"),
    "keys of the other batch row": (dict(heads=lambda k: k[::-1]), "batch"),
    "window of 4": (
        dict(mask=lambda q, k: lower_right(q, k) & (distances(q, k, k - q) > -4)),
        "window 4 | window | 4 keys",
    ),
}
GROUPS = [
    Group(
        "attention",
        "attention",
        ask_attention,
        sdpa,
        ATTENTION,
        (
            "not scaled + bias left out",
            "no mask + not scaled",
            "bias before the scale + no mask",
            "mask upper left + not scaled",
        ),
        {
            "not scaled @ one head": (one_head(2), "head | axis 1: index"),
            "bias left out @ one batch row": (one_batch(1), "batch | (1, | axis 0: index"),
            "no mask @ first rows": (first_rows(2), "first | 6 | 16"),
            "bias left out @ one head": (one_head(0), "head | axis 1: index"),
        },
        {"sdpa": {}, "reversed sums": dict(order=slice(None, None, -1)), "weights in float32": dict(narrow=False)},
    ),
]


def ask_scores(s):
    return Call(refpos.attention, (queries(s), keys(s), None), dict(outputs="scores", dtype=s.dtype))


def plain_scores(s, *, scale=0.25, left=queries, right=keys, after=lambda t: t):
    return after(matmul(left(s), right(s).swapaxes(-1, -2), F32) * F32(scale)).astype(s.number)


GROUPS.append(
    Group(
        "attention",
        "scores",
        ask_scores,
        plain_scores,
        {
            "not scaled": (dict(scale=1.0), "scale 1"),
            "scaled twice": (dict(scale=1 / 16), "scale 0.0625 | scale 1/16 | twice"),
            "softcap 30": (dict(after=lambda t: 30 * np.tanh(t / 30)), "softcap 30"),
            "exponentiated": (dict(after=lambda t: softmax(t)), "softmax | weights"),
            "keys with themselves": (dict(left=lambda s: keys(s)[:, :, -sizes(s)[0] :]), "keys | q=k | k k"),
            "cosine": (
                dict(
                    left=lambda s: (queries(s) / np.linalg.norm(queries(s).astype(F32), axis=-1, keepdims=True)).astype(
                        s.number
                    )
                ),
                "norm | cosine",
            ),
            "causal": (dict(after=lambda t: np.where(lower_right(*t.shape[-2:]), t, F32(-np.inf))), "causal | mask"),
        },
        (),
        {},
        {"matmul": {}, "scaled queries": dict(scale=0.5, after=lambda t: t * F32(0.5))},
    ),
)
