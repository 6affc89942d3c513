"""Which of two rotations a query and a key use where near keys keep their distance."""

from __future__ import annotations

import numpy as np

from ..catalogue import register
from ..steps.positions.exact_positions import PositionsLike
from ..types import Integer, Integers
from . import _windows


@register(
    family="positions",
    paper="Jin et al. 2024, LLM Maybe LongLM, arXiv:2401.01325, section 3.2",
    conventions="near: |query - key| < window, keys after the query too",
)
def window_regions(query_positions: PositionsLike, key_positions: PositionsLike, *, window: Integer) -> Integers:
    """The merge mask of Self-Extend and ReRoPE: 0 where the plain rotation counts, 1 where the other does.

        0 where |q - k| < window, else 1

    Parameters
    ----------
    query_positions, key_positions : int or array_like
        An int n (meaning 0 .. n-1) or integers (n,), 0 to 2**53.
    window : int
        The size of the near window, 1 to 2**31.

    Returns
    -------
    ndarray of int64
        Shape (queries, keys).

    Raises
    ------
    InputError
        E_POSITION, E_SHAPE, E_SIZE.

    Notes
    -----
    It masks nothing: keys after the query are left to the causal mask.

    References
    ----------
    - datamllab/LongLM, self_extend_patch/Llama.py, neighbor_attention_mask.
    - bojone/rerope, rerope_patch.py, rectified_mask.

    Examples
    --------
    >>> window_regions([3, 4], 5, window=2)
    array([[1, 1, 0, 0, 0],
           [1, 1, 1, 0, 0]])
    """
    query, key = _windows.read_queries_and_keys(query_positions, key_positions)
    return (np.abs(query - key) >= _windows.read_size("window", window)).astype(np.int64)
