"""Attention, and what enters its scores, in float32 with NumPy's own order of sums."""

import math
from typing import NamedTuple

import numpy as np

from .angles import F, number
from .registry import float32
from .relative import buckets, distances


def sigmoid(x):
    with np.errstate(over="ignore"):
        return F(1) / (F(1) + np.exp(-x))


def softmax(x, axis=-1):
    """Zeros where nothing counts."""
    if not x.shape[axis]:
        return x
    top = x.max(axis, keepdims=True)
    weights = np.exp(x - np.where(np.isfinite(top), top, F(0)))
    total = weights.sum(axis, keepdims=True)
    return weights / np.where(total == 0, F(1), total)


ACTIVATIONS = {
    "identity": lambda x: x,
    "relu": lambda x: np.maximum(x, F(0)),
    "leaky_relu": lambda x: np.where(x < 0, x * F(0.01), x),
    "sigmoid": sigmoid,
    "silu": lambda x: x * sigmoid(x),
    "tanh": np.tanh,
    "softplus": lambda x: np.maximum(x, F(0)) + np.log1p(np.exp(-np.abs(x))),
    "gelu": lambda x: x * F(0.5) * (F(1) + erf(x * F(1 / math.sqrt(2)))),
    "gelu_tanh": lambda x: F(0.5) * x * (F(1) + np.tanh(F(math.sqrt(2 / math.pi)) * (x + F(0.044715) * x * x * x))),
}
erf = np.vectorize(lambda x: F(math.erf(x)), otypes=[F])


