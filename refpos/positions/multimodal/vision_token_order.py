"""Token orders of vision encoders: which frame, row and column each token of a grid has."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from ... import checks
from ...catalogue import register
from ...errors import InputError
from ...types import ArrayLike, Integer, Integers
from .. import _rows

Order = Literal["row-major", "column-major", "merge-blocks", "windows"]
ORDERS = get_args(Order)


@register(
    family="positions",
    paper="conventions of encoders; Dosovitskiy et al. 2021, arXiv:2010.11929, for row-major",
    conventions="order: row-major, column-major, merge-blocks (Qwen2-VL towers) or windows (Qwen2.5-VL)",
)
def vision_token_order(
    grid_thw: ArrayLike,
    *,
    order: Order,
    spatial_merge_size: Integer = 2,
    window_size: Integer = 112,
    patch_size: Integer = 14,
) -> Integers:
    """The (frame, row, column) of each patch of images and videos, in the order of an encoder's tokens.

        row-major:     frame, row, column, the last fastest (ViT)
        column-major:  frame, column, row, the last fastest (RT-DETR)
        merge-blocks:  frame, then blocks of m x m patches in row-major order, then row and column inside the block
        windows:       frame, then windows of v x v blocks in row-major order, then the blocks inside the window in
                       row-major order, cut at the edges of the grid, then row and column inside the block;
                       v = window_size // m // patch_size

    Parameters
    ----------
    grid_thw : array_like
        Integers (count, 3), frames, rows and columns of patches; the grids follow each other.
    order : {'row-major', 'column-major', 'merge-blocks', 'windows'}
        Order of the tokens, as stated above.
    spatial_merge_size : int, default 2
        m; rows and columns must be its multiples in the last two orders.
    window_size : int, default 112
        Size of a window in pixels.
    patch_size : int, default 14
        Size of a patch in pixels.

    Returns
    -------
    ndarray of int64
        Shape (tokens, 3), each patch of each grid once.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE (grid_thw), E_SIZE (grids, sizes, a window smaller than a block), E_CHOICE (order).

    References
    ----------
    get_vision_position_ids and get_vision_window_index in src/transformers/vision_utils.py, transformers 5.23.0
    (merge-blocks: Qwen2-VL, Qwen3-VL, GLM-4V, ERNIE-4.5-VL; windows: Qwen2.5-VL); build_2d_sincos_position_embedding of
    RT-DETR (column-major).

    Examples
    --------
    >>> vision_token_order([[1, 2, 4]], order="merge-blocks")[:, 1:].T
    array([[0, 0, 1, 1, 0, 0, 1, 1],
           [0, 1, 0, 1, 2, 3, 2, 3]])
    """
    checks.choice("order", order, ORDERS)
    merge = checks.integer("spatial_merge_size", spatial_merge_size, 1)
    if order not in ("merge-blocks", "windows"):
        merge = 1
    window = checks.integer("window_size", window_size, 1) // merge // checks.integer("patch_size", patch_size, 1)
    if order == "windows" and not window:
        sentence = f"window_size must be at least a block of {merge} x {merge} patches of {patch_size}"
        raise InputError("E_SIZE", "window_size", f"{sentence}, got {window_size}")
    if grid_thw is None:
        raise InputError("E_SHAPE", "grid_thw", "grid_thw must have shape (count, 3), got None")
    orders = [_order(t, h, w, order, merge, window) for t, h, w in _rows.read_grids("grid_thw", grid_thw, merge)]
    return np.concatenate([np.empty((0, 3), np.int64), *orders])


def _order(frames, height, width, order, merge, window):
    """(tokens, 3) of one grid of height x width blocks."""
    if order == "column-major":
        return _rows.grid_cells(np.arange(frames, dtype=np.int64), width, height).T[:, [0, 2, 1]]
    blocks = _rows.grid_cells(np.arange(frames, dtype=np.int64), height, width).T
    if order == "windows":
        frame, row, column = blocks.T
        # stable in the last key first: blocks keep their order inside a window
        blocks = blocks[np.lexsort((column // window, row // window, frame))]
    inside = _rows.grid_cells(np.zeros(1, np.int64), merge, merge).T
    return (blocks[:, None] * (1, merge, merge) + inside).reshape(-1, 3)
