"""Vectors of a table, one for each pair of a query and a key: products with them, and sums of them.

Integers say which vector a pair reads, rows (..., queries, keys); row -1 reads zeros. A table is (rows, dim) for
all heads or (heads, rows, dim), each for as many heads of the rest. Products are made once for each query and row of
the table, then gathered; for sums the vectors of one query at a time are gathered. So no array has an entry for each
query, key and channel.
"""

import math

import numpy as np

from ... import checks
from ...errors import InputError
from ...kernels.threads import for_blocks
from ..rows import doubles
from . import ordered_sums

WORK = 1 << 20  # numbers or products that a thread makes at a time


def read_table(name, weight):
    """float64 numbers (rows, dim) or (heads, rows, dim)."""
    table, _ = doubles.read(name, weight)
    if table.ndim not in (2, 3):
        sentence = f"{name} must be (rows, dim) or (heads, rows, dim), got shape {table.shape}"
        raise InputError("E_SHAPE", name, sentence)
    return table


def read_rows(name, rows, count, entry="row of weight", each=1):
    """int64 rows (..., queries, keys) of a table of `count` rows, or -1.

    entry: what one of them is called; each: how many rows of the argument there are for one.
    """
    rows = checks.integers(name, rows)
    if rows.ndim < 2:
        raise InputError("E_SHAPE", name, f"{name} must be (..., queries, keys), got shape {rows.shape}")
    low, high = checks.extremes(rows) if rows.size else (-1, -1)
    if low < -1 or high >= count:
        limits = f"from -1, which reads zeros, to {count - 1}, the last {entry}"
        why = f"; one that holds {high} has at least {(high + 1) * each} rows" if low >= -1 else ""
        raise InputError("E_NUMBER", name, f"{name} must be {limits}{why}, got {low if low < -1 else high}")
    return rows.astype(np.int64, copy=False)


def read_lead(name, lead, rows, table=None):
    """The leading axes of the result: those of the argument `name` and of the rows, which broadcast.

    table: one with heads must have a number of them that divides the last of these axes.
    """
    try:
        whole = checks.broadcast(lead, rows.shape[:-2])
    except ValueError:
        sentence = f"rows must have leading axes that broadcast with those of {name}, {lead}"
        raise InputError("E_SHAPE", "rows", f"{sentence}, got {rows.shape[:-2]}") from None
    if table is not None and table.ndim == 3:
        heads = len(table)
        if not whole:
            sentence = f"{name} must have an axis of heads before its last two, as weight has {heads}"
            raise InputError("E_SHAPE", name, f"{sentence}, got none")
        if whole[-1] % heads if heads else whole[-1]:
            sentence = f"weight must have heads that divide the {whole[-1]} of {name}"
            raise InputError("E_SHAPE", "weight", f"{sentence}, got {heads}")
    return whole


def fill_scores(stored, x, table, rows, fmt, *, bias=None, scale=None, threads=None):
    """Fill `stored`, (..., queries, keys), with scale * (x[i] . table[rows[i, j]] + bias[rows[i, j]]), 0 for row -1.

    x: (..., queries, dim). bias: a number for each row of the table. Products are summed with the channel ascending.
    """
    for vectors, part, which, target in _parts(stored, x, rows, table):
        low, count, index = from_lowest(part)
        columns = np.ascontiguousarray(_zero_after(table[which][low : low + count]).T)
        added = None if bias is None else _zero_after(bias[which][low : low + count])

        def work(start, stop, vectors=vectors, columns=columns, added=added, index=index, target=target):
            made = _product(vectors[..., start:stop, :], columns)
            with np.errstate(all="ignore"):
                made = made if added is None else made + added
                made = ordered_sums.canonical(made if scale is None else scale * made)
            made[..., -1] = 0  # the sums of row -1, also of channels that are not finite
            numbered = index[start:stop] + made.shape[-1] * np.arange(stop - start, dtype=np.int64)[:, None]
            made = made.reshape(*made.shape[:-2], made.shape[-2] * made.shape[-1])
            doubles.store(target[..., start:stop, :], np.take(made, numbered, axis=-1, mode="clip"), fmt)

        size = math.prod(vectors.shape[:-2]) * max(count + 1, part.shape[-1])
        for_blocks(work, len(part), max(1, WORK // size), threads)


def fill_sums(stored, shares, table, rows, fmt, threads=None):
    """Fill `stored`, (..., queries, dim), with sums of shares[i, j] * table[rows[i, j]], the key j ascending.

    shares: (..., queries, keys). Row -1 adds nothing, also where its share is not finite.
    """
    for weights, part, which, target in _parts(stored, shares, rows, table):
        low, count, index = from_lowest(part)
        vectors = _zero_after(table[which][low : low + count])

        def work(start, stop, weights=weights, vectors=vectors, index=index, target=target):
            made = np.empty((*weights.shape[:-2], stop - start, vectors.shape[1]))
            for i in range(start, stop):
                kept = np.where(index[i] == len(vectors) - 1, 0.0, weights[..., i, :])
                made[..., i - start, :] = _product(kept, vectors[index[i]])
            doubles.store(target[..., start:stop, :], made, fmt)

        size = math.prod(weights.shape[:-2]) * max(1, part.shape[1]) * vectors.shape[1]
        for_blocks(work, len(part), max(1, WORK // size), threads)


def _parts(stored, x, rows, table):
    """(x, rows, which table, stored) for all of the leading axes that share rows and table: rows have two axes there.

    which: the number of the table of these heads, or () of a table for all.
    """
    lead = stored.shape[:-2]
    if not stored.size:
        return
    x = np.broadcast_to(x, (*lead, *x.shape[-2:]))
    rows = rows.reshape((1,) * (len(lead) + 2 - rows.ndim) + rows.shape)
    last = len(lead) - 1
    own = [k for k in range(len(lead)) if rows.shape[k] > 1 or (k == last and table.ndim == 3)]
    order = (*own, *(k for k in range(len(lead)) if k not in own), last + 1, last + 2)
    x, rows, stored = x.transpose(order), rows.transpose(order), stored.transpose(order)
    for place in np.ndindex(*(lead[k] for k in own)):
        at = tuple(k if size > 1 else 0 for k, size in zip(place, rows.shape))
        which = place[-1] * len(table) // lead[last] if table.ndim == 3 else ()
        shared = (0,) * (len(lead) - len(own))
        yield x[place], rows[(*at, *shared)], which, stored[place]


def _product(x, columns):
    """x (..., n) times a matrix (n, m), on this thread."""
    count, (terms, width) = math.prod(x.shape[:-1]), columns.shape
    made = np.empty((count, width))
    ordered_sums.product(np.ascontiguousarray(x.reshape(count, terms)), columns, made)
    return made.reshape(*x.shape[:-1], width)


def from_lowest(rows):
    """(the lowest row in use, how many rows from it to the highest, rows counted from it: that count for row -1)."""
    used = rows >= 0
    if not used.any():
        return 0, 0, np.zeros(rows.shape, np.int64)
    low, high = int(rows.min(where=used, initial=rows.max())), int(rows.max())
    return low, high - low + 1, np.where(used, rows - low, high - low + 1)


def _zero_after(entries):
    """The same with zeros after the last."""
    return np.concatenate([entries, np.zeros((1, *entries.shape[1:]))])
