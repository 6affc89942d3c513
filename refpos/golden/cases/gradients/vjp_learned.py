"""Golden cases of the gradient of a learned table: the exact sum of the cotangents of each row."""

from ...case import extreme, fraction, paper, scattered, suite, tiny
from ...telling_inputs import DTYPES, SHORT, narrow
from .._gradients import cotangents_refused, in_each, numbers, special, whole

PAPER = paper("Gehring et al. 2017, Convolutional Sequence to Sequence Learning, arXiv:1705.03122, section 3.1")
value, refused = suite("vjp_learned", PAPER)
SUMS = ("OffByOne",)
#: half a unit in the last place of 1
TIES = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}


def tie(dtype):
    """Rows whose sums are ties, or nearly, and one that cancels."""
    half, least = TIES[dtype], TIES[dtype] / 8
    return numbers(1.0, half, 1.0, half, least, 1.0, half, -least, 1.0, -1.0, 1.0, half, -1.0, shape=(13, 1))(dtype)


CASES = [
    *in_each(value, "repeated", "rows that are read twice, once and never",
             {"weight": (5, 3), "rows": whole(2, 0, 2, 4, 2, 0, shape=(2, 3)), "cotangent": (2, 3, 3)}, flags=SUMS),
    *in_each(value, "counted", "the first rows, each once", {"weight": (6, 2), "cotangent": (4, 2)}, rows=4,
             flags=SUMS),
    *in_each(value, "ties", "sums halfway between two values, and next to it",
             {"weight": (6, 1), "rows": whole(0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4), "cotangent": tie}, flags=SUMS),
    *in_each(value, "many", "300 vectors in 7 rows",
             {"weight": (7, 1), "rows": whole(*(k * k % 7 for k in range(300))), "cotangent": (300, 1)}, flags=SUMS),
    *in_each(value, "third", "a third of each row", {"weight": (3, 2), "rows": whole(1, 1, 2), "cotangent": (3, 2)},
             scale=fraction(1, 3), flags=SUMS),
    *in_each(value, "negative", "a negative scale", {"weight": (3, 2), "rows": whole(1, 1, 2), "cotangent": (3, 2)},
             scale=-1.5, flags=SUMS),
    *in_each(value, "zero", "the scale 0 of numbers and of infinities",
             {"weight": (9, 1), "rows": whole(*range(8)), "cotangent": special(8, 1)}, scale=0, flags=SUMS),
    *in_each(value, "not-finite", "infinities and NaN, alone and added",
             {"weight": (6, 1), "rows": whole(0, 1, 2, 2, 3, 0, 3, 4), "cotangent": special(8, 1)}, flags=SUMS),
    *in_each(value, "signed-zeros", "zeros of both signs: a sum that is 0 is +0",
             {"weight": (3, 1), "rows": whole(0, 0, 1, 2), "cotangent": numbers(-0.0, -0.0, -0.0, 0.0, shape=(4, 1))},
             flags=SUMS),
    *in_each(value, "subnormal", "the smallest numbers", {"weight": (2, 4), "rows": whole(1, 0, 1),
                                                          "cotangent": lambda dtype: tiny(dtype, (3, 4), 5)},
             flags=(*SUMS, "Subnormal")),
    *in_each(value, "extreme", "the largest numbers, whose sums leave the range or do not",
             {"weight": (2, 4), "rows": whole(0, 0, 0, 1), "cotangent": lambda dtype: extreme(dtype, (4, 4))},
             flags=SUMS),
    *[
        value(f"cotangent-{SHORT[dtype]}-of-{SHORT[held]}", f"a table of {held} that is read as {dtype}", dtype=dtype,
              inputs={"weight": scattered(held, (3, 2), 41), "rows": whole(2, 0, 2)(held),
                      "cotangent": scattered(dtype, (3, 2), 42)}, flags=(*SUMS, *narrow(held)))
        for held, dtype in zip(DTYPES, (*DTYPES[1:], "float32"), strict=True)
    ],
    *in_each(value, "none", "no rows", {"weight": (3, 2), "cotangent": (0, 2)}, rows=0, dtypes=("float32", "float64")),
    *in_each(value, "single", "one row without an axis",
             {"weight": (3, 2), "rows": whole(1, shape=()), "cotangent": (2,)}, dtypes=("float32", "bfloat16")),
    *cotangents_refused(refused, "weight", (5, 3), (4, 3), rows=4),
    refused("beyond", "a row beyond the table", "E_POSITION", "rows", rows=6,
            inputs={"weight": scattered("float32", (5, 3), 1), "cotangent": scattered("float32", (6, 3), 2)}),
]  # fmt: skip
