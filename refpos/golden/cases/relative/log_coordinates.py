"""Golden cases of logarithmic coordinates."""

from ...case import paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

SWIN_V2 = project("transformers", "5.23.0", "models/swinv2/modeling_swinv2.py", "create_coords_table_and_index")
TIMM = project("timm", "1.0.31", "timm/layers/pos_embed_rel.py", "gen_relative_log_coords")
value, refused = suite("log_coordinates", paper("Liu et al. 2022, Swin Transformer V2, arXiv:2111.09883, section 3.3"))
FLAGS = ("AxisOrder", "NonSquare")

CASES = [
    *[
        value(f"{rule}-{height}x{width}-{SHORT[dtype]}", f"{rule}: {height} x {width}, {dtype}", height=height,
              width=width, rule=rule, dtype=dtype, flags=(*FLAGS, *narrow(dtype)), source=source)
        for rule, source, sizes in (("swin-v2", SWIN_V2, (3, 5)), ("cr", TIMM, (4, 3)))
        for dtype in DTYPES
        for height, width in [sizes]
    ],
    *[
        value(f"swin-v2-{side}-{SHORT[dtype]}", f"Swin v2: {side} x {side}, {dtype}", height=side, width=side,
              rule="swin-v2", dtype=dtype, flags=(*FLAGS[:1], *narrow(dtype)), source=SWIN_V2)
        for side, dtype in ((8, "float32"), (16, "float32"), (24, "bfloat16"), (2, "float64"), (1, "float32"))
    ],
    value("pretrained-12-f32", "Swin v2: trained at 12 x 12, used at 16 x 24", height=16, width=24, rule="swin-v2",
          pretrained=[12, 12], dtype="float32", flags=(*FLAGS, "Scaling"), source=SWIN_V2),
    value("pretrained-powers-f64", "1 + 8 d / 8 is a power of two at d = 1, 3, 7: thirds", height=9, width=5,
          rule="swin-v2", pretrained=[9, 9], dtype="float64", flags=(*FLAGS, "Scaling")),
    value("pretrained-one", "a column of cells, trained on one", height=4, width=1, rule="swin-v2", pretrained=[4, 1],
          dtype="float64", flags=FLAGS),
    value("row-f32", "a row of cells: the other axis is 0", height=1, width=7, rule="swin-v2", dtype="float32",
          flags=FLAGS),
    value("cr-16-f16", "16 x 16", height=16, width=16, rule="cr", dtype="float16", flags=FLAGS[:1], source=TIMM),
    refused("rule", "no such rule", "E_CHOICE", "rule", height=2, width=3, rule="swin", dtype="float32"),
    refused("height-zero", "a window without rows", "E_SIZE", "height", height=0, width=3, rule="cr", dtype="float32"),
    refused("pretrained-cr", "a window of training where nothing is divided", "E_CHOICE", "pretrained", height=2,
            width=3, rule="cr", pretrained=[2, 3], dtype="float32"),
    refused("pretrained-side", "a side of training of one cell", "E_SIZE", "pretrained", height=2, width=3,
            rule="swin-v2", pretrained=[1, 3], dtype="float32"),
    refused("pretrained-count", "three sizes", "E_SHAPE", "pretrained", height=2, width=3, rule="swin-v2",
            pretrained=[2, 3, 4], dtype="float32"),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float16="pretrained-powers-f64",
    bfloat16="pretrained-powers-f64",
)
