"""Seeds in NumPy: cosines and sines of positions by integers, as pairs of doubles or in plain double, and sums of
their angles.

A pair (high, low) of doubles stands for high + low; high is a multiple of 2**-26 and |low| <= 2**-27, so a product of
two highs is exact in double without a fused multiply-add.
"""

import math

import numpy as np

from .numpy_waves import waves

PART = 1 << 15  # doubles done at a time, one of each plane: temporaries stay in the cache

LOW32 = np.uint64(0xFFFFFFFF)
SHIFT32 = np.uint64(32)
KNOT_SHIFT = np.uint64(53)  # of 2048 knots in 64 bits of a turn: the bits below the number of a knot
HALF_KNOT = np.uint64(1 << 52)
BELOW_KNOT = np.uint64(11)
SIGN = np.uint64(1 << 63)

# 2 pi to 26 bits, and the rest
TWO_PI_HIGH = 52707179 * 2.0**-23
TWO_PI_LOW = -5.5636270456668466e-08
TWO_PI = 6.283185307179586


def _to_grid(values, bits):
    """Round to a multiple of 2**-bits: adding 1.5 * 2**(52 - bits) leaves no bit below."""
    anchor = 1.5 * math.ldexp(1.0, 52 - bits)
    return (values + anchor) - anchor


def turns(multipliers, phases):
    """Fractional turns of multipliers (n,) times phases (5, half): uint64 (n, half), 64 bits and the next 32."""
    multiplier = multipliers[:, None]
    low, high = multiplier.astype(np.uint64) & LOW32, multiplier >> np.int64(32)  # multiplier = 2**32 high + low
    # columns of 32 bits, from the lowest: each takes what is carried from below, and no sum reaches 2**64
    column = (low * phases[0] >> SHIFT32) + low * phases[1]
    if high.any():
        column, below = low * phases[2], column
        signed = phases.view(np.int64)
        # below 2**54 in size, and so a shift rounds down
        carry = (below & LOW32).view(np.int64) + high * signed[0] >> np.int64(32)
        carry += (below >> SHIFT32).view(np.int64) + (column & LOW32).view(np.int64) + high * signed[1]
        rest = carry.view(np.uint64) & LOW32
        upper = (column >> SHIFT32).view(np.int64) + (carry >> np.int64(32)) + high * signed[2]
        return upper.view(np.uint64) + multiplier.astype(np.uint64) * _upper_bits(phases), rest
    column = (column >> SHIFT32) + low * phases[2]
    return (column >> SHIFT32) + low * _upper_bits(phases), column & LOW32


def _upper_bits(phases):
    """The upper 64 bits: products with them are taken modulo 2**64, which are whole turns."""
    return phases[4] << SHIFT32 | phases[3]


def parts(rows, entries, planes):
    """Slices of rows of so many entries each, in so many planes."""
    step = max(1, PART // max(1, entries * planes))
    return [slice(start, min(start + step, rows)) for start in range(0, rows, step)]


def seeds(multipliers, phases, knots, out):
    """Cosine and sine at multipliers (n,) times phases (5, half), as pairs or in plain double.

    out (4, n, half) gets cos high, cos low, sin high, sin low; out (2, n, half) gets cos, sin. knots (5, 2048) begins
    with the pairs at j/2048 turns. Absolute error below 2**-77.8 for pairs and 2**-51.5 in plain double
    (docs/numbers.md).
    """
    if len(out) == 2:
        made = waves(multipliers, phases, knots)
        out[0], out[1] = made.real, made.imag
        return
    for part in parts(len(multipliers), phases.shape[1], len(out)):
        _pairs(*_knot_and_distance(multipliers[part], phases), knots, out[:, part])


def _knot_and_distance(multipliers, phases):
    """Of each phase the nearest knot, the distance to it, |turns| <= 2**-12, in units of 2**-75, and the 32 bits below
    the last of 2**-64 turns."""
    top, rest = turns(multipliers, phases)
    top += HALF_KNOT  # so that the upper 11 bits are the knot, and those below the distance, more by 2**52
    return (top >> KNOT_SHIFT).view(np.int64), (top << BELOW_KNOT ^ SIGN).view(np.int64), rest.view(np.int64)


def _pairs(knot, distance, rest, knots, out):
    """The seeds as pairs."""
    # 26 bits and the rest of the distance
    turns = distance * 2.0**-75  # exact: 53 bits
    high = _to_grid(turns, 37)
    low = (turns - high) + rest * 2.0**-96
    # x = 2 pi * distance = x1 + x0, x1 a multiple of 2**-35
    product = high * TWO_PI_HIGH  # exact, 52 bits
    x1 = _to_grid(product, 35)
    x0 = (product - x1) + (high * TWO_PI_LOW + low * TWO_PI)
    # sin x = x1 + s0; cos x = 1 - k1 - k0 + c0 with k1 + k0 = x1^2/2 exactly, k1 a multiple of 2**-45
    x = x1 + x0
    square = x * x
    s0 = x0 + x * square * (-1 / 6 + square * (1 / 120 - square * (1 / 5040)))
    half_square = x1 * x1 * 0.5
    k1 = _to_grid(half_square, 45)
    k0 = half_square - k1
    c0 = square * square * (1 / 24 - square * (1 / 720)) - x0 * (x1 + 0.5 * x0)
    cos1, cos0, sin1, sin0 = (plane.take(knot) for plane in knots[:4])
    out[:2] = _rotate_knot(cos1, cos0, -sin1, -sin0, x1, s0, k1, k0, half_square, c0)
    out[2:] = _rotate_knot(sin1, sin0, cos1, cos0, x1, s0, k1, k0, half_square, c0)


def _rotate_knot(a1, a0, b1, b0, x1, s0, k1, k0, k, c0):
    """(a1 + a0) cos x + (b1 + b0) sin x as a pair."""
    first = b1 * x1  # exact: 26 by 26 bits
    second = a1 * k1  # exact: 26 by 26 bits
    first_high, second_high = _to_grid(first, 26), _to_grid(second, 26)
    tail = ((b1 + b0) * s0 + b0 * x1) - ((a1 * k0 + a0 * k) - (a1 + a0) * c0)
    fine = ((first - first_high) - (second - second_high)) + (a0 + tail)
    carry = _to_grid(fine, 26)
    return ((a1 + first_high) - second_high) + carry, fine - carry


def made_seeds(multipliers, phases, knots, planes):
    """`seeds` in memory of their own."""
    out = np.empty((planes, len(multipliers), phases.shape[1]))
    seeds(multipliers, phases, knots, out)
    return out


def anchor_waves(multipliers, phases, knots, planes):
    """sin + i cos at multipliers (n,) times phases (5, half): complex (1, n, half), or pairs (2, n, half)."""
    if planes == 2:
        return waves(-multipliers, phases, knots, 1)[None]
    return as_waves(made_seeds(multipliers, phases, knots, planes))


def as_waves(seeds):
    """sin + i cos of seeds in planes: complex (parts, n, half), of pairs two parts."""
    out = np.empty((len(seeds) // 2, *seeds.shape[1:]), np.complex128)
    out.imag, out.real = np.split(seeds, 2)
    return out


def added(waves, rotated):
    """sin + i cos times cos - i sin, which adds an angle: the leading part and, of pairs, the rest.

    Of pairs the leading part is exact and the rest off by 2**-75.6, with the errors of both; doubles are off by less
    than 2**-49.6.
    """
    leading = waves[0] * rotated[0]
    if len(waves) == 1:
        return [leading]
    rest = (waves[0] + waves[1]) * rotated[1]
    rest += waves[1] * rotated[0]
    return [leading, rest]
