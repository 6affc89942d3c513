"""Golden cases of the gradient of FIRE, for its lines, c and the threshold: sums in a fixed order."""

from ...case import extreme, fraction, listed, paper, scattered, suite, tiny
from ...telling_inputs import DTYPES
from .._gradients import cotangents_refused, in_each, numbers, special, whole

value, refused = suite("vjp_fire", paper("Li et al. 2024, FIRE, arXiv:2310.04418, section 3.2"))
START = {"c": 0.1, "length": 512, "eps": 1e-6, "mode": "symmetric", "activation": "relu"}
BARE = {"bias_in": None, "bias_out": None}
HIDDEN, HEADS = 4, 2


def lines(seed, hidden=HIDDEN, heads=HEADS, biases=True):
    """Both lines as rules of a dtype."""
    shapes = {"weight_in": ((hidden, 1), 2), "weight_out": ((heads, hidden), 0)}
    if biases:
        shapes |= {"bias_in": ((hidden,), 0), "bias_out": ((heads,), 0)}
    return {
        name: lambda dtype, k=k, shape=shape, spread=spread: scattered(dtype, shape, seed + k, spread)
        for k, (name, (shape, spread)) in enumerate(shapes.items())
    }


def each(slug, about, inputs, flags=(), **call):
    """The case with a result of each format."""
    return [
        case
        for dtype in DTYPES
        for case in in_each(value, slug, about, inputs, dtype=dtype, dtypes=(dtype,), flags=flags, **{**START, **call})
    ]


