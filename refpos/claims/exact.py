"""Sums of products of rounded numbers without rounding: integers times one power of two, with the bound of what
the rounding of the factors may have done to them."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..arithmetic import formats, rounding
from ..errors import InputError


class Whole(NamedTuple):
    """Numbers times 2**exponent, as Python ints, and half a unit in the last place of each."""

    numbers: np.ndarray
    halves: np.ndarray
    exponent: int


def whole(name, arrays, fmt):
    """Arrays of one format as `Whole` with one exponent; each number is a value rounded once to the format."""
    values = [rounding.widen(formats.storage(array, fmt), fmt) for array in arrays]
    if not all(np.isfinite(part).all() for part in values):
        raise InputError("E_NUMBER", name, f"{name} must stay finite in {fmt.name}, got infinity or NaN")
    parts = [np.frexp(part) for part in values]
    ends = [np.maximum(exponent - fmt.precision, fmt.lowest) - 1 for _, exponent in parts]
    # of a value that is 0, what was rounded to it is at most half the smallest number
    ends = [np.where(mantissa == 0, fmt.lowest - 1, end) for (mantissa, _), end in zip(parts, ends)]
    least = min(int(end.min(initial=0)) for end in ends)
    least = min([least, *(int((exponent - 53).min(initial=0)) for _, exponent in parts)])
    found = []
    for (mantissa, exponent), end in zip(parts, ends):
        integers = (mantissa * 2.0**53).astype(np.int64).astype(object)
        shifts = (exponent.astype(np.int64) - 53 - least).astype(object)
        found.append(Whole(integers << shifts, 1 << (end.astype(np.int64) - least).astype(object), least))
    return found


def products(a, b):
    """(Products of matrices, what the rounding of both factors may add to each), integers times 2**(2 exponent).

    a (..., n, k), b (..., k, m): with a true value a' = a + e, |e| <= h, and b' likewise, |a' b' - a b| is at most
    |a| g + |b| h + g h.
    """
    sums = a.numbers @ b.numbers
    errors = abs(a.numbers) @ b.halves + a.halves @ (abs(b.numbers) + b.halves)
    return sums, errors


def as_floats(numbers, exponent):
    """Integers times 2**exponent as float64, rounded once."""
    scale = Fraction(2) ** exponent
    return np.array([_float(n * scale) for n in numbers.reshape(-1)], np.float64).reshape(numbers.shape)


def _float(value):
    try:
        return float(value)
    except OverflowError:
        raise InputError("E_NUMBER", "q", "q and k must have scores within float64, got larger ones") from None


def patterns(numbers, exponent, fmt):
    """The bit patterns of integers times 2**exponent, each rounded once to the format."""
    rounded = [rounding.nearest(n, -exponent, fmt) for n in numbers.reshape(-1)]
    return np.array(rounded, np.uint64).reshape(numbers.shape)
