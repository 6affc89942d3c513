"""Rope parameters of DeepSeek-V4 and dots3-note: two sets, each with a base of its own.

Each rule is one of `model_specific.RULES`.
"""

from ..keys import Entry
from .rope_parameters import NESTED_TRUNCATE, parameter_set


def deepseek_v4(row, keys, spellings):
    """Two tables, main and compress: the scaling is that of compress alone."""
    spelling = next(iter(spellings), "rope_parameters")
    values = {name: value for spelling in spellings.values() for name, value in spelling.items()}
    flat = {name: value for name, value in values.items() if name not in ("main", "compress")}
    nested = all(isinstance(values.get(label), dict) for label in ("main", "compress"))
    share = None if nested else _share_of_deepseek_v4(row, keys)
    sets = {}
    for label, name, base in (("main", "rope_theta", row.rope_theta), ("compress", "compress_rope_theta", 160000.0)):
        if nested:
            sets[label] = parameter_set(row, keys, values[label], f"{spelling}.{label}.")
            if "rope_theta" in sets[label]:
                keys.ignore(name, "there are rope parameters for main and compress")
            elif "rope_theta" in keys:
                sets[label].entries["rope_theta"] = keys.entries["rope_theta"]
        else:
            below = f"{spelling}." if label == "compress" else "rope_parameters.main."
            sets[label] = parameter_set(row, keys, flat if label == "compress" else {}, below)
            set_base(keys, sets[label], name, f"the base of {label}", base)
            if sets[label].peek("rope_type") == "yarn" and "attention_factor" not in sets[label]:
                path = f"{keys.prefix}rope_parameters.attention_factor"
                sets[label].entries["attention_factor"] = Entry(path, 1.0, in_file=False)
            sets[label].ignore("partial_rotary_factor", f"{share.path} replaces it")
            sets[label].entries["partial_rotary_factor"] = share
        if "partial_rotary_factor" not in sets[label]:
            sets[label].entries["partial_rotary_factor"] = _outer_share(keys, sets[label])
        sets[label].leave_out("truncate", "transformers drops truncate beside main and compress, and takes true")
    if nested and "truncate" in flat:
        keys.log.ignored[f"{keys.prefix}{spelling}.truncate"] = "transformers drops every key beside main and compress"
    return sets


def _outer_share(keys, parameters):
    """The part of a head beside main and compress, where they hold none: all of it without that key."""
    keys.ignore("qk_rope_head_dim", "there are rope parameters for main and compress")
    missing = Entry(parameters.path("partial_rotary_factor"), 1.0, in_file=False)
    return keys.entries.get("partial_rotary_factor", missing)


def _share_of_deepseek_v4(row, keys):
    """The `Entry` of the part of a head that is rotated, by either of two keys."""
    rope = keys.width("qk_rope_head_dim", "the width of the rotary part")
    head_dim = keys.width("head_dim", "the width of a head", row.head_dim)
    share = keys.number("partial_rotary_factor", "the part of a head that is rotated")
    if share is None and rope is not None:
        return Entry(keys.path("qk_rope_head_dim"), rope / head_dim)
    path = keys.path("partial_rotary_factor")
    return Entry(path, row.partial_rotary_factor if share is None else share, in_file=share is not None)


def set_base(keys, parameters, name, decides, default):
    """Take the base from a key at the top of the file."""
    parameters.entries["rope_theta"] = Entry(keys.path(name), keys.take(name, decides, default), name in keys)


def dots3_note(row, keys, spellings):
    """A base for each layer type; the rotary part is qk_rope_head_dim of a head."""
    types = keys.names("layer_types", default=(full_type_of_dots3_note(keys), "sliding_attention"))
    labels = sorted({*with_full_type_of_dots3_note(keys, types)})
    spelling = next(iter(spellings), "rope_parameters")
    flat = {name: value for values in spellings.values() for name, value in values.items()}
    rope = keys.width("qk_rope_head_dim", "the width of the rotary part", row.qk_rope_head_dim)
    share = rope / keys.width("head_dim", "a head", row.head_dim)
    sets = {}
    for label in labels:
        if isinstance(flat.get(label), dict):
            sets[label] = parameter_set(row, keys, flat[label], f"{spelling}.{label}.")
        else:
            sets[label] = parameter_set(row, keys, flat, f"{spelling}.")
        own_base = label == "sliding_attention" and not flat and "rope_parameters" not in keys  # {} is no missing one
        name, base = ("swa_rope_theta", 50000.0) if own_base else ("rope_theta", row.rope_theta)
        if "rope_theta" not in sets[label]:
            set_base(keys, sets[label], name, f"the base of {label}", base)
        sets[label].leave_out("truncate", NESTED_TRUNCATE)
        if isinstance(flat.get(label), dict) and "truncate" in flat and sets[label].peek("rope_type") == "yarn":
            sets[label].entries["truncate"] = Entry(f"{keys.prefix}{spelling}.truncate", flat["truncate"])
        name = "qk_rope_head_dim"
        sets[label].entries["partial_rotary_factor"] = Entry(keys.path(name), share, in_file=name in keys)
    return sets


def full_type_of_dots3_note(keys):
    """What layers of full attention are called: with an index, which use_dsa chooses."""
    has_index = "use_dsa" not in keys or keys.flag("use_dsa", "whether full attention has an index")
    return "indexed_attention" if has_index else "full_attention"


def with_full_type_of_dots3_note(keys, types):
    """The types of layers with that of full attention, whichever of the two names a file has."""
    full = full_type_of_dots3_note(keys)
    return [name if name == "sliding_attention" else full for name in types]
