"""Reading copies of a table: the row that each query and key reads, the rule of these rows, and the call."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ...errors import InputError
from ...tensor_files import answer
from ..alike import in_parts
from ..held_format import Held, held, narrowed
from ..reading_result import Reading
from .matched_rows import ZEROS, first_of_equals, matched, share
from .rules_of_rows import Found, Laid, reading_of_rows
from .sources import ENOUGH, Source, best_source, read_source

BIASES = ("t5_bias", "relative_bias", "window_bias")
MOST_ROWS = 1 << 24
INDICES = ("t5_buckets", "log_buckets", "relative_rows", "window_rows", "irpe_rows")
#: (axis of the heads, what it is called, what a call of (heads, queries, keys) ends with)
AXES = ((-3, "", ""), (-1, "(queries, keys, heads)", ".transpose(1, 2, 0)"),
        (-2, "(queries, heads, keys)", ".transpose(1, 0, 2)"))  # fmt: skip


def read_bias(y, table, name):
    """The `Reading` of a bias (.., heads, queries, keys) as copies of a table (rows, heads)."""
    y, table = narrowed(held(y, "y"), "y"), read_source(table, "x")
    if len(y.shape) < 2 or not y.tensor.values.size:
        sentence = f"y must have the shape (.., heads, queries, keys) with at least one number, got {y.shape}"
        raise InputError("E_SHAPE", "y", sentence)
    factor = None
    for axis, words, ending in AXES:
        laid = _laid(y, axis, words, ending)
        if laid is None:
            continue
        vectors = laid.vectors.reshape(-1, laid.vectors.shape[-1])
        source, measured = best_source(vectors, table, y.format)
        factor = factor or measured
        if source is not None:
            return _of_regions(y, laid, source, name)
    laid = _laid(y, -3, "", "")
    parts = None if laid is None else _of_heads(y, laid, table, name)
    return parts or unknown(y, table, factor)


def _laid(y, axis, words, ending):
    """The vectors of a layout; None where y has no such axis."""
    values = y.numbers()
    if values.ndim == 2:
        return Laid(values[None, :, :, None], "", "[0]") if axis == -3 else None
    moved = np.moveaxis(values, axis, -1)
    return Laid(moved.reshape(-1, *moved.shape[-3:]), words, ending)


def unknown(y, table, factor):
    """The reading of numbers that are no copies."""
    summary = f"no copies: most numbers of y are in no row of the table of shape {table.shape}"
    values = y.numbers()
    if not np.isfinite(values).any():
        summary = "no number is finite"
    elif not values.any():
        summary = "every number is 0: nothing was written, or another buffer was read"
    elif factor is not None:
        summary = f"rows of the table times {factor:.6g}, rounded otherwise than one product"
    return Reading("unknown", summary, y.format, notes=(y.note,) if y.note else ())


def _of_regions(y, laid, source, name):
    """The reading of entries of the leading axes, those of other rows as parts."""
    first = first_of_equals(source.rows)

    def read(rows, entries):
        found = reading_of_rows(y, Found(rows, source, first, laid), name)
        return _of_all(found, y.shape, 3) if len(entries) == len(laid.vectors) else found

    return in_parts(matched(laid.vectors, source.rows), read, "entry", "entries", " of the leading axes")


def _of_all(reading, shape, axes):
    """The reading of the one entry of some axes that all entries of the leading axes of a shape are."""
    leading = shape[:-axes]
    if not leading or reading.call is None:
        return reading
    ones = all(size == 1 for size in leading)
    call = f"{reading.call}[{', '.join(['None'] * len(leading))}]"
    call = call if ones else f"np.broadcast_to({reading.call}, {shape})"
    return replace(reading, call=call, elements=reading.elements * math.prod(leading))


def _of_heads(y, laid, table, name):
    """The reading of heads that read other rows than each other; None where they are no columns of the table."""
    rows = table.numbers().reshape(-1, table.shape[-1])
    heads = laid.vectors.shape[-1]
    if heads != rows.shape[1] or heads < 2:
        return None
    read = [matched(laid.vectors[0, :, :, head, None], rows[:, head, None]) for head in range(heads)]
    if any(share(one) <= ENOUGH for one in read) or len(laid.vectors) > 1:
        return None

    def read_heads(one, columns):
        source = Source(rows, "table").take(columns.tolist())
        return reading_of_rows(y, Found(one, source, first_of_equals(source.rows), laid), name)

    found = in_parts(np.stack(read), read_heads, "head")
    return found if found.parts else None


def vectors_of(y, table, shape, axes):
    """(vectors along the last axis of y, the table, the `Source` of which they are rows, else None, the factor)."""
    y, table = narrowed(held(y, "y"), "y"), read_source(table, "x")
    if len(y.shape) < axes or not y.tensor.values.size:
        raise InputError("E_SHAPE", "y", f"y must have the shape {shape} with at least one number, got {y.shape}")
    return y, table, *best_source(y.numbers().reshape(-1, y.shape[-1]), table, y.format, transposed=False)


def read_vectors(y, table, name):
    """The `Reading` of vectors (.., queries, keys, dim), such as Shaw's, as rows of a table (rows, dim)."""
    y, table, source, factor = vectors_of(y, table, "(.., queries, keys, dim)", axes=3)
    if source is None:
        return unknown(y, table, factor)
    values = y.numbers()
    return _of_regions(y, Laid(values.reshape(-1, *y.shape[-3:]), "", None), source, name)


# -- without a table ---------------------------------------------------------------------------------------------------


def read_index(y, name):
    """The `Reading` of row numbers (.., queries, keys), as integers."""
    tensor = answer(y, "y")
    values = tensor.values
    if values.dtype.kind not in "iu":
        sentence = f"y must be integers without a table, got {tensor.dtype}"
        raise InputError("E_DTYPE", "y", sentence)
    if values.ndim < 2 or not values.size:
        sentence = f"y must have the shape (queries, keys) with at least one number, got {values.shape}"
        raise InputError("E_SHAPE", "y", sentence)
    rows = values.reshape(-1, *values.shape[-2:]).astype(np.int64)
    if rows.min() < ZEROS or not 0 <= rows.max() < MOST_ROWS:
        summary = f"no rows: numbers from {rows.min()} to {rows.max()}"
        return Reading("unknown", summary, tensor.dtype)
    first = np.arange(int(rows.max()) + 1, dtype=np.int64)

    def read(one, entries):
        found = reading_of_rows(Held(tensor), Found(one, None, first, None), name)
        return _of_all(found, values.shape, 2) if len(entries) == len(rows) else found

    return in_parts(rows, read, "entry", "entries", " of the leading axes")
