"""Golden cases of the gated attention of ConViT."""

from ...case import fraction, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("convit_attention", paper("d'Ascoli et al. 2021, ConViT, arXiv:2103.10697, section 3"))
GPSA = project("timm", "1.0.31", "timm/models/convit.py", "GPSA.get_attention")
FLAGS = ("AxisOrder", "BucketDirection", "NonSquare")
LOCAL = [-1.0, -1.0, -1.0, -1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0, 1.0, -1.0]


def arrays(dtype, shape, seed, *, keys=None, bias=True, gate=None, weight=None):
    """Queries, keys, weights, biases and gates as input tensors; shape: (..., heads, cells, dim)."""
    heads = shape[-3]
    places = (heads, 3)
    tensors = {
        "q": scattered(dtype, shape, seed, 1),
        "k": scattered(dtype, keys or shape, seed + 1, 1),
        "weight": scattered(dtype, places, seed + 2, 0) if weight is None else listed(weight, "float32", places),
        "gate": scattered(dtype, (heads,), seed + 4, 1) if gate is None else listed(gate, "float64"),
    }
    return {**tensors, "bias": scattered(dtype, (heads,), seed + 3, 0)} if bias else tensors


CASES = [
    *[
        value(f"rectangle-{SHORT[dtype]}", f"3 x 5 cells, two heads, {dtype}", height=3, width=5, dtype=dtype,
              inputs=arrays("float32", (2, 15, 4), 2100), flags=(*FLAGS, *narrow(dtype)), source=GPSA)
        for dtype in DTYPES
    ],
    value("local-f32", "the weights of the start: each head looks at one corner", height=4, width=4, dtype="float32",
          inputs=arrays("float32", (4, 16, 2), 2106, gate=[1.0, 1.0, 1.0, 1.0], weight=LOCAL), flags=FLAGS,
          source=GPSA),
    value("local-sure-f64", "the same with gates that leave the place alone", height=2, width=3, dtype="float64",
          inputs=arrays("float64", (4, 6, 2), 2112, gate=[40.0, 50.0, 800.0, 1e4], weight=LOCAL), flags=FLAGS),
    value("gate-zero-f64", "gates of 0: half and half", height=3, width=3, dtype="float64", source=GPSA,
          inputs=arrays("float64", (2, 9, 3), 2118, gate=[0.0, -0.0]), flags=FLAGS),
    value("gate-closed-f64", "gates that leave the content alone", height=2, width=3, dtype="float64",
          inputs=arrays("float64", (2, 6, 3), 2124, gate=[-40.0, -800.0]), flags=FLAGS),
    value("row-f64", "one row of cells: y is 0", height=1, width=6, dtype="float64",
          inputs=arrays("float64", (3, 6, 2), 2130), flags=FLAGS),
    value("column-f64", "one column of cells: x is 0", height=6, width=1, dtype="float64",
          inputs=arrays("float64", (3, 6, 2), 2136), flags=FLAGS),
    value("scale-f64", "another scale", height=2, width=3, scale=fraction(1, 10), dtype="float64",
          inputs=arrays("float64", (2, 6, 5), 2142), flags=("QueryKeyScale",)),
    value("images-f32", "two images", height=2, width=3, dtype="float32",
          inputs=arrays("float32", (2, 2, 6, 3), 2148), flags=FLAGS),
    value("grouped-f64", "four heads of queries, two of keys", height=2, width=2, dtype="float64",
          inputs=arrays("float64", (4, 4, 3), 2154, keys=(2, 4, 3)), flags=FLAGS),
    value("no-bias-f64", "no biases", height=3, width=2, dtype="float64", bias=None,
          inputs=arrays("float64", (2, 6, 3), 2160, bias=False), flags=FLAGS),
    value("bfloat16-arrays", "arrays of bfloat16", height=2, width=3, dtype="bfloat16", bias=None,
          inputs={"q": scattered("bfloat16", (1, 6, 4), 2166, 1), "k": scattered("bfloat16", (1, 6, 4), 2167, 1),
                  "weight": scattered("bfloat16", (1, 3), 2168, 0), "gate": scattered("bfloat16", (1,), 2169, 0)},
          flags=(*FLAGS, *narrow("bfloat16"))),
    value("one", "one cell: 1 by 1", height=1, width=1, dtype="float64", inputs=arrays("float64", (1, 1, 1), 2172)),
    value("no-channels", "no channels: content is even", height=2, width=2, dtype="float64",
          inputs=arrays("float64", (1, 4, 0), 2178), flags=FLAGS),
    value("no-images", "no images", height=2, width=2, dtype="float32", inputs=arrays("float32", (0, 2, 4, 3), 2184)),
    value("far-f64", "places so far that their exponentials are 0", height=1, width=40, dtype="float64",
          inputs=arrays("float64", (1, 40, 1), 2190, weight=[0.0, 0.0, -1.0]), flags=("Subnormal",)),
    refused("cells", "queries of another image", "E_SHAPE", "q", height=3, width=5,
            inputs=arrays("float32", (2, 14, 4), 1)),
    refused("keys", "fewer keys than cells", "E_SHAPE", "k", height=3, width=5,
            inputs=arrays("float32", (2, 15, 4), 1, keys=(2, 14, 4))),
    refused("weight", "weights of two coordinates", "E_SHAPE", "weight", height=1, width=1, bias=None,
            inputs={"q": scattered("float32", (1, 1, 1), 1), "k": scattered("float32", (1, 1, 1), 1),
                    "weight": scattered("float32", (1, 2), 1), "gate": scattered("float32", (1,), 1)}),
    refused("gate", "a gate too few", "E_SHAPE", "gate", height=2, width=2,
            inputs=arrays("float32", (2, 4, 4), 1, gate=[1.0])),
    refused("height", "no cells", "E_SIZE", "height", height=0, width=5, inputs=arrays("float32", (2, 0, 4), 1)),
    refused("heads", "heads that the heads of keys do not divide", "E_SHAPE", "k", height=2, width=2,
            inputs=arrays("float32", (3, 4, 4), 1, keys=(2, 4, 4))),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="scale-f64",
    float16="scale-f64",
    bfloat16="scale-f64",
)
