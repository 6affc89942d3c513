"""Rotary position encoding of the cells of a two-dimensional grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from .. import checks
from ..catalogue import register
from ..frequencies.axial_frequencies import Allocation, Arrangement, axial_frequencies
from ..steps.positions.exact_positions import PositionsLike
from ..steps.waves import rotary_arguments
from ..steps.waves.grids import grid
from ..steps.waves.rotation_gradient import rotate_back
from ..types import Array, ArrayLike, AxisOrder2D, DType, Integer, Number, Pairing
from .rope import rope

__all__ = ["rope_2d"]

AXIS_ORDERS = get_args(AxisOrder2D)


@register(
    family="rotary",
    paper="Heo et al. 2024, Rotary Position Embedding for Vision Transformer, arXiv:2403.13298, section 3",
    conventions="pairing, axis_order hw or wh (no defaults); allocation and arrangement as in axial_frequencies",
    also="2D RoPE, 2D rotary, axial rotary, get_2d_rotary_pos_embed, RoPE for images",
    gradients={"x": rotate_back},
)
def rope_2d(
    x: ArrayLike,
    height: PositionsLike,
    width: PositionsLike,
    *,
    pairing: Pairing,
    axis_order: AxisOrder2D,
    base: Number | Sequence[Number] = 10000.0,
    rotary_dim: Integer | None = None,
    allocation: Allocation = "separate",
    arrangement: Arrangement = "blocks",
    times_pi: Number | None = None,
    inverse: bool = False,
    seq_axis: Integer = -2,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """2D RoPE: rotate half of the channels by the row of a grid cell and half by its column.

        block 0 rotates by r theta_j and block 1 by c theta_j for axis_order "hw", the other way round for "wh";
        theta_j = base**(-2j / (rotary_dim / 2))

    Parameters
    ----------
    x : array_like
        Queries or keys, shape (..., height * width, ..., dim), the cells row by row along seq_axis.
    height, width : int or array_like
        Sizes of the grid, or exact coordinates along an axis (an array, or what a function of `refpos.coordinates`
        returns: 1-based, half-pixel, rescaled).
    pairing : {'interleaved', 'half', 'block-half'}
        Channels of a pair, as in `rope`; "block-half" pairs the channels of each half within it.
    axis_order : {'hw', 'wh'}
        Which axis rotates the first block, as stated above.
    base : float, Fraction or sequence of them, default 10000
        Base of the frequencies, finite and greater than 0.
    rotary_dim : int, optional
        How many leading channels are rotated (default all), a multiple of 4.
    allocation : {'separate', 'strided', 'sections'}, default 'separate'
        How the frequencies are divided between the axes, as in `axial_frequencies` (Pixtral has "strided").
    arrangement : {'blocks', 'interleaved'}, default 'blocks'
        Order of the pairs, as in `axial_frequencies` (Lumina and Kimi have "interleaved").
    times_pi : float or Fraction, optional
        Factor of the angles in multiples of pi, as in `axial_frequencies` (2 in DINOv3).
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
        What `rope` and `axial_frequencies` raise; E_SHAPE when the sequence does not have height * width cells
        (E_DTYPE, E_AXIS, E_ODD_DIM, E_ROTARY_DIM, E_BASE, E_POSITION, E_CHOICE, E_OUT, E_NUMBER).

    References
    ----------
    - naver-ai/rope-vit, models/vit_rope.py and facebookresearch/sam2, modeling/position_encoding.py ("wh", interleaved
      pairing).
    - transformers, models/qwen2_vl (towers: "hw", half), models/gemma4 (block-half).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.ones((6, 4))
    >>> rope_2d(x, 2, 3, pairing="interleaved", axis_order="hw")[4]
    array([-0.30116868,  1.38177329, -0.30116868,  1.38177329])
    """
    checks.choice("axis_order", axis_order, AXIS_ORDERS)
    x = checks.array("x", x)
    rotary_arguments.read_channels(x, dtype)
    rotary_arguments.sequence_axis(x, seq_axis)
    rotary_dim = checks.multiple("rotary_dim", x.shape[-1] if rotary_dim is None else rotary_dim, 4)
    frequencies = axial_frequencies(
        (rotary_dim // 2,) * 2,
        base=base,
        axes=(0, 1) if axis_order == "hw" else (1, 0),
        allocation=allocation,
        arrangement=arrangement,
        times_pi=times_pi,
    )
    return rope(
        x, grid(height, width), pairing=pairing, frequencies=frequencies, inverse=inverse, seq_axis=seq_axis,
        dtype=dtype, out=out, threads=threads,
    )  # fmt: skip
