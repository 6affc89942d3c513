"""Rows of a learned table."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.positions.exact_positions import whole_positions
from ..steps.rows import gather, learned_tables, table_gradients, weighted_sums
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["learned"]

LARGEST = 2**64  # of a scale


def _gradient(function, given, cotangent):
    """scale times the sum of the cotangents of each row."""
    table_gradients.check_options(given)
    table, index = _read(given["weight"], given["rows"])
    factor = _read_scale(given["scale"])
    fmt = learned_tables.result_format(table, given["dtype"])
    cotangent = table_gradients.read_cotangent(cotangent, (*index.shape, table.shape[1]), fmt)
    return table_gradients.add_rows(table, index, cotangent, Fraction(1) if factor is None else factor)


@register(
    family="tables",
    paper="Gehring et al. 2017, Convolutional Sequence to Sequence Learning, arXiv:1705.03122, section 3.1",
    conventions="row p of the table; beyond it nothing",
    no_error_bound="rows are copied, and a scaled one is a single product, rounded by all programs alike",
    also=(
        "learned position embedding, learned positional embedding, absolute position embedding, "
        "position_embeddings, wpe, BERT, GPT-2, nn.Embedding, APE, pos_embed, embed_positions, "
        "position table, lookup table, patch position embedding"
    ),
    gradients={"weight": _gradient},
)
def learned(
    weight: ArrayLike,
    rows: ArrayLike,
    *,
    scale: Number | None = None,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Learned position embedding: rows of a table, copied or times a number.

        E[p] = scale * weight[rows[p]]

    Parameters
    ----------
    weight : array_like
        Learned table, shape (positions, channels).
    rows : array_like
        An int n (the rows 0 .. n-1, among them those of class tokens) or an array of integers of any shape; a row
        beyond the table is refused.
    scale : float or Fraction, optional
        Factor, 0 or a number from 2**-64 to 2**64 in size; None copies.
    dtype : str or dtype, optional
        Format of the result, by default that of weight: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (*rows.shape, channels) in `dtype` or that of weight: bits are copied where dtype and scale change
        nothing, else each product is rounded once.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE (weight), E_POSITION (rows beyond the table too), E_NUMBER (scale), E_OUT, E_TOO_LARGE.

    Notes
    -----
    NaN, infinities and signs of zeros follow IEEE 754, but the scale 0 is a number without a sign: a finite weight
    times 0 is +0, any other NaN. weight of uint16 is read as bit patterns of bfloat16.

    References
    ----------
    Transformers 5.23.0, models/bert/modeling_bert.py, models/gpt2/modeling_gpt2.py and models/vit/modeling_vit.py.

    Examples
    --------
    >>> import numpy as np
    >>> learned(np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]), [2, 0])
    array([[4., 5.],
           [0., 1.]])
    """
    checks.thread_count(threads)
    table, index = _read(weight, rows)
    index = checks.copied("rows", index, np.int64)  # out may be its memory
    factor = _read_scale(scale)
    fmt = learned_tables.result_format(table, dtype)
    array, stored = checks.output(out, (*index.shape, table.shape[1]), fmt, apart_from=(table.patterns, index))
    if factor is None and learned_tables.floats(table.fmt) is learned_tables.floats(fmt):
        gather.fill(stored, table, index, others="last", threads=threads)
        return array
    used, places = np.unique(index, return_inverse=True)
    part = table.part(used)
    if factor is None:
        part = learned_tables.in_format(part, fmt)
    elif part.patterns.size:
        axis = weighted_sums.axis([{row: factor} if factor else {} for row in range(len(used))])
        values, kind = learned_tables.values(part), learned_tables.floats(fmt)
        scaled = np.empty(part.shape, kind.storage)
        weighted_sums.fill(scaled, values, [axis], kind, threads)
        _follow_ieee(formats.bits(scaled), values, factor, kind)
        part = gather.Table(formats.bits(scaled), fmt)
    gather.fill(stored, part, places.reshape(index.shape), others="last", threads=threads)
    return array


def _read(weight, rows):
    """The `Table`, and the rows that are read from it."""
    table = gather.read_table("weight", weight, ("positions", "channels"))
    index, last = whole_positions("rows", rows)
    if index.size and last >= table.shape[0]:
        sentence = f"rows must lie within the {table.shape[0]} rows of the table, got row {last}"
        raise InputError("E_POSITION", "rows", sentence)
    return table, index


def _follow_ieee(patterns, values, factor, fmt):
    """Write what an exact product says nothing of: signs of zeros, and 0 times what is not finite."""
    if not factor:
        patterns[~np.isfinite(values)] = fmt.nan
        return
    zeros = values == 0
    sign = patterns.dtype.type(1 << fmt.width - 1)
    patterns[zeros] = sign * (np.signbit(values[zeros]) != (factor < 0))


def _read_scale(scale):
    factor = None if scale is None else checks.real("scale", scale)
    if factor and not Fraction(1, LARGEST) <= abs(factor) <= LARGEST:
        sentence = f"scale must be 0 or of a size from 2**-64 to 2**64, got {shown(scale)}"
        raise InputError("E_NUMBER", "scale", sentence)
    return factor
