"""Golden cases of the T5 bias."""

from ...case import listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT
from .._formats import in_formats

PAPER = paper("Raffel et al. 2020, Exploring the Limits of Transfer Learning, arXiv:1910.10683, section 2.1")
value, refused = suite("t5_bias", PAPER)
T5 = project("transformers", "5.23.0", "models/t5/modeling_t5.py", "compute_bias")
FLAGS = ("BucketDirection", "BucketEdge")


def weight(dtype, buckets, heads, seed):
    """Weights (buckets, heads) as an input tensor."""
    return {"weight": scattered(dtype, (buckets, heads), seed)}


CASES = [
    *[
        value(f"t5-small-{'encoder' if both else 'decoder'}-{SHORT[dtype]}", f"T5 small: 8 heads, 32 buckets, {dtype}",
              query_len=5, key_len=7,
              bidirectional=both, inputs=weight(dtype, 32, 8, 1 + k), flags=(*FLAGS, "UnequalLengths"), source=T5)
        for k, (dtype, both) in enumerate((d, b) for d in DTYPES for b in (True, False))
    ],
    value("decode-step", "one query at position 40 of 41 keys", query_len=1, key_len=41, query_offset=40,
          bidirectional=False,
          inputs=weight("float32", 32, 4, 20), flags=(*FLAGS, "UnequalLengths", "OffByOne"), source=T5),
    value("square", "12 queries and keys, 2 heads", query_len=12, key_len=12, bidirectional=True,
          inputs=weight("float32", 32, 2, 21), flags=FLAGS),
    value("far", "a query at position 200: all buckets to the last", query_len=1, key_len=201, query_offset=200,
          bidirectional=False, inputs=weight("float16", 32, 2, 22), flags=(*FLAGS, "UnequalLengths")),
    value("more-queries", "more queries than keys", query_len=9, key_len=4, bidirectional=True,
          inputs=weight("bfloat16", 16, 3, 23), flags=(*FLAGS, "UnequalLengths")),
    value("few-buckets", "4 buckets to 3", query_len=4, key_len=6, bidirectional=True, max_distance=3,
          inputs=weight("float64", 4, 3, 24), flags=FLAGS),
    value("num-buckets-given", "the number of buckets said twice", query_len=3, key_len=3, bidirectional=False,
          num_buckets=8, max_distance=16, inputs=weight("float64", 8, 2, 25), flags=FLAGS),
    value("offset-negative", "queries before the keys", query_len=2, key_len=4, query_offset=-3, bidirectional=True,
          inputs=weight("float32", 8, 2, 26), max_distance=16, flags=(*FLAGS, "OffByOne")),
    value("no-keys", "no keys", query_len=2, key_len=0, bidirectional=True, inputs=weight("float32", 32, 2, 27)),
    value("special-weights", "zeros of both signs and the smallest numbers are copied bit by bit", query_len=2,
          key_len=3, bidirectional=False,
          max_distance=4, inputs={"weight": listed((0.0, -0.0, 5e-324, -5e-324), "float64", (4, 1))},
          flags=("Subnormal",)),
    refused("weight-vector", "weights of one axis", "E_SHAPE", "weight", query_len=2, key_len=2, bidirectional=True,
            inputs={"weight": scattered("float32", (32,), 1)}),
    refused("weight-integers", "weights that are integers", "E_DTYPE", "weight", query_len=2, key_len=2,
            bidirectional=True, inputs={"weight": listed((1, 2, 3, 4), "int64", (4, 1))}),
    refused("num-buckets", "another number of buckets than weights", "E_SHAPE", "weight", query_len=2, key_len=2,
            bidirectional=True, num_buckets=16, inputs=weight("float32", 32, 2, 1)),
    refused("queries-negative", "a negative number of queries", "E_SIZE", "query_len", query_len=-1, key_len=2,
            bidirectional=True, inputs=weight("float32", 32, 2, 1)),
    refused("offset-beyond", "an offset beyond 2**53", "E_POSITION", "query_offset", query_len=1, key_len=2,
            bidirectional=True, query_offset=-(2**53) - 1, inputs=weight("float32", 32, 2, 1)),
    value("extended-encoder-f32", "T5 base: 12 heads, 128 queries and keys", query_len=128, key_len=128,
          bidirectional=True, inputs=weight("float32", 32, 12, 30), tier="extended", flags=FLAGS, source=T5),
]

# what no other case tells apart
CASES += [
    value("num-buckets-edges-f32", "8 buckets given, one query behind 130 keys: every edge of a bucket, in float32",
          query_len=1, key_len=130, query_offset=129, bidirectional=False, num_buckets=8, max_distance=100,
          flags=("BucketEdge", "UnequalLengths"), inputs={"weight": scattered("float32", (8, 1), 40)}),
    value("edges-f32", "32 buckets, one query behind 130 keys: every edge of a bucket, in float32",
          query_len=1, key_len=130, query_offset=129, bidirectional=False,
          flags=("BucketEdge", "UnequalLengths"), inputs={"weight": scattered("float32", (32, 1), 41)}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="num-buckets-edges-f32 edges-f32",
    float16="offset-negative",
    bfloat16="num-buckets-edges-f32 edges-f32",
)

# conventions that no case above tells
SPECIAL = [1.5, -2.5, 0.25, float("nan"), 3.0, -0.5, 0.75, float("-inf")]
CASES += [
    *[
        value(f"odd-buckets-{SHORT[dtype]}", f"an odd number of buckets, {dtype}", query_len=2, key_len=20,
              query_offset=17, bidirectional=False, max_distance=12, inputs=weight(dtype, 7, 2, 50 + k),
              flags=(*FLAGS, "UnequalLengths"))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"offset-{where}-{SHORT[dtype]}", f"a query 2**40 keys {where} the first, weights NaN and inf, {dtype}",
              query_len=1, key_len=2, query_offset=offset, bidirectional=True,
              inputs={"weight": listed(SPECIAL, dtype, (8, 1))},
              flags=(*FLAGS, "UnequalLengths"))
        for dtype in DTYPES for where, offset in (("behind", 2**40), ("before", -(2**40)))
    ],
]  # fmt: skip

CASES += in_formats(CASES, float64="offset-negative", bfloat16="offset-negative")
