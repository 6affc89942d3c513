"""Golden cases of learned vectors of frame, row and column over the size of their sum."""

from ...case import fraction, listed, paper, project, scattered, suite, tiny
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("cosmos_learnable", paper("NVIDIA 2025, Cosmos, arXiv:2501.03575, section 5.1"))
COSMOS = project("diffusers", "0.42.1", "models/transformers/transformer_cosmos.py", "CosmosLearnablePositionalEmbed")
FLAGS = ("AxisOrder", "NonSquare")


def weights(dtype, positions, channels, seed):
    """Three tables of one shape as an input tensor."""
    return {"weights": scattered(dtype, (3, positions, channels), seed, 1)}


CASES = [
    *[
        value(f"cosmos-{SHORT[dtype]}", f"2 x 3 x 5 cells, 6 channels, {dtype}", grid=[2, 3, 5], dtype=dtype,
              inputs=weights(dtype, 7, 6, 600 + k), flags=(*FLAGS, *narrow(dtype)), source=COSMOS)
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"grid-{'x'.join(map(str, grid))}-{SHORT[dtype]}", f"{grid} cells, {dtype}", grid=grid, dtype=dtype,
              inputs=weights(dtype, 8, 3, 610 + k), flags=(*FLAGS, *narrow(dtype)), source=COSMOS)
        for k, (grid, dtype) in enumerate(
            (([1, 1, 1], "float64"), ([4, 1, 2], "float64"), ([1, 8, 1], "float32"), ([3, 2, 1], "float16")))
    ],
    value("one-channel", "one channel: a sign over almost 1", grid=[2, 2, 2], dtype="float64",
          inputs=weights("float64", 2, 1, 620), flags=FLAGS),
    value("wide-f64", "33 channels: the order of the squares shows", grid=[2, 1, 2], dtype="float64",
          inputs=weights("float64", 2, 33, 621), flags=FLAGS),
    value("zero-row", "vectors of zeros stay zeros", grid=[1, 1, 2], dtype="float64", source=COSMOS,
          inputs={"weights": listed([0.0] * 8 + [0.0, 0.0, 1.0, -1.0], "float64", (3, 2, 2))}),
    value("cancelling-f64", "frame and row cancel first: the order of the sum shows", grid=[1, 1, 1], dtype="float64",
          flags=("Cancellation",),
          inputs={"weights": listed([1e16, 1.0, -1e16, 1.0, 0.5, 1e-8], "float64", (3, 1, 2))}),
    value("no-eps", "eps 0", grid=[1, 2, 2], eps=0, dtype="float64", inputs=weights("float64", 2, 4, 622)),
    value("eps-f32", "another eps", grid=[1, 2, 2], eps=fraction(1, 10), dtype="float32",
          inputs=weights("float32", 2, 4, 623)),
    value("tiny-f64", "squares that underflow: eps is all of the divisor", grid=[1, 2, 1], dtype="float64",
          flags=("Subnormal",), inputs={"weights": tiny("float64", (3, 2, 3), 624)}),
    value("narrowed-bf16", "tables of float32 as bfloat16", grid=[2, 2, 1], dtype="bfloat16",
          inputs=weights("float32", 3, 4, 625), flags=("DoubleRounding",)),
    value("empty", "no columns", grid=[2, 3, 0], dtype="float32", inputs=weights("float32", 3, 2, 626)),
    refused("beyond", "more rows than the table has", "E_POSITION", "grid", grid=[1, 3, 1],
            inputs=weights("float32", 2, 2, 1)),
    refused("two-sizes", "a grid without frames", "E_SHAPE", "grid", grid=[2, 2], inputs=weights("float32", 2, 2, 1)),
    refused("two-tables", "two tables", "E_SHAPE", "grid", grid=[2, 2, 1],
            inputs={"weights": scattered("float32", (2, 2, 2), 1)}),
    refused("eps-negative", "eps below 0", "E_NUMBER", "eps", grid=[1, 1, 1], eps=-1.0,
            inputs=weights("float32", 2, 2, 1)),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float64="eps-f32",
    float16="eps-f32",
    bfloat16="eps-f32",
)
