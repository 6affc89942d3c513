"""Attention of ConViT: for each head a gate between what queries and keys say and where the cells lie."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..arithmetic import elementary, formats
from ..catalogue import register
from ..errors import InputError
from ..steps.distances import windows
from ..steps.rows import doubles
from ..steps.scores import heads, ordered_sums
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["convit_attention"]


@register(
    family="scores",
    paper="d'Ascoli et al. 2021, ConViT, arXiv:2103.10697, section 3, equations 6 and 7",
    conventions="key minus query, x first; softmax of each, then the gate, then divided by the sum",
    contract="written",
    also="GPSA, gated positional self-attention, ConViT",
)
def convit_attention(
    q: ArrayLike,
    k: ArrayLike,
    height: Integer,
    width: Integer,
    *,
    weight: ArrayLike,
    bias: ArrayLike | None,
    gate: ArrayLike,
    scale: Number | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Gated positional self-attention (ConViT): a gate for each head mixes content and position.

        A = (1 - s) softmax(scale q . k) + s softmax(weight . (dx, dy, dx**2 + dy**2) + bias),  s = 1 / (1 + e**-gate)
        attention = A / sum of A over the keys

    dx, dy: columns and rows from the query to the key.

    Parameters
    ----------
    q, k : array_like
        Shape (..., heads, height * width, dim), the cells row by row; k may have heads that divide those of q, each
        shared by a group.
    height : int
        Rows of cells.
    width : int
        Columns of cells.
    weight : array_like
        Weight of the position scores, shape (heads, 3); the initial ones are those of `convit_start`.
    bias : array_like or None
        Bias of the position scores, shape (heads,) or None.
    gate : array_like
        Gates before their sigmoid, shape (heads,), 1 at the start.
    scale : float or Fraction, optional
        Factor of q . k, by default 1 / sqrt(dim).
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., heads, queries, keys) of class `sequence64`: q k with the channel ascending, then times scale; x
        before y before the square, then + bias; softmax, gates, products, the sum of A with the key ascending, and the
        quotient, each operation rounded to float64; then rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SIZE (height, width), E_SHAPE (q, k, weight, bias, gate), E_DTYPE, E_NUMBER (scale), E_OUT, E_TOO_LARGE.

    Notes
    -----
    Arrays of uint16 are read as bit patterns of bfloat16.

    References
    ----------
    Timm 1.0.31, timm/models/convit.py, GPSA.get_attention, which is for squares only.

    Examples
    --------
    >>> import numpy as np
    >>> weight, same = np.array([[2.0, 0.0, -1.0]]), np.zeros((1, 3, 1))
    >>> convit_attention(same, same, 1, 3, weight=weight, bias=None, gate=np.array([40.0])).round(2)
    array([[[0.21, 0.58, 0.21],
            [0.01, 0.27, 0.72],
            [0.  , 0.05, 0.95]]])
    """
    checks.thread_count(threads)
    height, width = (
        checks.integer(name, one, 1, checks.WIDEST) for name, one in (("height", height), ("width", width))
    )
    queries, keys = read_cells(q, k, height * width)
    scale, fmt = heads.read_scale(scale, queries.shape[-1]), formats.resolve(dtype)
    parts = read_weights(weight, bias, gate, queries.shape[-3])
    shape = (*queries.shape[:-1], height * width)
    result, stored = checks.output(out, shape, fmt, apart_from=doubles.arrays(q, k, weight, bias, gate))
    if stored.size:
        place = places(height, width, *parts[:2], threads)
        with np.errstate(all="ignore"):
            content = ordered_sums.softmax(
                ordered_sums.canonical(heads.scores(queries, keys, threads) * scale), threads=threads
            )
            doubles.store(stored, gated(content, place, parts[2], threads), fmt)
    return result


def read_cells(q, k, count):
    """Queries and keys as float64, one of each for every cell."""
    queries, keys = heads.read_queries_keys(q, k)
    for name, numbers in (("q", queries), ("k", keys)):
        if numbers.ndim < 3 or numbers.shape[-2] != count:
            sentence = f"{name} must be (..., heads, height * width = {count}, dim), got shape {numbers.shape}"
            raise InputError("E_SHAPE", name, sentence)
    return queries, keys


def read_weights(weight, bias, gate, count):
    """(weight, bias, gate) as float64, for so many heads."""
    for name, values in (("weight", weight), ("gate", gate)):
        doubles.read(name, values)  # None is for the bias
    each = "a number for each head of q"
    return (
        doubles.read_shaped("weight", weight, (count, 3), "x, y and the square for each head of q"),
        doubles.read_shaped("bias", bias, (count,), each),
        doubles.read_shaped("gate", gate, (count,), each),
    )


def features(height, width):
    """(dx, dy, dx**2 + dy**2) of every offset, in the order of `window_rows`: (offsets, 3)."""
    down = np.arange(1 - height, height, dtype=np.float64)[:, None]
    across = np.arange(1 - width, width, dtype=np.float64)
    return np.stack(np.broadcast_arrays(across, down, across * across + down * down), -1).reshape(-1, 3)


def places(height, width, weight, bias, threads=None):
    """The softmax of the scores of places, (heads, queries, keys)."""
    table = np.ascontiguousarray(ordered_sums.linear(features(height, width), weight, bias, threads).T)
    scores = np.empty((len(table), height * width, height * width))
    windows.fill(lambda rows: table[:, rows], scores, height, width, "key-query", False, 1, threads)
    return ordered_sums.softmax(scores, threads=threads)


def gated(content, place, gate, threads=None):
    """Both attentions by the gate of each head, divided by the sum over the keys."""
    share = elementary.sigmoid(gate)[:, None, None]
    mixed = (1 - share) * content + share * place
    return ordered_sums.canonical(mixed / ordered_sums.total(mixed, threads)[..., None])
