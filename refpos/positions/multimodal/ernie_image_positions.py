"""Positions of ERNIE-Image: the image at the position after the text, then the text."""

from __future__ import annotations

import numpy as np

from ... import checks
from ...catalogue import register
from ...types import Integer, Integers
from .. import _rows


@register(
    family="positions",
    paper="Baidu 2026, ERNIE-Image (model card)",
    conventions="axes (sequence, row, column); image first, then text",
)
def ernie_image_positions(height: Integer, width: Integer, *, text_length: Integer) -> Integers:
    """The (sequence, row, column) positions of ERNIE-Image, the image before the text, as the model joins them.

        token r, c of the image:  (text_length, r, c), column fastest
        text token i:             (i, 0, 0)

    Parameters
    ----------
    height, width : int
        Rows and columns of tokens of the image.
    text_length : int
        Number of tokens of text, 0 for none.

    Returns
    -------
    ndarray of int64
        Shape (3, height * width + text_length).

    Raises
    ------
    InputError
        E_SIZE.

    References
    ----------
    src/diffusers/models/transformers/transformer_ernie_image.py (diffusers 0.42.1).

    Examples
    --------
    >>> ernie_image_positions(1, 2, text_length=2)
    array([[2, 2, 0, 1],
           [0, 0, 0, 0],
           [0, 1, 0, 0]])
    """
    sizes = [checks.integer(name, size, 0, 2**16) for name, size in (("height", height), ("width", width))]
    text_length = checks.integer("text_length", text_length, 0, _rows.MOST_TOKENS)
    cells = np.indices((1, *sizes), dtype=np.int64).reshape(3, -1) + [[text_length], [0], [0]]
    words = np.zeros((3, text_length), np.int64)
    words[0] = np.arange(text_length, dtype=np.int64)
    return np.concatenate([cells, words], 1)
