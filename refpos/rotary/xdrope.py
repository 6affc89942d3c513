"""The XD-RoPE of HunYuan-VL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .. import checks
from ..catalogue import register
from ..errors import InputError, shown
from ..frequencies.inverse_frequencies import inverse_frequencies
from ..steps.angles.frequencies import Frequencies, checked
from ..steps.waves.grids import PositionsOfAxes
from ..types import Array, ArrayLike, DType, Integer, Number
from ._two_angles import rope_by_two_angles

__all__ = ["xdrope"]


@register(
    family="rotary",
    paper="Tencent 2025, HunyuanOCR technical report, arXiv:2511.19575",
    conventions="halves; axes in the order of sections",
    also="XD-RoPE",
)
def xdrope(
    x: ArrayLike,
    position_ids: PositionsOfAxes,
    *,
    sections: Sequence[Integer],
    base: Number = 10000.0,
    frequencies: Frequencies | None = None,
    seq_axis: Integer = -2,
    dtype: DType | None = None,
    threads: Integer | None = None,
) -> Array:
    """XD-RoPE of HunYuan-VL: the two channels of a pair rotate by positions on different axes.

        y[i]       = x[i] cos(p theta_i) - x[i + d/2] sin(p theta_i),            p on the axis of channel i
        y[i + d/2] = x[i + d/2] cos(p' theta_i) + x[i] sin(p' theta_i),          p' on the axis of channel i + d/2
        theta_i = base**(-2i / d),  d = 2 sum(sections); channels 0 .. d - 1 go to the axes by runs of 2 sections[k]

    Parameters
    ----------
    x : array_like
        Queries or keys, shape (..., seq, ..., dim), of which the first d channels are rotated.
    position_ids : array_like or sequence of array_like
        Shape (axes, ..., seq), as `hunyuan_vl_positions` gives them (sequence, column, row, image).
    sections : sequence of int
        Number of pairs of each axis.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    frequencies : Frequencies, optional
        What `ntk_alpha` or another scaling returns, instead of base.
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
        E_SHAPE (sections, position_ids), E_BASE, E_NUMBER, and what `rope` raises (E_DTYPE, E_AXIS, E_ODD_DIM,
        E_ROTARY_DIM, E_POSITION, E_CHOICE, E_OUT).

    Notes
    -----
    Where the axes of a token agree, as in text, it is the rotation of `rope`; elsewhere the length of a pair changes.

    References
    ----------
    Transformers 5.23.0, models/hunyuan_vl/modeling_hunyuan_vl.py.

    Examples
    --------
    >>> import numpy as np
    >>> xdrope(np.ones((1, 4)), [[1], [0]], sections=(1, 1))[0]
    array([-0.30116868,  0.98995017,  1.        ,  1.        ])
    """
    if not isinstance(sections, (tuple, list)) or not sections:
        sentence = f"sections must be a list of numbers of pairs, got {shown(sections)}"
        raise InputError("E_SHAPE", "sections", sentence)
    sections = [checks.integer("sections", count, 0, checks.WIDEST) for count in sections]
    half = sum(sections)
    if frequencies is None:
        frequencies = inverse_frequencies(2 * half, base=base)
    elif checked(frequencies).dim != 2 * half:
        raise InputError("E_SHAPE", "sections", f"sections must add up to {frequencies.dim // 2}, got {half}")
    options = {"seq_axis": seq_axis, "dtype": dtype, "threads": threads}
    frequencies = two_frequency_sets(frequencies, sections)
    return rope_by_two_angles(x, position_ids, pairing="half", frequencies=frequencies, **options)


def two_frequency_sets(frequencies, sections):
    """The frequencies of the first and of the second channels of the pairs, with their axes."""
    axes = [k for k, count in enumerate(sections) for _ in range(2 * count)]
    half = len(frequencies)
    return tuple(replace(frequencies, axes=tuple(part)) for part in (axes[:half], axes[half:]))
