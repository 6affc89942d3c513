"""Golden cases of polar coordinate positional embedding."""

import math

from ...case import call, extreme, grid, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, FEW, SHORT, narrow
from .._formats import in_formats

value, refused = suite(
    "pope",
    paper("Gopalakrishnan et al. 2025, Decoupling the What and Where With Polar Coordinate Positional Embeddings,"
          " arXiv:2509.10534, section 3"),
)
POPE_PYTORCH = project("lucidrains/PoPE-pytorch", "0.0.15", "PoPE_pytorch/pope.py", "apply_pope_to_qk")
AXIAL = project("lucidrains/PoPE-pytorch", "0.0.15", "PoPE_pytorch/pope_nd.py", "AxialPoPE")
X_TRANSFORMERS = project("lucidrains/x-transformers", "2.26.4", "x_transformers/x_transformers.py",
                         "apply_polar_pos_emb")  # fmt: skip
LAYOUT = ("InterleavedVsHalf", "Endpoint")
FLAGS = ("NarrowAngle", "OffByOne", *LAYOUT)


def at(positions, x, shape=None, dtype="int64"):
    """The input tensors x and positions."""
    return {"x": x, "positions": listed(positions, dtype, shape)}


def learned(heads, dim, seed):
    """A bias of numbers between -8 and 8, of which those outside -2 pi .. 0 are brought back."""
    return {"bias": scattered("float32", (heads, dim), seed, 3)}


