"""Golden cases of the functional time encoding of TGAT."""

from ...case import call, fraction, listed, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

TGAT = project("StatsDLMathsRecomSys/Inductive-representation-learning-on-temporal-graphs", "66b2ccd", "module.py",
               "TimeEncode")  # fmt: skip
value, refused = suite("functional_time", TGAT)
FLAGS = ("Endpoint", "SineCosineOrder")
#: nothing, seconds to decades, and what 24, 31 and 53 bits hold
TIMES = (0, 1, 59, 3600, 86400, 2678373, 2**24 - 1, 2**24 + 1, 999999937, 2**31 - 1, 2**31, 2**53)

CASES = [
    *[
        value(f"{dim}-{SHORT[dtype]}", f"{dim} channels, seconds to decades, {dtype}", dim=dim, dtype=dtype,
              inputs={"times": listed(TIMES)}, flags=(*FLAGS, "LongContextInteger", "LargeArgument", *narrow(dtype)))
        for dim, dtype in (*((10, dtype) for dtype in DTYPES), (172, "float32"), (100, "float64"), (7, "bfloat16"))
    ],
    value("1", "one channel: frequency 1", dim=1, inputs={"times": listed(TIMES)}, flags=FLAGS),
    value("2", "the first and the last frequency", dim=2, inputs={"times": listed(TIMES)}, flags=FLAGS),
    value("4", "frequencies 1, 10**-3, 10**-6, 10**-9", dim=4, inputs={"times": listed(TIMES)}, flags=FLAGS),
    value("negative", "times before: cosines do not tell", dim=6, flags=FLAGS,
          inputs={"times": listed((-1, 1, -86400, 86400, -(2**31)))}),
    value("fractions", "fractions of a second", dim=6, flags=(*FLAGS, "FractionalPosition"),
          inputs={"times": listed([0.1, -0.25, 1e-9, 1234567.890625, 1.5e300], "float64")}),
    value("float32", "times as float32 keeps them", dim=6, flags=FLAGS, dtype="float32",
          inputs={"times": listed([16777216.0, 1e9, 0.125], "float32")}),
    *[
        value(f"base-{slug}", f"frequencies down to 1 / {base}", dim=5, base=base, inputs={"times": listed(TIMES[:8])},
              flags=(*FLAGS, "Base"))
        for slug, base in (("1e8", 10**8), ("1e4", 10**4), ("small", 0.001), ("1", 1))
    ],
    value("exact-positions", "thirds of a second", dim=4, times=call("affine", size=7, step=fraction(1, 3)),
          flags=(*FLAGS, "FractionalPosition")),
    value("batch", "times of shape (2, 1, 3)", dim=4, flags=FLAGS,
          inputs={"times": listed((0, 10, 100, 1000, 10000, 100000), shape=(2, 1, 3))}),
    value("single", "one time", times=1000, dim=4, flags=FLAGS),
    value("none", "no times", dim=4, inputs={"times": listed(())}),
    refused("dim", "no channels", "E_SIZE", "dim", times=1, dim=0),
    refused("base", "base 0", "E_BASE", "base", times=1, dim=4, base=0),
    refused("infinite", "an infinite time", "E_POSITION", "times", dim=4,
            inputs={"times": listed((float("inf"),), "float64")}),
    refused("large", "a time beyond 2**53", "E_POSITION", "times", times=2**53 + 1, dim=4),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="base-1e8",
    float16="base-1e8",
    bfloat16="base-1e8",
)
