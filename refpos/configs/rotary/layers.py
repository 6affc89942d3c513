"""Which layers of a model are rotated, and by which table."""

from ...errors import InputError, shown
from ..keys import MOST_LAYERS, Entry
from .rope_parameters import ALL, one_set
from .two_bases import full_type_of_dots3_note, with_full_type_of_dots3_note

#: layer types without attention among tokens, and so without a rotation
NO_ATTENTION = frozenset(
    "conv cross_attention hybrid_mamba linear_attention mamba mamba2 mamba_ssm moe recurrent"
    " recurrent_attention".split()
)
LISTS = ("layer_types", "layers_block_type")
PREFIX = "prefix_dense_sliding_window_pattern"


def table_of_each_layer(row, keys, tables):
    """For each layer the name of its table in `tables`, or None; an empty tuple where all are alike and not counted."""
    names = _names(row, keys, tables)
    if tables and not names:
        one_set(keys, tables)
    return names


def _names(row, keys, tables):
    """`table_of_each_layer`, where tables may be those of layer types that no layer is known to have."""
    types = _layer_types(row, keys)
    if types is None:
        return ()
    if "unscaled" in tables:
        scaled = keys.sequence("rope_scaling_layers", "which layers have the scaling", list(range(len(types))))
        return tuple("scaled" if i in scaled else "unscaled" for i in range(len(types)))
    names = [_table(row, layer_type, tables) for layer_type in types]
    if row.rotated_layers == "layer_rope_theta flags":
        rotated = _bases(row, keys, tables[ALL].base, "0 for layers without a rotation")
    else:
        rotated = _rotated(row, keys, types)
    return tuple(name if flag else None for name, flag in zip(names, rotated))


def _table(row, layer_type, tables):
    """The name of the table of a layer type, or None."""
    if row.model_type == "deepseek_v4":
        return "main" if layer_type == "sliding_attention" else "compress"
    if layer_type in NO_ATTENTION:
        return None
    if ALL in tables:
        return ALL
    if layer_type in tables:
        return layer_type if tables[layer_type] is not None else None
    sentence = f"rope_parameters must hold every layer type, {layer_type} too, got {', '.join(tables)}"
    raise InputError("E_MISSING", "rope_parameters", sentence)


def _rotated(row, keys, types):
    """Whether each layer is rotated, by its type or by the keys of the file."""
    sliding = [layer_type == "sliding_attention" for layer_type in types]
    if row.rotated_layers == "no_rope_layers":
        return _flags(keys, len(types))
    if row.rotated_layers == "sliding_window":
        return [True] * len(types) if "sliding_window" in keys.nulls else sliding
    if row.rotated_layers != "sliding":
        return [True] * len(types)
    if row.model_type == "cohere2_moe" and keys.integer(PREFIX, "dense layers are all rotated where it is 1", 1) == 1:
        dense = _dense_layers(keys, len(types))
        return [rotated or i in dense for i, rotated in enumerate(sliding)]
    return sliding


def _dense_layers(keys, count):
    """The numbers of the layers of cohere2_moe without experts."""
    kinds = keys.names("mlp_layer_types", "which layers are dense, and so rotated")
    if kinds is not None:
        return {i for i, kind in enumerate(kinds) if kind == "dense"}
    return {*range(min(count, keys.integer("first_k_dense_replace", "the number of dense layers, rotated", 0, 0)))}


def _flags(keys, count):
    """The flags of no_rope_layers, which are 1 for the layers that are rotated."""
    step = keys.integer("no_rope_layer_interval", "every such layer is not rotated", 4)
    default = [int((i + 1) % step != 0) for i in range(count)]
    flags = keys.numbers("no_rope_layers", "1 for the layers that are rotated", default) or default
    if len(flags) < count:
        sentence = f"no_rope_layers must have a number for each of {count} layers, got {len(flags)}"
        raise InputError("E_SHAPE", "no_rope_layers", sentence)
    wrong = [flag for flag in flags if flag not in (0, 1)]
    if wrong:
        sentence = f"{keys.path('no_rope_layers')} must hold 0 and 1, got {shown(wrong[0])}"
        raise InputError("E_CHOICE", "no_rope_layers", sentence)
    return [flag == 1 for flag in flags[:count]]