CASES = [
    # the code of projects
    value("x-transformers-queries", "x-transformers: queries", positions=5, pairing="half", source=X_TRANSFORMERS,
          inputs={"x": scattered("float32", (2, 5, 8), 1000)}, flags=(*FLAGS, "HeadAxis")),
    value("x-transformers-keys", "x-transformers: keys with their bias", positions=5, pairing="half", flags=FLAGS,
          inputs={"x": scattered("float32", (2, 5, 8), 1001), **learned(2, 8, 1002)}, source=X_TRANSFORMERS),
    value("pope-pytorch-queries", "PoPE-pytorch: queries of 64 channels", positions=3, pairing="interleaved",
          inputs={"x": scattered("float32", (1, 3, 64), 1003)}, flags=FLAGS, source=POPE_PYTORCH),
    value("pope-pytorch-keys", "PoPE-pytorch: keys with their bias", positions=3, pairing="interleaved", flags=FLAGS,
          inputs={"x": scattered("float32", (2, 3, 8), 1004), **learned(2, 8, 1005)}, source=POPE_PYTORCH),
    value("pope-pytorch-partial", "PoPE-pytorch: 4 of 6 channels, the others copied", positions=3,
          pairing="interleaved", frequencies=call("inverse_frequencies", dim=8, base=10000), source=POPE_PYTORCH,
          inputs={"x": scattered("float32", (2, 3, 6), 1006)}, flags=(*FLAGS, "PartialRotary")),
    value("axial-pope", "axial PoPE: 3 channels for rows, 2 for columns", positions=grid(2, 3), pairing="interleaved",
          frequencies=call("axial_frequencies", widths=[6, 4], base=10000), source=AXIAL,
          inputs={"x": scattered("float32", (1, 6, 5), 1007)}, flags=(*LAYOUT, "AxisOrder", "NonSquare")),
    # every format and pairing at telling positions
    *[
        value(f"telling-{pairing}-{SHORT[dtype]}", f"telling positions, pairing {pairing}, {dtype}", pairing=pairing,
              inputs=at(FEW, scattered(dtype, (len(FEW), 6), 1010 + k)),
              flags=(*FLAGS, "LongContextInteger", *narrow(dtype)))
        for k, (pairing, dtype) in enumerate((p, d) for p in ("interleaved", "half") for d in DTYPES)
    ],
    *[
        value(f"small-{SHORT[dtype]}", f"softplus far below 1, {dtype}", pairing="half", positions=4,
              inputs={"x": listed((-5.0, -9.5, -12.0, -17.5, -40.0, -90.0, -104.0, -745.0) * 2, dtype, (4, 4))},
              flags=("Subnormal", "OffByOne", *narrow(dtype)))
        for dtype in DTYPES
    ],
    value("large", "softplus that is nearly its argument", pairing="half", positions=3, flags=("OffByOne",),
          inputs={"x": listed((20.0, 20.5, 36.0, 37.0, 88.75, 512.0), "float32", (3, 2))}),
    *[
        value(f"extreme-{SHORT[dtype]}", f"the largest numbers of {dtype}, as they are", pairing="interleaved",
              magnitude="given", positions=3, inputs={"x": extreme(dtype, (3, 2))}, flags=("NarrowAngle",))
        for dtype in ("float64", "bfloat16")
    ],
    # parameters
    value("given", "the channels themselves as magnitudes", pairing="half", positions=4, magnitude="given",
          inputs={"x": scattered("float32", (4, 4), 1020)}, flags=FLAGS),
    value("bias-ends", "a bias at -2 pi, beyond it and above 0", pairing="half", positions=2, flags=("OffByOne",),
          inputs={"x": scattered("float64", (1, 2, 6), 1021),
                  "bias": listed((-2 * math.pi, math.nextafter(-2 * math.pi, -7), -6.25, -7.0, 0.5, -0.0), "float64",
                                 (1, 6))}),
    value("angle-zero", "a bias that takes the angle back to 0: position 1, frequency 1, bias -1", pairing="half",
          positions=3, flags=("Cancellation",),
          inputs={"x": scattered("float32", (1, 3, 2), 1022), "bias": listed((-1.0, -0.5), "float32", (1, 2))}),
    value("base-500000", "base 500000", pairing="half", positions=4, base=500000,
          inputs={"x": scattered("float32", (4, 4), 1023)}, flags=(*FLAGS, "Base")),
    value("yarn", "frequencies of YaRN with their factor", pairing="half", positions=3,
          frequencies=call("yarn", dim=8, base=10000, factor=4, original_max_position_embeddings=64),
          inputs={"x": scattered("float32", (3, 4), 1024)}, flags=(*FLAGS, "Scaling", "AttentionFactor")),
    value("batch", "positions (batch, seq)", pairing="half", flags=(*FLAGS, "HeadAxis"),
          inputs=at((0, 1, 2, 7, 8, 9), scattered("float32", (2, 1, 3, 4), 1025), (2, 1, 3))),
    value("fractional", "positions in quarters", pairing="interleaved", flags=("FractionalPosition",),
          inputs=at((0.0, 0.25, -1.5, 2.75), scattered("float64", (4, 4), 1026), dtype="float64")),
    refused("pairing", "a pairing that is no name", "E_CHOICE", "pairing", pairing="quarter", positions=2,
            inputs={"x": scattered("float32", (2, 4), 1)}),
    refused("magnitude", "a magnitude that is no name", "E_CHOICE", "magnitude", pairing="half", magnitude="exp",
            positions=2, inputs={"x": scattered("float32", (2, 4), 1)}),
    refused("bias-heads", "a bias of another number of heads", "E_SHAPE", "bias", pairing="half", positions=2,
            inputs={"x": scattered("float32", (2, 2, 4), 1), **learned(3, 4, 2)}),
    refused("bias-no-heads", "a bias where x has no heads", "E_SHAPE", "bias", pairing="half", positions=2,
            inputs={"x": scattered("float32", (2, 4), 1), **learned(1, 4, 2)}),
    refused("bias-nan", "a bias that is NaN", "E_NUMBER", "bias", pairing="half", positions=2,
            inputs={"x": scattered("float32", (1, 2, 1), 1), "bias": listed((float("nan"),), "float32", (1, 1))}),
    refused("frequencies", "more frequencies than channels", "E_SHAPE", "frequencies", pairing="half", positions=2,
            frequencies=call("inverse_frequencies", dim=10, base=10000), inputs={"x": scattered("float32", (2, 4), 1)}),
    refused("positions-long", "more positions than tokens", "E_SHAPE", "positions", pairing="half", positions=3,
            inputs={"x": scattered("float32", (2, 4), 1)}),
    refused("whole-numbers", "channels that are integers", "E_DTYPE", "x", pairing="half", positions=2,
            inputs={"x": listed((1, 2, 3, 4), "int64", (2, 2))}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="base-500000 yarn",
    float16="angle-zero extreme-f64 base-500000 yarn",
    bfloat16="base-500000 angle-zero yarn",
)
