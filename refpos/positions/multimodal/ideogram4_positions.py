"""Positions of Ideogram 4: text counts on all axes, the image begins at 65536."""

from __future__ import annotations

import numpy as np

from ... import checks
from ...catalogue import register
from ...types import Integer, Integers
from .. import _rows


@register(
    family="positions",
    paper="Ideogram 2026, Ideogram 4 (code)",
    conventions="axes (time, row, column); the image from offset on all three",
)
def ideogram4_positions(height: Integer, width: Integer, *, text_length: Integer, offset: Integer = 65536) -> Integers:
    """The (time, row, column) positions of Ideogram 4: text, then the image.

        text token i:             (i, i, i)
        token r, c of the image:  (offset, offset + r, offset + c), column fastest

    Parameters
    ----------
    height, width : int
        Rows and columns of tokens of the image.
    text_length : int
        Number of tokens of text, 0 for none.
    offset : int, default 65536
        Position at which the image begins.

    Returns
    -------
    ndarray of int64
        Shape (3, text_length + height * width).

    Raises
    ------
    InputError
        E_SIZE.

    Notes
    -----
    In bfloat16 positions from 65536 on are 512 apart.

    References
    ----------
    src/diffusers/pipelines/ideogram4/pipeline_ideogram4.py (diffusers 0.42.1).

    Examples
    --------
    >>> ideogram4_positions(1, 2, text_length=1)
    array([[    0, 65536, 65536],
           [    0, 65536, 65536],
           [    0, 65536, 65537]])
    """
    sizes = [checks.integer(name, size, 0, 2**16) for name, size in (("height", height), ("width", width))]
    text_length = checks.integer("text_length", text_length, 0, _rows.MOST_TOKENS)
    words = np.tile(np.arange(text_length, dtype=np.int64), (3, 1))
    cells = np.indices((1, *sizes), dtype=np.int64).reshape(3, -1) + checks.integer("offset", offset)
    return np.concatenate([words, cells], 1)
