"""Positions of Lumina 2: the caption counts along the first axis, the image follows it there on (row, column)."""

from __future__ import annotations

import numpy as np

from ...catalogue import register
from ...errors import InputError
from ...types import ArrayLike, Integer, Integers
from .. import _rows
from .flux_positions import planar


@register(
    family="positions",
    paper="Qin et al. 2025, Lumina-Image 2.0, arXiv:2503.21758",
    conventions="axes (sequence, row, column); slots after the image 0",
)
def lumina2_positions(height: Integer, width: Integer, *, text_lengths: ArrayLike) -> Integers:
    """The (sequence, row, column) positions of Lumina 2 for a batch of captions and images of one size.

        caption token i of n:     (i, 0, 0)
        token r, c of the image:  (n, r, c), column fastest, after the caption

    Parameters
    ----------
    height, width : int
        Rows and columns of tokens.
    text_lengths : array_like
        Shape (batch,), number of tokens of each caption, 0 for none.

    Returns
    -------
    ndarray of int64
        Shape (batch, max(text_lengths) + height * width, 3); slots after the image are 0.

    Raises
    ------
    InputError
        E_SIZE (height, width, text_lengths), E_SHAPE and E_DTYPE (text_lengths).

    References
    ----------
    Lumina2RotaryPosEmbed in src/diffusers/models/transformers/transformer_lumina2.py (diffusers 0.42.1), whose tables
    end at 300, 512 and 512.

    Examples
    --------
    >>> lumina2_positions(1, 2, text_lengths=[2, 1])[1]
    array([[0, 0, 0],
           [1, 0, 0],
           [1, 0, 1],
           [0, 0, 0]])
    """
    height, width = planar(height, width)
    lengths = _rows.read_integers("text_lengths", text_lengths, ("batch",), 0).tolist()
    if not lengths or max(lengths) > _rows.MOST_TOKENS:
        wanted = f"at least one caption of at most {_rows.MOST_TOKENS} tokens"
        raise InputError("E_SIZE", "text_lengths", f"text_lengths must have {wanted}, got {lengths}")
    tokens = height * width
    positions = np.zeros((len(lengths), max(lengths) + tokens, 3), np.int64)
    for row, count in zip(positions, lengths):
        row[:count, 0] = np.arange(count, dtype=np.int64)
        row[count : count + tokens] = _rows.grid_cells(np.array([count], np.int64), height, width).T
    return positions
