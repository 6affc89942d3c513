"""Golden cases of Fourier features of coordinates."""

from ...case import call, fraction, grid, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("fourier_bands", paper("Mildenhall et al. 2020, NeRF, arXiv:2003.08934, section 5.1"))
FLAGS = ("AxisOrder", "FractionalPosition")
ORDERS = ("kind-axis-band", "kind-band-axis", "axis-kind-band", "axis-band-kind", "band-kind-axis", "band-axis-kind")
DIFFUSERS = ("huggingface/diffusers", "0.42.1")
PERCEIVER = project("transformers", "5.23.0", "models/perceiver/modeling_perceiver.py", "generate_fourier_features")
TIMM = project(
    "huggingface/pytorch-image-models", "1.0.31", "timm/layers/pos_embed_sincos.py", "build_fourier_pos_embed"
)
AURORA = project("microsoft/aurora", "7fa85ff", "aurora/model/fourier.py", "FourierExpansion")


def octaves(low, high):
    """Bands 2**low .. 2**high, one for each whole exponent."""
    return call("bands", n=high - low + 1, rule="powers", low=low, high=high)


def evenly(n, low, high):
    """So many bands, evenly spaced."""
    return call("bands", n=n, rule="linear", low=low, high=high)


def ratio(n, low, high, endpoint=True):
    """So many bands in a constant ratio."""
    return call("bands", n=n, rule="geometric", low=low, high=high, endpoint=endpoint)


def at(rows):
    """Coordinates as an input tensor, rows of one length."""
    return {"coordinates": listed([value for row in rows for value in row], "float64", (len(rows), len(rows[0])))}


def ends(*sizes):
    """A grid from -1 to 1, both ends included; an axis of one cell is at -1."""
    return grid(*(call("linspace", start=-1, stop=1, size=size, endpoint=True) for size in sizes))


POINTS = at([[0.0, 0.1, -1.0], [0.5, -0.3, 1.0]])
THIRDS = [call("listed", values=[fraction(1, 3), fraction(-1, 1), fraction(5, 6)])]

