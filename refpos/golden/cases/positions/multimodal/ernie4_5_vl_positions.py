"""Golden cases of the positions of ERNIE-4.5-VL."""

from ....case import project, suite
from ._multimodal import FLAGS, STILL, inputs, resumes, wrong

value, refused = suite("ernie4_5_vl_positions", project(
    "transformers", "5.23.0", "models/ernie4_5_vl_moe/modeling_ernie4_5_vl_moe.py", "get_rope_index"
))  # fmt: skip
VIDEO = (
    ("video", "4 frames of patches, 2 of tokens", ("tvvvvtt",), (), ((4, 2, 4),)),
    ("long-video", "more frames than rows or columns", ("tvvvtt",), (), ((6, 2, 2),)),
    ("image-video", "an image, whose frame is not merged, and a video", ("tiitvvt",), ((1, 2, 4),), ((2, 4, 2),)),
    ("video-left", "videos in a batch padded on the left", ("..tvvt", "tvtttt"), (), ((4, 2, 2), (2, 2, 2))),
)

CASES = [
    *[
        value(slug, about, inputs=inputs(words, images, videos), flags=(*FLAGS, *resumes(words)))
        for slug, about, words, images, videos in STILL + VIDEO
    ],
    value("temporal-1", "frames that are not merged", temporal_merge_size=1, flags=(*FLAGS, "TextResumes"),
          inputs=inputs(("tvvvt",), (), ((3, 2, 2),))),
    *wrong(refused),
    refused("frames", "frames that are no multiple of the temporal merge size", "E_SIZE", "video_grid_thw",
            inputs=inputs(("tvt",), (), ((3, 2, 2),))),
]
