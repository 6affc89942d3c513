"""Learned tables as numbers: their exact values, and the tables in another format."""

from collections import Counter
from fractions import Fraction
from math import prod

import numpy as np

from ... import checks
from ...arithmetic import formats, rounding
from ...checks import UINT16
from ...errors import InputError, shown
from . import weighted_sums
from .gather import Table

AXES = ("frames", "height", "width")
BFLOAT16 = formats.FORMATS["bfloat16"]


def read_size(size):
    """The argument `size`: one to three sizes, or an int for one."""
    sizes = [size] if np.isscalar(size) or size is None else checks.listed("size", size, "sizes")
    if not 1 <= len(sizes) <= 3:
        raise InputError("E_SHAPE", "size", f"size must be one to three sizes, got {shown(size)}")
    return tuple(checks.integer("size", one, 0, checks.WIDEST) for one in sizes)


def floats(fmt):
    """The format of the numbers; bit patterns of 16 bits are those of bfloat16."""
    return BFLOAT16 if fmt is UINT16 else fmt


def result_format(table, dtype):
    """What `checks.output` takes for a result in the dtype, or None for that of the table."""
    return table.fmt if dtype is None else formats.resolve(dtype)


def values(table):
    """The exact float64 values of a `Table`."""
    fmt = floats(table.fmt)
    return rounding.widen(table.patterns.view(fmt.storage), fmt)


def in_format(table, fmt):
    """The `Table` in a format: its own bits where it has that format, else each value rounded once."""
    if floats(table.fmt) is floats(fmt):
        return table
    return Table(formats.bits(np.ascontiguousarray(rounding.narrow(values(table), floats(fmt)))), fmt)


def fill_sums(stored, values, rows, fmt, threads, *, mean=False):
    """Fill `stored`, (..., channels), with exact sums of float64 rows, or their means, rounded once.

    rows: (..., most), the rows of each, -1 for none; a row that is named twice counts twice.
    """
    rows = rows.reshape(prod(rows.shape[:-1]), rows.shape[-1])
    used, place = np.unique(rows, return_inverse=True)
    before = np.count_nonzero(used < 0)
    used, place = used[before:], place.reshape(rows.shape) - before
    if not stored.size or not used.size:
        stored[...] = 0  # of all formats the pattern of +0
        return
    weights = shares(place, mean=mean)
    sums = np.empty((len(weights), stored.shape[-1]), floats(fmt).storage)
    weighted_sums.fill(sums, values[used], [weighted_sums.axis(weights)], floats(fmt), threads)
    stored[...] = sums.view(stored.dtype).reshape(stored.shape)


def shares(rows, *, mean):
    """{row: its share} of each sum, or mean, of the rows (n, most), of which those below 0 are left out."""
    found = []
    for line in rows.tolist():
        counts = Counter(row for row in line if row >= 0)
        share = Fraction(1, sum(counts.values()) if mean and counts else 1)
        found.append({row: count * share for row, count in counts.items()})
    return found
