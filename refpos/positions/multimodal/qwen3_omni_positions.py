"""Positions of Qwen3-Omni: those of Qwen2.5-Omni as float32 numbers, a video and its audio in the order of time."""

from __future__ import annotations

import numpy as np

from ... import checks
from ...catalogue import register
from ...types import ArrayLike, Float32s, Integer
from .. import _rows
from . import _omni

ONE = np.float32(1)


@register(
    family="positions",
    paper="Xu et al. 2025, Qwen3-Omni, arXiv:2509.17765, section 2.3",
    conventions="float32, times not truncated; masked slots 0, or 1 without any grid; start and end tokens count on",
    outputs=("positions", "deltas"),
    contract="written",
)
def qwen3_omni_positions(
    input_ids: ArrayLike,
    *,
    image_token_id: Integer,
    video_token_id: Integer,
    audio_token_id: Integer,
    vision_start_token_id: Integer,
    audio_start_token_id: Integer,
    image_grid_thw: ArrayLike | None = None,
    video_grid_thw: ArrayLike | None = None,
    audio_seqlens: ArrayLike | None = None,
    second_per_grids: ArrayLike | None = None,
    use_audio_in_video: bool = False,
    attention_mask: ArrayLike | None = None,
    spatial_merge_size: Integer = 2,
    position_id_per_seconds: Integer = 25,
    n_window: Integer = 50,
) -> tuple[Float32s, Float32s]:
    """The (time, row, column) positions of Qwen3-Omni for rows of text, images, videos and audio, as float32.

        text, audio:       (s, s, s), s one more for each token
        image or video:    (s + T(i), s + r, s + c) for frame i, row r and column c of merged tokens, column fastest,
                           T(i) = 25 i in an image and (i * second_per_grid) * 25 in a video
        then:              s is the largest position of the block, of any axis, plus 1
        video with audio:  both begin at s and are merged by time, video first where times are equal; the next s is
                           the largest position of the tokens after the last token of the other kind, plus 1

    25 is position_id_per_seconds. The two start tokens of a video with audio count on as text does, and the two end
    tokens.

    Parameters
    ----------
    input_ids : array_like
        Integers (batch, tokens) with the special tokens, as in `qwen2_5_omni_positions`.
    image_token_id : int
        Id of an image token.
    video_token_id : int
        Id of a video token.
    audio_token_id : int
        Id of an audio token.
    vision_start_token_id : int
        Id of the token that starts an image or a video.
    audio_start_token_id : int
        Id of the token that starts audio.
    image_grid_thw : array_like, optional
        Integers (count, 3), frames, rows and columns of patches of each image, in the order of the runs through the
        batch, as in `qwen2_vl_positions`.
    video_grid_thw : array_like, optional
        Integers (count, 3), frames, rows and columns of patches of each video, in the order of the runs through the
        batch, as in `qwen2_vl_positions`.
    audio_seqlens : array_like, optional
        Mel frames L of each audio, at least 1; with c = 2 n_window it has 13 (L // c) tokens and, for the rest L % c of
        r > 0, (((r - 1) // 2) // 2) // 2 + 1 more.
    second_per_grids : array_like, optional
        Seconds from frame to frame, one for each video.
    use_audio_in_video : bool, default False
        True where every video has audio in it, False where none has.
    attention_mask : array_like, optional
        Shape (batch, tokens) of 0 and 1, padding on any side; None keeps every token.
    spatial_merge_size : int, default 2
        Patches merged to a token along each axis.
    position_id_per_seconds : int, default 25
        Positions of one second.
    n_window : int, default 50
        Number of the audio encoder that sets the tokens of an audio, as stated for audio_seqlens.

    Returns
    -------
    positions, deltas : ndarray of float32
        Positions, float32 (3, batch, tokens), and deltas, float32 (batch, 1): the largest position of the row plus 1,
        less the tokens kept.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE, E_SIZE, E_NUMBER, E_CHOICE as `qwen2_5_omni_positions`.

    Notes
    -----
    Rounding: all in float32, each of these to nearest even: the seconds, i * second_per_grid, its product with 25, the
    sum with s, and the steps of s. Integers below 2**24 are exact.

    Masked slots are 0; without any grid they are 1, and the largest is taken with them.

    References
    ----------
    - Xu et al. 2025, arXiv:2509.17765, section 2.3.
    - get_rope_index in src/transformers/models/qwen3_omni_moe/modeling_qwen3_omni_moe.py, transformers 5.23.0, the same
      in 4.57.1 but for n_window, which is 50 there.

    Examples
    --------
    >>> ids = dict(image_token_id=1, video_token_id=2, audio_token_id=3, vision_start_token_id=4,
    ...     audio_start_token_id=5)
    >>> row = [9, 4, 5, 2, 2, 3, 3, 8, 8]  # text, two starts, video and audio, two ends
    >>> qwen3_omni_positions([row], **ids, video_grid_thw=[[2, 2, 2]], second_per_grids=[0.02], audio_seqlens=[16],
    ...     use_audio_in_video=True).positions[0, 0]
    array([0. , 1. , 2. , 3. , 3. , 3.5, 4. , 5. , 6. ], dtype=float32)
    """
    ids = _omni.special(image_token_id, video_token_id, audio_token_id, vision_start_token_id, audio_start_token_id)
    rate = checks.integer("position_id_per_seconds", position_id_per_seconds, 1, _rows.MOST_TOKENS)
    window = 2 * checks.integer("n_window", n_window, 1, _rows.MOST_TOKENS)
    use_audio_in_video = checks.flag("use_audio_in_video", use_audio_in_video)
    tokens, kept, rows = _omni.read_tokens(input_ids, attention_mask)
    images = _rows.read_grids("image_grid_thw", image_grid_thw, spatial_merge_size)
    videos = _rows.read_grids("video_grid_thw", video_grid_thw, spatial_merge_size)
    apart = _omni.read_durations(second_per_grids, len(videos))
    audio = _omni.read_audio_lengths(audio_seqlens, lambda n: _audio_tokens(n, window), 1)
    any_grid = image_grid_thw is not None or video_grid_thw is not None
    positions = np.full((3, *tokens.shape), 0 if any_grid else 1, np.float32)
    deltas = np.empty((len(tokens), 1), np.float32)
    for row, parts in enumerate(_omni.segments(rows, ids, images, videos, audio, use_audio_in_video)):
        of_row = _row(parts, apart, rate)
        positions[:, row, kept[row]] = of_row
        top = of_row.max() if any_grid else positions[:, row].max()
        deltas[row] = top + ONE - np.float32(kept[row].sum())
    return _rows.MultimodalPositions(positions, deltas)


