"""Golden cases of Fourier features of projected coordinates."""

from ...case import call, fraction, grid, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("fourier_projection", paper("Tancik et al. 2020, Fourier Features, arXiv:2006.10739, section 5"))
FLAGS = ("FractionalPosition",)
DIFFUSERS = project("huggingface/diffusers", "0.42.1", "models/embeddings.py", "GaussianFourierProjection")
SAM = project("transformers", "5.23.0", "models/sam/modeling_sam.py", "SamPositionalEmbedding")
ESMFOLD2 = project("transformers", "5.23.0", "models/esmfold2/modeling_esmfold2.py")
TWO_PI = {"factor": "2pi", "layout": "sin-cos"}
LAYOUTS = ("sin-cos", "cos-sin", "sin", "cos", "interleaved")


def rows(values, dtype="float64"):
    """An input tensor, rows of one length."""
    return listed([value for row in values for value in row], dtype, (len(values), len(values[0])))


def given(coordinates, weight, **more):
    """The arrays of a case."""
    return {"coordinates": coordinates, "weight": weight, **more}


def middles(height, width):
    """x and y of the middles of cells in 0 .. 1, stretched to -1 .. 1, row by row: x first."""
    across = [fraction(2 * c + 1 - width, width) for _ in range(height) for c in range(width)]
    down = [fraction(2 * r + 1 - height, height) for r in range(height) for _ in range(width)]
    return [call("listed", values=axis) for axis in (across, down)]


def prompts(points, height, width):
    """Pixels (x, y) as SAM takes them: their middles, over the size of the image, stretched to -1 .. 1."""
    x = [fraction(2 * x + 1 - width, width) for x, _ in points]
    y = [fraction(2 * y + 1 - height, height) for _, y in points]
    return [call("listed", values=axis) for axis in (x, y)]


LOG = {"factor": "2pi", "transform": "ln"}
SIGMAS = [[0.01], [1.0], [0.5], [50.0], [1.0000000000000002]]
TWELFTHS = [call("listed", values=[fraction(k, 12) for k in range(-3, 13)])]
PIXELS = ((0, 0), (511, 3), (1023, 682), (100, 340))

