"""Small tables in NumPy, from the waves of the digits of positions, which are kept with the frequencies."""

from functools import partial

import numpy as np

from .numpy_seeds import added, anchor_waves
from .numpy_waves import MADE_AT_ONCE

DIGIT_BITS, DIGIT = 5, 31  # of positions whose waves are kept
MOST_DIGITS = {2: 4, 4: 2}  # of doubles, positions below 2**20; of pairs, below 2**10
KEPT = 1 << 12  # digits times frequencies, times planes, that are kept, at most: a megabyte
LARGEST = 1 << 53  # position, in size
FEW = 16  # numbers that Python compares sooner than NumPy


class Turns:
    """What small tables share: the waves of the digits to base 32 of positions, each made when it is first needed.

    They take half a kilobyte for each frequency and digit, and a whole one as pairs. The arguments are those of the
    compiled twin.
    """

    def __init__(self, phases, knots, steps, fmt, radius, seed_radius, nothing):
        self.phases, self.knots, self.fmt, self.planes, self.factor = phases, knots, fmt, len(steps), steps[0, 0, 0]
        self.is_unit = self.factor == 1 and (self.planes == 2 or steps[1, 0, 0] == 0)
        # of doubles four waves and three products at most, off by less than 2**-48.7; of pairs one or two
        self.radii, self._tables = ((2 * radius,) * 4 if self.planes == 2 else (seed_radius, radius)), ()

    def reader(self, positions):
        """(A function (start, stop) that gives sin + i cos at so many of the positions, a range, a list or int64, with
        the rest of pairs; their error radius); None where they are not integers up to 2**53 in size, or too many
        that the kept waves do not reach."""
        if (type(positions) is list and {*map(type, positions)} != {int}) or (self.planes == 4 and not self.is_unit):
            return None
        low, high = _extremes(positions)
        kept = self._kept(high) if low >= 0 else ()
        radius = self.radii[max(len(kept), 1) - 1]
        if kept and type(positions) is range and positions == range(high + 1) and len(kept) <= 2:
            return partial(_rows_from_zero, kept), radius
        if kept and len(positions) == 1:
            row = _product([table[:, digit, None] for table, digit in zip(kept, _digits(high, len(kept)))])
            return (lambda start, stop: row), radius
        if max(-low, high) > LARGEST or not (kept or len(positions) * self.phases.shape[1] <= MADE_AT_ONCE):
            return None
        positions = np.array(positions, np.int64)
        if kept:
            return partial(_rows_at, kept, _digits(positions, len(kept))), radius
        return (lambda start, stop: list(self._made(positions[start:stop]) * self.factor)), radius

    def _made(self, positions):
        return anchor_waves(positions, self.phases, self.knots, self.planes)

    def _kept(self, high):
        """The waves of the digits of positions up to that one, (parts, 32, half) each, those of the first digit sin + i
        cos, the others cos - i sin; none where they take too much memory."""
        count = max(1, -(-high.bit_length() // DIGIT_BITS))
        if count > MOST_DIGITS[self.planes] or count * self.phases.shape[1] * self.planes > KEPT:
            return ()
        if count > len(self._tables):
            made = list(self._tables)
            for k in range(len(made), count):
                made.append(self._made(np.arange(DIGIT + 1, dtype=np.int64) << DIGIT_BITS * k))
                made[-1] *= -1j if k else self.factor
            self._tables = made
        return self._tables[:count]


def _digits(positions, count):
    return [positions >> DIGIT_BITS * k & DIGIT for k in range(count)]


def _rows_from_zero(kept, start, stop):
    """The waves of the positions start .. stop, start a multiple of 32."""
    if len(kept) == 1:
        return [part[start:stop] for part in kept[0]]
    rows = added(kept[0][:, None], kept[1][:, start >> DIGIT_BITS : (stop - 1 >> DIGIT_BITS) + 1, None])
    return [part.reshape(-1, part.shape[2])[: stop - start] for part in rows]


def _rows_at(kept, digits, start, stop):
    """The waves of positions with those digits."""
    return _product([table.take(digit[start:stop], 1) for table, digit in zip(kept, digits)])


def _product(waves):
    """The first waves rotated by all others."""
    made = waves[0]
    for rotated in waves[1:]:
        made = added(made, rotated)
    return made


def _extremes(positions):
    """The least and the largest of a range, a list or an array of integers, as Python numbers."""
    if type(positions) is range:
        return sorted((positions[0], positions[-1]))
    if type(positions) is list or len(positions) <= FEW:
        positions = positions if type(positions) is list else positions.tolist()
        return min(positions), max(positions)
    return int(positions.min()), int(positions.max())
