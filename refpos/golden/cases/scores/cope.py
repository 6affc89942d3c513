"""Golden cases of CoPE."""

from ...case import listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("cope", paper("Golovneva et al. 2024, CoPE, arXiv:2405.18719, section 4"))
XT = project("x-transformers", "2.31.10", "x_transformers/x_transformers.py", "CoPE")
RAM = project("facebookresearch/RAM", "e6f051fbcfaef4cab69bf2ea1b25f500f94c0c64",
              "projects/cope/src/cope/context_position.py", "ContextPosSelfAttn")
INFINITY = float("inf")


def tensors(dtype, lead, queries, keys, dim, rows, seed, spread=2):
    """Scores, queries and the table as input tensors."""
    return {"scores": scattered(dtype, (*lead, queries, keys), seed, spread),
            "q": scattered(dtype, (*lead, queries, dim), seed + 1, 1),
            "weight": scattered(dtype, (rows, dim), seed + 2, 1)}


def causal(queries, keys):
    """A causal mask, the last query at the last key."""
    counts = [int(j <= i + keys - queries) for i in range(queries) for j in range(keys)]
    return {"mask": listed(counts, shape=(queries, keys))}


def written_out(scores, mask=None, rows=(0.0, 1.0, 10.0, 100.0), q=1.0):
    """One query of width 1, whose scores are written out."""
    found = {"scores": listed(scores, "float64", (1, len(scores))), "q": listed((q,), "float64", (1, 1)),
             "weight": listed(rows, "float64", (len(rows), 1))}
    return found if mask is None else {**found, "mask": listed(mask, shape=(len(mask),))}


CASES = [
    *[
        value(f"{name}-{queries}x{keys}-{SHORT[dtype]}", f"{name}: {queries} queries, {keys} keys, causal, {dtype}",
              scale=scale, dtype=dtype, source=source, flags=("QueryKeyScale", *flags, *narrow(dtype)),
              inputs={**tensors(held, (2,), queries, keys, dim, rows, 10 * k), **causal(queries, keys)})
        for k, (name, source, scale, queries, keys, dim, rows, flags) in enumerate((
            ("x-transformers", XT, 1, 5, 5, 4, 16, ()), ("ram", RAM, None, 6, 6, 3, 7, ()),
            ("x-transformers", XT, 1, 3, 7, 4, 3, ("UnequalLengths",)),
        ))
        for dtype, held in zip(DTYPES, ("float64", "float32", "float32", "bfloat16"))
    ],
    value("all-keys", "no mask: gates of later keys count too", scale=1, dtype="float64",
          inputs=tensors("float32", (1, 2), 3, 4, 2, 5, 40)),
    value("clamped", "more gates than rows: the last row for all that is beyond", scale=1, dtype="float64",
          inputs=tensors("float64", (), 2, 9, 2, 3, 50, 4)),
    value("one-row", "a table of one row: its product for all", scale=2.5, dtype="float64",
          inputs=tensors("float64", (2,), 2, 3, 4, 1, 60)),
    value("whole", "gates of 1/2 and of 1: whole positions are rows themselves", scale=1, dtype="float64",
          flags=("OffByOne",), inputs=written_out((0.0, 0.0, 800.0, 0.0, 0.0))),
    value("masked", "masked keys in between, and a score of -infinity", scale=1, dtype="float64",
          flags=("OffByOne",), inputs=written_out((1.0, 2.0, -INFINITY, 0.5, 3.0), (1, 0, 1, 1, 0))),
    value("none-counts", "a row where no key counts: position 0", scale=1, dtype="float64",
          inputs=written_out((1.0, 2.0), (0, 0), (7.0, 1.0))),
    value("small-gates", "gates far below 1", scale=1, dtype="float64",
          inputs=written_out((-40.0, -700.0, -30.0, -745.0))),
    value("nan", "a score that is NaN: all keys up to it", scale=1, dtype="float64",
          inputs=written_out((0.5, float("nan"), 0.25))),
    value("order", "gates whose sum depends on its order", scale=1, dtype="float64", flags=("Cancellation",),
          inputs=written_out((0.3, -37.0, 1.7, -36.5, -0.4, 2.2, -38.0, 0.9))),
    value("scale", "a scale that is no power of two", scale=0.3, dtype="float32",
          inputs=tensors("float32", (2,), 2, 3, 5, 4, 70)),
    value("empty", "no keys", scale=1, dtype="float32", inputs=tensors("float32", (2,), 3, 0, 4, 5, 80)),
    refused("q-shape", "other queries than those of the scores", "E_SHAPE", "q", scale=1,
            inputs={**tensors("float32", (2,), 3, 3, 4, 5, 1), "q": scattered("float32", (2, 2, 4), 1)}),
    refused("weight-shape", "a table as the authors have it, transposed", "E_SHAPE", "weight", scale=1,
            inputs={**tensors("float32", (2,), 3, 3, 4, 5, 1), "weight": scattered("float32", (4, 5), 1)}),
    refused("no-rows", "a table without rows", "E_SHAPE", "weight", scale=1,
            inputs=tensors("float32", (2,), 3, 3, 4, 0, 1)),
    refused("mask-shape", "a mask of other queries", "E_SHAPE", "mask", scale=1,
            inputs={**tensors("float32", (2,), 3, 3, 4, 5, 1), **causal(2, 3)}),
    refused("scale", "a scale that is no number", "E_NUMBER", "scale", scale="dim",
            inputs=tensors("float32", (2,), 3, 3, 4, 5, 1)),
]  # fmt: skip

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float16="one-row",
    bfloat16="one-row",
)

# what the cases of a format do not tell apart
CASES += in_formats(
    CASES,
    float64="scale",
    float16="scale",
    bfloat16="scale",
)
