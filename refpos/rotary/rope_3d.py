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
from ..types import Array, ArrayLike, AxisOrder3D, DType, Integer, Number, Pairing
from .rope import rope

__all__ = ["rope_3d"]

AXIS_ORDERS = get_args(AxisOrder3D)


@register(
    family="rotary",
    paper="Kong et al. 2024, HunyuanVideo, arXiv:2412.03603, section 4.2",
    conventions="pairing, axis_order and widths (no defaults); arrangement as in axial_frequencies",
    also="3D RoPE, 3D rotary, video RoPE",
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

        block k turns by the position on its axis times theta_j = base**(-2j / widths[k])

    x: (..., frames * height * width, ..., dim), frame by frame and row by row along seq_axis. frames, height, width:
    sizes, or exact coordinates along an axis (an array, or what a function of `refpos.coordinates` returns).
    axis_order: the axes in the order of the channels, as "thw". widths: even widths of the blocks in that order:
    (16, 56, 56) in HunyuanVideo with base 256, (44, 42, 42) in Wan and Cosmos, (16, 24, 24) in CogVideoX; channels
    beyond their sum are copied. pairing: as in `rope`. base: one number, or one for each block.

    Returns an array of the shape and dtype of x, every element rounded once; `out` and the rest as in `rope`.

    Raises what `rope` and `axial_frequencies` raise; E_SHAPE when the sequence has not as many cells.

    Source: Tencent/HunyuanVideo, hyvideo/modules/posemb_layers.py; Wan-Video/Wan2.1, wan/modules/model.py;
    huggingface/diffusers, models/embeddings.py, get_3d_rotary_pos_embed, transformer_cosmos.py.

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
