"""Rotary position embedding of the queries and keys in a packed buffer."""

from __future__ import annotations

from typing import get_args

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError
from ..steps.angles.frequencies import Frequencies
from ..steps.waves import rotary_arguments
from ..steps.waves.grids import PositionsOfAxes
from ..types import Array, ArrayLike, DType, Fusion, Integer, Number, Pairing
from .rope import rope

FUSIONS = get_args(Fusion)


@register(
    family="rotary",
    paper="Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.4.2",
    conventions="fusion and pairing (no defaults); values are copied; out may be x",
    also=(
        "packed qkv, fused qkv rope, rotary_embedding in place, apply_rotary_emb_qkv_, fused_qkv_rotary, "
        "fused QKV projection, do_rotary, is_packed"
    ),
)
def rope_in_qkv(
    x: ArrayLike,
    positions: PositionsOfAxes,
    *,
    num_heads: Integer,
    num_kv_heads: Integer | None = None,
    fusion: Fusion,
    pairing: Pairing,
    frequencies: Frequencies | None = None,
    base: Number = 10000.0,
    rotary_dim: Integer | None = None,
    inverse: bool = False,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Rotary position embedding inside a packed buffer: queries and keys are rotated, values stay as they are.

        concatenated: all q, all k, all v     grouped: for each key-value head its q heads, its k, its v

    Parameters
    ----------
    x : array_like
        Packed queries, keys and values, shape (..., seq, (num_heads + 2 num_kv_heads) * dim) of float64, float32,
        float16 or bfloat16, with any strides.
    positions : array_like or sequence of array_like
        As in `rope`.
    num_heads : int
        Number of query heads.
    num_kv_heads : int, optional
        Number of key-value heads, by default num_heads; it divides num_heads.
    fusion : {'concatenated', 'grouped'}
        How q, k and v lie in a row, as stated above.
    pairing : {'interleaved', 'half', 'block-half'}
        Channels of a pair, as in `rope`.
    frequencies : Frequencies, optional
        Instead of base, as in `rope`.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    rotary_dim : int, optional
        How many leading channels of a head are rotated (default all, or the width of `frequencies`).
    inverse : bool, default False
        Whether to rotate back, by -p.
    dtype : str or dtype, optional
        "bfloat16" if x holds bit patterns as uint16.
    out : ndarray, optional
        Array that receives the result; it may be x itself, but not overlap x otherwise.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        An array of the shape and dtype of x: heads of q and k as `rope` rotates them, every other bit as it was.

    Raises
    ------
    InputError
        What `rope` raises, E_SIZE (num_heads, num_kv_heads), E_SHAPE (x), E_CHOICE (fusion).

    References
    ----------
    - Dao-AILab/flash-attention, flash_attn/layers/rotary.py, apply_rotary_emb_qkv_ ("concatenated").
    - NVIDIA/Megatron-LM, megatron/core/transformer/attention.py, SelfAttention ("grouped").

    Examples
    --------
    >>> import numpy as np
    >>> qkv = np.ones((2, 6))  # two tokens, a head of 2 channels each for q, k and v
    >>> rope_in_qkv(qkv, [0, 1], num_heads=1, fusion="concatenated", pairing="half", out=qkv)[1]
    array([-0.30116868,  1.38177329, -0.30116868,  1.38177329,  1.        ,
            1.        ])
    """
    x, fmt = rotary_arguments.read_channels(x, dtype)
    checks.choice("fusion", fusion, FUSIONS)
    heads, groups, rotated = head_layout(num_heads, num_kv_heads, fusion)
    rotary_arguments.sequence_axis(x, -2)
    if not x.shape[-1] or x.shape[-1] % heads:
        sentence = f"x must have a last axis of {heads} heads of one width, got shape {x.shape}"
        raise InputError("E_SHAPE", "x", sentence)
    result, _ = rotary_arguments.result_like(x, out, fmt)
    shape = (*x.shape[:-1], groups, heads // groups, x.shape[-1] // heads)
    source, target = x.reshape(shape), result.view(np.ndarray).reshape(shape)
    patterns = "bfloat16" if x.dtype == np.uint16 else None
    rope(
        source[..., :rotated, :], positions, pairing=pairing, frequencies=frequencies, base=base, rotary_dim=rotary_dim,
        inverse=inverse, seq_axis=-4, dtype=patterns, out=target[..., :rotated, :], threads=threads,
    )  # fmt: skip
    if target.ctypes.data != source.ctypes.data:
        formats.storage(target, fmt)[..., rotated:, :] = formats.storage(source, fmt)[..., rotated:, :]
    return result


def head_layout(num_heads, num_kv_heads, fusion):
    """(heads of a row, in how many groups, how many of each group are rotated)."""
    num_heads, kv = head_counts(num_heads, num_kv_heads)
    grouped = fusion == "grouped"
    return num_heads + 2 * kv, kv if grouped else 1, num_heads // kv + 1 if grouped else num_heads + kv


def head_counts(num_heads, num_kv_heads):
    """Both counts checked; key-value heads default to the heads and divide them."""
    num_heads = checks.integer("num_heads", num_heads, 1, checks.WIDEST)
    if num_kv_heads is None:
        return num_heads, num_heads
    num_kv_heads = checks.integer("num_kv_heads", num_kv_heads, 1, checks.WIDEST)
    if num_heads % num_kv_heads:
        raise InputError("E_SIZE", "num_kv_heads", f"num_kv_heads must divide {num_heads}, got {num_kv_heads}")
    return num_heads, num_kv_heads
