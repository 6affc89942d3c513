"""Modules of live models of diffusers that make cosines and sines for a grid of tokens, run and held against the
rotation of the configuration."""

import copy
import re

import numpy as np

from ..tensor_files import Tensor
from . import embedder_calls, mixed_rotations, torch_modules
from .finding import Finding
from .held import without_loose
from .rotary_runs import parameters_of
from .rotary_tensors import NO_CALL, rows_finding
from .rotations import call_of, meant_by

#: names of classes of modules that make cosines and sines
EMBEDDER = re.compile(r"(?:Rotary\w*|R[oO]PE\w*|\wRope|RopeEmbedder|PosEmbed|EmbedND\d?)$")
OTHER_COLUMNS = {
    "interleaved": "channels 2i and 2i + 1 turn together, and columns 2i and 2i + 1 are not alike",
    "half": "channels i and i + {} turn together, and columns i and i + {} are not alike",
}


def findings(model, config, values):
    """The findings of all such modules of a model; values: the content of its configuration."""
    like = next(model.parameters(), None)
    if like is None or torch_modules.is_meta(like):
        return []
    return [one for path, module in _embedders(model) for one in _of_module(path, module, like, (config, values))]


def _embedders(model):
    """(path, module) of the modules, and of objects that are none and can be called as well."""
    for path, module in model.named_modules():
        held = [(name, one) for name, one in vars(module).items() if callable(one) and not isinstance(one, type)]
        for name, one in [("", module), *held]:
            if EMBEDDER.search(type(one).__name__) and not any(True for _ in getattr(one, "parameters", tuple)()):
                yield ".".join(filter(None, (path, name))), one


def _of_module(path, module, like, described):
    config, values = described
    meant, name = meant_by(path, config), f"{path}({', '.join(parameters_of(module))})"
    if not meant:
        return mixed_rotations.findings(name, module, like, config)
    rotary = meant[0].rotary
    frequencies = rotary.frequencies
    try:
        given = embedder_calls.Given(like, len({*frequencies.axes}), values)
        called = embedder_calls.call(copy.deepcopy(module), given)
    except Exception as error:  # whatever a module raises that does not take these arguments
        sentence = f"not described: not run, since it raises {type(error).__name__}: {error}"
        return [Finding(name, "not described", sentence)]
    if called is None:
        sentence = "not described: not run, since its arguments are not known"
        return [Finding(name, "not described", sentence)]
    if call_of(frequencies, rotary.parameters) is None:
        return [Finding(name, "not described", NO_CALL)]
    return [_finding(name, one, meant[0]) for one in called]


def _finding(name, called, meant):
    """The finding of what one call returned."""
    rotary, made = meant.rotary, called.made
    if torch_modules.is_tensor(made) and made.is_complex():
        made = made.real, made.imag
    if not isinstance(made, (tuple, list)) or len(made) != 2 or not all(map(torch_modules.is_tensor, made)):
        return Finding(name, "not described", "not described: it returns no cosines beside sines", meant.label)
    tables = [torch_modules.numbers(one.contiguous()) for one in made]
    count, tokens = len(rotary.frequencies), called.positions.shape[1]
    widths = (count, rotary.head_dim)
    for one in tables:
        width = one.values.shape[-1]
        if width not in widths or one.values.size != tokens * width:
            wanted = f"({tokens}, {count}) or ({tokens}, {rotary.head_dim})"
            sentence = f"differs from {meant.label}: shape {one.values.shape} for {wanted}"
            return Finding(name, "differs", sentence, meant.label)
    tables = [one._replace(values=one.values.reshape(tokens, -1)) for one in tables]
    pairs = [_columns(one, rotary, still) for one, still in zip(tables, (1, 0))]
    if any(one is None for one in pairs):
        told = OTHER_COLUMNS[rotary.pairing].format(count, count)
        return Finding(name, "differs", f"differs from {meant.label}: {told}", meant.label)
    return without_loose(rows_finding(name, pairs, called.positions, meant.label, rotary.frequencies), pairs)


def _columns(table, rotary, still):
    """The table with a column for each frequency, which one for each channel repeats as channels are paired; None where
    it does not, or where a channel that is not rotated has another number than `still`."""
    values, count = table.values, len(rotary.frequencies)
    if values.shape[-1] == count:
        return table
    start = 0 if rotary.placement == "first" else values.shape[-1] - 2 * count
    rotated = values[:, start : start + 2 * count]
    if np.any(np.delete(values, np.s_[start : start + 2 * count], axis=1) != still):
        return None
    first, second = (rotated[:, 0::2], rotated[:, 1::2]) if rotary.pairing == "interleaved" else (
        rotated[:, :count], rotated[:, count:])  # fmt: skip
    if not np.array_equal(first, second):
        return None
    return Tensor(table.dtype, np.ascontiguousarray(first))
