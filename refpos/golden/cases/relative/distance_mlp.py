"""Golden cases of networks of offsets."""

from ...case import fraction, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

PAPER = paper("Liu et al. 2022, Swin Transformer V2, arXiv:2111.09883, section 3.3")
value, refused = suite("distance_mlp", PAPER)
XT = project("x-transformers", "2.31.10", "x_transformers/x_transformers.py", "DynamicPositionBias")
CROSSFORMER = project(
    "CrossFormer", "f20000d81e762a7226ad372e6ed2f850b3ddf603", "models/crossformer.py", "DynamicPosBias"
)
SWIN = project("transformers", "5.23.0", "models/swinv2/modeling_swinv2.py", "Swinv2SelfAttention")
TIMM = project("timm", "1.0.31", "timm/layers/pos_embed_rel.py", "RelPosMlp")
FLAGS = ("AxisOrder", "BucketDirection", "NonSquare", "OffByOne")


def network(dtype, inputs, hidden, heads, seed, *, layers=0, norm="", left_out=()):
    """The weights of a network as input tensors; norm: "" none, "weights", "both" with biases."""
    shapes = {
        "weight_in": (hidden, inputs), "bias_in": (hidden,), "weight_out": (heads, hidden), "bias_out": (heads,),
        **({"weights": (layers, hidden, hidden), "biases": (layers, hidden)} if layers else {}),
        **({"norm_weights": (layers + 1, hidden)} if norm else {}),
        **({"norm_biases": (layers + 1, hidden)} if norm == "both" else {}),
    }  # fmt: skip
    return {name: scattered(dtype, shape, seed + k, 0) for k, (name, shape) in enumerate(shapes.items())
            if name not in left_out}  # fmt: skip


def swin(hidden, heads, seed):
    """The weights of Swin v2, whose last line has no bias."""
    return network("float32", 2, hidden, heads, seed, left_out=("bias_out",))


CPB = {"coordinates": "swin-v2", "activation": "relu", "sigmoid": 16, "bias_out": None}
DPB = {"coordinates": "offset", "activation": "relu", "norm_eps": 1e-5}
ROW = {"coordinates": "offset", "activation": "silu"}

