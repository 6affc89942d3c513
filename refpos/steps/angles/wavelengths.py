"""Wavelengths: after how many positions each pair of channels has made one turn, rounded once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arithmetic import formats, rounding
from ...arithmetic.fixed_point import pi


def wavelengths(frequencies) -> NDArray[np.float64]:
    """2 pi / |theta_i| as float64, (dim/2,); infinite where a pair does not turn."""
    fmt = formats.FORMATS["float64"]
    patterns = [_pattern(frequencies, i, fmt) for i in range(len(frequencies))]
    return np.array(patterns, np.uint64).view(np.float64)


def _pattern(frequencies, i, fmt):
    turns = frequencies.turns(i)
    if turns:
        return rounding.nearest_fraction(1 / abs(turns), fmt)
    if turns == 0 or frequencies.rational(i) == 0:
        return int(np.float64(np.inf).view(np.uint64))

    def enclosure(bits):
        """2 pi / theta, with theta in (n - 1, n + 1) * 2**-work and pi known as closely."""
        work, n = bits, 0
        while n.bit_length() < bits:  # so that its quotient has as many digits
            work *= 2
            n = abs(frequencies.fixed(work)[i])
        low = (2 * (pi(work) - 1) << bits) // (n + 1)
        high = -((-2 * (pi(work) + 1) << bits) // (n - 1))
        return low + high >> 1, (high - low >> 1) + 1

    return rounding.round_exactly(enclosure, fmt, 320)
