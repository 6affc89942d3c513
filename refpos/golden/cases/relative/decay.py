"""Golden cases of the decay of linear attention."""

from ...case import paper, project, suite
from ...telling_inputs import SHORT, narrow
from .._formats import in_formats

value, refused = suite("decay", paper("Qin et al. 2024, Lightning Attention-2, arXiv:2401.04658"))
MINIMAX = project("transformers", "5.23.0", "models/minimax/modeling_minimax.py",
                  "MiniMaxLightningAttention.decay_factors")
RETNET = paper("Sun et al. 2023, RetNet, arXiv:2307.08621, section 2.2")


def _lightning(slug, about, heads, queries, keys, dtype="float64", flags=(), **more):
    unequal = ("UnequalLengths",) if queries != keys else ()
    odd = ("SlopeNonPowerOfTwo",) if heads & heads - 1 else ()
    return value(slug, about, num_heads=heads, query_len=queries, key_len=keys, rule="lightning", dtype=dtype,
                 flags=tuple({*flags, *unequal, *odd, *narrow(dtype)}), source=MINIMAX, **more)


def _retnet(slug, about, heads, queries, keys, dtype="float64", flags=(), **more):
    unequal = ("UnequalLengths",) if queries != keys else ()
    return value(slug, about, num_heads=heads, query_len=queries, key_len=keys, rule="retnet", dtype=dtype,
                 flags=tuple({*flags, *unequal, *narrow(dtype)}), source=RETNET, **more)


CASES = [
    *[
        _lightning(f"lightning-{heads}-{layer}-of-{layers}-{queries}x{keys}-{SHORT[dtype]}",
                   f"{heads} heads, layer {layer} of {layers}", heads, queries, keys, dtype, layer=layer, layers=layers)
        for heads, layer, layers, queries, keys, dtype in (
            (4, 0, 4, 4, 4, "float64"), (4, 3, 4, 4, 4, "float64"), (6, 1, 4, 3, 7, "float32"),
            (5, 0, 2, 7, 3, "float32"), (3, 2, 5, 4, 6, "bfloat16"), (12, 0, 1, 3, 5, "float16"),
        )
    ],
    _lightning("lightning-decode-400", "one query of 400 keys: down to exp(-200)", 2, 1, 400, layer=0, layers=9),
    _lightning("lightning-far-f32", "keys that are below the smallest float32", 3, 1, 9, "float32", layer=0, layers=4,
               query_offset=400, flags=("Subnormal",)),
    _lightning("lightning-query-decay", "MiniMax's query_decay: a key just before the block", 4, 5, 1, layer=1,
               layers=6, query_offset=1, flags=("OffByOne",)),
    *[
        _retnet(f"retnet-{heads}-{queries}x{keys}-{SHORT[dtype]}", f"{heads} heads of RetNet", heads, queries, keys,
                dtype, flags=("OffByOne",))
        for heads, queries, keys, dtype in (
            (4, 4, 4, "float64"), (3, 3, 7, "float64"), (8, 5, 3, "float32"), (3, 4, 6, "bfloat16"),
            (6, 3, 5, "float16"),
        )
    ],
    _retnet("retnet-decode-300", "one query of 300 keys", 3, 1, 300),
    _retnet("retnet-far", "powers whose fractions have 5 to 7 thousand bits", 3, 1, 4, query_offset=1000),
    _retnet("no-queries", "no queries", 2, 0, 4),
    _retnet("one-token", "one token", 2, 1, 1),
    refused("rule", "an unknown rule", "E_CHOICE", "rule", num_heads=2, query_len=2, key_len=2, rule="xpos"),
    refused("layers-missing", "lightning attention without its layers", "E_SIZE", "layers", num_heads=2,
            query_len=2, key_len=2, rule="lightning", layer=0),
    refused("offset-beyond", "an offset beyond 2**53", "E_POSITION", "query_offset", num_heads=2, query_len=2,
            key_len=2, rule="retnet", query_offset=2**53 + 1),
    refused("keys-negative", "a negative number of keys", "E_SIZE", "key_len", num_heads=2, query_len=2, key_len=-1,
            rule="retnet"),
]

# what no other case tells apart
CASES += [
    value("eps-half-f32", "eps 1/2: the last layer has half the slopes of the first, in float32", num_heads=3,
          query_len=3, key_len=4, rule="lightning", layer=2, layers=3, eps=0.5, dtype="float32"),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="eps-half-f32",
    float16="lightning-query-decay eps-half-f32",
    bfloat16="retnet-far eps-half-f32",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float16="retnet-far",
    bfloat16="lightning-query-decay",
)
