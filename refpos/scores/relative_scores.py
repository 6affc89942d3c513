"""Scores of queries, or of keys, with a vector for each distance."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError
from ..steps.rows import doubles, learned_tables, table_gradients
from ..steps.scores import heads, relative_gradients, relative_vectors
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["relative_scores"]

By = Literal["query", "key"]
BYS = get_args(By)


def _gradients(function, given, cotangent):
    """{argument: gradient} of the vectors and of the table."""
    by, fmt = checks.choice("by", given["by"], BYS), formats.resolve(given["dtype"])
    x, weight, scale = given["x"], given["weight"], given["scale"]
    numbers, table, index, shape = read_vectors(x, weight, given["rows"], by)
    shares = learned_tables.values(table_gradients.read_cotangent(cotangent, shape, fmt))
    shares = shares if by == "query" else shares.swapaxes(-1, -2)
    if scale is not None:
        with np.errstate(all="ignore"):
            shares = shares * heads.read_scale(scale, numbers.shape[-1])
    threads = checks.thread_count(given["threads"])
    tables = {name: table_gradients.read_trained(name, array) for name, array in (("x", x), ("weight", weight))}
    return table_gradients.rounded(tables, {
        "x": relative_gradients.of_vectors(shares, table, index, numbers.shape, threads),
        "weight": relative_gradients.of_table(shares, numbers, index, table.shape),
    })  # fmt: skip


@register(
    family="scores",
    paper="Shaw et al. 2018, Self-Attention with Relative Position Representations, arXiv:1803.02155, equation 5",
    conventions="by query or key (no default); row -1 reads zeros; no scale unless given",
    contract="written",
    also=(
        "Shaw, Shaw relative position, relative position representations, relative_key, "
        "relative position encoding, RPE, relative_key_query, Music Transformer, skewing, "
        "relative attention"
    ),
    gradients=dict.fromkeys(("x", "weight"), _gradients),
)
def relative_scores(
    x: ArrayLike,
    weight: ArrayLike,
    rows: ArrayLike,
    *,
    by: By,
    scale: Number | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Relative position scores (Shaw): queries times learned vectors of the distance.

        score[..., i, j] = scale * (x[..., i, :] . weight[rows[i, j]])   by "query",   x[..., j, :] . ..   by "key"

    Parameters
    ----------
    x : array_like
        Queries (..., heads, queries, dim), or keys (..., heads, keys, dim).
    weight : array_like
        Shape (rows, dim) for all heads, or (table heads, rows, dim), where head h reads table h // (heads / table
        heads).
    rows : array_like
        What `relative_rows`, a bucket function or `irpe_rows` returns, (queries, keys) or with leading axes that
        broadcast with those of x, the axis of heads among them. Row -1 reads zeros: its score is 0, also where x is not
        finite.
    by : {'query', 'key'}
        Whether x holds queries ("query") or keys ("key").
    scale : float or Fraction, optional
        Factor of the sums, a number, often 1 / sqrt(dim); without one the sums are the scores.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., heads, queries, keys) of class `sequence64`: products are summed from 0 with the channel ascending,
        then multiplied by scale rounded to float64, each operation rounded to float64; then rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE (x, weight, rows), E_DTYPE, E_NUMBER (rows beyond the table, scale), E_CHOICE (by), E_OUT, E_TOO_LARGE.

    Notes
    -----
    Arrays of uint16 are read as bit patterns of bfloat16.

    Each query, or key, meets each row of the table once.

    References
    ----------
    - Shaw et al. 2018, equation 5.
    - by "key" of BertSelfAttention with relative_key_query in models/bert/modeling_bert.py (transformers 4.40.2).
      docs/relative.md has the calls of each model.

    Examples
    --------
    >>> rows = [[1, 2, -1], [0, 1, 2]]
    >>> relative_scores([[1.0, 0.0], [0.0, 1.0]], [[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]], rows, by="query")
    array([[ 2.,  3.,  0.],
           [10., 20., 30.]])
    """
    checks.choice("by", by, BYS)
    fmt = formats.resolve(dtype)
    numbers, table, index, shape = read_vectors(x, weight, rows, by)
    factor, threads = (
        None if scale is None else heads.read_scale(scale, numbers.shape[-1]),
        checks.thread_count(threads),
    )
    result, stored = checks.output(out, shape, fmt, apart_from=doubles.arrays(x, weight, rows))
    stored = stored if by == "query" else stored.swapaxes(-1, -2)
    relative_vectors.fill_scores(stored, numbers, table, index, fmt, scale=factor, threads=threads)
    return result


def read_vectors(x, weight, rows, by):
    """(float64 x, float64 table, rows (.., length of x, others), the shape of the scores)."""
    numbers, table = heads.read("x", x), relative_vectors.read_table("weight", weight)
    length, dim = numbers.shape[-2:]
    if table.shape[-1] != dim:
        raise InputError("E_SHAPE", "weight", f"weight must have {dim} channels, as x has, got shape {table.shape}")
    index = relative_vectors.read_rows("rows", rows, table.shape[-2])
    index = index if by == "query" else index.swapaxes(-1, -2)
    if index.shape[-2] != length:
        named = "queries" if by == "query" else "keys"
        sentence = f"rows must be (..., queries, keys) with {length} {named}, as x has"
        raise InputError("E_SHAPE", "rows", f"{sentence}, got {index.shape[-2]}")
    lead = relative_vectors.read_lead("x", numbers.shape[:-2], index, table)
    return numbers, table, index, (*lead, *(index.shape[-2:] if by == "query" else index.shape[:-3:-1]))