def repeated(x, heads):
    """The key heads, each for its group of query heads."""
    return x if heads is None or x.shape[-3] == heads else np.repeat(x, heads // x.shape[-3], -3)


class Attention(NamedTuple):
    """What a program of attention has at hand: vectors, the scale, products, which keys count, scores and weights."""

    q: np.ndarray
    k: np.ndarray
    scale: np.ndarray
    products: np.ndarray
    allowed: np.ndarray
    scores: np.ndarray
    weights: np.ndarray


def attended(q, k, bias=None, mask=None, causal=None, scale=None, softcap=None, cosine=None):
    """The forward pass of queries and keys (..., heads, length, dim), up to the weights."""
    scale = F(1) / np.sqrt(F(max(q.shape[-1], 1))) if scale is None else F(number(scale))
    if cosine is not None:
        q, k = normalised(q), normalised(k)
        scale = np.exp(np.minimum(np.asarray(cosine).astype(F), F(math.log(100))))
        scale = scale.reshape(-1, 1, 1) if scale.ndim else scale
    products = q @ np.swapaxes(repeated(k, q.shape[-3]), -1, -2) * scale
    scores = products if softcap is None else np.tanh(products / F(number(softcap))) * F(number(softcap))
    allowed = np.ones(scores.shape, bool)
    if bias is not None:
        allowed = allowed & (bias > -np.inf)
        scores = scores + bias
    if mask is not None:
        allowed = allowed & (np.asarray(mask) != 0)
    if causal:
        last = 0 if causal == "upper-left" else scores.shape[-1] - scores.shape[-2]
        allowed = allowed & (distances(*scores.shape[-2:], query_offset=last) <= 0)
    scores = np.where(allowed, scores, F(-np.inf))
    return Attention(q, k, scale, products, allowed, scores, softmax(scores))


def normalised(x):
    """Vectors by their norms."""
    return x / np.maximum(np.sqrt((x * x).sum(-1, keepdims=True)), F(1e-12))


def weighted(weights, v, allowed):
    """Sums over the keys that count of weights (..., queries, keys) and values (..., keys, n)."""
    terms = weights[..., None] * v[..., None, :, :]
    return np.where(allowed[..., None], terms, F(0)).sum(-2, dtype=F)


@float32("attention", kind="sequence32")
def attention(q, k, outputs, v=None, threads=None, out=None, dtype=None, **options):
    single = q.ndim == 2
    q, k, v = (x if x is None or not single else x[None] for x in (q, k, v))
    made = attended(q, k, **options)
    found = {"scores": made.scores, "weights": made.weights}
    if v is not None and "output" in outputs:
        found["output"] = weighted(made.weights, repeated(v, q.shape[-3]), made.allowed)
    names = [outputs] if isinstance(outputs, str) else outputs
    return [found[name][0] if single else found[name] for name in names]


class Fire(NamedTuple):
    """The ratios of a program of FIRE and what they are made of."""

    x: np.ndarray
    far: np.ndarray
    divisor: np.ndarray
    most: np.ndarray
    place: np.ndarray


def fire_steps(c, length, query_positions, key_positions, eps, mode, **_):
    """Distances, and their logarithms over that of the query or the threshold."""
    i, j = (np.arange(p) if isinstance(p, int) else np.asarray(p) for p in (query_positions, key_positions))
    far = i[:, None] - j
    far = (np.maximum(far, 0) if mode == "clipped" else np.abs(far)).astype(F)
    c, length, eps = (F(number(value)) for value in (c, length, eps))

    def psi(n):
        return np.log(np.abs(c * n) + F(1))

    place = i[:, None].astype(F)
    most = np.maximum(place, np.abs(length))
    divisor = psi(most) + eps
    return Fire(psi(far) / divisor, far, divisor, most, place)


@float32("fire", kind="sequence32")
def fire(weight_in, weight_out, query_positions, key_positions, c, length, eps, mode, activation, bias_in=None,
         bias_out=None, **_):  # fmt: skip
    x = fire_steps(c, length, query_positions, key_positions, eps, mode).x
    return np.moveaxis(mlp(x[..., None], weight_in.reshape(-1, 1), bias_in, weight_out, bias_out, activation), -1, 0)


def mlp(x, weight_in, bias_in, weight_out, bias_out, activation):
    hidden = x @ weight_in.T + (F(0) if bias_in is None else bias_in)
    return ACTIVATIONS[activation](hidden) @ weight_out.T + (F(0) if bias_out is None else bias_out)


@float32("dape", kind="sequence32")
def dape(scores, bias, weight_in, weight_out, activation, bias_in=None, bias_out=None, **_):
    both = np.concatenate([scores, np.broadcast_to(bias, scores.shape)], -3)
    more = mlp(np.moveaxis(both, -3, -1), weight_in, bias_in, weight_out, bias_out, activation)
    return scores + bias + np.moveaxis(more, -1, -3)


@float32("cope", kind="sequence32")
def cope(scores, q, weight, scale=None, mask=None, **_):
    gates = sigmoid(scores)
    gates = gates if mask is None else np.where(np.asarray(mask) != 0, gates, F(0))
    p = np.flip(np.cumsum(np.flip(gates, -1), -1, dtype=F), -1)
    p = np.minimum(p, F(len(weight) - 1))
    low, high = (np.nan_to_num(ends).astype(int) for ends in (np.floor(p), np.ceil(p)))
    z = q @ weight.T
    z_low, z_high = np.take_along_axis(z, low, -1), np.take_along_axis(z, high, -1)
    w = p - low.astype(F)
    found = z_high * w + z_low * (F(1) - w)
    return found * (F(1) / np.sqrt(F(weight.shape[1])) if scale is None else F(number(scale)))


@float32("forget_gate", kind="sequence32")
def forget_gate(logits, mode, scale, backward=None, query_len=None, **_):
    def sums(x):
        logs = -(np.maximum(-x, F(0)) + np.log1p(np.exp(-np.abs(x))))
        return np.cumsum(logs * F(number(scale)), -1, dtype=F)

    c = sums(logits)
    found = c[..., :, None] - c[..., None, :]
    after = distances(*found.shape[-2:]) > 0
    if mode == "causal":
        found = np.where(after, F(-np.inf), found)
    if mode == "bidirectional":
        r = sums(backward)
        found = np.where(after, r[..., None, :] - r[..., :, None], found)
    return found if query_len is None else found[..., found.shape[-2] - query_len :, :]


@float32("merge_outputs", kind="sequence32")
def merge_outputs(outputs, log_sums, **_):
    weights = softmax(log_sums, 0)[..., None]
    return (np.where(weights == 0, F(0), outputs) * weights).sum(0, dtype=F)


@float32("graphormer_bias", kind="sequence32")
def graphormer_bias(spatial, spatial_weight, virtual, paths=None, edge_weight=None, hop_weight=None, mask=None, **_):
    n, heads = len(spatial), spatial_weight.shape[1]
    mask = np.zeros((n + 1, n + 1), F) if mask is None else mask
    found = np.broadcast_to(mask, (heads, n + 1, n + 1)).copy()
    found[:, 1:, 1:] += np.moveaxis(spatial_weight[spatial], -1, 0)
    found[:, 0, :] += virtual.reshape(heads, 1)
    found[:, 1:, 0] += virtual.reshape(heads, 1)
    if paths is not None:
        hops = paths.shape[2]
        means = edge_weight[paths].mean(-2, dtype=F)
        features = (means[..., None, :] @ hop_weight.reshape(-1, heads, heads)[:hops])[..., 0, :].sum(2, dtype=F)
        counts = np.clip(spatial - 1, 1, hops).astype(F)
        found[:, 1:, 1:] += np.moveaxis(features / counts[..., None], -1, 0)
    return found + mask


def offsets(queries, keys, sign):
    """Rows of a table of the offsets of one axis, (queries, keys), in integers."""
    q, k = np.arange(queries)[:, None], np.arange(keys)
    if sign == "key-query":
        return k - q + keys - 1
    # times the product of both sizes, by which it is divided at the end
    wide, high = max(keys, queries) * keys, max(queries, keys) * queries
    return (q * wide - k * high + (keys - 1) * high) // (queries * keys)


def resizing(old, new):
    """The matrix (new, old) of linear interpolation between rows."""
    x = (np.arange(new).astype(F) + F(0.5)) * F(old / new) - F(0.5)
    x = np.maximum(x, F(0))
    low = np.floor(x).astype(int)
    t, matrix = x - low.astype(F), np.zeros((new, old), F)
    np.add.at(matrix, (np.arange(new), low), F(1) - t)
    np.add.at(matrix, (np.arange(new), np.minimum(low + 1, old - 1)), t)
    return matrix


def turned(x):
    return np.swapaxes(x, -1, -2)


@float32("decomposed_scores", kind="sequence32")
def decomposed_scores(q, weight_h, weight_w, query_grid, key_grid, sign, resize=None, class_token=False, **_):
    body = q[..., 1:, :] if class_token else q
    (h, w), (kh, kw) = query_grid, key_grid

    def table(weight, queries, keys):
        rows = 2 * max(queries, keys) - 1 if sign == "query-key" else 2 * keys - 1
        weight = resizing(len(weight), rows) @ weight if resize and len(weight) != rows else weight
        return weight[offsets(queries, keys, sign)]

    cells = body.reshape(*body.shape[:-2], h, w, body.shape[-1])
    rows = cells @ np.swapaxes(table(weight_h, h, kh), -1, -2)
    columns = np.swapaxes(np.swapaxes(cells, -3, -2) @ np.swapaxes(table(weight_w, w, kw), -1, -2), -3, -2)
    found = (rows[..., :, None] + columns[..., None, :]).reshape(*body.shape[:-1], kh * kw)
    edges = [(0, 0)] * (found.ndim - 2) + [(1, 0), (1, 0)]
    return np.pad(found, edges) if class_token else found


@float32("convit_attention", kind="sequence32")
def convit_attention(q, k, height, width, weight, gate, bias=None, scale=None, **_):
    heads = q.shape[-3]
    scale = F(1) / np.sqrt(F(max(q.shape[-1], 1))) if scale is None else F(number(scale))
    y, x = (axis.reshape(-1) for axis in np.indices((height, width)))
    dx, dy = (axis - axis[:, None] for axis in (x, y))
    places = np.stack([dx, dy, dx**2 + dy**2], -1).astype(F) @ weight.T + (F(0) if bias is None else bias)
    s = sigmoid(gate)[:, None, None]
    content = softmax(q @ np.swapaxes(repeated(k, heads), -1, -2) * scale)
    found = (F(1) - s) * content + s * softmax(np.moveaxis(places, -1, 0))
    return found / found.sum(-1, keepdims=True)


def offsets_of_cells(size, coordinates, pretrained):
    """The coordinates (..., axes) of the offsets of the cells of a row or a window."""
    sides = [size] if isinstance(size, int) else size
    spans = [pretrained] * len(sides) if isinstance(pretrained, int) else pretrained or sides
    lines = []
    for side, span in zip(sides, spans, strict=True):
        d = np.arange(1 - side, side).astype(F)
        if coordinates == "swin-v2":
            d = F(8) * d / F(max(span - 1, 1))
            d = np.sign(d) * np.log2(F(1) + np.abs(d)) / F(3)
        elif coordinates == "log":
            d = np.sign(d) * np.log(F(1) + np.abs(d))
        lines.append(d)
    return np.stack(np.meshgrid(*lines, indexing="ij"), -1)


def plus(x, bias):
    return x if bias is None else x + bias


@float32("distance_mlp", kind="sequence32")
def distance_mlp(size, weight_in, weight_out, coordinates, activation, **given):
    def f(x, n):
        if given.get("norm_eps") is not None:
            x = layer_norm(x, given["norm_eps"])
            x = x if given.get("norm_weights") is None else x * given["norm_weights"][n]
            x = plus(x, None if given.get("norm_biases") is None else given["norm_biases"][n])
        return ACTIVATIONS[activation](x)

    c = offsets_of_cells(size, coordinates, given.get("pretrained"))
    x = plus(c @ weight_in.reshape(-1, c.shape[-1]).T, given.get("bias_in"))
    weights, biases = given.get("weights"), given.get("biases")
    layers = 0 if weights is None else len(weights)
    for n in range(layers):
        x = plus(f(x, n) @ weights[n].T, None if biases is None else biases[n])
    found = plus(f(x, layers) @ weight_out.T, given.get("bias_out"))
    return found if given.get("sigmoid") is None else F(number(given["sigmoid"])) * sigmoid(found)


def layer_norm(x, eps):
    centred = x - x.mean(-1, keepdims=True, dtype=F)
    return centred / np.sqrt((centred * centred).mean(-1, keepdims=True, dtype=F) + F(number(eps)))


def gathered(scores, rows):
    """scores (..., i, rows of a table) at rows (..., i, j); -1 gives 0."""
    if not scores.shape[-1]:
        scores = np.zeros((*scores.shape[:-1], 1), F)
    shape = np.broadcast_shapes(scores.shape[:-2], rows.shape[:-2])
    scores = np.broadcast_to(scores, (*shape, *scores.shape[-2:]))
    rows = np.broadcast_to(rows, (*shape, *rows.shape[-2:]))
    return np.where(rows < 0, F(0), np.take_along_axis(scores, np.maximum(rows, 0), -1))


def per_head(table, heads):
    """A table (rows, dim) or (table heads, rows, dim) for each head."""
    return table if table.ndim == 2 or heads is None else np.repeat(table, heads // max(1, len(table)), 0)


@float32("deberta_scores", kind="sequence32")
def deberta_scores(q, k, rows, scaling, key_table=None, query_table=None, query_rows=None, **_):
    given = [table for table in (key_table, query_table) if table is not None]
    s = np.sqrt(F(q.shape[-1] * (1 + len(given))))
    f, found = F(1) / s, []
    turn = np.swapaxes
    if scaling == "queries":
        q, query_table = q / s, None if query_table is None else query_table / s
        content = q @ turn(k, -1, -2)
    elif scaling == "products":
        content = q @ turn(k / s, -1, -2)
    else:
        content = q @ turn(k * f, -1, -2)
        key_table, query_table = (None if t is None else t * f for t in (key_table, query_table))
    if key_table is not None:
        found.append(gathered(q @ turn(key_table, -1, -2), rows))
    if query_table is not None:
        by_key = turn(rows if query_rows is None else query_rows, -1, -2)
        found.append(turn(gathered(k @ turn(query_table, -1, -2), by_key), -1, -2))
    if scaling == "products":
        found = [part / s for part in found]
    return content + sum(found[1:], found[0]) if found else content


@float32("gated_bias", kind="sequence32")
def gated_bias(bias, hidden, weight, constant, weight_bias=None, **_):
    z = hidden @ weight.T + (F(0) if weight_bias is None else weight_bias)
    a, b = (sigmoid(part.sum(-1, dtype=F)) for part in np.split(z, 2, -1))
    gate = a * (b * constant.reshape(-1, 1) - F(1)) + F(2)
    return gate[..., None] * bias


@float32("layout_bias", kind="sequence32")
def layout_bias(max_distance, max_box_distance, weight=None, x_weight=None, y_weight=None, position_ids=None,
                boxes=None, head_dim=None, **_):  # fmt: skip
    def term(table, places, most):
        d = places[..., None, :] - places[..., :, None]
        return np.moveaxis(table[buckets(d, True, len(table), most)], -1, -3)

    found = [] if weight is None else [term(weight, position_ids, max_distance)]
    if x_weight is not None:
        x, y = (term(table, boxes[..., k], max_box_distance) for table, k in ((x_weight, 0), (y_weight, 3)))
        found.append(x + y)
    total = sum(found[1:], found[0])
    return total if head_dim is None else total / np.sqrt(F(head_dim))


@float32("relative_scores", kind="sequence32")
def relative_scores(x, weight, rows, by, scale=None, **_):
    products = x @ np.swapaxes(per_head(weight, x.shape[-3] if x.ndim > 2 else None), -1, -2)
    if by == "key":
        found = np.swapaxes(gathered(products, np.swapaxes(rows, -1, -2)), -1, -2)
    else:
        found = gathered(products, rows)
    return found if scale is None else found * F(number(scale))


@float32("bucket_scores", kind="sequence32")
def bucket_scores(x, weight, rows, heads, bias=None, **_):
    z = x @ weight.T + (F(0) if bias is None else bias)
    by_head = np.moveaxis(z.reshape(*z.shape[:-1], -1, heads), -1, -3)
    return gathered(by_head, rows[..., None, :, :] if rows.ndim > 2 else rows)


@float32("relative_values", kind="sequence32")
def relative_values(probabilities, weight, rows, **_):
    table = per_head(weight, probabilities.shape[-3] if probabilities.ndim > 2 else None)
    index = np.maximum(rows, 0)
    if table.ndim == 2:
        vectors = table[index]
    else:
        lead = np.broadcast_shapes(probabilities.shape[:-2], rows.shape[:-2])
        index = np.broadcast_to(index, (*lead, *rows.shape[-2:]))
        vectors = np.stack([table[h][index[..., h, :, :]] for h in range(len(table))], -4)
    shares = np.where(rows < 0, F(0), probabilities)
    return (shares[..., None, :] @ vectors)[..., 0, :]


@float32("xl_scores", kind="sequence32")
def xl_scores(q, k, projected, rows, scaled, u=None, v=None, scale=None, segments=None, segment_rows=None, s=None,
              **_):  # fmt: skip
    heads = q.shape[-3] if q.ndim > 2 else None
    f = F(1) / np.sqrt(F(max(q.shape[-1], 1))) if scale is None else F(number(scale))

    def with_bias(bias):
        total = q if bias is None else q + (bias if q.ndim < 3 else bias[:, None, :])
        return total * f if scaled == "queries" else total

    def term(bias, table, where):
        return gathered(with_bias(bias) @ np.swapaxes(per_head(table, heads), -1, -2), where)

    parts = [with_bias(u) @ np.swapaxes(repeated(k, heads), -1, -2), term(v, projected, rows)]
    if segments is not None:
        parts.append(term(s, segments, segment_rows))
    parts = [part * f for part in parts] if scaled == "parts" else parts
    total = sum(parts[1:], parts[0])
    return total * f if scaled == "sum" else total


@float32("project_table", kind="sequence32")
def project_table(table, weight, **_):
    return table @ np.swapaxes(weight, -1, -2)
