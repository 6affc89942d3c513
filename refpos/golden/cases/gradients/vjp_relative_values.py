"""Golden cases of the gradients of values from the vectors of distances, in their fixed order."""

from functools import partial

from ...case import extreme, paper, project, scattered, suite, tiny
from .._gradients import SEED, cotangents_refused, in_each, made_by, numbers, of_result, special, whole

PAPER = paper("Shaw et al. 2018, Self-Attention with Relative Position Representations, arXiv:1803.02155, equation 3")
value, refused = suite("vjp_relative_values", PAPER)
cases = partial(of_result, value)
VITS = project("transformers", "5.23.0", "models/vits/modeling_vits.py", "VitsAttention")
NAN, INF = float("nan"), float("inf")
ROWS = whole(0, 0, 1, 2, 3, 0, 1, 2, 3, 3, 1, 2, 3, 4, 4, shape=(3, 5))
SOME = whole(-1, 0, 1, -1, 3, -1, -1, -1, -1, -1, 1, 2, 3, 3, -1, shape=(3, 5))
OF_HEADS = whole(*(k % 4 for k in range(30)), shape=(2, 3, 5))


def tensors(probabilities=(2, 3, 5), weight=(5, 4), rows=ROWS, cotangent=(2, 3, 4)):
    return {"probabilities": probabilities, "weight": weight, "rows": rows, "cotangent": cotangent}


CANCELLING = (2.0**53, 1, 1, -(2.0**53))
FLOAT64 = {"dtypes": ("float64",), "flags": ("Cancellation",)}
WIDE = ("float64", "float32")

