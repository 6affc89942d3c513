"""Sine-cosine position encoding of grids of any number of axes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.angles.frequencies import sinusoid_inv_freq
from ..steps.positions.axis_order import AxisOrder, read_order
from ..steps.positions.exact_positions import Positions, PositionsLike, read_positions
from ..steps.waves import fast_path, grids, tables
from ..steps.waves.grids import Grid
from ..steps.waves.tables import LAYOUTS
from ..types import Array, DType, Integer, Number, SinusoidLayout

__all__ = ["sincos_grid"]

Packing = Literal["axes", "kinds"]
TokenOrder = Literal["row-major", "column-major", "reversed"]
PLAIN = frozenset([int, float, bool, str])  # types of arguments that are read once
PACKINGS, TOKEN_ORDERS = get_args(Packing), get_args(TokenOrder)


@register(
    family="absolute",
    paper="He et al. 2022, Masked Autoencoders, arXiv:2111.06377, appendix A.1",
    conventions="axis_order (no default), packing axes or kinds, token_order; layout and frequencies as in sinusoidal",
    also="n-dimensional sinusoidal, axial sinusoidal, positional-encodings",
)
def sincos_grid(
    grid: Sequence[PositionsLike] | Grid,
    dim: Integer,
    *,
    axis_order: AxisOrder,
    widths: Sequence[Integer] | None = None,
    layout: SinusoidLayout = "sin-cos",
    packing: Packing = "axes",
    base: Number = 10000.0,
    endpoint: bool = False,
    extra_tokens: Integer | None = None,
    token_order: TokenOrder = "row-major",
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Sin-cos position embedding of a grid with n axes, each axis in its share of the channels.

        PE[i0, i1, ...] = [sinusoidal(x_a, widths[0]) | sinusoidal(x_b, widths[1]) | ...],  (a, b, ...) = axis_order
        packing "kinds":  [sines of x_a | sines of x_b | ... | cosines of x_a | cosines of x_b | ...]

    Parameters
    ----------
    grid : sequence of array_like or Grid
        For each axis a size n (coordinates 0 .. n-1) or exact coordinates, an array or what a function of
        `refpos.coordinates` returns; or a `refpos.grid`.
    dim : int
        Number of channels of all axes together.
    axis_order : {'hw', 'wh', 'thw', 'twh', 'htw', 'hwt', 'wth', 'wht'} or sequence of them
        The axes in the order of the channels, as numbers, or as letters of "hw" (two axes) and "thw" (three).
    widths : sequence of int, optional
        Even widths in that order, by default dim/n each; where their sum exceeds dim the last channels fall away: 2
        ceil(dim/2n) each are positional-encodings and the uniform power of V-JEPA. An axis has m = width/2 frequencies
        base**(-j / m), or base**(-j / (m - 1)) with endpoint.
    layout : {'interleaved', 'sin-cos', 'cos-sin'}, default 'sin-cos'
        "sin-cos", "cos-sin" or "interleaved" within each axis; with packing "kinds" which kind is first.
    packing : {'axes', 'kinds'}, default 'axes'
        "axes" puts the channels of each axis side by side, "kinds" the sines of all axes and then their cosines, as
        stated above.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    endpoint : bool, default False
        Whether the last frequency is 1/base, as stated for widths.
    extra_tokens : int, optional
        None gives the grid, its axes in the order of the tokens; a count k gives rows of a sequence, k of zeros and
        then the cells in that order.
    token_order : {'row-major', 'column-major', 'reversed'}, default 'row-major'
        "row-major", the last axis fastest; "column-major", the last but one fastest; "reversed", the first.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (*sizes, dim), or (k + cells, dim), rounded once to `dtype`.

    Raises
    ------
    InputError
        E_ODD_DIM (dim no multiple of 2n and no widths, an odd width), E_SHAPE (grid, widths), E_AXIS (axis_order),
        E_CHOICE (names; "kinds" of "interleaved"), E_SIZE, E_POSITION, E_BASE, E_DTYPE, E_OUT, E_TOO_LARGE.

    References
    ----------
    - timm, layers/pos_embed_sincos.py, build_sincos2d_pos_embed ("kinds"; reverse_coord is "reversed" with the last
      axis first).
    - facebookresearch/moco-v3, vits.py ("column-major", "wh").
    - huggingface/diffusers, models/embeddings.py, get_2d_sincos_pos_embed (coordinates i base_size / n / scale).
    - tatp22, positional-encodings, torch_encodings.py ("interleaved", cut).

    Examples
    --------
    >>> sincos_grid((2, 3), 4, axis_order="hw", packing="kinds", dtype="float32")[1, 2]
    array([ 0.84147096,  0.9092974 ,  0.5403023 , -0.41614684], dtype=float32)
    """
    fmt = formats.resolve(dtype)
    options = dim, layout, packing, base, endpoint, token_order
    known = type(grid) is tuple and type(axis_order) is str and widths is None and PLAIN.issuperset(map(type, options))
    read = _known_arguments if known and {int}.issuperset(map(type, grid)) else _read_arguments
    blocks, dim, axes_of_blocks, sizes = read(grid, axis_order, widths, *options)
    result, cells = grids.output_of_cells(out, sizes, dim, extra_tokens, fmt)

    def fill_table(table, along, frequencies):
        cos_sin = tables.cos_sin_columns(table, layout, len(frequencies), len(frequencies))
        if not (fast_path.on_one_thread(threads) and fast_path.rows(*cos_sin, along, frequencies, fmt)):
            tables.fill(*cos_sin, along, frequencies, fmt, threads)

    if len(blocks) == 1 and blocks[0][1] == dim:
        fill_table(cells, blocks[0][0], blocks[0][2])
        return result
    pieces = in_order_of_channels(_tables(blocks, fill_table, fmt), packing)
    grids.fill_cells(cells, _parts(pieces, axes_of_blocks, dim), threads)
    return result


