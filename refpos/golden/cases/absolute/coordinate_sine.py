"""Golden cases of sines and cosines of continuous coordinates."""

from ...case import call, fraction, grid, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("coordinate_sine", paper("Liu et al. 2022, DAB-DETR, arXiv:2201.12329, section 4.2"))
FLAGS = ("AxisOrder", "FractionalPosition")
LAYOUTS = ("interleaved", "sin-cos", "cos-sin")


def at(values, dtype="float64", shape=None):
    """Coordinates as an input tensor, rows of one length or flat values of a shape."""
    if shape is None:
        shape = (len(values), len(values[0]))
        values = [value for row in values for value in row]
    return {"coordinates": listed(values, dtype, shape)}


def exact(*axes):
    """Coordinates that are fractions, a list for each coordinate."""
    return [call("listed", values=[fraction(*one) if isinstance(one, tuple) else one for one in axis]) for axis in axes]


def hf(model, function):
    """A function of transformers as the source."""
    return project("transformers", "5.23.0", f"models/{model}/modeling_{model}.py", function)


BOXES = [[0.5, 0.5, 1.0, 1.0], [0.0, 1.0, 0.5, 0.25], [0.1, 0.3, 0.9, 0.01], [0.999, 1e-3, 0.0, 0.125]]
DAB = hf("dab_detr", "encode_sinusoidal_position_embedding")
PETR = project(
    "megvii-research/PETR", "f7525f9", "projects/mmdet3d_plugin/models/dense_heads/petr_head.py", "pos2posemb3d"
)
TWELFTHS = [(k, 12) for k in range(13)]

