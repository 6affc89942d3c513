"""Of which model type a file and each of its parts are, and what is refused because of its type."""

import re

from ..errors import InputError, InputTypeError, shown
from . import model_defaults
from .encodings import encoding_rows
from .keys import check_names
from .model_defaults import ModelDefaults

#: types whose switch leaves no encoding, where it is off
BY_ORDER_ALONE = ("granitemoehybrid", "zamba2")
KEYS_OF_ROPE = ("rope_theta", "rope_scaling", "rope_parameters")

#: keys that change the frequencies, and the value that leaves them: a file read as another type must not lose one
CHANGES = {
    "rope_ratio": 1,
    "rope_pct": 1,
    "rotary_pct": 1,
    "rotary_dim": None,
    "rotary_emb_base": None,
    "rotary_emb_fraction": 1,
    "rotary_embedding_base": None,
    "rotary_scaling_factor": None,
    "partial_rotary_factor": 1,
    "rope_scaling": None,
    "rope_parameters": None,
    "rope_type": "default",
    "alibi": False,
    "use_alibi": False,
    "use_dynamic_ntk": False,
}
#: switches of a rotation, in small letters: false leaves none, where false of other keys leaves a change out
SWITCH = re.compile(
    r"(?:(?:use|apply|with|enable|has|is|do)_)?(?:rope|rotary)(?:_pos\w*)?(?:_(?:emb|enc|embed|embedding|encoding)s?)?"
    r"(?:_enabled)?"
)
#: {size: its names in other formats}
OTHER_SIZES = {
    "hidden_size": ("dim", "d_model", "n_embd"),
    "num_attention_heads": ("n_head", "n_heads", "num_heads"),
    "head_dim": ("head_size", "d_head", "dim_head"),
    "num_hidden_layers": ("n_layer", "n_layers", "num_layers"),
}
#: those that a file read as a type of another format must not lose
SIZES = {other: "which is a size" for name, others in OTHER_SIZES.items() if name != "num_hidden_layers"
         for other in others}  # fmt: skip


def row_of_file(values, model_type):
    """The row of the type that a file names, or of model_type; an empty row for an unknown type with known parts.

    Raises E_CHOICE for a type without a rotation, or an unknown one.
    """
    check_names(values, "")
    name = values.get("model_type") if model_type is None else model_type
    if name is None:
        sentence = "model_type must be given, in the file or as model_type= (--model-type of the command)"
        if {"architecture", "pretrained_cfg"} <= values.keys():
            sentence += ": a configuration of timm names an architecture, and no encoding"
        raise InputError("E_CHOICE", "model_type", f"{sentence}, got None")
    if not isinstance(name, str):
        raise InputError("E_CHOICE", "model_type", f"model_type must name a type, got {shown(name)}")
    name = model_defaults.aliases().get(name, name)
    row = model_defaults.rows().get(name) or ModelDefaults(model_type=name, project="", version="", file="")
    custom = next((other for key, other in row.other_type_by_key.items() if key in values), None)
    if custom is not None:
        return model_defaults.rows()[custom]
    _check_type(row, [part["model_type"] for key, part in values.items() if _is_part(key, part)])
    return row


def is_unknown(row):
    """Whether nothing here is known of the type itself."""
    others = {*encoding_rows.rows(), *encoding_rows.reasons()}
    return not (row.is_known or row.project or row.model_type in others)


def _is_part(key, value):
    return key.endswith("_config") and isinstance(value, dict) and "model_type" in value


def _check_type(row, types_of_parts):
    """Refuse a type without an encoding, unless parts of the file may have one."""
    name = row.model_type
    if row.not_described and not types_of_parts:
        raise InputError("E_CHOICE", "model_type", f"{name} has no rotation to describe: {row.not_described}")
    if name in encoding_rows.rows():
        return
    without = encoding_rows.reasons()
    others = [part for part in types_of_parts if not (isinstance(part, str) and part in without)]
    if name in without and not others:
        sentence = f"model_type must be one with a position encoding, got {shown(name)}, {without[name]}"
        raise InputError("E_CHOICE", "model_type", sentence)
    if not row.is_known and not types_of_parts:
        sentence = (
            f"model_type must be one of the {known_count()} known ones, or model_type= (--model-type of"
            f" the command) name one with the same encoding, got {shown(name)}"
        )
        raise InputError("E_CHOICE", "model_type", sentence)


def known_count():
    """How many types have an encoding themselves."""
    rotary = {name for name, row in model_defaults.rows().items() if row.has_rotation}
    return len(rotary | {name for name, row in encoding_rows.rows().items() if row.encodings})


def types_of_parts(model_type):
    """{key: the type of a part that does not name its own}: of a type's rotations, and of what it has beside them."""
    found = (known.get(model_type) for known in (encoding_rows.rows(), model_defaults.rows()))
    return {key: kind for row in found if row is not None for key, kind in row.parts.items()}


