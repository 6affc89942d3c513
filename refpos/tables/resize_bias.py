"""Tables of two-dimensional offsets for windows of another size."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Literal, NamedTuple, get_args

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.distances import windows
from ..steps.rows import gather, interpolation_weights, learned_tables, table_gradients, weighted_sums
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["resize_bias"]

Method = Literal["swin", "beit", "levit", "geometric"]
METHODS = get_args(Method)
HALF_PIXEL = {"align": "half-pixel", "scale": None}
FILTERS = {
    "swin": {"method": "cubic", "cubic": Fraction(-3, 4), "antialias": False, "border": "clamp"},
    "beit": {"method": "linear", "cubic": None, "antialias": False, "border": "clamp"},
    "levit": {"method": "cubic", "cubic": Fraction(-1, 2), "antialias": True, "border": "renormalise"},
}
LARGEST = 2**12  # sides of windows


def _gradient(function, given, cotangent):
    """The sums of the cotangent with the weights of each old row; of rows that are copied their cotangents."""
    table_gradients.check_options(given)
    table, plan = read_windows(*(given[name] for name in ("weight", "old", "new", "method", "class_token")))
    fmt = learned_tables.result_format(table, given["dtype"])
    grid, heads = prod(plan.after), table.shape[1]
    cotangent = table_gradients.read_cotangent(cotangent, (grid + plan.last, heads), fmt)
    result, stored = checks.output(None, table.shape, table.fmt)
    count, axes = len(stored) - plan.last, plan.axes()
    parts = (
        (stored[:count].reshape(*plan.before, heads), cotangent.part(slice(grid), plan.after), axes),
        (stored[count:], cotangent.part(slice(grid, None)), [[{j: Fraction(1)} for j in range(plan.last)]]),
    )
    for part, of_part, along in parts:
        table_gradients.fill_transposed(part, of_part, along, table.fmt)
    return result


class Plan(NamedTuple):
    """The windows, the sizes of their grids of rows, the number of rows for a class token, and the method."""

    old: tuple
    new: tuple
    before: tuple
    after: tuple
    last: int
    method: str

    def axes(self):
        """The weights {old row: fraction} of the new rows along each axis; equal windows are copied."""
        if self.old == self.new:
            return [[{j: Fraction(1)} for j in range(size)] for size in self.after]
        return [_interpolation(*sides, self.method) for sides in zip(self.old, self.new)]


@register(
    family="tables",
    paper="Liu et al. 2021, Swin Transformer, arXiv:2103.14030, section 4.1; Bao et al. 2022, BEiT, arXiv:2106.08254",
    conventions="method swin, beit, levit or geometric (no default)",
    no_error_bound="programs round the coordinates, then the weights, and add in different orders",
    also="resize relative position bias, resize_rel_pos_bias_table",
    gradients={"weight": _gradient},
)
def resize_bias(
    weight: ArrayLike,
    old: Sequence[Integer],
    new: Sequence[Integer],
    *,
    method: Method,
    class_token: bool = False,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """A relative position bias table resized to another window.

        "swin":       the grid of offsets (2 height - 1, 2 width - 1), cubic with -3/4, centres of pixels
        "beit":       the same grid, linear, centres of pixels
        "levit":      the grid of distances (height, width) of sign="absolute", cubic with -1/2, antialiased
        "geometric":  the grid of offsets, linear between the coordinates +-(1 + q + ... + q**i), held beyond the last

    q of each axis: the last of the bisection from 1.01 to 1.5 until they are 1e-6 apart, in float64, for (1 - q**(old -
    1)) / (1 - q) = new - 1, where each power is rounded once. Equal sizes copy.

    Parameters
    ----------
    weight : array_like
        Learned table, shape (rows, heads), row by row; with class_token three rows more, which are copied.
    old, new : sequence of int
        (height, width) of the old and of the new window.
    method : {'swin', 'beit', 'levit', 'geometric'}
        Rule, as stated above.
    class_token : bool, default False
        Whether the table has three rows more, for a class token.
    dtype : str or dtype, optional
        Format of the result, by default that of weight: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (rows, heads) in `dtype` or that of weight, each element the exact sum rounded once; 0 is +0, but -0 stays
        where it is copied.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE (weight, old, new), E_SIZE, E_CHOICE, E_OUT, E_TOO_LARGE.

    References
    ----------
    - resize_rel_pos_bias_table_simple ("swin"), resize_rel_pos_bias_table_levit and resize_rel_pos_bias_table
      ("geometric") in timm/layers/pos_embed_rel.py (timm 1.0.31).
    - BeitRelativePositionBias in models/beit/modeling_beit.py (transformers 5.23.0), which reads the table of a
      rectangle as (width, height).

    Examples
    --------
    >>> import numpy as np
    >>> resize_bias(np.array([[0.0], [4.0], [8.0]]), (1, 2), (1, 3), method="beit").T
    array([[0. , 1.6, 4. , 6.4, 8. ]])
    """
    checks.thread_count(threads)
    table, plan = read_windows(weight, old, new, method, class_token)
    fmt, count, made = learned_tables.result_format(table, dtype), prod(plan.before), prod(plan.after)
    result, stored = checks.output(out, (made + plan.last, table.shape[1]), fmt, apart_from=(table.patterns,))
    if plan.old == plan.new:
        formats.bits(stored)[...] = learned_tables.in_format(table, fmt).patterns
        return result
    formats.bits(stored)[made:] = learned_tables.in_format(table.part(slice(count, None)), fmt).patterns
    grid = stored[:made].reshape(*plan.after, table.shape[1])
    values = learned_tables.values(table.part(slice(count), plan.before))
    weighted_sums.fill(grid, values, [*map(weighted_sums.axis, plan.axes())], learned_tables.floats(fmt), threads)
    return result


def read_windows(weight, old, new, method, class_token):
    """The table and the `Plan` of a call."""
    checks.choice("method", method, METHODS)
    old, new = _read_window("old", old), _read_window("new", new)
    last = windows.CLASS_ROWS * checks.flag("class_token", class_token)
    table = gather.read_table("weight", weight, ("rows", "heads"))
    before, after = (one if method == "levit" else tuple(2 * side - 1 for side in one) for one in (old, new))
    if table.shape[0] != prod(before) + last:
        wanted = f"{before[0]} * {before[1]}{' + 3' if last else ''} = {prod(before) + last} rows"
        raise InputError("E_SHAPE", "weight", f"weight must have {wanted}, got {table.shape[0]}")
    return table, Plan(old, new, before, after, last, method)


def _read_window(name, sizes):
    sizes = checks.listed(name, sizes, "sizes")
    if len(sizes) != 2:
        raise InputError("E_SHAPE", name, f"{name} must be (height, width), got {shown(sizes)}")
    return tuple(checks.integer(name, one, 1, LARGEST) for one in sizes)


def _interpolation(old, new, method):
    """The weights of one axis, from the sides of the windows."""
    if method == "levit":
        return interpolation_weights.of_axis(old, new, **FILTERS[method], **HALF_PIXEL)
    if method != "geometric":
        return interpolation_weights.of_axis(2 * old - 1, 2 * new - 1, **FILTERS[method], **HALF_PIXEL)
    points = points_of(old, new)
    return [_between(points, x) for x in range(1 - new, new)]


def points_of(old, new):
    """The coordinates of the rows of one axis of "geometric", ascending, from the sides of the windows."""
    right = [Fraction(one) for one in _coordinates(old - 1, new - 1)]
    return [-one for one in reversed(right)] + [Fraction(0)] + right


def _coordinates(count, reach):
    """1, 1 + q, 1 + q + q**2, ...: `count` of them, q such that the last is near `reach`; sums in float64."""
    low, high = 1.01, 1.5
    while high - low > 1e-6:
        q = (low + high) / 2
        low, high = (low, q) if (1 - _power(q, count)) / (1 - q) > reach else (q, high)
    places, last = [], 1.0
    for i in range(count):
        places.append(last)
        last += _power(q, i + 1)
    return places


def _power(q, n):
    """q**n of a double, rounded once; beyond the range of doubles infinity."""
    numerator, denominator = q.as_integer_ratio()
    try:
        return numerator**n / denominator**n
    except OverflowError:
        return float("inf")


def _between(points, x):
    """The weights of x between ascending points; beyond their ends, the last point."""
    right = int(np.searchsorted(np.array(points, object), x))
    if right in (0, len(points)) or points[right] == x:
        return {min(right, len(points) - 1): Fraction(1)}
    share = (x - points[right - 1]) / (points[right] - points[right - 1])
    return {right - 1: 1 - share, right: share}
