"""Rotations that are none: tables and a rotation of two layouts, a sign that is missing, the wrong axis."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..tensor_files import Tensor
from .bounds import bounds_of
from .call import made_once
from .mistake import Mistake
from .other_frequencies import frequencies_of
from .places import numbers_of, place_of

ASKED = {"interleaved": "pairs (2i, 2i+1)", "half": "pairs (i, i + dim/2)"}


def other_rotations(call):
    """What becomes of x where a rotation is put together wrongly."""
    if call.suite != "rope" or "x" not in call.tensors:
        return
    yield from _another_axis(call)
    pairing = call.arguments.get("pairing")
    if pairing not in ASKED:
        return
    dim = _rotary_dim(call)
    if dim < 4:
        return
    yield _mixed("rotate_half without its minus sign", "sign", (_rotated_back, None))
    yield _mixed("rotate_half with a minus sign in both halves", "sign", (None, _rotated_back))
    for asked, other, tables in (
        ("half", "interleaved", "tables in halves (tiled: cat(freqs, freqs)), as rotate_half takes them"),
        ("interleaved", "half", "tables that repeat each angle (repeat_interleave)"),
    ):
        for rotation in (asked, other):
            built = "half" if rotation == "interleaved" else "interleaved"
            if built != asked:
                continue
            text = f"{tables}, with a rotation of {ASKED[rotation]}"
            yield _layouts(text, rotation, dim)
    text = "cosines and sines exchanged"
    yield Mistake("exchanged", text, "cos, sin", partial(_quarter, pairing=pairing, dim=dim))


def _rotary_dim(call):
    made = frequencies_of(call)
    return call.arguments["frequencies"].dim if made is None else made_once(made).dim


def _rotated_back(call):
    return call.change(inverse=not call.arguments.get("inverse", False))


def _channels(pairing, dim):
    """The first and the second channels of each pair."""
    first = np.arange(0, dim, 2, dtype=np.int64) if pairing == "interleaved" else np.arange(dim // 2, dtype=np.int64)
    return first, first + (1 if pairing == "interleaved" else dim // 2)


def _mixed(text, name, changes):
    """First channels of each pair from one call, second ones from another."""

    def outputs(call):
        made = [(change(call) if change else call).outputs()["output"] for change in changes]
        channels = _channels(call.arguments["pairing"], _rotary_dim(call))
        return {"output": _picked(made, channels)}

    return Mistake(name, text, "a rotation", outputs=outputs, rare=True)


def _picked(made, channels):
    values = made[0].values.copy()
    values[..., channels[1]] = made[1].values[..., channels[1]]
    return Tensor(made[0].dtype, values)


def _layouts(text, rotation, dim):
    """A rotation of one layout by tables of the other: each channel turns by the angle that stands at its place."""

    def outputs(call):
        made = [(part.outputs()["output"], *places) for part, *places in _parts(call, rotation, dim)]
        values = made[0][0].values.copy()
        for tensor, source, target in made:
            values[..., target] = tensor.values[..., source]
        return {"output": Tensor(made[0][0].dtype, values)}

    def limits(call, outputs):
        shape, found = outputs["output"].values.shape, {}
        for part, source, target in _parts(call, rotation, dim):
            for kind, of_output in bounds_of(*part, outputs).items():
                bound = np.broadcast_to(np.reshape(of_output["output"], shape), shape)
                found.setdefault(kind, {"output": bound.copy()})["output"][..., target] = bound[..., source]
        return found

    name, asked = "mixed layouts", "tables and rotation of one layout"
    return Mistake(name, text, asked, outputs=outputs, limits=limits, rare=True)


def _parts(call, rotation, dim):
    """(call, channels of its result, where they belong) of plain rotations, which together are one of that pairing by
    tables of the other layout: the pairs of x stand where the frequencies are that they are rotated by."""
    pairs, channel = _channels(rotation, dim), np.arange(dim, dtype=np.int64)
    places = channel % (dim // 2) if rotation == "interleaved" else channel // 2
    x = call.tensors["x"]
    for of_pair in pairs:
        order = places[of_pair].tolist()
        earlier = np.array([order[:k].count(place) for k, place in enumerate(order)])
        for turn in range(earlier.max() + 1):
            chosen = np.flatnonzero(earlier == turn)
            there, values = np.array(order)[chosen], x.values.copy()
            for channels in pairs:
                values[..., channels[there]] = x.values[..., channels[chosen]]
            part = call.change(pairing=rotation).given(x=Tensor(x.dtype, values))
            yield part, of_pair[there], of_pair[chosen]


def _quarter(call, pairing, dim):
    """x so that its inverse rotation has cosines and sines exchanged."""
    tensor = call.tensors["x"]
    first, second = _channels(pairing, dim)
    values = tensor.values.copy()
    sign = np.uint16(1 << 15)
    minus = tensor.values[..., second] ^ sign if values.dtype == np.uint16 else -tensor.values[..., second]
    values[..., first], values[..., second] = minus, tensor.values[..., first]
    return _rotated_back(call.given(x=Tensor(tensor.dtype, values)))


def _another_axis(call):
    """The head axis, or another one, read as the sequence."""
    shape = call.tensors["x"].values.shape
    asked = call.arguments.get("seq_axis", -2) % len(shape)
    found = place_of(call)
    if found is None or found[1].values.ndim != 1:
        return
    name, tensor = found
    for axis in range(len(shape) - 1):
        if axis != asked and shape[axis] > 1:
            positions = _along(numbers_of(tensor), shape[axis])
            text = f"axis {axis} (of {shape[axis]}) read as the sequence"
            change = partial(_on_axis, name=name, positions=positions, axis=axis)
            yield Mistake("sequence axis", text, f"axis {asked} (of {shape[asked]})", change, rare=True)


def _along(values, count):
    """So many positions from the start of those of a call, or counted on from its first one."""
    if len(values) >= count:
        return values[:count]
    return np.arange(count, dtype=np.int64) + (values[0] if len(values) else 0)


def _on_axis(call, name, positions, axis):
    return call.given(**{name: Tensor("float64", np.asarray(positions, np.float64))}).change(seq_axis=axis)
