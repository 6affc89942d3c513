"""The keys that each block of queries sees, where attention is local and computed block by block."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..catalogue import register
from ..types import Integer, Integers

__all__ = ["context_rows"]


@register(
    family="positions",
    paper="Gemma team 2025, Gemma 3n, its audio encoder; a convention of its code",
    conventions="keys left of a block, then its own, then keys right of it; -1 outside the sequence",
)
def context_rows(length: Integer, *, block: Integer, left: Integer, right: Integer) -> Integers:
    """Key indices of block-local attention: the keys in the context of each block, -1 outside the sequence.

        row[b, c] = j  where 0 <= j = block b + c - left < length,  -1 elsewhere

    Parameters
    ----------
    length : int
        Number of keys, and of queries.
    block : int
        Number of queries in a block; the last one may be filled up.
    left : int
        Number of keys before the first query of a block.
    right : int
        Number of keys behind its last query.

    Returns
    -------
    ndarray of int64
        Shape (ceil(length / block), left + block + right).

    Raises
    ------
    InputError
        E_SIZE, E_TOO_LARGE.

    Notes
    -----
    Query w of a block stands at place left + w of its context, so that its distances are those of `relative_rows(block,
    left + block + right, ..., query_offset=left)`, for all blocks alike.

    References
    ----------
    - transformers 5.23.0, models/gemma3n/modeling_gemma3n.py, Gemma3nAudioAttention._extract_block_context with left =
      conf_attention_context_left - 1 and right = conf_attention_context_right.
    - models/gemma4.

    Examples
    --------
    >>> context_rows(5, block=3, left=2, right=1)
    array([[-1, -1,  0,  1,  2,  3],
           [ 1,  2,  3,  4, -1, -1]])
    """
    length, left, right = (
        checks.integer(name, value, 0, checks.WIDEST**2)
        for name, value in (("length", length), ("left", left), ("right", right))
    )
    block = checks.integer("block", block, 1, checks.WIDEST**2)
    array, stored = checks.output(None, (-(-length // block), left + block + right), checks.INT64)
    keys = block * np.arange(len(stored), dtype=np.int64)[:, None] + np.arange(-left, block + right, dtype=np.int64)
    stored[...] = np.where((keys >= 0) & (keys < length), keys, -1)
    return array
