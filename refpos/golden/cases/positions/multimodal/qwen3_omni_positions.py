"""Golden cases of the positions of Qwen3-Omni."""

from ....case import listed, project, suite
from .qwen2_5_omni_positions import FLAGS, IDS, parts, tensors, wrong


def _mel(tokens):
    return 8 * tokens


value, refused = suite("qwen3_omni_positions", project(
    "transformers", "5.23.0", "models/qwen3_omni_moe/modeling_qwen3_omni_moe.py", "get_rope_index"
))  # fmt: skip

CASES = [
    *[
        value(slug, about, inputs=inputs, use_audio_in_video=both, flags=FLAGS, **IDS)
        for slug, about, inputs, both in parts(_mel)
    ],
    value("third", "a third of a second: products rounded in float32, in this order", flags=FLAGS, **IDS,
          inputs=tensors(("t(vvvvvv)t",), (), ((6, 2, 2),), (), (0.3333333432674408,))),
    value("window", "one hundred mel frames are 13 tokens", flags=FLAGS, **IDS,
          inputs=tensors(("[" + "a" * 14 + ")",), audio=(101,))),
    *wrong(refused, _mel),
]

# conventions that no case above tells
CASES += [
    value("other-tokens", "other special tokens; 6 mel frames of a window of 3 are 13 tokens", flags=FLAGS, n_window=3,
          image_token_id=31, video_token_id=32, audio_token_id=33, vision_start_token_id=34, audio_start_token_id=35,
          inputs={"input_ids": listed((9, 34, 31, 31, 36, 35, *[33] * 13, 36, 34, 32, 32, 36, 1, 2, 3, 4, 5),
                                      shape=(1, 29)),
                  "image_grid_thw": listed((1, 2, 4), shape=(1, 3)), "video_grid_thw": listed((2, 2, 2), shape=(1, 3)),
                  "audio_seqlens": listed((6,)), "second_per_grids": listed((1.0,), "float32")}),
]
