"""Golden cases of the gradients of scaled dot product attention, in their fixed order."""

from functools import partial

from ...case import extreme, fraction, paper, project, scattered, suite, tiny
from .._gradients import SEED, in_each, made_by, numbers, of_result, special, whole

PAPER = paper("Vaswani et al. 2017, Attention Is All You Need, arXiv:1706.03762, section 3.2.1")
value, refused = suite("vjp_attention", PAPER)
cases = partial(of_result, value)
TORCH = project("torch", "2.13.0", "torch/nn/functional.py", "scaled_dot_product_attention")
NAN, INF = float("nan"), float("inf")
SCALE, MASK = ("AttentionScale",), ("AttentionMask",)


def shapes(q=(2, 3, 4), k=(2, 5, 4), channels=3, **more):
    """The shapes of the tensors of a call, and others by name."""
    return {"q": q, "k": k, "v": (*k[:-1], channels), "cotangent": (*q[:-1], channels), **more}


def far(spread):
    """Numbers that lie `spread` times as far apart."""
    return lambda *shape: lambda dtype: scattered(dtype, shape, SEED + 70, spread)


#: one query, two keys, of which the second has what must not be read
HIDDEN = {
    "q": numbers(1, 2, shape=(1, 2)),
    "k": numbers(1, 0, NAN, INF, shape=(2, 2)),
    "v": numbers(3, 4, NAN, -INF, shape=(2, 2)),
    "cotangent": numbers(0.5, -2, shape=(1, 2)),
}
SMALL = {
    "q": numbers(1, 0, 0, 1, shape=(2, 2)),
    "k": numbers(1, 0, 1, 1, shape=(2, 2)),
    "v": numbers(2, 4, shape=(2, 1)),
    "cotangent": numbers(1, 0.5, shape=(2, 1)),
}

