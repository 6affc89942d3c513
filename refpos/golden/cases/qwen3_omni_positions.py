"""Golden cases of the positions of Qwen3-Omni."""

from ..case import project, suite
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
