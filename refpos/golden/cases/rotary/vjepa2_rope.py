"""Golden cases of the encoding of V-JEPA 2."""

from ...case import call, grid, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats
from .rope_2d import x

value, refused = suite("vjepa2_rope", paper("Assran et al. 2025, V-JEPA 2, arXiv:2506.09985, section 2.1"))
FLAGS = ("AxisOrder", "NonSquare", "InterleavedVsHalf")
VJEPA = project("facebookresearch/vjepa2", "c2963a4", "src/models/utils/modules.py", "rotate_queries_or_keys")


def _ids(values, shape, kind="int64"):
    return listed(values, kind, shape)


CASES = [
    *[
        value(f"2x2x3-{SHORT[dtype]}", f"2 frames of 2 x 3 cells, 20 channels, {dtype}", positions=grid(2, 2, 3),
              inputs=x(12, 20, 700 + k, dtype), flags=(*FLAGS, *narrow(dtype)))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"far-{SHORT[dtype]}", f"far positions, 12 channels, {dtype}",
              inputs={**x(3, 12, 704 + k, dtype),
                      "positions": _ids((1, 257, 4097, 2, 2049, 131071, 3, 4099, 65537), (3, 3))},
              flags=(*FLAGS, "NarrowAngle", "LongContextInteger", *narrow(dtype)))
        for k, dtype in enumerate(DTYPES)
    ],
    value("vit-l", "ViT-L: heads of 64 channels, three blocks of 20", positions=grid(1, 2, 3), inputs=x(6, 64, 710),
          flags=FLAGS, source=VJEPA),
    value("vit-g-bf16", "ViT-g: heads of 88 channels, three blocks of 28", positions=grid(1, 2, 2),
          inputs=x(4, 88, 711, "bfloat16"), flags=(*FLAGS, "DoubleRounding"), source=VJEPA),
    value("vit-l-table", "ViT-L: pairs (1, 0), which turn into cosines and sines of the even channels",
          positions=grid(1, 2, 2), inputs={"x": listed((1.0, 0.0) * 128, "float32", (4, 64))}, flags=FLAGS,
          source=VJEPA),
    value("six-channels", "one pair for each axis: a rotation", positions=grid(2, 2, 2), inputs=x(8, 6, 712),
          flags=FLAGS),
    value("odd-pairs", "blocks of 6 channels, whose table wraps within a pair", positions=grid(2, 1, 3),
          inputs=x(6, 18, 713, "float64"), flags=FLAGS),
    value("left-over", "23 channels, of which 5 are copied", positions=grid(1, 2, 2), inputs=x(4, 23, 714),
          flags=(*FLAGS, "PartialRotary", "OddDimension")),
    value("base-100", "base 100", positions=grid(2, 2, 2), base=100, inputs=x(8, 12, 715, "float64"),
          flags=(*FLAGS, "Base")),
    value("from-one", "positions from 1", positions=grid(*(call("affine", size=2, start=1) for _ in range(3))),
          inputs=x(8, 12, 716), flags=(*FLAGS, "OffByOne")),
    value("batch", "positions (3, batch, seq) for x (batch, heads, seq, width)",
          inputs={"x": scattered("float32", (2, 2, 2, 6), 717), "positions": _ids(tuple(range(12)), (3, 2, 2))},
          flags=(*FLAGS, "HeadAxis")),
    value("sequence-first", "x (seq, heads, width)", positions=grid(1, 2, 2), seq_axis=-3,
          inputs={"x": scattered("float32", (4, 2, 6), 718)}, flags=(*FLAGS, "HeadAxis")),
    value("halves", "positions that are halves", flags=(*FLAGS, "FractionalPosition"),
          inputs={**x(2, 12, 719), "positions": _ids((0.5, 1, -2.5, 3, 0.25, 7), (3, 2), "float64")}),
    value("one-cell", "one cell: nothing turns", positions=grid(1, 1, 1), inputs=x(1, 12, 720), flags=FLAGS),
    value("empty", "no tokens", positions=grid(0, 2, 2), inputs=x(0, 6, 721)),
    refused("narrow", "five channels", "E_SIZE", "x", positions=grid(1, 2, 2), inputs=x(4, 5, 1)),
    refused("axes", "two axes", "E_SHAPE", "positions", positions=grid(2, 2), inputs=x(4, 12, 1)),
    refused("cells", "more cells than rows of x", "E_SHAPE", "positions", positions=grid(1, 2, 3), inputs=x(4, 12, 1)),
    refused("integers", "x of integers", "E_DTYPE", "x", positions=grid(1, 1, 2),
            inputs={"x": _ids(tuple(range(12)), (2, 6))}),
    refused("base-zero", "base 0", "E_BASE", "base", positions=grid(1, 2, 2), base=0, inputs=x(4, 12, 1)),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float32="base-100",
    float16="base-100",
    bfloat16="base-100",
)

# conventions that no case above tells
CASES += in_formats(CASES, float64="sequence-first", float16="sequence-first", bfloat16="sequence-first")
