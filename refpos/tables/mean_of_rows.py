"""Means of rows of a learned table: the position of what spans several tokens."""

from __future__ import annotations

from math import prod

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..steps.positions.exact_positions import LIMIT
from ..steps.rows import gather, learned_tables, table_gradients
from ..steps.rows.gather import Table
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["mean_of_rows"]


def _gradient(function, given, cotangent):
    """The sum of the cotangents of each span that names the row, each over how many rows the span names."""
    table_gradients.check_options(given)
    table = gather.read_table("weight", given["weight"], ("positions", "channels"))
    spans = _read_spans(given["rows"], table.shape[0])
    fmt = learned_tables.result_format(table, given["dtype"])
    cotangent = table_gradients.read_cotangent(cotangent, (*spans.shape[:-1], table.shape[1]), fmt)
    shares = learned_tables.shares(spans.reshape(prod(spans.shape[:-1]), spans.shape[-1]), mean=True)
    result, stored = checks.output(None, table.shape, table.fmt)
    vectors = Table(cotangent.patterns.reshape(len(shares), table.shape[1]), cotangent.fmt)
    table_gradients.fill_transposed(stored, vectors, [shares], table.fmt)
    return result


@register(
    family="tables",
    paper="Yamada et al. 2020, LUKE, arXiv:2010.01057, section 3.1",
    conventions="row -1 is left out and not counted; the mean of no rows is zero",
    gradients={"weight": _gradient},
)
def mean_of_rows(
    weight: ArrayLike,
    rows: ArrayLike,
    *,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Mean position embedding: the mean of the table rows of each span (LUKE).

        E[s] = sum of weight[r] / n,  over the n entries r of rows[s] that are not -1;  0 where there are none

    Parameters
    ----------
    weight : array_like
        Learned table, shape (positions, channels).
    rows : array_like
        Integers (..., longest), for each span the rows of its tokens, filled up with -1; a row that is named twice
        counts twice.
    dtype : str or dtype, optional
        Format of the result, by default that of weight: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (*rows.shape[:-1], channels) in `dtype` or that of weight: each element is the exact mean rounded once.

    Raises
    ------
    InputError
        E_DTYPE (weight, rows), E_SHAPE, E_POSITION (rows beyond the table, or below -1), E_OUT, E_TOO_LARGE.

    Notes
    -----
    Programs divide by at least a small number (LUKE: 1e-7), which matters only where nothing is summed.

    Weight of uint16 is read as bit patterns of bfloat16.

    References
    ----------
    Transformers 5.23.0, models/luke/modeling_luke.py, LukeEntityEmbeddings.

    Examples
    --------
    >>> import numpy as np
    >>> mean_of_rows(np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 8.0]]), [[0, 1, 2], [2, -1, -1], [-1, -1, -1]])
    array([[2., 4.],
           [4., 8.],
           [0., 0.]])
    """
    checks.thread_count(threads)
    table = gather.read_table("weight", weight, ("positions", "channels"))
    spans = _read_spans(rows, table.shape[0])
    fmt = learned_tables.result_format(table, dtype)
    array, stored = checks.output(out, (*spans.shape[:-1], table.shape[1]), fmt, apart_from=(table.patterns, spans))
    values = learned_tables.values(table)
    learned_tables.fill_sums(stored, values, spans, fmt, threads, mean=True)
    return array


def _read_spans(rows, count):
    """Rows of each span as int64 (..., most), each of them -1 or one of the table."""
    spans = checks.integers("rows", rows)
    if not spans.ndim:
        raise InputError("E_SHAPE", "rows", f"rows must have at least one axis, got {spans}")
    low, high = checks.extremes(spans) if spans.size else (-1, -1)
    if low < -1 or high > LIMIT:
        raise InputError("E_POSITION", "rows", f"rows must lie within -1 .. 2**53, got {low if low < -1 else high}")
    if high >= count:
        raise InputError("E_POSITION", "rows", f"rows must lie within the {count} rows of the table, got row {high}")
    return checks.copied("rows", spans, np.int64)
