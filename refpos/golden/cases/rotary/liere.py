"""Golden cases of rotations by the exponential of generators."""

from ...case import call, extreme, fraction, grid, listed, paper, project, scattered, skew, suite, tiny
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite(
    "liere",
    paper("Ostmeier et al. 2024, LieRE: Lie Rotational Positional Encodings, arXiv:2406.10322, section 4"),
)
FLAGS = ("AxisOrder", "NonSquare", "HeadAxis", "Inverse")
LIERE = project("StanfordMIMI/LieRE", "b27b41b", "models/rope_vit.py", "FlexibleAttention")
#: turns of the first two and of the last two of three channels: they do not commute
EVEN = (0, -1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 1, 0)
TURN = (0.0, -0.75, 0.0, 0.75, 0.0, 0.0, 0.0, 0.0, 0.0)


def tensors(tokens, heads, blocks, n, seed, *, axes=2, own=None, dtype="float32", kind="float32", width=None, spread=0):
    """The input tensors x (heads, tokens, width) and generators (axes, own, blocks, n, n)."""
    return {
        "x": scattered(dtype, (heads, tokens, width or blocks * n), seed),
        "generators": skew(kind, (axes, own or heads, blocks, n, n), seed + 1, spread),
    }


def along(steps, expected):
    """The coordinates of LieRE along one axis: 0 .. steps / expected, both ends included."""
    return call("linspace", start=0, stop=fraction(steps, expected), size=steps, endpoint=True)


