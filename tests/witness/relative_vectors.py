"""Scores and sums with the vector of each pair of a query and a key, in plain Python floats, pair by pair."""

import numpy as np

from . import sequences


def broadcast(x, rows, weight):
    """(x, rows) with the same leading axes, and the function from such an index to its table, row -1 being None."""
    lead = np.broadcast_shapes(x.shape[:-2], rows.shape[:-2])
    x, rows = (np.broadcast_to(part, (*lead, *part.shape[-2:])) for part in (x, rows))

    def table(place):
        own = weight if weight.ndim == 2 else weight[place[-1] // (lead[-1] // len(weight))]
        return [*own.tolist(), None]

    return lead, x, rows, table


def scores(x, weight, rows, by, scale):
    """scale * (the vector of a query, or of a key, . the vector of the pair)."""
    lead, x, rows, table = broadcast(x, rows, weight)
    result = np.zeros(rows.shape)
    for place in np.ndindex(*lead):
        vectors, entries = x[place].tolist(), table(place)
        for i, j in np.ndindex(*rows.shape[-2:]):
            vector = entries[rows[(*place, i, j)]]
            if vector is not None:
                value = sequences.dot(vectors[i if by == "query" else j], vector)
                result[(*place, i, j)] = value if scale is None else value * scale
    return result


def of_heads(change, entries, rows, dim):
    """For each query of one head the sum over its keys of change times the vector of the pair."""
    found = []
    for of_query, numbers in zip(change, rows, strict=True):
        kept = [(one, entries[row]) for one, row in zip(of_query, numbers, strict=True) if row >= 0]
        ones = [one for one, _ in kept]
        found.append([sequences.dot(ones, [vector[c] for _, vector in kept]) for c in range(dim)])
    return found


def of_rows(change, vectors, numbers, dim):
    """(row, channel, sum over the queries that read it of the sum of their changes times their vector)."""
    read = {}
    for i, line in enumerate(numbers):
        for j, row in enumerate(line):
            if row >= 0:
                read.setdefault(row, {}).setdefault(i, []).append(change[i][j])
    for row, of_queries in read.items():
        for c in range(dim):
            yield (
                row,
                c,
                sequences.dot(
                    [sequences.total(one) for one in of_queries.values()], [vectors[i][c] for i in of_queries]
                ),
            )


def values(probabilities, weight, rows):
    """For each query the sum over keys, the first one first, of probability times the vector of the pair."""
    lead, shares, rows, table = broadcast(probabilities, rows, weight)
    result = np.zeros((*rows.shape[:-1], weight.shape[-1]))
    for place in np.ndindex(*lead):
        found = of_heads(shares[place].tolist(), table(place), rows[place].tolist(), weight.shape[-1])
        result[place] = np.array(found).reshape(result[place].shape)
    return result


def bucket_scores(x, weight, bias, rows, heads):
    """The number that a linear map gives for the bucket of each pair and each head: row bucket * heads + head."""
    lead = np.broadcast_shapes(x.shape[:-2], rows.shape[:-2])
    x, rows = (np.broadcast_to(part, (*lead, *part.shape[-2:])) for part in (x, rows))
    result = np.zeros((*lead, heads, *rows.shape[-2:]))
    for place in np.ndindex(*result.shape):
        *before, head, i, j = place
        bucket = rows[(*before, i, j)]
        if bucket >= 0:
            line = bucket * heads + head
            value = sequences.dot(x[(*before, i)].tolist(), weight[line].tolist())
            result[place] = value if bias is None else value + float(bias[line])
    return result
