"""Positions of VideoRoPE: frames on the diagonal, rows and columns around it, time stretched."""

from __future__ import annotations

import numpy as np

from ... import checks
from ...arithmetic import formats, rounding
from ...catalogue import register
from ...errors import InputError, shown
from ...types import ArrayLike, Float32s, Integer, Number
from .. import _rows


@register(
    family="positions",
    paper="Wei et al. 2025, VideoRoPE, arXiv:2502.05173, section 4",
    conventions="float32; masked slots 1; deltas from all tokens",
    outputs=("positions", "deltas"),
    contract="written",
)
def videorope_positions(
    mm_token_type_ids: ArrayLike,
    *,
    scale_factor: Number,
    image_grid_thw: ArrayLike | None = None,
    video_grid_thw: ArrayLike | None = None,
    attention_mask: ArrayLike | None = None,
    spatial_merge_size: Integer = 2,
) -> tuple[Float32s, Float32s]:
    """The (time, row, column) positions of VideoRoPE, as float32.

        text:            (s, s, s), s one more for each token
        image or video:  (u, u + r - (h - 1) // 2, u + c - (w - 1) // 2) for frame t, row r and column c of h x w merged
                         tokens, column fastest, with u = scale_factor t + s
        then:            s is the time of the last frame plus 1

    Parameters
    ----------
    mm_token_type_ids : array_like
        Integers (batch, tokens), 0 text, 1 image, 2 video; a block is one unbroken run of its kind.
    scale_factor : float or Fraction
        Positions from frame to frame, a number from 0 to 2**31, 2 in the paper.
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
    positions, deltas : ndarray of float32
        Positions, float32 (3, batch, tokens), masked slots 1, and deltas, float32 (batch, 1): the largest time of the
        row plus 1, less all its tokens.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE, E_SIZE, E_CHOICE as `qwen2_vl_positions`, E_NUMBER (scale_factor).

    Notes
    -----
    Rounding: all in float32, each of these to nearest even: scale_factor, its product with t, the sum with the tokens
    of text before the block, the sum with the s before that text, and the sums with r and c.

    Without any grid both are taken with the masked slots.

    References
    ----------
    - Wei et al. 2025, arXiv:2502.05173, section 4.
    - get_t_scale_rope_index in videorope-transformer/modeling_videorope.py of Wiselnn570/VideoRoPE (309f5c8).

    Examples
    --------
    >>> videorope_positions([[0, 2, 2, 2, 2, 0]], scale_factor=2, video_grid_thw=[[2, 2, 4]]).positions[:, 0]
    array([[0., 1., 1., 3., 3., 4.],
           [0., 1., 1., 3., 3., 4.],
           [0., 1., 2., 3., 4., 4.]], dtype=float32)
    """
    scale = _float32(scale_factor)
    types = _rows.read_token_types(mm_token_type_ids)
    blocks = {
        _rows.IMAGE: _blocks("image_grid_thw", image_grid_thw, spatial_merge_size, scale),
        _rows.VIDEO: _blocks("video_grid_thw", video_grid_thw, spatial_merge_size, scale),
    }
    any_grid = image_grid_thw is not None or video_grid_thw is not None
    kept = _rows.read_mask(attention_mask, types.shape)
    positions = np.ones((3, *types.shape), np.float32)
    deltas = np.empty((len(types), 1), np.float32)
    used = dict.fromkeys(blocks, 0)
    for row, keep in enumerate(kept):
        positions[:, row, keep] = _row(types[row, keep], blocks, used)
        top = positions[0, row, keep if any_grid else slice(None)].max()
        deltas[row] = top + np.float32(1) - np.float32(types.shape[1])
    _rows.check_all_used(blocks, used)
    return _rows.MultimodalPositions(positions, deltas)


def _float32(scale_factor):
    exact = checks.real("scale_factor", scale_factor)
    if not 0 <= exact <= 2**31:
        sentence = f"scale_factor must be between 0 and 2**31, got {shown(scale_factor)}"
        raise InputError("E_NUMBER", "scale_factor", sentence)
    return rounding.narrow(np.array(float(exact)), formats.FORMATS["float32"]).view(np.float32)


def _blocks(name, grid_thw, spatial_merge_size, scale):
    """Blocks of (frame time, row, column) as float32, rows and columns from the middle."""
    blocks = []
    for t, h, w in _rows.read_grids(name, grid_thw, spatial_merge_size):
        block = _rows.grid_cells(np.arange(t, dtype=np.int64).astype(np.float32) * scale, h, w)
        blocks.append(_rows.Block(block - np.array([[0], [(h - 1) // 2], [(w - 1) // 2]], np.float32), 0))
    return blocks


def _row(kinds, blocks, used):
    """(3, tokens) of one row."""
    parts, start, text = [], np.float32(0), np.float32(0)
    for kind, first, last in _rows.runs(kinds):
        if kind == _rows.TEXT:
            text = np.float32(last - first)
            parts.append(_rows.line(np.float32(0), last - first).astype(np.float32) + start)
        else:
            part = _rows.next_block(blocks[kind], used, kind, last - first).positions.copy()
            part[0] = part[0] + text + start
            part[1:] += part[0]
            parts.append(part)
            start, text = part[0].max() + np.float32(1), np.float32(0)
    return np.concatenate(parts, 1)
