"""Golden cases of the positions of Z-Image."""

from ....case import project, suite

value, refused = suite("z_image_positions", project(
    "huggingface/diffusers", "0.42.1", "models/transformers/transformer_z_image.py", "patchify_and_embed"))
FLAGS = ("AxisOrder", "NonSquare", "OffByOne")

CASES = [
    *[
        value(f"{height}x{width}-{text}", f"{height} x {width} tokens and {text} of text", height=height, width=width,
              text_length=text, flags=FLAGS)
        for height, width, text in ((2, 3, 1), (3, 2, 32), (5, 7, 33), (4, 8, 31), (1, 1, 0), (33, 1, 64))
    ],
    value("frames", "two frames", height=2, width=3, frames=2, text_length=5, flags=FLAGS),
    value("no-image", "text alone", height=0, width=3, text_length=5),
    refused("height", "a negative height", "E_SIZE", "height", height=-1, width=2, text_length=1),
    refused("text", "a negative number of text tokens", "E_SIZE", "text_length", height=2, width=2, text_length=-1),
]  # fmt: skip
