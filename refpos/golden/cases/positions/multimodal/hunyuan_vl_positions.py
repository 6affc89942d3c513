"""Golden cases of the positions of HunYuan-VL."""

from ....case import listed, project, suite
from ._multimodal import FLAGS, inputs, resumes, rows, table

value, refused = suite("hunyuan_vl_positions", project(
    "transformers", "5.23.0", "models/hunyuan_vl/modeling_hunyuan_vl.py", "get_rope_index"
))  # fmt: skip
#: an image of h x w tokens has h (w + 1) of them
PARTS = (
    ("text", "text alone", ("tttt",), ()),
    ("image", "an image of 1 x 2 tokens", ("ttiiitt",), ((1, 2, 4),)),
    ("tall", "an image of 2 x 1 tokens", ("tiiiit",), ((1, 4, 2),)),
    ("framed", "a token before and one after the image in the run", ("tiiiiit",), ((1, 2, 4),)),
    ("one-token", "an image of one token", ("tiit",), ((1, 2, 2),)),
    ("image-only", "nothing but an image", ("iiiiii",), ((1, 4, 4),)),
    ("two-images", "two images", ("tiiitiit",), ((1, 2, 4), (1, 2, 2))),
    ("left", "a batch padded on the left", ("..tiit", "ttiiit"), ((1, 2, 2), (1, 2, 4))),
    ("right", "a batch padded on the right", ("tiit..", "ttiiit"), ((1, 2, 2), (1, 2, 4))),
    ("both-sides", "padding on both sides, and inside", (".tii.it.",), ((1, 2, 4),)),
    ("text-row", "a row without images", ("...tt", "tiiit"), ((1, 2, 4),)),
    ("batch-number", "the fourth row has image 3, larger than its tokens", ("ii",) * 4, ((1, 2, 2),) * 4),
)

CASES = [
    *[
        value(slug, about, inputs=inputs(words, images), flags=(*FLAGS, *resumes(words)))
        for slug, about, words, images in PARTS
    ],
    *[
        value(f"axes-{axes}", f"{axes} axes", num_axes=axes, inputs=inputs(("tiiit",), ((1, 2, 4),)), flags=FLAGS)
        for axes in (3, 5)
    ],
    value("merge-1", "a merge size of 1", spatial_merge_size=1, inputs=inputs(("tiiit",), ((1, 1, 2),)), flags=FLAGS),
    refused("no-grid", "image tokens without a grid", "E_SHAPE", "image_grid_thw", inputs=rows(("tii",))),
    refused("too-many-grids", "a grid without image tokens", "E_SHAPE", "image_grid_thw",
            inputs={**rows(("ttt",)), "image_grid_thw": table(((1, 2, 4),))}),
    refused("no-newline", "image tokens without those that end the rows", "E_SHAPE", "mm_token_type_ids",
            inputs=inputs(("tii",), ((1, 2, 4),))),
    refused("video", "video tokens", "E_CHOICE", "mm_token_type_ids",
            inputs={"mm_token_type_ids": listed((0, 2), shape=(1, 2))}),
    refused("frames", "an image of two frames", "E_SIZE", "image_grid_thw", inputs=inputs(("tii",), ((2, 2, 2),))),
    refused("axes", "two axes", "E_SIZE", "num_axes", num_axes=2, inputs=rows(("t",))),
]
