"""Published configurations: which encodings a config.json means.

Read downward: the content of the source, the row of its model type, then each of its objects with its own type; for it
the records of its rotations, which `read_rope` reads, and from them alone the rotations; then the encodings that are no
rotation, of all objects.
"""

from __future__ import annotations

import os
from typing import Any

from .. import checks
from ..errors import InputError
from ..guard import guarded
from ..types import Integer
from . import model_types, unread
from .dialects import gguf, litgpt, megatron, open_clip, params_json, pipelines, tensorrt_llm
from .diffusers import diffusers_classes
from .encodings import encodings
from .keys import KeyLog
from .rotary import read_rope, rotations
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
    dialect = next((one for one in DIALECTS if (model_type is None or one is gguf) and one.is_file(values)), None)
    if dialect is not None:
        name, parts, others, left_out = dialect.read(values, log, seq_len)
    else:
        name, parts, others, left_out = _of_hugging_face(values, log, seq_len, model_type)
    left_out = {**left_out, **unread.of_file(values, log)}
    if dialect is None and model_type is not None and values.get("model_type") != model_type:
        unread.check_dropped(values, name, log, parts, left_out)
    return ModelConfig(name, parts, log.used, log.ignored, log.assumed, others, left_out)


def _of_hugging_face(values, log, seq_len, model_type):
    """(type, {name: Part}, encodings, {path: why it is left out}) of a file with a model_type."""
    whole = model_types.of_file(values, model_type)
    parts, objects, left_out = {}, [], model_types.left_out(whole.row)
    for one in model_types.objects(whole):
        objects.append(one)
        left_out |= model_types.missing_parts(one)
        record = read_rope.read_object(one, log)
        part = record and rotations.part(record, seq_len)
        if part and (part.rotaries or part.layers):
            parts[one.part_name] = part
    others = tuple(encodings.of_objects(objects, log))
    if not parts and not others:
        raise model_types.no_encoding(whole)
    return whole.model_type, parts, others, left_out


def _short(error):
    """The same error; of a sentence that repeats long input only the ends."""
    sentence = str(error)
    if len(sentence) <= LONGEST_SENTENCE:
        return error
    half = LONGEST_SENTENCE // 2
    return type(error)(error.code, error.argument, f"{sentence[:half]} ... {sentence[-half:]}")
