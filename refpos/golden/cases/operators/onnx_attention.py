"""Golden cases of Attention of ONNX, opset 23."""

from ...case import fraction, listed, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow

SOURCE = project("onnx", "1.23.2", "onnx/reference/ops/op_attention.py", "_compute_attention")
value, refused = suite("onnx_attention", SOURCE)
#: a cache is returned where one is given
CACHED = ["output", "present_key", "present_value"]
ALL, BOTH = [*CACHED, "qk_matmul_output"], ["output", "qk_matmul_output"]
SCALE, MASK, CACHE = ("AttentionScale",), ("AttentionMask",), ("CacheOffset",)
INF = float("inf")


def tensors(dtype="float32", q=(2, 3, 3, 4), k=(2, 3, 5, 4), width=2, seed=500, past=None, **more):
    """q, k and v of four axes, and past_key and past_value of so many cached keys."""
    found = {"q": scattered(dtype, q, seed, 1), "k": scattered(dtype, k, seed + 1, 1),
             "v": scattered(dtype, (*k[:3], width), seed + 2, 1)}  # fmt: skip
    if past is not None:
        found["past_key"] = scattered(dtype, (*k[:2], past, k[3]), seed + 3, 1)
        found["past_value"] = scattered(dtype, (*k[:2], past, width), seed + 4, 1)
    return {**found, **more}


def flat(dtype="float32", q=(2, 3, 12), k=(2, 5, 12), v=(2, 5, 6), seed=540, **more):
    """q, k and v of three axes."""
    return {name: scattered(dtype, shape, seed + j, 1) for j, (name, shape) in enumerate(zip("qkv", (q, k, v)))} | more


def bits(shape, *zeros):
    """A mask of ones, but for the zeros at these places of it."""
    count = 1
    for size in shape:
        count *= size
    return {"attn_mask": listed([int(place not in zeros) for place in range(count)], "int64", shape)}


def added(dtype, shape, seed):
    return {"attn_mask": scattered(dtype, shape, seed, 1)}


