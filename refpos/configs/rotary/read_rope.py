"""The keys of one part of a configuration, read into the records of its rotations."""

from ...errors import InputError
from ..keys import MOST_LAYERS, Keys
from . import audio_and_molecules, axial, layers, model_specific, notes, rope_types, widths
from .rope_config import PartConfig, RopeConfig
from .rope_parameters import ALL, OUTER, SPELLINGS

#: keys of which no class of transformers takes null for a number of its own
NUMBERS = (
    "rope_theta", "local_rope_theta", "global_rope_theta", "rotary_dim", "hidden_size", "num_attention_heads",
    "max_position_embeddings",
)  # fmt: skip


def read_object(one, log):
    """The `PartConfig` of a `ModelObject`, None for one without a rotation of its own."""
    if one.row is not None and one.row.not_described:
        log.ignored[f"{one.prefix}model_type"] = f"not described here: {one.row.not_described}"
    if one.row is None or not one.row.has_rotation:
        return None
    return read_part(one.values, one.prefix, one.row, log)._replace(first_position=one.first_position or 0)


def read_part(values, prefix, row, log):
    """The `PartConfig` of the keys of one object, with a note on every key of a rotation."""
    keys = _keys(values, prefix, row, log)
    part = PartConfig(row, *_rotations(row, keys))
    for name, what in notes.ELSEWHERE.items():
        if name in keys and keys.has_no_note(name):
            keys.ignore(name, what)
    for name in keys.entries:
        if keys.has_no_note(name) and name in SPELLINGS:
            keys.ignore_inside(name, "no part of the rotation reads it")
        elif keys.has_no_note(name) and name in notes.OF_OTHER_CLASSES:
            keys.ignore(name, notes.NOT_READ)
    if row.original_max_position_embeddings is not None and keys.has_no_note(rope_types.LENGTH):
        keys.ignore(rope_types.LENGTH, "without a scaling nothing reads it")
    return part


def _keys(values, prefix, row, log):
    """The keys of one object under the names of transformers, without those that its class does not read."""
    unread = _unread_names(values, row)
    log.ignored.update({prefix + name: why for name, why in unread.items()})
    values = {name: value for name, value in values.items() if name not in unread}
    keys = Keys(values, prefix, log, row.other_names)
    for name in () if row.is_custom else NUMBERS:
        if name in keys.nulls:
            raise InputError("E_NUMBER", name, f"{prefix}{name} must be a number, got None")
    _refuse_null_share(row, keys)
    if keys.peek("num_hidden_layers") is not None:
        keys.integer_without_note("num_hidden_layers", MOST_LAYERS)
    code = f"code beside its weights ({row.project})" if row.is_custom else f"a class of transformers {row.version}"
    keys.take("model_type", f"read as {row.model_type}, {code}")
    if row.unread_key:
        outer, inner = row.unread_key
        if inner in keys.dictionary(outer):
            log.ignored[f"{prefix}{outer}.{inner}"] = f"not read by transformers {row.version}"
    return keys


def _refuse_null_share(row, keys):
    """Refuse null for the part of a head that is rotated, where the class reads it."""
    name = "partial_rotary_factor"
    names = {row.other_names.get(name)} | (set() if row.reads_other_names_alone else {name})
    is_read = not (row.nested_only or row.ignores_outer_partial_rotary_factor or row.is_custom)
    for null in names & keys.nulls if is_read and row.partial_rotary_factor is not None else ():
        sentence = f"{keys.prefix}{null} of {row.model_type} must be a number, got None"
        raise InputError("E_NUMBER", name, sentence)


def _unread_names(values, row):
    """{key: why its class reads another in its place}."""
    unread = {}
    if row.hidden_size_replaced_by in values and "hidden_size" in values:
        unread["hidden_size"] = f"the width of this part is {row.hidden_size_replaced_by}"
    for name in OUTER if row.reads_other_names_alone else ():
        other = row.other_names.get(name)
        if other and values.get(name) is not None and other not in values:
            unread[name] = f"this class reads {other} in its place"
    return unread


def _rotations(row, keys):
    """({layer type: its record, or None}, the name of each layer's): of axes, times or layers."""
    switch = row.switch
    if switch and keys.take(switch.key, "whether there is a rotation", switch.default) != switch.value:
        return {}, ()
    if row.model_type in audio_and_molecules.ROTARIES:
        return {ALL: audio_and_molecules.ROTARIES[row.model_type](row, keys)}, ()
    sets, names = model_specific.sets_of_keys(row, keys), None
    if row.rotated_layers == "layer_rope_theta":
        sets, names = layers.sets_by_base(row, keys, sets[ALL])
    records = {name: parameters and _record(row, keys, name, parameters) for name, parameters in sets.items()}
    for parameters in filter(None, sets.values()):
        parameters.ignore_rest("no part of the rotation reads it")
    if names is None:
        names = layers.table_of_each_layer(row, keys, records)
    return records, names


def _record(row, keys, layer_type, parameters):
    """The `RopeConfig` of one layer type; parameters: its Keys, keys: those around them."""
    if row.axial is not None:
        return axial.read(row, keys, parameters)
    rope_type = parameters.take("rope_type", "the scaling", "default")
    base = parameters.number("rope_theta", "the base of the frequencies", row.rope_theta)
    head, width = widths.of_a_head(row, keys, layer_type, parameters, rope_type)
    fields = rope_types.fields(row, keys, parameters, rope_type, width)
    pairing, deinterleaved = _pairing(row, keys)
    read = {*parameters.log.used, *parameters.log.assumed}
    values = {name: entry.value for name, entry in parameters.entries.items() if entry.path in read}
    return RopeConfig(
        row=row,
        rope_type=rope_type,
        base=base,
        head_dim=head,
        width=width,
        parameters={**values, "rope_type": rope_type, "rope_theta": base},
        pairing=pairing,
        deinterleaved=deinterleaved,
        mscales=tuple(map(parameters.peek, rope_types.MSCALES)),
        softmax_factor=notes.softmax_factor(row, parameters, rope_type),
        notes=tuple(notes.of_the_model(row, keys, parameters, rope_type)),
        **fields,
    )


def _pairing(row, keys):
    """(pairing, whether the result is deinterleaved)."""
    is_interleaved = row.pairing == "interleaved"
    if row.pairing_key is not None:
        is_interleaved = keys.take(row.pairing_key, "whether channels 2i and 2i + 1 turn together", is_interleaved)
    return ("interleaved", row.deinterleaved) if is_interleaved else ("half", False)
