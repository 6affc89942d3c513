"""Reading a table whose sines and cosines are no pairs: one rule of the frequencies of its columns, and its call."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..conformance import CLASSES
from ..tensor_files import Tensor
from ..types import Array
from .estimates import logarithm
from .frequency_rule import BEYOND, STRAIGHT, bases, call, line
from .reading_result import Reading
from .solving import FINE, FINEST, LOOSER, USUAL, unit_of
from .verification import verified
from .wave_columns import columns_of
from .wave_rules import scales
from .waves import judged
from .whole import only_of_16_bits
from .wording import known_factor, number, positions_argument, positions_text, runs, several, table_call

KIND = "sinusoidal table"
MOST_BASES = 6
#: {arrangement: which of two channels of the call a number is, 0 for the sine}
WHICH = {
    "sines in even columns": "{columns} % 2",
    "sines in odd columns": "(1 + {columns}) % 2",
    "sines in the first half": "({columns} >= {half})",
    "sines in the second half": "({columns} < {half})",
    "sines alone": "0",
    "cosines alone": "1",
    "sines in even rows": "{rows}[:, None] % 2",
    "sines in odd rows": "(1 + {rows}[:, None]) % 2",
}
ALONE = {"sines alone": "::2", "cosines alone": "1::2"}


class Subject(NamedTuple):
    """A table (rows, width), and the column of the call's result that each number is."""

    tensor: Tensor
    channels: Array

    def row_size(self):
        """Numbers of one row."""
        return self.channels.shape[1]

    def judged(self, region, rows, recipe, positions, backwards):
        """(answers, expected values, what derives the bounds of each class) of some rows."""
        return judged(self.tensor, rows, recipe, positions, self.channels[rows])


class Rule(NamedTuple):
    """What frequencies of columns are, in words; the call with a channel for each; whether two columns share one."""

    text: str
    recipe: dict
    shared: bool


def read_columns(y):
    """The `Reading` of a table of successive rows without pairs, `Held`; None where its columns are no sines and
    cosines of rows."""
    tensor = Tensor(y.format, y.tensor.values.reshape(-1, y.shape[-1]))
    table = y._replace(tensor=tensor)
    unit = unit_of(y.format)
    columns = columns_of(table.numbers(), max(unit, 2.0**-24 / 8))
    if columns is None or not _is_told(columns):
        return None
    positions = np.arange(len(tensor.values), dtype=np.float64) + columns.start
    rules = list(_rules(columns, unit))
    rule = f", {rules[0].text}" if rules else f", frequencies of columns {several(columns.frequencies)}"
    factor = 1.0 if abs(columns.factor - 1) <= 8 * unit else columns.factor
    width = table.shape[1]
    summary = (
        f"{KIND} of {width} column{'s' if width > 1 else ''}, {columns.text}{rule}, "
        f"positions {positions_text(positions)}, factor {known_factor(factor, width)}"
    )
    reading = Reading(
        KIND, summary, y.format, gains=np.full(len(columns.frequencies), factor), frequencies=columns.frequencies,
        positions=positions, notes=(y.note,) if y.note else (),
    )  # fmt: skip
    return _with_call(reading, tensor, columns, rules if factor == 1 else [], unit)


def _is_told(columns):
    """Whether there are frequencies beyond their errors, in a quarter of the columns at least."""
    return bool((columns.frequencies > BEYOND * columns.errors).mean() >= 0.25)


def _rules(columns, unit):
    """The `Rule` of frequencies that fall by one ratio from column to column, or from two columns to the next two."""
    width = len(columns.frequencies)
    for floor in (FINEST, *LOOSER) if unit < 2.0**-30 else LOOSER:
        for shared in (False, True) if width % 2 == 0 else (False,):
            step = 2 if shared else 1
            fitted = _line(columns, floor, step)
            if fitted is None:
                continue
            dim = width if shared else 2 * width
            for base, power in _powers(fitted, width / step, shared):
                for scale, _ in scales(fitted, dim):
                    numbers = {} if scale is None else {"position_scale": scale}
                    recipe = call("sinusoidal", dim=dim, base=base**power, layout="interleaved", **numbers)
                    yield Rule(_text(base, power, width, shared, scale), recipe, shared)


