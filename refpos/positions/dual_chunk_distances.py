"""Distances between queries and keys under dual chunk attention."""

from __future__ import annotations

import numpy as np

from ..catalogue import register
from ..steps.positions.exact_positions import PositionsLike
from ..types import Integer, Integers
from . import _windows
from .dual_chunk_positions import Version, query_or_key, read_chunk
from .dual_chunk_regions import regions


@register(
    family="positions",
    paper="An et al. 2024, Training-Free Long-Context Scaling of Large Language Models, arXiv:2402.17463, section 3",
    conventions="query minus key; largest chunk_size - 1 (version paper) or chunk_size (chunkllama, vLLM), no default",
    also="dual chunk attention, DCA",
)
def dual_chunk_distances(
    query_positions: PositionsLike,
    key_positions: PositionsLike,
    *,
    chunk_size: Integer,
    local_size: Integer,
    version: Version,
) -> Integers:
    """The distance by which dual chunk attention rotates each query against each key.

        q mod s - k mod s               in one chunk of s = chunk_size - local_size tokens
        min(q mod s + s, top) - k mod s where the key is in the chunk before: q - k for the local_size nearest
        min(2s - 1, top) - k mod s      where it is further back; top in version "paper"
        0                               where it is after the query

    Parameters
    ----------
    query_positions, key_positions : int or array_like
        An int n (meaning 0 .. n-1) or integers (n,), 0 to 2**53.
    chunk_size : int
        Size of a chunk, at least 2, at most 2**31.
    local_size : int
        Number of the nearest keys that keep their distance across chunks, from 0 to chunk_size - 1.
    version : {'paper', 'chunkllama'}
        Value of top, as in `dual_chunk_positions`.

    Returns
    -------
    ndarray of int64
        Shape (queries, keys).

    Raises
    ------
    InputError
        E_POSITION, E_SHAPE, E_SIZE, E_CHOICE (version).

    References
    ----------
    As `dual_chunk_positions`.

    Examples
    --------
    >>> dual_chunk_distances([5, 6, 11, 12], 13, chunk_size=10, local_size=4, version="paper")  # figure 2
    array([[5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0],
           [6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0],
           [9, 8, 7, 6, 5, 4, 5, 4, 3, 2, 1, 0, 0],
           [9, 8, 7, 6, 5, 4, 6, 5, 4, 3, 2, 1, 0]])
    """
    query, key = _windows.read_queries_and_keys(query_positions, key_positions)
    chunk_size, length = read_chunk(chunk_size, local_size)
    region = regions(query, key, length)
    intra, successive, inter = (
        query_or_key(query, role, length, chunk_size, version) for role in ("intra", "successive", "inter")
    )
    query = np.where(region <= 0, intra, np.where(region == 1, successive, inter))
    return np.where(region < 0, 0, query - key % length)
