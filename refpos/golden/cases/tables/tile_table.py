"""Golden cases of learned tables repeated."""

from ...case import listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT
from .._absolute import tables
from .._formats import in_formats

value, refused = suite("tile_table", paper("Ryali et al. 2023, Hiera, arXiv:2306.00989"))
SAM3 = project("transformers", "5.23.0", "models/sam3/modeling_sam3.py", "_tile_position_embeddings")
SAM2 = project("transformers", "5.23.0", "models/sam2/modeling_sam2.py", "_get_pos_embed")
LEAST = 12  # a copy by a remainder


def weight(dtype, *shape, seed):
    """A table as an input tensor."""
    return {"weight": scattered(dtype, shape, seed)}


CASES = [
    *[
        value(f"sam2-{SHORT[dtype]}", f"SAM 2: a window of 8 x 8 over 16 x 24, {dtype}", size=[16, 24], source=SAM2,
              inputs=weight(dtype, 8, 8, 1, seed=300 + k), flags=("NonSquare",))
        for k, dtype in enumerate(DTYPES)
    ],
    value("sam3", "SAM 3: 24 x 24 to 30 x 30, the last tiles cut", size=[30, 30], source=SAM3,
          inputs=weight("float32", 24, 24, 1, seed=304)),
    value("sam3-smaller", "SAM 3: 24 x 24 cut to 10 x 30", size=[10, 30], source=SAM3, flags=("NonSquare",),
          inputs=weight("float32", 24, 24, 1, seed=305)),
    value("hiera-video", "frames repeated as well", size=[4, 6, 4], inputs=weight("float16", 2, 3, 4, 2, seed=306)),
    value("line", "one axis: 3 positions to 7", size=[7], inputs=weight("bfloat16", 3, 4, seed=307)),
    value("size-int", "one size without a list", size=5, inputs=weight("float64", 2, 3, seed=308)),
    value("same", "the size it has", size=[2, 3], inputs=weight("float32", 2, 3, 2, seed=309), flags=("NonSquare",)),
    value("one", "one row for all", size=[3, 2], inputs=weight("float32", 1, 1, 4, seed=310)),
    value("empty", "no rows", size=[0, 4], inputs=weight("float32", 2, 2, 2, seed=311)),
    value("bits", "zeros of both signs and the smallest numbers are copied bit by bit", size=[3], flags=("Subnormal",),
          inputs={"weight": listed((0.0, -0.0, 5e-324, -5e-324), "float64", (2, 2))}),
    *tables("tile_table", value),
    refused("size-axes", "one size for two axes", "E_SHAPE", "weight", size=[5],
            inputs=weight("float32", 2, 2, 2, seed=1)),
    refused("size-none", "no sizes", "E_SHAPE", "size", size=[], inputs=weight("float32", 2, 2, seed=1)),
    refused("size-negative", "a negative size", "E_SIZE", "size", size=[-1], inputs=weight("float32", 2, 2, seed=1)),
    refused("no-rows", "a table without rows", "E_SHAPE", "weight", size=[3], inputs=weight("float32", 0, 2, seed=1)),
    refused("integers", "weights that are integers", "E_DTYPE", "weight", size=[3],
            inputs={"weight": listed((1, 2, 3, 4), "int64", (2, 2))}),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="size-int",
    float16="size-int",
    bfloat16="size-int",
)

# a second value of numbers that all other cases have alike
CASES += [
    value("size-3-f32", "one size without a list, of a table that is longer, in float32", size=3,
          inputs=weight("float32", 4, 2, seed=312)),
]
CASES += in_formats(
    CASES,
    float64="size-3-f32",
    float16="size-3-f32",
    bfloat16="size-3-f32",
)
