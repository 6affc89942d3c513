"""A few rows of a call that tell mistakes apart, so that thousands of wrong calls can be tried before one is checked on
every element."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import catalogue
from ..errors import InputError, InputTypeError
from .places import numbers_of, place_of

POINTS = "coordinates"  # the array that has a row for each point, of functions of coordinates
SPREAD = 4  # rows evenly spread, beside the first, the last and the worst


class Rows(NamedTuple):
    """Which axis of which arrays counts the tokens: {name: axis} of the inputs and of the outputs."""

    count: int
    inputs: dict[str, int]
    outputs: dict[str, int]

    def of_call(self, call, index):
        """The call for some of its rows; refused where a change gave it positions of another shape."""
        given = {key: call.tensors[key] for key in self.inputs if key in call.tensors}
        if POINTS not in self.inputs:
            name, tensor = place_of(call)
            given[name] = tensor
        for key, one in given.items():
            if one.values.shape[self.inputs[key]] != self.count:
                raise InputError("E_SHAPE", key, f"{key} must have {self.count} rows, got {one.values.shape}")
        return call.given(**{key: _taken(one, index, self.inputs[key]) for key, one in given.items()})

    def of_outputs(self, outputs, index):
        """Some rows of outputs."""
        return {name: _taken(tensor, index, self.outputs[name]) for name, tensor in outputs.items()}


def with_length(call):
    """A call some of whose rows are those of all: xPos, which counts its length to the last position, is told it; None
    where it cannot be."""
    if "centring" not in catalogue.find(call.suite).parameters or call.arguments.get("length") is not None:
        return call
    last = numbers_of(place_of(call)[1]).max(initial=-1.0)
    return call.change(length=int(last) + 1) if last == np.rint(last) and last >= -1 else None


def _taken(tensor, index, axis):
    if isinstance(index, slice):
        return tensor._replace(values=tensor.values[(slice(None),) * axis + (index,)])
    return tensor._replace(values=tensor.values.take(index, axis))


def rows_of(call, outputs):
    """The `Rows` of a call, whose outputs are known; None where no array of positions counts them, or where a call for
    some rows does not give those rows of the outputs, bit for bit."""
    if POINTS in call.tensors:
        return _rows_of_points(call, outputs)
    found = place_of(call)
    if found is None:
        return None
    name, tensor = found
    for axis in reversed(range(tensor.values.ndim)):
        count = tensor.values.shape[axis]
        if count < 4:
            continue
        inputs = {name: axis}
        x = call.tensors.get("x")
        if x is not None:
            along = call.arguments.get("seq_axis", -2) % x.values.ndim
            if x.values.shape[along] != count:
                continue
            inputs["x"] = along
        for place in range(max(t.values.ndim for t in outputs.values())):
            rows = Rows(count, inputs, dict.fromkeys(outputs, place))
            if _holds(rows, call, outputs):
                return rows
    return None


def _rows_of_points(call, outputs):
    """The `Rows` of a call that has one for each point; None where there is none."""
    count = call.tensors[POINTS].values.shape[0] if call.tensors[POINTS].values.ndim > 1 else 0
    rows = Rows(count, {POINTS: 0}, dict.fromkeys(outputs, 0))
    return rows if count >= 4 and _holds(rows, call, outputs) else None


def narrowed(rows, call, outputs):
    """A call and its outputs with one index of every axis of x but those of the tokens and the channels."""
    x = call.tensors.get("x")
    if x is None or any(tensor.values.shape != x.values.shape for tensor in outputs.values()):
        return call, outputs
    kept = {rows.inputs.get("x", -1) % x.values.ndim, x.values.ndim - 1}
    index = tuple(slice(None) if axis in kept else slice(0, 1) for axis in range(x.values.ndim))
    less = {name: tensor._replace(values=tensor.values[index]) for name, tensor in outputs.items()}
    return call.given(x=x._replace(values=x.values[index])), less


def _holds(rows, call, outputs):
    shapes = [tensor.values.shape for tensor in outputs.values()]
    if any(len(shape) <= k or shape[k] != rows.count for shape, k in zip(shapes, rows.outputs.values(), strict=True)):
        return False
    index = np.array([0, rows.count // 2 + 1, rows.count - 1])
    try:
        again = rows.of_call(call, index).outputs()
    except (InputError, InputTypeError):
        return False
    return all(_same(again[name], tensor) for name, tensor in rows.of_outputs(outputs, index).items())


def _same(one, other):
    return (
        one.values.shape == other.values.shape and one.values.tobytes() == np.ascontiguousarray(other.values).tobytes()
    )


def telling(rows, off):
    """The rows of a sample: the first, the last, some between, the first that is off and the worst one."""
    count = rows.count
    spread = [1 + k * (count - 1) // SPREAD for k in range(SPREAD)]
    marked = []
    if off is not None and off.any():
        first, last = np.flatnonzero(off)[[0, -1]]
        marked = [first - 1, first, last]
    chosen = {0, 1, 2, count - 1, *spread, *map(int, marked)}
    return np.array(sorted(k for k in chosen if 0 <= k < count))
