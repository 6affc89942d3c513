"""Golden cases of the scores of DeBERTa."""

from ...case import extreme, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

PAPER = paper("He et al. 2021, DeBERTa, arXiv:2006.03654, section 3.1")
value, refused = suite("deberta_scores", PAPER)
V1 = project("transformers", "5.23.0", "models/deberta/modeling_deberta.py", "DisentangledSelfAttention")
V2 = project("transformers", "5.23.0", "models/deberta_v2/modeling_deberta_v2.py", "DisentangledSelfAttention")
SEW_D = project("transformers", "5.23.0", "models/sew_d/modeling_sew_d.py", "DisentangledSelfAttention")
MICROSOFT = project("microsoft/DeBERTa", "4d7fe0bd4fb3c7d4f4005a7cafabde9800372098",
                    "DeBERTa/deberta/disentangled_attention.py", "DisentangledSelfAttention")  # fmt: skip
SOURCES = {"queries": V1, "products": V2, "keys": MICROSOFT}
FLAGS = ("BucketDirection", "OffByOne")


def clipped(queries, keys, span):
    """Rows of DeBERTa: query minus key, clipped to -span .. span - 1, plus span."""
    rows = [min(max(i - j, -span), span - 1) + span for i in range(queries) for j in range(keys)]
    return listed(rows, shape=(queries, keys))


def arrays(dtype, heads, queries, keys, dim, span, seed, batch=()):
    """All arrays of a call with both tables."""
    return {
        "q": scattered(dtype, (*batch, heads, queries, dim), seed, 1),
        "k": scattered(dtype, (*batch, heads, keys, dim), seed + 1, 1),
        "key_table": scattered(dtype, (heads, 2 * span, dim), seed + 2, 1),
        "query_table": scattered(dtype, (heads, 2 * span, dim), seed + 3, 1),
        "rows": clipped(queries, keys, span),
    }


def only(inputs, table):
    """(arguments, arrays) of a call with one of the tables."""
    other = {"key_table": "query_table", "query_table": "key_table"}[table]
    return {other: None}, {name: values for name, values in inputs.items() if name != other}


def one_term(slug, about, table, scaling, seed, dim=3):
    """A case with one table."""
    absent, inputs = only(arrays("float64", 2, 3, 5, dim, 3, seed), table)
    return value(slug, about, scaling=scaling, dtype="float64", inputs=inputs, source=SOURCES[scaling],
                 flags=(*FLAGS, "UnequalLengths"), **absent)  # fmt: skip


