"""Golden cases of com.microsoft.GroupQueryAttention."""

from ...case import fraction, listed, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow

SOURCE = project("onnxruntime", "1.32.0", "onnxruntime/contrib_ops/cpu/bert/gqa_attention_base.h", "ApplyAttention")
value, refused = suite("group_query_attention", SOURCE)
ALL, QK = ["output", "present_key", "present_value"], ["output", "output_qk"]
SCALE, MASK, CACHE = ("AttentionScale",), ("AttentionMask",), ("CacheOffset",)
ROTARY = ("InterleavedVsHalf", "OffByOne")
#: the widths of heads and of caches that ONNX Runtime takes: multiples of 16 and 8 with rotation, of 8 without
WIDE, PLAIN, HALF = 16, 8, 8
HEADS = {"num_heads": 2, "kv_num_heads": 1}
PACKED = {"key": None, "value": None}
NO_PAST = {"past_key": None, "past_value": None}


def tensors(dtype="float32", seq=3, totals=(3, 3), past=None, largest=None, size=PLAIN, heads=(2, 1), packed=False,
            seed=700, rows=0, half=HALF, **more):  # fmt: skip
    """query, key and value of so many new tokens, so many tokens of each sequence with them, room for past tokens, and
    caches of so many rows."""
    batch, (queries, groups) = len(totals), heads
    shapes = {"query": (batch, seq, (queries + 2 * groups if packed else queries) * size)}
    if not packed:
        shapes |= dict.fromkeys(("key", "value"), (batch, seq, groups * size))
    if past is not None:
        shapes |= dict.fromkeys(("past_key", "past_value"), (batch, groups, past, size))
    found = {name: scattered(dtype, shape, seed + k, 1) for k, (name, shape) in enumerate(shapes.items())}
    found["seqlens_k"] = listed([total - 1 for total in totals])
    found["total_sequence_length"] = listed([max(totals) if largest is None else largest])
    if rows:
        found["cos_cache"] = scattered(dtype, (rows, half), seed + 7, 0)
        found["sin_cache"] = scattered(dtype, (rows, half), seed + 8, 0)
    return {**found, **more}


def rotary(dtype="float32", **sizes):
    """The same with heads that can be rotated, and caches of 12 rows."""
    return tensors(dtype, **{"size": WIDE, "rows": 12, **sizes})


def ids(*numbers, shape):
    return listed(numbers, "int64", shape)


