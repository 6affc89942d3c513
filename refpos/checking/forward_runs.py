"""Rotations in a forward pass of a live model: queries and keys before and after, layer by layer."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..configs.config import from_config
from ..errors import InputError, shown
from ..models.rotary import orders_of
from ..tensor_files import Tensor
from . import torch_modules
from .finding import Finding
from .held import held_against
from .rotary_tensors import NO_CALL, best, made_by
from .rotation_sources import Sources
from .rotations import LAYER, call_of, meant_by, on_one_axis, parts_of

#: names of functions that rotate queries and keys
ROTATES = re.compile(r"apply_\w*(?:rotary|rope)|(?:rotary|rope)_apply|apply_\w*rotary_emb", re.IGNORECASE)
NOTHING = "not described: no function of the model's files that rotates, such as apply_rotary_pos_emb, was called"
NO_POSITIONS = "not described: with past_key_values, inputs must have position_ids, the positions of the new tokens"


class Rotated(NamedTuple):
    """One tensor that a function of a model rotated: the path of the module that called it, the name of the function,
    which of its tensors it is, and the numbers before and after."""

    path: str
    function: str
    which: str
    before: Tensor
    after: Tensor

    @property
    def name(self):
        """What the finding is of."""
        return f"{self.path}: {self.which} of {self.function}()"

    @property
    def layer(self):
        """The number of the layer, None where the path has none."""
        found = LAYER.search(f"{self.path}.")
        return int(found[1]) if found else None


def findings(model: Any, values: Any, inputs: dict[str, Any], model_type: str | None) -> list[Finding]:
    """The findings of one forward pass, model(**inputs): each rotation of queries and keys, and layers without one."""
    if inputs.get("past_key_values") is not None and inputs.get("position_ids") is None:
        return [Finding(f"{type(model).__name__}()", "not described", NO_POSITIONS)]
    positions = _positions(inputs)
    described = from_config(values, seq_len=int(positions.max()) + 1, model_type=model_type)
    found, layers, sources = [], {}, Sources()

    def judge(one):
        fault = sources.fault(one.path, one.before.values, one.after.values)
        finding = _finding(one, positions + _first(one, inputs, described), described)
        found.append(Finding(one.name, "differs", fault, finding.part) if fault else finding)
        layers.setdefault(_part(one, described), set()).add(one.layer)

    with _recorded(model, judge, sources), sys.modules["torch"].no_grad():
        try:
            model(**inputs)
        except InputError:  # of a comparison, not of the module
            raise
        except Exception as error:  # whatever a module raises that does not take these arguments
            sentence = f"inputs must be those of {type(model).__name__}, got {type(error).__name__}: {error}"
            raise InputError("E_CHOICE", "inputs", sentence) from error
    if not found:
        return [Finding(f"{type(model).__name__}()", "not described", NOTHING)]
    # where stacks of layers run in cycles, num_hidden_layers counts the caches
    known = values if isinstance(values, dict) else {}
    count = known.get("num_layers_per_stack", known.get("num_hidden_layers"))
    found += sources.missing()
    return found + [one for part, seen in layers.items() for one in _not_rotated(part, seen, described, count)]


def _positions(inputs):
    """The positions of the tokens, (tokens,), (batch, tokens) or (axes, batch, tokens)."""
    given = inputs.get("position_ids")
    if given is not None:
        return torch_modules.numbers(given).values.astype(np.int64)
    for name in ("input_ids", "inputs_embeds"):
        one = inputs.get(name)
        if torch_modules.is_tensor(one) and len(one.shape) >= 2 and one.shape[1]:
            return np.arange(one.shape[1], dtype=np.int64)
    sentence = "inputs must have input_ids, inputs_embeds or position_ids, (batch, tokens), tensors of torch"
    raise InputError("E_MISSING", "inputs", f"{sentence}, got {', '.join(inputs) or 'nothing'}")


# -- recording --------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _recorded(model, judge, sources):
    """Within it, each rotation of the model is judged when it has been made, and the outputs of modules are noted;
    afterwards all is as it was."""
    path, inside, undo = [], [], []
    for name, module in model.named_modules():
        undo.append(module.register_forward_pre_hook(lambda *_, name=name: path.append(name)).remove)
        undo.append(module.register_forward_hook(lambda _m, _x, made: sources.given(path.pop(), made)).remove)
    try:
        for namespace, name, function in _functions(model):
            undo.append(lambda namespace=namespace, name=name, function=function: setattr(namespace, name, function))
            setattr(namespace, name, _recording(function, name, (path, inside), judge))
        yield
    finally:
        for step in undo:
            step()


def _functions(model):
    """(namespace, name, function) of the functions that rotate, in the files of the classes of the modules."""
    files = {type(one).__module__ for one in model.modules()} - {"__main__"}
    for file in sorted({*files, type(model).__module__}):
        namespace = sys.modules.get(file)
        for name, function in list(vars(namespace).items()) if namespace is not None else ():
            if ROTATES.search(name) and callable(function) and not isinstance(function, type):
                yield namespace, name, function


def _recording(
    function: Callable[..., Any], name: str, where: tuple[list[str], list[str]], judge: Callable[[Rotated], None]
) -> Callable[..., Any]:
    """The function, whose tensors are judged after each call, but for calls within another such function; where: the
    paths of the modules that run now, and the functions."""
    path, inside = where

    def recorded(*given, **named):
        tensors = [one for one in (*given, *named.values()) if torch_modules.is_tensor(one)]
        # copies, since a function may rotate its tensors in place
        before = [] if inside else [torch_modules.numbers(one.clone()) for one in tensors[:2]]
        inside.append(name)
        try:
            made = function(*given, **named)
        finally:
            inside.pop()
        after = made if isinstance(made, (tuple, list)) else (made,)
        for which, x, y in zip(("queries", "keys"), before, after):
            if torch_modules.is_tensor(y) and tuple(y.shape) == x.values.shape and len(y.shape) > 2:
                judge(Rotated(path[-1] if path else "", name, which, x, torch_modules.numbers(y)))
        return made

    return recorded


# -- judging ----------------------------------------------------------------------------------------------------------


def _part(one, described):
    """The part of the configuration that a module belongs to."""
    return next(iter(parts_of(one.path, list(described.parts))), "")


def _first(one, inputs, described):
    """The position of the first token, beside positions that count from 0 where inputs have none."""
    part = _part(one, described)
    return described.parts[part].first_position if part and inputs.get("position_ids") is None else 0


def _finding(one, positions, described):
    """The finding of one rotation."""
    part, meant = _part(one, described), meant_by(f"{one.path}.inv_freq", described)
    layers = described.parts[part].layers if part else ()
    if one.layer is not None and one.layer < len(layers) and layers[one.layer] is None:
        return Finding(one.name, "differs", f"differs from {part}: rotated, in a layer without a rotation", part)
    if not meant:
        return Finding(one.name, "not described", "not described: the configuration describes no rotation for it")
    return best(_against(one, positions, each, axis) for each in meant for axis in _token_axes(one, positions))


def _token_axes(one, positions):
    """The axes on which the tokens may be, (.., heads, tokens, dim) or (.., tokens, heads, dim)."""
    shape, count = one.before.values.shape, positions.shape[-1]
    return [axis for axis in (-2, -3) if shape[axis] == count] or [None]


def _against(one, positions, meant, axis):
    """The finding of one rotation beside that of the configuration."""
    rotary, width = meant.rotary, one.before.values.shape[-1]
    if axis is None:
        sentence = f"not described: {shown(one.before.values.shape)} has no axis of {positions.shape[-1]} tokens"
        return Finding(one.name, "not described", sentence, meant.label)
    if not hasattr(rotary, "frequencies") or width not in (rotary.head_dim, rotary.rotary_dim):
        expected = getattr(rotary, "head_dim", "other")
        sentence = f"differs from {meant.label}: {width} channels of a head for {expected}"
        return Finding(one.name, "differs", sentence, meant.label)
    if width != rotary.head_dim:  # the rotated channels alone
        rotary = replace(rotary, head_dim=width, placement="first")
    frequencies = rotary.frequencies if positions.ndim == 3 else on_one_axis(rotary.frequencies, rotary.parameters)
    call = None if frequencies is None else call_of(frequencies, rotary.parameters)
    if call is None:
        return Finding(one.name, "not described", NO_CALL, meant.label)
    x, y = (np.moveaxis(tensor.values, axis, -2) for tensor in (one.before, one.after))
    part, read, written = orders_of(rotary)
    rest = np.delete(np.arange(width, dtype=np.int64), part)
    if not np.array_equal(x[..., rest], y[..., rest], equal_nan=x.dtype.kind == "f"):
        sentence = f"differs from {meant.label}: channels {rest[0]} to {rest[-1]} are not rotated, and changed"
        return Finding(one.name, "differs", sentence, meant.label)
    x, y = (
        tensor._replace(values=np.ascontiguousarray(values[..., part][..., order]))
        for tensor, values, order in ((one.before, x, read), (one.after, y, np.argsort(written)))
    )
    named = {"pairing": rotary.pairing, "frequencies": made_by(call), "inverse": rotary.inverse}
    return held_against(one.name, meant.label, y, ("rope", (x, _of_batch(positions)), named))


def _of_batch(positions):
    """Positions of each batch row with an axis for the heads."""
    return positions if positions.ndim == 1 else positions[..., None, :]


def _not_rotated(part, seen, described, count):
    """Layers that the configuration rotates, and the pass did not; count: how many there are, where none are listed and
    the calls came from numbered ones."""
    if not part:
        return
    layers = described.parts[part].layers or ("all",) * (count if isinstance(count, int) and None not in seen else 0)
    for layer, kind in enumerate(layers):
        if kind is not None and layer not in seen:
            label = part if kind == "all" else f"{part}, {kind}"
            sentence = f"differs from {label}: not rotated in this pass"
            yield Finding(f"layer {layer}", "differs", sentence, part)
