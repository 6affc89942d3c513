"""Golden cases of the gradients of scores with the vectors of distances, in their fixed order."""

from functools import partial

from ...case import extreme, fraction, paper, project, scattered, suite, tiny
from .._gradients import SEED, cotangents_refused, in_each, made_by, numbers, of_result, special, whole

PAPER = paper("Shaw et al. 2018, Self-Attention with Relative Position Representations, arXiv:1803.02155, equation 5")
value, refused = suite("vjp_relative_scores", PAPER)
cases = partial(of_result, value)
BERT = project("transformers", "4.40.2", "models/bert/modeling_bert.py", "BertSelfAttention")
NAN, INF = float("nan"), float("inf")
WIDE = ("float64", "float32")
#: rows of 3 queries and 5 keys, some of which a query reads twice; and with those that read zeros
ROWS = whole(0, 0, 1, 2, 3, 0, 1, 2, 3, 3, 1, 2, 3, 4, 4, shape=(3, 5))
SOME = whole(-1, 0, 1, -1, 3, -1, -1, -1, -1, -1, 1, 2, 3, 3, -1, shape=(3, 5))
OF_HEADS = whole(*(k % 4 for k in range(30)), shape=(2, 3, 5))


def tensors(x=(2, 3, 4), weight=(5, 4), rows=ROWS, cotangent=(2, 3, 5)):
    return {"x": x, "weight": weight, "rows": rows, "cotangent": cotangent}


ONE_ROW = {"weight": numbers(3, shape=(1, 1)), "rows": whole(*[0] * 8, shape=(1, 8)), "x": numbers(1, shape=(1, 1))}
CANCELLING = numbers(2.0**53, 1, 1, -(2.0**53), 3, 2.0**40, 1, -(2.0**40), shape=(1, 8))
FLOAT64 = {"dtypes": ("float64",), "by": "query", "flags": ("Cancellation",)}

