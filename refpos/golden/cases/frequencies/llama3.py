"""Golden cases of the scaling of Llama 3.1."""

from ...case import paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("llama3", paper("Llama Team 2024, The Llama 3 Herd of Models, arXiv:2407.21783, section 3.4.2"))
FLAGS = ("Base", "Scaling")


def _of(dim, base, factor, trained, low=1, high=4):
    return {"dim": dim, "base": base, "factor": factor, "low_freq_factor": low, "high_freq_factor": high,
            "original_max_position_embeddings": trained}  # fmt: skip


def _hf(name):
    return project("transformers", "5.23.0", f"models/{name}/configuration_{name}.py")


LLAMA = project("meta-llama/Llama-3.1-8B", "1", "config.json")

CASES = [
    *[
        value(f"llama-3.1-{SHORT[dtype]}", f"Llama 3.1: width 128, base 500000, factor 8, {dtype}",
              **_of(128, 500000, 8, 8192), dtype=dtype, flags=(*FLAGS, *narrow(dtype)), source=LLAMA)
        for dtype in DTYPES
    ],
    value("llama-3.2", "Llama 3.2 1B: width 64, factor 32", **_of(64, 500000, 32, 8192), flags=FLAGS,
          source=project("meta-llama/Llama-3.2-1B", "1", "config.json")),
    value("cwm-f32", "CWM: base 1000000, factor 16", **_of(128, 1000000, 16, 8192), dtype="float32", flags=FLAGS,
          source=_hf("cwm")),
    value("apertus", "Apertus: base 12000000", **_of(128, 12000000, 8, 8192), flags=FLAGS, source=_hf("apertus")),
    value("higgs-audio", "Higgs Audio 2: frequency factors 0.125 and 0.5 on 1024 tokens",
          **_of(128, 500000, 32, 1024, 0.125, 0.5), flags=FLAGS, source=_hf("higgs_audio_v2")),
    value("paper-ramp-of-yarn", "frequency factors 1 and 32: the ramp of the YaRN paper", **_of(64, 10000, 16, 4096, 1,
          32),
          flags=("Scaling", "ScalingBoundary"),
          source=paper("Peng et al. 2023, YaRN, arXiv:2309.00071, section 3.2")),
    value("edge-high", "60.0014 turns within 3770 tokens, just above high_freq_factor: not scaled",
          **_of(4, 100, 8, 3770, 10, 60), flags=("Scaling", "ScalingBoundary")),
    value("edge-high-below", "one token fewer, 59.985 turns: just inside the ramp", **_of(4, 100, 8, 3769, 10, 60),
          flags=("Scaling", "ScalingBoundary")),
    value("edge-low", "10.011 turns within 629 tokens: just inside the ramp at low_freq_factor", **_of(4, 100, 8, 629,
          10, 60),
          flags=("Scaling", "ScalingBoundary")),
    value("edge-low-below", "one token fewer, 9.995 turns: divided", **_of(4, 100, 8, 628, 10, 60),
          flags=("Scaling", "ScalingBoundary")),
    value("llama-4-scout", "Llama 4 Scout: equal frequency factors, a step at 8192 tokens, from pair 35 on",
          **_of(128, 500000, 16, 8192, 1, 1), flags=(*FLAGS, "ScalingBoundary"),
          source=project("meta-llama/llama-models", "2025-04", "models/llama4/model.py")),
    value("llama-4-scout-f32", "the same in float32", **_of(128, 500000, 16, 8192, 1, 1), dtype="float32",
          flags=(*FLAGS, "ScalingBoundary", *narrow("float32")), source=_hf("llama4")),
    value("edge-step", "10.011 turns within 629 tokens, just above both frequency factors: not scaled",
          **_of(4, 100, 8, 629, 10, 10), flags=("Scaling", "ScalingBoundary")),
    value("edge-step-below", "one token fewer, 9.995 turns: divided", **_of(4, 100, 8, 628, 10, 10),
          flags=("Scaling", "ScalingBoundary")),
    value("factor-1", "factor 1 changes nothing", **_of(16, 500000, 1, 8192), flags=FLAGS),
    refused("order", "frequency factors the wrong way round", "E_NUMBER", "high_freq_factor", **_of(8, 10000, 8, 8192,
            4, 1)),
    refused("factor-zero", "factor 0", "E_NUMBER", "factor", **_of(8, 10000, 0, 8192)),
    refused("low-zero", "low_freq_factor 0", "E_NUMBER", "low_freq_factor", **_of(8, 10000, 8, 8192, 0, 4)),
    refused("length", "a length that is a float", "E_SIZE", "original_max_position_embeddings", **_of(8, 10000, 8,
            0.5)),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float16="edge-low",
    bfloat16="edge-step edge-step-below",
)

# what no other case tells apart
CASES += [
    value("base-left-out-f32", "the default base, and small numbers, so that each of them moves the result, in float32",
          dim=16, factor=3, low_freq_factor=0.5, high_freq_factor=6, original_max_position_embeddings=100,
          dtype="float32", flags=FLAGS),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="base-left-out-f32",
    float32="edge-step edge-step-below",
    float16="base-left-out-f32 edge-step edge-step-below",
    bfloat16="base-left-out-f32",
)
