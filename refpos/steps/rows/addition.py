"""Sums of two arrays, each times a factor, rounded once: a x + b t.

Where both factors are 1 and the format of x holds t, an IEEE addition is that. Where both products are float64, so is
their sum, but for sums halfway between two numbers of the format, which the exact error of the sum decides. Others are
sums of pairs.
"""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...arithmetic import formats, powers, reals, rounding
from ...arithmetic.double_double import two_sum
from ...arithmetic.exact_sums import LARGEST, SMALLEST_VALUE, error_of, exactly, rounded_sum, to_odd, total_of
from ...arithmetic.formats import Format
from ...arithmetic.reals import Real

RANGE = 400  # factors from 2**-RANGE to 2**RANGE are multiplied in pairs


class Term(NamedTuple):
    """One side of the sum: the format of its array, and what multiplies it."""

    fmt: Format
    factor: Real

    @property
    def unit(self):
        """Whether the array is added as it is."""
        return self.factor.rational == 1

    @property
    def exact(self):
        """Whether every product with a number of the format is a float64."""
        if abs(self.factor.rational or 0) == 1 or self.factor.rational == 0:
            return True
        value = self.factor.rational
        return value is not None and self.fmt.width < 64 and self._bits_of(value) <= 53 and in_range(self.factor)

    def times(self, values):
        """The products with float64 values, where they are exact."""
        return values if self.unit else values * float(self.factor)

    def product(self, values):
        """The products with float64 values as `total_of` takes them, off by less than 2**-103 of themselves."""
        if self.exact:
            return self.times(values), None, None
        high, low = double_double(self.factor)
        return *powers.exact_product(values, np.full(1, high)), values * low

    def share(self, value):
        """The exact product with a float as r sqrt(q), (r, q)."""
        if self.factor.rational is not None:
            return Fraction(value) * self.factor.rational, Fraction(1)
        return Fraction(value), self.factor.root_of

    def _bits_of(self, value):
        power_of_two = value.denominator & value.denominator - 1 == 0
        return value.numerator.bit_length() + self.fmt.precision if power_of_two else 64


def in_range(factor):
    """Whether a factor other than 0 lies within 2**-RANGE and 2**RANGE."""
    square = factor.square
    return Fraction(1, 4**RANGE) < square < 4**RANGE


def fill(target, x, t, of_x, of_t):
    """Fill a block of the storage dtype with of_x.factor * x + of_t.factor * t, whose shapes broadcast to its own."""
    fmt = of_x.fmt
    with np.errstate(all="ignore"):
        if of_x.unit and of_t.unit and fmt.width >= 32 and not _exceeds(of_t.fmt, fmt):
            np.add(x, floats(t, of_t.fmt, target.dtype), out=target)
            _one_nan(target, fmt)
        elif of_x.unit and of_t.unit and fmt.name == "bfloat16" and of_t.fmt.width < 64:
            _fill_bfloat16(target, x, t, of_x, of_t)
        else:
            target[...] = _added(rounding.widen(x, fmt), rounding.widen(t, of_t.fmt), of_x, of_t)
            _one_nan(target, fmt)


def _exceeds(one, other):
    return one.precision > other.precision or one.lowest < other.lowest or one.largest > other.largest


