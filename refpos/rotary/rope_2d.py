"""Rotary position encoding of the cells of a two-dimensional grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from .. import checks
from ..catalogue import register
from ..frequencies.axial_frequencies import Arrangement, Ladder, axial_frequencies
from ..steps.positions.exact_positions import PositionsLike
from ..steps.waves.grids import grid
from ..types import Array, ArrayLike, AxisOrder2D, DType, Integer, Number, Pairing
from .rope import rope

__all__ = ["rope_2d"]

AXIS_ORDERS = get_args(AxisOrder2D)


@register(
    family="rotary",
    paper="Heo et al. 2024, Rotary Position Embedding for Vision Transformer, arXiv:2403.13298, section 3",
    conventions="pairing, axis_order hw or wh (no defaults); ladder and arrangement as in axial_frequencies",
    also="2D RoPE, 2D rotary, axial rotary",
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
    ladder: Ladder = "separate",
    arrangement: Arrangement = "blocks",
    times_pi: Number | None = None,
    inverse: bool = False,
    seq_axis: Integer = -2,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """2D RoPE: rotate half of the channels by the row of a grid cell and half by its column.

        block 0 turns by r theta_j and block 1 by c theta_j for axis_order "hw", the other way round for "wh";
        theta_j = base**(-2j / (rotary_dim / 2))

    x: (..., height * width, ..., dim), the cells row by row along seq_axis. height, width: sizes, or exact coordinates
    along an axis (an array, or what a function of `refpos.coordinates` returns: 1-based, half-pixel, rescaled).
    rotary_dim: how many leading channels are rotated (default all), a multiple of 4. pairing: as in `rope`;
    "block-half" turns each half of the channels within itself. ladder, arrangement, times_pi: as in
    `axial_frequencies` (Pixtral has "strided"; Lumina and Kimi "interleaved"; DINOv3 times_pi=2).

    Returns an array of the shape and dtype of x, every element rounded once; `out` and the rest as in `rope`.

    Raises what `rope` and `axial_frequencies` raise; E_SHAPE when the sequence has not height * width cells.

    Source: naver-ai/rope-vit, models/vit_rope.py and facebookresearch/sam2, modeling/position_encoding.py ("wh",
    interleaved pairing); transformers, models/qwen2_vl (towers: "hw", half), models/gemma4 (block-half).

    >>> import numpy as np
    >>> x = np.ones((6, 4))
    >>> rope_2d(x, 2, 3, pairing="interleaved", axis_order="hw")[4]
    array([-0.30116868,  1.38177329, -0.30116868,  1.38177329])
    """
    checks.choice("axis_order", axis_order, AXIS_ORDERS)
    x = checks.array("x", x)
    rotary_dim = checks.multiple("rotary_dim", (x.shape or (0,))[-1] if rotary_dim is None else rotary_dim, 4)
    frequencies = axial_frequencies(
        (rotary_dim // 2,) * 2,
        base=base,
        axes=(0, 1) if axis_order == "hw" else (1, 0),
        ladder=ladder,
        arrangement=arrangement,
        times_pi=times_pi,
    )
    return rope(
        x, grid(height, width), pairing=pairing, frequencies=frequencies, inverse=inverse, seq_axis=seq_axis,
        dtype=dtype, out=out, threads=threads,
    )  # fmt: skip