CASES = [
    *cases("plain", "two heads, 3 queries and 5 keys", shapes(), flags=(*SCALE, "HeadAxis"), source=TORCH),
    *cases("two-axes", "without a head axis", shapes(q=(3, 4), k=(5, 4)), dtypes=("float64", "float16")),
    *cases("batch", "2 sequences of 3 heads", shapes((2, 3, 2, 4), (2, 3, 4, 4), 2), flags=("HeadAxis",),
           dtypes=("float64", "float32")),
    *[
        one
        for tensors, result in (("float32", "float64"), ("float64", "float32"), ("bfloat16", "float16"))
        for one in in_each(value, f"result-{result}-of", f"tensors whose result and cotangent are of {result}",
                           {**shapes(), "cotangent": lambda dtype, kind=result: scattered(kind, (2, 3, 3), SEED + 3)},
                           dtypes=(tensors,), dtype=result)
    ],
    # grouped heads
    *cases("grouped-4-2", "4 heads of queries, 2 of keys, which get the sums of two heads",
           shapes((4, 2, 4), (2, 3, 4)), flags=("HeadAxis",), source=TORCH),
    *cases("grouped-bias", "grouped heads with a bias and a mask for each head of the queries",
           shapes((2, 4, 2, 3), (2, 1, 3, 3), 2, bias=(2, 4, 2, 3),
                  mask=whole(1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, shape=(4, 1, 3))), flags=("HeadAxis", *MASK)),
    # scale
    *cases("scale-third", "a scale that no float has", shapes(), scale=fraction(1, 3), flags=SCALE),
    *cases("scale-odd", "the root of 7, then 1 over it", shapes((1, 3, 7), (1, 2, 7)), flags=SCALE),
    # bias
    *cases("bias-head", "a bias for each head, queries and keys", shapes(bias=(2, 3, 5)), flags=SCALE),
    *cases("bias-row", "one row of bias: sums over queries and heads", shapes(bias=(5,)), flags=SCALE),
    *cases("bias-column", "one column of bias for each head: sums over the keys", shapes(bias=(2, 3, 1)), flags=SCALE),
    *cases("bias-batch", "a bias for the heads of 2 sequences", shapes((2, 2, 2, 3), (2, 2, 4, 3), 2, bias=(2, 1, 4)),
           flags=("HeadAxis",)),
    *cases("bias-one", "one number for all pairs", shapes(bias=(1,)), dtypes=("float64", "float32")),
    *cases("bias-infinite", "-infinity in the bias is a mask, also before NaN", {**HIDDEN, "bias": numbers(0.5, -INF)},
           flags=MASK),
    # masks
    *cases("mask-keys", "keys that do not count, and NaN and infinity in them", {**HIDDEN, "mask": whole(1, 0)},
           flags=MASK),
    *cases("mask-some", "NaN and infinity that some queries read", {
        "q": numbers(1, 2, 3, -1, shape=(2, 2)), "k": numbers(1, 0, 1, 1, shape=(2, 2)),
        "v": numbers(3, 4, INF, NAN, shape=(2, 2)), "cotangent": numbers(1, 2, 0.5, 4, shape=(2, 2)),
        "mask": whole(1, 0, 1, 1, shape=(2, 2))}, flags=MASK),
    *cases("mask-row", "a query that no key counts for, whose cotangent is NaN", {
        **shapes((3, 2), (2, 2), 1), "cotangent": numbers(1, NAN, 2, shape=(3, 1)),
        "mask": whole(1, 1, 0, 0, 1, 0, shape=(3, 2))}, flags=MASK, source=TORCH),
    *[
        one
        for corner in ("upper-left", "lower-right")
        for queries, keys in ((2, 5), (5, 2))
        for one in cases(f"causal-{corner}-{queries}-{keys}",
                         f"causal from the {corner} corner, {queries} queries, {keys} keys",
                         shapes((1, queries, 3), (1, keys, 3), 2), causal=corner, flags=(*MASK, "UnequalLengths"))
    ],
    *cases("causal-mask-bias", "causal, a mask and a bias at once", shapes(bias=(2, 1, 5), mask=whole(0, 1, 1, 0, 1)),
           causal="lower-right", flags=(*MASK, *SCALE, "UnequalLengths")),
    # softcap
    *cases("softcap", "a cap of 3 on scores of that size, then bias and mask", {
        **shapes(bias=(3, 5), mask=whole(1, 1, 0, 1, 1)), "q": far(4)(2, 3, 4)}, softcap=3, flags=(*SCALE, *MASK)),
    *cases("softcap-small", "a cap that every score meets", {**shapes(), "q": far(5)(2, 3, 4)},
           softcap=fraction(1, 10), flags=SCALE),
    # cosine
    *cases("cosine-heads", "Swin v2: a logit for each head, one of them beyond ln 100", shapes(
        cosine=numbers(2.25, 9.5), bias=(2, 3, 5)), flags=(*SCALE, "HeadAxis")),
    *cases("cosine-torch", "logits (heads, 1, 1), as modules have them, grouped heads and a cap", shapes(
        (2, 3, 4), (1, 5, 4), cosine=numbers(4.5, -1.5, shape=(2, 1, 1))), softcap=2, flags=SCALE),
    *cases("cosine-number", "a logit that is a number, and vectors of length 0", {
        "q": numbers(0, 0, 2.0**-14, 0, shape=(2, 2)), "k": numbers(3, 4, 0, 0, 0, -(2.0**-13), shape=(3, 2)),
        "v": numbers(1, 2, 3, shape=(3, 1)), "cotangent": numbers(1, -0.5, shape=(2, 1))}, cosine=2, flags=SCALE),
    *cases("cosine-one", "a logit of 1", shapes(), cosine=1, dtypes=("float16", "float32"), flags=SCALE),
    *cases("cosine-short", "vectors shorter than 1e-12", {
        "q": numbers(2.0**-41, 0, 2.0**-40, 2.0**-41, shape=(2, 2)), "k": numbers(3, 4, 2.0**-45, 0, shape=(2, 2)),
        "v": numbers(1, 2, shape=(2, 1)), "cotangent": numbers(2.0**-30, -(2.0**-31), shape=(2, 1))}, cosine=1,
        dtypes=("float64", "float32", "bfloat16"), flags=SCALE),
    *cases("cosine-hidden", "NaN and infinity of a key that does not count, and of a query that reads none", {
        **HIDDEN, "q": numbers(1, 2, NAN, 1, shape=(2, 2)), "mask": whole(1, 0, 0, 0, shape=(2, 2)),
        "cosine": numbers(1.5), "cotangent": numbers(0.5, -2, 3, NAN, shape=(2, 2))}, flags=(*SCALE, *MASK)),
    *cases("cosine-some", "a key that some queries read", {
        **SMALL, "k": numbers(1, 0.5, NAN, 2, shape=(2, 2)), "mask": whole(1, 0, 1, 1, shape=(2, 2)),
        "cosine": numbers(0.5)}, flags=(*SCALE, *MASK)),
    *cases("cosine-nan", "a logit that is NaN, which a query that reads no key has nothing of", {
        **SMALL, "mask": whole(1, 1, 0, 0, shape=(2, 2)), "cosine": numbers(NAN)}, flags=(*SCALE, *MASK)),
    *cases("cosine-group", "two heads share keys, and the second, whose logit is NaN, reads none", {
        **shapes((2, 2, 2), (1, 2, 2), 1), "cosine": numbers(0.5, NAN),
        "mask": whole(1, 1, 1, 0, 0, 0, 0, 0, shape=(2, 2, 2))}, flags=(*SCALE, *MASK, "HeadAxis")),
    *[
        one
        for output, shape in (("output", (3, 1)), ("weights", (3, 3)), ("scores", (3, 3)))
        for one in cases(f"cosine-hidden-{output}", "NaN and infinity in a key and a query of no pair that counts", {
            "q": numbers(1, 2, NAN, INF, 3, 1, shape=(3, 2)), "k": numbers(1, 2, NAN, 0, 0.5, -1, shape=(3, 2)),
            "v": numbers(1, INF, 4, shape=(3, 1)), "cotangent": shape, "cosine": numbers(1.5),
            "mask": whole(1, 0, 1, 0, 0, 0, 1, 0, 1, shape=(3, 3))}, outputs=output, flags=(*SCALE, *MASK),
            dtypes=("float64", "float32"))
    ],
    # other outputs
    *cases("weights", "the gradient of the weights", {**shapes(), "cotangent": (2, 3, 5)}, outputs="weights"),
    *cases("scores", "the gradient of the scores, also where a key does not count", {
        **shapes(bias=(5,), mask=whole(1, 1, 0, 1, 1)), "cotangent": (2, 3, 5)}, outputs="scores", softcap=2,
        flags=MASK),
    *cases("scores-alone", "the gradient of the scores without values", {
        "q": (2, 3, 4), "k": (2, 5, 4), "cotangent": (2, 3, 5)}, outputs="scores", v=None),
    # the fixed order
    *cases("order-queries", "products with the queries that cancel but for the roundings of the fixed order", {
        "q": numbers(2.0**53, 1, 1, -(2.0**53), 3, 2.0**40, 1, -(2.0**40), shape=(8, 1)), "k": numbers(1, shape=(1, 1)),
        "cotangent": numbers(*[1] * 8, shape=(8, 1))}, outputs="scores", scale=1, v=None, dtypes=("float64",),
        flags=("Cancellation",)),
    *cases("order-keys", "products with the keys that cancel", {
        "k": numbers(2.0**53, 1, 1, -(2.0**53), 3, 2.0**40, 1, -(2.0**40), shape=(8, 1)), "q": numbers(1, shape=(1, 1)),
        "cotangent": numbers(*[1] * 8, shape=(1, 8))}, outputs="scores", scale=1, v=None, dtypes=("float64",),
        flags=("Cancellation",)),
    *cases("order-values", "cotangents that cancel in the sum over the queries", {
        "q": numbers(*[0] * 8, shape=(8, 1)), "k": numbers(1, shape=(1, 1)), "v": numbers(1, shape=(1, 1)),
        "cotangent": numbers(2.0**53, 1, 1, -(2.0**53), 3, 2.0**40, 1, -(2.0**40), shape=(8, 1))},
        dtypes=("float64",), flags=("Cancellation",)),
    *cases("order-heads", "sums of 4 heads that cancel in the sum over the heads", {
        "q": numbers(2.0**53, 1, 1, -(2.0**53), shape=(4, 1, 1)), "k": numbers(1, shape=(1, 1, 1)),
        "bias": numbers(0), "cotangent": numbers(2.0**53, 1, 1, -(2.0**53), shape=(4, 1, 1))}, outputs="scores",
        scale=1, v=None, dtypes=("float64",), flags=("Cancellation",)),
    *cases("long", "as many queries and keys as show the order of their sums", shapes((1, 25, 2), (1, 31, 2), 2),
           dtypes=("float64", "float32")),
    # edges
    *cases("not-finite", "infinities and NaN in the cotangent",
           {**shapes((4, 2), (3, 2), 2), "cotangent": special(4, 2)}),
    *cases("infinite", "infinite scores: +infinity is NaN, -infinity of all is 0", {
        "q": numbers(INF, -INF, 1, shape=(3, 1)), "k": numbers(1, 2, shape=(2, 1)), "v": numbers(1, 2, shape=(2, 1)),
        "cotangent": numbers(1, 2, 3, shape=(3, 1))}, scale=1),
    *cases("nan", "NaN in a query, a key and a value that count", {
        "q": numbers(NAN, 1, 2, 1, shape=(2, 2)), "k": numbers(1, 0, 1, 1, shape=(2, 2)),
        "v": numbers(2, NAN, 4, 1, shape=(2, 2)), "cotangent": numbers(1, 2, 3, 4, shape=(2, 2))}),
    *cases("far", "scores so far apart that weights are subnormal and 0", {
        "q": numbers(1, shape=(1, 1)), "k": numbers(0, -700, -708.5, -740, -745, -746, shape=(6, 1)),
        "v": numbers(1, 2, 3, 4, 5, 6, shape=(6, 1)), "cotangent": numbers(1, shape=(1, 1))}, scale=1,
        dtypes=("float64", "float32"), flags=("Subnormal",)),
    *cases("tied", "equal scores of 10000", {**SMALL, "q": numbers(1, 0, 1, 0, shape=(2, 2))}, scale=1e4,
           dtypes=("float64", "float32")),
    *cases("tiny", "subnormal numbers", made_by(lambda dtype, shape: tiny(dtype, shape, 5), q=(1, 2, 3),
                                                k=(1, 4, 3), v=(1, 4, 2), cotangent=(1, 2, 2)), flags=("Subnormal",)),
    *cases("extreme", "the largest numbers", made_by(extreme, q=(1, 2, 3), k=(1, 4, 3), v=(1, 4, 2),
                                                      cotangent=(1, 2, 2))),
    *cases("one-key", "one query and one key: its weight is 1, and no score has a gradient",
           shapes((1, 1, 2), (1, 1, 2)), dtypes=("float64", "bfloat16")),
    *cases("one-channel", "one channel", shapes((1, 2, 1), (1, 3, 1), 1), dtypes=("float64", "float32")),
    *cases("no-keys", "no keys: gradients of 0", shapes((2, 1), (0, 1), bias=(1,)), dtypes=("float64", "float32")),
    *cases("no-queries", "no queries: gradients of 0", shapes((0, 2), (1, 2), 1, bias=(1, 1)),
           dtypes=("float64", "float32")),
    *cases("no-heads", "no heads", shapes((0, 2, 3), (0, 2, 3)), dtypes=("float64", "float32")),
    *cases("no-query-heads", "no heads of queries for 2 of keys: gradients of 0", shapes((0, 2, 3), (2, 4, 3)),
           dtypes=("float64", "float32")),
    *cases("no-channels", "no channels: all scores 0", shapes((2, 0), (3, 0), 1), dtypes=("float64", "float32")),
    *cases("no-value-channels", "values of no channels", shapes((2, 2), (3, 2), 0), dtypes=("float64", "float32")),
]  # fmt: skip


