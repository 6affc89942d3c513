"""Golden cases of the gate of WavLM."""

from ...case import extreme, listed, paper, project, scattered, suite, tiny
from ...telling_inputs import DTYPES, SHORT, narrow

value, refused = suite("gated_bias", paper("Chen et al. 2022, WavLM, arXiv:2110.13900, section III.A"))
WAVLM = project("transformers", "5.23.0", "models/wavlm/modeling_wavlm.py", "WavLMAttention")


def arrays(dtype, heads, queries, keys, dim, seed, batch=(), outputs=8, constants=None):
    """All arrays of a call."""
    return {
        "bias": scattered(dtype, (heads, queries, keys), seed, 2),
        "hidden": scattered(dtype, (*batch, heads, queries, dim), seed + 1, 1),
        "weight": scattered(dtype, (outputs, dim), seed + 2, 0),
        "weight_bias": scattered(dtype, (outputs,), seed + 3, 0),
        "constant": scattered(dtype, (heads,), seed + 4, 1) if constants is None else listed(constants, dtype),
    }


def bare(inputs):
    """The arrays without weight_bias, which is None."""
    return {name: values for name, values in inputs.items() if name != "weight_bias"}


BASE = arrays("float32", 2, 3, 4, 3, 1)
CASES = [
    *[
        value(f"wavlm-{heads}x{queries}x{keys}-{SHORT[dtype]}", f"{heads} heads of {dim}, {queries} queries, {dtype}",
              dtype=dtype, inputs=arrays("float32", heads, queries, keys, dim, 300 + 10 * k), source=WAVLM,
              flags=("HeadAxis", *narrow(dtype)))
        for k, (heads, queries, keys, dim) in enumerate(((2, 3, 5, 4), (3, 4, 4, 5))) for dtype in DTYPES
    ],
    value("start", "constants of 1, as training starts: the gate is above 1", dtype="float64", source=WAVLM,
          inputs=arrays("float64", 3, 4, 4, 4, 330, constants=(1.0, 1.0, 1.0))),
    value("constants", "a constant for each head", dtype="float64", source=WAVLM, flags=("HeadAxis",),
          inputs=arrays("float64", 3, 2, 3, 4, 340, constants=(0.0, -2.5, 7.0))),
    value("batch", "one bias for two batch rows", dtype="float64", source=WAVLM, flags=("HeadAxis",),
          inputs=arrays("float64", 2, 3, 3, 4, 350, (2,))),
    value("batch-of-biases", "a bias for each batch row", dtype="float64",
          inputs={**arrays("float64", 2, 2, 3, 3, 360, (2,)), "bias": scattered("float64", (2, 1, 2, 3), 366)}),
    value("bare", "no weight_bias", dtype="float64", weight_bias=None, inputs=bare(arrays("float64", 2, 3, 3, 4, 370))),
    value("two-outputs", "one number for each sigmoid", dtype="float64",
          inputs=arrays("float64", 2, 2, 3, 5, 380, outputs=2)),
    value("wide", "64 channels: the order of the sum", dtype="float64", source=WAVLM,
          inputs=arrays("float64", 1, 3, 2, 64, 390)),
    value("saturated", "sigmoids of large numbers: 0 and 1", dtype="float64",
          inputs={**arrays("float64", 1, 4, 2, 1, 400),
                  "hidden": listed((-800.0, 800.0, 40.0, -40.0), "float64", (1, 4, 1))}),
    value("bfloat16-inputs", "all arrays of bfloat16", dtype="bfloat16", source=WAVLM, flags=narrow("bfloat16"),
          inputs=arrays("bfloat16", 2, 3, 3, 4, 410)),
    value("tiny", "a bias of subnormal numbers", dtype="float32", flags=("Subnormal",),
          inputs={**arrays("float32", 2, 2, 3, 3, 420), "bias": tiny("float32", (2, 2, 3), 426)}),
    value("extreme", "a bias of the largest numbers", dtype="float32",
          inputs={**arrays("float32", 2, 2, 4, 3, 430), "bias": extreme("float32", (2, 2, 4))}),
    value("no-queries", "no queries", dtype="float32", inputs=arrays("float32", 2, 0, 3, 3, 440)),
    refused("hidden", "a hidden state that is not cut into heads", "E_SHAPE", "hidden",
            inputs={**BASE, "hidden": scattered("float32", (3, 6), 1)}),
    refused("width", "a weight of the whole width", "E_SHAPE", "weight",
            inputs={**BASE, "weight": scattered("float32", (8, 6), 1)}),
    refused("halves", "a weight without halves", "E_SHAPE", "weight",
            inputs={**BASE, "weight": scattered("float32", (7, 3), 1)}),
    refused("weight-bias", "a weight_bias of another length", "E_SHAPE", "weight_bias",
            inputs={**BASE, "weight_bias": scattered("float32", (2,), 1)}),
    refused("constant", "a constant for each query", "E_SHAPE", "constant",
            inputs={**BASE, "constant": scattered("float32", (3,), 1)}),
    refused("bias", "a bias of another number of queries", "E_SHAPE", "bias",
            inputs={**BASE, "bias": scattered("float32", (2, 4, 4), 1)}),
]  # fmt: skip
