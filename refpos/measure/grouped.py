"""Regions of an array that have the same measurement: one rule, with the positions of each region."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import solving
from .frequency_rule import BEYOND, Rule
from .placing import placed
from .solving import Angles, Solution
from .unwrapping import left_over, slopes, wrapped

ANY = 99  # a rank above all
NEARLY = 0.05  # radians that positions at frequencies that were asked for may leave
HALF = 0.5  # of that, which another frequency of a pair must leave less than


class Group(NamedTuple):
    """Regions that one rule explains, with the solution of each, and whether their numbers tell its base."""

    rule: Rule
    backwards: bool
    solutions: dict[int, Solution]
    determined: bool


def groups_of(subject, unit, below=ANY):
    """(groups of regions, the largest first, regions that no rule below a rank explains, angles of the first one)."""
    groups, unsolved, first = [], [], None
    for region in range(subject.shape[0]):
        angles = solving.angles_of(subject, region, unit)
        first = angles if first is None else first
        known = _of_known(subject, region, angles, groups)
        if known is not None:
            continue
        found = solving.solved(subject, region, angles, below)
        if found is None:
            unsolved.append(region)
        else:
            determined = solving.is_determined(subject, region, found, angles)
            groups.append(Group(found.rule, found.backwards, {region: found}, determined))
    groups.sort(key=lambda group: -len(group.solutions))
    return groups, unsolved, first


def _of_known(subject, region, angles, groups):
    """The group whose rule explains a region, to which the region is then added; None where there is none."""
    for group in groups:
        found = solving.solved_by(subject, region, angles, group.rule)
        if found is not None and found.backwards == group.backwards:
            group.solutions[region] = found
            return group
    return None


def measured_only(angles: Angles):
    """(frequencies up to a common factor, positions, whether backwards) of angles that no rule explains; NaN where
    there is no angle, and all of them where no positions explain the angles."""
    asked = _at_asked_frequencies(angles)
    if asked is not None:
        return asked
    step, found = solving.step_of(angles), None
    if step is not None and (np.abs(step[0]) > BEYOND * step[1]).any():
        rounded, plain = (next(placed(angles, step[0], as_they_are), None) for as_they_are in (False, True))
        found = rounded or plain
    if found is None:
        return np.full(angles.z.shape[1], np.nan), np.full(len(angles.z), np.nan), False
    return np.where(angles.pairs, step[0], np.nan), np.where(angles.rows, found[0], np.nan), found[1]


def _at_asked_frequencies(angles):
    """`measured_only` by the frequencies that are tried first, where positions nearly explain the angles."""
    frequencies = solving.asked_frequencies(angles)
    for positions, backwards in () if frequencies is None else placed(angles, frequencies):
        left = left_over(angles.z, angles.phases, frequencies, -positions if backwards else positions)
        if np.median(left[angles.rows]) <= NEARLY:
            positions, backwards = _or_asked(angles, frequencies, positions, backwards)
            places = -positions if backwards else positions
            measured = _measured_there(angles, frequencies, places)
            if not _is_turning(angles, measured, places):
                return np.where(angles.pairs, measured, np.nan), np.where(angles.rows, positions, np.nan), backwards
    return None


def _or_asked(angles, frequencies, positions, backwards):
    """Positions and whether they are backwards, or those that were asked for, where other frequencies at these leave
    less: that of all pairs together would be taken for one of the positions."""
    asked = solving.ASKED.get().positions
    if asked is None or asked.shape != positions.shape:
        return positions, backwards
    left = []
    for places in (-positions if backwards else positions, asked):
        measured = _measured_there(angles, frequencies, places)
        left.append(float(np.nanmax(left_over(angles.z, angles.phases, measured, places), initial=0.0)))
    return (asked, False) if left[1] < HALF * left[0] else (positions, backwards)


def _measured_there(angles, frequencies, places):
    """The frequencies that were asked for, but those that were measured at these positions where they leave less than
    half of what is left of the angles: there the numbers have other frequencies, and not larger errors."""
    more, told = _better(angles, frequencies, places, places)
    return np.where(told, frequencies + more, frequencies)


def _is_turning(angles, frequencies, places):
    """Whether what positions leave of the angles of some pair goes on from row to row."""
    return bool(_better(angles, frequencies, places, np.arange(len(places), dtype=np.float64))[1].any())


def _better(angles, frequencies, places, along):
    """(what is left of the angles of each pair in one unit of some numbers of the rows, whether that is above their
    error and leaves less than half of it)."""
    known = angles.z != 0
    off = wrapped(angles.phases - places[:, None] * frequencies) * known
    more, weight = slopes(off, known, along)
    before, after = (off * off).sum(axis=0), ((off - along[:, None] * more) ** 2 * known).sum(axis=0)
    return more, (np.abs(more) * np.sqrt(weight) > BEYOND * angles.unit) & (after < HALF * HALF * before)
