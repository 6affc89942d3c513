"""Distances between queries and keys under Self-Extend."""

from __future__ import annotations

import numpy as np

from ..catalogue import register
from ..steps.positions.exact_positions import PositionsLike
from ..types import Array, Integer, PositionDType
from . import _windows
from .self_extend_positions import Shift, read_arguments, used_window, window_shift


@register(
    family="positions",
    paper="Jin et al. 2024, LLM Maybe LongLM, arXiv:2401.01325, section 3.2 and algorithm 1",
    conventions="query minus key; shift floor (paper, first patches) or exact (later patches, in prefill), no default",
    contract="once",
    also="Self-Extend, LongLM",
)
def self_extend_distances(
    query_positions: PositionsLike,
    key_positions: PositionsLike,
    *,
    group_size: Integer,
    neighbor_window: Integer,
    shift: Shift,
    longest: Integer | None = None,
    dtype: PositionDType = "int64",
    out: Array | None = None,
) -> Array:
    """The distance by which Self-Extend rotates each query against each key.

        q - k                               where |q - k| < W
        q // G + W - W // G - k // G        elsewhere (shift "floor"; "exact": W / G; no shift if longest < W)

    Parameters
    ----------
    query_positions, key_positions : int or array_like
        An int n (meaning 0 .. n-1) or integers (n,), 0 to 2**53.
    group_size : int
        G, an integer from 1 to 2**31.
    neighbor_window : int
        W, an integer from 1 to 2**31.
    shift : {'floor', 'exact'}
        Shift of the far pairs, as stated above.
    longest : int, optional
        The largest query position of the call, below W of which nothing is shifted; None takes that of query_positions.
    dtype : str or dtype, default 'int64'
        "int64", or a float format, which "exact" needs where G does not divide W.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (queries, keys); floats are the exact value rounded once.

    Raises
    ------
    InputError
        E_POSITION, E_SHAPE, E_CHOICE (shift), E_SIZE (group_size, neighbor_window, longest), E_DTYPE, E_OUT.

    Notes
    -----
    Keys after the query are counted too, and left to the causal mask.

    References
    ----------
    As `self_extend_positions`.

    Examples
    --------
    >>> self_extend_distances([8, 9], 10, group_size=2, neighbor_window=4, shift="floor")
    array([[ 6,  6,  5,  5,  4,  3,  2,  1,  0, -1],
           [ 6,  6,  5,  5,  4,  4,  3,  2,  1,  0]])
    """
    query, key = _windows.read_queries_and_keys(query_positions, key_positions)
    group, window = read_arguments(group_size, neighbor_window, shift)
    offset, rest = window_shift(used_window(query, longest, window), group, shift)
    near = np.abs(query - key) < window
    distances = np.where(near, query - key, query // group + offset - key // group)
    return _windows.round_once(distances, np.where(near, 0, rest), group, dtype, out, "neighbor_window / group_size")
