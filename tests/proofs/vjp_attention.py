"""Gradients of attention in plain Python floats, one pair after the other, in the order of docs/gradients.md."""

import math

import numpy as np
from witness.attention import LARGEST_LOGIT, of_query, queries, scale_of, unit
from witness.elementary import rounded
from witness.sequences import divided, dot, total
from witness.suites import of_doubles, witness


@witness("vjp_attention", source=("definition: the derivative of attention", "order: docs/orders/vjp_attention.txt"))
def _attention(given, call, dtype):
    trained = [name for name in ("q", "k", "v", "bias", "cosine") if isinstance(given.get(name), np.ndarray)]
    sums = {name: np.zeros(given[name].shape) for name in trained}
    heads, read = {}, set()  # read: the vectors of k in a pair that counts
    for index, own, options in queries(given):
        heads.setdefault((index[:-1], own), []).append((index, options))
    for (head, own), rows in heads.items():
        read.update((*own, j) for _, j in add_head(sums, given, head, own, rows))
    if given.get("cosine") is not None:
        for place in read:
            sums["k"][place] = of_unit(sums["k"][place].tolist(), given["k"][place].tolist())
    return {f"gradient_{name}": of_doubles(value, value.shape, dtype) for name, value in sums.items()}


def add_head(sums, given, head, own, rows):
    """Add what the queries of one head, [(index, options)], give to each of the sums; returns the pairs that count."""
    logit = rows[0][1]["logit"]
    raw, keys = given["q"][head].tolist(), given["k"][own].tolist()
    q, k = (raw, keys) if logit is None else ([unit(x) for x in raw], [unit(x) for x in keys])
    pairs = {}
    for i, (index, options) in enumerate(rows):
        values = None if given["v"] is None else given["v"][own].tolist()
        dy = given["cotangent"][index].tolist()
        for j, found in of_row(raw[i], keys, q[i], k, values, dy, given["outputs"], options).items():
            pairs[i, j] = found
    for i, row in enumerate(q):
        of_row_i = [j for j in range(len(k)) if (i, j) in pairs]
        made = [dot([pairs[i, j][2] for j in of_row_i], [k[j][c] for j in of_row_i]) for c in range(len(row))]
        sums["q"][(*head, i)] = made if logit is None or not of_row_i else of_unit(made, raw[i])
    for j in range(len(k)):
        of_key = [i for i in range(len(q)) if (i, j) in pairs]
        for c in range(given["k"].shape[-1]):
            sums["k"][(*own, j, c)] += dot([pairs[i, j][2] for i in of_key], [q[i][c] for i in of_key])
        for c in range(given["v"].shape[-1] if given["outputs"] == "output" else 0):
            dy = [given["cotangent"][(*head, i, c)].item() for i in of_key]
            sums["v"][(*own, j, c)] += dot([pairs[i, j][0] for i in of_key], dy)
    size = len(q), len(k)
    if "bias" in sums:
        add_shared(sums["bias"], head, {pair: found[1] for pair, found in pairs.items()}, size)
    if "cosine" in sums and not logit > LARGEST_LOGIT:
        logits = sums["cosine"].reshape(*sums["cosine"].shape[:1], 1, 1)
        add_shared(logits, head, {pair: found[3] for pair, found in pairs.items()}, size)
    return pairs


def of_row(q, keys, unit_q, unit_keys, values, dy, output, options):
    """{j: (weight, s', a', x' x)} of the keys that count for one query."""
    _, weights, _ = of_query(q, keys, values, 0, **options)
    bias = options["bias"] or [0.0] * len(keys)
    counted = [j for j, keep in enumerate(options["kept"]) if keep and bias[j] != -math.inf]
    change = {j: dot(dy, values[j]) if output == "output" else dy[j] for j in counted}
    if output != "scores":
        mean = total([weights[j] * change[j] for j in counted])
        change = {j: weights[j] * (change[j] - mean) for j in counted}
    factor, cap, found = scale_of(len(q), options["scale"], options["logit"]), options["cap"], {}
    for j in counted:
        x = dot(unit_q, unit_keys[j]) * factor
        of_x = change[j]
        if cap is not None:
            t = x / cap
            t = t if t != t else math.copysign(1.0, t) if math.isinf(t) else rounded("tanh", t)
            of_x = of_x * (1.0 - t * t)
        found[j] = weights[j], change[j], of_x * factor, of_x * x
    return found


def add_shared(sums, head, terms, size):
    """Add terms {(i, j): number} of a head to sums that broadcast: over keys, then over queries, where these share."""
    shape = (1,) * (len(head) + 2 - sums.ndim) + sums.shape
    of_one = shape[-1] == 1, shape[-2] == 1
    table = [[terms.get((i, j), 0.0) for j in range(size[1])] for i in range(size[0])]
    table = [[total(row)] for row in table] if of_one[0] else table
    table = [[total(column) for column in zip(*table, strict=True)] or [0.0] * shape[-1]] if of_one[1] else table
    place = tuple(number if count > 1 else 0 for number, count in zip(head, shape, strict=False))
    for (i, j), _ in np.ndenumerate(np.zeros(shape[-2:])):
        sums.reshape(shape)[(*place, i, j)] += table[i][j]


def of_unit(change, x):
    """The gradient for a vector that is divided by its norm, or by 1e-12."""
    size, y = math.sqrt(dot(x, x)), unit(x)
    least = size if size >= 1e-12 or size != size else 1e-12
    along = dot(y, change)
    return [divided(one - (0.0 if size < 1e-12 else part * along), least) for one, part in zip(change, y, strict=True)]
