"""Frequencies and positions of measured angles: rules that fit, and the first of them that the bounds verify."""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from ..arithmetic import formats
from ..conformance import CLASSES
from ..conformance.classes import ANGLE_CLASSES
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
FARTHEST = {True: 2.0**33, False: 2.0**22}  # positions, of numbers of 24 bits and more, and of fewer
AT_ODDS = 512  # rows that are looked at one by one
MOST_ROWS = 0.6  # whose positions tell what kind of numbers positions are
MOST_RULES, FEW_RULES = 24, 8
COARSE = (2.0**-11, 2.0**-8)  # rounding units of tables
FINE = ("correct", "faithful", *ANGLE_CLASSES)
#: {rounding unit of a format: classes of its programs}; another rule may meet one of them where the first does not
USUAL = {2.0**-53: FINE[:3], 2.0**-24: FINE, 2.0**-11: tuple(CLASSES), 2.0**-8: tuple(CLASSES)}
RAMPS = ("yarn", "ntk_by_parts", "llama3")


class Angles(NamedTuple):
    """Unit numbers of the rows of a region, (rows, pairs), 0 where there is no angle; gains of pairs; rounding unit of
    what the angles were made of, and that of the format of the numbers."""

    z: Array
    gains: Array
    rows_of_gain: Array
    unit: float
    of_format: float


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
    # a table of fewer bits than its product with x has gains that are as far from one
    units = [unit, *(coarse for coarse in COARSE if coarse > unit)]
    found = [Angles(z, gains, rows, one, unit) for one in units]
    return next((one for one in found if one_gain(one) is not None), found[0])


def unit_of(fmt):
    """The rounding unit of a format."""
    return math.ldexp(1.0, -formats.FORMATS[fmt].precision)


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
    moving = _moving(angles)
    if not moving.any():
        return None
    climbed, places = unwrapping.climbed(angles.z[:, moving])
    farthest = np.abs(places).max(initial=0.0)
    if farthest == 0 or not climbed[0] > 0:
        return None
    frequencies = np.zeros(len(moving))
    frequencies[moving] = climbed / climbed[0]
    return frequencies, wide / farthest / climbed[0]


def _moving(angles):
    """Which pairs have an angle in some row."""
    return np.abs(angles.z.imag).max(axis=0, initial=0.0) > 8 * angles.unit


def _usual(angles):
    """What makes the call of frequencies that a base alone gives, of the pairs that move where these are the first."""
    moving = _moving(angles)
    dim, count = 2 * len(moving), int(np.count_nonzero(moving))
    if angles.unit > 2.0**-30 and 1 < count < len(moving) and moving[:count].all():
        return partial(frequency_rule.call, "proportional", dim=dim, partial_rotary_factor=count / len(moving))
    return partial(frequency_rule.call, "inverse_frequencies", dim=dim)


def rules_of(angles, found):
    """The rules that fit angles of one step with their error, the likeliest first."""
    gain, rules = one_gain(angles), []
    if gain is None:
        return []
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
        rules += [Rule(_usual(angles)(base=base), 4) for base in BASES]
    rules.sort(key=lambda rule: (is_ramp(rule), rule.rank))
    return [rule for k, rule in enumerate(rules) if all(rule.recipe != one.recipe for one in rules[:k])]


def is_ramp(rule):
    """Whether a rule keeps fast pairs and divides slow ones; YaRN by a factor of 1 is a base with a gain."""
    return rule.recipe["function"] in RAMPS and rule.recipe["arguments"]["factor"] != 1


def classes_of(angles, rule, positions):
    """The classes that may verify a rule at these positions. Numbers of more than 16 bits are within the bounds of
    16-bit tables of many rules: of these, those of a known base at successive integers alone are said."""
    if angles.of_format > 2.0**-24:
        return tuple(CLASSES)
    known = np.flatnonzero(np.isfinite(positions))
    starts = positions[known] - known
    successive = len(known) and (starts == starts[0]).all() and starts[0] == np.rint(starts[0])
    plain = rule.recipe["function"] == "inverse_frequencies" and rule.recipe["arguments"]["base"] in BASES
    return tuple(CLASSES) if plain and successive else FINE


def _refined(angles, frequencies, places, within):
    """(angles of one position, their absolute error) by the rows that are within, at their positions from 0."""
    known = np.isfinite(places) & within
    places, z = places[known], angles.z[known]
    total = float((places * places).sum())
    if not total:
        return None
    off = unwrapping.wrapped(unwrapping.phases(z) - places[:, None] * frequencies)
    weight = (places[:, None] * places[:, None] * (z != 0)).sum(axis=0)
    more = (places[:, None] * np.where(z != 0, off, 0)).sum(axis=0) / np.where(weight > 0, weight, 1)
    return frequencies + more, 4 * angles.unit / float(np.sqrt(total))


def _by_positions(angles, found, best):
    """The angles of one position by the positions of a solution, or by those that the angles of one step give."""
    if best is not None:
        places = best.positions * (-1 if best.backwards else 1)
        return _refined(angles, made(best.rule.recipe).inv_freq, places, best.verdict.within)
    placement = None if found is None else next(placed(angles, found[0]), None)
    if placement is None:
        return None
    places = placement[0] * (-1 if placement[1] else 1)
    return _refined(angles, found[0], places, np.ones(len(places), bool))


