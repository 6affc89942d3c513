"""Model types that read their rope parameters in a way of their own.

Each rule (row, keys, spellings) returns {layer type, or "all": its Keys}; spellings: {spelling: object} of the file.
"""

from ...errors import InputError, shown
from ..keys import Entry, Keys
from .notes import NOT_READ
from .rope_parameters import (
    ALL,
    FOR_EACH_TYPE,
    LENGTH,
    NESTED_TRUNCATE,
    SPELLINGS,
    by_layer_type,
    flat_set,
    for_all_layers,
    nested_sets,
    one_set,
    parameter_set,
    split,
)
from .two_bases import deepseek_v4, dots3_note, set_base

# -- classes of transformers ------------------------------------------------------------------------------------------


def _cohere2_moe(row, keys, spellings):
    """One set; its class fills in the base of rope_parameters for the scalings alone, and the rotated part nowhere."""
    keys.leave_out("partial_rotary_factor", NOT_READ)
    if "rope_parameters" in keys.nulls:
        path = f"{keys.prefix}rope_parameters of {row.model_type}"
        raise InputError("E_NUMBER", "rope_parameters", f"{path} must be an object, got null")
    given = Keys(keys.dictionary("rope_parameters"), f"{keys.prefix}rope_parameters.")
    if "rope_parameters" in keys and given.peek("rope_type", given.peek("type", "default")) == "default":
        given.require("rope_theta")
    return by_layer_type(row, keys, spellings)


def _cosmos3_edge(row, keys, spellings):
    """One set of the plain type, whose sections the class fills in only where there is no set at all."""
    parameters = flat_set(row, keys, spellings) if spellings else one_set(keys, by_layer_type(row, keys, {}))
    for values in spellings.values():
        for name in ("rope_type", "type"):
            if values.get(name, "default") != "default":
                sentence = f"{name} of {row.model_type} must be 'default', got {shown(values[name])}"
                raise InputError("E_CHOICE", "rope_type", sentence)
    if "mrope_section" not in parameters:
        path = f"{keys.prefix}{next(iter(spellings), 'rope_parameters')}.mrope_section"
        raise InputError("E_MISSING", "mrope_section", f"{path} of {row.model_type} must be given, got none")
    sections = parameters.numbers("mrope_section", "how many pairs turn by frame, row and column")
    half = keys.width("head_dim", "the width of a head", row.head_dim) // 2
    if len(sections) != 3 or sum(sections) != half:
        path = parameters.path("mrope_section")
        sentence = f"{path} must be three numbers with the sum {half}, got {shown(sections)}"
        raise InputError("E_SHAPE", "mrope_section", sentence)
    return {ALL: parameters}


def _lfm3(row, keys, spellings):
    """A set for each of the two types of attention, none of which may be null."""
    sets = by_layer_type(row, keys, spellings)
    for label in ("full_attention", "sliding_attention"):
        if label in sets and sets[label] is None:
            path = f"{keys.prefix}{next(iter(spellings))}.{label}"
            raise InputError("E_NUMBER", "rope_parameters", f"{path} of lfm3 must be an object, got null")
    return sets


def _minimax_m2(row, keys, spellings):
    """rotary_dim in place of partial_rotary_factor."""
    parameters = flat_set(row, keys, spellings)
    if "rotary_dim" in keys and "partial_rotary_factor" not in parameters:
        width = keys.width("rotary_dim", "the width of the rotary part")
        head_dim = keys.width("head_dim", "the width of a head", row.head_dim)
        parameters.entries["partial_rotary_factor"] = Entry(keys.path("rotary_dim"), width / head_dim)
    return {ALL: parameters}


def _molmo2(row, keys, spellings):
    """The same set with its scaling and without, as rope_scaling_layers has it for each layer."""
    parameters = flat_set(row, keys, spellings)
    if parameters.peek("rope_type", "default") == "default":
        return {ALL: parameters}
    unscaled = Entry(parameters.path("rope_type"), "default")
    return {"scaled": parameters, "unscaled": parameters.replaced(rope_type=unscaled)}


def _neomme(row, keys, spellings):
    """A base and a part for each layer type."""
    spelling, given = next(reversed(spellings.items()), ("rope_parameters", {}))
    sets = {}
    for label, base, share in (("full_attention", row.rope_theta, 0.25), ("sliding_attention", 1e4, 1.0)):
        parameters = sets[label] = parameter_set(row, keys, given.get(label) or {}, f"{spelling}.{label}.")
        if "rope_theta" in parameters:
            keys.ignore("rope_theta", FOR_EACH_TYPE)
        else:
            set_base(keys, parameters, "rope_theta", "the base", base)
        share = share if spelling == "rope_parameters" else 1.0
        share = Entry(f"{parameters.prefix}partial_rotary_factor", share, in_file=False)
        parameters.entries.setdefault("partial_rotary_factor", share)
    return sets


