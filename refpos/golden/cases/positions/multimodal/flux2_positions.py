"""Golden cases of the positions of Flux 2."""

from ....case import listed, project, suite
from ._multimodal import table

FILE = "pipelines/flux2/pipeline_flux2.py"
value, refused = suite("flux2_positions", project("diffusers", "0.42.1", FILE, "_prepare_latent_ids"))
REFERENCES = project("diffusers", "0.42.1", FILE, "_prepare_image_ids")
FLAGS = ("AxisOrder", "NonSquare")
SIZES = ((1, 1), (2, 3), (3, 2), (1, 5), (5, 1), (4, 4))

CASES = [
    *[
        value(f"{height}x{width}", f"an image of {height} x {width} tokens", height=height, width=width, text_length=3,
              inputs={"references": listed((), shape=(0, 2))}, flags=FLAGS)
        for height, width in SIZES
    ],
    *[
        value(f"references-{slug}", f"reference images {sizes}", height=2, width=2, text_length=1, flags=FLAGS,
              inputs={"references": table(sizes)}, source=REFERENCES)
        for slug, sizes in (
            ("one", ((1, 2),)), ("tall", ((3, 1),)), ("two", ((1, 2), (2, 1))), ("equal", ((2, 2), (2, 2))),
            ("three", ((1, 1), (1, 2), (2, 1))),
        )
    ],
    value("scale-1", "reference images 1 apart", height=1, width=1, text_length=1, scale=1, flags=FLAGS,
          inputs={"references": table(((1, 1), (1, 1)))}, source=REFERENCES),
    value("no-text", "no text", height=2, width=2, text_length=0, flags=FLAGS,
          inputs={"references": listed((), shape=(0, 2))}),
    value("text", "16 tokens of text", height=1, width=1, text_length=16, flags=FLAGS,
          inputs={"references": listed((), shape=(0, 2))}),
    value("257", "a row beyond the 256 that bfloat16 counts", height=258, width=1, text_length=1,
          flags=(*FLAGS, "LongContextInteger"), inputs={"references": listed((), shape=(0, 2))}),
    refused("height", "no rows", "E_SIZE", "height", height=0, width=2, text_length=1),
    refused("text", "a negative number of text tokens", "E_SIZE", "text_length", height=2, width=2, text_length=-1),
    refused("reference", "a reference without columns", "E_SIZE", "references", height=2, width=2, text_length=1,
            inputs={"references": table(((1, 0),))}),
    refused("scale", "a scale of 0", "E_SIZE", "scale", height=2, width=2, text_length=1, scale=0),
]
