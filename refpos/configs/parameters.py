"""Rope parameters in each of their spellings: one set of keys for each layer type, or one for all layers."""

from ..errors import InputError, InputTypeError
from . import facts, others
from .keys import Keys, contradiction

ALL = "all"
SPELLINGS = ("rope_parameters", "rope_scaling")


def read(keys, kind):
    """{layer type: its Keys}, with rope_type, rope_theta and partial_rotary_factor among them where a file has them."""
    for key, names in (("rope_theta", facts.BASE_NAMES), ("partial_rotary_factor", facts.PARTIAL_NAMES)):
        if kind in names:
            keys.rename(names[kind], key)
    if kind in facts.PARTIAL_BELOW:
        keys.ignore("partial_rotary_factor", f"this class sets it to {facts.PARTIAL[kind]}")
        keys.entries.pop("partial_rotary_factor", None)
    given = {name: keys.dictionary(name) for name in SPELLINGS if keys.dictionary(name)}
    if kind in SPECIAL:
        return SPECIAL[kind](keys, kind, given)
    if kind in facts.TWO_BASES:
        return _two_bases(keys, kind, given)
    if not given and kind in facts.PARAMETERS:
        return _default(keys, kind)
    parts = {name: _split(keys, name, values, kind) for name, values in given.items()}
    types = list(dict.fromkeys(label for _, nested in parts.values() for label in nested))
    if not types:
        if kind in facts.NESTED_ONLY:
            place = keys.place + (next(iter(given)) if given else "rope_parameters")
            raise InputError(
                "E_NUMBER", "rope_parameters", f"{place} must hold an object for each layer type, got none"
            )
        return {ALL: _flat(keys, kind, [flat for flat, _ in parts.values()])}
    return {label: _of_type(keys, kind, label, parts) for label in types}


def single(keys, kind):
    """The one set of Keys of a type whose layers are alike."""
    found = read(keys, kind)
    if ALL not in found:
        sentence = f"{keys.place}rope_parameters must be one set for all layers, got one for each of {', '.join(found)}"
        raise InputError("E_CHOICE", "rope_parameters", sentence)
    return found[ALL]


def _split(keys, name, values, kind):
    """The flat keys below a spelling, and those of each layer type; a layer type with null has no rotation."""
    nested = {label: value for label, value in values.items() if isinstance(value, dict)}
    flat = {label: value for label, value in values.items() if label not in nested}
    types = facts.PARAMETERS.get(kind, {})
    nothing = [
        label for label, value in flat.items() if value is None and (label in types or label.endswith("attention"))
    ]
    for label in nothing if nested else ():
        nested[label] = None
    return _own(flat, f"{keys.place}{name}.", keys, kind), nested


def _own(values, place, keys, kind):
    """Keys of one set: the type under its one name."""
    found = Keys(values, place, keys.account)
    synonyms = {**(facts.MROPE_TYPE if kind in facts.MROPE else {}), **facts.SYNONYMS.get(kind, {})}
    named = {name: found.peek(name) for name in ("rope_type", "type") if name in found}
    meant = {name: synonyms.get(value, value) if isinstance(value, str) else value for name, value in named.items()}
    if len(set(map(str, meant.values()))) > 1:
        raise contradiction(found.where("type"), named["type"], found.where("rope_type"), named["rope_type"])
    if "type" in named:
        if "rope_type" not in named:
            found.entries["rope_type"] = found.entries["type"]
        else:
            found.account.used[found.where("type")] = "says the same as rope_type"
        del found.entries["type"]
    if meant:
        place, written = found.entries["rope_type"]
        found.entries["rope_type"] = place, next(iter(meant.values()))
        if written != next(iter(meant.values())):
            found.account.used[place] = f"{written} means {next(iter(meant.values()))} here"
        if not isinstance(written, str):
            raise InputTypeError("E_CHOICE", "rope_type", f"{place} must name a scaling, got {written!r}")
    return found


def _flat(keys, kind, spellings):
    """One set for all layers: both spellings, then the keys at the top of the file."""
    found = spellings[0] if spellings else Keys({}, keys.place, keys.account)
    for other in spellings[1:]:
        types = [spelling.peek("rope_type", "default") for spelling in (found, other)]
        if types[0] != types[1]:
            raise contradiction(found.where("rope_type"), types[0], other.where("rope_type"), types[1])
        found.join(other)
    _outer(found, keys, kind)
    return found


