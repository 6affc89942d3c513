"""Scores, attention and FIRE as programs of torch, which autograd differentiates; each takes the arguments of a golden
case by name, tensors in the format in which it computes."""

import math

import torch
from torch.nn import functional


def number(value):
    return None if value is None else float(value)


def of_heads(x, q):
    """Keys or values, repeated for the heads of the queries that share them."""
    return x if x.shape[:-2] == q.shape[:-2] else x.repeat_interleave(q.shape[-3] // max(1, x.shape[-3]), -3)


def allowed_pairs(scores, bias, mask, causal):
    """Which keys count, (*lead, queries, keys)."""
    counts = torch.ones(scores.shape, dtype=torch.bool)
    counts = counts if bias is None else counts & (bias != -torch.inf)
    counts = counts if mask is None else counts & (torch.as_tensor(mask) != 0)
    if causal is not None:
        counts = counts.tril(scores.shape[-1] - scores.shape[-2] if causal == "lower-right" else 0)
    return counts


def scaled(x, factor):
    return x * factor


def capped(x, cap):
    return torch.tanh(x / cap) * cap


def softmax(scores, counts):
    """Weights, 0 for a query that no key counts for."""
    some = counts.any(-1, keepdim=True)
    return scores.masked_fill(~counts & some, -torch.inf).softmax(-1).masked_fill(~some, 0.0)


def attention(q, k, v, outputs, bias=None, mask=None, causal=None, scale=None, softcap=None, cosine=None):
    keys = of_heads(k, q)
    factor = 1 / math.sqrt(max(1, q.shape[-1])) if scale is None else number(scale)
    if cosine is not None:
        q, keys = functional.normalize(q, dim=-1), functional.normalize(keys, dim=-1)
        cosine = torch.as_tensor(cosine, dtype=q.dtype)
        factor = torch.clamp(cosine, max=math.log(100)).exp()
        factor = factor.reshape(-1, 1, 1) if factor.ndim else factor
    scores = scaled(q @ keys.transpose(-1, -2), factor)
    scores = scores if softcap is None else capped(scores, number(softcap))
    counts = allowed_pairs(scores, bias, mask, causal)
    scores = scores if bias is None else scores + bias
    if outputs == "scores":
        return scores.masked_fill(~counts, 0.0)
    weights = softmax(scores, counts)
    return weights if outputs == "weights" else weights @ of_heads(v, q)


def vectors(table, rows, lead=()):
    """The vector of each pair, zeros for row -1, of a table for all heads or of each group of the heads in lead."""
    table = torch.cat([table, table.new_zeros((*table.shape[:-2], 1, table.shape[-1]))], -2)
    rows = torch.where(rows < 0, table.shape[-2] - 1, rows)
    if table.ndim == 2:
        return table[rows]
    table = table.repeat_interleave(lead[-1] // max(1, len(table)), 0)
    return table[torch.arange(lead[-1])[:, None, None], rows.expand(*rows.shape[:-3], lead[-1], *rows.shape[-2:])]


def lead_of(x, rows):
    return torch.broadcast_shapes(x.shape[:-2], rows.shape[:-2])


def relative_scores(x, weight, rows, by, scale=None):
    pairs = vectors(weight, rows, lead_of(x, rows))
    x = x[..., :, None, :] if by == "query" else x[..., None, :, :]
    made = (x * pairs).sum(-1)
    return made if scale is None else scaled(made, number(scale))


def relative_values(probabilities, weight, rows):
    return (probabilities[..., None] * vectors(weight, rows, lead_of(probabilities, rows))).sum(-2)


def of_rows(q, table, rows):
    """q . table[rows] by a product of matrices and a gather; 0 for row -1."""
    products = q @ table.transpose(-1, -2)
    if not products.shape[-1]:
        return products.new_zeros((*products.shape[:-1], rows.shape[-1]))
    rows = rows.expand(*products.shape[:-1], rows.shape[-1])
    return torch.gather(products, -1, rows.clamp(min=0)).masked_fill(rows < 0, 0.0)


def xl_scores(q, k, projected, rows, u=None, v=None, scale=None, segments=None, segment_rows=None, s=None,
              **options):  # fmt: skip
    when = options["scaled"]
    factor = 1 / math.sqrt(max(1, q.shape[-1])) if scale is None else number(scale)

    def tables(x):
        return x if x.ndim == 2 else x.repeat_interleave(q.shape[-3] // max(1, len(x)), 0)

    def biased(bias):
        bias = bias if bias is None or q.ndim < 3 else bias[:, None]
        parts = [x if x is None or when != "queries" else x * factor for x in (q, bias)]
        return parts[0] if bias is None else parts[0] + parts[1]

    terms = [biased(u) @ of_heads(k, q).transpose(-1, -2), of_rows(biased(v), tables(projected), rows)]
    if segments is not None:
        terms.append(of_rows(biased(s), tables(segments), segment_rows))
    terms = [term * factor for term in terms] if when == "parts" else terms
    total = sum(terms[1:], terms[0])
    return scaled(total, factor) if when == "sum" else total


def deberta_scores(q, k, rows, scaling, key_table=None, query_table=None, query_rows=None):
    count = 1 + (key_table is not None) + (query_table is not None)
    s = math.sqrt(count * q.shape[-1]) or 1.0
    k = of_heads(k, q)
    queries = q / s if scaling == "queries" else q
    others = k / s if scaling == "products" else k * (1 / s) if scaling == "keys" else k
    added = 0
    if key_table is not None:
        part = of_rows(queries, key_table * (1 / s) if scaling == "keys" else key_table, rows)
        added = added + (part / s if scaling == "products" else part)
    if query_table is not None:
        table = query_table / s if scaling == "queries" else query_table * (1 / s) if scaling == "keys" else query_table
        by_key = (rows if query_rows is None else query_rows).transpose(-1, -2)
        part = of_rows(k, table, by_key).transpose(-1, -2)
        added = added + (part / s if scaling == "products" else part)
    return queries @ others.transpose(-1, -2) + added


def axis_rows(queries, keys, sign):
    q, k = torch.arange(queries)[:, None], torch.arange(keys)
    if sign == "key-query":
        return k - q + keys - 1
    wide, high = max(keys, queries) * keys, max(queries, keys) * queries
    return torch.div(q * wide - k * high + (keys - 1) * high, queries * keys, rounding_mode="floor")


def decomposed_scores(q, weight_h, weight_w, query_grid, key_grid, sign, resize=None, class_token=False):
    (h, w), first = query_grid, int(class_token)

    def table(weight, queries, keys):
        rows = 2 * max(queries, keys) - 1 if sign == "query-key" else 2 * keys - 1
        if resize and len(weight) != rows:
            weight = functional.interpolate(weight.T[None], rows, mode="linear")[0].T
        return weight[axis_rows(queries, keys, sign)]

    cells = q[..., first:, :].reshape(*q.shape[:-2], h, w, q.shape[-1])
    down = torch.einsum("...hwc,hkc->...hwk", cells, table(weight_h, h, key_grid[0]))
    across = torch.einsum("...hwc,wkc->...hwk", cells, table(weight_w, w, key_grid[1]))
    made = (down[..., :, None] + across[..., None, :]).reshape(*q.shape[:-2], h * w, math.prod(key_grid))
    return functional.pad(made, (first, 0, first, 0))


def fire(weight_in, weight_out, query_positions, key_positions, c, length, eps, mode, activation, bias_in=None,
         bias_out=None):  # fmt: skip
    i, j = (torch.arange(p) if isinstance(p, int) else torch.as_tensor(p) for p in (query_positions, key_positions))
    far = i[:, None] - j
    far = (far.clamp(min=0) if mode == "clipped" else far.abs()).to(weight_in.dtype)

    def psi(n):
        return torch.log(torch.abs(c * n) + 1)

    x = psi(far) / (psi(torch.maximum(i[:, None].to(far.dtype), torch.abs(length))) + number(eps))
    hidden = functional.linear(x[..., None], weight_in.reshape(-1, 1), bias_in)
    active = functional.relu(hidden) if activation == "relu" else functional.leaky_relu(hidden, 0.01)
    return functional.linear(active, weight_out, bias_out).movedim(-1, 0)


PROGRAMS = {
    program.__name__: program
    for program in (attention, relative_scores, relative_values, xl_scores, deberta_scores, decomposed_scores, fire)
}
