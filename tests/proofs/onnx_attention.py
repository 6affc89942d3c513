"""Attention of ONNX, opset 23: one query after the other in Python floats, and in float32."""

import math

import numpy as np
from float32.registry import float32
from float32.scores import F, number, repeated, softmax
from witness.attention import of_query
from witness.suites import of_doubles, witness


def by_heads(array, count):
    """(batch, seq, heads * dim) as (batch, heads, seq, dim); four axes as they are."""
    if array.ndim == 4:
        return array
    batch, seq, width = array.shape
    return array.reshape(batch, seq, count, width // count).transpose(0, 2, 1, 3)


def whole(given):
    """(q, keys, values, cached keys) by heads, the cached ones first."""
    q, key_heads = by_heads(given["q"], given.get("q_num_heads")), given.get("kv_num_heads")
    k, v = (by_heads(given[name], key_heads) for name in "kv")
    cached = given.get("past_key")
    if cached is None:
        return q, k, v, 0
    return q, np.concatenate([cached, k], 2), np.concatenate([given["past_value"], v], 2), cached.shape[2]


@witness(
    "onnx_attention", source=("standard: ONNX operator Attention, opset 23", "order: docs/orders/onnx_attention.txt")
)
def exact(given, call, dtype):
    q, k, v, past = whole(given)
    batch, heads, queries, _ = q.shape
    shape, group, mask = (batch, heads, queries, k.shape[2]), heads // k.shape[1], given.get("attn_mask")
    mode, cap = given.get("qk_matmul_output_mode", 0), float(given.get("softcap", 0)) or None
    mask = None if mask is None else np.broadcast_to(mask, shape)
    added = mask is not None and mask.dtype.kind == "f"
    output, products = np.empty((*shape[:3], v.shape[3])), np.empty(shape)
    for b, h, i in np.ndindex(shape[:3]):
        keys, values = k[b, h // group].tolist(), v[b, h // group].tolist()
        row = None if mask is None else mask[b, h, i].tolist()
        kept = [(row is None or added or row[j] == 1) and (not given.get("is_causal") or j <= i + past)
                for j in range(shape[3])]  # fmt: skip
        bias = row if added else None
        scores, weights, output[b, h, i] = of_query(
            q[b, h, i].tolist(), keys, values, v.shape[3], bias=bias, kept=kept, scale=given.get("scale"), cap=cap,
            logit=None,
        )  # fmt: skip
        if mode < 2:
            scores, _, _ = of_query(
                q[b, h, i].tolist(), keys, values, 0, bias=None, kept=[True] * shape[3], scale=given.get("scale"),
                cap=cap if mode else None, logit=None,
            )  # fmt: skip
        products[b, h, i] = weights if mode == 3 else scores
    if given["q"].ndim == 3:
        output = output.transpose(0, 2, 1, 3).reshape(batch, queries, heads * v.shape[3])
    found = {"output": output, "present_key": k, "present_value": v, "qk_matmul_output": products}
    asked = given.get("outputs", "output")
    return {
        name: of_doubles(found[name], found[name].shape, dtype)
        for name in ([asked] if isinstance(asked, str) else asked)
    }


@float32("onnx_attention", kind="sequence32")
def program(
    q, k, v, outputs, is_causal, qk_matmul_output_mode, softcap, attn_mask=None, past_key=None, past_value=None,
    scale=None, **heads,
):  # fmt: skip
    given = {"q": q, "k": k, "v": v, "past_key": past_key, "past_value": past_value, **heads}
    queries, keys, values, past = whole(given)
    count = queries.shape[1]
    # as the specification has it: the root of the scale on either side
    root = F(math.sqrt(1 / math.sqrt(queries.shape[3]) if scale is None else number(scale)))
    stages = [(queries * root) @ np.swapaxes(repeated(keys, count) * root, -1, -2)]
    cap = F(number(softcap))
    stages.append(np.tanh(stages[0] / cap) * cap if cap else stages[0])
    bias = np.zeros(stages[0].shape[-2:], F)
    if attn_mask is not None:
        bias = attn_mask if attn_mask.dtype.kind == "f" else np.where(attn_mask == 1, F(0), F(-np.inf))
    if is_causal:
        bias = bias + np.where(np.tri(*stages[0].shape[-2:], past, dtype=bool), F(0), F(-np.inf))
    stages.append(stages[1] + bias)
    stages.append(softmax(stages[2]))
    output = stages[3] @ repeated(values, count)
    if q.ndim == 3:
        output = output.transpose(0, 2, 1, 3).reshape(*q.shape[:2], -1)
    found = {"output": output, "present_key": keys, "present_value": values}
    found["qk_matmul_output"] = stages[qk_matmul_output_mode]
    return [found[name] for name in ([outputs] if isinstance(outputs, str) else outputs)]