def _outer(found, keys, kind):
    """Add rope_theta and partial_rotary_factor from the top of the file."""
    for name in ("rope_theta", "partial_rotary_factor"):
        if name in keys:
            if name in found and found.peek(name) != keys.peek(name):
                raise contradiction(found.where(name), found.peek(name), keys.where(name), keys.peek(name))
            if name in found:
                keys.take(name, f"says the same as {found.where(name)}")
            else:
                found.entries[name] = keys.entries[name]


def _of_type(keys, kind, label, parts):
    sets = [_own(nested[label], f"{keys.place}{name}.{label}.", keys, kind)
            for name, (_, nested) in parts.items() if nested.get(label) is not None]  # fmt: skip
    if not sets:
        return None
    found = sets[0]
    for other in sets[1:]:
        found.join(other)
    for flat, _ in parts.values():
        if "truncate" in flat and found.peek("rope_type") == "yarn":
            found.ignore("truncate", "read beside the layer types, not in them")
            found.entries["truncate"] = flat.entries["truncate"]
        elif "truncate" in found and found.peek("rope_type") == "yarn":
            found.ignore("truncate", "transformers reads it beside the layer types and not in them: it is true")
            del found.entries["truncate"]
        flat.ignore_rest("rope parameters are given for each layer type")
    for name in ("rope_theta", "partial_rotary_factor"):
        if name in keys and name not in found and kind not in facts.NESTED_ONLY:
            found.entries[name] = keys.entries[name]
        else:
            keys.ignore(name, "rope parameters are given for each layer type")
    return found


def _default(keys, kind):
    """The parameters that the class of the model has, with rope_theta from the file."""
    found, given = {}, facts.PARAMETERS[kind]
    nested = any(value is None or isinstance(value, dict) for value in given.values())
    for label, values in (given if nested else {ALL: given}).items():
        if values is None:
            found[label] = None
            continue
        place = f"{keys.place}rope_parameters." + (f"{label}." if nested else "")
        found[label] = Assumed(values, place, keys.account)
        if not nested:
            for name in ("rope_theta", "partial_rotary_factor"):
                if name in keys and name not in found[label]:
                    found[label].entries[name] = keys.entries[name]
    if kind in facts.NESTED_ONLY or "rope_theta" in given:
        keys.ignore("rope_theta", "the class of the model has rope parameters of its own, and they hold a base")
    return found


class Assumed(Keys):
    """Keys that stand in no file: what is taken from them is noted as assumed."""

    def take(self, name, decides, default=None):
        if name in self.entries and self.entries[name][0].startswith(self.place):
            place, value = self.entries[name]
            self.account.assumed[place] = value
            return value
        return super().take(name, decides, default)

    def ignore_rest(self, why):
        pass


def _two_bases(keys, kind, given):
    """Full and sliding attention with a base each, from flat keys or from nested ones."""
    bases, scaled = facts.TWO_BASES[kind][:2], facts.TWO_BASES[kind][2]
    parts = {name: _split(keys, name, values, kind) for name, values in given.items()}
    found = {}
    for label, (name, default) in zip(facts.NESTED, bases):
        sets = [_own(nested[label], f"{keys.place}{spelling}.{label}.", keys, kind)
                for spelling, (_, nested) in parts.items() if nested.get(label)]  # fmt: skip
        found[label] = sets[0] if sets else Keys({}, f"{keys.place}rope_parameters.{label}.", keys.account)
        for other in sets[1:]:
            found[label].join(other)
        if "rope_scaling" in parts and label in scaled:
            found[label].join(parts["rope_scaling"][0])
        found[label].ignore("truncate", "transformers reads it beside the layer types and not in them: it is true")
        found[label].entries.pop("truncate", None)
        if name in keys:
            if "rope_theta" in found[label]:
                keys.ignore(name, f"{found[label].where('rope_theta')} is the base")
            else:
                found[label].entries["rope_theta"] = keys.entries[name]
        elif "rope_theta" not in found[label]:
            keys.account.assumed[keys.place + (name or f"rope_parameters.{label}.rope_theta")] = default
            found[label].entries["rope_theta"] = (f"{keys.place}{name}", default)
    if "rope_parameters" in parts:
        parts["rope_parameters"][0].ignore_rest("rope parameters are given for each layer type")
    return found


# -- models that read these keys in a way of their own ----------------------------------------------------------------


