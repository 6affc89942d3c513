"""The T5 bias: each attention head adds one learned number for each bucket of relative positions."""

from __future__ import annotations

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..steps.distances import bias
from ..steps.rows import gather
from ..steps.rows.table_gradients import of_copies
from ..types import Array, ArrayLike, Integer
from .t5_buckets import numbers_of, read_sizes


@register(
    family="relative",
    paper="Raffel et al. 2020, Exploring the Limits of Transfer Learning, arXiv:1910.10683, section 2.1",
    conventions="weight (num_buckets, heads); relative position is key minus query",
    copies="weight",
    gradients={"weight": of_copies("weight")},
    also="T5, T5 relative position bias, mT5, UMT5, relative_attention_bias",
)
def t5_bias(
    weight: ArrayLike,
    query_len: Integer,
    key_len: Integer,
    *,
    bidirectional: bool,
    num_buckets: Integer | None = None,
    max_distance: Integer = 128,
    query_offset: Integer = 0,
    out: Array | None = None,
    view: bool = False,
    threads: Integer | None = None,
) -> Array:
    """The T5 relative position bias: learned weights gathered by the bucket of the distance.

        bias[h, i, j] = weight[t5_buckets(j - (query_offset + i)), h],  i = 0 .. query_len - 1,  j = 0 .. key_len - 1

    Parameters
    ----------
    weight : array_like
        Shape (num_buckets, heads) of float64, float32, float16 or bfloat16 in any strides and byte order, or uint16 bit
        patterns.
    query_len : int
        Number of queries.
    key_len : int
        Number of keys.
    bidirectional : bool
        Whether keys after the query have buckets of their own, as in `t5_buckets`.
    num_buckets : int, optional
        Number of buckets, which is the length of weight; if given, it must agree.
    max_distance : int, default 128
        Distance from which all share the last bucket, as in `t5_buckets`.
    query_offset : int, default 0
        Position of the first query.
    out : ndarray, optional
        Array that receives the result (for bfloat16 also a uint16 array, as bit patterns).
    view : bool, default False
        True returns a read-only view of heads * (query_len + key_len - 1) values instead of a full array.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (heads, query_len, key_len) of the dtype of weight: bits are copied, nothing is rounded.

    Raises
    ------
    InputError
        E_DTYPE and E_SHAPE (weight), E_SIZE (query_len, key_len, num_buckets, max_distance, threads), E_POSITION
        (query_offset, beyond +-2**53), E_CHOICE (bidirectional, view), E_TOO_LARGE, E_OUT (out).

    References
    ----------
    - Raffel et al. 2020, arXiv:1910.10683.
    - T5Attention.compute_bias in src/transformers/models/t5/modeling_t5.py (transformers 5.23.0), whose result has a
      leading axis of 1.

    Examples
    --------
    >>> import numpy as np
    >>> t5_bias(np.array([[0.0], [1.0], [2.0], [3.0]]), 2, 3, bidirectional=False, max_distance=4, query_offset=1)
    array([[[1., 0., 0.],
            [2., 1., 0.]]])
    """
    table = gather.read_table("weight", weight, ("num_buckets", "heads"))
    rows, heads = table.shape
    if num_buckets is not None and checks.integer("num_buckets", num_buckets) != rows:
        raise InputError("E_SHAPE", "weight", f"weight must have num_buckets = {num_buckets} rows, got {rows}")
    sizes = read_sizes(rows, max_distance, bidirectional)
    shape = (heads, checks.integer("query_len", query_len), checks.integer("key_len", key_len))
    query_offset = bias.read_offset(query_offset)
    if threads is not None:
        checks.thread_count(threads)

    def fill(values):
        index = numbers_of(sizes, bias.relative_positions(*shape[1:], query_offset))
        gather.fill(values, table, index, threads=threads)

    return bias.toeplitz(fill, shape, table.fmt, out=out, view=view, apart_from=(table.patterns,), threads=threads)
