"""Golden cases of the sinusoidal table with mean 0 and one standard deviation."""

from ...case import listed, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

PAPER = paper("Nie et al. 2023, A Time Series is Worth 64 Words, arXiv:2211.14730")
value, refused = suite("normalised_sinusoidal", PAPER)


def _hf(model, name):
    return project("transformers", "5.23.0", f"models/{model}/modeling_{model}.py", name)


PATCHTST = _hf("patchtst", "PatchTSTPositionalEncoding")
MIXER = _hf("patchtsmixer", "PatchTSMixerPositionalEncoding")

CASES = [
    *[
        value(f"patchtst-{SHORT[dtype]}", f"PatchTST: 42 patches, 16 channels, {dtype}", positions=42, dim=16,
              dtype=dtype, source=PATCHTST, flags=narrow(dtype))
        for dtype in DTYPES
    ],
    *[
        value(f"patchtsmixer-{SHORT[dtype]}", f"PatchTSMixer: 4 patches, 8 channels, {dtype}", positions=4, dim=8,
              dtype=dtype, source=MIXER, flags=narrow(dtype))
        for dtype in DTYPES
    ],
    value("two-rows", "two positions: a biased deviation, or one for each column, is far off", positions=2, dim=4,
          dtype="float64", source=PATCHTST),
    value("two-entries", "two entries: 0 and 1", positions=1, dim=2, dtype="float64"),
    value("odd-f64", "an odd width", positions=5, dim=7, dtype="float64", flags=("OddDimension",)),
    value("one-column", "sines alone", positions=6, dim=1, dtype="float64", flags=("OddDimension",)),
    value("long-f32", "positions past 2^24", dim=4, dtype="float32", flags=("LongContextInteger", "NarrowAngle"),
          inputs={"positions": listed([0, 65537, 2**24 + 1, 2**31 - 1])}),
    value("base-f64", "another base, positions in rows and columns", dim=6, base=100.0, dtype="float64",
          inputs={"positions": listed([0, 1, 2, 5, 7, 11], shape=(2, 3))}),
    value("fractions-f64", "positions between integers", dim=4, dtype="float64", flags=("FractionalPosition",),
          inputs={"positions": listed([0.5, -0.25, 3.75], "float64")}),
    value("tall-f64", "more rows than a block of sums", positions=300, dim=10, dtype="float64"),
    value("none", "no positions", positions=0, dim=4, dtype="float32"),
    value("equal-f64", "entries that are all equal: 0 / 0", dim=1, dtype="float64",
          inputs={"positions": listed([0, 0, 0])}),
    refused("one-entry", "one entry has no deviation", "E_SIZE", "positions", positions=1, dim=1),
    refused("dim-zero", "no channels", "E_SIZE", "dim", positions=3, dim=0),
    refused("base-negative", "a base below 0", "E_BASE", "base", positions=3, dim=4, base=-1.0),
    refused("position-nan", "a position that is NaN", "E_POSITION", "positions", dim=4,
            inputs={"positions": listed([float("nan"), 1.0], "float64")}),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="base-f64",
    float16="base-f64",
    bfloat16="base-f64",
)
