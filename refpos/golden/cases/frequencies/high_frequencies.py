"""Golden cases of HoPE."""

from ...case import paper, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("high_frequencies", paper("Chen et al. 2024, HoPE, arXiv:2410.21216, section 4"))
FLAGS = ("Scaling",)


def _of(function, **arguments):
    return {"frequencies": {"function": function, "arguments": arguments}}


CASES = [
    *[
        value(f"llama-2-4096-{SHORT[dtype]}", f"Llama 2: periods of up to 4096 positions, {dtype}",
              **_of("inverse_frequencies", dim=128, base=10000), length=4096, dtype=dtype,
              flags=(*FLAGS, *narrow(dtype)))
        for dtype in DTYPES
    ],
    value("edge-628", "a period of 628.3: 628 positions are too few", **_of("inverse_frequencies", dim=8, base=10000),
          length=628, flags=(*FLAGS, "ScalingBoundary")),
    value("edge-629", "a period of 628.3 fits into 629", **_of("inverse_frequencies", dim=8, base=10000), length=629,
          flags=(*FLAGS, "ScalingBoundary")),
    value("edge-whole", "periods that are integers: 6 is as long as the length",
          **_of("resonance", **_of("inverse_frequencies", dim=8, base=10000)), length=6,
          flags=(*FLAGS, "ScalingBoundary")),
    value("none-fits", "no period fits", **_of("inverse_frequencies", dim=8, base=10000), length=6, flags=FLAGS),
    value("all-fit", "all periods fit", **_of("inverse_frequencies", dim=8, base=10), length=100, flags=FLAGS),
    value("yarn", "YaRN with its attention factor", length=8192, flags=(*FLAGS, "AttentionFactor"),
          **_of("yarn", dim=64, base=10000, factor=4, original_max_position_embeddings=4096)),
    value("zeros", "frequencies of 0 stay 0", length=512, flags=(*FLAGS, "PartialRotary"),
          **_of("proportional", dim=16, base=10000, partial_rotary_factor=0.5)),
    refused("length-zero", "no position", "E_SIZE", "length", length=0,
            **_of("inverse_frequencies", dim=8, base=10000)),
    refused("frequencies", "frequencies that are a number", "E_NUMBER", "frequencies", frequencies=4, length=8),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float32="edge-628 edge-629",
    float16="edge-628 edge-629",
    bfloat16="edge-628 edge-629",
)
