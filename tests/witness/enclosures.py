"""Cosines and sines of whole positions in float64, each with a radius, and their roundings to narrower formats.

An angle is reduced in integers: a frequency is a number of 2**-128 turns, its product with a position below 2**31 is
exact modulo one turn, and the angle left, at most an eighth of a turn, is rounded to float64 once it is small. Errors
relative to a cosine or sine, in units of 2**-53: the angle has 4 (two conversions with a sum, 2 pi, the product), its
Taylor series to x**17 or x**18 and the last sum 2, the factor 2. `RADIUS` is twice the sum of 8; `FLOOR` bounds what
the integers leave out, 2**31 * 2**-128 turns, and the low half of an angle that cancels.
"""

from math import factorial

import numpy as np
from flint import arb, ctx

RADIUS, FLOOR = 2.0**-49, 2.0**-94
MASK = np.uint64(2**32 - 1)
#: name -> (significand bits with the hidden one, exponent of the smallest normal number)
NARROW = {"float32": (24, -126), "float16": (11, -14), "bfloat16": (8, -126)}
BITS = 320  # of exact values: 128 of the integer, 31 of the position, and 160 to spare


def limbs(theta):
    """The fraction of a turn of one step, as four numbers of 32 bits, lowest first; theta is a ball of BITS."""
    turns = theta / (2 * arb.pi())
    whole = ((turns - turns.floor()) * arb(2) ** 128).floor().unique_fmpz()
    assert whole is not None, "a frequency has too few bits"
    return np.array([int(whole) >> shift & 0xFFFFFFFF for shift in (0, 32, 64, 96)], np.uint64)


def reduced(positions, steps):
    """(quarter turns, angle left in radians) of positions (n,) times frequencies (m, 4): arrays (n, m)."""
    places, carry, parts = positions.astype(np.uint64)[:, None], np.uint64(0), []
    for limb in steps.T:
        total = places * limb + carry
        parts.append(total & MASK)
        carry = total >> np.uint64(32)
    high, low = parts[3] << np.uint64(32) | parts[2], parts[1] << np.uint64(32) | parts[0]
    quarter = high + np.uint64(2**61) >> np.uint64(62)
    left = (high - (quarter << np.uint64(62))).view(np.int64)
    turns = (left.astype(np.float64) + low.astype(np.float64) * 2.0**-64) * 2.0**-64
    return quarter, turns * (2 * np.pi)


def series(square, first, last):
    """The sum of (-1)**k square**k / (2k + first)! for k = 0 .. last."""
    total = np.full_like(square, (-1) ** last / factorial(2 * last + first))
    for k in range(last - 1, -1, -1):
        total = total * square + (-1) ** k / factorial(2 * k + first)
    return total


def cosines_and_sines(positions, steps, factor=1.0):
    """Both of each position and frequency, times the factor: arrays (n, m)."""
    quarter, x = reduced(positions, steps)
    square = x * x
    sine = x - x * square * series(square, 3, 7)
    cosine = 1 - square * series(square, 2, 8)
    odd, two, three = quarter & np.uint64(1) == 1, quarter == 2, quarter == 3
    both = np.where(odd, sine, cosine), np.where(odd, cosine, sine)
    np.negative(both[0], out=both[0], where=two | (quarter == 1))
    np.negative(both[1], out=both[1], where=two | three)
    return both[0] * factor, both[1] * factor


def nearest(value, name):
    """(value of the format, distance to the nearest midpoint in ulps, how far that may be off, exponent of the ulp)."""
    precision, smallest = NARROW[name]
    exponent = np.maximum(np.frexp(value)[1], smallest + 1) - precision
    scaled = np.ldexp(value, -exponent)
    whole = np.rint(scaled)
    off = np.abs(scaled) * RADIUS + np.ldexp(FLOOR, -exponent)
    return np.ldexp(whole, exponent), 0.5 - np.abs(scaled - whole), off, exponent


def exact(theta, position, factor):
    """Balls (cosine, sine) of one element."""
    sine, cosine = (theta * int(position)).sin_cos()
    return cosine * factor, sine * factor


def exact_nearest(ball, exponent):
    """(value, distance to the nearest midpoint in ulps as a float) of a ball; the value is that of a format."""
    scaled = ball * arb(2) ** -int(exponent)
    whole = (scaled + arb("0.5")).floor().unique_fmpz()
    assert whole is not None, "a ball contains a midpoint"
    return float(np.ldexp(float(int(whole)), int(exponent))), float(arb("0.5") - abs(scaled - arb(whole)))


def balls(rule, bits=BITS):
    """What a rule gives at a precision that `exact` keeps: set for the process."""
    ctx.prec = bits
    return rule()
