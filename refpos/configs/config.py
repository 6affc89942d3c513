"""Published configurations: which rotary encoding a config.json means."""

from __future__ import annotations

import json
import os
from typing import Any

from .. import checks
from ..errors import FileError, InputError, InputTypeError, shown
from ..types import Integer
from . import facts, gguf, layers, others, parameters, rotations
from .keys import DEEPEST, Account, Keys, check_names
from .parameters import ALL
from .parts import ModelConfig, Part

__all__ = ["ModelConfig", "Part", "from_config"]

LARGEST_FILE = 2**22
LONGEST_SENTENCE = 300


def from_config(
    source: str | os.PathLike[str] | dict[str, Any],
    *,
    seq_len: Integer | None = None,
    model_type: str | None = None,
) -> ModelConfig:
    """The rotary encodings that a published model configuration means, exactly.

    source: a config.json, a folder that holds one, or its content as a dict. Both spellings of Hugging Face files are
    read, rope_theta with rope_scaling (transformers 4) and rope_parameters (5), flat or for each layer type, with parts
    nested (text_config, vision_config, thinker_config and so on), as well as GGUF metadata as a dict with its keys
    (general.architecture, llama.rope.freq_base). Numbers are taken as the float64 that code reads. seq_len: the length
    of the sequence, for scalings that depend on it (dynamic, longrope); without it they are as in a new model.
    model_type: read a file as one of this type, for types that are not known here.

    What a file does not say is taken from the configuration class of its model_type in transformers 5.23.0.

    Returns `ModelConfig`: `parts` with a `Rotary` for each layer type, `rotary(part, layer_type)` for one of them, and
    `used`, `ignored` and `assumed`, which account for the keys.

    Raises E_FILE for a file that is missing or no JSON object; E_CHOICE for an unknown model_type or rope_type and for
    keys that contradict each other; E_NUMBER, E_SHAPE, E_SIZE, E_BASE, E_ODD_DIM, E_ROTARY_DIM, E_MISSING for values
    that give no encoding. The error names the key.

    Source: transformers 5.23.0, modeling_rope_utils.py and models/*/modeling_*.py, configuration_*.py.

    >>> scaling = {"rope_type": "yarn", "factor": 32.0, "truncate": False, "original_max_position_embeddings": 4096}
    >>> rotary = from_config({"model_type": "gpt_oss", "rope_theta": 150000, "rope_scaling": scaling}).rotary()
    >>> rotary.rotary_dim, rotary.pairing, rotary.attention_factor
    (64, 'half', 1.3465735902799727)
    """
    try:
        return _meaning(source, seq_len, model_type)
    except InputError as error:
        raise _short(error) from None


def _meaning(source, seq_len, model_type):
    values = _read(source)
    _check_values(values)
    if seq_len is not None:
        seq_len = checks.integer("seq_len", seq_len, 1)
    account = Account()
    if gguf.is_metadata(values):
        name, part = gguf.read(values, account, seq_len)
        return ModelConfig(name, {"text": part}, account.used, account.ignored, account.assumed)
    kind = _kind(values, model_type)
    parts = {name: part for name, part in _parts(values, "", kind, account, seq_len) if part.rotaries or part.layers}
    if not parts:
        raise _no_rotation(values, kind)
    if model_type is not None and values.get("model_type") != model_type:
        _check_dropped(values, kind, account, parts)
    return ModelConfig(kind, parts, account.used, account.ignored, account.assumed)


def _no_rotation(values, kind):
    """The error of a known type whose keys leave no rotation."""
    name, _, default = facts.SWITCHES.get(kind, (None, None, None))
    value = values.get(name, default)
    what = others.SWITCHED_OFF.get((kind, value)) if isinstance(value, (str, bool, type(None))) else None
    why = f"{kind}, which with {name}={value!r} encodes positions by {what}" if what else None
    why = why or others.of_parts(values) or f"{kind} without one"
    return InputError("E_MISSING", "model_type", f"a model must have a rotary encoding, got {why}")


def _check_dropped(values, kind, account, parts):
    """Refuse to read a file as another type which would drop what changes its frequencies."""
    rotaries = [rotary for part in parts.values() for rotary in part.rotaries.values()]
    for name, neutral in facts.CHANGES.items():
        value = values.get(name)
        same = value in (None, neutral, {})
        if name == "rotary_dim":
            same = same or all(rotary.rotary_dim == value for rotary in rotaries)
        elif name.endswith("base"):
            same = same or all(rotary.parameters.get("rope_theta") == value for rotary in rotaries)
        if not same and not any(key == name or key.startswith(name + ".") for key in account.used):
            sentence = f"{name} must be a key that {kind} reads, got {value!r}, which changes what the file means"
            raise InputError("E_CHOICE", name, sentence)


