"""Rotary modules of a live model, each run on telling positions: its cosines and sines against the configuration."""

import copy
import itertools
import re

import numpy as np

from ..configs.config import from_config
from ..rotary.rope_table import rope_table
from ..tensor_files import Tensor
from . import rotary_runs, torch_modules
from .finding import Finding
from .rotary_tensors import NO_CALL, NO_ROTATION, best, columns, made_by, rows_finding, table_finding
from .rotations import call_of, meant_by, types_by_name

TELLING = (0, 1, 2, 7, 100)
UNKNOWN_LAST = 2048  # where nothing says how long a context is
#: names of classes of modules that make cosines and sines, and hold the module with the frequencies, or none
ROTARY_CLASS = re.compile(r"(?:Rotary|R[oO]PE|Rope)\w*Emb\w*$")


def findings(model, values, config, model_type):
    """The findings of all rotary modules, once for each layer type that a module has."""
    found, beside = [], types_by_name(tuple(_as_tensor(path) for path, _ in _rotary_modules(model)))
    for path, module in _rotary_modules(model):
        buffers = _frequencies(module, recurse=True)
        like = next(itertools.chain(buffers.values(), model.parameters()), None)
        if like is None or torch_modules.is_meta(like):
            continue
        if not rotary_runs.takes_positions(module):
            found += _not_run(path, module, config)
            continue
        last = _last(module, values)
        for kind in _kinds(buffers) if rotary_runs.takes_kinds(module) else (None,):
            found += _of_module(path, module, kind, (like, beside), last, (values, config, model_type))
    return found


def _rotary_modules(model):
    """(path, module) of the modules that hold frequencies, and of those around them that are rotary by their class."""
    for path, module in model.named_modules():
        is_around = ROTARY_CLASS.search(type(module).__name__) and not any(True for _ in module.parameters())
        if _frequencies(module, recurse=False) or is_around:
            yield path, module


def _frequencies(module, recurse):
    """{name: tensor} of the frequencies that a module holds itself, or in the modules inside it."""
    inside = [one for _, one in module.named_modules()] if recurse else [module]
    held = [item for one in inside for item in (*one.named_buffers(recurse=False), *vars(one).items())]
    return {name: one for name, one in held if name.endswith("inv_freq") and torch_modules.is_tensor(one)
            and "original" not in name}  # fmt: skip


def _as_tensor(path, kind=None):
    """The name of the frequencies of a module, of a layer type where it has several."""
    return f"{path}.{kind}_inv_freq" if kind else f"{path}.inv_freq"


def _not_run(path, module, config):
    """The finding of a module that positions cannot be given to, where the configuration has a rotation for it."""
    if not meant_by(_as_tensor(path), config):
        return []
    names = ", ".join(rotary_runs.parameters_of(module)) or "arguments that are not known"
    sentence = f"not described: not run, since its forward takes {names} instead of position_ids or seq_len"
    return [Finding(f"{path or type(module).__name__}()", "not described", sentence)]


def _kinds(buffers):
    """The layer types in the names of the frequencies of a module."""
    return [name.removesuffix("_inv_freq") for name in buffers if name != "inv_freq"] or (None,)


def _last(module, values):
    """The last position of the context."""
    given = values.get("max_position_embeddings") if isinstance(values, dict) else None
    for source in (vars(module).get("max_seq_len_cached"), given):
        if isinstance(source, int) and source > 1:
            return source - 1
    return UNKNOWN_LAST - 1


def _of_module(path, module, kind, tensors, last, described):
    """The findings of one module: at short positions, and with the last one of the context."""
    (values, _, model_type), (like, beside) = described, tensors
    name = f"{path or type(module).__name__}(position_ids)" + (f" {kind}" if kind else "")
    short = [one for one in TELLING if one < last]
    for positions in (short, [*short, last]):  # LongRoPE may have its long list at the short ones already
        at_length = from_config(values, seq_len=positions[-1] + 1, model_type=model_type)
        meant = meant_by(_as_tensor(path, kind), at_length, beside)
        found = _of_run(name, module, kind, like, np.array(positions, np.int64), meant)
        if found.state != "right":
            return [found]
    return [found]


def _of_run(name, module, kind, like, positions, meant):
    if not meant:
        return Finding(name, "not described", NO_ROTATION)
    run = copy.deepcopy(module)  # modules with scalings that depend on the length keep the last one
    axes = {len({*one.rotary.frequencies.axes}) for one in meant if one.rotary.frequencies.axes is not None}
    rolled = [np.roll(positions, shift) for shift in range(max(axes, default=1))]
    for given in [rolled, [positions]] if len(rolled) > 1 else [[positions]]:
        result = rotary_runs.run(run, like, meant[0].rotary.rotary_dim, np.stack(given), kind)
        if result.tables is not None:
            return best(_of_result(name, result.tables, given, one) for one in meant)
    return Finding(name, "not described", f"not described: not run, since {result.why}")


def _of_result(name, result, positions, meant):
    """The finding of tables (..., positions, channels), with a leading axis where each axis has its own."""
    frequencies, shape = meant.rotary.frequencies, result[0].values.shape
    count = len(positions[0])
    tables = [Tensor(one.dtype, one.values.reshape(-1, *shape[-2:])) for one in result]
    if len(tables[0].values) == len(positions) and len(positions) > 1:
        each = [[one._replace(values=one.values[k]) for one in tables] for k in range(len(positions))]
        found = [table_finding(name, pair, at, meant) for pair, at in zip(each, positions)]
        return next((one for one in found if one.state != "right"), found[0])
    tables = [one._replace(values=one.values[0]) for one in tables]
    if len(positions) == 1:
        rows = len(tables[0].values)
        if frequencies.axes is not None and rows != count:  # its positions are coordinates, in a layout of its own
            sentence = f"not described: not run on coordinates, since it returns {rows} rows for {count} positions"
            return Finding(name, "not described", sentence, meant.label)
        return table_finding(name, tables, positions[0], meant)
    call, pairs = call_of(frequencies, meant.rotary.parameters), [columns(one, len(frequencies)) for one in tables]
    if call is None or None in pairs or len(tables[0].values) != count:
        return Finding(name, "not described", NO_CALL, meant.label)
    if frequencies.recipe is not None:
        return rows_finding(name, pairs, np.stack(positions), meant.label, frequencies)
    return _by_axes(name, pairs, positions, meant.label, (made_by(call), frequencies.axes))


def _by_axes(name, pairs, positions, label, meant):
    """The finding of tables whose columns have axes that no call gives: the columns of each axis, beside right ones."""
    frequencies, axes = meant
    for axis, at in enumerate(positions):
        others = np.array([one != axis for one in axes])
        exact = rope_table(at, frequencies, dtype=pairs[0].dtype)
        mixed = [one._replace(values=np.where(others, right, one.values)) for one, right in zip(pairs, exact)]
        found = rows_finding(name, mixed, at, label, frequencies)
        if found.state != "right":
            break
    return found