def _step3p5(row, keys, spellings):
    """Lists with a base and a part for each layer, or nested parameters; the scaling is for full attention."""
    layers = keys.names("layer_types") or ["full_attention"]
    nested = spellings.get("rope_parameters", {})
    labels = list(dict.fromkeys(layers))
    if all(isinstance(nested.get(label), dict) for label in labels):
        keys.leave_out("rope_theta", FOR_EACH_TYPE)
        if "truncate" in nested:
            keys.log.ignored[f"{keys.prefix}rope_parameters.truncate"] = NOT_READ
        nested = {label: nested[label] for label in labels}
        return nested_sets(row, keys, {"rope_parameters": split(row, keys, "rope_parameters", nested)})
    bases = keys.take("rope_theta", "the base, of each layer where it is a list", row.rope_theta)
    shares = keys.take("partial_rotary_factors", "the part of a head that is rotated, for each layer")
    sets = {}
    for label in labels:
        if label == "full_attention":
            sets[label] = parameter_set(row, keys, spellings.get("rope_scaling", {}), "rope_scaling.")
            sets[label].leave_out("truncate", NESTED_TRUNCATE)
        else:
            sets[label] = Keys({}, f"{keys.prefix}rope_parameters.{label}.", keys.log)
        for name, values in (("rope_theta", bases), ("partial_rotary_factor", shares)):
            if values is None or name in sets[label]:
                continue
            value = _of_layer(keys, name, values, layers.index(label))
            sets[label].entries[name] = Entry(keys.path(name), value, in_file=name in keys)
    return sets


def _of_layer(keys, name, values, layer):
    """The entry of one layer in a list, or the one value for all layers."""
    if not isinstance(values, (list, tuple)):
        return values
    if len(values) <= layer:
        sentence = f"{keys.path(name)} must have a number for each layer, got {len(values)}"
        raise InputError("E_SHAPE", name, sentence)
    return values[layer]


def _base_alone(row, keys, spellings):
    """The base alone: these classes read no rope parameters."""
    for name in (*spellings, "partial_rotary_factor"):
        keys.ignore(name, NOT_READ)
    written = row.other_names.get("rope_theta", "rope_theta")
    base = keys.entries.get("rope_theta", Entry(keys.prefix + written, row.rope_theta, in_file=False))
    parameters = Keys({}, keys.prefix, keys.log)
    parameters.entries["rope_theta"] = base
    return {ALL: parameters}


def _fixed(row, keys, spellings):
    """The base that the code fixes."""
    keys.ignore("rope_theta", NOT_READ)
    keys.entries["rope_theta"] = Entry(f"{keys.prefix}base", row.rope_theta, in_file=False)
    return _base_alone(row, keys, spellings)


def _ultrabert(row, keys, spellings):
    """A base for each layer in the published files, which rope parameters replace."""
    bases = keys.peek("rope_theta")
    if bases is not None and "rope_parameters" not in keys and not isinstance(bases, (list, tuple)):
        sentence = f"{keys.path('rope_theta')} of {row.model_type} must be a list, got {shown(bases)}"
        raise InputError("E_NUMBER", "rope_theta", sentence)
    if spellings or bases is None or "rope_parameters" in keys:
        keys.leave_out("rope_theta", "this class reads a list of them, without rope parameters")
        return by_layer_type(row, keys, spellings)
    types = keys.names("layer_types", default=("full_attention", "sliding_attention"))
    bases = dict(zip(types, keys.numbers("rope_theta", "the base of each layer")))
    keys.entries.pop("rope_theta")
    return by_layer_type(row, keys, {"rope_theta": {label: {"rope_theta": base} for label, base in bases.items()}})


# -- types with code beside their weights -----------------------------------------------------------------------------


def _outer_keys(row, keys, spellings):
    """The keys at the top of the file alone: this code reads no scaling."""
    for name in spellings:
        keys.ignore(name, "the code of this type does not read it")
    return {ALL: for_all_layers(keys, [])}


def _baichuan(row, keys, spellings):
    """7B is rotary, 13B of the same name is ALiBi; neither file says which."""
    size = keys.integer("hidden_size", "4096 is 7B, which is rotary, and 5120 is 13B, which is ALiBi")
    if size == 5120:
        return {}
    if size != 4096 and "max_position_embeddings" not in keys:
        sentence = (
            "hidden_size must be 4096 (7B, rotary) or 5120 (13B, ALiBi) where there is no max_position_embeddings, got"
            f" {size}"
        )
        raise InputError("E_MISSING", "hidden_size", sentence)
    return _outer_keys(row, keys, spellings)


def _chatglm(row, keys, spellings):
    """A base 10000 rope_ratio; half of a head is rotated."""
    if keys.peek("position_encoding_2d"):
        path = keys.path("position_encoding_2d")
        raise InputError("E_CHOICE", "position_encoding_2d", f"{path} must be false, got true (ChatGLM-6B)")
    ratio = keys.number("rope_ratio", "multiplies the base 10000", 1.0)
    sets = _outer_keys(row, keys, spellings)
    base = Entry(keys.path("rope_ratio"), row.rope_theta * ratio, in_file="rope_ratio" in keys)
    sets[ALL].entries["rope_theta"] = base
    return sets


