"""Sines and cosines of the rows and columns of an image that a mask counts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import get_args

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.angles.frequencies import sinusoid_inv_freq
from ..steps.positions.exact_positions import Group, Positions
from ..steps.waves import fourier, grids, tables
from ..types import Array, ArrayLike, AxisOrder2D, DType, Integer, Number, PiFactor

__all__ = ["masked_sine_2d"]

AXIS_ORDERS = get_args(AxisOrder2D)


@register(
    family="absolute",
    paper="Carion et al. 2020, DETR, arXiv:2005.12872, appendix A.4",
    conventions="normalize, half_pixel and axis_order hw or wh (no default); interleaved",
    also="DETR, PositionEmbeddingSine, DETR position embedding, build_position_encoding",
)
def masked_sine_2d(
    mask: ArrayLike,
    dim: Integer,
    *,
    normalize: bool,
    half_pixel: bool,
    axis_order: AxisOrder2D,
    scale: Number | PiFactor | None = None,
    eps: Number = 1e-6,
    base: Number | Sequence[Number] = 10000.0,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """DETR's 2D sinusoid: rows and columns counted over unmasked cells, encoded by sines and cosines.

        PE[r, c] = [wave(y) | wave(x)] for axis_order "hw",   wave(y) = sin, cos of y * base**(-2i / (dim/2))
        y = cells of column c allowed in rows 0 .. r,  and with normalize  y = scale (y - 1/2 if half_pixel) / (Y + eps)

    Y is the count of the whole column; x and X are those of the row.

    Parameters
    ----------
    mask : array_like
        Mask, shape (..., height, width), True or 1 where there is image, False or 0 where there is padding; or [height,
        width] of an image without padding.
    dim : int
        Number of channels of both axes together, a multiple of 4 (DETR's num_pos_feats is half of it).
    normalize : bool
        Whether counts are divided by that of the whole column or row, as stated above.
    half_pixel : bool
        Whether 1/2 is subtracted from the counts; it counts with normalize only.
    axis_order : {'hw', 'wh'}
        Which axis takes the first half of the channels: "hw" rows, "wh" columns.
    scale : {'pi', '2pi'}, float or Fraction, optional
        With normalize, a number greater than 0 or "2pi" ("pi"), without it None.
    eps : float or Fraction, default 1e-06
        What is added to the divisor, 0 or more, taken as exactly what it is.
    base : float, Fraction or sequence of them, default 10000
        Base of the frequencies, a number, or one for rows and one for columns.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., height, width, dim), rounded once to `dtype`.

    Raises
    ------
    InputError
        E_ODD_DIM, E_SHAPE (mask), E_SIZE, E_CHOICE, E_NUMBER (scale, eps; eps 0 where nothing is allowed), E_BASE,
        E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    Models permute it to (..., dim, height, width).

    References
    ----------
    - facebookresearch/detr, models/position_encoding.py, PositionEmbeddingSine ("hw", without half_pixel).
    - fundamentalvision/Deformable-DETR, the same file (with half_pixel).
    - IDEA-Research/DAB-DETR (a base for each axis).

    Examples
    --------
    >>> masked_sine_2d([1, 2], 4, normalize=True, half_pixel=False, axis_order="hw", scale="2pi", eps=0)
    array([[[ 0.,  1.,  0., -1.],
            [ 0.,  1.,  0.,  1.]]])
    """
    shape, mask = read_mask(mask)
    dim, fmt = checks.multiple("dim", dim, 4), formats.resolve(dtype)
    checks.choice("axis_order", axis_order, AXIS_ORDERS)
    factor, rule = read_rule(normalize, half_pixel, scale, eps)
    bases = read_bases(base)
    result, stored = checks.output(out, (*shape, dim), fmt, apart_from=() if mask is None else (mask,))
    frequencies = [factor.times(sinusoid_inv_freq(dim // 2, one, False)) for one in bases]
    checks.thread_count(threads)
    halves = slice(0, dim // 2), slice(dim // 2, dim)
    parts = []
    for axis, columns in enumerate(halves if axis_order == "hw" else halves[::-1]):
        allowed, along = (np.ones(shape[axis], bool), 0) if mask is None else (mask, axis - 2)
        table, rows = _table_of_counts(*counted(allowed, along), rule, frequencies[axis], fmt, threads)
        if mask is None:
            parts.append(grids.Part(axis, columns, table[rows]))
        else:
            stored[..., columns] = table[rows]
    grids.fill_cells(stored, parts, threads)
    return result


def _table_of_counts(counts, lasts, rule, frequencies, fmt, threads):
    """(a table with a row for each pair of a count and the last count, which row each cell has)."""
    pairs = lasts * (lasts.max(initial=0) + 1) + counts
    distinct, first, rows = np.unique(pairs.reshape(-1), return_index=True, return_inverse=True)
    counts, lasts = counts.reshape(-1)[first], lasts.reshape(-1)[first]
    table = np.empty((len(distinct), 2 * len(frequencies)), fmt.storage)
    cos, sin = tables.cos_sin_columns(table, "interleaved", len(frequencies), len(frequencies))
    # the pairs are in order of the last count
    starts = np.flatnonzero(np.diff(lasts, prepend=-1)).tolist()
    for start, stop in zip(starts, [*starts[1:], len(lasts)]):
        positions = rule(counts[start:stop], int(lasts[start]))
        tables.fill(cos[start:stop], sin[start:stop], positions, frequencies, fmt, threads)
    return table, rows.reshape(pairs.shape)


def counted(mask, axis):
    """(how many cells are allowed along an axis up to each one, how many along all of it), int64 each."""
    counts = np.cumsum(mask, axis, dtype=np.int64)
    return counts, np.broadcast_to(counts.max(axis, keepdims=True, initial=0), counts.shape)


def read_rule(normalize, half_pixel, scale, eps):
    """The `fourier.Factor` of all angles, and the rule that makes exact positions of counts and their last one."""
    half_pixel, eps = checks.flag("half_pixel", half_pixel), checks.real("eps", eps)
    if not checks.flag("normalize", normalize):
        if scale is not None:
            raise InputError("E_NUMBER", "scale", f"scale must be None without normalize, got {shown(scale)}")
        return fourier.Factor(Fraction(1), False), lambda counts, last: _positions(counts, Fraction(1))
    if eps < 0:
        raise InputError("E_NUMBER", "eps", f"eps must be 0 or more, got {shown(eps)}")

    def normalized(counts, last):
        if not last + eps:
            sentence = "eps must be greater than 0 where a row or column has no allowed cell, got 0"
            raise InputError("E_NUMBER", "eps", sentence)
        return _positions(2 * counts - half_pixel, 1 / (2 * (last + eps)))

    return fourier.read_factor("scale", scale), normalized


def _positions(multipliers, unit):
    return Positions((len(multipliers),), [Group(None, multipliers, 0)], unit)


def read_bases(base):
    """The bases of rows and of columns."""
    bases = base if isinstance(base, (list, tuple)) else [base, base]
    if len(bases) != 2:
        raise InputError("E_BASE", "base", f"base must be a number or two, got {shown(base)}")
    return [checks.positive("base", one, "E_BASE") for one in bases]


def read_mask(mask):
    """(shape, the mask as an array of 0 and 1, or None where that shape is all there is)."""
    array = checks.array("mask", mask)
    if array.ndim == 1 and array.shape[0] == 2 and array.dtype.kind in "iu":
        return [checks.integer("mask", size) for size in array.tolist()], None
    if array.ndim < 2 or array.dtype.kind not in "biu" or not np.isin(array, (0, 1)).all():
        sentence = f"mask must be (..., height, width) of 0 and 1, or [height, width], got {shown(mask)}"
        raise InputError("E_SHAPE", "mask", sentence)
    return array.shape, array
