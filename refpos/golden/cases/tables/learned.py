"""Golden cases of rows of a learned table."""

from ...case import fraction, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .. import _absolute
from .._formats import in_formats

PAPER = paper("Gehring et al. 2017, Convolutional Sequence to Sequence Learning, arXiv:1705.03122, section 3.1")
value, refused = suite("learned", PAPER)


def _hf(file):
    return project("transformers", "5.23.0", f"models/{file}")


def table(dtype, positions, channels, seed, rows=None):
    """A table, and rows of it, as input tensors."""
    tensors = {"weight": scattered(dtype, (positions, channels), seed)}
    return tensors if rows is None else {**tensors, "rows": listed(rows)}


CASES = [
    *[
        value(f"{name}-{SHORT[dtype]}", about, rows=rows, dtype=dtype, flags=("OffByOne",), source=_hf(file),
              inputs=table(dtype, positions, channels, 200 + k))
        for k, (name, about, positions, channels, rows, dtype, file) in enumerate((
            ("bert", "BERT: 512 positions, the first 9", 512, 4, 9, "float32", "bert/modeling_bert.py"),
            ("gpt2", "GPT-2: all 1024 positions", 1024, 2, 1024, "float32", "gpt2/modeling_gpt2.py"),
            ("vit", "ViT: a class row and 14 x 14", 197, 2, 197, "float16", "vit/modeling_vit.py"),
            ("deit", "DeiT: class and distillation rows and 14 x 14", 198, 2, 198, "bfloat16",
             "deit/modeling_deit.py"),
            ("siglip", "SigLIP: 16 x 16 and no class row", 256, 2, 256, "float32", "siglip/modeling_siglip.py"),
        ))
    ],
    *[
        value(f"shifted-{SHORT[dtype]}", f"BART reads from row 2 on, {dtype}", dtype=dtype, flags=("OffByOne",),
              source=_hf("bart/modeling_bart.py"), inputs=table(dtype, 20, 3, 210, [2, 3, 4, 5, 6, 19]))
        for dtype in DTYPES
    ],
    value("padded-f32", "RoBERTa: padding reads row 1", dtype="float32", source=_hf("roberta/modeling_roberta.py"),
          flags=("OffByOne",), inputs=table("float32", 12, 2, 215, [1, 1, 2, 3, 4, 1])),
    value("timesteps-f32", "Decision Transformer: three tokens of each timestep read one row", dtype="float32",
          flags=("OffByOne",), source=_hf("decision_transformer/modeling_decision_transformer.py"),
          inputs={"weight": scattered("float32", (10, 4), 216),
                  "rows": listed([7, 7, 7, 8, 8, 8, 9, 9, 9], shape=(3, 3))}),
    value("single", "one row without an axis", dtype="float64",
          inputs={"weight": scattered("float64", (5, 3), 217), "rows": listed((4,), shape=())}),
    value("none", "no rows", rows=0, dtype="float32", inputs=table("float32", 4, 3, 218)),
    value("bits", "zeros of both signs and the smallest numbers are copied bit by bit", rows=2, dtype="float64",
          flags=("Subnormal",), inputs={"weight": listed((0.0, -0.0, 5e-324, -5e-324), "float64", (2, 2))}),
    *[
        value(f"narrowed-{SHORT[dtype]}", f"a table of float64 as {dtype}", rows=4, dtype=dtype, flags=narrow(dtype),
              inputs=table("float64", 6, 4, 219))
        for dtype in DTYPES[1:]
    ],
    *[
        value(f"scaled-{SHORT[dtype]}", f"a third of each row, {dtype}", rows=5, scale=fraction(1, 3), dtype=dtype,
              flags=narrow(dtype), inputs=table("float32", 6, 4, 220))
        for dtype in DTYPES
    ],
    value("scaled-root-f32", "rows times the float64 next to the square root of 512", rows=3, dtype="float32",
          scale=22.627416997969522, inputs=table("float32", 6, 4, 221)),
    value("scaled-zero", "times 0: zeros without a sign", rows=2, scale=0, dtype="float64",
          inputs=table("float64", 3, 4, 222)),
    *_absolute.tables("learned", value),
    refused("beyond", "one position more than the table has", "E_POSITION", "rows", rows=513, dtype="float32",
            inputs=table("float32", 512, 1, 1)),
    refused("row-beyond", "a row beyond the table", "E_POSITION", "rows", inputs=table("float32", 4, 2, 1, [0, 4])),
    refused("row-negative", "a negative row", "E_POSITION", "rows", inputs=table("float32", 4, 2, 1, [0, -1])),
    refused("rows-floats", "rows that are floats", "E_POSITION", "rows",
            inputs={"weight": scattered("float32", (4, 2), 1), "rows": listed((0.0, 1.0), "float64")}),
    refused("weight-vector", "a weight of one axis", "E_SHAPE", "weight", rows=2,
            inputs={"weight": scattered("float32", (4,), 1)}),
    refused("scale-nan", "a scale that is NaN", "E_NUMBER", "scale", rows=2, scale=float("nan"),
            inputs=table("float32", 4, 2, 1)),
]  # fmt: skip

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float16="scaled-root-f32",
    bfloat16="scaled-root-f32",
)
