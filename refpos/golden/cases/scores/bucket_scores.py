"""Golden cases of the bias of a hidden state for each bucket."""

from ...case import listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("bucket_scores", paper("Qi et al. 2020, ProphetNet, arXiv:2001.04063, in its code"))
MAIN = project("transformers", "5.23.0", "models/prophetnet/modeling_prophetnet.py",
               "ProphetNetNgramSelfAttention.get_main_relative_pos_embeddings")  # fmt: skip
PREDICT = project("transformers", "4.0.0", "src/transformers/models/prophetnet/modeling_prophetnet.py",
                  "ProphetNetNgramSelfAttention.get_predict_relative_pos_embeddings")  # fmt: skip

#: buckets of 4 positions: distances 0, 1, then 2 for two of them; keys ahead of the query are of bucket 0
BUCKETS = listed([0, 0, 0, 0, 1, 0, 0, 0, 2, 1, 0, 0, 2, 2, 1, 0], shape=(4, 4))
#: of 3 positions from 1 in a stream that predicts: the keys stand at 0, 1, 2 and 1, 2, 3
AHEAD = listed([1, 0, 0, 0, 0, 0, 2, 1, 0, 1, 0, 0, 2, 2, 1, 2, 1, 0], shape=(3, 6))


def arrays(shape, buckets, heads, rows, seed, dtype="float32", bias=True):
    """Hidden states, a linear map and buckets, as input tensors."""
    tensors = {"x": scattered(dtype, shape, seed, 1), "weight": scattered(dtype, (buckets * heads, shape[-1]), seed + 1,
                                                                          0), "rows": rows}
    return {**tensors, "bias": scattered(dtype, (buckets * heads,), seed + 2, 0)} if bias else tensors  # fmt: skip


CASES = [
    *[
        value(f"main-{SHORT[dtype]}", f"2 heads, 3 buckets, {dtype}", heads=2, dtype=dtype, source=MAIN,
              inputs=arrays((1, 4, 5), 3, 2, BUCKETS, 980), flags=("HeadAxis", *narrow(dtype)))
        for dtype in DTYPES
    ],
    *[
        value(f"predict-{streams}-f32", f"{streams} predicting streams, with the keys one position earlier, then their"
              " own", heads=2, dtype="float32", source=PREDICT, flags=("OffByOne", "UnequalLengths"),
              inputs=arrays((1, streams, 3, 4), 3, 2, AHEAD, 984 + streams))
        for streams in (1, 2)
    ],
    value("three-heads-f64", "3 heads and 2 buckets, which must not be exchanged", heads=3, dtype="float64",
          inputs=arrays((2, 3), 2, 3, listed([0, 1, 1, 0], shape=(2, 2)), 990), flags=("HeadAxis",)),
    value("two-heads-f64", "the same numbers for 2 heads and 3 buckets", heads=2, dtype="float64",
          inputs=arrays((2, 3), 3, 2, listed([0, 1, 1, 0], shape=(2, 2)), 990), flags=("HeadAxis",)),
    value("no-bias-f32", "no bias", heads=2, bias=None, dtype="float32",
          inputs=arrays((4, 5), 3, 2, BUCKETS, 993, bias=False)),
    value("one-head-f64", "one head", heads=1, dtype="float64", inputs=arrays((4, 3), 3, 1, BUCKETS, 996)),
    value("batch-f64", "buckets of their own for each of two sequences", heads=2, dtype="float64",
          inputs=arrays((2, 2, 3), 3, 2, listed([0, 1, 2, 2, 1, 0, 1, 1, 0, 0, 2, 2], shape=(2, 2, 3)), 999)),
    value("decoding-f64", "one query behind 5 keys", heads=2, dtype="float64", flags=("UnequalLengths",),
          inputs=arrays((1, 1, 4), 3, 2, listed([2, 2, 2, 1, 0, 0], shape=(1, 6)), 1002)),
    value("minus-one-f64", "row -1 is 0 without its bias, also beside infinities", heads=2, dtype="float64",
          inputs={**arrays((2, 2), 2, 2, listed([0, -1, -1, -1], shape=(2, 2)), 1005),
                  "x": listed([1.0, 2.0, float("inf"), float("nan")], "float64", (2, 2))}),
    value("wide-f64", "as many channels as show the order of the sum", heads=2, dtype="float64",
          inputs=arrays((1, 61), 2, 2, listed([0, 1], shape=(1, 2)), 1008, "float64")),
    value("cancelling-f64", "the bias comes after the products", heads=1, dtype="float64", flags=("Cancellation",),
          inputs={"x": listed([2.0**53, 1.0], "float64", (1, 2)), "weight": listed([1.0, 1.0], "float64", (1, 2)),
                  "bias": listed([-(2.0**53)], "float64"), "rows": listed([0], shape=(1, 1))}),
    value("bfloat16-weights", "weights of bfloat16", heads=2, dtype="bfloat16", flags=narrow("bfloat16"),
          inputs=arrays((4, 3), 3, 2, BUCKETS, 1011, "bfloat16")),
    value("no-keys", "no keys", heads=2, dtype="float32", inputs=arrays((2, 3), 2, 2, listed([], shape=(2, 0)), 1014)),
    refused("heads", "rows that 3 heads do not share", "E_SHAPE", "weight", heads=3,
            inputs=arrays((4, 5), 2, 2, BUCKETS, 1)),
    refused("no-heads", "no heads", "E_SIZE", "heads", heads=0, inputs=arrays((4, 5), 2, 2, BUCKETS, 1)),
    refused("bucket", "a bucket that the map has not", "E_NUMBER", "rows", heads=2,
            inputs=arrays((4, 5), 2, 2, BUCKETS, 1)),
    refused("bias", "a bias for each bucket alone", "E_SHAPE", "bias", heads=2,
            inputs={**arrays((4, 5), 3, 2, BUCKETS, 1), "bias": scattered("float32", (3,), 1)}),
    refused("queries", "buckets of other queries", "E_SHAPE", "rows", heads=2,
            inputs=arrays((3, 5), 3, 2, BUCKETS, 1)),
    refused("channels", "a map of another width", "E_SHAPE", "weight", heads=2,
            inputs={**arrays((4, 5), 3, 2, BUCKETS, 1), "weight": scattered("float32", (6, 4), 1)}),
]  # fmt: skip

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float32="three-heads-f64",
    float16="three-heads-f64",
    bfloat16="three-heads-f64",
)
