"""Golden cases of the ALiBi bias."""

from ...case import listed, paper, project, suite
from ...telling_inputs import SHORT, narrow
from .._formats import in_formats

value, refused = suite("alibi", paper("Press et al. 2022, Train Short, Test Long, arXiv:2108.12409"))
BLOOM = project("transformers", "5.23.0", "models/bloom/modeling_bloom.py", "build_alibi_tensor")
MPT = project("transformers", "5.23.0", "models/mpt/modeling_mpt.py", "build_mpt_alibi_tensor")
FALCON = project("transformers", "5.23.0", "models/falcon/modeling_falcon.py", "build_alibi_tensor")
LEFT_PADS = {"mask": listed([0, 0, 1, 1, 1])}
PADS = {"mask": listed([1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0], shape=(3, 5))}


def _case(slug, about, heads, queries, keys, dtype="float64", flags=(), **more):
    unequal = ("UnequalLengths",) if queries != keys else ()
    odd = ("SlopeNonPowerOfTwo",) if heads & heads - 1 else ()
    return value(slug, about, num_heads=heads, query_len=queries, key_len=keys, dtype=dtype,
                 flags=tuple({*flags, *unequal, *odd, *narrow(dtype)}), **more)


CASES = [
    *[
        _case(f"{mode}-{convention}-{queries}x{keys}-{SHORT[dtype]}",
              f"{heads} heads, {queries} queries, {keys} keys, {mode}, {convention}, {dtype}",
              heads, queries, keys, dtype, mode=mode, convention=convention)
        for mode, convention, heads, queries, keys, dtype in (
            ("causal", "recursive", 4, 4, 4, "float64"), ("causal", "recursive", 6, 3, 7, "float64"),
            ("causal", "recursive", 6, 7, 3, "float32"),
            ("causal", "geometric", 6, 3, 7, "float32"), ("symmetric", "recursive", 4, 4, 4, "float32"),
            ("symmetric", "recursive", 3, 3, 5, "float64"),
            ("symmetric", "geometric", 6, 5, 3, "float64"), ("linear", "recursive", 5, 4, 6, "float64"),
            ("linear", "geometric", 3, 4, 4, "float32"),
            ("causal", "recursive", 12, 2, 5, "float16"), ("causal", "recursive", 12, 2, 5, "bfloat16"),
            ("linear", "recursive", 8, 3, 3, "bfloat16"), ("symmetric", "recursive", 12, 4, 3, "float16"),
        )
    ],
    _case("decode-step", "one query at the end of 12 keys", 12, 1, 12, flags=("OffByOne",)),
    _case("decode-step-linear-f32", "one query at the end of 20 keys", 20, 1, 20, "float32", mode="linear",
          flags=("OffByOne",)),
    _case("offset-zero", "queries at positions 0, 1, 2 of 6 keys", 3, 3, 6, query_offset=0, flags=("OffByOne",)),
    _case("offset-3", "queries at positions 3, 4 of 8 keys", 6, 2, 8, query_offset=3, flags=("OffByOne",)),
    _case("offset-negative", "queries before the keys", 2, 3, 3, query_offset=-5, mode="symmetric",
          flags=("OffByOne",)),
    _case("offset-far", "a query at position 2**24 + 1: distances that float32 does not hold", 6, 1, 8,
          query_offset=2**24 + 1, mode="linear", flags=("LongContextInteger",)),
    _case("offset-far-f32", "the same in float32", 6, 1, 8, "float32", query_offset=2**24 + 1, mode="linear",
          flags=("LongContextInteger",)),
    _case("distance-bf16", "distances beyond 256, which bfloat16 does not hold", 3, 1, 520, "bfloat16", mode="linear",
          flags=("LongContextInteger",)),
    _case("distance-f16", "distances beyond 2048, which float16 does not hold", 1, 1, 2060, "float16",
          flags=("LongContextInteger",)),
    _case("bloom-112-f32", "BLOOM 176B: 112 heads, 1 query of 20 keys", 112, 1, 20, "float32",
          source=project("transformers", "5.23.0", "models/bloom/modeling_bloom.py")),
    _case("bloom-112-bf16", "BLOOM 176B in bfloat16", 112, 1, 20, "bfloat16",
          source=project("transformers", "5.23.0", "models/bloom/modeling_bloom.py")),
    _case("max-bias-16", "max_bias 16, as MPT allows", 6, 3, 5, max_bias=16,
          source=project("transformers", "5.23.0", "models/mpt/modeling_mpt.py")),
    _case("max-bias-half", "max_bias 1/2: slopes near 1", 6, 3, 5, max_bias=0.5, mode="linear"),
    _case("one-head", "one head", 1, 2, 2),
    _case("no-queries", "no queries", 2, 0, 4),
    _case("no-keys", "no keys", 2, 3, 0),
    *[
        _case(f"anchor-{anchor}-{mode}-{heads}-{SHORT[dtype]}", f"distances from the {anchor}, {heads} heads, {dtype}",
              heads, 3, 5, dtype, anchor=anchor, mode=mode, flags=("OffByOne",), source=source)
        for anchor, mode, heads, dtype, source in (
            ("key", "linear", 12, "float64", BLOOM), ("key", "linear", 4, "bfloat16", BLOOM),
            ("key", "causal", 6, "float32", BLOOM), ("last", "linear", 12, "float32", MPT),
            ("last", "linear", 5, "float16", MPT), ("last", "causal", 6, "float64", MPT),
        )
    ],
    _case("anchor-last-max-bias-5.5", "MPT with alibi_bias_max 5.5", 20, 1, 9, anchor="last", mode="linear",
          max_bias=5.5, source=MPT),
    _case("mask-left-pads", "BLOOM, pads before the tokens: 0, 0, 0, 1, 2", 3, 2, 5, anchor="key", mode="linear",
          flags=("OffByOne",), inputs=LEFT_PADS, source=BLOOM),
    _case("mask-pads-f32", "BLOOM, pads between and after the tokens, and nothing but pads", 6, 1, 5, "float32",
          anchor="key", mode="linear", flags=("OffByOne",), inputs=PADS, source=BLOOM),
    _case("mask-causal-bf16", "pads, and minus infinity after the query", 5, 4, 5, "bfloat16", anchor="key",
          flags=("OffByOne",), inputs=PADS, source=BLOOM),
    _case("falcon-rw-1b", "Falcon RW 1B: 32 heads of width 64, everything divided by 8", 32, 1, 9, head_dim=64,
          anchor="key", mode="linear", source=FALCON),
    _case("falcon-rw-7.5b-f32", "Falcon RW 7.5B: 64 heads of width 64", 64, 1, 7, "float32", head_dim=64,
          anchor="key", mode="linear", inputs={"mask": listed([0, 1, 1, 1, 0, 1, 1])}, source=FALCON),
    _case("head-dim-80", "divided by the square root of 80, which is irrational", 6, 3, 7, head_dim=80),
    _case("head-dim-9", "divided by 3", 3, 3, 4, head_dim=9, mode="symmetric"),
    _case("head-dim-32-f16", "divided by the square root of 2**5, where slopes are 2**-(k/2)", 12, 2, 6, "float16",
          head_dim=32, mode="linear"),
    _case("head-dim-72-bf16", "divided by the square root of 72, anchor last", 16, 2, 6, "bfloat16", head_dim=72,
          mode="linear", anchor="last"),
    _case("clipped-halving", "slopes 1, 1/2, 1/4 and 0 after the query, as tutorials simplify it", 8, 4, 4,
          mode="clipped", convention="halving"),
    _case("clipped-halving-f32", "the same of 12 heads, unequal lengths", 12, 3, 5, "float32", mode="clipped",
          convention="halving"),
    _case("clipped-recursive-f16", "0 after the query, slopes of the paper", 6, 5, 3, "float16", mode="clipped"),
    refused("anchor", "an unknown anchor", "E_CHOICE", "anchor", num_heads=2, query_len=2, key_len=2, anchor="first"),
    refused("anchor-symmetric", "no key can be before or after the first one", "E_CHOICE", "mode", num_heads=2,
            query_len=2, key_len=2, anchor="key", mode="symmetric"),
    refused("anchor-view", "a view that would need minus infinity", "E_CHOICE", "view", num_heads=2,
            query_len=2, key_len=2, anchor="last", view=True),
    refused("mask-query", "a mask where distances are from the query", "E_CHOICE", "mask", num_heads=2, query_len=2,
            key_len=5, inputs=LEFT_PADS),
    refused("mask-length", "a mask of another length", "E_SHAPE", "mask", num_heads=2, query_len=2,
            key_len=4, anchor="key", mode="linear", inputs=LEFT_PADS),
    refused("mask-values", "a mask that counts", "E_SHAPE", "mask", num_heads=2, query_len=2, key_len=3,
            anchor="key", mode="linear", inputs={"mask": listed([0, 1, 2])}),
    refused("head-dim-zero", "heads without channels", "E_SIZE", "head_dim", num_heads=2, query_len=2, key_len=2,
            head_dim=0),
    refused("halving-max-bias", "slopes 1/2**i with a largest exponent", "E_NUMBER", "max_bias", num_heads=2,
            query_len=2, key_len=2, convention="halving", max_bias=4),
    refused("heads-zero", "no heads", "E_SIZE", "num_heads", num_heads=0, query_len=2, key_len=2),
    refused("queries-negative", "a negative number of queries", "E_SIZE", "query_len", num_heads=2, query_len=-1,
            key_len=2),
    refused("keys-float", "a number of keys that is not an integer", "E_SIZE", "key_len", num_heads=2, query_len=2,
            key_len=2.5),
    refused("mode", "an unknown mode", "E_CHOICE", "mode", num_heads=2, query_len=2, key_len=2, mode="relative"),
    refused("convention", "an unknown convention", "E_CHOICE", "convention", num_heads=2, query_len=2, key_len=2,
            convention="press"),
    refused("max-bias-negative", "a negative max_bias", "E_NUMBER", "max_bias", num_heads=2, query_len=2, key_len=2,
            max_bias=-8),
    refused("offset-beyond", "an offset beyond 2**53", "E_POSITION", "query_offset", num_heads=2, query_len=2,
            key_len=2, query_offset=2**53 + 1),
    refused("too-large", "sizes whose product no array can hold", "E_TOO_LARGE", "out", num_heads=2**20,
            query_len=2**24, key_len=2**24),
    _case("extended-causal-f32", "16 heads, 256 queries and keys", 16, 256, 256, "float32", tier="extended"),
    _case("extended-symmetric-bf16", "12 heads, 200 queries, 300 keys", 12, 200, 300, "bfloat16", mode="symmetric",
          tier="extended"),
    _case("extended-long-f32", "6 heads, one query of 16384 keys", 6, 1, 16384, "float32", mode="linear",
          tier="extended", flags=("LongContextInteger",)),
]

