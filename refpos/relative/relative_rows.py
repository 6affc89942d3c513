"""The row of a table of distances that each query and key read."""

from __future__ import annotations

import math

import numpy as np

from .. import checks, foreign
from ..catalogue import register
from ..errors import InputError
from ..steps.distances import offsets
from ..steps.distances.bias import LARGEST_OFFSET, read_offset
from ..types import ArrayLike, Integer, Integers

__all__ = ["relative_rows"]

MOST_AXES = 32  # what NumPy 1 broadcasts
BLOCK = 1 << 16  # rows of the table that are made at a time


@register(
    family="relative",
    paper="Shaw et al. 2018, Self-Attention with Relative Position Representations, arXiv:1803.02155, section 3.2",
    conventions="sign key minus query, query minus key or absolute; outside clip, zero or refuse (no defaults)",
    whole=True,
    also="relative position index",
)
def relative_rows(
    query_len: ArrayLike,
    key_len: ArrayLike,
    *,
    sign: offsets.Sign,
    low: Integer,
    high: Integer,
    outside: offsets.Outside,
    query_offset: Integer = 0,
    query_step: Integer = 1,
    out: Integers | None = None,
) -> Integers:
    """The relative position index of a sequence: which row of a table every query and key read.

        row[i, j] = d - low  where low <= d <= high,  d = j - p or p - j or |j - p|,  p = query_offset + query_step i

    Parameters
    ----------
    query_len : array_like
        Number of queries, or their positions, integers (..., queries).
    key_len : array_like
        Number of keys, or their positions, integers (..., keys), whose leading axes broadcast with those of the
        queries.
    sign : {'key-query', 'query-key', 'absolute'}
        Sign of the distance: "key-query" d = j - p, "query-key" d = p - j, "absolute".
    low, high : int
        Distances of the first and the last row.
    outside : {'clip', 'zero', 'refuse'}
        What other distances read: "clip" reads the nearest row, "zero" gives -1, a row that reads zeros, "refuse"
        refuses them.
    query_offset : int, default 0
        Position of the first query.
    query_step : int, default 1
        Number of keys from one query to the next, where queries are pooled.
    out : ndarray of int64, optional
        Array that receives the result.

    Returns
    -------
    ndarray of int64
        Shape (..., queries, keys).

    Raises
    ------
    InputError
        E_SIZE and E_POSITION (query_len, key_len, query_offset, query_step), E_DTYPE, E_SHAPE, E_CHOICE (sign,
        outside), E_NUMBER (low, high; key_len where a distance is refused), E_TOO_LARGE, E_OUT.

    References
    ----------
    Shaw et al. 2018, arXiv:1803.02155, equation 3. Which model reads which rows: docs/relative.md.

    Examples
    --------
    >>> relative_rows(3, 4, sign="key-query", low=-2, high=1, outside="clip")
    array([[2, 3, 3, 3],
           [1, 2, 3, 3],
           [0, 1, 2, 3]])
    """
    checks.choice("sign", sign, offsets.SIGNS)
    checks.choice("outside", outside, offsets.OUTSIDES)
    low, high = offsets.read_ends(low, high)
    step = checks.integer("query_step", query_step, 1, LARGEST_OFFSET, "E_POSITION")
    start = read_offset(query_offset)
    query, key = _shape("query_len", query_len), _shape("key_len", key_len)
    try:
        leading = checks.broadcast(query[:-1], key[:-1])
    except ValueError:
        sentence = f"key_len must have leading axes that broadcast with those of query_len, {query}, got {key}"
        raise InputError("E_SHAPE", "key_len", sentence) from None
    shape = (*leading, query[-1], key[-1])
    apart = foreign.memory(query_len, key_len)
    array, stored = checks.output(out, shape, checks.INT64, apart_from=apart)
    queries, keys = _moved(_positions("query_len", query_len), start, step), _positions("key_len", key_len)
    at_once = max(1, BLOCK // max(1, math.prod(leading) * key[-1]))
    blocks = [slice(first, first + at_once) for first in range(0, query[-1], at_once)]

    def rows(block):
        relative = keys[..., None, :] - queries[..., block, None]
        return offsets.rows(offsets.signed(relative, sign), low, high, outside, "key_len")

    if outside == "refuse":  # before anything is written
        for block in blocks:
            rows(block)
    for block in blocks:
        stored[..., block, :] = rows(block)
    return array


def _shape(name, values):
    """The shape of the positions; a number n stands for n of them."""
    array = checks.integers(name, values, "E_POSITION")
    if array.ndim >= MOST_AXES:
        raise InputError("E_SHAPE", name, f"{name} must have fewer than {MOST_AXES} axes, got {array.ndim}")
    return array.shape if array.ndim else (checks.integer(name, values),)


def _positions(name, values):
    """Positions as int64: 0 .. n - 1 of a number n."""
    array = checks.integers(name, values, "E_POSITION")
    if not array.ndim:
        return checks.counted(name, checks.integer(name, values))
    low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
    if low < -LARGEST_OFFSET or high > LARGEST_OFFSET:
        beyond = low if low < -LARGEST_OFFSET else high
        raise InputError("E_POSITION", name, f"{name} must be from -2**53 to 2**53, got {beyond}")
    return array.astype(np.int64)


def _moved(positions, start, step):
    """start + step * positions, refused where the products leave +-2**53."""
    largest = max(-int(positions.min(initial=0)), int(positions.max(initial=0)))
    if largest * step > LARGEST_OFFSET:
        sentence = f"query_step must be at most {LARGEST_OFFSET // largest} with positions up to {largest}"
        raise InputError("E_POSITION", "query_step", f"{sentence}, got {step}")
    return start + step * positions
