"""Golden cases of the scores of Transformer-XL and its kin."""

from ...case import extreme, fraction, listed, paper, project, scattered, suite, tiny
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

XL = paper("Dai et al. 2019, Transformer-XL, arXiv:1901.02860, section 3.3")
value, refused = suite("xl_scores", XL)
FLAGS = ("FmaContraction", "HeadAxis", "OffByOne", "UnequalLengths")


def _hf(name, function=None, version="5.23.0"):
    return project("transformers", version, f"models/{name}/modeling_{name.split('/')[-1]}.py", function)


def below(queries, keys, first, last, start=0, step=1):
    """Rows of a table whose distances query - key go from `first` down to `last`; -1 outside."""
    pairs = [(start + step * i - j) for i in range(queries) for j in range(keys)]
    rows = [first - distance if first >= distance >= last else -1 for distance in pairs]
    return listed(rows, shape=(queries, keys))


def arrays(queries, keys, table, rows, seed, dtype="float64", heads=2, dim=3, biases=True):
    """q, k, projected, rows, u and v."""
    made = {
        "q": scattered(dtype, (heads, queries, dim), seed, 1),
        "k": scattered(dtype, (heads, keys, dim), seed + 1, 1),
        "projected": scattered(dtype, (heads, table, dim), seed + 2, 1),
        "rows": rows,
    }
    if biases:
        made.update({name: scattered(dtype, (heads, dim), seed + 3 + n, 0) for n, name in enumerate("uv")})
    return made


def segments(queries, keys, seed, heads=2, dim=3, dtype="float64"):
    """Two vectors of each head, the rows of pairs of segments 0 and 1, and their bias."""
    rows = [int(2 * i >= queries) ^ int(2 * j >= keys) for i in range(queries) for j in range(keys)]
    return {
        "segments": scattered(dtype, (heads, 2, dim), seed, 1), "segment_rows": listed(rows, shape=(queries, keys)),
        "s": scattered(dtype, (heads, dim), seed + 1, 0),
    }  # fmt: skip


NO_TERMS = {"u": None, "v": None}
AFTER_POOLING = listed([-1] * 5 + [3, 4, 5, -1, 2, 3, 4, -1, 1, 2, 3], shape=(4, 4))
SMALL = arrays(2, 3, 4, below(2, 3, 2, -1), 90)

