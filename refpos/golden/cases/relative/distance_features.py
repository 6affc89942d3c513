"""Golden cases of the features of distances."""

from ...case import fraction, paper, project, suite
from ...telling_inputs import SHORT, narrow
from .._formats import in_formats

value, refused = suite("distance_features", paper(
    "Avsec et al. 2021, Enformer, doi:10.1038/s41592-021-01252-x, supplementary methods"))
ENFORMER = paper("Avsec et al. 2021, Enformer, doi:10.1038/s41592-021-01252-x, supplementary methods")
ALPHAGENOME = project("google-deepmind/alphagenome_research", "0072ba823982b79c1aa201a71ca847166681c6c7",
                      "src/alphagenome_research/model/attention.py", "_central_mask_features")
THREE = ["exponential", "central-mask", "gamma"]


def _case(slug, about, queries, keys, features, basis, dtype="float64", flags=(), **more):
    unequal = ("UnequalLengths",) if queries != keys else ()
    return value(slug, about, query_len=queries, key_len=keys, features=features, basis=basis, dtype=dtype,
                 flags=tuple({*flags, *unequal, *narrow(dtype)}), **more)


CASES = [
    *[
        _case(f"enformer-{normalise}-{queries}x{keys}-{features}-{SHORT[dtype]}",
              f"Enformer's three bases, the largest of a {normalise}, {features} features", queries, keys, features,
              THREE, dtype, rule="doubling", normalise=normalise, source=ENFORMER)
        for normalise, queries, keys, features, dtype in (
            ("table", 8, 8, 24, "float64"), ("table", 5, 9, 12, "float32"), ("table", 9, 4, 18, "bfloat16"),
            ("table", 6, 6, 12, "float16"), ("row", 7, 7, 24, "float64"), ("row", 3, 8, 12, "float32"),
        )
    ],
    _case("enformer-1536-corner-f32", "the first keys of Enformer's 1536 tokens and 192 features", 1, 6, 192, THREE,
          "float32", rule="doubling", normalise="row", length=1536, source=ENFORMER, flags=("SequenceLength",)),
    _case("gamma-shapes-1024", "shapes up to 1024", 1, 24, 32, "gamma", normalise="table", source=ENFORMER),
    _case("gamma-symmetric", "gamma densities alone, without the sign", 4, 4, 6, "gamma", normalise="table",
          symmetric=True),
    _case("gamma-eps", "a larger eps, exactly 1/1000", 4, 4, 4, "gamma", normalise="table", eps=fraction(1, 1000)),
    _case("exponential-whole-half-lives", "length 64: half-lives 8, 16, 32, 64, where powers are exact", 17, 65, 4,
          "exponential", length=64, symmetric=True, flags=("SequenceLength",)),
    _case("exponential-short", "a length below the first half-life", 3, 3, 6, "exponential"),
    _case("exponential-one", "one feature: half-life 8", 3, 3, 2, "exponential"),
    _case("exponential-far-f16", "distances whose features are below the smallest float16", 1, 300, 4, "exponential",
          "float16", length=16, flags=("Subnormal",)),
    *[
        _case(f"mask-{rule}-{keys}-{features}-{SHORT[dtype]}", f"central mask, {rule}, {features} features", keys, keys,
              features, "central-mask", dtype, rule=rule, flags=("BucketEdge",), **more)
        for rule, keys, features, dtype, more in (
            ("doubling", 9, 8, "float64", {}), ("doubling", 33, 12, "float16", {}),
            ("root", 16, 8, "float64", {"length": 15}), ("root", 27, 6, "float32", {"length": 26}),
            ("root", 10, 10, "bfloat16", {}), ("offset-geometric", 20, 8, "float64", {"length": 19}),
            ("offset-geometric", 9, 6, "float32", {"length": 10}),
        )
    ],
    _case("alphagenome", "AlphaGenome: 7 tokens, distances -7 to 6, 32 masks of length 512", 8, 7, 64,
          "central-mask", "bfloat16", rule="offset-geometric", length=512, source=ALPHAGENOME, flags=("BucketEdge",)),
    _case("cosine", "periods 1.25, 2.5, 5, 10: tenths of turns, of which some are exact", 12, 12, 8, "cosine"),
    _case("cosine-f32", "cosines in float32", 4, 9, 12, "cosine", "float32", symmetric=True),
    _case("one-hot", "one feature a distance", 6, 4, 8, "one-hot", flags=("OffByOne",)),
    _case("all-bases", "all of them, in another order", 4, 5, 20, ["one-hot", "cosine", "gamma", "central-mask",
          "exponential"], rule="root", normalise="row"),
    _case("one-token", "one token: distance 0 only", 1, 1, 6, THREE, rule="doubling", normalise="table"),
    _case("no-keys", "no keys", 3, 0, 6, THREE, rule="doubling", normalise="table"),
    refused("features", "features that are no multiple of 6", "E_ODD_DIM", "features", query_len=3, key_len=3,
            features=10, basis=THREE, rule="doubling", normalise="table"),
    refused("normalise-missing", "gamma without what divides it", "E_CHOICE", "normalise", query_len=3, key_len=3,
            features=4, basis="gamma"),
    refused("rule-missing", "a central mask without its widths", "E_CHOICE", "rule", query_len=3, key_len=3,
            features=4, basis="central-mask"),
    refused("rule-unused", "widths without a mask", "E_CHOICE", "rule", query_len=3, key_len=3, features=4,
            basis="one-hot", rule="root"),
    refused("basis", "an unknown basis", "E_CHOICE", "basis", query_len=3, key_len=3, features=4, basis="sin_cos"),
    refused("length-zero", "length 0", "E_SIZE", "length", query_len=3, key_len=3, features=4, basis="exponential",
            length=0),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float32="exponential-one one-hot gamma-eps",
    float16="all-bases gamma-eps one-hot mask-offset-geometric-9-6-f32 cosine gamma-symmetric",
    bfloat16="exponential-whole-half-lives one-hot cosine gamma-eps enformer-row-3x8-12-f32",
)
