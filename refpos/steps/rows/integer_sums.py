"""Sums of scattered numbers without loss, as integers in units that are the same for many numbers.

A level is two units. Each number below the limit of a level is the sum of two integers, times these units, and of what
is left of it, which is for a level below; integers of 64 bits hold the sums of the integers (docs/numbers.md,
"Scattered sums").
"""

from typing import NamedTuple

import numpy as np

from ... import kernels
from ...arithmetic import formats, rounding

BLOCK = 1 << 16  # numbers that are added at a time
WIDEST = 42  # bits of an integer, so that the doubles of a sum are exact
SUM_BITS = 62  # of a sum of integers
SPARE = 2  # bits from the numbers of the first block to the limit
SAMPLE = 1 << 10  # numbers that a level is chosen by
SPREAD = 16  # bits from the median of the exponents of a block to the largest that its level holds
LARGE = 900  # exponent from which numbers are scaled, so that no sum leaves the range of float64
SCALE = 200
LOWEST = -1074  # every double is a multiple of 2**LOWEST
FLOAT64 = formats.FORMATS["float64"]


class Level(NamedTuple):
    """Integers of numbers below 2**exponent, which are multiples of 2**units[0] and of 2**units[1]."""

    scaled: bool  # whether the numbers are 2**-SCALE times what they stand for
    exponent: int
    units: tuple

    @property
    def limit(self):
        """What the numbers are below."""
        return np.ldexp(1.0, self.exponent)

    @property
    def rounders(self):
        """What moves the last bit of a double to each unit when it is added."""
        return np.ldexp([1.5, 1.5], [unit + 52 for unit in self.units])


class Sums:
    """Exact sums of numbers of each cell, a row and a channel: {level: int64 (cells, 2)}, of which the total is the
    sum, and the float64 sums of what is infinite or NaN."""

    def __init__(self, vectors, count, channels, first_row=0, room=None):
        """first_row: what row the first of the cells is of. room: int64 (cells or more, 2), which is overwritten."""
        self.shape, self.cells = (count, channels), count * channels
        self.bits = min(WIDEST, SUM_BITS - vectors.bit_length())  # a cell has a number of each vector at most
        self.levels, self.base, self.first_row, self.room = {}, None, first_row, room
        self.several = self.specials = None  # cells that have more than the first level; float64 (cells,)

    def add_all(self, rows, vectors, kind):
        """Add vectors (n, channels), in the storage of the format `kind`, to the cells of their rows."""
        channels = self.shape[1]
        step = max(1, BLOCK // channels)
        blocks = [slice(start, start + step) for start in range(0, len(rows), step)]
        exponents = (_exponent(vectors[block], kind) for block in blocks)
        level = self._level(next((one for one in exponents if one is not None), 0))
        rest, cells = np.empty(step * channels), np.empty(step * channels, np.int64)
        for block in blocks:
            of_block, numbers = np.ascontiguousarray(rows[block], np.int64), np.ascontiguousarray(vectors[block])
            left = self._split(level, of_block, self.first_row, numbers, kind, rest, cells)
            if level != self.first:
                cells_of_row = np.arange(channels, dtype=np.int64)
                self._mark(((of_block[:, None] - self.first_row) * channels + cells_of_row).reshape(-1))
            if left:
                self._add_left(cells[:left], rest[:left])
            if 2 * left > numbers.size:  # another level may hold more
                exponent = _exponent(numbers, kind)
                level = level if exponent is None else self._level(exponent)

    @property
    def first(self):
        """The level that holds most."""
        return next(iter(self.levels))

    def of_several(self):
        """The cells that have more than the first level."""
        return np.empty(0, np.int64) if self.several is None else np.flatnonzero(self.several)

    def _level(self, exponent, scaled=False):
        """The level of numbers below 2**exponent. Levels are so far apart that what is left of one fits another."""
        if self.base is None:
            self.base = min(exponent + SPARE, LARGE)
        apart = 2 * self.bits + 1
        above = -((self.base - exponent) // apart)
        top = min(self.base + above * apart, LARGE)
        first = max(top - self.bits, LOWEST)
        level = Level(scaled, top, (first, max(first - 1 - self.bits, LOWEST)))
        if level not in self.levels:
            self.levels[level] = self._zeros()
        return level

    def _zeros(self):
        if self.room is None:
            return np.zeros((self.cells, 2), np.int64)
        zeros, self.room = self.room[: self.cells], None
        zeros[...] = 0
        return zeros

    def _split(self, level, rows, first_row, vectors, kind, rest, cells):
        """Add what the level holds of vectors to the cells of their rows; how much is left, and then in rest and
        cells."""
        sums = self.levels[level].reshape(-1, vectors.shape[1], 2)
        return kernels.active.split_sums(rows, first_row, vectors, kind, level.rounders, level.limit, sums, rest, cells)

    def _add_left(self, cells, numbers):
        """Add numbers of any size to their cells."""
        finite = np.isfinite(numbers)
        if not finite.all():
            if self.specials is None:
                self.specials = np.zeros(self.cells)
            with np.errstate(invalid="ignore"):
                np.add.at(self.specials, cells[~finite], numbers[~finite])
            cells, numbers = cells[finite], numbers[finite]
        large = np.abs(numbers) >= np.ldexp(1.0, LARGE)
        self._add_down(cells[large], np.ldexp(numbers[large], -SCALE), True)
        self._add_down(cells[~large], numbers[~large], False)

    def _add_down(self, cells, numbers, scaled):
        """Add finite numbers to their cells, level by level, until nothing is left of them."""
        while numbers.any():
            level = self._level(int(np.frexp(np.abs(numbers).max())[1]), scaled)
            if level != self.first:
                self._mark(cells)
            rest, others = np.empty(len(numbers)), np.empty(len(numbers), np.int64)
            left = self._split(level, cells, 0, numbers[:, None], FLOAT64, rest, others)
            cells, numbers = others[:left], rest[:left]

    def _mark(self, cells):
        """Note that these cells have more than the first level."""
        if self.several is None:
            self.several = np.zeros(self.cells, bool)
        self.several[cells] = True


def _exponent(vectors, kind):
    """The exponent that most numbers are below, by the first of the vectors; None where all of these are 0."""
    numbers = rounding.widen(vectors.reshape(-1)[:SAMPLE], kind)
    sizes = np.abs(numbers[np.isfinite(numbers) & (numbers != 0)])
    if not sizes.size:
        return None
    exponents = np.sort(np.frexp(sizes)[1])
    return int(min(exponents[-1], exponents[len(exponents) // 2] + SPREAD))
