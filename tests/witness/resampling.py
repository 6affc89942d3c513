"""Tables at another size from the definition of each filter, in exact fractions: dense matrices, one for each axis."""

import math
from fractions import Fraction

import numpy as np

HALF = Fraction(1, 2)


def triangle(d):
    return max(1 - d, Fraction(0))


def keys(a):
    """Keys 1981, equation (8), with a in place of -1/2."""

    def value(d):
        if d <= 1:
            return (a + 2) * d**3 - (a + 3) * d**2 + 1
        return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else Fraction(0)

    return value


def matrix(old, new, method, align, cubic, antialias, border, scale):
    """[[weight of each old row] of each new row]."""
    per_new = Fraction(old, max(new, 1)) if scale is None else 1 / Fraction(scale)
    rows = []
    for j in range(new):
        if method.startswith("nearest"):
            at = math.floor((j + HALF if method == "nearest-exact" else j) * per_new)
            rows.append([Fraction(i == min(at, old - 1)) for i in range(old)])
            continue
        if align == "corners":
            x = Fraction(j * (old - 1), new - 1) if new > 1 else Fraction(0)
        else:
            x = (j + HALF) * per_new - HALF
        wider = max(per_new, 1) if antialias else 1
        kernel, reach = (triangle, 1) if method == "linear" else (keys(Fraction(cubic)), 2)
        of = {
            i: kernel(abs(x - i) / wider)
            for i in range(math.floor(x - reach * wider), math.ceil(x + reach * wider) + 1)
        }
        if border == "clamp" and not antialias:
            row = [sum(w for k, w in of.items() if min(max(k, 0), old - 1) == i) + Fraction(0) for i in range(old)]
        else:
            row = [of.get(i, Fraction(0)) for i in range(old)]
        if antialias or border == "renormalise":
            row = [w / sum(row) for w in row]
        rows.append(row)
    return rows


def whole(fractions):
    """The fractions as integers over one denominator: (array of ints, denominator)."""
    flat = [entry for row in fractions for entry in row]
    common = math.lcm(*(entry.denominator for entry in flat))
    return np.array([int(entry * common) for entry in flat], object), common


def resized(values, size, *, scale=None, **options):
    """Exact fractions (*size, channels), flat, of float64 values (*old, channels) that are finite."""
    numbers, common = whole([[Fraction(value) for value in values.reshape(-1).tolist()]])
    numbers = numbers.reshape(values.shape)
    scales = scale if isinstance(scale, (list, tuple)) else [scale] * len(size)
    for axis, (new, one) in enumerate(zip(size, scales, strict=True)):
        weights, denominator = whole(matrix(values.shape[axis], new, scale=one, **options))
        weights = weights.reshape(new, values.shape[axis])
        numbers = np.moveaxis(np.tensordot(weights, numbers, (1, axis)), 0, axis)
        common *= denominator
    return [Fraction(int(number), common) for number in numbers.reshape(-1)]


def with_window(fractions, size, window):
    """Exact fractions (*size, channels), flat, plus a second table that is repeated: float64 (*window, channels)."""
    cells = np.ndindex(*size, window.shape[-1])
    repeated = (window[tuple(j % n for j, n in zip(cell, window.shape, strict=True))] for cell in cells)
    return [one + Fraction(float(other)) for one, other in zip(fractions, repeated, strict=True)]
