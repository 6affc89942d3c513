"""Buckets of logarithmic width as T5, DeBERTa, iRPE and CPM-Ant have them."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Literal, get_args

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.distances import log_edges
from ..steps.distances.bias import LARGEST_OFFSET
from ..types import ArrayLike, Integer, Integers, Number
from .t5_buckets import bucket_edges
from .t5_buckets import rule as t5_rule

__all__ = ["log_buckets"]

BucketRule = Literal["t5", "deberta", "deberta_exchanged", "irpe", "cpm_ant"]
RULES = get_args(BucketRule)
#: what each rule needs; it refuses the rest
READS = {
    "t5": ("bidirectional", "num_buckets", "max_distance"),
    "deberta": ("num_buckets", "max_distance"),
    "deberta_exchanged": ("num_buckets", "max_distance"),
    "irpe": ("alpha", "beta", "gamma"),
    "cpm_ant": ("num_buckets", "max_distance", "query_segments", "key_segments", "num_segments"),
}
MOST_BUCKETS = 512  # of deberta, whose buckets go on beyond max_distance
MOST_EXCHANGED = 2048  # the largest max_distance of deberta_exchanged, where half of it is an exponent
LARGEST_PARTS = 1000, 10  # of alpha, beta and gamma as fractions: their parts are exponents


@register(
    family="relative",
    paper="Raffel et al. 2020, arXiv:1910.10683 (t5); He et al. 2021, DeBERTa, arXiv:2006.03654; Wu et al. 2021, iRPE,"
    " arXiv:2107.14222, equation 18",
    conventions="rule t5, deberta, deberta_exchanged, irpe or cpm_ant (no default)",
    whole=True,
    also="logarithmic buckets, CPM-Ant",
)
def log_buckets(
    relative_positions: ArrayLike,
    *,
    rule: BucketRule,
    bidirectional: bool | None = None,
    num_buckets: Integer | None = None,
    max_distance: Integer | None = None,
    alpha: Number | None = None,
    beta: Number | None = None,
    gamma: Number | None = None,
    query_segments: ArrayLike | None = None,
    key_segments: ArrayLike | None = None,
    num_segments: Integer | None = None,
    out: Integers | None = None,
) -> Integers:
    """The logarithmic bucket of each relative position, by the rules of several models.

        t5:       what `t5_buckets` does                                                    r is key minus query
        deberta:  r for |r| <= m, else sign(r) (m + ceil((m-1) log(|r|/m) / log((max_distance-1)/m))),
                  m = num_buckets / 2; r is query minus key
        deberta_exchanged:  the same with num_buckets and max_distance in each other's place, as p2c of DeBERTa v2 in
                  transformers has it where queries and keys differ in number; within +-num_buckets
        irpe:     r for |r| <= alpha, else sign(r) min(round(alpha + (beta-alpha) log(|r|/alpha) / log(gamma/alpha)),
                  floor(beta)), halves to even; r is query minus key
        cpm_ant:  `t5_buckets` of both directions within a segment, else num_buckets + num_segments q + k

    Parameters
    ----------
    relative_positions : array_like
        Integers of any shape; with cpm_ant (..., queries, keys).
    rule : {'t5', 'deberta', 'deberta_exchanged', 'irpe', 'cpm_ant'}
        Which rule, as stated above.
    bidirectional : bool, optional
        Whether keys after the query have buckets of their own, for t5.
    num_buckets : int, optional
        Number of buckets; with deberta even, 4 to 512, and max_distance at least as large.
    max_distance : int, optional
        Distance from which all share the last bucket.
    alpha : float or Fraction, optional
        Largest distance with a bucket of its own, for irpe.
    beta : float or Fraction, optional
        Largest bucket, for irpe.
    gamma : float or Fraction, optional
        Distance of the largest bucket, for irpe.
    query_segments : array_like, optional
        Integers q below num_segments, (..., queries), for cpm_ant.
    key_segments : array_like, optional
        Integers k below num_segments, (..., keys), for cpm_ant.
    num_segments : int, optional
        Number of segments, for cpm_ant.
    out : ndarray of int64, optional
        Array that receives the result.

    Returns
    -------
    ndarray of int64
        int64 of the shape of relative_positions, decided by powers of integers: no logarithm is rounded.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE, E_CHOICE, E_SIZE, E_NUMBER (alpha, beta, gamma, segments), E_POSITION (deberta beyond
        +-2**53), E_OUT.

    Notes
    -----
    The numbers alpha < beta and alpha < gamma are fractions n / d with n up to 1000 and d up to 10, such as
    Fraction(19, 10). Each rule needs all of the arguments that it names.

    Buckets of deberta and irpe have a sign.

    References
    ----------
    - make_log_bucket_position in models/deberta_v2/modeling_deberta_v2.py and CpmAntSegmentPositionEmbedding in
      models/cpmant/modeling_cpmant.py (transformers 5.23.0).
    - piecewise_index in iRPE/DeiT-with-iRPE/irpe.py (microsoft/Cream, commit 12aed81). All take logarithms in float32.

    Examples
    --------
    >>> log_buckets([-600, -130, -128, 0, 5, 511], rule="deberta", num_buckets=256, max_distance=512)
    array([-270, -130, -128,    0,    5,  255])
    """
    checks.choice("rule", rule, RULES)
    _check_reads(rule, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance, alpha=alpha,
                 beta=beta, gamma=gamma, query_segments=query_segments, key_segments=key_segments,
                 num_segments=num_segments)  # fmt: skip
    relative = checks.integers("relative_positions", relative_positions)
    segments = _read_segments(relative, query_segments, key_segments, num_segments) if rule == "cpm_ant" else ()
    array, stored = checks.output(out, relative.shape, checks.INT64, apart_from=(relative, *segments))
    if rule in ("t5", "cpm_ant"):
        edges, upper = bucket_edges(num_buckets, max_distance, rule == "cpm_ant" or bidirectional)
        log_edges.fill(stored, relative, *t5_rule(edges, upper))
        if segments:  # the pairs of two segments
            query, key = (one.astype(np.int64) for one in segments)
            query, key = query[..., :, None], key[..., None, :]
            first, count = checks.integer("num_buckets", num_buckets), checks.integer("num_segments", num_segments)
            np.copyto(stored, first + count * query + key, where=query != key)
        return array
    if rule == "deberta_exchanged":
        log_edges.fill(stored, relative, *_exchanged(num_buckets, max_distance))
        return array
    edges = _deberta(relative, num_buckets, max_distance) if rule == "deberta" else _irpe(alpha, beta, gamma)
    log_edges.fill(stored, relative, lambda part: np.sign(part) * log_edges.number(abs(part), edges), int(edges[-1]))
    return array


def _check_reads(rule, **arguments):
    for name, value in arguments.items():
        needed = name in READS[rule]
        if needed == (value is None):
            wanted = "given" if needed else "left out"
            raise InputError("E_CHOICE", name, f"{name} must be {wanted} with rule={rule!r}, got {shown(value)}")


def _read_deberta(num_buckets, max_distance, most):
    """Both arguments of DeBERTa."""
    num_buckets = checks.integer("num_buckets", num_buckets, 4, MOST_BUCKETS)
    if num_buckets % 2:
        raise InputError("E_SIZE", "num_buckets", f"num_buckets must be even, got {num_buckets}")
    return num_buckets, checks.integer("max_distance", max_distance, num_buckets, most)


def _exchanged(num_buckets, max_distance):
    """What `log_edges.fill` needs: the rule, and the distance beyond which nothing changes.

    Beyond the middle max_distance / 2 a bucket is the middle plus the ceiling of (middle - 1) times a logarithm of
    |r| / middle, whose base is (num_buckets - 1) / middle: where that is below 1, buckets go down from the middle.
    """
    num_buckets, max_distance = _read_deberta(num_buckets, max_distance, MOST_EXCHANGED)
    middle, end = max_distance // 2, num_buckets - 1
    if end == middle:
        sentence = f"max_distance must be other than {2 * end} and {2 * end + 1} with num_buckets={num_buckets}"
        raise InputError("E_SIZE", "max_distance", f"{sentence}, a logarithm to base 1, got {max_distance}")
    down, edges = end < middle, []
    # downwards a step is at (middle / end)**(k / (middle - 1)) itself, as a ceiling of less is a floor
    last, first, high = (middle + num_buckets, 1, Fraction(middle * middle, end)) if down else (end - middle, 0, end)
    for k in range(first, last + 1):
        start = edges[-1] if edges else middle + 1
        edges.append(log_edges.first(middle, high, Fraction(k, middle - 1), start, above=not down))
    edges = np.array(edges, np.int64)

    def rule(relative):
        steps = log_edges.number(abs(relative), edges)
        beyond = middle - steps if down else middle + steps
        bucket = np.clip(np.where(abs(relative) <= middle, abs(relative), beyond), -num_buckets, num_buckets)
        return np.sign(relative) * bucket

    return rule, max(int(edges[-1]), middle + 1)


def _deberta(relative, num_buckets, max_distance):
    """Where buckets begin, as far as the relative positions go."""
    num_buckets, max_distance = _read_deberta(num_buckets, max_distance, checks.LARGEST_SIZE)
    ends = (int(relative.min()), int(relative.max())) if relative.size else (0, 0)
    for end in ends:
        if abs(end) > LARGEST_OFFSET:
            sentence = f"relative_positions must be within +-2**53, got {end}"
            raise InputError("E_POSITION", "relative_positions", sentence)
    middle, largest = num_buckets // 2, max(map(abs, ends))
    edges, k = list(range(1, middle + 1)), 0
    while edges[-1] <= largest:
        # bucket middle + k + 1 begins beyond middle ((max_distance - 1) / middle)**(k / (middle - 1))
        edges.append(log_edges.first(middle, max_distance - 1, Fraction(k, middle - 1), edges[-1], above=True))
        k += 1
    return np.array(edges, np.int64)


def _irpe(alpha, beta, gamma):
    """Where buckets begin; the last is floor(beta)."""
    alpha, beta, gamma = (_part(name, one) for name, one in (("alpha", alpha), ("beta", beta), ("gamma", gamma)))
    for name, one in (("beta", beta), ("gamma", gamma)):
        if one <= alpha:
            raise InputError("E_NUMBER", name, f"{name} must be greater than alpha = {alpha}, got {one}")
    edges = list(range(1, floor(alpha) + 1))
    for bucket in range(floor(alpha) + 1, floor(beta) + 1):
        # a half is rounded to the even bucket
        share = (bucket - Fraction(1, 2) - alpha) / (beta - alpha)
        edges.append(log_edges.first(alpha, gamma, share, max([floor(alpha) + 1, *edges[-1:]]), above=bucket % 2 == 1))
    return np.array(edges or [LARGEST_OFFSET], np.int64)


def _part(name, value):
    number = checks.positive(name, value)
    if number.numerator > LARGEST_PARTS[0] or number.denominator > LARGEST_PARTS[1]:
        sentence = f"{name} must be a fraction n / d with n up to 1000 and d up to 10, such as Fraction(19, 10)"
        raise InputError("E_NUMBER", name, f"{sentence}, got {shown(value)}")
    return number


def _read_segments(relative, query_segments, key_segments, num_segments):
    """The segments of queries and of keys."""
    num_segments = checks.integer("num_segments", num_segments, 1, 2**20)
    if relative.ndim < 2:
        sentence = f"relative_positions must have shape (..., queries, keys), got {relative.shape}"
        raise InputError("E_SHAPE", "relative_positions", sentence)
    *others, queries, keys = relative.shape
    return (
        _segments("query_segments", query_segments, (*others, queries), num_segments),
        _segments("key_segments", key_segments, (*others, keys), num_segments),
    )


def _segments(name, values, shape, count):
    segments = checks.integers(name, values)
    if segments.shape != shape:
        raise InputError("E_SHAPE", name, f"{name} must have shape {shape}, got {segments.shape}")
    ends = (int(segments.min()), int(segments.max())) if segments.size else (0, 0)
    if ends[0] < 0 or ends[1] >= count:
        beyond = ends[0] if ends[0] < 0 else ends[1]
        raise InputError("E_NUMBER", name, f"{name} must be within 0 .. num_segments - 1 = {count - 1}, got {beyond}")
    return segments