FIVE, UNEQUAL = {"query_positions": 5, "key_positions": 5}, ("UnequalLengths",)
CASES = [
    *each("symmetric", "symmetric, relu", {**lines(700), "cotangent": (HEADS, 5, 5)}, **FIVE, flags=("OffByOne",)),
    *each("clipped", "clipped, relu, a short threshold", {**lines(710), "cotangent": (HEADS, 5, 5)}, **FIVE,
          mode="clipped", length=2.5, flags=("OffByOne",)),
    *each("leaky", "leaky_relu, more keys than queries", {**lines(720), "cotangent": (HEADS, 3, 6)},
          query_positions=3, key_positions=6, activation="leaky_relu", c=0.75, length=1.5, flags=UNEQUAL),
    *each("leaky-clipped", "leaky_relu, clipped, c and the threshold below 0", {
          **lines(730), "cotangent": (HEADS, 4, 4)}, query_positions=4, key_positions=4, activation="leaky_relu",
          mode="clipped", c=-0.25, length=-2.5),
    *each("tie", "the threshold is one of the positions, whose slope is divided", {
          **lines(740), "cotangent": (HEADS, 5, 5)}, **FIVE, length=2, c=fraction(1, 3)),
    *each("no-biases", "without biases, eps 0.5", {**lines(750, biases=False), "cotangent": (HEADS, 3, 4)}, **BARE,
          query_positions=3, key_positions=4, eps=0.5, length=1.5, flags=UNEQUAL),
    *each("not-finite", "infinities and NaN", {**lines(760), "cotangent": special(HEADS, 3, 4)}, query_positions=3,
          key_positions=4, length=1.5, flags=UNEQUAL),
    *each("extreme", "the largest cotangents", {**lines(770), "cotangent": lambda dtype: extreme(dtype, (HEADS, 4, 4))},
          query_positions=4, key_positions=4, length=1.5),
    *each("subnormal", "the smallest cotangents", {
          **lines(780), "cotangent": lambda dtype: tiny(dtype, (HEADS, 4, 4), 3)}, query_positions=4,
          key_positions=4, length=1.5, flags=("Subnormal",)),
    *each("step", "one query behind a cache of 6 keys", {
          "query_positions": whole(6), "key_positions": whole(*range(7)), **lines(790), "cotangent": (HEADS, 1, 7)},
          length=4, flags=UNEQUAL),
    *each("drawn", "positions that were drawn, one of them twice, far beyond the threshold", {
          "query_positions": whole(1, 4, 4, 2**24 + 1), "key_positions": whole(1, 4, 4, 2**24 + 1), **lines(800),
          "cotangent": (HEADS, 4, 4)}, length=8, flags=("LongContextInteger",)),
    *each("kinks", "hidden numbers that are 0 have the slope of those below", {
          "weight_in": numbers(1.0, -1.0, 0.0, shape=(3,)), "bias_in": numbers(0.0, 0.0, 0.0),
          "weight_out": numbers(1.0, 0.5, -2.0, shape=(1, 3)), "bias_out": numbers(0.25), "cotangent": (1, 3, 3)},
          query_positions=3, key_positions=3, activation="leaky_relu", mode="clipped", length=1.5),
]  # fmt: skip
CASES += [
    *each("no-divisor", "0 / 0 of the first query: NaN", {**lines(810), "cotangent": (HEADS, 2, 2)},
          query_positions=2, key_positions=2, length=0, eps=0, mode="clipped"),
    *each("c-zero", "c 0: everything is 0", {**lines(820), "cotangent": (HEADS, 2, 3)}, query_positions=2,
          key_positions=3, c=0, eps=1e-3, flags=UNEQUAL),
    value("no-keys", "no keys", dtype="float32", query_positions=2, key_positions=0, **START,
          inputs={**{name: rule("float32") for name, rule in lines(830).items()},
                  "cotangent": scattered("float32", (HEADS, 2, 0), 1)}),
    value("no-hidden", "no hidden units", dtype="float32", query_positions=2, key_positions=2, **START, bias_in=None,
          inputs={"weight_in": listed([], "float32", (0, 1)), "weight_out": listed([], "float32", (1, 0)),
                  "bias_out": listed([0.5], "float32"), "cotangent": scattered("float32", (1, 2, 2), 2)}),
    value("one-unit", "one unit, one head, one pair", dtype="float64", query_positions=1, key_positions=1, **START,
          inputs={"weight_in": listed([1.5], "float64"), "bias_in": listed([0.25], "float64"),
                  "weight_out": listed([-2.0], "float64", (1, 1)), "bias_out": listed([1.0], "float64"),
                  "cotangent": listed([3.0], "float64", (1, 1, 1))}),
    *cotangents_refused(refused, "weight_in", (4,), (2, 3, 4), inputs={"weight_out": (2, 4)}, dtype="float32", **BARE,
                        **START, query_positions=3, key_positions=4),
    refused("mode", "an unknown mode", "E_CHOICE", "mode", **{**START, "mode": "causal"}, **BARE, query_positions=1,
            key_positions=1, inputs={"weight_in": listed([1.0], "float64"),
                                     "weight_out": listed([1.0], "float64", (1, 1)),
                                     "cotangent": listed([1.0], "float64", (1, 1, 1))}),
    refused("eps", "an eps below 0", "E_NUMBER", "eps", **{**START, "eps": -1}, **BARE, query_positions=1,
            key_positions=1, inputs={"weight_in": listed([1.0], "float64"),
                                     "weight_out": listed([1.0], "float64", (1, 1)),
                                     "cotangent": listed([1.0], "float64", (1, 1, 1))}),
]  # fmt: skip

# what shows the order of sums with three terms and more
CASES += in_each(value, "sums", "4 heads, 6 queries, 5 keys, a fraction for c", {
    **lines(790, heads=4), "cotangent": (4, 6, 5)}, dtype="float64", dtypes=("float64",), query_positions=6,
    key_positions=5, **{**START, "c": fraction(1, 7), "length": 3.5}, flags=UNEQUAL)

# what tells a quotient by |c| d + 1 from a product with the inverse
CASES += in_each(value, "quotient", "one query, one key: 10 / (1.3 * 10 + 1)", {
    "weight_in": numbers(1.5, shape=(1, 1)), "weight_out": numbers(0.75, shape=(1, 1)),
    "cotangent": numbers(1.25, shape=(1, 1, 1)), "query_positions": whole(11), "key_positions": whole(1)}, **BARE,
    **{**START, "c": 1.3, "length": 2, "eps": 0, "mode": "clipped"}, dtype="float64", dtypes=("float64",))  # fmt: skip
