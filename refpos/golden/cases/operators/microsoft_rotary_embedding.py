"""Golden cases of com.microsoft.RotaryEmbedding."""

from ...case import fraction, listed, project, suite
from ...telling_inputs import SHORT, narrow
from ._caches import DTYPES, FLAGS, inputs, of_numbers, of_sizes, pairs, rows

SOURCE = project("onnxruntime", "1.32.0", "onnxruntime/contrib_ops/cpu/bert/rotary_embedding_helper.h", "CheckInputs")
value, refused = suite("microsoft_rotary_embedding", SOURCE)
FOUR, THREE = (2, 3, 4, 8), (2, 4, 24)  # (batch, heads, seq, head_size) and (batch, seq, heads * head_size)
#: (batch, seq) of a cache of 9 rows, and the position of the first token
EACH, FIRST = rows(4, 0, 6, 7, 1, 1, 5, 8, shape=(2, 4)), listed((5,))


def given(dtype, x=FOUR, half=4, seed=1, ids=EACH):
    """x, caches of 9 rows, and position_ids."""
    return inputs(dtype, x, (9, half), seed, ids)


def first_token(dtype, x, cos, sin):
    """One token at position 0."""
    return pairs(dtype, x, cos, sin, listed((0,)))


CASES = [
    *[
        value(f"{axes}-{form}-{('half', 'interleaved')[interleaved]}-{SHORT[dtype]}",
              f"x of {axes} axes, {told}, {dtype}", interleaved=interleaved, flags=(*FLAGS, *extra, *narrow(dtype)),
              inputs=given(dtype, x, seed=300 + 10 * k + 3 * interleaved, ids=ids))
        for k, dtype in enumerate(DTYPES)
        for axes, x in (("four", FOUR), ("three", THREE))
        for form, ids, told, extra in (("each", EACH, "a position each token", ()),
                                       ("first", FIRST, "the position of the first token", ("CacheOffset",)))
        for interleaved in (0, 1)
    ],
    *[
        value(f"partial-{axes}-{SHORT[dtype]}", f"6 of 8 channels, x of {axes} axes, {dtype}", interleaved=interleaved,
              num_heads=3, rotary_embedding_dim=6, flags=("PartialRotary", *FLAGS, *narrow(dtype)),
              inputs=given(dtype, x, 3, seed=340 + 10 * k, ids=ids))
        for k, dtype in enumerate(DTYPES)
        for axes, x, interleaved, ids in (("four", FOUR, 0, EACH), ("three", THREE, 1, FIRST))
    ],
    *[
        value(f"packed-{SHORT[dtype]}", f"two documents in one row, longer than the caches, {dtype}",
              is_packed_batching=1, flags=("PackedSequence", *narrow(dtype)),
              inputs=inputs(dtype, (1, 5, 8), (3, 2), 370, rows(0, 1, 2, 0, 1)))
        for dtype in DTYPES
    ],
    value("heads-three-f32", "num_heads given without rotary_embedding_dim", num_heads=3,
          inputs=given("float32", THREE)),
    value("scale-1-f32", "scale 1, which is the default", scale=1.0, inputs=given("float32", seed=376)),
    value("first-zero-f32", "the prompt: the first token is at 0", flags=("CacheOffset",),
          inputs=given("float32", seed=379, ids=listed((0,)))),
    value("decode-first-f32", "one new token at position 8", flags=("CacheOffset",),
          inputs=given("float32", (1, 3, 1, 8), seed=382, ids=listed((8,)))),
    value("one-token-each-f32", "position_ids (1, 1)", inputs=given("float32", (1, 1, 8), seed=385, ids=rows(3))),
    value("no-tokens-f32", "no tokens", inputs=given("float32", (1, 2, 0, 8), seed=388, ids=listed((3,)))),
    *of_numbers(value, first_token),
    *of_sizes(value, lambda x, cos, sin: {
        "x": x, "position_ids": listed((0,)), "cos_cache": cos._replace(shape=(3, 2)),
        "sin_cache": sin._replace(shape=(3, 2))}),
    value("float64", "x and caches of float64, which the operator does not have", interleaved=1, num_heads=3,
          rotary_embedding_dim=6, inputs=given("float64", THREE, 3, seed=391, ids=FIRST), flags=FLAGS),
    value("float64-each", "x and caches of float64, a position each token", inputs=given("float64", seed=394),
          flags=FLAGS),
    value("float64-packed", "x and caches of float64, longer than the caches", is_packed_batching=1,
          inputs=inputs("float64", (1, 5, 8), (3, 2), 397, rows(0, 1, 2, 0, 1)), flags=("PackedSequence",)),
    # refused
    refused("scale", "a scale that the operator does not define", "E_NUMBER", "scale", scale=fraction(1, 2),
            inputs=given("float32")),
    refused("no-heads", "rotary_embedding_dim without num_heads", "E_MISSING", "num_heads", rotary_embedding_dim=6,
            inputs=given("float32", half=3)),
    refused("three-width", "caches whose heads do not fill x", "E_SHAPE", "cos_cache",
            inputs=given("float32", THREE, 5)),
    refused("four-width", "caches of another width than the heads of x", "E_SHAPE", "cos_cache",
            inputs=given("float32", half=3)),
    refused("three-heads", "num_heads and caches that leave other head sizes", "E_SHAPE", "cos_cache", num_heads=2,
            inputs=given("float32", THREE)),
    refused("four-heads", "num_heads that is not that of x", "E_SHAPE", "num_heads", num_heads=2,
            inputs=given("float32")),
    refused("odd-rotary", "5 rotated channels", "E_ODD_DIM", "rotary_embedding_dim", rotary_embedding_dim=5,
            num_heads=3, inputs=given("float32", half=2)),
    refused("wide-rotary", "more rotated channels than a head has", "E_ROTARY_DIM", "rotary_embedding_dim", num_heads=3,
            rotary_embedding_dim=10, inputs=given("float32", half=5)),
    refused("cache-axes", "caches with an axis of sequences", "E_SHAPE", "cos_cache",
            inputs=inputs("float32", FOUR, (2, 4, 4), 1, EACH)),
    refused("longer", "more tokens than rows without is_packed_batching", "E_SHAPE", "cos_cache",
            inputs=inputs("float32", (1, 5, 8), (3, 2), 1, rows(0, 1, 2, 0, 1))),
    refused("first-beyond", "a first position whose last token has no row", "E_NUMBER", "position_ids",
            inputs=given("float32", ids=listed((6,)))),
    refused("first-negative", "a negative first position", "E_NUMBER", "position_ids",
            inputs=given("float32", ids=listed((-1,)))),
    refused("each-beyond", "a position behind the last row", "E_NUMBER", "position_ids",
            inputs=given("float32", (1, 3, 2, 8), ids=rows(0, 9))),
    refused("ids-shape", "a row of position_ids for all sequences", "E_SHAPE", "position_ids",
            inputs=given("float32", ids=rows(0, 1, 2, 3))),
    refused("packed", "is_packed_batching that is no bit", "E_CHOICE", "is_packed_batching", is_packed_batching=2,
            inputs=given("float32")),
]  # fmt: skip
