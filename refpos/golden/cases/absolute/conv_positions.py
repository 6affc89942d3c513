"""Golden cases of positions from a convolution."""

from ...case import listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("conv_positions", paper("Baevski et al. 2020, wav2vec 2.0, arXiv:2006.11477, section 2"))


def _hf(file, name):
    return project("transformers", "5.23.0", f"models/{file}", name)


WAV2VEC2 = _hf("wav2vec2/modeling_wav2vec2.py", "Wav2Vec2PositionalConvEmbedding")
DATA2VEC = _hf("data2vec/modeling_data2vec_audio.py", "Data2VecAudioPositionalConvLayer")
TWINS = project("timm", "1.0.31", "timm/models/twins.py", "PosConv")
COAT = project("timm", "1.0.31", "timm/models/coat.py", "ConvPosEnc")
SAME = {"padding": "same"}


def arrays(dtype, x, weight, seed, bias=True, magnitude=False):
    """x, the kernel, and what belongs to it, as input tensors."""
    tensors = {"x": scattered(dtype, x, seed, 0), "weight": scattered(dtype, weight, seed + 1, 0)}
    if bias:
        tensors["bias"] = scattered(dtype, weight[:1], seed + 2, 0)
    if magnitude:
        tensors["magnitude"] = scattered(dtype, weight[2:], seed + 3, 0)
    return tensors


CASES = [
    *[
        value(f"wav2vec2-{SHORT[dtype]}", f"wav2vec 2.0: 16 channels, 4 groups, a kernel of 8, a weight norm, {dtype}",
              groups=4, activation="gelu", dtype=dtype, source=WAV2VEC2, flags=("OffByOne", *narrow(dtype)), **SAME,
              inputs=arrays(dtype, (11, 16), (16, 4, 8), 900 + 4 * k, magnitude=True))
        for k, dtype in enumerate(DTYPES)
    ],
    value("wav2vec2-batch-f32", "two sequences, shorter than the kernel", groups=2, activation="gelu", dtype="float32",
          source=WAV2VEC2, inputs=arrays("float32", (2, 3, 4), (4, 2, 8), 920, magnitude=True), **SAME),
    value("hubert-odd-f32", "an odd kernel: nothing is dropped", groups=2, activation="gelu", dtype="float32",
          source=_hf("hubert/modeling_hubert.py", "HubertPositionalConvEmbedding"), flags=("OffByOne",),
          inputs=arrays("float32", (9, 6), (6, 3, 5), 924, magnitude=True), **SAME),
    value("wavlm-even-f64", "an even kernel: the last frame is dropped", groups=2, activation="gelu", dtype="float64",
          source=_hf("wavlm/modeling_wavlm.py", "WavLMPositionalConvEmbedding"), flags=("OffByOne",),
          inputs=arrays("float64", (9, 6), (6, 3, 4), 928, magnitude=True), **SAME),
    *[
        value(f"data2vec-{SHORT[dtype]}", f"data2vec: a layer norm without weights before the activation, {dtype}",
              groups=2, activation="gelu", norm_eps=1e-5, dtype=dtype, source=DATA2VEC, flags=narrow(dtype), **SAME,
              inputs=arrays(dtype, (7, 8), (8, 4, 5), 932 + 4 * k))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"twins-{SHORT[dtype]}", f"Twins and CPVT: depthwise 3 x 3 over 3 x 5 cells, added to x, {dtype}",
              groups=4, activation="identity", residual=True, dtype=dtype, source=TWINS,
              flags=("AxisOrder", "NonSquare", *narrow(dtype)), **SAME,
              inputs=arrays(dtype, (3, 5, 4), (4, 1, 3, 3), 950 + 4 * k))
        for k, dtype in enumerate(DTYPES)
    ],
    value("coat-f32", "CoaT: two images, the class token left out", groups=3, activation="identity", residual=True,
          dtype="float32", source=COAT, flags=("AxisOrder", "NonSquare"),
          inputs=arrays("float32", (2, 4, 6, 3), (3, 1, 3, 3), 970), **SAME),
    value("bare-2d-f64", "depthwise and not added, no bias", groups=2, activation="identity", dtype="float64",
          flags=("AxisOrder", "NonSquare"), inputs=arrays("float64", (5, 3, 2), (2, 1, 3, 3), 974, bias=False), **SAME),
    value("rectangle-f64", "a kernel of 3 x 2: even along one axis", groups=1, activation="tanh", dtype="float64",
          flags=("AxisOrder", "NonSquare"), inputs=arrays("float64", (4, 5, 2), (3, 2, 3, 2), 978), **SAME),
    value("single-cell", "one cell, the middle of the kernel", groups=2, activation="identity", dtype="float64",
          inputs=arrays("float64", (1, 1, 2), (2, 1, 3, 3), 982), **SAME),
    value("causal-f64", "all zeros before the first token", groups=1, padding="causal", activation="silu",
          dtype="float64", flags=("OffByOne",), inputs=arrays("float64", (6, 2), (3, 2, 4), 986)),
    value("kernel-1", "a kernel of size 1 is a linear map", groups=1, activation="relu", dtype="float64",
          inputs=arrays("float64", (4, 3), (2, 3, 1), 990), **SAME),
    value("empty", "no tokens", groups=1, activation="relu", dtype="float32",
          inputs=arrays("float32", (0, 3), (2, 3, 3), 994), **SAME),
    value("order-f64", "channels outside, kernel inside: another order gives another sum", groups=1, dtype="float64",
          activation="identity", flags=("Cancellation",), **SAME,
          inputs={"x": listed([1.0] * 4, "float64", (2, 2)),
                  "weight": listed([2.0**53, 1.0, 0.0, -(2.0**53), 1.0, 0.0], "float64", (1, 2, 3))}),
    refused("groups", "groups that do not divide the channels", "E_SHAPE", "weight", groups=3, activation="relu",
            inputs=arrays("float32", (4, 4), (4, 2, 3), 1), **SAME),
    refused("groups-zero", "no groups", "E_SIZE", "groups", groups=0, activation="relu",
            inputs=arrays("float32", (4, 4), (4, 4, 3), 1), **SAME),
    refused("weight-rank", "a kernel of size 0", "E_SHAPE", "weight", groups=1, activation="relu",
            inputs=arrays("float32", (4, 4), (4, 4), 1, bias=False), **SAME),
    refused("bias", "a bias of another width", "E_SHAPE", "bias", groups=1, activation="relu", **SAME,
            inputs={**arrays("float32", (4, 2), (3, 2, 3), 1, bias=False), "bias": scattered("float32", (2,), 1)}),
    refused("magnitude", "a magnitude for each channel: the norm is over the other axes", "E_SHAPE", "magnitude",
            groups=1, activation="relu", **SAME,
            inputs={**arrays("float32", (4, 2), (4, 2, 3), 1), "magnitude": scattered("float32", (4,), 1)}),
    refused("magnitude-2d", "a weight norm over two axes of the kernel", "E_SHAPE", "magnitude", groups=2,
            activation="relu", **SAME,
            inputs={**arrays("float32", (4, 4, 2), (2, 1, 3, 3), 1), "magnitude": scattered("float32", (3,), 1)}),
    refused("residual", "a sum with x that has another width", "E_SHAPE", "weight", groups=1, activation="relu",
            residual=True, inputs=arrays("float32", (4, 2), (3, 2, 3), 1), **SAME),
    refused("padding", "a padding without a name", "E_CHOICE", "padding", groups=1, activation="relu",
            padding="valid", inputs=arrays("float32", (4, 2), (3, 2, 3), 1)),
    refused("eps", "a norm with eps 0", "E_NUMBER", "norm_eps", groups=1, activation="relu", norm_eps=0, **SAME,
            inputs=arrays("float32", (4, 2), (3, 2, 3), 1)),
]  # fmt: skip

