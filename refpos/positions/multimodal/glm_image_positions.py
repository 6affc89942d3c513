"""Positions of GLM-Image: the prompt with its source images, and the images that will be generated after it."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from ... import checks
from ...catalogue import register
from ...errors import InputError
from ...types import ArrayLike, Integer, Integers
from .. import _rows


class GenerationPositions(NamedTuple):
    """Positions of the prompt, and of the tokens to generate."""

    positions: np.ndarray
    decode_positions: np.ndarray


@register(
    family="positions",
    paper="Z.ai 2026, GLM-Image (model card; no paper)",
    conventions="images on their own grid, unmerged; masked slots 1; the grids to generate are taken from the last one",
    outputs=("positions", "decode_positions"),
)
def glm_image_positions(
    input_ids: ArrayLike,
    *,
    image_start_token_id: Integer,
    image_end_token_id: Integer,
    image_grid_thw: ArrayLike | None = None,
    images_per_sample: ArrayLike | None = None,
    attention_mask: ArrayLike | None = None,
) -> tuple[Integers, Integers]:
    """The (time, row, column) positions of GLM-Image, of the prompt and of the images it asks for.

        text:   (s, s, s), s one more for each token, the start and end tokens of images too
        image:  (s + t, s + r, s + c) for frame t, row r and column c, column fastest; then s advances by max(h, w)
        to generate: the grids of the row that the prompt does not use, the last one first, as images from s on with
                t = 0, and one token at the s after them

    Parameters
    ----------
    input_ids : array_like
        Integers (batch, tokens); an image stands between image_start_token_id and image_end_token_id; a start token
        without an end is text.
    image_start_token_id : int
        Id of the token that starts an image.
    image_end_token_id : int
        Id of the token that ends an image.
    image_grid_thw : array_like, optional
        Integers (count, 3), rows and columns of tokens, those of the first row of input_ids first; within a row the
        images of the prompt first.
    images_per_sample : array_like, optional
        Number of grids of each row, at least 1; None with one row.
    attention_mask : array_like, optional
        Shape (batch, tokens) of 0 and 1, padding on any side; None keeps every token.

    Returns
    -------
    positions, decode_positions : ndarray of int64
        Positions, int64 (3, batch, tokens), masked slots 1, and decode_positions, int64 (batch, 3, longest), shorter
        ones repeating their last position; (batch, 3, 0) without grids.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE (shapes; images that do not match grids), E_SIZE (grids, images_per_sample), E_CHOICE
        (attention_mask, equal special tokens).

    Notes
    -----
    The delta of the model is 0.

    References
    ----------
    get_rope_index in src/transformers/models/glm_image/modeling_glm_image.py, transformers 5.23.0.

    Examples
    --------
    >>> result = glm_image_positions(  # text, an image of 1 x 2, text and the start of an image of 2 x 1
    ...     [[9, 1, 5, 6, 2, 9, 1]], image_start_token_id=1, image_end_token_id=2,
    ...     image_grid_thw=[[1, 1, 2], [1, 2, 1]])
    >>> result.positions[:, 0]
    array([[0, 1, 2, 2, 4, 5, 6],
           [0, 1, 2, 2, 4, 5, 6],
           [0, 1, 2, 3, 4, 5, 6]])
    >>> result.decode_positions[0]
    array([[7, 7, 9],
           [7, 8, 9],
           [7, 7, 9]])
    """
    least = -checks.LARGEST_SIZE
    starts = checks.integer("image_start_token_id", image_start_token_id, least)
    ends = checks.integer("image_end_token_id", image_end_token_id, least)
    if starts == ends:
        sentence = f"image_end_token_id must differ from image_start_token_id, got {ends} twice"
        raise InputError("E_CHOICE", "image_end_token_id", sentence)
    tokens = _rows.read_rows("input_ids", input_ids)
    kept = _rows.read_mask(attention_mask, tokens.shape)
    shares = _shares(_rows.read_grids("image_grid_thw", image_grid_thw, 1), images_per_sample, len(tokens))
    positions = np.ones((3, *tokens.shape), np.int64)
    decoded = []
    for row, keep in enumerate(kept):
        of_row, start, unused = _prompt(tokens[row, keep], starts, ends, shares[row])
        positions[:, row, keep] = of_row
        decoded.append(_decoded(start, unused) if shares[row] else np.empty((3, 0), np.int64))
    longest = max(one.shape[1] for one in decoded)
    padded = [np.pad(one, ((0, 0), (0, longest - one.shape[1])), "edge") if longest else one for one in decoded]
    return GenerationPositions(positions, np.stack(padded))


def _shares(grids, images_per_sample, batch):
    """The grids of each row."""
    if not grids:
        return [[]] * batch
    if images_per_sample is None:
        if batch > 1:
            sentence = f"images_per_sample must say how many grids each of {batch} rows has, got None"
            raise InputError("E_SHAPE", "images_per_sample", sentence)
        return [grids]
    counts = _rows.read_integers("images_per_sample", images_per_sample, (batch,), 1)
    if counts.sum() != len(grids):
        sentence = f"images_per_sample must add up to the {len(grids)} grids, got {counts.sum()}"
        raise InputError("E_SHAPE", "images_per_sample", sentence)
    edges = [0, *np.cumsum(counts, dtype=np.int64).tolist()]
    return [grids[first:last] for first, last in itertools.pairwise(edges)]


def _prompt(tokens, starts, ends, grids):
    """(3, tokens) of a row, the next position, and the grids it does not use."""
    first = (np.flatnonzero(tokens == starts) + 1).tolist()
    last = np.flatnonzero(tokens == ends).tolist()
    if len(last) > len(grids):
        sentence = f"image_grid_thw must have a grid for each image of input_ids, got {len(grids)} for {len(last)}"
        raise InputError("E_SHAPE", "image_grid_thw", sentence)
    parts, next_token, start = [], 0, 0
    for k, ((t, h, w), stop) in enumerate(zip(grids, last)):
        if k >= len(first) or not next_token < first[k] <= stop or stop - first[k] != t * h * w:
            sentence = f"input_ids must have {t * h * w} tokens between the start and the end of image {k + 1}"
            got = stop - first[k] if k < len(first) else "no start"
            raise InputError("E_SHAPE", "input_ids", f"{sentence}, got {got}")
        parts.append(_rows.line(start, first[k] - next_token))
        start += first[k] - next_token
        parts.append(_rows.block(np.arange(t, dtype=np.int64), h, w, False).positions + start)
        start += max(h, w)
        next_token = stop
    parts.append(_rows.line(start, len(tokens) - next_token))
    return np.concatenate(parts, 1), start + len(tokens) - next_token, grids[len(last) :]


def _decoded(start, grids):
    parts = []
    for _, h, w in reversed(grids):
        parts.append(_rows.block(np.zeros(1, np.int64), h, w, False).positions + start)
        start += max(h, w)
    return np.concatenate([*parts, _rows.line(start, 1)], 1)
