"""Positions of the cells of a grid, written out as an array."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError, shown, shown_number
from ..steps.positions.exact_positions import PositionsLike, as_int64
from ..steps.waves import grids
from ..types import Array, Number


@register(
    family="positions",
    paper="conventions of encoders; Dosovitskiy et al. 2021, arXiv:2010.11929, for row-major",
    conventions="axes in the order of coordinates, the cells of the last fastest",
    contract="once",
    also="meshgrid",
)
def grid_positions(coordinates: Sequence[PositionsLike | Sequence[Number]]) -> Array:
    """Position ids of the cells of a grid along each axis, as an array for other code.

        cell (i_0, i_1, ...) is at coordinates[0][i_0], coordinates[1][i_1], ...; cells in row-major order

    Parameters
    ----------
    coordinates : sequence of int or array_like
        For each axis an int n (meaning 0 .. n-1), a list of numbers or fractions, or what a function of
        `refpos.coordinates` returns.

    Returns
    -------
    ndarray
        Shape (axes, cells): int64 where every position is an integer, else float64, each the exact position rounded
        once.

    Raises
    ------
    InputError
        E_SHAPE (no axis, coordinates that do not have one axis), E_POSITION, E_SIZE.

    References
    ----------
    - timm 1.0.31, layers/pos_embed_sincos.py, create_rope_embed.
    - torch.meshgrid with indexing "ij".

    Examples
    --------
    >>> grid_positions([2, 3])
    array([[0, 0, 0, 1, 1, 1],
           [0, 1, 2, 0, 1, 2]])
    """
    if not isinstance(coordinates, (tuple, list)):
        sentence = f"coordinates must be a list of axes, got {shown(coordinates)}"
        raise InputError("E_SHAPE", "coordinates", sentence)
    grid = grids.grid(*coordinates)
    exact = [_fractions(axis) if 0 not in grid.shape else [] for axis in grid.axes]
    whole = all(value.denominator == 1 for line in exact for value in line)
    kind, dtype = (int, np.int64) if whole else (float, np.float64)
    try:
        lines = [np.array(list(map(kind, line)), dtype) for line in exact]
    except OverflowError:
        sentence = f"coordinates must lie within {'int64' if whole else 'float64'}"
        beyond = shown_number(max(abs(value) for line in exact for value in line))
        raise InputError("E_POSITION", "coordinates", f"{sentence}, got one of size {beyond}") from None
    result = checks.empty("out", (len(lines), *grid.shape), dtype)
    for axis, (line, along) in enumerate(zip(lines, result)):
        ones = [size if k == axis else 1 for k, size in enumerate(grid.shape)]
        along[...] = line.reshape(ones) if along.size else 0
    return result.reshape(len(lines), math.prod(grid.shape))


def _fractions(axis):
    (group,) = axis.groups
    unit = axis.unit * Fraction(2) ** group.exponent
    return [value * unit for value in as_int64(group.multipliers).tolist()]
