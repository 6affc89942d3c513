"""Golden cases of the gradient of means of rows: exact sums of cotangents over the lengths of their spans."""

from ...case import extreme, project, scattered, suite, tiny
from ...telling_inputs import DTYPES, SHORT, narrow
from .._gradients import cotangents_refused, in_each, numbers, special, whole

LUKE = project("transformers", "5.23.0", "models/luke/modeling_luke.py", "LukeEntityEmbeddings")
value, refused = suite("vjp_mean_of_rows", LUKE)
FLAGS = ("OffByOne",)

CASES = [
    *in_each(value, "luke", "mentions of three tokens, one, none, two and five", {
        "weight": (15, 2), "rows": whole(2, 3, 4, -1, -1, 7, -1, -1, -1, -1, -1, -1, -1, -1, -1, 9, -1, 2, -1, -1, 10,
                                         11, 12, 13, 14, shape=(5, 5)), "cotangent": (5, 2)}, flags=FLAGS),
    *in_each(value, "twice", "rows that a span names twice, and that several spans name", {
        "weight": (4, 2), "rows": whole(1, 1, 2, 1, 2, -1, 3, 3, 3, shape=(3, 3)), "cotangent": (3, 2)}, flags=FLAGS),
    *in_each(value, "batch", "spans of shape (2, 2)", {
        "weight": (7, 3), "rows": whole(0, 1, -1, 2, 2, 3, -1, -1, 4, 5, -1, 6, shape=(2, 2, 3)),
        "cotangent": (2, 2, 3)}, flags=FLAGS),
    *in_each(value, "single", "one span without an axis", {
        "weight": (5, 2), "rows": whole(4, 1, 0), "cotangent": (2,)}, flags=FLAGS),
    *in_each(value, "ties", "sums halfway between two values", {
        "weight": (3, 1), "rows": whole(0, 1, 0, -1, 1, -1, shape=(3, 2)), "cotangent": lambda dtype: numbers(
            2 * {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}[dtype], 1.0, 1.0,
            shape=(3, 1))(dtype)}, flags=FLAGS),
    *in_each(value, "many", "100 spans of three rows in a table of 7", {
        "weight": (7, 1), "rows": whole(*(k * k * k % 8 - 1 for k in range(300)), shape=(100, 3)),
        "cotangent": (100, 1)}, flags=FLAGS),
    *in_each(value, "not-finite", "infinities and NaN of the rows that they were made of", {
        "weight": (6, 1), "rows": whole(0, 1, 1, 2, 2, 3, 3, 4, 0, -1, 5, -1, -1, -1, 4, 4, shape=(8, 2)),
        "cotangent": special(8, 1)}, flags=FLAGS),
    *in_each(value, "signed-zeros", "zeros of both signs: a sum that is 0 is +0", {
        "weight": (3, 1), "rows": whole(0, 1, 0, 1, shape=(2, 2)), "cotangent": numbers(-0.0, -0.0, shape=(2, 1))},
        flags=FLAGS),
    *in_each(value, "subnormal", "the smallest numbers", {
        "weight": (3, 2), "rows": whole(0, 1, 1, 2, shape=(2, 2)), "cotangent": lambda dtype: tiny(dtype, (2, 2), 5)},
        flags=(*FLAGS, "Subnormal")),
    *in_each(value, "extreme", "the largest numbers, whose sums leave the range or do not", {
        "weight": (2, 2), "rows": whole(0, 0, 0, 1, 0, -1, shape=(3, 2)),
        "cotangent": lambda dtype: extreme(dtype, (3, 2))}, flags=FLAGS),
    *[
        value(f"cotangent-{SHORT[dtype]}-of-{SHORT[held]}", f"a table of {held} that is read as {dtype}", dtype=dtype,
              inputs={"weight": scattered(held, (3, 2), 41), "rows": whole(2, 0, 2, -1, shape=(2, 2))(held),
                      "cotangent": scattered(dtype, (2, 2), 42)}, flags=(*FLAGS, *narrow(held)))
        for held, dtype in zip(DTYPES, (*DTYPES[1:], "float32"), strict=True)
    ],
    *in_each(value, "none", "no spans", {"weight": (3, 2), "rows": whole(shape=(0, 3)), "cotangent": (0, 2)},
             dtypes=("float32", "float64")),
    *in_each(value, "no-tokens", "spans without room for a row", {
        "weight": (3, 2), "rows": whole(shape=(2, 0)), "cotangent": (2, 2)}, dtypes=("float32",)),
    *cotangents_refused(refused, "weight", (5, 3), (2, 3), inputs={"rows": whole(0, 1, 2, -1, shape=(2, 2))}),
    refused("beyond", "a row beyond the table", "E_POSITION", "rows",
            inputs={"weight": scattered("float32", (5, 3), 1), "rows": whole(5, 1, shape=(1, 2))("float32"),
                    "cotangent": scattered("float32", (1, 3), 2)}),
]  # fmt: skip
