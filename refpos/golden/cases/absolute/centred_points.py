"""Golden cases of keypoints from the middle of their image."""

from ...case import call, fraction, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("centred_points", paper("Sarlin et al. 2020, SuperGlue, arXiv:1911.11763, section 3.1"))
SUPERGLUE = project("transformers", "5.23.0", "models/superglue/modeling_superglue.py", "normalize_keypoints")
LIGHTGLUE = project("transformers", "5.23.0", "models/lightglue/modeling_lightglue.py", "normalize_keypoints")
FLAGS = ("AxisOrder", "Centring")
SHARES = {"superglue": (fraction(7, 10), SUPERGLUE), "lightglue": (fraction(1, 2), LIGHTGLUE)}


def pixels(values, dtype="float64"):
    """Points as an input tensor."""
    return {"points": listed([value for row in values for value in row], dtype, (len(values), 2))}


FRAME = [[0.0, 0.0], [320.0, 240.0], [639.0, 479.0], [100.5, 7.25], [12.125, 333.0]]
CASES = [
    value("first-numbers", "the middle and a corner of 480 x 640", height=480, width=640, share=fraction(1, 2),
          inputs=pixels([[320.0, 240.0], [640.0, 0.0]]), flags=FLAGS),
    *[
        value(f"{name}-{SHORT[dtype]}", f"{name}: 480 x 640, {dtype}", height=480, width=640, share=share,
              dtype=dtype, inputs=pixels(FRAME), flags=(*FLAGS, "NonSquare", *narrow(dtype)), source=source)
        for name, (share, source) in SHARES.items() for dtype in DTYPES
    ],
    *[
        value(f"{name}-tall-{SHORT[dtype]}", f"{name}: a tall image of odd sides, {dtype}", height=641, width=333,
              share=share, dtype=dtype, inputs={"points": scattered("float32", (4, 2), 501, 9)},
              flags=(*FLAGS, "NonSquare", *narrow(dtype)), source=source)
        for name, (share, source) in SHARES.items() for dtype in ("float64", "float32")
    ],
    value("superglue-float", "0.7 as a float", height=480, width=640, share=0.7, inputs=pixels(FRAME),
          flags=(*FLAGS, "NonSquare"), source=SUPERGLUE),
    value("square", "a square of one pixel", height=1, width=1, share=1, inputs=pixels([[0.0, 0.0], [0.5, 1.0]]),
          flags=FLAGS),
    value("whole", "whole pixels", height=3, width=7, share=fraction(7, 10), inputs=pixels([[1, 2], [6, 0]], "int64"),
          flags=(*FLAGS, "NonSquare")),
    value("thirds", "fractions of pixels", height=3, width=7, share=fraction(1, 2),
          points=[call("listed", values=[fraction(1, 3), fraction(7, 2)]),
                  call("listed", values=[fraction(2, 3), fraction(3, 2)])], flags=(*FLAGS, "NonSquare")),
    value("batch", "two images of two points", height=480, width=640, share=fraction(7, 10),
          inputs={"points": listed([float(90 * n) for n in range(8)], "float64", (2, 2, 2))},
          flags=(*FLAGS, "NonSquare")),
    value("empty", "no points", height=2, width=2, share=1, inputs={"points": listed([], "float64", (0, 2))}),
    refused("height", "no rows of pixels", "E_SIZE", "height", height=0, width=2, share=1, inputs=pixels(FRAME)),
    refused("share", "share 0", "E_NUMBER", "share", height=2, width=2, share=0, inputs=pixels(FRAME)),
    refused("three", "points with a score", "E_SHAPE", "points", height=2, width=2, share=1,
            inputs={"points": listed([1.0, 2.0, 0.5], "float64", (1, 3))}),
    refused("nan", "a point that is NaN", "E_POSITION", "points", height=2, width=2, share=1,
            inputs=pixels([[float("nan"), 0.0]])),
]  # fmt: skip

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float32="superglue-float",
    float16="superglue-tall-f64 superglue-float",
    bfloat16="superglue-tall-f64 superglue-float",
)
