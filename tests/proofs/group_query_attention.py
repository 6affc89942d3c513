"""GroupQueryAttention of com.microsoft: one query after the other in Python floats, and in float32."""

import numpy as np
from float32.registry import float32
from float32.scores import F, number, repeated, softmax
from proofs.rotary_operators import program as rotated_program
from proofs.rotary_operators import rotated, split
from witness.attention import of_query
from witness.suites import of_doubles, witness


def whole(given):
    """(queries, new keys, new values) by heads."""
    heads, groups = given["num_heads"], given["kv_num_heads"]
    query = given["query"]
    if given.get("key") is not None:
        return split(query, heads), split(given["key"], groups), split(given["value"], groups)
    packed = split(query, heads + 2 * groups)
    return packed[:, :heads], packed[:, heads : heads + groups], packed[:, heads + groups :]


def tokens(given, batch, seq):
    """(how many tokens of the past each sequence has, its tokens with the new ones, the largest number of these)."""
    totals, largest = [int(last) + 1 for last in given["seqlens_k"]], int(given["total_sequence_length"][0])
    return [0 if seq == largest else total - seq for total in totals], totals, largest


def position(given, past, b, s):
    """The row of the caches for a new token."""
    ids, seq = given.get("position_ids"), whole(given)[0].shape[2]
    if ids is None:
        return past[b] + s
    return int(ids[0, 0]) + s if seq == int(given["total_sequence_length"][0]) else int(ids[b, s])


def kept_tokens(given, tokens):
    """The positions of the tokens that a cache holds after so many: all, or those of a window.

    Of a window one token after the other enters; where there is no room, those that the last window does not have
    leave first, all but one of it, for the new one.
    """
    if not given.get("sliding_window_cache"):
        return list(range(tokens))
    held, capacity, window = [], given["past_key"].shape[2], given["local_window_size"]
    for token in range(tokens):
        if len(held) == capacity:
            held = held[len(held) - (window - 1) :]
        held.append(token)
    return held


def cached(given, name, new, past, largest):
    """The tokens of the past and the new ones by their positions, zeros where there are none."""
    old = given.get(name)
    room = 0 if old is None or given.get("sliding_window_cache") else old.shape[2]
    cache = np.zeros((*new.shape[:2], max(room, largest), new.shape[3]), new.dtype)
    for b, start in enumerate(past):
        for row, token in enumerate(kept_tokens(given, start)):
            cache[b, :, token] = old[b, :, row]
        cache[b, :, start : start + new.shape[2]] = new[b]
    return cache


def present(given, name, rows, totals):
    """The cache that results."""
    if not given.get("sliding_window_cache"):
        return rows
    cache = np.zeros((*rows.shape[:2], given[name].shape[2], rows.shape[3]), rows.dtype)
    for b, total in enumerate(totals):
        for row, token in enumerate(kept_tokens(given, total)):
            cache[b, :, row] = rows[b, :, token]
    return cache


def kept_keys(given, past, total, s, largest):
    """Whether each key counts for a new token."""
    if not given.get("causal", 1):
        return [j < total for j in range(largest)]
    own, window = min(past + s, total - 1), given.get("local_window_size", -1)
    return [j <= own and (window < 0 or own - j < window) for j in range(largest)]