def _read_arguments(grid, axis_order, widths, dim, layout, packing, base, endpoint, token_order):
    """(blocks, dim, the axes of the blocks among those of the cells, the shape of the cells); of each block the
    coordinates, the width, the frequencies and the `_key`."""
    axes = _read_grid(grid)
    order = read_order(axis_order, len(axes))
    dim, widths = _read_widths(dim, widths, len(axes))
    checks.choice("layout", layout, LAYOUTS)
    if checks.choice("packing", packing, PACKINGS) == "kinds" and layout == "interleaved":
        sentence = "layout must be 'sin-cos' or 'cos-sin' where packing is 'kinds', got 'interleaved'"
        raise InputError("E_CHOICE", "layout", sentence)
    base, endpoint = checks.positive("base", base, "E_BASE"), checks.flag("endpoint", endpoint)
    outer = outer_to_inner(token_order, len(axes))
    frequencies_of_axes = (sinusoid_inv_freq(width, base, endpoint) for width in widths)
    blocks = [
        (axes[k], width, frequencies, _key(axes[k], width))
        for k, width, frequencies in zip(order, widths, frequencies_of_axes)
    ]
    return blocks, dim, [outer.index(axis) for axis in order], tuple(axes[k].shape[0] for k in outer)


_known_arguments = lru_cache(maxsize=64, typed=True)(_read_arguments)


def outer_to_inner(token_order, count):
    """The axes from the slowest to the fastest."""
    outer = list(range(count))
    if checks.choice("token_order", token_order, TOKEN_ORDERS) == "reversed":
        return outer[::-1]
    return outer if token_order == "row-major" else [*outer[:-2], *outer[:-3:-1]]


def _tables(blocks, fill_table, fmt):
    """The table (n, width) of each block; evenly spaced coordinates share that of the longest axis, which begins with
    the others."""
    made = {}
    for along, width, frequencies, key in sorted(blocks, key=lambda block: -block[0].shape[0]):
        if key not in made:
            made[key] = np.empty((along.shape[0], width), fmt.storage)
            fill_table(made[key], along, frequencies)
    return [made[key][: along.shape[0]] for along, _, _, key in blocks]


def _key(along, width):
    """What coordinates have in common of which the shorter are the beginning of the longer."""
    steps = along.groups[0].multipliers if len(along.groups) == 1 else None
    if not isinstance(steps, range):
        return width, id(along)
    return width, steps.start, steps.step, along.groups[0].exponent, along.unit.numerator, along.unit.denominator


def in_order_of_channels(tables_of_blocks, packing):
    """(block, columns of its table), in the order of the channels."""
    numbered = list(enumerate(tables_of_blocks))
    if packing == "axes":
        return numbered
    halves = [(k, np.hsplit(table, 2)) for k, table in numbered]
    return [(k, half[kind]) for kind in (0, 1) for k, half in halves]


def _parts(pieces, axes, dim):
    """The pieces side by side, cut off at dim."""
    start = 0
    for block, table in pieces:
        stop = min(start + table.shape[1], dim)
        yield grids.Part(axes[block], slice(start, stop), table[:, : stop - start])
        start = stop


# -- arguments --------------------------------------------------------------------------------------------------------


def _read_grid(grid):
    if isinstance(grid, Grid):
        return grid.axes
    if isinstance(grid, Positions):
        raise InputError("E_SHAPE", "grid", "grid must be a list of sizes or coordinates, got coordinates of one axis")
    axes = checks.listed("grid", grid, "sizes or coordinates")
    if not len(axes):
        raise InputError("E_SHAPE", "grid", "grid must have at least one axis, got none")
    return [read_axis("grid", axis) for axis in axes]


def read_axis(name, values):
    """The coordinates along one axis of a grid: those of a size, an array, or exact ones."""
    if isinstance(values, (int, np.integer)) and not isinstance(values, bool):
        return read_positions(checks.integer(name, values))
    coordinates = read_positions(values)
    if len(coordinates.shape) != 1:
        sentence = f"{name} must be a size or coordinates along one axis, got shape {coordinates.shape}"
        raise InputError("E_SHAPE", name, sentence)
    return coordinates


def _read_widths(dim, widths, count):
    """(dim, the width of each block): at least dim together."""
    if widths is None:
        dim = checks.multiple("dim", dim, 2 * count)
        return dim, (dim // count,) * count
    dim = checks.integer("dim", dim, 1)
    if not isinstance(widths, (tuple, list)) or len(widths) != count:
        sentence = f"widths must be a list of {count} even widths, got {shown(widths)}"
        raise InputError("E_SHAPE", "widths", sentence)
    widths = tuple(checks.multiple("widths", width, 2) for width in widths)
    if sum(widths) < dim:
        raise InputError("E_SHAPE", "widths", f"widths must add up to dim {dim} or more, got {sum(widths)}")
    return dim, widths
