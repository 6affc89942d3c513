"""Phases: position times frequency in full turns, as fixed-point fractions of a turn.

A frequency becomes the fraction of a turn it adds per position, cut to 160 bits; multiplied by a whole position and
reduced modulo 1 it needs no range reduction. With |m| <= 2**53 the phase is off by less than 2**53 * 2**-160 < 2**-106
turns.
"""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...arithmetic import fixed_point, reals, rounding
from ...arithmetic.formats import FORMATS
from .frequencies import Frequencies

LIMBS = 5  # of 32 bits
SMALL = -20  # sines of angles below 2**SMALL are enclosed in units of their own size
FIRST = 160  # bits of the first enclosure, which nearly always decides


class Angle(NamedTuple):
    """The angle of frequency i at the position multiplier * 2**exponent, in radians their product."""

    frequencies: Frequencies
    i: int
    multiplier: int
    exponent: int


@lru_cache(maxsize=64)
def per_position(frequencies, exponent):
    """Turns per multiplier of positions multiplier * 2**exponent, modulo 1: uint64 (5, dim/2), 32 bits each."""
    bits = 32 * LIMBS
    growth, work = _precision(1, exponent, bits)
    turns = [_turns(theta, 1, exponent, bits, growth, work) for theta in frequencies.fixed(work)]
    limbs = np.array([[t >> 32 * k & 0xFFFFFFFF for t in turns] for k in range(LIMBS)], dtype=np.uint64)
    limbs.flags.writeable = False
    return limbs


