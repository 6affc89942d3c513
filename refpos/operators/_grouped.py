"""The inputs of grouped attention as `attention` takes them: heads, rotations, cached keys, masks and sinks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import checks
from ..arithmetic.formats import Format
from ..errors import InputError, InputTypeError
from ..steps.rows import doubles
from ..steps.waves import table_rotation
from ..types import Number
from . import _heads, _rotary, _window_cache

#: the arguments of `group_query_attention` that are arrays, in the order of the operator, and those that are attributes
TENSORS = (
    "query", "key", "value", "past_key", "past_value", "seqlens_k", "total_sequence_length", "cos_cache", "sin_cache",
    "position_ids", "attention_bias", "head_sink",
)  # fmt: skip
ATTRIBUTES = (
    "num_heads", "kv_num_heads", "causal", "do_rotary", "local_window_size", "qk_output", "rotary_interleaved", "scale",
    "sliding_window_cache", "smooth_softmax", "softcap",
)  # fmt: skip
#: attributes that are 0 or 1
BITS = ("causal", "do_rotary", "sliding_window_cache", "smooth_softmax")
OUTPUTS = ("output", "present_key", "present_value", "output_qk")
#: what output_qk is, by qk_output, as outputs of `attention`
SHOWN = {1: "scores", 2: "weights"}


class Lengths(NamedTuple):
    """How many tokens there are: new ones, cached ones (batch,), both (batch,), the largest of both, those of the
    whole cache; prompt: whether what the past holds is not read."""

    new: int
    past: np.ndarray
    total: np.ndarray
    largest: int
    present: int
    prompt: bool


class Rotation(NamedTuple):
    """Heads as they are given (batch, heads, seq, head_size), the rows of the caches (batch, seq, half), and the format
    to which their rotation is rounded."""

    x: np.ndarray
    tables: table_rotation.Tables
    interleaved: int
    fmt: Format


class Grouped(NamedTuple):
    """What `attention` takes, of which k and v end with a key of zeros where there is a sink; rotations of q and of the
    new keys; keys and values of all tokens by their positions; (capacity, window) of caches of the size of a window."""

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    bias: np.ndarray | None
    mask: np.ndarray
    scale: Number | None
    softcap: Number | None
    rotations: tuple[Rotation, Rotation] | None
    lengths: Lengths
    keys: np.ndarray
    values: np.ndarray
    windowed: tuple[int, int] | None

    def options(self):
        """The options of the call of `attention`."""
        return {"bias": self.bias, "mask": self.mask, "scale": self.scale, "softcap": self.softcap}

    def present(self, rows):
        """The cache of rows at the positions of their tokens."""
        if self.windowed is None:
            return rows
        held = _window_cache.resident(self.lengths.total, *self.windowed)
        return _window_cache.last_tokens(rows, self.lengths.total, held, self.windowed[0])

    def of_keys(self, scores):
        """What stands for each key, (batch, heads, seq, total_sequence_length): 0 where it does not count."""
        return np.where(self.mask, scores, 0.0)[..., : self.lengths.largest]


def read(tensors, attributes) -> Grouped:
    """The call; tensors: {name: array or None} of TENSORS, attributes: {name: value} of ATTRIBUTES."""
    sliding = attributes["sliding_window_cache"]
    given = {**tensors, **attributes, "sliding_window_cache": 0 if sliding is None else sliding}
    bits = {name: _rotary.read_attribute(name, given[name]) for name in BITS}
    q, k, v = read_heads(given)
    window = read_window(given["local_window_size"], bits["causal"])
    windowed = read_capacity(given, window) if bits["sliding_window_cache"] else None
    lengths = read_lengths(given, q[0].shape, read_past_length(given), windowed)
    rotations = read_rotations(given, q, k, lengths)
    rotations = rotations if bits["do_rotary"] else None
    if rotations is None:
        queries, keys = (doubles.read(name, x)[0] for name, (x, _) in (("query", q), ("key", k)))
    else:
        queries, keys = (rotated(one) for one in rotations)
    values = doubles.read("value", v[0])[0]
    keys, values = (
        all_tokens(name, given[name], new, lengths, windowed)
        for name, new in (("past_key", keys), ("past_value", values))
    )
    k, v = (rows[:, :, : lengths.largest] for rows in (keys, values))
    mask = counts(lengths, bits["causal"], window)
    bias = read_bias(given["attention_bias"], (*queries.shape[:3], lengths.largest))
    sinks = read_sinks(given["head_sink"], bits["smooth_softmax"], queries.shape[1])
    if sinks is not None:
        k, v, bias, mask = with_sinks(k, v, bias, mask, sinks, queries.shape)
    softcap = None if checks.real("softcap", given["softcap"]) == 0 else given["softcap"]
    return Grouped(
        queries, k, v, bias, mask, given["scale"], softcap, rotations, lengths, keys, values, windowed
    )  # fmt: skip


def read_shown(names, qk_output, windowed):
    """The output of `attention` that output_qk is; None where it is not asked for."""
    mode = 0 if qk_output is None else checks.integer("qk_output", qk_output, 0, 2, "E_CHOICE")
    if "output_qk" not in names:
        return None
    if not mode:
        raise InputError("E_CHOICE", "qk_output", "qk_output must be 1 or 2 for output_qk, got 0")
    if windowed:
        sentence = "sliding_window_cache must be 0 for output_qk, which has no columns of evicted tokens, got 1"
        raise InputError("E_CHOICE", "sliding_window_cache", sentence)
    return SHOWN[mode]


# -- heads and lengths -------------------------------------------------------------------------------------------------


def read_heads(given):
    """(heads, format) of query, key and value; heads (batch, heads, seq, head_size) in the storage of their format."""
    heads, groups = (checks.integer(name, given[name], 1) for name in ("num_heads", "kv_num_heads"))
    if heads % groups:
        raise InputError("E_SHAPE", "kv_num_heads", f"kv_num_heads must divide num_heads {heads}, got {groups}")
    query, fmt = three_axes("query", given["query"])
    if given["key"] is None and given["value"] is None:
        width = divided("query", query, heads + 2 * groups)
        parts = np.split(query, [heads * width, (heads + groups) * width], axis=2)
        return tuple((_heads.split(part, count), fmt) for part, count in zip(parts, (heads, groups, groups)))
    for name in ("key", "value"):
        if given[name] is None:
            sentence = f"{name} must be given with the other of key and value, or both be left out of packed heads"
            raise InputError("E_MISSING", name, f"{sentence}, got None")
    width = divided("query", query, heads)
    found = [(_heads.split(query, heads), fmt)]
    for name in ("key", "value"):
        array, kind = three_axes(name, given[name])
        if array.shape != (*query.shape[:2], groups * width):
            sentence = f"{name} must be {(*query.shape[:2], groups * width)}, (batch, seq, kv_num_heads * head_size)"
            raise InputError("E_SHAPE", name, f"{sentence}, got shape {array.shape}")
        found.append((_heads.split(array, groups), kind))
    return tuple(found)


def three_axes(name, value):
    """An array of three axes and its format."""
    array, fmt = _rotary.read_any(name, value)
    if array.ndim != 3:
        raise InputError("E_SHAPE", name, f"{name} must be (batch, seq, channels), got shape {array.shape}")
    return array, fmt


def divided(name, array, heads):
    """The channels of each head."""
    if array.shape[2] % heads:
        sentence = f"{name} must have channels for {heads} heads of one size"
        raise InputError("E_SHAPE", name, f"{sentence}, got {array.shape[2]}")
    return array.shape[2] // heads


def read_past_length(given):
    """How many tokens the arrays of the past have room for."""
    missing = [name for name in ("past_key", "past_value") if given[name] is None]
    if len(missing) == 1:
        raise InputError("E_MISSING", missing[0], f"{missing[0]} must be given with the other past, got None")
    if missing:
        return 0
    array = checks.array("past_key", given["past_key"], "E_DTYPE", "an array of floats")
    return array.shape[2] if array.ndim == 4 else 0


def read_capacity(given, window):
    """(capacity, window) of caches that hold the tokens of a window."""
    if not window:
        sentence = f"local_window_size must be at least 1 with sliding_window_cache=1, got {window or -1}"
        raise InputError("E_CHOICE", "local_window_size", sentence)
    if given["past_key"] is None:
        sentence = "past_key must be given with sliding_window_cache=1, whose capacity it says, got None"
        raise InputError("E_MISSING", "past_key", sentence)
    capacity = read_past_length(given)
    if capacity < window:
        sentence = f"past_key must have room for the window of {window} tokens, got {capacity}"
        raise InputError("E_SHAPE", "past_key", sentence)
    return capacity, window


def read_lengths(given, shape, past, windowed):
    """The `Lengths` of heads of this shape behind arrays of so many cached tokens, or behind caches of a window."""
    batch, _, new, _ = shape
    whole = checks.integers("total_sequence_length", given["total_sequence_length"])
    if whole.size != 1:
        sentence = "total_sequence_length must be one number"
        raise InputError("E_SHAPE", "total_sequence_length", f"{sentence}, got shape {whole.shape}")
    largest = int(whole.reshape(-1)[0])
    if largest < max(new, 1) or (not windowed and largest > past and largest != past + new):
        known = f"{past + new}, the room of the past and the new tokens"
        if past >= max(new, 1):
            known = f"{max(new, 1)} .. {past}, at most the room of the past, or {known}"
        elif past + new < 1:
            known = "at least 1, with a past or new tokens"
        raise InputError(
            "E_NUMBER", "total_sequence_length", f"total_sequence_length must be {known}, got {largest}"
        )  # fmt: skip
    prompt = new == largest
    if batch > 1 and new > 1 and not prompt:
        sentence = "query must be one sequence where several tokens follow cached ones"
        raise InputError("E_SHAPE", "query", f"{sentence}, got {batch}")
    last = checks.integers("seqlens_k", given["seqlens_k"])
    if last.shape != (batch,):
        raise InputError("E_SHAPE", "seqlens_k", f"seqlens_k must be {(batch,)}, (batch,), got shape {last.shape}")
    least = 0 if prompt and not windowed else new - 1
    if batch and (last.min() < least or last.max() >= largest):
        sentence = f"seqlens_k must be {least} .. {largest - 1}, the tokens of a sequence less 1"
        raise InputError("E_NUMBER", "seqlens_k", f"{sentence}, got {int(last.min())} .. {int(last.max())}")
    total = last.astype(np.int64) + 1
    whole = largest if windowed else max(largest, past)
    return Lengths(new, np.zeros_like(total) if prompt else total - new, total, largest, whole, prompt)


# -- rotation ----------------------------------------------------------------------------------------------------------


def read_rotations(given, q, k, lengths):
    """The `Rotation` of the queries and that of the new keys, or None without caches."""
    interleaved = _rotary.read_attribute("rotary_interleaved", given["rotary_interleaved"])
    ids = token_positions(given["position_ids"], lengths)
    missing = [name for name in ("cos_cache", "sin_cache") if given[name] is None]
    if len(missing) == 1 or (missing and given["do_rotary"]):
        sentence = f"{missing[0]} must be given with do_rotary=1, and with the other cache"
        raise InputError("E_MISSING", missing[0], f"{sentence}, got None")
    if missing:
        return None
    tables = _rotary.read_caches(given["cos_cache"], given["sin_cache"], ("rows", "half"))
    rows, half = tables.cos.shape
    size = q[0].shape[3]
    if 2 * half > size:
        sentence = f"cos_cache must have at most {size // 2} columns, half of the channels of a head"
        raise InputError("E_SHAPE", "cos_cache", f"{sentence}, got {half}")
    if rows < lengths.largest:
        sentence = f"cos_cache must have a row for each of {lengths.largest} tokens"
        raise InputError("E_SHAPE", "cos_cache", f"{sentence}, got {rows} rows")
    tables = _rotary.at_positions(tables, ids)
    return tuple(Rotation(x, tables, interleaved, fmt) for x, fmt in (q, k))


def token_positions(position_ids, lengths):
    """The position of each new token, (batch, seq); of a prompt the first of the position_ids says all."""
    steps = np.arange(lengths.new, dtype=np.int64)
    if position_ids is None:
        return lengths.past[:, None] + steps
    ids, shape = checks.integers("position_ids", position_ids), (len(lengths.past), lengths.new)
    if ids.shape != shape:
        raise InputError(
            "E_SHAPE", "position_ids", f"position_ids must be {shape}, (batch, seq), got shape {ids.shape}"
        )  # fmt: skip
    if lengths.prompt and ids.size:
        first = checks.integer("position_ids", ids[0, 0], code="E_NUMBER")
        return np.broadcast_to(first + steps, shape)
    return ids


def rotated(rotation):
    """The rotated heads, rounded once to their format, in float64."""
    x, tables, interleaved, fmt = rotation
    return doubles.read("x", _rotary.rotated(x, fmt, x.shape[1], tables, interleaved, None, ()))[0]


# -- cache, mask and sinks ---------------------------------------------------------------------------------------------


def all_tokens(name, past, new, lengths, windowed):
    """Keys or values (batch, heads, present, head_size) of the past of each sequence and its new tokens, and zeros."""
    batch, heads, count, size = new.shape
    cache = np.zeros((batch, heads, lengths.present, size))
    cached = np.zeros((batch, heads, 0, size)) if past is None else read_past(name, past, (batch, heads, size))
    if windowed:
        if cached.shape[2] != windowed[0]:
            sentence = f"{name} must have room for {windowed[0]} tokens, as past_key, got {cached.shape[2]}"
            raise InputError("E_SHAPE", name, sentence)
        held = _window_cache.resident(lengths.past, *windowed)
        cached = _window_cache.by_position(cached, lengths.past, held, lengths.largest)
    if cached.shape[2] < lengths.past.max(initial=0):
        sentence = f"{name} must hold the {int(lengths.past.max())} cached tokens that seqlens_k says"
        raise InputError("E_SHAPE", name, f"{sentence}, got {cached.shape[2]}")
    for b, start in enumerate(lengths.past.tolist()):
        cache[b, :, :start] = cached[b, :, :start]
        cache[b, :, start : start + count] = new[b]
    return cache


def read_past(name, past, shape):
    """Cached keys or values in float64."""
    kind = checks.array(name, past, "E_DTYPE", "an array of floats").dtype
    if kind.kind in "iu" and kind != np.uint16:
        sentence = f"{name} must hold floats, because quantised caches are not defined here"
        raise InputTypeError("E_DTYPE", name, f"{sentence}, got {kind}")
    cached, _ = doubles.read(name, past)
    batch, heads, size = shape
    if cached.ndim != 4 or (*cached.shape[:2], cached.shape[3]) != shape:
        sentence = f"{name} must be ({batch}, {heads}, past, {size}), (batch, kv_num_heads, past, head_size)"
        raise InputError("E_SHAPE", name, f"{sentence}, got shape {cached.shape}")
    return cached


def read_window(local_window_size, causal):
    """How many keys up to its own a query reads, or None for all."""
    window = checks.integer("local_window_size", local_window_size, -1)
    if window >= 0 and not causal:
        raise InputError("E_CHOICE", "local_window_size", f"local_window_size must be -1 with causal=0, got {window}")
    return None if window < 0 else window


def counts(lengths, causal, window):
    """Which keys count, (batch, 1, seq, keys)."""
    keys, total = np.arange(lengths.largest, dtype=np.int64), lengths.total[:, None, None]
    mask = np.broadcast_to(keys < total, (len(total), lengths.new, lengths.largest))
    if causal:
        # the padding of a shorter prompt reads as the last token does
        own = lengths.past[:, None, None] + np.arange(lengths.new, dtype=np.int64)[:, None]
        reach = np.minimum(own + 1, total)
        mask = keys < reach
        if window is not None:
            mask = mask & (keys >= reach - window)
    return mask[:, None]


def read_bias(attention_bias, shape):
    """What is added to the scores, (batch or 1, heads or 1, seq, keys), or None."""
    if attention_bias is None:
        return None
    bias, _ = doubles.read("attention_bias", attention_bias)
    fits = all(size in (1, count) for size, count in zip(bias.shape[:2], shape))
    if bias.ndim != 4 or bias.shape[2:] != shape[2:] or not fits:
        sentence = f"attention_bias must be {shape}, its first two axes or 1"
        raise InputError("E_SHAPE", "attention_bias", f"{sentence}, got shape {bias.shape}")
    return bias


def read_sinks(head_sink, smooth_softmax, heads):
    """The number that takes part in the softmax of each head, (heads,), or None."""
    if head_sink is None:
        return np.zeros(heads) if smooth_softmax else None
    if smooth_softmax:
        raise InputError("E_CHOICE", "smooth_softmax", "smooth_softmax must be 0 with head_sink, got 1")
    return doubles.read_shaped("head_sink", head_sink, (heads,), "a number for each head")


def with_sinks(k, v, bias, mask, sinks, shape):
    """k, v, bias and mask with one more key of zeros, which always counts and whose bias is the sink."""
    batch, heads, seq, _ = shape
    k, v = (np.concatenate([part, np.zeros((*part.shape[:2], 1, part.shape[3]))], axis=2) for part in (k, v))
    last = np.broadcast_to(sinks[:, None, None], (batch, heads, seq, 1))
    before = np.broadcast_to(0.0 if bias is None else bias, (batch, heads, seq, mask.shape[3]))
    mask = np.concatenate([mask, np.ones((*mask.shape[:3], 1), bool)], axis=3)
    return k, v, np.concatenate([before, last], axis=3), mask
