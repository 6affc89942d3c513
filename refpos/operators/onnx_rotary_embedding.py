"""RotaryEmbedding of ONNX, opset 23."""

from __future__ import annotations

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..types import Array, ArrayLike, DType, Integer
from . import _rotary

__all__ = ["onnx_rotary_embedding"]


@register(
    family="operators",
    paper="ONNX operator RotaryEmbedding, opset 23",
    conventions="interleaved 0: pairs (i, i + half), 1: pairs (2i, 2i + 1); x with four axes has the heads before the "
    "sequence, x with three axes has them within the channels",
    also="ai.onnx.RotaryEmbedding, RotaryEmbedding-23",
)
def onnx_rotary_embedding(
    x: ArrayLike,
    cos_cache: ArrayLike,
    sin_cache: ArrayLike,
    position_ids: ArrayLike | None = None,
    *,
    interleaved: Integer = 0,
    num_heads: Integer = 0,
    rotary_embedding_dim: Integer = 0,
    dtype: DType | None = None,
    out: Array | None = None,
) -> Array:
    """RotaryEmbedding of ONNX (opset 23): rotate the heads of x by cosines and sines from caches.

        y1 = x1 c - x2 s,  y2 = x2 c + x1 s,   c = cos_cache[position_ids[b, t], i] or cos_cache[b, t, i],  s likewise

    Parameters
    ----------
    x : array_like
        The input X, (batch, heads, seq, head_size) or (batch, seq, heads * head_size); head_size is even.
    cos_cache, sin_cache : array_like
        Cosines and sines, (rows, half) with position_ids and (batch, seq, half) without; half is half of the rotated
        channels.
    position_ids : array_like, optional
        Row of the caches of each token, integers (batch, seq).
    interleaved : int, default 0
        0 rotates channels (i, i + half) of a head, 1 rotates (2i, 2i + 1).
    num_heads : int, default 0
        Number of heads, which an x of three axes needs; of four axes it is not read.
    rotary_embedding_dim : int, default 0
        How many leading channels of a head are rotated, an even number, 0 for all; the others are copied.
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
        (position_ids beyond the caches), E_CHOICE (interleaved), E_SIZE, E_DTYPE, E_OUT.

    Notes
    -----
    The operator has one type for x and the caches, float32, float16 or bfloat16. Here x may be any of the four formats,
    and both caches another one; uint16 caches are bit patterns of bfloat16. Where a number is not finite, or both
    products are 0, the formula holds in IEEE arithmetic, and every NaN is the positive quiet one.

    References
    ----------
    - ONNX 1.23.2, docs/Operators.md, RotaryEmbedding; onnx/reference/ops/op_rotary_embedding.py.
    - The order of four axes: onnx/onnx#6767.

    Examples
    --------
    >>> import numpy as np
    >>> cos, sin = np.float32([[1.0], [0.0]]), np.float32([[0.0], [1.0]])
    >>> x = np.arange(8, dtype=np.float32).reshape(1, 2, 4)
    >>> onnx_rotary_embedding(x, cos, sin, [[0, 1]], num_heads=2)
    array([[[ 0.,  1.,  2.,  3.],
            [-5.,  4., -7.,  6.]]], dtype=float32)
    """
    x, fmt = _rotary.read_input(x, dtype)
    interleaved = _rotary.read_attribute("interleaved", interleaved)
    heads = _rotary.heads_of(x, checks.integer("num_heads", num_heads))
    width = checks.integer("rotary_embedding_dim", rotary_embedding_dim)
    axes = ("batch", "seq", "half") if position_ids is None else ("rows", "half")
    tables = _rotary.read_caches(cos_cache, sin_cache, axes)
    tokens = (x.shape[0], x.shape[-2])
    head_size = x.shape[3] if x.ndim == 4 else x.shape[2] // heads
    _rotary.check_width(tables, head_size, width)
    if position_ids is None:
        if tables.cos.shape[:2] != tokens:
            sentence = f"cos_cache must be {(*tokens, tables.cos.shape[2])}, (batch, seq, half), without position_ids"
            raise InputError("E_SHAPE", "cos_cache", f"{sentence}, got shape {tables.cos.shape}")
    else:
        ids = checks.integers("position_ids", position_ids)
        if ids.shape != tokens:
            sentence = f"position_ids must be {tokens}, (batch, seq) of x, got shape {ids.shape}"
            raise InputError("E_SHAPE", "position_ids", sentence)
        tables = _rotary.at_positions(tables, ids)
    return _rotary.rotated(x, fmt, heads, tables, interleaved, out, (cos_cache, sin_cache))
