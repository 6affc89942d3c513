"""Distances between tensors: bit patterns in one format, steps between them, and absolute differences."""

import math

import numpy as np

from ..arithmetic import formats, rounding
from ..errors import InputTypeError

APART = np.uint64(2**64 - 1)  # a NaN against a number; two numbers are never that far apart
MIDDLE = np.uint64(1 << 63)


def patterns_in(values, stored, fmt):
    """Bit patterns in fmt: of the rounding to nearest even, and, of values exactly halfway, of the other neighbour."""
    if stored == fmt:
        patterns = formats.bits(values)
        return patterns, patterns
    wide = rounding.widen(values if stored.width != 16 else formats.bits(values), stored)
    with np.errstate(over="ignore", invalid="ignore"):
        nearest = formats.bits(rounding.narrow(wide, fmt))
        rounded = _as_float64(nearest, fmt)
        one = nearest.dtype.type(1)
        other = np.where(np.abs(wide) > np.abs(rounded), nearest + one, nearest - one)
        halfway = (wide != rounded) & (np.abs(wide - rounded) == np.abs(wide - _as_float64(other, fmt)))
    return nearest, np.where(halfway & np.isfinite(wide), other, nearest)


def _as_float64(patterns, fmt):
    """The values as float64, with infinity where the next step after the largest number would lie."""
    values = rounding.widen(patterns.view(fmt.storage), fmt)
    return np.where(np.isinf(values), np.copysign(math.ldexp(1.0, fmt.largest + 1), values), values)


def all_bits(fmt):
    """A pattern of the format with every bit set."""
    return (1 << fmt.width) - 1


def steps_between(a, e, fmt):
    """Steps between values of the format, as uint64; APART where one of the two is NaN."""
    (key_a, nan_a), (key_e, nan_e) = _ordered(a, fmt), _ordered(e, fmt)
    distance = np.maximum(key_a, key_e) - np.minimum(key_a, key_e)
    return np.where(nan_a & nan_e, np.uint64(0), np.where(nan_a | nan_e, APART, distance))


def _ordered(patterns, fmt):
    """Integers in the order of the values, both zeros on one; and which are NaN."""
    wide = patterns.astype(np.uint64)
    magnitude = wide & np.uint64(all_bits(fmt) >> 1)
    infinity = (1 << fmt.width - 1) - (1 << fmt.precision - 1)
    negative = wide >> np.uint64(fmt.width - 1) != 0
    return np.where(negative, MIDDLE - magnitude, MIDDLE + magnitude), magnitude > np.uint64(infinity)


def is_infinite(patterns, fmt):
    """Which bit patterns are infinities; of integers none."""
    if not isinstance(fmt, formats.Format):
        return np.zeros(patterns.shape, bool)
    infinity = (1 << fmt.width - 1) - (1 << fmt.precision - 1)
    return patterns.astype(np.uint64) & np.uint64(all_bits(fmt) >> 1) == np.uint64(infinity)


def ordered_integers(values):
    """Integers as uint64 in the order of the values."""
    if values.dtype == np.uint64:
        if values.size and values.max() >= MIDDLE:
            raise InputTypeError("E_DTYPE", "actual", f"integers must fit in int64, got {values.max()}")
        return values + MIDDLE
    return values.astype(np.int64).view(np.uint64) + MIDDLE


def absolute_error(a, e, distance, fmt):
    """Differences of the values in float64; infinite where one of the two is NaN."""
    if not isinstance(fmt, formats.Format):
        return distance.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(rounding.widen(a.view(fmt.storage), fmt) - rounding.widen(e.view(fmt.storage), fmt))
    return np.where(distance == 0, 0.0, np.where(distance == APART, np.inf, error))


def shortest_decimal(pattern, fmt):
    """The decimal of fewest digits that reads back as the pattern."""
    stored = np.array([pattern], f"u{fmt.width // 8}").view(fmt.storage)
    with np.errstate(invalid="ignore"):  # of a signalling NaN
        value = float(rounding.widen(stored, fmt)[0])
    if not math.isfinite(value):
        return repr(value)
    for digits in range(1, 18):
        text = f"{value:.{digits}g}"
        with np.errstate(over="ignore"):
            again = formats.bits(rounding.narrow(np.array([float(text)]), fmt))[0]
        if again == pattern:
            break
    return repr(float(text))


def shown_integer(value):
    """An integer as decimal and as hexadecimal bits."""
    width = value.dtype.itemsize
    return str(value), f"{int(value) & (1 << 8 * width) - 1:0{2 * width}x}"
