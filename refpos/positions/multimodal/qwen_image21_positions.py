"""Positions of Qwen-Image 2.1: text on the diagonal, each image at one time, its rows and columns around 0."""

from __future__ import annotations

import numpy as np

from ...catalogue import register
from ...errors import InputError
from ...types import ArrayLike, Integers
from .. import _rows


@register(
    family="positions",
    paper="Qwen 2026, Qwen-Image 2.1 (model card)",
    conventions="axes (time, row, column); rows and columns from the middle of each image; time goes on by max(h, w)",
)
def qwen_image21_positions(image_pad_mask: ArrayLike, *, grid_thw: ArrayLike | None) -> Integers:
    """The (time, row, column) positions of Qwen-Image 2.1, whose images stand in the text.

        text:                      (s, s, s), s one more for each token
        row r, column c of h x w:  (s, r - ceil(h / 2), c - ceil(w / 2)), column fastest
        then:                      s advances by max(h, w)

    Parameters
    ----------
    image_pad_mask : array_like
        Shape (tokens,) of 0 for text and 1 for image tokens; images may touch each other.
    grid_thw : array_like or None
        Integers (count, 3), 1 and the rows and columns in tokens of each image, in the order of the mask, the one to
        generate last; None where there is no image.

    Returns
    -------
    ndarray of int64
        Shape (3, tokens).

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE (image_pad_mask, grid_thw; tokens that do not match), E_SIZE (grid_thw, more than 1 frame),
        E_CHOICE (image_pad_mask).

    References
    ----------
    QwenImage21Rope in src/diffusers/models/transformers/transformer_qwenimage21.py (diffusers 0.42.1), whose tables end
    at -1024 and 8191.

    Examples
    --------
    >>> qwen_image21_positions([0, 0, 1, 1, 1, 0], grid_thw=[[1, 1, 3]])
    array([[ 0,  1,  2,  2,  2,  5],
           [ 0,  1, -1, -1, -1,  5],
           [ 0,  1, -2, -1,  0,  5]])
    """
    images = _rows.read_flags("image_pad_mask", image_pad_mask, ("tokens",))
    parts, start, next_token = [], 0, 0
    for number, (height, width) in enumerate(_sizes(grid_thw), 1):
        begin = next_token + _leading(images[next_token:], False)
        end = begin + height * width
        if not images[begin:end].all() or end > len(images):
            got = _leading(images[begin:], True)
            sentence = f"image_pad_mask must have {height * width} tokens for image {number} of grid_thw, got {got}"
            raise InputError("E_SHAPE", "image_pad_mask", sentence)
        parts.append(_rows.line(start, begin - next_token))
        start += begin - next_token
        middle = np.array([[-start], [(height + 1) // 2], [(width + 1) // 2]], np.int64)
        parts.append(_rows.grid_cells(np.zeros(1, np.int64), height, width) - middle)
        start, next_token = start + max(height, width), end
    if images[next_token:].any():
        sentence = f"grid_thw must have a grid for each image, got {len(parts) // 2} for more tokens of image_pad_mask"
        raise InputError("E_SHAPE", "grid_thw", sentence)
    return np.concatenate([*parts, _rows.line(start, len(images) - next_token)], 1)


def _sizes(grid_thw):
    """[(rows, columns)] of grids of one frame."""
    sizes = _rows.read_grids("grid_thw", grid_thw, 1)
    for frames, height, width in sizes:
        if frames != 1:
            sentence = f"grid_thw must have 1 frame for each image, got ({frames}, {height}, {width})"
            raise InputError("E_SIZE", "grid_thw", sentence)
    return [size[1:] for size in sizes]


def _leading(values, wanted):
    """How many of the first values are as wanted."""
    other = np.flatnonzero(values != wanted)
    return int(other[0]) if other.size else len(values)
