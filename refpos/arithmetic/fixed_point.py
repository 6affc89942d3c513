"""Sines and cosines in integers, to any precision: the slow path that always ends.

A number v is carried as the integer v * 2**bits. For a position that is not 0 the angle position * frequency is a
nonzero algebraic number, so its sine and cosine are transcendental (Lindemann) and never lie halfway between two
values of a format: enclosures that shrink always come to round alike at both ends.
"""

from functools import lru_cache

import numpy as np


@lru_cache(maxsize=16)
def pi(bits):
    """pi * 2**bits, off by less than 1 (Machin: pi = 16 arctan(1/5) - 4 arctan(1/239))."""
    guard = bits.bit_length() + 8
    return 16 * _arctan_inverse(5, bits + guard) - 4 * _arctan_inverse(239, bits + guard) >> guard


def _arctan_inverse(n, bits):
    power = (1 << bits) // n
    total, k = power, 1
    while power:
        power //= -n * n
        k += 2
        total += power // k
    return total


def cos_sin(turns, bits):
    """Cosine and sine of turns * 2**-bits full turns, and a bound on the error where the turns are off by up to 4."""
    quarter = bits - 2
    quadrant = turns + (1 << quarter - 1) >> quarter
    x = (turns - (quadrant << quarter)) * pi(bits) >> bits - 1  # |x| <= pi/4, off by at most 8 pi + 2
    square = x * x >> bits
    cos = even = 1 << bits
    sin = odd = x
    k = 1
    while abs(even) > 1 or abs(odd) > 1:  # the next terms of 1 - x^2/2! + ... and x - x^3/3! + ...
        even = -(even * square >> bits) // (k * (k + 1))
        odd = -(odd * square >> bits) // ((k + 1) * (k + 2))
        cos += even
        sin += odd
        k += 2
    # every term is off by less than 2, and there are fewer than bits/8 of them (for bits >= 128)
    error = 64 + bits // 4
    return *((cos, sin), (-sin, cos), (-cos, -sin), (sin, -cos))[quadrant & 3], error


def as_integers(values):
    """An array of finite floats as Python ints of the same shape, and the shift: values are ints * 2**-shift."""
    pairs = [value.as_integer_ratio() for value in values.reshape(-1).tolist()]
    shift = max((denominator.bit_length() - 1 for _, denominator in pairs), default=0)
    numbers = np.empty(len(pairs), object)
    numbers[:] = [numerator << shift - denominator.bit_length() + 1 for numerator, denominator in pairs]
    return numbers.reshape(values.shape), shift
