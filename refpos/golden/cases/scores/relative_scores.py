"""Golden cases of scores with the vectors of distances."""

import numpy as np

from ...case import extreme, fraction, listed, paper, project, scattered, suite, tiny
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

SHAW = paper("Shaw et al. 2018, Self-Attention with Relative Position Representations, arXiv:1803.02155, equation 5")
MUSIC = paper("Huang et al. 2018, Music Transformer, arXiv:1809.04281, section 3.4.1")
IRPE = project("microsoft/Cream", "12aed81", "iRPE/DeiT-with-iRPE/rpe_vision_transformer.py", "RPEAttention")
value, refused = suite("relative_scores", SHAW)


def hf(model, function, version="5.23.0"):
    return project("transformers", version, f"models/{model}/modeling_{model}.py", function)


def distances(queries, keys, *, direction=1, low, high, outside="clip", start=0):
    """Rows of key minus query, or of query minus key where direction is -1, as an input tensor."""
    d = direction * (np.arange(keys, dtype=np.int64) - start - np.arange(queries, dtype=np.int64)[:, None])
    rows = np.clip(d, low, high) - low
    rows = np.where((d < low) | (d > high), -1, rows) if outside == "zero" else rows
    return listed(rows.reshape(-1).tolist(), shape=rows.shape)


def arrays(shape, table, rows, seed, dtype="float32"):
    """Queries or keys, a table and rows, as input tensors."""
    return {"x": scattered(dtype, shape, seed, 1), "weight": scattered(dtype, table, seed + 1, 0), "rows": rows}


SHAW_ROWS = distances(3, 7, low=-2, high=2, start=4)
BERT_ROWS = distances(4, 4, direction=-1, low=-5, high=5)
SIX = listed([0, 1, 2, 2, 1, 0], shape=(2, 3))

