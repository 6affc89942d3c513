"""Golden cases of the positions of a grid, those of named models among them."""

from ...case import call, fraction, project, suite
from .. import _models

value, refused = suite("grid_positions", project("torch", "2.13.0", "torch/functional.py", "meshgrid"))
FLAGS = ("AxisOrder", "NonSquare")

CASES = [
    value("2x3", "rows and columns", coordinates=[2, 3], flags=FLAGS),
    value("3x2", "the other rectangle", coordinates=[3, 2], flags=FLAGS),
    value("2x3x4", "frames, rows and columns", coordinates=[2, 3, 4], flags=FLAGS),
    value("one-axis", "a sequence", coordinates=[5]),
    value("one-cell", "one cell", coordinates=[1, 1, 1]),
    value("no-cells", "no rows", coordinates=[0, 3]),
    value("half-whole", "halves on one axis make every number a float64", flags=("FractionalPosition",),
          coordinates=[2, call("affine", size=3, step=fraction(1, 2))]),
    value("thirds", "thirds are rounded once", flags=("FractionalPosition",),
          coordinates=[call("affine", size=4, step=fraction(1, 3)), 2]),
    value("centred", "rows -3 .. 1, columns -2 .. 1", flags=("OffByOne", "NonSquare"),
          coordinates=[call("centred", size=size, rounding="ceil") for size in (5, 4)]),
    value("65536", "an image that begins at 65536", flags=("LongContextInteger",),
          coordinates=[call("affine", size=size, start=65536) for size in (2, 3)]),
    *_models.positions(value),
    refused("none", "no axis", "E_SHAPE", "coordinates", coordinates=[]),
    refused("number", "a number", "E_SHAPE", "coordinates", coordinates=4),
    refused("square", "coordinates that are a square", "E_SHAPE", "coordinates", coordinates=[[[1, 2], [3, 4]]]),
]
