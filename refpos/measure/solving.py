"""Frequencies and positions of measured angles: rules that fit, and the first of them that the bounds verify."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arithmetic import formats
from ..errors import InputError
from ..types import Array
from . import frequency_rule, ramps, unwrapping
from .best_known import BASES, inside
from .frequency_rule import Measured, Rule, made
from .subjects import measured_rows
from .verification import Verified, verified

FINEST = 2.0**-48  # relative errors of frequencies of float64 programs, and of others, looser and looser
LOOSER = (2.0**-21, 2.0**-16, 2.0**-11)
CLOSE = 0.3  # radians that positions may leave on average
GRIDS = (1, 2, 4, 8, 16, 10, 100, 1000)  # parts of which positions are multiples
FARTHEST = 2.0**33
MOST_ROWS = 0.6  # whose positions tell what kind of numbers positions are
MOST_RULES = 24


class Angles(NamedTuple):
    """Unit numbers of the rows of a region, (rows, pairs), 0 where there is no angle; gains of pairs; rounding unit."""

    z: Array
    gains: Array
    rows_of_gain: Array
    unit: float


class Solution(NamedTuple):
    """A rule with the positions of each row, whether it rotates backwards, and what the bounds say of it."""

    rule: Rule
    positions: Array
    backwards: bool
    verdict: Verified


def angles_of(subject, region, unit):
    """The `Angles` of a region."""
    z, of_pairs, of_rows = measured_rows(subject, region)
    gains, rows = (
        np.sqrt(np.where(before > 0, after / np.where(before > 0, before, 1), np.nan))
        for before, after in (of_pairs, of_rows)
    )
    return Angles(z, gains, rows, unit)


def unit_of(fmt):
    """The rounding unit of a format."""
    return 2.0 ** -formats.FORMATS[fmt].precision if fmt in formats.FORMATS else 2.0**-24


def one_gain(angles):
    """(gain, its error) of all pairs, 1 where it may be; None where pairs or rows differ."""
    known = angles.gains[np.isfinite(angles.gains)]
    rows = angles.rows_of_gain[np.isfinite(angles.rows_of_gain)]
    if not len(known):
        return 1, 0.0
    middle, wide = float(np.median(known)), 8 * angles.unit
    if np.abs(known / middle - 1).max() > wide or np.abs(rows / middle - 1).max() > 2 * wide:
        return None
    return (1, 0.0) if abs(middle - 1) <= wide else (middle, wide * middle / 4)


def step_of(angles):
    """(angles of one step, their absolute error) of the rows; None where there are none. What rows at any positions
    have in common is known up to a factor: the first pair then is 1."""
    found = unwrapping.common_step(angles.z, angles.unit)
    wide = 4 * angles.unit
    if found is not None:
        step, apart = unwrapping.unaliased(found[0]), found[1]
        step = -step if step.sum() < 0 else step
        return np.where(np.abs(step) > wide / apart, step, 0), wide / apart
    frequencies, places = unwrapping.climbed(angles.z)
    farthest = np.abs(places).max(initial=0.0)
    if farthest == 0 or not frequencies[0] > 0:
        return None
    return frequencies / frequencies[0], wide / farthest / frequencies[0]


def rules_of(angles):
    """The rules that fit, the likeliest first."""
    gain, found = one_gain(angles), step_of(angles)
    if gain is None:
        return []
    rules = []
    for k, floor in enumerate((FINEST, *LOOSER) if angles.unit < 2.0**-30 else LOOSER):
        if found is None:
            break
        step, absolute = found
        with np.errstate(divide="ignore"):
            error = floor + np.where(step != 0, absolute / np.where(step != 0, np.abs(step), 1), 0)
        measured = Measured(step, error, *gain)
        fitted = [*frequency_rule.geometric(measured), *ramps.ramped(measured)]
        rules += [rule._replace(rank=rule.rank + k / 8) for rule in fitted]
        if k == 0:
            rules += frequency_rule.as_given(measured)
    if gain[0] == 1:
        dim = 2 * angles.z.shape[1]
        rules += [Rule(frequency_rule.call("inverse_frequencies", dim=dim, base=base), 1, 4) for base in BASES]
    rules.sort(key=lambda rule: rule.rank)
    return [rule for k, rule in enumerate(rules) if all(rule.recipe != one.recipe for one in rules[:k])]


def solved(subject, region, angles):
    """The first `Solution` whose values the bounds verify on a few rows and then on all; else None."""
    for rule in rules_of(angles)[:MOST_RULES]:
        found = solved_by(subject, region, angles, rule)
        if found is not None:
            return found
    return None


def solved_by(subject, region, angles, rule):
    """The `Solution` of one rule, or None."""
    try:
        frequencies = made(rule.recipe).inv_freq
    except InputError:
        return None
    for positions, backwards in placed(angles, frequencies):
        few = verified(subject, region, rule.recipe, positions, backwards, few=True)
        if few.kind is None:
            continue
        verdict = verified(subject, region, rule.recipe, positions, backwards)
        if verdict.kind is not None:
            # rows of other numbers have no position of this rule: the call gives them those of a line
            return Solution(rule, _filled(positions, verdict.within), backwards, verdict)
    return None


def placed(angles, frequencies):
    """(positions, whether they were rotated by backwards) that the angles may have with frequencies."""
    places, left = unwrapping.positions_of(angles.z, frequencies)
    known = np.isfinite(places)
    if not known.any():
        return
    if np.median(left[known]) > CLOSE / 4:
        places, left = _far(angles.z, frequencies, places, left)
    if np.median(left[known]) > CLOSE:
        return
    backwards = bool((places[known] <= 0.25).all() and (places[known] < -0.25).any())
    places = -places if backwards else places
    swing = np.sqrt((frequencies * frequencies).sum())
    error = (max(float(np.median(left[known])), 2 * angles.unit)) / swing
    for rounded in _rounded(places, known, error):
        yield _filled(rounded, known), backwards


def _far(z, frequencies, places, left):
    """Positions of which the first one is so far that the slowest pair has made several turns."""
    known = np.flatnonzero(np.isfinite(places))
    first = known[0]
    start = unwrapping.far_positions(z[first], frequencies, FARTHEST)
    if not np.isfinite(start):
        return places, left
    relative, _ = unwrapping.positions_of(z * z[first].conj(), frequencies)
    found = start + relative
    beside = unwrapping.left_over(z, frequencies, np.where(np.isfinite(found), found, 0.0))
    return (found, beside) if np.median(beside[known]) < np.median(left[known]) else (places, left)


def _rounded(places, known, error):
    """Positions rounded to what they may be: integers, multiples of a part, points of a line, or as they are."""
    some = places[known]
    for parts in GRIDS:
        near = np.rint(some * parts) / parts
        apart = np.abs(some - near)
        if np.quantile(apart, MOST_ROWS) <= max(16 * error, 1e-9) and (parts == 1 or 64 * error * parts < 1):
            yield _put(places, known, near)
            break
    index = np.flatnonzero(known).astype(np.float64)
    if len(index) > 2:
        centre = index.mean()
        spread = ((index - centre) * (index - centre)).sum()
        step = ((index - centre) * some).sum() / spread
        start = some.mean() - step * centre
        if np.abs(start + step * index - some).max() <= 32 * error:
            for one in inside(step - 4 * error / np.sqrt(spread), step + 4 * error / np.sqrt(spread))[:2]:
                offset = some.mean() - one * centre
                wide = 4 * error / np.sqrt(len(index))
                for begin in [0.0] if abs(offset) <= wide else inside(offset - wide, offset + wide)[:2]:
                    yield _put(places, known, begin + one * index)
    yield places


def _put(places, known, values):
    found = places.copy()
    found[known] = values
    return found


def _filled(places, known):
    """Positions with unknown rows filled by the usual step from the nearest known one."""
    if known.all() or known.sum() < 2:
        return places
    index = np.flatnonzero(known)
    usual = float(np.median(np.diff(places[known]) / np.diff(index)))
    rows = np.arange(len(places), dtype=np.int64)
    after = np.searchsorted(index, rows).clip(0, len(index) - 1)
    before = (after - 1).clip(0)
    nearest = np.where(np.abs(index[before] - rows) < np.abs(index[after] - rows), index[before], index[after])
    return np.where(known, places, places[nearest] + usual * (rows - nearest))
