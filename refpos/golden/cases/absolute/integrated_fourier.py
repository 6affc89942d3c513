"""Golden cases of integrated Fourier features."""

from ...case import call, fraction, grid, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("integrated_fourier", paper("Barron et al. 2021, Mip-NeRF, arXiv:2103.13415, section 3.1"))
FLAGS = ("AxisOrder", "FractionalPosition")
MIP = project("google/mipnerf", "84c969e", "internal/mip.py", "integrated_pos_enc")
NERFSTUDIO = project(
    "nerfstudio-project/nerfstudio", "50e0e3c", "nerfstudio/field_components/encodings.py", "NeRFEncoding"
)
ORDERS = ("kind-axis-band", "kind-band-axis", "axis-kind-band", "axis-band-kind", "band-kind-axis", "band-axis-kind")


def octaves(low, high):
    """Bands 2**low .. 2**high, one for each whole exponent."""
    return call("bands", n=high - low + 1, rule="powers", low=low, high=high)


def at(means, variances):
    """Means and variances as input tensors, rows of one length."""
    return {
        name: listed([value for row in rows for value in row], "float64", (len(rows), len(rows[0])))
        for name, rows in (("mean", means), ("variance", variances))
    }


def exact(*axes):
    """Coordinates that are fractions, a list for each coordinate."""
    return [call("listed", values=[fraction(*one) if isinstance(one, tuple) else one for one in axis]) for axis in axes]


RAYS = at([[0.1, -1.0, 3.0], [0.0, 2.5, -0.3], [3.140625, 0.001, 1.0]],
          [[0.01, 0.0, 1e4], [0.5, 1e-6, 0.0], [1e-3, 3.0, 0.25]])  # fmt: skip
MIP_NERF = {"factor": 1, "order": "kind-band-axis"}
TWELFTHS = exact([(k, 12) for k in range(-2, 7)])