# what no other case tells apart
CASES += [
    _case("anchor-query-f32", "the anchor of the default by its name, in float32", 6, 3, 5, "float32", mode="linear",
          anchor="query"),
    _case("max-bias-offset-f32", "max_bias 6 and queries that start at 1, in float32", 5, 2, 4, "float32",
          mode="symmetric", convention="geometric", max_bias=6, query_offset=1, flags=("OffByOne",)),
    _case("halving-f32", "slopes by halving, in float32", 6, 2, 3, "float32", mode="clipped", convention="halving"),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="anchor-query-f32",
    float16="""
        max-bias-offset-f32 anchor-key-linear-4-bf16 mask-left-pads halving-f32 anchor-query-f32
        linear-geometric-4x4-f32
    """,
    bfloat16="max-bias-offset-f32 halving-f32 anchor-query-f32 linear-geometric-4x4-f32",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float32="head-dim-9",
    float16="offset-negative",
    bfloat16="offset-negative",
)

# what the cases of a format do not tell apart
CASES += in_formats(
    CASES,
    float64="anchor-key-causal-6-f32 mask-pads-f32",
    float32="max-bias-16 anchor-last-causal-6-f64",
    float16="max-bias-16 anchor-last-causal-6-f64 anchor-key-causal-6-f32 mask-pads-f32",
    bfloat16="max-bias-16 anchor-last-causal-6-f64 causal-recursive-7x3-f32",
)
