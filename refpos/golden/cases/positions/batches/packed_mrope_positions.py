"""Golden cases of multimodal sequences that are packed."""

from ....case import listed, project, suite

PATH, FUNCTION = "models/qwen2_vl/modeling_qwen2_vl.py", "get_rope_index"
VERSIONS = ("transformers-4.57.1", "transformers-5.23.0")
value, refused = suite("packed_mrope_positions", project("transformers", "5.23.0", PATH, FUNCTION))
FLAGS = ("PackedSequence", "TextResumes")


def batch(bounds, kinds, images=(), videos=()):
    """kinds: a letter for each token: t, i or v."""
    given = {"cu_seqlens": listed(bounds), "mm_token_type_ids": listed(tuple("tiv".index(kind) for kind in kinds))}
    for name, grids in (("image_grid_thw", images), ("video_grid_thw", videos)):
        if grids:
            given[name] = listed(sum(grids, ()), shape=(len(grids), 3))
    return given


BATCHES = (
    ("image", "a text, then an image within text", batch((0, 3, 9), "ttttiiiit", [(1, 4, 4)])),
    ("images", "an image in each of two sequences", batch((0, 4, 12), "tiittiiiiiit", [(1, 2, 4), (1, 6, 4)])),
    ("touching", "images on both sides of a boundary", batch((0, 2, 6), "iiiitt", [(1, 2, 4), (1, 4, 2)])),
    ("video", "a video, then text, then an image", batch((0, 5, 7, 9), "tvvvtttii", [(1, 2, 4)], [(3, 2, 2)])),
    ("empty-sequences", "sequences without tokens", batch((0, 0, 3, 3), "tii", [(1, 4, 2)])),
)

CASES = [
    *[
        value(f"{slug}-{version[13]}", f"{about}, {version}", version=version, inputs=given, flags=FLAGS,
              source=project("transformers", version[13:], PATH, FUNCTION))
        for slug, about, given in BATCHES
        for version in VERSIONS
    ],
    value("merge-4", "blocks of 4 by 4 patches", version=VERSIONS[1], spatial_merge_size=4,
          inputs=batch((0, 2, 5), "ttiit", [(1, 4, 8)]), flags=FLAGS),
    refused("tokens", "fewer tokens than the boundaries say", "E_SHAPE", "mm_token_type_ids", version=VERSIONS[1],
            inputs=batch((0, 3), "tt")),
    refused("none", "no tokens", "E_SHAPE", "mm_token_type_ids", version=VERSIONS[1], inputs=batch((0,), "")),
    refused("divided", "an image that a boundary divides", "E_SHAPE", "mm_token_type_ids", version=VERSIONS[1],
            inputs=batch((0, 2, 4), "iiii", [(1, 4, 4)])),
    refused("falls", "boundaries that fall", "E_POSITION", "cu_seqlens", version=VERSIONS[1],
            inputs=batch((0, 3, 2), "tt")),
]  # fmt: skip
