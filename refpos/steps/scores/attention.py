"""Scaled dot product attention of the class `sequence64`, some queries of one head at a time.

The tables stay in their formats and are read head by head, so that no more than a block of scores is at hand.
"""

from itertools import accumulate
from typing import NamedTuple

import numpy as np

from ...arithmetic import elementary
from ...kernels.threads import for_blocks
from ..rows import doubles, learned_tables
from ..rows.gather import Table
from . import ordered_sums

BLOCK = 1 << 17  # scores that a thread has at a time
TOGETHER = 1 << 14  # scores of several heads, of which the softmax is taken together
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
        (index, slice(start, start + rows)) for index in np.ndindex(call.lead) for start in range(0, queries, rows)
    ]

    def work(first, last):
        for name, values in blocks(call, parts[first:last], stored, threads).items():
            for (index, part), block in zip(parts[first:last], values, strict=True):
                doubles.store(stored[name][index][part], block, fmt)

    for_blocks(work, len(parts), max(1, TOGETHER // max(1, rows * keys)), threads)


def blocks(call, parts, wanted=("scores", "weights", "output"), threads=None):
    """{name: float64 values of each part} of the parts (index of a head, some of its queries): (rows, keys) and (rows,
    value_dim)."""
    values, counts = zip(*(scores(call, index, rows) for index, rows in parts))
    found = {"scores": values}
    if "weights" in wanted or "output" in wanted:
        weights = ordered_sums.softmax(np.concatenate(values), np.concatenate(counts), threads)
        found["weights"] = np.split(weights, list(accumulate(map(len, values)))[:-1])
    if "output" in wanted:
        found["output"] = [
            weighted(weight, numbers(call.v, call.key_head(index)), count)
            for weight, count, (index, _) in zip(found["weights"], counts, parts, strict=True)
        ]
    return {name: found[name] for name in wanted}


def scores(call, index, rows):
    """(scores of some queries of one head, which keys count): -infinity where a key does not count."""
    q, k = vectors(call, index, rows)
    values = products(q, k, call.factors[index])
    with np.errstate(all="ignore"):
        if call.softcap is not None:
            values = call.softcap * elementary.tanh(values / call.softcap)
        counts = np.ones(values.shape, bool) if call.mask is None else call.mask[index][rows]
        if call.bias is not None:
            bias = numbers(call.bias, index, rows)
            counts = counts & (bias != -np.inf)
            values = values + bias
    if call.offset is not None:
        first = (rows.start or 0) + call.offset
        last = np.arange(first, first + len(q), dtype=np.int64)[:, None]
        counts = counts & (np.arange(len(k), dtype=np.int64) <= last)
    return ordered_sums.canonical(np.where(counts, values, -np.inf)), counts


def vectors(call, index, rows):
    """Some queries of one head and its keys, as float64 numbers that are multiplied with each other."""
    q, k = numbers(call.q, index, rows), numbers(call.k, call.key_head(index))
    return (normalised(q), normalised(k)) if call.normalised else (q, k)


def products(q, k, factor):
    """q . k for each query and key, times the factor."""
    values = ordered_sums.product(q, np.ascontiguousarray(k.T), np.empty((len(q), len(k))))
    with np.errstate(all="ignore"):
        return values * factor


def norms(x):
    """The norm of each row, (rows, 1)."""
    with np.errstate(all="ignore"):
        return np.sqrt(ordered_sums.product(x * x, np.ones((x.shape[-1], 1)), np.empty((len(x), 1))))


def normalised(x):
    """Each row by its norm, or by EPS where the norm is less."""
    with np.errstate(all="ignore"):
        return ordered_sums.canonical(x / np.maximum(norms(x), EPS))


def weighted(weights, v, counts):
    """Sums over the keys that count of weight times v, the key ascending: others take no part, whatever their v is."""
    if np.isfinite(v).all():  # a weight of 0 adds nothing
        return ordered_sums.product(np.ascontiguousarray(weights), v, np.empty((len(weights), v.shape[-1])))
    result = np.zeros((len(weights), v.shape[-1]))
    with np.errstate(all="ignore"):
        for weight, key, count in zip(weights.T, v, counts.T, strict=True):
            result = np.where(count[:, None], result + weight[:, None] * key, result)
    return ordered_sums.canonical(result)


def numbers(table, *index):
    """A part of a `Table` as contiguous float64 numbers."""
    patterns = table.patterns
    for one in index:
        patterns = patterns[one]
    return np.ascontiguousarray(learned_tables.values(Table(patterns, table.fmt)))
