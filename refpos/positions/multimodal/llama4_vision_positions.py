"""Positions of the vision tower of Llama 4: patches from 1, the class token last and at the origin."""

from __future__ import annotations

import numpy as np

from ... import checks
from ...catalogue import register
from ...types import Integer, Integers


@register(
    family="positions",
    paper="Meta 2025, Llama 4 (model card)",
    conventions="axes (row, column), from 1; the class token last, at (0, 0)",
)
def llama4_vision_positions(side: Integer) -> Integers:
    """The (row, column) positions of Llama 4's patches and of the class token behind them.

        patch r, c:   (r + 1, c + 1), column fastest
        class token:  (0, 0), the last one

    Parameters
    ----------
    side : int
        Number of rows of patches, and of columns; 0 leaves the class token alone.

    Returns
    -------
    ndarray of int64
        Shape (2, side * side + 1).

    Raises
    ------
    InputError
        E_SIZE.

    References
    ----------
    Llama4VisionRotaryEmbedding in src/transformers/models/llama4/modeling_llama4.py (transformers 5.23.0).

    Examples
    --------
    >>> llama4_vision_positions(2)
    array([[1, 1, 2, 2, 0],
           [1, 2, 1, 2, 0]])
    """
    rows, columns = np.indices((checks.integer("side", side, 0, 2**12),) * 2, dtype=np.int64).reshape(2, -1) + 1
    return np.stack([np.append(rows, 0), np.append(columns, 0)])
