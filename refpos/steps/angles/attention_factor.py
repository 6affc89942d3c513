"""Attention factors: what multiplies every cosine and sine of a scaling; seeds take it before anything is rounded.

The factor is m * 2**k with m in 1/2 .. 1. A pair times m is a pair again, high part on the grid of 2**-26, and the
power of two is exact, so the error radii of sums of angles hold in units of 2**k (docs/numbers.md).
"""

import math
from functools import lru_cache

import numpy as np

LARGEST_EXPONENT = 100  # a factor beyond 2**+-LARGEST_EXPONENT has no fast path: its elements are rounded one by one
GRID = 1.5 * 2.0**26  # added and subtracted, it leaves multiples of 2**-26


@lru_cache(maxsize=64)
def _split(factor):
    """(m high, m low, k): 26 bits of m, the rest, and the exponent."""
    n, exponent = factor.floating(256)
    bits = n.bit_length()
    k = bits + exponent
    high = n + (1 << bits - 27) >> bits - 26
    return high * 2.0**-26, float(n - (high << bits - 26)) * math.ldexp(1.0, -bits), k


def is_near_one(factor):
    """Whether the factor is so near 1 that nothing over- or underflows where it multiplies seeds."""
    return factor.rational == 1 or abs(_split(factor)[2]) <= LARGEST_EXPONENT


def scale(factor):
    """The power of two not below the factor, by which errors and error radii grow."""
    return 1.0 if factor.rational == 1 else math.ldexp(1.0, _split(factor)[2])


def multiply_seeds(seeds, factor):
    """Seeds (planes, n, half), pairs or plain doubles, times the factor.

    They stay as they are where the factor is 1, or so far from 1 that its results are all rounded one by one.
    """
    if factor.rational == 1 or not is_near_one(factor):
        return seeds
    high, low, exponent = _split(factor)
    if len(seeds) == 2:
        return seeds * ((high + low) * math.ldexp(1.0, exponent))
    products = np.empty_like(seeds)
    for k in (0, 2):
        upper, lower = seeds[k], seeds[k + 1]
        product = upper * high  # exact: 27 by 26 bits
        products[k] = (product + GRID) - GRID
        products[k + 1] = (product - products[k]) + (upper * low + lower * high + lower * low)
    return products * math.ldexp(1.0, exponent)