CASES = [
    value("first-numbers", "two points of two coordinates", dim=8, order=[0, 1], factor=1, flags=FLAGS,
          inputs=at([[0.5, 0.25], [1.0, 2.0]])),
    *[
        value(f"{layout}-{SHORT[dtype]}", f"scattered points, {layout}, 2 pi, {dtype}", dim=12, order=[1, 0],
              factor="2pi", layout=layout, dtype=dtype,
              inputs={"coordinates": scattered("float32", (5, 2), 71 + LAYOUTS.index(layout), 1)},
              flags=(*FLAGS, "InterleavedVsHalf", *narrow(dtype)))
        for layout in LAYOUTS for dtype in DTYPES
    ],
    *[
        value(f"factor-{factor}-{SHORT[dtype]}", f"factor {factor}, {dtype}", dim=6, order=[0], factor=factor,
              dtype=dtype, inputs=at([[0.0], [0.1], [-0.3], [1.0], [7.25]]), flags=(*FLAGS, *narrow(dtype)))
        for factor in (1, "pi", "2pi") for dtype in ("float64", "float16")
    ],
    # what is exact
    *[
        value(f"twelfths-{factor}", f"twelfths, factor {factor}: sines of 0, 1/2 and 1", dim=4, order=[0],
              factor=factor, coordinates=exact(TWELFTHS), flags=FLAGS)
        for factor in ("pi", "2pi")
    ],
    value("sevenths", "sevenths of a turn are not rounded before they are used", dim=4, order=[0], factor="2pi",
          coordinates=exact([(k, 7) for k in range(8)]), flags=FLAGS),
    value("whole-turns-f32", "whole coordinates are whole turns: the first sine is 0", dim=8, order=[0], factor="2pi",
          dtype="float32", inputs=at([0, 1, 2, 255, 2**24 + 1, 2**53], "int64", (6, 1)),
          flags=(*FLAGS, "LargeArgument", "LongContextInteger")),
    value("whole-turns-base-16", "base 16: rational turns in every channel", dim=8, order=[0], factor="2pi", base=16,
          inputs=at([0, 1, 2, 3, 4, 8], "int64", (6, 1)), flags=(*FLAGS, "Base")),
    value("thirds-and-halves", "a fraction for each coordinate", dim=8, order=[1, 0], factor="pi",
          coordinates=exact([(1, 3), (2, 3), 1], [(1, 2), (5, 6), (-1, 6)]), flags=FLAGS),
    # boxes and points of detection
    *[
        value(f"dab-detr-{SHORT[dtype]}", f"DAB-DETR: boxes as y, x, w, h, {dtype}", dim=32, order=[1, 0, 2, 3],
              factor="2pi", dtype=dtype,
              inputs=at(BOXES) if dtype == "float64" else {"coordinates": scattered("float32", (4, 4), 80, 0)},
              flags=(*FLAGS, *narrow(dtype)), source=DAB)
        for dtype in DTYPES
    ],
    value("dab-detr-wide-f32", "DAB-DETR: 128 channels for each of four numbers", dim=512, order=[1, 0, 2, 3],
          factor="2pi", dtype="float32", inputs={"coordinates": scattered("float32", (3, 4), 81, 0)}, flags=FLAGS,
          source=DAB),
    value("dab-detr-points-f32", "DAB-DETR: reference points as y, x", dim=256, order=[1, 0], factor="2pi",
          dtype="float32", inputs={"coordinates": scattered("float32", (3, 2), 82, 0)}, flags=FLAGS, source=DAB),
    value("deformable-detr-boxes-f32", "Deformable-DETR: proposals as cx, cy, w, h", dim=512, order=[0, 1, 2, 3],
          factor="2pi", dtype="float32", inputs={"coordinates": scattered("float32", (3, 4), 83, 0)}, flags=FLAGS,
          source=hf("deformable_detr", "get_proposal_pos_embed")),
    value("deformable-detr-ends", "Deformable-DETR: boxes of 0, 1/2 and 1 are exact", dim=16, order=[0, 1, 2, 3],
          factor="2pi", inputs=at([[0.0, 0.5, 1.0, 0.25], [1.0, 0.0, 0.5, 0.75]]), flags=FLAGS,
          source=hf("deformable_detr", "get_proposal_pos_embed")),
    value("petr-f32", "PETR: three numbers as y, x, z, 128 channels each", dim=384, order=[1, 0, 2], factor="2pi",
          dtype="float32", inputs={"coordinates": scattered("float32", (3, 3), 84, 0)}, flags=FLAGS, source=PETR),
    value("petr-narrow", "PETR in full precision", dim=24, order=[1, 0, 2], factor="2pi",
          inputs=at([[0.0, 0.5, 1.0], [0.1, 0.7, 0.3]]), flags=FLAGS, source=PETR),
    value("grounding-dino-text-f32", "Grounding DINO: whole text positions times 2 pi", dim=256, order=[0],
          factor="2pi", dtype="float32", inputs=at([0, 1, 2, 5, 255], "int64", (5, 1)), flags=FLAGS,
          source=hf("grounding_dino", "encode_sinusoidal_position_embedding")),
    value("grounding-dino-boxes-bf16", "Grounding DINO: boxes as y, x, w, h", dim=32, order=[1, 0, 2, 3], factor="2pi",
          dtype="bfloat16", inputs={"coordinates": scattered("float32", (2, 3, 4), 85, 0)},
          flags=(*FLAGS, "DoubleRounding"), source=hf("grounding_dino", "encode_sinusoidal_position_embedding")),
    value("sam2-boxes", "y, x, h, w, all four as sines; SAM 2 itself adds h and w as they are", dim=16,
          order=[1, 0, 3, 2], factor="2pi", inputs=at([[0.25, 0.5, 0.1, 0.2], [0.0, 1.0, 0.5, 0.3]]), flags=FLAGS,
          source=project("facebookresearch/sam2", "2b90b9f", "sam2/modeling/position_encoding.py", "encode_boxes")),
    *[
        value(f"sam2-pointer-{dim}-{SHORT[dtype]}", f"SAM 2: object pointers at sevenths, width {dim}, {dtype}",
              dim=dim, order=[0], factor=1, layout="sin-cos", repeated=True, dtype=dtype,
              coordinates=exact([(k, 7) for k in range(8)]),
              flags=("FractionalPosition", "Endpoint", *narrow(dtype)),
              source=hf("sam2_video", "get_1d_sine_pe"))
        for dim, dtype in ((8, "float64"), (10, "float64"), (64, "float32"), (6, "bfloat16"), (2, "float16"))
    ],
    *[
        value(f"3detr-{dim}-{SHORT[dtype]}", f"3DETR: width {dim}, the rest goes to the first axes, {dtype}", dim=dim,
              order=[0, 1, 2], factor="2pi", widths=widths, dtype=dtype,
              inputs=at([[0.0, 0.5, 1.0], [0.1, 0.7, 0.3], [1.0, 0.25, 0.9]]),
              flags=(*FLAGS, "OddDimension", *narrow(dtype)),
              source=project("facebookresearch/3detr", "a5d1aad", "models/position_embedding.py",
                             "PositionEmbeddingCoordsSine.get_sine_embeddings"))
        for dim, widths, dtype in (
            (8, [4, 2, 2], "float64"), (10, [4, 4, 2], "float64"), (256, [86, 86, 84], "float32")
        )
    ],
    value("bros-boxes-f32", "BROS: eight corner coordinates of a pair of boxes, differences", dim=64,
          order=list(range(8)), factor=1, layout="sin-cos", dtype="float32",
          inputs={"coordinates": scattered("float32", (2, 2, 8), 86, 0)}, flags=FLAGS,
          source=hf("bros", "BrosPositionalEmbedding2D")),
    # shapes
    value("grid-2x3", "a grid of 2 x 3 middles of cells, columns first", dim=8, order=[1, 0], factor="pi",
          coordinates=grid(call("half_pixel", size=2), call("half_pixel", size=3)), flags=(*FLAGS, "NonSquare")),
    value("grid-3d-f32", "a grid of three axes", dim=12, order=[0, 2, 1], factor="2pi", dtype="float32",
          coordinates=grid(2, call("linspace", start=0, stop=1, size=3, endpoint=True), call("half_pixel", size=2)),
          flags=(*FLAGS, "NonSquare")),
    value("one-token", "a token without axes", dim=4, order=[1, 0], factor="2pi",
          inputs=at([0.25, 0.5], "float64", (2,)), flags=FLAGS),
    value("empty", "no tokens", dim=4, order=[0, 1], factor=1, inputs=at([], "float64", (0, 2))),
    value("base-20", "base 20", dim=12, order=[0], factor="2pi", base=20, inputs=at([[0.1], [0.9]]),
          flags=(*FLAGS, "Base")),
    refused("dim-odd", "6 channels for two coordinates", "E_ODD_DIM", "dim", dim=6, order=[0, 1], factor=1,
            inputs=at([[0.0, 1.0]])),
    refused("order-twice", "a coordinate twice", "E_SHAPE", "order", dim=8, order=[0, 0], factor=1,
            inputs=at([[0.0, 1.0]])),
    refused("order-short", "a coordinate without a place", "E_SHAPE", "order", dim=8, order=[0], factor=1,
            inputs=at([[0.0, 1.0]])),
    value("factor-3-halves", "a factor that is a fraction", dim=8, order=[0], factor=fraction(3, 2),
          inputs=at([[0.0], [0.1], [2.0]]), flags=FLAGS),
    refused("factor", "a factor that is not known", "E_CHOICE", "factor", dim=8, order=[0, 1], factor="tau",
            inputs=at([[0.0, 1.0]])),
    refused("factor-zero", "factor 0", "E_NUMBER", "factor", dim=8, order=[0, 1], factor=0, inputs=at([[0.0, 1.0]])),
    refused("layout", "a layout that is not known", "E_CHOICE", "layout", dim=8, order=[0, 1], factor=1, layout="cat",
            inputs=at([[0.0, 1.0]])),
    refused("nan", "a coordinate that is no number", "E_POSITION", "coordinates", dim=4, order=[0], factor=1,
            inputs=at([float("nan")], "float32", (1, 1))),
    refused("infinite", "an infinite coordinate", "E_POSITION", "coordinates", dim=4, order=[0], factor=1,
            inputs=at([float("inf")], "float32", (1, 1))),
    refused("beyond", "an integer beyond 2**53", "E_POSITION", "coordinates", dim=4, order=[0], factor=1,
            inputs=at([2**53 + 1], "int64", (1, 1))),
    refused("no-coordinates", "tokens without coordinates", "E_SHAPE", "coordinates", dim=4, order=[], factor=1,
            inputs=at([], "float64", (3, 0))),
    refused("widths", "widths that do not add up to dim", "E_SHAPE", "widths", dim=8, order=[0, 1], factor=1,
            widths=[4, 2], inputs=at([[0.0, 1.0]])),
    refused("widths-odd", "an odd width", "E_ODD_DIM", "widths", dim=8, order=[0, 1], factor=1, widths=[5, 3],
            inputs=at([[0.0, 1.0]])),
    refused("base", "base 0", "E_BASE", "base", dim=4, order=[0], factor=1, base=0, inputs=at([[0.0]])),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="thirds-and-halves base-20",
    float16="base-20 3detr-8-f64 sam2-pointer-6-bf16",
    bfloat16="thirds-and-halves base-20 3detr-8-f64",
)

# a second value of numbers that all other cases have alike
CASES += [
    value("factor-2-f32", "coordinates times 2, in float32", dim=8, order=[1, 0], factor=2, base=20, dtype="float32",
          inputs=at([[0.0, 0.25], [0.5, -1.5], [0.75, 1.25]]), flags=FLAGS),
]
CASES += in_formats(
    CASES,
    float64="factor-2-f32",
    float16="factor-2-f32",
    bfloat16="factor-2-f32",
)
