"""Scatter: each row of a table as the exact sum of the vectors that are added to it, rounded once.

A gather copies rows of a table to places; its gradient adds what stands at the places to the rows.
"""

from fractions import Fraction

import numpy as np

from ... import kernels
from ...arithmetic import formats, rounding
from ...kernels.numpy_scatter import doubles
from . import weighted_sums
from .integer_sums import SCALE, Sums

BLOCK = 1 << 16  # sums that are rounded at a time
SLICE = 1 << 18  # sums that are made at a time of rows in order


def fill(out, rows, vectors, kind, fmt, factor=Fraction(1)):
    """Fill out (count, channels), in the storage of the format: factor times the sum of the vectors of each row.

    rows: (n,), the row of each vector, all of 0 .. count - 1. vectors: (n, channels) in the storage of the format
    `kind`.
    """
    if not out.size:
        return
    size = max(1, SLICE // out.shape[1])
    if len(out) <= size or not _ascending(rows):
        _fill_part(out, rows, vectors, kind, fmt, factor)
        return
    # rows in order need the sums of few of them at a time, which stay in the cache
    room = np.empty((size * out.shape[1], 2), np.int64)
    starts = np.arange(0, len(out), size, dtype=np.int64)
    stops = np.searchsorted(rows, starts + size)
    for start, first, last in zip(starts.tolist(), [0, *stops.tolist()], stops.tolist()):
        part = out[start : start + size]
        _fill_part(part, rows[first:last], vectors[first:last], kind, fmt, factor, start, room)


def _ascending(rows):
    """Whether no row is less than the one before."""
    blocks = (rows[start : start + BLOCK + 1] for start in range(0, len(rows), BLOCK))
    return all((block[:-1] <= block[1:]).all() for block in blocks)


def _fill_part(out, rows, vectors, kind, fmt, factor, first_row=0, room=None):
    """`fill` of a part of the table, whose first row is that one."""
    if not len(rows):
        out[...] = 0  # of all formats the pattern of +0
        return
    sums = Sums(len(rows), *out.shape, first_row, room)
    sums.add_all(rows, vectors, kind)
    if factor == 1:
        units = np.array(sums.first.units, np.int64)
        kernels.active.round_sums(sums.levels[sums.first], units, fmt, out.reshape(-1))
        _round_cells(out, sums, sums.of_several(), fmt, factor)
    elif factor:
        _round_cells(out, sums, np.arange(out.size, dtype=np.int64), fmt, factor)
    else:
        out[...] = 0
    if sums.specials is not None:
        _write_specials(out, sums.specials, fmt, factor)


def totals(rows, count, vectors):
    """The sums of each row as fractions, an array of objects (count, channels), and what is infinite or NaN in them, 0
    elsewhere, a float64 array of that shape. vectors: float64 (n, channels)."""
    found = np.full((count, vectors.shape[1]), Fraction(0), object)
    if not found.size:
        return found, np.zeros(found.shape)
    sums = Sums(len(rows), *found.shape)
    sums.add_all(rows, vectors, formats.FORMATS["float64"])
    for level, integers in sums.levels.items():
        for part, unit in zip(integers.T, level.units):
            for cell in np.flatnonzero(part).tolist():
                found.flat[cell] += int(part[cell]) * Fraction(2) ** (unit + SCALE * level.scaled)
    return found, np.zeros(found.shape) if sums.specials is None else sums.specials.reshape(found.shape)


def _round_cells(out, sums, cells, fmt, factor):
    """Write factor times the sums of all levels, rounded once, to these cells."""
    if not len(cells):
        return
    factors = [factor * (1 << SCALE * level.scaled) for level in sums.levels for _ in range(2)]
    axes = [weighted_sums.axis([dict(enumerate(factors))])]
    for start in range(0, len(cells), BLOCK):
        at = cells[start : start + BLOCK]
        parts = [part for level, integers in sums.levels.items() for part in doubles(integers[at], level.units)]
        rounded = np.empty((1, len(at)), fmt.storage)
        weighted_sums.fill(rounded, np.stack(parts), axes, fmt)
        out[np.unravel_index(at, out.shape)] = rounded[0]


def _write_specials(out, specials, fmt, factor):
    """Overwrite the cells that met an infinity or a NaN."""
    met = np.flatnonzero(specials)  # a NaN is not 0
    with np.errstate(invalid="ignore"):
        total = specials[met] * float(factor)
    patterns = formats.bits(rounding.narrow(total, fmt))
    patterns[np.isnan(total)] = fmt.nan
    formats.bits(out)[np.unravel_index(met, out.shape)] = patterns
