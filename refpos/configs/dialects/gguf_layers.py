"""Which layers of a GGUF file slide, and which are rotated."""

from ...errors import InputError, shown
from ..keys import MOST_LAYERS

FULL, SLIDING = "full_attention", "sliding_attention"
HEADS = "attention.head_count_kv"  # one number, or one for each layer
STEP = 4  # llama.cpp has no key for it


def types_of_layers(row, keys):
    """(the type of each layer, whether each is rotated); (None, None) where all are alike, which need no count."""
    _check_rotated(row, keys)
    if row.recurrent == "interval" or (row.recurrent and isinstance(keys.peek(HEADS), (list, tuple))):
        rotated = _with_attention(row, keys)
        return [FULL] * len(rotated), rotated
    slides = _slides(row, keys)
    if slides is None and row.layers != "step":
        return None, None
    count = _count(keys)
    slides = slides or [False] * count
    return [SLIDING if one else FULL for one in slides], _rotated(row, slides)


def _check_rotated(row, keys):
    """Refuse a file of which no layer is rotated."""
    if row.layers == "finetuned" and keys.take("rope.scaling.finetuned", "whether there is a rotation", True) is False:
        sentence = "rope.scaling.finetuned must be true for a rotation, got False: no layer is rotated"
        raise InputError("E_MISSING", "rope.scaling.finetuned", sentence)
    if row.layers == "blocks" and _count(keys, "32 is the model with a rotation, 40 has ALiBi") != 32:
        sentence = f"block_count must be 32 for a rotation, got {shown(keys.peek('block_count'))}"
        raise InputError("E_CHOICE", "block_count", sentence)


def _count(keys, decides="the number of layers"):
    keys.require("block_count")
    return keys.integer("block_count", decides, maximum=MOST_LAYERS)


def _with_attention(row, keys):
    """Whether each layer of a hybrid has attention."""
    count = _count(keys)
    if row.recurrent == "interval":
        every = keys.integer("full_attention_interval", "which layers have attention", STEP)
        return [(i + 1) % every == 0 for i in range(count)]
    heads = keys.sequence(HEADS, "which layers have attention: those with heads for keys")
    if len(heads) < count:
        raise InputError("E_SHAPE", HEADS, f"{HEADS} must have a number for each of {count} layers, got {len(heads)}")
    return [bool(one) for one in heads[:count]]


def _slides(row, keys):
    """Whether each layer slides, or None where none does."""
    if not row.every:
        return None
    window = keys.integer("attention.sliding_window", "whether layers slide", None, 0)
    if (row.slides == "key" and not window) or (row.slides == "unless 0" and window == 0):
        return None
    count = _count(keys)
    if row.slides == "64 layers" and count != 64:
        return None
    name, decides = "attention.sliding_window_pattern", "which layers slide"
    if isinstance(keys.peek(name), (list, tuple)):
        flags = keys.sequence(name, decides)
        if len(flags) < count:
            sentence = f"{name} must have a flag for each of {count} layers, got {len(flags)}"
            raise InputError("E_SHAPE", name, sentence)
        return [bool(flag) for flag in flags[:count]]
    every = keys.integer(name, decides, row.every, 0)
    full = 0 if row.full_first else every - 1
    return [every == 0 or i % every != full for i in range(count)]


def _rotated(row, slides):
    """Whether each layer is rotated."""
    count = len(slides)
    if row.layers == "sliding":
        return slides
    if row.layers == "step":
        step = count if row.slides == "unless 0" and not any(slides) else STEP
        return [(i + 1) % step != 0 for i in range(count)]
    if row.layers == "step from first":
        return [i % STEP != 0 for i in range(count)]
    return [True] * count
