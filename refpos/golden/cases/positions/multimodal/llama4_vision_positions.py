"""Golden cases of the positions of Llama 4's vision tower."""

from ....case import project, suite

value, refused = suite("llama4_vision_positions", project(
    "transformers", "5.23.0", "models/llama4/modeling_llama4.py", "Llama4VisionRotaryEmbedding"))
FLAGS = ("AxisOrder", "OffByOne")

CASES = [
    *[value(f"side-{side}", f"{side} x {side} patches", side=side, flags=FLAGS) for side in (1, 2, 3, 5, 24)],
    value("side-0", "the class token alone", side=0),
    refused("negative", "a negative side", "E_SIZE", "side", side=-1),
]  # fmt: skip
