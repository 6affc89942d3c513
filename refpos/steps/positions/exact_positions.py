"""Positions: the exact numbers that the caller means, as integers times a power of two."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple, Union

import numpy as np

from ... import checks
from ...errors import InputError, shown
from ...guard import guarded
from ...types import ArrayLike, Integers

LIMIT = 2**53
CHUNK = 1 << 14  # positions examined at a time, so that temporary arrays stay in the cache


class Group(NamedTuple):
    """Positions multipliers * 2**exponent at the rows `index` of the flat positions (None: at all of them)."""

    index: Integers | None
    multipliers: range | Integers  # a range where evenly spaced, else int64; at most 2**53 in size
    exponent: int


class Positions(NamedTuple):
    """The shape of the array, and the flat positions in groups of one exponent each."""

    shape: tuple[int, ...]
    groups: list[Group]
    unit: Fraction = Fraction(1)  # multiplies every position, where that is not a power of two

    def at(self, row: int) -> tuple[int, int]:
        """The position of one flat row, as (multiplier, exponent)."""
        ((_, (multiplier,), exponent),) = self.within(row, row + 1)
        return int(multiplier), exponent

    def fractions(self) -> list[Fraction]:
        """The flat positions as a list of fractions."""
        values = [Fraction(0)] * math.prod(self.shape)
        for index, multipliers, exponent in self.groups:
            rows = range(len(multipliers)) if index is None else index.tolist()
            for row, multiplier in zip(rows, as_int64(multipliers).tolist()):
                values[row] = multiplier * self.unit * Fraction(2) ** exponent
        return values

    def part(self, start: int, stop: int) -> "Positions":
        """The positions of the flat rows start .. stop, of one axis."""
        return Positions((stop - start,), list(self.within(start, stop)), self.unit)

    def within(self, start: int, stop: int) -> Iterator[Group]:
        """The groups of the flat rows start .. stop, their indices counted from start; groups without any left out."""
        for index, multipliers, exponent in self.groups:
            if index is None:
                yield Group(None, multipliers[start:stop], exponent)
                continue
            low, high = np.searchsorted(index, (start, stop))
            if low < high:
                yield Group(index[low:high] - start, multipliers[low:high], exponent)


guarded(Positions, quiet=False)  # read in every call, where a microsecond counts


#: an int n for 0 .. n-1, numbers, or exact ones
PositionsLike = Union[ArrayLike, Positions]


def as_int64(multipliers):
    """Multipliers as an int64 array."""
    if isinstance(multipliers, range):
        return np.arange(multipliers.start, multipliers.stop, multipliers.step, dtype=np.int64)
    return multipliers


def multipliers_at(multipliers, rows):
    """The multipliers of those rows, an int64 array."""
    if isinstance(multipliers, range):
        return multipliers.start + multipliers.step * rows
    return multipliers[rows]


def zeros(count):
    """So many positions that are all 0."""
    return Positions((count,), [Group(None, np.zeros(count, np.int64), 0)])


def rows_at(positions, number):
    """The flat rows of those positions that are equal to a number."""
    rows_of_groups = [np.empty(0, np.int64)]
    for index, multipliers, exponent in positions.groups:
        wanted = Fraction(number) / positions.unit / Fraction(2) ** exponent
        if wanted.denominator != 1 or abs(wanted) > LIMIT:
            continue
        if isinstance(multipliers, range):
            rows = [multipliers.index(int(wanted))] if int(wanted) in multipliers else []
        else:
            rows = np.flatnonzero(multipliers == int(wanted))
        rows_of_groups.append(np.array(rows, np.int64) if index is None else index[rows])
    return np.concatenate(rows_of_groups)


def read_positions(positions, name="positions"):
    """The argument `positions` as exact numbers: an int n for 0 .. n-1, integers to 2**53 in size, or finite floats."""
    if isinstance(positions, Positions):
        return positions
    if isinstance(positions, range):
        _check_size(name, *_extremes(positions))
        return Positions((len(positions),), [Group(None, positions, 0)])
    if _is_whole(positions):
        n = checks.integer(name, positions, 0, LIMIT, code="E_POSITION")
        return Positions((n,), [Group(None, range(n), 0)])
    array = _as_array(name, positions)
    checks.room(name, array)
    flat = array.reshape(-1)
    low, high = _extremes(flat)
    if array.dtype.kind in "iu":
        _check_size(name, low, high)
        return Positions(array.shape, [Group(None, _as_range(flat.astype(np.int64)), 0)])
    if not (math.isfinite(low) and math.isfinite(high)):
        wrong = flat[~np.isfinite(flat)][0]
        raise InputError("E_POSITION", name, f"{name} must be finite, got {float(wrong)}")
    return Positions(array.shape, _float_groups(flat, max(high, -low)))


def read_line(coordinates):
    """The argument `coordinates` as exact numbers along one axis; an array is refused by its shape, unread."""
    along = coordinates if isinstance(coordinates, np.ndarray) else read_positions(coordinates)
    if len(along.shape) != 1:
        raise InputError("E_SHAPE", "coordinates", f"coordinates must have one axis, got shape {along.shape}")
    return read_positions(along)


def read_times(timesteps, name="timesteps"):
    """The argument `timesteps` as exact numbers: like positions, but an integer is one timestep and no count."""
    if _is_whole(timesteps):
        timesteps = np.array(checks.integer(name, timesteps, -LIMIT, LIMIT, code="E_POSITION"), np.int64)
    return read_positions(timesteps, name)


def _is_whole(value):
    """Whether the value must be a single integer: it is neither a sequence nor a float."""
    is_sequence = isinstance(value, (np.ndarray, list, tuple, range, Positions))
    is_scalar = np.isscalar(value) and not isinstance(value, (float, np.floating))
    return not is_sequence and (value is None or is_scalar)


def read_whole_positions(name, positions):
    """Whole positions from 0 to 2**53 as int64, of any shape; an int n means 0 .. n-1."""
    array, _ = whole_positions(name, positions)
    return checks.copied(name, array, np.int64)


def whole_positions(name, positions):
    """The same as an array of any dtype of integers, which may be that of the caller, and the largest; of none 0."""
    if positions is not None and not isinstance(positions, np.ndarray) and np.isscalar(positions):
        positions = checks.counted(name, checks.integer(name, positions, 0, LIMIT, code="E_POSITION"))
    array = checks.integers(name, positions, "E_POSITION")
    low, high = checks.extremes(array) if array.size else (0, 0)
    if low < 0 or high > LIMIT:
        wrong = low if low < 0 else high
        raise InputError("E_POSITION", name, f"{name} must lie within 0 .. 2**53, got {wrong}")
    checks.room(name, array)
    return array, high


def _extremes(values):
    """The smallest and the largest of a range or an array, as Python numbers; NaN where the array has one."""
    if isinstance(values, range):  # whose length may be more than len can say
        return sorted((values[0], values[-1])) if values else (0, 0)
    if not len(values):
        return 0, 0
    if len(values) == 1:
        return values.tolist() * 2
    return values.min().item(), values.max().item()


def _check_size(name, low, high):
    if high > LIMIT or low < -LIMIT:
        worst = max(high, low, key=abs)
        sentence = f"integer {name} must lie within -2**53 .. 2**53, got {shown(worst)}"
        raise InputError("E_POSITION", name, sentence)


def _as_array(name, positions):
    array = checks.widened(name, positions)
    if array.size == 0 and not isinstance(positions, np.ndarray):
        array = array.astype(np.int64)
    return checks.of_64_bits(name, array, "E_POSITION")


def _float_groups(values, largest):
    # one exponent for all, where the multipliers still fit: 0 for integers, -1 for halves, ...
    common = min((_last_bit(part) for part in _chunks(values)), default=0)
    multipliers = np.empty(len(values), np.int64)
    if largest <= math.ldexp(LIMIT, common):
        for part, target in zip(_chunks(values), _chunks(multipliers)):
            target[:] = np.ldexp(part.astype(np.float64), -common)
        return [Group(None, _as_range(multipliers), common)]
    exponents = np.empty(len(values), np.int16)
    for part, target, exponent in zip(_chunks(values), _chunks(multipliers), _chunks(exponents)):
        mantissa, exponent[:] = np.frexp(part.astype(np.float64))
        target[:] = mantissa * 2.0**53
    order = np.argsort(exponents, kind="stable")
    exponents, multipliers = exponents[order], multipliers[order]
    cuts = [0, *(np.flatnonzero(np.diff(exponents)) + 1).tolist(), len(order)]
    return [Group(order[a:b], multipliers[a:b], int(exponents[a]) - 53) for a, b in itertools.pairwise(cuts)]


def _last_bit(values):
    """The exponent of the last bit that is set in any of the values, 0 where that is higher."""
    mantissa, exponent = np.frexp(values.astype(np.float64))
    numerators = (mantissa * 2.0**53).astype(np.int64)
    trailing = np.frexp((numerators & -numerators).astype(np.float64))[1] - 1
    return int((exponent - 53 + trailing).min(initial=0, where=numerators != 0))


def _as_range(multipliers):
    """The multipliers as a range where they are evenly spaced."""
    if len(multipliers) < 2:
        return multipliers
    first, second = multipliers[:2].tolist()
    step = second - first
    if step == 0 or not all((np.diff(part) == step).all() for part in _chunks(multipliers, 1)):
        return multipliers
    return range(first, first + step * len(multipliers), step)


def _chunks(array, more=0):
    """The array in parts small enough for the cache, each with the first `more` elements of the next one."""
    for start in range(0, len(array), CHUNK):
        yield array[start : start + CHUNK + more]
