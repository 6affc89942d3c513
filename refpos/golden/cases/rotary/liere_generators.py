"""Golden cases of the generators that the weights of LieRE mean."""

from ...case import listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT

value, refused = suite(
    "liere_generators",
    paper("Ostmeier et al. 2024, LieRE: Lie Rotational Positional Encodings, arXiv:2406.10322, section 4"),
)
FLAGS = ("Inverse", "SineCosineOrder")
LIERE = project("StanfordMIMI/LieRE", "b27b41b", "models/rope_vit.py", "LierePositionEncoder")
LEAST = 7  # a copy with signs, which few cases tell

CASES = [
    *[
        value(f"4-{SHORT[dtype]}", f"two axes, two blocks of 4, {dtype}",
              inputs={"weight": scattered(dtype, (2, 2, 4, 4), 900 + k, 2)}, flags=FLAGS)
        for k, dtype in enumerate(DTYPES[:3])
    ],
    value("layers", "LieRE of 8: two axes, 2 layers, 2 generators", source=LIERE,
          inputs={"weight": scattered("float32", (2, 2, 2, 8, 8), 904, 2)}, flags=FLAGS),
    value("small", "weights that 1/2 swallows in float32", flags=("Cancellation",),
          inputs={"weight": listed((1.0, 2.0**-60, 5.0, 1.0), "float32", (2, 2))}),
    value("zeros", "zeros of both signs, which become +0", flags=FLAGS,
          inputs={"weight": listed((1.0, 0.0, -0.0, 4.0, 1.0, -2.0, 3.0, 3.0, 3.0), "float64", (3, 3))}),
    value("one", "blocks of one channel, which stand still", inputs={"weight": scattered("float32", (2, 3, 1, 1), 905)},
          flags=FLAGS),
    refused("not-square", "matrices that are not square", "E_SHAPE", "weight",
            inputs={"weight": scattered("float32", (2, 3, 4), 1)}),
    refused("vector", "no matrix", "E_SHAPE", "weight", inputs={"weight": scattered("float32", (4,), 1)}),
    refused("nan", "a weight that is NaN", "E_NUMBER", "weight",
            inputs={"weight": listed((0.0, float("nan"), 0.0, 0.0), "float32", (2, 2))}),
    refused("infinite", "a weight that is infinite", "E_NUMBER", "weight",
            inputs={"weight": listed((0.0, float("inf"), 0.0, 0.0), "float32", (2, 2))}),
]
