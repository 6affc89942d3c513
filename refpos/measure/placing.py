"""Positions of rows for known frequencies: integers, multiples of a part, points of a line, or as they are measured."""

from __future__ import annotations

import numpy as np

from . import unwrapping
from .best_known import inside

CLOSE = 0.3  # radians that positions may leave on average
NEARLY = 0.1  # of a position, from integers, of positions that are tried as integers before the bounds decide
MOST_SHIFTS = 4  # turns of the slowest pair by which positions are moved to see whether they are integers then
GRIDS = (1, 2, 4, 8, 16, 10, 100, 1000)  # parts of which positions are multiples
FARTHEST = {True: 2.0**33, False: 2.0**22}  # positions, of numbers of 24 bits and more, and of fewer
AT_ODDS = 512  # rows that are looked at one by one
MOST_ROWS = 0.6  # whose positions tell what kind of numbers positions are


def placed(angles, frequencies, as_they_are=False):
    """(positions, whether they were rotated by backwards) that the angles may have with frequencies, rounded to
    integers, parts of them or points of a line, or as they are."""
    places, left = unwrapping.positions_of(angles.z, angles.phases, frequencies)
    known = np.isfinite(places)
    if not known.any():
        return
    largest, close = FARTHEST[angles.unit <= 2.0**-24], max(16 * angles.unit, CLOSE / 64)
    if np.median(left[known]) > CLOSE / 4:
        places, left = _far(angles, frequencies, places, left, largest, close)
    if np.median(left[known]) > CLOSE:
        return
    odd = np.flatnonzero(known & ~(left <= CLOSE / 4))
    for row in odd if len(odd) <= AT_ODDS else ():
        place = unwrapping.far_positions(angles.z[row], frequencies, largest, close)
        places[row] = places[row] if np.isnan(place) else place
    swing = np.sqrt((frequencies * frequencies).sum())
    error = (max(float(np.median(left[known])), 2 * angles.unit)) / swing
    for way in [places] if as_they_are else _ways(angles, frequencies, places, known):
        backwards = bool((way[known] <= 0.25).all() and (way[known] < -0.25).any())
        way = -way if backwards else way
        for rounded in [way] if as_they_are else _rounded(way, known, error):
            yield filled(rounded, known), backwards


def _ways(angles, frequencies, places, known):
    """Positions, and integers of which the slowest pair tells as much, since it is the same after each turn: before
    them, or behind them where they are integers themselves."""
    chained = places[np.argmax(known)] + _chained(angles, known, frequencies)
    slowest = np.abs(frequencies[angles.pairs & (frequencies != 0)]).min(initial=np.inf)
    turn = 2 * unwrapping.PI / slowest
    shifted = (places[known] + turns * turn for turns in range(1, MOST_SHIFTS))
    first = _are_integers(places[known])
    if first:
        yield places
    for way in (chained,) if first else (chained, *shifted):
        others = np.abs(way - places[known]).max() > 0.5 and np.abs(way).max() < FARTHEST[True]
        if others and _are_integers(way):
            yield _put(places, known, way)
    if not first:
        yield places


def _are_integers(places):
    return bool(np.quantile(np.abs(places - np.rint(places)), MOST_ROWS) <= NEARLY)


def _far(angles, frequencies, places, left, largest, close):
    """Positions of which the first one is so far that the slowest pair has made several turns."""
    known = np.flatnonzero(np.isfinite(places))
    start = unwrapping.far_positions(angles.z[known[0]], frequencies, largest, close)
    if not np.isfinite(start):
        return places, left
    some, best = np.isfinite(places), (places, left)
    relative = np.full(len(places), np.nan)
    relative[some] = unwrapping.positions_of(*_of_rows(angles, some).from_first, frequencies)[0]
    for found in (start + relative, _put(places, some, start + _chained(angles, some, frequencies))):
        beside = unwrapping.left_over(angles.z, angles.phases, frequencies, np.where(np.isfinite(found), found, 0.0))
        if np.median(beside[known]) < np.median(best[1][known]):
            best = found, beside
    return best


def _of_rows(angles, known):
    """The `Angles` of some rows."""
    return angles if np.array_equal(known, angles.rows) else angles._replace(z=angles.z[known])


def _chained(angles, known, frequencies):
    """Positions of rows from the first one on, step by step, each then brought to its own angles."""
    some = _of_rows(angles, known)
    steps, _ = unwrapping.positions_of(*some.steps, frequencies)
    places = np.concatenate([[0.0], np.cumsum(np.nan_to_num(steps), dtype=np.float64)])
    known, phases = some.from_first
    off = unwrapping.wrapped(phases - places[:, None] * frequencies) * known
    weight = (known * frequencies * frequencies).sum(axis=1)
    return places + (off * frequencies).sum(axis=1) / np.where(weight > 0, weight, 1)


def _rounded(places, known, error):
    """Positions rounded to what they may be: integers, multiples of a part, or points of a line."""
    some = places[known]
    if _are_integers(some):
        yield _put(places, known, np.rint(some))
    for parts in GRIDS:
        near = np.rint(some * parts) / parts
        apart = np.abs(some - near)
        if np.quantile(apart, MOST_ROWS) <= max(16 * error, 1e-9) and (parts == 1 or 64 * error * parts < 1):
            if parts > 1:
                yield _put(places, known, near)
            return
    index = np.flatnonzero(known).astype(np.float64)
    if len(index) > 2:
        centre = index.mean()
        spread = ((index - centre) * (index - centre)).sum()
        step = ((index - centre) * some).sum() / spread
        start = some.mean() - step * centre
        if np.abs(start + step * index - some).max() <= 32 * error:
            for one in inside(step - 4 * error / np.sqrt(spread), step + 4 * error / np.sqrt(spread))[:1]:
                offset = some.mean() - one * centre
                wide = 4 * error / np.sqrt(len(index))
                for begin in [0.0] if abs(offset) <= wide else inside(offset - wide, offset + wide)[:2]:
                    yield _put(places, known, begin + one * index)


def _put(places, known, values):
    found = places.copy()
    found[known] = values
    return found


def filled(places, known):
    """Positions with unknown rows filled by the usual step from the nearest known one."""
    if known.all() or not known.any():
        return places
    index = np.flatnonzero(known)
    usual = float(np.median(np.diff(places[known]) / np.diff(index))) if len(index) > 1 else 0.0
    rows = np.arange(len(places), dtype=np.int64)
    after = np.searchsorted(index, rows).clip(0, len(index) - 1)
    before = (after - 1).clip(0)
    nearest = np.where(np.abs(index[before] - rows) < np.abs(index[after] - rows), index[before], index[after])
    return np.where(known, places, places[nearest] + usual * (rows - nearest))
