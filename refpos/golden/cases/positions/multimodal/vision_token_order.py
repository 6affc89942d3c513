"""Golden cases of the token orders of vision encoders."""

from ....case import listed, paper, project, suite
from ._multimodal import table

VIT = paper("Dosovitskiy et al. 2021, ViT, arXiv:2010.11929, section 3.1")
QWEN = project("transformers", "5.23.0", "vision_utils.py", "get_vision_position_ids")
WINDOWS = project("transformers", "5.23.0", "vision_utils.py", "get_vision_window_index")
RT_DETR = project(
    "transformers", "5.23.0", "models/rt_detr/modeling_rt_detr.py", "build_2d_sincos_position_embedding"
)
value, refused = suite("vision_token_order", QWEN)
FLAGS = ("AxisOrder", "NonSquare")
GRIDS = (
    ("wide", "2 x 4 patches", ((1, 2, 4),)),
    ("tall", "6 x 2 patches", ((1, 6, 2),)),
    ("video", "2 frames of 2 x 4 patches", ((2, 2, 4),)),
    ("two", "two grids", ((1, 4, 2), (1, 2, 2))),
)


def grids(given):
    return {"grid_thw": table(given)}


CASES = [
    *[
        value(f"{order}-{slug}", f"{about}, {order}", order=order, inputs=grids(given), flags=FLAGS, source=source)
        for order, source in (("row-major", VIT), ("column-major", RT_DETR), ("merge-blocks", QWEN))
        for slug, about, given in GRIDS
    ],
    value("merge-3", "blocks of 3 x 3", order="merge-blocks", spatial_merge_size=3, inputs=grids(((1, 3, 6),)),
          flags=FLAGS),
    *[
        value(f"windows-{slug}", f"{about}, windows of {size} x {size} blocks", order="windows", flags=FLAGS,
              window_size=28 * size, inputs=grids(given), source=WINDOWS)
        for slug, about, given, size in (
            ("cut", "4 x 6 patches", ((1, 4, 6),), 2), ("one", "4 x 4 patches", ((1, 4, 4),), 1),
            ("whole", "4 x 6 patches", ((1, 4, 6),), 4), ("video", "2 frames of 2 x 6 patches", ((2, 2, 6),), 2),
        )
    ],
    refused("order", "an unknown order", "E_CHOICE", "order", order="zigzag", inputs=grids(((1, 2, 2),))),
    refused("merge", "rows that are no multiple of the merge size", "E_SIZE", "grid_thw", order="windows",
            inputs=grids(((1, 3, 2),))),
    refused("window", "a window smaller than a block", "E_SIZE", "window_size", order="windows", window_size=20,
            inputs=grids(((1, 2, 2),))),
    refused("negative", "a negative grid", "E_SIZE", "grid_thw", order="row-major", inputs=grids(((1, -2, 2),))),
]

# what no other case tells apart
CASES += [
    value("blocks-6x12", "blocks of a grid that is wider than a window of four blocks", order="merge-blocks",
          inputs={"grid_thw": listed((1, 6, 12), shape=(1, 3))}),
    value("windows-55", "a window of 55 pixels, one less than two blocks of patches of 14", order="windows",
          window_size=55, inputs={"grid_thw": listed((1, 6, 12), shape=(1, 3))}),
    value("windows-patch-16", "patches of 16 pixels, of which a window of 62 has one block", order="windows",
          window_size=62, patch_size=16, inputs={"grid_thw": listed((1, 6, 12), shape=(1, 3))}),
]
