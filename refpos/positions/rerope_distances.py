"""Distances between queries and keys under ReRoPE and Leaky ReRoPE."""

from __future__ import annotations

import numpy as np

from ..catalogue import register
from ..steps.positions.exact_positions import PositionsLike
from ..types import Array, Integer, Number, PositionDType
from . import _windows


@register(
    family="positions",
    paper="Su 2023, Rectified Rotary Position Embeddings, github.com/bojone/rerope",
    conventions="query minus key; near is |query - key| < window",
    contract="once",
    also="ReRoPE, Leaky ReRoPE",
)
def rerope_distances(
    query_positions: PositionsLike,
    key_positions: PositionsLike,
    *,
    window: Integer,
    factor: Number | None = None,
    dtype: PositionDType = "int64",
    out: Array | None = None,
) -> Array:
    """The distance by which ReRoPE rotates each query against each key.

        q - k                          where |q - k| < w
        w                              elsewhere (factor None: ReRoPE)
        w + (q - k - w) / factor       elsewhere (Leaky ReRoPE)

    Parameters
    ----------
    query_positions, key_positions : int or array_like
        An int n (meaning 0 .. n-1) or integers (n,), 0 to 2**53.
    window : int
        The window w, an integer from 1 to 2**31.
    factor : float or Fraction, optional
        Factor of Leaky ReRoPE, at least 1, with numerator and denominator of at most 2**31; None for ReRoPE.
    dtype : str or dtype, default 'int64'
        "int64", or a float format, which a factor needs.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (queries, keys); floats are the exact value rounded once.

    Raises
    ------
    InputError
        E_POSITION, E_SHAPE, E_SIZE (window), E_NUMBER (factor), E_DTYPE, E_OUT.

    Notes
    -----
    Keys after the query are counted too, and left to the causal mask: before it the distance is min(q - k, w).

    References
    ----------
    bojone/rerope, rerope_patch.py, leaky_rerope_patch.py.

    Examples
    --------
    >>> rerope_distances([8], 9, window=3)
    array([[3, 3, 3, 3, 3, 3, 2, 1, 0]])
    >>> rerope_distances([8], 9, window=3, factor=2, dtype="float64")
    array([[5.5, 5. , 4.5, 4. , 3.5, 3. , 2. , 1. , 0. ]])
    """
    query, key = _windows.read_queries_and_keys(query_positions, key_positions)
    window = _windows.read_size("window", window)
    distance = query - key
    near = np.abs(distance) < window
    if factor is None:
        return _windows.round_once(np.where(near, distance, window), np.zeros_like(distance), 1, dtype, out, "nothing")
    up, down = _windows.read_fraction("factor", factor)
    quotient, rest = np.divmod(distance - window, up)
    far = window + quotient * down
    return _windows.round_once(
        np.where(near, distance, far), np.where(near, 0, rest * down), up, dtype, out, "a distance / factor"
    )
