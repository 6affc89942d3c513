"""Seeds: cosines and sines before any rounding, in doubles or pairs of doubles, from which kernels reach other rows."""

import math
from functools import lru_cache

import numpy as np

from ... import kernels
from ...arithmetic import fixed_point

KNOTS = 2048


@lru_cache(maxsize=1)
def knots():
    """Cosine and sine at j/2048 turns: float64 (5, 2048), made once.

    Rows 0 to 3 are cosine high and low, sine high and low, highs multiples of 2**-26; row 4 holds every other
    cosine, rounded to double, beside its sine.
    """
    bits = 192
    result = np.empty((5, KNOTS))
    for j in range(KNOTS):
        for row, value in zip((0, 2), fixed_point.cos_sin(j << bits - 11, bits)):
            high = value + (1 << bits - 27) >> bits - 26
            result[row, j] = high * 2.0**-26
            result[row + 1, j] = (value - (high << bits - 26)) * math.ldexp(1.0, -bits)
    result[4, ::2], result[4, 1::2] = result[:4:2, ::2] + result[1:4:2, ::2]
    result.flags.writeable = False
    return result


def make_seeds(multipliers, per_position, planes=4):
    """Unrounded cosine and sine at every multiplier and frequency: float64 (planes, n, half); 4 planes hold pairs."""
    out = _from_cache_line((planes, len(multipliers), per_position.shape[1]))
    kernels.active.seeds(np.ascontiguousarray(multipliers), per_position, knots(), out)
    return out


def _from_cache_line(shape):
    """Memory for float64 that begins a cache line: wide loads of rows then touch one line each."""
    size = 8 * math.prod(shape)
    memory = np.empty(size + 64, np.uint8)
    skip = -memory.ctypes.data % 64
    return memory[skip : skip + size].view(np.float64).reshape(shape)


@lru_cache(maxsize=64)
def step_zero(planes, half):
    """The seeds of the step 0, which leaves an anchor as it is: the cosine is 1, and all else 0."""
    steps = np.zeros((planes, 1, half))
    steps[0] = 1.0
    steps.flags.writeable = False
    return steps
