"""Tables: cosine and sine of every phase, rounded once.

Many evenly spaced positions are reached by angle addition: seeds at every 64th row at most, and seeds for the steps
within. Few, and others, get their seeds directly. Entries that the rounding test leaves open are settled with whole
numbers.
"""

import math
from functools import lru_cache
from itertools import product

import numpy as np

from .. import kernels
from ..arithmetic import fixed_point, formats
from ..kernels.mapped_memory import give_back
from ..kernels.threads import for_blocks
from . import attention_factor, phases, small_angles
from .axis_runs import in_units
from .positions import whole

STEPS = 64  # rows reached from one anchor, at most
DIRECT = 1 << 13  # entries up to which every row has seeds of its own
OPEN = 1 << 14  # open entries that a kernel may report before they are settled
STREAM = 8 << 20  # bytes of output from which on stores go past the cache
COPIED = 1 << 16  # entries of a block that is made apart and then copied
SPREAD = 1 << 22  # bytes of a block that is only copied
KNOTS = 2048

# how far a value may be from the truth before rounding: proved bounds are 2**-75.6 (pairs) and 2**-49.6 (doubles)
PAIR_RADIUS = 2.0**-74
DOUBLE_RADIUS = 2.0**-49
SEED_RADIUS = 2.0**-77  # of a pair that is a seed itself, without any sum: 2**-77.8 is proved


def radius(fmt):
    """The radius of the rounding test for values of about 1."""
    return PAIR_RADIUS if fmt.width == 64 else DOUBLE_RADIUS


@lru_cache(maxsize=1)
def knots():
    """Cosine and sine at j/2048 turns as pairs: float64 (4, 2048), highs multiples of 2**-26; 64 KiB, made once."""
    bits = 192
    result = np.empty((4, KNOTS))
    for j in range(KNOTS):
        for row, value in zip((0, 2), fixed_point.cos_sin(j << bits - 11, bits)):
            high = value + (1 << bits - 27) >> bits - 26
            result[row, j] = high * 2.0**-26
            result[row + 1, j] = (value - (high << bits - 26)) * 2.0**-bits
    result.flags.writeable = False
    return result


def seeds(multipliers, per_position, planes=4):
    """Unrounded cosine and sine at every multiplier and frequency: float64 (planes, n, half); 4 hold pairs."""
    out = _from_cache_line((planes, len(multipliers), per_position.shape[1]))
    kernels.active.seeds(np.ascontiguousarray(multipliers), per_position, knots(), out)
    return out


def _from_cache_line(shape):
    """Memory for float64 that begins a cache line: wide loads of rows then touch one line each."""
    size = 8 * math.prod(shape)
    memory = np.empty(size + 64, np.uint8)
    skip = -memory.ctypes.data % 64
    return memory[skip : skip + size].view(np.float64).reshape(shape)


def plan(multipliers, exponent, frequencies, fmt, most=STEPS):
    """What a kernel needs to reach the rows of one group: (rows to one anchor, arguments as a function of (start,
    stop)).

    The arguments are the multipliers of the rows, the phase per position, the knots, and the seeds of the steps from
    an anchor to each of its rows; where positions are not evenly spaced each is an anchor, with the one step 0.
    """
    per_position = phases.per_position(frequencies, exponent)
    planes = 4 if fmt.width == 64 else 2
    near, rows = 1, len(multipliers)
    if isinstance(multipliers, range) and rows * len(frequencies) > DIRECT:
        near = min(most, math.isqrt(rows - 1) + 1)  # fewest seeds: as many anchors as rows to one
    if near > 1:
        steps = seeds(np.arange(near, dtype=np.int64) * multipliers.step, per_position, planes)
    else:
        steps = no_step(planes, per_position.shape[1])
    steps = attention_factor.times(steps, frequencies.factor)
    return near, lambda start, stop: (whole(multipliers[start:stop]), per_position, knots(), steps)


@lru_cache(maxsize=64)
def no_step(planes, half):
    """The seeds of the step 0: the cosine is 1, and all else 0."""
    steps = np.zeros((planes, 1, half))
    steps[0] = 1.0
    steps.flags.writeable = False
    return steps


def fill(cos, sin, positions, frequencies, fmt, threads, radius=radius):
    """Fill cos (n, <= half) and sin (n, half), of the storage dtype and any strides, at `positions.Positions`."""
    frequencies = frequencies if positions.unit == 1 else in_units(frequencies, positions.unit)
    if not sin.size:
        return
    if not attention_factor.is_near_one(frequencies.factor):
        return _settle_groups(cos, sin, positions.groups, frequencies, fmt)
    radii = radius(fmt) * attention_factor.scale(frequencies.factor), closer(SEED_RADIUS, frequencies.factor)
    for group in positions.groups:
        _fill_group(cos, sin, group, frequencies, fmt, threads, radii)


