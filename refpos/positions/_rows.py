"""What the position builders share: checked arrays, rows without padding, runs of a kind, grids, blocks."""

import itertools
from typing import NamedTuple, get_args

import numpy as np

from .. import checks
from ..errors import InputError, InputTypeError
from ..types import Integers, TransformersVersion

#: published algorithms that differ, by the release of transformers that shows them
VERSIONS = get_args(TransformersVersion)
TEXT, IMAGE, VIDEO = 0, 1, 2
KINDS = {IMAGE: "image", VIDEO: "video"}
#: beyond this many tokens float32 no longer counts them
MOST_TOKENS = 2**24
LARGEST_POSITION = 2**53


class MultimodalPositions(NamedTuple):
    """Positions of each axis, and what decoding adds to the count of tokens to continue them."""

    positions: Integers
    deltas: Integers


class TextAndImage(NamedTuple):
    """Positions of the text tokens, and of the image tokens."""

    text: np.ndarray
    image: np.ndarray


class Block(NamedTuple):
    """Positions (3, tokens) of an image or video that starts at 0, and how far the next start is."""

    positions: np.ndarray
    advance: int


# -- arguments --------------------------------------------------------------------------------------------------------


def read_integers(name, values, shape, minimum=None, code="E_SIZE"):
    """A C-contiguous int64 array of integers; `shape` gives its axes, as names or lengths."""
    array = checks.integers(name, values)
    checks.room(name, array)
    fits = array.ndim == len(shape) and all(isinstance(n, str) or n == k for n, k in zip(shape, array.shape))
    if not fits:
        wanted = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
        raise InputError("E_SHAPE", name, f"{name} must have shape {wanted}, got {array.shape}")
    if array.size and (array.max() > checks.LARGEST_SIZE or (minimum is not None and array.min() < minimum)):
        wrong = array.max() if array.max() > checks.LARGEST_SIZE else array.min()
        limit = f"at most {checks.LARGEST_SIZE}" if wrong > checks.LARGEST_SIZE else f"at least {minimum}"
        raise InputError(code, name, f"{name} must be {limit}, got {wrong}")
    return np.ascontiguousarray(array, np.int64)


def read_rows(name, values):
    """(batch, tokens) as int64, with at least one token."""
    array = read_integers(name, values, ("batch", "tokens"))
    if not array.size or array.shape[1] > MOST_TOKENS:
        wanted = f"between 1 and {MOST_TOKENS} tokens in at least one row"
        raise InputError("E_SHAPE", name, f"{name} must have {wanted}, got shape {array.shape}")
    return array


def read_mask(attention_mask, shape):
    """Which tokens are kept, as booleans; None keeps them all, and each row keeps at least one."""
    if attention_mask is None:
        return np.ones(shape, bool)
    kept = read_flags("attention_mask", attention_mask, shape)
    if not kept.any(1).all():
        row = int(np.argmin(kept.any(1)))
        sentence = f"attention_mask must keep at least one token of each row, got none in row {row}"
        raise InputError("E_SHAPE", "attention_mask", sentence)
    return kept


def read_flags(name, values, shape):
    """0 and 1, or booleans, as booleans; `shape` as for `whole`."""
    array = checks.array(name, values)
    if array.dtype == bool:
        array = values = array.astype(np.int64)
    array = read_integers(name, array if array.size else values, shape)
    wrong = array[(array != 0) & (array != 1)]
    if wrong.size:
        raise InputError("E_CHOICE", name, f"{name} must be 0 or 1, got {wrong[0]}")
    return array.astype(bool)


def read_token_types(mm_token_type_ids, known=(TEXT, IMAGE, VIDEO)):
    """(batch, tokens) of 0 for text, 1 for image and 2 for video."""
    array = read_rows("mm_token_type_ids", mm_token_type_ids)
    wrong = array[~np.isin(array, known)]
    if wrong.size:
        names = ", ".join(f"{kind} ({('text', 'image', 'video')[kind]})" for kind in known)
        raise InputError("E_CHOICE", "mm_token_type_ids", f"mm_token_type_ids must be {names}, got {wrong[0]}")
    return array


