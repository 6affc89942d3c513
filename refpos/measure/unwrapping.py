"""Positions and frequencies from angles that are known up to multiples of 2 pi, from slow pairs to fast ones."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..types import Array
from .estimates import PI, angle, exponential, logarithm, wrapped

AT_ONCE = 256  # rows whose products are held together
COMPARED = 16  # pairs, of those of a row, by which steps are compared
LOOKED_AT = 48  # rows whose step to the next is compared with all others
SAME_STEP = 0.05  # root of the mean square by which two equal steps may be apart, in radians
OFTEN = 0.25  # of the rows, how many must have the most common step
MOST_TURNS = 1 << 16  # of the slowest pair, that are tried
AT_MOST = 0.5  # radians by which the angle of a faster pair may be off
EXTRAPOLATED = 8  # pairs from which the next faster one is expected


def phases(z):
    """The angles of complex numbers."""
    found = np.empty(z.shape)
    for start in range(0, len(z), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        found[some] = angle(z[some].imag, z[some].real)
    return found


def units(z):
    """Complex numbers of absolute value 1, and 0 where there is no angle."""
    size = np.sqrt(z.real * z.real + z.imag * z.imag)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where((size > 0) & np.isfinite(size), z / np.where(size > 0, size, 1), 0)


def common_step(z, unit):
    """(angle of each pair from one row to the next, how many times as exact as that of two rows it is) of unit numbers
    z, (rows, pairs), where enough rows are one step apart; else None. unit: rounding unit of the numbers."""
    if len(z) < 3:
        return None
    columns = np.linspace(0, z.shape[1] - 1, min(COMPARED, z.shape[1])).astype(np.int64)
    few = z[:, columns]
    steps = few[1:] * few[:-1].conj()
    known = (steps != 0).sum(axis=1)
    moved = (known > 0) & (np.abs(steps.imag).max(axis=1) > 4 * unit)
    chosen = np.flatnonzero(moved)
    if not len(chosen):
        return None
    best = None
    for row in chosen[np.linspace(0, len(chosen) - 1, min(LOOKED_AT, len(chosen))).astype(np.int64)]:
        apart = steps - steps[row]
        square = np.where((steps != 0) & (steps[row] != 0), apart.real * apart.real + apart.imag * apart.imag, 0)
        agree = moved & (square.sum(axis=1) <= SAME_STEP * SAME_STEP * np.maximum(known, 1))
        if best is None or agree.sum() > best.sum():
            best = agree
    if best.sum() < max(1, OFTEN * len(chosen)) or best.sum() < 2:
        return None
    return _refined(z, best)


def _refined(z, agree):
    """The angle of a step from rows farther and farther apart within runs of equal steps."""
    step, apart, weight = phases(_moved(z, 1, agree)), 1, np.sqrt(agree.sum())
    inside = agree
    while len(inside) > apart:
        # rows r and r + 2 apart lie within one run where both halves do
        inside = inside[:-apart] & inside[apart:]
        if not inside.any():
            break
        apart *= 2
        moved, weight = _moved(z, apart, inside), apart * np.sqrt(inside.sum())
        step = step + np.where(moved != 0, wrapped(phases(moved) - apart * step) / apart, 0)
    return step, weight


def _moved(z, apart, inside):
    """The sum of what some rows are rotated by to those so far after them."""
    total = np.zeros(z.shape[1], complex)
    for start in range(0, len(inside), AT_ONCE):
        stop = min(start + AT_ONCE, len(inside))
        product = z[start + apart : stop + apart] * z[start:stop].conj()
        total += np.where(inside[start:stop, None], product, 0).sum(axis=0)
    return total


def unaliased(step, error):
    """Angles of one step without the multiples of 2 pi that fast pairs lost; the pairs slow down, or speed up. Those
    below their error stay as they are."""
    told = np.flatnonzero(np.abs(step) > 4 * error)
    if len(told) < 3 or _is_falling(step[told]) or _is_falling(step[told][::-1]):
        return step
    order = told[::-1] if np.abs(step[told[-1]]) <= np.abs(step[told[0]]) else told
    slow_first = step[order]
    for k in range(2, len(slow_first)):
        seen = np.abs(slow_first[max(0, k - EXTRAPOLATED) : k])
        expected = np.sign(slow_first[k - 1]) * exponential(_next(logarithm(seen)))
        slow_first[k] = expected + wrapped(slow_first[k] - expected)
    found = step.copy()
    found[order] = slow_first
    return found


def _is_falling(step):
    return bool((step >= 0).all() or (step <= 0).all()) and bool((np.diff(np.abs(step)) <= 0).all())


def _next(values):
    """The next one of values on a line."""
    places = np.arange(len(values), dtype=np.float64) - (len(values) - 1) / 2
    slope = (places * values).sum() / (places * places).sum()
    return min(values.mean() + slope * ((len(values) + 1) / 2), 690.0)


def climbed(z):
    """(frequencies, positions) up to a common factor of rows at any positions, whose slowest pair makes less than
    half a turn; its frequency is that of the last pair, 1."""
    angles, known = phases(z), z != 0
    places = angles[:, -1].copy()
    frequencies, joined = np.zeros(angles.shape[1]), np.zeros_like(places)
    weight = np.zeros_like(places)
    for k in range(angles.shape[1] - 1, -1, -1):
        seen = np.abs(frequencies[k + 1 : k + 1 + EXTRAPOLATED])[::-1]
        if not len(seen):
            expected = 1.0
        elif len(seen) == 1:
            expected = _slope(places, angles[:, k], known[:, k])
        else:
            expected = exponential(_next(logarithm(np.maximum(seen, 1e-300))))
        unfolded = places * expected + wrapped(angles[:, k] - places * expected)
        frequencies[k] = _slope(places, unfolded, known[:, k]) if len(seen) else 1.0
        size = known[:, k] * frequencies[k] * frequencies[k]
        joined, weight = joined + known[:, k] * frequencies[k] * unfolded, weight + size
        places = np.where(weight > 0, joined / np.where(weight > 0, weight, 1), 0)
    return frequencies, places


def _slope(places, angles, known):
    size = (known * places * places).sum()
    return float((known * places * angles).sum() / size) if size > 0 else 0.0


def positions_of(z, angles, frequencies):
    """(position of each row, root of the mean square angle that is left of it) of unit numbers, or of where they are
    not 0, and their phases, for known frequencies, (pairs,).

    The slowest pair makes less than half a turn from 0; of rows without any angle both are NaN.
    """
    known = (z != 0) & (frequencies != 0)
    joined, weight = np.zeros(len(z)), np.zeros(len(z))
    places = np.zeros(len(z))
    for k in np.argsort(np.abs(frequencies), kind="stable"):
        expected = places * frequencies[k]
        unfolded = expected + wrapped(angles[:, k] - expected)
        joined = joined + known[:, k] * frequencies[k] * unfolded
        weight = weight + known[:, k] * frequencies[k] * frequencies[k]
        places = np.where(weight > 0, joined / np.where(weight > 0, weight, 1), 0)
    return np.where(weight > 0, places, np.nan), left_over(z, angles, frequencies, places)


def left_over(z, angles, frequencies, places):
    """Root of the mean square of what positions leave of unit numbers, or of where they are not 0, with these phases,
    row by row; NaN where nothing is known."""
    found = np.empty(len(z))
    for start in range(0, len(z), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        known = z[some] != 0
        left = np.where(known, wrapped(angles[some] - places[some, None] * frequencies), 0)
        count = known.sum(axis=1)
        mean = (left * left).sum(axis=1) / np.maximum(count, 1)
        found[some] = np.where(count > 0, np.sqrt(mean), np.nan)
    return found


def slopes(left, known, places):
    """(what is left of the angle of one position in each pair, by least squares; sum of squares of its positions) of
    what is left of the angles of rows and pairs, where these are known."""
    places = places[:, None]
    weight = (places * places * known).sum(axis=0)
    return (places * np.where(known, left, 0)).sum(axis=0) / np.where(weight > 0, weight, 1), weight


def far_positions(z, frequencies, largest, close):
    """The position of one row, (pairs,), at any distance up to the largest, by each multiple of 2 pi that the slowest
    pair may have lost, the nearest to 0 that leaves angles below a close one; NaN where none does."""
    order = [k for k in np.argsort(np.abs(frequencies), kind="stable") if frequencies[k] != 0 and z[k] != 0]
    if not order:
        return np.nan
    slowest, angles = frequencies[order[0]], phases(z[None])[0]
    turns = min(int(largest * abs(slowest) / (2 * PI)) + 1, MOST_TURNS)
    places = (angles[order[0]] + 2 * PI * np.arange(-turns + 1, turns, dtype=np.float64)) / slowest
    weight, left = slowest * slowest, np.zeros(len(places))
    for k in order[1:]:
        off = wrapped(angles[k] - places * frequencies[k])
        near = np.abs(off) <= AT_MOST
        places, off, left = places[near], off[near], left[near]
        weight += frequencies[k] * frequencies[k]
        places, left = places + off * frequencies[k] / weight, left + off * off
    near = np.flatnonzero(left <= close * close * len(order))
    return places[near[np.abs(places[near]).argmin()]] if len(near) else np.nan


class UnitNumbers(NamedTuple):
    """Unit numbers of the rows of a region, (rows, pairs), 0 where there is no angle; gains of pairs and of rows;
    rounding unit of what the angles were made of, and that of the format of the numbers."""

    z: Array
    gains: Array
    rows_of_gain: Array
    unit: float
    of_format: float


class Angles(UnitNumbers):
    """The same with what rules ask of them, each computed once."""

    @cached_property
    def rows(self):
        """Which rows have an angle in some pair."""
        return (self.z != 0).any(axis=1)

    @cached_property
    def pairs(self):
        """Which pairs have an angle in some row."""
        return (self.z != 0).any(axis=0)

    @cached_property
    def phases(self):
        """The phases of all rows, (rows, pairs)."""
        return phases(self.z)

    @property
    def from_first(self):
        """(Which angles are known, the angles) of the rows with an angle from the first of them on."""
        known, angles = self.z[self.rows] != 0, self.phases[self.rows]
        return known & known[:1], wrapped(angles - angles[:1])

    @property
    def steps(self):
        """(Which angles are known, the angles) of the rows with an angle from the one before on."""
        known, angles = self.z[self.rows] != 0, self.phases[self.rows]
        return known[1:] & known[:-1], wrapped(np.diff(angles, axis=0))
