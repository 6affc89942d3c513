"""Scores, attention and FIRE as programs of jax, which jax.vjp differentiates; each takes the arguments of a golden
case by name, arrays in the format in which it computes."""

import math

import jax
import jax.numpy as jnp
import numpy as np


def product(one, other):
    """A product of matrices in the format of its operands."""
    return jnp.matmul(one, other, precision=jax.lax.Precision.HIGHEST)


def heads_of(x, heads):
    """Tables or keys of each head, where heads share them in groups of neighbours."""
    return jnp.repeat(x, heads // max(1, len(x)), axis=0)


def shared(x, q):
    """Keys or values of as many heads as the queries have."""
    if x.shape[:-2] == q.shape[:-2]:
        return x
    return jnp.repeat(x, q.shape[-3] // max(1, x.shape[-3]), axis=-3)


def scaled(x, factor):
    return x * factor


def capped(x, cap):
    return cap * jnp.tanh(x / cap)


def softmax(scores, counts):
    """Weights of the keys that count, 0 for a query without any."""
    if not scores.shape[-1]:
        return scores
    top = jax.lax.stop_gradient(jnp.where(counts, scores, -jnp.inf).max(-1, keepdims=True))
    powers = jnp.where(counts, jnp.exp(jnp.where(counts, scores - jnp.where(jnp.isfinite(top), top, 0), 0)), 0)
    total = powers.sum(-1, keepdims=True)
    return powers / jnp.where(total > 0, total, 1)


def which_count(scores, bias, mask, causal):
    """Which keys count, (*lead, queries, keys)."""
    queries, keys = scores.shape[-2:]
    counts = np.ones(scores.shape, bool)
    counts = counts if bias is None else counts & (bias != -jnp.inf)
    counts = counts if mask is None else counts & (jnp.asarray(mask) != 0)
    offset = {None: keys, "lower-right": keys - queries}.get(causal, 0)
    return counts & (np.arange(keys) <= np.arange(queries)[:, None] + offset)


def unit(x):
    """Vectors of length 1, or shorter ones where their length is below 1e-12."""
    squares = (x * x).sum(-1, keepdims=True)
    length = jnp.sqrt(jnp.where(squares > 0, squares, 1))
    return x / jnp.maximum(jnp.where(squares > 0, length, 0), 1e-12)


def attention(q, k, v, outputs, bias=None, mask=None, causal=None, scale=None, softcap=None, cosine=None):
    keys = shared(k, q)
    factor = 1 / math.sqrt(max(1, q.shape[-1])) if scale is None else float(scale)
    if cosine is not None:
        q, keys = unit(q), unit(keys)
        factor = jnp.exp(jnp.minimum(jnp.asarray(cosine, q.dtype), math.log(100)))
        factor = factor.reshape(-1, 1, 1) if factor.ndim else factor
    scores = scaled(product(q, keys.swapaxes(-1, -2)), factor)
    scores = scores if softcap is None else capped(scores, float(softcap))
    counts = which_count(scores, bias, mask, causal)
    scores = scores if bias is None else scores + jnp.where(bias == -jnp.inf, 0, bias)
    if outputs == "scores":
        return jnp.where(counts, scores, 0)
    weights = softmax(scores, counts)
    return weights if outputs == "weights" else product(weights, shared(v, q))


def vectors(table, rows, lead=()):
    """The vector of each pair, zeros for row -1, of one table or of one for each group of the heads in lead."""
    table = jnp.concatenate([table, jnp.zeros((*table.shape[:-2], 1, table.shape[-1]), table.dtype)], -2)
    rows = np.where(rows < 0, table.shape[-2] - 1, rows)
    if table.ndim == 2:
        return table[rows]
    rows = np.broadcast_to(rows, (*rows.shape[:-3], lead[-1], *rows.shape[-2:]))
    return heads_of(table, lead[-1])[np.arange(lead[-1])[:, None, None], rows]


def lead_of(x, rows):
    return np.broadcast_shapes(x.shape[:-2], rows.shape[:-2])


def relative_scores(x, weight, rows, by, scale=None):
    one = x[..., :, None, :] if by == "query" else x[..., None, :, :]
    made = (one * vectors(weight, rows, lead_of(x, rows))).sum(-1)
    return made if scale is None else scaled(made, float(scale))


def relative_values(probabilities, weight, rows):
    return (probabilities[..., None] * vectors(weight, rows, lead_of(probabilities, rows))).sum(-2)


def of_rows(q, table, rows):
    """The products of each query with the rows of a table, 0 for row -1."""
    products = product(q, table.swapaxes(-1, -2))
    rows = np.broadcast_to(rows, (*products.shape[:-1], rows.shape[-1]))
    if not products.shape[-1]:
        return jnp.zeros(rows.shape, q.dtype)
    return jnp.where(rows >= 0, jnp.take_along_axis(products, np.maximum(rows, 0), -1), 0)


def xl_scores(q, k, projected, rows, u=None, v=None, scale=None, segments=None, segment_rows=None, s=None,
              **options):  # fmt: skip
    when = options["scaled"]
    factor = 1 / math.sqrt(max(1, q.shape[-1])) if scale is None else float(scale)
    before = factor if when == "queries" else 1

    def of_heads(table):
        return table if table.ndim == 2 else heads_of(table, q.shape[-3])

    def biased(bias):
        if bias is None:
            return q * before
        return q * before + (bias if q.ndim < 3 else bias[:, None]) * before

    terms = [product(biased(u), shared(k, q).swapaxes(-1, -2)), of_rows(biased(v), of_heads(projected), rows)]
    terms += [] if segments is None else [of_rows(biased(s), of_heads(segments), segment_rows)]
    total = sum(term * factor if when == "parts" else term for term in terms)
    return scaled(total, factor) if when == "sum" else total


def deberta_scores(q, k, rows, scaling, key_table=None, query_table=None, query_rows=None):
    count = 1 + (key_table is not None) + (query_table is not None)
    root = math.sqrt(count * q.shape[-1]) or 1.0
    of_query = 1 / root if scaling == "queries" else 1
    of_key = 1 / root if scaling == "keys" else 1
    last = root if scaling == "products" else 1
    k = shared(k, q)
    total = product(q * of_query, (k * of_key / last).swapaxes(-1, -2))
    if key_table is not None:
        total += of_rows(q * of_query, key_table * of_key, rows) / last
    if query_table is not None:
        by_key = np.swapaxes(rows if query_rows is None else query_rows, -1, -2)
        total += of_rows(k, query_table * (of_query * of_key), by_key).swapaxes(-1, -2) / last
    return total


def axis_rows(queries, keys, sign):
    """The row of each query and key of an axis."""
    q, k = np.arange(queries)[:, None], np.arange(keys)
    if sign == "key-query":
        return k - q + keys - 1
    wide, high = max(keys, queries) * keys, max(queries, keys) * queries
    return (q * wide - k * high + (keys - 1) * high) // (queries * keys)


def resized(weight, rows):
    """Rows of a table by linear interpolation between the centres of cells."""
    at = np.clip((np.arange(rows) + 0.5) * (len(weight) / rows) - 0.5, 0, len(weight) - 1)
    low = np.floor(at).astype(int)
    share = (at - low).astype(weight.dtype)[:, None]
    return weight[low] * (1 - share) + weight[np.minimum(low + 1, len(weight) - 1)] * share


def decomposed_scores(q, weight_h, weight_w, query_grid, key_grid, sign, resize=None, class_token=False):
    (h, w), first = query_grid, int(class_token)

    def table(weight, queries, keys):
        rows = 2 * max(queries, keys) - 1 if sign == "query-key" else 2 * keys - 1
        weight = resized(weight, rows) if resize and len(weight) != rows else weight
        return weight[axis_rows(queries, keys, sign)]

    cells = q[..., first:, :].reshape(*q.shape[:-2], h, w, q.shape[-1])
    precise = {"precision": jax.lax.Precision.HIGHEST}
    down = jnp.einsum("...hwc,hkc->...hwk", cells, table(weight_h, h, key_grid[0]), **precise)
    across = jnp.einsum("...hwc,wkc->...hwk", cells, table(weight_w, w, key_grid[1]), **precise)
    made = (down[..., :, None] + across[..., None, :]).reshape(*q.shape[:-2], h * w, math.prod(key_grid))
    return jnp.pad(made, [(0, 0)] * (made.ndim - 2) + [(first, 0)] * 2)


def size(x):
    """|x|, whose slope at 0 is 0."""
    return x * jax.lax.stop_gradient(jnp.sign(x))


def fire(weight_in, weight_out, query_positions, key_positions, c, length, eps, mode, activation, bias_in=None,
         bias_out=None):  # fmt: skip
    i, j = (np.arange(p) if isinstance(p, int) else np.asarray(p) for p in (query_positions, key_positions))
    far = i[:, None] - j
    far = (np.maximum(far, 0) if mode == "clipped" else np.abs(far)).astype(weight_in.dtype)

    def psi(n):
        return jnp.log(size(c) * n + 1)

    x = psi(far) / (psi(jnp.maximum(i[:, None].astype(far.dtype), size(length))) + float(eps))
    hidden = x[..., None] * weight_in.reshape(-1)
    hidden = hidden if bias_in is None else hidden + bias_in
    active = jnp.where(hidden > 0, hidden, hidden * (0 if activation == "relu" else 0.01))
    made = product(active, weight_out.T)
    return jnp.moveaxis(made if bias_out is None else made + bias_out, -1, 0)


PROGRAMS = {
    program.__name__: program
    for program in (attention, relative_scores, relative_values, xl_scores, deberta_scores, decomposed_scores, fire)
}
