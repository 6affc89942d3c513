"""Golden cases of a table of vectors through a learned projection."""

from ...case import extreme, paper, project, scattered, suite, tiny
from ...telling_inputs import DTYPES, SHORT, narrow

value, refused = suite("project_table", paper("Dai et al. 2019, Transformer-XL, arXiv:1901.02860, section 3.3"))
FLAGS = ("FmaContraction", "HeadAxis", "NonSquare")


def arrays(rows, width, heads, dim, seed, dtype="float64", of="float64"):
    """A table and the matrices of its heads."""
    return {
        "table": scattered(of, (rows, width), seed, 0),
        "weight": scattered(dtype, (heads, dim, width), seed + 1, 0),
    }


CASES = [
    *[
        value(f"heads-{SHORT[dtype]}", f"2 heads, 5 rows, {dtype}", dtype=dtype, flags=(*FLAGS, *narrow(dtype)),
              inputs=arrays(5, 6, 2, 3, 10, dtype, dtype),
              source=project("transformers", "5.23.0", "models/xlnet/modeling_xlnet.py", "XLNetRelativeAttention"))
        for dtype in DTYPES
    ],
    *[
        value(f"{rows}-{width}-{heads}-{dim}", f"{rows} rows of {width}, {heads} heads of {dim}", flags=FLAGS,
              inputs=arrays(rows, width, heads, dim, 20 + rows, "float32"), dtype=dtype)
        for rows, width, heads, dim, dtype in (
            (1, 8, 3, 2, "float32"), (3, 1, 1, 5, "float64"), (7, 17, 3, 5, "float32"), (9, 32, 2, 4, "bfloat16"),
            (2, 12, 5, 1, "float16"))
    ],
    value("one-matrix", "one matrix for all heads", flags=FLAGS, inputs={
          "table": scattered("float64", (4, 5), 40, 0), "weight": scattered("float64", (3, 5), 41, 0)}),
    value("extreme", "infinities, NaN and the largest numbers", flags=FLAGS, inputs={
          "table": extreme("float64", (3, 4)), "weight": extreme("float64", (2, 2, 4))}),
    value("tiny", "subnormal numbers", flags=(*FLAGS, "Subnormal"), inputs={
          "table": tiny("float64", (3, 4), 42), "weight": scattered("float64", (2, 2, 4), 43, 0)}),
    value("no-rows", "no rows", inputs=arrays(0, 4, 2, 3, 44)),
    value("no-width", "a table of no channels: zeros", inputs=arrays(2, 0, 2, 3, 45)),
    value("no-heads", "no heads", inputs=arrays(2, 4, 0, 3, 46)),
    refused("width", "a matrix of another width", "E_SHAPE", "weight", inputs={
            "table": scattered("float64", (4, 5), 1), "weight": scattered("float64", (2, 5, 3), 1)}),
    refused("weight-axes", "a vector in place of a matrix", "E_SHAPE", "weight", inputs={
            "table": scattered("float64", (4, 5), 1), "weight": scattered("float64", (5,), 1)}),
    refused("table-axes", "a table with heads", "E_SHAPE", "table", inputs={
            "table": scattered("float64", (2, 4, 5), 1), "weight": scattered("float64", (2, 3, 5), 1)}),
]  # fmt: skip