def _deepseek_v4(keys, kind, given):
    """Two tables, main and compress: the scaling is that of compress alone."""
    nope = keys.width("qk_rope_head_dim", "the width of the rotary part")
    head_dim = keys.width("head_dim", "the width of a head", facts.TYPES[kind][2])
    share = keys.number("partial_rotary_factor", "the part of a head that is rotated")
    share = share if share is not None else nope / head_dim if nope is not None else facts.PARTIAL[kind]
    flat = {name: values for spelling in given.values() for name, values in spelling.items()}
    found = {}
    for label, name, default in (("main", "rope_theta", 1e4), ("compress", "compress_rope_theta", 160000.0)):
        spelling = next(iter(given), "rope_parameters")
        if isinstance(flat.get("main"), dict) and isinstance(flat.get("compress"), dict):
            found[label] = _own(flat[label], f"{keys.place}{spelling}.{label}.", keys, kind)
            keys.ignore(name, "rope parameters are given for main and compress")
        else:
            values = {} if label == "main" else {k: v for k, v in flat.items() if k not in ("main", "compress")}
            found[label] = _own(values, f"{keys.place}{spelling}.", keys, kind)
            base = keys.take(name, f"the base of {label}", default)
            found[label].entries["rope_theta"] = keys.where(name), base
            if found[label].peek("rope_type") == "yarn" and "attention_factor" not in found[label]:
                found[label].entries["attention_factor"] = f"{keys.place}rope_parameters.attention_factor", 1.0
        found[label].entries.setdefault("partial_rotary_factor", (keys.where("partial_rotary_factor"), share))
    return found


def _dots3_note(keys, kind, given):
    """A base for each layer type; the rotary part is qk_rope_head_dim of a head."""
    types = sorted({*keys.names("layer_types", default=("indexed_attention", "sliding_attention"))})
    found, flat = {}, {k: v for spelling in given.values() for k, v in spelling.items()}
    share = keys.width("qk_rope_head_dim", "the width of the rotary part", 64) / keys.width("head_dim", "a head", 256)
    for label in types:
        spelling = next(iter(given), "rope_parameters")
        values, inner = (flat[label], f"{label}.") if isinstance(flat.get(label), dict) else (flat, "")
        found[label] = _own(values, f"{keys.place}{spelling}.{inner}", keys, kind)
        sliding = label == "sliding_attention"
        name = "swa_rope_theta" if sliding and not flat else "rope_theta"
        default = 50000.0 if sliding and not flat else facts.TYPES[kind][4]
        if "rope_theta" not in found[label]:
            found[label].entries["rope_theta"] = keys.where(name), keys.take(name, f"the base of {label}", default)
        found[label].entries["partial_rotary_factor"] = keys.where("qk_rope_head_dim"), share
    return found


def _neomme(keys, kind, given):
    """A base and a part for each layer type."""
    found = {}
    for label, base, share in (("full_attention", 1e6, 0.25), ("sliding_attention", 1e4, 1.0)):
        values = given.get("rope_parameters", {}).get(label) or {}
        found[label] = _own(values, f"{keys.place}rope_parameters.{label}.", keys, kind)
        if "rope_theta" not in found[label]:
            found[label].entries["rope_theta"] = keys.where("rope_theta"), keys.take("rope_theta", "the base", base)
        else:
            keys.ignore("rope_theta", "rope parameters are given for each layer type")
        found[label].entries.setdefault("partial_rotary_factor", (found[label].place + "partial_rotary_factor", share))
    keys.ignore("rope_scaling", "this class does not read it")
    return found


def _step(keys, kind, given):
    """Lists with a base and a part for each layer, or nested parameters; the scaling is for full attention."""
    layers = keys.names("layer_types") or ["full_attention"]
    flat = given.get("rope_parameters", {})
    types = list(dict.fromkeys(layers))
    if all(isinstance(flat.get(label), dict) for label in types):
        return {label: _own(flat[label], f"{keys.place}rope_parameters.{label}.", keys, kind) for label in types}
    bases = keys.take("rope_theta", "the base, of each layer where it is a list", facts.TYPES[kind][4])
    shares = keys.take("partial_rotary_factors", "the part of a head that is rotated, for each layer")
    found = {}
    for label in types:
        i = layers.index(label)
        scaling = given.get("rope_scaling", {}) if label == "full_attention" else {}
        found[label] = _own(scaling, f"{keys.place}rope_scaling.", keys, kind)
        for name, values in (("rope_theta", bases), ("partial_rotary_factor", shares)):
            if values is None or name in found[label]:
                continue
            if isinstance(values, (list, tuple)) and len(values) <= i:
                sentence = f"{keys.where(name)} must have a number for each layer, got {len(values)}"
                raise InputError("E_SHAPE", name, sentence)
            found[label].entries[name] = keys.where(name), values[i] if isinstance(values, (list, tuple)) else values
    return found


