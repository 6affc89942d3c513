"""Positions of Qwen2.5-Omni (TMRoPE): one position is 40 ms; a video and its audio alternate every two seconds."""

from __future__ import annotations

import numpy as np

from ... import checks
from ...catalogue import register
from ...types import ArrayLike, Integer, Integers
from .. import _rows
from . import _omni


@register(
    family="positions",
    paper="Xu et al. 2025, Qwen2.5-Omni, arXiv:2503.20215, section 2.2",
    conventions="masked slots 1; both start tokens of a video with audio share a position, both end tokens too",
    outputs=("positions", "deltas"),
)
def qwen2_5_omni_positions(
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
    seconds_per_chunk: Integer = 2,
) -> tuple[Integers, Integers]:
    """The (time, row, column) positions of Qwen2.5-Omni for rows of text, images, videos and audio.

        text, audio:       (s, s, s), s one more for each token
        image or video:    (s + T(i), s + r, s + c) for frame i, row r and column c of merged tokens, column fastest,
                           T(i) = 25 i in an image and trunc((i * second_per_grid) * 25) in a video
        then:              s is the largest position of the block, of any axis, plus 1
        video with audio:  both begin at s; the tokens of either are cut into chunks: each token that lies 50 k or
                           more after s, where k counts the chunks so far, begins a new one; then first chunk of
                           video, first of audio, second of video, and so on. The next s is the largest position of
                           the last chunk, of any axis, plus 1. The two start tokens share a position, the two end
                           tokens as well

    25 is position_id_per_seconds and 50 is position_id_per_seconds * seconds_per_chunk.

    Parameters
    ----------
    input_ids : array_like
        Integers (batch, tokens) with the five special tokens.
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
    image_grid_thw, video_grid_thw : array_like, optional
        Shape (count, 3) as in `qwen2_vl_positions`.
    audio_seqlens : array_like, optional
        Mel frames L of each audio, at least 3; it has ((L - 1) // 2 - 1) // 2 + 1 tokens.
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
    seconds_per_chunk : int, default 2
        Seconds of a chunk of video with audio.

    Returns
    -------
    positions, deltas : ndarray of int64
        Positions, int64 (3, batch, tokens), masked slots 1, and deltas, int64 (batch, 1): the largest position of the
        row plus 1, less the tokens kept; without any grid the largest is taken with the masked slots.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE (tokens that do not match grids, lengths or each other), E_SIZE, E_NUMBER (second_per_grids),
        E_CHOICE (use_audio_in_video, attention_mask, equal special tokens).

    Notes
    -----
    An image or a video stands between vision_start_token_id and one token that ends it, audio between
    audio_start_token_id and one token; a video with audio between vision_start_token_id, audio_start_token_id and two
    tokens, a video token first.

    Rounding: the seconds in float32, i * second_per_grid and its product with 25 each rounded to float32, then
    truncated.

    References
    ----------
    - Xu et al. 2025, arXiv:2503.20215, section 2.2 (TMRoPE).
    - get_rope_index in src/transformers/models/qwen2_5_omni/modeling_qwen2_5_omni.py, transformers 5.23.0, the same in
      4.57.1.

    Examples
    --------
    >>> ids = dict(image_token_id=1, video_token_id=2, audio_token_id=3, vision_start_token_id=4,
    ...     audio_start_token_id=5)
    >>> row = [9, 4, 5, 2, 2, 3, 3, 3, 8, 8, 9]  # text, two starts, video, audio, two ends, text
    >>> qwen2_5_omni_positions([row], **ids, video_grid_thw=[[2, 2, 2]], second_per_grids=[1.0], audio_seqlens=[12],
    ...     use_audio_in_video=True).positions[0, 0]
    array([ 0,  1,  1,  2, 27,  2,  3,  4,  5,  5,  6])
    """
    ids = _omni.special(image_token_id, video_token_id, audio_token_id, vision_start_token_id, audio_start_token_id)
    rate = checks.integer("position_id_per_seconds", position_id_per_seconds, 1, _rows.MOST_TOKENS)
    chunk = rate * checks.integer("seconds_per_chunk", seconds_per_chunk, 1, _rows.MOST_TOKENS)
    use_audio_in_video = checks.flag("use_audio_in_video", use_audio_in_video)
    tokens, kept, rows = _omni.read_tokens(input_ids, attention_mask)
    images = _rows.read_grids("image_grid_thw", image_grid_thw, spatial_merge_size)
    videos = _rows.read_grids("video_grid_thw", video_grid_thw, spatial_merge_size)
    apart = _omni.read_durations(second_per_grids, len(videos))
    audio = _omni.read_audio_lengths(audio_seqlens, lambda n: ((n - 1) // 2 - 1) // 2 + 1, 3)
    positions = np.ones((3, *tokens.shape), np.int64)
    deltas = np.empty((len(tokens), 1), np.int64)
    for row, parts in enumerate(_omni.segments(rows, ids, images, videos, audio, use_audio_in_video)):
        of_row = _row(parts, apart, rate, chunk)
        top = int(of_row.max())
        if image_grid_thw is None and video_grid_thw is None and not kept[row].all():
            top = max(top, 1)  # without grids the largest is taken with the masked slots
        positions[:, row, kept[row]] = of_row
        deltas[row] = top + 1 - kept[row].sum()
    return _rows.MultimodalPositions(positions, deltas)


def _row(parts, apart, rate, chunk):
    """(3, tokens) of one row."""
    blocks, start = [], 0
    for k, part in enumerate(parts):
        if part.kind in ("text", "audio"):
            chunks = [_text(start, part.tokens, _paired(parts, k - 1), _paired(parts, k + 1))]
        else:
            times = np.arange(part.grid[0], dtype=np.int64) * rate
            if part.kind != "image":
                times = _omni.frame_times(part.grid[0], apart[part.index], rate).astype(np.int64)
            video = _rows.grid_cells(times, *part.grid[1:])
            chunks = [video + start]
            if part.audio:
                chunks = [tokens + start for tokens in _alternating(video, _rows.line(0, part.audio), chunk)]
        blocks += chunks
        start = int(chunks[-1].max()) + 1
    return np.concatenate(blocks, 1)


def _paired(parts, k):
    return 0 <= k < len(parts) and parts[k].kind == "video with audio"


def _text(start, count, after, before):
    """A line whose first two positions are one after a video with audio, and whose last two are one before it."""
    gaps = np.ones(count, np.int64)
    gaps[0] = 0
    if after:
        gaps[1] = 0
    if before:
        gaps[-1] = 0
    return np.broadcast_to(start + np.cumsum(gaps, dtype=np.int64), (3, count))


def _alternating(video, audio, chunk):
    """Chunks of a video and of its audio in turn; when one has no more, those of the other."""
    first, second = _chunks(video, chunk), _chunks(audio, chunk)
    numbers = range(max(len(first), len(second)))
    return [chunks[k] for k in numbers for chunks in (first, second) if k < len(chunks)]


def _chunks(tokens, chunk):
    # a token far ahead begins a chunk, and the next token, far ahead of that one as well, another
    edges = [0]
    for k, time in enumerate(tokens[0].tolist()):
        if time >= len(edges) * chunk:
            edges.append(k)
    return np.split(tokens, edges[1:], 1)
