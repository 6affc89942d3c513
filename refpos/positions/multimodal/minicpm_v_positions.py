"""Positions of MiniCPM-V 4.7: a picture and its slices lie on one canvas, their markers at its corners."""

from __future__ import annotations

import itertools
from typing import Literal, NamedTuple

import numpy as np

from ... import checks
from ...catalogue import register
from ...errors import InputError
from ...types import ArrayLike, Integer, Integers
from .. import _rows

DownsampleMode = Literal["16x", "4x"]
MERGE = {"16x": 4, "4x": 2}
SIZES = {_rows.IMAGE: "target_sizes", _rows.VIDEO: "target_sizes_videos"}


class Frame(NamedTuple):
    """A picture: first and one past last token of its thumbnail, of its slices, and of the markers that close it."""

    kind: int
    first: int
    last: int
    slices: list
    end: int


@register(
    family="positions",
    paper="OpenBMB 2026, MiniCPM-V 4.7 (model card; no paper)",
    conventions="thumbnail stretched over the canvas in float32; the canvas is followed by one free position",
    outputs=("positions", "deltas"),
)
def minicpm_v_positions(
    input_ids: ArrayLike,
    mm_token_type_ids: ArrayLike,
    *,
    image_start_id: Integer,
    image_end_id: Integer,
    slice_start_id: Integer,
    slice_end_id: Integer,
    newline_id: Integer,
    downsample_mode: DownsampleMode,
    target_sizes: ArrayLike | None = None,
    target_sizes_videos: ArrayLike | None = None,
    attention_mask: ArrayLike | None = None,
) -> tuple[Integers, Integers]:
    """The (time, row, column) positions of MiniCPM-V 4.7, where slices of a picture lie on the canvas of the picture.

    The canvas of a picture begins at s and has H rows and W columns of tokens: those of its thumbnail, or, with slices
    in R rows and C columns, R h and C w where the first slice has h rows and w columns. Time is s throughout:

        thumbnail token r, c of n_h x n_w:  row s + round(r (H - 1) / (n_h - 1)), column likewise
        slice k, its token r, c:            row s + (k // C) h + r, column s + (k % C) w + c
        token before the thumbnail:         row and column max(s - 1, 0)
        image_end after the thumbnail:      row s + H, column s + W
        slice_start and slice_end:          the first and the last position of their slice
        newline after a row of slices:      row of the last line of that row of slices, column s + C w
        other markers after the picture:    s on every axis
        next:                               s + max(H, W) + 1

    Text is (s, s, s), s one more for each token. C is the number of slices before the first newline; where the slices
    do not fill R rows, all are one row.

    Parameters
    ----------
    input_ids : array_like
        Integers (batch, tokens), of which the five markers matter.
    mm_token_type_ids : array_like
        The same shape, 0 text, 1 image, 2 video; a run is one thumbnail, or one slice where slice_start_id is before
        it.
    image_start_id : int
        Id of the marker that starts a picture.
    image_end_id : int
        Id of the marker that ends a thumbnail.
    slice_start_id : int
        Id of the marker that starts a slice.
    slice_end_id : int
        Id of the marker that ends a slice.
    newline_id : int
        Id of the marker that ends a row of slices.
    downsample_mode : {'16x', '4x'}
        Patches of a token: "16x" (4 x 4 patches are a token) or "4x" (2 x 2).
    target_sizes, target_sizes_videos : array_like, optional
        Integers (count, 2), rows and columns of patches of each run, in order through the batch.
    attention_mask : array_like, optional
        Shape (batch, tokens) of 0 and 1, padding on any side; None keeps every token.

    Returns
    -------
    positions, deltas : ndarray of int64
        Positions, int64 (3, batch, tokens), masked slots 0, and deltas, int64 (batch, 1): the largest position of the
        row plus 1, less the tokens kept.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE, E_SIZE, E_CHOICE.

    Notes
    -----
    Rounding: the quotient q = (H - 1) / (n_h - 1) in float32; r q where r < n_h // 2, else (H - 1) - (n_h - 1 - r) q,
    each operation to float32; then to the nearest integer, ties to even. Where r (H - 1) / (n_h - 1) is a tie, the
    float32 can lie to its side: H = 14, n_h = 23, r = 11 gives 7 and not 6.

    References
    ----------
    get_rope_index in src/transformers/models/minicpmv4_7/modeling_minicpmv4_7.py, transformers 5.23.0.

    Examples
    --------
    >>> markers = dict(image_start_id=1, image_end_id=2, slice_start_id=3, slice_end_id=4, newline_id=5)
    >>> minicpm_v_positions([[9, 1, 7, 7, 2, 9]], [[0, 0, 1, 1, 0, 0]], **markers, downsample_mode="16x",
    ...     target_sizes=[[4, 8]]).positions[:, 0]
    array([[0, 1, 1, 1, 1, 4],
           [0, 0, 1, 1, 2, 4],
           [0, 0, 1, 2, 3, 4]])
    """
    names = ("image_start_id", "image_end_id", "slice_start_id", "slice_end_id", "newline_id")
    values = (image_start_id, image_end_id, slice_start_id, slice_end_id, newline_id)
    markers = [checks.integer(name, value, -checks.LARGEST_SIZE) for name, value in zip(names, values)]
    if len(set(markers)) < 5:
        raise InputError("E_CHOICE", "newline_id", f"newline_id and the other markers must differ, got {markers}")
    merge = MERGE[checks.choice("downsample_mode", downsample_mode, MERGE)]
    types = _rows.read_token_types(mm_token_type_ids)
    tokens = _rows.read_integers("input_ids", input_ids, types.shape)
    kept = _rows.read_mask(attention_mask, types.shape)
    sizes = {
        kind: _sizes(name, value, merge)
        for kind, name, value in (
            (_rows.IMAGE, "target_sizes", target_sizes),
            (_rows.VIDEO, "target_sizes_videos", target_sizes_videos),
        )
    }
    used = dict.fromkeys(sizes, 0)
    positions = np.zeros((3, *types.shape), np.int64)
    deltas = np.empty((len(types), 1), np.int64)
    for row, keep in enumerate(kept):
        of_row = _row(tokens[row, keep], types[row, keep], markers, sizes, used)
        positions[:, row, keep] = of_row
        deltas[row] = of_row.max() + 1 - keep.sum()
    for kind, of_kind in sizes.items():
        if used[kind] != len(of_kind):
            sentence = f"{SIZES[kind]} must have a size for each run of its tokens, got {len(of_kind)} for {used[kind]}"
            raise InputError("E_SHAPE", SIZES[kind], sentence)
    return _rows.MultimodalPositions(positions, deltas)


