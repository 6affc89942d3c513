"""Rotary position encoding of the cells of a video."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from .. import checks
from ..catalogue import register
from ..errors import InputError, shown
from ..frequencies.axial_frequencies import Arrangement, axial_frequencies
from ..steps.positions.exact_positions import PositionsLike
from ..steps.waves.grids import grid
from ..steps.waves.rotation_gradient import rotate_back
from ..types import Array, ArrayLike, AxisOrder3D, DType, Integer, Number, Pairing
from .rope import rope

__all__ = ["rope_3d"]

AXIS_ORDERS = get_args(AxisOrder3D)


@register(
    family="rotary",
    paper="Kong et al. 2024, HunyuanVideo, arXiv:2412.03603, section 4.2",
    conventions="pairing, axis_order and widths (no defaults); arrangement as in axial_frequencies",
    also="3D RoPE, 3D rotary, video RoPE, get_3d_rotary_pos_embed",
    gradients={"x": rotate_back},
)
def rope_3d(
    x: ArrayLike,
    frames: PositionsLike,
    height: PositionsLike,
    width: PositionsLike,
    *,
    pairing: Pairing,
    axis_order: AxisOrder3D,
    widths: Sequence[Integer],
    base: Number | Sequence[Number] = 10000.0,
    arrangement: Arrangement = "blocks",
    times_pi: Number | None = None,
    inverse: bool = False,
    seq_axis: Integer = -2,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """3D RoPE: rotate shares of the channels by the frame, the row and the column of a grid cell.

        block k rotates by the position on its axis times theta_j = base**(-2j / widths[k])

    Parameters
    ----------
    x : array_like
        Queries or keys, shape (..., frames * height * width, ..., dim), frame by frame and row by row along seq_axis.
    frames, height, width : int or array_like
        Sizes of the grid, or exact coordinates along an axis (an array, or what a function of `refpos.coordinates`
        returns).
    pairing : {'interleaved', 'half', 'block-half'}
        Channels of a pair: "interleaved" (2i, 2i+1), "half" (i, i + rotary_dim/2), "block-half" the halves of the block
        of each axis.
    axis_order : {'thw', 'twh', 'htw', 'hwt', 'wth', 'wht'}
        The axes in the order of the channels, as "thw".
    widths : sequence of int
        Even widths of the blocks in that order: (16, 56, 56) in HunyuanVideo with base 256, (44, 42, 42) in Wan and
        Cosmos, (16, 24, 24) in CogVideoX; channels beyond their sum are copied.
    base : float, Fraction or sequence of them, default 10000
        Base of the frequencies, one number, or one for each block.
    arrangement : {'blocks', 'interleaved'}, default 'blocks'
        Order of the pairs: "blocks" keeps those of an axis together, "interleaved" alternates the axes, as in
        `axial_frequencies`.
    times_pi : float or Fraction, optional
        Factor of the angles in multiples of pi, as in `axial_frequencies`.
    inverse : bool, default False
        Whether to rotate back, by -p.
    seq_axis : int, default -2
        Axis of the sequence: -2 for (batch, heads, seq, dim), -3 for (batch, seq, heads, dim).
    dtype : str or dtype, optional
        Format of the result, by default that of x: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        An array of the shape and dtype of x, every element rounded once; all else is as in `rope`.

    Raises
    ------
    InputError
        What `rope` and `axial_frequencies` raise; E_SHAPE when the sequence does not have as many cells (E_DTYPE,
        E_AXIS, E_ODD_DIM, E_ROTARY_DIM, E_BASE, E_POSITION, E_CHOICE, E_OUT, E_NUMBER).

    References
    ----------
    - Tencent/HunyuanVideo, hyvideo/modules/posemb_layers.py.
    - Wan-Video/Wan2.1, wan/modules/model.py.
    - huggingface/diffusers, models/embeddings.py, get_3d_rotary_pos_embed, transformer_cosmos.py.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.ones((8, 6))
    >>> rope_3d(x, 2, 2, 2, pairing="interleaved", axis_order="thw", widths=(2, 2, 2))[5]
    array([-0.30116868,  1.38177329,  1.        ,  1.        , -0.30116868,
            1.38177329])
    """
    checks.choice("axis_order", axis_order, AXIS_ORDERS)
    if not isinstance(widths, (tuple, list)) or len(widths) != 3:
        raise InputError("E_SHAPE", "widths", f"widths must be three even widths, got {shown(widths)}")
    frequencies = axial_frequencies(
        widths,
        base=base,
        axes=tuple("thw".index(axis) for axis in axis_order),
        arrangement=arrangement,
        times_pi=times_pi,
    )
    return rope(
        x, grid(frames, height, width), pairing=pairing, frequencies=frequencies, inverse=inverse, seq_axis=seq_axis,
        dtype=dtype, out=out, threads=threads,
    )  # fmt: skip
