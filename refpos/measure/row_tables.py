"""Reading a table of sines and cosines with one position a row: its layout, frequencies and positions, and its call."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from ..tensor_files import Tensor
from ..types import Array
from .frequency_rule import Rule, made
from .grouped import ANY, Group, measured_only
from .held_format import Held, numbers
from .placing import filled, placed
from .solving import Angles, Solution, angles_of, classes_of, is_determined, is_settled, solved, step_of, unit_of
from .unwrapping import common_step, left_over
from .verification import verified
from .wave_layouts import different_rows, layouts_of, rows_of_one_size, spread
from .wave_rules import measured_rule, rules_of
from .waves import Waves
from .whole import reading_of, rest_of, with_call
from .wording import GIVEN, positions_argument, rule_text, runs, table_call

KIND = "sinusoidal table"
AT_ONCE = 256  # rows that are looked at together
FEWEST = 3  # different rows of a measurement that no bounds confirm
CLOSE, UNITS = 2e-3, 8  # radians, or rounding units, that its positions may leave in the median


class Found(NamedTuple):
    """A layout of the different rows of a table, with their angles and the solution, if there is one."""

    subject: Waves
    angles: Angles
    solution: Solution | None


def read_rows(y, name, depth=0):
    """The `Reading` of a table whose rows have one position each, `Held`; None where no layout has positions."""
    leading, table = rows_of(y)
    rows = different_rows(table.tensor.values)
    found = solved_rows(table if len(rows.first) == table.shape[0] else Held(table.at(rows.first)), name)
    if found is None:
        return None
    if found.solution is None:
        return _measured(found, rows, leading, y.note, name)
    subject, solution = found.subject, with_zeros(found.subject, found.angles, found.solution, np.bincount(rows.which))
    whole = Waves(table.tensor, subject.layout)
    determined = is_determined(subject, 0, solution, found.angles)
    group = Group(solution.rule, False, {0: _of_all(solution, rows)}, determined)
    frequencies, positions, _, rule = rest_of(whole, group)
    told = reading_of(
        KIND, what(whole), y.format, told_pairs(whole), found.angles, _notes(y), frequencies,
        _of_axis(positions, leading), False, rule, "factor",
    )  # fmt: skip
    told = replace(told, positions=positions.reshape(leading or -1))
    call = table_call(solution.rule.recipe, _argument(told.positions, group, name), y.format) + subject.layout.taken
    reading = with_call(whole, told, group, call)
    return reading if depth else replace(reading, parts=tuple(_parts(table, group.solutions[0], name)))


def rows_of(y):
    """(leading axes that are longer than 1 where there are several, the rows as `Held` (rows, width))."""
    *leading, width = y.shape
    longer = tuple(size for size in leading if size > 1)
    flat = Tensor(y.format, y.tensor.values.reshape(-1, width))
    return longer if len(longer) > 1 else (), y._replace(tensor=flat)


def solved_rows(table, name):
    """The `Found` of different rows, `Held`: the layout with most of them within the bounds; None where there is
    none."""
    unit, best = unit_of(table.format), None
    usable = _usable(table)
    if not usable.any():
        return None
    numbered = np.flatnonzero(usable)
    few = table.numbers(numbered[spread(len(numbered))])
    for layout in layouts_of(few, unit):
        usable[numbered] = rows_of_one_size(table, numbered, layout, unit)
        subject = Waves(table.tensor if usable.all() else table.at(np.flatnonzero(usable)), layout)
        angles = angles_of(subject, 0, unit)
        rules = partial(rules_of, layout, table.shape[1], name)
        solution = solved(subject, 0, angles, ANY, rules)
        found = Found(subject._replace(tensor=table.tensor), _spread_angles(angles, usable), _spread(solution, usable))
        if solution is not None and is_settled(solution, unit):
            return found
        weakness = _weakness(found, name)
        if best is None or weakness < best[0]:
            best = weakness, found
    return None if best is None else best[1]


def _usable(table):
    """Which rows are finite and not all 0."""
    found = np.zeros(table.shape[0], bool)
    for start in range(0, len(found), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        values = table.numbers(some)
        found[some] = np.isfinite(values).all(axis=1) & values.any(axis=1)
    return found


def _spread_angles(angles, usable):
    """The angles of usable rows as those of all rows, of which the others have none."""
    z, gains = np.zeros((len(usable), angles.z.shape[1]), complex), np.full(len(usable), np.nan)
    z[usable], gains[usable] = angles.z, angles.rows_of_gain
    return angles._replace(z=z, rows_of_gain=gains)


def _spread(solution, usable):
    """The solution of usable rows as that of all rows, of which the others are not within the bounds."""
    if solution is None or usable.all():
        return solution
    within, rows, positions = np.zeros(len(usable), bool), usable.copy(), np.full(len(usable), np.nan)
    within[usable], rows[usable], positions[usable] = solution.verdict.within, solution.rows, solution.positions
    verdict = solution.verdict._replace(within=within)
    return solution._replace(verdict=verdict, rows=rows, positions=filled(positions, usable))


def _weakness(found, name):
    """Lower for rows within stricter bounds, then for frequencies of a rule at positions that explain the angles."""
    if found.solution is not None:
        return 0, *found.solution.verdict.weakness
    known = _by_rule(found, name)
    return 1, np.inf if known is None else known.left


class Placed(NamedTuple):
    """A rule with the positions of the rows, whether they are negated, and what angle that leaves in the median."""

    rule: Rule
    positions: Array
    backwards: bool
    left: float


def _left(angles, frequencies, positions, backwards):
    """The angle that positions leave in the median of the rows; NaN where there is none."""
    if not np.isfinite(frequencies).any():
        return np.nan
    places = np.nan_to_num(0.0 - positions if backwards else positions)
    return float(np.nanmedian(left_over(angles.z, angles.phases, np.nan_to_num(frequencies), places)))


def _by_rule(found, name):
    """The `Placed` of angles that no call has; None where no rule explains them to a few units."""
    subject, angles = found.subject, found.angles
    rule = measured_rule(subject.layout, subject.row_size(), name, angles, step_of(angles))
    frequencies = None if rule is None else made(rule.recipe).inv_freq
    for positions, backwards in () if rule is None else placed(angles, frequencies):
        left = _left(angles, frequencies, positions, backwards)
        if left <= max(CLOSE, UNITS * angles.unit):
            return Placed(rule, positions, backwards, left)
    return None


def with_zeros(subject, angles, solution, counts=1):
    """The solution with the zero_row that rows of zeros tell, and positions that do not turn backwards; counts: how
    often the rows are there."""
    positions = 0.0 - solution.positions if solution.backwards else solution.positions
    solution = solution._replace(positions=positions + 0.0, backwards=False, pairs=np.ones_like(solution.pairs))
    recipe = solution.rule.recipe
    zeros = ~numbers(subject.tensor).any(axis=1)
    if not zeros.any() or recipe["function"] != "sinusoidal":
        return solution
    place = _zero_row(positions, zeros, int((zeros * counts).sum()))
    recipe = {**recipe, "arguments": {**recipe["arguments"], "zero_row": place}}
    rule, positions = solution.rule._replace(recipe=recipe), np.where(zeros, float(place), positions)
    verdict = verified(subject, 0, recipe, positions, False, classes_of(angles, rule, positions))
    if verdict.kind is None:
        return solution
    return solution._replace(rule=rule, positions=positions, verdict=verdict, rows=solution.rows | zeros)


def _zero_row(positions, zeros, count):
    """The position that rows of zeros may have: that of their place among the others, or one that no other row has."""
    others, (place,) = set(positions[~zeros].tolist()), positions[zeros][:1].tolist()
    if count == 1 and place >= 0 and place == np.rint(place) and place not in others:
        return int(place)
    below = int(np.floor(min(others, default=1.0))) - 1
    return below if below >= 0 else max(0, int(np.ceil(max(others, default=0.0))) + 1)


def _of_all(solution, rows):
    """The solution of different rows as that of all rows."""
    which = rows.which
    within = solution.verdict.within[which]
    positions = filled(solution.positions[which], within)
    return solution._replace(
        positions=positions, rows=solution.rows[which], verdict=solution.verdict._replace(within=within)
    )


def _parts(table, solution, name):
    """(where, reading) of the rows that are not within the bounds of the call."""
    off = np.flatnonzero(~solution.verdict.within)
    if 1 < len(off) < len(solution.positions):
        part = read_rows(Held(table.at(off)), name, 1)
        if part is not None and part.call is not None:
            yield f"rows {runs(off)}", part


def _measured(found, rows, leading, note, name):
    """The `Reading` of rows of which no call has the numbers; None where nothing was measured."""
    subject, angles = found.subject, found.angles
    if (angles.z != 0).any(axis=1).sum() < FEWEST:
        return None
    known, rule = _by_rule(found, name), None
    if known is not None:
        rule, positions, backwards, _ = known
        frequencies = np.where(angles.pairs, made(rule.recipe).inv_freq, np.nan)
        positions = np.where(angles.rows, positions, np.nan)
    elif common_step(angles.z, angles.unit) is None:  # any frequencies would explain positions of their own
        return None
    else:
        frequencies, positions, backwards = measured_only(angles)
        if not _left(angles, frequencies, positions, backwards) <= max(CLOSE, UNITS * angles.unit):
            return None
    positions = (0.0 - positions if backwards else positions)[rows.which]
    notes = (*((note,) if note else ()), *_zero_columns(subject))
    told = reading_of(
        KIND, what(subject), subject.tensor.dtype, told_pairs(subject), angles, notes, frequencies,
        _of_axis(positions, leading), False, None if rule is None else rule_text(rule.recipe), "factor",
    )  # fmt: skip
    return replace(told, positions=positions.reshape(leading or -1))


def _zero_columns(subject):
    """A sentence about columns of zeros, if there are any."""
    columns = np.flatnonzero(~numbers(subject.tensor).any(axis=0))
    if len(columns):
        yield f"columns {runs(columns)} are zeros"


def what(subject):
    """The first words of a summary."""
    return f"{KIND} of {subject.row_size()} columns, layout {subject.layout.text}"


def told_pairs(subject):
    """The pairs of a reading: columns of the cosine and of the sine."""
    layout = subject.layout
    pairs = tuple(zip(layout.cosines.tolist(), layout.sines.tolist()))
    return pairs, pairs


def _notes(y):
    return (y.note,) if y.note else ()


def _of_axis(positions, leading):
    """Positions along the one axis along which they change; all of them where there are several."""
    whole = positions.reshape(leading or (-1,))
    for axis in range(whole.ndim):
        along = np.moveaxis(whole, axis, 0).reshape(whole.shape[axis], -1)
        if (along == along[:, :1]).all():
            return along[:, 0]
    return positions


def _argument(positions, group, name):
    """Positions as the call takes them, which takes any number where they are unknown."""
    (solution,) = group.solutions.values()
    if positions.ndim == 1:
        written = positions_argument(np.where(np.isfinite(positions), positions, solution.positions))
        count = written.isdigit() and solution.rule.recipe["function"] == "timestep_embedding"
        if written != GIVEN:
            return f"np.arange({written})" if count else written
    return GIVEN if np.isfinite(positions).all() else f"np.nan_to_num({GIVEN})"