def _precision(multiplier, exponent, bits):
    """(bits by which the position may enlarge a frequency, bits of the frequency that are needed)."""
    growth = max(0, multiplier.bit_length() + exponent) + 16
    # rounded up, so that few precisions are ever asked for
    return growth, -(-(bits + growth) // 256) * 256


def _turns(theta, multiplier, exponent, bits, growth, work):
    # (multiplier * 2**exponent * theta / 2 pi) mod 1, times 2**bits, off by less than 2; theta is times 2**work
    size = max(work, theta.bit_length()) + growth
    turns = (theta * multiplier << size - 1) // fixed_point.pi(size) >> work - bits - exponent
    return turns & (1 << bits) - 1


@lru_cache(maxsize=4)  # both results of a pair need the same enclosures
def cos_sin(angle, bits):
    """Enclosures of cosine and sine of an `Angle`: integers (cos, sin, error) * 2**-bits."""
    frequencies, i, multiplier, exponent = angle
    growth, work = _precision(multiplier, exponent, bits)
    turns = _turns(frequencies.fixed(work)[i], multiplier, exponent, bits, growth, work)
    return fixed_point.cos_sin(turns, bits)


def scale_of(factor):
    """The exponent of a power of two above the factor, or at it."""
    return 0 if factor.rational == 1 else FIRST + factor.floating(FIRST)[1]


def times_factor(factor, n, error, bits):
    """n +- error times factor * 2**-scale_of(factor), as another integer and its error.

    `bits` bits of the factor are used.
    """
    if factor.rational == 1:
        return n, error
    multiplier, exponent = factor.floating(bits)
    shift = scale_of(factor) - exponent
    return n * multiplier >> shift, (error * multiplier + 2 * (abs(n) + error) >> shift) + 2


def rational_turns(angle):
    """An `Angle` as a fraction of a turn where it is rational, in 0 .. 1; else None.

    Where it is not, cosine and sine are transcendental if the frequency is algebraic, or pi times an algebraic number
    (Lindemann; Gelfond and Schneider), so that no enclosure of them shrinks to a midpoint.
    """
    frequencies, i, multiplier, exponent = angle
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


def exact_cosine_product(one, other):
    """The product of the cosines of two fractions of a turn where it is rational, else None.

    Twice the product is cos(one + other) + cos(one - other). Two cosines of rational angles have a rational sum where
    both are rational, where they cancel, and as +-(cos 36 - cos 72 degrees) = +-1/2 (Conway and Jones 1976, theorem 7).
    """
    angles = one + other, one - other
    cosines = [exact_cosine(angle) for angle in angles]
    if None not in cosines:
        return sum(cosines) / 2
    if exact_cosine(one) == 0 or exact_cosine(other) == 0:
        return Fraction(0)
    folded = sorted(min(angle % 1, -angle % 1) for angle in angles)
    tenths = {(1, 3): Fraction(1, 4), (2, 4): Fraction(-1, 4)}  # 36 and 108 degrees, 72 and 144 degrees
    return tenths.get(tuple(angle * 10 for angle in folded))


def exact_sum(of_cos, of_sin, turns):
    """of_cos cosine + of_sin sine of so many turns where it is rational, for fractions; else None.

    It is rational in these cases only (docs/numbers.md, "It ends").
    """
    cos, sin = exact_cosine(turns), exact_cosine(turns - Fraction(1, 4))
    if (cos is not None or not of_cos) and (sin is not None or not of_sin):
        return of_cos * (cos or 0) + of_sin * (sin or 0)
    if turns.denominator == 8:  # cosine and sine are sqrt(1/2), of either sign
        eighth = turns.numerator % 8
        signs = 1 if eighth in (1, 7) else -1, 1 if eighth in (1, 3) else -1
        return Fraction(0) if of_cos * signs[0] + of_sin * signs[1] == 0 else None
    return None


def exact_product(factor, of_cos, of_sin, turns):
    """factor * (of_cos cosine + of_sin sine) of so many turns where it is rational, for fractions; else None.

    An irrational factor times a sum of cosine and sine is a fraction only where the squares of both are fractions.
    """
    value = exact_sum(of_cos, of_sin, turns)
    if value == 0:
        return value
    if factor.rational is not None:
        return None if value is None else value * factor.rational
    twice = exact_sum(of_cos**2 - of_sin**2, 2 * of_cos * of_sin, 2 * turns % 1)
    if None in (twice, factor.square):
        return None
    size = reals.root(factor.square * (of_cos**2 + of_sin**2 + twice) / 2)
    return None if size is None else size * _sign(of_cos, of_sin, turns)


def _sign(of_cos, of_sin, turns):
    """1 or -1, the sign of of_cos cosine + of_sin sine of so many turns, which is not 0."""
    for bits in rounding.precisions(256):
        cos, sin, error = fixed_point.cos_sin((turns.numerator << bits) // turns.denominator, bits)
        value, error = of_cos * cos + of_sin * sin, (abs(of_cos) + abs(of_sin)) * error
        if abs(value) > error:
            return 1 if value > 0 else -1


def rounded_cos_sin(angle, fmt):
    """Bit patterns of factor * cosine and sine of an `Angle`, rounded once."""
    return tuple(rounded_sum(angle, *sum_, 0, fmt) or 0 for sum_ in ((1, 0), (0, 1)))


def float64_without_factor(angle):
    """Cosine and sine of an `Angle` without the factor, each rounded once to float64."""
    without_factor = angle._replace(frequencies=replace(angle.frequencies, factor=reals.rational(1)))
    return np.array(rounded_cos_sin(without_factor, FORMATS["float64"]), np.uint64).view(np.float64)


def rounded_sum(angle, of_cos, of_sin, shift, fmt):
    """Bit pattern of factor * (of_cos cosine + of_sin sine) * 2**-shift, rounded once; None where it is exactly 0."""
    factor, turns = angle.frequencies.factor, rational_turns(angle)
    known = None if turns is None else exact_product(factor, of_cos, of_sin, turns)
    if known is not None:
        return rounding.nearest_fraction(Fraction(known) / 2**shift, fmt) if known else None
    size = 0 if of_cos else _size(angle)

    def enclosure(bits):
        if size < SMALL:
            return times_factor(factor, of_sin * _small_sine(angle, size, bits), abs(of_sin) * bits, bits)
        cos, sin, error = cos_sin(angle, bits)
        return times_factor(factor, of_cos * cos + of_sin * sin, (abs(of_cos) + abs(of_sin)) * error, bits)

    return rounding.round_exactly(enclosure, fmt, FIRST, (size if size < SMALL else 0) + scale_of(factor) - shift)


def _size(angle):
    """An exponent for which the angle is below 2**size and not below 2**(size - 4)."""
    frequencies, i, multiplier, exponent = angle
    for bits in rounding.precisions(128):
        n = abs(frequencies.fixed(bits)[i])
        if n > 3:
            return n.bit_length() + 1 - bits + abs(multiplier).bit_length() + exponent


def _small_sine(angle, size, bits):
    """The sine of an angle below 2**size, times 2**(bits - size), off by less than `bits`."""
    frequencies, i, multiplier, exponent = angle
    # the angle x in these units, off by less than 2, since the frequency is off by less than 2**-work
    growth = max(0, abs(multiplier).bit_length() + exponent)
    work = -(-(bits - size + growth) // 256) * 256
    shift = work - exponent - (bits - size)
    x = multiplier * frequencies.fixed(work)[i]
    x = x >> shift if shift > 0 else x << -shift
    square = x * x >> bits - 2 * size  # x**2 times 2**bits
    sine = term = x
    k = 2
    while abs(term) > 1:
        term = -(term * square >> bits) // (k * (k + 1))
        sine += term
        k += 2
    return sine
