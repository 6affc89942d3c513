"""Which layers of a model are rotated, and by which table."""

from ..errors import InputError
from . import facts
from .keys import MOST_LAYERS
from .parameters import ALL


def read(keys, kind, tables):
    """For each layer the name of its table, or None; an empty tuple where all layers are alike and not counted."""
    types = _types(keys, kind)
    if types is None:
        return ()
    named = [_table(kind, label, tables) for label in types]
    named = [name if rotated else None for name, rotated in zip(named, _rotated(keys, kind, types))]
    if kind == "molmo2_text" and "unscaled" in tables:
        scaled = keys.listed("rope_scaling_layers", "which layers have the scaling", list(range(len(types))))
        named = ["scaled" if i in scaled else "unscaled" for i in range(len(types))]
    return tuple(named)


def _table(kind, label, tables):
    if kind == "deepseek_v4":
        return "main" if label == "sliding_attention" else "compress"
    if label in facts.NO_ATTENTION:
        return None
    if ALL in tables:
        return ALL
    if label in tables:
        return label if tables[label] is not None else None
    if "unscaled" in tables:
        return "scaled"
    sentence = f"rope_parameters must hold every layer type, got none for {label}"
    raise InputError("E_MISSING", "rope_parameters", sentence)


def _rotated(keys, kind, types):
    if kind in facts.NO_ROPE_LAYERS:
        step = keys.whole("no_rope_layer_interval", "every such layer is not rotated", 4)
        default = [int((i + 1) % step != 0) for i in range(len(types))]
        flags = keys.listed("no_rope_layers", "1 for the layers that are rotated", default) or default
        if len(flags) < len(types):
            sentence = f"no_rope_layers must have a number for each of {len(types)} layers, got {len(flags)}"
            raise InputError("E_SHAPE", "no_rope_layers", sentence)
        return [bool(flag) for flag in flags[: len(types)]]
    if kind not in facts.SLIDING_ONLY:
        return [True] * len(types)
    if kind in facts.ALL_WITHOUT_WINDOW and "sliding_window" in keys.nulls:
        return [True] * len(types)
    if kind == "cohere2_moe" and keys.peek("prefix_dense_sliding_window_pattern") == 1:
        dense = keys.names("mlp_layer_types", default=())
        return [label == "sliding_attention" or i < len(dense) and dense[i] == "dense" for i, label in enumerate(types)]
    return [label == "sliding_attention" for label in types]


def _types(keys, kind):
    """The type of each layer, as the file says or as the class of the model makes it."""
    for name in ("layer_types", "layers_block_type"):
        if name in keys:
            return keys.names(name, "the type of each layer")
    if kind == "minimax_text_01" and "attn_type_list" in keys:
        flags = keys.numbers("attn_type_list", "1 for the layers that are rotated, 0 for linear attention")
        return ["full_attention" if flag == 1 else "linear_attention" for flag in flags]
    if kind not in facts.LAYERS:
        return None
    count = _count(keys, kind)
    full = _full(keys, kind, count)
    if full is None:
        return _own_pattern(kind, count)
    return ["full_attention" if i in full else "sliding_attention" for i in range(count)]


def _count(keys, kind):
    return keys.whole("num_hidden_layers", "the number of layers", facts.LAYERS[kind], 0, MOST_LAYERS)


def _full(keys, kind, count):
    """The layers with full attention, or None where others are not all sliding."""
    if kind in facts.ONE_TYPE or kind in OWN:
        return None
    if kind in facts.EVERY or kind in facts.FROM_FIRST:
        name, step = facts.EVERY.get(kind) or facts.FROM_FIRST[kind]
        step = keys.whole(name, "which layers have full attention", step) if name else step
        full = set(range(0 if kind in facts.FROM_FIRST else step - 1, count, step))
        return full | ({count - 1} if kind in facts.LAST_IS_FULL else set())
    return set(range(count))


def _own_pattern(kind, count):
    if kind in facts.ONE_TYPE:
        return [facts.ONE_TYPE[kind]] * count
    return [OWN[kind](i, count) for i in range(count)]


def _deepseek_v4(i, count):
    return "heavily_compressed_attention" if i < 2 or i % 2 == 0 else "compressed_sparse_attention"


def _dots3_note(i, count):
    return "indexed_attention" if i < 2 or i % 4 == 1 else "sliding_attention"


def _flint(i, count):
    return "full_attention" if i < 2 or i % 4 == 1 or i == count - 1 else "sliding_attention"


def _lfm3(i, count):
    return "full_attention" if i % 4 == 2 else "sliding_attention" if i % 4 == 0 and i > 0 else "conv"


def _mimo(i, count):
    return "full_attention" if i == 0 or not (i + 1) % 6 else "sliding_attention"


OWN = {
    "deepseek_v4": _deepseek_v4,
    "dots3_note_text": _dots3_note,
    "flint": _flint,
    "lfm3": _lfm3,
    "mimo_v2_flash": _mimo,
}


def bases(keys, kind, base):
    """The base of each layer, 0 where it is not rotated."""
    count = _count(keys, kind)
    full = [(count - 1 - i) % 4 == 0 for i in range(count)]
    default = [0 if bare and kind.startswith("muse") else base for bare in full]
    found = keys.numbers("layer_rope_theta", "the base of each layer, 0 for none", default)
    if len(found) != count:
        sentence = f"layer_rope_theta must have a number for each of {count} layers, got {len(found)}"
        raise InputError("E_SHAPE", "layer_rope_theta", sentence)
    return found


def named(base):
    """The name of the table with that base."""
    return f"rope_theta {base:g}" if base else None