CASES = [
    *[
        value(f"shaw-{SHORT[dtype]}", f"3 queries behind 4 cached keys, clipped at both ends, {dtype}", by="query",
              scale=fraction(1, 2), dtype=dtype, flags=("UnequalLengths", *narrow(dtype)),
              inputs=arrays((2, 3, 4), (5, 4), SHAW_ROWS, 900))
        for dtype in DTYPES
    ],
    value("unscaled-f64", "the same without a scale", by="query", dtype="float64", flags=("UnequalLengths",),
          inputs=arrays((2, 3, 4), (5, 4), SHAW_ROWS, 900)),
    *[
        value(f"bert-{by}-f32", f"relative_key_query of BERT, by {by}: one table, query minus key", by=by,
              scale=0.5773502691896258, dtype="float32", inputs=arrays((2, 4, 3), (11, 3), BERT_ROWS, 902),
              source=hf("bert", "BertSelfAttention", "4.40.2"), flags=("BucketDirection",))
        for by in ("query", "key")
    ],
    value("key-minus-query-f32", "M-CTC-T: the same rows with the other sign", by="query", dtype="float32",
          source=hf("mctct", "MCTCTSelfAttention", "4.40.2"), flags=("BucketDirection",),
          inputs=arrays((2, 4, 3), (11, 3), distances(4, 4, low=-5, high=5), 902)),
    value("wav2vec2-bert-f32", "left and right ends that differ: -4 .. 1", by="query", scale=0.7071067811865476,
          dtype="float32", inputs=arrays((1, 2, 7, 2), (6, 2), distances(7, 7, low=-4, high=1), 904),
          source=hf("wav2vec2_bert", "_apply_relative_key_position_encoding"), flags=("OffByOne",)),
    value("speecht5-f32", "query minus key, -3 .. 2", by="query", dtype="float32", flags=("OffByOne",),
          inputs=arrays((2, 6, 3), (6, 3), distances(6, 6, direction=-1, low=-3, high=2), 906),
          source=hf("speecht5", "SpeechT5Attention")),
    *[
        value(f"vits-{length}-f64", f"{length} tokens, a window of 4: zero outside it, not clipped", by="query",
              dtype="float64", source=hf("vits", "VitsAttention"), flags=("OffByOne",),
              inputs=arrays((2, length, 3), (9, 3), distances(length, length, low=-4, high=4, outside="zero"), 908))
        for length in (3, 5, 12)
    ],
    value("inkling-f32", "distances 0 .. 2 behind the query, zero before it and beyond", by="query", dtype="float32",
          source=hf("inkling", "InklingRelativeLogits"), flags=("UnequalLengths",),
          inputs=arrays((1, 2, 3, 4), (3, 4), distances(3, 6, direction=-1, low=0, high=2, outside="zero", start=3),
                        910)),
    value("music-f32", "the rows that skewing leaves below the diagonal: the last one is distance 0", by="query",
          dtype="float32", source=MUSIC, inputs=arrays((2, 5, 3), (5, 3), distances(5, 5, low=-4, high=0,
                                                                                      outside="zero"), 912)),
    value("tables-f32", "4 heads and 2 tables: heads 0 and 1 read the first", by="query", dtype="float32",
          inputs=arrays((4, 3, 2), (2, 5, 2), distances(3, 3, low=-2, high=2), 914), flags=("HeadAxis",)),
    *[
        value(f"irpe-{by}-f32", f"3 tokens of a row of cells and a class token, by {by}: buckets are not symmetric",
              by=by, dtype="float32", source=IRPE, inputs=arrays(
                  (1, 2, 4, 3), (2, 8, 3), listed([7, 7, 7, 7, 7, 3, 2, 1, 7, 4, 3, 2, 7, 5, 4, 3], shape=(4, 4)), 916),
              flags=("BucketDirection",))
        for by in ("query", "key")
    ],
    value("batch-f64", "rows of their own for each of two sequences, shared by heads", by="query", dtype="float64",
          inputs=arrays((2, 2, 2, 3), (4, 3), listed([0, 1, 2, 3, 2, 1, 3, 3, 0, -1, 0, 2], shape=(2, 1, 2, 3)), 918)),
    value("batch-of-rows-f64", "rows for two sequences, of queries that are the same", by="key", dtype="float64",
          inputs=arrays((3, 3), (4, 3), listed([0, 1, 2, 3, 2, 1, 3, 3, 0, -1, 0, 2], shape=(2, 2, 3)), 920)),
    value("wide-f64", "as many channels as show the order of the sum", by="query", dtype="float64",
          inputs=arrays((2, 67), (3, 67), SIX, 922, "float64")),
    value("cancelling-f64", "products that cancel but for the roundings of the fixed order", by="query",
          dtype="float64", flags=("Cancellation",),
          inputs={"x": listed([1.0, 2.0**53, -(2.0**53), 1.0], "float64", (1, 4)),
                  "weight": listed([1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 3.0], "float64", (2, 4)),
                  "rows": listed([0, 1, -1], shape=(1, 3))}),
    value("contracted-f64", "a product that only one rounding of a fused multiply-add would keep", by="query",
          dtype="float64", flags=("FmaContraction",),
          inputs={"x": listed([1 + 2.0**-52, -1.0], "float64", (1, 2)),
                  "weight": listed([1 + 2.0**-52, 1 + 2.0**-51], "float64", (1, 2)),
                  "rows": listed([0], shape=(1, 1))}),
    value("narrowed-bf16", "weights of bfloat16, scores in float16", by="query", scale=fraction(1, 3), dtype="float16",
          inputs=arrays((2, 2, 3), (3, 3), SIX, 924, "bfloat16"), flags=narrow("float16")),
    value("tiny-f64", "subnormal numbers", by="key", dtype="float64", flags=("Subnormal",),
          inputs={"x": scattered("float64", (3, 2), 926, 0), "weight": tiny("float64", (3, 2), 927), "rows": SIX}),
    value("extreme-f32", "the largest numbers, which row -1 leaves out", by="query", dtype="float32",
          inputs={"x": extreme("float32", (2, 4)), "weight": extreme("float32", (3, 4)),
                  "rows": listed([0, 1, -1, 2, -1, 0], shape=(2, 3))}),
    value("not-finite-f64", "row -1 is 0 beside infinities and NaN", by="query", dtype="float64",
          inputs={"x": listed([float("inf"), 1.0, float("nan"), 1.0], "float64", (2, 2)),
                  "weight": listed([1.0, 2.0, 0.0, 1.0], "float64", (2, 2)),
                  "rows": listed([0, 1, -1, -1, -1, 1], shape=(2, 3))}),
    value("all-minus-one", "no pair has a row", by="query", dtype="float32",
          inputs=arrays((2, 3), (2, 3), listed([-1] * 4, shape=(2, 2)), 928)),
    value("no-keys", "no keys", by="query", dtype="float32",
          inputs=arrays((2, 3), (2, 3), listed([], shape=(2, 0)), 1)),
    refused("by", "neither of the two", "E_CHOICE", "by", by="value", inputs=arrays((2, 3), (3, 3), SIX, 1)),
    refused("row-3", "a row that the table has not", "E_NUMBER", "rows", by="query",
            inputs=arrays((1, 3), (3, 3), listed([0, 3], shape=(1, 2)), 1)),
    refused("row-minus-two", "only -1 reads zeros", "E_NUMBER", "rows", by="query",
            inputs=arrays((1, 3), (3, 3), listed([0, -2], shape=(1, 2)), 1)),
    refused("channels", "a table of another width", "E_SHAPE", "weight", by="query",
            inputs=arrays((2, 4), (3, 3), SIX, 1)),
    refused("transposed", "a table (dim, rows)", "E_SHAPE", "weight", by="query",
            inputs=arrays((2, 4), (4, 3), SIX, 1)),
    refused("keys", "rows for other keys", "E_SHAPE", "rows", by="key", inputs=arrays((2, 3), (3, 3), SIX, 1)),
    refused("heads", "3 tables for 4 heads", "E_SHAPE", "weight", by="query",
            inputs=arrays((4, 2, 3), (3, 3, 3), SIX, 1)),
    refused("no-heads", "tables of heads for queries without heads", "E_SHAPE", "x", by="query",
            inputs=arrays((2, 3), (2, 3, 3), SIX, 1)),
    refused("float-rows", "rows that are floats", "E_DTYPE", "rows", by="query",
            inputs=arrays((1, 3), (3, 3), listed([0.0, 1.0], "float64", (1, 2)), 1)),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float16="irpe-key-f32",
    bfloat16="irpe-key-f32",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float64="wav2vec2-bert-f32",
    float16="wav2vec2-bert-f32",
    bfloat16="wav2vec2-bert-f32",
)

# conventions that no case above tells
CASES += in_formats(
    CASES,
    float64="tables-f32",
    float32="batch-f64 not-finite-f64",
    float16="batch-f64 tables-f32 not-finite-f64",
    bfloat16="batch-f64 tables-f32 not-finite-f64",
)
