"""Abacus positions: the place of each digit in its number."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..types import ArrayLike, Integer, Integers
from . import _rows


@register(
    family="positions",
    paper="McLeish et al. 2024, Transformers Can Do Arithmetic with the Right Embeddings, arXiv:2405.17399, section 3",
    conventions="digits count from 1 in each number, as they stand; other tokens read row 0",
    also="Abacus",
)
def abacus_positions(tokens: ArrayLike, digits: ArrayLike, *, offset: Integer = 0) -> Integers:
    """Abacus positions: the place of each digit in its number, and 0 for all other tokens.

        P[k] = k - (first token of its run of digits) + 1 + offset  of a digit,   0 of any other token

    Parameters
    ----------
    tokens : array_like
        Token ids, integers (..., length).
    digits : array_like
        The ids of the digits, integers of one axis; tokens that follow each other without another between them are one
        number.
    offset : int, default 0
        What is added to digits alone, from 0 on; training draws one for each batch (the authors from 0 to 99),
        evaluation has 0.

    Returns
    -------
    ndarray of int64
        int64 of the shape of tokens: rows of a learned table, `learned(weight, positions)`.

    Raises
    ------
    InputError
        E_DTYPE and E_SHAPE (tokens, digits), E_SIZE (offset).

    Notes
    -----
    Numbers are written with the lowest digit first, so that digits of equal weight have equal positions.

    References
    ----------
    mcleish7/arithmetic at 86022a5, abacus.py, Abacus.

    Examples
    --------
    >>> abacus_positions([7, 4, 12, 9, 1, 2], digits=[0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    array([1, 2, 0, 1, 2, 3])
    """
    ids, kinds = checks.integers("tokens", tokens), checks.integers("digits", digits)
    if not ids.ndim:
        raise InputError("E_SHAPE", "tokens", f"tokens must have at least one axis, got {ids}")
    if kinds.ndim != 1:
        raise InputError("E_SHAPE", "digits", f"digits must have one axis, got shape {kinds.shape}")
    offset = checks.integer("offset", offset, 0, _rows.LARGEST_POSITION)
    checks.room("tokens", ids)
    is_digit = np.isin(ids, kinds)
    place = np.arange(1, ids.shape[-1] + 1, dtype=np.int64)
    before = np.maximum.accumulate(np.where(is_digit, 0, place), axis=-1)  # the last token that is no digit
    return np.where(is_digit, place - before + offset, 0)
