"""The blocks of LongT5, whose summaries all tokens attend to."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputTypeError, shown
from ..types import ArrayLike, Integer, Integers
from . import _rows

__all__ = ["global_block_ids"]


@register(
    family="positions",
    paper="Guo et al. 2022, LongT5, arXiv:2112.07916, section 3.1.2",
    conventions="orphans join the last full block; padding is -1",
    also="LongT5",
)
def global_block_ids(mask: ArrayLike, *, block_size: Integer) -> Integers:
    """Block ids of tokens, as LongT5 sums blocks for its transient global attention.

        id[i] = min(floor(i / block_size), full - 1), -1 for padding

    full is the number of blocks that end with a token that is not padding, so that without one every id is -1. Tokens
    behind the last full block, the orphans, belong to it.

    Parameters
    ----------
    mask : array_like
        0 and 1 or booleans (..., tokens); 0 pads.
    block_size : int
        Tokens of a block, at least 1.

    Returns
    -------
    ndarray of int64
        int64 of the shape of mask.

    Raises
    ------
    InputError
        E_SHAPE, E_CHOICE (mask), E_SIZE (block_size).

    Notes
    -----
    The bias of LongT5 towards its blocks is a table read at `t5_buckets(np.arange(tokens // block_size) - ids[...,
    None], bidirectional=True)`.

    References
    ----------
    _make_global_fixed_block_ids in models/longt5/modeling_longt5.py (transformers 5.23.0), where a running sum of 1 /
    block_size is rounded.

    Examples
    --------
    >>> global_block_ids([1, 1, 1, 1, 1, 1, 1], block_size=3)
    array([0, 0, 0, 1, 1, 1, 1])
    """
    size = checks.integer("block_size", block_size, 1)
    array = checks.array("mask", mask)
    if not array.ndim:
        raise InputTypeError("E_SHAPE", "mask", f"mask must have at least one axis, got {shown(mask)}")
    kept = _rows.read_flags("mask", mask, array.shape)
    places = np.arange(array.shape[-1], dtype=np.int64)
    full = (kept & (places % size == size - 1)).sum(-1, keepdims=True, dtype=np.int64)
    return np.minimum(np.where(kept, places // size, -1), full - 1)
