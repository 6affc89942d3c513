"""Positions of Qwen3-VL: those of Qwen2-VL with every frame of a video a block of its own."""

from __future__ import annotations

from ...catalogue import register
from ...types import ArrayLike, Integer, Integers, TransformersVersion
from .. import _rows


@register(
    family="positions",
    paper="Bai et al. 2025, Qwen3-VL, arXiv:2511.21631",
    conventions="version: masked slots 1 or 0, deltas from all tokens or those kept",
    outputs=("positions", "deltas"),
)
def qwen3_vl_positions(
    mm_token_type_ids: ArrayLike,
    *,
    version: TransformersVersion,
    image_grid_thw: ArrayLike | None = None,
    video_grid_thw: ArrayLike | None = None,
    attention_mask: ArrayLike | None = None,
    spatial_merge_size: Integer = 2,
) -> tuple[Integers, Integers]:
    """The (time, row, column) positions of Qwen3-VL: text, such as a time stamp, stands between the frames of a video.

        `qwen2_vl_positions` with each video grid (t, h, w) replaced by t grids (1, h, w)

    A run of video tokens is one frame. Nothing is rounded; its two versions differ only in masked slots and deltas,
    unless an image has more than one frame.

    Parameters
    ----------
    mm_token_type_ids : array_like
        Integers (batch, tokens), 0 text, 1 image, 2 video; a block is one unbroken run of its kind.
    version : {'transformers-4.57.1', 'transformers-5.23.0'}
        Version of the code that numbers the tokens, as in `qwen2_vl_positions`.
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

    Returns
    -------
    positions, deltas : ndarray of int64
        Positions, int64 (3, batch, tokens), and deltas, int64 (batch, 1), as in `qwen2_vl_positions`.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE, E_SIZE, E_CHOICE as `qwen2_vl_positions`.

    References
    ----------
    get_rope_index in src/transformers/models/qwen3_vl/modeling_qwen3_vl.py, transformers 4.57.1 and 5.23.0; the same
    body in 5.23.0 in Qwen3-VL-MoE, Qwen3.5, GLM-4.1V, GLM-OCR, Cosmos3 and Cohere Compass.

    Examples
    --------
    >>> types = [[0, 2, 2, 0, 0, 2, 2, 0]]
    >>> qwen3_vl_positions(types, version="transformers-5.23.0", video_grid_thw=[[2, 2, 4]]).positions[:, 0]
    array([[0, 1, 1, 3, 4, 5, 5, 7],
           [0, 1, 1, 3, 4, 5, 5, 7],
           [0, 1, 2, 3, 4, 5, 6, 7]])
    """
    return framewise(mm_token_type_ids, version, image_grid_thw, video_grid_thw, attention_mask, spatial_merge_size)


def framewise(mm_token_type_ids, version, image_grid_thw, video_grid_thw, attention_mask, spatial_merge_size):
    """Positions where each frame of a video is a run of tokens."""
    older = _rows.is_older_version(version)
    types = _rows.read_token_types(mm_token_type_ids)
    images = _rows.read_grids("image_grid_thw", image_grid_thw, spatial_merge_size)
    videos = _rows.read_grids("video_grid_thw", video_grid_thw, spatial_merge_size)
    videos = _rows.single_frames("video_grid_thw", videos, types.size)
    blocks = {_rows.IMAGE: _rows.blocks_of_grids(images, older), _rows.VIDEO: _rows.blocks_of_grids(videos, older)}
    any_grid = image_grid_thw is not None or video_grid_thw is not None
    return _rows.mrope_positions(types, attention_mask, blocks, older, any_grid)
