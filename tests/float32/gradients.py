"""Backward passes of scores, attention, FIRE and learned tables in float32 with NumPy's own order of sums, as autograd
has them."""

import math

import numpy as np

from .angles import F, number
from .registry import float32
from .relative import buckets, distances
from .scores import attended, fire_steps, offsets, per_head, repeated, resizing, turned, weighted


def to_keys(x, shape):
    """What heads share: (.., heads, n, m) summed over the heads of each of the key heads of the shape."""
    lead = shape[:-2]
    if not lead or x.shape[-3] == lead[-1]:
        return x
    return x.reshape(*x.shape[:-3], lead[-1], x.shape[-3] // max(1, lead[-1]), *x.shape[-2:]).sum(-3, dtype=F)


def over(x, shape):
    """The sums over the axes that an array of that shape, which broadcasts, has not or has only once."""
    x = x.sum(tuple(range(x.ndim - len(shape))), dtype=F)
    axes = tuple(k for k, size in enumerate(shape) if size == 1 and x.shape[k] != 1)
    return x.sum(axes, dtype=F, keepdims=True)


def of_rows(change, x, rows, shape):
    """The sums of change[i, j] x[i] over the pairs that read a row: of a table of that shape."""
    lead = np.broadcast_shapes(change.shape[:-2], rows.shape[:-2], x.shape[:-2])
    change, rows = (np.broadcast_to(part, (*lead, *part.shape[-2:])) for part in (change, rows))
    terms = np.where(rows[..., None] < 0, F(0), change[..., None] * x[..., :, None, :])
    terms = np.broadcast_to(terms, (*lead, *terms.shape[-3:]))
    tables = (*lead[: len(lead) - max(0, len(shape) - 2)], *shape[:-2])
    made = np.zeros(shape, F)
    for place in np.ndindex(lead):
        own = [n * size // whole for n, size, whole in zip(place, tables, lead, strict=True)]
        own = tuple(own[len(lead) - (len(shape) - 2) :]) if len(shape) > 2 else ()
        kept = rows[place] >= 0
        np.add.at(made[own], rows[place][kept], terms[place][kept])
    return made


def read(table, rows, heads):
    """The vector (.., i, j, dim) of each pair, zeros for row -1."""
    table = per_head(table, heads)
    table = np.concatenate([table, np.zeros((*table.shape[:-2], 1, table.shape[-1]), F)], -2)
    lead = np.broadcast_shapes(table.shape[:-2], rows.shape[:-2])
    table, rows = (np.broadcast_to(part, (*lead, *part.shape[-2:])) for part in (table, rows))
    made = np.zeros((*rows.shape, table.shape[-1]), F)
    for place in np.ndindex(lead):
        made[place] = table[place][rows[place]]
    return made


def summed(change, vectors, rows):
    """Sums over the keys of change (.., i, j) times the vectors of the pairs, none for row -1."""
    return np.where(rows[..., None] < 0, F(0), change[..., None] * vectors).sum(-2, dtype=F)


# -- attention --------------------------------------------------------------------------------------------------------


def of_softmax(weights, change, allowed):
    """w w' - w sum(w w'), as CUDA has it."""
    part = np.where(allowed, weights * change, F(0))
    return part - weights * part.sum(-1, keepdims=True, dtype=F)


def of_normalised(change, x):
    """That of x / max(norm, 1e-12): of the quotient, and of the norm where it is the larger one."""
    norm = np.sqrt((x * x).sum(-1, keepdims=True))
    n = np.maximum(norm, F(1e-12))
    of_norm = -(change * (x / n / n)).sum(-1, keepdims=True, dtype=F)
    return change / n + np.where(norm < F(1e-12), F(0), x * (of_norm / np.where(norm == 0, F(1), norm)))


@float32("vjp_attention", kind="sequence32")
def attention(q, k, outputs, cotangent, v=None, threads=None, dtype=None, **options):
    given, single = {"q": q, "k": k, "v": v, **options}, q.ndim == 2
    q, k, v, dy = (x if x is None or not single else x[None] for x in (q, k, v, cotangent))
    made, heads, cap = attended(q, k, **options), q.shape[-3], options.get("softcap")
    change, found = dy, {"v": None if v is None else np.zeros(v.shape, F)}
    if outputs == "output":
        found["v"] = to_keys(weighted(turned(made.weights), dy, turned(made.allowed)), v.shape)
        values = repeated(v, heads)
        change = (dy[..., None, :] * values[..., None, :, :]).sum(-1, dtype=F)
    if outputs != "scores":
        change = of_softmax(made.weights, change, made.allowed)
    change = np.where(made.allowed, change, F(0))
    if options.get("bias") is not None:
        found["bias"] = over(change[0] if single else change, given["bias"].shape)
    if cap is not None:
        t = np.tanh(made.products / F(number(cap)))
        change = (change + change * t) * (F(1) - t)
    if isinstance(options.get("cosine"), np.ndarray):
        logits = options["cosine"]
        of_all = np.where(made.allowed, change * made.products, F(0))
        of_heads = over(of_all, (logits.size, 1, 1)) if logits.ndim else over(of_all, (1, 1, 1))
        found["cosine"] = np.where(logits > F(math.log(100)), F(0), of_heads.reshape(logits.shape))
    change = np.where(made.allowed, change * made.scale, F(0))
    found["q"] = weighted(change, repeated(made.k, heads), made.allowed)
    found["k"] = to_keys(weighted(turned(change), made.q, turned(made.allowed)), k.shape)
    if "cosine" in options and options["cosine"] is not None:
        read = to_keys(made.allowed.any(-2)[..., None].astype(F), (*k.shape[:-1], 1)) > 0
        found["q"] = np.where(made.allowed.any(-1)[..., None], of_normalised(found["q"], q), F(0))
        found["k"] = np.where(read, of_normalised(found["k"], k), F(0))
    return [found[name].reshape(given[name].shape) for name in ("q", "k", "v", "bias", "cosine")
            if isinstance(given.get(name), np.ndarray)]  # fmt: skip


# -- scores that are linear in each argument --------------------------------------------------------------------------


@float32("vjp_relative_scores", kind="sequence32")
def relative_scores(x, weight, rows, by, cotangent, scale=None, **_):
    change, rows = (cotangent, rows) if by == "query" else (turned(cotangent), turned(rows))
    change = change if scale is None else change * F(number(scale))
    vectors = read(weight, rows, x.shape[-3] if x.ndim > 2 else None)
    return [over(summed(change, vectors, rows), x.shape), of_rows(change, x, rows, weight.shape)]


@float32("vjp_relative_values", kind="sequence32")
def relative_values(probabilities, weight, rows, cotangent, **_):
    heads = np.broadcast_shapes(probabilities.shape[:-2], rows.shape[:-2])[-1:]
    vectors = read(weight, rows, heads[0] if heads else None)
    change = np.where(rows < 0, F(0), (cotangent[..., None, :] * vectors).sum(-1, dtype=F))
    return [over(change, probabilities.shape), of_rows(probabilities, cotangent, rows, weight.shape)]


@float32("vjp_xl_scores", kind="sequence32")
def xl_scores(q, k, projected, rows, scaled, cotangent, u=None, v=None, scale=None, segments=None, segment_rows=None,
              s=None, **_):  # fmt: skip
    given = {"q": q, "k": k, "projected": projected, "u": u, "v": v, "segments": segments, "s": s}
    heads = q.shape[-3] if q.ndim > 2 else None
    f = F(1) / np.sqrt(F(max(q.shape[-1], 1))) if scale is None else F(number(scale))
    before = scaled == "queries"
    change = cotangent if before else cotangent * f

    def biased(bias):
        total = q if bias is None else q + (bias if q.ndim < 3 else bias[:, None, :])
        return total * f if before else total

    def of_bias(part):
        part = part.sum(-2, dtype=F)
        return over(part, (q.shape[-3], q.shape[-1]) if q.ndim > 2 else (q.shape[-1],))

    parts = [("u", change @ repeated(k, heads))]
    found = {"k": to_keys(turned(change) @ biased(u), k.shape)}
    for bias, table, index, numbers in (("v", "projected", rows, v), ("s", "segments", segment_rows, s)):
        if given[table] is not None:
            parts.append((bias, summed(change, read(given[table], index, heads), index)))
            found[table] = of_rows(change, biased(numbers), index, given[table].shape)
    found["q"] = sum((part for _, part in parts[1:]), parts[0][1])
    found.update({name: of_bias(part) for name, part in parts})
    if before:
        found.update({name: found[name] * f for name in ("q", "u", "v", "s") if name in found})
    return [found[name] for name in given if given[name] is not None]


@float32("vjp_deberta_scores", kind="sequence32")
def deberta_scores(q, k, rows, scaling, cotangent, key_table=None, query_table=None, query_rows=None, **_):
    given = {"q": q, "k": k, "key_table": key_table, "query_table": query_table}
    s = np.sqrt(F(q.shape[-1] * (sum(part is not None for part in given.values()) - 1)))
    dy, keys = cotangent, repeated(k, q.shape[-3] if q.ndim > 2 else None)

    def by(names, x):
        return x if scaling not in names else x * (F(1) / s) if scaling == "keys" else x / s

    q, pairs = by(["queries"], q), by(["products"], dy)
    of_q, of_k = dy @ by(["products", "keys"], keys), by(["products", "keys"], turned(dy) @ q)
    found = {}
    if key_table is not None:
        table = np.broadcast_to(by(["keys"], key_table), (*q.shape[:-2], *key_table.shape[-2:]))
        of_q = of_q + summed(pairs, read(table, rows, None), np.broadcast_to(rows, dy.shape))
        found["key_table"] = by(["keys"], over(of_rows_each(pairs, q, rows, key_table), key_table.shape))
    if query_table is not None:
        index = turned(rows if query_rows is None else query_rows)
        table = np.broadcast_to(by(["queries", "keys"], query_table), (*q.shape[:-2], *query_table.shape[-2:]))
        of_k = of_k + summed(turned(pairs), read(table, index, None), np.broadcast_to(index, turned(dy).shape))
        made = of_rows_each(turned(pairs), keys, index, query_table)
        found["query_table"] = by(["queries", "keys"], over(made, query_table.shape))
    found.update(q=by(["queries"], of_q), k=to_keys(of_k, k.shape))
    return [found[name] for name in given if given[name] is not None]


def of_rows_each(change, x, rows, table):
    """The sums for a table of all leading axes."""
    return of_rows(change, x, rows, (*change.shape[:-2], *table.shape[-2:]))


@float32("vjp_decomposed_scores", kind="sequence32")
def decomposed_scores(q, weight_h, weight_w, query_grid, key_grid, sign, cotangent, resize=None, class_token=False,
                      **_):  # fmt: skip
    first, (h, w), (kh, kw) = int(class_token), query_grid, key_grid
    lead, count = q.shape[:-2], math.prod(q.shape[:-2])
    body = q[..., first:, :].reshape(count, h, w, q.shape[-1])
    change = cotangent[..., first:, first:].reshape(count, h, w, kh, kw)
    parts, found = [], []
    for axis, weight, queries, keys in ((0, weight_h, h, kh), (1, weight_w, w, kw)):
        cells, index = (body if axis == 0 else body.swapaxes(1, 2)), offsets(queries, keys, sign)
        lines = change.sum(4 - axis, dtype=F)
        lines = lines if axis == 0 else lines.swapaxes(1, 2)
        rows = 2 * max(queries, keys) - 1 if sign == "query-key" else 2 * keys - 1
        matrix = resizing(len(weight), rows) if resize and len(weight) != rows else None
        table = (weight if matrix is None else matrix @ weight)[index]
        part = lines @ table
        parts.append(part if axis == 0 else part.swapaxes(1, 2))
        of_table = np.zeros((rows, q.shape[-1]), F)
        sizes = queries, count * lines.shape[2]
        by_place = (np.moveaxis(part, 1, 0).reshape(*sizes, part.shape[-1]) for part in (lines, cells))
        np.add.at(of_table, index, turned(next(by_place)) @ next(by_place))
        found.append(of_table if matrix is None else matrix.T @ of_table)
    made = (parts[0] + parts[1]).reshape(*lead, h * w, q.shape[-1])
    edges = [(0, 0)] * len(lead) + [(first, 0), (0, 0)]
    return [np.pad(made, edges), *found]


# -- FIRE -------------------------------------------------------------------------------------------------------------


@float32("vjp_fire", kind="sequence32")
def fire(weight_in, weight_out, c, length, activation, cotangent, bias_in=None, bias_out=None, **options):
    given = {"weight_in": weight_in, "bias_in": bias_in, "weight_out": weight_out, "bias_out": bias_out}
    raw = F(number(c)), F(number(length))
    made = fire_steps(*raw, **options)
    x, size, line = made.x, np.abs(raw[0]), weight_in.reshape(-1, 1)
    hidden = x[..., None] @ line.T + (F(0) if bias_in is None else bias_in)
    slope = np.where(hidden <= 0, F(0 if activation == "relu" else 0.01), F(1))
    dy = np.moveaxis(cotangent, 0, -1)
    back = np.where(slope == 0, F(0), (dy @ weight_out) * slope)
    dx = (back @ line)[..., 0]
    active = np.where(slope == 0, F(0), hidden * slope)
    flat = [part.reshape(x.size, part.shape[-1]) for part in (back, dy, active)]
    of_divisor = -(dx * (x / made.divisor)).sum(1, dtype=F, keepdims=True)
    of_c = (dx / made.divisor / (size * made.far + F(1)) * made.far).sum(dtype=F)
    of_c = of_c + (of_divisor / (size * made.most + F(1)) * made.most).sum(dtype=F)
    share = np.where(np.abs(raw[1]) > made.place, F(1), F(0.5))
    of_length = np.where(np.abs(raw[1]) >= made.place, of_divisor / (size * made.most + F(1)) * size * share, F(0))
    found = {
        "weight_in": (flat[0].T @ x.reshape(-1, 1)).reshape(weight_in.shape),
        "bias_in": flat[0].sum(0, dtype=F),
        "weight_out": flat[1].T @ flat[2],
        "bias_out": flat[1].sum(0, dtype=F),
    }
    lines = [found[name] for name in given if given[name] is not None]
    return [*lines, of_c * np.sign(raw[0]), of_length.sum(dtype=F) * np.sign(raw[1])]


# -- sums for the rows of learned tables ------------------------------------------------------------------------------


def added(table, rows, vectors):
    """The sums of the vectors (*rows.shape, channels) of each row of the table, one after the other."""
    made = np.zeros(table.shape, F)
    np.add.at(made, rows, vectors)
    return made


def of_heads(weight, rows, cotangent):
    """That of a bias (heads, queries, keys) for a weight (rows, heads)."""
    return added(weight, rows, np.moveaxis(cotangent, 0, -1))


@float32("vjp_learned", kind="sequence32")
def learned(weight, rows, cotangent, scale=None, **_):
    change = cotangent if scale is None else cotangent * F(number(scale))
    return added(weight, np.arange(rows) if isinstance(rows, int) else rows, change)


@float32("vjp_mean_of_rows", kind="sequence32")
def mean_of_rows(weight, rows, cotangent, **_):
    kept = rows >= 0
    change = cotangent / np.maximum(kept.sum(-1, keepdims=True), 1).astype(F)
    return added(weight, rows[kept], np.broadcast_to(change[..., None, :], (*rows.shape, change.shape[-1]))[kept])


@float32("vjp_learned_axes", kind="sequence32")
def learned_axes(weights, grid, combine, cotangent, axis_order=None, **_):
    made, width, names = np.zeros(weights.shape, F), weights.shape[-1], "thw"[-len(grid) :]
    order = [names.index(axis) if isinstance(axis, str) else axis for axis in axis_order or ()]
    for axis, size in enumerate(grid):
        start = width * order.index(axis) if combine == "concat" else 0
        others = tuple(k for k in range(len(grid)) if k != axis)
        made[axis, :size] = cotangent[..., start : start + width].sum(others, dtype=F)
    return made


@float32("vjp_tile_table", kind="sequence32")
def tile_table(weight, cotangent, **_):
    made, old = np.zeros(weight.shape, F), weight.shape[:-1]
    for first in np.ndindex(*(-(-new // size) for new, size in zip(cotangent.shape, old, strict=False))):
        tile = cotangent[tuple(slice(k * size, (k + 1) * size) for k, size in zip(first, old, strict=True))]
        made[tuple(map(slice, tile.shape[:-1]))] += tile
    return made


@float32("vjp_t5_bias", kind="sequence32")
def t5_bias(weight, query_len, key_len, bidirectional, max_distance, query_offset, cotangent, **_):
    far = distances(query_len, key_len, query_offset)
    return of_heads(weight, buckets(far, bidirectional, len(weight), max_distance), cotangent)


def signed(far, sign):
    return {"key-query": far, "query-key": -far, "absolute": abs(far)}[sign]


@float32("vjp_relative_bias", kind="sequence32")
def relative_bias(weight, query_len, key_len, sign, query_offset, cotangent, low=None, **_):
    low = low if low is not None else 0 if sign == "absolute" else -(len(weight) // 2)
    rows = signed(distances(query_len, key_len, query_offset), sign) - low
    return of_heads(weight, np.clip(rows, 0, len(weight) - 1), cotangent)


@float32("vjp_window_bias", kind="sequence32")
def window_bias(weight, height, width, sign, class_token, stride, cotangent, **_):
    far = (signed(distances(size, size, 0), sign) for size in (height, width))
    down, across = (axis[::stride] - axis.min() for axis in far)
    wide = width if sign == "absolute" else 2 * width - 1
    rows = (down[:, None, :, None] * wide + across[None, :, None, :]).reshape(-1, height * width)
    if class_token:
        rows = np.pad(rows, ((1, 0), (1, 0)), constant_values=len(weight) - 2)
        rows[0] = len(weight) - 3
        rows[0, 0] = len(weight) - 1
    return of_heads(weight, rows, cotangent)
