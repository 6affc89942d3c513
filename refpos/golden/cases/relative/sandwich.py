"""Golden cases of Sandwich."""

from ...case import paper, project, suite
from ...telling_inputs import SHORT, narrow
from .._formats import in_formats

PAPER = paper("Chi et al. 2023, Sandwich, arXiv:2212.10356, section 5")
value, refused = suite("sandwich", PAPER)
NEMO = project("NVIDIA/NeMo", "1.23.0",
               "nemo/collections/nlp/modules/common/megatron/position_embedding/"
               "sandwich_relative_position_embedding.py", "SandwichRelativePositionEmbedding.forward")


def _case(slug, about, heads, queries, keys, dim, first, subtract, dtype="float64", flags=(), **more):
    unequal = ("UnequalLengths",) if queries != keys else ()
    return value(slug, about, num_heads=heads, query_len=queries, key_len=keys, dim=dim, first=first,
                 subtract=subtract, dtype=dtype, flags=tuple({*flags, *unequal, *narrow(dtype)}), **more)


CASES = [
    *[
        # NeMo cuts its square to the lengths before it masks, so that it is no source where they differ
        _case(f"nemo-{heads}-{queries}x{keys}-{dim}-{SHORT[dtype]}",
              f"{heads} heads, dim {dim}, first 1, dim/2 less, {dtype}", heads, queries, keys, dim, 1, True, dtype,
              source=NEMO if queries == keys else PAPER, flags=("OffByOne",))
        for heads, queries, keys, dim, dtype in (
            (4, 4, 4, 64, "float64"), (3, 3, 7, 8, "float64"), (6, 7, 3, 16, "float32"), (12, 3, 5, 32, "bfloat16"),
            (8, 2, 6, 64, "float16"), (2, 3, 3, 2, "float64"),
        )
    ],
    *[
        _case(f"paper-{heads}-{queries}x{keys}-{dim}-{SHORT[dtype]}", f"{heads} heads, dim {dim}, first 0, {dtype}",
              heads, queries, keys, dim, 0, False, dtype)
        for heads, queries, keys, dim, dtype in (
            (4, 4, 4, 128, "float64"), (3, 3, 7, 8, "float32"), (12, 5, 3, 16, "bfloat16"), (5, 2, 6, 8, "float16"),
            (2, 1, 9, 2, "float64"),
        )
    ],
    _case("bidirectional", "NeMo, bidirectional: keys after the query as those before", 3, 4, 6, 8, 1, True,
          mode="symmetric", source=NEMO),
    _case("first-0-subtract", "first 0, dim/2 less: 0 at distance 0", 2, 3, 4, 6, 0, True),
    _case("far", "a query at position 131072", 2, 1, 4, 16, 0, False, query_offset=131072, flags=("NarrowAngle",)),
    _case("far-f32", "a query at position 2**24 + 1", 2, 1, 4, 16, 1, True, "float32", query_offset=2**24 + 1,
          flags=("NarrowAngle", "LongContextInteger")),
    _case("base-100", "base 100", 3, 2, 5, 12, 1, True, base=100, flags=("Base",)),
    _case("no-queries", "no queries", 2, 0, 4, 8, 1, True),
    refused("dim-odd", "an odd width", "E_ODD_DIM", "dim", num_heads=2, query_len=2, key_len=2, dim=7, first=0,
            subtract=False),
    refused("first-2", "a first frequency beyond 1", "E_SIZE", "first", num_heads=2, query_len=2, key_len=2, dim=8,
            first=2, subtract=False),
    refused("subtract-number", "a number to subtract", "E_CHOICE", "subtract", num_heads=2, query_len=2, key_len=2,
            dim=8, first=1, subtract=4),
    refused("mode", "an unknown mode", "E_CHOICE", "mode", num_heads=2, query_len=2, key_len=2, dim=8, first=1,
            subtract=True, mode="causal"),
    refused("heads-zero", "no heads", "E_SIZE", "num_heads", num_heads=0, query_len=2, key_len=2, dim=8, first=1,
            subtract=True),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float32="base-100 bidirectional",
    float16="far base-100 bidirectional",
    bfloat16="far base-100 bidirectional",
)

# a second value of numbers that all other cases have alike
CASES += [
    _case("offset-9-f32", "a query at position 9, in float32", 2, 2, 5, 8, 0, False, "float32", query_offset=9,
          mode="symmetric"),
]
CASES += in_formats(
    CASES,
    float64="offset-9-f32",
    float16="offset-9-f32",
    bfloat16="offset-9-f32",
)
