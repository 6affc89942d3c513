"""Golden cases of the encoding of ERNIE-Image."""

from ...case import call, grid, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, LONG, SHORT, narrow
from .._formats import in_formats

value, refused = suite(
    "ernie_image_rope", paper("Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.4.2; ERNIE-Image has no paper")
)
FLAGS = ("AxisOrder", "InterleavedVsHalf")
ERNIE = project("huggingface/diffusers", "0.42.1", "models/transformers/transformer_ernie_image.py")
#: sequence, row and column of an image of 2 x 2 tokens behind two tokens of text
IDS = (2, 2, 2, 2, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0)
FAR = (1, 4097, 131071, 2, 257, 4099, 3, 2049, 65537)


def tensors(shape, seed, ids=IDS, dtype="float32", axes=(3, 6), kind="int64"):
    """The input tensors x and positions."""
    return {"x": scattered(dtype, shape, seed), "positions": listed(ids, kind, axes)}


CASES = [
    *[
        value(f"image-{SHORT[dtype]}", f"an image of 2 x 2 tokens, then text, {dtype}", widths=[4, 6, 6],
              inputs=tensors((6, 16), 900 + k, dtype=dtype), flags=(*FLAGS, *narrow(dtype)))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"far-{SHORT[dtype]}", f"far positions on three axes, {dtype}", widths=[2, 4, 2],
              inputs=tensors((3, 8), 904 + k, FAR, dtype, (3, 3)), flags=(*FLAGS, *LONG, *narrow(dtype)))
        for k, dtype in enumerate(DTYPES)
    ],
    value("ernie-image", "ERNIE-Image: heads of 128 channels", inputs=tensors((6, 128), 910), flags=FLAGS,
          source=ERNIE),
    value("ernie-image-bf16", "the same in bfloat16", inputs=tensors((6, 128), 911, dtype="bfloat16"),
          flags=(*FLAGS, "DoubleRounding"), source=ERNIE),
    value("ernie-image-table", "ERNIE-Image: ones beside zeros, which turn into cosines and sines of the first halves",
          inputs={"x": listed(((1.0,) * 64 + (0.0,) * 64) * 2, "float32", (2, 128)),
                  "positions": listed((3, 1, 1, 0, 2, 0), "int64", (3, 2))}, flags=FLAGS, source=ERNIE),
    value("odd-half", "halves of an odd number of pairs: one angle covers the ends of both", widths=[2, 4],
          inputs=tensors((2, 6), 912, (1, 2, 3, 5), axes=(2, 2)), flags=FLAGS),
    value("one-axis", "one axis", widths=[8], base=10000,
          inputs={"x": scattered("float64", (3, 8), 913), "positions": listed((1, 2, 3), "int64", (1, 3))},
          flags=("InterleavedVsHalf", "Base")),
    value("two-pairs", "one angle for each axis", widths=[2, 2], inputs=tensors((2, 4), 914, (1, 2, 3, 5), axes=(2, 2)),
          flags=FLAGS),
    value("grid", "a grid of cells", widths=[4, 4, 4], positions=grid(1, 2, 3),
          inputs={"x": scattered("float32", (6, 12), 915)}, flags=(*FLAGS, "NonSquare")),
    value("coordinates", "rows and columns at halves", widths=[2, 4, 2],
          positions=grid(1, call("affine", size=2, step=0.5), call("affine", size=2, start=0.25)),
          inputs={"x": scattered("float32", (4, 8), 916)}, flags=(*FLAGS, "FractionalPosition")),
    value("partial", "channels beyond the widths are copied", widths=[2, 2, 2],
          inputs=tensors((2, 9), 917, (1, 2, 3, 7, 5, 6), axes=(3, 2)), flags=(*FLAGS, "PartialRotary")),
    value("batch", "x (batch, seq, heads, width)", widths=[2, 2, 2], seq_axis=-3,
          inputs=tensors((2, 2, 2, 6), 918, (1, 2, 3, 7, 5, 6, 4, 9, 8, 1, 2, 3), axes=(3, 2, 2)),
          flags=(*FLAGS, "HeadAxis")),
    value("empty", "no tokens", widths=[2, 2, 2], inputs=tensors((0, 6), 919, (), axes=(3, 0))),
    refused("widths-odd", "an odd width", "E_ODD_DIM", "widths", widths=[3, 4, 4], inputs=tensors((6, 11), 1)),
    refused("widths-none", "no widths", "E_SHAPE", "widths", widths=[], inputs=tensors((6, 8), 1)),
    refused("widths-wide", "widths beyond the channels", "E_ROTARY_DIM", "rotary_dim", widths=[4, 6, 6],
            inputs=tensors((6, 8), 1)),
    refused("ids-few", "position ids of two axes for three", "E_SHAPE", "positions", widths=[2, 2, 2],
            inputs=tensors((6, 6), 1, IDS[:12], axes=(2, 6))),
    refused("base-zero", "base 0", "E_BASE", "base", widths=[4, 6, 6], base=0, inputs=tensors((6, 16), 1)),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="batch",
    float32="one-axis",
    float16="one-axis batch",
    bfloat16="one-axis batch",
)

# conventions that no case above tells
CASES += [
    value(f"widths-left-out-{SHORT[dtype]}", f"ERNIE-Image: one token, no widths given, {dtype}",
          inputs=tensors((1, 128), 920, (5, 2, 3), dtype, (3, 1)), flags=(*FLAGS, *narrow(dtype)), source=ERNIE)
    for dtype in ("float64", "float16")
]