@witness(
    "group_query_attention",
    source=(
        "code: onnxruntime 1.32.0, onnxruntime/contrib_ops/cpu/bert/gqa_attention_base.h, ApplyAttention",
        "order: docs/orders/group_query_attention.txt",
    ),
    dtypes=True,
)
def exact(given, call, dtype):
    q, k, v = whole(given)
    batch, heads, seq, size = q.shape
    past, totals, largest = tokens(given, batch, seq)
    if given.get("do_rotary"):
        cos, sin = given["cos_cache"], given["sin_cache"]

        def row_of(b, t):
            at = position(given, past, b, t)
            return cos[at].tolist(), sin[at].tolist()

        dtypes, interleaved = given["dtypes"], given.get("rotary_interleaved", 0)
        q, k = (floats(rotated(x, cos.shape[1], row_of, interleaved, kind), kind)
                for x, kind in ((q, dtypes["query"]), (k, dtypes.get("key", dtypes["query"]))))  # fmt: skip
    keys, values = cached(given, "past_key", k, past, largest), cached(given, "past_value", v, past, largest)
    group, cap, added = heads // k.shape[1], float(given.get("softcap", 0)) or None, given.get("attention_bias")
    sinks = given.get("head_sink")
    sinks = np.zeros(heads) if given.get("smooth_softmax") else sinks
    output, shown = np.empty((batch, seq, heads, size)), np.zeros((batch, heads, seq, largest))
    for b, h, s in np.ndindex(batch, heads, seq):
        bias, kept = None, kept_keys(given, past[b], totals[b], s, largest)
        if added is not None:
            bias = np.broadcast_to(added, (batch, heads, seq, largest))[b, h, s].tolist()
        row, numbers = (cache[b, h // group, :largest].tolist() for cache in (keys, values))
        if sinks is not None:
            bias = [*([0.0] * largest if bias is None else bias), float(sinks[h])]
            row, numbers, kept = [*row, [0.0] * size], [*numbers, [0.0] * size], [*kept, True]
        scores, weights, output[b, s, h] = of_query(
            q[b, h, s].tolist(), row, numbers, size, bias=bias, kept=kept, scale=given.get("scale"), cap=cap, logit=None
        )
        told = weights if given.get("qk_output") == 2 else scores
        shown[b, h, s] = [one if counts else 0.0 for one, counts in zip(told, kept, strict=True)][:largest]
    found = {"output": output.reshape(batch, seq, heads * size), "output_qk": shown,
             "present_key": present(given, "past_key", keys, totals),
             "present_value": present(given, "past_value", values, totals)}  # fmt: skip
    asked = given.get("outputs", "output")
    return {
        name: of_doubles(found[name], found[name].shape, dtype)
        for name in ([asked] if isinstance(asked, str) else asked)
    }


@float32("group_query_attention", kind="sequence32")
def program(outputs, softcap, attention_bias=None, head_sink=None, scale=None, **given):
    q, k, v = whole(given)
    batch, heads, seq, size = q.shape
    past, totals, largest = tokens(given, batch, seq)
    if given["do_rotary"]:
        cos, sin = given["cos_cache"], given["sin_cache"]
        ids = np.array([[position(given, past, b, s) for s in range(seq)] for b in range(batch)], int)
        cos, sin = (cache[ids.reshape(batch, seq)] for cache in (cos, sin))
        interleaved, width = given["rotary_interleaved"], 2 * cos.shape[-1]
        q, k = (rotated_program(x, cos, sin, interleaved, x.shape[1], width) for x in (q, k))
    keys, values = cached(given, "past_key", k, past, largest), cached(given, "past_value", v, past, largest)
    alpha = F(1) / np.sqrt(F(size)) if scale is None else F(number(scale))
    scores = (q @ np.swapaxes(repeated(keys[:, :, :largest], heads), -1, -2)) * alpha
    cap = F(number(softcap))
    scores = np.tanh(scores / cap) * cap if cap else scores
    scores = scores if attention_bias is None else scores + attention_bias
    kept = np.empty((batch, 1, seq, largest), bool)
    for b, s in np.ndindex(batch, seq):
        kept[b, 0, s] = kept_keys(given, past[b], totals[b], s, largest)
    scores = np.where(kept, scores, F(-np.inf))
    sinks = np.zeros(heads, F) if given["smooth_softmax"] else head_sink
    if sinks is not None:
        scores = np.concatenate([scores, np.broadcast_to(sinks[:, None, None], (batch, heads, seq, 1))], -1)
    weights = softmax(scores)[..., :largest]
    output = weights @ repeated(values[:, :, :largest], heads)
    output = output.transpose(0, 2, 1, 3).reshape(batch, seq, heads * size)
    found = {
        "output": output,
        "present_key": present(given, "past_key", keys, totals),
        "present_value": present(given, "past_value", values, totals),
        "output_qk": np.where(kept, (weights if given.get("qk_output") == 2 else scores)[..., :largest], F(0)),
    }
    return [found[name] for name in ([outputs] if isinstance(outputs, str) else outputs)]


def floats(patterns, dtype):
    """The numbers of bit patterns."""
    if dtype == "bfloat16":
        return (patterns.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return patterns.view(dtype).astype(np.float64)
