"""Golden cases of the Equal Earth projection."""

from ...case import call, fraction, listed, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow

value, refused = suite(
    "equal_earth",
    paper("Savric, Patterson and Jenny 2019, The Equal Earth map projection, doi:10.1080/13658816.2018.1504949"),
)
GEOCLIP = project("VicenteVivan/geo-clip", "7a1a23b", "geoclip/model/location_encoder.py", "equal_earth_projection")
SCALE = fraction(6650336, 18000000)
FLAGS = ("AxisOrder", "FractionalPosition")


def rows(values, dtype="float64"):
    """Places as an input tensor, latitude first."""
    return {"coordinates": listed([value for row in values for value in row], dtype, (len(values), 2))}


PLACES = [[48.25, 12.5], [37.75, -122.25], [-33.90625, 151.203125], [0.1, -0.1], [64.125, -21.9375]]
EDGES = [[0.0, 0.0], [90.0, 0.0], [-90.0, 180.0], [0.0, 180.0], [90.0, -180.0], [45.0, 90.0], [30.0, 60.0]]
CASES = [
    value("first-numbers", "the end of the equator and the north pole", inputs=rows([[0.0, 180.0], [90.0, 0.0]]),
          flags=FLAGS),
    *[
        value(f"places-{SHORT[dtype]}", f"five cities, {dtype}", dtype=dtype, inputs=rows(PLACES),
              flags=(*FLAGS, *narrow(dtype)))
        for dtype in DTYPES
    ],
    *[
        value(f"geoclip-{SHORT[dtype]}", f"GeoCLIP: five cities, times 66.50336 / 180, {dtype}", scale=SCALE,
              dtype=dtype, inputs=rows(PLACES), flags=(*FLAGS, *narrow(dtype)), source=GEOCLIP)
        for dtype in DTYPES
    ],
    *[
        value(f"geoclip-edges-{SHORT[dtype]}", f"GeoCLIP: poles, the equator, the date line, {dtype}", scale=SCALE,
              dtype=dtype, inputs=rows(EDGES), flags=(*FLAGS, *narrow(dtype)), source=GEOCLIP)
        for dtype in DTYPES
    ],
    value("swapped", "what the cities give with longitude first, where that is a latitude",
          inputs=rows([[12.5, 48.25], [-21.9375, 64.125]]), flags=FLAGS),
    value("near-zero", "places next to the origin", inputs=rows([[1e-9, -1e-12], [-1e-300, 1e-300], [5e-324, 1.0]]),
          flags=(*FLAGS, "Subnormal")),
    value("near-pole", "places next to a pole", inputs=rows([[89.99999999999999, 1.0], [-89.5, 179.5]]), flags=FLAGS),
    value("beyond", "longitudes beyond 180 are not wrapped", inputs=rows([[10.0, 370.0], [10.0, -1e6]]), flags=FLAGS),
    value("sevenths", "fractions of degrees", scale=SCALE,
          coordinates=[call("listed", values=[fraction(1, 7), fraction(-100, 3)]),
                       call("listed", values=[fraction(200, 7), 0])], flags=FLAGS, source=GEOCLIP),
    value("batch", "places of two axes", flags=FLAGS,
          inputs={"coordinates": listed([float(7 * n - 40) for n in range(12)], "float64", (2, 3, 2))}),
    value("empty", "no places", inputs={"coordinates": listed([], "float64", (0, 2))}),
    refused("longitude-first", "a latitude of 122 degrees", "E_POSITION", "coordinates",
            inputs=rows([[-122.25, 37.75]])),
    refused("three", "three coordinates", "E_SHAPE", "coordinates",
            inputs={"coordinates": listed([1.0, 2.0, 3.0], "float64", (1, 3))}),
    refused("scale", "scale 0", "E_NUMBER", "scale", scale=0, inputs=rows(PLACES)),
    refused("nan", "a latitude that is NaN", "E_POSITION", "coordinates", inputs=rows([[float("nan"), 0.0]])),
]  # fmt: skip
