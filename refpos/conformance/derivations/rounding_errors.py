"""The error of one operation, and how errors add up.

Two facts carry every bound. An operation of precision p has relative error at most u = 2**-p, a library function that
is k ulp off its correctly rounded value at most (2k + 1) u. And relative errors s_1, s_2, ... in any mixture of
products and quotients amount to at most s / (1 - s), s = s_1 + s_2 + ...
"""

import itertools
import math
from decimal import Decimal

import numpy as np

from ...arithmetic.contexts import context

# (2k + 1) of the library functions, k the ulps of the CUDA C++ Programming Guide's table of maximum ulp errors
SINE = 5  # sin, cos: 2 ulp
POWER = 9  # pow: 4 ulp
EXPONENTIAL = 5  # exp, exp2: 2 ulp
LOGARITHM = 3  # log, log2: 1 ulp
DERIVATION = 2.0**-51  # relative error of what a derivation computes in float64, where INFLATE does not cover it
INFLATE = 1 + 2.0**-40  # covers the float64 arithmetic of a bound: fewer than 2**10 roundings of 2**-53 each


def unit_roundoff(fmt):
    """Relative error of one rounding; of 16 bits also of a rounding to float32 first, which adds at most 2**-23."""
    return math.ldexp(1.0, -fmt.precision) + (2.0**-23 if fmt.width == 16 else 0.0)


def underflow_error(fmt):
    """Absolute error of a result below the normal range, where float32 and bfloat16 may be flushed to zero."""
    return math.ldexp(1.0, fmt.lowest + (0 if fmt.name in ("float16", "float64") else fmt.precision - 1))


def conversion_error(number, fmt):
    """Relative error of a fraction that is converted to the format."""
    return unit_roundoff(fmt) * inexact(abs(number), fmt)


def inexact(number, fmt):
    """Whether the fraction has more bits than the format, or is not a multiple of a power of two at all."""
    bits = number.numerator.bit_length() - ((number.numerator & -number.numerator).bit_length() - 1)
    return number.denominator & (number.denominator - 1) != 0 or bits > fmt.precision


def compound(total):
    """Relative error of products and quotients whose relative errors sum to total."""
    return total / (1 - total)


def followed_by(error, total):
    """A relative error, and after it operations whose relative errors sum to total."""
    return error + (1 + error) * compound(total)


def log_size(number):
    """|ln number| of a positive fraction as float64."""
    digits = context(60)
    return abs(float(digits.subtract(digits.ln(Decimal(number.numerator)), digits.ln(Decimal(number.denominator)))))


def logarithm(number):
    """ln number of a positive fraction as float64."""
    return log_size(number) * (1 if number > 1 else -1)


def narrows(wide, fmt):
    """Whether rounding from the one format to the other can change a value."""
    return wide.precision > fmt.precision or wide.lowest < fmt.lowest


def after_roundings(error, size, path):
    """(error, size) after a rounding to each format of the path that is narrower; size bounds the computed value."""
    for previous, fmt in itertools.pairwise(path):
        if narrows(previous, fmt):
            step = unit_roundoff(fmt) * size + underflow_error(fmt)
            error, size = error + step, size + step
    return error, size


def against_rounded(error, exact, fmt):
    """An error against the exact value made one against its rounding to fmt, which results are compared with."""
    return (error + unit_roundoff(fmt) * exact + math.ldexp(1.0, fmt.lowest)) * INFLATE


def rounded_bound(error, exact, arithmetic, fmt):
    """Bounds of numbers that are computed in one format, off by `error` from `exact`, and rounded to fmt."""
    return against_rounded(after_roundings(error, exact + error, [arithmetic, fmt])[0], exact, fmt)


def relative_bound(exact, relative, arithmetic, fmt):
    """Bounds of numbers with a relative error, computed in one format and rounded to fmt."""
    limit = rounded_bound(exact * relative + underflow_error(arithmetic), exact, arithmetic, fmt)
    return np.where(relative == 0, 0.0, limit)  # what is exact in the arithmetic is rounded once