def _audio_tokens(count, window):
    rest = count % window
    return count // window * 13 + ((rest - 1) // 2 // 2 // 2 + 1 if rest else 0)


def _row(parts, apart, rate):
    """(3, tokens) of one row."""
    blocks, start = [], np.float32(0)
    for part in parts:
        if part.kind in ("text", "audio"):
            block = last = _rows.line(np.float32(0), part.tokens).astype(np.float32) + start
        else:
            times = (np.arange(part.grid[0], dtype=np.int64) * rate).astype(np.float32)
            if part.kind != "image":
                times = _omni.frame_times(part.grid[0], apart[part.index], rate)
            block = last = _rows.grid_cells(times, *part.grid[1:]) + start
            if part.audio:
                block, last = _merged(block, _rows.line(0, part.audio).astype(np.float32) + start)
        blocks.append(block)
        start = last.max() + ONE
    return np.concatenate(blocks, 1)


def _merged(video, audio):
    """Both in the order of time, video first where times are equal, and what follows the last of the other kind."""
    tokens = np.concatenate([video, audio], 1)
    order = np.argsort(tokens[0], kind="stable")
    tokens = tokens[:, order]
    of_video = order < video.shape[1]
    return tokens, tokens[:, _rows.runs(of_video)[-1][1] :]
