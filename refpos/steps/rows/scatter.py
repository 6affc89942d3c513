"""Scatter: each row of a table as the exact sum of the vectors that are added to it, rounded once.

A gather copies rows of a table to places; its gradient adds what stands at the places to the rows. Each double is cut
into parts that are multiples of one power of two for all of them, so large that sums of these parts are exact in
float64 (Demmel and Nguyen 2015, Parallel reproducible summation). What is left is cut again, until nothing is left.
"""

from fractions import Fraction

import numpy as np

from ... import kernels
from ...arithmetic import formats, rounding
from . import weighted_sums

BLOCK = 1 << 16  # numbers that are added at a time
DIGITS = 53  # of float64
LARGE = 900  # exponent from which values are scaled, so that no sum and no part leaves the range of float64
SCALE = 200
LARGEST = 2.0**700  # that is not scaled where others are, 2**(LARGE - SCALE)
LOWEST = -1074  # every double is a multiple of 2**LOWEST


def fill(out, rows, values, fmt, factor=Fraction(1)):
    """Fill out (count, channels), in the storage of the format: factor times the sum of the vectors of each row.

    rows: (n,), the row of each vector, all of 0 .. count - 1. values(start, stop): the vectors, float64 (.., channels).
    """
    if not out.size:
        return
    sums, specials = _collected(rows, *out.shape, values)
    _round(out, sums, fmt, factor)
    _write_specials(out, specials, fmt, factor)


def totals(rows, count, channels, values):
    """The sums of each row as fractions, an array of objects (count, channels), and what is infinite or NaN in them, 0
    elsewhere, a float64 array of that shape."""
    found = np.full((count, channels), Fraction(0), object)
    if not found.size:
        return found, np.zeros(found.shape)
    sums, specials = _collected(rows, count, channels, values)
    for (scaled, _), part in sums.parts.items():
        for at in np.flatnonzero(part).tolist():
            found.flat[at] += Fraction(float(part[at])) * (1 << SCALE * scaled)
    return found, specials.reshape(found.shape)


