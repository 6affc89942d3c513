"""Sines in the place of cosines, or cosines in the place of sines."""

from __future__ import annotations

from functools import partial

import numpy as np

from ... import catalogue
from ...tensor_files import Tensor
from ..bounds import bounds_of
from ..judge import of_name
from ..mistake import Mistake
from ..numbers import as_numbers

#: arguments by which the columns of a table depend on, at which their cosines are 1 and their sines 0
AT_ZERO = ("positions", "timesteps", "coordinates")
FAR = 7.0  # a coordinate that is no sine


def other_kinds(call):
    """The call with one kind of waves in the columns of both."""
    names = catalogue.find(call.suite).outputs_of(call.arguments)
    if tuple(names) == ("cos", "sin"):
        for kept, lost in (names, names[::-1]):
            made = partial(_outputs_exchanged, sources={kept: kept, lost: kept})
            text = f"{lost} holds the numbers of {kept}: {kept} twice"
            yield Mistake("kinds", text, "cos and sin", outputs=made, limits=partial(_limits_exchanged, kept=kept))
    elif tuple(names) == ("output",) and any(name in call.tensors or name in call.arguments for name in AT_ZERO):
        for kept, lost in (("cosines", "sines"), ("sines", "cosines")):
            text = f"only {kept}: {kept[:3]} in the place of {lost[:3]}"
            change = partial(_of_columns, kept=kept, lost=lost)
            limits = partial(_limits_of_columns, kept=kept, lost=lost)
            yield Mistake("kinds", text, "sines and cosines", outputs=partial(_made, change=change), limits=limits)


def _outputs_exchanged(call, sources):
    made = call.outputs()
    return {name: made[source] for name, source in sources.items()}


def _limits_exchanged(call, outputs, kept):
    limits = bounds_of(*call, call.outputs())
    return {kind: dict.fromkeys(outputs, of_name(parts, kept)) for kind, parts in limits.items()}


def _made(call, change):
    (tensor,) = call.outputs().values()
    return {"output": tensor._replace(values=change(call, tensor.values))}


def _limits_of_columns(call, outputs, kept, lost):
    true = call.outputs()
    limits, shape = bounds_of(*call, true), true["output"].values.shape
    return {
        kind: {"output": _of_columns(call, np.broadcast_to(np.reshape(parts["output"], shape), shape), kept, lost)}
        for kind, parts in limits.items()
    }


def _of_columns(call, values, kept, lost):
    """Numbers whose columns of one kind are in the place of those of the other, each in its order."""
    columns = columns_of_kinds(call)
    if len(columns[kept]) != len(columns[lost]) or not len(columns[kept]):
        raise LookupError(f"as many sines as cosines are needed, got {len(columns['sines'])}")
    values = np.array(values)
    values[..., columns[lost]] = values[..., columns[kept]]
    return values


def columns_of_kinds(call):
    """{kind: its columns}: at 0 cosines are 1 and sines 0, and far from it neither is as large as a coordinate."""
    at = [_at(call, value) for value in (0.0, FAR)]
    ones = {kind: (at[0] == value) & (np.abs(at[1]) <= 1) for kind, value in (("cosines", 1.0), ("sines", 0.0))}
    return {kind: np.flatnonzero(chosen) for kind, chosen in ones.items()}


def _at(call, value):
    """One row of a table at one number."""
    name = next(name for name in AT_ZERO if name in call.tensors or name in call.arguments)
    axes = call.tensors[name].values.shape[1:] if name == "coordinates" else ()
    one = Tensor("float64", np.full((1, *axes), value))
    (made,) = call.change(dtype="float64").given(**{name: one}).outputs().values()
    return as_numbers(made, made).reshape(-1)