CASES = [
    *[
        value(f"swin-v2-{SHORT[dtype]}", f"Swin v2: a window of 3 x 5, {dtype}", size=[3, 5], dtype=dtype, **CPB,
              inputs=swin(8, 3, 2200), flags=(*FLAGS, *narrow(dtype)), source=SWIN)
        for dtype in DTYPES
    ],
    value("swin-v2-window-8-f32", "8 x 8: the ends are 1.0566", size=[8, 8], dtype="float32", **CPB,
          inputs=swin(6, 2, 2206), flags=FLAGS, source=SWIN),
    value("swin-v2-pretrained-f32", "a window of 4 x 6 from one of 8 x 3", size=[4, 6], pretrained=[8, 3],
          dtype="float32", inputs=swin(5, 2, 2212), flags=(*FLAGS, "Resampling"), source=SWIN, **CPB),
    value("swin-v2-window-1-f32", "a window of one cell: the coordinates are 0", size=[1, 1], dtype="float32",
          inputs=swin(5, 2, 2218), source=SWIN, **CPB),
    value("cr-f32", "timm's own: logarithms without a scale, biases, no sigmoid", size=[3, 5], coordinates="log",
          activation="relu", dtype="float32", inputs=network("float32", 2, 8, 3, 2224), flags=FLAGS, source=TIMM),
    *[
        value(f"crossformer-{SHORT[dtype]}", f"CrossFormer: offsets as they are, three norms, 3 x 5, {dtype}",
              size=[3, 5], dtype=dtype, **DPB, flags=(*FLAGS, *narrow(dtype)), source=CROSSFORMER,
              inputs=network("float32", 2, 4, 3, 2230, layers=2, norm="both"))
        for dtype in ("float64", "float32")
    ],
    value("crossformer-one-f32", "groups of one: a single offset", size=[1, 1], dtype="float32", **DPB,
          inputs=network("float32", 2, 4, 2, 2238, layers=2, norm="both"), source=CROSSFORMER),
    value("crossformer-narrow-f64", "one hidden number: the norm is its bias", size=[2, 2], dtype="float64", **DPB,
          inputs=network("float64", 2, 1, 2, 2246, layers=2, norm="both"), flags=FLAGS, source=CROSSFORMER),
    *[
        value(f"dynamic-{SHORT[dtype]}", f"x-transformers: 9 keys, {dtype}", size=9, dtype=dtype, **ROW,
              inputs=network("float32", 1, 6, 2, 2254, layers=1), flags=("BucketDirection", "OffByOne", *narrow(dtype)),
              source=XT)
        for dtype in ("float64", "float32", "bfloat16")
    ],
    value("dynamic-log-f32", "logarithms of distances", size=9, coordinates="log", activation="silu", dtype="float32",
          inputs=network("float32", 1, 6, 2, 2262, layers=1), flags=("BucketDirection", "OffByOne"), source=XT),
    value("dynamic-norm-f32", "a norm before each activation, the first without biases", size=6, norm_eps=1e-5,
          dtype="float32", inputs=network("float32", 1, 5, 2, 2270, layers=1, norm="weights"), source=XT, **ROW),
    value("dynamic-shallow-f64", "two lines, and one weight for each hidden number", size=4, dtype="float64", **ROW,
          inputs={**network("float64", 1, 5, 2, 2278, left_out=("weight_in",)),
                  "weight_in": scattered("float64", (5,), 2284, 0)}, source=XT),
    value("bare-norm-f64", "a norm without weights, no biases", size=4, norm_eps=fraction(1, 3), dtype="float64",
          coordinates="offset", activation="gelu", bias_in=None, bias_out=None,
          inputs=network("float64", 1, 5, 2, 2290, layers=2, left_out=("bias_in", "bias_out", "biases"))),
    value("sigmoid-f64", "a factor that is not an integer, of tanh", size=[2, 3], coordinates="log", activation="tanh",
          sigmoid=fraction(-7, 3), dtype="float64", inputs=network("float64", 2, 5, 2, 2298), flags=FLAGS),
    value("far-f64", "a row of a thousand keys", size=1000, coordinates="log", activation="relu", dtype="float64",
          inputs=network("float64", 1, 2, 1, 2304), flags=("OffByOne",)),
    value("bfloat16-weights", "weights of bfloat16", size=[2, 2], coordinates="offset", activation="relu",
          dtype="bfloat16", inputs=network("bfloat16", 2, 4, 3, 2310, layers=1), flags=(*FLAGS, *narrow("bfloat16"))),
    value("no-layers", "a stack of no lines between the two", size=3, dtype="float64", **ROW,
          inputs={**network("float64", 1, 3, 2, 2318), "weights": scattered("float64", (0, 3, 3), 1)}),
    value("no-heads", "no heads", size=3, dtype="float64", inputs=network("float64", 1, 3, 0, 2326), **ROW),
    value("cancelling-f64", "terms that cancel but for the roundings of the fixed order", size=2, dtype="float64",
          coordinates="offset", activation="identity", bias_in=None, bias_out=None, flags=("Cancellation",),
          inputs={"weight_in": listed([1.0, 2.0**53, -(2.0**53), 1.0], "float64", (4, 1)),
                  "weight_out": listed([1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 3.0], "float64", (2, 4))}),
    refused("coordinates", "coordinates without a name", "E_CHOICE", "coordinates", size=3, coordinates="cr",
            activation="relu", inputs=network("float32", 1, 3, 2, 1)),
    refused("size-zero", "no keys", "E_SIZE", "size", size=0, inputs=network("float32", 1, 3, 2, 1), **ROW),
    refused("axes", "three sizes", "E_SHAPE", "size", size=[2, 2, 2], inputs=network("float32", 2, 3, 2, 1), **ROW),
    refused("swin-v2-row", "a row of keys for Swin v2", "E_SHAPE", "size", size=3,
            inputs=network("float32", 1, 3, 2, 1, left_out=("bias_out",)), **CPB),
    refused("pretrained", "a window of training that offsets do not read", "E_CHOICE", "pretrained", size=[2, 2],
            pretrained=[8, 8], inputs=network("float32", 2, 3, 2, 1), **ROW),
    refused("weight-in", "weights of a row for a window", "E_SHAPE", "weight_in", size=[2, 2],
            inputs=network("float32", 1, 3, 2, 1), **ROW),
    refused("weight-out", "another hidden width", "E_SHAPE", "weight_out", size=3, bias_in=None, bias_out=None, **ROW,
            inputs={"weight_in": scattered("float32", (3, 1), 1), "weight_out": scattered("float32", (2, 4), 1)}),
    refused("biases", "biases without lines", "E_SHAPE", "biases", size=3, **ROW,
            inputs={**network("float32", 1, 3, 2, 1), "biases": scattered("float32", (1, 3), 1)}),
    refused("norm", "weights of a norm that is left out", "E_CHOICE", "norm_weights", size=3, **ROW,
            inputs=network("float32", 1, 3, 2, 1, norm="weights")),
    refused("norm-rows", "a norm too few", "E_SHAPE", "norm_weights", size=3, norm_eps=1e-5, **ROW,
            inputs={**network("float32", 1, 3, 2, 1, layers=1), "norm_weights": scattered("float32", (1, 3), 1)}),
]  # fmt: skip

