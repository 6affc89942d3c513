"""Golden cases of a learned table times a gate."""

from ...case import extreme, listed, paper, project, scattered, suite, tiny
from ...telling_inputs import DTYPES, SHORT, narrow

value, refused = suite("gated_table", paper("Llama team 2024, The Llama 3 Herd of Models, arXiv:2407.21783, section 7"))
MLLAMA = project("transformers", "5.23.0", "models/mllama/modeling_mllama.py", "MllamaPrecomputedPositionEmbedding")
GATES = (0.0, 0.7, -1.3, 40.0)


def arrays(dtype, shape, seed, gate):
    """A table and its gate, as input tensors."""
    return {"weight": scattered(dtype, shape, seed, 2), "gate": listed([gate], dtype)}


CASES = [
    *[
        value(f"{'patches' if complement else 'tiles'}-{k}-{SHORT[dtype]}",
              f"Mllama: {'1 - tanh' if complement else 'tanh'} of {gate}, {dtype}", complement=complement, dtype=dtype,
              source=MLLAMA, inputs=arrays(dtype, (5, 3), 40 + k, gate), flags=narrow(dtype))
        for k, gate in enumerate(GATES) for complement in (True, False) for dtype in (DTYPES[k], DTYPES[(k + 2) % 4])
    ],
    value("cancelling-f64", "1 - tanh 18 keeps few bits", complement=True, dtype="float64", flags=("Cancellation",),
          inputs=arrays("float64", (2, 3), 50, 18.0)),
    value("small-f64", "tanh of 2^-30 is below it", complement=False, dtype="float64",
          inputs=arrays("float64", (2, 3), 51, 2.0**-29)),
    value("tiny-f64", "subnormal numbers", complement=False, dtype="float64", flags=("Subnormal",),
          inputs={"weight": tiny("float64", (3, 3), 52), "gate": listed([0.25], "float64")}),
    value("extreme-f32", "infinities, NaN and the largest numbers", complement=True, dtype="float32",
          inputs={"weight": extreme("float32", (4, 4)), "gate": listed([0.5], "float32")}),
    value("number-f32", "a gate that is a number", complement=True, gate=0.7, dtype="float32",
          inputs={"weight": scattered("float32", (2, 2, 3), 53)}),
    value("narrowed-bf16", "a table of float32 as bfloat16", complement=False, dtype="bfloat16",
          inputs=arrays("float32", (4, 3), 54, 1.5), flags=("DoubleRounding",)),
    value("empty", "no rows", complement=True, dtype="float32", inputs=arrays("float32", (0, 3), 55, 0.5)),
    refused("gate-shape", "two gates", "E_SHAPE", "gate", complement=True,
            inputs={"weight": scattered("float32", (2, 2), 1), "gate": listed([0.5, 0.5], "float32")}),
    refused("complement", "neither of the two", "E_CHOICE", "complement", complement="tanh",
            inputs=arrays("float32", (2, 2), 1, 0.5)),
]  # fmt: skip
