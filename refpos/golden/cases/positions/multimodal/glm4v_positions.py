"""Golden cases of the positions of GLM-4V."""

from ....case import project, suite
from ._multimodal import AGREED, FRAMES, STILL, VERSIONS, both, inputs, wrong

FILE = "models/glm4v/modeling_glm4v.py"
OLD, NEW = (project("transformers", version, FILE, "get_rope_index") for version in ("4.57.1", "5.23.0"))
value, refused = suite("glm4v_positions", NEW)

CASES = [
    *both(value, STILL + FRAMES, OLD, NEW, (*AGREED, "video")),
    *wrong(refused, version=VERSIONS["new"]),
    refused("frames", "the frames of a video in one run", "E_SHAPE", "mm_token_type_ids", version=VERSIONS["new"],
            inputs=inputs(("tvvvvt",), (), ((2, 2, 4),))),
]