def floats(stored, fmt, dtype):
    """The exact values of an array in the storage of a format, in a dtype that holds them."""
    if fmt.name == "bfloat16":
        return (stored.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(dtype, copy=False)
    return stored.view(np.float16).astype(dtype) if fmt.name == "float16" else stored.astype(dtype, copy=False)


def _one_nan(target, fmt):
    """Every NaN becomes the positive quiet one: which one a machine makes is not said by IEEE 754."""
    if fmt.width > 16:
        if np.isnan(np.max(target)):  # which is NaN where any element is
            formats.bits(target)[np.isnan(target)] = fmt.nan
        return
    infinity = (1 << 15) - (1 << fmt.precision - 1)
    magnitude = target & np.uint16(0x7FFF)
    if np.max(magnitude) > infinity:
        target[magnitude > infinity] = fmt.nan


def _fill_bfloat16(target, x, t, of_x, of_t):
    """A float32 sum, rounded again: as rounded once, but where it is off and halfway between two bfloat16."""
    left, right = (floats(array, one.fmt, np.float32) for array, one in ((x, of_x), (t, of_t)))
    total, rest = two_sum(left, right)
    bits = total.view(np.uint32)
    target[...] = bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1)) >> np.uint32(16)
    open_ones = (rest != 0) & ((bits & np.uint32(0xFFFF)) == np.uint32(0x8000))
    if open_ones.any():
        outwards = (rest[open_ones] > 0) == (total[open_ones] > 0)
        target[open_ones] = (bits[open_ones] >> np.uint32(16)) + outwards
    nan = np.isnan(total)
    if nan.any():
        target[nan] = of_x.fmt.nan


def _added(x, t, of_x, of_t):
    """The sums of float64 arrays rounded once to the format of x, as its storage; of NaN any NaN."""
    fmt = of_x.fmt
    if of_x.exact and of_t.exact:
        return sum_of_exact(*(one.times(values) for values, one in ((x, of_x), (t, of_t))), fmt)
    x, t = np.broadcast_arrays(x, t)
    if not all(one.exact or in_range(one.factor) for one in (of_x, of_t)):
        result, sure = np.empty(x.shape, fmt.storage), np.zeros(x.shape, bool)
    else:
        result, sure = _by_pairs(x, t, of_x, of_t)
    special = ~(np.isfinite(x) & np.isfinite(t)) | (x == 0) & (t == 0)
    if special.any():
        left, right = (values[special] * reals.sign(one.factor) for values, one in ((x, of_x), (t, of_t)))
        result[special] = rounding.narrow(left + right, fmt)
    for index in zip(*np.nonzero(~(sure | special))):
        terms = [one.share(float(values[index])) for one, values in ((of_x, x), (of_t, t))]
        formats.bits(result)[index] = exactly(terms, fmt)
    return result


def sum_of_exact(p, q, fmt):
    """p + q rounded once: the float64 sum, rounded again but for sums halfway between two numbers of the format."""
    total = p + q
    if fmt.width == 64:
        return total
    result, drop = rounding.narrow(total, fmt), 53 - fmt.precision
    near = (total.view(np.int64) & (1 << drop) - 1) == 1 << drop - 1
    near |= np.abs(total) < math.ldexp(1.0, fmt.lowest + fmt.precision)  # subnormal numbers have their halves elsewhere
    if near.any():
        parts = (np.broadcast_to(array, total.shape)[near] for array in (p, q))
        result[near] = rounding.narrow(to_odd(*two_sum(*parts)), fmt)
    return result


def _by_pairs(x, t, of_x, of_t):
    """(sums rounded to the format of x, which of them are surely right)."""
    left_out = 0.0
    parts = []
    for values, one in ((x, of_x), (t, of_t)):
        small = (np.abs(values) < SMALLEST_VALUE) & (values != 0)
        if small.any():
            values, left_out = np.where(small, 0.0, values), left_out + SMALLEST_VALUE * abs(float(one.factor))
        parts.append((values, one))
    high, low, lost, size = total_of([one.product(values) for values, one in parts])
    bound = error_of(lost, size, 2) + left_out
    result, sure = rounded_sum(high, low, bound, 0, of_x.fmt)
    return result, sure & (size < LARGEST)


def double_double(factor):
    """A factor within the range, or 0, as two float64 whose sum is off by less than 2**-104 of it."""
    high = float(factor)
    if factor.rational is not None:
        return high, float(factor.rational - Fraction(high))
    bits = 256 + 2 * RANGE
    return high, float(Fraction(factor.fixed(bits), 1 << bits) - Fraction(high))
