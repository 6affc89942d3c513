"""Which position of a query dual chunk attention uses for a key."""

from __future__ import annotations

import numpy as np

from ..catalogue import register
from ..steps.positions.exact_positions import PositionsLike
from ..types import Integer, Integers
from . import _windows
from .dual_chunk_positions import read_chunk


@register(
    family="positions",
    paper="An et al. 2024, Training-Free Long-Context Scaling of Large Language Models, arXiv:2402.17463, section 3",
    conventions="0 intra, 1 successive, 2 inter; -1 where the key is after the query",
)
def dual_chunk_regions(
    query_positions: PositionsLike, key_positions: PositionsLike, *, chunk_size: Integer, local_size: Integer
) -> Integers:
    """The region of each pair of a query and a key in dual chunk attention.

        0 (intra) where q // s = k // s,  1 (successive) where q // s = k // s + 1,  2 (inter) where it is more;
        -1 where k > q                    s = chunk_size - local_size

    Parameters
    ----------
    query_positions, key_positions : int or array_like
        An int n (meaning 0 .. n-1) or integers (n,), 0 to 2**53.
    chunk_size : int
        Size of a chunk, at least 2, at most 2**31.
    local_size : int
        Number of the nearest keys that keep their distance across chunks, from 0 to chunk_size - 1.

    Returns
    -------
    ndarray of int64
        Shape (queries, keys).

    Raises
    ------
    InputError
        E_POSITION, E_SHAPE, E_SIZE.

    References
    ----------
    As `dual_chunk_positions`.

    Examples
    --------
    >>> dual_chunk_regions([5, 6, 12], 13, chunk_size=10, local_size=4)
    array([[ 0,  0,  0,  0,  0,  0, -1, -1, -1, -1, -1, -1, -1],
           [ 1,  1,  1,  1,  1,  1,  0, -1, -1, -1, -1, -1, -1],
           [ 2,  2,  2,  2,  2,  2,  1,  1,  1,  1,  1,  1,  0]])
    """
    query, key = _windows.read_queries_and_keys(query_positions, key_positions)
    return regions(query, key, read_chunk(chunk_size, local_size)[1])


def regions(query, key, length):
    """0, 1, 2 or -1 for each pair, from whole positions and the length of a chunk."""
    return np.where(key > query, -1, np.minimum(query // length - key // length, 2))
