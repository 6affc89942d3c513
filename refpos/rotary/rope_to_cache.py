"""Rotated keys written into the slots of a cache."""

from __future__ import annotations

import numpy as np

from .. import checks, foreign
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError, InputTypeError
from ..steps.angles.frequencies import Frequencies
from ..steps.waves import rotary_arguments
from ..steps.waves.grids import PositionsOfAxes
from ..types import Array, ArrayLike, DType, Integer, Number, Pairing
from .rope import rope


@register(
    family="rotary",
    paper="Kwon et al. 2023, PagedAttention, arXiv:2309.06180, section 4; Su et al. 2021, arXiv:2104.09864",
    conventions="pairing (no default); slots count over all blocks; slot -1 is skipped; out may be the cache",
    also=(
        "slot_mapping, reshape_and_cache, paged KV cache, rope and cache write, fused_qk_rope_reshape_and_cache, "
        "cache_write, rope_append_paged_kv_cache, set_kv_buffer"
    ),
)
def rope_to_cache(
    x: ArrayLike,
    positions: PositionsOfAxes,
    cache: ArrayLike,
    slot_mapping: ArrayLike,
    *,
    pairing: Pairing,
    frequencies: Frequencies | None = None,
    base: Number = 10000.0,
    rotary_dim: Integer | None = None,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Rotary position embedding of keys, written into the slots of a cache; the other slots stay as they are.

        y[slot_mapping[t]] = rope(x[t]) at positions[t]    where slot_mapping[t] >= 0

    Parameters
    ----------
    x : array_like
        Keys, shape (tokens, heads, dim) of float64, float32, float16 or bfloat16.
    positions : array_like or sequence of array_like
        Positions of the tokens, as in `rope`.
    cache : array_like
        Shape (slots, heads, dim), or (blocks, block_size, heads, dim), where slot s is row s % block_size of block
        s // block_size; of the dtype of x.
    slot_mapping : array_like
        Integers (tokens,): the slot of each token, each at most once, or -1 for a token that is not written, as
        padding.
    pairing : {'interleaved', 'half', 'block-half'}
        Channels of a pair, as in `rope`.
    frequencies : Frequencies, optional
        Instead of base, as in `rope`.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    rotary_dim : int, optional
        How many leading channels of a head are rotated (default all, or the width of `frequencies`).
    dtype : str or dtype, optional
        "bfloat16" if x and cache hold bit patterns as uint16.
    out : ndarray, optional
        Array that receives the result; it may be the cache itself, but not overlap it otherwise.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        An array of the shape and dtype of the cache: heads as `rope` rotates them in the slots that are named, every
        other bit as it was.

    Raises
    ------
    InputError
        What `rope` raises, E_SHAPE (x, cache, slot_mapping), E_DTYPE (cache, slot_mapping), E_POSITION (slot_mapping:
        below -1, beyond the cache, or twice).

    Notes
    -----
    A kernel that writes a slot twice leaves what is written last, which threads decide; such a mapping is refused.
    Values are written without a rotation, by `cache[slots] = values`.

    References
    ----------
    vllm-project/vllm, csrc/cache_kernels.cu, reshape_and_cache_flash_kernel.

    Examples
    --------
    >>> import numpy as np
    >>> cache = np.zeros((4, 1, 2))
    >>> rope_to_cache(np.ones((2, 1, 2)), [0, 1], cache, [2, -1], pairing="half", out=cache)[:, 0]
    array([[0., 0.],
           [0., 0.],
           [1., 1.],
           [0., 0.]])
    """
    x, fmt = rotary_arguments.read_channels(x, dtype)
    cache, kind = foreign.tagged_if_known(*foreign.read("cache", cache))
    if x.ndim != 3 or cache.ndim not in (3, 4) or cache.shape[-2:] != x.shape[1:]:
        name, shape = ("x", x.shape) if x.ndim != 3 else ("cache", cache.shape)
        wanted = "(tokens, heads, dim)" if name == "x" else f"(slots, {x.shape[1]}, {x.shape[2]}) or with blocks before"
        raise InputError("E_SHAPE", name, f"{name} must have shape {wanted}, got shape {shape}")
    if cache.dtype.newbyteorder("=") != x.dtype.newbyteorder("="):
        raise InputTypeError("E_DTYPE", "cache", f"cache must have the dtype {x.dtype} of x, got {kind or cache.dtype}")
    written, slots = _read_slots(slot_mapping, len(x), cache.shape[:-2])
    result, stored = rotary_arguments.result_like(cache, out, fmt)
    patterns = "bfloat16" if x.dtype == np.uint16 else None
    keys = rope(
        x, positions, pairing=pairing, frequencies=frequencies, base=base, rotary_dim=rotary_dim, seq_axis=-3,
        dtype=patterns, threads=threads,
    )  # fmt: skip
    if stored.ctypes.data != cache.ctypes.data:
        stored[...] = formats.storage(cache, fmt)
    stored[slots] = formats.storage(keys, fmt)[written]
    return result


def _read_slots(slot_mapping, tokens, shape):
    """(the tokens that are written, the index of the slot of each in the leading axes of the cache)."""
    slots = checks.integers("slot_mapping", slot_mapping)
    if slots.shape != (tokens,):
        raise InputError("E_SHAPE", "slot_mapping", f"slot_mapping must have shape ({tokens},), got {slots.shape}")
    if tokens:
        low, high = checks.extremes(slots)
        most = int(np.prod(shape, dtype=np.int64))
        if low < -1 or high >= most:
            sentence = f"slot_mapping must be slots from 0 to {most - 1}, or -1, got {low if low < -1 else high}"
            raise InputError("E_POSITION", "slot_mapping", sentence)
    written = np.flatnonzero(slots >= 0)
    chosen, counts = np.unique(slots[written], return_counts=True)
    if (counts > 1).any():
        twice = int(chosen[counts.argmax()])
        raise InputError("E_POSITION", "slot_mapping", f"slot_mapping must name each slot once, got {twice} twice")
    return written, np.unravel_index(slots[written].astype(np.int64), shape) if written.size else ([],) * len(shape)
