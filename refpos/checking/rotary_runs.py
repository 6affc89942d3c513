"""How a rotary module of a live model is called on positions, and the cosines and sines that it returns."""

import inspect
from typing import NamedTuple

import numpy as np

from . import torch_modules


class Run(NamedTuple):
    """What a call gave: (cos, sin) as `Tensor`, or why there are none."""

    tables: list | None
    why: str = ""


def parameters_of(module):
    """{name: kind of parameter} of the forward of a module, or of a call of what has none; empty where it has no
    signature."""
    try:
        signature = inspect.signature(getattr(module, "forward", module))
        return {name: one.kind for name, one in signature.parameters.items()}
    except (TypeError, ValueError):
        return {}


def takes_positions(module):
    """Whether the forward of a module takes position ids, or a length."""
    names = parameters_of(module)
    return bool({"position_ids", "seq_len"} & {*names}) or inspect.Parameter.VAR_POSITIONAL in names.values()


def takes_kinds(module):
    """Whether the forward of a module may be told a layer type."""
    names = parameters_of(module)
    return "layer_type" in names or inspect.Parameter.VAR_KEYWORD in names.values()


def run(module, like, width, positions, kind):
    """The `Run` of a module on positions (axes, positions); like: a tensor of the model, width: channels of a head."""
    ids = like.new_zeros((len(positions), 1, positions.shape[-1])).long()
    for (axis, k), position in np.ndenumerate(positions):
        ids[axis, 0, k] = int(position)
    ids = ids[0] if len(positions) == 1 else ids
    x = like.new_zeros((1, positions.shape[-1], width)).float()
    length = int(positions.max()) + 1
    given, named = _bound(parameters_of(module), x, ids, length)
    try:
        made = module(*given, **named, **({"layer_type": kind} if kind else {}))
        return _tables(made, positions[0] if "seq_len" in named else None, length)
    except Exception as error:  # whatever a module raises that does not take these arguments
        return Run(None, f"it raises {type(error).__name__}: {error}")


def _bound(names, x, ids, length):
    """(arguments by place, by name) of the call of a forward with such parameters."""
    first = () if next(iter(names), None) in ("position_ids", "seq_len") else (x,)
    if "position_ids" in names:
        return first, {"position_ids": ids}
    return (first, {"seq_len": length}) if "seq_len" in names else ((x, ids), {})


def _tables(made, rows, length):
    """The `Run` of what a module returned; rows: those of the positions, where it returned the rows of a length."""
    if torch_modules.is_tensor(made) and getattr(made, "is_complex", bool)():
        made = made.real, made.imag
    if not isinstance(made, (tuple, list)) or len(made) != 2 or not all(map(torch_modules.is_tensor, made)):
        return Run(None, "it returns no cosines beside sines")
    tables = [torch_modules.numbers(one.contiguous()) for one in made]
    if rows is None:
        return Run(tables)
    if any(one.values.ndim < 2 or one.values.shape[-2] < length for one in tables):
        return Run(None, f"it returns no row for each of {length} positions")
    return Run([one._replace(values=np.ascontiguousarray(one.values[..., rows, :])) for one in tables])
