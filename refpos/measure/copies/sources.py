"""The table that numbers are copies of: as it is, transposed, rounded, times a factor, with other columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arithmetic import formats
from ...errors import InputError
from ...tables.learned import learned
from ...tensor_files import Tensor
from ...types import Array
from ..best_known import inside
from ..held_format import held, numbers
from ..made import made_in
from ..wording import known_factor, runs
from .matched_rows import columns_of, matched, share

SAMPLE = 4096  # vectors that are looked at to find the table
DIRECTIONS = 64  # vectors whose direction tells the factor
GOLDEN = 2654435761  # a prime whose multiples are spread over all residues
BESIDE = 4  # numbers of float32 on either side of a measured factor that are tried
ENOUGH = 0.5  # of the vectors that are rows


@dataclass(frozen=True, eq=False)
class Source:
    """Rows (rows, width) as float64, the expression of the table that has them, and what was seen."""

    rows: Array
    text: str
    notes: tuple[str, ...] = ()

    def take(self, columns):
        """Some columns of it."""
        every = list(range(self.rows.shape[1]))
        if columns == every:
            return self
        chosen = "::-1" if columns == every[::-1] else str(columns)
        if len(columns) > 1 and columns == list(range(columns[0], columns[-1] + 1)):
            chosen = f"{columns[0]}:{columns[-1] + 1}"
        return replace(self, rows=self.rows[:, columns], text=f"{self.text}[:, {chosen}]")


def read_source(table, name):
    """(held table, its shape): (rows, width), or (height, width, channels) and so on of cells."""
    table = held(table, name)
    if not 2 <= len(table.shape) <= 4:
        raise InputError("E_SHAPE", name, f"{name} must be a table of the shape (rows, heads), got {table.shape}")
    if not table.tensor.values.size:
        raise InputError("E_MISSING", name, f"{name} must have at least one number, got the shape {table.shape}")
    return table


def sources(table, fmt, transposed=True):
    """The `Source`s that a held table may be, of numbers that are in a format: plain, transposed, rounded."""
    plain = _plain(table)
    yield plain
    if transposed and len(table.shape) == 2:
        yield Source(np.ascontiguousarray(plain.rows.T), "table.T", ("the table is (heads, rows)",))
    if formats.FORMATS[table.format].precision > formats.FORMATS[fmt].precision:
        yield _converted(plain, table, fmt, None)


def _plain(table):
    text = "table" if len(table.shape) == 2 else f"table.reshape(-1, {table.shape[-1]})"
    return Source(table.numbers().reshape(-1, table.shape[-1]), text)


def _converted(source, table, fmt, factor):
    """The source times a factor, rounded to a format."""
    weight = Tensor(table.format, table.tensor.values.reshape(-1, table.shape[-1]))
    scale = {} if factor is None else {"scale": factor}
    with np.errstate(all="ignore"):
        made = made_in(fmt, learned, weight.values, len(source.rows), **scale)
    given = ("" if factor is None else f", scale={factor!r}") + f", dtype={fmt!r}"
    kept = np.asarray(made).view(np.uint16) if fmt == "bfloat16" else np.asarray(made)
    note = f"rounded to {fmt}" if factor is None else f"times {known_factor(factor, source.rows.shape[1])}"
    return Source(numbers(Tensor(fmt, kept)), f"refpos.learned({source.text}, {len(source.rows)}{given})", (note,))


def scaled(vectors, table, fmt):
    """(the source times the common factor of vectors (n, width), None), or (None, the factor) where no number in its
    interval gives the numbers; (None, None) where they have no rows' directions."""
    source = _plain(table)
    rows = source.rows
    if rows.shape[1] < 2 or rows.shape[1] != vectors.shape[-1]:
        return None, None
    measured = _factor(vectors, rows, fmt)
    if measured is None:
        return None, None
    middle, wide = measured
    width = rows.shape[1]
    root = float(np.sqrt(width))
    known = [one for size in (root, float(np.float32(root)), 1 / root, float(np.float32(1 / root)))
             for one in (size, -size)]  # fmt: skip
    steps = np.arange(-BESIDE, BESIDE + 1, dtype=np.int64)
    near = np.float32(middle) + steps * np.spacing(np.float32(middle))  # a factor in float32
    known += [float(one) for one in sorted(near, key=lambda one: abs(one - middle))]
    for factor in [one for one in known if abs(one - middle) <= wide] + inside(middle - wide, middle + wide):
        made = _converted(source, table, fmt, factor)
        if share(matched(vectors, made.rows)) > ENOUGH:
            return made, None
    return None, middle