CASES = [
    *[
        value(f"transformer-xl-{SHORT[dtype]}", f"3 queries behind 4 keys of memory, {dtype}", dtype=dtype,
              inputs=arrays(3, 7, 7, below(3, 7, 6, 0, 4), 10, dtype), flags=(*FLAGS, *narrow(dtype)),
              source=_hf("deprecated/transfo_xl", "RelPartialLearnableMultiHeadAttn", "4.40.2"))
        for dtype in DTYPES
    ],
    value("transformer-xl-clamp", "distances above 3 read the row of 3", inputs=arrays(
          3, 6, 4, listed([0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 1], shape=(3, 6)), 20),
          flags=FLAGS, source=_hf("deprecated/transfo_xl", None, "4.40.2")),
    value("xlnet-bi", "XLNet both ways: 3 queries, 5 keys, distances 5 .. -2, with segments",
          inputs={**arrays(3, 5, 8, below(3, 5, 5, -2, 2), 30), **segments(3, 5, 36)}, flags=FLAGS,
          source=_hf("xlnet", "XLNetRelativeAttention.rel_attn_core")),
    value("xlnet-uni", "XLNet one way: distances 5 .. 0",
          inputs={**arrays(3, 5, 6, below(3, 5, 5, 0, 2), 40), **segments(3, 5, 46)}, flags=FLAGS,
          source=_hf("xlnet", "XLNetRelativeAttention.rel_attn_core")),
    value("xlnet-bi-data", "XLNet: one half of the batch reads the distances the other way round", inputs={
          **arrays(2, 2, 5, listed([2, 3, 1, 2, 2, 1, 3, 2], shape=(2, 1, 2, 2)), 50),
          "q": scattered("float64", (2, 2, 2, 3), 51, 1), "k": scattered("float64", (2, 2, 2, 3), 52, 1)},
          flags=FLAGS, source=_hf("xlnet", "XLNetModel.relative_positional_encoding")),
    value("funnel-1", "Funnel: 4 tokens after one pooling, two apart; the class token has content only",
          scaled="queries", inputs={**arrays(4, 4, 7, AFTER_POOLING, 60), **segments(4, 4, 66)},
          flags=(*FLAGS, "QueryKeyScale"), source=_hf("funnel", "FunnelRelMultiheadAttention")),
    value("funnel-pooled", "Funnel: 3 pooled queries of 6 keys", scaled="queries", inputs=arrays(
          3, 6, 10, below(3, 6, 4, -5, 0, 2), 70), flags=(*FLAGS, "QueryKeyScale"),
          source=_hf("funnel", "FunnelRelMultiheadAttention")),
    value("conformer-1", "Conformer: one frame, one row", scaled="parts", inputs=arrays(1, 1, 1, below(1, 1, 0, 0), 80),
          flags=FLAGS, source=_hf("wav2vec2_conformer", "_apply_relative_position_encoding")),
    value("conformer-2", "Conformer: two frames, distances 1, 0, -1", scaled="parts",
          inputs=arrays(2, 2, 3, below(2, 2, 1, -1), 84), flags=FLAGS,
          source=_hf("wav2vec2_conformer", "_apply_relative_position_encoding")),
    *[
        value(f"conformer-5-{scaled}", f"5 frames, the scale on {scaled}", scaled=scaled, dtype="float32",
              inputs=arrays(5, 5, 9, below(5, 5, 4, -4), 92, "float32", dim=5), flags=FLAGS, source=source)
        for scaled, source in (("parts", _hf("parakeet", "ParakeetEncoderAttention")), ("queries", XL),
                               ("sum", _hf("fastspeech2_conformer", "FastSpeech2ConformerAttention")))
    ],
    value("gemma3n", "Gemma 3n: 2 blocks of 3 queries with 7 keys, 3 to the left and 1 to the right", scale=1,
          inputs={**arrays(3, 7, 5, below(3, 7, 3, -1, 3), 100, biases=False),
                  "q": scattered("float64", (2, 2, 3, 3), 101, 1), "k": scattered("float64", (2, 2, 7, 3), 102, 1)},
          flags=FLAGS, source=_hf("gemma3n", "Gemma3nAudioRelativePositionEmbedding"), **NO_TERMS),
    value("gemma4", "Gemma 4: a block of 3 queries with 6 keys, distances 3 .. 0", scale=1,
          inputs=arrays(3, 6, 4, below(3, 6, 3, 0, 3), 110, biases=False), flags=FLAGS,
          source=_hf("gemma4", "Gemma4AudioAttention"), **NO_TERMS),
    value("one-table", "one table for all heads, a bias only on the positions, scale 1/3", scale=fraction(1, 3),
          inputs={"q": scattered("float64", (3, 2, 4), 120, 1), "k": scattered("float64", (3, 4, 4), 121, 1),
                  "projected": scattered("float64", (5, 4), 122, 1), "rows": below(2, 4, 1, -3),
                  "v": scattered("float64", (3, 4), 123, 0)}, u=None, flags=FLAGS),
    value("grouped", "four query heads, two key heads", inputs={
          **arrays(2, 3, 4, below(2, 3, 2, -1), 130, heads=4), "k": scattered("float64", (2, 3, 3), 135, 1)},
          flags=FLAGS),
    value("no-heads", "two axes: a single head", inputs={
          "q": scattered("float64", (2, 3), 140, 1), "k": scattered("float64", (3, 3), 141, 1),
          "projected": scattered("float64", (4, 3), 142, 1), "rows": below(2, 3, 2, -1),
          "u": scattered("float64", (3,), 143, 0), "v": scattered("float64", (3,), 144, 0)}, flags=FLAGS),
    value("mixed-dtypes", "float32 queries, float16 keys, a table of bfloat16", dtype="float32", inputs={
          "q": scattered("float32", (2, 2, 3), 150, 1), "k": scattered("float16", (2, 3, 3), 151, 1),
          "projected": scattered("bfloat16", (2, 4, 3), 152, 1), "rows": below(2, 3, 2, -1),
          "u": scattered("float32", (2, 3), 153, 0)}, v=None, flags=(*FLAGS, "DoubleRounding")),
    value("negative-scale", "the scale is negative, and no row is read", scale=-0.5, scaled="parts", inputs={
          **SMALL, "rows": listed([-1] * 6, shape=(2, 3))}, flags=FLAGS),
    value("extreme", "infinities, NaN and the largest numbers", inputs={
          **SMALL, "q": extreme("float64", (2, 2, 3)), "projected": extreme("float64", (2, 4, 3))}, flags=FLAGS),
    value("tiny", "subnormal keys and rows", inputs={
          **SMALL, "k": tiny("float64", (2, 3, 3), 160), "projected": tiny("float64", (2, 4, 3), 161)},
          flags=(*FLAGS, "Subnormal")),
    value("no-queries", "no queries", inputs=arrays(0, 3, 4, below(0, 3, 2, -1), 170)),
    value("no-channels", "no channels", inputs=arrays(2, 3, 4, below(2, 3, 2, -1), 171, dim=0)),
    value("no-table", "a table without rows", inputs=arrays(2, 3, 0, listed([-1] * 6, shape=(2, 3)), 172)),
    refused("row", "a row beyond the table", "E_POSITION", "rows", inputs={
            **SMALL, "rows": listed([0, 1, 2, 3, 4, 0], shape=(2, 3))}),
    refused("row-negative", "a row of -2", "E_POSITION", "rows", inputs={
            **SMALL, "rows": listed([0, 1, 2, 3, -2, 0], shape=(2, 3))}),
    refused("rows-shape", "rows of keys and queries", "E_SHAPE", "rows", inputs={
            **SMALL, "rows": listed([0] * 6, shape=(3, 2))}),
    refused("table-width", "a table of another width", "E_SHAPE", "projected", inputs={
            **SMALL, "projected": scattered("float64", (2, 4, 4), 1)}),
    refused("table-heads", "a table of other heads", "E_SHAPE", "projected", inputs={
            **SMALL, "projected": scattered("float64", (3, 4, 3), 1)}),
    refused("bias-shape", "a bias of one head", "E_SHAPE", "v", inputs={**SMALL, "v": scattered("float64", (3,), 1)}),
    refused("scaled", "no such convention", "E_CHOICE", "scaled", scaled="scores", inputs=SMALL),
    refused("segments-alone", "segments without rows", "E_MISSING", "segment_rows", inputs={
            **SMALL, "segments": scattered("float64", (2, 2, 3), 1)}),
    refused("segment-rows-alone", "rows without segments", "E_MISSING", "segments", inputs={
            **SMALL, "segment_rows": listed([0] * 6, shape=(2, 3))}),
    refused("keys-width", "keys of another width", "E_SHAPE", "k", inputs={
            **SMALL, "k": scattered("float64", (2, 3, 2), 1)}),
    refused("integers", "integers as queries", "E_DTYPE", "q", inputs={
            **SMALL, "q": listed([1] * 12, shape=(2, 2, 3))}),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="xlnet-uni negative-scale",
    float16="xlnet-uni negative-scale",
    bfloat16="xlnet-uni negative-scale",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float32="gemma4",
    float16="gemma4",
    bfloat16="gemma4",
)

# what the cases of a format do not tell apart
CASES += in_formats(
    CASES,
    float32="grouped",
    float16="grouped",
    bfloat16="grouped",
)
