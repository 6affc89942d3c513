"""Published configurations: which encodings a config.json means.

Read downward: the content of the source, the row of its model type, then for each part of the model the records of its
rotations, which `read_rope` reads, and from them alone the rotations; then the encodings that are no rotation.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from .. import checks
from ..errors import InputError
from ..guard import guarded
from ..types import Integer
from . import (
    diffusers_classes,
    encodings,
    gguf,
    litgpt,
    megatron,
    model_types,
    open_clip,
    params_json,
    pipelines,
    read_rope,
    rotations,
    tensorrt_llm,
    unread,
)
from .keys import KeyLog, check_names
from .model_defaults import rows
from .source import read_source
from .submodels import ModelConfig, Part

__all__ = ["ModelConfig", "Part", "from_config"]

LONGEST_SENTENCE = 300
#: formats that are known by their keys, all but those of Hugging Face, whose files name a model_type
DIALECTS = (gguf, diffusers_classes, params_json, litgpt, megatron, tensorrt_llm, open_clip)


@guarded
def from_config(
    source: str | os.PathLike[str] | dict[str, Any],
    *,
    seq_len: Integer | None = None,
    model_type: str | None = None,
) -> ModelConfig:
    """The encodings that a published model configuration means, exactly.

    Parameters
    ----------
    source : str, path or dict
        A config.json, a folder that holds one, or its content as a dict. Both spellings of Hugging Face files are read,
        rope_theta with rope_scaling (transformers 4) and rope_parameters (5), flat or for each layer type, with parts
        nested (text_config, vision_config, thinker_config and so on), as well as a GGUF file, with its tensors of
        factors (rope_freqs.weight), or its metadata as a dict with their keys (general.architecture,
        llama.rope.freq_base), the params.json of Meta and Mistral, the config.json of transformers of diffusers
        (_class_name), a folder with the model_index.json of a pipeline, and the formats of litgpt, Megatron-LM,
        TensorRT-LLM and open_clip, by their keys. Numbers are taken as the float64 that code reads.
    seq_len : int, optional
        The length of the sequence, for scalings that depend on it (dynamic, longrope); without it they are as in a new
        model.
    model_type : str, optional
        Read a file as one of this type, for types that are not known here.

    Returns
    -------
    ModelConfig
        `ModelConfig`: `parts` with a `Rotary` for each layer type, `rotary(part, layer_type)` for one of them;
        `encodings`, all that are not rotations, each an `Encoding` with its name, its place, its parameters and its
        call; and `used`, `ignored` and `assumed`, which say what became of each key.

    Raises
    ------
    InputError
        E_FILE for a file that is missing or no JSON object; E_CHOICE for an unknown model_type or rope_type and for
        keys that contradict each other; E_NUMBER, E_SHAPE, E_SIZE, E_BASE, E_ODD_DIM, E_ROTARY_DIM, E_MISSING for
        values that give no encoding. The error names the key.

    Notes
    -----
    What a file does not say is taken from the configuration class of its model_type in transformers 5.23.0.

    References
    ----------
    Transformers 5.23.0, modeling_rope_utils.py and models/*/modeling_*.py, configuration_*.py.

    Examples
    --------
    >>> scaling = {"rope_type": "yarn", "factor": 32.0, "truncate": False, "original_max_position_embeddings": 4096}
    >>> rotary = from_config({"model_type": "gpt_oss", "rope_theta": 150000, "rope_scaling": scaling}).rotary()
    >>> rotary.rotary_dim, rotary.pairing, rotary.attention_factor
    (64, 'half', 1.3465735902799727)
    >>> from_config({"model_type": "bert", "hidden_size": 1024}).encoding().call
    'refpos.learned(weight, refpos.positions.table_rows(length, rule="count", num_rows=512))'
    """
    try:
        return _read_model(source, seq_len, model_type)
    except InputError as error:
        raise _short(error) from None


def _read_model(source, seq_len, model_type):
    """The `ModelConfig` of a source."""
    values = read_source(source)
    if seq_len is not None:
        seq_len = checks.integer("seq_len", seq_len, 1)
    if model_type is None and pipelines.is_file(values):
        return pipelines.read(values, lambda inner: _of_values(inner, seq_len, None))
    return _of_values(values, seq_len, model_type)


def _of_values(values, seq_len, model_type):
    """The `ModelConfig` of the content of a file."""
    log = KeyLog()
    for dialect in DIALECTS:
        if (model_type is None or dialect is gguf) and dialect.is_file(values):
            name, parts, others, passed_over = dialect.read(values, log, seq_len)
            passed_over = {**passed_over, **unread.of_file(values, log)}
            return ModelConfig(name, parts, log.used, log.ignored, log.assumed, others, passed_over)
    row = model_types.row_of_file(values, model_type)
    parts = {name: part for name, part in _parts(values, "", row, log, seq_len) if part.rotaries or part.layers}
    others = tuple(encodings.of_file(values, row.model_type, log))
    if not parts and not others:
        raise model_types.no_encoding(values, row)
    passed_over = unread.of_file(values, log)
    if model_types.is_unknown(row):
        passed_over = {"model_type": f"{row.model_type}, not known: its parts alone are described", **passed_over}
    if model_type is not None and values.get("model_type") != model_type:
        model_types.check_dropped(values, row, log, parts, unread.keys(passed_over, log))
    return ModelConfig(row.model_type, parts, log.used, log.ignored, log.assumed, others, passed_over)


def _counted(part, row):
    """A part whose position ids count from where the type around it says."""
    return part if row.first_position is None else replace(part, first_position=row.first_position)


def _short(error):
    """The same error; of a sentence that repeats long input only the ends."""
    sentence = str(error)
    if len(sentence) <= LONGEST_SENTENCE:
        return error
    half = LONGEST_SENTENCE // 2
    return type(error)(error.code, error.argument, f"{sentence[:half]} ... {sentence[-half:]}")


def _parts(values, prefix, row, log, seq_len):
    """(name, Part) of the objects inside this one, and then of the keys of this one."""
    check_names(values, prefix)
    expected = model_types.types_of_parts(row.model_type)
    for name, inner in values.items():
        if isinstance(inner, dict) and (name.endswith("_config") or name in expected):
            inner_prefix = f"{prefix}{name}."
            inner_row = model_types.row_of_part(inner, expected.get(name), row.model_type, inner_prefix)
            if inner_row is not None:
                for path, part in _parts(inner, inner_prefix, inner_row, log, seq_len):
                    yield path, _counted(part, row) if name in expected else part
    path = ".".join(name.removesuffix("_config") for name in prefix.split(".") if name)
    has_flat_text = "text_config" in row.parts and values.get("text_config") is None and not row.has_rotation
    if has_flat_text and any(name in values for name in ("hidden_size", *model_types.KEYS_OF_ROPE)):
        record = read_rope.read_part(values, prefix, rows()[row.parts["text_config"]], log)
        yield path or "text", _counted(rotations.part(record, seq_len), row)
    if row.not_described:
        log.ignored[f"{prefix}model_type"] = f"not described here: {row.not_described}"
    if row.has_rotation:
        kind = row.part_name or ("text" if row.axial is None else "vision")
        yield path or kind, rotations.part(read_rope.read_part(values, prefix, row, log), seq_len)
