"""Golden cases of the cells of a square table that the patches of an image of any size read."""

from ...case import listed, paper, project, suite

NAVIT = paper("Dehghani et al. 2023, Patch n' Pack: NaViT, arXiv:2307.06304, section 2.1")
value, refused = suite("fraction_rows", NAVIT)
FLAGS = ("AxisOrder", "NonSquare", "OffByOne")


def _hf(file, function):
    return project("transformers", "5.23.0", file, function)


def _step(name, cls):
    return _hf(f"models/{name}/modeling_{name}.py", f"{cls}VisionEmbeddings")


def images(*sizes):
    """Sizes as an input tensor."""
    return {"sizes": listed(tuple(side for size in sizes for side in size), shape=(len(sizes), 2))}


NEAREST = _hf("vision_utils.py", "get_vision_nearest_position_ids")
CASES = [
    *[
        value(slug, about, side=side, rule=rule, inputs=images(*sizes), flags=FLAGS, source=source)
        for slug, about, side, rule, sizes, source in (
            ("idefics2", "Idefics2: 980 pixels in patches of 14", 70, "step", ((27, 35),),
             _step("idefics2", "Idefics2")),
            ("idefics3", "Idefics3: 364 pixels in patches of 14", 26, "step", ((26, 26), (3, 5)),
             _step("idefics3", "Idefics3")),
            ("smolvlm", "SmolVLM: 512 pixels in patches of 16", 32, "step", ((32, 24),), _step("smolvlm", "SmolVLM")),
            ("phi4-multimodal", "Phi-4 multimodal: 448 pixels in patches of 14", 32, "step", ((32, 32), (8, 20)),
             _step("phi4_multimodal", "Phi4Multimodal")),
            ("minicpm-v", "MiniCPM-V 4.7: 980 pixels in patches of 14", 70, "quotient", ((24, 43), (32, 32)), NEAREST),
            ("navit", "NaViT: 3 x 5 patches in 8 cells a side", 8, "quotient", ((3, 5),), NAVIT),
            ("telling-step", "5 / 25 of 35 cells is the cell 7, and 6 in float32 with the step 1 / 25", 35, "step",
             ((25, 1),), NAVIT),
            ("telling-quotient", "5 / 25 of 35 cells is the cell 7", 35, "quotient", ((25, 1),), NAVIT),
            ("49-step", "49 columns, of which four are a cell short", 35, "step", ((1, 49),), NAVIT),
            ("49-quotient", "49 columns", 35, "quotient", ((1, 49),), NAVIT),
            ("27-step", "SigLIP's 27 x 27 at its own size", 27, "step", ((27, 27),), NAVIT),
            ("27-quotient", "SigLIP's 27 x 27 at its own size: every cell once", 27, "quotient", ((27, 27),), NAVIT),
            ("larger-step", "more patches than cells", 3, "step", ((7, 4),), NAVIT),
            ("larger-quotient", "more patches than cells", 3, "quotient", ((7, 4),), NAVIT),
            ("packed-step", "three images one after the other", 14, "step", ((2, 3), (1, 1), (4, 2)), NAVIT),
            ("packed-quotient", "three images one after the other", 14, "quotient", ((2, 3), (1, 1), (4, 2)), NAVIT),
            ("one-cell", "a table of one cell", 1, "step", ((3, 2),), NAVIT),
            ("one-patch", "one patch: the first cell, not the middle one", 9, "quotient", ((1, 1),), NAVIT),
            ("widest-step", "2048 columns of 2047 cells", 2047, "step", ((1, 2048),), NAVIT),
            ("widest-quotient", "2048 columns of 2047 cells", 2047, "quotient", ((1, 2048),), NAVIT),
            ("none", "no images", 5, "step", (), NAVIT),
        )
    ],
    refused("rule", "an unknown rule", "E_CHOICE", "rule", side=4, rule="nearest", inputs=images((2, 3))),
    refused("side-zero", "no cells", "E_SIZE", "side", side=0, rule="step", inputs=images((2, 3))),
    refused("side-large", "more cells than float32 tells apart", "E_SIZE", "side", side=2049, rule="step",
            inputs=images((2, 3))),
    refused("size-zero", "an image without rows", "E_SIZE", "sizes", side=4, rule="step", inputs=images((0, 3))),
    refused("size-large", "an image of 2049 columns", "E_SIZE", "sizes", side=4, rule="quotient",
            inputs=images((1, 2049))),
    refused("shape", "a size without a list of images", "E_SHAPE", "sizes", side=4, rule="step",
            inputs={"sizes": listed((2, 3))}),
    refused("floats", "sizes that are floats", "E_DTYPE", "sizes", side=4, rule="step",
            inputs={"sizes": listed((2.0, 3.0), "float64", (1, 2))}),
]  # fmt: skip
