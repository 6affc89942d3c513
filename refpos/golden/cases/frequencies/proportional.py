"""Golden cases of proportional rotation."""

from ...case import paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite(
    "proportional", paper("Barbero et al. 2024, Round and Round We Go, arXiv:2410.06205, section 6.1")
)
GEMMA = project("transformers", "5.23.0", "models/gemma4/configuration_gemma4.py")
FLAGS = ("PartialRotary", "Scaling")

CASES = [
    *[
        value(f"gemma-4-{SHORT[dtype]}",
              f"Gemma 4, full attention: a quarter of the pairs turns, base 1000000, {dtype}",
              dim=128, base=1000000, partial_rotary_factor=0.25, dtype=dtype, flags=(*FLAGS, "Base", *narrow(dtype)),
              source=GEMMA)
        for dtype in DTYPES
    ],
    value("all", "factor 1: every pair turns", dim=16, partial_rotary_factor=1, flags=FLAGS),
    value("none", "factor 0: no pair turns", dim=16, partial_rotary_factor=0, flags=FLAGS),
    value("odd-count", "0.3 of 20: 6 channels, 3 pairs", dim=20, partial_rotary_factor=0.3, flags=FLAGS),
    value("cut", "0.334 of 192: 64.1 channels, 32 pairs", dim=192, partial_rotary_factor=0.334, dtype="float32",
          flags=FLAGS),
    value("edge-below", "0.7 of 80: 56, though the float is below 0.7", dim=80, partial_rotary_factor=0.7,
          flags=("ScalingBoundary", *FLAGS)),
    value("edge-just-below", "the float before 0.7: 55.999..., 27 pairs", dim=80,
          partial_rotary_factor=0.6999999999999997, flags=("ScalingBoundary", *FLAGS)),
    value("divided", "the frequencies divided by 8", dim=16, base=1000000, partial_rotary_factor=0.5, factor=8,
          flags=FLAGS),
    refused("above-1", "more than the whole", "E_NUMBER", "partial_rotary_factor", dim=8, partial_rotary_factor=1.5),
    refused("negative", "less than nothing", "E_NUMBER", "partial_rotary_factor", dim=8, partial_rotary_factor=-0.5),
    refused("nan", "a share that is NaN", "E_NUMBER", "partial_rotary_factor", dim=8,
            partial_rotary_factor=float("nan")),
    refused("factor-zero", "factor 0", "E_NUMBER", "factor", dim=8, partial_rotary_factor=0.5, factor=0),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float32="divided edge-just-below",
    float16="divided",
    bfloat16="divided",
)

# what the cases of a format do not tell apart
CASES += in_formats(
    CASES,
    float32="edge-below",
    float16="edge-below edge-just-below odd-count",
    bfloat16="edge-below edge-just-below odd-count",
)
