"""Frequencies and positions of measured angles: rules that fit, and the first of them that the bounds verify."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arithmetic import formats
from ..conformance import CLASSES
from ..errors import InputError
from ..types import Array
from . import frequency_rule, ramps, unwrapping
from .best_known import BASES, inside
from .frequency_rule import Measured, Rule, made
from .subjects import measured_rows
from .verification import Verified, verified

FINEST = 2.0**-48  # relative errors of frequencies of float64 programs, and of others, looser and looser
LOOSER = (2.0**-22, 2.0**-20, 2.0**-16, 2.0**-11)
WIDER = 4  # times the estimated error of the angles, where no rule fits within that
CLOSE = 0.3  # radians that positions may leave on average
GRIDS = (1, 2, 4, 8, 16, 10, 100, 1000)  # parts of which positions are multiples
FARTHEST = 2.0**33
MOST_ROWS = 0.6  # whose positions tell what kind of numbers positions are
MOST_RULES = 24
ANGLES = ("correct", "faithful", "float64-angle", "float32-angle", "float32-exp-angle")
#: {rounding unit of a format: classes of its programs}; another rule may meet one of them where the first does not
USUAL = {2.0**-53: ANGLES[:3], 2.0**-24: ANGLES, 2.0**-11: tuple(CLASSES), 2.0**-8: tuple(CLASSES)}


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
    return 2.0 ** -formats.FORMATS[fmt].precision


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
        step, apart = unwrapping.unaliased(found[0], wide / found[1]), found[1]
        return -step if step.sum() < 0 else step, wide / apart
    moving = np.abs(angles.z.imag).max(axis=0, initial=0.0) > 2 * wide
    if not moving.any():
        return None
    climbed, places = unwrapping.climbed(angles.z[:, moving])
    farthest = np.abs(places).max(initial=0.0)
    if farthest == 0 or not climbed[0] > 0:
        return None
    frequencies = np.zeros(len(moving))
    frequencies[moving] = climbed / climbed[0]
    return frequencies, wide / farthest / climbed[0]


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
        measured = Measured(step, absolute * (WIDER if floor == LOOSER[-1] else 1), floor, *gain)
        fitted = [*frequency_rule.geometric(measured), *ramps.ramped(measured)]
        rules += [rule._replace(rank=rule.rank + k / 64) for rule in fitted]
        if k == 0:
            rules += frequency_rule.as_given(measured)
    if gain[0] == 1:
        dim = 2 * angles.z.shape[1]
        rules += [Rule(frequency_rule.call("inverse_frequencies", dim=dim, base=base), 1, 4) for base in BASES]
    rules.sort(key=lambda rule: rule.rank)
    return [rule for k, rule in enumerate(rules) if all(rule.recipe != one.recipe for one in rules[:k])]


def solved(subject, region, angles, below):
    """The `Solution` with most rows within the bounds, the first one that has all, of rules below a rank; None where no
    rule has enough."""
    best, likeliest = None, 0
    for rule in [rule for rule in rules_of(angles) if rule.rank < below][:MOST_RULES]:
        for positions, backwards in _placements(angles, rule):
            few = verified(subject, region, rule.recipe, positions, backwards, few=True)
            if few.kind is None or few.within.sum() < likeliest:
                continue
            found = _solution(subject, region, rule, positions, backwards)
            if found is None:
                continue
            if best is None or found.verdict.weakness < best.verdict.weakness:
                best, likeliest = found, int(few.within.sum())
            if best.verdict.within.all() and best.verdict.kind in USUAL[angles.unit]:
                return best
    return best


def solved_by(subject, region, angles, rule):
    """The `Solution` of one rule, or None."""
    for positions, backwards in _placements(angles, rule):
        if verified(subject, region, rule.recipe, positions, backwards, few=True).kind is not None:
            found = _solution(subject, region, rule, positions, backwards)
            if found is not None:
                return found
    return None


def _placements(angles, rule):
    try:
        frequencies = made(rule.recipe).inv_freq
    except InputError:  # of numbers beside those that the function takes
        return iter(())
    return placed(angles, frequencies)


def _solution(subject, region, rule, positions, backwards):
    verdict = verified(subject, region, rule.recipe, positions, backwards)
    if verdict.kind is None:
        return None
    # rows of other numbers have no position of this rule: the call gives them those of a line
    return Solution(rule, _filled(positions, verdict.within), backwards, verdict)


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
    start = unwrapping.far_positions(z[first], frequencies, FARTHEST, CLOSE / 4)
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
            yield places
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
