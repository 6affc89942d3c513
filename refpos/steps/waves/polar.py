"""Polar coordinates: a magnitude times the cosine and the sine of an angle, the product rounded once.

What is not rational is rounded from enclosures. A number times a cosine is transcendental where the angle is algebraic
and not 0 (Lindemann), and so is ln(1 + e**x) for a rational x. That the product of such a logarithm and such a cosine
is never halfway between two values follows from no theorem, but from Schanuel's conjecture.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import NamedTuple

from ...arithmetic import reals, rounding
from ..angles import phases

MOST_EXCESS = 1 << 13
LEAST = -(2.0**14)  # e**LEAST is 0 in every format, whatever it is multiplied by


# -- magnitudes -------------------------------------------------------------------------------------------------------


class Magnitude(NamedTuple):
    """A number. Where it is finite, `fixed(bits)` returns (n, error): it is (n +- error) * 2**(exponent - bits).

    ieee: a float that is 0, infinite or NaN where the number is, and has its sign elsewhere. rational: the number where
    it is a fraction; with `excess` the number is rational * (1 + d) for some d above 0 and below 2**-excess.
    """

    ieee: float
    exponent: int = 0
    fixed: Callable | None = None
    rational: Fraction | None = None
    excess: int | None = None


def unchanged(x):
    """The number itself."""
    if not math.isfinite(x):
        return Magnitude(x)
    numerator, denominator = x.as_integer_ratio()
    return Magnitude(x, 1 - denominator.bit_length(), lambda bits: (numerator << bits, 1), Fraction(x))


def softplus(x):
    """ln(1 + e**x)."""
    if not math.isfinite(x):
        return Magnitude(max(x, 0.0))  # NaN stays, since it is not below 0
    x = max(x, LEAST)
    exponent = int(min(0.0, x) * 1.4427)  # about that of the number, so that few bits are needed
    fixed = lru_cache(maxsize=2)(partial(_softplus_fixed, Fraction(x), exponent))  # cosine and sine need the same
    excess = min(int(x), MOST_EXCESS) if x >= 1 else None  # ln(1 + e**x) < x (1 + e**-x) for x from 1 on
    return Magnitude(1.0, exponent, fixed, None if excess is None else Fraction(x), excess)


def _softplus_fixed(x, exponent, bits):
    low, high = _softplus(reals.Digits(bits * 302 // 1000 + reals.SPARE), x).scaled(bits - exponent)
    return low + high >> 1, high - low + 1


def _softplus(digits, x):
    """The interval of ln(1 + e**x), with about as many correct digits as there are."""
    if x >= 0:
        return x + digits.log(1 + digits.exp(-x))
    more = reals.Digits(2 * digits.count)
    power = more.exp(x)
    if power.high.adjusted() >= -digits.count:
        return more.log(1 + power)
    return reals.Interval(digits, (power - power * power).low, power.high)  # t - t**2 / 2 < ln(1 + t) < t


# -- angles -----------------------------------------------------------------------------------------------------------


def shifted(frequencies, multipliers, shifts):
    """Frequencies that at position 1 are multipliers[i] * theta_i + shifts[i], for fractions."""
    return replace(
        frequencies,
        fixed=lru_cache(maxsize=4)(partial(_shifted_fixed, frequencies, multipliers, shifts)),
        rational=partial(_shifted_rational, frequencies, multipliers, shifts),
        turns=partial(_shifted_turns, frequencies, multipliers, shifts),
        axes=None,
    )


def _shifted_fixed(frequencies, multipliers, shifts, bits):
    # before the spare bits are cut, each sum is off by less than |multiplier| + 2 units; rounded up, so that the
    # frequencies are asked for few precisions
    spare = max((int(abs(multiplier)) + 3).bit_length() for multiplier in multipliers) + 1
    spare = -(-spare // 128) * 128
    scale = 1 << bits + spare
    thetas = frequencies.fixed(bits + spare)
    sums = (math.floor(n * multiplier + shift * scale) for n, multiplier, shift in zip(thetas, multipliers, shifts))
    return tuple(n + (1 << spare - 1) >> spare for n in sums)


def _shifted_rational(frequencies, multipliers, shifts, i):
    value = frequencies.rational(i) if multipliers[i] else Fraction(0)
    return None if value is None else value * multipliers[i] + shifts[i]


def _shifted_turns(frequencies, multipliers, shifts, i):
    value = None if shifts[i] else frequencies.turns(i)
    return None if value is None else value * multipliers[i]


# -- products ---------------------------------------------------------------------------------------------------------


def products(magnitude, angle, fmt):
    """Bit patterns of the magnitude times cosine and sine of a `phases.Angle`, rounded once.

    Of a magnitude that is 0 or not finite, and of a cosine or sine that is 0, they are what IEEE arithmetic gives, NaN
    as the positive quiet one.
    """
    turns = phases.rational_turns(angle)
    return [_product(magnitude, angle, turns, which, fmt) for which in (0, 1)]


def _with_excess(known, excess):
    """A fraction on the same side of every halfway point as known * (1 + d), 0 < d < 2**-excess; None if unsure.

    A halfway point other than the fraction itself cannot be closer to it than the length of the fraction allows.
    """
    if known is None or excess is None:
        return known
    length = max(known.numerator.bit_length(), known.denominator.bit_length())
    return known * (1 + Fraction(1, 1 << excess)) if length + 64 < excess else None


def _product(magnitude, angle, turns, which, fmt):
    factor = angle.frequencies.factor
    zero = turns is not None and phases.exact_cosine(turns - Fraction(which, 4)) == 0
    if zero or not magnitude.ieee or not math.isfinite(magnitude.ieee):
        value = magnitude.ieee * (0.0 if zero else float(phases.float64_without_factor(angle)[which]))
        return fmt.nan if math.isnan(value) else rounding.round_float(value, fmt)
    if None not in (turns, magnitude.rational):
        of_each = (0, magnitude.rational) if which else (magnitude.rational, 0)
        known = _with_excess(phases.exact_product(factor, *of_each, turns), magnitude.excess)
        if known is not None:
            return rounding.nearest_fraction(known, fmt)

    def enclosure(bits):
        size, size_error = magnitude.fixed(bits)
        *cos_sin, wave_error = phases.cos_sin(angle, bits)
        wave = cos_sin[which]
        error = abs(size) * wave_error + size_error * (abs(wave) + wave_error)
        return phases.times_factor(factor, size * wave >> bits, (error >> bits) + 2, bits)

    exponent = magnitude.exponent + phases.scale_of(factor)
    more = -(-_leading_zeros(angle, which) // 160) * 160  # few precisions, so that frequencies are known already
    return rounding.round_exactly(enclosure, fmt, 160 + more, exponent)


def _leading_zeros(angle, which):
    """How many bits of a cosine or sine that is not 0 are 0 after the point, about: so many more does it take to know
    the product, and they are found at less cost without the magnitude."""
    for bits in rounding.precisions(160):
        *cos_sin, error = phases.cos_sin(angle, bits)
        if abs(cos_sin[which]) > error:
            return bits - cos_sin[which].bit_length()
