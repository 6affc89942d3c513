"""Reading means of rows of a table: which rows each is made of, and with what weights."""

from __future__ import annotations

import contextlib
import math

import numpy as np

from ...errors import InputError
from ...steps.rows import doubles
from ..coefficients import coefficient_text, fitted, known_members
from ..reading_result import Reading
from ..solving import unit_of
from ..wording import runs
from ..written import Call, Masked, Written

KIND = "means of rows"
MOST = 64  # rows of a span that are solved
TOLD = 3  # spans that are told
LEFT = 2.0**-8


def read_means(y, inputs):
    """The `Reading` of means of rows, `Held`, by the inputs of `mean_of_rows`, `Written` by name."""
    weight, rows = inputs["weight"], inputs["rows"]
    if (*np.shape(rows.value)[:-1], np.shape(weight.value)[-1]) != y.shape:
        sentence = f"y must be (*rows.shape[:-1], {np.shape(weight.value)[-1]})"
        raise InputError("E_SHAPE", "y", f"{sentence}, got shape {y.shape}")
    notes, spans = (y.note,) if y.note else (), math.prod(y.shape[:-1])
    for text, table, index in _ways(weight, rows):
        call = Masked(Call("mean_of_rows", {"weight": table, "rows": index}))
        with contextlib.suppress(InputError):
            verdict = call.verdict(y.tensor)
            if verdict.kind is not None:
                off = np.flatnonzero(~verdict.within)
                summary = f"{KIND} of {spans} spans" + (f": {text}" if text else "")
                outside = (f"spans {runs(off)}",) if len(off) else ()
                return Reading(KIND, summary, y.format, call=call.text(y.format), met=verdict.kind,
                               elements=y.tensor.values.size, outside=outside, notes=notes)  # fmt: skip
    return _measured(y, weight, rows, notes)


def _ways(weight, rows):
    """(what a program does otherwise, the table, the rows)."""
    count, index = len(weight.value), np.asarray(rows.value)
    yield "", weight, rows
    for step, text in ((1, "the row after each"), (-1, "the row before each")):
        sign = "+" if step > 0 else "-"
        shifted = np.where(index < 0, -1, np.clip(index + step, 0, count - 1))
        yield (
            text,
            weight,
            Written(f"np.where({rows.text} < 0, -1, np.clip({rows.text} {sign} 1, 0, {count - 1}))", shifted),
        )
    if (index < 0).any():
        last = Written(f"np.where({rows.text} < 0, {count - 1}, {rows.text})", np.where(index < 0, count - 1, index))
        yield "row -1 read as the last one of the table", weight, last
        yield "row -1 read as row 0", weight, Written(f"np.maximum({rows.text}, 0)", np.maximum(index, 0))
        zeros = Written(f"np.concatenate([{weight.text}, 0 * {weight.text}[:1]])",
                        np.concatenate([weight.value, 0 * weight.value[:1]]))  # fmt: skip
        counted = Written(f"np.where({rows.text} < 0, {count}, {rows.text})", np.where(index < 0, count, index))
        yield "padding counted", zeros, counted
    yield "the first row alone", weight, Written(f"{rows.text}[..., :1]", index[..., :1])


def _measured(y, weight, rows, notes):
    """The weights of the rows of each span."""
    table, unit = doubles.read("weight", weight.value)[0], unit_of(y.format)
    numbers = y.numbers().reshape(-1, y.shape[-1])
    index = np.asarray(rows.value).reshape(len(numbers), -1)
    told, worst, found = [], 0.0, {}
    for span, (row, named) in enumerate(zip(numbers, index)):
        named = np.unique(np.concatenate([named[named >= 0], [0, len(table) - 1]]))[:MOST]
        if len(named) >= len(row):
            return Reading("unknown", f"{KIND}: more rows in a span than channels, which tell no weights", y.format)
        fit = fitted(row, table[named], unit)
        worst = max(worst, fit.left)
        weights = [known_members(*pair, (0.0, 1.0))[0] for pair in zip(fit.values, fit.widths)]
        found[f"span {span}"] = dict(zip(named.tolist(), weights))
        parts = [f"{coefficient_text(one)} of row {k}" for k, one in zip(named, weights) if one]
        told.append(f"span {span}: {', '.join(parts) or 'zeros'}")
    if worst > LEFT:
        return Reading("unknown", f"no {KIND}: the rows that are named, the first and the last leave "
                       f"{100 * worst:.2g} % of the numbers unexplained", y.format, notes=notes)  # fmt: skip
    more = f"; and {len(told) - TOLD} more spans" if len(told) > TOLD else ""
    return Reading(KIND, f"sums of rows of {len(told)} spans: {'; '.join(told[:TOLD])}{more}", y.format, notes=notes)
