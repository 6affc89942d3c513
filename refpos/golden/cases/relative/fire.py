"""Golden cases of FIRE."""

from ...case import fraction, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("fire", paper("Li et al. 2024, FIRE, arXiv:2310.04418, section 3.2"))
ARITHMETIC = project("mcleish7/arithmetic", "86022a57d38c0fde46444d62e8dcbebcc0af614c",
                     "cramming/architectures/embeddings.py", "FIRE")
DAPE = project("chuanyang-Zheng/DAPE", "bde344a844f2bd1f498b2bac70240dcda41c50c1", "DAPE.py", "FIRE")
#: as the numbers are where training starts
START = {"c": 0.1, "length": 512, "eps": 1e-6}


def layers(dtype, hidden, heads, seed, biases=True):
    """Both lines as input tensors."""
    tensors = {
        "weight_in": scattered(dtype, (hidden, 1), seed, 2),
        "weight_out": scattered(dtype, (heads, hidden), seed + 1, 0),
    }
    if biases:
        tensors["bias_in"] = scattered(dtype, (hidden,), seed + 2, 0)
        tensors["bias_out"] = scattered(dtype, (heads,), seed + 3, 0)
    return tensors


BARE = {"bias_in": None, "bias_out": None}


def _case(slug, about, queries, keys, seed, mode="symmetric", dtype="float64", held="float32", hidden=5, heads=3,
          activation="relu", flags=(), **more):
    unequal = ("UnequalLengths",) if queries != keys else ()
    return value(slug, about, query_positions=queries, key_positions=keys, mode=mode, activation=activation,
                 dtype=dtype, inputs=layers(held, hidden, heads, seed),
                 flags=tuple({*flags, *unequal, *narrow(dtype)}), **{**START, **more})


def _placed(slug, about, queries, keys, seed, mode, **more):
    inputs = {"query_positions": listed(queries), "key_positions": listed(keys), **layers("float32", 5, 3, seed)}
    return value(slug, about, mode=mode, activation="relu", dtype="float64", inputs=inputs, **{**START, **more})


CASES = [
    *[
        _case(f"{mode}-{SHORT[dtype]}", f"{mode}, {dtype}", 5, 5, 100 + 10 * k, mode, dtype, flags=("OffByOne",),
              source=ARITHMETIC if mode == "symmetric" else DAPE)
        for k, dtype in enumerate(DTYPES) for mode in ("symmetric", "clipped")
    ],
    _case("leaky-f64", "negative numbers a hundredth of what they are", 4, 4, 150, "clipped", activation="leaky_relu",
          source=DAPE),
    _case("leaky-f32", "the same in float32", 4, 6, 150, "clipped", "float32", activation="leaky_relu"),
    _case("short-threshold", "queries beyond the threshold: each is divided by its own", 9, 9, 160, "clipped",
          length=3, eps=0, c=fraction(1, 3)),
    _case("negative", "c and the length below 0 count as their sizes", 5, 5, 164, "symmetric", c=-0.25, length=-2.5),
    _case("more-keys", "queries 0 and 1 of 7 keys", 2, 7, 168, "symmetric", length=4),
    _case("more-queries", "7 queries, 3 keys", 7, 3, 172, "clipped", length=4),
    _placed("step", "one query behind a cache of 6 keys", (6,), (0, 1, 2, 3, 4, 5, 6), 176, "clipped", length=4,
            flags=("UnequalLengths",)),
    _placed("drawn", "positions that were drawn", (1, 4, 40, 511), (1, 4, 40, 511), 180, "symmetric",
            source=ARITHMETIC),
    _placed("far", "positions past 2**24 and at 2**53", (2**24 + 1, 2**53), (0, 2**24, 2**53 - 1), 184, "symmetric",
            flags=("LongContextInteger",)),
    _case("eps", "a large eps, in the divisor after the logarithm", 4, 4, 188, "clipped", length=1, c=1, eps=0.5),
    _case("zero-by-zero", "no eps, threshold 0: the query at 0 is divided by 0", 3, 3, 192, "symmetric", length=0,
          eps=0, c=1),
    _case("c-zero", "c 0: all distances are alike", 3, 3, 196, "symmetric", c=0),
    _case("bfloat16-weights", "weights of bfloat16", 4, 4, 200, "clipped", "bfloat16", "bfloat16", source=DAPE),
    _case("float64-weights", "weights of float64, 32 hidden numbers, 12 heads", 4, 4, 204, "clipped", held="float64",
          hidden=32, heads=12, source=DAPE),
    value("bare", "no biases", query_positions=4, key_positions=4, mode="clipped", activation="relu", dtype="float64",
          inputs=layers("float64", 4, 2, 208, False), **BARE, **START),
    _case("no-keys", "no keys", 3, 0, 212),
    refused("mode", "an unknown mode", "E_CHOICE", "mode", query_positions=2, key_positions=2, mode="causal",
            activation="relu", inputs=layers("float32", 2, 2, 1), **START),
    refused("activation", "another activation", "E_CHOICE", "activation", query_positions=2, key_positions=2,
            mode="clipped", activation="gelu", inputs=layers("float32", 2, 2, 1), **START),
    refused("eps", "an eps below 0", "E_NUMBER", "eps", query_positions=2, key_positions=2, mode="clipped",
            activation="relu", c=1, length=1, eps=-1, inputs=layers("float32", 2, 2, 1)),
    refused("position", "a position before 0", "E_POSITION", "query_positions", key_positions=2, mode="clipped",
            activation="relu", inputs={"query_positions": listed((-1,)), **layers("float32", 2, 2, 1)}, **START),
    refused("weights", "an input that is not one number", "E_SHAPE", "weight_in", query_positions=2, key_positions=2,
            mode="clipped", activation="relu", **BARE, **START,
            inputs={"weight_in": scattered("float32", (3, 2), 1), "weight_out": scattered("float32", (2, 3), 1)}),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="far zero-by-zero",
    float16="far zero-by-zero leaky-f64",
    bfloat16="drawn zero-by-zero leaky-f64",
)

# what the cases of a format do not tell apart
CASES += in_formats(
    CASES,
    float32="eps negative",
    float16="eps negative more-keys",
    bfloat16="eps negative more-keys",
)

# what tells a product with 0.01 from a quotient by 100
CASES += [
    value("hundredth-f64", "numbers below 0 alone, in float64", query_positions=6, key_positions=6, mode="clipped",
          activation="leaky_relu", dtype="float64", source=DAPE, **BARE, **START,
          inputs={"weight_in": listed([-1.0, -3.0, -5.0, -7.0], "float64"),
                  "weight_out": listed([float(h == k) for h in range(4) for k in range(4)], "float64", (4, 4))}),
]
