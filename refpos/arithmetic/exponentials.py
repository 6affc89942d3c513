"""Exponentials and logarithms of doubles as pairs of doubles, to about 100 bits: what the elementary functions share.

exp x   = 2**(k / 64) exp r,           |r| <= ln 2 / 128, by a Taylor polynomial
log m   = y + log(m exp(-y)),          y the logarithm in plain double: one Newton step with the exponential
log(1 + u) near u = 0                  by its series, so that small results keep their bits
"""

from fractions import Fraction
from functools import lru_cache
from math import factorial
from typing import NamedTuple

import numpy as np

from . import powers, reals
from .double_double import add, multiply, two_sum

STEPS = 64  # exponentials of so many parts of ln 2 stand in a table
CELLS = 128  # logarithms of c / CELLS stand in another
LARGEST_PAIR = 1 << 1000
LARGEST = 1024.0  # arguments in size: 17 bits count the parts of ln 2 in them
NEAR = 2.0**-20  # below it log(1 + u) is taken from its series
EXP_ERROR = 2.0**-100  # of an exponential, as a part of it
LOG_ERROR = 2.0**-99  # of the logarithm of a number in 0.7 .. 1.5, absolute


class Constants(NamedTuple):
    """Tables and numbers, cut to doubles."""

    parts: tuple  # ln 2 / 64 in 32 bits, the next 32 bits, the rest
    powers: powers.ScaledPairs  # 2**(j / 64)
    inverse_factorials: list  # pairs
    log_2: tuple  # a pair
    logs: np.ndarray  # of c / CELLS, c from 0 on; that of 0 is not used


@lru_cache(maxsize=1)
def constants():
    """The `Constants`, made once."""
    log_2 = _log_2(160)
    cell, parts = log_2 / STEPS, []
    for bits in (38, 70):  # ln 2 / 64 begins at 2**-7
        parts.append(Fraction(int(cell * 2**bits), 2**bits))
        cell -= parts[-1]
    table = [powers.floating(Fraction(2), Fraction(j, STEPS)) for j in range(STEPS)]
    logs = [0.0] + [reals.float_log(Fraction(c, CELLS)) for c in range(1, 2 * CELLS)]
    return Constants(
        (*map(float, parts), float(cell)),
        powers.as_pairs(table, (STEPS,)),
        [as_pair(Fraction(1, factorial(n))) for n in range(12)],
        as_pair(log_2),
        np.array(logs),
    )


def _log_2(bits):
    """ln 2 as a fraction, off by less than 2**(1 - bits)."""
    return Fraction(reals.evaluated(lambda digits: digits.log(2)).fixed(bits), 1 << bits)


def pair_of(rule):
    """The irrational number of a rule of intervals as a pair, off by less than 2**-158, and 2**-106 of itself."""
    return as_pair(Fraction(reals.evaluated(rule).fixed(160), 1 << 160))


def integers(numbers):
    """int64 numbers as pairs, exactly."""
    high = numbers.astype(np.float64)
    return high, (numbers - high.astype(np.int64)).astype(np.float64)


def as_pair(value):
    """A fraction as a pair of doubles, off by less than 2**-106 of itself; beyond 2**1000 in size, infinity."""
    if abs(value) >= LARGEST_PAIR:
        return (np.inf if value > 0 else -np.inf), 0.0
    high = float(value)
    return high, float(value - Fraction(high))


def exponential(x):
    """exp x as (high, low, exponent), high within 0.9 .. 2.1, off by less than EXP_ERROR of itself, |x| <= LARGEST."""
    c = constants()
    k = np.rint(x * (STEPS / c.log_2[0]))
    # k times the parts of 32 bits is exact, and so are both differences with what two_sum keeps of them
    rest, first = two_sum(x, -k * c.parts[0])
    rest, second = two_sum(rest, -k * c.parts[1])
    r, r_low = two_sum(rest, (first + second) - k * c.parts[2])  # off by less than 2**-104
    number = k.astype(np.int64)
    step = number & STEPS - 1
    high, low = multiply(*_taylor(r, r_low, c.inverse_factorials), c.powers.high[step], c.powers.low[step])
    return high, low, (number >> 6) + c.powers.exponent[step]


