"""Buckets of logarithmic width: at which whole distances they begin, by comparing powers of whole numbers.

A bucket begins where log(n / low) / log(high / low) reaches a fraction p / q, that is (n / low)**q >= (high / low)**p.
No logarithm is rounded.
"""

from fractions import Fraction

import numpy as np

BLOCK = 2**18  # so many at a time, so that an interruption comes between two blocks


def first(low, high, share, start, *, above=False, guess=0):
    """The smallest whole number from `start` on with log(n / low) / log(high / low) >= share, or > with `above`.

    0 < low < high. guess: a number near it makes the search short.
    """
    share = Fraction(share)
    p, q = share.numerator, share.denominator
    low, ratio = Fraction(low), Fraction(high) / low
    if p < 0:
        p, ratio = -p, 1 / ratio
    # plain integers: a common divisor would cost more than it saves
    bound, common = ratio.numerator**p * low.numerator**q, ratio.denominator**p * low.denominator**q

    def reached(n):
        power = n**q * common
        return power > bound or (power == bound and not above)

    if reached(start):
        return start
    short, step, enough = start, 1, max(start + 1, guess)
    while not reached(enough):
        short, enough, step = enough, enough + step, 2 * step
    step = 1
    while enough - short > 1:
        middle = max(enough - step, (short + enough) // 2)
        short, enough, step = (short, middle, 2 * step) if reached(middle) else (middle, enough, step)
    return enough


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
