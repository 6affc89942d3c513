"""exp of doubles to 72 bits, in a few operations on whole arrays: enough to round all but one of half a million.

exp x = 2**(k / 1024) exp r,           |r| <= ln 2 / 2048, by a Taylor polynomial in plain double

The first product, of a factor of 27 bits and one of 26, is exact. docs/numbers.md derives the radius.
"""

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from . import exponentials, powers

STEPS = 1024  # exponentials of so many parts of ln 2 stand in a table
LARGEST = 708.0  # arguments in size, whose exponentials are normal numbers
RADIUS = 2.0**-72  # of an exponential that is scaled to 0.9 .. 2
TO_INTEGER = 1.5 * 2.0**52  # added, it leaves an integer in the last bits
TO_GRID = 1.5 * 2.0**15  # the same with multiples of 2**-37
FIRST = 2.0**-43  # last bit of the first part of ln 2 / STEPS: its product with a k of 21 bits is exact


class Constants(NamedTuple):
    """Numbers and tables (STEPS,)."""

    scale: float  # STEPS / ln 2
    parts: tuple  # ln 2 / STEPS down to the bit FIRST, and the rest
    high: np.ndarray  # 2**(k / STEPS), rounded to a multiple of 2**-26
    low: np.ndarray  # what that leaves


@lru_cache(maxsize=1)
def constants():
    """The `Constants`, made once."""
    known = exponentials.constants()
    coarse, each = known.powers, STEPS // exponentials.STEPS
    fine = powers.as_pairs([powers.floating(Fraction(2), Fraction(k, STEPS)) for k in range(each)], (each,))
    exponent = (coarse.exponent[:, None] + fine.exponent).astype(np.int32)
    pair = powers.multiply(coarse.high[:, None], coarse.low[:, None], fine.high, fine.low)
    high, low = (np.ldexp(part, exponent).reshape(-1) for part in pair)
    upper = np.rint(high * 2.0**26) * 2.0**-26
    cell = sum(map(Fraction, known.log_2)) / STEPS
    first = cell // Fraction(FIRST) * Fraction(FIRST)
    return Constants(STEPS / known.log_2[0], (float(first), float(cell - first)), upper, (high - upper) + low)


def scaled(x):
    """exp x of float64 numbers up to LARGEST in size: (high, low, place), where (high + low) * 2**(place >> 10) is off
    by less than RADIUS * 2**(place >> 10), and high within 0.9 .. 2; of place only the last 22 bits count."""
    c = constants()
    shifted = x * c.scale + TO_INTEGER
    k, place = shifted - TO_INTEGER, shifted.view(np.int64)
    step = place & STEPS - 1
    high, low = c.high.take(step), c.low.take(step)
    rest, second = x - k * c.parts[0], k * c.parts[1]  # the difference is exact
    r = rest - second
    r_high = (r + TO_GRID) - TO_GRID
    series = r * r * (1 / 2 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120))))
    product = high * r_high  # exact
    total = high + product
    tail = (high + low) * (series + ((rest - r_high) - second)) + low * r_high + low + (product - (total - high))
    return total, tail, place - step


def rounded(x):
    """(exp x, where it is certain that this is the nearest double), for float64 numbers."""
    high, low, place = scaled(x)
    least, most = high + (low - RADIUS), high + (low + RADIUS)
    values = (most.view(np.int64) + (place << 42)).view(np.float64)  # what stands above the step is the exponent
    return values, (least == most) & (np.abs(x) <= LARGEST)
