"""Biases and decays of the distance: keys before the query, at it and after it that hold other numbers, positions that
start again, and rows that read other distances."""

from __future__ import annotations

import numpy as np

from ...measure.wording import number, several_of
from .measured_entries import sources_of, told_of

RULES = 4  # of rows that are not as asked
FEWEST = 2  # distances that are as asked, before those that all hold one number


def sides_of(got, wanted, near) -> list[str]:
    """What the keys before the query, the query itself and the keys after it hold that is not asked for, in words; []
    where a side has no rule. got, wanted: the numbers of heads at the same distances, a `Profile` each; near: which
    numbers are those of others, up to rounding."""
    if not np.array_equal(got.distances, wanted.distances):
        return []
    d, told = got.distances, []
    for chosen, word in ((d > 0, "keys before the query"), (d == 0, "distance 0"), (d < 0, "keys after the query")):
        if not chosen.any():
            continue
        order = np.argsort(np.abs(d[chosen]))
        at = np.flatnonzero(chosen)[order]
        text = _side(got.values[:, at], wanted.values[:, at], _mirrored(wanted, d[at]), np.abs(d[at]), near)
        if text is None:
            return []
        told += [f"{word}: {text}"] if text else []
    return told


def distances_of(got, wanted, near) -> list[str]:
    """Words for distances that hold the numbers of others, by which the heads tell them; [] where one has no other."""
    found = sources_of(got.values.T, wanted.values.T)
    if (found < 0).any() or not near(got.values, wanted.values[:, found]).all():
        return []
    told = told_of(found, "distance", int(wanted.distances[0]))
    return [told] if told and len(np.unique(found)) > FEWEST else []


def _mirrored(wanted, distances):
    """The numbers that are asked for at the same distances on the other side, as far as they are known."""
    places = -distances - wanted.distances[0]
    known = (places >= 0) & (places < len(wanted.distances))
    count = len(known) if known.all() else int(known.argmin())
    return wanted.values[:, places[:count]]


def _side(got, asked, mirrored, distances, near):
    """What one side holds, the nearest distance first: "" what is asked for; None without a rule."""
    if near(got, asked).all():
        return ""
    if (got == got[:1, :1]).all() or np.isnan(got).all():
        return f"{number(got[0, 0]) if np.isfinite(got[0, 0]) else got[0, 0]} (one number)"
    count = mirrored.shape[1]
    candidates = [("the numbers of the same distance", asked)]
    if count == got.shape[1] and distances[0]:
        candidates.append(("the numbers of the same distance on the other side", mirrored))
    for text, made in candidates:
        told = _told(got, text, made, distances, near)
        if told:
            return told
    return None


def _told(got, text, made, distances, near):
    """What a side is of other numbers: those themselves or a multiple, all or up to a distance; nothing if neither."""
    for factor in dict.fromkeys((1.0, -1.0, _factor(got, made))):
        with np.errstate(invalid="ignore"):
            same = near(got, factor * made).all(axis=0)
        words = text if factor == 1 else f"{number(factor)} times {text}"
        if same.all():
            return words
        kept = int(same.argmin())
        rest = got[:, kept:]
        is_one = rest.size > 1 and ((rest == rest[0, 0]).all() or np.isnan(rest).all())
        if kept >= FEWEST and (is_one or (rest.shape[1] > 1 and (rest == rest[:, :1]).all())):
            if is_one:
                beyond = f"{number(rest[0, 0]) if np.isfinite(rest[0, 0]) else rest[0, 0]}"
            else:
                beyond = f"those of distance {distances[kept]}"
            start = "as asked" if factor == 1 and "other" not in text else words
            return f"{start} up to distance {distances[kept - 1]}, beyond it {beyond}"
    return ""


def _factor(got, made):
    """The ratio that most numbers have to others; 1 where none are known."""
    with np.errstate(all="ignore"):
        ratio = (got / made)[np.isfinite(made) & (made != 0) & np.isfinite(got)]
    return float(np.median(ratio)) if ratio.size else 1.0


def restarts_of(got, wanted, start, near) -> list[str]:
    """Words for distances between positions that start again from 0; [] where they do not. got: numbers (heads,
    queries, keys); wanted: the `Profile` that is asked for; start: the position of the first query."""
    _, queries, keys = got.shape
    index = np.arange(max(keys, queries + start), dtype=np.int64)
    for text, positions in _restarted(index):
        distances = positions[start : start + queries, None] - positions[:keys]
        places = distances - wanted.distances[0]
        if start < 0 or places.min() < 0 or places.max() >= len(wanted.distances):
            continue
        if near(got[:, -1], wanted.values[:, places[-1]]).all() and near(got, wanted.values[:, places]).all():
            return [f"distances of positions that {text}"]
    return []


def _restarted(index):
    """(what positions do, the positions)."""
    for length in range(2, len(index)):
        if 2 * length < len(index):
            yield f"start again from 0 every {length} (packed)", index % length
        yield f"start again from 0 at {length} (packed)", np.where(index < length, index, index - length)


def rows_of_others(got, wanted, start, near) -> list[str]:
    """Words for the rows whose distances are other ones, and for those that hold one distance at all keys; [] where a
    row has no rule. got: numbers (heads, queries, keys); wanted: the `Profile` of more distances than these."""
    _, queries, keys = got.shape
    most = min(keys, int(wanted.distances[-1]) - start - queries + 1)
    shifts = np.array(sorted(range(-most, most + 1), key=abs), np.int64)
    rules = [_rule(got[:, row], start + row - np.arange(keys, dtype=np.int64), wanted, shifts, near)
             for row in range(queries)]  # fmt: skip
    if None in rules or len(set(rules)) > RULES + 1:
        return []
    rows = {rule: [row for row, one in enumerate(rules) if one == rule] for rule in rules if rule}
    return [f"{several_of('row', part)}: {rule}" for rule, part in rows.items()]


def _rule(got, distances, wanted, shifts, near):
    """What a row of numbers (heads, keys) is at its distances: "" what is asked for; None without a rule."""
    places = distances - wanted.distances[0]
    few = near(got[:, None, -1], wanted.values[:, places[-1] + shifts]).all(axis=0)
    for shift in shifts[few].tolist():
        if near(got, wanted.values[:, places + shift]).all():
            return f"query - key {'+' if shift > 0 else '-'} {abs(shift)}" if shift else ""
    if not near(got, got[:, :1]).all():
        return None
    one = np.flatnonzero(near(got[:, :1], wanted.values).all(axis=0))
    nearest = min(wanted.distances[one].tolist(), key=abs, default=None)
    return None if nearest is None else f"the numbers of distance {nearest} at all keys"