# what no other case tells apart
CASES += [
    value("activation-sigmoid-f32", "the activation sigmoid, in float32", size=[3, 4], coordinates="offset",
          activation="sigmoid", dtype="float32", inputs=network("float32", 2, 4, 2, 2400), flags=FLAGS),
    value("activation-softplus-f32", "the activation softplus, in float32", size=[3, 4], coordinates="offset",
          activation="softplus", dtype="float32", inputs=network("float32", 2, 4, 2, 2410), flags=FLAGS),
    value("activation-gelu-tanh-f32", "the activation gelu_tanh of one number, in float32", size=6,
          coordinates="offset", activation="gelu_tanh", bias_in=None, bias_out=None, dtype="float32", flags=FLAGS,
          inputs={"weight_in": listed([0.6875], "float32", (1, 1)), "weight_out": listed([1.0], "float32", (1, 1))}),
    value("activation-gelu-f32", "the activation gelu of one number, in float32", size=6, coordinates="offset",
          activation="gelu", bias_in=None, bias_out=None, dtype="float32", flags=FLAGS,
          inputs={"weight_in": listed([0.6875], "float32", (1, 1)), "weight_out": listed([1.0], "float32", (1, 1))}),
    value("activation-silu-f32", "the activation silu, in float32", size=[3, 4], coordinates="offset",
          activation="silu", dtype="float32", inputs=network("float32", 2, 4, 2, 2440), flags=FLAGS),
    value("activation-tanh-f32", "the activation tanh, in float32", size=[3, 4], coordinates="offset",
          activation="tanh", dtype="float32", inputs=network("float32", 2, 4, 2, 2450), flags=FLAGS),
    value("activation-relu-f32", "the activation relu, in float32", size=[3, 4], coordinates="offset",
          activation="relu", dtype="float32", inputs=network("float32", 2, 4, 2, 2460), flags=FLAGS),
    value("activation-identity-f32", "the activation identity, in float32", size=[3, 4], coordinates="offset",
          activation="identity", dtype="float32", inputs=network("float32", 2, 4, 2, 2470), flags=FLAGS),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="""
        activation-gelu-tanh-f32 activation-sigmoid-f32 activation-softplus-f32 swin-v2-pretrained-f32
        activation-gelu-f32 activation-identity-f32
    """,
    float32="bare-norm-f64",
    float16="""
        dynamic-norm-f32 sigmoid-f64 bare-norm-f64 activation-sigmoid-f32 activation-gelu-tanh-f32
        activation-softplus-f32 activation-identity-f32 swin-v2-pretrained-f32 crossformer-narrow-f64
        activation-gelu-f32
    """,
    bfloat16="""
        sigmoid-f64 bare-norm-f64 activation-gelu-tanh-f32 activation-sigmoid-f32 activation-softplus-f32
        activation-identity-f32 crossformer-one-f32 swin-v2-pretrained-f32 activation-gelu-f32
    """,
)

# a second value of numbers that all other cases have alike
CASES += [
    value("sigmoid-8-f32", "8 sigmoids of a norm with eps 1/4, in float32", size=[2, 3], coordinates="offset",
          activation="relu", sigmoid=8, norm_eps=0.25, dtype="float32",
          inputs=network("float32", 2, 4, 2, 2480, layers=1, norm="both"), flags=FLAGS),
]
CASES += in_formats(
    CASES,
    float64="sigmoid-8-f32",
    float16="sigmoid-8-f32",
    bfloat16="sigmoid-8-f32",
)

# what tells a quotient by the hidden numbers of a norm from a product with the inverse
CASES += [
    value("norm-7-f64", "a norm over 7 hidden numbers, in float64", size=6, norm_eps=1e-5, dtype="float64", **ROW,
          inputs=network("float64", 1, 7, 2, 2490, layers=1, norm="both"), flags=("BucketDirection", "OffByOne"),
          source=XT),
]
