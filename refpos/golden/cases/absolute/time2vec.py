"""Golden cases of Time2Vec: the exact sum before the sine, and the channel without one at either end."""

from ...case import call, fraction, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow

value, refused = suite("time2vec", paper("Kazemi et al. 2019, Time2Vec, arXiv:1907.05321, section 4"))
TGAT = project("StatsDLMathsRecomSys/Inductive-representation-learning-on-temporal-graphs", "66b2ccd", "module.py",
               "TimeEncode")  # fmt: skip
FLAGS = ("LargeArgument", "LongContextInteger")
TIMES = (0, 1, -1, 1000, 2**24 + 1, 999999937, 2**31 - 1, 2**31)


def given(t=None, k=6, seed=1, dtype="float32"):
    """Times, and learned weights and phases of full precision."""
    return {"t": listed(TIMES) if t is None else t, "weight": scattered(dtype, (k,), seed, 0),
            "phase": scattered(dtype, (k,), seed + 50, 2)}  # fmt: skip


def vectors(t, weight, phase):
    """The same, listed."""
    return {"t": listed(t, "float64"), "weight": listed(weight, "float64"), "phase": listed(phase, "float64")}


CASES = [
    *[
        value(f"{linear or 'alone'}-{kind}-{SHORT[dtype]}", f"linear {linear}, {kind}, {dtype}", linear=linear,
              kind=kind, dtype=dtype, inputs=given(seed=seed), flags=(*FLAGS, "SineCosineOrder", *narrow(dtype)))
        for seed, (linear, kind, dtype) in enumerate(
            [(linear, kind, dtype) for linear, kind in (("first", "sin"), ("last", "cos")) for dtype in DTYPES]
            + [("first", "cos", "float64"), ("last", "sin", "float32"), (None, "sin", "float64")])
    ],
    *[
        value(f"tgat-{SHORT[dtype]}", f"TGAT after training: cosines alone, {dtype}", linear=None, kind="cos",
              dtype=dtype, inputs=given(k=16, seed=31), flags=(*FLAGS, *narrow(dtype)), source=TGAT)
        for dtype in DTYPES
    ],
    value("float64-weights", "weights of 53 bits", linear="first", kind="sin", inputs=given(seed=41, dtype="float64"),
          flags=FLAGS),
    value("cancelling", "w t + p is 0, or nearly", linear="first", kind="sin", flags=("Cancellation",),
          inputs=vectors([10.0, 3.0, -7.0, 2.0**30], [0.1, 0.1, 1 / 3, 3.0],
                         [-1.0, -0.30000000000000004, 7 / 3, -0.1])),
    value("zero", "sums that are exactly 0: +0, and cosines of 1", linear="last", kind="cos",
          inputs=vectors([0.0, 2.0, -0.0], [0.5, -0.0, 1.5], [-1.0, 0.0, -3.0])),
    value("ties-f32", "sums halfway between two float32", linear="first", kind="sin", dtype="float32",
          flags=("DoubleRounding",),
          inputs=vectors([2.0**24 + 1, 2.0**24 + 3, 2.0**24 + 1 + 2.0**-28], [1.0, 2.0**-20], [0.0, 0.0])),
    value("ties-bf16", "sums halfway between two bfloat16, and just beside", linear="first", kind="sin",
          dtype="bfloat16", flags=("DoubleRounding",),
          inputs=vectors([257.0, 259.0, 257.0 + 2.0**-44, 257.0 - 2.0**-44], [1.0], [0.0])),
    value("subnormal", "products below the normal range", linear="first", kind="sin", flags=("Subnormal",),
          inputs=vectors([2.0**-40, 3.0, -(2.0**-1000)], [2.0**-1030, 2.0**-1060], [0.0, 2.0**-1074])),
    value("overflow-f16", "a linear channel beyond float16", linear="last", kind="sin", dtype="float16",
          inputs=vectors([65503.0, 65520.0, -70000.0], [1.0, 1.0], [0.0, 0.0]), flags=("DoubleRounding",)),
    value("huge", "angles of 10**300", linear=None, kind="sin", flags=("LargeArgument",),
          inputs=vectors([1e300, -1e200], [1.0, 0.1, 1e-290], [0.0, 0.5, 1.0])),
    value("linear-only", "one channel: no sine", linear="first", kind="sin", inputs=given(k=1)),
    value("wave-only", "one channel, a sine", linear=None, kind="sin", inputs=given(k=1)),
    value("exact-positions", "thirds of a day", linear="first", kind="sin",
          t=call("affine", size=6, step=fraction(1, 3)),
          inputs={"weight": scattered("float32", (3,), 42, 0), "phase": scattered("float32", (3,), 43, 0)},
          flags=("FractionalPosition",)),
    value("batch", "times of shape (2, 1, 3)", linear="last", kind="sin",
          inputs=given(listed(tuple(range(6)), shape=(2, 1, 3)), k=3)),
    value("single", "one time", t=1000, linear="first", kind="sin",
          inputs={"weight": scattered("float32", (3,), 44, 0), "phase": scattered("float32", (3,), 45, 0)}),
    value("none", "no times", linear="first", kind="sin", inputs=given(listed(()), k=2)),
    refused("phase", "a phase for another number of channels", "E_SHAPE", "phase", linear="first", kind="sin",
            inputs=vectors([1.0], [1.0, 2.0], [0.0])),
    refused("weight-shape", "a weight of two axes", "E_SHAPE", "weight", t=1, linear="first", kind="sin",
            inputs={"weight": listed((1.0,), "float64", (1, 1)), "phase": listed((0.0,), "float64")}),
    refused("weight-none", "no channels", "E_SHAPE", "weight", linear="first", kind="sin",
            inputs=vectors([1.0], [], [])),
    refused("weight-nan", "a weight that is no number", "E_NUMBER", "weight", linear="first", kind="sin",
            inputs=vectors([1.0], [float("nan")], [0.0])),
    refused("linear", "a place that is not known", "E_CHOICE", "linear", linear="middle", kind="sin",
            inputs=vectors([1.0], [1.0], [0.0])),
    refused("kind", "a function that is not known", "E_CHOICE", "kind", linear=None, kind="tan",
            inputs=vectors([1.0], [1.0], [0.0])),
    refused("infinite", "an infinite time", "E_POSITION", "t", linear=None, kind="sin",
            inputs=vectors([float("inf")], [1.0], [0.0])),
]  # fmt: skip
