"""Values of formulas that no other step has: intervals of decimals that shrink until they say how a number is rounded.

What is rational must be known before, as a fraction: an interval around a halfway point never decides.
"""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Union

from . import fixed_point, formats, formulas, reals

LARGEST_DAMPING = 800  # e**-800 times any sine is 0 in every format

#: a fraction, or the rule that gives an interval of an irrational number with so many digits
Value = Union[Fraction, Callable[[reals.Digits], reals.Interval]]


def fill(stored, rows, fmt):
    """Write rows of `Value`s to the rows of an array (rows, columns) of the storage dtype."""
    patterns = formats.bits(stored)
    for row, values in enumerate(rows):
        for column, value in enumerate(values):
            patterns[row, column] = formulas.pattern(value, fmt)


def remembered(rule):
    """The rule, evaluated once for each number of digits."""
    by_count = cache(lambda count: rule(reals.Digits(count)))
    return lambda digits: by_count(digits.count)


def cos_sin(digits, turns):
    """Intervals of cosine and sine of an interval of turns."""
    bits = 4 * digits.count + 32
    low, high = digits.of(turns).scaled(bits)
    cos, sin, error = fixed_point.cos_sin((low + high >> 1) & (1 << bits) - 1, bits)
    error += 7 * (high - low)  # 2 pi times half the width
    one = Decimal(1 << bits)
    return tuple(
        reals.Interval(digits, digits.down.divide(n - error, one), digits.up.divide(n + error, one)) for n in (cos, sin)
    )


def damped(digits, exponent):
    """The interval of e**-exponent, for an interval from 0 on; one too large to matter is cut."""
    exponent = digits.of(exponent)
    if exponent.low > LARGEST_DAMPING:
        exponent = digits.of(LARGEST_DAMPING)
    zero = digits.of(0).low
    return digits.exp(-reals.Interval(digits, max(exponent.low, zero), max(exponent.high, zero)))


def arcsine(digits, sine):
    """The interval of the arcsine of an interval within -7/8 .. 7/8."""
    bits = 4 * digits.count + 32
    low, high = sine.scaled(bits)
    goal = low + high >> 1
    angle, step = goal, 1 << bits
    while abs(step) > bits:  # Newton's method comes closer from one side, twice as many bits at each step
        cos, sin, error = _cos_sin_of_radians(angle, bits)
        step = (goal - sin << bits) // cos
        angle += step
    cos, sin, error = _cos_sin_of_radians(angle, bits)
    radius = 3 * (abs(goal - sin) + error + high - low)  # the cosine, the slope, is above 1/3
    one = Decimal(1 << bits)
    return reals.Interval(digits, digits.down.divide(angle - radius, one), digits.up.divide(angle + radius, one))


def _cos_sin_of_radians(angle, bits):
    return fixed_point.cos_sin((angle << bits - 1) // fixed_point.pi(bits), bits)
