"""Gradients of scores and sums with the vector of each pair, in plain Python floats, pair by pair."""

import numpy as np
from witness.relative_vectors import broadcast, of_heads
from witness.sequences import dot, total
from witness.suites import of_doubles, witness


@witness(
    "vjp_relative_scores",
    source=("definition: the derivative of relative_scores", "order: docs/orders/vjp_relative_scores.txt"),
)
def _relative_scores(given, call, dtype):
    by, change = given["by"], given["cotangent"]
    change = change if given.get("scale") is None else change * float(given["scale"])
    rows = given["rows"]
    if by == "key":
        rows, change = rows.swapaxes(-1, -2), change.swapaxes(-1, -2)
    found = {
        "gradient_x": vectors(change, given["x"], given["weight"], rows),
        "gradient_weight": tables(change, given["x"], given["weight"], rows),
    }
    return {name: of_doubles(value, value.shape, dtype) for name, value in found.items()}


@witness(
    "vjp_relative_values",
    source=("definition: the derivative of relative_values", "order: docs/orders/vjp_relative_values.txt"),
)
def _relative_values(given, call, dtype):
    shares, weight, rows, change = (given[name] for name in ("probabilities", "weight", "rows", "cotangent"))
    lead, change, index, table = broadcast(change, rows, weight)
    sums = np.zeros((*lead, *rows.shape[-2:]))
    for place in np.ndindex(*lead):
        entries = table(place)
        for i, j in np.ndindex(*rows.shape[-2:]):
            vector = entries[index[(*place, i, j)]]
            sums[(*place, i, j)] = 0.0 if vector is None else dot(change[(*place, i)].tolist(), vector)
    found = {
        "gradient_probabilities": shared(sums, shares.shape),
        "gradient_weight": tables(np.broadcast_to(shares, sums.shape), change, weight, rows),
    }
    return {name: of_doubles(value, value.shape, dtype) for name, value in found.items()}


def vectors(change, x, weight, rows):
    """For each query the sum over the keys of change times the vector of the pair, in the shape of x."""
    lead, change, rows, table = broadcast(change, rows, weight)
    sums = np.zeros((*lead, rows.shape[-2], weight.shape[-1]))
    for place in np.ndindex(*lead):
        found = of_heads(change[place].tolist(), table(place), rows[place].tolist(), weight.shape[-1])
        sums[place] = np.array(found).reshape(sums[place].shape)
    return shared(sums, x.shape)


def tables(change, x, weight, rows):
    """For each row the sum over the queries that read it of (the sum of their changes) times their vector."""
    lead, change, rows, _ = broadcast(change, rows, weight)
    x = np.broadcast_to(x, (*lead, *x.shape[-2:]))
    sums = np.zeros(weight.shape)
    for place in np.ndindex(*lead):
        own = sums if weight.ndim == 2 else sums[place[-1] // (lead[-1] // len(weight))]
        for row in range(weight.shape[-2]):
            read = {}
            for i, j in np.argwhere(rows[place] == row):
                read.setdefault(i, []).append(float(change[(*place, i, j)]))
            for c in range(weight.shape[-1]):
                own[row, c] += dot([total(of_i) for of_i in read.values()], [float(x[(*place, i, c)]) for i in read])
    return sums


def shared(values, shape):
    """Sums over the leading axes that others broadcast along."""
    sums = np.zeros((1,) * (values.ndim - len(shape)) + shape)
    for place in np.ndindex(*values.shape[:-2]):
        at = tuple(number if size > 1 else 0 for number, size in zip(place, sums.shape, strict=False))
        sums[at] = sums[at] + values[place]
    return sums.reshape(shape)