# what no other case tells apart
CASES += [
    value("sigmoid-f32", "the activation sigmoid, after a norm with eps 0.5, in float32", groups=2,
          activation="sigmoid", norm_eps=0.5, dtype="float32", **SAME,
          inputs=arrays("float32", (5, 4), (4, 2, 3), 1000)),
    value("softplus-f32", "the activation softplus, after a norm with eps 0.25, in float32", groups=2,
          activation="softplus", norm_eps=0.25, dtype="float32", **SAME,
          inputs=arrays("float32", (5, 4), (4, 2, 3), 1010)),
    value("gelu-tanh-f32", "the activation gelu_tanh on wide sums, in float32", groups=2, activation="gelu_tanh",
          dtype="float32", **SAME,
          inputs={**arrays("float32", (9, 4), (4, 2, 3), 1020), "x": scattered("float32", (9, 4), 1024, 2)}),
    value("gelu-f32", "the activation gelu on wide sums, in float32", groups=2, activation="gelu",
          dtype="float32", **SAME,
          inputs={**arrays("float32", (9, 4), (4, 2, 3), 1020), "x": scattered("float32", (9, 4), 1024, 2)}),
    value("silu-f32", "the activation silu, after a norm with eps 0.125, in float32", groups=2,
          activation="silu", norm_eps=0.125, dtype="float32", **SAME,
          inputs=arrays("float32", (5, 4), (4, 2, 3), 1040)),
    value("tanh-f32", "the activation tanh, after a norm with eps 0.5, in float32", groups=2,
          activation="tanh", norm_eps=0.5, dtype="float32", **SAME,
          inputs=arrays("float32", (5, 4), (4, 2, 3), 1050)),
    value("relu-f32", "the activation relu, after a norm with eps 4.0, in float32", groups=2,
          activation="relu", norm_eps=4.0, dtype="float32", **SAME,
          inputs=arrays("float32", (5, 4), (4, 2, 3), 1060)),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="sigmoid-f32 softplus-f32 gelu-tanh-f32",
    float32="causal-f64",
    float16="causal-f64 sigmoid-f32 kernel-1 softplus-f32 tanh-f32 gelu-tanh-f32",
    bfloat16="causal-f64 sigmoid-f32 kernel-1 softplus-f32 tanh-f32 gelu-tanh-f32 gelu-f32",
)

# what tells a quotient by the channels of a norm from a product with the inverse
CASES += [
    value("norm-7-f64", "a norm over 7 channels, in float64", groups=1, activation="identity", norm_eps=1e-5,
          dtype="float64", source=DATA2VEC, **SAME, inputs=arrays("float64", (9, 7), (7, 7, 3), 1070)),
]
