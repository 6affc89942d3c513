"""The encoding of V-JEPA 2."""

from __future__ import annotations

from dataclasses import replace

from ..catalogue import register
from ..errors import InputError
from ..frequencies.inverse_frequencies import inverse_frequencies
from ..steps.angles import frequency_sets
from ..steps.waves import rotary_arguments
from ..steps.waves.grids import PositionsOfAxes
from ..types import Array, ArrayLike, DType, Integer, Number
from ._two_angles import rope_by_two_angles

__all__ = ["vjepa2_rope"]


@register(
    family="rotary",
    paper="Assran et al. 2025, V-JEPA 2, arXiv:2506.09985, section 2.1",
    conventions="axes t, h, w; adjacent channels; tables tiled over each block",
)
def vjepa2_rope(
    x: ArrayLike,
    positions: PositionsOfAxes,
    *,
    base: Number = 10000.0,
    seq_axis: Integer = -2,
    dtype: DType | None = None,
    threads: Integer | None = None,
) -> Array:
    """V-JEPA 2's rotary embedding: adjacent pairs with a tiled table, so not a rotation.

        y[2i]   = x[2i] cos(p theta_j) - x[2i+1] sin(p theta_j),      j = 2i mod m/2
        y[2i+1] = x[2i+1] cos(p theta_k) + x[2i] sin(p theta_k),      k = (2i+1) mod m/2
        theta_j = base**(-2j / m),  m = 2 floor(floor(dim / 3) / 2) channels for each of frame, row and column

    Parameters
    ----------
    x : array_like
        Queries or keys, shape (..., seq, ..., dim), dim at least 6; the blocks of the three axes follow each other and
        the channels left over are copied.
    positions : array_like or sequence of array_like
        Shape (3, ..., seq) or a `grid` of seq cells.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    seq_axis : int, default -2
        Axis of the sequence: -2 for (batch, heads, seq, dim), -3 for (batch, seq, heads, dim).
    dtype : str or dtype, optional
        "bfloat16" if x holds bit patterns as uint16.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        An array of the shape and dtype of x, every element the exact value rounded once.

    Raises
    ------
    InputError
        E_SIZE when dim is below 6, and what `rope` raises (E_DTYPE, E_SHAPE, E_AXIS, E_ODD_DIM, E_ROTARY_DIM, E_BASE,
        E_POSITION, E_CHOICE, E_OUT).

    Notes
    -----
    The length of a pair changes, and scores depend on more than distances.

    References
    ----------
    facebookresearch/vjepa2, src/models/utils/modules.py, rotate_queries_or_keys.

    Examples
    --------
    >>> import numpy as np
    >>> vjepa2_rope(np.ones((1, 12)), [[1], [0], [0]], base=100)[0, :5]
    array([-0.30116868,  1.09483758, -0.30116868,  1.09483758,  1.        ])
    """
    x, _ = rotary_arguments.read_channels(x, dtype)
    if not x.ndim or x.shape[-1] < 6:
        raise InputError("E_SIZE", "x", f"x must have at least 6 channels, got shape {x.shape}")
    options = {"seq_axis": seq_axis, "dtype": dtype, "threads": threads}
    frequencies = two_frequency_sets(x.shape[-1], base)
    return rope_by_two_angles(x, positions, pairing="interleaved", frequencies=frequencies, **options)


def two_frequency_sets(dim, base):
    """The frequencies of the first and of the second channels of the pairs."""
    half = dim // 3 // 2
    frequencies = inverse_frequencies(2 * half, base=base)
    return tuple(replace(frequency_sets.picked(frequencies, rungs), axes=axes) for rungs, axes in tiled_rungs(half))


def tiled_rungs(half):
    """For the first and the second channels of all pairs: the numbers of their frequencies, and their axes."""
    axes = (0,) * half + (1,) * half + (2,) * half
    return [([(2 * i + odd) % half for i in range(half)] * 3, axes) for odd in (0, 1)]