def solved(subject, region, angles, below):
    """The `Solution` with most rows within the bounds, the first one that has all, of rules below a rank; None where no
    rule has enough."""
    found = step_of(angles)
    rules = _likeliest(rule for rule in rules_of(angles, found) if rule.rank < below)
    best = _best_of(subject, region, angles, rules, None)
    if best is None or not is_usual(best, angles.of_format):
        # positions that are known tell frequencies better than steps do
        refined = _by_positions(angles, found, best)
        others = (rule for rule in rules_of(angles, refined) if rule.rank < below and rule not in rules)
        best = _best_of(subject, region, angles, _likeliest(others), best)
    if best is None:  # positions of any numbers beside a ramp would explain too much
        simple = [rule for rule in rules if not is_ramp(rule)]
        best = _best_of(subject, region, angles, simple[:FEW_RULES], None, as_they_are=True)
    return best


def _likeliest(rules):
    """The likeliest of some rules: as many of those without a ramp as of those with one."""
    rules = list(rules)
    return [rule for ramp in (False, True) for rule in [one for one in rules if is_ramp(one) is ramp][:MOST_RULES]]


def is_usual(solution, unit):
    """Whether all rows are within the bounds of a class that programs of the format have."""
    return bool(solution.verdict.within.all()) and solution.verdict.kind in USUAL[unit]


def _best_of(subject, region, angles, rules, best, as_they_are=False):
    likeliest = 0
    for rule in rules:
        for positions, backwards in _placements(angles, rule, as_they_are):
            classes = classes_of(angles, rule, positions)
            few = verified(subject, region, rule.recipe, positions, backwards, classes, few=True)
            if few.kind is None or few.within.sum() < likeliest:
                continue
            solution = _solution(subject, region, rule, positions, backwards, classes)
            if solution is None:
                continue
            if best is None or solution.verdict.weakness < best.verdict.weakness:
                best, likeliest = solution, int(few.within.sum())
            if is_usual(best, angles.of_format):
                return best
    return best


def solved_by(subject, region, angles, rule):
    """The `Solution` of one rule, or None."""
    for positions, backwards in _placements(angles, rule):
        classes = classes_of(angles, rule, positions)
        if verified(subject, region, rule.recipe, positions, backwards, classes, few=True).kind is not None:
            found = _solution(subject, region, rule, positions, backwards, classes)
            if found is not None:
                return found
    return None


def _placements(angles, rule, as_they_are=False):
    try:
        frequencies = made(rule.recipe).inv_freq
    except InputError:  # of numbers beside those that the function takes
        return iter(())
    return placed(angles, frequencies, as_they_are)


def _solution(subject, region, rule, positions, backwards, classes):
    verdict = verified(subject, region, rule.recipe, positions, backwards, classes)
    if verdict.kind is None:
        return None
    # rows of other numbers have no position of this rule: the call gives them those of a line
    return Solution(rule, _filled(positions, verdict.within) + 0.0, backwards, verdict)  # no -0


def placed(angles, frequencies, as_they_are=False):
    """(positions, whether they were rotated by backwards) that the angles may have with frequencies, rounded to
    integers, parts of them or points of a line, or as they are."""
    places, left = unwrapping.positions_of(angles.z, frequencies)
    known = np.isfinite(places)
    if not known.any():
        return
    largest, close = FARTHEST[angles.unit <= 2.0**-24], max(16 * angles.unit, CLOSE / 64)
    if np.median(left[known]) > CLOSE / 4:
        places, left = _far(angles.z, frequencies, places, left, largest, close)
    if np.median(left[known]) > CLOSE:
        return
    odd = np.flatnonzero(known & ~(left <= CLOSE / 4))
    for row in odd if len(odd) <= AT_ODDS else ():
        place = unwrapping.far_positions(angles.z[row], frequencies, largest, close)
        places[row] = places[row] if np.isnan(place) else place
    backwards = bool((places[known] <= 0.25).all() and (places[known] < -0.25).any())
    places = -places if backwards else places
    swing = np.sqrt((frequencies * frequencies).sum())
    error = (max(float(np.median(left[known])), 2 * angles.unit)) / swing
    for rounded in [places] if as_they_are else _rounded(places, known, error):
        yield _filled(rounded, known), backwards


def _far(z, frequencies, places, left, largest, close):
    """Positions of which the first one is so far that the slowest pair has made several turns."""
    known = np.flatnonzero(np.isfinite(places))
    first = known[0]
    start = unwrapping.far_positions(z[first], frequencies, largest, close)
    if not np.isfinite(start):
        return places, left
    relative, _ = unwrapping.positions_of(z * z[first].conj(), frequencies)
    best = places, left
    for found in (start + relative, _put(places, np.isfinite(places), start + _chained(z[known], frequencies))):
        beside = unwrapping.left_over(z, frequencies, np.where(np.isfinite(found), found, 0.0))
        if np.median(beside[known]) < np.median(best[1][known]):
            best = found, beside
    return best


def _chained(z, frequencies):
    """Positions of rows from the first one on, step by step, each then brought to its own angles."""
    steps, _ = unwrapping.positions_of(z[1:] * z[:-1].conj(), frequencies)
    places = np.concatenate([[0.0], np.cumsum(np.nan_to_num(steps), dtype=np.float64)])
    off = unwrapping.wrapped(unwrapping.phases(z * z[0].conj()) - places[:, None] * frequencies) * (z != 0)
    weight = ((z != 0) * frequencies * frequencies).sum(axis=1)
    return places + (off * frequencies).sum(axis=1) / np.where(weight > 0, weight, 1)


def _rounded(places, known, error):
    """Positions rounded to what they may be: integers, multiples of a part, or points of a line."""
    some = places[known]
    for parts in GRIDS:
        near = np.rint(some * parts) / parts
        apart = np.abs(some - near)
        if np.quantile(apart, MOST_ROWS) <= max(16 * error, 1e-9) and (parts == 1 or 64 * error * parts < 1):
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