def _sizes(name, values, merge):
    """[(rows, columns)] in tokens; [] for None."""
    if values is None:
        return []
    sizes = _rows.read_integers(name, values, ("count", 2), 1)
    wrong = sizes[(sizes % merge).any(1)]
    if len(wrong):
        sentence = f"{name} must be multiples of {merge} in this downsample_mode, got {tuple(wrong[0].tolist())}"
        raise InputError("E_SIZE", name, sentence)
    return [tuple(size) for size in (sizes // merge).tolist()]


def _row(tokens, kinds, markers, sizes, used):
    """(3, tokens) of one row."""
    positions, next_token, start = np.empty((3, len(tokens)), np.int64), 0, 0
    for frame in _frames(tokens, kinds, markers):
        before = frame.first - 1
        if before > next_token:
            positions[:, next_token:before] = _rows.line(start, before - next_token)
            start += before - next_token
        start = _picture(positions, frame, start, sizes, used)
        next_token = frame.end
    if next_token < len(tokens):
        positions[:, next_token:] = _rows.line(start, len(tokens) - next_token)
    return positions


def _frames(tokens, kinds, markers):
    """The pictures of a row; markers after one belong to it, also the marker before the next thumbnail."""
    frames = []
    for kind, first, last in _rows.runs(kinds):
        if kind == _rows.TEXT:
            continue
        before = int(tokens[first - 1]) if first else None
        if before == markers[2] and frames:
            frames[-1].slices.append((first, last))
        elif before != markers[0]:
            sentence = "input_ids must have image_start_id or slice_start_id before each run of image or video tokens"
            raise InputError("E_SHAPE", "input_ids", f"{sentence}, got {before} before token {first}")
        else:
            frames.append(Frame(kind, first, last, [], 0))
    return [frame._replace(end=_end(frame, tokens, markers)) for frame in frames]


def _end(frame, tokens, markers):
    end = frame.slices[-1][1] if frame.slices else frame.last
    while end < len(tokens) and tokens[end] in markers:
        end += 1
    return end


def _picture(positions, frame, start, sizes, used):
    """Fill in one picture with its markers; returns the next position."""
    thumbnail = _next_size(frame.kind, frame.last - frame.first, sizes, used)
    slices = [_next_size(frame.kind, last - first, sizes, used) for first, last in frame.slices]
    across = _slices_per_row(frame.slices)
    height, width = thumbnail
    if slices:
        height, width = len(slices) // across * slices[0][0], across * slices[0][1]
    positions[:, frame.first - 1 : frame.end] = start
    positions[1:, frame.first - 1] = max(start - 1, 0)
    if frame.last < frame.end:
        positions[1:, frame.last] = start + height, start + width
    stretched = [_stretched(canvas, count) for canvas, count in zip((height, width), thumbnail)]
    positions[1:, frame.first : frame.last] = start + _cells(*stretched)
    for k, ((first, last), (h, w)) in enumerate(zip(frame.slices, slices)):
        corner = np.array([k // across * slices[0][0], k % across * slices[0][1]], np.int64) + start
        positions[1:, first - 1] = corner
        if last < frame.end:
            positions[1:, last] = corner + (h - 1, w - 1)
        positions[1:, first:last] = corner[:, None] + _cells(np.arange(h, dtype=np.int64), np.arange(w, dtype=np.int64))
    for k, ((_, last), (first, _)) in enumerate(zip(frame.slices, frame.slices[1:])):
        # between </slice> and <slice>
        newline = start + (k // across + 1) * slices[0][0] - 1, start + across * slices[0][1]
        positions[1:, last + 1 : first - 1] = np.array(newline, np.int64)[:, None]
    return start + max(height, width) + 1


def _next_size(kind, tokens, sizes, used):
    name, k = SIZES[kind], used[kind]
    if k == len(sizes[kind]):
        got = f"{k} for more" if k else "none"
        raise InputError("E_SHAPE", name, f"{name} must have a size for each run of its tokens, got {got}")
    used[kind] += 1
    h, w = sizes[kind][k]
    if h * w != tokens:
        sentence = f"mm_token_type_ids must have {h * w} tokens for entry {k + 1} of {name}, got {tokens}"
        raise InputError("E_SHAPE", "mm_token_type_ids", sentence)
    return h, w


def _slices_per_row(slices):
    """How many slices a row has: those before the first newline, or all where the rows are not full."""
    count = next((k + 1 for k, (one, two) in enumerate(itertools.pairwise(slices)) if two[0] - one[1] > 2), len(slices))
    return count if count and len(slices) % count == 0 else len(slices)


def _stretched(canvas, count):
    """`count` integers from 0 to canvas - 1, evenly spread in float32 and rounded, ties to even."""
    if count == 1:
        return np.zeros(1, np.int64)
    last = np.float32(canvas - 1)
    step = last / np.float32(count - 1)
    up = np.arange(count, dtype=np.int64).astype(np.float32)
    # from either end, as torch.linspace
    values = np.where(up < count // 2, step * up, last - step * up[::-1])
    return np.rint(values).astype(np.int64)


def _cells(rows, columns):
    """(2, tokens), column fastest."""
    return np.stack([np.repeat(rows, len(columns)), np.tile(columns, len(rows))])
