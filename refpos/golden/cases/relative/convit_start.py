"""Golden cases of the weights with which ConViT starts."""

from ...case import fraction, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

LEAST = 10  # a square and a factor are all there is
value, refused = suite("convit_start", paper("d'Ascoli et al. 2021, ConViT, arXiv:2103.10697, section 3"))
GPSA = project("timm", "1.0.31", "timm/models/convit.py", "GPSA.local_init")
FLAGS = ("AxisOrder", "Centring")

CASES = [
    *[
        value(f"{name}", f"{name}: {heads} heads", num_heads=heads, dtype="float32", source=GPSA, flags=FLAGS)
        for name, heads in (("tiny", 4), ("small", 9), ("base", 16), ("one", 1))
    ],
    *[
        value(f"strength-{SHORT[dtype]}", f"a strength that is no float, {dtype}", num_heads=9, dtype=dtype,
              strength=fraction(1, 10), flags=(*FLAGS, *narrow(dtype)))
        for dtype in DTYPES
    ],
    value("strength-zero", "a strength of 0: +0 everywhere", num_heads=4, strength=0, dtype="float64"),
    value("strength-negative", "heads that look away", num_heads=4, strength=-2.5, dtype="float64", flags=FLAGS),
    value("no-heads", "no heads", num_heads=0, dtype="float64"),
    refused("heads", "heads that are no square", "E_SIZE", "num_heads", num_heads=8),
    refused("strength", "no finite strength", "E_NUMBER", "strength", num_heads=4, strength=float("inf")),
]  # fmt: skip

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float16="tiny",
    bfloat16="tiny",
)
