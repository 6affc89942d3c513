"""The weights with which heads of ConViT start: each looks at one cell of the neighbourhood."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from .. import checks
from ..arithmetic import formats, rounding
from ..catalogue import register
from ..errors import InputError
from ..types import Array, DType, Integer, Number

__all__ = ["convit_start"]


@register(
    family="relative",
    paper="d'Ascoli et al. 2021, ConViT, arXiv:2103.10697, section 3",
    conventions="heads count columns slowest: head n looks at row n % side and column n // side of the neighbourhood",
    no_error_bound="integers times a number, rounded once",
    also="GPSA initialisation",
)
def convit_start(
    num_heads: Integer, *, strength: Number = 1, dtype: DType = "float64", out: Array | None = None
) -> Array:
    """ConViT's initial weights, with which every head of `convit_attention` prefers one offset.

        weight[n] = strength (2 x, 2 y, -1),  x = n // side - (side - 1) / 2,  y = n % side - (side - 1) / 2

    Parameters
    ----------
    num_heads : int
        Number of heads, the square of an integer, side**2.
    strength : float or Fraction, default 1
        The paper's locality strength, a finite number.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (num_heads, 3), each element rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SIZE (num_heads), E_NUMBER (strength), E_DTYPE, E_OUT.

    Notes
    -----
    The score of an offset (dx, dy) is -strength |(dx, dy) - (x, y)|**2 and a constant, so that with a large strength
    the softmax takes the cell at (x, y), as a convolution with a kernel of side * side does.

    References
    ----------
    Timm 1.0.31, timm/models/convit.py, GPSA.local_init; heads beyond the square keep random weights there.

    Examples
    --------
    >>> convit_start(4)
    array([[-1., -1., -1.],
           [-1.,  1., -1.],
           [ 1., -1., -1.],
           [ 1.,  1., -1.]])
    """
    num_heads = checks.integer("num_heads", num_heads, 0, checks.WIDEST)
    side = math.isqrt(num_heads)
    if side * side != num_heads:
        raise InputError("E_SIZE", "num_heads", f"num_heads must be the square of an integer, got {num_heads}")
    strength, fmt = checks.real("strength", strength), formats.resolve(dtype)
    array, stored = checks.output(out, (num_heads, 3), fmt)
    patterns = [_pattern((2 * n - side + 1) * strength, fmt) for n in range(side)]
    offsets = np.array(patterns, f"u{fmt.width // 8}")
    weight = formats.bits(stored)
    weight[:, 0], weight[:, 1] = np.repeat(offsets, side), np.tile(offsets, side)
    weight[:, 2] = _pattern(-strength, fmt)
    return array


def _pattern(value, fmt):
    """The bit pattern of a number that has a sign only where it is not 0."""
    return rounding.nearest_fraction(Fraction(value), fmt)
