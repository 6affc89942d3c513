"""Golden cases of patches of a spectrogram: their count, and which axis comes first."""

from ...case import listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT
from .._formats import in_formats

value, refused = suite("audio_patches", paper("Gong et al. 2021, AST, arXiv:2104.01778, section 2.1"))
AST = project("transformers", "5.23.0", "models/audio_spectrogram_transformer/"
              "modeling_audio_spectrogram_transformer.py", "ASTPatchEmbeddings")  # fmt: skip
FLAGS = ("AxisOrder", "NonSquare")
OUTER = ("frequency", "time")


def spectrogram(times, frequencies, seed=1, dtype="float32", lead=()):
    """Numbers of full precision, (times, frequencies)."""
    return {"spectrogram": scattered(dtype, (*lead, times, frequencies), seed)}


CASES = [
    *[
        value(f"ast-{times}x{frequencies}-{outer}", f"{times} times of {frequencies} frequencies, patches of 16, 10"
              f" apart, {outer} outer", outer=outer, inputs=spectrogram(times, frequencies, times), flags=FLAGS,
              source=AST)
        for times, frequencies in ((36, 26), (35, 16), (17, 25), (15, 40)) for outer in OUTER
    ],
    *[
        value(f"{slug}-{outer}", f"{about}, {outer} outer", outer=outer, size=size, stride=stride,
              inputs=spectrogram(9, 7, 5), flags=FLAGS)
        for slug, about, size, stride in (
            ("rectangles", "patches of 3 frequencies by 2 times, (2, 4) apart", [3, 2], [2, 4]),
            ("columns", "all frequencies of a time", [7, 1], 1), ("rows", "all times of a frequency", [1, 9], [1, 9]),
            ("apart", "patches that do not touch", 2, 3), ("cells", "patches of one cell", 1, 1))
        for outer in OUTER
    ],
    *[
        value(f"dtype-{SHORT[dtype]}", f"bits are copied, {dtype}", outer="frequency", size=2, stride=[1, 2],
              inputs=spectrogram(5, 4, 6, dtype), flags=FLAGS)
        for dtype in DTYPES
    ],
    value("batch", "spectrograms of shape (2, 1, 5, 6)", outer="frequency", size=3, stride=2,
          inputs=spectrogram(5, 6, 7, lead=(2, 1)), flags=FLAGS),
    value("specials", "zeros of both signs, infinity and NaN", outer="time", size=2, stride=1,
          inputs={"spectrogram": listed((0.0, -0.0, float("inf"), float("nan"), 1.0, -1.0), "float64", (2, 3))}),
    value("none", "no times", outer="time", size=2, stride=1, inputs=spectrogram(0, 3)),
    refused("outer", "an axis by its letter", "E_CHOICE", "outer", outer="f", inputs=spectrogram(3, 3)),
    refused("size", "patches of nothing", "E_SIZE", "size", outer="time", size=0, inputs=spectrogram(3, 3)),
    refused("stride", "patches that do not move on", "E_SIZE", "stride", outer="time", stride=[1, 0],
            inputs=spectrogram(3, 3)),
    refused("size-three", "three sizes", "E_SHAPE", "size", outer="time", size=[1, 2, 3], inputs=spectrogram(3, 3)),
    refused("line", "a signal in place of a spectrogram", "E_SHAPE", "spectrogram", outer="time",
            inputs={"spectrogram": scattered("float32", (32,), 8)}),
    refused("integers", "a spectrogram of integers", "E_DTYPE", "spectrogram", outer="time",
            inputs={"spectrogram": listed((1, 2, 3, 4), shape=(2, 2))}),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float64="rectangles-frequency",
    float16="rectangles-time apart-frequency",
    bfloat16="rectangles-time apart-frequency",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float64="cells-frequency",
    float16="cells-frequency",
    bfloat16="cells-frequency",
)

# conventions that no case above tells
CASES += [
    value("stride-left-out-f32", "patches 10 apart where no stride is given", outer="time", size=[2, 1],
          inputs=spectrogram(13, 3, 9), flags=FLAGS),
]

CASES += in_formats(
    CASES,
    float64="stride-left-out-f32 ast-17x25-frequency",
    float16="stride-left-out-f32 ast-17x25-frequency",
    bfloat16="stride-left-out-f32 ast-17x25-frequency",
)
