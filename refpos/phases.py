"""Phases: position times frequency in full turns, as fixed-point fractions of a turn.

A frequency becomes the fraction of a turn it adds per position, cut to 160 bits; multiplied by a whole position and
reduced modulo 1 it needs no range reduction. With |m| <= 2**53 the phase is off by less than 2**53 * 2**-160 < 2**-106
turns.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np

from . import exact, rounding

LIMBS = 5  # of 32 bits
FIRST = 160  # bits of the first enclosure, which nearly always decides


@lru_cache(maxsize=64)
def per_position(frequencies, exponent):
    """Turns per multiplier of positions multiplier * 2**exponent, modulo 1: uint64 (5, dim/2), 32 bits each."""
    bits = 32 * LIMBS
    reach, work = _precision(1, exponent, bits)
    turns = [_turns(theta, 1, exponent, bits, reach, work) for theta in frequencies.fixed(work)]
    limbs = np.array([[t >> 32 * k & 0xFFFFFFFF for t in turns] for k in range(LIMBS)], dtype=np.uint64)
    limbs.flags.writeable = False
    return limbs


def _precision(multiplier, exponent, bits):
    """(bits by which the position may enlarge a frequency, bits of the frequency that are needed)."""
    reach = max(0, multiplier.bit_length() + exponent) + 16
    # rounded up, so that few precisions are ever asked for
    return reach, -(-(bits + reach) // 256) * 256


def _turns(theta, multiplier, exponent, bits, reach, work):
    # (multiplier * 2**exponent * theta / 2 pi) mod 1, times 2**bits, off by less than 2; theta is times 2**work
    size = max(work, theta.bit_length()) + reach
    turns = (theta * multiplier << size - 1) // exact.pi(size) >> work - bits - exponent
    return turns & (1 << bits) - 1


def cos_sin(frequencies, i, multiplier, exponent, bits):
    """Enclosures of factor * cosine and sine at one position and frequency: integers (cos, sin, error) * 2**-bits."""
    reach, work = _precision(multiplier, exponent, bits)
    turns = _turns(frequencies.fixed(work)[i], multiplier, exponent, bits, reach, work)
    cos, sin, error = exact.cos_sin(turns, bits)
    if frequencies.factor.rational == 1:
        return cos, sin, error
    factor = frequencies.factor.fixed(bits)
    # each product is off by (error * factor + 1 * |cos|) * 2**-bits, and cut
    return cos * factor >> bits, sin * factor >> bits, (error * (abs(factor) + 1) >> bits) + 3


def rational_turns(frequencies, i, multiplier, exponent):
    """The fraction of a turn at one position and frequency where it is rational, in 0 .. 1; else None.

    Where it is not, cosine and sine are transcendental for an algebraic frequency or one that is pi times it
    (Lindemann; Gelfond and Schneider), so that no enclosure of theirs shrinks to a midpoint.
    """
    if multiplier == 0 or frequencies.rational(i) == 0:
        return Fraction(0)
    turns = frequencies.turns(i)
    return None if turns is None else turns * multiplier * Fraction(2) ** exponent % 1


def exact_cosine(turns):
    """The cosine of so many turns where it is rational (Niven: 0, 1/2 and 1, of either sign), else None."""
    turns = min(turns % 1, -turns % 1)
    if 12 % turns.denominator:
        return None
    return {0: Fraction(1), 2: Fraction(1, 2), 3: Fraction(0), 4: Fraction(-1, 2), 6: Fraction(-1)}.get(turns * 12)


def exact_sum(of_cos, of_sin, turns):
    """of_cos cosine + of_sin sine of so many turns where it is rational, for whole factors; else None."""
    cos, sin = exact_cosine(turns), exact_cosine(turns - Fraction(1, 4))
    if (cos is not None or not of_cos) and (sin is not None or not of_sin):
        return of_cos * (cos or 0) + of_sin * (sin or 0)
    if turns.denominator == 8:  # cosine and sine are sqrt(1/2), of either sign
        eighth = turns.numerator % 8
        signs = 1 if eighth in (1, 7) else -1, 1 if eighth in (1, 3) else -1
        return Fraction(0) if of_cos * signs[0] + of_sin * signs[1] == 0 else None
    return None


def rounded_cos_sin(frequencies, i, multiplier, exponent, fmt):
    """Bit patterns of factor * cosine and sine, rounded once."""
    at = (i, multiplier, exponent)
    *values, error = cos_sin(frequencies, *at, FIRST)
    patterns = tuple(rounding.agreed(n, error, FIRST, fmt) for n in values)
    if None not in patterns:
        return patterns
    turns = rational_turns(frequencies, *at)
    known = (None, None) if turns is None else (exact_cosine(turns), exact_cosine(turns - Fraction(1, 4)))
    return tuple(_rounded(frequencies, at, which, known[which], fmt) for which in (0, 1))


def _rounded(frequencies, at, which, known, fmt):
    factor = frequencies.factor
    if known == 0:
        return 0
    if known is not None and factor.rational is not None:
        return rounding.nearest_fraction(known * factor.rational, fmt)
    if known is not None:  # n / 2 times the factor
        return rounding.decide(lambda bits: (int(2 * known) * factor.fixed(bits), 2), fmt, exponent=-1)

    def enclosure(bits):
        values = cos_sin(frequencies, *at, bits)
        return values[which], values[2]

    return rounding.decide(enclosure, fmt)
