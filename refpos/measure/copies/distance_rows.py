"""Rows that are a function of key minus query: clipped distances and buckets, and where they change."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...public import dotted
from ...relative.log_buckets import log_buckets
from ...relative.t5_buckets import t5_buckets
from ...steps.distances import offsets
from ...types import Array
from ..best_known import inside
from .matched_rows import ZEROS

DISTANCES = (128, 256, 512, 64, 1024, 20, 32, 2048, 4096)  # max_distance of published models
FARTHEST = 1 << 20  # of a max_distance
MOST_ROWS = 512  # of a table that is tried as one of T5's buckets
PIECES = 12  # that a sentence lists


class Rule(NamedTuple):
    """Rows that a rule gives, (queries, keys), the rule in words, the call of these rows, and that of a bias, which
    has {table} in place of the table; None where there is none."""

    words: str
    rows: Array
    index: str | None
    bias: str | None = None


class Distances(NamedTuple):
    """The row at each key minus query, and how many elements have it, of rows (queries, keys)."""

    distances: Array
    rows: Array
    shape: tuple[int, int]
    count: int  # rows of the table

    @property
    def starts(self):
        """Positions that the first query may have: 0, that of the last queries, and where the row is 0."""
        queries, keys = self.shape
        zero = self.distances[self.rows == 0]
        found = [0, keys - queries, *(int(one) for one in (*zero[-1:], *zero[:1]))]
        return list(dict.fromkeys(found))

    def spread(self, rows):
        """Rows of the distances, (distances,), as (queries, keys)."""
        return _of_all(self, rows)[relative(self.shape) + self.shape[0] - 1]


def relative(shape):
    """Key minus query, (queries, keys)."""
    return np.arange(shape[1], dtype=np.int64) - np.arange(shape[0], dtype=np.int64)[:, None]


def _of_all(study, rows):
    """Rows at all distances, of those at the ones that are known."""
    queries, keys = study.shape
    found = np.full(queries + keys - 1, ZEROS, np.int64)
    found[study.distances + queries - 1] = rows
    return found


def by_distance(rows, count):
    """`Distances`: the most common row of each diagonal; None where nothing is known."""
    queries = rows.shape[0]
    diagonal = relative(rows.shape) + queries - 1
    told = rows >= ZEROS
    if not told.any():
        return None
    pairs, counts = np.unique(diagonal[told] * (count + 1) + rows[told] + 1, return_counts=True)
    order = np.lexsort((pairs, -counts, pairs // (count + 1)))
    pairs = pairs[order]
    known, first = np.unique(pairs // (count + 1), return_index=True)
    return Distances(known - queries + 1, pairs[first] % (count + 1) - 1, rows.shape, count)


def clipped(study):
    """Rules of a row for each distance, clipped or zero beyond the last ones."""
    for sign in offsets.SIGNS:
        for start in study.starts if sign == "absolute" else [_usual_start(study, sign)]:
            yield from _clipped(study, sign, start)


def _usual_start(study, sign):
    """The position of the first query with which distance 0 has the middle row; else 0."""
    shift = _shift(study, study.distances * offsets.DIRECTIONS[sign])
    last = study.shape[1] - study.shape[0]
    return last if shift + last * offsets.DIRECTIONS[sign] == study.count // 2 and study.count % 2 else 0


def _shift(study, distances):
    """What most rows have more than their distance."""
    told = study.rows >= 0
    found, counts = np.unique((study.rows - distances)[told], return_counts=True)
    return int(found[np.argmax(counts)]) if len(found) else 0


def _clipped(study, sign, start):
    distance = offsets.signed(study.distances - start, sign)
    shift = _shift(study, distance)
    told = study.rows[study.rows >= 0]
    if not told.size:
        return
    linear = distance + shift
    for outside in ("clip", "zero") if (study.rows == ZEROS).any() else ("clip",):
        first, last = int(told.min()), int(told.max())
        first = first if linear.min() < first else 0
        last = last if linear.max() > last else study.count - 1
        low, high = first - shift, last - shift
        if low > high:
            continue
        made = offsets.rows(distance, low, high, outside, "key_len")
        made = np.where(made < 0, ZEROS, made + first)
        queries, keys = study.shape
        begin = f", query_offset={start}" if start else ""
        ends = f"low={low}, high={high}"
        more = f" + {first}" if first else ""
        index = f"{dotted('relative_rows')}({queries}, {keys}, sign={sign!r}, {ends}, outside={outside!r}{begin}){more}"
        if outside == "zero" and first:
            continue
        part = "{table}" if (first, last) == (0, study.count - 1) else "{table}" + f"[{first}:{last + 1}]"
        usual = (sign != "absolute" and low == -high) or (sign == "absolute" and not low)
        bias = f"refpos.relative_bias({part}, {queries}, {keys}, sign={sign!r}{'' if usual else f', {ends}'}{begin})"
        yield Rule(_clip_words(sign, start, (linear, first, last, shift), outside), study.spread(made), index,
                   bias if outside == "clip" else None)  # fmt: skip


def _clip_words(sign, start, line, outside):
    linear, first, last, shift = line
    said = {"key-query": "key - query", "query-key": "query - key", "absolute": "|key - query|"}[sign]
    row = f"row = {said}" + (f" {'+' if shift > 0 else '-'} {abs(shift)}" if shift else "")
    ends = []
    if linear.min() < first:
        ends.append(f"row {first} below {first - shift}" if outside == "clip" else f"zeros below {first - shift}")
    if linear.max() > last:
        ends.append(f"row {last} above {last - shift}" if outside == "clip" else f"zeros above {last - shift}")
    begin = f", queries from {start} on" if start else ""
    return row + begin + (f", {', '.join(ends)}" if ends else ", not clipped")


def t5(study):
    """Rules of T5, in both directions, for key minus query and query minus key."""
    if study.count > MOST_ROWS:
        return
    most = int(study.rows.max(initial=0)) + 1
    for buckets in dict.fromkeys((study.count, most, min(most + most % 2, study.count))):
        for bidirectional in (True, False):
            for direction in (1, -1):
                for start in study.starts:
                    yield from _t5(study, buckets, bidirectional, direction, start)


def _t5(study, buckets, bidirectional, direction, start):
    distances = direction * (study.distances - start)

    def made(distance):
        return t5_buckets(distances, bidirectional=bidirectional, num_buckets=buckets, max_distance=distance)

    try:
        t5_buckets(0, bidirectional=bidirectional, num_buckets=buckets, max_distance=FARTHEST)
    except InputError:
        return
    fewest = buckets // (4 if bidirectional else 2) + 1
    distance, several = _best_distance(study, made, fewest)
    queries, keys = study.shape
    given = f"bidirectional={bidirectional}, num_buckets={buckets}, max_distance={distance}"
    sizes = (queries, keys) if direction > 0 else (keys, queries)
    begin = start if direction > 0 else -start
    part = "{table}" if buckets == study.count else "{table}" + f"[:{buckets}]"
    bias = f"refpos.t5_bias({part}, {sizes[0]}, {sizes[1]}, {given}{f', query_offset={begin}' if begin else ''})"
    said = "key - query" if direction > 0 else "query - key"
    words = f"row = T5's bucket of {said}{f', queries from {start} on' if start else ''} ({given}{several})"
    text = relative_text(study.shape, direction, start)
    yield Rule(words, study.spread(made(distance)), f"refpos.t5_buckets({text}, {given})",
               bias if direction > 0 else f"{bias}.swapaxes(1, 2)")  # fmt: skip


def relative_text(shape, direction, start):
    """Key minus query, or query minus key, of all elements."""
    query = f"np.arange({shape[0]})[:, None]" if not start else f"np.arange({start}, {start + shape[0]})[:, None]"
    one, other = (f"np.arange({shape[1]})", query) if direction > 0 else (query, f"np.arange({shape[1]})")
    return f"{one} - {other}"


def _best_distance(study, made, fewest):
    """(the best known max_distance with which most rows agree, a word where others agree as well). Buckets fall with
    the distance that they share."""
    target = int(study.rows[study.rows >= 0].sum())

    def total(distance):
        return int(made(distance)[study.rows >= 0].sum())

    low, high = _first(lambda m: total(m) <= target, fewest), _first(lambda m: total(m) < target, fewest) - 1
    if high < low:
        tried = (*(one for one in DISTANCES if one >= fewest), max(low - 1, fewest), low)
        return max(tried, key=lambda m: int((made(m) == study.rows).sum())), ""
    known = [one for one in DISTANCES if low <= one <= high]
    chosen = known[0] if known else round(inside(low, high)[0])
    far = "any" if high >= FARTHEST - 1 else f"to {high}"
    several = f"; {low} {far} alike" if high > low and far != "any" else f"; from {low} on alike" if high > low else ""
    return min(max(chosen, low), high), several


def _first(holds, low):
    """The smallest number from low to FARTHEST for which a rising condition holds; FARTHEST where none does."""
    high = FARTHEST
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def deberta(study):
    """Rules of DeBERTa's buckets of query minus key, of a table with two spans."""
    span = study.count // 2
    if study.count % 4 or span > MOST_ROWS or span < 4:
        return
    for distance in (one for one in sorted(DISTANCES) if one >= span):
        given = f"rule='deberta', num_buckets={span}, max_distance={distance}"
        try:
            made = log_buckets(-study.distances, rule="deberta", num_buckets=span, max_distance=distance)
        except InputError:
            continue
        rows = (made + span).clip(0, study.count - 1)
        text = f"{dotted('log_buckets')}({relative_text(study.shape, -1, 0)}, {given})"
        words = f"row = DeBERTa's bucket of query - key + {span} (num_buckets {span}, max_distance {distance})"
        yield Rule(words, study.spread(rows), f"np.clip({text} + {span}, 0, {study.count - 1})")


def pieces_text(distances, rows):
    """Rows at rising distances as pieces in which they are equal, rise or fall by 1: "4 .. 0 at -2 .. 2"."""
    told, start = [], 0
    while start < len(rows) and len(told) <= PIECES:
        stop = start + 1
        step = int(rows[stop] - rows[start]) if stop < len(rows) else 2
        if abs(step) <= 1:
            while stop < len(rows) and rows[stop] - rows[stop - 1] == step:
                stop += 1
        row = _row(rows[start]) if rows[start] == rows[stop - 1] else f"{_row(rows[start])} .. {_row(rows[stop - 1])}"
        one, other = int(distances[start]), int(distances[stop - 1])
        told.append(f"{row} at {one}" if one == other else f"{row} at {one} .. {other}")
        start = stop
    return ", ".join(told[:PIECES]) + (", .." if start < len(rows) or len(told) > PIECES else "")


def _row(row):
    return "zeros" if row == ZEROS else str(int(row))
