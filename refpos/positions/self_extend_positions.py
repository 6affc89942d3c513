"""Positions of the grouped rotation of Self-Extend."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..steps.positions.exact_positions import LIMIT, PositionsLike, read_whole_positions
from ..types import Array, Integer, PositionDType
from . import _windows
from ._windows import Role

Shift = Literal["floor", "exact"]
SHIFTS = get_args(Shift)


@register(
    family="positions",
    paper="Jin et al. 2024, LLM Maybe LongLM, arXiv:2401.01325, section 3.2 and algorithm 1",
    conventions="shift floor (paper, first patches) or exact (later patches, in prefill), no default",
    contract="once",
    also="Self-Extend, LongLM, grouped attention",
)
def self_extend_positions(
    positions: PositionsLike,
    *,
    role: Role,
    group_size: Integer,
    neighbor_window: Integer,
    shift: Shift,
    longest: Integer | None = None,
    dtype: PositionDType = "int64",
    out: Array | None = None,
) -> Array:
    """The position ids by which Self-Extend rotates queries and keys that are far from each other.

        keys:     p // G
        queries:  p // G + W - W // G  (shift "floor"),  p // G + W - W / G  (shift "exact");  no shift if longest < W

    Pairs nearer than W are rotated by p itself: see `window_regions` for which is which, `self_extend_distances` for
    the distances.

    Parameters
    ----------
    positions : int or array_like
        An int n (meaning 0 .. n-1) or integers of any shape, 0 to 2**53.
    role : {'query', 'key'}
        What is rotated, "query" or "key".
    group_size : int
        G, an integer from 1 to 2**31.
    neighbor_window : int
        W, an integer from 1 to 2**31.
    shift : {'floor', 'exact'}
        Shift of the queries, as stated above.
    longest : int, optional
        The largest query position of the call (None: that of positions), below W of which nothing is shifted.
    dtype : str or dtype, default 'int64'
        "int64", or a float format, which "exact" needs where G does not divide W.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        An array of the shape of positions; floats are the exact value rounded once.

    Raises
    ------
    InputError
        E_POSITION, E_CHOICE (role, shift), E_SIZE (group_size, neighbor_window, longest), E_DTYPE, E_OUT.

    Notes
    -----
    The two shifts agree where G divides W. For G = 6, W = 1024 they are 854 and 853 1/3, which float32 rounds.

    References
    ----------
    - Jin et al. 2024, arXiv:2401.01325, algorithm 1. floor: datamllab/LongLM, llama_self_extend_patch.py, and
      self_extend_patch/Llama.py where flash attention decodes.
    - exact: self_extend_patch/Llama.py elsewhere, there in float32.

    Examples
    --------
    >>> self_extend_positions([0, 7, 8], role="query", group_size=2, neighbor_window=4, shift="floor")
    array([2, 5, 6])
    >>> self_extend_positions([0, 5], role="query", group_size=3, neighbor_window=4, shift="exact", dtype="float32")
    array([2.6666667, 3.6666667], dtype=float32)
    """
    positions = read_whole_positions("positions", positions)
    group, window = read_arguments(group_size, neighbor_window, shift)
    if checks.choice("role", role, _windows.ROLES) == "key":
        return _windows.round_once(
            positions // group, np.zeros_like(positions), group, dtype, out, "neighbor_window / group_size"
        )
    used = used_window(positions, longest, window)
    offset, rest = window_shift(used, group, shift)
    return _windows.round_once(
        positions // group + offset, np.full_like(positions, rest), group, dtype, out, "neighbor_window / group_size"
    )


def read_arguments(group_size, neighbor_window, shift):
    """(group size, window), once these and the shift are checked."""
    checks.choice("shift", shift, SHIFTS)
    return _windows.read_size("group_size", group_size), _windows.read_size("neighbor_window", neighbor_window)


def used_window(positions, longest, window):
    """The window as the shift uses it: 0 where no query reaches it."""
    top = int(positions.max()) if positions.size else 0
    if longest is not None:
        longest = checks.integer("longest", longest, 0, LIMIT)
        if longest < top:
            raise InputError("E_SIZE", "longest", f"longest must be at least the largest position {top}, got {longest}")
        top = longest
    return window if top >= window else 0


def window_shift(window, group, shift):
    """window - window / group as (whole part, rest in units of 1 / group), the quotient cut with shift "floor"."""
    if shift == "floor":
        return window - window // group, 0
    return divmod(window * group - window, group)
