"""The buckets of T5: small distances keep a bucket each, larger ones share buckets of logarithmic width."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..steps.distances import log_edges
from ..types import ArrayLike, Integer, Integers

MOST_BUCKETS = 2**11  # the edges come from powers as high as this
MOST_KEPT = 2**11  # distance up to which buckets are kept for the next call


@register(
    family="relative",
    paper="Raffel et al. 2020, Exploring the Limits of Transfer Learning, arXiv:1910.10683, section 2.1",
    conventions="relative position is key minus query; keys after the query in the upper half (bidirectional)",
    whole=True,
    also="bucket, relative_position_bucket, relative position bucket, relative_attention_num_buckets",
)
def t5_buckets(
    relative_positions: ArrayLike,
    *,
    bidirectional: bool,
    num_buckets: Integer = 32,
    max_distance: Integer = 128,
    out: Integers | None = None,
) -> Integers:
    """The T5 bucket of each relative position, key position minus query position.

        b(n) = n for n < E, else E + min(B - E - 1, floor((B - E) log(n / E) / log(max_distance / E))),  E = B // 2
        bidirectional: B = num_buckets / 2, bucket b(|r|), plus B where r > 0
        otherwise:     B = num_buckets,     bucket b(max(-r, 0))

    Parameters
    ----------
    relative_positions : array_like
        Integers of any shape and integer dtype; an int is a single one.
    bidirectional : bool
        Whether keys after the query have buckets of their own.
    num_buckets : int, default 32
        Number of buckets, 2 to 2048, if bidirectional, even and at least 4.
    max_distance : int, default 128
        Distance of the last bucket, greater than E, as the formula divides by log(max_distance / E).
    out : ndarray of int64, optional
        Array that receives the result.

    Returns
    -------
    ndarray of int64
        int64 of the shape of relative_positions, decided by powers of integers: no logarithm is rounded.

    Raises
    ------
    InputError
        E_DTYPE (relative_positions), E_CHOICE (bidirectional), E_SIZE (num_buckets, max_distance), E_OUT (out).

    References
    ----------
    Raffel et al. 2020, arXiv:1910.10683, section 2.1, which leaves the rule to the code: _relative_position_bucket in
    mesh_tensorflow/transformer/transformer_layers.py and of T5Attention in src/transformers/models/t5/modeling_t5.py
    (transformers 5.23.0), both with the logarithm in float32.

    Examples
    --------
    >>> t5_buckets([-200, -9, -1, 0, 1, 9, 200], bidirectional=True)
    array([15,  8,  1,  0, 17, 24, 31])
    """
    relative = checks.integers("relative_positions", relative_positions)
    edges, upper = bucket_edges(num_buckets, max_distance, bidirectional)
    array, stored = checks.output(out, relative.shape, checks.INT64, apart_from=(relative,))
    log_edges.fill(stored, relative, *rule(edges, upper))
    return array


def bucket_edges(num_buckets, max_distance, bidirectional):
    """The distances at which buckets 1, 2, ... begin, int64 ascending, and the bucket added to keys after the query.

    Without `bidirectional` that is None: such keys are at distance 0.
    """
    *sizes, upper = read_sizes(num_buckets, max_distance, bidirectional)
    return _edges(*sizes), upper


def read_sizes(num_buckets, max_distance, bidirectional):
    """(how many buckets have one distance each, how many there are on a side, max_distance, the bucket added to keys
    after the query or None)."""
    fewest = 4 if checks.flag("bidirectional", bidirectional) else 2
    num_buckets = checks.integer("num_buckets", num_buckets, fewest, MOST_BUCKETS)
    if bidirectional and num_buckets % 2:
        sentence = f"num_buckets must be even with bidirectional=True, got {num_buckets}"
        raise InputError("E_SIZE", "num_buckets", sentence)
    half = num_buckets // 2 if bidirectional else num_buckets
    exact = half // 2
    max_distance = checks.integer("max_distance", max_distance, exact + 1)
    return exact, half, max_distance, half if bidirectional else None


@lru_cache(maxsize=64)
def _edges(exact, half, max_distance):
    """Where the buckets begin: `exact` of one distance each, and up to `half` of logarithmic width."""
    edges = list(range(1, exact + 1))
    for k in range(1, half - exact):
        edges.append(log_edges.first(exact, max_distance, Fraction(k, half - exact), edges[-1]))
    edges = np.array(edges, np.int64)
    edges.flags.writeable = False
    return edges


def numbers_of(sizes, relative):
    """The bucket of each int64 relative position; sizes: what `read_sizes` returns."""
    numbers = _numbers(*sizes)
    if numbers is None:
        return log_edges.apply(relative, *rule(_edges(*sizes[:3]), sizes[3]))
    last = len(numbers) // 2
    return numbers[np.minimum(np.maximum(relative, -last), last) + last]


@lru_cache(maxsize=16)
def _numbers(exact, half, max_distance, upper):
    """The buckets of the relative positions -last .. last, read-only; None where they are many."""
    buckets, last = rule(_edges(exact, half, max_distance), upper)
    if last > MOST_KEPT:
        return None
    numbers = buckets(np.arange(-last, last + 1, dtype=np.int64))
    numbers.flags.writeable = False
    return numbers


def rule(edges, upper):
    """What `log_edges.apply` needs: the bucket of relative positions, and the distance beyond which all have one."""

    def buckets(relative):
        if upper is None:
            return log_edges.number(-np.minimum(relative, 0), edges)
        return log_edges.number(abs(relative), edges) + upper * (relative > 0)

    return buckets, int(edges[-1])
