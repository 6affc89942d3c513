"""Interpolation weights: the rows of a grid that each row of the resized grid is a sum of, with exact fractions.

One axis at a time; the weight of a cell is the product over its axes. Coordinates count rows from 0, so that the centre
of row i is i, and the grid covers -1/2 .. size - 1/2.
"""

from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

NEAREST = ("nearest", "nearest-exact")
#: half the width of each filter, in rows
SUPPORT = {"linear": 1, "cubic": 2}


@lru_cache(maxsize=2)  # the axes of a square are alike; more would keep the weights of long axes in memory
def of_axis(size, new, *, method, align, cubic, antialias, border, scale):
    """The weights of each of the `new` rows: {row of the grid: weight}, the weights being fractions other than 0."""
    step = _step(size, new, align, scale)
    if method in NEAREST:
        shift = Fraction(1, 2) if method == "nearest-exact" else 0
        return tuple({min(floor((j + shift) * step), size - 1): Fraction(1)} for j in range(new))
    stretch = max(step, Fraction(1)) if antialias else Fraction(1)
    weight = _linear if method == "linear" else lambda x: _keys(x, cubic)
    at = [_coordinate(j, step, align) for j in range(new)]
    return tuple(_weights_at(x, size, weight, SUPPORT[method], stretch, border, antialias) for x in at)


def _step(size, new, align, scale):
    """Rows of the grid from one new row to the next."""
    if scale is not None:
        return 1 / scale
    if align == "corners":
        return Fraction(size - 1, new - 1) if new > 1 else Fraction(0)
    return Fraction(size, new) if new else Fraction(0)


def _coordinate(j, step, align):
    """Where the new row j lies in the grid."""
    return j * step if align == "corners" else (j + Fraction(1, 2)) * step - Fraction(1, 2)


def _weights_at(at, size, weight, support, stretch, border, antialias):
    """{row: weight} of the filter at a coordinate; `border` says what becomes of rows outside the grid."""
    weights = {}
    for row in range(floor(at - support * stretch) + 1, ceil(at + support * stretch)):
        value = weight(abs(row - at) / stretch)
        inside = min(max(row, 0), size - 1)
        if value and (row == inside or border == "clamp"):
            weights[inside] = weights.get(inside, 0) + value
    if antialias or border == "renormalise":
        # a filter between rows adds up to 1, but one that is stretched, or cut, does not
        total = sum(weights.values())
        weights = {row: value / total for row, value in weights.items()}
    return {row: value for row, value in weights.items() if value}


def _linear(x):
    """The triangle 1 - x, for x from 0 on."""
    return 1 - x if x < 1 else 0


def _keys(x, a):
    """The cubic of Keys 1981 for x from 0 on: 1 at 0, 0 at 1 and from 2 on, with slope a at 1."""
    if x >= 2:
        return 0
    # x = n / d, a = slope / scale: integers, of which one fraction is made at the end
    (n, d), (slope, scale) = x.as_integer_ratio(), a.as_integer_ratio()
    if n < d:
        total = ((slope + 2 * scale) * n - (slope + 3 * scale) * d) * n * n + scale * d**3
    else:
        total = slope * (((n - 5 * d) * n + 8 * d * d) * n - 4 * d**3)
    return Fraction(total, scale * d**3)
