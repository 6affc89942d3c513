"""Golden cases of sine and cosine of one period."""

from ...case import call, counting, fraction, listed, suite
from ...telling_inputs import DTYPES, SHORT, narrow

value, refused = suite("periodic", {"paper": "the formula"})
FLAGS = ("OffByOne",)
LATE = (2**24 + 1, 2**31 - 1, 2**31, 2**53 - 1, 2**53, -(2**53))

CASES = [
    *[
        value(f"hours-{SHORT[dtype]}", f"25 hours: hour 24 is hour 0, {dtype}", period=24, dtype=dtype,
              inputs={"x": counting(0, 25)}, flags=(*FLAGS, *narrow(dtype)))
        for dtype in DTYPES
    ],
    value("days", "days of the week, of which none but the first is exact", period=7, inputs={"x": counting(0, 8)},
          flags=FLAGS),
    value("months", "months: every one is a twelfth", period=12, inputs={"x": counting(-12, 25)}, flags=FLAGS),
    value("twelfths", "twelfths of a period that is not an integer", period=0.75, flags=("FractionalPosition",),
          inputs={"x": listed([k / 16 for k in range(-13, 14)], "float64")}),
    *[
        value(f"days-of-years-{SHORT[dtype]}", f"days of many years, {dtype}", period=365.25, dtype=dtype,
              inputs={"x": listed((0, 1, 59, 60, 365, 366, 1461, 36525, 146097))}, flags=(*FLAGS, *narrow(dtype)))
        for dtype in ("float64", "float32", "bfloat16")
    ],
    value("largest-value", "23 for 24: the last hour becomes the first", period=23, inputs={"x": counting(0, 24)},
          flags=FLAGS),
    *[
        value(f"late-{period}", f"hours far away, period {period}", period=period, inputs={"x": listed(LATE)},
              flags=("LongContextInteger", "LargeArgument"))
        for period in (24, 7)
    ],
    value("fractions", "fractions of an hour", period=24, flags=("FractionalPosition",),
          inputs={"x": listed([0.5, 6.25, 23.999, -0.1, 1e-30, 12.000000001], "float64")}),
    value("period-third", "a third as the period", period=fraction(1, 3), inputs={"x": counting(-4, 9)}, flags=FLAGS),
    value("period-tiny", "a period of 2**-40", period=2.0**-40, flags=("LargeArgument",),
          inputs={"x": listed([0.1, 1.0, 2.0**-41, 2.0**-42, 1e10], "float64")}),
    value("period-large-f16", "a period so long that sines are subnormal", period=1e7, dtype="float16",
          inputs={"x": counting(0, 6)}, flags=("Subnormal", "DoubleRounding")),
    value("exact-positions", "thirds of an hour", period=24, x=call("affine", size=9, step=fraction(1, 3)),
          flags=("FractionalPosition",)),
    value("grid", "x of shape (2, 3)", period=24, inputs={"x": listed((0, 1, 2, 21, 22, 23), shape=(2, 3))},
          flags=FLAGS),
    value("single", "one value", x=6, period=24, flags=FLAGS),
    value("none", "no values", period=24, inputs={"x": listed(())}),
    refused("period-zero", "period 0", "E_NUMBER", "period", x=1, period=0),
    refused("period-negative", "a period below 0", "E_NUMBER", "period", x=1, period=-24),
    refused("nan", "x that is no number", "E_POSITION", "x", period=24,
            inputs={"x": listed((float("nan"),), "float64")}),
    refused("large", "x beyond 2**53", "E_POSITION", "x", period=24, inputs={"x": listed((2**53 + 1,))}),
]  # fmt: skip
