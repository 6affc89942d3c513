"""RotaryEmbedding of ONNX Runtime, in the domain com.microsoft."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError, shown
from ..types import Array, ArrayLike, DType, Integer, Number
from . import _rotary

__all__ = ["microsoft_rotary_embedding"]


@register(
    family="operators",
    paper="ONNX Runtime contrib operator com.microsoft.RotaryEmbedding, version 1",
    conventions="inputs in the order x, position_ids, cos_cache, sin_cache; position_ids of one number are the "
    "position of the first token; head_size without rotary_embedding_dim is twice the width of the caches",
    also="com.microsoft.RotaryEmbedding",
)
def microsoft_rotary_embedding(
    x: ArrayLike,
    position_ids: ArrayLike,
    cos_cache: ArrayLike,
    sin_cache: ArrayLike,
    *,
    interleaved: Integer = 0,
    is_packed_batching: Integer = 0,
    num_heads: Integer = 0,
    rotary_embedding_dim: Integer = 0,
    scale: Number = 1.0,
    dtype: DType | None = None,
    out: Array | None = None,
) -> Array:
    """RotaryEmbedding of ONNX Runtime (com.microsoft): rotate the heads of x by rows of cosines and sines.

        y1 = x1 c - x2 s,  y2 = x2 c + x1 s,   c = cos_cache[p, i],  s = sin_cache[p, i]
        p = position_ids[0] + t for one number,  p = position_ids[b, t] for (batch, seq)

    Parameters
    ----------
    x : array_like
        The input, (batch, heads, seq, head_size) or (batch, seq, heads * head_size); head_size is even.
    position_ids : array_like
        Integers, (1,) for the position of the first token, or (batch, seq).
    cos_cache, sin_cache : array_like
        Cosines and sines, (rows, half), half being half of the rotated channels.
    interleaved : int, default 0
        0 rotates channels (i, i + half) of a head, 1 rotates (2i, 2i + 1).
    is_packed_batching : int, default 0
        1 where seq holds the tokens of several sequences, and so may be larger than rows.
    num_heads : int, default 0
        Number of heads, which rotary_embedding_dim needs; 0 for as many as heads of 2 half channels fill x.
    rotary_embedding_dim : int, default 0
        How many leading channels of a head are rotated, an even number, 0 for all; the others are copied.
    scale : float, default 1
        Only 1: the operator has the attribute, but says of no other number what it means.
    dtype : str or dtype, optional
        "bfloat16" if x holds bit patterns as uint16.
    out : ndarray, optional
        Array that receives the result; it may be x itself, but not overlap x otherwise.

    Returns
    -------
    ndarray
        An array of the shape and dtype of x: the exact value of the formula for the numbers in x and the caches,
        rounded once.

    Raises
    ------
    InputError
        E_SHAPE (x, caches, position_ids, num_heads), E_MISSING (num_heads), E_ODD_DIM, E_ROTARY_DIM, E_NUMBER
        (position_ids beyond the caches, scale), E_CHOICE (interleaved, is_packed_batching), E_SIZE, E_DTYPE, E_OUT.

    Notes
    -----
    The operator has one type for x and the caches, float32, float16 or bfloat16. Here x may be any of the four formats,
    and both caches another one; uint16 caches are bit patterns of bfloat16. Where a number is not finite, or both
    products are 0, the formula holds in IEEE arithmetic, and every NaN is the positive quiet one.

    References
    ----------
    ONNX Runtime 1.32.0, docs/ContribOperators.md, com.microsoft.RotaryEmbedding;
    onnxruntime/contrib_ops/cpu/bert/rotary_embedding_helper.h.

    Examples
    --------
    >>> import numpy as np
    >>> cos, sin = np.float32([[1.0], [0.0]]), np.float32([[0.0], [1.0]])
    >>> x = np.arange(4, dtype=np.float32).reshape(1, 1, 4)
    >>> microsoft_rotary_embedding(x, [1], cos, sin)
    array([[[-1.,  0., -3.,  2.]]], dtype=float32)
    """
    x, fmt = _rotary.read_input(x, dtype)
    interleaved = _rotary.read_attribute("interleaved", interleaved)
    packed = _rotary.read_attribute("is_packed_batching", is_packed_batching)
    if checks.real("scale", scale) != 1:
        sentence = "scale must be 1, because the operator does not define another one"
        raise InputError("E_NUMBER", "scale", f"{sentence}, got {shown(scale)}")
    width = checks.integer("rotary_embedding_dim", rotary_embedding_dim)
    tables = _rotary.read_caches(cos_cache, sin_cache, ("rows", "half"))
    heads, head_size = head_sizes(x, checks.integer("num_heads", num_heads), width, 2 * tables.cos.shape[1])
    _rotary.check_width(tables, head_size, width)
    rows, seq = len(tables.cos), x.shape[-2]
    if seq > rows and not packed:
        sentence = f"cos_cache must have a row for each of {seq} tokens, but for is_packed_batching=1"
        raise InputError("E_SHAPE", "cos_cache", f"{sentence}, got {rows} rows")
    tables = _rotary.at_positions(tables, positions_of_tokens(position_ids, x.shape[0], seq))
    return _rotary.rotated(x, fmt, heads, tables, interleaved, out, (cos_cache, sin_cache))


def head_sizes(x, num_heads, rotary_embedding_dim, rotated):
    """(number of heads, head_size), which the width of the caches decides where num_heads is 0."""
    if rotary_embedding_dim and not num_heads:
        raise InputError("E_MISSING", "num_heads", "num_heads must be given with rotary_embedding_dim, got 0")
    if x.ndim == 3 and not num_heads:
        if not rotated or x.shape[2] % rotated:
            sentence = f"cos_cache must have columns for heads that fill the {x.shape[2]} channels of x"
            raise InputError("E_SHAPE", "cos_cache", f"{sentence}, got {rotated // 2}")
        return x.shape[2] // rotated, rotated
    heads = _rotary.heads_of(x, num_heads)
    if num_heads not in (0, heads):
        raise InputError("E_SHAPE", "num_heads", f"num_heads must be 0 or the {heads} of x, got {num_heads}")
    return heads, x.shape[3] if x.ndim == 4 else x.shape[2] // heads


def positions_of_tokens(position_ids, batch, seq):
    """The position of each token, (batch, seq)."""
    ids = checks.integers("position_ids", position_ids)
    if ids.shape == (1,):
        first = checks.integer("position_ids", ids[0], code="E_NUMBER")
        ids = np.broadcast_to(first + np.arange(seq, dtype=np.int64), (batch, seq))
    if ids.shape != (batch, seq):
        sentence = f"position_ids must be (1,) or {(batch, seq)}, (batch, seq) of x, got shape {ids.shape}"
        raise InputError("E_SHAPE", "position_ids", sentence)
    return ids
