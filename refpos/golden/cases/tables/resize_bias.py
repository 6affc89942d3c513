"""Golden cases of tables of offsets at another size."""

from ...case import listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

TIMM = "timm/layers/pos_embed_rel.py"
SWIN = project("timm", "1.0.31", TIMM, "resize_rel_pos_bias_table_simple")
GEOMETRIC = project("timm", "1.0.31", TIMM, "resize_rel_pos_bias_table")
LEVIT = project("timm", "1.0.31", TIMM, "resize_rel_pos_bias_table_levit")
BEIT = project("transformers", "5.23.0", "models/beit/modeling_beit.py", "BeitRelativePositionBias")
SOURCES = {"swin": SWIN, "beit": BEIT, "levit": LEVIT, "geometric": GEOMETRIC}
value, refused = suite("resize_bias", paper("Liu et al. 2021, Swin Transformer, arXiv:2103.14030, section 4.1"))


def weight(dtype, old, method, class_token, seed):
    """The table of a window, of one head or two."""
    height, width = old if method == "levit" else [2 * side - 1 for side in old]
    return {"weight": scattered(dtype, (height * width + 3 * class_token, 2), seed)}


CASES = [
    *[
        value(f"{method}-{old[0]}x{old[1]}-{new[0]}x{new[1]}{'-class' * both}-{SHORT[dtype]}",
              f"{method}: {old[0]} x {old[1]} to {new[0]} x {new[1]}, {dtype}", old=list(old), new=list(new),
              method=method, class_token=both, dtype=dtype, source=SOURCES[method],
              flags=("Resampling", *narrow(dtype)), inputs=weight(dtype, old, method, both, 500 + k))
        for k, (method, old, new, both, dtype) in enumerate((
            ("swin", (3, 3), (5, 5), False, "float32"), ("swin", (4, 4), (2, 3), False, "float64"),
            ("swin", (2, 3), (3, 2), True, "float16"), ("swin", (7, 7), (4, 5), False, "bfloat16"),
            ("swin", (1, 1), (2, 3), False, "float32"),
            ("beit", (3, 3), (4, 5), True, "float32"), ("beit", (2, 4), (3, 3), True, "float64"),
            ("beit", (5, 2), (2, 2), False, "bfloat16"), ("beit", (3, 2), (4, 4), True, "float16"),
            ("levit", (4, 4), (7, 7), False, "float32"), ("levit", (7, 7), (4, 4), False, "float32"),
            ("levit", (3, 5), (5, 3), False, "float64"), ("levit", (2, 2), (3, 4), True, "bfloat16"),
            ("geometric", (3, 3), (5, 5), False, "float32"), ("geometric", (7, 7), (12, 12), False, "float32"),
            ("geometric", (2, 4), (5, 3), True, "float64"), ("geometric", (4, 4), (3, 5), True, "float16"),
            ("geometric", (1, 3), (2, 6), True, "bfloat16"), ("geometric", (2, 2), (9, 9), False, "float32"),
        ))
    ],
    *[
        value(f"narrowed-{SHORT[dtype]}", f"a table of float64 as {dtype}", old=[3, 2], new=[4, 3], method="swin",
              dtype=dtype, flags=("Resampling", *narrow(dtype)), inputs=weight("float64", (3, 2), "swin", False, 530))
        for dtype in DTYPES
    ],
    value("equal", "a window of the same size: copied bit by bit", old=[1, 2], new=[1, 2], method="geometric",
          dtype="float64", flags=("Subnormal",), inputs={"weight": listed((-0.0, 5e-324, 1.0), "float64", (3, 1))}),
    refused("rows", "a table of another window", "E_SHAPE", "weight", old=[2, 3], new=[3, 3], method="swin",
            inputs=weight("float32", (3, 3), "swin", False, 1)),
    refused("class", "no rows for the class token", "E_SHAPE", "weight", old=[3, 3], new=[4, 4], method="beit",
            class_token=True, inputs=weight("float32", (3, 3), "beit", False, 1)),
    refused("method", "no such method", "E_CHOICE", "method", old=[3, 3], new=[4, 4], method="cubic",
            inputs=weight("float32", (3, 3), "beit", False, 1)),
    refused("old-one", "one size", "E_SHAPE", "old", old=[3], new=[4, 4], method="beit",
            inputs=weight("float32", (3, 3), "beit", False, 1)),
    refused("new-zero", "a window without rows", "E_SIZE", "new", old=[3, 3], new=[0, 4], method="beit",
            inputs=weight("float32", (3, 3), "beit", False, 1)),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    bfloat16="beit-2x4-3x3-class-f64",
)
