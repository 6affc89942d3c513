"""Golden cases of the factors of xPos."""

from ...case import listed, paper, suite
from ...telling_inputs import DTYPES, POSITIONS, SHORT, narrow
from .._formats import in_formats
from .xpos import LUCIDRAINS, TORCHSCALE

value, refused = suite(
    "xpos_scale", paper("Sun et al. 2022, A Length-Extrapolatable Transformer, arXiv:2212.10554, algorithm 1")
)
FLAGS = ("Centring", "OffByOne", "QueryKeyScale", "SequenceLength")


def _at(values, dtype="int64", shape=None):
    return {"positions": listed(values, dtype, shape)}


CASES = [
    *[
        value(f"torchscale-{n}-{SHORT[dtype]}", f"torchscale: {n} tokens, heads of 64 channels, {dtype}", positions=n,
              dim=64, centring="ceil", dtype=dtype, flags=(*FLAGS, *narrow(dtype)), source=TORCHSCALE)
        for n in (4, 5) for dtype in DTYPES
    ],
    *[
        value(f"lucidrains-{n}", f"lucidrains: {n} tokens", positions=n, dim=64, centring="floor", flags=FLAGS,
              source=LUCIDRAINS)
        for n in (4, 5)
    ],
    *[
        value(f"telling-{who}-{SHORT[dtype]}", f"telling positions, {who}, {dtype}", dim=6, centring="ceil",
              length=131072, downscale=who == "keys", dtype=dtype, inputs=_at(POSITIONS),
              flags=(*FLAGS, "LongContextInteger", "Subnormal", *narrow(dtype)))
        for who in ("queries", "keys") for dtype in DTYPES
    ],
    value("paper", "not centred: length 0", dim=8, centring="floor", length=0, inputs=_at((0, 1, 511, 512, 513, 1024)),
          flags=FLAGS),
    value("rational", "powers of two: gamma 1, scale base 2", dim=4, centring="floor", gamma=1, scale_base=2,
          inputs=_at((0, 1, 2, 3, 4, 10)), flags=FLAGS),
    value("gamma-float", "gamma the float64 next to 2/5", positions=5, dim=8, centring="ceil", gamma=0.4, flags=FLAGS),
    value("negative", "positions before the first", dim=8, centring="ceil", inputs=_at((-512, -1, 0)), flags=FLAGS),
    value("fractional", "positions in quarters", dim=8, centring="ceil", inputs=_at((0.25, 1.5, 2.75), "float64"),
          flags=(*FLAGS, "FractionalPosition")),
    value("batch", "positions (2, 3)", dim=4, centring="floor", inputs=_at((0, 1, 2, 7, 8, 9), shape=(2, 3)),
          flags=FLAGS),
    value("empty", "no positions", positions=0, dim=4, centring="floor"),
    refused("width-odd", "an odd width", "E_ODD_DIM", "dim", positions=2, dim=5, centring="floor"),
    refused("centring-unknown", "a centre that is no name", "E_CHOICE", "centring", positions=2, dim=4,
            centring="round"),
    refused("positions-far", "a position beyond 2**53", "E_POSITION", "positions", dim=4, centring="floor",
            inputs=_at((2.0**54,), "float64")),
    refused("positions-nan", "a position that is NaN", "E_POSITION", "positions", dim=4, centring="floor",
            inputs=_at((float("nan"),), "float64")),
    refused("dtype", "integers as the result", "E_DTYPE", "dtype", positions=2, dim=4, centring="floor", dtype="int32"),
]

# what no other case tells apart
CASES += [
    *[
        value(f"small-{centring}-f32", f"small numbers, so that each of them moves the result, {centring}, in float32",
              positions=5, centring=centring, length=7, scale_base=2, gamma=0.25, dim=8, dtype="float32")
        for centring in ("floor", "ceil")
    ],
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="small-ceil-f32",
    float16="rational small-ceil-f32",
    bfloat16="small-floor-f32 small-ceil-f32",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float32="rational",
    bfloat16="rational",
)
