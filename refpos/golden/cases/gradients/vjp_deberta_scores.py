"""Golden cases of the gradients of the scores of DeBERTa, in their fixed order."""

from functools import partial

from ...case import extreme, paper, project, scattered, suite, tiny
from .._gradients import SEED, cotangents_refused, in_each, made_by, numbers, of_result, special, whole

PAPER = paper("He et al. 2021, DeBERTa, arXiv:2006.03654, section 3.1")
value, refused = suite("vjp_deberta_scores", PAPER)
cases = partial(of_result, value)
V2 = project("transformers", "5.23.0", "models/deberta_v2/modeling_deberta_v2.py", "DisentangledSelfAttention")
FLAGS = ("BucketDirection", "UnequalLengths")
SCALINGS = ("queries", "products", "keys")
NAN, INF = float("nan"), float("inf")
ROWS = whole(2, 1, 0, 0, 3, 2, 1, 0, 3, 3, 2, 1, shape=(3, 4))
OTHER = whole(0, 1, 1, 2, 0, 0, 1, 1, 2, 0, 0, 1, shape=(3, 4))
WIDE = ("float64", "float32")


def tensors(q=(2, 3, 3), k=(2, 4, 3), key_table=(2, 4, 3), query_table=(2, 4, 3), rows=ROWS, **more):
    """Tensors of a call with both tables, and others by name."""
    return {"q": q, "k": k, "key_table": key_table, "query_table": query_table, "rows": rows, **more,
            "cotangent": (*q[:-1], k[-2])}  # fmt: skip


def without(table):
    return {name: one for name, one in tensors().items() if name != table}


BIG = (2.0**53, 1, 1, -(2.0**53))
ONE, ZERO = numbers(1, shape=(1, 1)), whole(0, 0, 0, 0, shape=(4, 1))
FLOAT64 = {"query_table": None, "dtypes": ("float64",), "flags": ("Cancellation",)}

