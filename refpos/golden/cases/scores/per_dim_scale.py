"""Golden cases of the learned scale of each channel of the queries."""

from ...case import extreme, listed, project, scattered, suite, tiny
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

GEMMA = project("transformers", "5.23.0", "models/gemma3n/modeling_gemma3n.py", "Gemma3nAudioAttention")
LEAST = 10  # a vector and a width are all there is
value, refused = suite("per_dim_scale", GEMMA)
FLAGS = ("QueryKeyScale",)

CASES = [
    *[
        value(f"gemma3n-{SHORT[dtype]}", f"8 channels, {dtype}", dim=8, dtype=dtype, flags=(*FLAGS, *narrow(dtype)),
              inputs={"weight": scattered(dtype, (8,), 10 + n, n)})
        for n, dtype in enumerate(DTYPES)
    ],
    value("untrained", "zeros: the root of 12 alone", dim=12, inputs={"weight": listed((0.0, -0.0), "float32")},
          flags=FLAGS),
    value("exact", "zeros: 1/4", dim=16, inputs={"weight": listed((0.0,), "float64")}, flags=FLAGS),
    value("gemma4-keys", "ln(1 + e) / ln 2", dim=1, inputs={"weight": listed((1.0,), "float32")}, dtype="float32",
          flags=FLAGS, source=project("transformers", "5.23.0", "models/gemma4/modeling_gemma4.py",
                                      "Gemma4AudioAttention")),
    value("timesfm", "TimesFM: 80 channels", dim=80, inputs={"weight": scattered("float32", (80,), 20, 1)},
          dtype="float32", flags=FLAGS, source=project(
              "transformers", "5.23.0", "models/timesfm/modeling_timesfm.py", "TimesFmAttention")),
    value("far", "weights where the softplus is tiny or the weight", dim=3, flags=FLAGS,
          inputs={"weight": listed((-745.0, -700.0, -40.0, 40.0, 700.0), "float64")}),
    value("extreme", "infinities, NaN and the largest numbers", dim=5, flags=FLAGS,
          inputs={"weight": extreme("float32", (2, 4))}),
    value("tiny", "subnormal weights", dim=7, inputs={"weight": tiny("float64", (4,), 30)},
          flags=(*FLAGS, "Subnormal")),
    value("empty", "no channels", dim=4, inputs={"weight": listed((), "float64")}),
    refused("dim", "no width", "E_SIZE", "dim", dim=0, inputs={"weight": listed((0.0,), "float64")}),
    refused("integers", "integers", "E_DTYPE", "weight", dim=4, inputs={"weight": listed((0, 1))}),
]  # fmt: skip

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float16="extreme",
    bfloat16="extreme",
)
