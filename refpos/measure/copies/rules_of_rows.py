"""Rows of queries and keys as a `Reading`: the rule that gives them, verified row by row, or what was measured."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...types import Array
from ..position_runs import run_of
from ..reading_result import Reading
from ..wording import SHOWN, runs, several_of
from . import distance_rows, offset_rows
from .distance_rows import Rule
from .matched_rows import MASKED, UNKNOWN, ZEROS
from .sources import Source

KIND = "copied rows"
MOSTLY = 0.75  # of the elements that a rule must have before it is said to give the rows
HALF = 0.5


class Laid(NamedTuple):
    """Vectors over heads (entries, queries, keys, heads), what the axes are, and what a call of (heads, queries, keys)
    ends with; None where the call gives (queries, keys, dim)."""

    vectors: Array
    words: str
    ending: str | None


class Found(NamedTuple):
    """Rows of queries and keys with the table that has them; first: the first row equal to each row."""

    rows: Array
    source: Source | None
    first: Array
    laid: Laid | None

    def agrees(self, rows):
        """Which elements read these rows, or rows equal to them."""
        count = len(self.first)
        known = np.where((rows >= 0) & (rows < count), self.first[rows.clip(0, count - 1)], rows)
        return known == self.rows

    def share_of_known(self, rows):
        """How many of the elements that are rows, or zeros, are these."""
        told = self.rows >= ZEROS
        return float(self.agrees(rows)[told].mean()) if told.any() else 0.0

    def share(self, rows):
        """How many of the elements that are not masked read these rows."""
        told = self.rows != MASKED
        return float(self.agrees(rows)[told].mean()) if told.any() else 0.0


def reading_of_rows(y, found, name):
    """The `Reading` of rows (queries, keys)."""
    study = distance_rows.by_distance(found.rows, len(found.first))
    along = 0.0 if study is None else found.share_of_known(study.spread(study.rows))
    window = None if along == 1.0 else offset_rows.measured(found.rows, len(found.first))
    notes = [*((y.note,) if y.note else ()), *(found.source.notes if found.source else ())]
    if found.laid is not None and found.laid.words:
        notes.append(f"axes {found.laid.words}")
    base = Reading(KIND, "", y.format, rows=found.rows, notes=(*notes, *_seen(found)))
    rule = _best(found, _rules(found, study, along, window, name))
    if rule is None:
        return replace(base, summary=f"{KIND}: {_measured(found, study, along, window)}")
    told, agree = found.rows != MASKED, found.agrees(rule.rows)
    outside = tuple(_differences(found, rule, told & ~agree))
    words = rule.words + (f", at {100 * found.share(rule.rows):.4g} % of the elements" if outside else "")
    masked = np.flatnonzero(~told.all(axis=1))
    outside += (f"masked keys of queries {runs(masked)}",) if len(masked) else ()
    width = 1 if found.source is None else found.source.rows.shape[1]
    return replace(base, summary=f"{KIND}: {words}", call=_call(found, rule, name), met="correct",
                   elements=int((told & agree).sum()) * width, outside=outside)  # fmt: skip


def _best(found, rules):
    """The first rule that all elements have, else that of most of them; None where too few have one, and where one row
    at all elements, or one element alone, has every rule."""
    best, most = None, MOSTLY
    if _is_one_row(found):
        return None
    for rule in rules:
        if found.source is not None and rule.rows.max() >= len(found.first):
            continue
        share = found.share(rule.rows)
        if share == 1.0:
            return rule
        if share > most:
            best, most = rule, share
    return best


def _rules(found, study, along, window, name):
    """Rules that may give the rows, those of the function that is meant first."""
    if study is None:
        return
    makers = {"clip": distance_rows.clipped, "t5": distance_rows.t5, "deberta": distance_rows.deberta}
    meant = {"t5_bias": "t5", "t5_buckets": "t5", "log_buckets": "deberta"}.get(name, "clip")
    in_window = window is not None and not window.unlike
    if along > HALF and not in_window:
        for kind in sorted(makers, key=lambda one: one != meant):
            yield from makers[kind](study)
    if along < 1.0:
        yield from offset_rows.named(found.rows.shape, len(found.first), window)
        yield from _of_one_axis(found.rows)


def _of_one_axis(rows):
    """Rows of keys, or of queries, alone."""
    for axis, words in ((0, "the same for all queries, by key"), (1, "the same for all keys, by query")):
        one = np.take(rows, 0, axis=axis)
        if (rows == np.expand_dims(one, axis)).all() and one.min() >= 0:
            run = run_of(one, "")
            if run.text is not None:
                along = run.text if not axis else f"np.reshape({run.text}, (-1, 1))"
                text = f"np.broadcast_to({along}, {rows.shape})"
                yield Rule(f"{words}: {run.words.replace('position', 'row', 1)}", rows, text)


def _call(found, rule, name):
    """The call that gives the numbers: of rows, of a bias, or of vectors; None where the table is known up to its
    rounding."""
    if found.source is None:
        return rule.index
    if not found.source.text:
        return None
    table, index, ending = found.source.text, rule.index, found.laid.ending
    if rule.bias is not None and ending is not None:
        return rule.bias.format(table=table) + ending
    if (rule.rows == ZEROS).any():
        table, index = f"np.pad({table}, ((0, 1), (0, 0)))", f"{index} % {len(found.first) + 1}"
    vectors = f"refpos.learned({table}, {index})"
    return vectors if ending is None else f"np.moveaxis({vectors}, -1, 0){ending}"


def _seen(found):
    """Sentences about rows that are equal, zeros, masked elements and vectors that are no row."""
    rows, count = found.rows, len(found.first)
    again = np.flatnonzero(found.first != np.arange(count, dtype=np.int64))
    if len(again) and np.isin(found.first[again], rows).any():
        yield f"rows {runs(again)} of the table are equal to others before them: which of them is read is not told"
    for code, words in ((ZEROS, "zeros"), (UNKNOWN, "no row of the table")):
        here = int((rows == code).sum())
        if here and found.source is not None:
            yield f"{here} of {rows.size} elements are {words}"
    masked = rows == MASKED
    if masked.any():
        after = distance_rows.relative(rows.shape) > rows.shape[1] - rows.shape[0]
        what = "the keys after the query" if np.array_equal(masked, after) else f"{int(masked.sum())} of {rows.size}"
        yield f"masked: {what}"


def _differences(found, rule, off):
    """Where rows are not those of a rule: at some distances, or in some queries."""
    if not off.any():
        return
    relative = distance_rows.relative(off.shape)
    distances = np.unique(relative[off])
    if off[np.isin(relative, distances) & (found.rows != MASKED)].all():
        if len(distances) > SHOWN:
            yield f"other rows at key - query {runs(distances)}"
            return
        for distance in distances:
            here = relative == distance
            read, meant = (int(one[here & off][0]) for one in (found.rows, rule.rows))
            yield f"key - query = {distance}: {_said(read)}, not {_said(meant)}"
        return
    queries, keys = (np.flatnonzero(off.any(axis=axis)) for axis in (1, 0))
    where = several_of("query", queries, "queries") if len(queries) <= len(keys) else several_of("key", keys)
    yield f"{int(off.sum())} of {off.size} elements, in {where}"


def _said(row):
    return {ZEROS: "zeros", UNKNOWN: "no row"}.get(row, f"row {row}")


def _is_one_row(found):
    told = found.rows[found.rows != MASKED]
    return bool(told.size) and bool((told == told[0]).all())


def _measured(found, study, along, window):
    """Rows of no rule in words."""
    if study is None:
        return "no row of the table"
    if _is_one_row(found):
        return f"{_said(int(study.rows[0]))} at all elements, which tells no rule"
    if along == 1.0:
        return f"rows by key - query: {distance_rows.pieces_text(study.distances, study.rows)}"
    told = int((found.rows >= ZEROS).sum())
    if window is not None and window.unlike <= told * (1 - MOSTLY):
        unlike = f", at all but {window.unlike} elements" if window.unlike else ""
        return offset_rows.words(window, len(found.first)) + _prefix_text(found.rows, window.prefix) + unlike
    if along > HALF:
        pieces = distance_rows.pieces_text(study.distances, study.rows)
        return f"rows by key - query at {100 * along:.0f} % of the elements: {pieces}"
    first = distance_rows.pieces_text(np.arange(found.rows.shape[1], dtype=np.int64), found.rows[0])
    return f"no function of key - query or of an offset of cells; the first query reads, by key, {first}"


def _prefix_text(rows, prefix):
    """The rows of a token before the cells."""
    if not prefix:
        return ""
    told = (("to cells", rows[0, 1:]), ("from cells", rows[1:, 0]), ("to itself", rows[:1, 0]))
    return ", the token " + ", ".join(
        f"{where} row {int(one[0])}" if (one == one[0]).all() else f"{where} {len(np.unique(one))} rows"
        for where, one in told
    )
