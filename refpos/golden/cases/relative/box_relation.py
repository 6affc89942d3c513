"""Golden cases of the relations of boxes."""

from ...case import fraction, listed, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("box_relation", paper("Hou et al. 2024, Relation DETR, arXiv:2407.11699, section 4.1"))
FLAGS = ("AxisOrder", "FractionalPosition")
LAYOUT = project(
    "transformers", "5.23.0", "models/pp_doclayout_v2/modeling_pp_doclayout_v2.py",
    "PPDocLayoutV2PositionRelationEmbedding",
)  # fmt: skip


def rows(values, dtype="float64"):
    """Boxes as rows of an input tensor."""
    return listed([value for row in values for value in row], dtype, (len(values), 4))


PAGE = [[0.5, 0.1, 0.9, 0.125], [0.5, 0.1, 0.9, 0.125], [0.25, 0.6, 0.4, 0.7], [0.75, 0.6, 0.4, 0.3],
        [0.5, 0.97, 0.0, 0.02]]  # fmt: skip
CORNERS = [[0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 1.0, 2.0], [3.0, -4.0, 0.5, 1.0]]
CASES = [
    value("first-numbers", "two boxes side by side", dim=2, scale=1, eps=0,
          inputs={"boxes": rows(CORNERS[:2])}, flags=FLAGS),
    *[
        value(f"doclayout-{SHORT[dtype]}", f"PP-DocLayoutV2: five boxes, two of them equal, {dtype}", dim=16,
              dtype=dtype, inputs={"boxes": rows(PAGE)},
              flags=(*FLAGS, "Endpoint", "LargeArgument", *narrow(dtype)), source=LAYOUT)
        for dtype in DTYPES
    ],
    *[
        value(f"width-{dim}-{SHORT[dtype]}", f"width {dim}: exponents 4i/{dim}, {dtype}", dim=dim, dtype=dtype,
              inputs={"boxes": rows(CORNERS)}, flags=(*FLAGS, "Endpoint", *narrow(dtype)))
        for dim, dtype in ((2, "float16"), (4, "float64"), (6, "bfloat16"), (10, "float32"))
    ],
    *[
        value(f"rectangle-{SHORT[dtype]}", f"2 boxes beside 3: the rows are sources, {dtype}", dim=8, dtype=dtype,
              inputs={"boxes": rows(PAGE[1:3]), "targets": rows(CORNERS)},
              flags=(*FLAGS, "UnequalLengths", *narrow(dtype)))
        for dtype in ("float64", "float32")
    ],
    value("equal", "one box twice: logarithms of 1 are 0", dim=4, inputs={"boxes": rows([PAGE[0]] * 2)}, flags=FLAGS),
    value("nearly-equal", "boxes that differ in the last bit", dim=4,
          inputs={"boxes": rows([[0.5, 0.5, 0.1, 0.2], [0.5 + 2.0**-53, 0.5, 0.1 + 2.0**-56, 0.2]])},
          flags=(*FLAGS, "Cancellation")),
    value("no-size", "sizes of 0: eps stands below", dim=4,
          inputs={"boxes": rows([[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]])}, flags=FLAGS),
    value("whole", "integers, without eps", dim=4, eps=0, scale=fraction(1, 3), base=16,
          inputs={"boxes": rows([[1, 2, 3, 4], [5, 5, 4, 3]], "int64")}, flags=(*FLAGS, "Base")),
    value("batch", "two pages of two boxes", dim=2,
          inputs={"boxes": listed([value for row in PAGE[:4] for value in row], "float64", (2, 2, 4))}, flags=FLAGS),
    value("no-targets", "no columns", dim=4,
          inputs={"boxes": rows(PAGE[:2]), "targets": listed([], "float64", (0, 4))}),
    value("empty", "no boxes", dim=4, inputs={"boxes": listed([], "float64", (0, 4))}),
    refused("dim-odd", "an odd width", "E_ODD_DIM", "dim", dim=3, inputs={"boxes": rows(PAGE)}),
    refused("three", "boxes of three numbers", "E_SHAPE", "boxes", dim=4,
            inputs={"boxes": listed([1.0] * 6, "float64", (2, 3))}),
    refused("targets", "targets of another batch", "E_SHAPE", "targets", dim=4,
            inputs={"boxes": rows(PAGE), "targets": listed([1.0] * 8, "float64", (2, 1, 4))}),
    refused("size-negative", "a negative width", "E_NUMBER", "boxes", dim=4,
            inputs={"boxes": rows([[0.0, 0.0, -1.0, 1.0]])}),
    refused("size-zero", "a width of 0 without eps", "E_NUMBER", "boxes", dim=4, eps=0,
            inputs={"boxes": rows([[0.0, 0.0, 0.0, 1.0]])}),
    refused("nan", "a place that is NaN", "E_NUMBER", "boxes", dim=4,
            inputs={"boxes": rows([[float("nan"), 0.0, 1.0, 1.0]])}),
    refused("eps", "a negative eps", "E_NUMBER", "eps", dim=4, eps=-1, inputs={"boxes": rows(PAGE)}),
    refused("scale", "scale 0", "E_NUMBER", "scale", dim=4, scale=0, inputs={"boxes": rows(PAGE)}),
    refused("base", "base 0", "E_BASE", "base", dim=4, base=0, inputs={"boxes": rows(PAGE)}),
]  # fmt: skip

# what no other case tells apart
CASES += [
    value("eps-1-f32", "eps 1, so that boxes with the same centre are not far, in float32", dim=8, eps=1, scale=3,
          base=100, dtype="float32",
          inputs={"boxes": listed((0.0, 0.0, 2.0, 4.0, 1.0, 2.0, 3.0, 5.0), "float64", (2, 4))}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="eps-1-f32",
    float16="eps-1-f32 rectangle-f64",
    bfloat16="eps-1-f32 rectangle-f64",
)
