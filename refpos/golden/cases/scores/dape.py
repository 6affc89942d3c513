"""Golden cases of DAPE."""

from ...case import extreme, listed, paper, project, scattered, suite, tiny
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("dape", paper("Zheng et al. 2024, DAPE, arXiv:2405.14722, section 3.2"))
AUTHORS = project("chuanyang-Zheng/DAPE", "bde344a844f2bd1f498b2bac70240dcda41c50c1", "DAPE.py", "AliBi_DAPE")
BARE = {"bias_in": None, "bias_out": None}


def tensors(dtype, lead, heads, queries, keys, seed, hidden=5, biases=True, spread=2):
    """Scores, a bias and both lines as input tensors."""
    found = {
        "scores": scattered(dtype, (*lead, heads, queries, keys), seed, spread),
        "bias": scattered(dtype, (heads, queries, keys), seed + 1, spread),
        "weight_in": scattered(dtype, (hidden, 2 * heads), seed + 2, 0),
        "weight_out": scattered(dtype, (heads, hidden), seed + 3, 0),
    }
    if biases:
        found["bias_in"] = scattered(dtype, (hidden,), seed + 4, 0)
        found["bias_out"] = scattered(dtype, (heads,), seed + 5, 0)
    return found


CASES = [
    *[
        value(f"{slug}-{SHORT[dtype]}", f"{about}, {dtype}", dtype=dtype, source=AUTHORS,
              flags=(*flags, *narrow(dtype)),
              inputs=tensors(held, lead, heads, queries, keys, 10 * k))
        for k, (slug, about, lead, heads, queries, keys, flags) in enumerate((
            ("square", "2 sequences of 3 heads", (2,), 3, 4, 4, ("HeadAxis",)),
            ("unequal", "2 queries, 5 keys, 3 heads", (1,), 3, 2, 5, ("UnequalLengths", "HeadAxis")),
        ), 1)
        for dtype, held in zip(DTYPES, ("float64", "float32", "float32", "bfloat16"))
    ],
    value("one-sequence", "no axis of sequences", dtype="float64", inputs=tensors("float32", (), 4, 3, 5, 40)),
    value("one-head", "one head", dtype="float64", inputs=tensors("float32", (2,), 1, 3, 3, 50)),
    value("relu", "negative numbers cut off", activation="relu", dtype="float64",
          inputs=tensors("float32", (2,), 2, 3, 3, 60)),
    value("bare", "no biases", dtype="float64", **BARE, inputs=tensors("float64", (2,), 2, 3, 3, 70, biases=False)),
    value("wide", "32 hidden numbers, 12 heads: enough terms to show their order", dtype="float64", source=AUTHORS,
          inputs=tensors("float64", (), 12, 2, 2, 80, hidden=32)),
    value("tiny", "subnormal scores", dtype="float64", flags=("Subnormal",),
          inputs={**tensors("float64", (), 2, 2, 3, 90, biases=False), "scores": tiny("float64", (2, 2, 3), 91),
                  "bias": tiny("float64", (2, 2, 3), 92)}, **BARE),
    value("extreme", "the largest numbers, and sums beyond them", dtype="float32", **BARE,
          inputs={**tensors("float32", (), 2, 2, 2, 100, biases=False), "scores": extreme("float32", (2, 2, 2))}),
    value("infinite", "a masked score: its change is infinite or NaN, as a mask before the perceptron makes it",
          dtype="float64", inputs={**tensors("float64", (), 1, 1, 3, 110),
                                   "scores": listed((0.5, float("-inf"), 1.0), "float64", (1, 1, 3))}),
    value("cancelling", "a change that takes scores and bias away but for the order of the sums", dtype="float64",
          flags=("Cancellation",), **BARE,
          inputs={"scores": listed((1.0, 2.0**53), "float64", (1, 1, 2)),
                  "bias": listed((2.0**53, 1.0), "float64", (1, 1, 2)),
                  "weight_in": listed((1.0, 1.0), "float64", (1, 2)),
                  "weight_out": listed((-1.0,), "float64", (1, 1))}),
    value("empty", "no queries", dtype="float32", inputs=tensors("float32", (2,), 3, 0, 4, 120)),
    refused("bias-shape", "a bias of other keys", "E_SHAPE", "bias",
            inputs={**tensors("float32", (), 2, 2, 3, 1), "bias": scattered("float32", (2, 2, 4), 1)}),
    refused("weight-in", "as wide as there are heads: the bias is forgotten", "E_SHAPE", "weight_in",
            inputs={**tensors("float32", (), 2, 2, 3, 1), "weight_in": scattered("float32", (5, 2), 1)}),
    refused("weight-out", "one row for all heads", "E_SHAPE", "weight_out",
            inputs={**tensors("float32", (), 2, 2, 3, 1), "weight_out": scattered("float32", (1, 5), 1)}),
    refused("scores", "scores without heads", "E_SHAPE", "scores",
            inputs={**tensors("float32", (), 2, 2, 3, 1), "scores": scattered("float32", (2, 3), 1)}),
    refused("activation", "another activation", "E_CHOICE", "activation", activation="gelu",
            inputs=tensors("float32", (), 2, 2, 3, 1)),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="relu",
    float16="relu",
    bfloat16="relu",
)

# what tells a product with 0.01 from a quotient by 100
CASES += [
    value("hundredth-f64", "many negative numbers in float64 before the last line", dtype="float64", source=AUTHORS,
          inputs=tensors("float64", (2,), 3, 4, 4, 130, hidden=9, spread=0)),
]
