"""The factors by which xPos lets queries grow and keys shrink."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.positions.exact_positions import LIMIT, PositionsLike, read_positions
from ..steps.waves import scaled_rotation
from ..steps.waves.tables import rows_of
from ..types import Array, DType, Integer, Number

__all__ = ["xpos_scale"]

#: which integer the middle of an odd length is taken to be
Centring = Literal["floor", "ceil"]
CENTRINGS = get_args(Centring)
LEAST_GAMMA = Fraction(1, 2**16)


@register(
    family="rotary",
    paper="Sun et al. 2022, A Length-Extrapolatable Transformer, arXiv:2212.10554, algorithm 1",
    conventions="centring ceil (torchscale) or floor (lucidrains), no default; one column for each pair of channels",
    also="xPos scale",
)
def xpos_scale(
    positions: PositionsLike,
    dim: Integer,
    *,
    centring: Centring,
    downscale: bool = False,
    length: Integer | None = None,
    scale_base: Number = 512,
    gamma: Number | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """The scale of xPos for each position and pair of channels.

        s[p, j] = zeta_j**((p - c) / scale_base),  zeta_j = (2j + gamma dim) / ((1 + gamma) dim),  j = 0 .. dim/2 - 1
        c = floor(N / 2) or ceil(N / 2) by centring;  with downscale 1 / s

    Parameters
    ----------
    positions : int or array_like
        An int n (meaning 0 .. n-1) or an array of integers or floats, any shape, at most 2**53 in size.
    dim : int
        Rotary dimension, even.
    centring : {'floor', 'ceil'}
        Rule of the centre c: "ceil" (torchscale: -3 .. 1 for 5 tokens) or "floor" (lucidrains: -2 .. 2).
    downscale : bool, default False
        True for keys.
    length : int, optional
        N, all tokens, those in a cache too; None is the largest position plus 1, and 0 the formula of the paper, not
        centred.
    scale_base : float or Fraction, default 512
        Divisor of the exponent, at least 1, taken as exactly what it is.
    gamma : float or Fraction, optional
        At least 2**-16, taken as exactly what it is; None is 2/5, which no float is.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (*shape, dim/2) for positions of that shape, every element the exact value rounded once to `dtype`.

    Raises
    ------
    InputError
        E_POSITION, E_ODD_DIM, E_CHOICE, E_SIZE (length), E_NUMBER, E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    The centre cancels in the score of a query and a key that share it, though each of them depends on it; so both take
    the same length in decoding.

    References
    ----------
    - Sun et al. 2022, arXiv:2212.10554, algorithm 1.
    - The division by scale_base and the centre: microsoft/torchscale, component/xpos_relative_position.py.
    - lucidrains/rotary-embedding-torch, get_scale, and x-transformers, RotaryEmbedding.

    Examples
    --------
    >>> xpos_scale(5, 4, centring="floor")[0]
    array([1.0049056, 1.0017274])
    >>> xpos_scale(5, 4, centring="ceil")[3]
    array([1., 1.])
    """
    positions = read_positions(positions)
    dim = checks.even_width("dim", dim)
    growth = growth_of(positions, dim, centring, downscale, length, scale_base, gamma)
    fmt = formats.resolve(dtype)
    result, stored = checks.output(out, (*positions.shape, dim // 2), fmt)
    with rows_of(stored) as rows:
        scaled_rotation.fill_powers(rows, positions, growth, fmt)
    return result


def growth_of(positions, dim, centring, downscale, length, scale_base, gamma):
    """The checked arguments of xPos as a `scaled_rotation.Growth`; positions: `positions.Positions`."""
    checks.choice("centring", centring, CENTRINGS)
    sign = -1 if checks.flag("downscale", downscale) else 1
    low, high = _extremes(positions)
    if max(high, -low) > LIMIT:
        worst = max(low, high, key=abs)
        raise InputError("E_POSITION", "positions", f"positions must lie within -2**53 .. 2**53, got {float(worst)}")
    total = high + 1 if length is None else checks.integer("length", length, 0, LIMIT)
    centre = total // 2 if centring == "floor" else -(-total // 2)
    base = checks.real("scale_base", scale_base)
    if base < 1:
        raise InputError("E_NUMBER", "scale_base", f"scale_base must be at least 1, got {shown(scale_base)}")
    exact_gamma = Fraction(2, 5) if gamma is None else checks.real("gamma", gamma)
    if exact_gamma < LEAST_GAMMA:
        raise InputError("E_NUMBER", "gamma", f"gamma must be at least 2**-16, got {shown(gamma)}")
    zetas = tuple((2 * j + exact_gamma * dim) / ((1 + exact_gamma) * dim) for j in range(dim // 2))
    return scaled_rotation.Growth(zetas, sign / base, Fraction(centre))


def _extremes(positions):
    """The smallest and the largest position as fractions; -1 twice where there is none, so that the length is 0."""
    extremes = []
    for _, multipliers, exponent in positions.groups:
        if len(multipliers):
            ends = multipliers[:: max(1, len(multipliers) - 1)] if isinstance(multipliers, range) else multipliers
            unit = Fraction(2) ** exponent * positions.unit
            extremes += [int(np.min(ends)) * unit, int(np.max(ends)) * unit]
    return (min(extremes), max(extremes)) if extremes else (Fraction(-1), Fraction(-1))
