"""Golden cases of the tables of xPos."""

from ..case import listed, paper, suite
from ..probes import DTYPES, SHORT, narrow
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
