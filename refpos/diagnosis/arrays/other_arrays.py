"""Arrays of a call in another order, of another sign or in fewer bits, or another one in their place."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np

from ... import catalogue
from ...arithmetic import formats
from ...measure.held_format import in_format
from ...tensor_files import Tensor
from ..call import stored
from ..mistake import Mistake
from ..numbers import as_numbers
from ..places import NARROWER, held, place_of

AXES = 4  # of coordinates, that are looked at one by one
TURN = 6.283185307179586
#: numbers of which waves are made
OF_WAVES = ("coordinates", "x", "t")
#: the same in other units, or counted from another number
UNITS = {
    "times 255": lambda c: 255 * c,
    "divided by 255": lambda c: c / 255,
    "times 2 pi": lambda c: TURN * c,
    "divided by 2 pi": lambda c: c / TURN,
    "times 2": lambda c: 2 * c,
    "halved": lambda c: c / 2,
    "plus 1": lambda c: c + 1,
    "minus 1": lambda c: c - 1,
    "plus 0.5": lambda c: c + 0.5,
    "minus 0.5": lambda c: c - 0.5,
}
#: coordinates of another range
RANGES = {
    "2 coordinates - 1, twice as wide": lambda c: 2 * c - 1,
    "(coordinates + 1) / 2, half as wide": lambda c: (c + 1) / 2,
}


def other_arrays(call):
    """The call with one of its arrays changed; those of rotations are of other sources, and calls with positions are
    tried on a few rows, which have not all of an array."""
    if catalogue.find(call.suite).family == "rotary" or place_of(call) is not None:
        return
    arrays = {name: one for name, one in call.tensors.items() if one.dtype in formats.FORMATS}
    for name, one in arrays.items():
        yield from _reordered(name, one.values.ndim)
        yield of_array("sign", f"minus {name}", name, np.negative)
        if one.values.ndim == 2:
            yield of_array("padding", f"row 0 of {name} all 0 (a padding row)", name, _first_row_zero)
        if name != "x":
            yield from _rounded(name, one)
    for text, change in RANGES.items() if "coordinates" in arrays else ():
        yield of_array("coordinates", text, "coordinates", change)
    if catalogue.find(call.suite).family == "absolute":
        for name in (name for name in arrays if name in OF_WAVES):
            yield from _in_units(name, arrays[name].values)
    if "phase" in arrays:
        yield of_array("phase", "no phase (all 0)", "phase", np.zeros_like)
    for name, other in itertools.permutations(arrays, 2):
        yield from _in_place(name, arrays[name], other, arrays[other])


def of_array(name, computed, asked, change):
    """The mistake of another array in the place of `asked`, in the format of that."""

    def changed(call):
        one = call.tensors[asked]
        values = np.ascontiguousarray(change(as_numbers(one, one)))
        kept = one.dtype in formats.FORMATS
        return call.given(**{asked: stored(values, formats.FORMATS[one.dtype]) if kept else Tensor("float64", values)})

    return Mistake(name, computed, asked, changed)


def _reordered(name, axes):
    """An array from its end to its beginning, one entry of it for all, or read in another order."""
    for axis in range(axes):
        text = f"{name} reversed along axis {axis}" + (" (its heads)" if axis == axes - 3 else "")
        yield of_array("order", text, name, partial(np.flip, axis=axis))
    for axis in range(axes - 2):
        text = f"index 0 of axis {axis} of {name} for all" + (" (the first head)" if axis == axes - 3 else "")
        yield of_array("order", text, name, partial(_first, axis=axis))
    if axes > 1:
        text = f"{name} transposed: its numbers read column by column"
        yield of_array("memory order", text, name, lambda values: values.swapaxes(-1, -2).reshape(values.shape))
        text = f"{name} transposed: its numbers written column by column"
        yield of_array("memory order", text, name, _by_columns)


def _in_units(name, values):
    """Numbers of which waves are made in other units; of coordinates one axis alone too, or left out."""
    for text, change in UNITS.items():
        yield of_array("units", f"{name} {text}", name, change)
    for axis in range(values.shape[-1]) if values.ndim == 2 and values.shape[-1] <= AXES else ():
        for text, factor in (("left out (0)", 0.0), ("times 2", 2.0), ("halved", 0.5)):
            factors = np.where(np.arange(values.shape[-1], dtype=np.int64) == axis, factor, 1.0)
            yield of_array("units", f"axis {axis} of {name} {text}", name, partial(np.multiply, factors))


def _by_columns(values):
    return values.reshape(*values.shape[:-2], *values.shape[:-3:-1]).swapaxes(-1, -2)


def _first(values, axis):
    return np.broadcast_to(values.take([0], axis), values.shape)


def _first_row_zero(values):
    return np.concatenate([np.zeros_like(values[:1]), values[1:]])


def _rounded(name, one):
    """An array in formats that do not hold it."""
    for kind in NARROWER:
        if in_format(one, kind) is None:
            yield of_array("precision", f"{name} rounded to {kind}", name, partial(held, kind=kind))


def _in_place(name, one, other_name, other):
    """Another array in the place of one: of the same shape, or its last or first rows."""
    shape, found = one.values.shape, other.values.shape
    if one.dtype != other.dtype or not len(shape) == len(found) >= 2:
        return
    if (found[:-2], found[-1:]) != (shape[:-2], shape[-1:]):
        return
    rows = shape[-2]
    places = {"": slice(None)}
    if found != shape:
        places = {"the last rows of ": slice(-rows, None), "the first rows of ": slice(rows)}
    for text, kept in places.items():
        taken = other._replace(values=np.ascontiguousarray(other.values[..., kept, :]))
        if taken.values.shape == shape:
            text = f"{text}{other_name} in the place of {name}"
            yield Mistake("array", text, name, partial(_given, name=name, taken=taken))


def _given(call, name, taken):
    return call.given(**{name: taken})
