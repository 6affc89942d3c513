"""Gradients of the scores of Transformer-XL and its kin, in plain Python floats, head by head."""

import numpy as np
from witness.relative_vectors import of_heads, of_rows
from witness.sequences import dot, total
from witness.suites import of_doubles, witness
from witness.transformer_xl import added, inverse_root, times

TERMS = (("projected", "rows", "v"), ("segments", "segment_rows", "s"))


@witness("vjp_xl_scores", source=("definition: the derivative of xl_scores", "order: docs/orders/vjp_xl_scores.txt"))
def _xl_scores(given, call, dtype):
    q = given["q"]
    scale = inverse_root(q.shape[-1]) if given.get("scale") is None else float(given["scale"])
    first = given.get("scaled", "sum") == "queries"
    names = ("q", "k", "projected", "u", "v", "segments", "s")
    sums = {name: np.zeros(given[name].shape) for name in names if isinstance(given.get(name), np.ndarray)}
    for head in np.ndindex(q.shape[:-2]):
        add_head(sums, given, head, scale, first)
    for name in ("u", "v", "s") if first else ():
        if name in sums:
            sums[name] = sums[name] * scale
    return {f"gradient_{name}": of_doubles(value, value.shape, dtype) for name, value in sums.items()}


def add_head(sums, given, head, scale, first):
    """Add what one head of the queries gives; first: queries and their biases are scaled, not the scores."""
    own = (*head[:-1], head[-1] * given["k"].shape[-3] // given["q"].shape[-3]) if head else ()
    queries, keys = given["q"][head].tolist(), given["k"][own].tolist()
    dim, change = given["q"].shape[-1], given["cotangent"][head].tolist()
    if first:
        queries = [times(query, scale) for query in queries]
    else:
        change = [[one * scale for one in row] for row in change]

    def biased(name):
        bias = None if given.get(name) is None else given[name][head[-1:]].tolist()
        bias = times(bias, scale) if first else bias
        return [added(query, bias) for query in queries]

    def of_bias(name, made):
        if name in sums:
            for c in range(dim):
                sums[name][(*head[-1:], c)] += total([row[c] for row in made])

    content = biased("u")
    made = [[dot(row, [key[c] for key in keys]) for c in range(dim)] for row in change]
    of_bias("u", made)
    for j in range(len(keys)):
        for c in range(dim):
            sums["k"][(*own, j, c)] += dot([row[j] for row in change], [query[c] for query in content])
    for table, rows, bias in TERMS:
        if table not in sums:
            continue
        which = head[-1:] if given[table].ndim == 3 else ()
        numbers = np.broadcast_to(given[rows], given["cotangent"].shape)[head].tolist()
        of_vectors = of_heads(change, given[table][which].tolist(), numbers, dim)
        of_bias(bias, of_vectors)
        made = [added(row, other) for row, other in zip(made, of_vectors, strict=True)]
        for row, c, value in of_rows(change, biased(bias), numbers, dim):
            sums[table][(*which, row, c)] += value
    sums["q"][head] = np.array([times(row, scale) if first else row for row in made]).reshape(len(queries), dim)
