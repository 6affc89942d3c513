"""Golden cases of the positions of Qwen2-VL."""

from ....case import project, suite
from ._multimodal import FLAGS, STILL, VERSIONS, VIDEO, both, inputs, rows, wrong

FILE = "models/qwen2_vl/modeling_qwen2_vl.py"
OLD, NEW = (project("transformers", version, FILE, "get_rope_index") for version in ("4.57.1", "5.23.0"))
value, refused = suite("qwen2_vl_positions", NEW)

CASES = [
    *both(value, STILL + VIDEO, OLD, NEW),
    value("merge-1", "a merge size of 1", version=VERSIONS["new"], spatial_merge_size=1,
          inputs=inputs(("tiiiit",), ((1, 2, 2),)), flags=FLAGS),
    *wrong(refused, version=VERSIONS["new"]),
    refused("version", "an unknown version", "E_CHOICE", "version", version="transformers-3", inputs=rows(("tt",))),
]

# conventions that no case above tells
CASES += both(value, (
    ("image-frames", "an image of 2 frames of 1 x 2 tokens, and text", ("tiiiitt",), ((2, 2, 4),), ()),
), OLD, NEW)  # fmt: skip
