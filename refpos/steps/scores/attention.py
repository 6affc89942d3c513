"""Scaled dot product attention of the class `sequence64`, some queries of one head at a time.

The tables stay in their formats and are read head by head, so that no more than a block of scores is at hand.
"""

import itertools
from typing import NamedTuple

import numpy as np

from ...arithmetic import elementary
from ...kernels.threads import for_blocks
from ..rows import doubles, learned_tables
from ..rows.gather import Table
from . import ordered_sums

BLOCK = 1 << 17  # scores that a thread has at a time
TOGETHER = 1 << 14  # scores of several heads, of which the softmax is taken together
EVERY = slice(None)  # row
EPS = 1e-12  # the least norm that a vector is divided by
LARGEST_LOGIT = float.fromhex("0x1.26bb1bbb55516p+2")  # ln 100, rounded to nearest


class Call(NamedTuple):
    """What attention is made of: tables, the bias and the mask with the axes of the scores, numbers of each head."""

    q: Table  # (*lead, queries, dim)
    k: Table  # (*lead of keys, keys, dim)
    v: Table | None
    bias: Table | None  # (*lead, queries, keys)
    mask: np.ndarray | None  # the same
    offset: int | None  # query i reads the keys up to i + offset
    factors: np.ndarray  # (*lead,)
    softcap: float | None
    normalised: bool

    @property
    def lead(self):
        """The leading axes of the queries, heads last."""
        return self.q.shape[:-2]

    def key_head(self, index):
        """The index of the keys of a head."""
        heads = self.k.shape[:-2]
        return index if heads == self.lead else (*index[:-1], index[-1] // (self.lead[-1] // heads[-1]))


def fill(stored, call, fmt, threads):
    """Fill `stored`, arrays by the names "scores", "weights" and "output", rounded once to fmt."""
    queries, keys = call.q.shape[-2], call.k.shape[-2]
    rows = max(1, min(queries, BLOCK // max(1, keys)))
    parts = [
        (index, slice(start, start + rows))
        for index in itertools.product(*map(range, call.lead))
        for start in range(0, queries, rows)
    ]

    def work(first, last):
        of_block = parts[first:last]
        place = _place(of_block)
        for name, values in blocks(call, of_block, stored, threads).items():
            rounded = doubles.rounded(values, fmt)
            if place is not None:
                stored[name][place] = rounded
                continue
            for (index, part), block in zip(of_block, rounded, strict=True):
                stored[name][index][part] = block

    for_blocks(work, len(parts), _parts_together(call, rows), threads)


def _parts_together(call, rows):
    """How many parts, of so many queries each, are done together: of several heads, where they have few scores and few
    numbers."""
    queries, keys, dim = call.q.shape[-2], call.k.shape[-2], call.q.shape[-1]
    if rows < queries:  # the last part of a head may have fewer
        return 1
    width = max(dim, call.v.shape[-1] if call.v is not None else 0)
    return max(1, min(TOGETHER // max(1, rows * keys), BLOCK // max(1, (rows + keys) * width)))


def blocks(call, parts, wanted=("scores", "weights", "output"), threads=None):
    """{name: float64 values of the parts} (index of a head, some of its queries), as many of each: (parts, rows, keys)
    and (parts, rows, value_dim)."""
    values, counts = scores(call, parts)
    found = {"scores": values}
    if "weights" in wanted or "output" in wanted:
        weights = ordered_sums.softmax(values, threads=threads)  # of a key that does not count 0, or NaN as of all
        found["weights"] = weights if counts.all() else np.where(counts, weights, 0.0)
    if "output" in wanted:
        found["output"] = weighted(found["weights"], numbers(call.v, _keys_of(call, parts)), counts)
    return {name: found[name] for name in wanted}


def scores(call, parts):
    """(scores of the parts, which keys count), (parts, rows, keys): -infinity where a key does not count."""
    q, k = vectors(call, parts)
    values = products(q, k, np.array([call.factors[index] for index, _ in parts])[:, None, None])
    with np.errstate(all="ignore"):
        if call.softcap is not None:
            values = call.softcap * elementary.tanh(values / call.softcap)
        counts = np.ones(values.shape, bool) if call.mask is None else _of_parts(call.mask, parts)
        if call.bias is not None:
            bias = numbers(call.bias, parts)
            counts = counts & (bias != -np.inf)
            values = values + bias
    if call.offset is not None:
        first = np.array([(rows.start or 0) + call.offset for _, rows in parts], np.int64)[:, None, None]
        last = first + np.arange(q.shape[1], dtype=np.int64)[:, None]
        counts = counts & (np.arange(k.shape[1], dtype=np.int64) <= last)
    if not counts.all():
        values = np.where(counts, values, -np.inf)
    values[np.isnan(values)] = np.nan
    return values, counts


def vectors(call, parts):
    """The queries of the parts and their keys, as float64 numbers that are multiplied with each other."""
    q, k = numbers(call.q, parts), numbers(call.k, _keys_of(call, parts))
    return (normalised(q), normalised(k)) if call.normalised else (q, k)


def _keys_of(call, parts):
    """The parts of keys and values that the parts of queries read."""
    shared = call.k.shape[:-2] != call.lead
    return [(call.key_head(index) if shared else index, EVERY) for index, _ in parts]


def products(q, k, factors):
    """q . k for each query and key of (parts, rows, dim), times the factor of the part: (parts, rows, keys)."""
    result = np.empty((*q.shape[:-1], k.shape[-2]))
    values = ordered_sums.product(q, np.ascontiguousarray(k.swapaxes(-1, -2)), result)
    with np.errstate(all="ignore"):
        return values * factors


def norms(x):
    """The norm of each row, (..., rows, 1)."""
    with np.errstate(all="ignore"):
        ones = np.ones((*x.shape[:-2], x.shape[-1], 1))
        return np.sqrt(ordered_sums.product(x * x, ones, np.empty((*x.shape[:-1], 1))))


def normalised(x):
    """Each row by its norm, or by EPS where the norm is less."""
    with np.errstate(all="ignore"):
        return ordered_sums.canonical(x / np.maximum(norms(x), EPS))


def weighted(weights, v, counts):
    """Sums over the keys that count of weight times v, the key ascending: others take no part, whatever their v is.

    Of matrices (rows, keys), (keys, value_dim), or of as many of each.
    """
    if np.isfinite(v).all():  # a weight of 0 adds nothing
        return ordered_sums.product(np.ascontiguousarray(weights), v, np.empty((*weights.shape[:-1], v.shape[-1])))
    if v.ndim > 2:
        return np.stack([weighted(*part) for part in zip(weights, v, counts, strict=True)])
    result = np.zeros((len(weights), v.shape[-1]))
    with np.errstate(all="ignore"):
        for weight, key, count in zip(weights.T, v, counts.T, strict=True):
            result = np.where(count[:, None], result + weight[:, None] * key, result)
    return ordered_sums.canonical(result)


def numbers(table, parts):
    """Parts (index of a head, some of its rows) of a `Table`, as many rows of each, as contiguous float64 numbers: a
    view that cannot be written where a table of float64 has them so."""
    patterns = _of_parts(table.patterns, parts)
    if table.fmt.width != 64:
        return np.ascontiguousarray(learned_tables.values(Table(patterns, table.fmt)))
    found = np.ascontiguousarray(patterns).view(np.float64)
    found.flags.writeable = False
    return found


def _of_parts(array, parts):
    """The parts of an array (*lead, rows, n), as many rows of each: (parts, rows, n), a view if they have a place."""
    place = _place(parts)
    return np.stack([array[index][rows] for index, rows in parts]) if place is None else array[place]


def _place(parts):
    """What indexes the parts where they are the same rows of heads that follow each other in one batch; else None."""
    (first, rows), (last, others) = parts[0], parts[-1]
    if not first or first[:-1] != last[:-1] or last[-1] - first[-1] != len(parts) - 1 or rows != others:
        return None
    return *first[:-1], slice(first[-1], last[-1] + 1), rows


def head_numbers(table, index):
    """All rows of one head of a `Table`, in the same way."""
    return numbers(table, [(index, EVERY)])[0]
