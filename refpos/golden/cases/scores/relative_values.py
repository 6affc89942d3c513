"""Golden cases of values with the vectors of distances."""

from ...case import extreme, listed, paper, project, scattered, suite, tiny
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats
from .relative_scores import IRPE, SIX, distances, hf

SHAW = paper("Shaw et al. 2018, Self-Attention with Relative Position Representations, arXiv:1803.02155, equation 3")
value, refused = suite("relative_values", SHAW)
NEZHA = project("transformers", "4.40.2", "models/nezha/modeling_nezha.py", "NezhaSelfAttention")


def arrays(shape, table, rows, seed, dtype="float32"):
    """Weights of attention, which need not sum to 1, a table and rows, as input tensors."""
    return {"probabilities": scattered(dtype, shape, seed, 0), "weight": scattered(dtype, table, seed + 1, 1),
            "rows": rows}  # fmt: skip


SHAW_ROWS = distances(3, 7, low=-2, high=2, start=4)

CASES = [
    *[
        value(f"shaw-{SHORT[dtype]}", f"3 queries behind 4 cached keys, clipped at both ends, {dtype}", dtype=dtype,
              flags=("UnequalLengths", *narrow(dtype)), inputs=arrays((2, 3, 7), (5, 4), SHAW_ROWS, 940))
        for dtype in DTYPES
    ],
    *[
        value(f"vits-{length}-f32", f"{length} tokens, a window of 4: zero outside it, not clipped", dtype="float32",
              source=hf("vits", "VitsAttention"), flags=("OffByOne",), inputs=arrays(
                  (2, length, length), (9, 3), distances(length, length, low=-4, high=4, outside="zero"), 942))
        for length in (3, 5, 12)
    ],
    value("nezha-f32", "clipped at both ends, key minus query", dtype="float32", source=NEZHA,
          inputs=arrays((1, 2, 6, 6), (7, 4), distances(6, 6, low=-3, high=3), 944), flags=("BucketDirection",)),
    value("query-minus-key-f32", "the same with the other sign", dtype="float32", flags=("BucketDirection",),
          inputs=arrays((1, 2, 6, 6), (7, 4), distances(6, 6, direction=-1, low=-3, high=3), 944)),
    value("irpe-f32", "a table for each head, and a class token", dtype="float32", source=IRPE, flags=("HeadAxis",),
          inputs=arrays((1, 2, 4, 4), (2, 8, 3), listed([7, 7, 7, 7, 7, 3, 2, 1, 7, 4, 3, 2, 7, 5, 4, 3],
                                                        shape=(4, 4)), 946)),
    value("tables-f64", "4 heads and 2 tables: heads 0 and 1 read the first", dtype="float64", flags=("HeadAxis",),
          inputs=arrays((4, 3, 3), (2, 5, 2), distances(3, 3, low=-2, high=2), 948)),
    value("batch-f64", "rows of their own for each of two sequences", dtype="float64",
          inputs=arrays((2, 2, 2, 3), (4, 3), listed([0, 1, 2, 3, 2, 1, 3, 3, 0, -1, 0, 2], shape=(2, 1, 2, 3)), 950)),
    value("many-keys-f64", "53 keys of one row, which show the order of the sum", dtype="float64",
          inputs=arrays((2, 53), (1, 3), listed([0] * 106, shape=(2, 53)), 952, "float64")),
    value("cancelling-f64", "products that cancel but for the roundings of the fixed order: another row in between",
          dtype="float64", flags=("Cancellation",),
          inputs={"probabilities": listed([1.0, 2.0**53, -(2.0**53), 1.0], "float64", (1, 4)),
                  "weight": listed([1.0, 3.0, 1.0, -1.0], "float64", (2, 2)),
                  "rows": listed([0, 1, 1, 0], shape=(1, 4))}),
    value("contracted-f64", "a product that only one rounding of a fused multiply-add would keep", dtype="float64",
          flags=("FmaContraction",),
          inputs={"probabilities": listed([1 + 2.0**-52, -1.0], "float64", (1, 2)),
                  "weight": listed([1 + 2.0**-52, 1 + 2.0**-51], "float64", (2, 1)),
                  "rows": listed([0, 1], shape=(1, 2))}),
    value("bfloat16-weights", "weights of bfloat16", dtype="bfloat16", flags=narrow("bfloat16"),
          inputs=arrays((2, 2, 3), (3, 3), SIX, 954, "bfloat16")),
    value("tiny-f64", "subnormal numbers", dtype="float64", flags=("Subnormal",),
          inputs={"probabilities": scattered("float64", (2, 3), 956, 0), "weight": tiny("float64", (3, 2), 957),
                  "rows": SIX}),
    value("extreme-f32", "the largest numbers", dtype="float32",
          inputs={"probabilities": listed([0.5, 0.25, 0.25, 0.0, 1.0, 0.0], "float32", (2, 3)),
                  "weight": extreme("float32", (3, 4)), "rows": listed([0, 1, -1, 2, -1, 0], shape=(2, 3))}),
    value("not-finite-f64", "row -1 adds nothing beside infinities and NaN", dtype="float64",
          inputs={"probabilities": listed([float("inf"), 1.0, float("nan"), 0.0, 1.0, float("nan")], "float64", (2, 3)),
                  "weight": listed([1.0, float("inf")], "float64", (2, 1)),
                  "rows": listed([-1, 0, -1, 1, 0, -1], shape=(2, 3))}),
    value("all-minus-one", "no pair has a row", dtype="float32",
          inputs=arrays((2, 2), (2, 3), listed([-1] * 4, shape=(2, 2)), 958)),
    value("no-keys", "no keys: sums of nothing", dtype="float32",
          inputs=arrays((2, 0), (2, 3), listed([], shape=(2, 0)), 960)),
    refused("row-3", "a row that the table has not", "E_NUMBER", "rows",
            inputs=arrays((1, 2), (3, 3), listed([0, 3], shape=(1, 2)), 1)),
    refused("lengths", "rows for other keys", "E_SHAPE", "rows", inputs=arrays((2, 2), (3, 3), SIX, 1)),
    refused("heads", "3 tables for 4 heads", "E_SHAPE", "weight", inputs=arrays((4, 2, 3), (3, 3, 3), SIX, 1)),
    refused("batch", "rows for other heads", "E_SHAPE", "rows",
            inputs=arrays((4, 1, 2), (3, 3), listed([0] * 6, shape=(3, 1, 2)), 1)),
    refused("one-axis", "probabilities of one query without its axis", "E_SHAPE", "probabilities",
            inputs=arrays((3,), (3, 3), SIX, 1)),
]  # fmt: skip

# conventions that no case above tells
CASES += in_formats(
    CASES,
    float32="batch-f64 tables-f64 not-finite-f64",
    float16="batch-f64 tables-f64 not-finite-f64",
    bfloat16="batch-f64 tables-f64 not-finite-f64",
)
