"""Points: tokens with several coordinates each, exactly, and those coordinates rounded as they are."""

import numpy as np

from ... import checks
from ...arithmetic import formats, rounding
from ...errors import InputError
from ..positions.exact_positions import Positions, as_int64, read_positions
from .grids import Grid
from .rotary_arguments import TokenPositions


def read_points(name, values, count=None, what=""):
    """An array (..., n) of numbers, exact positions of each of n coordinates in a list, or a `Grid`.

    count: the only n there may be; what: its coordinates in words, for the message.
    """
    if isinstance(values, Grid):
        _check_count(name, len(values.axes), count, what)
        return TokenPositions(values.shape, values.axes, values)
    if isinstance(values, Positions):
        values = [values]
    if isinstance(values, (list, tuple)) and values and all(isinstance(one, Positions) for one in values):
        _check_count(name, len(values), count, what)
        axes = tuple(values)
    else:
        array = checks.widened(name, values)
        if not array.ndim or not array.shape[-1]:
            sentence = f"{name} must be (..., n) for n coordinates of each token, got shape {array.shape}"
            raise InputError("E_SHAPE", name, sentence)
        _check_count(name, array.shape[-1], count, what)
        axes = tuple(read_positions(array[..., k], name) for k in range(array.shape[-1]))
    if len({axis.shape for axis in axes}) != 1:
        shapes = ", ".join(str(axis.shape) for axis in axes)
        raise InputError("E_SHAPE", name, f"{name} must have the same shape for each coordinate, got {shapes}")
    return TokenPositions(axes[0].shape, axes)


def _check_count(name, received, count, what):
    """Refuse other than `count` coordinates, before they are read one by one; without a count, more than any token
    has."""
    if count not in (None, received):
        raise InputError("E_SHAPE", name, f"{name} must be (..., {count}), {what}, got {received} coordinates")
    if received > checks.WIDEST:
        sentence = f"{name} must have at most {checks.WIDEST} coordinates of each token, got {received}"
        raise InputError("E_SHAPE", name, sentence)


def rounded(axis, fmt):
    """The positions of one axis rounded once, flat, of the storage dtype."""
    if axis.unit != 1:
        patterns = [rounding.nearest_fraction(value, fmt) for value in axis.fractions()]
        return np.array(patterns, f"u{fmt.width // 8}").view(fmt.storage)
    values = np.empty(int(np.prod(axis.shape, dtype=np.int64)))
    for index, multipliers, exponent in axis.groups:
        values[slice(None) if index is None else index] = np.ldexp(as_int64(multipliers).astype(np.float64), exponent)
    return formats.bits(rounding.narrow(values, fmt)).view(fmt.storage)
