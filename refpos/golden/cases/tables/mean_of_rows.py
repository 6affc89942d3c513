"""Golden cases of means of rows of a learned table."""

from ...case import listed, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .. import _absolute

LUKE = project("transformers", "5.23.0", "models/luke/modeling_luke.py", "LukeEntityEmbeddings")
value, refused = suite("mean_of_rows", LUKE)
FLAGS = ("OffByOne",)
#: the tokens of mentions: three, one, none, two that are not neighbours, five
SPANS = ((2, 3, 4, -1, -1), (7, -1, -1, -1, -1), (-1,) * 5, (9, -1, 2, -1, -1), (10, 11, 12, 13, 14))


def inputs(dtype, spans=SPANS, seed=300, positions=15, channels=4, shape=None):
    """A table and the rows of each span."""
    rows = listed(tuple(row for span in spans for row in span), shape=shape or (len(spans), len(spans[0])))
    return {"weight": scattered(dtype, (positions, channels), seed), "rows": rows}


def written(dtype, values, rows):
    """A table of one channel, written out, and one span."""
    return {"weight": listed(values, dtype, (len(values), 1)), "rows": listed(rows, shape=(1, len(rows)))}


CASES = [
    *[
        value(f"luke-{SHORT[dtype]}", f"LUKE: mentions of three tokens, one, none, two and five, {dtype}", dtype=dtype,
              inputs=inputs(dtype, seed=300 + k), flags=(*FLAGS, *narrow(dtype)))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"narrowed-{SHORT[dtype]}", f"a table of float64 as {dtype}: one rounding, not one of each row",
              dtype=dtype, inputs=inputs("float64", seed=305), flags=(*FLAGS, *narrow(dtype)))
        for dtype in DTYPES[1:]
    ],
    value("luke-30-f32", "LUKE: mentions of 30 and of 29 tokens", dtype="float32", flags=FLAGS,
          inputs=inputs("float32", (tuple(range(2, 32)), (*range(40, 11, -1), -1)), 309, 41, 3)),
    value("batch-f32", "entities of shape (2, 2)", dtype="float32", flags=FLAGS,
          inputs=inputs("float32", ((0, 1, -1), (2, 2, 3), (-1, -1, 4), (5, -1, 6)), 310, 7, 5, (2, 2, 3))),
    value("single-f64", "one span without an axis", dtype="float64", flags=FLAGS,
          inputs=inputs("float64", ((4, 1, 0),), 311, shape=(3,))),
    value("twice-f32", "a row that is named twice counts twice", dtype="float32", flags=FLAGS,
          inputs=inputs("float32", ((1, 1, 2), (1, 2, -1)), 312)),
    value("cancelled-f32", "numbers that cancel, and a small one stays", dtype="float32", flags=("Cancellation",),
          inputs=written("float32", (2.0**30, 1.0, -(2.0**30)), (0, 1, 2))),
    value("tie-f16", "a mean halfway between two float16", dtype="float16", flags=("DoubleRounding",),
          inputs=written("float16", (1.0, 1.0 + 2.0**-10), (0, 1))),
    value("large-f32", "a sum beyond float32, whose mean is not", dtype="float32", flags=("DoubleRounding",),
          inputs=written("float32", (3.0 * 2.0**126, 3.0 * 2.0**126), (0, 1))),
    value("small-f64", "a mean below the normal range", dtype="float64", flags=("Subnormal",),
          inputs=written("float64", (5e-324, 0.0, 5e-324, 1e-323), (0, 1, 2, 3))),
    value("zeros-f64", "zeros of both signs have the mean +0", dtype="float64", flags=("Subnormal",),
          inputs=written("float64", (-0.0, -0.0), (0, 1))),
    value("none", "no spans", dtype="float32", inputs=inputs("float32", (), 313, shape=(0, 3))),
    value("no-tokens", "spans without room for a row", dtype="float32",
          inputs=inputs("float32", (), 314, shape=(2, 0))),
    *_absolute.tables("mean_of_rows", value),
    refused("beyond", "a row beyond the table", "E_POSITION", "rows", inputs=inputs("float32", ((14, 15),))),
    refused("negative", "a row of -2", "E_POSITION", "rows", inputs=inputs("float32", ((0, -2),))),
    refused("floats", "rows that are floats", "E_DTYPE", "rows",
            inputs={"weight": scattered("float32", (4, 2), 1), "rows": listed((0.0, 1.0), "float64")}),
    refused("weight-vector", "a weight of one axis", "E_SHAPE", "weight",
            inputs={"weight": scattered("float32", (4,), 1), "rows": listed((0, 1))}),
    refused("scalar", "a row without a span", "E_SHAPE", "rows",
            inputs={"weight": scattered("float32", (4, 2), 1), "rows": listed((1,), shape=())}),
]  # fmt: skip
