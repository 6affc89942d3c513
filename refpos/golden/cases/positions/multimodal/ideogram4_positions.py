"""Golden cases of the positions of Ideogram 4."""

from ....case import project, suite

value, refused = suite("ideogram4_positions", project(
    "huggingface/diffusers", "0.42.1", "pipelines/ideogram4/pipeline_ideogram4.py"))
FLAGS = ("AxisOrder", "NonSquare", "LongContextInteger")

CASES = [
    *[
        value(f"{height}x{width}-{text}", f"{height} x {width} tokens and {text} of text", height=height, width=width,
              text_length=text, flags=FLAGS)
        for height, width, text in ((2, 3, 4), (3, 2, 1), (1, 5, 0), (5, 1, 7), (4, 4, 2))
    ],
    value("offset", "an image that begins behind its text", height=2, width=3, text_length=4, offset=4, flags=FLAGS),
    refused("width", "a negative width", "E_SIZE", "width", height=2, width=-1, text_length=1),
    refused("offset", "an offset that is a float", "E_SIZE", "offset", height=2, width=2, text_length=1, offset=0.5),
]  # fmt: skip
