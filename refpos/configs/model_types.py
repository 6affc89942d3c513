"""Of which model type a file and each of its objects are, and the types that are refused."""

from typing import NamedTuple

from ..errors import InputError, InputTypeError, shown
from . import model_defaults
from .encodings import encoding_rows
from .keys import check_names, part_name
from .model_defaults import ModelDefaults

#: types whose switch leaves no encoding, where it is off
BY_ORDER_ALONE = ("granitemoehybrid", "zamba2")
KEYS_OF_ROPE = ("rope_theta", "rope_scaling", "rope_parameters")


class ModelObject(NamedTuple):
    """One object of a file: its keys, its path with a dot, its type, and the row of a type with a rotation.

    row is None inside an object of a type that is not known. first_position: the position id of the first token, where
    a type around this one says it.
    """

    values: dict
    prefix: str
    model_type: str | None
    row: ModelDefaults | None
    first_position: int | None = None

    @property
    def part_name(self):
        """The name of the part with a rotation that it describes."""
        return part_name(self.prefix) or self.row.part_name or ("text" if self.row.axial is None else "vision")

    @property
    def first_position_of_parts(self):
        """The same for the parts that the type of this object has."""
        own = None if self.row is None else self.row.first_position
        return own if self.first_position is None else self.first_position

    @property
    def has_flat_text(self):
        """Whether the keys of the text model stand beside those of the others."""
        row, values = self.row, self.values
        if row is None or row.has_rotation or "text_config" not in row.parts:
            return False
        names = ("hidden_size", *KEYS_OF_ROPE)
        return values.get("text_config") is None and any(name in values for name in names)


def of_file(values, model_type):
    """The `ModelObject` of a whole file; an unknown type with known parts has an empty row.

    model_type: the type to read it as, or None for the one that it names.

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
        return ModelObject(values, "", custom, model_defaults.rows()[custom])
    _check_type(row, [part["model_type"] for key, part in values.items() if _is_part(key, part)])
    return ModelObject(values, "", name, row)


def left_out(row):
    """{"model_type": why} of a type of which nothing is known itself, and nothing of others."""
    if row.is_known or row.project or row.model_type in {*encoding_rows.rows(), *encoding_rows.reasons()}:
        return {}
    return {"model_type": f"{row.model_type}, not known: its parts alone are described"}


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


def objects(outer):
    """A `ModelObject`, and before it each inside that may describe a part, and the text whose keys stand in it."""
    expected = types_of_parts(outer.model_type)
    for name, inner in outer.values.items():
        if isinstance(inner, dict) and isinstance(name, str):
            kind = _type_of_part(inner, expected.get(name), outer.model_type)
            has_name = name.endswith("_config") or name in expected
            if has_name or kind in encoding_rows.rows():
                prefix = f"{outer.prefix}{name}."
                row = _row_of_part(inner, kind, prefix) if has_name and outer.row is not None else None
                first = outer.first_position_of_parts if name in expected else outer.first_position
                yield from objects(ModelObject(inner, prefix, kind, row, first))
    if outer.has_flat_text:
        text = model_defaults.rows()[outer.row.parts["text_config"]]
        yield ModelObject(outer.values, outer.prefix, None, text, outer.first_position_of_parts)
    yield outer


def missing_parts(outer):
    """{path: why} of parts that a `ModelObject` does not have: the class builds each as one of its default type."""
    found = {}
    for name, kind in types_of_parts(outer.model_type).items():
        inner, path = outer.values.get(name), f"{outer.prefix}{name}"
        if inner is not None and not isinstance(inner, dict):
            sentence = f"{path} of {outer.model_type} must be an object, got {shown(inner)}"
            raise InputTypeError("E_CHOICE", name, sentence)
        is_there = inner is not None or (name == "text_config" and outer.has_flat_text)
        if not is_there and _has_encoding(kind):
            found[path] = f"missing: the class builds the default {kind}, which is left out here"
    return found


def _has_encoding(kind):
    """Whether a type has an encoding itself."""
    row, others = model_defaults.rows().get(kind), encoding_rows.rows().get(kind)
    return (row is not None and row.has_rotation) or (others is not None and bool(others.encodings))


def _type_of_part(values, expected, parent):
    """The type that a nested object names, or the expected one where it names none or that of the object around it."""
    name = values.get("model_type") or expected
    if not isinstance(name, str):
        return None
    name = model_defaults.aliases().get(name, name)
    return expected if expected and name == parent else name


def _row_of_part(values, kind, prefix):
    """The row of a nested object of a type, or None for one that is no rotary model."""
    name = values.get("model_type") or None
    if not isinstance(name, (str, type(None))):
        raise InputTypeError("E_CHOICE", "model_type", f"{prefix}model_type must name a type, got {shown(name)}")
    row = model_defaults.rows().get(kind)
    if row is not None and row.is_known:
        check_names(values, prefix)
        return row
    is_named = name is not None and model_defaults.aliases().get(name, name) == kind
    if is_named and any(values.get(key) for key in KEYS_OF_ROPE):
        known = known_count()
        sentence = f"{prefix}model_type must be one of the {known} known ones, got {shown(kind)}"
        raise InputError("E_CHOICE", "model_type", sentence)
    return None


def no_encoding(whole):
    """The error of a file of a known type whose keys leave no encoding."""
    values, row = whole.values, whole.row
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
