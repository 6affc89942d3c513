"""Padded rows as packed tokens, and back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ... import checks
from ...catalogue import register
from ...errors import InputError
from ...types import ArrayLike, Integers
from .. import _rows


class UnpadIndices(NamedTuple):
    """The slots of the kept tokens, the packed place of each slot, and the boundaries of the rows."""

    indices: Integers
    inverse: Integers
    cu_seqlens: Integers


@register(
    family="positions",
    paper="a convention of FlashAttention, bert_padding.py, unpad_input and pad_input",
    conventions="slots of the flattened batch, row-major; padding on any side; -1 in the inverse for padding",
    outputs=("indices", "inverse", "cu_seqlens"),
    also="unpad_input, pad_input, left padding, right padding, padding-free, flattened batch, remove padding",
)
def unpad_indices(attention_mask: ArrayLike) -> UnpadIndices:
    """Which slots of a padded batch hold tokens, where each slot stands in the packed batch, and its boundaries.

        indices:     the slots row * length + column that are kept, in order
        inverse:     (row, column) -> k with indices[k] = row * length + column, -1 for padding
        cu_seqlens:  0 and the running sums of the tokens of each row

    Parameters
    ----------
    attention_mask : array_like
        Shape (batch, length) of 0 and 1, or booleans; padding on any side.

    Returns
    -------
    indices, inverse, cu_seqlens : ndarray of int64
        Shapes (tokens,), (batch, length) and (batch + 1,).

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE and E_CHOICE (attention_mask).

    Notes
    -----
    `x.reshape(-1, ...)[indices]` packs; positions of each axis, as those of `qwen2_vl_positions`, are packed so too.
    `packed[inverse]` unpacks and leaves any row at the padding, which is `inverse < 0`.

    References
    ----------
    - Dao-AILab/flash-attention, bert_padding.py, unpad_input and pad_input.
    - transformers 5.23.0, modeling_flash_attention_utils.py, _get_unpad_data.

    Examples
    --------
    >>> found = unpad_indices([[0, 1, 1], [1, 0, 0]])
    >>> found.indices, found.cu_seqlens
    (array([1, 2, 3]), array([0, 2, 3]))
    >>> found.inverse
    array([[-1,  0,  1],
           [ 2, -1, -1]])
    """
    shape = checks.array("attention_mask", attention_mask).shape
    if len(shape) != 2:
        raise InputError("E_SHAPE", "attention_mask", f"attention_mask must have shape (batch, length), got {shape}")
    kept = _rows.read_flags("attention_mask", attention_mask, shape)
    indices = np.flatnonzero(kept).astype(np.int64, copy=False)
    inverse = np.full(shape, -1, np.int64)
    inverse[kept] = np.arange(len(indices), dtype=np.int64)
    bounds = np.zeros(shape[0] + 1, np.int64)
    np.cumsum(kept.sum(1, dtype=np.int64), dtype=np.int64, out=bounds[1:])
    return UnpadIndices(indices, inverse, bounds)
