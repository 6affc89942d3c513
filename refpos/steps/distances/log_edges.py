"""Buckets of logarithmic width: at which integer distances they begin, exactly.

A bucket begins where log(n / low) / log(high / low) reaches a fraction p / q, that is (n / low)**q >= (high / low)**p.
No logarithm is rounded.
"""

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ...arithmetic import powers, rounding

BITS = 128  # of the first enclosures of edges
BLOCK = 2**16  # so many at a time, so that an interruption comes between two blocks


@lru_cache(maxsize=4096)
def first(low, high, share, start, *, above=False):
    """The smallest integer from `start` on with log(n / low) / log(high / low) >= share, or > with `above`.

    0 < low < high. It is the ceiling of low (high / low)**share, which is enclosed; only where an integer lies in the
    enclosure are its powers compared, which have up to p + q times as many digits as the numbers.
    """
    low, share = Fraction(low), Fraction(share)
    ratio = Fraction(high) / low
    for bits in rounding.precisions(BITS):
        n, exponent = powers.floating(ratio, share, bits)
        error = (n >> bits - 4) + 1
        unit = low * Fraction(2) ** exponent
        below, most = math.ceil((n - error) * unit), math.floor((n + error) * unit)
        if below >= most:
            break
    if below > most:
        return max(start, below)
    return max(start, below if _reached(below, low, ratio, share, above) else below + 1)


def _reached(n, low, ratio, share, above):
    """Whether (n / low)**q >= ratio**p, or > with `above`, for the share p / q."""
    p, q = share.numerator, share.denominator
    if p < 0:
        p, ratio = -p, 1 / ratio
    # plain integers: a common divisor would cost more than it saves
    power, bound = n**q * low.denominator**q * ratio.denominator**p, ratio.numerator**p * low.numerator**q
    return power > bound or (power == bound and not above)


def fill(stored, relative, rule, last):
    """stored = rule(relative), a block at a time. relative: of any integer dtype; beyond +-last nothing changes."""
    source, target = _in_order(relative), _in_order(stored)
    for start in range(0, relative.size, BLOCK):
        target[start : start + BLOCK] = apply(source[start : start + BLOCK], rule, last)


def apply(relative, rule, last):
    """rule(relative) as int64; where there are more numbers than the rule distinguishes, by a table."""
    # beyond +-last nothing changes; inside, negation cannot wrap
    if relative.dtype.kind == "u":
        relative = np.minimum(relative.astype(np.uint64), np.uint64(last)).astype(np.int64)
    else:
        relative = np.clip(relative.astype(np.int64), -last, last)
    if relative.size > 2 * last + 1:
        return rule(np.arange(-last, last + 1, dtype=np.int64))[relative + last]
    return rule(relative)


def number(distance, edges):
    """How many of the ascending edges each distance has reached."""
    return np.searchsorted(edges, distance, side="right").astype(np.int64)


def _in_order(array):
    """The elements one after the other, for slices of them; without copying the rest."""
    return array.reshape(-1) if array.flags.c_contiguous else array.flat
