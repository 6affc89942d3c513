"""Exact sums of products, rounded once: as pairs of doubles that lose nothing (Ogita, Rump and Oishi 2005, Accurate sum
and dot product), with a bound for what they do lose; fractions and roots decide what that leaves open."""

import numpy as np

from . import formats, reals, rounding
from .double_double import two_sum

UNIT = 2.0**-53
SMALLEST_VALUE = 2.0**-400  # products with values below could lose bits: such values are left out, and the bound grows
SMALLEST, LARGEST = 2.0**-900, 2.0**900  # sizes of results that doubles hold without loss


def total_of(products):
    """The sum of products as high + low, what is lost of it at most, and the sum of their sizes.

    Each product is a double, what was cut from it, and more that is not exact; None for nothing. Arrays of one shape.
    """
    high = low = None
    lost = size = 0.0
    for term, cut, more in products:
        high, rest = (term, None) if high is None else two_sum(high, term)
        for part in (rest, cut):
            if low is None or part is None:
                low = part if low is None else low
            else:
                low, off = two_sum(low, part)
                lost = lost + np.abs(off)
        if more is not None:
            low = more if low is None else low + more
        size = size + np.abs(term)
    return *two_sum(high, np.zeros_like(high) if low is None else low), lost, size


def error_of(lost, size, count):
    """How far a sum of so many products is off where their weights are cut to pairs, by 2**-101 of themselves: sums of
    low parts are off by up to (count + 6) 2**-106 each."""
    return lost + size * ((count + 8) ** 2 * 2.0**-103)


def rounded_sum(high, low, bound, exponent, fmt):
    """(high + low) * 2**exponent, off by up to the bound before, rounded once, and whether that is certain."""
    radius = np.where(bound == 0, 0.0, bound + np.abs(low) * 2 * UNIT)  # low plus and minus bound is rounded as well
    size = np.abs(_scaled(high, exponent))
    certain = (size > SMALLEST) & (size < LARGEST) | (high == 0) & (bound == 0)
    if fmt.width == 64:
        lower, upper = (_scaled(high + end, exponent) for end in (low - radius, low + radius))
        return upper, certain & (formats.bits(lower) == formats.bits(upper))
    result = rounding.narrow(_scaled(to_odd(high, low), exponent), fmt)
    # where the side of high is open, or more than that
    near = (radius > 0) & ((radius >= np.abs(low)) | (radius > np.abs(high) * 2.0**-60))
    if near.any():
        high, low, radius = high[near], low[near], radius[near]
        ends = (to_odd(*two_sum(high, end)) for end in (low - radius, low + radius))
        lower, result[near] = (rounding.narrow(_scaled(end, exponent), fmt) for end in ends)
        certain[near] &= formats.bits(lower) == formats.bits(result[near])
    return result, certain


def _scaled(values, exponent):
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(values, exponent) if exponent else values


def to_odd(high, low):
    """high + low cut to a double whose last bit is 1 where anything is cut, so that it can be rounded again (Boldo and
    Melquiond 2008, Emulation of FMA and correctly rounded sums)."""
    bits = high.view(np.int64)
    moves = (low != 0) & np.isfinite(low) & (bits & 1 == 0) & np.isfinite(high)
    return (bits + np.where(moves, np.where((low > 0) == (high > 0), 1, -1), 0)).view(np.float64)


def exactly(terms, fmt):
    """Bit pattern of the sum of r sqrt(q) over pairs of fractions, rounded once; an exact 0 is +0."""
    parts = []
    for share, square in terms:
        for k, (other, known) in enumerate(parts):
            ratio = reals.root(square / known)
            if ratio is not None:
                parts[k] = other + share * ratio, known
                break
        else:
            parts.append((share, square))
    return reals.sum_of_roots(parts).pattern(fmt)
