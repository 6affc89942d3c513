"""Tables: cosine and sine of every phase, rounded once.

Evenly spaced positions are reached by angle addition: seeds at every 64th row, and seeds for the steps within. Others
get their seeds directly. Entries that the rounding test leaves open are settled with whole numbers.
"""

import math
from functools import lru_cache

import numpy as np

from . import exact, formats, kernels, phases
from .positions import whole
from .threads import for_blocks

STEPS = 64  # rows reached from one anchor
OPEN = 1 << 14  # open entries that a kernel may report before they are settled
STREAM = 8 << 20  # bytes of output from which on stores go past the cache
KNOTS = 2048

# how far a value may be from the truth before rounding: proved bounds are 2**-75.6 (pairs) and 2**-49.6 (doubles)
PAIR_RADIUS = 2.0**-74
DOUBLE_RADIUS = 2.0**-49


def radius(fmt):
    """The radius of the rounding test for values of about 1."""
    return PAIR_RADIUS if fmt.width == 64 else DOUBLE_RADIUS


@lru_cache(maxsize=1)
def knots():
    """Cosine and sine at j/2048 turns as pairs: float64 (4, 2048), highs multiples of 2**-26; 64 KiB, made once."""
    bits = 192
    result = np.empty((4, KNOTS))
    for j in range(KNOTS):
        for row, value in zip((0, 2), exact.cos_sin(j << bits - 11, bits)):
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

    The arguments are the multipliers of the anchors, the phase per position, the knots, and the seeds of the steps from
    an anchor to each of its rows; where positions are not evenly spaced each is an anchor, with the one step 0.
    """
    per_position = phases.per_position(frequencies, exponent)
    planes = 4 if fmt.width == 64 else 2
    near = max(1, min(most, len(multipliers))) if isinstance(multipliers, range) else 1
    steps = seeds(np.arange(near, dtype=np.int64) * getattr(multipliers, "step", 0), per_position, planes)
    return near, lambda start, stop: (whole(multipliers[start:stop:near]), per_position, knots(), steps)


def fill(cos, sin, positions, frequencies, fmt, threads, radius=radius):
    """Fill cos (n, <= half) and sin (n, half), of the storage dtype and any strides, at `positions.Positions`."""
    if not sin.size:
        return
    for index, multipliers, exponent in positions.groups:
        if index is None:
            _fill_group(cos, sin, multipliers, exponent, frequencies, fmt, threads, radius(fmt))
            continue
        parts = [np.empty((len(index), array.shape[1]), array.dtype) for array in (cos, sin)]
        _fill_group(*parts, multipliers, exponent, frequencies, fmt, threads, radius(fmt))
        cos[index], sin[index] = parts


def _fill_group(cos, sin, multipliers, exponent, frequencies, fmt, threads, radius):
    half = sin.shape[1]
    near, arguments = plan(multipliers, exponent, frequencies, fmt)
    stream = cos.nbytes + sin.nbytes >= STREAM

    def work(start, stop):
        undecided = np.empty(max(OPEN, half), np.int64)
        while start < stop:
            block = cos[start:stop], sin[start:stop]
            found, done = kernels.active.table(*arguments(start, stop), *block, fmt, radius, stream, undecided)
            for flat in undecided[:found].tolist():
                row, i = divmod(flat, half)
                settle(*block, row, i, frequencies, (int(multipliers[start + row]), exponent), fmt)
            start += done

    for_blocks(work, len(sin), near * max(1, kernels.active.BLOCK // (near * half)), threads)


def spread(source, stored, threads):
    """Copy `source`, which may repeat itself (strides of 0, overlapping rows), into `stored`; both (outer, inner, run).

    Runs of contiguous elements go past the cache where the output is large.
    """
    if not stored.size:
        return
    if stored.strides[-1] != stored.itemsize or source.strides[-1] != source.itemsize:
        np.copyto(stored, source)
        return
    as_bytes = [array.view(np.uint8) for array in (source, stored)]
    stream = stored.nbytes >= STREAM

    def work(start, stop):
        kernels.active.spread(*(array[start:stop] for array in as_bytes), stream)

    for_blocks(work, len(stored), max(1, (1 << 22) // max(1, stored[0].nbytes)), threads)


def settle(cos, sin, row, i, frequencies, position, fmt):
    """Write one cosine and sine from whole numbers."""
    for array, pattern in zip((cos, sin), phases.rounded_cos_sin(frequencies, i, *position, fmt)):
        if i < array.shape[1]:
            formats.bits(array)[row, i] = pattern
