"""Golden cases of the positions of GLM-Image."""

from ....case import listed, project, suite
from ._multimodal import resumes, rows, table

FLAGS = ("AxisOrder", "OffByOne")
IDS = {"image_start_token_id": 1, "image_end_token_id": 2}
TOKENS = {"t": 9, "i": 5, "(": 1, ")": 2, ".": 0}
value, refused = suite("glm_image_positions", project(
    "transformers", "5.23.0", "models/glm_image/modeling_glm_image.py", "get_rope_index"
))  # fmt: skip


def tensors(words, grids=(), counts=()):
    by_name = rows(words, TOKENS, "input_ids")
    if grids:
        by_name["image_grid_thw"] = table([(1, *grid) for grid in grids])
    if counts:
        by_name["images_per_sample"] = listed(counts)
    return by_name


PARTS = (
    ("text", "text, and nothing to generate", ("tttt",), (), ()),
    ("generate", "text to an image of 2 x 3", ("ttt(",), ((2, 3),), ()),
    ("generate-two", "two images to generate, the last one first", ("ttt(",), ((2, 3), (1, 2)), ()),
    ("generate-tall", "text to an image of 4 x 1", ("t(",), ((4, 1),), ()),
    ("edit", "a source image of 1 x 2 and an image to generate", ("t(ii)t(",), ((1, 2), (2, 2)), ()),
    ("edit-tall", "a source image of 3 x 1", ("(iii)t(",), ((3, 1), (1, 3)), ()),
    ("edit-two", "two source images", ("t(ii)(iii)t(",), ((1, 2), (3, 1), (2, 2)), ()),
    ("complete", "source images alone", ("t(ii)t",), ((2, 1),), ()),
    ("square", "a source image of 2 x 2, larger than the text", ("(iiii)(",), ((2, 2), (2, 2)), ()),
    ("left", "padded on the left", ("..t(", "tt(("), ((1, 2), (2, 1)), (1, 1)),
    ("right", "padded on the right", ("t(..", "tttt"), ((1, 2), (2, 1)), (1, 1)),
    ("batch", "a row with a source image and one without", ("t(ii)t(", "....tt("), ((1, 2), (2, 2), (1, 3)), (2, 1)),
    ("longest", "rows that generate different numbers of tokens", ("t(", "t("), ((2, 2), (1, 1)), (1, 1)),
    ("one-sample", "one row with its number of grids", ("t(i)(",), ((1, 1), (1, 2)), (2,)),
    ("both-sides", "padding on both sides, and inside", (".t(i.i)t.",), ((1, 2),), ()),
)

CASES = [
    *[
        value(slug, about, inputs=tensors(words, grids, counts), flags=(*FLAGS, *resumes(words)), **IDS)
        for slug, about, words, grids, counts in PARTS
    ],
    refused("no-grid", "a source image without a grid", "E_SHAPE", "image_grid_thw", inputs=tensors(("t(i)",)), **IDS),
    refused("tokens", "fewer tokens than the grid has", "E_SHAPE", "input_ids", inputs=tensors(("t(i)",), ((1, 2),)),
            **IDS),
    refused("samples", "two rows and no images_per_sample", "E_SHAPE", "images_per_sample",
            inputs=tensors(("t(", "t("), ((1, 2), (1, 2))), **IDS),
    refused("sum", "images_per_sample of another sum", "E_SHAPE", "images_per_sample",
            inputs=tensors(("t(", "t("), ((1, 2), (1, 2)), (1, 2)), **IDS),
    refused("negative", "a negative grid", "E_SIZE", "image_grid_thw", inputs=tensors(("t(",), ((1, -2),)), **IDS),
    refused("special", "two special tokens that are equal", "E_CHOICE", "image_end_token_id", inputs=tensors(("t",)),
            **{**IDS, "image_end_token_id": 1}),
]
