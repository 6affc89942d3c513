"""Gradients of the scores of DeBERTa, in plain Python floats, head by head."""

import math

import numpy as np
from witness.learned_biases import divided, times
from witness.relative_vectors import of_heads, of_rows
from witness.sequences import dot
from witness.suites import of_doubles, witness


@witness(
    "vjp_deberta_scores",
    source=("definition: the derivative of deberta_scores", "order: docs/orders/vjp_deberta_scores.txt"),
)
def _deberta_scores(given, call, dtype):
    q, names = given["q"], ("q", "k", "key_table", "query_table")
    sums = {name: np.zeros(given[name].shape) for name in names if isinstance(given.get(name), np.ndarray)}
    root = math.sqrt(q.shape[-1] * (len(sums) - 1)) or 1.0
    for head in np.ndindex(q.shape[:-2]):
        add_head(sums, given, head, root)
    for name, table in sums.items():
        if name == "query_table" and given["scaling"] == "queries":
            sums[name] = table / root
        if name.endswith("table") and given["scaling"] == "keys":
            sums[name] = table * (1.0 / root)
    return {f"gradient_{name}": of_doubles(value, value.shape, dtype) for name, value in sums.items()}


def own(array, head):
    """The index of what a head reads of an array, which lacks leading axes or has one entry along them."""
    sizes = array.shape[:-2]
    return tuple(0 if size == 1 else k for size, k in zip(sizes, head[len(head) - len(sizes) :], strict=True))


def add_head(sums, given, head, root):
    """Add what one head of the queries gives."""
    scaling, dim, change = given["scaling"], given["q"].shape[-1], given["cotangent"][head].tolist()
    of_keys = (*head[:-1], head[-1] * given["k"].shape[-3] // given["q"].shape[-3]) if head else ()
    q, k = given["q"][head].tolist(), given["k"][of_keys].tolist()
    queries = [divided(x, root) for x in q] if scaling == "queries" else q
    keys = {"queries": k, "products": [divided(x, root) for x in k], "keys": [times(x, 1.0 / root) for x in k]}[scaling]
    pairs = [[one / root for one in row] for row in change] if scaling == "products" else change

    def table(name):
        """(its vectors after scaling, its index)."""
        place = own(given[name], head)
        vectors = given[name][place].tolist()
        if scaling == "keys":
            return [times(x, 1.0 / root) for x in vectors], place
        return [divided(x, root) for x in vectors] if scaling == "queries" and name == "query_table" else vectors, place

    def numbers(name):
        rows = given[name] if given.get(name) is not None else given["rows"]
        return np.broadcast_to(rows, given["cotangent"].shape)[head].tolist()

    made = [[dot(row, [key[c] for key in keys]) for c in range(dim)] for row in change]
    columns = [[row[j] for row in change] for j in range(len(k))]
    met = [[dot(column, [query[c] for query in queries]) for c in range(dim)] for column in columns]
    if scaling != "queries":
        met = [divided(x, root) if scaling == "products" else times(x, 1.0 / root) for x in met]
    if "key_table" in sums:
        vectors, place = table("key_table")
        rows = numbers("rows")
        made = [both(*pair) for pair in zip(made, of_heads(pairs, vectors, rows, dim), strict=True)]
        for row, c, value in of_rows(pairs, queries, rows, dim):
            sums["key_table"][(*place, row, c)] += value
    if "query_table" in sums:
        vectors, place = table("query_table")
        rows = numbers("query_rows")
        by_key = [[[line[j] for line in of] for j in range(len(k))] for of in (pairs, rows)]
        met = [both(*pair) for pair in zip(met, of_heads(by_key[0], vectors, by_key[1], dim), strict=True)]
        for row, c, value in of_rows(by_key[0], k, by_key[1], dim):
            sums["query_table"][(*place, row, c)] += value
    made = [divided(x, root) for x in made] if scaling == "queries" else made
    sums["q"][head] = np.array(made).reshape(len(q), dim)
    sums["k"][of_keys] += np.array(met).reshape(len(k), dim)


def both(x, y):
    """Channel by channel."""
    return [a + b for a, b in zip(x, y, strict=True)]