CASES = [
    value("first-numbers", "two coordinates, two octaves of pi", frequencies=octaves(0, 1), factor="pi",
          order="band-kind-axis", inputs=at([[0.25, 1.0]]), flags=FLAGS),
    *[
        value(f"{order}-{SHORT[dtype]}", f"three coordinates, three octaves, {order}, {dtype}",
              frequencies=octaves(0, 2), factor=factor, order=order, dtype=dtype,
              inputs={"coordinates": scattered("float32", (2, 3), 90 + k, 1)}, flags=(*FLAGS, *narrow(dtype)))
        for k, (order, dtype, factor) in enumerate(zip(ORDERS, DTYPES * 2, (1, "pi", "2pi") * 2))
    ],
    *[
        value(f"include-{include}-{SHORT[dtype]}", f"the coordinates {include}, {dtype}", frequencies=octaves(0, 1),
              factor="pi", order="kind-axis-band", include=include, dtype=dtype, inputs=POINTS,
              flags=(*FLAGS, *narrow(dtype)))
        for include in ("first", "last") for dtype in DTYPES
    ],
    *[
        value(f"kinds-{kinds}", f"kinds {kinds}", frequencies=octaves(0, 1), factor="2pi", order="axis-kind-band",
              kinds=kinds, inputs=POINTS, flags=(*FLAGS, "SineCosineOrder"))
        for kinds in ("cos-sin", "sin", "cos")
    ],
    # NeRF and its kin
    *[
        value(f"nerf-{SHORT[dtype]}", f"NeRF: 10 octaves without pi, coordinates first, {dtype}",
              frequencies=octaves(0, 9), factor=1, order="band-kind-axis", include="first", dtype=dtype,
              inputs={"coordinates": scattered("float32", (2, 3), 96, 1)}, flags=(*FLAGS, *narrow(dtype)),
              source=project("bmild/nerf", "14c5556", "run_nerf_helpers.py", "Embedder"))
        for dtype in DTYPES
    ],
    value("nerf-directions-f32", "NeRF: 4 octaves of a direction", frequencies=octaves(0, 3), factor=1,
          order="band-kind-axis", include="first", dtype="float32", inputs=POINTS, flags=FLAGS,
          source=project("bmild/nerf", "14c5556", "run_nerf_helpers.py", "Embedder")),
    value("nerf-linear", "NeRF without log_sampling", frequencies=evenly(10, 1, 512), factor=1,
          order="band-kind-axis", include="first", inputs=POINTS, flags=FLAGS,
          source=project("bmild/nerf", "14c5556", "run_nerf_helpers.py", "Embedder")),
    value("nerf-paper-thirds", "the paper's pi: a third and a sixth are exact", frequencies=octaves(0, 9),
          factor="pi", order="axis-band-kind", coordinates=THIRDS, flags=FLAGS),
    value("mip-nerf-pos-enc-f32", "mip-NeRF: all sines, then all cosines, coordinates first", frequencies=octaves(0, 3),
          factor=1, order="kind-band-axis", include="first", dtype="float32", inputs=POINTS, flags=FLAGS,
          source=project("google/mipnerf", "84c969e", "internal/mip.py", "pos_enc")),
    value("nerfstudio-f32", "nerfstudio: 2 pi, coordinates last", frequencies=octaves(0, 9), factor="2pi",
          order="kind-axis-band", include="last", dtype="float32", inputs=POINTS, flags=FLAGS,
          source=project("nerfstudio-project/nerfstudio", "50e0e3c", "nerfstudio/field_components/encodings.py",
                         "NeRFEncoding")),
    value("tiny-cuda-nn-f16", "tiny-cuda-nn: pi, sine beside cosine", frequencies=octaves(0, 9), factor="pi",
          order="axis-band-kind", dtype="float16", inputs=POINTS, flags=(*FLAGS, "DoubleRounding"),
          source=project("NVlabs/tiny-cuda-nn", "6ee3546", "include/tiny-cuda-nn/encodings/frequency.h")),
    value("mochi-vae-f32", "Mochi: 2**6 and 2**7 times 2 pi, channels first", frequencies=octaves(6, 7), factor="2pi",
          order="kind-axis-band", include="first", dtype="float32", inputs=POINTS, flags=(*FLAGS, "LargeArgument"),
          source=project(*DIFFUSERS, "models/autoencoders/autoencoder_kl_mochi.py", "FourierFeatures")),
    *[
        value(f"gligen-{SHORT[dtype]}", f"GLIGEN: boxes, 100**(k/8) without pi, {dtype}",
              frequencies=ratio(8, 1, 100, False), factor=1, order="band-kind-axis", dtype=dtype,
              inputs=at([[0.0, 0.5, 1.0, 0.25], [0.1, 0.2, 0.7, 0.9]]), flags=(*FLAGS, "Endpoint", *narrow(dtype)),
              source=project(*DIFFUSERS, "models/embeddings.py", "get_fourier_embeds_from_boundingbox"))
        for dtype in ("float64", "float32")
    ],
    # grids
    *[
        value(f"perceiver-3x5-{SHORT[dtype]}", f"Perceiver: 3 x 5 cells, bands to half of each side, {dtype}",
              frequencies=[evenly(4, 1, fraction(3, 2)), evenly(4, 1, fraction(5, 2))], factor="pi",
              order="kind-axis-band", include="first", coordinates=ends(3, 5), dtype=dtype,
              flags=(*FLAGS, "NonSquare", *narrow(dtype)), source=PERCEIVER)
        for dtype in DTYPES
    ],
    value("perceiver-other-resolution", "Perceiver: bands of another resolution than the grid has",
          frequencies=[evenly(4, 1, 112)] * 2, factor="pi", order="kind-axis-band", include="first",
          coordinates=ends(2, 3), flags=(*FLAGS, "NonSquare", "Endpoint"), source=PERCEIVER),
    value("perceiver-one-cell", "Perceiver: an axis of one cell is at -1", frequencies=[evenly(3, 1, 112)] * 2,
          factor="pi", order="kind-axis-band", include="first", coordinates=ends(1, 3), flags=(*FLAGS, "NonSquare"),
          source=PERCEIVER),
    value("perceiver-sine-only-f32", "Perceiver: sines only, no coordinates", frequencies=[evenly(6, 1, 16)] * 2,
          factor="pi", order="kind-axis-band", kinds="sin", coordinates=ends(4, 3), dtype="float32",
          flags=(*FLAGS, "NonSquare"), source=PERCEIVER),
    *[
        value(f"timm-{name}-f32", f"timm: 2 x 3 cells, {name} bands, bands outside axes", frequencies=bands,
              factor="pi", order="kind-band-axis", include="first", coordinates=ends(2, 3), dtype="float32",
              flags=(*FLAGS, "NonSquare", "Endpoint"), source=TIMM)
        for name, bands in (("linear", evenly(8, 1, 112)), ("geometric", ratio(8, 1, 112)))
    ],
    value("aurora-latitude", "Aurora: degrees at wavelengths of 0.01 to 720",
          frequencies=ratio(8, 100, fraction(1, 720)), factor="2pi", order="axis-kind-band",
          inputs=at([[0.0, 0.01], [90.0, 359.75], [-89.875, 720.0]]),
          flags=(*FLAGS, "LargeArgument"), source=AURORA),
    value("aurora-hours-f32", "Aurora: lead times of 1 minute to 504 hours", frequencies=ratio(8, 60, fraction(1, 504)),
          factor="2pi", order="kind-axis-band", dtype="float32", inputs=at([[6.0], [504.0], [0.25]]),
          flags=(*FLAGS, "LargeArgument"), source=AURORA),
    value("zero-band", "a band of 0", frequencies=evenly(3, 0, 1), factor="pi", order="axis-band-kind",
          inputs=at([[0.5], [0.3]]), flags=FLAGS),
    value("other-frequencies", "the frequencies of a rotary width", factor=1, order="kind-axis-band", inputs=POINTS,
          frequencies=call("inverse_frequencies", dim=8, base=10000), flags=FLAGS),
    value("empty", "no points", frequencies=octaves(0, 1), factor=1, order="kind-axis-band", include="first",
          inputs={"coordinates": listed([], "float64", (0, 2))}),
    refused("order", "an order that is not known", "E_CHOICE", "order", frequencies=octaves(0, 1), factor=1,
            order="axis-band", inputs=POINTS),
    refused("kinds", "kinds that are not known", "E_CHOICE", "kinds", frequencies=octaves(0, 1), factor=1,
            order=ORDERS[0], kinds="tan", inputs=POINTS),
    refused("include", "a place that is not known", "E_CHOICE", "include", frequencies=octaves(0, 1), factor=1,
            order=ORDERS[0], include="both", inputs=POINTS),
    refused("counts", "unequal counts of bands", "E_SHAPE", "frequencies", order=ORDERS[0], factor=1,
            frequencies=[octaves(0, 1), octaves(0, 2), octaves(0, 1)], inputs=POINTS),
    refused("few", "bands of two coordinates for three", "E_SHAPE", "frequencies", order=ORDERS[0], factor=1,
            frequencies=[octaves(0, 1), octaves(0, 1)], inputs=POINTS),
    refused("infinite", "an infinite coordinate", "E_POSITION", "coordinates", order=ORDERS[0], factor=1,
            frequencies=octaves(0, 1), inputs=at([[float("inf")]])),
    refused("factor", "a negative factor", "E_NUMBER", "factor", order=ORDERS[0], factor=-1, frequencies=octaves(0, 1),
            inputs=POINTS),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float64="kind-band-axis-f32 band-axis-kind-f32 axis-band-kind-bf16",
    float32="kinds-cos-sin axis-band-kind-bf16 kinds-cos",
    float16="kind-band-axis-f32 band-axis-kind-f32 kinds-sin kinds-cos kinds-cos-sin",
    bfloat16="kinds-cos-sin kind-band-axis-f32 band-axis-kind-f32 kinds-sin kinds-cos",
)

# what no other case tells apart
CASES += [
    value("factor-number-f32", "a factor of 1.5, and bands in a constant ratio, the highest left out, in float32",
          frequencies=ratio(3, 1, 27, False), factor=1.5, order="axis-kind-band", include="first", dtype="float32",
          inputs=POINTS, flags=(*FLAGS, "Endpoint")),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float64="factor-number-f32",
    float16="factor-number-f32",
    bfloat16="factor-number-f32",
)