def _read(source):
    if isinstance(source, dict):
        return source
    if not isinstance(source, (str, os.PathLike)):
        raise InputTypeError("E_FILE", "source", f"source must be a path or a dict, got {type(source).__name__}")
    source = checks.path("source", source)
    path = os.path.join(source, "config.json") if os.path.isdir(source) else source
    try:
        with open(path, "rb") as file:
            raw = file.read(LARGEST_FILE + 1)
        if len(raw) > LARGEST_FILE:
            raise FileError("E_FILE", "source", f"{path} must have at most {LARGEST_FILE} bytes, got more")
        values = json.loads(raw.decode("utf-8"), object_pairs_hook=_once)
    except OSError as error:
        raise FileError("E_FILE", "source", f"{path} must be a file that can be read: {error.strerror}") from None
    except KeyError as error:
        raise FileError("E_FILE", "source", f"{path} must hold each key once, got {error} twice") from None
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise FileError("E_FILE", "source", f"{path} must hold JSON: {error}") from None
    if not isinstance(values, dict):
        raise FileError("E_FILE", "source", f"{path} must hold a JSON object, got {type(values).__name__}")
    return values


def _once(pairs):
    """An object of JSON; a key that stands twice in it is a KeyError."""
    found = {}
    for name, value in pairs:
        if name in found:
            raise KeyError(name)
        found[name] = value
    return found


def _check_values(values):
    """Refuse what no code could read: numbers beyond float64, and objects in objects without end."""
    level = [("source", values)]
    for _ in range(DEEPEST):
        inner = []
        for place, held in level:
            for name, value in held.items() if isinstance(held, dict) else ((place, one) for one in held):
                if isinstance(value, int) and value.bit_length() > 1023:
                    raise InputError("E_NUMBER", str(name), f"{name} must be a number of float64, got a larger one")
                if isinstance(value, (dict, list, tuple)):
                    inner.append((name, value))
        level = inner
    if level:
        raise InputError("E_FILE", "source", f"source must have at most {DEEPEST} levels, got more in {level[0][0]!r}")


def _short(error):
    """The same error; of a sentence that repeats long input only the ends."""
    sentence = str(error)
    if len(sentence) <= LONGEST_SENTENCE:
        return error
    half = LONGEST_SENTENCE // 2
    return type(error)(error.code, error.argument, f"{sentence[:half]} ... {sentence[-half:]}")


def _kind(values, model_type):
    check_names(values, "")
    kind = values.get("model_type") if model_type is None else model_type
    if kind is None:
        sentence = "model_type must be given, in the file or as model_type= (--model-type of the command), got None"
        raise InputError("E_CHOICE", "model_type", sentence)
    if not isinstance(kind, str):
        raise InputError("E_CHOICE", "model_type", f"model_type must name a type, got {shown(kind)}")
    kind = facts.ALIASES.get(kind, kind)
    keys_of_custom, custom = facts.CUSTOM_BY_KEY.get(kind, ((), None))
    if any(name in values for name in keys_of_custom):
        return custom
    if kind in facts.OTHER_KINDS and not any(_is_part(values, name) for name in values):
        raise InputError("E_CHOICE", "model_type", f"{kind} has no rotation to describe: {facts.OTHER_KINDS[kind]}")
    known = kind in facts.TYPES or kind in facts.PARTS
    if kind in others.ENCODINGS and not any(_is_rotary(values, name) for name in values):
        what = others.ENCODINGS[kind]
        sentence = f"model_type must be one with a rotary encoding, got {kind!r}, which encodes positions by {what}"
        raise InputError("E_CHOICE", "model_type", sentence)
    if not known and not any(_is_part(values, name) for name in values):
        sentence = (
            f"model_type must be one of the {len(facts.TYPES)} known ones, or model_type= (--model-type of the command)"
            f" name one with the same rotation, got {shown(kind)}"
        )
        raise InputError("E_CHOICE", "model_type", sentence)
    return kind


def _is_rotary(values, name):
    """Whether a key holds a part whose type has a rotation, or may have."""
    return _is_part(values, name) and values[name]["model_type"] not in others.ENCODINGS


# -- parts ------------------------------------------------------------------------------------------------------------

KEYS_OF_ROPE = ("rope_theta", "rope_scaling", "rope_parameters")


def _is_part(values, name):
    return name.endswith("_config") and isinstance(values[name], dict) and "model_type" in values[name]