CASES = [
    value("first-numbers", "a mean of 0 and one of 1", **MIP_NERF, frequencies=octaves(0, 1),
          inputs=at([[0.0, 1.0]], [[2.0, 0.5]]), flags=FLAGS),
    *[
        value(f"mip-nerf-{SHORT[dtype]}", f"mip-NeRF: 16 octaves, variances times 4**i, {dtype}", **MIP_NERF,
              frequencies=octaves(0, 15), dtype=dtype, inputs=RAYS,
              flags=(*FLAGS, "SineCosineOrder", *narrow(dtype)), source=MIP)
        for dtype in DTYPES
    ],
    value("mip-nerf-far-f32", "means beyond 100 pi are not wrapped", **MIP_NERF, frequencies=octaves(0, 3),
          dtype="float32", inputs=at([[400.0, -314.2], [1e6, 314.0]], [[1e-4, 0.0], [0.0, 1e-3]]),
          flags=(*FLAGS, "LargeArgument"), source=MIP),
    *[
        value(f"nerfstudio-{SHORT[dtype]}", f"nerfstudio: the mean times 2 pi, the variance not, {dtype}",
              frequencies=octaves(0, 3), factor="2pi", order="kind-axis-band", dtype=dtype, inputs=RAYS,
              flags=(*FLAGS, *narrow(dtype)), source=NERFSTUDIO)
        for dtype in DTYPES
    ],
    value("nerfstudio-uneven", "exponents that are not integers", factor="2pi", order="kind-axis-band",
          frequencies=call("bands", n=4, rule="powers", low=0, high=8), inputs=RAYS, flags=(*FLAGS, "Endpoint"),
          source=NERFSTUDIO),
    *[
        value(f"order-{order}", f"channels by {order}", frequencies=octaves(0, 2), factor=1, order=order,
              dtype=DTYPES[k % 4], flags=(*FLAGS, *narrow(DTYPES[k % 4])),
              inputs={"mean": scattered("float32", (2, 3), 301 + k, 1),
                      "variance": listed([0.0, 0.5, 2.0, 1e-5, 7.25, 0.125], "float64", (2, 3))})
        for k, order in enumerate(ORDERS)
    ],
    *[
        value(f"kinds-{kinds}", f"channels of {kinds}", frequencies=octaves(0, 2), factor="pi", kinds=kinds,
              order="axis-kind-band", inputs=RAYS, flags=(*FLAGS, "SineCosineOrder"))
        for kinds in ("cos-sin", "sin", "cos")
    ],
    value("zero-variance", "a variance of 0 gives the sines themselves", **MIP_NERF, frequencies=octaves(0, 3),
          inputs=at([[0.5, -2.0]], [[0.0, 0.0]]), flags=FLAGS),
    value("zero-mean", "a mean of 0: sines are 0, cosines exponentials", **MIP_NERF, frequencies=octaves(0, 3),
          inputs=at([[0.0], [-0.0]], [[1.0], [1e4]]), flags=(*FLAGS, "Subnormal")),
    *[
        value(f"twelfths-{variance}", f"twelfths of half turns, variance {variance}", factor="pi",
              frequencies=octaves(0, 1), order="band-kind-axis", mean=TWELFTHS, variance=exact([variance] * 9),
              flags=FLAGS)
        for variance in (0, 1)
    ],
    value("subnormal-f32", "products that underflow, slowly", **MIP_NERF, dtype="float32", frequencies=octaves(0, 0),
          inputs=at([[1.0]] * 5, [[174.0], [176.0], [200.0], [206.0], [210.0]]), flags=(*FLAGS, "Subnormal")),
    value("zero-band", "a band of 0", frequencies=call("bands", n=3, rule="linear", low=0, high=1), factor="pi",
          order="axis-band-kind", inputs=at([[0.5]], [[0.25]]), flags=FLAGS),
    value("grid", "2 x 3 cells of one variance", frequencies=octaves(0, 1), factor="2pi", order="kind-axis-band",
          mean=grid(call("half_pixel", size=2), call("half_pixel", size=3)),
          inputs={"variance": listed([0.25] * 12, "float64", (2, 3, 2))}, flags=(*FLAGS, "NonSquare")),
    value("empty", "no points", **MIP_NERF, frequencies=octaves(0, 1),
          inputs={"mean": listed([], "float64", (0, 2)), "variance": listed([], "float64", (0, 2))}),
    refused("variance-negative", "a negative variance", "E_NUMBER", "variance", **MIP_NERF, frequencies=octaves(0, 1),
            inputs=at([[1.0]], [[-1e-9]])),
    refused("variance-shape", "variances of two coordinates for one", "E_SHAPE", "variance", **MIP_NERF,
            frequencies=octaves(0, 1), inputs=at([[1.0]], [[1.0, 2.0]])),
    refused("variance-nan", "a variance that is NaN", "E_POSITION", "variance", **MIP_NERF, frequencies=octaves(0, 1),
            inputs=at([[1.0]], [[float("nan")]])),
    refused("mean-infinite", "an infinite mean", "E_POSITION", "mean", **MIP_NERF, frequencies=octaves(0, 1),
            inputs=at([[float("inf")]], [[1.0]])),
    refused("order", "an order that is not known", "E_CHOICE", "order", factor=1, order="axis-band",
            frequencies=octaves(0, 1), inputs=RAYS),
    refused("kinds", "kinds that are not known", "E_CHOICE", "kinds", **MIP_NERF, kinds="tan",
            frequencies=octaves(0, 1), inputs=RAYS),
    refused("factor", "factor 0", "E_NUMBER", "factor", factor=0, order=ORDERS[0], frequencies=octaves(0, 1),
            inputs=RAYS),
]  # fmt: skip

# what no other case tells apart
CASES += [
    value("axes-f32", "frequencies that differ for each axis, in float32", factor="pi", order="axis-band-kind",
          frequencies=[call("bands", n=2, rule="powers", low=0, high=1),
                       call("bands", n=2, rule="powers", low=1, high=2)],
          dtype="float32", flags=("AxisOrder",),
          inputs={"mean": listed((0.125, 0.5, -0.25, 0.75), "float64", (2, 2)),
                  "variance": listed((0.25, 0.5, 0.125, 0.0625), "float64", (2, 2))}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="order-band-axis-kind axes-f32",
    float32="kinds-cos-sin order-band-kind-axis kinds-sin kinds-cos",
    float16="axes-f32 order-band-kind-axis order-band-axis-kind kinds-sin kinds-cos kinds-cos-sin",
    bfloat16="kinds-cos-sin order-band-kind-axis order-band-axis-kind kinds-sin kinds-cos axes-f32",
)

# a second value of numbers that all other cases have alike
CASES += [
    value("factor-2-f32", "bands times 2, in float32", factor=2, frequencies=octaves(0, 1), order="axis-kind-band",
          dtype="float32", inputs=at([[0.25, -0.5], [0.75, 1.0]], [[0.0625, 0.25], [0.125, 0.03125]]), flags=FLAGS),
]
CASES += in_formats(
    CASES,
    float64="factor-2-f32",
    float16="factor-2-f32",
    bfloat16="factor-2-f32",
)
