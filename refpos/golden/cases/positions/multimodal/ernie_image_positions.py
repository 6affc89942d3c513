"""Golden cases of the positions of ERNIE-Image."""

from ....case import project, suite

value, refused = suite("ernie_image_positions", project(
    "huggingface/diffusers", "0.42.1", "models/transformers/transformer_ernie_image.py"))
FLAGS = ("AxisOrder", "NonSquare", "OffByOne")

CASES = [
    *[
        value(f"{height}x{width}-{text}", f"{height} x {width} tokens and {text} of text", height=height, width=width,
              text_length=text, flags=FLAGS)
        for height, width, text in ((2, 3, 4), (3, 2, 1), (1, 5, 0), (5, 1, 7), (4, 4, 2))
    ],
    value("no-image", "text alone", height=0, width=3, text_length=5),
    refused("width", "a negative width", "E_SIZE", "width", height=2, width=-1, text_length=1),
    refused("text", "a negative number of text tokens", "E_SIZE", "text_length", height=2, width=2, text_length=-1),
]  # fmt: skip
