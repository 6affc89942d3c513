"""RotaryEmbedding of ONNX and of com.microsoft: an element at a time in fractions, and in the format of the input."""

import math
from fractions import Fraction

import numpy as np
from float32.registry import float32
from witness.digits import SHAPES, round_fraction
from witness.suites import witness


def bits_of(value, dtype):
    """The pattern of a float that is exact in the dtype, infinite or NaN."""
    precision, _, largest, width = SHAPES[dtype]
    if math.isnan(value):
        return (2 * largest + 1 << precision - 1) + (1 << precision - 2)
    if math.isinf(value):
        return (2 * largest + 1 << precision - 1) + ((1 << width - 1) if value < 0 else 0)
    if value == 0:
        return (1 << width - 1) if math.copysign(1, value) < 0 else 0
    return round_fraction(Fraction(value), dtype)


def sum_of_products(x, c, y, s, dtype):
    """x c + y s, rounded once; IEEE arithmetic where a number is not finite or both products are 0."""
    if all(map(math.isfinite, (x, c, y, s))) and (x * c != 0 or y * s != 0 or (x and c) or (y and s)):
        exact = Fraction(x) * Fraction(c) + Fraction(y) * Fraction(s)
        return round_fraction(exact, dtype)
    with np.errstate(all="ignore"):
        return bits_of(float(np.float64(x) * c + np.float64(y) * s), dtype)


def rotated(x, half, row_of, interleaved, dtype):
    """x (batch, heads, seq, head_size) with the first 2 half channels rotated; row_of(b, t): (cosines, sines)."""
    result = np.empty(x.shape, object)
    for b, h, t in np.ndindex(x.shape[:3]):
        head, (cos, sin) = x[b, h, t].tolist(), row_of(b, t)
        made = [bits_of(one, dtype) for one in head]
        for i in range(half):
            j, k = (2 * i, 2 * i + 1) if interleaved else (i, i + half)
            made[j] = sum_of_products(head[j], cos[i], -head[k], sin[i], dtype)
            made[k] = sum_of_products(head[j], sin[i], head[k], cos[i], dtype)
        result[b, h, t] = made
    return result.astype(f"u{SHAPES[dtype][3] // 8}")


def split(x, heads):
    """(batch, seq, heads * size) as (batch, heads, seq, size)."""
    batch, seq, width = x.shape
    return x.reshape(batch, seq, heads, width // heads).transpose(0, 2, 1, 3)


def confirmed(given, heads, head_size, row_of, dtype):
    """The output of either operator."""
    x = given["x"]
    whole = x if x.ndim == 4 else split(x, heads)
    half = (given.get("rotary_embedding_dim") or head_size) // 2
    made = rotated(whole, half, row_of, given.get("interleaved", 0), dtype)
    return {"output": made if x.ndim == 4 else made.transpose(0, 2, 1, 3).reshape(x.shape)}


@witness("onnx_rotary_embedding", source="standard: ONNX operator RotaryEmbedding, opset 23")
def onnx(given, call, dtype):
    x, cos, sin, ids = given["x"], given["cos_cache"], given["sin_cache"], given.get("position_ids")

    def row_of(b, t):
        at = (b, t) if ids is None else int(ids[b, t])
        return cos[at].tolist(), sin[at].tolist()

    heads = given.get("num_heads", 0)
    return confirmed(given, heads, x.shape[3] if x.ndim == 4 else x.shape[2] // heads, row_of, dtype)


@witness(
    "microsoft_rotary_embedding",
    source="code: onnxruntime 1.32.0, onnxruntime/contrib_ops/cpu/bert/rotary_embedding_helper.h, CheckInputs",
)
def microsoft(given, call, dtype):
    x, cos, sin, ids = given["x"], given["cos_cache"], given["sin_cache"], given["position_ids"]

    def row_of(b, t):
        at = int(ids[0]) + t if ids.shape == (1,) else int(ids[b, t])
        return cos[at].tolist(), sin[at].tolist()

    heads = given.get("num_heads", 0) or (x.shape[2] // (2 * cos.shape[1]) if x.ndim == 3 else x.shape[1])
    return confirmed(given, heads, x.shape[3] if x.ndim == 4 else x.shape[2] // heads, row_of, dtype)


# -- as programs compute it --------------------------------------------------------------------------------------------


def program(x, cos, sin, interleaved, heads, rotary_embedding_dim):
    """x with rows of the caches (batch, seq, half), everything in the format of x."""
    whole = x.swapaxes(1, 2) if x.ndim == 4 else x.reshape(*x.shape[:2], heads, x.shape[2] // heads)
    cos, sin = (part.astype(x.dtype)[:, :, None] for part in (cos, sin))
    width = rotary_embedding_dim or whole.shape[-1]
    result = whole.copy()
    first, second = (np.s_[..., 0:width:2], np.s_[..., 1:width:2]) if interleaved else (
        np.s_[..., : width // 2], np.s_[..., width // 2 : width])  # fmt: skip
    result[first] = whole[first] * cos - whole[second] * sin
    result[second] = whole[second] * cos + whole[first] * sin
    return result.swapaxes(1, 2) if x.ndim == 4 else result.reshape(x.shape)


@float32("onnx_rotary_embedding", kind="rounded-table", narrow=True)
def onnx_program(x, cos_cache, sin_cache, interleaved, num_heads, rotary_embedding_dim, position_ids=None, **_):
    cos, sin = (cache if position_ids is None else cache[position_ids] for cache in (cos_cache, sin_cache))
    return program(x, cos, sin, interleaved, num_heads, rotary_embedding_dim)


@float32("microsoft_rotary_embedding", kind="rounded-table", narrow=True)
def microsoft_program(
    x, position_ids, cos_cache, sin_cache, interleaved, num_heads, rotary_embedding_dim, **_
):  # fmt: skip
    seq = x.shape[-2]
    ids = position_ids if position_ids.ndim == 2 else np.broadcast_to(position_ids + np.arange(seq), (len(x), seq))
    heads = num_heads or x.shape[-1] // (2 * cos_cache.shape[1])
    return program(x, cos_cache[ids], sin_cache[ids], interleaved, heads, rotary_embedding_dim)
