"""Sets of rope parameters: the Keys of one object, of two spellings together, and of keys around them."""

from ..errors import InputError, InputTypeError, shown
from .keys import Keys, contradiction

ALL = "all"
#: what a file may call its rope parameters: transformers 5 and 4
SPELLINGS = ("rope_parameters", "rope_scaling")
#: keys that may stand at the top of a file or among its rope parameters
OUTER = ("rope_theta", "partial_rotary_factor")
FOR_EACH_TYPE = "there are rope parameters for each layer type"


def parameter_set(row, keys, values, below):
    """The Keys of one object of rope parameters, its scaling under the key rope_type and by the name of transformers.

    below: the path of the object under that of keys, with a dot.
    """
    parameters = Keys(values, keys.prefix + below, keys.log)
    written = {name: parameters.peek(name) for name in ("rope_type", "type") if name in parameters}
    meant = {name: _meaning(row, rope_type) for name, rope_type in written.items()}
    if len(set(map(str, meant.values()))) > 1:
        raise contradiction(
            parameters.path("type"), written["type"], parameters.path("rope_type"), written["rope_type"]
        )
    if len(written) == 2:
        parameters.take("type", "says the same as rope_type")
        parameters.drop("type")
    parameters.rename("type", "rope_type")
    if written:
        path, rope_type = parameters.entries["rope_type"]
        if not isinstance(rope_type, str):
            raise InputTypeError("E_CHOICE", "rope_type", f"{path} must name a scaling, got {shown(rope_type)}")
        parameters.set("rope_type", path, _meaning(row, rope_type))
        if rope_type != _meaning(row, rope_type):
            keys.log.used[path] = f"{rope_type} means {_meaning(row, rope_type)} here"
    return parameters


def _meaning(row, rope_type):
    """The rope_type that a name means in files of a type."""
    if not isinstance(rope_type, str):
        return rope_type
    if rope_type == "mrope" and row.mrope_arrangement:  # three axes, which mrope_section says already
        return "default"
    return row.rope_type_synonyms.get(rope_type, rope_type)


def split(row, keys, spelling, values):
    """The flat keys below a spelling, and {layer type: its object}; a layer type with null has no rotation."""
    nested = {label: value for label, value in values.items() if isinstance(value, dict)}
    flat = {label: value for label, value in values.items() if label not in nested}
    for label, value in flat.items():
        if nested and value is None and (label in row.rope_parameters or label.endswith("attention")):
            nested[label] = None
    return parameter_set(row, keys, flat, f"{spelling}."), nested


def one_set(keys, sets):
    """The Keys for all layers among {layer type, or "all": Keys}; Keys of layer types are refused."""
    if ALL not in sets:
        sentence = f"{keys.prefix}rope_parameters must be one set for all layers, got one for each of {', '.join(sets)}"
        raise InputError("E_CHOICE", "rope_parameters", sentence)
    return sets[ALL]


def joined(sets):
    """Several sets as one, in which they must agree; None without any."""
    for other in sets[1:]:
        sets[0].join(other)
    return sets[0] if sets else None


def flat_set(row, keys, spellings):
    """The one set of Keys of a type whose layers are alike, from {spelling: its object}."""
    sets = [split(row, keys, spelling, values) for spelling, values in spellings.items()]
    labels = {label: None for _, nested in sets for label in nested}
    return one_set(keys, labels or {ALL: for_all_layers(keys, [flat for flat, _ in sets])})


def for_all_layers(keys, sets):
    """One set for all layers: both spellings, then the keys at the top of the file."""
    for other in sets[1:]:
        types = [parameters.peek("rope_type", "default") for parameters in (sets[0], other)]
        if types[0] != types[1]:
            raise contradiction(sets[0].path("rope_type"), types[0], other.path("rope_type"), types[1])
    parameters = joined(sets) or Keys({}, keys.prefix, keys.log)
    for name in OUTER:
        if name in keys and name in parameters:
            if parameters.peek(name) != keys.peek(name):
                raise contradiction(*parameters.entries[name], *keys.entries[name])
            keys.take(name, f"says the same as {parameters.path(name)}")
        elif name in keys:
            parameters.copy(name, keys)
    return parameters