CASES = [
    *[
        value(f"plain-{SHORT[dtype]}", f"three heads, 3 queries and 5 keys, {dtype}", dtype=dtype, outputs=BOTH,
              inputs=tensors(dtype, seed=500 + k), flags=(*SCALE, "HeadAxis", *narrow(dtype)))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"three-axes-{SHORT[dtype]}", f"q, k and v of three axes, four heads that read two, {dtype}", dtype=dtype,
              q_num_heads=4, kv_num_heads=2, outputs=BOTH, flags=(*SCALE, "HeadAxis", *narrow(dtype)),
              inputs=flat(dtype, (2, 3, 16), (2, 5, 8), (2, 5, 6), seed=510 + k))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"past-causal-{SHORT[dtype]}", f"4 cached keys, 2 queries and 3 keys, causal behind the cache, {dtype}",
              dtype=dtype, is_causal=1, outputs=ALL, flags=(*CACHE, *MASK, "UnequalLengths", *narrow(dtype)),
              qk_matmul_output_mode=2, inputs=tensors(dtype, (1, 4, 2, 4), (1, 2, 3, 4), seed=520 + 5 * k, past=4))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"mode-{mode}-{SHORT[dtype]}", f"qk_matmul_output in mode {mode}, of softcap and a mask, {dtype}",
              dtype=dtype, scale=0.75, softcap=2, qk_matmul_output_mode=mode, outputs="qk_matmul_output",
              flags=(*SCALE, *MASK, *narrow(dtype)),
              inputs=tensors(dtype, (1, 2, 3, 4), (1, 2, 4, 4), seed=560, **added(dtype, (3, 4), 566)))
        for dtype in DTYPES
        for mode in range(4)
    ],
    *[
        value(f"mask-{SHORT[dtype]}", f"a mask of keys, and a query that none counts for, {dtype}", dtype=dtype,
              qk_matmul_output_mode=3, outputs=["output", "qk_matmul_output"], flags=(*MASK, *narrow(dtype)),
              inputs=tensors(dtype, (1, 2, 3, 4), (1, 2, 4, 4), seed=570, **bits((3, 4), 1, 4, 5, 6, 7, 8)))
        for dtype in DTYPES
    ],
    *[
        value(f"scale-softcap-{SHORT[dtype]}", f"scale 0.25, softcap 0.5 and an added mask, {dtype}", dtype=dtype,
              scale=0.25, softcap=0.5, flags=(*SCALE, *narrow(dtype)),
              inputs=tensors(dtype, seed=580, **added(dtype, (2, 1, 3, 5), 586)))
        for dtype in DTYPES
    ],
    value("mask-batch-f32", "pads of each sequence", dtype="float32", flags=MASK,
          inputs=tensors(seed=590, **bits((2, 1, 1, 5), 3, 4, 5))),
    value("mask-infinite-f32", "-infinity in an added mask", dtype="float32", qk_matmul_output_mode=2,
          outputs=["output", "qk_matmul_output"], flags=MASK,
          inputs=tensors(q=(1, 1, 2, 4), k=(1, 1, 2, 4), seed=593,
                         attn_mask=listed([0.5, -INF, -INF, -INF], "float32", (2, 2)))),
    value("causal-f32", "causal, as many queries as keys", dtype="float32", is_causal=1, flags=MASK,
          inputs=tensors(k=(2, 3, 3, 4), seed=596)),
    value("causal-more-keys-f32", "causal without a cache, 2 queries and 5 keys: the corner is the upper left",
          dtype="float32", is_causal=1, flags=(*MASK, "UnequalLengths"), inputs=tensors(q=(2, 3, 2, 4), seed=599)),
    value("causal-more-queries-f32", "causal without a cache, 5 queries and 2 keys", dtype="float32", is_causal=1,
          flags=(*MASK, "UnequalLengths"), inputs=tensors(q=(2, 3, 5, 4), k=(2, 3, 2, 4), seed=602)),
    value("causal-mask-f32", "causal and a mask at once", dtype="float32", is_causal=1, flags=MASK,
          inputs=tensors(k=(2, 3, 3, 4), seed=605, **bits((3, 3), 3))),
    value("causal-added-f32", "causal and a mask that is added", dtype="float32", is_causal=1, flags=MASK,
          inputs=tensors(k=(2, 3, 3, 4), seed=608, **added("float32", (3, 3), 611))),
    value("decode-f32", "one query behind 6 cached keys", dtype="float32", is_causal=1, outputs=CACHED,
          flags=(*CACHE, *MASK),
          inputs=tensors(q=(2, 4, 1, 4), k=(2, 2, 1, 4), seed=614, past=6)),
    value("past-mask-f32", "a mask of cached and new keys", dtype="float32", outputs=CACHED,
          flags=(*CACHE, *MASK),
          inputs=tensors(q=(1, 2, 2, 4), k=(1, 2, 2, 4), seed=620, past=3, **bits((2, 5), 0, 9))),
    value("past-three-axes-f32", "q, k and v of three axes behind a cache", dtype="float32", q_num_heads=3,
          kv_num_heads=3, outputs=ALL, flags=CACHE,
          inputs=flat(seed=626, past_key=scattered("float32", (2, 3, 2, 4), 630, 1),
                      past_value=scattered("float32", (2, 3, 2, 2), 631, 1))),
    value("one-key-head-f32", "four heads that read one", dtype="float32", flags=("HeadAxis",),
          inputs=tensors(q=(1, 4, 3, 4), k=(1, 1, 4, 4), seed=632)),
    value("empty-past-f32", "a cache without keys yet", dtype="float32", is_causal=1, outputs=ALL, flags=CACHE,
          inputs=tensors(k=(2, 3, 3, 4), seed=635, past=0)),
    # refused
    refused("two-axes", "q of two axes", "E_SHAPE", "q", inputs=tensors(q=(3, 4))),
    refused("mixed-axes", "k of three axes, q of four", "E_SHAPE", "k",
            inputs={**tensors(), "k": scattered("float32", (2, 5, 12), 1)}),
    refused("no-heads", "three axes without q_num_heads", "E_MISSING", "q_num_heads", kv_num_heads=3, inputs=flat()),
    refused("no-key-heads", "three axes without kv_num_heads", "E_MISSING", "kv_num_heads", q_num_heads=3,
            inputs=flat()),
    refused("heads", "q_num_heads that does not divide the channels", "E_SHAPE", "q_num_heads", q_num_heads=5,
            kv_num_heads=3, inputs=flat()),
    refused("groups", "4 heads that read 3", "E_SHAPE", "k", inputs=tensors(q=(2, 4, 3, 4))),
    refused("channels", "keys of another width", "E_SHAPE", "k", inputs=tensors(q=(2, 3, 3, 6))),
    refused("past-alone", "past_key without past_value", "E_MISSING", "past_value",
            inputs=tensors(past_key=scattered("float32", (2, 3, 2, 4), 1))),
    refused("past-heads", "cached keys of other heads", "E_SHAPE", "past_key",
            inputs={**tensors(past=2), "past_key": scattered("float32", (2, 2, 2, 4), 1)}),
    refused("past-lengths", "fewer cached values than keys", "E_SHAPE", "v",
            inputs={**tensors(past=2), "past_value": scattered("float32", (2, 3, 1, 2), 1)}),
    refused("mask-keys", "a mask of new keys behind a cache", "E_SHAPE", "attn_mask",
            inputs=tensors(past=2, **bits((3, 5)))),
    refused("mask-numbers", "a mask that counts", "E_NUMBER", "attn_mask",
            inputs=tensors(attn_mask=listed([0, 1, 2, 1, 1]))),
    refused("mode", "a mode that there is not", "E_CHOICE", "qk_matmul_output_mode", qk_matmul_output_mode=4,
            inputs=tensors()),
    refused("softcap", "a negative cap", "E_NUMBER", "softcap", softcap=fraction(-1, 2), inputs=tensors()),
    refused("causal", "is_causal that is no bit", "E_CHOICE", "is_causal", is_causal=2, inputs=tensors()),
]  # fmt: skip

# what tells a quotient by the cap from a product with the inverse
CASES += [
    value("softcap-7-f64", "scores between -7 and 7, in float64", dtype="float64", softcap=7, outputs=BOTH,
          qk_matmul_output_mode=1, flags=SCALE, inputs=tensors("float64", seed=640)),
]
