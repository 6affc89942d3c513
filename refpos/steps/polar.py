"""Polar coordinates: a magnitude times the cosine and the sine of an angle, the product rounded once.

What is not rational is rounded from enclosures. A number times a cosine is transcendental where the angle is algebraic
and not 0 (Lindemann), and so is ln(1 + e**x) for a rational x. That the product of such a logarithm and such a cosine
is never halfway between two values follows from no theorem, but from Schanuel's conjecture.
"""

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Callable, NamedTuple

import numpy as np

from ..arithmetic import reals, rounding
from ..arithmetic.formats import FORMATS
from . import phases

MOST_EXCESS = 1 << 13
LEAST = -(2.0**14)  # e**LEAST is 0 in every format, whatever it is multiplied by


# -- magnitudes -------------------------------------------------------------------------------------------------------


class Magnitude(NamedTuple):
    """A number. Where it is finite `fixed(bits)` gives (n, error): it is n +- error times 2**(exponent - bits).

    ieee: a float of its sign that is 0, infinite or NaN where it is. rational: the number where it is a fraction; with
    `excess` the number is rational * (1 + d) for some d from 0 to 2**-excess, neither of them.
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
    fixed = lru_cache(maxsize=2)(partial(_softplus_fixed, Fraction(x), exponent))  # cosine and sine both ask
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
    # before the spare bits are cut, each sum is off by less than |multiplier| + 2 units
    spare = max((int(abs(multiplier)) + 3).bit_length() for multiplier in multipliers) + 1
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


class Wave(NamedTuple):
    """Cosine and sine of one angle, and a factor: enclosures(bits) of both as `phases.cos_sin` gives them; `turns`
    where the angle is a fraction of a turn, else None; `floats()`, both without the factor rounded to float64."""

    enclosures: Callable
    turns: Fraction | None
    floats: Callable
    factor: reals.Real


def wave(frequencies, i):
    """The wave of one of the frequencies at position 1."""
    without_factor = replace(frequencies, factor=reals.rational(1))
    angle = phases.Angle(frequencies, i, 1, 0)
    enclosures, floats = partial(phases.cos_sin, angle), partial(_floats, angle._replace(frequencies=without_factor))
    return Wave(enclosures, phases.rational_turns(angle), floats, frequencies.factor)


def _floats(angle):
    patterns = phases.rounded_cos_sin(angle, FORMATS["float64"])
    return np.array(patterns, np.uint64).view(np.float64).tolist()


def products(magnitude, wave, fmt):
    """Bit patterns of the magnitude times cosine and sine, rounded once; of a magnitude that is 0 or not finite, and of
    a cosine or sine that is 0, what IEEE arithmetic gives, NaN as the positive quiet one."""
    return [_product(magnitude, wave, which, fmt) for which in (0, 1)]


def _with_excess(known, excess):
    """A fraction on the same side of every halfway point as known * (1 + d), 0 < d < 2**-excess; None where that is not
    sure: of halfway points that are not the fraction itself none is closer than its length allows."""
    if known is None or excess is None:
        return known
    length = max(known.numerator.bit_length(), known.denominator.bit_length())
    return known * (1 + Fraction(1, 1 << excess)) if length + 64 < excess else None


def _product(magnitude, wave, which, fmt):
    zero = wave.turns is not None and phases.exact_cosine(wave.turns - Fraction(which, 4)) == 0
    if zero or not magnitude.ieee or not math.isfinite(magnitude.ieee):
        value = magnitude.ieee * (0.0 if zero else wave.floats()[which])
        return fmt.nan if math.isnan(value) else rounding.pattern(value, fmt)
    if None not in (wave.turns, magnitude.rational):
        of_each = (0, magnitude.rational) if which else (magnitude.rational, 0)
        known = _with_excess(phases.exact_product(wave.factor, *of_each, wave.turns), magnitude.excess)
        if known is not None:
            return rounding.nearest_fraction(known, fmt)

    def enclosure(bits):
        size, size_error = magnitude.fixed(bits)
        *cos_sin, turn_error = wave.enclosures(bits)
        turn = cos_sin[which]
        error = abs(size) * turn_error + size_error * (abs(turn) + turn_error)
        return phases.times_factor(wave.factor, size * turn >> bits, (error >> bits) + 2, bits)

    return rounding.decide(enclosure, fmt, exponent=magnitude.exponent + phases.scale_of(wave.factor))