def _collected(rows, count, channels, values):
    """The `_Sums` of the finite values, and the float64 sums (count * channels,) of the others."""
    size = max(1, BLOCK // channels)
    blocks = [(start, min(start + size, len(rows))) for start in range(0, len(rows), size)]
    sizes = [_size(values(*block)) for block in blocks]
    largest = int(np.frexp(max((size for size, _ in sizes), default=0.0))[1])
    sums, specials = _Sums(rows, count, channels, largest), np.zeros(count * channels)
    for (start, stop), (_, finite) in zip(blocks, sizes):
        numbers, of_block = np.ascontiguousarray(values(start, stop)), np.ascontiguousarray(rows[start:stop], np.int64)
        if not finite:
            index, known = _cells(of_block, channels), np.isfinite(numbers)
            with np.errstate(invalid="ignore"):
                np.add.at(specials, index[~known.reshape(-1)], numbers[~known])
            numbers = np.where(known, numbers, 0.0)
        sums.add(of_block, numbers)
    return sums, specials


def _size(values):
    """The largest size of the finite values, and whether all of them are finite."""
    largest = max(float(np.max(values, initial=0.0)), -float(np.min(values, initial=0.0)))
    if np.isfinite(largest):  # a NaN is the largest and the least
        return largest, True
    sizes = np.abs(values)
    return float(np.max(sizes, where=np.isfinite(sizes), initial=0.0)), False


def _cells(rows, channels):
    """The cell of each number of vectors of these rows, flat."""
    return (rows[:, None] * channels + np.arange(channels, dtype=np.int64)).reshape(-1)


class _Sums:
    """Exact sums of doubles below 2**largest for each cell: {(scaled, unit): float64 (cells,)}, of which the total is
    the sum. Of numbers that are not scaled the first two parts lie side by side, where the kernels add them."""

    def __init__(self, rows, count, channels, largest):
        self.cells, self.channels, self.largest = count * channels, channels, largest
        most = int(np.bincount(rows, minlength=1).max()) if len(rows) else 1
        self.room = most.bit_length()  # bits that a sum of so many numbers has more than each of them
        self.parts, self.pairs = {}, None
        unit = self._unit(largest)
        if unit > LOWEST and largest <= LARGE:
            units = unit, self._unit(unit - 1)
            self.pairs, self.rounders = np.zeros((self.cells, 2)), np.array([*map(_rounder, units)])
            self.parts = {(False, one): part for one, part in zip(units, self.pairs.T)}
            self.below = units[1] - 1  # the exponent of what these leave

    def _unit(self, exponent):
        """The exponent of what parts of numbers below 2**exponent are multiples of."""
        return max(exponent + self.room + 1 - DIGITS, LOWEST)

    def add(self, rows, numbers):
        """Add vectors (n, channels) of finite numbers to the cells of their rows."""
        if self.pairs is not None:
            rest, cells = np.empty(numbers.size), np.empty(numbers.size, np.int64)
            left = kernels.active.split_sums(rows, numbers, self.rounders, self.pairs, rest, cells)
            self._add(cells[:left], rest[:left], self.below, False)
            return
        index, numbers, largest = _cells(rows, self.channels), numbers.reshape(-1), self.largest
        if largest > LARGE:
            high = np.abs(numbers) >= LARGEST
            self._add(index[high], np.ldexp(numbers[high], -SCALE), largest - SCALE, True)
            index, numbers, largest = index[~high], numbers[~high], LARGE - SCALE
        self._add(index, numbers, largest, False)

    def _add(self, index, numbers, exponent, scaled):
        while len(numbers):
            unit = self._unit(exponent)
            rounder = _rounder(unit)
            part = numbers + rounder
            part -= rounder  # the multiple of 2**unit next to each number
            if (scaled, unit) not in self.parts:
                self.parts[scaled, unit] = np.zeros(self.cells)
            np.add.at(self.parts[scaled, unit], index, part)
            numbers, exponent = numbers - part, unit - 1
            left = numbers != 0
            if 2 * np.count_nonzero(left) < len(left):
                index, numbers = index[left], numbers[left]


def _rounder(unit):
    """What rounds a number to a multiple of 2**unit when it is added and taken away."""
    return np.ldexp(1.5, unit + DIGITS - 1)


def _round(out, sums, fmt, factor):
    """Write factor times the sums, rounded once."""
    if not sums.parts or not factor:
        out[...] = 0  # of all formats the pattern of +0
        return
    at = ...
    if sums.pairs is not None and fmt.width == 64 and factor == 1:
        # the sum of two doubles is rounded once; where there are more, they decide
        np.add(*(part.reshape(out.shape) for part in sums.pairs.T), out=out)
        others = [*sums.parts.values()][2:]
        at = np.unravel_index(np.flatnonzero(np.any(others, 0)) if others else np.empty(0, np.intp), out.shape)
    parts = np.stack([part.reshape(out.shape)[at].reshape(-1) for part in sums.parts.values()])
    if parts.size:
        weights = {k: factor * (1 << SCALE * scaled) for k, (scaled, _) in enumerate(sums.parts)}
        rounded = np.empty((1, parts.shape[1]), fmt.storage)
        weighted_sums.fill(rounded, parts, [weighted_sums.axis([weights])], fmt)
        out[at] = rounded.reshape(out[at].shape)


def _write_specials(out, specials, fmt, factor):
    """Overwrite the cells that met an infinity or a NaN."""
    met = np.flatnonzero(specials)  # a NaN is not 0
    if len(met):
        with np.errstate(invalid="ignore"):
            total = specials[met] * float(factor)
        patterns = formats.bits(rounding.narrow(total, fmt))
        patterns[np.isnan(total)] = fmt.nan
        at = np.unravel_index(met, out.shape)
        formats.bits(out)[at] = patterns
