"""Whether a checkpoint or a live model is positionally what its configuration says.

Read downward: the tensors are listed, each gets a role by its name or its content, and the role says what it is held
against.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

from .. import checks
from ..configs.config import from_config
from ..configs.diffusers import diffusers_classes
from ..configs.source import read_source
from ..conformance.derivations.exact_inputs import exact_values
from ..errors import FileError, InputError, InputTypeError, shown
from ..guard import guarded
from ..tensor_files import onnx_files
from . import (
    alibi_functions,
    array_dicts,
    embedders,
    fixed_tensors,
    forward_runs,
    gguf_tensors,
    grid_sinusoids,
    onnx_nodes,
    rotary_modules,
    timestep_modules,
    torch_modules,
)
from .finding import CheckResult, Finding, finding_of_error
from .held import shape_finding
from .learned_tensors import learned_finding
from .roles import is_like_frequencies, role_of, sine_of
from .rotary_tensors import cache_finding, frequencies_finding
from .rotations import meant_by, types_by_name
from .stored import of_path
from .timm import timm_models

__all__ = ["CheckResult", "check"]

FLOATS = ("float64", "float32", "float16", "bfloat16")
COMPLEX = "C64"  # of safetensors; such a tensor may hold cosines and sines
NO_PASS = "not described: rotations in forward passes of diffusers and timm are not compared"
NOTHING = "nothing positional was found: the positions are in the code of the model alone"
GGUF_ALONE = "part of what the file means; name the config.json it was converted from to compare them"


@guarded
def check(
    model: str | os.PathLike[str] | Any,
    config: str | os.PathLike[str] | dict[str, Any] | None = None,
    *,
    model_type: str | None = None,
    inputs: dict[str, Any] | None = None,
) -> CheckResult:
    """Whether a checkpoint or a live model is positionally what its configuration says.

    Parameters
    ----------
    model : str, path, module or dict
        A folder with config.json and safetensors files (with or without an index), one safetensors, npz, GGUF or ONNX
        file, or a live torch module on any device; of a module on the meta device shapes alone are compared. A dict of
        arrays by name, in which dicts and lists may hold them: the parameters of a module of Flax or MLX.
    config : str, path or dict, optional
        What `from_config` reads. By default it is the config.json or params.json beside the file, the metadata of a
        GGUF file, or the `config` of a module. A module of timm has none, and is compared with what its modules say.
    model_type : str, optional
        Read the configuration as one of this type.
    inputs : dict, optional
        Of a live module: what its forward takes, by name, such as {"input_ids": ids}. It is called once, and what its
        functions such as apply_rotary_pos_emb make of queries and keys is compared, layer by layer.

    Returns
    -------
    CheckResult
        A `CheckResult`, which is true where something was compared and nothing differs: `findings`, one for each
        positional tensor and each run of a rotary module; `status`, the exit status of the command; str() is the
        report.

    Raises
    ------
    InputError
        E_FILE for a file that cannot be read, E_MISSING where there is no configuration or nothing positional is found,
        and what `from_config` raises.

    Notes
    -----
    Only headers and positional tensors are read, one tensor at a time. Tensors are found by name (inv_freq, cos_cached,
    embed_positions, alibi, relative_position_index, position_ids and their like, and those that the configuration
    names), frequencies by their content as well. Numbers are held against the configuration by the classes of
    `compare`; frequencies in bfloat16 or float16 differ, as do float32 ones that were rounded to these formats. Learned
    tensors are compared by shape. Each rotary module of a live model is run on a copy, at positions 0, 1, 2, 7, 100 and
    the last one.

    References
    ----------
    Those of `from_config`.

    Examples
    --------
    >>> import os, tempfile, refpos
    >>> from refpos.tensor_files import write_safetensors
    >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
    >>> wrong = refpos.inverse_frequencies(128, base=10000).rounded("float32")
    >>> write_safetensors(path, {"rotary_emb.inv_freq": wrong})
    >>> found = check(path, {"model_type": "llama", "rope_theta": 500000.0})
    >>> found.status, found.findings[0].state
    (1, 'differs')
    """
    is_path, is_module = isinstance(model, (str, os.PathLike)), torch_modules.is_module(model)
    source, tensors, own = _listed(model)
    if inputs is not None and not (is_module and isinstance(inputs, dict)):
        received = shown(inputs) if is_module else f"the path {shown(model)}" if is_path else source
        sentence = f"inputs must be a dict of what the forward of a live module takes, got {received}"
        raise InputTypeError("E_CHOICE", "inputs", sentence)
    values = own if config is None else config
    if values is None and is_module and timm_models.is_of_timm(model):
        return _result(source, [*timm_models.findings(model), *_of_pass(source, inputs)], ())
    if values is None:
        raise InputError("E_MISSING", "config", f"config must be given where none lies with the tensors, of {source}")
    described = from_config(values, model_type=model_type)
    is_own_gguf = is_path and config is None and own == source
    given, beside = read_source(values), types_by_name(tuple(one.name for one in tensors))
    tensors = [one._replace(beside=beside, context=_context(given), grid=_grid(given)) for one in tensors]
    findings, known = [], set()
    if is_path and source.endswith(onnx_files.ENDS):
        longest = from_config(values, model_type=model_type, seq_len=_context(given))
        findings, known = onnx_nodes.findings(source, tensors, described, longest)
    findings += _findings([one for one in tensors if one.name not in known], described, is_own_gguf)
    if is_module:
        longest = from_config(values, model_type=model_type, seq_len=_context(given))
        findings = _of_switched(findings, {one.name: one for one in tensors}, longest)
        if described.model_type in diffusers_classes.CLASSES:
            findings += [*timestep_modules.findings(model, described), *embedders.findings(model, described, given)]
            return _result(source, [*findings, *_of_pass(source, inputs)], _notes(described))
        findings += rotary_modules.findings(model, values, described, model_type)
        findings += alibi_functions.findings(model, described)
        findings += forward_runs.findings(model, values, inputs, model_type) if inputs is not None else []
    return _result(source, findings, _notes(described))


def _of_pass(source, inputs):
    """The finding of a forward pass of a model of diffusers or timm, where inputs are given."""
    return [] if inputs is None else [Finding(f"{source}()", "not described", NO_PASS)]


def _result(source, findings, notes):
    """The result of the findings of a model, of which there must be one."""
    if not findings:
        raise FileError("E_MISSING", "model", f"{source} must hold positional tensors: {NOTHING}")
    return CheckResult(source, tuple(findings), notes)


def _listed(model):
    """(the name of a model, its tensors, the configuration that it has itself, or None)."""
    if isinstance(model, (str, os.PathLike)):
        path = checks.file_path("model", model)
        return path, *of_path(path)
    if torch_modules.is_module(model):
        return type(model).__name__, torch_modules.tensors_of(model), torch_modules.config_of(model)
    if isinstance(model, Mapping) and not torch_modules.is_of_others(model, ("mlx",)):  # whose modules are dicts
        return array_dicts.SOURCE, array_dicts.tensors_of(model), None
    hint = "; " + torch_modules.OTHERS if torch_modules.is_of_others(model) else ""
    sentence = f"model must be a path, a torch module or a dict of arrays, got {type(model).__name__}{hint}"
    raise InputTypeError("E_FILE", "model", sentence)


def _context(values):
    """The max_position_embeddings of a configuration, None where it has none."""
    given = values.get("max_position_embeddings")
    return given if isinstance(given, int) and given > 0 else None


def _grid(values):
    """The patches along the shorter side of the images of a configuration, None where it has no size of images."""
    for one in (values, *(inner for inner in values.values() if isinstance(inner, dict))):
        sizes = [_sides(one.get(name)) for name in ("image_size", "patch_size")]
        if all(sizes):
            return min(sizes[0]) // max(sizes[1])
    return None


def _sides(size):
    """The sides of an image or a patch, an integer or a list; none of anything else."""
    sides = list(size) if isinstance(size, (list, tuple)) else [size]
    return sides if all(isinstance(one, int) and one > 0 for one in sides) else []


def _notes(config):
    """What the configuration leaves out."""
    return tuple(f"the configuration leaves out {key}: {why}" for key, why in config.unread.items())


# -- one tensor after another -----------------------------------------------------------------------------------------


def _findings(tensors, config, is_own_gguf):
    """The findings of the positional tensors, in the order of the file."""
    by_name, found = {one.name: one for one in tensors}, []
    for stored in tensors:
        try:
            one = _finding(stored, by_name, config, is_own_gguf)
        except InputError as error:
            one = finding_of_error(stored.name, error)
        if one is not None:
            found.append(one)
    return fixed_tensors.beside_right_tables(found, by_name)


def _of_switched(findings, by_name, longest):
    """The findings, of which those of the lists that a LongRoPE module has switched to are of the longest context: a
    module holds long_inv_freq after a long sequence, and its inv_freq is either list then."""
    long = {name for name in by_name if name.rpartition(".")[2] == "long_inv_freq"}
    either = {name.removesuffix("long_inv_freq") + "inv_freq" for name in long}
    found = []
    for one in findings:
        if one.tensor in long or (one.tensor in either and one.state == "differs"):
            of_longest = _finding(by_name[one.tensor], by_name, longest, False)
            one = of_longest if one.tensor in long or of_longest.state == "right" else one
        found.append(one)
    return found


def _finding(stored, by_name, config, is_own_gguf):
    """The finding of a tensor; None where it is not positional, or belongs to another one."""
    learned = learned_finding(stored, config) or gguf_tensors.table_finding(stored, config)
    if learned is not None:
        return learned
    role = role_of(stored.name) or _role_by_content(stored, config)
    if role is not None and (not stored.shape or 0 in stored.shape):
        return Finding(stored.name, "not described", "not described: it has no axis, or one of size 0")
    if role == "factors" and is_own_gguf:
        return Finding(stored.name, "not described", f"not described: {GGUF_ALONE}")
    if role in ("cos", "cos_sin"):
        return _cache(role, stored, by_name, config)
    if role is None and stored.dtype == COMPLEX:
        return Finding(stored.name, "not described", "not described: complex numbers are not read")
    return JUDGES[role](stored, config) if role in JUDGES else None


def _factors(stored, config):
    """The finding of the factors of a GGUF file."""
    return gguf_tensors.factors_finding(stored, meant_by(stored.name, config, stored.beside))


def _frequencies(stored, config):
    """The finding of frequencies, which are those of sinusoids where no rotation has them."""
    found = frequencies_finding(stored, config)
    if found.state == "not described":
        return fixed_tensors.frequencies_of_sinusoids(stored, config) or found
    return found


def _cache(role, stored, by_name, config):
    """The finding of cosines with the sines that belong to them."""
    sin = by_name.get(sine_of(stored.name)) if role == "cos" else None
    if role == "cos" and sin is None:
        return Finding(stored.name, "not described", "not described: cosines without sines")
    return cache_finding(stored, sin, meant_by(stored.name, config, stored.beside))


def _table(stored, config):
    """The finding of a table that is added to embeddings, or that a rotation reads."""
    for judge in (
        grid_sinusoids.grid_finding,
        fixed_tensors.table_finding,
        fixed_tensors.distances_finding,
        _rotated_table,
    ):
        found = judge(stored, config)
        if found is not None:
            return found
    return Finding(stored.name, "not described", fixed_tensors.NO_ENCODING)


def _rotated_table(stored, config):
    """The finding of a table of sines beside cosines that a rotation reads (RoFormer); None where there is none."""
    meant = meant_by(stored.name, config, stored.beside)
    fitting = [one for one in meant if stored.shape[-1:] == (one.rotary.rotary_dim,)]
    if not fitting or len(stored.shape) != 2:
        return None
    if stored.context not in (None, stored.shape[0]):
        return shape_finding(stored.name, fitting[0].label, stored.shape, (stored.context, stored.shape[-1]))
    return cache_finding(stored, None, fitting, sines_first=True)


def _role_by_content(stored, config):
    """ "frequencies" where a tensor has as many numbers as a rotation and they fall as frequencies do."""
    count = math.prod(stored.shape)
    if stored.dtype not in FLOATS or count not in stored.shape:
        return None
    counts = {len(one.rotary.frequencies) for one in meant_by(stored.name, config, stored.beside)}
    tensor = stored.read() if count in counts else None
    return "frequencies" if tensor is not None and is_like_frequencies(exact_values(tensor).reshape(-1)) else None


#: role -> the function that judges (tensor, configuration)
JUDGES = {"factors": _factors, "frequencies": _frequencies, "table": _table, **fixed_tensors.JUDGES}
