"""The arrays and positions of a call, as exact float64 numbers."""

import numpy as np

from ...arithmetic import rounding
from ...steps.positions.exact_positions import Positions
from ...steps.waves.grids import Grid
from ...tensor_files import answer
from ..classes import BFLOAT16


def exact_values(array):
    """The exact float64 values of positions, weights or x."""
    stored = answer(array, "an array")
    if stored.dtype == "bfloat16":
        return rounding.widen(stored.values, BFLOAT16)
    return stored.values.astype(np.float64)


def exact_positions(positions):
    """Positions of any kind; arrays as float64, exactly."""
    if isinstance(positions, (int, np.integer, Grid, Positions)):
        return positions
    if isinstance(positions, (list, tuple)) and any(isinstance(axis, Positions) for axis in positions):
        return positions
    return exact_values(positions)


def exact_channels(x, fmt):
    """x as float64, exactly; uint16 are bit patterns where the format is bfloat16."""
    if fmt is BFLOAT16 and getattr(x, "dtype", None) == np.uint16:
        return rounding.widen(np.asarray(x), fmt)
    return exact_values(x)


def shaped_like_x(numbers, shape, seq_axis):
    """Numbers (..., seq, n) of the tokens, shaped like x: leading axes lead, seq lies at seq_axis."""
    axis = seq_axis % len(shape)
    *lead, rows, count = numbers.shape
    return numbers.reshape(*lead, *(1,) * (axis - len(lead)), rows, *(1,) * (len(shape) - 2 - axis), count)
