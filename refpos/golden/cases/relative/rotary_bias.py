"""Golden cases of the rotary bias of Mega."""

from ...case import listed, paper, project, scattered, suite, tiny
from ...telling_inputs import SHORT, narrow
from .._formats import in_formats

PAPER = paper("Ma et al. 2023, Mega: Moving Average Equipped Gated Attention, arXiv:2209.10655, appendix B")
value, refused = suite("rotary_bias", PAPER)
MEGA = project("transformers", "4.40.2", "models/mega/modeling_mega.py", "MegaRotaryRelativePositionalBias")
FLAGS = ("InterleavedVsHalf", "Inverse", "Endpoint")


def vectors(dtype, heads, dim, seed):
    """alpha and beta."""
    return {"alpha": scattered(dtype, (heads, dim), seed, 0), "beta": scattered(dtype, (heads, dim), seed + 1, 0)}


BASE = vectors("float32", 1, 4, 1)
CASES = [
    *[
        value(f"mega-{queries}x{keys}-{dim}-{SHORT[dtype]}", f"Mega: {dim} channels, {queries} positions, {dtype}",
              query_len=queries, key_len=keys, dtype=dtype, inputs=vectors("float32", 1, dim, 700 + k), source=MEGA,
              flags=(*FLAGS, *narrow(dtype)))
        for k, (queries, keys, dim, dtype) in enumerate((
            (5, 5, 8, "float64"), (4, 4, 64, "float64"), (3, 3, 128, "float32"), (6, 6, 8, "float32"),
            (4, 4, 16, "float16"), (4, 4, 16, "bfloat16"),
        ))
    ],
    value("unequal", "3 queries behind 4 keys", query_len=3, key_len=7, dtype="float64", source=MEGA,
          inputs=vectors("float64", 1, 6, 710), flags=(*FLAGS, "UnequalLengths")),
    value("aligned", "3 queries that begin with the keys", query_len=3, key_len=7, query_offset=0, dtype="float64",
          inputs=vectors("float64", 1, 6, 712), flags=(*FLAGS, "UnequalLengths")),
    value("decode", "one query at the last key", query_len=1, key_len=6, dtype="float64", source=MEGA,
          inputs=vectors("float64", 1, 6, 714), flags=(*FLAGS, "UnequalLengths")),
    value("heads", "vectors of three heads", query_len=2, key_len=3, dtype="float64",
          inputs=vectors("float64", 3, 4, 716), flags=("HeadAxis",)),
    value("one-pair", "one pair: frequency 1", query_len=3, key_len=3, dtype="float64",
          inputs=vectors("float64", 1, 2, 718)),
    value("sign", "a first channel and a second one: a sine alone", query_len=3, key_len=3, dtype="float64",
          inputs={"alpha": listed((1.0, 0.0, 0.0, 0.0), "float64", (1, 4)),
                  "beta": listed((0.0, 0.0, 1.0, 0.0), "float64", (1, 4))}, flags=FLAGS),
    value("zero", "a vector of zeros, and vectors of other pairs", query_len=2, key_len=3, dtype="float64",
          inputs={"alpha": listed((0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0), "float64", (2, 4)),
                  "beta": listed((1.0, 2.0, 3.0, 4.0, 0.0, 1.0, 0.0, 3.0), "float64", (2, 4))}),
    value("far", "a query at position 2^24 + 1", query_len=1, key_len=4, query_offset=2**24 + 1, dtype="float64",
          inputs=vectors("float64", 1, 8, 720), flags=("LongContextInteger", "NarrowAngle")),
    value("base-100", "base 100", query_len=3, key_len=3, base=100, dtype="float64", flags=("Base",),
          inputs=vectors("float64", 1, 8, 722)),
    value("base-1", "base 1: all pairs turn alike", query_len=2, key_len=3, base=1, dtype="float64", flags=("Base",),
          inputs=vectors("float64", 1, 4, 728)),
    value("base-1-cancelling", "base 1: what the pairs add cancels exactly", query_len=1, key_len=3, base=1,
          dtype="float64", flags=("Base", "Cancellation"),
          inputs={"alpha": listed((1.0, 1.0, 0.0, 0.0), "float64", (1, 4)),
                  "beta": listed((3.0, -3.0, 5.0, -5.0), "float64", (1, 4))}),
    value("tiny", "products of small numbers: results below the normal range", query_len=2, key_len=3, dtype="float32",
          inputs={"alpha": tiny("float32", (1, 6), 724), "beta": scattered("float32", (1, 6), 725)},
          flags=("Subnormal",)),
    value("bfloat16-inputs", "vectors of bfloat16", query_len=3, key_len=3, dtype="bfloat16",
          inputs=vectors("bfloat16", 1, 8, 726), flags=narrow("bfloat16")),
    value("no-queries", "no queries", query_len=0, key_len=3, dtype="float32", inputs=BASE),
    refused("odd", "an odd width", "E_ODD_DIM", "alpha", query_len=2, key_len=2, inputs=vectors("float32", 1, 5, 1)),
    refused("beta", "vectors of two widths", "E_SHAPE", "beta", query_len=2, key_len=2,
            inputs={**BASE, "beta": scattered("float32", (1, 6), 1)}),
    refused("one-axis", "a vector without an axis of heads", "E_SHAPE", "alpha", query_len=2, key_len=2,
            inputs={**BASE, "alpha": scattered("float32", (4,), 1)}),
    refused("nan", "a number that is NaN", "E_NUMBER", "beta", query_len=2, key_len=2,
            inputs={**BASE, "beta": listed((0.0, 1.0, float("nan"), 0.0), "float32", (1, 4))}),
    refused("base", "base 0", "E_BASE", "base", query_len=2, key_len=2, base=0, inputs=BASE),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="aligned base-1-cancelling",
    float16="aligned base-1-cancelling",
    bfloat16="aligned base-1-cancelling",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float32="far",
    float16="far",
    bfloat16="far",
)
