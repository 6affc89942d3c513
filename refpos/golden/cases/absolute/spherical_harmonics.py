"""Golden cases of real spherical harmonics."""

from ...case import call, fraction, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow

value, refused = suite("spherical_harmonics", paper("Sloan 2008, Stupid Spherical Harmonics (SH) Tricks, appendix A2"))
TCNN = project("NVlabs/tiny-cuda-nn", "6ee3546", "include/tiny-cuda-nn/common_device.h", "sh_enc")
NERFSTUDIO = project(
    "nerfstudio-project/nerfstudio", "50e0e3c", "nerfstudio/utils/spherical_harmonics.py",
    "components_from_spherical_harmonics",
)  # fmt: skip
SATCLIP = {
    "satclip": project(
        "microsoft/satclip", "1ead106", "satclip/positional_encoding/spherical_harmonics_generate_ylms.py", "calc_ylm"
    ),
    "satclip-closed-form": project(
        "microsoft/satclip", "1ead106", "satclip/positional_encoding/spherical_harmonics_closed_form.py", "SH"
    ),
}
FLAGS = ("AxisOrder",)
CONVENTIONS = {"tcnn": TCNN, "nerfstudio": NERFSTUDIO}


def rows(values, dtype="float64"):
    """The tokens as an input tensor, rows of one length."""
    return {"x": listed([value for row in values for value in row], dtype, (len(values), len(values[0])))}


AXES = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]]
HALF_AXES = [[(c + 1) / 2 for c in axis] for axis in AXES]
DIRECTIONS = [[0.6, 0.0, 0.8], [-0.36, 0.48, 0.8], [0.1, 0.7, -0.2], [0.577, -0.577, 0.578]]
PLACES = [[12.5, 48.25], [-122.25, 37.75], [151.2, -33.9], [0.1, -0.1], [179.9, 89.9]]
EDGES = [[-180.0, -90.0], [0.0, 0.0], [180.0, 90.0], [90.0, 0.0], [-90.0, 45.0], [45.0, 30.0], [-60.0, -60.0]]

CASES = [
    value("first-numbers", "the north pole below degree 2", degree=2, convention="nerfstudio",
          inputs=rows([[0.0, 0.0, 1.0]]), flags=FLAGS),
    *[
        value(f"tcnn-axes-{SHORT[dtype]}", f"tiny-cuda-nn: the six axes, given in 0 .. 1, {dtype}", degree=4,
              convention="tcnn", dtype=dtype, inputs=rows(HALF_AXES), flags=(*FLAGS, *narrow(dtype)), source=TCNN)
        for dtype in DTYPES
    ],
    *[
        value(f"nerfstudio-axes-{SHORT[dtype]}", f"nerfstudio: the six axes, {dtype}", degree=5,
              convention="nerfstudio", dtype=dtype, inputs=rows(AXES), flags=(*FLAGS, *narrow(dtype)),
              source=NERFSTUDIO)
        for dtype in DTYPES
    ],
    *[
        value(f"{convention}-directions-{degree}", f"directions that are no axes, below degree {degree}",
              degree=degree, convention=convention, inputs=rows(DIRECTIONS), flags=FLAGS, source=source)
        for convention, source in CONVENTIONS.items() for degree in (1, 3, 5)
    ],
    value("tcnn-8-f32", "tiny-cuda-nn: all 8 degrees it has", degree=8, convention="tcnn", dtype="float32",
          inputs={"x": scattered("float32", (3, 3), 401, 0)}, flags=FLAGS, source=TCNN),
    value("length-two", "directions of length 2: the polynomials stay", degree=4, convention="nerfstudio",
          inputs=rows([[2.0, 0.0, 0.0], [0.0, 0.0, 2.0], [1.2, 0.0, 1.6]]), flags=FLAGS, source=NERFSTUDIO),
    value("zeros-of-legendre", "z**2 = 1/5 nearly: products that cancel", degree=5, convention="nerfstudio",
          inputs=rows([[0.5, 0.25, 0.4472135954999579], [0.25, 0.5, 0.5773502691896258]]),
          flags=(*FLAGS, "Cancellation"), source=NERFSTUDIO),
    value("nowhere", "the direction (0, 0, 0)", degree=4, convention="nerfstudio", inputs=rows([[0.0, 0.0, 0.0]]),
          flags=FLAGS, source=NERFSTUDIO),
    *[
        value(f"{convention}-{SHORT[dtype]}", f"SatCLIP: 10 degrees, m below 0 among them, {dtype}", degree=10,
              convention=convention, dtype=dtype, inputs=rows(PLACES),
              flags=(*FLAGS, "FractionalPosition", *narrow(dtype)), source=source)
        for convention, source in SATCLIP.items() for dtype in DTYPES
    ],
    *[
        value(f"{convention}-edges", "poles, the equator and round angles: what is exactly 0", degree=7,
              convention=convention, inputs=rows(EDGES), flags=FLAGS, source=source)
        for convention, source in SATCLIP.items()
    ],
    value("satclip-thirds", "fractions of degrees", degree=4, convention="satclip",
          x=[call("listed", values=[fraction(1, 3), fraction(-100, 7)]),
             call("listed", values=[fraction(200, 3), 0])], flags=(*FLAGS, "FractionalPosition"),
          source=SATCLIP["satclip"]),
    value("satclip-40-f32", "SatCLIP: 40 degrees", degree=40, convention="satclip", dtype="float32",
          inputs=rows([[-73.96, 40.78]]), flags=FLAGS, source=SATCLIP["satclip"]),
    value("satclip-near-pole", "a thousandth of a degree from the pole: tiny powers", degree=10, convention="satclip",
          inputs=rows([[30.0, -89.999], [10.0, 89.99999999]]), flags=(*FLAGS, "Cancellation"),
          source=SATCLIP["satclip"]),
    value("satclip-far-lon", "longitudes beyond 180", degree=3, convention="satclip",
          inputs=rows([[370.0, 10.0], [-1e6, 10.0]]), flags=(*FLAGS, "LargeArgument"), source=SATCLIP["satclip"]),
    value("batch", "tokens of two axes", degree=2, convention="nerfstudio",
          inputs={"x": scattered("float32", (2, 3, 3), 402, 0)}, flags=FLAGS),
    value("empty", "no directions", degree=2, convention="tcnn", inputs={"x": listed([], "float64", (0, 3))}),
    refused("degree-zero", "no degrees", "E_SIZE", "degree", degree=0, convention="tcnn", inputs=rows(AXES)),
    refused("degree-beyond", "65 degrees", "E_SIZE", "degree", degree=65, convention="tcnn", inputs=rows(AXES)),
    refused("places-for-directions", "two coordinates of a direction", "E_SHAPE", "x", degree=2, convention="tcnn",
            inputs=rows(PLACES)),
    refused("directions-for-places", "three coordinates of a place", "E_SHAPE", "x", degree=2, convention="satclip",
            inputs=rows(AXES)),
    refused("latitude-first", "a latitude of 122 degrees", "E_POSITION", "x", degree=2, convention="satclip",
            inputs=rows([[37.75, -122.25]])),
    refused("infinite", "an infinite coordinate", "E_POSITION", "x", degree=2, convention="nerfstudio",
            inputs=rows([[float("inf"), 0.0, 0.0]])),
    refused("convention", "a convention that is not known", "E_CHOICE", "convention", degree=2, convention="scipy",
            inputs=rows(AXES)),
]  # fmt: skip