CASES = [
    *cases("shaw", "queries of two heads, one table, rows that a query reads twice", tensors(), by="query",
           scale=fraction(1, 2), flags=("UnequalLengths",)),
    *cases("unscaled", "the same without a scale", tensors(), by="query", flags=("UnequalLengths",)),
    *cases("third", "a scale that no float has", tensors(), by="query", scale=fraction(1, 3),
           flags=("AttentionScale",)),
    *cases("keys", "keys with the vectors of distances", tensors(x=(2, 5, 4)), by="key", scale=fraction(1, 2),
           source=BERT, flags=("UnequalLengths", "BucketDirection")),
    *cases("zeros", "row -1: no gradient, nor one of a query that reads only such", tensors(rows=SOME), by="query",
           scale=3),
    *cases("zeros-keys", "row -1, by key", tensors(x=(2, 5, 4), rows=SOME), by="key"),
    *cases("hidden", "row -1 before NaN and infinity in x and in the cotangent", {
        "x": numbers(NAN, INF, 1, 2, shape=(2, 2)), "weight": numbers(1, 2, 3, 4, shape=(2, 2)),
        "rows": whole(-1, -1, -1, 0, 1, -1, shape=(2, 3)), "cotangent": numbers(1, INF, NAN, 2, 3, NAN, shape=(2, 3))},
        by="query"),
    *cases("tables", "2 tables for 4 heads of 2 sequences", tensors((2, 4, 3, 2), (2, 5, 2), ROWS, (2, 4, 3, 5)),
           by="query", flags=("HeadAxis",)),
    *cases("tables-keys", "2 tables for 2 heads, by key", tensors((2, 5, 3), (2, 5, 3)), by="key", scale=0.75,
           flags=("HeadAxis",)),
    *cases("rows-of-heads", "rows of each head", tensors((2, 3, 2), (4, 2), OF_HEADS), by="query", scale=2,
           flags=("HeadAxis",)),
    *cases("shared-x", "queries that heads of rows share: sums over the heads", tensors((3, 2), (4, 2), OF_HEADS),
           by="query", flags=("HeadAxis",)),
    *cases("shared-x-one", "an axis of one head of queries for two of rows", tensors((1, 3, 2), (4, 2), OF_HEADS),
           by="query", dtypes=WIDE, flags=("HeadAxis",)),
    *cases("two-axes", "without a head axis", tensors((3, 4), cotangent=(3, 5)), by="query", dtypes=WIDE),
    *[
        one
        for held, result in (("float32", "float64"), ("float64", "float32"), ("bfloat16", "float16"))
        for one in in_each(value, f"result-{result}-of", f"tensors whose result and cotangent are of {result}",
                           {**tensors(), "cotangent": lambda dtype, kind=result: scattered(kind, (2, 3, 5), SEED + 3)},
                           dtypes=(held,), dtype=result, by="query", scale=fraction(1, 2))
    ],
    # the fixed order
    *cases("order-keys", "cotangents of one row and query that cancel", {**ONE_ROW, "cotangent": CANCELLING},
           **FLOAT64),
    *cases("order-queries", "products of one row that cancel in the sum over the queries", {
        "weight": numbers(3, shape=(1, 1)), "rows": whole(*[0] * 4, shape=(4, 1)),
        "x": numbers(2.0**53, 1, 1, -(2.0**53), shape=(4, 1)), "cotangent": numbers(1, 1, 1, 1, shape=(4, 1))},
        **FLOAT64),
    *cases("order-heads", "sums of heads that cancel", {
        "weight": numbers(3, shape=(1, 1)), "rows": whole(0, shape=(1, 1)),
        "x": numbers(2.0**53, 1, 1, -(2.0**53), shape=(4, 1, 1)), "cotangent": numbers(1, 1, 1, 1, shape=(4, 1, 1))},
        **FLOAT64),
    *cases("order-vectors", "vectors that cancel in the gradient of a query", {
        "weight": numbers(2.0**53, 1, 1, -(2.0**53), shape=(4, 1)), "rows": whole(0, 1, 2, 3, shape=(1, 4)),
        "x": numbers(1, shape=(1, 1)), "cotangent": numbers(1, 1, 1, 1, shape=(1, 4))}, **FLOAT64),
    # edges
    *cases("not-finite", "infinities and NaN in the cotangent", {
        **tensors((4, 2), (2, 2), whole(0, 1, 1, 0, 0, 0, 1, 1, shape=(4, 2))), "cotangent": special(4, 2)},
        by="query", scale=2),
    *cases("nan", "NaN and infinity in x and in the table: rows that are not read have none", {
        "x": numbers(NAN, 1, 2, INF, shape=(2, 2)), "weight": numbers(1, 2, INF, 1, 3, 4, shape=(3, 2)),
        "rows": whole(0, 0, 1, 2, shape=(2, 2)), "cotangent": numbers(1, 2, 3, 4, shape=(2, 2))}, by="query"),
    *cases("tiny", "subnormal numbers", {
        **made_by(lambda dtype, shape: tiny(dtype, shape, 5), x=(1, 3, 2), weight=(5, 2), cotangent=(1, 3, 5)),
        "rows": ROWS}, by="query", flags=("Subnormal",)),
    *cases("extreme", "the largest numbers", {
        **made_by(extreme, x=(1, 3, 2), weight=(5, 2), cotangent=(1, 3, 5)), "rows": ROWS}, by="query", scale=0.5),
    *cases("one-channel", "one channel", tensors((2, 3, 1), (5, 1)), by="query", dtypes=WIDE),
    *cases("no-queries", "no queries: gradients of 0", tensors((2, 0, 2), (3, 2), whole(shape=(0, 4)), (2, 0, 4)),
           by="query", dtypes=WIDE),
    *cases("no-keys", "no keys: gradients of 0", tensors((2, 3, 2), (3, 2), whole(shape=(3, 0)), (2, 3, 0)),
           by="query", dtypes=WIDE),
    *cases("no-heads", "no heads", tensors((0, 3, 2), (5, 2), ROWS, (0, 3, 5)), by="query", dtypes=WIDE),
    *cases("no-rows", "a table without rows", tensors((2, 1, 2), (0, 2), whole(-1, -1, shape=(1, 2)), (2, 1, 2)),
           by="query", dtypes=WIDE),
    *cases("no-channels", "no channels", tensors((2, 3, 0), (5, 0)), by="query", dtypes=WIDE),
    # refused
    *cotangents_refused(refused, "x", (2, 3, 4), (2, 3, 5), by="query", dtype="float32",
                        inputs={"weight": (5, 4), "rows": ROWS}),
    refused("by", "without a side", "E_CHOICE", "by", by="both", dtype="float32",
            inputs={"x": scattered("float32", (3, 4), 1), "weight": scattered("float32", (5, 4), 2),
                    "rows": ROWS("float32"), "cotangent": scattered("float32", (3, 5), 3)}),
    refused("beyond", "a row beyond the table", "E_NUMBER", "rows", by="query", dtype="float32",
            inputs={"x": scattered("float32", (3, 4), 1), "weight": scattered("float32", (4, 4), 2),
                    "rows": ROWS("float32"), "cotangent": scattered("float32", (3, 5), 3)}),
]  # fmt: skip

# what shows the order of sums with three terms and more
CASES += cases("sums", "queries that 4 heads of rows share", tensors(
    (3, 4), (4, 4), whole(*(k * k % 4 for k in range(60)), shape=(4, 3, 5)), (4, 3, 5)), by="query",
    flags=("HeadAxis",), dtypes=("float64",))
