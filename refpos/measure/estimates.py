"""Arc tangent, logarithm, exponential and waves of arrays by sums and products alone, the same bits on every machine.

They are estimates, from which a call is chosen; what is claimed of that call is verified by correctly rounded values.
"""

from __future__ import annotations

import numpy as np

PI = 3.141592653589793
LOG_2 = 0.6931471805599453
ROOT_HALF = 0.7071067811865476
# with |t| <= tan(pi/16) the first term left out of the arc tangent is below 2**-55, that of the logarithm likewise
ATAN_TERMS, LOG_TERMS, EXP_TERMS, WAVE_TERMS = 12, 11, 16, 14


def angle(sine, cosine):
    """The angle, in -pi .. pi, whose sine and cosine have the ratio of two arrays; 0 where both are 0."""
    one, other = np.abs(cosine), np.abs(sine)
    largest = np.maximum(one, other)
    t = np.minimum(one, other) / np.where(largest > 0, largest, 1.0)
    for _ in range(2):  # tan(a/2) of tan(a)
        t = t / (1 + np.sqrt(1 + t * t))
    square, total = t * t, np.zeros_like(t)
    for k in range(ATAN_TERMS - 1, -1, -1):
        total = (-1 if k % 2 else 1) / (2 * k + 1) + square * total
    found = 4 * t * total
    found = np.where(other > one, PI / 2 - found, found)
    found = np.where(cosine < 0, PI - found, found)
    return np.where(sine < 0, -found, found)


def wrapped(angles):
    """Angles brought into -pi .. pi by multiples of 2 pi."""
    return angles - 2 * PI * np.rint(angles / (2 * PI))


def logarithm(values):
    """The natural logarithm of positive numbers."""
    mantissa, exponent = np.frexp(np.asarray(values, np.float64))
    s = (mantissa - ROOT_HALF) / (mantissa + ROOT_HALF)
    square, total = s * s, np.zeros_like(s)
    for k in range(LOG_TERMS - 1, -1, -1):
        total = 1 / (2 * k + 1) + square * total
    return 2 * s * total + (exponent - 0.5) * LOG_2


def exponential(values):
    """The exponential of numbers, infinite beyond float64."""
    values = np.asarray(values, np.float64)
    halvings = np.rint(values / LOG_2)
    rest, total = values - halvings * LOG_2, np.ones_like(values)
    for k in range(EXP_TERMS, 0, -1):
        total = 1 + rest / k * total
    with np.errstate(over="ignore"):
        return np.ldexp(total, halvings.astype(np.int64))


def waves(angles):
    """Cosine + i sine of angles: the series of a 16th of each, squared four times."""
    part, total = 1j * wrapped(angles) / 16, np.ones(np.shape(angles), complex)
    for k in range(WAVE_TERMS, 0, -1):
        total = 1 + part / k * total
    for _ in range(4):
        total = total * total
    return total
