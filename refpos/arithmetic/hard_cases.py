"""Numbers known as pairs of doubles, each rounded once: what the radius of a pair decides is stored.

The others, the hard cases, are rounded from their formulas.
"""

from typing import NamedTuple

import numpy as np

from . import exponentials, formats, formulas, powers

BLOCK = 1 << 13  # numbers done at a time: their pairs stay in the cache
LOWER = (1 << 53) - 1  # bits of the low of a pair
VANISHED = 800.0  # exp of less than -VANISHED rounds to 0 in every format


class Pairs(NamedTuple):
    """Numbers (high + low) * 2**exponent that are off by less than radius * 2**exponent; arrays of one shape."""

    high: np.ndarray
    low: np.ndarray
    radius: np.ndarray
    exponent: np.ndarray


def round_hard_cases(stored, fmt, pairs, exact):
    """Fill an array, in the storage of the format, with numbers rounded once; entries are counted from the first axis.

    pairs(start, stop) gives the `Pairs` of these entries, exact(k) the formula of entry k, a hard case. An entry that
    has no pair has an infinite radius.
    """
    flat = stored.reshape(-1)
    patterns = formats.bits(flat)
    for start in range(0, len(flat), BLOCK):
        stop = min(start + BLOCK, len(flat))
        with np.errstate(all="ignore"):
            high, low, radius, exponent = pairs(start, stop)
            if fmt.width != 64:  # both ends are rounded to double first
                radius = np.where((low != 0) | (radius != 0), radius + np.abs(high) * 2.0**-52, 0.0)
            flat[start:stop], certain = powers.round_pairs(high, low, radius, exponent, fmt)
        for k in (np.flatnonzero(~certain) + start).tolist():
            patterns[k] = formulas.pattern(exact(k), fmt)
    if not np.shares_memory(flat, stored):
        stored[...] = flat.reshape(stored.shape)


def unknown(count):
    """`Pairs` of which nothing is known: all are hard cases."""
    return Pairs(*np.zeros((2, count)), np.full(count, np.inf), np.zeros(count, np.int64))


def exponentials_of(high, low, radius):
    """The `Pairs` of exp(high + low), high at most 700, for pairs that are off by less than radius, at most 2**-40."""
    surely_0 = high < -VANISHED
    high, low = np.where(surely_0, 0.0, high), np.where(surely_0, 0.0, low)
    value, value_low, exponent = exponentials.exponential_of_pair(high, low)
    known = ~surely_0
    return Pairs(value * known, value_low * known, value * (radius * 2 + 2.0**-95) * known, exponent * known)


def inverse_powers_of_two(exponents):
    """The `Pairs` of 2**-e for fractions e from 0 on."""
    digits = [((e.numerator % e.denominator) << 106) // e.denominator for e in exponents]  # of what is below 1
    high, low = (np.array(part, np.float64) for part in ([n >> 53 for n in digits], [n & LOWER for n in digits]))
    log = powers.multiply(high * -(2.0**-53), low * -(2.0**-106), *exponentials.constants().log_2)
    pairs = exponentials_of(*log, 2.0**-100)
    whole = np.array([e.numerator // e.denominator for e in exponents], np.int64)
    return pairs._replace(exponent=pairs.exponent - whole)
