"""Golden cases of positions through a perceptron."""

from ...case import counting, fraction, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

PAPER = paper("Li et al. 2021, Learnable Fourier Features, arXiv:2106.02795, section 3")
value, refused = suite("mlp_positions", PAPER)
TORCH = project("torch", "2.13.0", "torch/nn/modules/linear.py", "Linear")


def layers(dtype, hidden, channels, seed, biases=True, column=True):
    """Both lines as input tensors."""
    tensors = {
        "weight_in": scattered(dtype, (hidden, 1) if column else (hidden,), seed, 0),
        "weight_out": scattered(dtype, (channels, hidden), seed + 1, 0),
    }
    if biases:
        tensors |= {"bias_in": scattered(dtype, (hidden,), seed + 2, 0),
                    "bias_out": scattered(dtype, (channels,), seed + 3, 0)}
    return tensors  # fmt: skip


BARE = {"bias_in": None, "bias_out": None}
ACTIVATIONS = ("relu", "gelu", "gelu_tanh", "silu", "sigmoid", "softplus", "tanh", "identity")

CASES = [
    *[
        value(f"{activation.replace('_', '-')}-{SHORT[dtype]}", f"{activation}, 7 positions, {dtype}", positions=7,
              activation=activation, dtype=dtype, inputs=layers("float32", 5, 3, 700 + 10 * k), source=TORCH,
              flags=narrow(dtype))
        for k, activation in enumerate(ACTIVATIONS)
        for dtype in (DTYPES if activation == "gelu" else (DTYPES[k % 4],))
    ],
    value("scaled-f32", "positions over the largest length", positions=9, activation="gelu", divisor=512,
          dtype="float32", inputs=layers("float32", 8, 4, 790), source=TORCH),
    value("third-f64", "a divisor that is no power of two: the quotient is rounded", positions=9, activation="tanh",
          divisor=fraction(10, 3), dtype="float64", inputs=layers("float64", 8, 4, 794)),
    value("bare-f64", "no biases, and one weight for each hidden number", positions=5, activation="silu",
          dtype="float64", inputs=layers("float64", 6, 2, 798, False, False), **BARE),
    value("bfloat16-weights", "weights of bfloat16", positions=5, activation="relu", dtype="bfloat16",
          inputs=layers("bfloat16", 4, 3, 802), flags=narrow("bfloat16")),
    value("float16-weights", "weights of float16", positions=5, activation="sigmoid", dtype="float32",
          inputs=layers("float16", 4, 3, 806)),
    value("long-f64", "positions past 2^24", activation="gelu", dtype="float64", divisor=2**20,
          inputs={"positions": listed([0, 1, 2**24 + 1, 2**31 - 1, -5]), **layers("float64", 3, 2, 810)},
          flags=("LongContextInteger",)),
    value("fractions-f64", "positions between integers, in rows and columns", activation="softplus",
          dtype="float64", inputs={"positions": listed([0.5, -0.25, 1e-3, 3.0, -7.5, 2.0**-40], "float64", (2, 3)),
                                   **layers("float64", 3, 2, 814)}, flags=("FractionalPosition",)),
    value("wide-f64", "as many terms as show the order of the sum", positions=3, activation="gelu", dtype="float64",
          inputs=layers("float64", 67, 19, 818)),
    value("one", "one hidden number and one channel", positions=4, activation="tanh", dtype="float64",
          inputs=layers("float64", 1, 1, 822)),
    value("none", "no positions", positions=0, activation="tanh", dtype="float32", inputs=layers("float32", 3, 2, 826)),
    value("cancelling-f64", "terms that cancel but for the roundings of the fixed order", activation="identity",
          dtype="float64", flags=("Cancellation",), **BARE,
          inputs={"positions": counting(1, 2), "weight_in": listed([1.0, 2.0**53, -(2.0**53), 1.0], "float64"),
                  "weight_out": listed([1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 3.0], "float64", (2, 4))}),
    value("contracted-f64", "a product that only one rounding of a fused multiply-add would keep", positions=2,
          activation="identity", dtype="float64", flags=("FmaContraction",), **BARE,
          inputs={"weight_in": listed([1 + 2.0**-52, -1.0], "float64"),
                  "weight_out": listed([1 + 2.0**-52, 1 + 2.0**-51], "float64", (1, 2))}),
    refused("activation", "an activation without a name", "E_CHOICE", "activation", positions=2, activation="swish",
            inputs=layers("float32", 2, 2, 1)),
    refused("weight-out", "another hidden width", "E_SHAPE", "weight_out", positions=2, activation="relu", **BARE,
            inputs={"weight_in": scattered("float32", (3,), 1), "weight_out": scattered("float32", (2, 4), 1)}),
    refused("weight-in", "two inputs", "E_SHAPE", "weight_in", positions=2, activation="relu", **BARE,
            inputs={"weight_in": scattered("float32", (3, 2), 1), "weight_out": scattered("float32", (2, 3), 1)}),
    refused("bias", "a bias of another width", "E_SHAPE", "bias_in", positions=2, activation="relu", bias_out=None,
            inputs={**layers("float32", 3, 2, 1, False), "bias_in": scattered("float32", (2,), 1)}),
    refused("divisor-zero", "positions over 0", "E_NUMBER", "divisor", positions=2, activation="relu", divisor=0,
            inputs=layers("float32", 2, 2, 1)),
    refused("position-nan", "a position that is NaN", "E_POSITION", "positions", activation="relu",
            inputs={"positions": listed([float("nan")], "float64"), **layers("float32", 2, 2, 1)}),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float64="gelu-tanh-f16 identity-bf16",
    float32="one bare-f64 bfloat16-weights gelu-tanh-f16 identity-bf16",
    float16="bare-f64 fractions-f64 float16-weights bfloat16-weights identity-bf16 long-f64",
    bfloat16="third-f64 fractions-f64 float16-weights gelu-tanh-f16 wide-f64",
)
