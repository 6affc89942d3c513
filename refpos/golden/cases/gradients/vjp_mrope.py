"""Golden cases of the gradient of the multimodal rotation: the cotangent, rotated back."""

from ...case import call, paper, suite
from ...telling_inputs import LONG
from .._gradients import cotangents_refused, in_each, whole

value, refused = suite("vjp_mrope", paper("Wang et al. 2024, Qwen2-VL, arXiv:2409.12191, section 2.1"))
FLAGS = ("AxisOrder", "AxisSections", "Inverse", "InterleavedVsHalf")
IDS = whole(0, 1, 1, 4, 0, 1, 1, 4, 0, 1, 2, 4, shape=(3, 4))
FAR = whole(0, 4095, 131071, 131071, 0, 4096, 131071, 131072, 0, 4097, 131071, 131073, shape=(3, 4))
SECTIONS = {"sections": [2, 3, 1], "arrangement": "chunked"}


def tokens(*shape, ids=IDS):
    """The shapes of x and of the cotangent, and the position ids."""
    return {"x": shape, "cotangent": shape, "position_ids": ids}


CASES = [
    *in_each(value, "chunked", "sections 2, 3 and 1, far positions", tokens(4, 12, ids=FAR), pairing="half", **SECTIONS,
             flags=(*FLAGS, *LONG)),
    *in_each(value, "interleaved", "time, row and column in turn", tokens(4, 12), pairing="interleaved",
             sections=[2, 2, 2], arrangement="interleaved", base=1000000, flags=(*FLAGS, "Base")),
    *in_each(value, "partial-yarn", "YaRN, and two channels that are not rotated", tokens(1, 4, 2, 14), pairing="half",
             seq_axis=-3, frequencies=call("yarn", dim=12, base=10000, factor=8, original_max_position_embeddings=4096),
             **SECTIONS, flags=(*FLAGS, "AttentionFactor", "PartialRotary", "Scaling")),
    *in_each(value, "of-inverse", "the gradient of the inverse is the rotation", tokens(4, 6), pairing="half",
             sections=[1, 1, 1], arrangement="chunked", inverse=True, flags=FLAGS),
    *in_each(value, "alternating", "rows and columns in turn, after the time", tokens(4, 12), pairing="half",
             sections=[2, 2, 2], arrangement="alternating", flags=FLAGS),
    *in_each(value, "block-half", "the halves of the block of each axis", tokens(4, 12), pairing="block-half",
             **SECTIONS, flags=FLAGS),
    *cotangents_refused(refused, "x", (4, 12), (4, 12), inputs={"position_ids": IDS}, pairing="half", **SECTIONS),
]  # fmt: skip
