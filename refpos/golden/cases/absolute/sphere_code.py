"""Golden cases of codes of longitude and latitude."""

from ...case import call, fraction, listed, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow

value, refused = suite("sphere_code", paper("Mai et al. 2023, Sphere2Vec, arXiv:2306.17624, section 4"))
FLAGS = ("AxisOrder", "FractionalPosition")
FOLDER = "satclip/positional_encoding"


def satclip(file, name):
    """A module of SatCLIP as the source."""
    return project("microsoft/satclip", "1ead106", f"{FOLDER}/{file}.py", name)


def rows(values, dtype="float64"):
    """Places as an input tensor."""
    return {"coordinates": listed([value for row in values for value in row], dtype, (len(values), 2))}


def scales(n, low, high):
    """Frequencies 1 / radius, the radii in a constant ratio, the smallest first."""
    return call("bands", n=n, rule="geometric", low=low, high=high)


ANGLES = {
    "direct": satclip("direct", "Direct"),
    "cartesian": satclip("cartesian3d", "Cartesian3D"),
    "wrap": satclip("wrap", "Wrap"),
}
SCALES = {name: satclip("grid_and_sphere", "GridAndSphere") for name in ("grid", "C", "C+", "M", "M+")}
SCALES["theory"] = satclip("theory", "Theory")
SLUGS = {"C+": "c-plus", "M+": "m-plus", "C": "c", "M": "m"}
PLACES = [[12.5, 48.25], [-122.25, 37.75], [151.203125, -33.9], [0.1, 0.0]]
EDGES = [[0.0, 0.0], [180.0, 90.0], [-180.0, -90.0], [120.0, 60.0], [90.0, 30.0], [-45.0, 45.0]]
CASES = [
    value("first-numbers", "the equator and 36, 72 degrees, whose cosines multiply to 1/4", rule="cartesian",
          inputs=rows([[90.0, 30.0], [36.0, 72.0]]), flags=FLAGS),
    *[
        value(f"{code}-{SHORT[dtype]}", f"{code}: places, {dtype}", rule=code, dtype=dtype, inputs=rows(PLACES),
              flags=(*FLAGS, *narrow(dtype)), source=source)
        for code, source in ANGLES.items() for dtype in DTYPES
    ],
    *[
        value(f"{code}-edges", f"{code}: poles, the equator and round angles", rule=code, inputs=rows(EDGES),
              flags=FLAGS, source=source)
        for code, source in ANGLES.items()
    ],
    value("cartesian-tenths", "tenths and fifths of a turn: products that are +-1/4, and those that are not",
          rule="cartesian", inputs=rows([[36.0, 72.0], [72.0, 36.0], [144.0, 72.0], [108.0, 36.0], [36.0, 36.0],
                                         [54.0, 72.0], [18.0, 36.0], [-126.0, 72.0], [72.0, 72.0]]),
          flags=FLAGS),
    value("wrap-thirds", "fractions of degrees, and far longitudes", rule="wrap",
          coordinates=[call("listed", values=[fraction(1, 3), 1000000]),
                       call("listed", values=[fraction(-200, 7), 45])], flags=(*FLAGS, "LargeArgument")),
    *[
        value(f"{SLUGS.get(code, code)}-{SHORT[dtype]}", f"{code}: 4 frequencies of SatCLIP, {dtype}", rule=code,
              frequencies=scales(4, fraction(1, 1000), fraction(1, 10000)) if code == "theory"
              else scales(4, 100000, 100),
              dtype=dtype, inputs=rows(PLACES),
              flags=(*FLAGS, "SineCosineOrder", "LargeArgument", *narrow(dtype)), source=source)
        for code, source in SCALES.items() for dtype in DTYPES
    ],
    *[
        value(f"{SLUGS.get(code, code)}-zero", f"{code}: where an angle is 0", rule=code, frequencies=scales(2, 4, 1),
              inputs=rows([[0.0, 0.0], [0.0, 1.5], [1.5, 0.0]]), flags=(*FLAGS, "SineCosineOrder"), source=source)
        for code, source in SCALES.items()
    ],
    value("c-16-f32", "C: all 16 frequencies of SatCLIP", rule="C", frequencies=scales(16, 100000, 100),
          dtype="float32", inputs=rows(PLACES[:2]), flags=(*FLAGS, "LargeArgument"), source=SCALES["C"]),
    value("theory-16-f32", "theory: all 16 frequencies of SatCLIP", rule="theory", dtype="float32",
          frequencies=scales(16, fraction(1, 1000), fraction(1, 10000)), inputs=rows(PLACES[:2]), flags=FLAGS,
          source=SCALES["theory"]),
    value("batch", "places of two axes", rule="wrap",
          inputs={"coordinates": listed([float(n) for n in range(12)], "float64", (2, 3, 2))}, flags=FLAGS),
    value("empty", "no places", rule="M", frequencies=scales(2, 4, 1),
          inputs={"coordinates": listed([], "float64", (0, 2))}),
    refused("rule", "a rule that is not known", "E_CHOICE", "rule", rule="sphere", inputs=rows(PLACES)),
    refused("no-frequencies", "a code of scales without any", "E_CHOICE", "frequencies", rule="C",
            inputs=rows(PLACES)),
    refused("frequencies", "scales of a code that has none", "E_CHOICE", "frequencies", rule="wrap",
            frequencies=scales(2, 4, 1), inputs=rows(PLACES)),
    refused("three", "three coordinates", "E_SHAPE", "coordinates", rule="wrap",
            inputs={"coordinates": listed([1.0, 2.0, 3.0], "float64", (1, 3))}),
    refused("infinite", "an infinite latitude", "E_POSITION", "coordinates", rule="wrap",
            inputs=rows([[0.0, float("inf")]])),
]  # fmt: skip
