"""Rows of tables that are a function of the distance of a query and a key: counted the other way, by its size, from
another row, or cut off at another distance."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..mistake import Mistake

NAME, OF_KEYS = "rows", "query_rows"  # OF_KEYS: those of the other table of DeBERTa, where they may differ
TABLES = ("weight", "projected", "key_table", "query_table")  # whose second last axis has the rows
OTHER_SIGN = "(the other sign)"
CUTS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 64, 128, 256)
SHIFTS = (1, -1, 2, -2)


def other_rows(call):
    """The call with other rows."""
    rows = call.tensors.get(NAME)
    if rows is None or rows.values.dtype.kind not in "iu" or not rows.values.size:
        return
    count = max((call.tensors[name].values.shape[-2] for name in TABLES if name in call.tensors), default=0)
    if not 0 < count:
        return
    for text, values in _changed(rows.values.astype(np.int64), count):
        yield Mistake(NAME, text, NAME, partial(_given, rows=rows._replace(values=values)))
        if call.suite == "deberta_scores" and OF_KEYS not in call.tensors:
            other = partial(_given, rows=rows._replace(values=values), name=OF_KEYS)
            yield Mistake(OF_KEYS, f"{text} in p2c alone ({OF_KEYS})", f"{OF_KEYS} that are {NAME}", other)


def rows_of_other_sign(call):
    """The call of scores by queries, or by keys, with the rows of the other sign of the distance, which the other kind
    with its axes exchanged has too."""
    rows = call.tensors.get(NAME)
    if rows is not None and "by" in call.arguments:
        yield from (one._replace(rare=True) for one in other_rows(call) if OTHER_SIGN in one.computed)


def _given(call, rows, name=NAME):
    return call.given(**{name: rows})


def _changed(rows, count):
    """(what was done, rows) that are in a table of so many."""
    for shift in SHIFTS:
        text = f"rows {'+' if shift > 0 else '-'} {abs(shift)}"
        yield f"{text}, cut to those of the table", np.clip(rows + shift, 0, count - 1)
        yield f"{text}, modulo {count} (row -1 is the last one)", np.mod(rows + shift, count)
    if rows.ndim == 2 and min(rows.shape) > 1:
        keys = np.arange(rows.shape[1], dtype=np.int64)
        if len(keys) <= count:
            yield "row j of the table at key j (no relative shift)", np.broadcast_to(keys, rows.shape)
        yield from _by_distance(rows, count)


def _by_distance(rows, count):
    """The same of rows that are a function of key - query."""
    queries, keys = rows.shape
    distances = np.arange(keys, dtype=np.int64) - np.arange(queries, dtype=np.int64)[:, None]
    known = np.concatenate([rows[::-1, 0], rows[0, 1:]])  # of key - query from 1 - queries on
    if not (known[distances + queries - 1] == rows).all():
        return
    for origin in dict.fromkeys((0, keys - queries)):
        of = partial(_at, known, queries - 1 + origin)
        away = distances - origin
        made = {
            f"rows of query - key in the place of key - query {OTHER_SIGN}": -away,
            "rows of the absolute distance abs(key - query)": np.abs(away),
            "rows of the negative absolute distance -abs(key - query)": -np.abs(away),
        }
        for shift in SHIFTS:
            text = f"key - query {'+' if shift > 0 else '-'} {abs(shift)}"
            made[f"rows of distances shifted by {shift} ({text})"] = away + shift
        made["rows of distances modulo the table (not clipped)"] = None
        made |= {f"distances clipped at {cut} (low=-{cut}, high={cut})": np.clip(away, -cut, cut) for cut in CUTS}
        for text, other in made.items():
            if other is None:
                values = np.mod(away * _step(known) + of(np.zeros_like(away)), count)
            else:
                values = np.clip(of(other), 0, count - 1)
            if (values != rows).any():
                yield text, values


def _step(known):
    """The step of the rows from distance to distance, where there is one."""
    steps = np.diff(known)
    return int(np.sign(steps[steps != 0].sum()))


def _at(known, origin, distance):
    """The rows of distances: beyond those that are known they go on as at the end."""
    last, index = len(known) - 1, distance + origin
    before, after = np.minimum(index, 0), np.maximum(index - last, 0)
    return known[np.clip(index, 0, last)] + before * (known[1] - known[0]) + after * (known[last] - known[last - 1])
