"""Golden cases of the coordinates of slot attention."""

from ...case import paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow

value, refused = suite(
    "soft_grid", paper("Locatello et al. 2020, Object-Centric Learning with Slot Attention, arXiv:2006.15055, E")
)
SLOTS = project("google-research/google-research", "20622ff", "slot_attention/model.py", "build_grid")
FLAGS = ("AxisOrder", "NonSquare")
CASES = [
    value("first-numbers", "2 x 3 cells: the ends are 0 and 1", height=2, width=3, flags=FLAGS),
    *[
        value(f"slots-3x5-{SHORT[dtype]}", f"3 x 5 cells, {dtype}", height=3, width=5, dtype=dtype,
              flags=(*FLAGS, *narrow(dtype)), source=SLOTS)
        for dtype in DTYPES
    ],
    *[
        value(f"slots-8x8-{SHORT[dtype]}", f"8 x 8 cells of the decoder: sevenths, {dtype}", height=8, width=8,
              dtype=dtype, flags=("AxisOrder", *narrow(dtype)), source=SLOTS)
        for dtype in DTYPES
    ],
    value("slots-32-f32", "32 x 32 cells of the classifier", height=32, width=32, dtype="float32",
          flags=("AxisOrder",), source=SLOTS),
    *[
        value(f"rectangle-{SHORT[dtype]}", f"7 x 4 cells, {dtype}", height=7, width=4, dtype=dtype,
              flags=(*FLAGS, *narrow(dtype)))
        for dtype in DTYPES
    ],
    value("one-row", "one row: y is 0, and 1 from the other end", height=1, width=4, flags=FLAGS),
    value("one-column", "one column", height=4, width=1, flags=FLAGS),
    value("one-cell", "one cell", height=1, width=1, flags=("AxisOrder",)),
    value("empty", "no rows", height=0, width=3),
    refused("height", "a negative height", "E_SIZE", "height", height=-1, width=3),
    refused("width", "a width that is no integer", "E_SIZE", "width", height=2, width=1.5),
    refused("dtype", "an unknown dtype", "E_DTYPE", "dtype", height=2, width=2, dtype="int8"),
]  # fmt: skip
