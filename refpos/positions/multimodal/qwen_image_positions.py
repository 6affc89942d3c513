"""Positions of Qwen-Image: images on (frame, row, column) around their middle, text on the diagonal beyond them."""

from __future__ import annotations

import numpy as np

from ... import checks
from ...catalogue import register
from ...errors import InputError
from ...types import ArrayLike, Integer, Integers
from .. import _rows


@register(
    family="positions",
    paper="Wu et al. 2025, Qwen-Image, arXiv:2508.02324, section 3.3 (MSRoPE)",
    conventions="scale_rope: rows and columns from the middle (all released models) or from 0",
    outputs=("text", "image"),
)
def qwen_image_positions(
    grid_thw: ArrayLike, *, text_length: Integer, scale_rope: bool = True, layered: bool = False
) -> tuple[Integers, Integers]:
    """The (frame, row, column) positions of Qwen-Image, Qwen-Image-Edit and Qwen-Image-Layered.

        frame f, row r, column c of image k:  (k + f, r - ceil(h / 2), c - ceil(w / 2)), column fastest
        text token l:                         (s + l, s + l, s + l),  s the largest h // 2 or w // 2 of any image
        scale_rope=False:                     (k + f, r, c) and s the largest h or w
        layered=True:                         the last image is the condition: its frame is -1; s is at least the
                                              number of other images

    Parameters
    ----------
    grid_thw : array_like
        Integers (count, 3), frames, rows and columns of tokens, the image to generate first, then those to edit, or the
        layers and then the condition.
    text_length : int
        Number of tokens of text, 0 for none.
    scale_rope : bool, default True
        Whether rows and columns are centred, as stated above.
    layered : bool, default False
        Whether the last image is the condition of layers, as stated above.

    Returns
    -------
    text, image : ndarray of int64
        Text, int64 (text_length, 3), and image, int64 (tokens, 3).

    Raises
    ------
    InputError
        E_DTYPE and E_SHAPE (grid_thw), E_SIZE (grid_thw, text_length; a condition of more than 1 frame), E_CHOICE
        (scale_rope, layered).

    References
    ----------
    QwenEmbedRope and QwenEmbedLayer3DRope in src/diffusers/models/transformers/transformer_qwenimage.py (diffusers
    0.42.1), whose tables end at -4096 and 4095.

    Examples
    --------
    >>> text, image = qwen_image_positions([[1, 3, 2]], text_length=2)
    >>> image[:, 1:].T
    array([[-2, -2, -1, -1,  0,  0],
           [-1,  0, -1,  0, -1,  0]])
    >>> text[:, 0]
    array([1, 2])
    """
    if grid_thw is None:
        raise InputError("E_SHAPE", "grid_thw", "grid_thw must have shape (count, 3), got None")
    sizes = _rows.read_grids("grid_thw", grid_thw, 1)
    centred, layered = checks.flag("scale_rope", scale_rope), checks.flag("layered", layered)
    text_length = checks.integer("text_length", text_length, 0, _rows.MOST_TOKENS)
    if not sizes or (layered and sizes[-1][0] != 1):
        wanted = "1 frame in its last grid with layered=True" if sizes else "at least one grid"
        got = sizes[-1] if sizes else "none"
        raise InputError("E_SIZE" if sizes else "E_SHAPE", "grid_thw", f"grid_thw must have {wanted}, got {got}")
    images, start = [], len(sizes) - 1 if layered else 0
    for k, (t, h, w) in enumerate(sizes):
        first = -1 if layered and k == len(sizes) - 1 else k
        image = _rows.grid_cells(first + np.arange(t, dtype=np.int64), h, w)
        if centred:
            image = image - np.array([[0], [(h + 1) // 2], [(w + 1) // 2]], np.int64)
        images.append(image.T)
        start = max(start, h // 2 if centred else h, w // 2 if centred else w)
    return _rows.TextAndImage(_rows.line(start, text_length).T.copy(), np.concatenate(images))
