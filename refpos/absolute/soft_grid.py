"""The coordinates of the soft position embedding of slot attention."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from .. import checks
from ..arithmetic import enclosures, formats
from ..catalogue import register
from ..types import Array, DType, Integer

__all__ = ["soft_grid"]


@register(
    family="absolute",
    paper="Locatello et al. 2020, Object-Centric Learning with Slot Attention, arXiv:2006.15055, appendix E",
    conventions="row before column, then both from the other end; the ends are 0 and 1",
    also="slot attention, SoftPositionEmbed",
)
def soft_grid(height: Integer, width: Integer, *, dtype: DType = "float64", out: Array | None = None) -> Array:
    """The soft position grid of slot attention: the distances of each cell to all four sides.

        G[r, c] = [y, x, 1 - y, 1 - x],   y = r / (height - 1),  x = c / (width - 1)

    Parameters
    ----------
    height, width : int
        Number of cells of the axis; one cell alone lies at 0.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (height, width, 4), every quotient and every difference rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SIZE, E_DTYPE, E_OUT, E_TOO_LARGE.

    References
    ----------
    google-research/google-research, slot_attention/model.py, build_grid and SoftPositionEmbed.

    Examples
    --------
    >>> soft_grid(2, 3)[1]
    array([[1. , 0. , 0. , 1. ],
           [1. , 0.5, 0. , 0.5],
           [1. , 1. , 0. , 0. ]])
    """
    sizes = [checks.integer(name, size, 0) for name, size in (("height", height), ("width", width))]
    fmt = formats.resolve(dtype)
    result, stored = checks.output(out, (*sizes, 4), fmt)
    if stored.size:
        for axis, size in enumerate(sizes):
            steps = [Fraction(i, max(size - 1, 1)) for i in range(size)]
            pairs = np.empty((size, 2), fmt.storage)
            enclosures.fill(pairs, ((step, 1 - step) for step in steps), fmt)
            stored[..., axis::2] = pairs[:, None] if axis == 0 else pairs
    return result
