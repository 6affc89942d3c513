"""Biases of distances and decays, in float32."""

import math

import numpy as np

from .angles import F, number
from .registry import float32


def distances(query_len, key_len, query_offset=None):
    """Key minus query, (queries, keys)."""
    start = key_len - query_len if query_offset is None else query_offset
    return np.arange(key_len) - (start + np.arange(query_len))[:, None]


@float32("alibi_slopes", kind="float32-power")
def alibi_slopes(num_heads, convention, max_bias, **_):
    n, most = num_heads, float(number(max_bias))

    def geometric(count):
        start = F(2) ** F(-most / count)
        return start * start ** np.arange(count).astype(F)

    if convention == "halving":
        return F(2) ** -np.arange(n).astype(F)
    closest = n if convention == "geometric" else 2 ** int(math.log2(n))
    return np.concatenate([geometric(closest), geometric(2 * closest)[0::2][: n - closest]])


@float32("alibi", kind="float32-power")
def alibi(num_heads, query_len, key_len, mode, convention, max_bias, query_offset=None, anchor=None, mask=None,
          head_dim=None, **_):  # fmt: skip
    d = distances(query_len, key_len, query_offset)
    after = d > 0
    if anchor == "key":
        d = np.broadcast_to(np.arange(key_len), d.shape)
    if anchor == "last":
        d = np.broadcast_to(np.arange(key_len) - (key_len - 1), d.shape)
    slopes = alibi_slopes(num_heads, convention, max_bias)[:, None, None]
    if mask is not None:
        counted = (np.cumsum(mask, -1) - 1) * mask
        d = np.broadcast_to(counted[..., None, None, :], (*counted.shape[:-1], 1, query_len, key_len))
    found = slopes * (-np.abs(d) if mode == "symmetric" else d).astype(F)
    found = {"causal": np.where(after, -np.inf, found), "clipped": np.where(after, F(0), found)}.get(mode, found)
    return found if head_dim is None else found / np.sqrt(F(head_dim))


@float32("alibi_2d", kind="float32-power")
def alibi_2d(num_heads, height, width, class_token, convention, max_bias, **_):
    y, x = (axis.reshape(-1).astype(F) for axis in np.indices((height, width)))
    far = np.sqrt((y[:, None] - y) ** 2 + (x[:, None] - x) ** 2)
    found = -alibi_slopes(num_heads, convention, max_bias)[:, None, None] * far
    return np.pad(found, [(0, 0), (1, 0), (1, 0)]) if class_token else found


@float32("decay_rates", kind="float32-power")
def decay_rates(num_heads, rule, eps, layer=None, layers=None, **_):
    h = np.arange(num_heads).astype(F)
    if rule == "retnet":
        return F(1) - F(2) ** (F(-5) - h)
    # of Python's floats in the code of the model
    share = F(1 - layer / (layers - 1 + float(number(eps))) + float(number(eps)))
    return F(2) ** (F(-8) * (h + F(1)) / F(num_heads)) * share


@float32("decay", kind="float32-power")
def decay(num_heads, query_len, key_len, rule, eps, layer=None, layers=None, query_offset=None, **_):
    far = -distances(query_len, key_len, query_offset)
    rates = decay_rates(num_heads, rule, eps, layer, layers)[:, None, None]
    back = np.maximum(far, 0).astype(F)
    return np.where(far < 0, F(0), rates**back if rule == "retnet" else np.exp(-rates * back))


@float32("box_relation", kind="float32-angle")
def box_relation(boxes, dim, base, scale, eps, targets=None, **_):
    (x, y, w, h), (x2, y2, w2, h2) = (np.moveaxis(b, -1, 0) for b in (boxes, boxes if targets is None else targets))
    eps = F(number(eps))
    w, h, w2, h2 = w + eps, h + eps, w2 + eps, h2 + eps
    pairs = [
        np.log(np.abs(x[..., :, None] - x2[..., None, :]) / w[..., :, None] + F(1)),
        np.log(np.abs(y[..., :, None] - y2[..., None, :]) / h[..., :, None] + F(1)),
        np.log(w[..., :, None] / w2[..., None, :]),
        np.log(h[..., :, None] / h2[..., None, :]),
    ]
    theta = F(1) / F(number(base)) ** (np.arange(dim // 2).astype(F) / F(dim / 4))
    angle = np.stack(pairs, -1)[..., None] * F(number(scale)) * theta
    found = np.concatenate([np.sin(angle), np.cos(angle)], -1)
    return found.reshape(*angle.shape[:-2], 4 * dim)


@float32("sandwich", kind="float32-angle")
def sandwich(num_heads, query_len, key_len, dim, first, subtract, mode, base, query_offset=None, **_):
    far = -distances(query_len, key_len, query_offset)
    far = (np.maximum(far, 0) if mode == "clipped" else np.abs(far)).astype(F)
    k = np.arange(first, first + dim // 2)
    angle = far[..., None] * (F(1) / F(number(base)) ** (2 * k.astype(F) / F(dim)))
    total = np.cos(angle).sum(-1, dtype=F) - F(dim // 2 if subtract else 0)
    heads = F(8) * (np.arange(num_heads).astype(F) + F(1)) / F(num_heads)
    return total / heads[:, None, None]


@float32("kerple", kind=("float32-power", "float32-logarithm"))
def kerple(p, a, query_len, key_len, kind, least, query_offset=None, **_):
    far = np.maximum(-distances(query_len, key_len, query_offset), 0).astype(F)
    least = F(number(least))
    p, a = (np.maximum(np.asarray(values).astype(F), least)[:, None, None] for values in (p, a))
    if kind == "log":
        return -p * np.log(F(1) + a * far)
    found = -a * far ** np.minimum(p, F(2))
    return np.exp(found) if kind == "weight" else found


@float32("rotary_bias", kind="float32-angle")
def rotary_bias(alpha, beta, query_len, key_len, base, query_offset=None, **_):
    half = alpha.shape[-1] // 2
    start = key_len - query_len if query_offset is None else query_offset
    theta = F(1) / F(number(base)) ** (np.arange(half).astype(F) / F(half))

    def turned(x, positions):
        angle = positions.astype(F)[:, None] * theta
        one, other = x[:, None, :half], x[:, None, half:]
        cos, sin = np.cos(angle), np.sin(angle)
        return np.concatenate([one * cos - other * sin, other * cos + one * sin], -1)

    q, k = turned(alpha, start + np.arange(query_len)), turned(beta, np.arange(key_len))
    return q @ np.swapaxes(k, -1, -2)


def buckets(d, bidirectional, count, most):
    """T5's buckets of key minus query."""
    base = np.zeros_like(d)
    if bidirectional:
        count //= 2
        base, d = np.where(d > 0, count, 0), np.abs(d)
    else:
        d = np.maximum(-d, 0)
    near = count // 2
    with np.errstate(divide="ignore"):
        steps = np.log(d.astype(F) / F(near)) / math.log(most / near) * (count - near)
    far = np.minimum(near + np.where(d < near, 0, np.nan_to_num(steps)).astype(int), count - 1)
    return base + np.where(d < near, d, far)