CASES = [
    *cases("shaw", "two heads, one table, rows that a query reads twice", tensors(), flags=("UnequalLengths",)),
    *cases("zeros", "row -1 outside the window: no gradient, nor one of a query that reads only such",
           tensors(rows=SOME), source=VITS),
    *cases("hidden", "row -1 before NaN and infinity in the probabilities and in the cotangent", {
        "probabilities": numbers(NAN, INF, 0.5, 0.25, shape=(2, 2)), "weight": numbers(1, 2, 3, 4, shape=(2, 2)),
        "rows": whole(-1, -1, 0, 1, shape=(2, 2)), "cotangent": numbers(NAN, INF, 2, 3, shape=(2, 2))}),
    *cases("tables", "2 tables for 4 heads of 2 sequences", tensors((2, 4, 3, 5), (2, 5, 2), ROWS, (2, 4, 3, 2)),
           flags=("HeadAxis",)),
    *cases("rows-of-heads", "rows of each head", tensors(weight=(4, 2), rows=OF_HEADS, cotangent=(2, 3, 2)),
           flags=("HeadAxis",)),
    *cases("shared", "probabilities that heads of rows share: sums over the heads",
           tensors((3, 5), (4, 2), OF_HEADS, (2, 3, 2)), flags=("HeadAxis",)),
    *cases("shared-one", "an axis of one head of probabilities for two of rows",
           tensors((1, 3, 5), (4, 2), OF_HEADS, (2, 3, 2)), dtypes=WIDE, flags=("HeadAxis",)),
    *cases("two-axes", "without a head axis", tensors((3, 5), cotangent=(3, 4)), dtypes=WIDE),
    *[
        one
        for held, result in (("float32", "float64"), ("float64", "float32"), ("bfloat16", "float16"))
        for one in in_each(value, f"result-{result}-of", f"tensors whose result and cotangent are of {result}",
                           {**tensors(), "cotangent": lambda dtype, kind=result: scattered(kind, (2, 3, 4), SEED + 3)},
                           dtypes=(held,), dtype=result)
    ],
    # the fixed order
    *cases("order-keys", "probabilities of one row and query that cancel", {
        "probabilities": numbers(*CANCELLING, shape=(1, 4)), "weight": numbers(3, shape=(1, 1)),
        "rows": whole(0, 0, 0, 0, shape=(1, 4)), "cotangent": numbers(1, shape=(1, 1))}, **FLOAT64),
    *cases("order-queries", "products of one row that cancel in the sum over the queries", {
        "probabilities": numbers(*CANCELLING, shape=(4, 1)), "weight": numbers(3, shape=(1, 1)),
        "rows": whole(0, 0, 0, 0, shape=(4, 1)), "cotangent": numbers(1, 1, 1, 1, shape=(4, 1))}, **FLOAT64),
    *cases("order-heads", "sums of heads that cancel", {
        "probabilities": numbers(*CANCELLING, shape=(4, 1, 1)), "weight": numbers(3, shape=(1, 1)),
        "rows": whole(0, shape=(1, 1)), "cotangent": numbers(1, 1, 1, 1, shape=(4, 1, 1))}, **FLOAT64),
    *cases("order-channels", "channels that cancel in the gradient of a probability", {
        "probabilities": numbers(1, shape=(1, 1)), "weight": numbers(*CANCELLING, shape=(1, 4)),
        "rows": whole(0, shape=(1, 1)), "cotangent": numbers(1, 1, 1, 1, shape=(1, 4))}, **FLOAT64),
    # edges
    *cases("not-finite", "infinities and NaN in the cotangent", {
        **tensors((4, 2), (2, 2), whole(0, 1, 1, 0, 0, 0, 1, 1, shape=(4, 2))), "cotangent": special(4, 2)}),
    *cases("nan", "NaN and infinity in the probabilities and in the table", {
        "probabilities": numbers(NAN, 1, 2, INF, shape=(2, 2)), "weight": numbers(1, 2, INF, 1, 3, 4, shape=(3, 2)),
        "rows": whole(0, 0, 1, 2, shape=(2, 2)), "cotangent": numbers(1, 2, 3, 4, shape=(2, 2))}),
    *cases("tiny", "subnormal numbers", {
        **made_by(lambda dtype, shape: tiny(dtype, shape, 5), probabilities=(1, 3, 5), weight=(5, 2),
                  cotangent=(1, 3, 2)), "rows": ROWS}, flags=("Subnormal",)),
    *cases("extreme", "the largest numbers", {
        **made_by(extreme, probabilities=(1, 3, 5), weight=(5, 2), cotangent=(1, 3, 2)), "rows": ROWS}),
    *cases("one-channel", "one channel", tensors(weight=(5, 1), cotangent=(2, 3, 1)), dtypes=WIDE),
    *cases("no-queries", "no queries: gradients of 0",
           tensors((2, 0, 4), (3, 2), whole(shape=(0, 4)), (2, 0, 2)), dtypes=WIDE),
    *cases("no-keys", "no keys: gradients of 0", tensors((2, 3, 0), (3, 2), whole(shape=(3, 0)), (2, 3, 2)),
           dtypes=WIDE),
    *cases("no-heads", "no heads", tensors((0, 3, 5), (5, 2), ROWS, (0, 3, 2)), dtypes=WIDE),
    *cases("no-rows", "a table without rows", tensors((2, 1, 2), (0, 2), whole(-1, -1, shape=(1, 2)), (2, 1, 2)),
           dtypes=WIDE),
    *cases("no-channels", "no channels", tensors(weight=(5, 0), cotangent=(2, 3, 0)), dtypes=WIDE),
    # refused
    *cotangents_refused(refused, "probabilities", (2, 3, 5), (2, 3, 4), dtype="float32",
                        inputs={"weight": (5, 4), "rows": ROWS}),
    refused("beyond", "a row beyond the table", "E_NUMBER", "rows", dtype="float32",
            inputs={"probabilities": scattered("float32", (3, 5), 1), "weight": scattered("float32", (4, 4), 2),
                    "rows": ROWS("float32"), "cotangent": scattered("float32", (3, 4), 3)}),
]  # fmt: skip

# what shows the order of sums with three terms and more
CASES += cases("sums", "probabilities that 4 heads of rows share", tensors(
    (3, 5), (4, 2), whole(*(k * k % 4 for k in range(60)), shape=(4, 3, 5)), (4, 3, 2)), flags=("HeadAxis",),
    dtypes=("float64",))
