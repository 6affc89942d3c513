"""Positions of the second rotation of ReRoPE and Leaky ReRoPE."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..catalogue import register
from ..steps.positions.exact_positions import PositionsLike, read_whole_positions
from ..types import Array, Integer, Number, PositionDType
from . import _windows
from ._windows import Role


@register(
    family="positions",
    paper="Su 2023, Rectified Rotary Position Embeddings, github.com/bojone/rerope",
    conventions="keys at 0 and queries at the window, or with a factor positions divided by it",
    contract="once",
    also="ReRoPE, Leaky ReRoPE",
)
def rerope_positions(
    positions: PositionsLike,
    *,
    role: Role,
    window: Integer,
    factor: Number | None = None,
    dtype: PositionDType = "int64",
    out: Array | None = None,
) -> Array:
    """The position ids by which ReRoPE rotates queries and keys that are far from each other.

        ReRoPE (factor None):  queries w, keys 0
        Leaky ReRoPE:          queries (p + w (factor - 1)) / factor, keys p / factor

    Pairs nearer than the window w are rotated by p itself: see `window_regions` for which is which, and
    `rerope_distances` for the distances.

    Parameters
    ----------
    positions : int or array_like
        An int n (meaning 0 .. n-1) or integers of any shape, 0 to 2**53.
    role : {'query', 'key'}
        What is rotated, "query" or "key".
    window : int
        The window w, an integer from 1 to 2**31.
    factor : float or Fraction, optional
        Factor of Leaky ReRoPE, at least 1, with numerator and denominator of at most 2**31, taken as exactly what it
        is; None for ReRoPE.
    dtype : str or dtype, default 'int64'
        "int64", or a float format, which a factor needs.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        An array of the shape of positions; floats are the exact value rounded once.

    Raises
    ------
    InputError
        E_POSITION, E_CHOICE (role), E_SIZE (window), E_NUMBER (factor), E_DTYPE, E_OUT.

    Notes
    -----
    The code divides frequencies instead, which is the same exactly; `coordinates.affine(n, start=..., step=1/factor)`
    makes the positions that `rope` rotates by without any rounding.

    References
    ----------
    bojone/rerope, rerope_patch.py and leaky_rerope_patch.py (scaling_factor).

    Examples
    --------
    >>> rerope_positions(3, role="query", window=512)
    array([512, 512, 512])
    >>> rerope_positions([0, 600], role="query", window=512, factor=16, dtype="float64")
    array([480. , 517.5])
    """
    positions, window = read_whole_positions("positions", positions), _windows.read_size("window", window)
    query = checks.choice("role", role, _windows.ROLES) == "query"
    if factor is None:
        constant = np.full_like(positions, window if query else 0)
        return _windows.round_once(constant, np.zeros_like(positions), 1, dtype, out, "nothing")
    up, down = _windows.read_fraction("factor", factor)  # p / factor = p down / up
    quotient, rest = divmod(positions, up)
    shift, shift_rest = divmod(window * (up - down), up) if query else (0, 0)
    return _windows.round_once(quotient * down + shift, rest * down + shift_rest, up, dtype, out, "a position / factor")
