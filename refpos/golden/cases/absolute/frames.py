"""Golden cases of frames of a signal: how many there are, and what stands in those at the ends."""

from ...case import listed, scattered, suite
from ...telling_inputs import DTYPES, SHORT
from .._formats import in_formats

value, refused = suite("frames", {"paper": "the formula: the framing of every short-time Fourier transform"})
FLAGS = ("OffByOne",)
PADDINGS = ("none", "end", "zeros", "reflect")


def signal(n, seed=1, dtype="float32", lead=()):
    """Samples of full precision."""
    return {"samples": scattered(dtype, (*lead, n), seed)}


CASES = [
    *[
        value(f"{n}-{padding}", f"{n} samples, frames of 16, 10 apart, padding {padding}", size=16, hop=10,
              padding=padding, inputs=signal(n, n), flags=FLAGS)
        for n in (15, 16, 17, 25, 26, 40) for padding in PADDINGS
    ],
    *[
        value(f"{slug}-{padding}", f"{about}, padding {padding}", size=size, hop=hop, padding=padding,
              inputs=signal(11, 7), flags=FLAGS)
        for slug, about, size, hop in (("odd", "frames of 5, 3 apart", 5, 3), ("apart", "frames of 2, 4 apart", 2, 4),
                                       ("every", "frames of 3 at every sample", 3, 1), ("one", "frames of 1", 1, 1))
        for padding in PADDINGS
    ],
    *[
        value(f"dtype-{SHORT[dtype]}", f"bits are copied, {dtype}", size=4, hop=3, padding="reflect",
              inputs=signal(10, 9, dtype))
        for dtype in DTYPES
    ],
    value("specials", "zeros of both signs, infinity and NaN", size=3, hop=2, padding="zeros",
          inputs={"samples": listed((0.0, -0.0, float("inf"), float("nan"), -1.0), "float64")}),
    value("batch", "two channels of two signals", size=4, hop=2, padding="end", inputs=signal(7, 10, lead=(2, 2)),
          flags=FLAGS),
    value("whisper", "25 ms of every 10 ms, in small: 400 of 160", size=400, hop=160, padding="reflect",
          inputs=signal(640, 11), flags=FLAGS),
    value("short-end", "one sample, padded to a frame", size=4, hop=4, padding="end", inputs=signal(1)),
    value("short-reflect", "as many samples as reflection needs", size=4, hop=1, padding="reflect", inputs=signal(3)),
    *[
        value(f"none-{padding}", f"no samples, padding {padding}", size=4, hop=2, padding=padding, inputs=signal(0))
        for padding in ("none", "end", "zeros")
    ],
    refused("reflect", "too few samples to reflect", "E_SIZE", "size", size=4, hop=1, padding="reflect",
            inputs=signal(2)),
    refused("size", "frames of no samples", "E_SIZE", "size", size=0, hop=1, padding="none", inputs=signal(4)),
    refused("hop", "frames that do not move on", "E_SIZE", "hop", size=2, hop=0, padding="none", inputs=signal(4)),
    refused("padding", "a padding that is not known", "E_CHOICE", "padding", size=2, hop=1, padding="center",
            inputs=signal(4)),
    refused("integers", "samples that are integers", "E_DTYPE", "samples", size=2, hop=1, padding="none",
            inputs={"samples": listed((1, 2, 3))}),
    refused("scalar", "one sample without an axis", "E_SHAPE", "samples", size=2, hop=1, padding="none",
            inputs={"samples": listed((1.0,), "float64", ())}),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float64="15-none odd-end",
    float16="specials 15-none odd-end",
    bfloat16="specials 15-none odd-end",
)
