"""Golden cases of the positions of Qwen-Image."""

from ....case import project, suite
from ._multimodal import table

FILE = "models/transformers/transformer_qwenimage.py"
value, refused = suite("qwen_image_positions", project("diffusers", "0.42.1", FILE, "QwenEmbedRope"))
LAYERED = project("diffusers", "0.42.1", FILE, "QwenEmbedLayer3DRope")
FLAGS = ("AxisOrder", "NonSquare", "OffByOne")
PARTS = (
    ("even", "an image of 2 x 4", ((1, 2, 4),)),
    ("odd", "an image of 3 x 5", ((1, 3, 5),)),
    ("tall", "an image of 4 x 1", ((1, 4, 1),)),
    ("one", "an image of one token", ((1, 1, 1),)),
    ("edit", "an image and one to edit", ((1, 2, 3), (1, 3, 2))),
    ("edit-two", "an image and two to edit", ((1, 2, 2), (1, 1, 3), (1, 5, 1))),
    ("video", "two frames", ((2, 2, 3),)),
)


def grids(given):
    return {"grid_thw": table(given)}


CASES = [
    *[
        value(f"{slug}-{'centred' if centred else 'from-0'}", f"{about}, from {'the middle' if centred else '0'}",
              text_length=3, scale_rope=centred, inputs=grids(given), flags=(*FLAGS, "Centring", "TextResumes"))
        for slug, about, given in PARTS
        for centred in (True, False)
    ],
    *[
        value(f"layered-{slug}", f"{about}, the last one the condition", text_length=2, layered=True,
              inputs=grids(given), flags=FLAGS, source=LAYERED)
        for slug, about, given in (PARTS[4], PARTS[5], ("many", "five layers of one token", ((1, 1, 1),) * 6))
    ],
    value("no-text", "no text", text_length=0, inputs=grids(((1, 2, 2),)), flags=FLAGS),
    refused("negative", "a negative grid", "E_SIZE", "grid_thw", text_length=1, inputs=grids(((1, -2, 2),))),
    refused("text", "a negative number of text tokens", "E_SIZE", "text_length", text_length=-1,
            inputs=grids(((1, 2, 2),))),
    refused("shape", "a grid of two numbers", "E_SHAPE", "grid_thw", text_length=1, inputs=grids(((2, 2),))),
    refused("condition", "a condition of two frames", "E_SIZE", "grid_thw", text_length=1, layered=True,
            inputs=grids(((1, 2, 2), (2, 2, 2)))),
]
