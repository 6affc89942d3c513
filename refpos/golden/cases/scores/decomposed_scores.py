"""Golden cases of scores by offsets of rows and of columns."""

from ...case import listed, paper, project, scattered, suite, tiny
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

MVIT = project("timm", "1.0.31", "timm/models/mvitv2.py", "cal_rel_pos_type")
VITDET = project("transformers", "5.23.0", "models/vitdet/modeling_vitdet.py", "add_decomposed_relative_positions")
SAM = project("transformers", "5.23.0", "models/sam/modeling_sam.py", "get_decomposed_rel_pos")
GOT = project("transformers", "5.23.0", "models/got_ocr2/modeling_got_ocr2.py", "get_decomposed_rel_pos")
BOTNET = project("timm", "1.0.31", "timm/layers/bottleneck_attn.py", "PosEmbedRel")
HALO = project("timm", "1.0.31", "timm/layers/halo_attn.py", "PosEmbedRel")
value, refused = suite("decomposed_scores", paper("Li et al. 2022, MViTv2, arXiv:2112.01526, section 4.1"))
FLAGS = ("AxisOrder", "BucketDirection", "NonSquare", "OffByOne")


def arrays(dtype, query, rows, seed, *, lead=(2,), dim=4, first=0):
    """Queries and both tables as input tensors; rows: of each table."""
    return {
        "q": scattered(dtype, (*lead, query[0] * query[1] + first, dim), seed, 0),
        "weight_h": scattered(dtype, (rows[0], dim), seed + 1, 0),
        "weight_w": scattered(dtype, (rows[1], dim), seed + 2, 0),
    }


def grids(query, key=None, sign="query-key"):
    """The arguments of both grids."""
    return {"query_grid": list(query), "key_grid": list(key or query), "sign": sign}


def rows_of(query, key, sign="query-key"):
    """How many rows each table has."""
    return [2 * (max(q, k) if sign == "query-key" else k) - 1 for q, k in zip(query, key)]


