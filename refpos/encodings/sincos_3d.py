"""Three-dimensional sine-cosine position encoding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError, shown
from ..steps import grids, tables
from ..steps.frequencies import sinusoid_ladder
from ..steps.positions import PositionsLike, read_positions
from ..steps.tables import LAYOUTS, cos_sin_columns
from ..types import Array, AxisOrder3D, DType, Integer, Number, SinusoidLayout

__all__ = ["sincos_3d"]

AXIS_ORDERS = get_args(AxisOrder3D)


@register(
    family="absolute",
    paper="Bardes et al. 2024, V-JEPA, arXiv:2404.08471, appendix A",
    conventions="axis_order thw and so on, widths of the axes; layout and ladder as in sinusoidal",
)
def sincos_3d(
    frames: PositionsLike,
    height: PositionsLike,
    width: PositionsLike,
    dim: Integer,
    *,
    axis_order: AxisOrder3D = "thw",
    widths: Sequence[Integer] | None = None,
    layout: SinusoidLayout = "sin-cos",
    base: Number = 10000.0,
    endpoint: bool = False,
    extra_tokens: Integer | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Frame, row and column of each grid cell, each encoded by sines and cosines in its share of the channels.

        PE[t, r, c] = [sinusoidal(t, widths[0]) | sinusoidal(r, widths[1]) | sinusoidal(c, widths[2])]   for "thw"

    frames, height, width: sizes of the grid, or exact coordinates along an axis (an array, or what a function of
    `refpos.coordinates` returns). axis_order: the axes in the order of the channels. widths: even widths in that order,
    by default dim/3 each; where their sum exceeds dim the last channels fall away. V-JEPA has (dim/2, dim/4, dim/4), or
    with uniform power three times 2 ceil(dim/6). Each axis has n = width/2 frequencies base**(-j / n), or
    base**(-j / (n - 1)) with endpoint. layout holds within each axis: "sin-cos", "cos-sin" or "interleaved".
    extra_tokens: None gives the grid; a count k gives rows of a sequence, k of zeros and then the grid row by row.

    Returns (frames, height, width, dim), or (k + frames * height * width, dim), rounded once to `dtype`. `out` receives
    the result.

    Raises E_ODD_DIM when dim is no multiple of 6 and widths are not given, or a width is odd, E_SHAPE (widths), E_SIZE,
    E_POSITION, E_BASE, E_CHOICE, E_DTYPE, E_OUT, E_TOO_LARGE.

    Source: facebookresearch/vjepa2, src/models/utils/pos_embs.py, get_3d_sincos_pos_embed; huggingface/diffusers,
    models/embeddings.py, get_3d_sincos_pos_embed (CogVideoX: frame, then column and row in 3/8 each).

    >>> sincos_3d(2, 2, 3, 6, dtype="float32")[1, 0, 2]
    array([ 0.84147096,  0.5403023 ,  0.        ,  1.        ,  0.9092974 ,
           -0.41614684], dtype=float32)
    """
    sizes = dict(zip("thw", (frames, height, width)))
    checks.choice("axis_order", axis_order, AXIS_ORDERS)
    checks.choice("layout", layout, LAYOUTS)
    names = dict(zip("thw", ("frames", "height", "width")))
    coordinates = {axis: _read_coordinates(names[axis], size) for axis, size in sizes.items()}
    widths = _read_widths(dim, widths)
    dim = checks.integer("dim", dim, 1)
    base, endpoint = checks.positive("base", base, "E_BASE"), checks.flag("endpoint", endpoint)
    fmt = formats.resolve(dtype)
    grid = tuple(coordinates[axis].shape[0] for axis in "thw")
    leading = None if extra_tokens is None else checks.integer("extra_tokens", extra_tokens)
    shape = (*grid, dim) if leading is None else (leading + int(np.prod(grid, dtype=object)), dim)
    result, stored = checks.output(out, shape, fmt)
    if leading is not None:
        stored[:leading] = 0
        stored = stored[leading:].reshape(*grid, dim)
    # axes that count from 0 and have one width share the table of the longest, which begins with those of the others
    shared = {axis: "" if isinstance(sizes[axis], (int, np.integer)) else axis for axis in "thw"}
    longest = {}
    for axis, share in zip(axis_order, widths):
        key = share, shared[axis]
        longest[key] = max(longest.get(key, coordinates[axis]), coordinates[axis], key=lambda along: along.shape[0])
    table_of = {key: _table(along, key[0], base, endpoint, layout, fmt, threads) for key, along in longest.items()}
    parts, start = [], 0
    for axis, share in zip(axis_order, widths):
        table = table_of[share, shared[axis]]
        stop = min(start + share, dim)
        columns = table[: coordinates[axis].shape[0], : stop - start]
        parts.append(grids.Part("thw".index(axis), slice(start, stop), columns))
        start = stop
    grids.fill_cells(stored, parts, threads)
    return result


def _table(along, width, base, endpoint, layout, fmt, threads):
    """The encoding of the positions along one axis: (n, width)."""
    table = np.empty((along.shape[0], width), fmt.storage)
    cos_sin = cos_sin_columns(table, layout, width // 2, width // 2)
    tables.fill(*cos_sin, along, sinusoid_ladder(width, base, endpoint), fmt, threads)
    return table


def _read_coordinates(name, values):
    if isinstance(values, (int, np.integer)) and not isinstance(values, bool):
        return read_positions(checks.integer(name, values))
    coordinates = read_positions(values)
    if len(coordinates.shape) != 1:
        sentence = f"{name} must be a size or coordinates along one axis, got shape {coordinates.shape}"
        raise InputError("E_SHAPE", name, sentence)
    return coordinates


def _read_widths(dim, widths):
    if widths is None:
        return (checks.multiple("dim", dim, 6) // 3,) * 3
    if not isinstance(widths, (tuple, list)) or len(widths) != 3:
        raise InputError("E_SHAPE", "widths", f"widths must be three even widths, got {shown(widths)}")
    widths = [checks.multiple("widths", width, 2) for width in widths]
    if sum(widths) < checks.integer("dim", dim, 1):
        raise InputError("E_SHAPE", "widths", f"widths must add up to dim {dim} or more, got {sum(widths)}")
    return widths