BASE = arrays("float32", 2, 3, 5, 4, 2, 1)
CASES = [
    *[
        value(f"{scaling}-{SHORT[dtype]}", f"scaled {scaling}, 3 queries and 5 keys, clipped to -2 .. 1, {dtype}",
              scaling=scaling, dtype=dtype, source=SOURCES[scaling],
              inputs=arrays("float32", 3, 3, 5, 5, 2, 100 + 10 * k),
              flags=(*FLAGS, "UnequalLengths", *narrow(dtype)))
        for k, scaling in enumerate(SOURCES) for dtype in DTYPES
    ],
    *[
        one_term(f"{name}-{scaling}", f"{name} alone, scaled {scaling}", table, scaling, 140 + 10 * k)
        for k, (name, table) in enumerate((("c2p", "key_table"), ("p2c", "query_table"))) for scaling in SOURCES
    ],
    value("dim-64", "64 channels: sqrt(192) is rounded", scaling="queries", dtype="float64", source=V1,
          inputs=arrays("float64", 1, 4, 4, 64, 3, 160), flags=FLAGS),
    value("sew-d", "SEW-D: 27 channels, 81 is a square", scaling="products", dtype="float64", source=SEW_D,
          inputs=arrays("float64", 2, 4, 4, 27, 4, 170), flags=FLAGS),
    value("batch", "rows of each batch row that are no distances", scaling="products", dtype="float64", source=V2,
          flags=("HeadAxis",),
          inputs={**arrays("float64", 2, 2, 3, 3, 2, 180, (2,)),
                  "rows": listed((0, 1, 2, 3, 3, 0, 2, 2, 1, 0, 1, 3), shape=(2, 1, 2, 3))}),
    value("exchanged", "other rows of p2c: DeBERTa v2 of transformers, buckets and distance exchanged",
          scaling="products", dtype="float64", source=V2, flags=(*FLAGS, "UnequalLengths"),
          inputs={**arrays("float64", 1, 2, 6, 3, 2, 190),
                  "query_rows": listed((2, 1, 0, 3, 3, 3, 3, 2, 1, 0, 3, 3), shape=(2, 6))}),
    value("one-token", "one query and one key", scaling="queries", dtype="float64", source=V1,
          inputs=arrays("float64", 2, 1, 1, 2, 1, 200)),
    value("decode", "one query behind 6 keys", scaling="products", dtype="float32", source=V2,
          inputs={**arrays("float32", 2, 1, 7, 4, 3, 210), "rows": listed((5, 5, 5, 5, 5, 4, 3), shape=(1, 7))},
          flags=("UnequalLengths",)),
    value("no-heads", "queries and keys of one head, without an axis of heads", scaling="keys", dtype="float64",
          source=MICROSOFT,
          inputs={"q": scattered("float64", (2, 3), 220), "k": scattered("float64", (3, 3), 221),
                  "key_table": scattered("float64", (4, 3), 222), "query_table": scattered("float64", (4, 3), 223),
                  "rows": clipped(2, 3, 2)}),
    value("bfloat16-inputs", "all arrays of bfloat16", scaling="queries", dtype="bfloat16", source=V1,
          inputs=arrays("bfloat16", 2, 3, 4, 4, 2, 230), flags=(*FLAGS, *narrow("bfloat16"))),
    value("cancelling", "both terms cancel but for the roundings of the fixed order", scaling="products",
          dtype="float64", flags=("Cancellation",), source=V2,
          inputs={"q": listed((1.0, 2.0**-53), "float64", (1, 1, 2)), "k": listed((1.0, 1.0), "float64", (1, 1, 2)),
                  "key_table": listed((3.0, 1.0), "float64", (1, 1, 2)),
                  "query_table": listed((-3.0, 2.0**-30), "float64", (1, 1, 2)), "rows": listed((0,), shape=(1, 1))}),
    value("extreme-f32", "the largest numbers and zeros", scaling="queries", dtype="float32", source=V1,
          inputs={**arrays("float32", 1, 2, 2, 4, 1, 240), "q": extreme("float32", (1, 2, 4))}),
    value("no-keys", "no keys", scaling="products", dtype="float32", source=V2,
          inputs={**arrays("float32", 2, 2, 3, 4, 2, 250), "k": scattered("float32", (2, 0, 4), 1),
                  "rows": listed((), shape=(2, 0))}),
    refused("scaling", "a scaling without a name", "E_CHOICE", "scaling", scaling="deberta", inputs=BASE),
    refused("no-tables", "neither table", "E_CHOICE", "key_table", scaling="queries", key_table=None, query_table=None,
            inputs={name: BASE[name] for name in ("q", "k", "rows")}),
    refused("row", "a row beyond the table", "E_NUMBER", "rows", scaling="queries",
            inputs={**BASE, "rows": listed((0, 1, 2, 3, 4) * 3, shape=(3, 5))}),
    refused("row-negative", "a row before the table", "E_NUMBER", "rows", scaling="queries",
            inputs={**BASE, "rows": listed((0, 1, 2, 3, -1) * 3, shape=(3, 5))}),
    refused("transposed", "rows of keys and queries", "E_SHAPE", "rows", scaling="queries",
            inputs={**BASE, "rows": clipped(5, 3, 2)}),
    refused("table-heads", "a table of other heads", "E_SHAPE", "key_table", scaling="queries",
            inputs={**BASE, "key_table": scattered("float32", (3, 4, 4), 1)}),
    refused("table-dim", "a table of another width", "E_SHAPE", "query_table", scaling="queries",
            inputs={**BASE, "query_table": scattered("float32", (2, 4, 3), 1)}),
    refused("k-dim", "keys of another width", "E_SHAPE", "k", scaling="queries",
            inputs={**BASE, "k": scattered("float32", (2, 5, 3), 1)}),
    refused("query-rows", "rows of p2c without p2c", "E_CHOICE", "query_rows", scaling="queries", query_table=None,
            inputs={**{name: BASE[name] for name in ("q", "k", "key_table", "rows")}, "query_rows": clipped(3, 5, 2)}),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="exchanged",
    float16="exchanged",
    bfloat16="exchanged",
)

# what the cases of a format do not tell apart
CASES += in_formats(
    CASES,
    float32="c2p-queries p2c-products",
    float16="c2p-queries p2c-products",
    bfloat16="c2p-queries p2c-products",
)
