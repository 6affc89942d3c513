"""The rope parameters of a file in each of their spellings: a set of keys for each layer type, or one for all."""

import copy

from ...errors import InputError, InputTypeError, shown
from ..keys import Entry, Keys, contradiction

ALL = "all"
#: what a file may call its rope parameters: transformers 5 and 4
SPELLINGS = ("rope_parameters", "rope_scaling")
#: keys that may stand at the top of a file or among its rope parameters
OUTER = ("rope_theta", "partial_rotary_factor")
LENGTH = "original_max_position_embeddings"
FOR_EACH_TYPE = "there are rope parameters for each layer type"
NESTED_TRUNCATE = "transformers reads it beside the layer types, not inside one, and takes true"


def by_layer_type(row, keys, spellings):
    """{layer type, or "all": its Keys, or None where it has no rotation}.

    Among the Keys are rope_type, rope_theta and partial_rotary_factor, where a file has them anywhere.
    """
    if row.layer_bases:
        return _two_bases(row, keys, spellings)
    if not spellings and row.rope_parameters and "rope_parameters" not in keys:  # an empty object is no missing one
        return _of_the_class(row, keys)
    sets = {name: split(row, keys, name, values) for name, values in spellings.items()}
    labels = list(dict.fromkeys(label for _, nested in sets.values() for label in nested))
    if labels:
        return nested_sets(row, keys, sets) if row.has_nested_sets else one_set(keys, dict.fromkeys(labels))
    if row.nested_only:
        path = keys.prefix + next(iter(spellings), "rope_parameters")
        flat = next((flat for flat, _ in sets.values()), Keys({}))
        sentence = f"{path} must hold an object for each layer type, got {flat.described()}"
        raise InputError("E_NUMBER", "rope_parameters", sentence)
    return {ALL: for_all_layers(keys, [flat for flat, _ in sets.values()])}


def nested_sets(row, keys, sets):
    """{layer type: its Keys, or None}; sets: {spelling: (flat Keys, {layer type: object})}."""
    labels = dict.fromkeys(label for _, nested in sets.values() for label in nested)
    return {label: _of_layer_type(row, keys, label, sets) for label in labels}


def _of_layer_type(row, keys, label, sets):
    """The set of one layer type in both spellings, or None; sets as for `nested_sets`."""
    parameters = joined([
        parameter_set(row, keys, nested[label], f"{spelling}.{label}.")
        for spelling, (_, nested) in sets.items()
        if nested.get(label) is not None
    ])  # fmt: skip
    if parameters is None:
        return None
    for flat, _ in sets.values():
        if parameters.peek("rope_type") == "yarn":
            _take_truncate_beside(parameters, flat)
        flat.ignore_rest(FOR_EACH_TYPE)
    takes_no_share = row.default_sets_alone and parameters.peek("rope_type", "default") == "default"
    for name in OUTER:
        if name in keys and name not in parameters and not (takes_no_share and name == "partial_rotary_factor"):
            parameters.entries[name] = keys.entries[name]
        else:
            keys.ignore(name, FOR_EACH_TYPE)
    return parameters


def _take_truncate_beside(parameters, flat):
    """Read truncate where transformers does, beside the layer types."""
    if "truncate" in flat:
        parameters.ignore("truncate", "the one beside the layer types is read")
        parameters.entries["truncate"] = flat.entries["truncate"]
    else:
        parameters.leave_out("truncate", NESTED_TRUNCATE)
        parameters.nulls |= flat.nulls & {"truncate"}


def _of_the_class(row, keys):
    """The sets that the class of the model has, with rope_theta and partial_rotary_factor of the file."""
    values = copy.deepcopy(row.rope_parameters)
    nested = any(value is None or isinstance(value, dict) for value in values.values())
    sets = {}
    for label, own in (values if nested else {ALL: values}).items():
        sets[label] = own and Keys({}, f"{keys.prefix}rope_parameters." + (f"{label}." if nested else ""), keys.log)
        for name, value in (own or {}).items():
            sets[label].entries[name] = Entry(sets[label].prefix + name, value, in_file=False)
        for name in OUTER:
            if own and name in keys and name not in sets[label]:
                sets[label].entries[name] = keys.entries[name]
    for name in OUTER:
        if all(name in own for own in filter(None, values.values() if nested else [values])):
            keys.ignore(name, "the class of the model has rope parameters of its own, and they hold it")
    return sets


