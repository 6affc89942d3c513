"""Gradients of what reads a vector of a table for each pair of a query and a key, of the class `sequence64`.

    x'[i] = sum over j of a[i, j] weight[rows[i, j]]
    weight'[r] = sum over i of (sum over the j with rows[i, j] = r of a[i, j]) x[i]

Each sum is from 0 with its index ascending; a pair of row -1 takes part in none, nor does a query that reads no r. What
several of the leading axes share has such sums for each of them, and these are added from 0 in row-major order.
"""

import numpy as np

from ...arithmetic.formats import FORMATS
from . import relative_vectors
from .attention import weighted


def of_vectors(shares, table, rows, shape, threads=None):
    """x' in that shape, (..., queries, dim), from a, (*lead, queries, keys), and a table (..., rows, dim)."""
    made, lead = np.empty((*shares.shape[:-1], table.shape[-1])), shares.shape[:-2]
    if table.ndim <= 3:
        relative_vectors.fill_sums(made, shares, table, rows, FORMATS["float64"], threads)
        return to_shape(made, shape)
    for place in np.ndindex(lead):
        own = table[own_place(place, lead, table.shape)]
        relative_vectors.fill_sums(made[place], shares[place], own, rows[place], FORMATS["float64"], threads)
    return to_shape(made, shape)


def of_table(shares, x, rows, shape):
    """weight' in that shape, (..., rows, dim), from a, (*lead, queries, keys), x and rows, which broadcast."""
    sums, lead = np.zeros(shape), shares.shape[:-2]
    x = np.broadcast_to(x, (*lead, *x.shape[-2:]))
    rows = np.broadcast_to(rows, shares.shape)
    for place in np.ndindex(lead):
        add_rows(sums[own_place(place, lead, shape)], shares[place], x[place], rows[place])
    return sums


def add_rows(sums, shares, x, rows):
    """Add to sums (count, dim) what one head gives: shares and rows (queries, keys), x (queries, dim)."""
    low, count, index = relative_vectors.from_lowest(rows)
    if not count:
        return
    queries, size = len(x), count + 1  # the last one is that of row -1
    cells = (index + size * np.arange(queries, dtype=np.int64)[:, None]).reshape(-1)
    grouped = np.bincount(cells, np.ascontiguousarray(shares).reshape(-1), queries * size).reshape(queries, size)
    read = np.bincount(cells, minlength=queries * size).reshape(queries, size) > 0
    with np.errstate(all="ignore"):
        sums[low : low + count] += weighted(grouped[:, :count].T, np.ascontiguousarray(x), read[:, :count].T)


def to_shape(values, shape):
    """The sums of values (*lead, n, m) over what an array of that shape, (..., n, m), has only once."""
    if values.shape == tuple(shape):
        return values
    sums, lead = np.zeros(shape), values.shape[:-2]
    with np.errstate(all="ignore"):
        for place in np.ndindex(lead):
            sums[own_place(place, lead, shape)] += values[place]
    return sums


def own_place(place, lead, shape):
    """Where an array of that shape, (..., n, m), has what a place of the leading axes reads: it lacks leading axes, or
    has fewer along one, each for as many of the places."""
    missing = len(lead) + 2 - len(shape)
    return tuple(number * size // whole for number, size, whole in zip(place[missing:], shape, lead[missing:]))
