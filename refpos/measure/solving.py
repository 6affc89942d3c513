"""Frequencies and positions of measured angles: rules that fit, and the first of them that the bounds verify."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..arithmetic import formats
from ..conformance import CLASSES
from ..conformance.classes import ANGLE_CLASSES
from ..errors import InputError
from ..types import Array
from . import frequency_rule, ramps, unwrapping
from .best_known import BASES
from .frequency_rule import BASE_OF, Measured, Rule, made
from .placing import filled, placed
from .subjects import measured_rows
from .unwrapping import Angles
from .verification import Verified, verified

FINEST = 2.0**-48  # relative errors of frequencies of float64 programs, and of others, looser and looser
LOOSER = (2.0**-22, 2.0**-20, 2.0**-16, 2.0**-11)
WIDER = 4  # times the estimated error of the angles, where no rule fits within that
MOST_RULES, FEW_RULES = 24, 8
MANY_ROWS = 64  # of which more than half are no chance
COARSE = (2.0**-11, 2.0**-8)  # rounding units of tables
FINE = ("correct", "faithful", *ANGLE_CLASSES)
#: {rounding unit of a format: classes of its programs}; another rule may meet one of them where the first does not
USUAL = {2.0**-53: FINE[:3], 2.0**-24: FINE, 2.0**-11: tuple(CLASSES), 2.0**-8: tuple(CLASSES)}
MOSTLY = 0.9  # of the rows, from which on a rule that was asked for is that of all
OTHER_GAIN, FEW_OTHERS = 0.05, 0.1  # of the gain that rows of other numbers are off, and of the rows
RAMPS = ("yarn", "ntk_by_parts", "llama3")


class Asked(NamedTuple):
    """What is tried before all else: a rule, and positions of the rows at which it is tried first, or None."""

    rule: Rule
    positions: Array | None


ASKED: ContextVar[Asked | None] = ContextVar("ASKED", default=None)


@contextmanager
def asked_first(recipe: dict[str, Any] | None, positions: Array | None = None) -> Iterator[None]:
    """A block in which the frequencies of a call, or none, are tried before all others."""
    token = ASKED.set(None if recipe is None else Asked(Rule(recipe, 0), positions))
    try:
        yield
    finally:
        ASKED.reset(token)


class Solution(NamedTuple):
    """A rule with the positions of each row, whether it rotates backwards, what the bounds say of it, and which rows
    and pairs have an angle. A row without one is given the position that the others leave to it."""

    rule: Rule
    positions: Array
    backwards: bool
    verdict: Verified
    rows: Array
    pairs: Array


def angles_of(subject, region, unit):
    """The `Angles` of a region."""
    z, of_pairs, of_rows = measured_rows(subject, region)
    rows = _gains(of_rows)
    off = np.abs(rows / np.nanmedian(rows) - 1) > OTHER_GAIN if np.isfinite(rows).any() else np.zeros(len(rows), bool)
    if 0 < off.sum() <= FEW_OTHERS * len(rows):  # rows of other numbers, which say nothing of the gain of the others
        _, of_pairs, _ = measured_rows(subject, region, off)
        rows = np.where(off, np.nan, rows)
    gains = _gains(of_pairs)
    # a table of fewer bits than its product with x has gains that are as far from one
    units = [unit, *(coarse for coarse in COARSE if coarse > unit)]
    found = [Angles(z, gains, rows, one, unit) for one in units]
    return next((one for one in found if one_gain(one) is not None), found[0])


def _gains(squares):
    """The roots of the sums of squares after as a share of those before, NaN where there are none."""
    before, after = squares
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sqrt(np.where(before > 0, after / before, np.nan))


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
    moving = _moving(angles) | ~angles.pairs
    dim, count = 2 * len(moving), int(np.count_nonzero(moving))
    if angles.unit > 2.0**-30 and 1 < count < len(moving) and moving[:count].all():
        return partial(frequency_rule.call, "proportional", dim=dim, partial_rotary_factor=count / len(moving))
    return partial(frequency_rule.call, "inverse_frequencies", dim=dim)


def rules_of(angles, found):
    """The rules that fit angles of one step with their error, the likeliest first."""
    gain, rules = one_gain(angles), []
    if gain is None:
        return []
    for k, measured in enumerate(measurements(angles, found, gain)):
        fitted = [*frequency_rule.geometric(measured), *ramps.ramped(measured)]
        rules += [rule._replace(rank=rule.rank + k / 64) for rule in fitted]
        if k == 0 and angles.pairs.all():
            rules += frequency_rule.as_given(measured)
    if gain[0] == 1:
        rules += [Rule(_usual(angles)(base=base), 4) for base in BASES]
    return in_order(rules)


def in_order(rules):
    """Each of some rules once, the likeliest first and those with a ramp last."""
    rules = sorted(rules, key=lambda rule: (is_ramp(rule), rule.rank))
    return [rule for k, rule in enumerate(rules) if all(rule.recipe != one.recipe for one in rules[:k])]


def measurements(angles, found, gain):
    """Angles of one step with their error as `Measured`, of more and more tolerance; none where there are none."""
    if found is None:
        return
    for floor in (FINEST, *LOOSER) if angles.unit < 2.0**-30 else LOOSER:
        absolute = found[1] * (WIDER if floor == LOOSER[-1] else 1)
        yield Measured(found[0], absolute, floor, *gain, angles.pairs).with_unknown()


def is_ramp(rule):
    """Whether a rule keeps fast pairs and divides slow ones; YaRN by a factor of 1 is a base with a gain."""
    return rule.recipe["function"] in RAMPS and rule.recipe["arguments"].get("factor") != 1


def classes_of(angles, rule, positions):
    """The classes that may verify a rule at these positions. Numbers of more than 16 bits are within the bounds of
    16-bit tables of many rules: of these, those of a known base at successive integers alone are said."""
    if angles.of_format > 2.0**-24:
        return tuple(CLASSES)
    known = np.flatnonzero(np.isfinite(positions))
    starts = positions[known] - known
    successive = len(known) and (starts == starts[0]).all() and starts[0] == np.rint(starts[0])
    plain = rule.recipe["arguments"].get(BASE_OF.get(rule.recipe["function"])) in BASES
    return tuple(CLASSES) if plain and successive else FINE


def _refined(angles, frequencies, places, within):
    """(angles of one position, their absolute error) by the rows that are within, at their positions from 0."""
    known = np.isfinite(places) & within
    places, z = places[known], angles.z[known]
    total = float((places * places).sum())
    if not total:
        return None
    off = unwrapping.wrapped(angles.phases[known] - places[:, None] * frequencies)
    return frequencies + unwrapping.slopes(off, z != 0, places)[0], 4 * angles.unit / float(np.sqrt(total))


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


def solved(subject, region, angles, below, rules_of=rules_of):
    """The `Solution` with most rows within the bounds, the first one that has all, of rules below a rank; None where no
    rule has enough. rules_of: what makes rules of angles of one step."""
    asked = _of_asked(subject, region, angles)
    if asked is not None and _is_likely(asked, angles.of_format):
        return asked
    found = step_of(angles)
    rules = _likeliest(rule for rule in rules_of(angles, found) if rule.rank < below)
    best = _best_of(subject, region, angles, rules, asked)
    if best is None or not is_settled(best, angles.of_format):
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
            solution = _solution(subject, region, angles, rule, positions, backwards, classes)
            if solution is None:
                continue
            if best is None or _is_better(solution, best):
                best, likeliest = solution, int(few.within.sum())
            if is_settled(best, angles.of_format):
                return best
    return best


def _is_better(solution, best):
    """Whether a solution has more rows within its bounds, or a stricter class; an estimate near a known base, which has
    some rows more of the same class and not all, is no better than that base."""
    is_estimate = best.rule.rank < 1 <= solution.rule.rank and best.verdict.kind == solution.verdict.kind
    if is_estimate and not solution.verdict.within.all():
        return False
    return solution.verdict.weakness < best.verdict.weakness


def is_settled(solution, unit):
    """Whether no other rule is looked for: all rows are within the bounds, or more than half of many rows of a table of
    sines and cosines, with a known base and the usual exponents."""
    function, waves = solution.rule.recipe["function"], ("sinusoidal", "timestep_embedding")
    plain = solution.rule.rank < 0.5 and (function in waves or (function in BASE_OF and unit <= 2.0**-24))
    usual = solution.verdict.kind in USUAL[unit]
    return is_usual(solution, unit) or (plain and usual and len(solution.positions) > MANY_ROWS)


def _is_likely(solution, unit):
    """Whether a rule that was asked for has so many rows that no other is looked for."""
    return bool(solution.verdict.within.mean() >= MOSTLY) and solution.verdict.kind in USUAL[unit]


def is_determined(subject, region, solution, angles):
    """Whether the bounds tell the base of a solution from twice that base."""
    function, given = solution.rule.recipe["function"], solution.rule.recipe["arguments"]
    if function not in BASE_OF:
        return True
    name = BASE_OF[function]
    other = frequency_rule.call(function, **given | {name: 2 * given[name]})
    classes = classes_of(angles, solution.rule, solution.positions)
    classes = classes[: classes.index(solution.verdict.kind) + 1]
    for few in (True, False):
        found = verified(subject, region, other, solution.positions, solution.backwards, classes, few)
        if found.kind is None or ((solution.verdict.within & ~found.within).any() and not few):
            return True
    return False


def asked_frequencies(angles):
    """The frequencies of the rule that is tried first, where there is one of as many pairs; else None."""
    asked = ASKED.get()
    frequencies = None if asked is None else made(asked.rule.recipe).inv_freq
    return frequencies if frequencies is not None and len(frequencies) == angles.z.shape[1] else None


def _of_asked(subject, region, angles):
    """The `Solution` of the rule that is tried first, or None."""
    if asked_frequencies(angles) is None:
        return None
    rule, positions = ASKED.get()
    if positions is not None and positions.shape == angles.z.shape[:1]:
        found = _solution(subject, region, angles, rule, positions, False, classes_of(angles, rule, positions))
        if found is not None and _is_likely(found, angles.of_format):
            return found
    return solved_by(subject, region, angles, rule)


def solved_by(subject, region, angles, rule):
    """The `Solution` of one rule, or None."""
    for positions, backwards in _placements(angles, rule):
        classes = classes_of(angles, rule, positions)
        if verified(subject, region, rule.recipe, positions, backwards, classes, few=True).kind is not None:
            found = _solution(subject, region, angles, rule, positions, backwards, classes)
            if found is not None:
                return found
    return None


def _placements(angles, rule, as_they_are=False):
    try:
        frequencies = made(rule.recipe).inv_freq
    except InputError:  # of numbers beside those that the function takes
        return iter(())
    return placed(angles, frequencies, as_they_are)


def _solution(subject, region, angles, rule, positions, backwards, classes):
    verdict = verified(subject, region, rule.recipe, positions, backwards, classes)
    if verdict.kind is None or (is_ramp(rule) and not _is_plain(positions, verdict)):
        return None
    # rows of other numbers have no position of this rule: the call gives them those of a line
    positions = filled(positions, verdict.within) + 0.0  # no -0
    return Solution(rule, positions, backwards, verdict, angles.rows, angles.pairs)


def _is_plain(positions, verdict):
    """Whether the rows that lie within the bounds have integer positions, or none lies outside: a ramp has so many
    parameters that it comes near to many numbers at positions of its own."""
    known = np.isfinite(positions)
    return bool(verdict.within[known].all() or (positions[known] == np.round(positions[known])).all())
