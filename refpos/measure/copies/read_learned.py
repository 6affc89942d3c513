"""Reading rows of a learned table: which row each token reads, tiles, zeros, and rows that the table does not have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...public import dotted
from ...tables.tile_table import tile_table
from ..alike import in_parts
from ..placing import filled
from ..position_runs import run_of
from ..reading_result import Reading
from ..wording import runs, several_of
from .matched_rows import UNKNOWN, ZEROS, first_of_equals, matched
from .read_copies import unknown, vectors_of
from .rules_of_rows import KIND

LEARNED = ("learned", "tile_table")


def read_learned(y, table, name):
    """The `Reading` of embeddings (.., n, dim) as rows of a table (rows, dim) or of a grid (height, width, dim)."""
    y, table, source, factor = vectors_of(y, table, "(.., n, dim)", axes=1)
    if source is None:
        return unknown(y, table, factor)
    values = y.numbers()
    rows, first = matched(values, source.rows), first_of_equals(source.rows)
    base = Reading(KIND, "", y.format, rows=rows, notes=(*((y.note,) if y.note else ()), *source.notes,
                                                         *_seen(rows, first)))  # fmt: skip
    tiled = _tiles(base, table, source, first)
    if tiled is not None:
        return tiled
    return _of_sequences(base, source, first, y.shape[-1])


def _tiles(base, table, source, first):
    """The reading of whole tiles of the table; None where rows are no tiles, or are the table itself."""
    rows, sizes = base.rows, table.shape[:-1]
    if len(sizes) != rows.ndim and rows.ndim != 1:
        return None
    text = "table" if len(sizes) == rows.ndim else source.text
    if source.notes:
        return None
    numbers = np.arange(len(first), dtype=np.float64).reshape(*(sizes if len(sizes) == rows.ndim else (-1,)), 1)
    if rows.ndim == 1 and rows.size <= len(first):
        return None
    made = tile_table(numbers, rows.shape)[..., 0].astype(np.int64)
    if (first[made] != rows).any():
        return None
    size = rows.shape[0] if rows.ndim == 1 else rows.shape
    words = f"row = cell modulo {' x '.join(map(str, numbers.shape[:-1]))}, {' x '.join(map(str, rows.shape))} cells"
    return replace(base, summary=f"{KIND}: {words}", call=f"{dotted('tile_table')}({text}, {size})", met="correct",
                   elements=rows.size * table.shape[-1])  # fmt: skip


def _of_sequences(base, source, first, width):
    """The reading of rows as positions of sequences, those of other entries of the leading axes as parts."""
    rows = base.rows
    lines = rows.reshape(-1, rows.shape[-1]) if rows.ndim else rows.reshape(1, 1)
    return in_parts(
        lines, lambda line, _: _of_sequence(base, line, source, first, width, rows), "entry", "entries",
        " of the leading axes",
    )  # fmt: skip


def _of_sequence(base, line, source, first, width, rows):
    """The reading of the rows (n,) of one sequence, which all entries of the leading axes have or are parts."""
    known = line >= 0
    if not known.any():
        return replace(base, summary=f"{KIND}: no row of the table", rows=line)
    places = filled(np.where(known, line, np.nan), known)
    places = np.rint(places).clip(0, len(first) - 1).astype(np.int64)
    run = run_of(_unambiguous(places, first), "learned")
    outside = tuple(
        f"{several_of('token', np.flatnonzero(line == code))}: {words}"
        for code, words in ((ZEROS, "zeros"), (UNKNOWN, "no row of the table"))
        if (line == code).any()
    )
    base = replace(base, summary=f"{KIND}: {run.words.replace('position', 'row', 1)}", rows=line, outside=outside)
    if not source.text:
        return base
    text = run.text if run.text is not None else "found.rows" if known.all() else None
    if text is None:
        return base
    call, elements = f"refpos.learned({source.text}, {text})", int(known.sum()) * width
    if rows.ndim == 0:
        call += "[0]"
    elif (rows == line).all() and rows.ndim > 1:  # NaN and zeros are codes, which are equal
        call, elements = f"np.broadcast_to({call}, {(*rows.shape, width)})", elements * (rows.size // line.size)
    return replace(base, call=call, met="correct", elements=elements)


def _unambiguous(places, first):
    """Rows that go on by 1 where the table has equal rows of which one does."""
    made = places.copy()
    for k in range(1, len(made)):
        after = made[k - 1] + 1
        if made[k] != after and after < len(first) and first[after] == places[k]:
            made[k] = after
    return made


def _seen(rows, first):
    """Sentences about rows of the table that are equal."""
    again = np.flatnonzero(first != np.arange(len(first), dtype=np.int64))
    if len(again) and np.isin(first[again], rows).any():
        yield f"rows {runs(again)} of the table are equal to others before them: which of them is read is not told"
