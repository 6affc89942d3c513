"""Golden cases of scores with accumulated Householder transformations."""

from ...case import listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite(
    "path",
    paper("Yang et al. 2025, PaTH Attention: Position Encoding via Accumulating Householder Transformations,"
          " arXiv:2505.16381, section 3"),
)
FLA = project("fla-org/flash-linear-attention", "0.5.2", "fla/ops/path_attn/naive.py", "naive_path_attn")
FLAGS = ("OffByOne", "HeadAxis")
LEAST = 13  # one call without options but the gate, in four dtypes
#: reflections of the first and of the second channel, and none
TURNS = (1.0, 0.0, 0.0, 1.0, 1.0, 0.0)


def tensors(seq, dim, seed, *, lead=(), dtype="float32", gate=False):
    """The input tensors q, k and w (*lead, seq, dim), beta and gate (*lead, seq)."""
    by_name = {name: scattered(dtype, (*lead, seq, dim), seed + k, 0) for k, name in enumerate("qkw")}
    by_name["beta"] = scattered(dtype, (*lead, seq), seed + 3, 1)
    if gate:
        by_name["gate"] = scattered(dtype, (*lead, seq), seed + 4, 0)
    return by_name


CASES = [
    *[
        value(f"5x4-{SHORT[dtype]}", f"5 tokens of 4 channels, scores in {dtype}", dtype=dtype,
              inputs=tensors(5, 4, 1100 + 5 * k), flags=(*FLAGS, *narrow(dtype)))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"inputs-{SHORT[dtype]}", f"queries, keys and the rest in {dtype}", dtype="float32",
              inputs=tensors(4, 4, 1120 + 5 * k, dtype=dtype), flags=FLAGS)
        for k, dtype in enumerate(("float64", "float16"))
    ],
    value("gates", "forget gates, of which that of the key is left out", dtype="float32", source=FLA,
          inputs=tensors(6, 4, 1130, gate=True), flags=FLAGS),
    value("heads", "q (batch, heads, seq, dim)", dtype="float32", source=FLA,
          inputs=tensors(3, 4, 1135, lead=(2, 2), gate=True), flags=FLAGS),
    value("longer", "20 tokens of 8 channels", dtype="float32", inputs=tensors(20, 8, 1140),
          flags=(*FLAGS, "NarrowAngle")),
    value("reflections", "beta 2 and unit vectors: channels change their sign", dtype="float32",
          inputs={"q": listed((1.0, 2.0) * 3, "float32", (3, 2)), "k": listed((1.0, 2.0) * 3, "float32", (3, 2)),
                  "w": listed(TURNS, "float32", (3, 2)), "beta": listed((2.0, 2.0, 1.0), "float32")},
          flags=("OffByOne", "Cancellation")),
    value("plain", "beta 0: the products of queries and keys", dtype="float64",
          inputs={**tensors(3, 4, 1145), "beta": listed((0.0, 0.0, 0.0), "float32")}, flags=FLAGS),
    value("one", "one token", dtype="float16", inputs=tensors(1, 4, 1150), flags=FLAGS),
    value("empty", "no tokens", dtype="float32",
          inputs={**{name: listed((), "float32", (0, 4)) for name in "qkw"}, "beta": listed((), "float32")}),
    refused("keys", "keys of another length", "E_SHAPE", "k",
            inputs={**tensors(3, 4, 1), "k": scattered("float32", (4, 4), 1)}),
    refused("beta", "a beta for each channel", "E_SHAPE", "beta",
            inputs={**tensors(3, 4, 1), "beta": scattered("float32", (3, 4), 1)}),
    refused("vector", "no sequence axis", "E_SHAPE", "q",
            inputs={**tensors(3, 4, 1), "q": scattered("float32", (4,), 1)}),
    refused("infinite", "a gate that is infinite", "E_NUMBER", "gate",
            inputs={**tensors(2, 4, 1), "gate": listed((float("-inf"), 0.0), "float32")}),
    refused("whole-numbers", "queries that are integers", "E_DTYPE", "q",
            inputs={**tensors(2, 1, 1), "q": listed((1, 2), "int64", (2, 1))}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="gates",
    float16="gates",
    bfloat16="gates",
)
