"""DeBERTa: scores of words and distances, disentangled."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, get_args

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError
from ..steps.rows import doubles, gather, learned_tables, table_gradients
from ..steps.scores import heads, ordered_sums, relative_gradients
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["deberta_scores"]

Scaling = Literal["queries", "products", "keys"]
SCALINGS = get_args(Scaling)
TRAINED = ("q", "k", "key_table", "query_table")


class Terms(NamedTuple):
    """What the scores are made of, as float64 and int64 arrays; None for a term that is left out."""

    queries: np.ndarray
    keys: np.ndarray
    key_table: np.ndarray | None
    query_table: np.ndarray | None
    key_rows: np.ndarray | None
    query_rows: np.ndarray | None

    @property
    def divisor(self):
        """sqrt(dim * terms), rounded once."""
        count = 1 + (self.key_table is not None) + (self.query_table is not None)
        return math.sqrt(count * self.queries.shape[-1]) or 1.0


def _gradients(function, given, cotangent):
    """{argument: gradient} of queries, keys and tables."""
    scaling, fmt = checks.choice("scaling", given["scaling"], SCALINGS), formats.resolve(given["dtype"])
    terms = read_terms(*(given[name] for name in (*TRAINED, "rows", "query_rows")))
    shape = (*terms.queries.shape[:-1], terms.keys.shape[-2])
    change = learned_tables.values(table_gradients.read_cotangent(cotangent, shape, fmt))
    tables = {name: table_gradients.read_trained(name, given[name]) for name in TRAINED if given[name] is not None}
    with np.errstate(all="ignore"):
        found = _gradients_of(terms, change, scaling, checks.thread_count(given["threads"]))
        found["k"] = relative_gradients.to_shape(found["k"], tables["k"].shape)
    return table_gradients.rounded(tables, found)


@register(
    family="scores",
    paper="He et al. 2021, DeBERTa, arXiv:2006.03654, section 3.1, equations 2 to 4",
    conventions="rows by query minus key; scaling queries, products or keys (no default)",
    contract="written",
    also="DeBERTa, disentangled attention, c2p, p2c",
    gradients=dict.fromkeys(TRAINED, _gradients),
)
def deberta_scores(
    q: ArrayLike,
    k: ArrayLike,
    key_table: ArrayLike | None,
    query_table: ArrayLike | None,
    rows: ArrayLike,
    *,
    scaling: Scaling,
    query_rows: ArrayLike | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Disentangled attention scores (DeBERTa): content with content, content with distance and back.

        s = sqrt(dim * (1 + how many tables are given)),  r = rows[i, j],  t = query_rows[i, j] or r
        queries:   S[i, j] = (q_i / s) . k_j + ((q_i / s) . key_table_r + k_j . (query_table_t / s))
        products:  S[i, j] = q_i . (k_j / s) + ((q_i . key_table_r) / s + (k_j . query_table_t) / s)
        keys:      S[i, j] = q_i . (k_j f) + (q_i . (key_table_r f) + k_j . (query_table_t f)),  f = 1 / s

    Parameters
    ----------
    q : array_like
        Queries, shape (..., heads, queries, dim), not scaled.
    k : array_like
        Keys, shape (..., heads, keys, dim).
    key_table : array_like or None
        The vectors of distances after the projection of keys (c2p), (heads, rows, dim), or None for a term that a model
        lacks.
    query_table : array_like or None
        The vectors of distances after the projection of queries (p2c), (heads, rows, dim), or None.
    rows : array_like
        Integers (queries, keys), or with leading axes that broadcast: those of `relative_rows` for DeBERTa, of
        `log_buckets` for v2, see docs/relative.md.
    scaling : {'queries', 'products', 'keys'}
        Order of the division, as stated above: "queries" DeBERTa, "products" v2, v3 and SEW-D of transformers, "keys"
        v2 and v3 of Microsoft.
    query_rows : array_like, optional
        Rows of p2c, where they differ from rows.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., heads, queries, keys) of class `sequence64`: the root, quotients, products and sums are each rounded
        to float64, sums over channels from 0 on with the index ascending; then rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE (k, tables, rows), E_CHOICE (scaling; key_table where both are None; query_rows with one table),
        E_NUMBER (rows beyond a table), E_DTYPE, E_SIZE (threads), E_OUT, E_TOO_LARGE.

    References
    ----------
    - DisentangledSelfAttention in models/deberta/modeling_deberta.py, models/deberta_v2/modeling_deberta_v2.py and
      models/sew_d/modeling_sew_d.py (transformers 5.23.0), with the root in float32.
    - microsoft/DeBERTa at 4d7fe0b, DeBERTa/deberta/disentangled_attention.py.

    Examples
    --------
    >>> import numpy as np
    >>> table = np.array([[[4.0], [8.0]]])
    >>> deberta_scores([[[1.0], [2.0]]], [[[1.0]]], table, None, [[0], [1]], scaling="queries").round(3)
    array([[[ 3.536],
            [12.728]]])
    """
    checks.choice("scaling", scaling, SCALINGS)
    fmt, threads = formats.resolve(dtype), checks.thread_count(threads)
    terms = read_terms(q, k, key_table, query_table, rows, query_rows)
    shape = (*terms.queries.shape[:-1], terms.keys.shape[-2])
    apart_from = doubles.arrays(q, k, key_table, query_table, rows, query_rows)
    result, stored = checks.output(out, shape, fmt, apart_from=apart_from)
    if stored.size:
        doubles.store(stored, _scores(terms, scaling, threads), fmt)
    return result


