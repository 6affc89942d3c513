"""Tables: cosine and sine of every phase, rounded once.

Evenly spaced positions are reached by angle addition: pairs at every 64th row, and pairs for the steps within. Others
get their pairs directly. Entries that the rounding test leaves open are settled with whole numbers.
"""

from functools import lru_cache, partial

import numpy as np

from . import exact, formats, kernels, phases
from .positions import whole
from .threads import for_blocks

STEPS = 64  # rows reached from one anchor
STREAM = 8 << 20  # bytes of output from which on stores go past the cache
KNOTS = 2048

# how far a value may be from the truth before rounding: proved bounds are 2**-75.7 (pairs) and 2**-51.2 (doubles)
PAIR_RADIUS = 2.0**-74
DOUBLE_RADIUS = 2.0**-50


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


def planes(fmt):
    """Pairs (4 planes) carry what float64 needs, doubles (2 planes) what the narrower formats need."""
    return 4 if fmt.width == 64 else 2


def seeds(multipliers, per_position, planes=4):
    """Cosine and sine at every multiplier and frequency, unrounded: float64 (planes, n, half)."""
    out = np.empty((planes, len(multipliers), per_position.shape[1]))
    kernels.active.seeds(np.ascontiguousarray(multipliers), per_position, knots(), out)
    return out


def doubles(multipliers, per_position):
    """The same in plain double, off by less than 2**-51: float64 (2, n, half)."""
    out = np.empty((2, len(multipliers), per_position.shape[1]))
    kernels.active.doubles(np.ascontiguousarray(multipliers), per_position, knots(), out)
    return out


def seeds_between(positions, frequencies, planes):
    """A function of (start, stop) giving the unrounded cosines and sines of those flat rows of `positions.Positions`."""
    per_position = {group.exponent: phases.per_position(frequencies, group.exponent) for group in positions.groups}
    unrounded = partial(seeds, planes=planes) if planes == 4 else doubles

    def between(start, stop):
        if len(positions.groups) == 1:
            ((_, multipliers, exponent),) = positions.rows(start, stop)
            return unrounded(multipliers, per_position[exponent])
        out = np.empty((planes, stop - start, len(frequencies)))
        for rows, multipliers, exponent in positions.rows(start, stop):
            out[:, rows] = unrounded(multipliers, per_position[exponent])
        return out

    return between


def doubles_between(positions, frequencies):
    """The same in plain double, by angle addition where the positions are evenly spaced: off by less than 2**-51.2."""
    anchors, near, steps = _plan(positions, frequencies, 2)

    def between(start, stop):
        out = np.empty((2, stop - start, len(frequencies)))
        kernels.active.add(anchors(start, stop), steps, out)
        return out

    return between if near > 1 else seeds_between(positions, frequencies, 2)


def fill(cos, sin, positions, frequencies, fmt, threads, radius=radius):
    """Fill cos (n, <= half) and sin (n, half), arrays of the storage dtype with any strides, at `positions.Positions`."""
    rows, half = sin.shape
    if not rows or not half:
        return
    anchors, near, steps = _plan(positions, frequencies, planes(fmt))
    limit, stream = radius(fmt), cos.nbytes + sin.nbytes >= STREAM

    def work(start, stop):
        undecided = np.empty((stop - start) * half, np.int64)
        block = cos[start:stop], sin[start:stop]
        found = kernels.active.table(anchors(start, stop), steps, *block, fmt, limit, stream, undecided)
        for flat in undecided[:found].tolist():
            row, i = divmod(flat, half)
            settle(*block, row, i, frequencies, positions.at(start + row), fmt)

    for_blocks(work, rows, near * max(1, kernels.active.BLOCK // (near * half)), threads)


def _plan(positions, frequencies, planes):
    """Seeds at every `near`-th row as a function of (start, stop), near, and the seeds of the steps between them."""
    ((_, multipliers, exponent), *others) = positions.groups
    if others or not isinstance(multipliers, range):
        # one step of 0, exactly: cos 1, sin 0
        steps = np.zeros((planes, 1, len(frequencies)))
        steps[0] = 1.0
        return seeds_between(positions, frequencies, planes), 1, steps
    near = max(1, min(STEPS, len(multipliers)))
    per_position = phases.per_position(frequencies, exponent)
    steps = seeds(np.arange(near, dtype=np.int64) * multipliers.step, per_position, planes)
    return lambda start, stop: seeds(whole(multipliers[start:stop:near]), per_position, planes), near, steps


def settle(cos, sin, row, i, frequencies, position, fmt):
    """Write one cosine and sine from whole numbers."""
    for array, pattern in zip((cos, sin), phases.rounded_cos_sin(frequencies, i, *position, fmt)):
        if i < array.shape[1]:
            formats.bits(array)[row, i] = pattern
