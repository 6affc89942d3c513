"""Golden cases of the positions of Lumina 2."""

from ....case import listed, project, suite

value, refused = suite("lumina2_positions", project(
    "diffusers", "0.42.1", "models/transformers/transformer_lumina2.py", "Lumina2RotaryPosEmbed"
))  # fmt: skip
FLAGS = ("AxisOrder", "NonSquare")


def lengths(*given):
    return {"text_lengths": listed(given)}


CASES = [
    *[
        value(f"{height}x{width}-{'-'.join(map(str, texts))}", f"{height} x {width} tokens, captions of {texts}",
              height=height, width=width, inputs=lengths(*texts), flags=FLAGS)
        for height, width in ((1, 1), (2, 3), (3, 2), (1, 4))
        for texts in ((3,), (1, 4), (4, 0, 2))
    ],
    value("no-text", "no caption", height=2, width=2, inputs=lengths(0), flags=FLAGS),
    value("tall", "a column", height=5, width=1, inputs=lengths(2, 2), flags=FLAGS),
    value("long", "a caption of 257 tokens", height=1, width=2, inputs=lengths(257),
          flags=(*FLAGS, "LongContextInteger")),
    refused("height", "no rows", "E_SIZE", "height", height=0, width=2, inputs=lengths(1)),
    refused("length", "a negative length", "E_SIZE", "text_lengths", height=2, width=2, inputs=lengths(-1)),
    refused("none", "no captions", "E_SIZE", "text_lengths", height=2, width=2, inputs=lengths()),
    refused("floats", "lengths that are floats", "E_DTYPE", "text_lengths", height=2, width=2,
            inputs={"text_lengths": listed((1.0,), "float32")}),
]