def _settle_groups(cos, sin, groups, frequencies, fmt):
    """Fill the rows of all groups from whole numbers."""
    for index, multipliers, exponent in groups:
        for row, multiplier in zip(range(len(sin)) if index is None else index.tolist(), whole(multipliers).tolist()):
            for i in range(sin.shape[1]):
                settle(cos, sin, row, i, frequencies, (multiplier, exponent), fmt)


def closer(radius, factor):
    """The radius of another look at what is open, for seeds that nothing multiplies; 0 where a factor does."""
    return radius if factor.rational == 1 else 0.0


def _fill_group(cos, sin, group, frequencies, fmt, threads, radii):
    index, multipliers, exponent = group
    half = sin.shape[1]
    near, arguments = plan(multipliers, exponent, frequencies, fmt)
    large = cos.nbytes + sin.nbytes >= STREAM
    stream = large and index is None  # scattered rows are made apart, in the cache

    def work(start, stop):
        rows = slice(start, stop) if index is None else index[start:stop]
        made = (cos[rows], sin[rows]) if index is None else [like(array, stop - start) for array in (cos, sin)]
        first = start
        while first < stop:
            block = [array[first - start :] for array in made]
            undecided = room_for_open(block[1])
            found, done = kernels.active.table(*arguments(first, stop), *block, fmt, *radii, stream, undecided)
            if found:
                _settle_all(block, undecided[:found], multipliers[first : first + done], frequencies, exponent, fmt)
            first += done
        if index is not None:
            cos[rows], sin[rows] = made
        if large:
            give_back_rows(cos, rows), give_back_rows(sin, rows)

    for_blocks(work, len(multipliers), block_rows(near, half, index is not None), threads)


def _settle_all(block, found, multipliers, frequencies, exponent, fmt):
    """Settle the entries that are open of the rows at those multipliers: flat indices of (row, frequency)."""
    cos, sin = block
    rows, columns = np.divmod(found, sin.shape[1])
    at = whole(multipliers)[rows]
    for row in set(rows[at == 0].tolist()):  # where every sine is open, and all columns are alike
        settle(cos, sin, row, 0, frequencies, (0, exponent), fmt)
        cos[row], sin[row] = cos[row, :1], sin[row, :1]
    rows, columns, at = (part[at != 0] for part in (rows, columns, at))
    *values, certain = small_angles.rounded(frequencies, columns, at, exponent, fmt)
    for array, rounded in zip(block, values):
        has = certain & (columns < array.shape[1])
        array[rows[has], columns[has]] = rounded[has]
    for row, i, multiplier in zip(*(part[~certain].tolist() for part in (rows, columns, at))):
        settle(cos, sin, row, i, frequencies, (multiplier, exponent), fmt)


def block_rows(near, entries, copied=False):
    """How many rows of so many entries make a block: whole runs of `near`, and few where they are copied."""
    most = min(kernels.active.BLOCK, COPIED) if copied else kernels.active.BLOCK
    return near * max(1, most // (near * entries))


def room_for_open(array, rows=1):
    """Memory for the flat indices of open entries of (n, ..., half) that a kernel reports, at least of so many rows."""
    return np.empty(min(array.size, max(OPEN, rows * (array.size // len(array)))), np.int64)


def like(array, rows):
    """Memory for so many rows of an array."""
    return np.empty((rows, *array.shape[1:]), array.dtype)


def give_back_rows(array, rows):
    """Give back the pages of a block of rows: a slice, or ascending indices."""
    give_back(array[rows if isinstance(rows, slice) else slice(rows[0], rows[-1] + 1)])


def spread(source, stored, threads):
    """Copy `source`, which may repeat itself (strides of 0, overlapping rows), into `stored`; both (outer, inner, run).

    Runs of contiguous elements go past the cache where the output is large. The source may have another byte order.
    """
    if not stored.size:
        return
    if source.dtype == stored.dtype and stored.strides[-1] == source.strides[-1] == stored.itemsize:
        parts, copy = [array.view(np.uint8) for array in (source, stored)], kernels.active.copy_runs
    else:
        parts, copy = (source, stored), lambda source, stored, stream: np.copyto(stored, source)
    large = stored.nbytes >= STREAM
    outer, inner, _ = stored.shape
    several = max(1, min(outer, SPREAD // stored[0].nbytes))
    rows = inner if several > 1 else max(1, SPREAD // stored[0, 0].nbytes)
    corners = list(product(range(0, outer, several), range(0, inner, rows)))

    def work(start, stop):
        for k, row in corners[start:stop]:
            at = slice(k, k + several), slice(row, row + rows)
            copy(*(array[at] for array in parts), large)
            if large:
                give_back(stored[at]), give_back(source[at])

    for_blocks(work, len(corners), 1, threads)


def settle(cos, sin, row, i, frequencies, position, fmt):
    """Write one cosine and sine from whole numbers."""
    for array, pattern in zip((cos, sin), phases.rounded_cos_sin(frequencies, i, *position, fmt)):
        if i < array.shape[1]:
            formats.bits(array)[row, i] = pattern
