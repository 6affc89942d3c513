"""Positions of Z-Image: padded text counts along the first axis, the image stands at the position after it."""

from __future__ import annotations

import numpy as np

from ... import checks
from ...catalogue import register
from ...types import Integer, Integers
from .. import _rows

MARGIN = 32  # text and image are padded to a multiple of so many tokens


@register(
    family="positions",
    paper="Tongyi-MAI 2025, Z-Image (model card)",
    conventions="axes (sequence, row, column); image first, then text, each padded to a multiple of 32",
)
def z_image_positions(height: Integer, width: Integer, *, text_length: Integer, frames: Integer = 1) -> Integers:
    """The (sequence, row, column) positions of Z-Image, the image before the text, as the model joins them.

        text token i of n:           (i + 1, 0, 0), i < N = n rounded up to a multiple of 32
        token f, r, c of the image:  (N + 1 + f, r, c), column fastest
        padding of the image:        (0, 0, 0), up to a multiple of 32

    Parameters
    ----------
    height : int
        Rows of tokens of the image.
    width : int
        Columns of tokens of the image.
    text_length : int
        Number of tokens of text, 0 for none.
    frames : int, default 1
        Frames of tokens of the image.

    Returns
    -------
    ndarray of int64
        Shape (3, tokens).

    Raises
    ------
    InputError
        E_SIZE.

    References
    ----------
    patchify_and_embed in src/diffusers/models/transformers/transformer_z_image.py (diffusers 0.42.1).

    Examples
    --------
    >>> z_image_positions(1, 2, text_length=3)[:, [0, 1, 2, 32, 33]]
    array([[33, 33,  0,  1,  2],
           [ 0,  0,  0,  0,  0],
           [ 0,  1,  0,  0,  0]])
    """
    named = {"frames": frames, "height": height, "width": width}
    sizes = [checks.integer(name, size, 0, 2**16) for name, size in named.items()]
    text = -(-checks.integer("text_length", text_length, 0, _rows.MOST_TOKENS) // MARGIN) * MARGIN
    cells = np.indices(sizes, dtype=np.int64).reshape(3, -1) + [[text + 1], [0], [0]]
    padding = np.zeros((3, -cells.shape[1] % MARGIN), np.int64)
    words = np.zeros((3, text), np.int64)
    words[0] = np.arange(1, text + 1, dtype=np.int64)
    return np.concatenate([cells, padding, words], 1)