CASES = [
    *[
        value(f"prompt-{SHORT[dtype]}", f"two prompts of 3 tokens, two heads that read one, {dtype}", dtype=dtype,
              outputs=ALL, **HEADS, **NO_PAST, flags=(*SCALE, *MASK, "HeadAxis", *narrow(dtype)),
              inputs=tensors(dtype, seed=700 + 10 * k))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"rotary-{('half', 'interleaved')[interleaved]}-{SHORT[dtype]}", f"a rotated prompt, {dtype}",
              dtype=dtype, outputs=ALL, do_rotary=1, rotary_interleaved=interleaved, **HEADS, **NO_PAST,
              flags=(*ROTARY, *narrow(dtype)), inputs=rotary(dtype, totals=(3,), seed=740 + 10 * k))
        for k, dtype in enumerate(DTYPES)
        for interleaved in (0, 1)
    ],
    *[
        value(f"packed-decode-{SHORT[dtype]}", f"one packed token behind 2 and 4 in buffers of 6, rotated, {dtype}",
              dtype=dtype, outputs=ALL, do_rotary=1, **HEADS, **PACKED, flags=(*CACHE, *ROTARY, *narrow(dtype)),
              inputs=rotary(dtype, seq=1, totals=(3, 5), past=6, largest=6, packed=True,
                            seed=780 + 10 * k))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"buffer-window-{SHORT[dtype]}", f"a window of 3 keys in a buffer of 7, scale and softcap, {dtype}",
              dtype=dtype, outputs=ALL, local_window_size=3, scale=0.75, softcap=2, num_heads=4, kv_num_heads=2,
              flags=(*CACHE, *MASK, *SCALE, *narrow(dtype)),
              inputs=tensors(dtype, seq=2, totals=(6,), past=7, heads=(4, 2), seed=820 + 10 * k))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"sink-bias-{SHORT[dtype]}", f"a sink for each head, scale 0.25 and a bias, {dtype}", dtype=dtype,
              scale=0.25, **HEADS, **NO_PAST, flags=(*SCALE, *MASK, *narrow(dtype)),
              inputs=tensors(dtype, totals=(3, 2), seed=860 + 10 * k,
                             attention_bias=scattered(dtype, (1, 2, 3, 3), 866 + 10 * k, 1),
                             head_sink=scattered(dtype, (2,), 867 + 10 * k, 1)))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"positions-smooth-{SHORT[dtype]}",
              f"two tokens behind 3, their positions given, smooth softmax, {dtype}", dtype=dtype, outputs=ALL,
              do_rotary=1, rotary_interleaved=1, smooth_softmax=1, **HEADS, flags=(*CACHE, *ROTARY, *narrow(dtype)),
              inputs=rotary(dtype, seq=2, totals=(5,), past=3, position_ids=ids(9, 2, shape=(1, 2)),
                            seed=900 + 10 * k))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"not-causal-{SHORT[dtype]}", f"queries that read all keys, {dtype}", dtype=dtype, causal=0, **HEADS,
              **NO_PAST, flags=(*MASK, *narrow(dtype)), inputs=tensors(dtype, totals=(3, 2), seed=940 + 10 * k))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"qk-scores-{SHORT[dtype]}", f"scores of a window of 2 keys, with scale, softcap and bias, {dtype}",
              dtype=dtype, outputs=QK, qk_output=1, local_window_size=2, scale=0.75, softcap=2, num_heads=4,
              kv_num_heads=2, **NO_PAST, flags=(*SCALE, *MASK, "HeadAxis", *narrow(dtype)),
              inputs=tensors(dtype, totals=(3, 3), heads=(4, 2), seed=1140 + 10 * k,
                             attention_bias=scattered(dtype, (2, 1, 3, 3), 1146 + 10 * k, 1)))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"qk-weights-{SHORT[dtype]}", f"weights of a rotated prompt, without the sink of each head, {dtype}",
              dtype=dtype, outputs=QK, qk_output=2, do_rotary=1, **HEADS, **NO_PAST,
              flags=(*MASK, *ROTARY, *narrow(dtype)),
              inputs=rotary(dtype, totals=(4,), seq=4, seed=1180 + 10 * k,
                            head_sink=scattered(dtype, (2,), 1189 + 10 * k, 1)))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"window-cache-{SHORT[dtype]}", f"a cache of 3 tokens, which are the window, behind 2 and 3, {dtype}",
              dtype=dtype, outputs=ALL, sliding_window_cache=1, local_window_size=3, do_rotary=1, **HEADS,
              flags=(*CACHE, *MASK, *ROTARY, *narrow(dtype)),
              inputs=rotary(dtype, seq=1, totals=(3, 4), past=3, seed=1220 + 10 * k))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"{name}-{SHORT[dtype]}", f"a window of 2 keys behind 3 and 2, all of which stay, {told}{dtype}",
              dtype=dtype, outputs=ALL, local_window_size=2, **HEADS, **given,
              flags=(*CACHE, *MASK, *narrow(dtype)),
              inputs=tensors(dtype, seq=1, totals=(4, 3), past=3, seed=seed + 10 * k))
        for name, told, given, seed in (("past-window", "", {}, 1350),
                                        ("whole-cache", "as is said, ", {"sliding_window_cache": 0}, 1390))
        for k, dtype in enumerate(DTYPES)
    ],
    value("qk-decode-f32", "scores of one token behind 1 and 5 in buffers of 6", dtype="float32",
          outputs=[*ALL, "output_qk"], qk_output=1, **HEADS, flags=(*CACHE, *MASK),
          inputs=tensors(seq=1, totals=(2, 6), past=6, seed=1260)),
    value("qk-smooth-f32", "weights of a smooth softmax", dtype="float32", outputs=QK, qk_output=2,
          smooth_softmax=1, **HEADS, **NO_PAST, flags=MASK, inputs=tensors(seed=1270)),
    value("qk-not-causal-f32", "scores of queries that read all keys of 3 and 2 tokens", dtype="float32", outputs=QK,
          qk_output=1, causal=0, **HEADS, **NO_PAST, flags=MASK, inputs=tensors(totals=(3, 2), seed=1280)),
    value("window-cache-chunk-f32", "4 tokens behind 6 in a cache of 4",
          dtype="float32", outputs=ALL, sliding_window_cache=1, local_window_size=3, **HEADS, flags=(*CACHE, *MASK),
          inputs=tensors(seq=4, totals=(10,), past=4, seed=1290)),
    value("window-cache-prompt-f32", "a prompt of 8 tokens into a cache of 4, whose old tokens are not read",
          dtype="float32", outputs=ALL, sliding_window_cache=1, local_window_size=3, **HEADS, flags=(*CACHE, *MASK),
          inputs=tensors(seq=8, totals=(8,), past=4, seed=1300)),
    value("window-cache-rotary-f32", "a cache of 5 tokens and a window of 3, behind 7 and 10 tokens", dtype="float32",
          outputs=ALL, sliding_window_cache=1, local_window_size=3, do_rotary=1, **HEADS,
          flags=(*CACHE, *MASK, *ROTARY), inputs=rotary(seq=1, totals=(8, 11), past=5, seed=1310)),
    value("window-cache-bias-f32", "a bias whose columns count from the first token, and a sink", dtype="float32",
          outputs=ALL, sliding_window_cache=1, local_window_size=2, **HEADS, flags=(*CACHE, *MASK),
          inputs=tensors(seq=1, totals=(7, 10), past=4, seed=1320,
                         attention_bias=scattered("float32", (1, 2, 1, 10), 1326, 1),
                         head_sink=listed([0.5, -2.0], "float32"))),
    value("window-cache-evicted-f32", "a cache of 5 with 4 and 3 tokens of 7 and 12", dtype="float32", outputs=ALL,
          sliding_window_cache=1, local_window_size=3, **HEADS, flags=(*CACHE, *MASK),
          inputs=tensors(seq=1, totals=(7, 12), past=5, seed=1340)),
    value("window-cache-room-f32", "a cache that is not full yet", dtype="float32", outputs=ALL,
          sliding_window_cache=1, local_window_size=2, **HEADS, flags=(*CACHE, *MASK),
          inputs=tensors(seq=1, totals=(3,), past=6, seed=1330)),
    value("padded-prompt-f32", "prompts of 3 and 1 tokens: what is padding reads as the last token does",
          dtype="float32", outputs=ALL, **HEADS, **NO_PAST, flags=("UnequalLengths", *MASK),
          inputs=tensors(totals=(3, 1), seed=980)),
    value("prompt-positions-f32", "a prompt whose positions but the first are not read", dtype="float32", outputs=ALL,
          do_rotary=1, **HEADS, **NO_PAST, flags=(*CACHE, *ROTARY),
          inputs=rotary(totals=(3, 3), position_ids=ids(4, 9, 9, 7, 8, 9, shape=(2, 3)), seed=990)),
    value("partial-f32", "8 of 32 channels of a head are half of the rotated ones", dtype="float32", outputs=ALL,
          do_rotary=1, **HEADS, **NO_PAST, flags=("PartialRotary", *ROTARY), inputs=rotary(size=32, totals=(2,), seq=2,
                                                                                          seed=1000)),
    value("prompt-past-f32", "a prompt in a buffer whose old keys are not read", dtype="float32", outputs=ALL, **HEADS,
          flags=(*CACHE, *MASK), inputs=tensors(totals=(3, 3), past=4, seed=1010)),
    value("ragged-decode-f32", "caches of 1 and 5 tokens in buffers of 6", dtype="float32", outputs=ALL, **HEADS,
          flags=(*CACHE, *MASK), inputs=tensors(seq=1, totals=(2, 6), past=6, seed=1020)),
    value("shorter-f32", "fewer tokens than total_sequence_length says", dtype="float32", outputs=ALL, do_rotary=1,
          **HEADS, flags=(*CACHE, *MASK),
          inputs=rotary(seq=1, totals=(3,), past=4, largest=5, seed=1030)),
    value("first-token-f32", "a prompt of one token", dtype="float32", outputs=ALL, do_rotary=1, **HEADS, **NO_PAST,
          flags=CACHE, inputs=rotary(seq=1, totals=(1,), seed=1040)),
    value("window-1-f32", "a window of the own key", dtype="float32", local_window_size=1, **HEADS, **NO_PAST,
          flags=MASK, inputs=tensors(totals=(3,), seed=1050)),
    value("window-0-f32", "a window of no keys", dtype="float32", local_window_size=0, flags=MASK, **HEADS, **NO_PAST,
          inputs=tensors(totals=(3,), seed=1060)),
    value("window-sink-f32", "a window of 2 keys and a sink", dtype="float32", local_window_size=2, **HEADS, **NO_PAST,
          flags=MASK, inputs=tensors(totals=(4,), seq=4, seed=1070, head_sink=listed([0.5, -2.0], "float32"))),
    value("softcap-sink-f32", "a sink is not capped", dtype="float32", softcap=0.5, **HEADS, **NO_PAST, flags=SCALE,
          inputs=tensors(totals=(3,), seed=1080, head_sink=listed([4.0, 1.0], "float32"))),
    value("bias-batch-f32", "a bias for each sequence", dtype="float32", **HEADS, **NO_PAST, flags=MASK,
          inputs=tensors(seed=1090, attention_bias=scattered("float32", (2, 1, 3, 3), 1096, 1))),
    value("bias-past-f32", "a bias of cached and new keys", dtype="float32", outputs=ALL, **HEADS,
          flags=(*CACHE, *MASK),
          inputs=tensors(seq=2, totals=(5,), past=3, seed=1100,
                         attention_bias=scattered("float32", (1, 1, 2, 5), 1106, 1))),
    value("equal-heads-f32", "as many heads of keys as of queries", dtype="float32", num_heads=2, kv_num_heads=2,
          **NO_PAST, flags=("HeadAxis",), inputs=tensors(heads=(2, 2), seed=1110)),
    value("packed-groups-f32", "six packed heads that read two, a prompt", dtype="float32", outputs=ALL, num_heads=6,
          kv_num_heads=2, **PACKED, **NO_PAST, flags=("HeadAxis",),
          inputs=tensors(heads=(6, 2), packed=True, totals=(2,), seq=2, seed=1120)),
    value("float32-float64", "a rotation that is rounded to float32, the rest in float64", dtype="float64",
          outputs=ALL, do_rotary=1, **HEADS, **NO_PAST, flags=("DoubleRounding",),
          inputs=rotary(totals=(3,), seed=1130)),
    # refused
    refused("quantised-key", "a cache of integers", "E_DTYPE", "past_key", **HEADS,
            inputs=tensors(seq=1, totals=(3,), past=2, past_key=listed([0] * 16, "int64", (1, 1, 2, 8)))),
    refused("query-axes", "query of four axes", "E_SHAPE", "query", **HEADS, **NO_PAST,
            inputs={**tensors(), "query": scattered("float32", (2, 2, 3, 8), 1)}),
    refused("groups", "3 heads that read 2", "E_SHAPE", "kv_num_heads", num_heads=3, kv_num_heads=2, **NO_PAST,
            inputs=tensors()),
    refused("key-alone", "key without value", "E_MISSING", "value", **HEADS, **NO_PAST, value=None,
            inputs={name: one for name, one in tensors().items() if name != "value"}),
    refused("key-tokens", "fewer new keys than queries", "E_SHAPE", "key", **HEADS, **NO_PAST,
            inputs={**tensors(), "key": scattered("float32", (2, 2, 8), 1)}),
    refused("query-width", "channels that do not fill the heads", "E_SHAPE", "query", num_heads=3, kv_num_heads=1,
            **NO_PAST, inputs=tensors()),
    refused("past-alone", "past_key without past_value", "E_MISSING", "past_value", **HEADS, past_value=None,
            inputs={name: one for name, one in tensors(past=3).items() if name != "past_value"}),
    refused("past-heads", "cached keys of other heads", "E_SHAPE", "past_key", **HEADS,
            inputs=tensors(seq=1, totals=(3,), past=2, past_key=scattered("float32", (1, 2, 2, 8), 1))),
    refused("past-rooms", "fewer cached values than keys", "E_SHAPE", "past_value", **HEADS,
            inputs=tensors(seq=1, totals=(3,), past=2, past_value=scattered("float32", (1, 1, 1, 8), 1))),
    refused("total-less", "fewer tokens than new ones", "E_NUMBER", "total_sequence_length", **HEADS, **NO_PAST,
            inputs=tensors(largest=2)),
    refused("total-gap", "more tokens than cached and new ones", "E_NUMBER", "total_sequence_length", **HEADS,
            inputs=tensors(seq=1, totals=(5,), past=2)),
    refused("total-two", "a total for each sequence", "E_SHAPE", "total_sequence_length", **HEADS, **NO_PAST,
            inputs=tensors(total_sequence_length=listed([3, 3]))),
    refused("seqlens-shape", "one length for two sequences", "E_SHAPE", "seqlens_k", **HEADS, **NO_PAST,
            inputs=tensors(seqlens_k=listed([2]))),
    refused("seqlens-beyond", "more tokens than the total", "E_NUMBER", "seqlens_k", **HEADS, **NO_PAST,
            inputs=tensors(seqlens_k=listed([2, 3]))),
    refused("seqlens-less", "fewer tokens than new ones behind a cache", "E_NUMBER", "seqlens_k", **HEADS,
            inputs=tensors(seq=3, totals=(7,), past=4, seqlens_k=listed([1]))),
    refused("chunks", "two sequences of several tokens behind caches", "E_SHAPE", "query", **HEADS,
            inputs=tensors(seq=2, totals=(5, 5), past=3)),
    refused("no-caches", "a rotation without cosines", "E_MISSING", "cos_cache", do_rotary=1, **HEADS, **NO_PAST,
            inputs=tensors(size=WIDE)),
    refused("wide-caches", "more rotated channels than a head has", "E_SHAPE", "cos_cache", do_rotary=1, **HEADS,
            **NO_PAST, inputs=rotary(half=16)),
    refused("few-rows", "fewer rows than tokens", "E_SHAPE", "cos_cache", do_rotary=1, **HEADS, **NO_PAST,
            inputs=rotary(rows=2)),
    refused("ids-beyond", "a position behind the last row", "E_NUMBER", "position_ids", do_rotary=1, **HEADS,
            inputs=rotary(seq=1, totals=(3,), past=2, position_ids=ids(12, shape=(1, 1)))),
    refused("ids-shape", "position_ids of one axis", "E_SHAPE", "position_ids", do_rotary=1, **HEADS, **NO_PAST,
            inputs=rotary(totals=(3,), position_ids=listed([0, 1, 2]))),
    refused("bias-keys", "a bias of new keys behind a cache", "E_SHAPE", "attention_bias", **HEADS,
            inputs=tensors(seq=1, totals=(3,), past=2, attention_bias=scattered("float32", (1, 1, 1, 1), 1))),
    refused("sink-heads", "a sink for one of two heads", "E_SHAPE", "head_sink", **HEADS, **NO_PAST,
            inputs=tensors(head_sink=scattered("float32", (1,), 1))),
    refused("sink-smooth", "sinks and smooth softmax at once", "E_CHOICE", "smooth_softmax", smooth_softmax=1, **HEADS,
            **NO_PAST, inputs=tensors(head_sink=scattered("float32", (2,), 1))),
    refused("window", "a window of -2 keys", "E_SIZE", "local_window_size", local_window_size=-2, **HEADS, **NO_PAST,
            inputs=tensors()),
    refused("window-not-causal", "a window without a causal mask", "E_CHOICE", "local_window_size", causal=0,
            local_window_size=2, **HEADS, **NO_PAST, inputs=tensors()),
    refused("qk-mode", "a third kind of output_qk", "E_CHOICE", "qk_output", qk_output=3, outputs=QK, **HEADS,
            **NO_PAST, inputs=tensors()),
    refused("qk-none", "output_qk of no kind", "E_CHOICE", "qk_output", outputs=QK, **HEADS, **NO_PAST,
            inputs=tensors()),
    refused("qk-window-cache", "output_qk of a cache of a window", "E_CHOICE", "sliding_window_cache", qk_output=1,
            outputs=QK, sliding_window_cache=1, local_window_size=2, **HEADS, inputs=tensors(past=4)),
    refused("window-cache-bit", "sliding_window_cache that is no bit", "E_CHOICE", "sliding_window_cache",
            sliding_window_cache=2, local_window_size=2, **HEADS, inputs=tensors(past=4)),
    refused("window-cache-all", "a cache of a window without one", "E_CHOICE", "local_window_size",
            sliding_window_cache=1, **HEADS, inputs=tensors(past=4)),
    refused("window-cache-none", "a cache of a window of no keys", "E_CHOICE", "local_window_size",
            sliding_window_cache=1, local_window_size=0, **HEADS, inputs=tensors(past=4)),
    refused("window-cache-small", "a cache that is smaller than the window", "E_SHAPE", "past_key",
            sliding_window_cache=1, local_window_size=5, **HEADS, inputs=tensors(past=4)),
    refused("window-cache-absent", "a cache of a window that is not given", "E_MISSING", "past_key",
            sliding_window_cache=1, local_window_size=2, **HEADS, **NO_PAST, inputs=tensors()),
    refused("window-cache-rooms", "more room for values than for keys", "E_SHAPE", "past_value",
            sliding_window_cache=1, local_window_size=2, **HEADS,
            inputs=tensors(seq=1, totals=(3,), past=2, past_value=scattered("float32", (1, 1, 3, 8), 1))),
    refused("window-cache-padded", "a padded prompt into a cache of a window", "E_NUMBER", "seqlens_k",
            sliding_window_cache=1, local_window_size=2, **HEADS, inputs=tensors(totals=(3, 2), past=4)),
    refused("causal", "causal that is no bit", "E_CHOICE", "causal", causal=2, **HEADS, **NO_PAST, inputs=tensors()),
    refused("softcap", "a negative cap", "E_NUMBER", "softcap", softcap=fraction(-1, 2), **HEADS, **NO_PAST,
            inputs=tensors()),
]  # fmt: skip

# what tells a quotient by the cap from a product with the inverse
CASES += [
    value("softcap-7-f64", "scores between -7 and 7, in float64", dtype="float64", softcap=7, outputs=QK, qk_output=1,
          flags=(*SCALE, *MASK), **HEADS, **NO_PAST, inputs=tensors("float64", seed=1400)),
]
