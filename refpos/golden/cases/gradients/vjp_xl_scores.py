"""Golden cases of the gradients of the scores of Transformer-XL and its kin, in their fixed order."""

from functools import partial

from ...case import extreme, fraction, paper, project, scattered, suite, tiny
from .._gradients import SEED, cotangents_refused, in_each, made_by, numbers, of_result, special, whole

PAPER = paper("Dai et al. 2019, Transformer-XL, arXiv:1901.02860, section 3.3")
value, refused = suite("vjp_xl_scores", PAPER)
cases = partial(of_result, value)
XL = project("transformers", "4.40.2", "models/deprecated/transfo_xl/modeling_transfo_xl.py",
             "RelPartialLearnableMultiHeadAttn")  # fmt: skip
FLAGS = ("HeadAxis", "UnequalLengths")
NAN, INF = float("nan"), float("inf")
#: rows of 3 queries and 4 keys: distances that fall, -1 above the diagonal, and one that a query reads twice
ROWS = whole(2, 3, 4, -1, 1, 2, 3, 4, 0, 0, 2, 3, shape=(3, 4))
SEGMENTS = {"segments": (2, 2, 3), "segment_rows": whole(0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, -1, shape=(3, 4)),
            "s": (2, 3)}  # fmt: skip
WIDE = ("float64", "float32")


def tensors(q=(2, 3, 3), k=(2, 4, 3), projected=(2, 5, 3), rows=ROWS, **more):
    """Tensors of a call, with the biases of the heads of q, and others by name."""
    bias = (*q[:-2][-1:], q[-1])
    return {"q": q, "k": k, "projected": projected, "rows": rows, "u": bias, "v": bias, **more,
            "cotangent": (*q[:-1], k[-2])}  # fmt: skip


def without(*names, **more):
    return {name: one for name, one in tensors(**more).items() if name not in names}


CANCELLING = numbers(2.0**53, 1, 1, -(2.0**53), shape=(4, 1))
ONE = numbers(1, 1, 1, 1, shape=(4, 1))
FLOAT64 = {"u": None, "v": None, "scale": 1, "dtypes": ("float64",), "flags": ("Cancellation",)}

