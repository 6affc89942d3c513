"""The encoding of ERNIE-Image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..catalogue import register
from ..frequencies.axial_frequencies import axial_frequencies
from ..steps.angles import frequency_sets
from ..steps.waves.grids import PositionsOfAxes
from ..types import Array, ArrayLike, DType, Integer, Number
from ._two_angles import rope_by_two_angles

__all__ = ["ernie_image_rope"]


@register(
    family="rotary",
    paper="Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.4.2, of whose tables one layout meets the other pairs",
    conventions="halves; tables that repeat each angle for neighbours; axes in the order of widths",
)
def ernie_image_rope(
    x: ArrayLike,
    positions: PositionsOfAxes,
    *,
    widths: Sequence[Integer] = (32, 48, 48),
    base: Number = 256.0,
    seq_axis: Integer = -2,
    dtype: DType | None = None,
    threads: Integer | None = None,
) -> Array:
    """ERNIE-Image's rotary embedding: half pairs with a repeated table, so not a rotation.

        y[i]       = x[i] cos(alpha[j]) - x[i + d/2] sin(alpha[j]),          j = floor(i / 2)
        y[i + d/2] = x[i + d/2] cos(alpha[k]) + x[i] sin(alpha[k]),          k = floor((i + d/2) / 2)
        alpha = p theta of `axial_frequencies(widths, base=base)`, d/2 angles, p on the axis of each block

    Parameters
    ----------
    x : array_like
        Queries or keys, shape (..., seq, ..., dim), of which the first d = sum(widths) channels are rotated and the
        others copied.
    positions : array_like or sequence of array_like
        Shape (axes, ..., seq) or a `grid` of seq cells: of text (i, 0, 0), of the image (length of the text, row,
        column).
    widths : sequence of int, default (32, 48, 48)
        Number of channels of each axis.
    base : float or Fraction, default 256
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
        E_ODD_DIM, E_SHAPE (widths), E_BASE, E_ROTARY_DIM, and what `rope` raises (E_DTYPE, E_AXIS, E_POSITION,
        E_CHOICE, E_OUT).

    Notes
    -----
    The two channels of a pair rotate by different angles: lengths change, and scores depend on more than distances.

    References
    ----------
    huggingface/diffusers 0.42.1, transformer_ernie_image.py: ErnieImageEmbedND3 repeats each angle in place,
    ErnieImageSingleStreamAttnProcessor pairs channel i with channel i + d/2.

    Examples
    --------
    >>> import numpy as np
    >>> ernie_image_rope(np.ones((1, 4)), [[1], [2]], widths=(2, 2))[0]
    array([-0.30116868, -0.30116868,  0.49315059,  0.49315059])
    """
    options = {"seq_axis": seq_axis, "dtype": dtype, "threads": threads}
    frequencies = two_frequency_sets(widths, base)
    return rope_by_two_angles(x, positions, pairing="half", frequencies=frequencies, **options)


def two_frequency_sets(widths, base):
    """The frequencies of the first and of the second channels of the pairs."""
    once = axial_frequencies(widths, base=base)
    axes = once.axes or (0,) * len(once)
    parts = repeated_rungs(len(once))
    return tuple(replace(frequency_sets.picked(once, part), axes=tuple(axes[k] for k in part)) for part in parts)


def repeated_rungs(half):
    """For the first and the second channels of all pairs: which angles they take."""
    return [[(i + start) // 2 for i in range(half)] for start in (0, half)]
