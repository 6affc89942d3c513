"""The rope parameters of a file in each of their spellings: a set of keys for each layer type, or one for all."""

import copy

from ..errors import InputError
from . import model_specific
from .keys import Keys
from .parameter_sets import ALL, FOR_EACH_TYPE, OUTER, SPELLINGS, for_all_layers, joined, parameter_set, split

NESTED_TRUNCATE = "transformers reads it beside the layer types, not inside one, and takes true"


def by_layer_type(row, keys):
    """{layer type, or "all": its Keys, or None where it has no rotation}.

    Among the Keys are rope_type, rope_theta and partial_rotary_factor, where a file has them anywhere.
    """
    if row.ignores_outer_partial_rotary_factor:
        keys.ignore("partial_rotary_factor", f"this class sets it to {row.partial_rotary_factor}")
        keys.drop("partial_rotary_factor")
    spellings = {name: keys.dictionary(name) for name in SPELLINGS if keys.dictionary(name)}
    if row.model_type in model_specific.RULES:
        return model_specific.RULES[row.model_type](row, keys, spellings)
    if row.layer_bases:
        return _two_bases(row, keys, spellings)
    if not spellings and row.rope_parameters:
        return _of_the_class(row, keys)
    sets = {name: split(row, keys, name, values) for name, values in spellings.items()}
    labels = list(dict.fromkeys(label for _, nested in sets.values() for label in nested))
    if labels:
        return {label: _of_layer_type(row, keys, label, sets) for label in labels}
    if row.nested_only:
        path = keys.prefix + next(iter(spellings), "rope_parameters")
        flat = next((flat for flat, _ in sets.values()), Keys({}))
        sentence = f"{path} must hold an object for each layer type, got {flat.described()}"
        raise InputError("E_NUMBER", "rope_parameters", sentence)
    return {ALL: for_all_layers(keys, [flat for flat, _ in sets.values()])}


def _of_layer_type(row, keys, label, sets):
    """The set of one layer type in both spellings, or None; sets: {spelling: (flat Keys, {layer type: object})}."""
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
    for name in OUTER:
        if name in keys and name not in parameters and not row.nested_only:
            parameters.copy(name, keys)
        else:
            keys.ignore(name, FOR_EACH_TYPE)
    return parameters


def _take_truncate_beside(parameters, flat):
    """Read truncate where transformers does, beside the layer types."""
    if "truncate" in flat:
        parameters.ignore("truncate", "the one beside the layer types is read")
        parameters.copy("truncate", flat)
    elif "truncate" in parameters:
        parameters.ignore("truncate", NESTED_TRUNCATE)
        parameters.drop("truncate")


def _of_the_class(row, keys):
    """The sets that the class of the model has, with rope_theta and partial_rotary_factor of the file."""
    values = copy.deepcopy(row.rope_parameters)
    nested = any(value is None or isinstance(value, dict) for value in values.values())
    sets = {}
    for label, own in (values if nested else {ALL: values}).items():
        sets[label] = own and Keys({}, f"{keys.prefix}rope_parameters." + (f"{label}." if nested else ""), keys.log)
        for name, value in (own or {}).items():
            sets[label].set(name, sets[label].prefix + name, value, in_file=False)
        for name in () if nested else OUTER:
            if name in keys and name not in sets[label]:
                sets[label].copy(name, keys)
    if row.nested_only or "rope_theta" in values:
        keys.ignore("rope_theta", "the class of the model has rope parameters of its own, and they hold a base")
    return sets


def _two_bases(row, keys, spellings):
    """Full and sliding attention with a base each, from flat keys or from nested ones."""
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
            parameters.join(sets["rope_scaling"][0])
        parameters.ignore("truncate", NESTED_TRUNCATE)
        parameters.drop("truncate")
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
        parameters.set("rope_theta", *keys.entries[base.key])
    elif "rope_theta" not in parameters:
        path = keys.prefix + base.key if base.key else parameters.prefix + "rope_theta"
        parameters.set("rope_theta", path, base.rope_theta, in_file=False)
        parameters.take("rope_theta", "the base")
