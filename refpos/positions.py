"""Positions: what the caller gave, as exact whole numbers times a power of two."""

import math
from typing import NamedTuple, Optional, Union

import numpy as np

from . import checks
from .errors import InputError, InputTypeError

LIMIT = 2**53


class Group(NamedTuple):
    """Positions multipliers * 2**exponent at the rows `index` of the flat positions (None: at all of them)."""

    index: Optional[np.ndarray]
    multipliers: Union[range, np.ndarray]  # a range where evenly spaced, else int64; at most 2**53 in size
    exponent: int


class Positions(NamedTuple):
    """The shape the caller gave, and the flat positions in groups of one exponent each."""

    shape: tuple
    groups: list

    def at(self, row):
        """The position of one flat row, as (multiplier, exponent)."""
        ((_, (multiplier,), exponent),) = self.within(row, row + 1)
        return int(multiplier), exponent

    def within(self, start, stop):
        """The groups of the flat rows start .. stop, their indices counted from start; groups without any left out."""
        for index, multipliers, exponent in self.groups:
            if index is None:
                yield Group(None, multipliers[start:stop], exponent)
                continue
            low, high = np.searchsorted(index, (start, stop))
            if low < high:
                yield Group(index[low:high] - start, multipliers[low:high], exponent)


def whole(multipliers):
    """Multipliers as an int64 array."""
    if isinstance(multipliers, range):
        return np.arange(multipliers.start, multipliers.stop, multipliers.step, dtype=np.int64)
    return multipliers


def read(positions):
    """Positions as exact numbers: an int n means 0 .. n-1; integers to 2**53 in size, and every finite float."""
    if positions is None or np.isscalar(positions) and not isinstance(positions, (float, np.floating)):
        n = checks.integer("positions", positions, 0, LIMIT, code="E_POSITION")
        return Positions((n,), [Group(None, range(n), 0)])
    array = _as_array(positions)
    if array.dtype.kind in "iu":
        if array.size and (int(array.max()) > LIMIT or int(array.min()) < -LIMIT):
            worst = max(int(array.max()), int(array.min()), key=abs)
            raise InputError(
                "E_POSITION", "positions", f"integer positions must lie within -2**53 .. 2**53, got {worst}"
            )
        return Positions(array.shape, [Group(None, _evenly(array.reshape(-1).astype(np.int64)), 0)])
    values = array.astype(np.float64).reshape(-1)
    if not np.isfinite(values).all():
        bad = values[~np.isfinite(values)][0]
        raise InputError("E_POSITION", "positions", f"positions must be finite, got {bad}")
    return Positions(array.shape, _float_groups(values))


def _as_array(positions):
    try:
        array = np.asarray(positions)
    except ValueError:
        raise InputError(
            "E_SHAPE", "positions", "positions must be a rectangular array, got rows of unequal length"
        ) from None
    if array.size == 0 and not isinstance(positions, np.ndarray):
        array = array.astype(np.int64)
    if array.dtype.name == "bfloat16":
        return array.astype(np.float32)
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        raise InputTypeError(
            "E_POSITION",
            "positions",
            f"positions must be integers or floats of at most 64 bits, got dtype {array.dtype}",
        )
    return array


def _float_groups(values):
    mantissa, exponent = np.frexp(values)
    multipliers = (mantissa * 2.0**53).astype(np.int64)
    exponent = exponent.astype(np.int64) - 53
    # one exponent for all, where the multipliers still fit: 0 for whole numbers, -1 for halves, ...
    low = multipliers & -multipliers
    trailing = np.where(multipliers == 0, 0, np.frexp(low.astype(np.float64))[1] - 1)
    nonzero = multipliers != 0
    common = min(int((exponent + trailing)[nonzero].min()), 0) if nonzero.any() else 0
    largest = np.abs(values).max(initial=0.0)
    if largest <= math.ldexp(LIMIT, common):
        return [Group(None, _evenly(np.ldexp(values, -common).astype(np.int64)), common)]
    return [Group(np.flatnonzero(exponent == e), multipliers[exponent == e], int(e)) for e in np.unique(exponent)]


def _evenly(multipliers):
    """The multipliers as a range where they are evenly spaced."""
    if len(multipliers) < 2:
        return multipliers
    first, step = int(multipliers[0]), int(multipliers[1]) - int(multipliers[0])
    if step == 0 or not (np.diff(multipliers) == step).all():
        return multipliers
    return range(first, first + step * len(multipliers), step)
