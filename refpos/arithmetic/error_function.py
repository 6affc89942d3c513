"""The error function as pairs of doubles, by its Taylor series about the nearest multiple of 1/16.

    erf(c + h) = erf c + 2 / sqrt(pi) exp(-c**2) sum over n >= 1 of (-1)**(n - 1) H[n - 1](c) h**n / n!

H are the Hermite polynomials of the physicists, integers over powers of 16 here.
"""

from fractions import Fraction
from functools import lru_cache
from math import factorial

import numpy as np

from . import reals
from .double_double import add, multiply, two_sum
from .exponentials import as_pair

CELLS = 16
LARGEST = 6.0  # from here on erf rounds to 1
DEGREE = 17  # |h| <= 2**-5: the next term is below 2**-109
PAIRS = 9  # terms up to this are pairs; h**10 / 10! in plain double is off by less than 2**-109
ERROR = 2.0**-96  # of the pairs, as a part of them
BITS = 160


@lru_cache(maxsize=1)
def coefficients():
    """Highs (DEGREE + 1, centres) and lows (PAIRS + 1, centres) of the Taylor coefficients."""
    highs, lows = np.empty((DEGREE + 1, 97)), np.empty((PAIRS + 1, 97))
    for j in range(97):
        for n, value in enumerate(_taylor(Fraction(j, CELLS))):
            high, low = as_pair(value)
            highs[n, j] = high
            if n <= PAIRS:
                lows[n, j] = low
    return highs, lows


def _taylor(c):
    slope = _fraction(lambda digits: _slope(digits, c))
    yield _fraction(lambda digits: interval(digits, c)) if c else Fraction(0)
    before, now = Fraction(0), Fraction(1)
    for n in range(1, DEGREE + 1):
        yield slope * now * (-1) ** (n - 1) / factorial(n)
        before, now = now, 2 * c * now - 2 * (n - 1) * before


def _fraction(rule):
    return Fraction(reals.evaluated(rule).fixed(BITS), 1 << BITS)


def _slope(digits, x):
    """The interval of 2 / sqrt(pi) exp(-x**2)."""
    return digits.of(2) / digits.sqrt(digits.pi()) * digits.exp(digits.of(-x * x))


def interval(digits, x):
    """The interval of erf at a fraction x > 0: the slope times the sum of x (2 x**2)**n / (1 3 5 .. 2n + 1)."""
    bits = digits.count * 4
    square = 2 * x * x
    term = int(x * (1 << bits))
    total, n = 0, 0
    while term:
        total, n = total + term, n + 1
        term = term * square.numerator // (square.denominator * (2 * n + 1))
    # a unit that is cut from one term takes less than exp(x**2) from all that follow, those left out included
    lost = (n + 2) << int(3 * square / 4) + 1
    return _slope(digits, x) * (digits.of(Fraction(total, 1 << bits)) + _within(digits, Fraction(lost, 1 << bits)))


def _within(digits, most):
    """The interval from 0 to a fraction."""
    return reals.Interval(digits, digits.of(0).low, digits.of(most).high)


def error_function(x):
    """erf of doubles from 2**-300 to LARGEST as pairs, off by less than ERROR of themselves."""
    highs, lows = coefficients()
    cell = np.rint(x * CELLS)
    h, centre = x - cell / CELLS, cell.astype(np.int64)  # exact: neighbours
    tail = highs[DEGREE, centre]
    for n in range(DEGREE - 1, PAIRS, -1):
        tail = tail * h + highs[n, centre]
    high, rest = two_sum(highs[PAIRS, centre], tail * h)
    low = lows[PAIRS, centre] + rest
    for n in range(PAIRS - 1, -1, -1):
        high, low = multiply(h, 0.0, high, low)
        high, low = add(highs[n, centre], lows[n, centre], high, low)
    return high, low
