"""Golden cases of frequencies with learned scales."""

from ...case import listed, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow

value, refused = suite("learned_log_scale", project(
    "transformers", "5.23.0", "models/mistral_large4/modeling_mistral_large4.py", "MistralLarge4TextRotaryEmbedding"
))


def _of(function, **arguments):
    return {"frequencies": {"function": function, "arguments": arguments}}


LARGE = _of("yarn", dim=64, base=10000, factor=2048, original_max_position_embeddings=512, attention_factor=1)
PLAIN = _of("inverse_frequencies", dim=8, base=10000)


def _alpha(values):
    return {"alpha": listed(values, "float64")}


CASES = [
    *[
        value(f"mistral-large-4-{SHORT[dtype]}", f"Mistral Large 4: YaRN times learned scales, {dtype}", **LARGE,
              dtype=dtype, inputs={"alpha": scattered("float64", (32,), 1, 0)}, flags=("Scaling", *narrow(dtype)))
        for dtype in DTYPES
    ],
    value("zeros", "zeros change nothing", **LARGE, inputs=_alpha((0,) * 32), flags=("Scaling",)),
    value("sizes", "scales from exp(-700) to exp(1)", **PLAIN, inputs=_alpha((1, -1, 2.0**-60, -700)),
          flags=("Scaling",)),
    value("bfloat16-scales", "scales as a bfloat16 checkpoint holds them", **PLAIN,
          inputs=_alpha((0.10009765625, -0.10009765625, 0.5, 0)), dtype="float32", flags=("Scaling",)),
    value("keeps-factor", "the attention factor of YaRN stays",
          **_of("yarn", dim=8, base=10000, factor=16, original_max_position_embeddings=4096),
          inputs=_alpha((0.25, 0.5, 0.75, 1)), flags=("AttentionFactor", "Scaling")),
    refused("length", "another number of scales", "E_SHAPE", "alpha", **PLAIN, inputs=_alpha((0, 0, 0))),
    refused("nan", "a scale that is NaN", "E_NUMBER", "alpha", **PLAIN, inputs=_alpha((0, 0, 0, float("nan")))),
    refused("frequencies", "frequencies that are a number", "E_NUMBER", "frequencies", frequencies=4,
            inputs=_alpha((0, 0, 0, 0))),
]