def _internlm2(row, keys, spellings):
    """As Llama, with linear and dynamic scaling alone."""
    parameters = flat_set(row, keys, spellings)
    if parameters.peek("rope_type", "default") not in ("default", "linear", "dynamic"):
        sentence = (
            f"{parameters.path('rope_type')} must be linear or dynamic, got {shown(parameters.peek('rope_type'))}"
        )
        raise InputError("E_CHOICE", "rope_type", sentence)
    return {ALL: parameters}


def _minimax_text_01(row, keys, spellings):
    """rotary_dim in place of partial_rotary_factor."""
    sets = _outer_keys(row, keys, spellings)
    if "rotary_dim" in keys:
        sets[ALL].entries["rotary_dim"] = keys.entries["rotary_dim"]
    return sets


def _nomic_bert(row, keys, spellings):
    """A base and a part by names of its own; with rotary_scaling_factor the base grows with the length."""
    if keys.peek("rotary_emb_scale_base"):
        path = keys.path("rotary_emb_scale_base")
        sentence = (
            f"{path} must be null, got {shown(keys.peek('rotary_emb_scale_base'))}, which is xPos (refpos.rotary.xpos)"
        )
        raise InputError("E_CHOICE", "rotary_emb_scale_base", sentence)
    for name in ("rope_theta", "partial_rotary_factor"):
        if name not in keys:
            written = row.other_names[name]
            sentence = f"{keys.prefix}{written} must be given where n_embd is, got {keys.described()}"
            raise InputError("E_NUMBER", written, sentence)
    sets = _outer_keys(row, keys, spellings)
    if "rotary_scaling_factor" in keys:
        factor = keys.entries["rotary_scaling_factor"]
        sets[ALL].entries |= {"factor": factor, "rope_type": Entry(factor.path, "dynamic")}
        keys.entries.pop("max_position_embeddings", None)
        keys.rename("max_trained_positions", "max_position_embeddings")
    return sets


RULES = {
    "baichuan": _baichuan,
    "chatglm": _chatglm,
    "clvp_encoder": _fixed,
    "cohere2_moe": _cohere2_moe,
    "cosmos3_edge_text": _cosmos3_edge,
    "deepseek_v4": deepseek_v4,
    "dots3_note_text": dots3_note,
    "esm": _base_alone,
    "evolla_protein_encoder": _base_alone,
    "internlm2": _internlm2,
    "lfm3": _lfm3,
    "minimax_m2": _minimax_m2,
    "minimax_text_01": _minimax_text_01,
    "molmo2_text": _molmo2,
    "neomme": _neomme,
    "nomic_bert_custom": _nomic_bert,
    "qwen": _outer_keys,
    "seamless_m4t": _base_alone,
    "stablelm_epoch": _outer_keys,
    "step3p5": _step3p5,
    "ultrabert": _ultrabert,
    "wav2vec2-bert": _base_alone,
    "wav2vec2-conformer": _base_alone,
}


def sets_of_keys(row, keys):
    """{layer type, or "all": the Keys of its rope parameters}, by the rule of the type or in the common spellings."""
    if row.ignores_outer_partial_rotary_factor:
        keys.leave_out("partial_rotary_factor", f"this class sets it to {row.partial_rotary_factor}")
    if row.rope_scaling_replaces and "rope_scaling" in {*keys.entries, *keys.nulls}:
        _replace_rope_parameters(row, keys)
    spellings = {name: keys.dictionary(name) for name in SPELLINGS if keys.dictionary(name)}
    if row.layer_types_alone:
        _check_layer_types(row, keys)
    sets = RULES.get(row.model_type, by_layer_type)(row, keys, spellings)
    if row.axial is not None or row.rotated_layers == "layer_rope_theta":
        one_set(keys, sets)
    if not row.is_custom and not {ALL, "unscaled"} & {*sets}:
        keys.leave_out(
            LENGTH, "transformers reads it beside one set for all layers, not beside one for each layer type"
        )
    return sets


def _replace_rope_parameters(row, keys):
    """Leave out rope_parameters beside rope_scaling, which must hold something then."""
    if not keys.dictionary("rope_scaling"):
        received = "null" if "rope_scaling" in keys.nulls else "no key"
        sentence = f"{keys.prefix}rope_scaling replaces rope_parameters of {row.model_type}, and must hold"
        raise InputError("E_NUMBER", "rope_parameters", f"{sentence} an object for each layer type, got {received}")
    keys.leave_out("rope_parameters", "rope_scaling replaces it")


def _check_layer_types(row, keys):
    """Refuse keys of rope_parameters that are no layer types."""
    for name in keys.dictionary("rope_parameters"):
        if name not in ("full_attention", "sliding_attention"):
            path = f"{keys.prefix}rope_parameters"
            sentence = f"{path} of {row.model_type} must hold full_attention and sliding_attention alone"
            raise InputError("E_CHOICE", "rope_parameters", f"{sentence}, got {shown(name)}")
