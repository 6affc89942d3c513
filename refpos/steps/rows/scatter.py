"""Scatter: each row of a table as the exact sum of the vectors that are added to it, rounded once.

A gather copies rows of a table to places; its gradient adds what stands at the places to the rows. Each double is cut
into parts that are multiples of one power of two for all of them, so large that sums of these parts are exact in
float64 (Demmel and Nguyen 2015, Parallel reproducible summation). What is left is cut again, until nothing is left.
"""

from fractions import Fraction

import numpy as np

from ...arithmetic import formats, rounding
from . import weighted_sums

BLOCK = 1 << 20  # numbers that are added at a time
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
    size = max(1, max(BLOCK, count * channels) // channels)
    blocks = [(start, min(start + size, len(rows))) for start in range(0, len(rows), size)]
    sums, specials = _Sums(rows, count, channels), np.zeros(count * channels)
    largest = max((_exponent(values(*block)) for block in blocks), default=LOWEST)
    for start, stop in blocks:
        index = (rows[start:stop, None] * channels + np.arange(channels, dtype=np.int64)).reshape(-1)
        numbers = values(start, stop).reshape(-1)
        finite = np.isfinite(numbers)
        if not finite.all():
            with np.errstate(invalid="ignore"):
                np.add.at(specials, index[~finite], numbers[~finite])
            numbers = np.where(finite, numbers, 0.0)
        sums.add(index, numbers, largest)
    return sums, specials


def _exponent(values):
    """The least e so that all finite values lie below 2**e in size."""
    sizes = np.abs(values)
    return int(np.frexp(np.max(sizes, where=np.isfinite(sizes), initial=0.0))[1])


class _Sums:
    """Exact sums of doubles for each cell: {(scaled, part): float64 (cells,)}, of which the total is the sum."""

    def __init__(self, rows, count, channels):
        self.cells = count * channels
        most = int(np.bincount(rows, minlength=1).max()) if len(rows) else 1
        self.room = most.bit_length()  # bits that a sum of so many numbers has more than each of them
        self.parts = {}

    def add(self, index, numbers, largest):
        """Add numbers below 2**largest in size to the cells of the index."""
        if largest > LARGE:
            high = np.abs(numbers) >= LARGEST
            self._add(index[high], np.ldexp(numbers[high], -SCALE), largest - SCALE, True)
            index, numbers, largest = index[~high], numbers[~high], LARGE - SCALE
        self._add(index, numbers, largest, False)

    def _add(self, index, numbers, exponent, scaled):
        while len(numbers):
            unit = max(exponent + self.room + 1 - DIGITS, LOWEST)
            rounder = np.ldexp(1.5, unit + DIGITS - 1)
            part = numbers + rounder
            part -= rounder  # the multiple of 2**unit next to each number
            found = np.bincount(index, part, self.cells)
            held = self.parts.get((scaled, unit))
            self.parts[scaled, unit] = found if held is None else held + found
            rest = numbers - part
            left, numbers, exponent = rest != 0, rest, unit - 1
            if 2 * np.count_nonzero(left) < len(left):
                index, numbers = index[left], numbers[left]


def _round(out, sums, fmt, factor):
    """Write factor times the sums, rounded once."""
    if not sums.parts or not factor:
        out[...] = 0  # of all formats the pattern of +0
        return
    weights = {k: factor * (1 << SCALE * scaled) for k, (scaled, _) in enumerate(sums.parts)}
    axis = weighted_sums.axis([weights])
    made = np.empty((1, out.size), fmt.storage)
    weighted_sums.fill(made, np.stack([*sums.parts.values()]), [axis], fmt)
    out[...] = made.reshape(out.shape)


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
