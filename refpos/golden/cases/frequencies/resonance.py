"""Golden cases of resonance."""

from ...case import paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow

value, refused = suite("resonance", paper("Wang et al. 2024, Resonance RoPE, arXiv:2403.00071, section 4.1"))
CODE = project("sheryc/resonance_rope", "9e903dc2", "src/models/components/positional_embedding/rotary_resonance.py")


def _of(function, **arguments):
    return {"frequencies": {"function": function, "arguments": arguments}}


CASES = [
    *[
        value(f"llama-2-{SHORT[dtype]}", f"Llama 2: width 128, base 10000, {dtype}",
              **_of("inverse_frequencies", dim=128, base=10000), dtype=dtype, flags=("Scaling", *narrow(dtype)))
        for dtype in DTYPES
    ],
    value("yarn", "YaRN, then resonance: beta_fast 2", source=CODE, flags=("AttentionFactor", "Scaling"),
          **_of("yarn", dim=64, base=10000, factor=4, original_max_position_embeddings=4096, beta_fast=2)),
    value("yarn-f32", "the same in float32", source=CODE, flags=("AttentionFactor", "Scaling"), dtype="float32",
          **_of("yarn", dim=64, base=10000, factor=4, original_max_position_embeddings=4096, beta_fast=2)),
    value("ntk", "NTK scaling, then resonance", source=CODE, flags=("Scaling",),
          **_of("ntk", dim=64, base=10000, factor=4)),
    value("long-waves", "base 1e12: wavelengths beyond 2**24", **_of("inverse_frequencies", dim=16, base=10**12),
          flags=("Scaling", "NarrowAngle")),
    value("short-waves", "base 1/10: wavelengths from 6 to 1", **_of("inverse_frequencies", dim=8, base=0.1),
          flags=("Scaling",)),
    value("edge-above", "a wavelength 1.6e-16 above 20.5, which float64 takes for less: 21",
          **_of("inverse_frequencies", dim=4, base=10.645056856423112), flags=("Scaling", "ScalingBoundary")),
    value("edge-below", "the base before it: a wavelength below 20.5, which goes to 20",
          **_of("inverse_frequencies", dim=4, base=10.64505685642311), flags=("Scaling", "ScalingBoundary")),
    value("zeros", "frequencies of 0 stay 0", **_of("proportional", dim=16, base=10000, partial_rotary_factor=0.5),
          flags=("PartialRotary", "Scaling")),
    value("twice", "wavelengths that are whole already",
          frequencies={"function": "resonance", "arguments": _of("inverse_frequencies", dim=8, base=10000)},
          flags=("Scaling",)),
    refused("frequencies", "frequencies that are a number", "E_NUMBER", "frequencies", frequencies=4),
    refused("too-short", "a frequency of 15, whose wavelength rounds to 0", "E_NUMBER", "frequencies",
            **_of("linear", dim=4, base=10000, factor=0.0625)),
]
