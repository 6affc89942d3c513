"""Positions of ERNIE-4.5-VL: those of Qwen2-VL with the frames of a video merged in time."""

from __future__ import annotations

from ...catalogue import register
from ...types import ArrayLike, Integer, Integers
from .. import _rows


@register(
    family="positions",
    paper="Baidu ERNIE Team 2025, ERNIE 4.5 Technical Report",
    conventions="transformers 5: masked slots 0, text resumes at max(rows, columns), deltas from the tokens kept",
    outputs=("positions", "deltas"),
)
def ernie4_5_vl_positions(
    mm_token_type_ids: ArrayLike,
    *,
    image_grid_thw: ArrayLike | None = None,
    video_grid_thw: ArrayLike | None = None,
    attention_mask: ArrayLike | None = None,
    spatial_merge_size: Integer = 2,
    temporal_merge_size: Integer = 2,
) -> tuple[Integers, Integers]:
    """The (time, row, column) positions of ERNIE-4.5-VL.

        `qwen2_vl_positions` of transformers-5.23.0, where a video has t / temporal_merge_size frames of tokens

    Its rotation takes the axes in the order row, column, time.

    Parameters
    ----------
    mm_token_type_ids : array_like
        Integers (batch, tokens), 0 text, 1 image, 2 video; a block is one unbroken run of its kind.
    image_grid_thw : array_like, optional
        Integers (count, 3), frames, rows and columns of patches of each image, in the order of the runs through the
        batch, as in `qwen2_vl_positions`.
    video_grid_thw : array_like, optional
        Integers (count, 3), frames, rows and columns of patches of each video, in the order of the runs through the
        batch, as in `qwen2_vl_positions`.
    attention_mask : array_like, optional
        Shape (batch, tokens) of 0 and 1, padding on any side; None keeps every token.
    spatial_merge_size : int, default 2
        Patches merged to a token along each axis.
    temporal_merge_size : int, default 2
        Frames of a video merged to one frame of tokens.

    Returns
    -------
    positions, deltas : ndarray of int64
        Positions, int64 (3, batch, tokens), masked slots 0, and deltas, int64 (batch, 1), as in `qwen2_vl_positions`.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE, E_CHOICE and E_SIZE as `qwen2_vl_positions`, and E_SIZE where the frames of a video are no
        multiple of temporal_merge_size.

    References
    ----------
    get_rope_index in src/transformers/models/ernie4_5_vl_moe/modeling_ernie4_5_vl_moe.py, transformers 5.23.0.

    Examples
    --------
    >>> ernie4_5_vl_positions([[0, 2, 2, 0]], video_grid_thw=[[4, 2, 2]]).positions[:, 0]
    array([[0, 1, 2, 2],
           [0, 1, 1, 2],
           [0, 1, 1, 2]])
    """
    types = _rows.read_token_types(mm_token_type_ids)
    images = _rows.read_grids("image_grid_thw", image_grid_thw, spatial_merge_size)
    videos = _rows.read_grids("video_grid_thw", video_grid_thw, spatial_merge_size, temporal_merge_size)
    blocks = {_rows.IMAGE: _rows.blocks_of_grids(images, False), _rows.VIDEO: _rows.blocks_of_grids(videos, False)}
    return _rows.mrope_positions(types, attention_mask, blocks, False, True)
