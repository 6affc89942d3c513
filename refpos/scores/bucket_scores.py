"""A bias that a linear map of the hidden state gives for each head and bucket of distances."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError
from ..steps.rows import doubles
from ..steps.scores import heads as head_axes
from ..steps.scores import relative_vectors
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["bucket_scores"]


@register(
    family="scores",
    paper="Qi et al. 2020, ProphetNet: Predicting Future N-gram for Sequence-to-Sequence Pre-training,"
    " arXiv:2001.04063, section 3, in its code",
    conventions="the bucket outermost in the linear map, then the head; row -1 reads zeros",
    contract="written",
    also="ProphetNet",
)
def bucket_scores(
    x: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None,
    rows: ArrayLike,
    *,
    heads: Integer,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """The relative bias of ProphetNet: a linear map of each hidden state gives a number for every bucket.

        score[..., h, i, j] = weight[b heads + h] . x[..., i, :] + bias[b heads + h],   b = rows[i, j]

    Parameters
    ----------
    x : array_like
        Hidden states (..., queries, dim), before they are projected to queries.
    weight : array_like
        Weight of the linear map, (buckets * heads, dim).
    bias : array_like or None
        Its bias, (buckets * heads,), or None.
    rows : array_like
        Buckets (queries, keys) of `t5_buckets`, or with leading axes that broadcast with those of x, which have no
        heads. Row -1 reads zeros: its score is 0, also where x is not finite.
    heads : int
        Number of heads.
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
        then bias is added, each operation rounded to float64; then rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SIZE (heads), E_SHAPE (x, weight, bias, rows), E_DTYPE, E_NUMBER (rows beyond the buckets), E_OUT,
        E_TOO_LARGE.

    Notes
    -----
    Arrays of uint16 are read as bit patterns of bfloat16.

    References
    ----------
    ProphetNetNgramSelfAttention.get_main_relative_pos_embeddings in models/prophetnet/modeling_prophetnet.py
    (transformers 5.23.0). Its predicting streams gather in another order, see docs/relative.md.

    Examples
    --------
    >>> bucket_scores([[1.0, 2.0]], [[1.0, 0.0], [0.0, 1.0], [3.0, 0.0], [0.0, 3.0]], None, [[1, 0, 1]], heads=2)
    array([[[3., 1., 3.]],
    <BLANKLINE>
           [[6., 2., 6.]]])
    """
    count, fmt = checks.integer("heads", heads, 1, checks.WIDEST), formats.resolve(dtype)
    states, table = head_axes.read("x", x), read_layer(weight, count)
    if table.shape[-1] != states.shape[-1]:
        sentence = f"weight must have {states.shape[-1]} channels, as x has, got {table.shape[-1]}"
        raise InputError("E_SHAPE", "weight", sentence)
    buckets = table.shape[1]
    added = doubles.read_shaped("bias", bias, (buckets * count,), "a number for each row of weight")
    index = relative_vectors.read_rows("rows", rows, buckets, f"bucket of weight for {count} heads", count)
    if index.shape[-2] != states.shape[-2]:
        sentence = f"rows must be (..., queries, keys) with {states.shape[-2]} queries, as x has"
        raise InputError("E_SHAPE", "rows", f"{sentence}, got {index.shape[-2]}")
    shape = (*relative_vectors.read_lead("x", states.shape[:-2], index), count, *index.shape[-2:])
    threads, apart_from = checks.thread_count(threads), doubles.arrays(x, weight, bias, rows)
    result, stored = checks.output(out, shape, fmt, apart_from=apart_from)
    states, index = (part[..., None, :, :] for part in (states, index))
    added = None if added is None else added.reshape(buckets, count).T
    relative_vectors.fill_scores(stored, states, table, index, fmt, bias=added, threads=threads)
    return result


def read_layer(weight, heads):
    """The linear map as float64 (heads, buckets, dim)."""
    table, _ = doubles.read("weight", weight, ("buckets * heads", "dim"))
    if len(table) % heads:
        sentence = f"weight must have as many rows for each of {heads} heads"
        raise InputError("E_SHAPE", "weight", f"{sentence}, got {len(table)}")
    return np.swapaxes(table.reshape(len(table) // heads, heads, table.shape[1]), 0, 1)