CASES = [
    *[
        value(f"vitdet-{SHORT[dtype]}", f"ViTDet: 3 x 5 cells, {dtype}", dtype=dtype, **grids((3, 5)), source=VITDET,
              inputs=arrays("float32", (3, 5), (5, 9), 2000), flags=(*FLAGS, *narrow(dtype)))
        for dtype in DTYPES
    ],
    value("sam-resized-f32", "SAM: a table of 9 and one of 5 rows made 11 and 7", dtype="float32", **grids((6, 4)),
          resize="linear", inputs=arrays("float32", (6, 4), (9, 5), 2010, lead=()), flags=(*FLAGS, "Resampling"),
          source=SAM),
    value("sam-cut-f64", "SAM: tables of 27 rows made 5 and 1", dtype="float64", **grids((3, 1)), resize="linear",
          inputs=arrays("float64", (3, 1), (27, 27), 2014), flags=(*FLAGS, "Resampling"), source=SAM),
    value("got-ocr2-f32", "GOT-OCR 2: 4 x 4 cells, whose tables fit", dtype="float32", **grids((4, 4)),
          resize="linear", inputs=arrays("float32", (4, 4), (7, 7), 2018), source=GOT, flags=FLAGS),
    *[
        value(f"mvitv2-{name}-f32", f"MViTv2: {what}", dtype="float32", **grids(query, key), class_token=first,
              inputs=arrays("float32", query, rows_of(query, key), seed, first=int(first)), source=MVIT,
              flags=(*FLAGS, "UnequalLengths"))
        for name, what, query, key, first, seed in (
            ("pooled-keys", "keys pooled by two, a class token", (4, 6), (2, 3), True, 2022),
            ("pooled-queries", "queries pooled by two, a class token", (2, 3), (4, 6), True, 2026),
            ("both", "rows of keys and columns of queries pooled", (4, 3), (2, 6), False, 2030),
        )
    ],
    value("floor-16-7-f64", "sizes of which neither divides the other: 15 of 112 rows are off by one in float32",
          dtype="float64", **grids((16, 1), (7, 1)), inputs=arrays("float64", (16, 1), (31, 1), 2034, lead=(), dim=2),
          flags=(*FLAGS, "UnequalLengths"), source=VITDET),
    value("floor-3-5-f64", "3 x 8 queries, 5 x 6 keys", dtype="float64", **grids((3, 8), (5, 6)),
          inputs=arrays("float64", (3, 8), (9, 15), 2038, lead=()), flags=(*FLAGS, "UnequalLengths"), source=VITDET),
    *[
        value(f"botnet-{SHORT[dtype]}", f"BoTNet: 3 x 5 cells, key minus query, {dtype}", dtype=dtype, source=BOTNET,
              **grids((3, 5), sign="key-query"), inputs=arrays("float32", (3, 5), (5, 9), 2042),
              flags=(*FLAGS, *narrow(dtype)))
        for dtype in ("float64", "float32")
    ],
    value("halonet-f32", "HaloNet: blocks of 3, a halo of 2 around them", dtype="float32", source=HALO,
          **grids((3, 3), (7, 7), "key-query"), inputs=arrays("float32", (3, 3), (13, 13), 2046),
          flags=(*FLAGS, "UnequalLengths")),
    value("halonet-strided-f32", "HaloNet with a stride: blocks of 2 in windows of 6", dtype="float32", source=HALO,
          **grids((2, 2), (6, 6), "key-query"), inputs=arrays("float32", (2, 2), (11, 11), 2050),
          flags=(*FLAGS, "UnequalLengths")),
    value("halo-rectangle-f64", "a block of 2 x 3 in a window of 4 x 7", dtype="float64",
          **grids((2, 3), (4, 7), "key-query"), inputs=arrays("float64", (2, 3), (7, 13), 2054),
          flags=(*FLAGS, "UnequalLengths")),
    value("one", "one query, one key and one channel", dtype="float64", **grids((1, 1)),
          inputs=arrays("float64", (1, 1), (1, 1), 2058, dim=1)),
    value("bfloat16-arrays", "queries and tables of bfloat16", dtype="bfloat16", **grids((2, 3)),
          inputs=arrays("bfloat16", (2, 3), (3, 5), 2062), flags=(*FLAGS, *narrow("bfloat16"))),
    value("no-channels", "no channels: sums of nothing", dtype="float32", **grids((2, 1)),
          inputs=arrays("float32", (2, 1), (3, 1), 2066, dim=0)),
    value("no-heads", "no heads", dtype="float32", **grids((2, 2)),
          inputs=arrays("float32", (2, 2), (3, 3), 2070, lead=(0,))),
    value("images-f64", "two images of three heads", dtype="float64", **grids((2, 3)),
          inputs=arrays("float64", (2, 3), (3, 5), 2074, lead=(2, 3)), flags=FLAGS),
    value("tiny-f64", "products below the normal range", dtype="float64", **grids((1, 2)), flags=("Subnormal",),
          inputs={"q": tiny("float64", (2, 3), 2078), "weight_h": scattered("float64", (1, 3), 2079, 0),
                  "weight_w": scattered("float64", (3, 3), 2080, 0)}),
    value("cancelling-f64", "products that cancel but for the roundings of the fixed order", dtype="float64",
          **grids((1, 2)), flags=("Cancellation",),
          inputs={"q": listed([1.0, 2.0**53, -(2.0**53), 1.0, 1.0, 1.0], "float64", (2, 3)),
                  "weight_h": listed([1.0, 1.0, 1.0], "float64", (1, 3)),
                  "weight_w": listed([1.0, 3.0, 1.0, -1.0, 1.0, 3.0, 5.0, 7.0, 7.0], "float64", (3, 3))}),
    value("contracted-f64", "products that only one rounding of a fused multiply-add would keep", dtype="float64",
          **grids((1, 1)), flags=("FmaContraction",),
          inputs={"q": listed([1 + 2.0**-52, -1.0], "float64", (1, 2)),
                  "weight_h": listed([1 + 2.0**-52, 1 + 2.0**-51], "float64", (1, 2)),
                  "weight_w": listed([0.0, 0.0], "float64", (1, 2))}),
    refused("rows", "a table of another length", "E_SHAPE", "weight_w", **grids((3, 5)),
            inputs=arrays("float32", (3, 5), (5, 5), 1)),
    refused("queries", "queries of another grid", "E_SHAPE", "q", **grids((3, 5)),
            inputs=arrays("float32", (3, 4), (5, 9), 1)),
    refused("class-token", "no query of a class token", "E_SHAPE", "q", class_token=True, **grids((3, 5)),
            inputs=arrays("float32", (3, 5), (5, 9), 1)),
    refused("sign", "an offset without a sign", "E_CHOICE", "sign", **grids((2, 2), sign="absolute"),
            inputs=arrays("float32", (2, 2), (3, 3), 1)),
    refused("resize", "another method", "E_CHOICE", "resize", resize="cubic", **grids((2, 2)),
            inputs=arrays("float32", (2, 2), (3, 3), 1)),
    refused("block", "a block larger than its window", "E_SIZE", "query_grid", **grids((3, 3), (2, 3), "key-query"),
            inputs=arrays("float32", (3, 3), (3, 5), 1)),
    refused("grid", "a grid of one size", "E_SHAPE", "key_grid", query_grid=[2, 2], key_grid=[4], sign="query-key",
            inputs=arrays("float32", (2, 2), (3, 3), 1)),
    refused("grid-zero", "a grid without rows", "E_SIZE", "key_grid", **grids((2, 2), (0, 2)),
            inputs=arrays("float32", (2, 2), (3, 3), 1)),
    refused("dim", "tables of another width", "E_SHAPE", "weight_h", **grids((1, 1)),
            inputs={"q": scattered("float32", (1, 3), 1), "weight_h": scattered("float32", (1, 2), 1),
                    "weight_w": scattered("float32", (1, 3), 1)}),
    refused("no-rows", "a table without rows", "E_SHAPE", "weight_h", resize="linear", **grids((1, 1)),
            inputs=arrays("float32", (1, 1), (0, 1), 1)),
]  # fmt: skip

# what no other case tells apart
CASES += [
    value("class-token-f32", "a class token before 2 x 3 cells, in float32", query_grid=[2, 3], key_grid=[2, 3],
          sign="query-key", class_token=True, dtype="float32", flags=("AxisOrder", "NonSquare"),
          inputs={"q": scattered("float32", (2, 7, 4), 2100, 0), "weight_h": scattered("float32", (3, 4), 2101, 0),
                  "weight_w": scattered("float32", (5, 4), 2102, 0)}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float16="halonet-strided-f32",
    bfloat16="halonet-strided-f32",
)
