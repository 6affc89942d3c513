"""Golden cases of RotaryEmbedding of ONNX, opset 23."""

from ...case import counting, listed, project, scattered, suite
from ...telling_inputs import SHORT, narrow
from ._caches import DTYPES, FLAGS, inputs, of_numbers, of_sizes, pairs, rows

SOURCE = project("onnx", "1.23.2", "onnx/reference/ops/op_rotary_embedding.py", "rotary_embedding")
value, refused = suite("onnx_rotary_embedding", SOURCE)
#: rows of a cache of 7, in no order, for 2 sequences of 3
IDS = rows(4, 0, 6, 1, 1, 5, shape=(2, 3))
FOUR, THREE = (2, 3, 3, 8), (2, 3, 24)  # (batch, heads, seq, head_size) and (batch, seq, heads * head_size)


def from_cache(dtype, x=FOUR, half=4, seed=1, ids=IDS):
    """x and caches of 7 rows with position_ids."""
    return inputs(dtype, x, (7, half), seed, ids)


def for_tokens(dtype, x=FOUR, half=4, seed=1):
    """x and caches that have a row for each token."""
    return inputs(dtype, x, (2, 3, half), seed)


CASES = [
    # each form of x with each form of the caches and each pairing
    *[
        value(f"{axes}-{form}-{('half', 'interleaved')[interleaved]}-{SHORT[dtype]}",
              f"x of {axes} axes, {told}, {dtype}", interleaved=interleaved, flags=(*FLAGS, *narrow(dtype)),
              inputs=made(dtype, x, seed=100 + 10 * k + 3 * interleaved), num_heads=0 if axes == "four" else 3)
        for k, dtype in enumerate(DTYPES)
        for axes, x in (("four", FOUR), ("three", THREE))
        for form, made, told in (("ids", from_cache, "rows by position_ids"),
                                 ("tokens", for_tokens, "a row each token"))
        for interleaved in (0, 1)
    ],
    # rotary_embedding_dim
    *[
        value(f"partial-{axes}-{form}-{SHORT[dtype]}", f"6 of 8 channels, x of {axes} axes, {dtype}",
              interleaved=interleaved, num_heads=3, rotary_embedding_dim=6,
              flags=("PartialRotary", *FLAGS, *narrow(dtype)), inputs=made(dtype, x, 3, seed=140 + 10 * k))
        for k, dtype in enumerate(DTYPES)
        for axes, x, form, made, interleaved in (
            ("four", FOUR, "ids", from_cache, 0), ("three", THREE, "ids", from_cache, 1),
            ("four", FOUR, "tokens", for_tokens, 1), ("three", THREE, "tokens", for_tokens, 0))
    ],
    *[
        value(f"partial-no-heads-{SHORT[dtype]}", f"rotary_embedding_dim without num_heads, x of four axes, {dtype}",
              rotary_embedding_dim=2, flags=("PartialRotary", *narrow(dtype)),
              inputs=from_cache(dtype, half=1, seed=170))
        for dtype in DTYPES
    ],
    # sizes
    value("square-f32", "as many heads as tokens, so that the order of the axes leaves no other shape",
          flags=("HeadAxis",), inputs=inputs("float32", (2, 3, 3, 4), (2, 3, 2), 180)),
    value("one-head-three-f32", "three axes and one head", num_heads=1,
          inputs=for_tokens("float32", (2, 3, 8), seed=183)),
    value("heads-four-f32", "num_heads is not read of four axes", num_heads=8, inputs=for_tokens("float32", seed=176)),
    value("many-heads-three-f32", "three axes and heads of two channels", num_heads=6,
          inputs=for_tokens("float32", (2, 3, 12), 1, seed=186), flags=("HeadAxis",)),
    value("decode-f32", "one new token of each sequence, at positions of its own", flags=("CacheOffset",),
          inputs=inputs("float32", (3, 2, 1, 4), (9, 2), 189, rows(8, 0, 5, shape=(3, 1)))),
    value("padded-f32", "left padding, whose tokens are at position 0", flags=("OffByOne",),
          inputs=inputs("float32", (2, 2, 4, 4), (4, 2), 192, rows(0, 1, 2, 3, 0, 0, 0, 1, shape=(2, 4)))),
    value("longer-than-cache-f32", "more tokens than rows of the cache", flags=("PackedSequence",),
          inputs=inputs("float32", (1, 1, 5, 4), (2, 2), 195, rows(0, 1, 0, 1, 0))),
    value("wide-f32", "a head of 128 channels", inputs=inputs("float32", (1, 2, 5, 128), (1, 5, 64), 198)),
    value("no-tokens-f32", "no tokens", inputs=inputs("float32", (2, 3, 0, 4), (2, 0, 2), 201)),
    value("no-batch-f32", "no sequences, three axes", num_heads=2,
          inputs=inputs("float32", (0, 3, 8), (5, 2), 204, listed((), "int64", (0, 3)))),
    # numbers
    *of_numbers(value, pairs),
    *of_sizes(value, lambda x, cos, sin: {"x": x, "cos_cache": cos, "sin_cache": sin}),
    # beyond the types of the operator
    *[
        value(f"wide-cache-{SHORT[dtype]}", f"caches of float32 and x of {dtype}: rounded once",
              inputs=inputs(dtype, FOUR, (2, 3, 4), 220, cache_dtype="float32"), flags=narrow(dtype))
        for dtype in ("float16", "bfloat16")
    ],
    *[
        value(f"float64-{SHORT[kind]}", f"x of float64 and caches of {kind}", num_heads=3, interleaved=1,
              inputs=inputs("float64", THREE, (7, 4), 230, IDS, cache_dtype=kind), flags=FLAGS)
        for kind in ("float64", "float32")
    ],
    *[
        value(f"four-{form}-{('half', 'interleaved')[interleaved]}-f64", f"x of four axes, {told}, float64",
              interleaved=interleaved, inputs=made("float64", seed=240 + 3 * interleaved), flags=FLAGS)
        for form, made, told in (("ids", from_cache, "rows by position_ids"),
                                 ("tokens", for_tokens, "a row each token"))
        for interleaved in (0, 1)
    ],
    value("one-sequence-f64", "one sequence of float64", inputs=inputs("float64", (1, 3, 5, 8), (1, 5, 4), 246),
          flags=FLAGS),
    value("float64-partial", "6 of 8 channels of float64", rotary_embedding_dim=6, num_heads=3,
          flags=("PartialRotary",), inputs=inputs("float64", THREE, (7, 3), 233, IDS)),
    value("float64-cancelling", "products of float64 that cancel in the first double", flags=("Cancellation",),
          inputs=pairs("float64", (1 + 2.0**-52, 1.0, 1e300, 1e-300, 1 - 2.0**-53, 1.0, 1e300, -1e-300),
                       (1 - 2.0**-53, 3.0, 1e300, 1e-20), (1 + 2.0**-52, 3.0, 1e300, 1e-20))),
    # refused
    refused("two-axes", "x of two axes", "E_SHAPE", "x", inputs=inputs("float32", (3, 8), (1, 3, 4), 1)),
    refused("three-no-heads", "three axes without num_heads", "E_MISSING", "num_heads",
            inputs=for_tokens("float32", THREE)),
    refused("three-heads", "num_heads that does not divide the channels", "E_SHAPE", "num_heads", num_heads=5,
            inputs=for_tokens("float32", THREE)),
    refused("odd-head", "a head of 7 channels", "E_ODD_DIM", "x", inputs=for_tokens("float32", (2, 3, 3, 7), 3)),
    refused("odd-rotary", "5 rotated channels", "E_ODD_DIM", "rotary_embedding_dim", rotary_embedding_dim=5,
            inputs=for_tokens("float32", half=2)),
    refused("wide-rotary", "more rotated channels than a head has", "E_ROTARY_DIM", "rotary_embedding_dim",
            rotary_embedding_dim=10, inputs=for_tokens("float32", half=5)),
    refused("cache-width", "caches of the width of a head", "E_SHAPE", "cos_cache",
            inputs=for_tokens("float32", half=8)),
    refused("cache-width-partial", "caches of half a head where 4 channels are rotated", "E_SHAPE", "cos_cache",
            rotary_embedding_dim=4, inputs=for_tokens("float32")),
    refused("cache-axes-ids", "caches for tokens and position_ids", "E_SHAPE", "cos_cache",
            inputs={**for_tokens("float32"), "position_ids": IDS}),
    refused("cache-axes-tokens", "caches of rows without position_ids", "E_SHAPE", "cos_cache",
            inputs=inputs("float32", FOUR, (3, 4), 1)),
    refused("cache-batch", "caches of one sequence for a batch of 2", "E_SHAPE", "cos_cache",
            inputs=inputs("float32", FOUR, (1, 3, 4), 1)),
    refused("cache-tokens", "caches of more tokens than x has", "E_SHAPE", "cos_cache",
            inputs=inputs("float32", FOUR, (2, 5, 4), 1)),
    refused("sin-shape", "sines of another shape", "E_SHAPE", "sin_cache",
            inputs={**for_tokens("float32"), "sin_cache": scattered("float32", (2, 3, 2), 1)}),
    refused("sin-dtype", "sines of another dtype", "E_DTYPE", "sin_cache",
            inputs={**for_tokens("float32"), "sin_cache": scattered("float16", (2, 3, 4), 1)}),
    refused("ids-shape", "position_ids of one sequence for a batch of 2", "E_SHAPE", "position_ids",
            inputs=from_cache("float32", ids=rows(0, 1, 2))),
    refused("ids-first", "one position for all, as com.microsoft.RotaryEmbedding takes it", "E_SHAPE", "position_ids",
            inputs=from_cache("float32", ids=listed((0,)))),
    refused("ids-beyond", "a position behind the last row", "E_NUMBER", "position_ids",
            inputs=inputs("float32", (1, 1, 3, 4), (2, 2), 1, rows(0, 1, 2))),
    refused("ids-negative", "a negative position", "E_NUMBER", "position_ids",
            inputs=inputs("float32", (1, 1, 2, 4), (2, 2), 1, rows(0, -1))),
    refused("interleaved", "interleaved that is no bit", "E_CHOICE", "interleaved", interleaved=2,
            inputs=for_tokens("float32")),
    refused("negative-heads", "a negative number of heads", "E_SIZE", "num_heads", num_heads=-1,
            inputs=for_tokens("float32", THREE)),
    refused("integers", "x of integers", "E_DTYPE", "x",
            inputs={**for_tokens("float32"), "x": counting(0, 8)._replace(shape=(8,))}),
]  # fmt: skip
