"""Results of attention over parts of the keys made one, by the sums of their exponentials."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError
from ..steps.rows import doubles
from ..steps.scores import ordered_sums
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["merge_outputs"]


@register(
    family="scores",
    paper="An et al. 2024, Dual Chunk Attention, arXiv:2402.17463, section 3.5; Dao et al. 2022, FlashAttention, "
    "arXiv:2205.14135, section 3.1",
    conventions="natural logarithms of the sums of exponentials",
    contract="written",
    also="log-sum-exp merge, ring attention, flash-decoding, merge attention states, merge_attn_states",
)
def merge_outputs(
    outputs: ArrayLike,
    log_sums: ArrayLike,
    *,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Attention over all keys merged from attention over parts of them, each with its own softmax.

        O = w_0 outputs[0] + w_1 outputs[1] + ..,   w = softmax over the parts of log_sums

    Parameters
    ----------
    outputs : array_like
        Shape (parts, ..., queries, dim), what attention gives over the keys of each part, as the regions of dual chunk
        attention or the windows of ReRoPE.
    log_sums : array_like
        Shape (parts, ..., queries), for each query the logarithm of the sum of exp(score) over these keys, which flash
        attention returns as softmax_lse. A part without keys has -infinity, and is left out, whatever its output; a
        query without any part gets zeros.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., queries, dim) of class `sequence64`: the softmax as it is written there, products and sums from part
        0 on are rounded to float64, then the result once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE (outputs, log_sums), E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    Arrays of uint16 are bit patterns of bfloat16.

    What `merge_scores` and one softmax give is the same but for roundings.

    References
    ----------
    HKUNLP/ChunkLlama at 2add4d7, chunkllama_attn_replace.py, merge_attn_outputs, which rounds the weights to bfloat16
    besides.

    Examples
    --------
    >>> merge_outputs([[[1.0]], [[4.0]]], [[0.0], [0.0]])
    array([[2.5]])
    """
    fmt, checked = formats.resolve(dtype), checks.thread_count(threads)
    parts, logarithms = read_outputs(outputs, log_sums)
    result, stored = checks.output(out, parts.shape[1:], fmt, apart_from=doubles.arrays(outputs, log_sums))
    if stored.size:
        weights = np.moveaxis(ordered_sums.softmax(np.moveaxis(logarithms, 0, -1), threads=checked), -1, 0)
        total = np.zeros(parts.shape[1:])
        with np.errstate(all="ignore"):
            for weight, part, logarithm in zip(weights, parts, logarithms):
                products = weight[..., None] * part
                total = total + np.where(logarithm[..., None] == -np.inf, 0.0, products)
        doubles.store(stored, ordered_sums.canonical(total), fmt)
    return result


def read_outputs(outputs, log_sums):
    """float64 outputs (parts, ..., queries, dim) and logarithms (parts, ..., queries)."""
    parts, _ = doubles.read("outputs", outputs)
    if parts.ndim < 3 or not len(parts):
        sentence = f"outputs must be (parts, ..., queries, dim) with at least one part, got shape {parts.shape}"
        raise InputError("E_SHAPE", "outputs", sentence)
    logarithms, _ = doubles.read("log_sums", log_sums)
    if logarithms.shape != parts.shape[:-1]:
        sentence = f"log_sums must be {parts.shape[:-1]}, a number for each query and part"
        raise InputError("E_SHAPE", "log_sums", f"{sentence}, got {logarithms.shape}")
    return parts, logarithms
