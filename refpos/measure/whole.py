"""What regions of one rule have together: positions in one array, rows outside of the bounds, and the sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..conformance import CLASSES
from .frequency_rule import made
from .reading_result import Reading
from .solving import FINE
from .wording import gains_text, positions_text, rule_text, runs, several


def rest_of(subject, group):
    """(frequencies, positions, text of the rule) of the regions of a group."""
    frequencies = made(group.rule.recipe).inv_freq
    return frequencies, _positions(subject, group), rule_text(group.rule.recipe)


def _positions(subject, group):
    """(rows,), or (.., rows) with axes of 1 where all regions of it have the same; NaN in regions of another rule."""
    regions, rows, _ = subject.shape
    found = np.full((regions, rows), np.nan)
    for region, solution in group.solutions.items():
        found[region] = solution.positions
    if regions == 1:
        return found[0]
    axes = getattr(subject, "others", None)
    if axes is None:
        return found
    shape = [subject.y.shape[axis] if axis in axes else 1 for axis in range(subject.sequence)]
    return found.reshape(*shape, rows) if all(axis < subject.sequence for axis in axes) else found


def with_call(reading, group, call, row_size):
    """A reading with the call that its group verified: within the loosest of the classes that its regions meet."""
    kinds = {solution.verdict.kind for solution in group.solutions.values()}
    met = max(kinds, key=list(CLASSES).index)
    loose = met not in FINE and reading.format in ("float32", "float64")
    rows = sum(solution.verdict.within.size for solution in group.solutions.values())
    return replace(
        reading,
        summary=reading.summary + (", only within the bounds of 16-bit tables" if loose else ""),
        inverse=group.backwards,
        recipe=group.rule.recipe,
        met=met,
        call=call,
        elements=rows * row_size,
        outside=outside_of(group),
    )


def outside_of(group):
    """The rows that are not within the bounds, region by region."""
    told = []
    for region, solution in sorted(group.solutions.items()):
        off = np.flatnonzero(~solution.verdict.within)
        if len(off):
            told.append(f"rows {runs(off)}" + (f" of region {region}" if len(group.solutions) > 1 else ""))
    return tuple(told)


def reading_of(kind, what, fmt, pairs, angles, notes, frequencies, positions, rule=None):
    """The `Reading` of a measurement; pairs: those that are read and those that are written."""
    if rule is None:
        rule = f"frequencies {several(frequencies)}" if np.isfinite(frequencies).any() else "frequencies unknown"
    of_rows = positions.reshape(-1, positions.shape[-1])
    told = [positions_text(row) for row in of_rows[:3] if np.isfinite(row).any()]
    told += [".."] if len(of_rows) > 3 else []
    where = f"positions {'; '.join(told)}" if told else "positions unknown"
    summary = f"{what}, {rule}, {where}, {gains_text(angles.gains, angles.unit)}"
    return Reading(kind, summary, fmt, *pairs, angles.gains, frequencies, positions, notes=notes)
