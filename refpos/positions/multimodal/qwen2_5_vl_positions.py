"""Positions of Qwen2.5-VL: those of Qwen2-VL with frames as far apart as the seconds between them."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ... import checks
from ...catalogue import register
from ...errors import InputError
from ...types import ArrayLike, Integer, Integers, TransformersVersion
from .. import _rows

OLD, NEW = _rows.VERSIONS
SERVED = "sglang-0.5.23"
Version = Literal[TransformersVersion, "sglang-0.5.23"]


@register(
    family="positions",
    paper="Bai et al. 2025, Qwen2.5-VL, arXiv:2502.13923, section 2.1.3",
    conventions="version: as Qwen2-VL, and whether seconds are cut to whole ones before the product or after; SGLang",
    outputs=("positions", "deltas"),
)
def qwen2_5_vl_positions(
    mm_token_type_ids: ArrayLike,
    *,
    version: Version,
    tokens_per_second: Integer,
    image_grid_thw: ArrayLike | None = None,
    video_grid_thw: ArrayLike | None = None,
    second_per_grid_ts: ArrayLike | None = None,
    attention_mask: ArrayLike | None = None,
    spatial_merge_size: Integer = 2,
) -> tuple[Integers, Integers]:
    """The (time, row, column) positions of Qwen2.5-VL: frame i of a video at a time of its own.

        trunc(i * (tokens_per_second * second_per_grid))    (transformers-5.23.0)
        i * trunc(second_per_grid) * tokens_per_second      (transformers-4.57.1)
        trunc((i * second_per_grid) * tokens_per_second)    (sglang-0.5.23, and vLLM)

    Images, text, where text resumes, masked slots and deltas: as `qwen2_vl_positions` of that version, SGLang and vLLM
    as 4.57.1 there: text resumes at the largest position of the block, of any axis, plus 1. All frames of an image are
    at time 0 in 4.57.1, SGLang and vLLM. These two number one sequence without padding: a mask must keep every token.

    Parameters
    ----------
    mm_token_type_ids : array_like
        Integers (batch, tokens), 0 text, 1 image, 2 video; a block is one unbroken run of its kind.
    version : {'transformers-4.57.1', 'transformers-5.23.0', 'sglang-0.5.23'}
        Rule of the times, as stated above.
    tokens_per_second : int
        Number of positions of a second, an integer, 2 in the released configurations and 4 in the default one.
    image_grid_thw : array_like, optional
        Integers (count, 3), frames, rows and columns of patches of each image, in the order of the runs through the
        batch, as in `qwen2_vl_positions`.
    video_grid_thw : array_like, optional
        Integers (count, 3), frames, rows and columns of patches of each video, in the order of the runs through the
        batch, as in `qwen2_vl_positions`.
    second_per_grid_ts : array_like, optional
        Seconds from frame to frame, one for each video, 0 to 2**31; None means 1.
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
        E_DTYPE, E_SHAPE, E_SIZE, E_CHOICE as `qwen2_vl_positions`; E_SIZE (tokens_per_second), E_NUMBER
        (second_per_grid_ts), E_CHOICE (attention_mask with padding, sglang-0.5.23).

    Notes
    -----
    Rounding (5.23.0 and sglang-0.5.23): both products in the dtype of second_per_grid_ts, each rounded to nearest even,
    then truncated: float32 for an array of float32 and for a list, as the processor makes of it, float64 for float64,
    exact for integers. None is exact in 5.23.0 and float32 in sglang-0.5.23.

    References
    ----------
    - Bai et al. 2025, arXiv:2502.13923, section 2.1.3 (time-aligned M-RoPE).
    - get_rope_index in src/transformers/models/qwen2_5_vl/modeling_qwen2_5_vl.py, transformers 4.57.1 and 5.23.0, and
      in python/sglang/srt/layers/rotary_embedding/mrope_rope_index.py, SGLang 0.5.23.
    - get_mrope_input_positions in vllm/model_executor/models/qwen2_5_vl.py of vLLM (fb33ec8).

    Examples
    --------
    >>> options = dict(tokens_per_second=2, video_grid_thw=[[3, 2, 2]], second_per_grid_ts=[1.5])
    >>> qwen2_5_vl_positions([[0, 2, 2, 2, 0]], version="transformers-5.23.0", **options).positions[0, 0]
    array([0, 1, 4, 7, 2])
    >>> qwen2_5_vl_positions([[0, 2, 2, 2, 0]], version="transformers-4.57.1", **options).positions[0, 0]
    array([0, 1, 3, 5, 6])
    >>> qwen2_5_vl_positions([[0, 2, 2, 2, 0]], version="sglang-0.5.23", **options).positions[0, 0]
    array([0, 1, 4, 7, 8])
    """
    older = checks.choice("version", version, (OLD, NEW, SERVED)) != NEW
    rate = checks.integer("tokens_per_second", tokens_per_second, 1, _rows.MOST_TOKENS)
    types = _rows.read_token_types(mm_token_type_ids)
    if version == SERVED:
        _check_unpadded(attention_mask, types.shape)
    images = _rows.read_grids("image_grid_thw", image_grid_thw, spatial_merge_size)
    videos = _rows.read_grids("video_grid_thw", video_grid_thw, spatial_merge_size)
    if second_per_grid_ts is None:
        apart = np.ones(len(videos), np.float32 if version == SERVED else np.int64)
    else:
        apart = _rows.read_seconds("second_per_grid_ts", second_per_grid_ts, len(videos))
    blocks = {
        # all but the newer one multiply frames of an image by 0 seconds
        _rows.IMAGE: [_rows.block(np.arange(t, dtype=np.int64) * (not older), h, w, older) for t, h, w in images],
        _rows.VIDEO: [
            _rows.block(_times(t, second, rate, version), h, w, older) for (t, h, w), second in zip(videos, apart)
        ],
    }
    any_grid = image_grid_thw is not None or video_grid_thw is not None
    return _rows.mrope_positions(types, attention_mask, blocks, older, any_grid)


def _check_unpadded(attention_mask, shape):
    padding = int((~_rows.read_mask(attention_mask, shape)).sum())
    if padding:
        sentence = f"attention_mask must keep every token with version {SERVED!r}, got {padding} masked"
        raise InputError("E_CHOICE", "attention_mask", sentence)


def _times(count, second, rate, version):
    # the largest product first: a float that int64 cannot hold must not be converted
    if float(second) * rate * count > _rows.LARGEST_POSITION:
        sentence = f"second_per_grid_ts must give times below 2**53, got {second} for {count} frames"
        raise InputError("E_NUMBER", "second_per_grid_ts", sentence)
    if version == OLD or second.dtype.kind in "iu":
        return np.arange(count, dtype=np.int64) * (int(second) * rate)
    kind = second.dtype.type
    frames = np.arange(count, dtype=np.int64).astype(kind)
    times = frames * (kind(rate) * second) if version == NEW else frames * second * kind(rate)
    return times.astype(np.int64)
