"""Positions of text with padding: the tokens kept count on, whatever side the padding is on."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..types import ArrayLike, Integer, Integers
from . import _rows


@register(
    family="positions",
    paper="a convention of transformers, generation/utils.py",
    conventions="masked: the position of masked slots, 1 in transformers 4, 0 in transformers 5",
    also="position_ids, position ids, attention mask, left padding, cumsum of the attention mask",
)
def attention_mask_positions(attention_mask: ArrayLike, *, masked: Integer, past_length: Integer = 0) -> Integers:
    """Position ids from an attention mask: how many unmasked tokens stand before each token.

        cumsum(attention_mask) - 1 where attention_mask is 1, `masked` where it is 0

    Parameters
    ----------
    attention_mask : array_like
        Shape (batch, tokens) of 0 and 1, or booleans, of the tokens in the cache and the new ones.
    masked : int
        Position of masked tokens: 0 (transformers 5) or 1 (transformers 4), or any other integer from 0 to 2**53.
    past_length : int, default 0
        Number of leading slots that are in the cache already; their positions are left out.

    Returns
    -------
    ndarray of int64
        Shape (batch, tokens - past_length).

    Raises
    ------
    InputError
        E_DTYPE and E_SHAPE (attention_mask; a row without a token), E_CHOICE (values that are not 0 or 1), E_SIZE
        (masked; past_length, at most tokens).

    References
    ----------
    _prepare_position_ids_for_generation in src/transformers/generation/utils.py (transformers 5.23.0);
    prepare_inputs_for_generation in the same file (4.57.1).

    Examples
    --------
    >>> attention_mask_positions([[0, 0, 1, 1, 1], [1, 1, 1, 0, 0]], masked=1)
    array([[1, 1, 0, 1, 2],
           [0, 1, 2, 1, 1]])
    >>> attention_mask_positions([[0, 0, 1, 1, 1]], masked=0, past_length=4)
    array([[2]])
    """
    masked = checks.integer("masked", masked, 0, _rows.LARGEST_POSITION)
    array = checks.array("attention_mask", attention_mask)
    if array.ndim != 2 or not array.size:
        sentence = f"attention_mask must have shape (batch, tokens), both at least 1, got {array.shape}"
        raise InputError("E_SHAPE", "attention_mask", sentence)
    kept = _rows.read_mask(attention_mask, array.shape)
    past_length = checks.integer("past_length", past_length, 0, array.shape[1])
    return np.where(kept, np.cumsum(kept, 1, dtype=np.int64) - 1, np.int64(masked))[:, past_length:]