# -- the type of each layer -------------------------------------------------------------------------------------------


def _layer_types(row, keys):
    """The type of each layer, as the file says or as the class of the model makes it; None where all are alike."""
    for name in LISTS:
        if name in keys:
            for rule in filter(None, (row.layer_pattern, row.layer_indices, row.layer_cycle)):
                keys.ignore(rule.key, f"{name} has the type of each layer")
            types, count = keys.names(name, "the type of each layer"), keys.peek("num_hidden_layers")
            if row.layer_pattern is not None and row.layer_pattern.last_is_forced and types:
                types = [*types[:-1], "full_attention"]
            if row.model_type == "dots3_note_text":
                keys.ignore("use_sliding_window", f"{name} has the type of each layer")
                types = with_full_type_of_dots3_note(keys, types)
            if isinstance(count, int) and len(types) < count:
                sentence = f"{keys.path(name)} must have a type for each of {count} layers, got {len(types)}"
                raise InputError("E_SHAPE", name, sentence)
            return types
    if row.model_type == "minimax_text_01" and "attn_type_list" in keys:
        flags = keys.numbers("attn_type_list", "1 for the layers that are rotated, 0 for linear attention")
        return ["full_attention" if flag == 1 else "linear_attention" for flag in flags]
    if row.num_hidden_layers is None:
        return None
    count = _count(row, keys)
    key, by_keys = OF_KEYS.get(row.model_type, (None, None))
    if by_keys is not None and (key is None or key in keys):
        return by_keys(row, keys, count)
    if row.model_type in PATTERNS:
        return [PATTERNS[row.model_type](i, count) for i in range(count)]
    if row.layer_pattern is not None:
        return _by_pattern(keys, row.layer_pattern, count)
    if row.layer_indices is not None:
        return _by_indices(keys, row.layer_indices, count)
    if row.layer_cycle is not None:
        return _by_cycle(keys, row.layer_cycle, count)
    return [row.layer_type or "full_attention"] * count


def _count(row, keys):
    return keys.integer("num_hidden_layers", "the number of layers", row.num_hidden_layers, 0, MOST_LAYERS)


def _by_pattern(keys, pattern, count):
    """Full attention at every n-th layer, and another type at the others."""
    every = pattern.every
    if pattern.key is not None:
        every = keys.integer(pattern.key, "which layers have full attention", every)
    full = set(range(0 if pattern.from_first else every - 1, count, every))
    if pattern.last_is_full or (pattern.one_is_full and not full):
        full.add(count - 1)
    return ["full_attention" if i in full else pattern.others for i in range(count)]


def _by_indices(keys, rule, count):
    """One type at the layers of a list, and another at the others."""
    listed = range(count) if rule.default is None else rule.default
    if rule.key is not None:
        listed = keys.numbers(rule.key, f"the layers of the type {rule.listed}", list(listed))
    listed = {*listed}
    return [rule.listed if i in listed else rule.others for i in range(count)]


def _by_cycle(keys, rule, count):
    """The types of a list, from its first again behind its last."""
    types = keys.names(rule.key, "the types of the layers, which repeat", rule.default)
    if not types:
        raise InputError("E_SHAPE", rule.key, f"{keys.path(rule.key)} must hold one type or more, got none")
    return [types[i % len(types)] for i in range(count)]


#: how many tokens a key stands for in the layers of each type of DeepSeek-V4
RATIOS = {0: "sliding_attention", 4: "compressed_sparse_attention", 128: "heavily_compressed_attention"}


def _by_ratio(row, keys, count):
    """The type of each layer by its ratio; a list may go on behind the last layer."""
    ratios = keys.numbers("compress_ratios", "the type of each layer: 0 has the rotation main, others compress")
    if len(ratios) < count:
        sentence = f"compress_ratios must have a number for each of {count} layers, got {len(ratios)}"
        raise InputError("E_SHAPE", "compress_ratios", sentence)
    if not {*ratios} <= {*RATIOS}:
        sentence = f"compress_ratios must hold 0, 4 and 128, got {shown(min({*ratios} - {*RATIOS}))}"
        raise InputError("E_CHOICE", "compress_ratios", sentence)
    return [RATIOS[ratio] for ratio in ratios[:count]]