def tensors(**more):
    """Tensors of a call of which one is to be refused."""
    made = {name: scattered("float32", shape, SEED) for name, shape in shapes().items()}
    return {**made, **{name: scattered(*one, SEED) for name, one in more.items()}}


CASES += [
    refused("cotangent-longer", "a cotangent with one query more than the result", "E_SHAPE", "cotangent",
            dtype="float32", inputs=tensors(cotangent=("float32", (2, 4, 3)))),
    refused("cotangent-flat", "a cotangent without the last axis", "E_SHAPE", "cotangent", dtype="float32",
            inputs=tensors(cotangent=("float32", (2, 3)))),
    refused("cotangent-of-weights", "a cotangent of the weights for the output", "E_SHAPE", "cotangent",
            dtype="float32", inputs=tensors(cotangent=("float32", (2, 3, 5)))),
    refused("cotangent-of-output", "a cotangent of the output for the weights", "E_SHAPE", "cotangent",
            dtype="float32", outputs="weights", inputs=tensors()),
    refused("cotangent-float64", "a cotangent of float64 for a result of float32", "E_DTYPE", "cotangent",
            dtype="float32", inputs=tensors(cotangent=("float64", (2, 3, 3)))),
    refused("cotangent-of-tensors", "a cotangent in the dtype of the tensors, where the result is of float64",
            "E_DTYPE", "cotangent", inputs=tensors()),
    refused("outputs-list", "a list of outputs", "E_CHOICE", "outputs", outputs=["output"], dtype="float32",
            inputs=tensors()),
    refused("value-none", "the gradient of the output without values", "E_MISSING", "v", v=None, dtype="float32",
            inputs={name: one for name, one in tensors().items() if name != "v"}),
    refused("heads", "3 heads of keys for 2 of queries", "E_SHAPE", "k", dtype="float32",
            inputs=tensors(k=("float32", (3, 5, 4)))),
    refused("scale-cosine", "a scale beside that of the cosine", "E_CHOICE", "scale", scale=1, cosine=1,
            dtype="float32", inputs=tensors()),
]  # fmt: skip

# what shows the order of sums with three terms and more
CASES += cases("cosine-sums", "a logit that 3 sequences of 2 heads share, 5 channels", shapes(
    (3, 2, 4, 5), (3, 1, 5, 5), 2, cosine=numbers(1.25, 2.5)), flags=(*SCALE, "HeadAxis"), dtypes=("float64",))
