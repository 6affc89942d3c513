"""Learned tables at another size."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Literal, NamedTuple, get_args

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.rows import gather, interpolation_weights, learned_tables, table_gradients, weighted_sums
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["resize_table"]

Method = Literal["nearest", "nearest-exact", "linear", "cubic"]
Align = Literal["half-pixel", "corners"]
Border = Literal["clamp", "renormalise", "zeros"]
METHODS, ALIGNS, BORDERS = map(get_args, (Method, Align, Border))
CUBICS = (Fraction(-3, 4), Fraction(-1, 2))
LARGEST_PART = 2**64  # of a scale
READ = (
    "weight", "size", "method", "align", "cubic", "antialias", "border", "scale", "prefix", "grid", "crop", "window",
)  # fmt: skip


def _gradient_for(name):
    """The rule for "weight" or "window": the sums of the cotangent with the weights of each old row."""

    def gradient(function, given, cotangent):
        table_gradients.check_options(given)
        table, tile, plan = read_plan(**{one: given[one] for one in READ})
        fmt = learned_tables.result_format(table, given["dtype"])
        cotangent = table_gradients.read_cotangent(cotangent, _shape(table, plan, given["grid"]), fmt)
        trained, region, axes = table, plan.region, plan.axes
        if name == "window":
            trained, region = tile, ...
            axes = [[{j % wide: Fraction(1)} for j in range(new)] for new, wide in zip(plan.size, tile.shape)]
        result, stored = checks.output(None, trained.shape, trained.fmt)
        stored[...] = 0  # also of the rows that were cropped
        first, cotangent = cotangent.part(slice(plan.prefix)), cotangent.part(slice(plan.prefix, None))
        if given["grid"] is not None:
            cotangent = cotangent.part(slice(None), plan.size)
        if name == "weight" and given["grid"] is not None:
            kept = [{j: Fraction(1)} for j in range(plan.prefix)]
            table_gradients.fill_transposed(stored[: plan.prefix], first, [kept], trained.fmt)
            stored = stored[plan.prefix :].reshape(*plan.old, -1)
        table_gradients.fill_transposed(stored[region], cotangent, axes, trained.fmt)
        return result

    return gradient


@register(
    family="tables",
    paper="Dosovitskiy et al. 2021, An Image is Worth 16x16 Words, arXiv:2010.11929, section 3.2; Keys 1981 for cubic",
    conventions="method; align half-pixel or corners; cubic -3/4 or -1/2; antialias; border; scale given or new / old",
    also="interpolate_pos_encoding, interpolate_pos_embed, resize_pos_embed, resample_abs_pos_embed, position "
    "embedding interpolation, bicubic interpolation, timm_resize",
    gradients={"weight": _gradient_for("weight"), "window": _gradient_for("window")},
)
def resize_table(
    weight: ArrayLike,
    size: Integer | Sequence[Integer],
    *,
    method: Method,
    align: Align | None = None,
    cubic: Number | None = None,
    antialias: bool = False,
    border: Border | None = None,
    scale: Number | Sequence[Number] | None = None,
    prefix: Integer = 0,
    grid: Sequence[Integer] | None = None,
    crop: Sequence[Sequence[Integer]] | None = None,
    window: ArrayLike | None = None,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """A learned position table interpolated to another size along one, two or three axes.

        E'[j] = sum_i weight[i] prod_k w(|x_k - i_k|)
        "half-pixel": x_k = (j_k + 1/2) old_k / new_k - 1/2,  "corners": x_k = j_k (old_k - 1) / (new_k - 1) or 0

    Parameters
    ----------
    weight : array_like
        Learned table, shape (*old, channels), or with `grid` the sequence (prefix + rows * columns, channels).
    size : int or sequence of int
        The new sizes, one for each axis.
    method : {'nearest', 'nearest-exact', 'linear', 'cubic'}
        "linear" w(d) = 1 - d for d < 1; "cubic" w(d) = (a+2) d**3 - (a+3) d**2 + 1 for d < 1, a (d**3 - 5 d**2 + 8 d -
        4) for d < 2; "nearest" copies row floor(j old / new), "nearest-exact" row floor((j + 1/2) old / new).
    align : {'half-pixel', 'corners'}, optional
        Alignment of the grids, as stated above, needed for linear and cubic.
    cubic : float or Fraction, optional
        The parameter a, needed for cubic: -0.75 (torch, OpenCV) or -0.5 (torch with antialias, PIL, JAX, TensorFlow).
    antialias : bool, default False
        Where old > new, take w(|x - i| new / old); weights are divided by their sum, and nothing lies outside of the
        grid.
    border : {'clamp', 'renormalise', 'zeros'}, optional
        Rows outside the grid: "clamp" (default) takes the nearest row, "zeros" takes zeros, "renormalise" takes none
        and divides by the sum of the weights left, as antialias does.
    scale : float, Fraction or sequence of them, optional
        In place of new / old, one number or one for each axis; not with "corners".
    prefix : int, default 0
        Number of first rows of the sequence that are kept bit for bit.
    grid : sequence of int, optional
        Old sizes (rows, columns) of a table that is given as a sequence.
    crop : sequence of sequences of int, optional
        For each axis (start, stop), the rows that are left before it is resized; old counts these.
    window : array_like, optional
        Shape (*any sizes, channels), a second table, repeated along each axis as `tile_table` does, and added before
        the sum is rounded; not for nearest rows.
    dtype : str or dtype, optional
        Format of the result, by default that of weight: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (*size, channels), or with `grid` (prefix + product of size, channels), in `dtype` or that of weight, each
        element the exact sum rounded once.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE (weight, size, grid, crop, window), E_SIZE, E_CHOICE, E_NUMBER (scale), E_OUT, E_TOO_LARGE.

    Notes
    -----
    Weights that are 0 meet no infinity; a sum that is 0 is +0. Nearest rows are copied as prefix rows are: -0 and NaN
    keep their bits where the dtype is the same. weight of uint16 is read as bit patterns of bfloat16.

    References
    ----------
    - torch.nn.functional.interpolate; jax.image.resize and PIL (antialias).
    - scipy.ndimage.zoom (corners); YuanGongND/ast (crop).
    - models/sam2/modeling_sam2.py of transformers 5.23.0 (window). Which model does which: docs/tables.md, and
      refpos.models of the names "..._resize".

    Examples
    --------
    >>> import numpy as np
    >>> resize_table(np.array([[0.0], [1.0], [4.0]]), 5, method="linear", align="corners").T
    array([[0. , 0.5, 1. , 2.5, 4. ]])

    As timm: the class token and 14 x 14 patches become the class token and 37 x 37.

    >>> weight = np.zeros((1 + 14 * 14, 768), np.float32)
    >>> options = dict(method="cubic", align="half-pixel", cubic=-0.5, antialias=True)
    >>> resize_table(weight, (37, 37), prefix=1, grid=(14, 14), **options).shape
    (1370, 768)
    """
    checks.thread_count(threads)
    options = (method, align, cubic, antialias, border, scale, prefix, grid, crop, window)
    table, tile, plan = read_plan(weight, size, *options)
    fmt = learned_tables.result_format(table, dtype)
    inputs = [one.patterns for one in (table, tile) if one is not None]
    result, stored = checks.output(out, _shape(table, plan, grid), fmt, apart_from=inputs)
    size, axes = plan.size, plan.axes
    if grid is not None:
        first = learned_tables.in_format(table.part(slice(plan.prefix)), fmt)
        stored[: plan.prefix] = first.patterns.view(stored.dtype)
        stored = stored[plan.prefix :].reshape(*size, table.shape[-1])
        table = table.part(slice(plan.prefix, None), plan.old)
    table = table.part(plan.region)
    if method in interpolation_weights.NEAREST:
        rows = np.ix_(*([next(iter(weights)) for weights in axis] for axis in axes))
        table = learned_tables.in_format(table, fmt)
        gather.fill(stored, table, *rows, axes=range(len(size)), others="last", threads=threads)
    else:
        values = learned_tables.values(table)
        if tile is not None:
            values, axes = _on_one_diagonal(values, learned_tables.values(tile), axes)
        weighted_sums.fill(stored, values, [*map(weighted_sums.axis, axes)], learned_tables.floats(fmt), threads)
    return result


class Plan(NamedTuple):
    """The old and new sizes, the rows before the grid, those that are left along each axis, and the weights of the new
    ones."""

    old: tuple
    size: tuple
    prefix: int
    region: tuple
    axes: list


def read_plan(
    weight, size, method, align, cubic, antialias, border, scale=None, prefix=0, grid=None, crop=None, window=None
):
    """The table, the second one or None, and the `Plan` of a call."""
    size = learned_tables.read_size(size)
    prefix = checks.integer("prefix", prefix)
    table, old = _read_table(weight, len(size), prefix, grid)
    options = _read_options(method, align, cubic, antialias, border)
    region = _read_crop(crop, old)
    left = [part.stop - part.start for part in region]
    scales = _read_scale(scale, left, size, options)
    tile = _read_window(window, len(size), table.shape[-1], method)
    axes = [interpolation_weights.of_axis(*along, **options, scale=scale) for *along, scale in zip(left, size, scales)]
    return table, tile, Plan(old, size, prefix, region, axes)


def _shape(table, plan, grid):
    """The shape of the result."""
    channels = table.shape[-1]
    return (*plan.size, channels) if grid is None else (plan.prefix + prod(plan.size), channels)


def _read_table(weight, count, prefix, grid):
    """The table and its sizes along the axes; with a grid, they stand in the rows behind the prefix."""
    if grid is None:
        table = gather.read_table("weight", weight, (*learned_tables.AXES[-count:], "channels"))
        if prefix:
            raise InputError("E_SHAPE", "grid", f"grid must be given with a prefix, got None with prefix {prefix}")
        old = table.shape[:-1]
    else:
        old = [checks.integer("grid", one, 1, checks.WIDEST) for one in checks.listed("grid", grid, "sizes")]
        if len(old) != count:
            raise InputError("E_SHAPE", "grid", f"grid must have as many sizes as size, {count}, got {shown(grid)}")
        table = gather.read_table("weight", weight, ("rows", "channels"))
        if table.shape[0] != prefix + prod(old):
            wanted = f"{prefix} + {' * '.join(map(str, old))} rows"
            raise InputError("E_SHAPE", "weight", f"weight must have {wanted}, got {table.shape[0]}")
    if 0 in old or max(old) > checks.WIDEST:
        sentence = f"weight must have 1 to {checks.WIDEST} rows along each axis"
        raise InputError("E_SHAPE", "weight", f"{sentence}, got shape {table.shape}")
    return table, tuple(old)


def _read_crop(crop, old):
    """The rows that are left along each axis, as slices."""
    if crop is None:
        return tuple(slice(0, size) for size in old)
    parts = checks.listed("crop", crop, "pairs")
    if len(parts) != len(old):
        raise InputError("E_SHAPE", "crop", f"crop must have a pair for each axis, {len(old)}, got {shown(crop)}")
    pairs = [[checks.integer("crop", end) for end in checks.listed("crop", part, "pairs")] for part in parts]
    for pair, size in zip(pairs, old):
        if len(pair) != 2 or not 0 <= pair[0] < pair[1] <= size:
            sentence = f"crop must be pairs start < stop within the old sizes {tuple(old)}"
            raise InputError("E_SHAPE", "crop", f"{sentence}, got {shown(crop)}")
    return tuple(slice(*pair) for pair in pairs)


def _read_window(window, count, channels, method):
    """The second table, or None."""
    if window is None:
        return None
    if method in interpolation_weights.NEAREST:
        sentence = f"window must be left out with method={method!r}"
        raise InputError("E_CHOICE", "window", f"{sentence}, got {type(window).__name__}")
    tile = gather.read_table("window", window, (*learned_tables.AXES[-count:], "channels"))
    if 0 in tile.shape[:-1] or tile.shape[-1] != channels:
        sentence = f"window must have at least one row along each axis and {channels} channels"
        raise InputError("E_SHAPE", "window", f"{sentence}, got shape {tile.shape}")
    return tile


def _on_one_diagonal(values, tile, axes):
    """One grid that holds both tables, corner to corner, and weights that reach into both: their sums are added.

    Where a row of one meets a column of the other the grid is 0.
    """
    old = values.shape[:-1]
    both = np.zeros((*map(sum, zip(old, tile.shape[:-1])), values.shape[-1]))
    both[tuple(slice(size) for size in old)] = values
    both[tuple(slice(size, None) for size in old)] = tile
    of_both = [
        [{**weights, size + j % wide: Fraction(1)} for j, weights in enumerate(axis)]
        for axis, size, wide in zip(axes, old, tile.shape)
    ]
    return both, of_both


def _read_options(method, align, cubic, antialias, border):
    """The options of `interpolation_weights.of_axis`; what the method does not need must be left out."""
    nearest = checks.choice("method", method, METHODS) in interpolation_weights.NEAREST
    antialias = checks.flag("antialias", antialias)
    if border is not None:
        checks.choice("border", border, BORDERS)
    if nearest:
        _refuse(f"method={method!r}", align=align, border=border, antialias=antialias or None)
    else:
        checks.choice("align", align, ALIGNS)
    if method != "cubic":
        _refuse(f"method={method!r}", cubic=cubic)
    elif cubic is None or checks.real("cubic", cubic) not in CUBICS:
        raise InputError("E_CHOICE", "cubic", f"cubic must be -0.75 or -0.5, got {shown(cubic)}")
    if antialias:
        _refuse("antialias", border=border, align="corners" if align == "corners" else None)
    cubic = None if cubic is None else checks.real("cubic", cubic)
    border = border or ("renormalise" if antialias else "clamp")
    return {"method": method, "align": align, "cubic": cubic, "antialias": antialias, "border": border}


def _refuse(where, **arguments):
    """Refuse arguments that mean nothing there."""
    for name, value in arguments.items():
        if value is not None:
            wanted = "'half-pixel'" if name == "align" and where == "antialias" else "left out"
            raise InputError("E_CHOICE", name, f"{name} must be {wanted} with {where}, got {shown(value)}")


def _read_scale(scale, old, new, options):
    """The scale of each axis; None for new / old."""
    if scale is None:
        return (None,) * len(new)
    if options["align"] == "corners":
        _refuse("align='corners'", scale=scale)
    scales = [scale] * len(new) if np.isscalar(scale) else scale
    scales = [checks.positive("scale", one) for one in checks.numbers("scale", scales, len(new))]
    for one, before, after in zip(scales, old, new):
        if max(one.numerator, one.denominator) > LARGEST_PART:
            sentence = "scale must be a fraction of integers up to 2**64"
            raise InputError("E_NUMBER", "scale", f"{sentence}, got {shown(scale)}")
        if options["border"] == "renormalise" and after - Fraction(1, 2) > before * one:
            sentence = (
                f"scale must be at least {(after - Fraction(1, 2)) / before} so that {after} rows lie in the grid"
            )
            raise InputError("E_NUMBER", "scale", f"{sentence}, got {shown(scale)}")
    return scales