def read_terms(q, k, key_table, query_table, rows, query_rows):
    """The arguments as `Terms`."""
    queries, keys = heads.read_queries_keys(q, k)
    if key_table is None and query_table is None:
        raise InputError("E_CHOICE", "key_table", "key_table must be given where query_table is None, got None")
    if query_rows is not None and (key_table is None or query_table is None):
        sentence = "query_rows must be left out where one table is None, whose rows are those of `rows`, got an array"
        raise InputError("E_CHOICE", "query_rows", sentence)
    tables = [_table(*given, queries) for given in (("key_table", key_table), ("query_table", query_table))]
    shape = (*queries.shape[:-1], keys.shape[-2])
    named = (("rows", rows), ("rows", rows) if query_rows is None else ("query_rows", query_rows))
    indices = [None if table is None else _rows(*one, table, shape) for one, table in zip(named, tables)]
    return Terms(queries, keys, *tables, *indices)


def _table(name, values, queries):
    """float64 vectors (..., rows, dim), whose leading axes broadcast with those of the queries, or None."""
    if values is None:
        return None
    table, lead = heads.read(name, values), queries.shape[:-2]
    if table.shape[-1] != queries.shape[-1] or not _fits(table.shape[:-2], lead):
        wanted = f"({', '.join(map(str, (*lead, 'rows', queries.shape[-1])))})"
        raise InputError("E_SHAPE", name, f"{name} must be {wanted} or with fewer leading axes, got {table.shape}")
    return table


def _rows(name, values, table, shape):
    """Integers below the rows of the table, in the shape of the scores."""
    index = gather.read_index(name, values, table.shape[-2])
    if index.ndim < 2 or index.shape[-2:] != shape[-2:] or not _fits(index.shape, shape):
        sentence = f"{name} must be {shape[-2:]}, or with leading axes that broadcast with {shape[:-2]}"
        raise InputError("E_SHAPE", name, f"{sentence}, got {index.shape}")
    return np.broadcast_to(index, shape)


def _fits(shape, whole):
    """Whether arrays of the shape broadcast to the whole one."""
    ends = zip(reversed(shape), reversed(whole))
    return len(shape) <= len(whole) and all(one in (1, size) for one, size in ends)


def _scaled(terms, scaling):
    """(queries, the keys that they meet, key_table, query_table), scaled where they are so before a product."""
    queries, keys, key_table, query_table = terms[:4]
    divisor = terms.divisor
    if scaling == "queries":
        return queries / divisor, keys, key_table, None if query_table is None else query_table / divisor
    if scaling == "products":
        return queries, keys / divisor, key_table, query_table
    factor = 1.0 / divisor
    tables = (None if table is None else table * factor for table in (key_table, query_table))
    return (queries, keys * factor, *tables)


def _scores(terms, scaling, threads):
    """Scores as float64."""
    with np.errstate(all="ignore"):
        queries, others, key_table, query_table = _scaled(terms, scaling)
        parts = []
        if key_table is not None:
            parts.append(gathered_scores(heads.scores(queries, key_table, threads), terms.key_rows))
        if query_table is not None:
            made = heads.scores(terms.keys, query_table, threads).swapaxes(-1, -2)
            parts.append(gathered_scores(made, terms.query_rows, -2))
        if scaling == "products":
            parts = [part / terms.divisor for part in parts]
        added = parts[0] + parts[1] if len(parts) == 2 else parts[0]
        return ordered_sums.canonical(heads.scores(queries, others, threads) + added)


def _gradients_of(terms, change, scaling, threads):
    """{name: float64 gradient}, that of k for each head of the queries."""
    queries, others, key_table, query_table = _scaled(terms, scaling)
    of_pairs = change / terms.divisor if scaling == "products" else change
    of_queries = ordered_sums.matmul(change, others, threads)
    of_keys = ordered_sums.matmul(change.swapaxes(-1, -2), queries, threads)
    if scaling != "queries":
        of_keys = of_keys / terms.divisor if scaling == "products" else of_keys * (1.0 / terms.divisor)
    found = {}
    if key_table is not None:
        rows = terms.key_rows
        made = relative_gradients.of_vectors(of_pairs, key_table, rows, queries.shape, threads)
        of_queries = of_queries + made
        found["key_table"] = relative_gradients.of_table(of_pairs, queries, rows, key_table.shape)
    if query_table is not None:
        by_key, rows = of_pairs.swapaxes(-1, -2), terms.query_rows.swapaxes(-1, -2)
        of_keys = of_keys + relative_gradients.of_vectors(by_key, query_table, rows, of_keys.shape, threads)
        found["query_table"] = relative_gradients.of_table(by_key, terms.keys, rows, query_table.shape)
    if scaling == "queries":
        of_queries = of_queries / terms.divisor
        if query_table is not None:
            found["query_table"] = found["query_table"] / terms.divisor
    if scaling == "keys":
        found = {name: table * (1.0 / terms.divisor) for name, table in found.items()}
    return {"q": of_queries, "k": of_keys, **found}


def gathered_scores(products, rows, axis=-1):
    """products[i, rows[i, j]] for each query i and key j, or products[rows[i, j], j] along the axis -2."""
    shape = list(rows.shape)
    shape[axis] = products.shape[axis]
    return np.take_along_axis(np.broadcast_to(products, shape), rows, axis)
