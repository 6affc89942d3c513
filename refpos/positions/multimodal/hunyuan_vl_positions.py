"""Positions of HunYuan-VL: every token counts on; image tokens also have column, row and image number."""

from __future__ import annotations

import numpy as np

from ... import checks
from ...catalogue import register
from ...errors import InputError
from ...types import ArrayLike, Integer, Integers
from .. import _rows


@register(
    family="positions",
    paper="Tencent Hunyuan Team 2025, HunyuanOCR, arXiv:2511.19575",
    conventions="axes (..., column, row, image number); images are numbered through the batch",
    outputs=("positions", "deltas"),
)
def hunyuan_vl_positions(
    mm_token_type_ids: ArrayLike,
    *,
    image_grid_thw: ArrayLike | None = None,
    attention_mask: ArrayLike | None = None,
    spatial_merge_size: Integer = 2,
    num_axes: Integer = 4,
) -> tuple[Integers, Integers]:
    """The positions of HunYuan-VL on num_axes axes, the last three of which are column, row and image number.

        token p:                                         p on every axis
        token of row r, column c of image k, last axes:  (c, r, k),  c from 0 to w: the column w ends the row

    Parameters
    ----------
    mm_token_type_ids : array_like
        Integers (batch, tokens), 0 text, 1 image; a run has h (w + 1) tokens, or two more, one before and one after,
        that count as text.
    image_grid_thw : array_like, optional
        Integers (count, 3), of 1 frame; h and w are its rows and columns divided by spatial_merge_size. k counts the
        images of the whole batch.
    attention_mask : array_like, optional
        Shape (batch, tokens) of 0 and 1, padding on any side; None keeps every token.
    spatial_merge_size : int, default 2
        Patches merged to a token along each axis.
    num_axes : int, default 4
        Number of axes, at least 3, 4 in the released models.

    Returns
    -------
    positions, deltas : ndarray of int64
        Positions, int64 (num_axes, batch, tokens), masked slots 0, and deltas, int64 (batch, 1): the largest position
        of the row plus 1, less the tokens kept: 0 unless an image number or a column is the largest.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE, E_SIZE, E_CHOICE as `qwen2_vl_positions`, and E_SIZE (num_axes).

    References
    ----------
    get_rope_index in src/transformers/models/hunyuan_vl/modeling_hunyuan_vl.py, transformers 5.23.0.

    Examples
    --------
    >>> hunyuan_vl_positions([[0, 1, 1, 1, 1, 0]], image_grid_thw=[[1, 4, 2]]).positions[:, 0]
    array([[0, 1, 2, 3, 4, 5],
           [0, 0, 1, 0, 1, 5],
           [0, 0, 0, 1, 1, 5],
           [0, 0, 0, 0, 0, 5]])
    """
    types = _rows.read_token_types(mm_token_type_ids, (_rows.TEXT, _rows.IMAGE))
    images = _rows.read_grids("image_grid_thw", image_grid_thw, spatial_merge_size)
    if any(t != 1 for t, _, _ in images):
        most = max(t for t, _, _ in images)
        raise InputError("E_SIZE", "image_grid_thw", f"image_grid_thw must have 1 frame in each image, got {most}")
    num_axes = checks.integer("num_axes", num_axes, 3, 64)
    kept = _rows.read_mask(attention_mask, types.shape)
    positions = np.zeros((num_axes, *types.shape), np.int64)
    deltas = np.empty((len(types), 1), np.int64)
    # (3, tokens) of columns, rows and the number of the image, with the column that ends each row
    blocks = [
        _rows.Block(_rows.grid_cells(np.array([k], np.int64), h, w + 1)[::-1], 0) for k, (_, h, w) in enumerate(images)
    ]
    used = {_rows.IMAGE: 0}
    for row, columns in enumerate(map(np.flatnonzero, kept)):
        of_row = _rows.line(0, len(columns), num_axes).copy()
        for kind, first, last in _rows.runs(types[row, columns]):
            if kind == _rows.IMAGE:
                first, last = _inside(blocks, used, first, last)
                of_row[-3:, first:last] = _rows.next_block(blocks, used, kind, last - first).positions
        positions[:, row, columns] = of_row
        deltas[row] = of_row.max() + 1 - len(columns)
    _rows.check_all_used({_rows.IMAGE: blocks}, used)
    return _rows.MultimodalPositions(positions, deltas)


def _inside(blocks, used, first, last):
    """The run without the two tokens around an image, where it has them."""
    k = used[_rows.IMAGE]
    framed = k < len(blocks) and last - first == blocks[k].positions.shape[1] + 2
    return (first + 1, last - 1) if framed else (first, last)
