"""How far a peer's numbers are from those of refpos, which are correctly rounded."""

from typing import NamedTuple

import numpy as np

from refpos.arithmetic import formats, rounding

ENOUGH = 1 << 22  # elements looked at: evenly spaced rows, and the last ones, where positions are largest
LAST = 64


class Errors(NamedTuple):
    """The largest absolute error, the largest distance in ulp, and the share of numbers that differ."""

    absolute: float
    ulp: float
    share: float


def errors(actual, expected, dtype):
    """Errors of `actual` against `expected`, arrays (of bfloat16: bit patterns) of one shape and dtype."""
    if (actual.shape, actual.dtype) != (expected.shape, expected.dtype):
        received = f"{actual.shape} {actual.dtype}"
        raise ValueError(f"the result must be {expected.shape} {expected.dtype}, got {received}")
    fmt = formats.FORMATS[dtype]
    axis = max(0, expected.ndim - 2)  # of rows
    step = max(1, expected.size // ENOUGH)
    taken = sorted({*range(0, expected.shape[axis], step), *range(expected.shape[axis])[-LAST:]})
    a, b = (np.ascontiguousarray(np.take(array, taken, axis)) for array in (actual, expected))
    a, b = (array.view(fmt.storage) for array in (a, b))
    values = [rounding.widen(array, fmt) for array in (a, b)]
    far = np.abs(_order(a, fmt) - _order(b, fmt))  # numbers of one size: no difference leaves int64
    return Errors(float(np.abs(values[0] - values[1]).max()), float(far.max()), float((far > 0).mean()))


def _order(array, fmt):
    """Position in the sequence of all numbers of the format."""
    patterns = formats.bits(array)
    size = (patterns & patterns.dtype.type((1 << fmt.width - 1) - 1)).astype(np.int64)
    return np.where(patterns >> patterns.dtype.type(fmt.width - 1), -size, size)