CASES = [
    value("first-numbers", "a quarter and a half of a turn", **TWO_PI,
          inputs=given(rows([[0.5, 0.25], [1.0, 0.0]]), rows([[0.5], [1.0]])), flags=FLAGS),
    *[
        value(f"{layout}-{SHORT[dtype]}", f"three coordinates, {layout}, {dtype}", factor="2pi", layout=layout,
              dtype=dtype,
              inputs=given(scattered("float32", (3, 3), 101 + k, 0), scattered("float32", (3, 4), 111 + k, 2)),
              flags=(*FLAGS, "SineCosineOrder", *narrow(dtype)))
        for k, layout in enumerate(LAYOUTS) for dtype in (DTYPES if layout == "sin-cos" else (DTYPES[k - 1],))
    ],
    *[
        value(f"factor-{factor}", f"factor {factor}", factor=factor, layout="sin-cos",
              inputs=given(scattered("float64", (3, 2), 121, 0), scattered("float64", (2, 3), 122, 2)), flags=FLAGS)
        for factor in (1, "pi", "2pi", 0.5)
    ],
    value("twelfths", "twelfths of a turn are exact", **TWO_PI, coordinates=TWELFTHS,
          inputs={"weight": rows([[1.0, 3.0, -1.0, 0.0]])}, flags=FLAGS),
    value("cancelling", "sums that cancel to 0 or nearly", **TWO_PI,
          inputs=given(rows([[1.0, -1.0], [1.0, 2.0**-40], [3.0, -1.0]]), rows([[0.1, 1.0], [0.1, -1.0]])),
          flags=(*FLAGS, "Cancellation")),
    value("large-f32", "angles of a million turns", **TWO_PI, dtype="float32",
          inputs=given(rows([[65536.5, 1e6]]), rows([[16.1, 0.3], [-3.7, 1e-3]])), flags=(*FLAGS, "LargeArgument")),
    value("integers", "whole coordinates and whole weights", factor=1, layout="sin-cos",
          inputs=given(rows([[1, 2], [0, 0]], "int64"), rows([[3, 0], [-1, 5]], "int64")), flags=FLAGS),
    # noise levels and times
    *[
        value(f"gaussian-{SHORT[dtype]}", f"GaussianFourierProjection: 16 frequencies, {dtype}", **TWO_PI, dtype=dtype,
              inputs=given(rows([[0.0], [0.1], [1.0], [999.0]]), scattered("float32", (1, 16), 131, 4)),
              flags=(*FLAGS, "LargeArgument", *narrow(dtype)), source=DIFFUSERS)
        for dtype in DTYPES
    ],
    value("gaussian-flipped-f32", "GaussianFourierProjection with flip_sin_to_cos", factor="2pi", layout="cos-sin",
          dtype="float32", inputs=given(rows([[0.25], [0.7]]), scattered("float32", (1, 8), 132, 4)),
          flags=(*FLAGS, "SineCosineOrder"), source=DIFFUSERS),
    value("stable-audio-f32", "Stable Audio: seconds in 0 .. 1", **TWO_PI, dtype="float32",
          inputs=given(rows([[0.0], [0.5], [0.994140625]]), scattered("float32", (1, 128), 133, 1)), flags=FLAGS,
          source=project("huggingface/diffusers", "0.42.1", "pipelines/stable_audio/modeling_stable_audio.py",
                         "StableAudioPositionalEmbedding")),
    *[
        value(f"esmfold2-{SHORT[dtype]}", f"ESMFold2: cosines with random phases, {dtype}", factor="2pi", layout="cos",
              dtype=dtype, inputs=given(rows([[0.0], [0.3], [-1.5]]), scattered("float32", (1, 8), 134, 1),
                                        phase=scattered("float32", (8,), 135, 0)),
              flags=(*FLAGS, "SineCosineOrder", *narrow(dtype)), source=ESMFOLD2)
        for dtype in DTYPES
    ],
    # logarithms of noise levels
    *[
        value(f"score-sde-{SHORT[dtype]}", f"score_sde: logarithms of noise levels, {dtype}", **LOG, layout="sin-cos",
              dtype=dtype, inputs=given(rows(SIGMAS), scattered("float32", (1, 16), 136, 4)),
              flags=(*FLAGS, "LargeArgument", *narrow(dtype)),
              source=project("yang-song/score_sde_pytorch", "cb1f359", "models/ncsnpp.py", "NCSNpp"))
        for dtype in DTYPES
    ],
    value("gaussian-log-flipped-f32", "GaussianFourierProjection with log and flip_sin_to_cos", **LOG, layout="cos-sin",
          dtype="float32", inputs=given(rows([[0.25], [0.75]]), scattered("float32", (1, 8), 137, 4)),
          flags=(*FLAGS, "SineCosineOrder"), source=DIFFUSERS),
    value("esmfold2-log-f32", "ESMFold2: a quarter of the logarithm of a noise level over 16", **LOG, layout="cos",
          dtype="float32", coordinates=[call("listed", values=[fraction(1, 40), 1, 160])],
          inputs={"weight": rows([[0.25, -0.125, 0.375]]), "phase": listed([0.5, 0.25, -0.125], "float64", (3,))},
          flags=(*FLAGS, "SineCosineOrder"), source=ESMFOLD2),
    *[
        value(f"log-{factor}-interleaved", f"logarithms of fractions, factor {factor}: ln 1 is 0", factor=factor,
              layout="interleaved", transform="ln",
              coordinates=[call("listed", values=[fraction(1, 3), 1, fraction(7, 5), 2**40])],
              inputs={"weight": rows([[1.0, 0.0, -2.5]]), "phase": listed([0.25, 0.5, 1.0], "float64", (3,))},
              flags=FLAGS)
        for factor in (1, "pi", "2pi")
    ],
    value("log-tiny", "the smallest and the largest numbers", factor=1, layout="sin-cos", transform="ln",
          inputs=given(rows([[5e-324], [1.7976931348623157e308]]), rows([[1.0, 2.0**-60, 1e9]])),
          flags=(*FLAGS, "LargeArgument")),
    # points in space
    *[
        value(f"3detr-fourier-{SHORT[dtype]}", f"3DETR: three coordinates and a Gaussian matrix, {dtype}", **TWO_PI,
              dtype=dtype, inputs=given(rows([[0.0, 0.5, 1.0], [0.125, 0.75, 0.375]]),
                                        scattered("float32", (3, 8), 138, 1)),
              flags=(*FLAGS, "SineCosineOrder", *narrow(dtype)),
              source=project("facebookresearch/3detr", "a5d1aad", "models/position_embedding.py",
                             "get_fourier_embeddings"))
        for dtype in ("float64", "float32")
    ],
    # places on the map of GeoCLIP
    *[
        value(f"geoclip-{sigma}-f32", f"GeoCLIP: points of the map, a matrix of deviation {sigma}, cosines first",
              factor="2pi", layout="cos-sin", dtype="float32",
              inputs=given(rows([[0.7709, -0.2458], [0.0, 0.4867], [-0.5, 0.125]]),
                           scattered("float32", (2, 16), 150 + spread, spread)),
              flags=(*FLAGS, "SineCosineOrder", "AxisOrder", "LargeArgument"),
              source=project("VicenteVivan/geo-clip", "7a1a23b", "geoclip/model/rff/functional.py",
                             "gaussian_encoding"))
        for sigma, spread in ((1, 1), (16, 5), (256, 9))
    ],
    value("music3-f32", "MiniMax Music 3: a time in 0 .. 1, cosines first", factor="2pi", layout="cos-sin",
          dtype="float32", inputs=given(rows([[0.0], [0.5], [0.994140625]]), scattered("float32", (1, 8), 139, 1)),
          flags=(*FLAGS, "SineCosineOrder"),
          source=project("huggingface/diffusers", "0.42.1", "models/transformers/transformer_minimax_music3.py",
                         "MiniMaxMusic3FourierEmbedding")),
    value("phase-exact", "phases of quarters and thirds of a turn", factor="2pi", layout="sin-cos",
          coordinates=[call("listed", values=[0, fraction(1, 3), fraction(1, 12)])],
          inputs={"weight": rows([[1.0, 2.0, 0.0]]), "phase": listed([0.25, 0.5, -0.25], "float64", (3,))},
          flags=FLAGS),
    # prompts of segmentation
    *[
        value(f"sam-grid-3x5-{SHORT[dtype]}", f"SAM: 3 x 5 cells, x first; the centre is 0, {dtype}", **TWO_PI,
              coordinates=middles(3, 5), dtype=dtype, inputs={"weight": scattered("float32", (2, 8), 141, 0)},
              flags=(*FLAGS, "AxisOrder", "NonSquare", *narrow(dtype)), source=SAM)
        for dtype in DTYPES
    ],
    value("sam-grid-columns", "4 x 4 cells as a grid: rows first", **TWO_PI,
          coordinates=grid(call("half_pixel", size=4), call("half_pixel", size=4)),
          inputs={"weight": scattered("float32", (2, 4), 142, 0)}, flags=(*FLAGS, "AxisOrder"), source=SAM),
    value("sam-points-f32", "SAM: points of an image of 683 x 1024, plus 1/2", **TWO_PI, dtype="float32",
          coordinates=prompts(PIXELS, 683, 1024), inputs={"weight": scattered("float32", (2, 128), 143, 0)},
          flags=(*FLAGS, "AxisOrder", "NonSquare", "OffByOne"), source=SAM),
    value("sam-points-f64", "SAM: points of 1024 x 1024", **TWO_PI, coordinates=prompts(PIXELS, 1024, 1024),
          inputs={"weight": scattered("float32", (2, 8), 144, 0)}, flags=(*FLAGS, "AxisOrder", "OffByOne"), source=SAM),
    value("empty", "no points", **TWO_PI,
          inputs=given(listed([], "float64", (0, 2)), scattered("float32", (2, 4), 145, 0))),
    refused("weight-rows", "a weight of three coordinates for two", "E_SHAPE", "weight", **TWO_PI,
            inputs=given(rows([[0.5, 1.0]]), rows([[1.0], [2.0], [3.0]]))),
    refused("weight-columns", "a weight without columns", "E_SHAPE", "weight", **TWO_PI,
            inputs=given(rows([[0.5]]), listed([], "float64", (1, 0)))),
    refused("weight-line", "a weight of one axis", "E_SHAPE", "weight", **TWO_PI,
            inputs=given(rows([[0.5]]), listed([1.0, 2.0], "float64", (2,)))),
    refused("weight-nan", "a weight that is no number", "E_NUMBER", "weight", **TWO_PI,
            inputs=given(rows([[0.5]]), rows([[float("nan")]]))),
    refused("phase", "a phase for another number of columns", "E_SHAPE", "phase", **TWO_PI,
            inputs=given(rows([[0.5]]), rows([[1.0, 2.0]]), phase=listed([0.5], "float64", (1,)))),
    refused("infinite", "an infinite coordinate", "E_POSITION", "coordinates", **TWO_PI,
            inputs=given(rows([[float("inf")]]), rows([[1.0]]))),
    refused("log-zero", "the logarithm of 0", "E_POSITION", "coordinates", **TWO_PI, transform="ln",
            inputs=given(rows([[0.0]]), rows([[1.0]]))),
    refused("log-plane", "the logarithm of two coordinates", "E_SHAPE", "coordinates", **TWO_PI, transform="ln",
            inputs=given(rows([[1.0, 2.0]]), rows([[1.0], [2.0]]))),
    refused("transform", "a transform that is not known", "E_CHOICE", "transform", **TWO_PI, transform="log",
            inputs=given(rows([[1.0]]), rows([[1.0]]))),
    refused("layout", "a layout that is not known", "E_CHOICE", "layout", factor="2pi", layout="tan",
            inputs=given(rows([[0.5]]), rows([[1.0]]))),
    refused("factor", "factor 0", "E_NUMBER", "factor", factor=0, layout="sin-cos",
            inputs=given(rows([[0.5]]), rows([[1.0]]))),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float64="sin-f32 gaussian-flipped-f32",
    float32="log-1-interleaved factor-pi",
    float16="log-1-interleaved sin-f32 gaussian-flipped-f32 factor-pi",
    bfloat16="sin-f32 gaussian-flipped-f32 integers factor-pi",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float32="factor-0.5",
    float16="factor-0.5",
    bfloat16="factor-0.5",
)
