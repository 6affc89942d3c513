"""Golden cases of the tables of xPos."""

from ...case import call, listed, paper, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats
from .rope import frequencies
from .xpos import FEW, FLAGS, TORCHSCALE

value, refused = suite(
    "xpos_table", paper("Sun et al. 2022, A Length-Extrapolatable Transformer, arXiv:2212.10554, algorithm 1")
)


def _at(values, dtype="int64", shape=None):
    return {"positions": listed(values, dtype, shape)}


CASES = [
    *[
        value(f"torchscale-5-{who}-{SHORT[dtype]}", f"torchscale: 5 tokens, {who}, {dtype}", positions=5,
              frequencies=frequencies(64), centring="ceil", downscale=who == "keys", dtype=dtype,
              flags=(*FLAGS, "Centring", *narrow(dtype)), source=TORCHSCALE)
        for who in ("queries", "keys") for dtype in DTYPES
    ],
    *[
        value(f"telling-{centring}-{SHORT[dtype]}", f"telling positions, centre {centring}, {dtype}",
              frequencies=frequencies(8), centring=centring, dtype=dtype, inputs=_at(FEW),
              flags=(*FLAGS, "LongContextInteger", "SequenceLength", *narrow(dtype)))
        for centring in ("ceil", "floor") for dtype in DTYPES
    ],
    value("batch", "positions (2, 3)", frequencies=frequencies(4), centring="floor",
          inputs=_at((0, 1, 2, 7, 8, 9), shape=(2, 3)), flags=FLAGS),
    value("linear", "frequencies divided by 4", positions=6, centring="floor", flags=(*FLAGS, "Scaling"),
          frequencies={"function": "linear", "arguments": {"dim": 8, "factor": 4}}),
    refused("frequencies-none", "no frequencies", "E_NUMBER", "frequencies", positions=2, frequencies=None,
            centring="floor"),
    refused("centring-unknown", "a centre that is no name", "E_CHOICE", "centring", positions=2,
            frequencies=frequencies(4), centring=""),
    refused("positions-nan", "a position that is NaN", "E_POSITION", "positions", frequencies=frequencies(4),
            centring="floor", inputs=_at((float("nan"),), "float64")),
]

# what no other case tells apart
CASES += [
    *[
        value(f"small-{centring}-f32", f"small numbers, so that each of them moves the result, {centring}, in float32",
              positions=5, centring=centring, length=7, scale_base=2, gamma=0.25, dtype="float32",
              frequencies=call("inverse_frequencies", dim=8, base=10000))
        for centring in ("floor", "ceil")
    ],
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="small-floor-f32 small-ceil-f32",
    float16="small-floor-f32 small-ceil-f32",
    bfloat16="small-floor-f32 small-ceil-f32",
)

# a second value of numbers that all other cases have alike
CASES += [
    value("small-3-f32", "a length of 3, a scale_base of 3 and gamma 1/2, in float32", positions=5, centring="ceil",
          length=3, scale_base=3, gamma=0.5, dtype="float32",
          frequencies=call("inverse_frequencies", dim=6, base=100)),
]
CASES += in_formats(
    CASES,
    float64="small-3-f32",
    float16="small-3-f32",
    bfloat16="small-3-f32",
)