def _two_bases(row, keys, spellings):
    """Full and sliding attention with a base each, from flat keys or from nested ones."""
    given = keys.dictionary("rope_parameters")
    if {*SPELLINGS} <= {*keys.entries} and not isinstance(given.get("full_attention"), dict):
        path = f"{keys.prefix}rope_parameters.full_attention"
        raise InputError("E_NUMBER", "rope_parameters", f"{path} must be an object beside rope_scaling, got none")
    sets = {spelling: split(row, keys, spelling, values) for spelling, values in spellings.items()}
    result = {}
    for label, base in row.layer_bases.items():
        own = [
            parameter_set(row, keys, nested[label], f"{spelling}.{label}.")
            for spelling, (_, nested) in sets.items()
            if nested.get(label)
        ]
        parameters = joined(own) or Keys({}, f"{keys.prefix}rope_parameters.{label}.", keys.log)
        if "rope_scaling" in sets and base.scaled:
            parameters.merge(sets["rope_scaling"][0].entries)
        if own and parameters.peek("rope_type") == "yarn":
            _take_truncate_beside(parameters, next(flat for flat, nested in sets.values() if nested.get(label)))
        else:
            parameters.leave_out("truncate", NESTED_TRUNCATE)
        if "partial_rotary_factor" in keys:
            parameters.entries.setdefault("partial_rotary_factor", keys.entries["partial_rotary_factor"])
        _set_base(keys, parameters, base)
        result[label] = parameters
    if "rope_parameters" in sets:
        sets["rope_parameters"][0].ignore_rest(FOR_EACH_TYPE)
    return result


def _set_base(keys, parameters, base):
    """The base of one layer type: in its own set, under a key at the top of the file, or that of the class."""
    if base.key in keys and "rope_theta" in parameters:
        keys.ignore(base.key, f"{parameters.path('rope_theta')} is the base")
    elif base.key in keys:
        parameters.entries["rope_theta"] = keys.entries[base.key]
    elif "rope_theta" not in parameters:
        path = keys.prefix + base.key if base.key else parameters.prefix + "rope_theta"
        parameters.entries["rope_theta"] = Entry(path, base.rope_theta, in_file=False)
        parameters.take("rope_theta", "the base")


# -- one set of them ---------------------------------------------------------------------------------------------------


def parameter_set(row, keys, values, below):
    """The Keys of one object of rope parameters, its scaling under the key rope_type and by the name of transformers.

    below: the path of the object under that of keys, with a dot.
    """
    parameters = Keys(values, keys.prefix + below, keys.log)
    if not row.is_custom:
        _refuse_nulls(parameters)
    written = {name: parameters.peek(name) for name in ("rope_type", "type") if name in parameters}
    meant = {name: _meaning(row, rope_type) for name, rope_type in written.items()}
    if len(set(map(str, meant.values()))) > 1:
        raise contradiction(parameters.entries["type"], parameters.entries["rope_type"])
    if len(written) == 2:
        parameters.take("type", "says the same as rope_type")
        del parameters.entries["type"]
    parameters.rename("type", "rope_type")
    if written:
        path, rope_type, _ = parameters.entries["rope_type"]
        if not isinstance(rope_type, str):
            raise InputTypeError("E_CHOICE", "rope_type", f"{path} must name a scaling, got {shown(rope_type)}")
        meaning = _meaning(row, rope_type)
        parameters.entries["rope_type"] = Entry(path, meaning)
        if rope_type != meaning:
            keys.log.used[path] = f"{rope_type} means {meaning} here"
    return parameters


def _refuse_nulls(parameters):
    """Refuse null where transformers takes a default for a missing key alone, and fails with null."""
    read = ["rope_theta", "rope_type" if "rope_type" in {*parameters.entries, *parameters.nulls} else "type"]
    if parameters.peek("rope_type", parameters.peek("type")) in ("yarn", "llama3", "longrope"):
        read.append(LENGTH)
    for name in read:
        if name in parameters.nulls:
            kind = "name a scaling" if name.endswith("type") else "be a number"
            raise InputError("E_NUMBER", name, f"{parameters.prefix}{name} must {kind} or be left out, got null")


def _meaning(row, rope_type):
    """The rope_type that a name means in files of a type."""
    if not isinstance(rope_type, str):
        return rope_type
    if rope_type == "mrope" and row.mrope_arrangement:  # three axes, which mrope_section says already
        return "default"
    return row.rope_type_synonyms.get(rope_type, rope_type)


def split(row, keys, spelling, values):
    """The flat keys below a spelling, and {layer type: its object}; a layer type with null has no rotation."""
    names = ("rope_type", "type")  # whose values are no sets: they are refused where they are objects
    nested = {label: value for label, value in values.items() if isinstance(value, dict) and label not in names}
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
        sets[0].merge(other.entries)
    return sets[0] if sets else None


def flat_set(row, keys, spellings):
    """The one set of Keys of a type whose layers are alike, from {spelling: its object}."""
    sets = [split(row, keys, spelling, values) for spelling, values in spellings.items()]
    labels = {label: None for _, nested in sets for label in nested}
    return one_set(keys, labels or {ALL: for_all_layers(keys, [flat for flat, _ in sets])})


def for_all_layers(keys, sets):
    """One set for all layers: both spellings, then the keys at the top of the file."""
    for other in sets[1:]:
        types = [Entry(one.path("rope_type"), one.peek("rope_type", "default")) for one in (sets[0], other)]
        if types[0].value != types[1].value:
            raise contradiction(*types)
    parameters = joined(sets) or Keys({}, keys.prefix, keys.log)
    for name in OUTER:
        if name in keys and name in parameters:
            if parameters.peek(name) != keys.peek(name):
                raise contradiction(parameters.entries[name], keys.entries[name])
            keys.take(name, f"says the same as {parameters.path(name)}")
        elif name in keys:
            parameters.entries[name] = keys.entries[name]
    return parameters
