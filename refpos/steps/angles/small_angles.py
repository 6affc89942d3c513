"""Cosines and sines of small angles: pairs of doubles with the power of two apart, so that a sine keeps all its digits.

The rounding test of a table bounds the error of a sine against 1; one far below 2**-20 fails it. Here the error is
bounded against the sine itself.
"""

from functools import lru_cache

import numpy as np

from ...arithmetic import powers

LARGEST = -14  # angles below 2**LARGEST are done here
WORK = 107  # bits of a frequency and of a factor
BITS = 1280  # of the fixed-point frequencies they are taken from
UNKNOWN = 4096  # exponent that stands for a frequency too small to have all its digits in the fixed-point numbers
#: how far cosine and sine may be from the truth before rounding, relative to themselves: 2**-78.9 is proved. For the
#: narrower formats the radius is larger than the spacing of doubles, to which the ends of the test are rounded first
RADIUS = 2.0**-77
NARROW_RADIUS = 2.0**-50


def round_cos_sin(frequencies, columns, multipliers, exponent, fmt):
    """factor * cosine and sine of multipliers * 2**exponent times the frequencies of those columns.

    Returns (cos, sin, certain), (n,) each: rounded once where `certain` is True. No multiplier may be 0.
    """
    factor, radius = _factor(frequencies.factor), RADIUS if fmt.width == 64 else NARROW_RADIUS
    high, low, scale, square = sines(frequencies, columns, multipliers, exponent)
    sin, sure = powers.round_pairs(high, low, np.abs(high) * radius, scale, fmt)
    low = factor.low + factor.high * (square * (square * (1 / 24) - 0.5))
    cos, certain = powers.round_pairs(factor.high, low, factor.high * radius, factor.exponent, fmt)
    return cos, sin, sure & certain & (square > 0)


def sines(frequencies, columns, multipliers, exponent):
    """factor * sine as (high + low) * 2**scale, and the squares of the angles in float64, 0 of those that are not
    small: (high, low, scale, squares)."""
    theta, factor = [part[columns] for part in _frequencies(frequencies)], _factor(frequencies.factor)
    high, low = powers.multiply(theta[0], theta[1], multipliers.astype(np.float64), 0.0)  # of at most 53 bits, exact
    scale = theta[2] + exponent
    small = np.frexp(high)[1] + scale <= LARGEST
    x = np.ldexp(np.where(small, high, 0.0), np.clip(scale, -500, 0).astype(np.int32))
    square = x * x
    high, low = powers.multiply(high, low + high * (square * (square * (1 / 120) - 1 / 6)), factor.high, factor.low)
    return high, low, scale + factor.exponent, square


@lru_cache(maxsize=64)
def _frequencies(frequencies):
    """The frequencies as a `powers.ScaledPairs`; one too small to have all its digits there is 2**UNKNOWN instead."""
    values = [(n, -BITS) if n.bit_length() >= WORK else (1, UNKNOWN) for n in frequencies.fixed(BITS)]
    return powers.as_pairs(values, (len(values),))


@lru_cache(maxsize=64)
def _factor(factor):
    return powers.as_pairs([factor.floating(WORK)], (1,))
