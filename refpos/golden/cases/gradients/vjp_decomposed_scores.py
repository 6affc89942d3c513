"""Golden cases of the gradients of decomposed scores, in their fixed order."""

from functools import partial

from ...case import extreme, paper, project, scattered, suite, tiny
from .._gradients import SEED, cotangents_refused, in_each, made_by, numbers, of_result, special

PAPER = paper("Li et al. 2022, MViTv2, arXiv:2112.01526, section 4.1")
value, refused = suite("vjp_decomposed_scores", PAPER)
cases = partial(of_result, value)
VITDET = project("transformers", "5.23.0", "models/vitdet/modeling_vitdet.py", "add_decomposed_relative_positions")
MVIT = project("timm", "1.0.31", "timm/models/mvitv2.py", "cal_rel_pos_type")
NAN, INF = float("nan"), float("inf")
FLAGS = ("AxisOrder", "NonSquare")
SQUARE = {"query_grid": [2, 3], "key_grid": [2, 3], "sign": "query-key"}
POOLED = {"query_grid": [2, 4], "key_grid": [2, 2], "sign": "query-key"}
HALO = {"query_grid": [2, 2], "key_grid": [3, 4], "sign": "key-query"}
CELL = {"query_grid": [1, 1], "key_grid": [1, 1], "sign": "query-key"}
WIDE = ("float64", "float32")


def tensors(q=(2, 6, 3), weight_h=(3, 3), weight_w=(5, 3), keys=6):
    return {"q": q, "weight_h": weight_h, "weight_w": weight_w, "cotangent": (*q[:-1], keys)}


BIG = (2.0**53, 1, 1, -(2.0**53))
FLOAT64 = {"dtypes": ("float64",), "flags": ("Cancellation",)}
ONE = numbers(1, shape=(1, 1))