def _minimax_m2(keys, kind, given):
    """rotary_dim in place of partial_rotary_factor."""
    sets = [_split(keys, name, values, kind)[0] for name, values in given.items()]
    found = _flat(keys, kind, sets)
    if "rotary_dim" in keys and "partial_rotary_factor" not in found:
        width = keys.width("rotary_dim", "the width of the rotary part")
        head_dim = keys.width("head_dim", "the width of a head", facts.TYPES[kind][2])
        found.entries["partial_rotary_factor"] = keys.where("rotary_dim"), width / head_dim
    return {ALL: found}


# -- types with code beside their weights -----------------------------------------------------------------------------


def _own_code(keys, kind, given):
    """The keys at the top of the file alone: this code reads no scaling."""
    for name in given:
        keys.ignore(name, "the code of this type does not read it")
    return {ALL: _flat(keys, kind, [])}


def _baichuan(keys, kind, given):
    """7B is rotary, 13B of the same name is ALiBi; neither file says which."""
    size = keys.whole("hidden_size", "4096 is 7B, which is rotary, and 5120 is 13B, which is ALiBi")
    if size not in (4096, 5120) and "max_position_embeddings" not in keys:
        sentence = "hidden_size must be given (4096: 7B, rotary; 5120: 13B, ALiBi) or max_position_embeddings, got none"
        raise InputError("E_MISSING", "hidden_size", sentence)
    if size == 5120:
        sentence = f"{kind} must have a rotary encoding, got 13B, which encodes positions by {others.ALIBI}"
        raise InputError("E_MISSING", "model_type", sentence)
    return _own_code(keys, kind, given)


def _chatglm(keys, kind, given):
    """A base 10000 rope_ratio; half of a head is rotated."""
    if keys.peek("position_encoding_2d"):
        place = keys.where("position_encoding_2d")
        raise InputError("E_CHOICE", "position_encoding_2d", f"{place} must be false, got true (ChatGLM-6B)")
    ratio = keys.number("rope_ratio", "multiplies the base 10000", 1.0)
    found = _own_code(keys, kind, given)
    found[ALL].entries["rope_theta"] = keys.where("rope_ratio"), 10000.0 * ratio
    return found


def _internlm2(keys, kind, given):
    """As Llama, with linear and dynamic scaling alone."""
    found = _flat(keys, kind, [_split(keys, name, values, kind)[0] for name, values in given.items()])
    if found.peek("rope_type", "default") not in ("default", "linear", "dynamic"):
        sentence = f"{found.where('rope_type')} must be linear or dynamic, got {found.peek('rope_type')!r}"
        raise InputError("E_CHOICE", "rope_type", sentence)
    return {ALL: found}


def _minimax_text_01(keys, kind, given):
    """rotary_dim in place of partial_rotary_factor."""
    found = _own_code(keys, kind, given)
    if "rotary_dim" in keys:
        found[ALL].entries["rotary_dim"] = keys.entries["rotary_dim"]
    return found


def _nomic_bert(keys, kind, given):
    """A base and a part by names of its own; with rotary_scaling_factor the base grows with the length."""
    if keys.peek("rotary_emb_scale_base"):
        place = keys.where("rotary_emb_scale_base")
        sentence = f"{place} must be null, got {keys.peek('rotary_emb_scale_base')!r}, which is xPos (refpos.xpos)"
        raise InputError("E_CHOICE", "rotary_emb_scale_base", sentence)
    for name, written in (("rope_theta", "rotary_emb_base"), ("partial_rotary_factor", "rotary_emb_fraction")):
        if name not in keys:
            sentence = f"{keys.place}{written} must be given where n_embd is, got a configuration without it"
            raise InputError("E_NUMBER", written, sentence)
    found = _own_code(keys, kind, given)
    if "rotary_scaling_factor" in keys:
        found[ALL].entries["factor"] = keys.entries["rotary_scaling_factor"]
        found[ALL].entries["rope_type"] = keys.where("rotary_scaling_factor"), "dynamic"
        keys.entries.pop("max_position_embeddings", None)
        keys.rename("max_trained_positions", "max_position_embeddings")
    return found


SPECIAL = {
    "baichuan": _baichuan,
    "chatglm": _chatglm,
    "deepseek_v4": _deepseek_v4,
    "dots3_note_text": _dots3_note,
    "internlm2": _internlm2,
    "minimax_m2": _minimax_m2,
    "minimax_text_01": _minimax_text_01,
    "neomme": _neomme,
    "nomic_bert_custom": _nomic_bert,
    "qwen": _own_code,
    "stablelm_epoch": _own_code,
    "step3p5": _step,
}
