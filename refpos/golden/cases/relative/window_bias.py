"""Golden cases of the bias of two-dimensional offsets."""

from ...case import listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT
from .._formats import in_formats

SWIN = project("transformers", "5.23.0", "models/swin/modeling_swin.py", "SwinSelfAttention")
BEIT = project("transformers", "5.23.0", "models/beit/modeling_beit.py", "BeitRelativePositionBias")
LEVIT = project("transformers", "5.23.0", "models/levit/modeling_levit.py", "LevitAttentionSubsample")
MAXVIT = project("timm", "1.0.31", "timm/layers/pos_embed_rel.py", "RelPosBiasTf")
PAPER = paper("Liu et al. 2021, Swin Transformer, arXiv:2103.14030, section 3.2")
value, refused = suite("window_bias", PAPER)
FLAGS = ("AxisOrder", "BucketDirection", "NonSquare")


def weight(dtype, rows, heads, seed):
    """Weights (rows, heads) as an input tensor."""
    return {"weight": scattered(dtype, (rows, heads), seed)}


CASES = [
    *[
        value(f"swin-3x5-{SHORT[dtype]}", f"Swin: 3 rows, 5 columns, {dtype}", height=3, width=5, sign="query-key",
              inputs=weight(dtype, 45, 3, 400 + k), flags=FLAGS, source=SWIN)
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"beit-2x3-{SHORT[dtype]}", f"BEiT: 2 rows, 3 columns, {dtype}", height=2, width=3, sign="query-key",
              class_token=True, inputs=weight(dtype, 18, 2, 410 + k), flags=FLAGS, source=BEIT)
        for k, dtype in enumerate(DTYPES)
    ],
    value("swin-7", "Swin: 7 x 7", height=7, width=7, sign="query-key", inputs=weight("float32", 169, 3, 420),
          flags=FLAGS[:2], source=SWIN),
    value("clap-8", "CLAP: 8 x 8", height=8, width=8, sign="query-key", inputs=weight("float16", 225, 1, 421),
          flags=FLAGS[:2], source=project("transformers", "5.23.0", "models/clap/modeling_clap.py")),
    value("data2vec-4", "data2vec: 4 x 4 and a class token", height=4, width=4, sign="query-key", class_token=True,
          inputs=weight("bfloat16", 52, 2, 422), flags=FLAGS[:2],
          source=project("transformers", "5.23.0", "models/data2vec/modeling_data2vec_vision.py")),
    value("maxvit-3x5", "MaxViT: key minus query", height=3, width=5, sign="key-query",
          inputs=weight("float32", 45, 2, 423), flags=FLAGS, source=MAXVIT),
    value("levit-4", "LeViT: no direction", height=4, width=4, sign="absolute", inputs=weight("float32", 16, 4, 424),
          flags=FLAGS[:2], source=LEVIT),
    value("levit-4-2", "LeViT: every second row and column asks", height=4, width=4, sign="absolute", stride=2,
          inputs=weight("float32", 16, 2, 425), flags=(*FLAGS[:2], "UnequalLengths"), source=LEVIT),
    value("tiny-vit-3x5", "TinyViT: 3 rows, 5 columns", height=3, width=5, sign="absolute",
          inputs=weight("float64", 15, 2, 426), flags=FLAGS, source=LEVIT),
    value("one-cell", "a window of one cell", height=1, width=1, sign="query-key",
          inputs=weight("float32", 1, 128, 427), flags=("HeadAxis",)),
    value("no-heads", "no heads", height=2, width=2, sign="query-key", inputs=weight("float32", 9, 0, 428)),
    value("special-weights", "zeros of both signs and the smallest numbers are copied bit by bit", height=1, width=2,
          sign="query-key", flags=("Subnormal",), inputs={"weight": listed((-0.0, 5e-324, 0.0), "float64", (3, 1))}),
    refused("size", "the table of a larger window", "E_SHAPE", "weight", height=2, width=3, sign="query-key",
            inputs=weight("float32", 25, 2, 1)),
    refused("exchanged", "no rows for the class token", "E_SHAPE", "weight", height=2, width=3, sign="query-key",
            class_token=True, inputs=weight("float32", 15, 2, 1)),
    refused("heads-first", "three axes", "E_SHAPE", "weight", height=2, width=2, sign="key-query",
            inputs={"weight": scattered("float32", (2, 3, 3), 1)}),
    refused("height-zero", "a window without rows", "E_SIZE", "height", height=0, width=3, sign="query-key",
            inputs=weight("float32", 1, 2, 1)),
    refused("view-class", "a view with a class token", "E_CHOICE", "class_token", height=2, width=3, sign="query-key",
            class_token=True, view=True, inputs=weight("float32", 18, 2, 1)),
]  # fmt: skip

# what no other case tells apart
CASES += [
    value("swin-2x4-f32", "Swin: 2 rows and 4 columns, float32", height=2, width=4, sign="query-key",
          inputs=weight("float32", 21, 2, 431), flags=FLAGS, source=SWIN),
    value("key-query-2x4", "MaxViT: key minus query, 2 rows and 4 columns", height=2, width=4, sign="key-query",
          inputs=weight("float64", 21, 2, 430), flags=FLAGS, source=MAXVIT),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="levit-4-2",
    float16="levit-4-2 key-query-2x4",
    bfloat16="levit-4-2 key-query-2x4",
)

# conventions that no case above tells
CASES += [
    value("levit-2x3-f32", "LeViT: no direction, 2 rows and 3 columns", height=2, width=3, sign="absolute",
          inputs=weight("float32", 6, 2, 432), flags=FLAGS, source=LEVIT),
]

CASES += in_formats(CASES, float16="levit-2x3-f32", bfloat16="levit-2x3-f32")