CASES = [
    *cases("square", "2 x 3 cells of two heads", tensors(), **SQUARE, flags=FLAGS, source=VITDET),
    *cases("pooled", "2 x 4 queries, 2 x 2 pooled keys", tensors((2, 8, 2), (3, 2), (7, 2), 4), **POOLED, flags=FLAGS,
           source=MVIT),
    *cases("halo", "key minus query: a block of 2 x 2 in a window of 3 x 4", tensors((2, 4, 2), (5, 2), (7, 2), 12),
           **HALO, flags=FLAGS),
    *cases("key-query", "key minus query, 2 x 3 cells", tensors(), query_grid=[2, 3], key_grid=[2, 3],
           sign="key-query", flags=(*FLAGS, "BucketDirection")),
    *cases("class-token", "a class token, whose gradient is 0", tensors((2, 7, 3), keys=7), **SQUARE,
           class_token=True, flags=FLAGS),
    *cases("resized", "tables of other lengths: the gradients of the tables that are resized",
           tensors(weight_h=(4, 3), weight_w=(8, 3)), **SQUARE, resize="linear", flags=(*FLAGS, "Resampling")),
    *cases("one-resized", "one table of another length", tensors(weight_w=(2, 3)), **SQUARE, resize="linear",
           flags=(*FLAGS, "Resampling")),
    *cases("batch", "3 heads of 2 images: the sums of all for the tables", tensors((2, 3, 6, 2), (3, 2), (5, 2)),
           **SQUARE, flags=FLAGS),
    *cases("two-axes", "without a head axis", tensors((6, 3)), **SQUARE, dtypes=WIDE, flags=FLAGS),
    *[
        one
        for held, result in (("float32", "float64"), ("float64", "float32"), ("bfloat16", "float16"))
        for one in in_each(value, f"result-{result}-of", f"tensors whose result and cotangent are of {result}",
                           {**tensors(), "cotangent": lambda dtype, kind=result: scattered(kind, (2, 6, 6), SEED + 3)},
                           dtypes=(held,), dtype=result, **SQUARE)
    ],
    # the fixed order
    *cases("order-keys", "cotangents of one row of keys that cancel", {
        "q": ONE, "weight_h": ONE, "weight_w": numbers(*BIG, 1, 1, 1, shape=(7, 1)),
        "cotangent": numbers(*BIG, shape=(1, 4))}, query_grid=[1, 1], key_grid=[1, 4], sign="query-key", **FLOAT64),
    *cases("order-queries", "products that cancel in the sum over the queries", {
        "q": numbers(*BIG, shape=(4, 1)), "weight_h": numbers(*[1] * 7, shape=(7, 1)), "weight_w": ONE,
        "cotangent": numbers(1, 1, 1, 1, shape=(4, 1))}, query_grid=[4, 1], key_grid=[1, 1], sign="query-key",
        **FLOAT64),
    *cases("order-images", "sums of images that cancel", {
        "q": numbers(*BIG, shape=(4, 1, 1)), "weight_h": ONE, "weight_w": ONE,
        "cotangent": numbers(1, 1, 1, 1, shape=(4, 1, 1))}, **CELL, **FLOAT64),
    *cases("order-axes", "rows and columns that cancel but for their roundings", {
        "q": numbers(1, 1, 1, 1, shape=(4, 1)), "weight_h": numbers(0.1, 0.7, 0.3, shape=(3, 1)),
        "weight_w": numbers(-0.1, -0.7, -0.3, shape=(3, 1)), "cotangent": numbers(*[0.3] * 16, shape=(4, 4))},
        query_grid=[2, 2], key_grid=[2, 2], sign="query-key", **FLOAT64),
    # edges
    *cases("not-finite", "infinities and NaN in the cotangent", {
        **tensors((2, 4, 2), (3, 2), (3, 2), 4), "cotangent": special(2, 4, 4)}, query_grid=[2, 2], key_grid=[2, 2],
        sign="query-key"),
    *cases("nan", "NaN and infinity in queries and tables", {
        "q": numbers(NAN, 1, 2, INF, shape=(2, 2)), "weight_h": numbers(1, INF, shape=(1, 2)),
        "weight_w": numbers(1, 2, 3, NAN, 5, 6, shape=(3, 2)), "cotangent": numbers(1, 2, 3, 4, shape=(2, 2))},
        query_grid=[1, 2], key_grid=[1, 2], sign="query-key"),
    *cases("tiny", "subnormal numbers", made_by(
        lambda dtype, shape: tiny(dtype, shape, 5), q=(1, 6, 2), weight_h=(3, 2), weight_w=(5, 2), cotangent=(1, 6, 6)),
        **SQUARE, flags=("Subnormal",)),
    *cases("extreme", "the largest numbers", made_by(
        extreme, q=(1, 6, 2), weight_h=(3, 2), weight_w=(5, 2), cotangent=(1, 6, 6)), **SQUARE),
    *cases("one-cell", "one cell of one channel", tensors((2, 1, 1), (1, 1), (1, 1), 1), **CELL),
    *cases("no-heads", "no heads: gradients of 0", tensors((0, 6, 3)), **SQUARE, dtypes=WIDE),
    *cases("no-channels", "no channels", tensors((2, 6, 0), (3, 0), (5, 0)), **SQUARE, dtypes=WIDE),
    # refused
    *cotangents_refused(refused, "q", (2, 6, 3), (2, 6, 6), dtype="float32", **SQUARE,
                        inputs={"weight_h": (3, 3), "weight_w": (5, 3)}),
    refused("not-resized", "a table of another length that is not to be resized", "E_SHAPE", "weight_w",
            dtype="float32", **SQUARE, inputs={
                "q": scattered("float32", (6, 2), 1), "weight_h": scattered("float32", (3, 2), 2),
                "weight_w": scattered("float32", (4, 2), 3), "cotangent": scattered("float32", (6, 6), 4)}),
]  # fmt: skip
