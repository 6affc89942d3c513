"""Positions of Qwen2-VL: text on a line, images and videos on (time, row, column)."""

from __future__ import annotations

from ...catalogue import register
from ...types import ArrayLike, Integer, Integers, TransformersVersion
from .. import _rows

PAPER = "Wang et al. 2024, Qwen2-VL, arXiv:2409.12191, section 2.1"


@register(
    family="positions",
    paper=PAPER,
    conventions="version: where text resumes after a video, masked slots 1 or 0, deltas from all tokens or those kept",
    outputs=("positions", "deltas"),
    also="get_rope_index, M-RoPE position ids, mrope position ids",
)
def qwen2_vl_positions(
    mm_token_type_ids: ArrayLike,
    *,
    version: TransformersVersion,
    image_grid_thw: ArrayLike | None = None,
    video_grid_thw: ArrayLike | None = None,
    attention_mask: ArrayLike | None = None,
    spatial_merge_size: Integer = 2,
) -> tuple[Integers, Integers]:
    """The (time, row, column) positions of Qwen2-VL for rows of text, image and video tokens.

        text:            (s, s, s), s one more for each token
        image or video:  (s + t, s + r, s + c) for frame t, row r and column c of merged tokens, column fastest
        then:            s advances by max(h, w)  (transformers-5.23.0), or to the largest position of the block, of
                         any axis, plus 1  (transformers-4.57.1)

    Parameters
    ----------
    mm_token_type_ids : array_like
        Integers (batch, tokens), 0 text, 1 image, 2 video; a block is one unbroken run of its kind. The processor of
        transformers 5 returns them: 1 where input_ids is the image token, 2 the video token, 0 elsewhere, which are
        text and the tokens of vision start and end.
    version : {'transformers-4.57.1', 'transformers-5.23.0'}
        Version of the code. "transformers-4.57.1": text after a video resumes behind its last frame where that is
        farther than its rows and columns, masked slots have 1, deltas count all tokens. "transformers-5.23.0": text
        resumes max(h, w) behind the start of the video, masked slots have 0, deltas count the tokens kept. Rows of text
        and images of one frame, without padding, are the same in both.
    image_grid_thw, video_grid_thw : array_like, optional
        Integers (count, 3), frames, rows and columns of patches, in the order of the runs through the batch; h and w
        above are rows and columns divided by spatial_merge_size.
    attention_mask : array_like, optional
        Shape (batch, tokens) of 0 and 1, padding on any side; None keeps every token.
    spatial_merge_size : int, default 2
        Patches merged to a token along each axis.

    Returns
    -------
    positions, deltas : ndarray of int64
        Positions, int64 (3, batch, tokens), and deltas, int64 (batch, 1): the largest position of the row plus 1, less
        the tokens of the row, all of them (4.57.1) or those kept (5.23.0).

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE (shapes; runs and grids that do not match; a row without a token), E_SIZE (grids), E_CHOICE
        (version, mm_token_type_ids, attention_mask).

    Notes
    -----
    A decoded token has its count plus delta. In 4.57.1 without any grid the largest is taken with the masked slots.

    References
    ----------
    - Wang et al. 2024, arXiv:2409.12191, section 2.1 (M-RoPE).
    - get_rope_index in src/transformers/models/qwen2_vl/modeling_qwen2_vl.py, transformers 4.57.1 and 5.23.0 (there
      PaddleOCR-VL too). SGLang 0.5.23 and vLLM, which know no padding, number as 4.57.1 does.

    Examples
    --------
    Two text tokens, an image of 4 x 6 patches, which are 2 x 3 tokens, and a text token:

    >>> qwen2_vl_positions(
    ...     [[0, 0, 1, 1, 1, 1, 1, 1, 0]], version="transformers-5.23.0", image_grid_thw=[[1, 4, 6]]).positions[:, 0]
    array([[0, 1, 2, 2, 2, 2, 2, 2, 5],
           [0, 1, 2, 2, 2, 3, 3, 3, 5],
           [0, 1, 2, 3, 4, 2, 3, 4, 5]])

    A video of 3 frames of one token, after which the two versions resume differently:

    >>> positions, deltas = qwen2_vl_positions(
    ...     [[0, 2, 2, 2, 0]], version="transformers-5.23.0", video_grid_thw=[[3, 2, 2]])
    >>> positions[:, 0]
    array([[0, 1, 2, 3, 2],
           [0, 1, 1, 1, 2],
           [0, 1, 1, 1, 2]])
    >>> qwen2_vl_positions([[0, 2, 2, 2, 0]], version="transformers-4.57.1", video_grid_thw=[[3, 2, 2]]).positions[0, 0]
    array([0, 1, 2, 3, 4])
    """
    older = _rows.is_older_version(version)
    types = _rows.read_token_types(mm_token_type_ids)
    images = _rows.read_grids("image_grid_thw", image_grid_thw, spatial_merge_size)
    videos = _rows.read_grids("video_grid_thw", video_grid_thw, spatial_merge_size)
    blocks = {_rows.IMAGE: _rows.blocks_of_grids(images, older), _rows.VIDEO: _rows.blocks_of_grids(videos, older)}
    any_grid = image_grid_thw is not None or video_grid_thw is not None
    return _rows.mrope_positions(types, attention_mask, blocks, older, any_grid)
