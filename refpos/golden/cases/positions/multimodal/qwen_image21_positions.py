"""Golden cases of the positions of Qwen-Image 2.1."""

from ....case import listed, project, suite
from ._multimodal import table

FILE = "models/transformers/transformer_qwenimage21.py"
value, refused = suite("qwen_image21_positions", project("diffusers", "0.42.1", FILE, "QwenImage21Rope"))
FLAGS = ("AxisOrder", "Centring", "NonSquare", "OffByOne")


def inputs(letters, *images):
    """Tokens, t for text and i for images, and the rows and columns of each image."""
    by_name = {"image_pad_mask": listed(tuple(int(letter == "i") for letter in letters), shape=(len(letters),))}
    return by_name | ({"grid_thw": table(tuple((1, *image) for image in images))} if images else {"grid_thw": NO_GRIDS})


NO_GRIDS = listed((), shape=(0, 3))
CASES = [
    *[
        value(slug, about, inputs=inputs(letters, *images), flags=FLAGS if images else ())
        for slug, about, letters, images in (
            ("text", "text alone", "tttt", ()),
            ("no-tokens", "no tokens", "", ()),
            ("image-only", "an image of 2 x 3 tokens alone", "iiiiii", ((2, 3),)),
            ("wide", "text and an image of 1 x 3 tokens", "ttiii", ((1, 3),)),
            ("tall", "text and an image of 5 x 1 tokens", "tiiiii", ((5, 1),)),
            ("even", "text and an image of 2 x 4 tokens", "tttiiiiiiii", ((2, 4),)),
            ("one", "images of one token", "titi", ((1, 1), (1, 1))),
            ("edit", "an image in the text, and one to make", "ttiittiiiiii", ((2, 1), (3, 2))),
            ("touching", "two images side by side", "tiiiiiiiiii", ((2, 3), (1, 4))),
            ("text-last", "text behind the image", "tiiiittt", ((1, 4),)),
        )
    ],
    refused("short", "an image with too few tokens", "E_SHAPE", "image_pad_mask", inputs=inputs("tii", (1, 3))),
    refused("broken", "text inside an image", "E_SHAPE", "image_pad_mask", inputs=inputs("iti", (1, 2))),
    refused("long", "tokens beyond the images", "E_SHAPE", "grid_thw", inputs=inputs("tiii", (1, 2))),
    refused("frames", "an image of two frames", "E_SIZE", "grid_thw",
            inputs=inputs("tii", (1, 1)) | {"grid_thw": table(((2, 1, 1),))}),
    refused("mask", "a mask of another number", "E_CHOICE", "image_pad_mask",
            inputs=inputs("ti", (1, 1)) | {"image_pad_mask": listed((0, 2))}),
    refused("negative", "a negative image", "E_SIZE", "grid_thw", inputs=inputs("ti", (1, -1))),
]