def exponential_of_pair(high, low):
    """exp(high + low) as (high, low, exponent), off by less than 2**-96 of itself; |low| is at most 2**-40."""
    one, rest = two_sum(1.0, low)
    value, value_low, exponent = exponential(high)
    return (*multiply(value, value_low, one, rest + low * low / 2), exponent)


def _taylor(r, r_low, inverse_factorials):
    """exp of the pair r in size at most 0.0055, off by less than 2**-102; the 12th term is below 2**-108."""
    tail = np.full(r.shape, inverse_factorials[11][0])
    for n in range(10, 5, -1):  # in plain double: r**6 / 6! is below 2**-54
        tail = tail * r + inverse_factorials[n][0]
    high, low = inverse_factorials[5]
    high, rest = two_sum(high, tail * r)
    low = low + rest
    for n in range(4, -1, -1):
        high, low = multiply(r, r_low, high, low)
        high, low = add(*inverse_factorials[n], high, low)
    return high, low


def logarithm(high, low):
    """log of a pair within 0.7 .. 1.5 as a pair, off by less than LOG_ERROR."""
    cell = np.rint(high * CELLS)
    z = (high - cell / CELLS) / (cell / CELLS)  # in size below 2**-7.4
    series = z * (1 - z * (1 / 2 - z * (1 / 3 - z * (1 / 4 - z * (1 / 5 - z * (1 / 6))))))
    y = constants().logs[cell.astype(np.int64)] + series  # off by less than 2**-49
    inverse, inverse_low, exponent = exponential(-y)
    scale = np.ldexp(1.0, exponent.astype(np.int32))
    product, rest = multiply(high, low, inverse * scale, inverse_low * scale)
    d = (product - 1) + rest
    return two_sum(y, d - d * d / 2)  # d**3 / 3 is below 2**-148


def logarithm_of_pair(high, low, u, u_low):
    """log of a pair greater than 0, which is 1 + (u + u_low) where u is below NEAR, and the radius of each: three
    arrays."""
    m, exponent = normalised(high)
    low = np.ldexp(low, -exponent.astype(np.int32))
    total, rest = log_of_power(exponent, *logarithm(m, low))
    near = np.abs(u) < NEAR
    series, series_rest = log_1_plus(np.where(near, u, NEAR), np.where(near, u_low, 0.0))
    total, rest = np.where(near, series, total), np.where(near, series_rest, rest)
    size = np.abs(total)
    return total, rest, np.where(near, size * near_error(u), LOG_ERROR + size * 2.0**-101)


def log_1_plus(u, u_low):
    """log(1 + u) of a pair u in size below NEAR as a pair, off by less than near_error(u) of itself."""
    return multiply(u, u_low, *log_1_plus_over(u, u_low))


def log_1_plus_over(u, u_low):
    """log(1 + u) / u = 1 - u (1/2 - u (1/3 - u (1/4 ..))) as that; 1 at u = 0."""
    high, low = two_sum(0.5, -u * (1 / 3 - u / 4))
    high, low = multiply(u, u_low, high, low)
    return add(1.0, 0.0, -high, -low)


def near_error(u):
    """What these are off by, as a part of them: the term that is left out, one step in plain double, and pairs."""
    square = u * u
    return square * square + square * 2.0**-52 + 2.0**-98


def normalised(values):
    """(m, e): positive doubles as m * 2**e, m within 0.7 .. 1.5."""
    m, e = np.frexp(values)
    low = m < 0.7071
    return np.where(low, 2 * m, m), (e - low).astype(np.int64)


def log_of_power(exponent, high, low):
    """exponent ln 2 + a pair, as a pair: off by less than 2**-102 of the terms."""
    return add(*multiply(exponent.astype(np.float64), 0.0, *constants().log_2), high, low)