def _parts(values, place, kind, account, seq_len):
    """(name, Part) of everything below: parts of their own first, then what the keys here say."""
    check_names(values, place)
    expected = facts.PARTS.get(kind, {})
    for name, inner in values.items():
        if isinstance(inner, dict) and (name.endswith("_config") or name in expected):
            below = _type_of(inner, expected.get(name), kind, f"{place}{name}.", account)
            if below is not None:
                yield from _parts(inner, f"{place}{name}.", below, account, seq_len)
    flat = "text_config" in expected and values.get("text_config") is None and kind not in facts.TYPES
    if flat and any(name in values for name in ("hidden_size", *KEYS_OF_ROPE)):
        yield _named(place) or "text", _part(values, place, expected["text_config"], account, seq_len)
    if kind in facts.OTHER_KINDS:
        account.ignored[f"{place}model_type"] = f"not described here: {facts.OTHER_KINDS[kind]}"
    if kind in facts.TYPES:
        yield (
            _named(place) or facts.PART_NAMES.get(kind) or ("vision" if kind in facts.AXIAL else "text"),
            _part(values, place, kind, account, seq_len),
        )


def _named(place):
    return ".".join(name.removesuffix("_config") for name in place.split(".") if name)


def _type_of(values, expected, parent, place, account):
    """The type of a nested configuration, or None for one that is no rotary model."""
    said = values.get("model_type") or None
    if not isinstance(said, (str, type(None))):
        raise InputTypeError("E_CHOICE", "model_type", f"{place}model_type must name a type, got {said!r}")
    said = facts.ALIASES.get(said, said)
    if expected and (said is None or said == parent):
        return expected
    if said in facts.TYPES or said in facts.PARTS:
        return said
    if said is not None and any(values.get(name) for name in KEYS_OF_ROPE):
        sentence = f"{place}model_type must be one of the {len(facts.TYPES)} known ones, got {said!r}"
        raise InputError("E_CHOICE", "model_type", sentence)
    return None


def _part(values, place, kind, account, seq_len):
    if facts.NOT_HIDDEN.get(kind) in values:
        account.ignored[place + "hidden_size"] = f"the width of this part is {facts.NOT_HIDDEN[kind]}"
        values = {name: value for name, value in values.items() if name != "hidden_size"}
    keys = Keys(values, place, account, facts.NAMES.get(kind))
    if "model_type" in values:
        custom = facts.CUSTOM.get(kind)
        code = f"code beside its weights ({custom[0]})" if custom else f"a class of transformers {facts.VERSION}"
        keys.take("model_type", f"read as {kind}, {code}")
    if kind in facts.UNREAD:
        outer, inner = facts.UNREAD[kind]
        if inner in keys.dictionary(outer):
            account.ignored[f"{place}{outer}.{inner}"] = f"not read by transformers {facts.VERSION}"
    found = _switched(keys, kind, seq_len)
    for name, what in facts.ELSEWHERE.items():
        if name in keys and keys.silent(name):
            keys.ignore(name, what)
    for name in keys.entries:
        if ("rope" in name or "rotary" in name) and name not in parameters.SPELLINGS and keys.silent(name):
            keys.ignore(name, "this class does not read it")
    return found


def _switched(keys, kind, seq_len):
    if kind in facts.SWITCHES:
        name, wanted, default = facts.SWITCHES[kind]
        if keys.take(name, "whether there is a rotation", default) != wanted:
            return Part(kind, {})
    if kind in facts.AXIAL:
        return Part(kind, {ALL: rotations.axial(keys, kind)})
    if kind in rotations.MEASURED:
        return Part(kind, {ALL: rotations.MEASURED[kind](keys, kind)})
    if kind in facts.LAYER_BASES:
        return _by_layer(keys, kind, parameters.single(keys, kind), seq_len)
    if kind == "molmo2_text":
        one = parameters.single(keys, kind)
        names = (ALL,) if one.peek("rope_type", "default") == "default" else ("scaled", "unscaled")
        found = dict.fromkeys(names, one)
    else:
        found = parameters.read(keys, kind)
    tables = {name: own and rotations.text(keys, kind, name, own, seq_len) for name, own in found.items()}
    for own in filter(None, found.values()):
        own.ignore_rest("no part of the rotation reads it")
    return Part(kind, {name: table for name, table in tables.items() if table}, layers.read(keys, kind, tables))


def _by_layer(keys, kind, own, seq_len):
    """A table for each base among the layers."""
    base = facts.TYPES[kind][4]
    if "layer_rope_theta" not in keys:
        base = own.number("rope_theta", "the base of the layers that are rotated", base)
    every = layers.bases(keys, kind, base)
    tables = {}
    for base in dict.fromkeys(every):
        if base:
            changed = Keys({}, own.place, own.account)
            changed.entries = {**own.entries, "rope_theta": (own.where("rope_theta"), base)}
            tables[layers.named(base)] = rotations.text(keys, kind, ALL, changed, seq_len)
    return Part(kind, tables, tuple(map(layers.named, every)))
