"""Golden cases of the code of CAPE for patches."""

from ...case import call, fraction, grid, listed, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow

value, refused = suite("cape_2d", paper("Likhomanenko et al. 2021, CAPE, arXiv:2106.03143, section 3"))
LAST = project("gcambara/cape", "d456950", "cape/cape.py", "CAPE2d")
FIRST = project("gcambara/cape", "85941cf", "cape/cape.py", "CAPE2d")
FLAGS = ("AxisOrder", "FractionalPosition")


def image(rows, columns):
    """The cells of an image, from -1 to 1 along both axes."""
    return grid(*(call("linspace", start=-1, stop=1, size=size, endpoint=True) for size in (rows, columns)))


def points(values, dtype="float64"):
    """Points as an input tensor, x first."""
    return {"coordinates": listed([value for row in values for value in row], dtype, (len(values), 2))}


PLACES = [[0.25, -0.75], [-1.0, 1.0], [0.3, 0.1], [0.0, 0.6], [0.6, 0.0]]
EXACT = [[0.0, 0.0], [1.0, 0.0], [-0.5, 0.0], [0.25, 0.0], [1.5, 0.0]]
CASES = [
    *[
        value(f"image-3x5-{SHORT[dtype]}", f"patches of 3 x 5, x along the first axis, {dtype}", dim=16, radii="ends",
              coordinates=image(3, 5), dtype=dtype, flags=(*FLAGS, *narrow(dtype)), source=LAST)
        for dtype in DTYPES
    ],
    *[
        value(f"first-3x5-{SHORT[dtype]}", f"the same by the first version of the code, {dtype}", dim=16,
              radii="from-one", coordinates=image(3, 5), dtype=dtype, flags=(*FLAGS, *narrow(dtype)), source=FIRST)
        for dtype in DTYPES
    ],
    *[
        value(f"places-{SHORT[dtype]}", f"five places, {dtype}", dim=12, radii="ends",
              inputs=points(PLACES), dtype=dtype, flags=(*FLAGS, *narrow(dtype)))
        for dtype in DTYPES
    ],
    value("swapped", "five places with y first", dim=12, radii="ends", flags=FLAGS,
          inputs=points([place[::-1] for place in PLACES])),
    value("one-direction-ends", "a single direction of radius 1: exact", dim=2, radii="ends", inputs=points(EXACT),
          flags=FLAGS),
    value("one-direction-ten", "a single direction of radius 10: exact", dim=2, radii="from-one",
          inputs=points(EXACT), flags=FLAGS),
    value("middle", "x and y of 0 alone, where cosines or sines of direction 0 are exact", dim=6, radii="ends",
          inputs=points([[0.0, 0.0], [0.0, 0.5], [0.5, 0.0]]), flags=FLAGS),
    value("shifted", "places beyond the image, as training shifts them", dim=8, radii="ends",
          inputs=points([[1.4375, -1.3125], [-20.5, 3.0]]), flags=FLAGS, source=LAST),
    value("tiny", "places next to the middle", dim=8, radii="ends", flags=(*FLAGS, "Subnormal"),
          inputs=points([[1e-300, -1e-300], [5e-324, 0.0], [0.0, 1e-17]])),
    value("sevenths", "fractions", dim=8, radii="ends", flags=FLAGS,
          coordinates=[call("listed", values=[fraction(1, 7), fraction(-6, 7)]),
                       call("listed", values=[fraction(2, 7), 0])]),
    value("batch", "places of two axes", dim=4, radii="from-one", flags=FLAGS,
          inputs={"coordinates": listed([n / 8 - 0.6875 for n in range(12)], "float64", (2, 3, 2))}),
    value("empty", "no places", dim=4, radii="ends", inputs={"coordinates": listed([], "float64", (0, 2))}),
    refused("odd", "an odd width", "E_ODD_DIM", "dim", dim=7, radii="ends", inputs=points(PLACES)),
    refused("three", "three coordinates", "E_SHAPE", "coordinates", dim=4, radii="ends",
            inputs={"coordinates": listed([1.0, 2.0, 3.0], "float64", (1, 3))}),
    refused("radii", "another list of radii", "E_CHOICE", "radii", dim=4, radii="linear", inputs=points(PLACES)),
    refused("nan", "x that is NaN", "E_POSITION", "coordinates", dim=4, radii="ends",
            inputs=points([[float("nan"), 0.0]])),
]  # fmt: skip
