"""The format of some numbers: that of their array, or the narrower one on whose values all of them lie."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arithmetic import formats, rounding
from ..errors import InputTypeError
from ..tensor_files import Tensor, answer

NARROWER = ("bfloat16", "float16", "float32")
TELLING = 8  # distinct numbers below which they say nothing of a format: 0, 1 and halves lie in every one
AT_ONCE = 1 << 12  # numbers that are rounded together
TF32_BITS = 13  # of the 23 of a float32 that a TF32 operand does not have


class Held(NamedTuple):
    """An array with the format in which it is judged, and a sentence where that is not the one of its dtype."""

    tensor: Tensor
    note: str = ""

    @property
    def format(self):
        """Name of the format."""
        return self.tensor.dtype

    @property
    def shape(self):
        """Shape of the array."""
        return self.tensor.values.shape

    def numbers(self, index=...):
        """The values, or those of an index, as float64."""
        return numbers(self.tensor, index)

    def at(self, index):
        """The tensor of an index."""
        return Tensor(self.tensor.dtype, self.tensor.values[index])


def numbers(tensor, index=...):
    """The values of an index of a tensor as float64."""
    values, fmt = tensor.values[index], formats.FORMATS[tensor.dtype]
    with np.errstate(invalid="ignore"):  # of signalling NaN
        if values.dtype == np.uint16:
            return rounding.widen(np.ascontiguousarray(values), fmt).astype(np.float64)
        return values.astype(np.float64)


def held(array, name):
    """An array of any library as `Held`; uint16 are bit patterns of bfloat16."""
    tensor = answer(array, name)
    if tensor.dtype == "uint16":
        tensor = Tensor("bfloat16", tensor.values)
    if tensor.dtype not in formats.FORMATS:
        known = ", ".join(formats.FORMATS)
        raise InputTypeError("E_DTYPE", name, f"{name} must have one of the dtypes {known}, got {tensor.dtype}")
    return Held(tensor)


def narrowed(one, name):
    """The narrowest format that holds all numbers of a `Held`, with a sentence that says so; itself where it has it."""
    if one.format not in ("float32", "float64") or not is_telling(one.tensor.values):
        return one
    for kind in NARROWER[: NARROWER.index(one.format) if one.format in NARROWER else None]:
        found = in_format(one.tensor, kind)
        if found is not None:
            return Held(found, f"all numbers of {name} are values of {kind}")
    values = one.tensor.values
    if one.format == "float32" and not (np.ascontiguousarray(values).view(np.uint32) % (1 << TF32_BITS)).any():
        return one._replace(note=f"all numbers of {name} are values of TF32")
    return one


def are_equal(one, other):
    """Whether two `Held` of one shape have the same numbers, NaN where the other has it."""
    parts = [part.tensor._replace(values=part.tensor.values.reshape(-1)) for part in (one, other)]
    slices = (slice(start, start + AT_ONCE) for start in range(0, len(parts[0].values), AT_ONCE))
    return all(np.array_equal(*(numbers(part, some) for part in parts), equal_nan=True) for some in slices)


def in_format(tensor, kind):
    """The same numbers in a narrower format; None where it does not hold all of them."""
    fmt, shape = formats.FORMATS[kind], tensor.values.shape
    flat = np.ascontiguousarray(tensor.values).reshape(-1)
    stored = np.empty(flat.size, fmt.storage)
    for start in range(0, flat.size, AT_ONCE):
        some = slice(start, start + AT_ONCE)
        wide = numbers(Tensor(tensor.dtype, flat[some]))
        stored[some] = rounding.narrow(wide, fmt)
        if not np.array_equal(rounding.widen(stored[some], fmt), wide, equal_nan=True):
            return None
    stored = stored.reshape(shape)
    return Tensor(kind, stored.view(np.float16) if kind == "float16" else stored)


def is_telling(values):
    """Whether there are enough different numbers; a few of them are looked at first."""
    flat = values.reshape(-1)
    return len(np.unique(flat[:AT_ONCE])) > TELLING or len(np.unique(flat)) > TELLING
