"""Golden cases of the bias of clipped distances."""

from ...case import listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT
from .._formats import in_formats

PAPER = paper("Shaw et al. 2018, Self-Attention with Relative Position Representations, arXiv:1803.02155, section 3.2")
PHI4 = project("transformers", "5.23.0", "models/phi4_multimodal/modeling_phi4_multimodal.py",
               "Phi4MultimodalAudioRelativeAttentionBias")  # fmt: skip
MEGA = project("transformers", "4.40.2", "models/mega/modeling_mega.py", "MegaSimpleRelativePositionalBias")
value, refused = suite("relative_bias", PAPER)
FLAGS = ("BucketDirection", "OffByOne")


def weight(dtype, rows, heads, seed):
    """Weights (rows, heads) as an input tensor."""
    return {"weight": scattered(dtype, (rows, heads), seed)}


CASES = [
    *[
        value(f"{2 * m + extra}-rows-{sign}-{n}-{SHORT[dtype]}", f"{2 * m + extra} rows, {sign}, {n} queries, {dtype}",
              query_len=n, key_len=keys, sign=sign, inputs=weight(dtype, 2 * m + extra, heads, 300 + k),
              flags=(*FLAGS, "UnequalLengths"))
        for k, (m, extra, sign, n, keys, heads, dtype) in enumerate((
            (4, -1, "key-query", 3, 7, 2, "float32"), (4, -1, "key-query", 4, 2, 3, "float64"),
            (4, -1, "query-key", 9, 11, 1, "float16"), (4, 1, "query-key", 3, 7, 2, "bfloat16"),
            (4, 1, "query-key", 9, 5, 2, "float32"), (4, 1, "key-query", 6, 6, 12, "float32"),
            (16, 1, "key-query", 1, 40, 4, "float64"), (1, -1, "query-key", 3, 4, 2, "float32"),
        ))
    ],
    *[
        value(f"phi4-{SHORT[dtype]}", f"Phi-4 audio: from -m to m - 1, {dtype}", query_len=9, key_len=9,
              sign="key-query", low=-3, inputs=weight(dtype, 6, 3, 320), flags=FLAGS, source=PHI4)
        for dtype in DTYPES
    ],
    value("phi4-1000", "Phi-4 audio: 1000, the first and the last row", query_len=1, key_len=2100, query_offset=1050,
          sign="key-query", low=-1000, high=999, inputs=weight("float16", 2000, 1, 321), flags=FLAGS, source=PHI4),
    value("phi4-symmetric", "Phi-4 audio: without a direction", query_len=4, key_len=6, sign="absolute",
          inputs=weight("float32", 4, 2, 322), flags=FLAGS, source=PHI4),
    value("mega-simple", "Mega: every distance has a row", query_len=5, key_len=5, sign="key-query", outside="refuse",
          inputs=weight("float32", 15, 1, 323), flags=FLAGS, source=MEGA),
    value("decode-step", "one query behind 12 keys", query_len=1, key_len=13, query_offset=12, sign="query-key",
          inputs=weight("float32", 9, 4, 324), flags=(*FLAGS, "UnequalLengths")),
    value("no-keys", "no keys", query_len=2, key_len=0, sign="key-query", inputs=weight("float32", 3, 2, 325)),
    value("special-weights", "zeros of both signs and the smallest numbers are copied bit by bit", query_len=2,
          key_len=3, sign="key-query", flags=("Subnormal",),
          inputs={"weight": listed((0.0, -0.0, 5e-324, -5e-324, 1.0), "float64", (5, 1))}),
    refused("even", "an even number of rows, and no ends", "E_SHAPE", "weight", query_len=2, key_len=2,
            sign="key-query", inputs=weight("float32", 6, 2, 1)),
    refused("size", "another number of rows than from low to high", "E_SHAPE", "weight", query_len=2, key_len=2,
            sign="key-query", low=-4, high=4, inputs=weight("float32", 7, 2, 1)),
    refused("beyond", "a distance without a row", "E_NUMBER", "key_len", query_len=3, key_len=3, sign="key-query",
            outside="refuse", inputs=weight("float32", 3, 2, 1)),
    refused("sign", "no such sign", "E_CHOICE", "sign", query_len=3, key_len=3, sign="query",
            inputs=weight("float32", 3, 2, 1)),
    refused("weight-integers", "weights that are integers", "E_DTYPE", "weight", query_len=2, key_len=2,
            sign="key-query", inputs={"weight": listed((1, 2, 3), "int64", (3, 1))}),
    refused("heads", "weights of one axis", "E_SHAPE", "weight", query_len=2, key_len=2, sign="key-query",
            inputs={"weight": scattered("float32", (3,), 1)}),
]  # fmt: skip

# what no other case tells apart
CASES += [
    value("high-f32", "rows for 2 before and 3 behind: what is further is clipped, in float32", query_len=5, key_len=9,
          query_offset=2, sign="query-key", low=-3, high=2, flags=("BucketDirection", "OffByOne"),
          inputs={"weight": scattered("float32", (6, 2), 340)}),
    value("absolute-f32", "distances without a sign, in float32", query_len=4, key_len=6, query_offset=1,
          sign="absolute", flags=("BucketDirection", "OffByOne"),
          inputs={"weight": scattered("float32", (5, 2), 341)}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="absolute-f32 9-rows-query-key-3-bf16",
    float16="absolute-f32",
    bfloat16="absolute-f32",
)
