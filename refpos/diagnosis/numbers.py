"""How near some numbers are to others: a quick look, which says what to check and proves nothing."""

from __future__ import annotations

import numpy as np

from ..arithmetic import formats, rounding
from ..conformance.compare import flat

AT_ONCE = 1 << 14  # elements that are made float64 together


def as_numbers(tensor, like):
    """The values of a tensor as float64; bit patterns are those of the format that is expected."""
    kind = like.dtype if tensor.dtype == "uint16" else tensor.dtype
    with np.errstate(invalid="ignore"):  # of signalling NaN, as bytes in another order may be
        if kind in ("bfloat16", "float16") and tensor.values.dtype == np.uint16:
            return rounding.widen(tensor.values, formats.FORMATS[kind]).astype(np.float64)
        return tensor.values.astype(np.float64)


def blocks(tensor, like, *more):
    """The values of tensors, as `as_numbers` gives them, a few elements at a time in C order."""
    for start in range(0, tensor.values.size, AT_ONCE):
        parts = (one._replace(values=flat(one.values, start, start + AT_ONCE)) for one in (tensor, *more))
        found = tuple(as_numbers(one, like) for one in parts)
        yield found if more else found[0]


def apart(one, other):
    """Differences of numbers as a share of their size, at most 1; NaN and NaN are not apart."""
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(one), np.abs(other))
        share = np.fmin(np.abs(one - other) / size, 1.0)  # 1 for what is no number
    share[(one == other) | (np.isnan(one) & np.isnan(other))] = 0.0
    return share


def row_numbers(rows, outputs, expected):
    """The numbers of some outputs, a row for each position."""
    parts = []
    for name, like in expected.items():
        tensor = outputs[name]
        values = np.moveaxis(as_numbers(tensor, like), rows.outputs[name], 0)
        parts.append(values.reshape(len(values), -1))
    return np.concatenate(parts, axis=1)