CASES = [
    *cases("transformer-xl", "both biases, the scale of the width", tensors(), flags=FLAGS, source=XL),
    *cases("parts", "a scale of each term: the same gradients", tensors(), scaled="parts", scale=fraction(1, 3),
           flags=FLAGS),
    *cases("sum", "a scale that no float has", tensors(), scale=fraction(1, 3), flags=FLAGS),
    *cases("queries", "queries and biases that are scaled first", tensors(**SEGMENTS), scaled="queries",
           scale=fraction(1, 3), flags=FLAGS),
    *cases("segments", "a term of segments with its bias", tensors(**SEGMENTS), scale=0.75, flags=FLAGS),
    *cases("segments-unbiased", "segments without a bias", {
        name: one for name, one in tensors(**SEGMENTS).items() if name != "s"}, scale=2, flags=FLAGS),
    *cases("no-biases", "no biases", without("u", "v"), u=None, v=None, flags=FLAGS),
    *cases("content-bias", "the bias of content alone", without("v"), v=None, flags=FLAGS),
    *cases("position-bias", "the bias of positions alone", without("u"), u=None, scaled="queries", flags=FLAGS),
    *cases("one-table", "a table for all heads: the sum of theirs", tensors(projected=(5, 3)), flags=FLAGS),
    *cases("grouped", "4 heads of queries and 2 of keys, of 2 sequences, rows of each head",
           tensors((2, 4, 3, 2), (2, 2, 4, 2), (4, 3, 2), whole(*(k % 4 - 1 for k in range(48)), shape=(4, 3, 4))),
           flags=FLAGS),
    *cases("rows-of-sequences", "rows of 2 sequences", tensors(
        (2, 1, 2, 3), (2, 1, 3, 3), (1, 4, 3), whole(0, 1, 2, 1, 2, 3, 3, 3, 2, -1, 0, 0, shape=(2, 1, 2, 3))),
        dtypes=WIDE, flags=FLAGS),
    *cases("two-axes", "without a head axis", tensors((3, 2), (4, 2), (5, 2)), dtypes=WIDE),
    *[
        one
        for held, result in (("float32", "float64"), ("float64", "float32"), ("bfloat16", "float16"))
        for one in in_each(value, f"result-{result}-of", f"tensors whose result and cotangent are of {result}",
                           {**tensors(), "cotangent": lambda dtype, kind=result: scattered(kind, (2, 3, 4), SEED + 6)},
                           dtypes=(held,), dtype=result)
    ],
    # the fixed order
    *cases("order-queries", "products that cancel in the sum over the queries", {
        "q": CANCELLING, "k": numbers(1, shape=(1, 1)), "projected": numbers(1, shape=(1, 1)),
        "rows": whole(0, 0, 0, 0, shape=(4, 1)), "cotangent": ONE}, **FLOAT64),
    *cases("order-keys", "products that cancel in the sum over the keys", {
        "q": numbers(1, shape=(1, 1)), "k": CANCELLING, "projected": CANCELLING,
        "rows": whole(0, 1, 2, 3, shape=(1, 4)), "cotangent": numbers(1, 1, 1, 1, shape=(1, 4))}, **FLOAT64),
    *cases("order-terms", "terms of a query that cancel but for their roundings", {
        "q": numbers(1, shape=(1, 1)), "k": numbers(2.0**53, shape=(1, 1)), "projected": numbers(1, shape=(1, 1)),
        "rows": whole(0, shape=(1, 1)), "segments": numbers(-(2.0**53), shape=(1, 1)),
        "segment_rows": whole(0, shape=(1, 1)), "cotangent": numbers(1, shape=(1, 1))}, **FLOAT64),
    *cases("order-biases", "queries of a head, and sequences, that cancel in the gradient of a bias", {
        "q": numbers(*[1] * 8, shape=(4, 1, 2, 1)), "k": numbers(1, 1, 1, 1, shape=(4, 1, 1, 1)),
        "projected": numbers(1, shape=(1, 1)), "rows": whole(0, 0, shape=(2, 1)), "u": numbers(0, shape=(1, 1)),
        "v": numbers(0, shape=(1, 1)),
        "cotangent": numbers(2.0**53, 1, 1, 1, 3, 1, -(2.0**53), 1, shape=(4, 1, 2, 1))},
        scale=1, dtypes=("float64",), flags=("Cancellation",)),
    # edges
    *cases("hidden", "row -1 before NaN in the cotangent, which the keys still have", {
        "q": numbers(1, 2, shape=(2, 1)), "k": numbers(1, 3, shape=(2, 1)), "projected": numbers(5, 7, shape=(2, 1)),
        "rows": whole(-1, 0, 0, 1, shape=(2, 2)), "cotangent": numbers(NAN, 1, 2, 3, shape=(2, 2))}, u=None, v=None),
    *cases("not-finite", "infinities and NaN in the cotangent", {
        **tensors((4, 2), (2, 2), (3, 2), whole(0, 1, 1, 2, 0, 0, -1, 1, shape=(4, 2))), "cotangent": special(4, 2)}),
    *cases("nan", "NaN and infinity in the tensors", {
        "q": numbers(NAN, 1, 2, 1, shape=(2, 2)), "k": numbers(1, INF, 3, 1, shape=(2, 2)),
        "projected": numbers(1, 2, INF, 4, 5, NAN, shape=(3, 2)), "rows": whole(0, 1, 1, 0, shape=(2, 2)),
        "u": numbers(1, 1), "v": numbers(2, 1), "cotangent": numbers(1, 2, 3, 4, shape=(2, 2))}),
    *cases("tiny", "subnormal numbers", {
        **made_by(lambda dtype, shape: tiny(dtype, shape, 5), q=(1, 3, 2), k=(1, 4, 2), projected=(5, 2), u=(1, 2),
                  v=(1, 2), cotangent=(1, 3, 4)), "rows": ROWS}, flags=("Subnormal",)),
    *cases("extreme", "the largest numbers", {
        **made_by(extreme, q=(1, 3, 2), k=(1, 4, 2), projected=(5, 2), u=(1, 2), v=(1, 2), cotangent=(1, 3, 4)),
        "rows": ROWS}),
    *cases("one-channel", "one channel", tensors((2, 3, 1), (2, 4, 1), (2, 5, 1)), dtypes=WIDE),
    *cases("no-queries", "no queries: gradients of 0", tensors((2, 0, 3), rows=whole(shape=(0, 4))), dtypes=WIDE),
    *cases("no-keys", "no keys: gradients of 0", tensors(k=(2, 0, 3), rows=whole(shape=(3, 0))), dtypes=WIDE),
    *cases("no-heads", "no heads", tensors((0, 3, 3), (0, 4, 3), (5, 3)), dtypes=WIDE),
    *cases("no-rows", "a table without rows", tensors(projected=(2, 0, 3), rows=whole(*[-1] * 12, shape=(3, 4))),
           dtypes=WIDE),
    *cases("no-channels", "no channels", tensors((2, 3, 0), (2, 4, 0), (2, 5, 0)), dtypes=WIDE),
    # refused
    *cotangents_refused(refused, "q", (2, 3, 3), (2, 3, 4), dtype="float32", inputs={
        name: one for name, one in tensors().items() if name not in ("q", "cotangent")}),
    refused("scaled", "a scale of the keys", "E_CHOICE", "scaled", scaled="keys", u=None, v=None, dtype="float32",
            inputs={"q": scattered("float32", (3, 2), 1), "k": scattered("float32", (4, 2), 2),
                    "projected": scattered("float32", (5, 2), 3), "rows": ROWS("float32"),
                    "cotangent": scattered("float32", (3, 4), 4)}),
]  # fmt: skip

# what shows the order of sums with three terms and more
CASES += cases("sums", "3 sequences, 6 heads that read 2, keys that share rows", tensors(
    (3, 6, 4, 2), (3, 2, 5, 2), (3, 2), whole(*(k * k % 3 for k in range(20)), shape=(4, 5)), s=(6, 2), segments=(2, 2),
    segment_rows=whole(*(k % 7 % 2 for k in range(20)), shape=(4, 5))), flags=FLAGS, dtypes=("float64",))
