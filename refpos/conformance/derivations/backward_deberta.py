"""Error bounds of the gradients of DeBERTa's scores."""

import numpy as np

from ...scores.deberta_scores import read_terms
from ...steps.scores import ordered_sums
from . import running_error
from .backward import bounds_gradients, numbers, sums
from .backward_scores import of_table, of_vectors, to_keys, transposed


@bounds_gradients("deberta_scores")
def _deberta_scores(given, fmt):
    terms = read_terms(*(given[name] for name in ("q", "k", "key_table", "query_table", "rows", "query_rows")))
    q, k, key_table, query_table = (numbers(part, fmt) for part in terms[:4])
    divisor, dy, scaling = numbers(terms.divisor, fmt), numbers(given["cotangent"], fmt), given["scaling"]
    factor = running_error.divide(numbers(1.0, fmt), divisor)

    def by(names, x):
        """x over the divisor, or times 1 over it, where the scaling is one of these."""
        if x is None or scaling not in names:
            return x
        return running_error.multiply(x, factor) if scaling == "keys" else running_error.divide(x, divisor)

    pairs = by("products", dy)
    scaled = {"unscaled": dy, "scale": 1 / terms.divisor}
    queries, shape = by("queries", q), np.shape(given["k"])
    of_queries = sums(ordered_sums.matmul, dy, by(("products", "keys"), k), **scaled)
    of_keys = by(("products", "keys"), sums(to_keys(shape), dy, queries, **scaled))
    found = {}
    if key_table is not None:
        rows = terms.key_rows
        table = of_vectors(pairs, by("keys", key_table), rows, queries.values.shape, **scaled)
        of_queries = running_error.add(of_queries, table)
        found["key_table"] = by("keys", of_table(pairs, queries, rows, key_table.values.shape, **scaled))
    if query_table is not None:
        by_key, rows = transposed(pairs), terms.query_rows.swapaxes(-1, -2)
        scaled["unscaled"] = transposed(dy)
        read = by(("queries", "keys"), query_table)
        of_keys = running_error.add(of_keys, of_vectors(by_key, read, rows, shape, **scaled))
        made = of_table(by_key, k, rows, query_table.values.shape, **scaled)
        found["query_table"] = by(("queries", "keys"), made)
    return {"q": by("queries", of_queries), "k": of_keys, **found}
