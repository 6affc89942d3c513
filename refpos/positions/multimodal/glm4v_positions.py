"""Positions of GLM-4.1V and GLM-4.5V: frame by frame, as Qwen3-VL."""

from __future__ import annotations

from ...catalogue import register
from ...types import ArrayLike, Integer, Integers, TransformersVersion
from .qwen3_vl_positions import framewise


@register(
    family="positions",
    paper="GLM-V Team 2025, GLM-4.1V-Thinking and GLM-4.5V, arXiv:2507.01006",
    conventions="version: masked slots 1 or 0, deltas from all tokens or those kept",
    outputs=("positions", "deltas"),
)
def glm4v_positions(
    mm_token_type_ids: ArrayLike,
    *,
    version: TransformersVersion,
    image_grid_thw: ArrayLike | None = None,
    video_grid_thw: ArrayLike | None = None,
    attention_mask: ArrayLike | None = None,
    spatial_merge_size: Integer = 2,
) -> tuple[Integers, Integers]:
    """The (time, row, column) positions of GLM-4V: the frames of a video are images with time stamps between them.

        `qwen3_vl_positions` of the same arguments

    The tokenizer has one placeholder for images and videos: mm_token_type_ids is 2 for placeholders between the begin
    and the end of a video, 1 for the others.

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
    get_rope_index in src/transformers/models/glm4v/modeling_glm4v.py, transformers 4.57.1 and 5.23.0; the same body in
    GLM-4.5V (glm4v_moe) and, in 5.23.0, GLM-4.6V and GLM-OCR.

    Examples
    --------
    >>> glm4v_positions([[0, 1, 1, 0]], version="transformers-5.23.0", image_grid_thw=[[1, 4, 2]]).positions[:, 0]
    array([[0, 1, 1, 3],
           [0, 1, 2, 3],
           [0, 1, 1, 3]])
    """
    return framewise(mm_token_type_ids, version, image_grid_thw, video_grid_thw, attention_mask, spatial_merge_size)
