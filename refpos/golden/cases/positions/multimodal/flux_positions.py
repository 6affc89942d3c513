"""Golden cases of the positions of Flux."""

from ....case import listed, project, suite

FLUX = project("diffusers", "0.42.1", "pipelines/flux/pipeline_flux.py", "_prepare_latent_image_ids")
KONTEXT = project("diffusers", "0.42.1", "pipelines/flux/pipeline_flux_kontext.py", "prepare_latents")
value, refused = suite("flux_positions", FLUX)
FLAGS = ("AxisOrder", "NonSquare")
SIZES = ((1, 1), (2, 3), (3, 2), (1, 5), (5, 1), (4, 4))

CASES = [
    *[
        value(f"{height}x{width}", f"an image of {height} x {width} tokens", height=height, width=width, text_length=2,
              flags=FLAGS)
        for height, width in SIZES
    ],
    *[
        value(f"kontext-{height}x{width}", f"a reference image of {height} x {width} tokens", height=2, width=3,
              text_length=1, inputs={"reference": listed((height, width))}, flags=FLAGS, source=KONTEXT)
        for height, width in SIZES
    ],
    value("no-text", "no text", height=2, width=2, text_length=0, flags=FLAGS),
    value("text", "16 tokens of text", height=1, width=1, text_length=16, flags=FLAGS),
    value("257", "a row beyond the 256 that bfloat16 counts", height=1, width=258, text_length=1,
          flags=(*FLAGS, "LongContextInteger")),
    refused("height", "no rows", "E_SIZE", "height", height=0, width=2, text_length=1),
    refused("width", "a negative width", "E_SIZE", "width", height=2, width=-2, text_length=1),
    refused("text", "a negative number of text tokens", "E_SIZE", "text_length", height=2, width=2, text_length=-1),
    refused("reference", "a reference of one number", "E_SHAPE", "reference", height=2, width=2, text_length=1,
            inputs={"reference": listed((2,))}),
]
