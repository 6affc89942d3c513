"""Numbers that are given by formulas, rounded once: a fraction, or intervals that shrink around an irrational number.

A formula is a fraction or a function that takes `reals.Digits` and returns the interval of an irrational number. Who
makes one has decided before which of the two it is, so that the rounding test always ends.
"""

from collections.abc import Callable
from fractions import Fraction

from . import formats, reals, rounding

FIRST = 34  # decimal digits of the first intervals, which nearly always decide
LEAST_EXPONENT = -900  # exp of less than that is less than half the smallest number of every format


def pattern(value: Fraction | Callable[[reals.Digits], reals.Interval], fmt: formats.Format) -> int:
    """Bit pattern of the number of a formula rounded once to a format."""
    if isinstance(value, Fraction):
        return rounding.nearest_fraction(value, fmt)
    for count in rounding.precisions(FIRST):
        try:
            found = value(reals.Digits(count)).pattern(fmt)
        except reals.Undecided:
            continue
        if found is not None:
            return found


def exponential(exponent: Callable[[reals.Digits], reals.Interval]) -> Callable[[reals.Digits], reals.Interval]:
    """The formula of exp of a number that is irrational, or a fraction other than 0; what underflows is not computed
    further than that."""

    def rule(digits):
        interval = exponent(digits)
        if interval.high < LEAST_EXPONENT:
            return reals.Interval(digits, 0 * interval.high.copy_abs(), digits.exp(LEAST_EXPONENT).high)
        return digits.exp(interval)

    return rule


def fill(stored, values, fmt):
    """Write the numbers of a sequence of formulas into an array of one axis, of the storage of the format."""
    patterns = formats.bits(stored)
    for k, value in enumerate(values):
        patterns[k] = pattern(value, fmt)