CASES = [
    *[
        value(f"2x3-{SHORT[dtype]}", f"2 x 3 cells, 2 heads of 2 blocks of 4, {dtype}", positions=grid(2, 3),
              inputs=tensors(6, 2, 2, 4, 920 + 2 * k, dtype=dtype), flags=(*FLAGS, *narrow(dtype)))
        for k, dtype in enumerate(DTYPES)
    ],
    value("inverse", "rotated back", positions=grid(2, 3), inverse=True, inputs=tensors(6, 1, 2, 4, 928), flags=FLAGS),
    *[
        value(f"generators-{SHORT[kind]}", f"generators of {kind}", positions=grid(2, 2), flags=("NarrowAngle",),
              inputs=tensors(4, 1, 1, 3, 930 + 2 * k, kind=kind))
        for k, kind in enumerate(("float64", "float16"))
    ],
    value("liere-8", "LieRE of 8: 3 x 2 patches where 4 x 4 are expected, heads share the generators", source=LIERE,
          positions=grid(along(3, 4), along(2, 4)), inputs=tensors(6, 2, 2, 8, 934, own=1, spread=2), flags=FLAGS),
    value("liere-8-video", "LieRE of 8 on three axes", source=LIERE, flags=FLAGS,
          positions=grid(along(2, 2), along(1, 2), along(2, 3)), inputs=tensors(4, 1, 1, 8, 936, axes=3, spread=2)),
    value("liere-16", "one block of 16, as wide as the head", source=LIERE, flags=FLAGS,
          positions=grid(along(2, 2), along(1, 2)), inputs=tensors(2, 1, 1, 16, 938, spread=2)),
    value("liere-2", "blocks of 2, which are mixed_rope", source=LIERE, positions=grid(2, 3), flags=FLAGS,
          inputs=tensors(6, 2, 3, 2, 940)),
    value("even", "LieRE's test bases: turns of three channels that do not commute", source=LIERE, flags=FLAGS,
          positions=grid(2, 3),
          inputs={"x": scattered("float64", (1, 6, 3), 942), "generators": listed(EVEN, "float32", (2, 1, 1, 3, 3))}),
    value("left-over", "7 channels, of which the last is copied", positions=grid(2, 2), flags=("PartialRotary",),
          inputs=tensors(4, 1, 2, 3, 944, width=7)),
    *[
        value(f"far-{SHORT[dtype]}", f"far positions, {dtype}", flags=("LongContextInteger", "NarrowAngle", "HeadAxis"),
              inputs={**tensors(3, 2, 1, 3, 946 + 2 * k, dtype=dtype),
                      "positions": listed((1, 257, 2**24 + 1, 2, 131071, 2**31 - 1), shape=(2, 3))})
        for k, dtype in enumerate(DTYPES)
    ],
    value("halves", "positions that are halves", flags=("AxisOrder", "FractionalPosition"),
          inputs={**tensors(3, 1, 1, 4, 954), "positions": listed((0.5, 1.25, -2, 2, 7.5, 1), "float64", (2, 3))}),
    value("one-axis", "one axis", positions=grid(3), inputs=tensors(3, 1, 1, 4, 956, axes=1), flags=FLAGS),
    value("batch", "x (batch, heads, seq, width)", positions=grid(1, 2), flags=FLAGS,
          inputs={"x": scattered("float32", (2, 2, 2, 4), 958), "generators": skew("float32", (2, 2, 1, 4, 4), 959)}),
    value("still", "a channel that no generator turns, and zeros", positions=grid(1, 2), flags=("AxisOrder",),
          inputs={"x": listed((1.0, 2.0, 0.0, 4.0, 0.5, -0.0), "float32", (1, 2, 3)),
                  "generators": listed((*TURN, *TURN), "float32", (2, 1, 1, 3, 3))}),
    value("axis", "channels along the axis of a turn, which stand still", positions=grid(3), flags=("Cancellation",),
          inputs={"x": listed((3.0, 2.0, 1.0) * 3, "float32", (1, 3, 3)),
                  "generators": listed((0, -1, 2, 1, 0, -3, -2, 3, 0), "float32", (1, 1, 1, 3, 3))}),
    value("subnormal", "subnormal numbers and zeros of both signs", positions=grid(1, 3), flags=("Subnormal",),
          inputs={"x": tiny("float32", (1, 3, 4), 960), "generators": skew("float32", (2, 1, 1, 4, 4), 961)}),
    value("extreme", "the largest numbers of float32", positions=grid(1, 3), flags=("NarrowAngle",),
          inputs={"x": extreme("float32", (1, 3, 4)), "generators": skew("float32", (2, 1, 1, 4, 4), 962)}),
    value("one-cell", "one cell: nothing turns", positions=grid(1, 1), inputs=tensors(1, 2, 1, 4, 964), flags=FLAGS),
    refused("not-skew", "a generator that is no skew-symmetric matrix", "E_NUMBER", "generators", positions=grid(1, 1),
            inputs={"x": scattered("float32", (1, 1, 3), 1), "generators": scattered("float32", (2, 1, 1, 3, 3), 2)}),
    refused("nan", "a generator that is NaN", "E_NUMBER", "generators", positions=grid(1),
            inputs={"x": scattered("float32", (1, 1, 2), 1),
                    "generators": listed((0.0, float("nan"), 1.0, 0.0), "float32", (1, 1, 1, 2, 2))}),
    refused("heads", "generators of another number of heads", "E_SHAPE", "generators", positions=grid(2, 2),
            inputs=tensors(4, 3, 1, 4, 1, own=2)),
    refused("blocks", "more blocks than channels", "E_SHAPE", "generators", positions=grid(2, 2),
            inputs=tensors(4, 1, 2, 4, 1, width=7)),
    refused("no-heads", "generators without a head axis", "E_SHAPE", "generators", positions=grid(2, 2),
            inputs={"x": scattered("float32", (1, 4, 4), 1), "generators": skew("float32", (2, 1, 4, 4), 2)}),
    refused("axes", "generators of two axes for three", "E_SHAPE", "positions", positions=grid(1, 2, 2),
            inputs=tensors(4, 1, 1, 4, 1)),
    refused("cells", "another number of cells", "E_SHAPE", "positions", positions=grid(2, 3),
            inputs=tensors(4, 1, 1, 4, 1)),
    refused("inverse", "1 for True", "E_CHOICE", "inverse", positions=grid(2, 2), inverse=1,
            inputs=tensors(4, 1, 1, 4, 1)),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="inverse",
    float16="inverse",
)