def _factor(vectors, rows, fmt):
    """(factor, its error) of vectors that have the directions of rows; None where they have not, or several."""
    sizes = np.abs(vectors).max(axis=1)
    told = vectors[np.isfinite(sizes) & (sizes > 0)]
    told = _some(told, DIRECTIONS)
    large = np.abs(rows).max(axis=1)
    rows = rows[np.isfinite(large) & (large > 0)]
    if not len(told) or not len(rows):
        return None
    with np.errstate(all="ignore"):
        products = told @ rows.T
        squares, own = (rows * rows).sum(axis=1), (told * told).sum(axis=1)
        alike = np.abs(products) / np.sqrt(squares * own[:, None])
        best = np.argmax(alike, axis=1)
        ratio = products[np.arange(len(told), dtype=np.int64), best] / squares[best]
    unit = np.ldexp(1.0, -formats.FORMATS[fmt].precision)
    near = alike[np.arange(len(told), dtype=np.int64), best] >= 1 - 64 * unit * unit - 1e-14
    middle = float(np.median(ratio[near])) if near.mean() > ENOUGH else np.nan
    wide = 4 * unit * abs(middle)
    if not np.isfinite(middle) or not middle or (np.abs(ratio[near] - middle) > wide).mean() > 0.25:
        return None
    return middle, wide


def _some(vectors, most):
    """Some of the vectors, in no step that rows of queries have."""
    if len(vectors) <= most:
        return vectors
    return vectors[np.arange(most, dtype=np.int64) * GOLDEN % len(vectors)]


def best_source(vectors, table, fmt, transposed=True):
    """(the `Source` of most vectors (n, width), or None; a factor that has been measured, or None)."""
    few = _some(vectors, SAMPLE)
    best, most = None, 0.0
    known = list(sources(table, fmt, transposed))
    for one in known:
        if one.rows.shape[1] == vectors.shape[1]:
            found = share(matched(few, one.rows))
            if found > most:
                best, most = one, found
    if most > ENOUGH:
        return best, None
    for one in known:
        columns = columns_of(few, one.rows)
        if columns is not None and columns != list(range(one.rows.shape[1])):
            other = one.take(columns)
            if share(matched(few, other.rows)) > ENOUGH:
                return replace(other, notes=(*other.notes, _columns_note(columns, one.rows.shape[1]))), None
    made, factor = scaled(few, table, fmt)
    if made is None and factor is not None:
        return _about(vectors, known[0], factor, fmt), factor
    return made, factor


def _about(vectors, source, factor, fmt):
    """A source of the vectors themselves where they have the direction of a row, without a call: which rows they are
    is known, not how they were rounded."""
    unit = float(np.ldexp(1.0, -formats.FORMATS[fmt].precision))
    rows = source.rows.copy()
    size = np.abs(factor) * np.abs(rows).max(axis=1)
    for start in range(0, len(vectors), SAMPLE):
        some = vectors[start : start + SAMPLE]
        nearest = np.argmin((source.rows * source.rows).sum(axis=1) - 2 * (some / factor) @ source.rows.T, axis=1)
        near = np.abs(some - factor * source.rows[nearest]).max(axis=1) <= 16 * unit * size[nearest]
        rows[nearest[near]] = some[near]
    return Source(rows, "", (f"times {factor:.6g}, rounded otherwise than one product",))


def _columns_note(columns, width):
    if columns == list(range(width))[::-1]:
        return "the heads are in reverse order"
    return f"the heads are columns {runs(columns)} of {width}"
