"""What the two Omni models share: rows of tokens cut into text, images, videos, audio, and videos with their audio."""

from typing import NamedTuple

import numpy as np

from ... import checks
from ...errors import InputError
from .. import _rows


class Ids(NamedTuple):
    """The special tokens."""

    image: int
    video: int
    audio: int
    vision_start: int
    audio_start: int


class Segment(NamedTuple):
    """A run of text, or a block: its kind, its number of tokens, its grid and its number of audio tokens."""

    kind: str
    tokens: int
    grid: tuple | None = None
    audio: int = 0
    index: int = 0


def special(image_token_id, video_token_id, audio_token_id, vision_start_token_id, audio_start_token_id):
    """The five ids, checked; no two may be equal."""
    names = ("image_token_id", "video_token_id", "audio_token_id", "vision_start_token_id", "audio_start_token_id")
    values = (image_token_id, video_token_id, audio_token_id, vision_start_token_id, audio_start_token_id)
    ids = Ids(*(checks.integer(name, value, -checks.LARGEST_SIZE) for name, value in zip(names, values)))
    for k, name in enumerate(names):
        if ids[k] in ids[:k]:
            other = names[ids.index(ids[k])]
            raise InputError("E_CHOICE", name, f"{name} must differ from {other}, got {ids[k]} twice")
    return ids


def segments(rows, ids, images, videos, audio, use_audio_in_video):
    """[[Segment]] of rows of kept tokens; grids and audio lengths are used in order through the batch.

    images, videos: [(frames, rows, columns)] in merged tokens; audio: [tokens].
    """
    left = {"image": [*images], "video": [*videos], "audio": [*audio]}
    names = {"image": "image_grid_thw", "video": "video_grid_thw", "audio": "audio_seqlens"}
    counts = {kind: len(sizes) for kind, sizes in left.items()}

    def take(kind):
        if not left[kind]:
            got = f"{counts[kind]} for more" if counts[kind] else "none"
            sentence = f"{names[kind]} must have an entry for each {kind} of input_ids, got {got}"
            raise InputError("E_SHAPE", names[kind], sentence)
        return left[kind].pop(0)

    def segments_of(tokens):
        parts, position = [], 0
        media = np.flatnonzero(np.isin(tokens, ids[:3]))
        while (media := media[media >= position]).size:
            start = int(media[0])
            kind = _kind(tokens, start, ids, use_audio_in_video)
            index = counts["video"] - len(left["video"])
            size = None if kind == "audio" else take("image" if kind == "image" else "video")
            audio_tokens = take("audio") if "audio" in kind else 0
            count = audio_tokens + (0 if size is None else size[0] * size[1] * size[2])
            _check_block(tokens, start, count, audio_tokens, kind, ids)
            if start > position:
                parts.append(Segment("text", start - position))
            parts.append(Segment(kind, count, size, audio_tokens, index))
            position = start + count
        if position < len(tokens):
            parts.append(Segment("text", len(tokens) - position))
        _check_starts(tokens, parts, ids)
        return parts

    all_rows = [segments_of(tokens) for tokens in rows]
    for kind, rest in left.items():
        if rest:
            sentence = f"{names[kind]} must have an entry for each {kind} of input_ids"
            raise InputError("E_SHAPE", names[kind], f"{sentence}, got {counts[kind]} for {counts[kind] - len(rest)}")
    return all_rows


def _kind(tokens, start, ids, use_audio_in_video):
    """What begins at `start`, by its first token and those before it."""
    before = tokens[start - 1] if start else None
    kind = ("image", "video", "audio")[ids[:3].index(int(tokens[start]))]
    if kind == "video" and before == ids.audio_start and start > 1 and tokens[start - 2] == ids.vision_start:
        kind = "video with audio"
    elif before != (ids.audio_start if kind == "audio" else ids.vision_start):
        wanted = "audio_start_token_id" if kind == "audio" else "vision_start_token_id"
        sentence = f"input_ids must have {wanted} before each {kind}, got {before} before token {start}"
        raise InputError("E_SHAPE", "input_ids", sentence)
    if "video" in kind and (kind == "video with audio") != use_audio_in_video:
        wanted = "True for a video with its audio" if kind != "video" else "False for a video without audio"
        got = f"got {use_audio_in_video}"
        raise InputError("E_CHOICE", "use_audio_in_video", f"use_audio_in_video must be {wanted}, {got}")
    return kind


def _check_block(tokens, start, count, audio_tokens, kind, ids):
    """Refuse a block whose tokens are not those that its grid and its audio say, or that nothing closes."""
    run = tokens[start : start + count]
    wanted = {ids.audio: audio_tokens, ids.image if kind == "image" else ids.video: count - audio_tokens}
    for token, number in wanted.items():
        got = int((run == token).sum())
        if got != number:
            name = ("image", "video", "audio")[ids.index(token)]
            sentence = f"input_ids must have {number} {name} tokens from token {start} on, got {got}"
            raise InputError("E_SHAPE", "input_ids", sentence)
    closing = 2 if kind == "video with audio" else 1
    after = tokens[start + count : start + count + closing]
    if len(after) < closing or np.isin(after, ids).any():
        ends = "its end token" if closing == 1 else "its two end tokens"
        sentence = f"input_ids must have {ends} after each {kind}, got {after.tolist()} after token {start + count - 1}"
        raise InputError("E_SHAPE", "input_ids", sentence)


def _check_starts(tokens, parts, ids):
    """Refuse start tokens that nothing follows."""
    blocks = sum(part.kind != "text" for part in parts)
    with_audio = sum(part.kind == "video with audio" for part in parts)
    got = int(np.isin(tokens, (ids.vision_start, ids.audio_start)).sum())
    if got != blocks + with_audio:
        sentence = f"input_ids must have a block after each start token, got {blocks} blocks and {got} start tokens"
        raise InputError("E_SHAPE", "input_ids", sentence)


def read_tokens(input_ids, attention_mask):
    """The tokens, which are kept, and the rows of kept tokens."""
    tokens = _rows.read_rows("input_ids", input_ids)
    kept = _rows.read_mask(attention_mask, tokens.shape)
    return tokens, kept, [row[keep] for row, keep in zip(tokens, kept)]


def read_audio_lengths(audio_seqlens, rule, least):
    """The number of tokens of each audio by the rule of the model; [] for None."""
    if audio_seqlens is None:
        return []
    return [rule(n) for n in _rows.read_integers("audio_seqlens", audio_seqlens, ("count",), least).tolist()]


def read_durations(second_per_grids, count):
    """Seconds between the frames of each video, as float32, which is what the models make of them."""
    if second_per_grids is None and not count:
        return np.zeros(0, np.float32)
    if second_per_grids is None:
        raise InputError("E_SHAPE", "second_per_grids", "second_per_grids must be given for videos, got None")
    return _rows.read_seconds("second_per_grids", second_per_grids, count, np.float32)


def frame_times(count, second, rate):
    """float32 times of the frames of a video: (i * second) * rate, each product rounded."""
    times = np.arange(count, dtype=np.int64).astype(np.float32) * second * np.float32(rate)
    if float(times[-1]) > _rows.LARGEST_POSITION:
        sentence = f"second_per_grids must give times below 2**53, got {second} for {count} frames"
        raise InputError("E_NUMBER", "second_per_grids", sentence)
    return times
