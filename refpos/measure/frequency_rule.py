"""The rule of measured frequencies: a base with its exponents, divided by one factor, kept in part, or none."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .. import catalogue
from ..steps.angles.frequencies import geometric_frequencies, sinusoid_inv_freq
from ..types import Array
from .best_known import BASES, digits_of, inside
from .estimates import exponential, logarithm

FACTORS = (2, 4, 8, 16, 32, 64, 40, 128, 3, 6, 12, 24, 10, 20)
STANDARD_ERRORS = 4  # around an estimate that an interval has
BEYOND = 4  # absolute errors from which on a frequency is larger than 0
STRAIGHT = 6  # measured errors by which a point of a line may be off
ANY = 1e6  # the error of an angle that is not there
FEWEST_DIGITS = 3  # of a base, up to which it is taken before a scaling that gives the same
#: {function whose frequencies are a base alone: the argument that the base is}
BASE_OF = {"inverse_frequencies": "base", "sinusoidal": "base", "timestep_embedding": "max_period"}


class Measured(NamedTuple):
    """Angles of one step, (pairs,), with their absolute error and the relative one of the program's frequencies, and
    the gain of the pairs with its error; known: which pairs have an angle."""

    step: Array
    absolute: float
    relative: float
    gain: float
    gain_error: float
    known: Array

    @property
    def told(self):
        """How many pairs from the first one on have steps that are larger than their errors."""
        small = self.step <= BEYOND * self.absolute
        return int(np.argmax(small)) if small.any() else len(self.step)

    @property
    def error(self):
        """The relative error of each step, 1 where that is not known, and `ANY` where there is no angle."""
        large = np.abs(self.step) > self.absolute
        error = self.relative + np.where(large, self.absolute / np.where(large, np.abs(self.step), 1), 1)
        return np.where(self.known, error, ANY)

    def with_unknown(self):
        """The same with angles on the line of the others in pairs that have none, which no rule then contradicts."""
        told = self.known & (self.step > BEYOND * self.absolute)
        if self.known.all() or told.sum() < 2:
            return self
        fitted = line(logarithm(np.where(told, self.step, 1)), np.where(told, self.error, ANY))
        on_line = exponential(fitted.at_zero + fitted.slope * np.arange(len(told), dtype=np.float64))
        return self._replace(step=np.where(self.known, self.step, on_line))


class Rule(NamedTuple):
    """Frequencies as a call that makes them, and how far from usual they are."""

    recipe: dict[str, Any]
    rank: int


def call(function, **arguments):
    """The call of a function of frequencies as data."""
    return {"function": function, "arguments": arguments}


def made(recipe):
    """The `Frequencies` that a call makes, or has where it makes a table of sines and cosines."""
    name, given = recipe["function"], recipe["arguments"]
    if name == "sinusoidal":
        dim = given["dim"] - (given["dim"] % 2 if given.get("odd") == "pad" else 0)
        scale = Fraction(given.get("position_scale", 1))
        return sinusoid_inv_freq(dim, Fraction(given["base"]), given.get("endpoint", False), scale)
    if name == "timestep_embedding":
        half = given["dim"] // 2
        step = 1 / (half - Fraction(given["downscale_freq_shift"]))
        return geometric_frequencies(
            2 * half, half, step, Fraction(given["max_period"]), Fraction(given.get("scale", 1))
        )
    return catalogue.find(name).function(**given)


class Line(NamedTuple):
    """A straight line through logarithms of frequencies, and the most measured errors by which one is off."""

    at_zero: float
    slope: float
    error_at_zero: float
    error_of_slope: float
    worst: float


def line(values, error):
    """The `Line` through values at 0, 1, 2, .. of which each has its error."""
    k, weight = np.arange(len(values), dtype=np.float64), 1 / (error * error)
    total = weight.sum()
    centre = (weight * k).sum() / total
    spread = (weight * (k - centre) * (k - centre)).sum()
    mean = (weight * values).sum() / total
    slope = (weight * (k - centre) * values).sum() / spread if spread > 0 else 0.0
    at_zero = mean - slope * centre
    off = np.abs(values - at_zero - slope * k) / error
    of_slope = np.sqrt(1 / spread) if spread > 0 else 0.0
    return Line(at_zero, slope, np.sqrt(1 / total + centre * centre * of_slope * of_slope), of_slope, off.max())


def straight(measured):
    """(line of the logarithms of frequencies, whether those that are too slow to be told are on it); None where they do
    not fall by one ratio."""
    told, pairs = measured.told, len(measured.step)
    if not told:
        return None
    fitted = line(logarithm(measured.step[:told]), measured.error[:told])
    if fitted.worst > STRAIGHT:
        return None
    expected = exponential(fitted.at_zero + fitted.slope * np.arange(told, pairs, dtype=np.float64))
    slow = np.abs(measured.step[told:] - expected)
    return fitted, bool((slow <= STRAIGHT * measured.absolute + expected / 2).all())


def geometric(measured):
    """The rules of frequencies that fall by one ratio, or none where they do not; the last ones may be 0."""
    told, pairs, found = measured.told, len(measured.step), straight(measured)
    if found is None:
        return
    (fitted, on_line), slow = found, measured.step[told:]
    for factor in divisors(fitted):
        for base, rank in bases(fitted, pairs) if told > 1 else [(10000, 0)]:
            if on_line:
                yield from _whole(measured, base, factor, rank)
            if (
                told < pairs
                and measured.known.all()
                and (np.abs(slow) <= STRAIGHT * measured.absolute).all()
                and measured.gain == 1
            ):
                share = {"partial_rotary_factor": told / pairs} | ({} if factor is None else {"factor": factor})
                unusual = 0.5 if rank else 0  # a part of the width with another base has the same frequencies
                yield Rule(call("proportional", dim=2 * pairs, base=base, **share), rank + unusual)
        if told > 2 and factor is None and measured.gain == 1:
            yield from _ntk(fitted, pairs)


def _whole(measured, base, factor, rank):
    """The rules of frequencies none of which is 0."""
    dim = 2 * len(measured.step)
    if measured.gain == 1 and factor is None:
        yield Rule(call("inverse_frequencies", dim=dim, base=base), rank)
    elif measured.gain == 1:
        yield Rule(call("linear", dim=dim, base=base, factor=factor), rank)
    elif factor is None and base > 1:
        for gain in inside(measured.gain - measured.gain_error, measured.gain + measured.gain_error):
            # with a factor of 1 the frequencies are those of the base
            made_of = {"factor": 1, "original_max_position_embeddings": 4096, "attention_factor": gain}
            yield Rule(call("yarn", dim=dim, base=base, **made_of), rank)


def divisors(fitted):
    """The factors that divide all frequencies of a line, None where none does or where a step is several positions."""
    low, high = interval(fitted.at_zero, fitted.error_at_zero)
    several = low > 1 and any(number == int(number) for number in inside(low, high))
    if low <= 1 <= high or several:
        return [None]
    return inside(1 / high, 1 / low, FACTORS)[:2]


def bases(fitted, pairs):
    """(base, rank) of a line whose pairs are all of a rotary width, the best known first."""
    wide, narrow = (
        interval(-fitted.slope * pairs, fitted.error_of_slope * pairs * share) for share in (1, 1 / STANDARD_ERRORS)
    )
    yield from ((base, 0) for base in BASES if wide[0] <= base <= wide[1])
    for base in inside(*narrow):
        digits = digits_of(base)
        yield base, 1 if digits <= FEWEST_DIGITS else 3 + digits / 20


def _ntk(fitted, pairs):
    """The rules of a base that NTK-aware scaling makes of a known one."""
    low, high = interval(-fitted.slope * pairs, fitted.error_of_slope * pairs)
    for base in BASES[:5]:
        share = (pairs - 1) / pairs
        ends = [float(exponential(share * float(logarithm(end / base)))) for end in (low, high)]
        for factor in inside(*ends, FACTORS)[:1] if ends[0] > 1 else []:
            if digits_of(factor) <= 2:
                yield Rule(call("ntk", dim=2 * pairs, base=base, factor=factor), 2)


def interval(logarithms, error):
    """The ends of a number whose natural logarithm is known with an error."""
    wide = STANDARD_ERRORS * error + 1e-15
    return tuple(float(exponential(max(-690.0, min(690.0, end)))) for end in (logarithms - wide, logarithms + wide))


def as_given(measured):
    """The rule of frequencies that have none: the numbers themselves, each to as many digits as were measured."""
    if measured.gain == 1 and (measured.step != 0).any():
        wide = STANDARD_ERRORS * np.abs(measured.step) * measured.error
        numbers = [
            0 if one <= BEYOND * measured.absolute else (inside(one - off, one + off) or [one])[0]
            for one, off in zip(measured.step.tolist(), wide.tolist())
        ]
        yield Rule(call("given_frequencies", inv_freq=numbers), 9)