def _deepseek_v4(i, count):
    return "heavily_compressed_attention" if i < 2 or i % 2 == 0 else "compressed_sparse_attention"


def _by_windows(row, keys, count):
    """Full attention at the layers whose window is 0 or null."""
    name = "attention_windows"
    windows = keys.sequence(name, "the window of each layer, 0 or null for full attention")
    wrong = [one for one in windows if one is not None and (type(one) is not int or one < 0)]
    if wrong or len(windows) < count:
        received = shown(wrong[0]) if wrong else f"{len(windows)} of them"
        sentence = f"{keys.path(name)} must hold an integer or null for each of {count} layers, got {received}"
        raise InputError("E_SHAPE", name, sentence)
    return ["sliding_attention" if one else "full_attention" for one in windows]


def _types_of_dots3_note(row, keys, count):
    """No layer slides where use_sliding_window is false, or null."""
    name = "use_sliding_window"
    slides = name not in keys.nulls and (name not in keys or keys.flag(name, "whether any layer slides"))
    full = full_type_of_dots3_note(keys)
    return [full if not slides or i < 2 or i % 4 == 1 else "sliding_attention" for i in range(count)]


def _types_of_cohere2_moe(row, keys, count):
    """The pattern of the dense layers, and from its first again that of the others."""
    dense = min(
        count, keys.integer("first_k_dense_replace", "the number of dense layers, with a pattern of their own", 0, 0)
    )
    first = keys.integer(PREFIX, "which dense layers have full attention", 1)
    kinds = ["full_attention" if (i + 1) % first == 0 else "sliding_attention" for i in range(dense)]
    return kinds + _by_pattern(keys, row.layer_pattern, count - dense)


def _flint(i, count):
    return "full_attention" if i < 2 or i % 4 == 1 or i == count - 1 else "sliding_attention"


def _lfm3(i, count):
    return "full_attention" if i % 4 == 2 else "sliding_attention" if i % 4 == 0 and i > 0 else "conv"


def _lfm3_vision(i, count):
    return "conv" if i < 2 or i % 2 else "full_attention"


def _mimo(i, count):
    return "full_attention" if i == 0 or not (i + 1) % 6 else "sliding_attention"


#: {type: (the key without which the class has its pattern, or None; the types by the keys of a file)}
OF_KEYS = {
    "cohere2_moe": (None, _types_of_cohere2_moe),
    "deepseek_v4": ("compress_ratios", _by_ratio),
    "dots3_note_text": (None, _types_of_dots3_note),
    "ultrabert": ("attention_windows", _by_windows),
}
#: types whose layers follow a pattern of their own: (layer, number of layers) to its type
PATTERNS = {
    "deepseek_v4": _deepseek_v4,
    "flint": _flint,
    "lfm3": _lfm3,
    "lfm3_vl_vision": _lfm3_vision,
    "mimo_v2_flash": _mimo,
}


# -- a base for each layer --------------------------------------------------------------------------------------------


def sets_by_base(row, keys, parameters):
    """({name of a table: its Keys}, the name of each layer's table, or None) of layers with a base each."""
    if "layer_rope_theta" in keys:
        base, path, in_file = None, keys.path("layer_rope_theta"), True
    else:
        base = parameters.number("rope_theta", "the base of the layers that are rotated", row.rope_theta)
        path, in_file = parameters.path("rope_theta"), parameters.is_in_file("rope_theta")
    bases = _bases(row, keys, base)
    own = {_name(base): parameters.replaced(rope_theta=Entry(path, base, in_file)) for base in filter(None, bases)}
    return own, tuple(_name(base) if base else None for base in bases)


def _name(base):
    return f"rope_theta {base:g}"


def _bases(row, keys, base, decides="the base of each layer, 0 for none"):
    """The base of each layer, 0 where it is not rotated."""
    count = _count(row, keys)
    every = row.bare_layer_every
    default = [0 if every is not None and (count - 1 - i) % every == 0 else base for i in range(count)]
    bases = keys.numbers("layer_rope_theta", decides, default)
    if len(bases) != count:
        sentence = f"layer_rope_theta must have a number for each of {count} layers, got {len(bases)}"
        raise InputError("E_SHAPE", "layer_rope_theta", sentence)
    return bases