def missing_parts(values, row, prefix=""):
    """{path: why} of parts that a file does not have: the class builds each as one of its default type."""
    found = {}
    for name, kind in types_of_parts(row.model_type).items():
        inner = values.get(name)
        if inner is not None and not isinstance(inner, dict):
            sentence = f"{prefix}{name} of {row.model_type} must be an object, got {shown(inner)}"
            raise InputTypeError("E_CHOICE", name, sentence)
        if inner is not None:
            part = row_of_part(inner, kind, row.model_type, f"{prefix}{name}.")
            found |= missing_parts(inner, part, f"{prefix}{name}.") if part is not None else {}
        elif _has_encoding(kind) and not has_flat_text(values, row, name):
            found[f"{prefix}{name}"] = f"missing: the class builds the default {kind}, which is left out here"
    return found


def _has_encoding(kind):
    """Whether a type has an encoding itself."""
    row, others = model_defaults.rows().get(kind), encoding_rows.rows().get(kind)
    return (row is not None and row.has_rotation) or (others is not None and bool(others.encodings))


def has_flat_text(values, row, name="text_config"):
    """Whether the keys of the text model stand beside the other parts, as in older files."""
    is_flat = name == "text_config" and name in row.parts and values.get(name) is None and not row.has_rotation
    return is_flat and any(key in values for key in ("hidden_size", *KEYS_OF_ROPE))


def row_of_part(values, expected, parent, prefix):
    """The row of a nested configuration, or None for one that is no rotary model.

    expected: the type it has where it does not name one, or None; parent: the type around it.
    """
    name = values.get("model_type") or None
    if not isinstance(name, (str, type(None))):
        raise InputTypeError("E_CHOICE", "model_type", f"{prefix}model_type must name a type, got {shown(name)}")
    name = model_defaults.aliases().get(name, name)
    if expected and (name is None or name == parent):
        return model_defaults.rows().get(expected)
    row = model_defaults.rows().get(name)
    if row is not None and row.is_known:
        return row
    if name is not None and any(values.get(key) for key in KEYS_OF_ROPE):
        known = known_count()
        sentence = f"{prefix}model_type must be one of the {known} known ones, got {shown(name)}"
        raise InputError("E_CHOICE", "model_type", sentence)
    return None


def no_encoding(values, row):
    """The error of a known type whose keys leave no encoding."""
    reason = f"{row.model_type} without one"
    others = encoding_rows.rows().get(row.model_type)
    if others is not None and others.parts and not {*others.parts} & {*values}:
        reason = f"{row.model_type} without its parts {', '.join(others.parts)}"
    if row.switch is not None:
        value = values.get(row.switch.key, row.switch.default)
        reason = f"{row.model_type} with {row.switch.key}={shown(value)}"
        if row.model_type in BY_ORDER_ALONE:
            reason += f", {encoding_rows.BY_ORDER}"
    return InputError("E_MISSING", "model_type", f"a model must have a position encoding, got {reason}")


def check_dropped(values, row, log, parts, unread_keys):
    """Refuse to read a file as another type which would drop what decides its positions; unread_keys: their paths."""
    rotaries = [rotary for part in parts.values() for rotary in part.rotaries.values()]
    for name, neutral in CHANGES.items():
        value = values.get(name)
        same = value in (None, neutral, {})
        if name == "rotary_dim":
            same = same or all(rotary.rotary_dim == value for rotary in rotaries)
        elif name.endswith("base"):
            same = same or all(rotary.parameters.get("rope_theta") == value for rotary in rotaries)
        if not same and not any(path == name or path.startswith(name + ".") for path in log.used):
            raise _dropped(row, name, value, "which changes the frequencies")
    for path in (*unread_keys, *SIZES):
        name = path.rpartition(".")[2]
        value = _value(values, path)
        is_neutral = value in (None, False, {}, CHANGES.get(name)) and not (value is False and is_switch(name))
        if not is_neutral and path not in log.used and path not in CHANGES:
            raise _dropped(row, path, value, SIZES.get(path, "which may decide positions"))


def is_switch(name):
    """Whether a key switches a rotation on and off, by its name."""
    return SWITCH.fullmatch(name.lower()) is not None


def _value(values, path):
    """The value at a dotted path, whose names may have dots themselves; None where there is none."""
    for name, value in values.items():
        if name == path:
            return value
        if isinstance(value, dict) and path.startswith(f"{name}."):
            found = _value(value, path.removeprefix(f"{name}."))
            if found is not None:
                return found
    return None


def _dropped(row, path, value, why):
    sentence = f"{path} must be a key that {row.model_type} reads, got {shown(value)}, {why}"
    return InputError("E_CHOICE", path.rpartition(".")[2], sentence)