def read_grids(name, grid_thw, spatial_merge_size, temporal_merge_size=1):
    """[(frames, rows, columns)] in merged tokens, from (count, 3) in patches; [] for None."""
    spatial_merge_size = checks.integer("spatial_merge_size", spatial_merge_size, 1)
    temporal_merge_size = checks.integer("temporal_merge_size", temporal_merge_size, 1)
    if grid_thw is None:
        return []
    array = read_integers(name, grid_thw, ("count", 3), 1)
    grids = []
    for t, h, w in array.tolist():
        if h % spatial_merge_size or w % spatial_merge_size:
            wanted = f"multiples of spatial_merge_size = {spatial_merge_size}"
            sentence = f"{name} must have heights and widths that are {wanted}, got ({t}, {h}, {w})"
            raise InputError("E_SIZE", name, sentence)
        if t % temporal_merge_size:
            wanted = f"multiples of temporal_merge_size = {temporal_merge_size}"
            raise InputError("E_SIZE", name, f"{name} must have frames that are {wanted}, got ({t}, {h}, {w})")
        grids.append((t // temporal_merge_size, h // spatial_merge_size, w // spatial_merge_size))
        if t * h * w > MOST_TOKENS * (spatial_merge_size**2 * temporal_merge_size):
            raise InputError("E_SIZE", name, f"{name} must have at most {MOST_TOKENS} tokens each, got ({t}, {h}, {w})")
    return grids


def read_seconds(name, values, count, dtype=None):
    """`count` durations that are finite and not negative, in `dtype`; None keeps float64, float32 and integers.

    Without a dtype a list means float32, as processors make of it.
    """
    array = checks.array(name, values, "E_DTYPE")
    if dtype is None and not hasattr(values, "dtype"):
        dtype = np.float32
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8 or array.dtype == np.float16:
        raise InputTypeError("E_DTYPE", name, f"{name} must be float32, float64 or integers, got {array.dtype}")
    if array.shape != (count,):
        raise InputError("E_SHAPE", name, f"{name} must have one entry for each video, got {array.shape} for {count}")
    fits = np.isfinite(array) & (array >= 0) & (array <= 2**31)
    if not fits.all():
        wrong = array[~fits][0]
        raise InputError("E_NUMBER", name, f"{name} must be between 0 and 2**31, got {wrong}")
    return array.astype(dtype or array.dtype.newbyteorder("="))


def is_older_version(version):
    """Whether the older of the two published algorithms is meant."""
    return checks.choice("version", version, VERSIONS) == VERSIONS[0]


# -- positions --------------------------------------------------------------------------------------------------------


def runs(kinds):
    """[(kind, start, stop)] of the maximal runs of equal values in a non-empty row."""
    edges = [0, *(np.flatnonzero(np.diff(kinds)) + 1).tolist(), len(kinds)]
    return [(int(kinds[start]), start, stop) for start, stop in itertools.pairwise(edges)]


def line(start, count, axes=3):
    """(axes, count): start, start + 1, ... on every axis."""
    return np.broadcast_to(start + np.arange(count, dtype=np.int64), (axes, count))


def grid_cells(times, height, width):
    """(3, tokens): time, row and column of a grid of tokens, column fastest."""
    shape = (len(times), height, width)
    axes = times[:, None, None], np.arange(height, dtype=np.int64)[:, None], np.arange(width, dtype=np.int64)
    return np.stack([np.broadcast_to(axis, shape).astype(times.dtype).reshape(-1) for axis in axes])


def block(times, height, width, older):
    """The block of a grid: later text starts after its largest position (older), or after max(height, width)."""
    cells = grid_cells(times, height, width)
    return Block(cells, int(cells.max()) + 1 if older else max(height, width))


def blocks_of_grids(grids, older):
    """The block of each grid whose frames are 1 apart."""
    return [block(np.arange(t, dtype=np.int64), h, w, older) for t, h, w in grids]


def single_frames(name, grids, tokens):
    """Each grid as single frames, where text separates the frames; tokens: how many there are of all kinds."""
    frames = sum(t for t, _, _ in grids)
    if frames > tokens:
        raise InputError("E_SHAPE", name, f"{name} must have at most a frame for each of {tokens} tokens, got {frames}")
    return [(1, h, w) for t, h, w in grids for _ in range(t)]


def mrope_positions(types, attention_mask, blocks, older, any_grid):
    """Positions (3, batch, tokens) of rows of text and blocks, and deltas (batch, 1).

    blocks: {kind: [Block]} in the order of the runs, through the whole batch. `older` sets masked slots to 1 and counts
    deltas from all tokens, otherwise 0 and from those kept. any_grid: whether the caller passed grids.
    """
    kept = read_mask(attention_mask, types.shape)
    positions = np.full((3, *types.shape), int(older), np.int64)
    deltas = np.empty((len(types), 1), np.int64)
    used = dict.fromkeys(blocks, 0)
    for row, (kinds, keep) in enumerate(zip(types, kept)):
        columns, start, parts = np.flatnonzero(keep), 0, []
        for kind, first, last in runs(kinds[columns]):
            if kind == TEXT:
                next_part = Block(line(0, last - first), last - first)
            else:
                next_part = next_block(blocks[kind], used, kind, last - first)
            parts.append(next_part.positions + start)
            start += next_part.advance
        top = max(int(part.max()) for part in parts)
        positions[:, row, columns] = np.concatenate(parts, 1)
        if older and not any_grid and not keep.all():
            top = max(top, 1)  # without grids the largest is taken with the masked slots
        deltas[row] = top + 1 - (types.shape[1] if older else len(columns))
    check_all_used(blocks, used)
    return MultimodalPositions(positions, deltas)


def next_block(blocks, used, kind, tokens):
    """The next block of a kind, which must have as many tokens as the run."""
    name = f"{KINDS[kind]}_grid_thw"
    if used[kind] == len(blocks):
        got = f"{len(blocks)} for more" if blocks else "none"
        sentence = f"{name} must have a grid for each run of {KINDS[kind]} tokens, got {got}"
        raise InputError("E_SHAPE", name, sentence)
    next_one = blocks[used[kind]]
    used[kind] += 1
    if next_one.positions.shape[1] != tokens:
        wanted = f"{next_one.positions.shape[1]} tokens for run {used[kind]} of {KINDS[kind]} tokens"
        sentence = f"mm_token_type_ids must have as many as {name} says, {wanted}, got {tokens}"
        raise InputError("E_SHAPE", "mm_token_type_ids", sentence)
    return next_one


def check_all_used(blocks, used):
    """Refuse grids that no run of tokens uses."""
    for kind, of_kind in blocks.items():
        if used[kind] != len(of_kind):
            name = f"{KINDS[kind]}_grid_thw"
            sentence = f"{name} must have a grid for each run of {KINDS[kind]} tokens"
            raise InputError("E_SHAPE", name, f"{sentence}, got {len(of_kind)} for {used[kind]}")
