"""Golden cases of encodings joined along the channels."""

from ...case import call, fraction, paper, project, suite
from ...telling_inputs import SHORT

value, refused = suite("joined", paper("Cong et al. 2022, SatMAE, arXiv:2207.08051, section 3.1"))
ENCODER = project("sustainlab-group/SatMAE", "e31c11f", "models_mae_temporal.py", "forward_encoder")
DECODER = project("sustainlab-group/SatMAE", "e31c11f", "models_mae_temporal.py", "forward_decoder")
FLAGS = ("AxisOrder", "NonSquare", "NarrowAngle")
#: years after 2002, months from 0, hours
TIMES = ((13, 0, 0), (15, 6, 23), (14, 11, 12))


def _times(dim, dtype, layout="sin-cos"):
    """Year, month and hour of each frame, dim channels each."""
    return [
        call("sinusoidal", positions=[[time[k]] for time in TIMES], dim=dim, layout=layout, dtype=dtype)
        for k in range(3)
    ]


def _places(height, width, dim, dtype, **options):
    """The cells of an image as a sequence, columns first."""
    options = {"axis_order": "wh", "extra_tokens": 0, **options}
    return call("sincos_2d", height=height, width=width, dim=dim, dtype=dtype, **options)


CASES = [
    value("satmae-f32", "SatMAE ViT-L: 640 channels of place, 128 each for year, month and hour; a class row",
          parts=[_places(14, 14, 640, "float32"), *_times(128, "float32")], extra_tokens=1, flags=("AxisOrder",),
          source=ENCODER),
    value("satmae-decoder-f32", "SatMAE, decoder: 320 channels of place, 64 each for year, month and hour",
          parts=[_places(14, 14, 320, "float32"), *_times(64, "float32")], extra_tokens=1, flags=("AxisOrder",),
          source=DECODER),
    *[
        value(f"places-and-times-{SHORT[dtype]}", f"3 x 5 places at three times, {dtype}",
              parts=[_places(3, 5, 8, dtype), *_times(4, dtype)], flags=FLAGS, source=ENCODER)
        for dtype in ("float64", "float32", "float16")
    ],
    *[
        value(f"class-row-{SHORT[dtype]}", f"3 x 5 places at three times behind a row of zeros, {dtype}",
              parts=[_places(3, 5, 8, dtype), *_times(4, dtype)], extra_tokens=1, flags=(*FLAGS, "OffByOne"),
              source=ENCODER)
        for dtype in ("float64", "float32", "float16")
    ],
    value("interleaved", "times interleaved, places not", parts=[_places(2, 3, 4, "float64"),
          *_times(4, "float64", "interleaved")], flags=(*FLAGS, "InterleavedVsHalf")),
    value("times-first", "times before places", parts=[*_times(2, "float32"), _places(2, 3, 4, "float32")],
          flags=FLAGS),
    value("one-part", "one part alone", parts=[_places(2, 3, 4, "float64")], extra_tokens=2, flags=("OffByOne",)),
    value("grid", "rows and columns of a grid, and its frames", flags=FLAGS, parts=[
          call("sincos_2d", height=3, width=2, dim=4, axis_order="hw"),
          call("sinusoidal", positions=[[[0]], [[1]], [[131071]]], dim=4)]),
    value("four-axes", "axes of four parts", flags=FLAGS, parts=[
          call("sinusoidal", positions=[[[[0]]], [[[7]]]], dim=2, dtype="float32"),
          call("sinusoidal", positions=[[[0]], [[1]], [[2]]], dim=4, dtype="float32"),
          call("sinusoidal", positions=[[0], [5]], dim=2, dtype="float32"),
          call("sinusoidal", positions=4, dim=4, dtype="float32")]),
    value("odd-widths", "parts of odd widths", parts=[call("sinusoidal", positions=3, dim=3),
          call("sinusoidal", positions=[10, 20, 30], dim=1), call("sinusoidal", positions=3, dim=5, odd="pad")],
          flags=("OddDimension",)),
    value("scaled", "thirds of positions beside whole ones", parts=[
          call("sincos_grid", grid=[call("affine", size=4, step=fraction(1, 3))], dim=4, axis_order=[0],
               dtype="float32"),
          call("sinusoidal", positions=4, dim=4, layout="cos-sin", endpoint=True, dtype="float32")],
          flags=("FractionalPosition", "Endpoint", "SineCosineOrder")),
    value("empty", "no cells", parts=[call("sinusoidal", positions=0, dim=4), call("sinusoidal", positions=1, dim=2)]),
    value("cell", "one cell", parts=[call("sinusoidal", positions=1, dim=2), call("sinusoidal", positions=1, dim=2)],
          extra_tokens=0),
    refused("none", "no parts", "E_SHAPE", "parts", parts=[]),
    refused("null", "no list of parts", "E_SHAPE", "parts", parts=None),
    refused("number", "a number as a part", "E_SHAPE", "parts", parts=[1.5]),
    refused("shapes", "parts of 3 and of 4 cells", "E_SHAPE", "parts", parts=[
            call("sinusoidal", positions=3, dim=4), call("sinusoidal", positions=4, dim=4)]),
    refused("dtypes", "parts of two dtypes", "E_DTYPE", "parts", parts=[
            call("sinusoidal", positions=3, dim=4), call("sinusoidal", positions=3, dim=4, dtype="float32")]),
    refused("integers", "integers as a part", "E_DTYPE", "parts", parts=[[[1, 2], [3, 4]]]),
    refused("tokens", "a negative number of rows", "E_SIZE", "extra_tokens", extra_tokens=-1, parts=[
            call("sinusoidal", positions=3, dim=4)]),
]
