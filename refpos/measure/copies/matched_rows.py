"""Which row of a table each vector of some numbers is, by equality of all of its numbers."""

from __future__ import annotations

import numpy as np

#: what stands in place of a row: zeros that no row has, a masked element, and a vector that is no row
ZEROS, MASKED, UNKNOWN = -1, -2, -3
MASKED_BELOW = -1e4  # numbers of a mask, the same in all heads
AT_ONCE = 1 << 16  # vectors that are compared together
ODD = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)


def matched(vectors, table):
    """The first row of a table (rows, width) that is equal to each vector (.., width), int64; where there is none
    ZEROS, MASKED or UNKNOWN. Zeros are equal whatever their sign, and NaN is equal to nothing."""
    flat = vectors.reshape(-1, vectors.shape[-1])
    keys = _keys(table)
    order = np.argsort(keys, kind="stable")
    keys, found = keys[order], np.empty(len(flat), np.int64)
    for start in range(0, len(flat), AT_ONCE):
        some = flat[start : start + AT_ONCE]
        rows = order[np.searchsorted(keys, _keys(some)).clip(0, len(keys) - 1)]
        found[start : start + AT_ONCE] = np.where((table[rows] == some).all(axis=1), rows, _without_row(some))
    return found.reshape(vectors.shape[:-1])


def _without_row(vectors):
    """What vectors are that are no row."""
    first = vectors[:, 0]
    constant = (vectors == vectors[:, :1]).all(axis=1)
    return np.where(constant & (first == 0), ZEROS, np.where(constant & (first <= MASKED_BELOW), MASKED, UNKNOWN))


def first_of_equals(table):
    """The first row of the table that is equal to each of its rows, (rows,)."""
    found = matched(table, table)
    return np.where(found < 0, np.arange(len(table), dtype=np.int64), found)


def share(rows):
    """How many of the vectors that are not masked are rows of the table, or zeros in place of one."""
    told = rows[rows != MASKED]
    return float((told >= ZEROS).mean()) if told.size and (told >= 0).any() else 0.0


def columns_of(vectors, table):
    """The column of the table that has the numbers of each entry of the last axis, which is none for another column;
    None where an entry has no such column."""
    found = []
    for one in vectors.reshape(-1, vectors.shape[-1]).T:
        told = one[(one > MASKED_BELOW) & (one != 0)]
        shares = np.array([np.isin(told, column).mean() if told.size else 0.0 for column in table.T])
        best = int(np.argmax(shares))
        if shares[best] <= 0.5 or (shares == shares[best]).sum() > 1:
            return None
        found.append(best)
    return found


def _keys(vectors):
    """One uint64 of all bits of each vector."""
    bits = np.ascontiguousarray(vectors + 0.0).view(np.uint64)  # no -0
    with np.errstate(over="ignore"):
        bits = (bits ^ (bits >> HALF)) * ODD
        bits = (bits ^ (bits >> HALF)) * ODD
        odds = np.arange(1, 2 * bits.shape[1], 2, dtype=np.uint64) * ODD
        return ((bits ^ (bits >> HALF)) * odds).sum(axis=1, dtype=np.uint64)