def _powers(fitted, span, shared):
    """(base, multiple of the exponent): columns with an exponent of their own may have that of 2j, the usual one."""
    found = [
        (rank, power, base) for power in ((1,) if shared else (1, 2)) for base, rank in bases(fitted, span / power)
    ]
    yield from ((base, power) for _, power, base in sorted(found)[:MOST_BASES])


def _line(columns, floor, step):
    """The line of the logarithms of frequencies from column to column, or through each second one; None where they
    are on none."""
    known = columns.frequencies > BEYOND * columns.errors
    values = np.where(known, columns.frequencies, 1.0)
    error = np.where(known, floor + columns.errors / values, 1e6)
    if step == 2:
        apart = np.abs(values[1::2] / values[::2] - 1)
        if not (apart <= STRAIGHT * (error[::2] + error[1::2])).all():
            return None
        values, error = values[::2], error[::2]
    if (error < 1).sum() < 3:
        return None
    fitted = line(logarithm(values), error)
    return fitted if fitted.worst <= STRAIGHT else None


def _text(base, power, width, shared, scale):
    exponent = (
        f"2i/{width} of columns 2i and 2i + 1" if shared else f"{'2j' if power == 2 else 'j'}/{width} of column j"
    )
    first = "" if scale is None else f", first frequency {known_factor(scale, width)}"
    return f"base {number(base)}, exponent {exponent}{first}"


def _with_call(reading, tensor, columns, rules, unit):
    """The reading with the call of the rule that has most rows within the bounds."""
    best = None
    for rule in rules:
        found = _verified(reading, tensor, columns, rule, unit)
        if found is not None and (best is None or found.weakness < best[1].weakness):
            best = rule, found
        if found is not None and found.kind in USUAL[unit] and found.within.all():
            break
    if best is None:
        return reading
    rule, found = best
    off = np.flatnonzero(~found.within)
    written = table_call(rule.recipe, positions_argument(reading.positions), reading.format)
    summary = reading.summary.replace(rules[0].text, rule.text) + only_of_16_bits(found.kind, reading.format)
    return replace(
        reading, summary=summary, recipe=rule.recipe, call=written + _taken(columns, rule, *tensor.values.shape),
        met=found.kind, elements=tensor.values.size, outside=(f"rows {runs(off)}",) if len(off) else (),
    )  # fmt: skip


def _verified(reading, tensor, columns, rule, unit):
    """The `Verified` of a rule, or None."""
    width = tensor.values.shape[1]
    column = np.arange(width, dtype=np.int64) // 2 * 2 if rule.shared else 2 * np.arange(width, dtype=np.int64)
    subject = Subject(tensor, np.where(columns.are_sines, column, column + 1))
    for few in (True, False):
        found = verified(
            subject, 0, rule.recipe, reading.positions, False, tuple(CLASSES) if unit > 2.0**-24 else FINE, few
        )
        if found.kind is None:
            return None
    return found


def _taken(columns, rule, rows, width):
    """The columns of a call's result as an index."""
    every = f"np.arange({width})"
    of_rows = f"np.arange({f'{columns.start}, ' if columns.start else ''}{rows + columns.start})"
    if columns.text in ALONE and not rule.shared:
        return f"[..., {ALONE[columns.text]}]"
    which = WHICH[columns.text].format(columns=every, half=width // 2, rows=of_rows)
    index = f"{every} // 2 * 2 + {which}" if rule.shared else f"2 * {every} + {which}"
    return f"[np.arange({rows})[:, None], {index}]" if "rows" in columns.text else f"[..., {index}]"