CASES = [
    *[
        one
        for scaling in SCALINGS
        for one in cases(f"{scaling}", f"scaled {scaling}, 3 queries and 4 keys", tensors(), scaling=scaling,
                         flags=FLAGS, source=V2 if scaling == "products" else PAPER)
    ],
    *[
        one
        for name, absent in (("c2p", "query_table"), ("p2c", "key_table"))
        for scaling in SCALINGS
        for one in cases(f"{name}-{scaling}", f"{name} alone, scaled {scaling}", without(absent), scaling=scaling,
                         flags=FLAGS, dtypes=WIDE if scaling == "queries" else ("float64",), **{absent: None})
    ],
    *cases("query-rows", "other rows of p2c", tensors(query_table=(2, 3, 3), query_rows=OTHER), scaling="products",
           flags=FLAGS),
    *cases("one-table", "tables without an axis of heads: the sums of the heads",
           tensors(key_table=(4, 3), query_table=(1, 4, 3)), scaling="keys", flags=FLAGS),
    *cases("tables-of-sequences", "a table for each head of 2 sequences", tensors(
        (2, 2, 3, 2), (2, 2, 4, 2), (2, 2, 4, 2), (2, 1, 4, 2)), scaling="queries", flags=FLAGS),
    *cases("grouped", "4 heads of queries and 2 of keys, rows of each head", tensors(
        (4, 3, 2), (2, 4, 2), (4, 4, 2), (4, 4, 2), whole(*(k * k % 4 for k in range(48)), shape=(4, 3, 4))),
        scaling="products", flags=(*FLAGS, "HeadAxis")),
    *cases("two-axes", "without a head axis", tensors((3, 2), (4, 2), (4, 2), (4, 2)), scaling="keys", dtypes=WIDE),
    *[
        one
        for held, result in (("float32", "float64"), ("float64", "float32"), ("bfloat16", "float16"))
        for one in in_each(value, f"result-{result}-of", f"tensors whose result and cotangent are of {result}",
                           {**tensors(), "cotangent": lambda dtype, kind=result: scattered(kind, (2, 3, 4), SEED + 5)},
                           dtypes=(held,), dtype=result, scaling="products")
    ],
    # the fixed order
    *cases("order-queries", "products that cancel in the sum over the queries", {
        "q": numbers(*BIG, shape=(4, 1)), "k": ONE, "key_table": ONE, "rows": ZERO,
        "cotangent": numbers(1, 1, 1, 1, shape=(4, 1))}, scaling="queries", **FLOAT64),
    *cases("order-keys", "products that cancel in the sum over the keys", {
        "q": ONE, "k": numbers(*BIG, shape=(4, 1)), "key_table": numbers(*BIG, shape=(4, 1)),
        "rows": whole(0, 1, 2, 3, shape=(1, 4)), "cotangent": numbers(1, 1, 1, 1, shape=(1, 4))}, scaling="keys",
        **FLOAT64),
    *cases("order-terms", "content and distance that cancel but for their roundings", {
        "q": ONE, "k": numbers(3, shape=(1, 1)), "key_table": numbers(-1, shape=(1, 1)),
        "rows": whole(0, shape=(1, 1)), "cotangent": numbers(2.0**-1, shape=(1, 1))}, scaling="products", **FLOAT64),
    *cases("order-heads", "sums of heads that cancel in a table for all", {
        "q": numbers(*BIG, shape=(4, 1, 1)), "k": numbers(1, 1, 1, 1, shape=(4, 1, 1)), "key_table": ONE,
        "rows": whole(0, shape=(1, 1)), "cotangent": numbers(1, 1, 1, 1, shape=(4, 1, 1))}, scaling="keys",
        **FLOAT64),
    # edges
    *cases("not-finite", "infinities and NaN in the cotangent", {
        **tensors((4, 2), (2, 2), (3, 2), (3, 2), whole(0, 1, 1, 2, 0, 0, 2, 1, shape=(4, 2))),
        "cotangent": special(4, 2)}, scaling="queries"),
    *cases("nan", "NaN and infinity in the tensors: rows that are not read have none", {
        "q": numbers(NAN, 1, 2, 1, shape=(2, 2)), "k": numbers(1, INF, 3, 1, shape=(2, 2)),
        "key_table": numbers(1, 2, INF, 4, 5, NAN, shape=(3, 2)), "query_table": numbers(1, 2, 3, 4, shape=(2, 2)),
        "rows": whole(0, 1, 1, 0, shape=(2, 2)), "cotangent": numbers(1, 2, 3, 4, shape=(2, 2))}, scaling="products"),
    *cases("tiny", "subnormal numbers", {
        **made_by(lambda dtype, shape: tiny(dtype, shape, 5), q=(1, 3, 2), k=(1, 4, 2), key_table=(1, 4, 2),
                  query_table=(1, 4, 2), cotangent=(1, 3, 4)), "rows": ROWS}, scaling="keys", flags=("Subnormal",)),
    *cases("extreme", "the largest numbers", {
        **made_by(extreme, q=(1, 3, 2), k=(1, 4, 2), key_table=(1, 4, 2), query_table=(1, 4, 2), cotangent=(1, 3, 4)),
        "rows": ROWS}, scaling="products"),
    *cases("one-channel", "one channel", tensors((2, 3, 1), (2, 4, 1), (2, 4, 1), (2, 4, 1)), scaling="queries",
           dtypes=WIDE),
    *cases("no-queries", "no queries: gradients of 0", tensors((2, 0, 3), rows=whole(shape=(0, 4))),
           scaling="queries", dtypes=WIDE),
    *cases("no-keys", "no keys: gradients of 0", tensors(k=(2, 0, 3), rows=whole(shape=(3, 0))), scaling="products",
           dtypes=WIDE),
    *cases("no-heads", "no heads", tensors((0, 3, 3), (0, 4, 3), (4, 3), (4, 3)), scaling="keys", dtypes=WIDE),
    *cases("no-channels", "no channels", tensors((2, 3, 0), (2, 4, 0), (2, 4, 0), (2, 4, 0)), scaling="keys",
           dtypes=WIDE),
    # refused
    *cotangents_refused(refused, "q", (2, 3, 3), (2, 3, 4), dtype="float32", scaling="keys", inputs={
        name: one for name, one in tensors().items() if name not in ("q", "cotangent")}),
    refused("no-tables", "neither table", "E_CHOICE", "key_table", key_table=None, query_table=None, scaling="keys",
            dtype="float32", inputs={
                "q": scattered("float32", (3, 2), 1), "k": scattered("float32", (4, 2), 2), "rows": ROWS("float32"),
                "cotangent": scattered("float32", (3, 4), 4)}),
]  # fmt: skip

# what shows the order of sums with three terms and more
CASES += cases("sums", "3 sequences, 6 heads that read 2, tables of all sequences, keys that share rows", tensors(
    (3, 6, 4, 2), (3, 2, 5, 2), (6, 3, 2), (1, 6, 3, 2), whole(*(k * k % 3 for k in range(20)), shape=(4, 5))),
    scaling="keys", flags=FLAGS, dtypes=("float64",))
