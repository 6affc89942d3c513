"""What regions of one rule have together: positions in one array, rows outside of the bounds, and the sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..conformance import CLASSES
from .frequency_rule import made
from .held_format import numbers
from .reading_result import Reading
from .solving import FINE
from .wording import GIVEN, gains_text, positions_argument, positions_text, rule_text, runs, several


def rest_of(subject, group):
    """(frequencies, positions, whether backwards, text of the rule) of the regions of a group; NaN where there is no
    angle."""
    frequencies = np.where(_with_angle(group), made(group.rule.recipe).inv_freq, np.nan)
    rule = rule_text(group.rule.recipe)
    rule = rule if group.determined else f"base not determined ({rule} is one of several)"
    return frequencies, _positions(subject, group), group.backwards, rule


def _with_angle(group):
    """Which pairs have an angle in some row."""
    return np.any([solution.pairs for solution in group.solutions.values()], axis=0)


def _unknown(subject, group):
    """Sentences about what is not known: frequencies and positions of pairs and rows that have no angle."""
    if not any(solution.positions.any() for solution in group.solutions.values()):
        yield "all angles are 0: neither the base nor the width is determined"
    pairs = np.flatnonzero(~_with_angle(group))
    if len(pairs):
        yield f"pairs {runs(pairs)} have no angle in any row: nothing is said of their frequencies"
    for region, solution in sorted(group.solutions.items()):
        rows = np.flatnonzero(_idle(solution))
        if len(rows):
            yield f"rows {runs(rows)}{_of_place(subject, region)} have no angle: any position gives their numbers"


def _of_place(subject, region):
    return f" of {subject.place(region)}" if subject.shape[0] > 1 else ""


def _idle(solution):
    """Which rows the call gives at any position: those of zeros."""
    return ~solution.rows & solution.verdict.within


def _positions(subject, group):
    """(rows,), or (.., rows) with axes of 1 where all regions of it have the same; NaN in regions of another rule and
    in rows without an angle."""
    regions, rows, _ = subject.shape
    found = np.full((regions, rows), np.nan)
    for region, solution in group.solutions.items():
        found[region] = np.where(_idle(solution), np.nan, solution.positions)
    if regions == 1:
        return found[0]
    axes = getattr(subject, "others", None)
    if axes is None:
        return found
    shape = [subject.y.shape[axis] if axis in axes else 1 for axis in range(subject.sequence)]
    return found.reshape(*shape, rows) if all(axis < subject.sequence for axis in axes) else found


def with_call(subject, reading, group, call):
    """A reading with the call that its group verified: within the loosest of the classes that its regions meet."""
    kinds = {solution.verdict.kind for solution in group.solutions.values()}
    met = max(kinds, key=list(CLASSES).index)
    rows = sum(int((~_idle(solution)).sum()) for solution in group.solutions.values())
    return replace(
        reading,
        summary=reading.summary + only_of_16_bits(met, reading.format),
        recipe=group.rule.recipe,
        met=met,
        call=call,
        elements=rows * subject.row_size(),
        outside=tuple(_outside(subject, group)),
        notes=(*reading.notes, *_unknown(subject, group)),
    )


def only_of_16_bits(met, fmt):
    """What the first line says of wider numbers that only the bounds of 16-bit tables verify."""
    loose = met not in FINE and fmt in ("float32", "float64")
    return ", only within the bounds of 16-bit tables" if loose else ""


def positions_in_call(group, positions):
    """Positions of a reading as an argument of its call, which takes any number where they are unknown."""
    if positions.ndim == 1:
        (solution,) = group.solutions.values()
        written = positions_argument(np.where(np.isfinite(positions), positions, solution.positions))
        if written != GIVEN:
            return written
    return GIVEN if np.isfinite(positions).all() else f"np.nan_to_num({GIVEN})"


def _outside(subject, group):
    """The rows that are not within the bounds, region by region."""
    for region, solution in sorted(group.solutions.items()):
        off = np.flatnonzero(~solution.verdict.within)
        for rows, what in _alike(subject, region, group, solution, off):
            yield f"rows {runs(rows)}{_of_place(subject, region)}{what}"


def _alike(subject, region, group, solution, off):
    """(rows, what they hold) of rows that are not within the bounds: those that are all NaN, and the others."""
    silent, rest = off[~solution.rows[off]], off
    if len(silent):
        given = group.rule.recipe, solution.positions[silent], solution.backwards
        values = np.moveaxis(numbers(subject.judged(region, silent, *given)[0]), -2, 0)
        lost = silent[np.isnan(values.reshape(len(silent), -1)).all(axis=1)]
        rest = np.setdiff1d(off, lost)
        yield from [(lost, ", which are NaN")] if len(lost) else []
    yield from [(rest, "")] if len(rest) else []


def reading_of(kind, what, fmt, pairs, angles, notes, frequencies, positions, backwards, rule=None, word="gain"):
    """The `Reading` of a measurement; pairs: those that are read and those that are written; word: the
    name of the factor of the numbers."""
    if rule is None:
        rule = f"frequencies {several(frequencies)}" if np.isfinite(frequencies).any() else "frequencies unknown"
    of_rows = positions.reshape(-1, positions.shape[-1])
    told = [positions_text(row) for row in of_rows[:3] if np.isfinite(row).any()]
    told += [".."] if len(of_rows) > 3 else []
    where = f"positions {'; '.join(told)}" if told else "positions unknown"
    where += ", rotated by minus the angle" if backwards else ""
    summary = f"{what}, {rule}, {where}, {gains_text(angles, word)}"
    return Reading(kind, summary, fmt, *pairs, angles.gains, frequencies, positions, backwards, notes=notes)
