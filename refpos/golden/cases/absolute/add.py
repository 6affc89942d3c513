"""Golden cases of adding a table to embeddings."""

from ...case import extreme, fraction, listed, paper, project, scattered, suite, tiny
from ...telling_inputs import DTYPES, SHORT
from .._formats import in_formats

PAPER = paper("Vaswani et al. 2017, Attention Is All You Need, arXiv:1706.03762, section 3.5")
value, refused = suite("add", PAPER)
INFINITY, NAN = float("inf"), float("nan")
ALPHA = 0.837399959564208984375  # a learned factor of float32


def pair(x, table, shape=(2, 5, 6), rows=7, seed=1):
    """x and a table of full precision, of any two formats."""
    return {"x": scattered(x, shape, seed), "table": scattered(table, (rows, shape[-1]), seed + 1, spread=1)}


def given(x, table, kinds=("float32", "float32")):
    """x (1, n, 1) and a table (n, 1), written out."""
    return {"x": listed(x, kinds[0], (1, len(x), 1)), "table": listed(table, kinds[1], (len(table), 1))}


def hf(file, name):
    """The code of a model of transformers."""
    return project("transformers", "5.23.0", f"models/{file}/modeling_{file}.py", name)


CASES = [
    # every format of x with every format of the table
    *[
        value(f"plain-{SHORT[x]}-{SHORT[table]}", f"x of {x}, table of {table}: rounded once to {x}",
              inputs=pair(x, table, seed=10 * i + j), flags=("DoubleRounding",))
        for i, x in enumerate(DTYPES) for j, table in enumerate(DTYPES)
    ],
    # what a table that is rounded first, or a sum that is rounded twice, gets wrong
    value("table-first-bf16", "1 + 2**-8 + 2**-20: a table rounded to bfloat16 first leaves a tie",
          inputs=given((1.0, 1.0, -1.0, 256.0), (2.0**-8 + 2.0**-20, 2.0**-8 - 2.0**-20, -(2.0**-8) - 2.0**-20, 1.5),
                       ("bfloat16", "float32")), flags=("DoubleRounding",)),
    value("twice-bf16", "sums that float32 rounds to a tie of bfloat16, on either side of it",
          inputs=given((1.0, 1.0, -1.0, -1.0, 1.0, 1.0), (2.0**-8 + 2.0**-40, 2.0**-8 - 2.0**-40, -(2.0**-8) - 2.0**-40,
                       -(2.0**-8) + 2.0**-40, 2.0**-8, 3 * 2.0**-8), ("bfloat16", "float64")),
          flags=("DoubleRounding",)),
    value("twice-f16", "sums that float32 rounds to a tie of float16",
          inputs=given((1.0, 1.0, -1.0), (2.0**-11 + 2.0**-40, 2.0**-11 - 2.0**-40, -(2.0**-11) - 2.0**-40),
                       ("float16", "float64")), flags=("DoubleRounding",)),
    value("twice-f32", "sums that float64 rounds to a tie of float32",
          inputs=given((1.0, 1.0, -1.0, 2.0**-100), (2.0**-24 + 2.0**-70, 2.0**-24 - 2.0**-70, -(2.0**-24) - 2.0**-70,
                       2.0**-149), ("float32", "float64")), flags=("DoubleRounding",)),
    value("cancelling-f32", "sums that nearly cancel",
          inputs=given((1.0, 0.1000000014901161193847656, 3.0), (-1.0000001, -0.1, -3.0), ("float32", "float64")),
          flags=("Cancellation",)),
    *[
        value(f"zeros-{SHORT[dtype]}", f"signs of zeros: -0 + -0 alone is -0, {dtype}",
              inputs=given((0.0, -0.0, 0.0, -0.0, 1.5, -1.5), (0.0, -0.0, -0.0, 0.0, -1.5, 1.5), (dtype, dtype)))
        for dtype in DTYPES
    ],
    *[
        value(f"specials-{SHORT[dtype]}", f"infinities and NaN as IEEE arithmetic has them, {dtype}",
              inputs=given((INFINITY, -INFINITY, INFINITY, 1.0, NAN, 1.0, 0.0),
                           (1.0, -INFINITY, -INFINITY, INFINITY, 1.0, NAN, -INFINITY), (dtype, dtype)))
        for dtype in DTYPES
    ],
    value("specials-scaled", "infinities and NaN times factors, and 0 times infinity", scale=fraction(-1, 3),
          inputs=given((INFINITY, 1.0, NAN, -1.0, INFINITY), (INFINITY, INFINITY, 0.0, -INFINITY, 1.0))),
    value("specials-alpha-zero", "factor 0: the table goes, its infinities and NaN do not", scale=0,
          inputs=given((1.5, -0.0, 0.0, 1.0, 1.0), (1.0, 1.0, -1.0, INFINITY, NAN))),
    *[
        value(f"tiny-{SHORT[dtype]}", f"subnormal numbers, {dtype}",
              inputs={"x": tiny(dtype, (2, 3, 4), 5), "table": tiny(dtype, (3, 4), 6)}, flags=("Subnormal",))
        for dtype in DTYPES
    ],
    *[
        value(f"extreme-{SHORT[dtype]}", f"the largest numbers: sums that become infinite, {dtype}",
              inputs={"x": extreme(dtype, (1, 4, 3)), "table": extreme(dtype, (4, 3))})
        for dtype in DTYPES
    ],
    value("extreme-cancelling", "the largest float32 and a float64 that brings its sum back",
          inputs=given((3.4028234663852886e38, 3.4028234663852886e38), (2.0**102, 2.0**103), ("float32", "float64"))),
    # factors
    *[
        value(f"speecht5-{SHORT[x]}-{SHORT[table]}", f"SpeechT5: a learned factor on the table, {x} and {table}",
              scale=ALPHA, inputs=pair(x, table, seed=60 + i), flags=("DoubleRounding",),
              source=hf("speecht5", "SpeechT5ScaledPositionalEncoding"))
        for i, (x, table) in enumerate(
            (("float32", "float32"), ("bfloat16", "float32"), ("float64", "float64"), ("float16", "float32")))
    ],
    value("alpha-zero-f32", "a learned factor of 0", scale=0, inputs=pair("float32", "float32", seed=70)),
    value("alpha-one-bf16", "a learned factor of 1", scale=1.0, inputs=pair("bfloat16", "float32", seed=71)),
    value("minus-f32", "the table taken away", scale=-1, inputs=pair("float32", "float32", seed=72)),
    *[
        value(f"scaled-sinusoidal-{SHORT[x]}", f"ScaledSinusoidal: 512**(-1/2) times the table, {x}",
              squared_scale=fraction(1, 512), inputs=pair(x, "float32", seed=80 + i), flags=("DoubleRounding",),
              source=project("x-transformers", "2.31.10", "x_transformers/x_transformers.py",
                             "ScaledSinusoidalEmbedding"))
        for i, x in enumerate(DTYPES)
    ],
    *[
        value(f"marian-{SHORT[x]}", f"Marian: sqrt(512) times x, {x}", squared_x_scale=512,
              inputs=pair(x, "float32", seed=90 + i), flags=("DoubleRounding",), source=hf("marian", "MarianEncoder"))
        for i, x in enumerate(DTYPES)
    ],
    value("ctrl-f32", "CTRL: sqrt(1280) times x", squared_x_scale=1280, inputs=pair("float32", "float32", seed=95),
          flags=("DoubleRounding",), source=hf("ctrl", "CTRLModel")),
    value("root-1024", "sqrt(1024) is 32", squared_x_scale=1024, inputs=pair("bfloat16", "float32", seed=96)),
    value("two-roots", "sqrt(3) times x and sqrt(2) times the table", squared_x_scale=3, squared_scale=2,
          inputs=pair("float64", "float64", seed=97)),
    value("like-roots", "sqrt(8) and sqrt(2): x and -2 x cancel exactly", squared_x_scale=2, squared_scale=8,
          inputs=given((1.0, -3.0, 0.1), (-0.5, 1.5, -0.05), ("float64", "float64")), flags=("Cancellation",)),
    value("third-f64", "a third of the table", scale=fraction(1, 3), inputs=pair("float64", "float64", seed=98)),
    value("third-f32", "a third of the table: 1 + 3/3 and halves of units", scale=fraction(1, 3),
          inputs=given((1.0, 1.0, 2.0), (3.0, 3 * 2.0**-24, 3 * 2.0**-23))),
    value("half-bf16", "half of the table: many ties", scale=0.5, inputs=pair("bfloat16", "bfloat16", seed=99)),
    value("huge-factor", "factors of 2**1000 and 2**-1000", scale=2.0**1000, x_scale=2.0**-1000,
          inputs=given((1.0, 2.0**1000, -1.0), (2.0**-1074, 2.0**-1000, 0.0), ("float64", "float64"))),
    # prefix, rows
    value("prefix-1-bf16", "a class token without position", prefix=1, inputs=pair("bfloat16", "float32", seed=20),
          flags=("OffByOne",)),
    value("prefix-5-f32", "a class token and four registers: nothing is left", prefix=5,
          inputs=pair("float32", "float32", seed=21), flags=("OffByOne",)),
    value("prefix-nan", "a prefix of infinities and zeros is left alone", prefix=2,
          inputs=given((-0.0, INFINITY, 1.0), (1.0,))),
    value("at-offset", "rows 2 to 6, as models with an offset of 2 read them", flags=("OffByOne",),
          inputs={**pair("float32", "float32", seed=22), "at": listed((2, 3, 4, 5, 6))}),
    value("at-batch", "rows of their own for each sequence, one row twice", prefix=2, flags=("HeadAxis",),
          inputs={**pair("bfloat16", "float32", seed=23), "at": listed((0, 1, 1, 6, 0, 3), shape=(2, 3))}),
    value("at-shared", "one axis of length 1 in the rows",
          inputs={**pair("float16", "float16", seed=24), "at": listed((4, 0, 0, 1, 6), shape=(1, 5))}),
    value("heads", "x with two leading axes", inputs=pair("float32", "float64", (2, 3, 2, 4), 2, 25)),
    value("no-batch", "one sequence", inputs=pair("float16", "float32", (5, 3), 5, 26)),
    value("no-tokens", "no tokens", inputs=pair("float32", "float32", (2, 0, 3), 2, 27)),
    # refusals
    refused("tokens-beyond", "more tokens than the table has rows", "E_SHAPE", "table",
            inputs=pair("bfloat16", "float32", rows=4, seed=30)),
    refused("tokens-beyond-prefix", "more tokens behind the prefix than rows", "E_SHAPE", "table", prefix=1,
            inputs=pair("float32", "float32", rows=3, seed=31)),
    refused("width", "a table of another width", "E_SHAPE", "x",
            inputs={"x": scattered("float32", (2, 3, 4), 32), "table": scattered("float32", (3, 5), 33)}),
    refused("one-axis", "x without tokens", "E_SHAPE", "x",
            inputs={"x": scattered("float32", (4,), 34), "table": scattered("float32", (3, 4), 35)}),
    refused("table-axes", "a table of three axes", "E_SHAPE", "table",
            inputs={"x": scattered("float32", (2, 3, 4), 36), "table": scattered("float32", (1, 3, 4), 37)}),
    refused("table-integers", "a table of integers", "E_DTYPE", "table",
            inputs={"x": scattered("float32", (2, 3, 4), 38), "table": listed((1,) * 12, shape=(3, 4))}),
    refused("prefix-beyond", "a longer prefix than there are tokens", "E_SIZE", "prefix", prefix=6,
            inputs=pair("float32", "float32", seed=40)),
    refused("at-beyond", "a row beyond the table", "E_NUMBER", "at",
            inputs={**pair("float32", "float32", seed=41), "at": listed((0, 1, 2, 3, 7))}),
    refused("at-negative", "a row below 0", "E_NUMBER", "at",
            inputs={**pair("float32", "float32", seed=42), "at": listed((0, 1, 2, 3, -1))}),
    refused("at-shape", "rows for another number of tokens", "E_SHAPE", "at",
            inputs={**pair("float32", "float32", seed=43), "at": listed((0, 1, 2))}),
    refused("scale-nan", "a factor that is NaN", "E_NUMBER", "scale", scale=NAN,
            inputs=pair("float32", "float32", seed=44)),
    refused("scale-twice", "a factor and the square of one", "E_NUMBER", "scale", scale=2, squared_scale=2,
            inputs=pair("float32", "float32", seed=45)),
    refused("square-negative", "a root of -1", "E_NUMBER", "squared_x_scale", squared_x_scale=-1,
            inputs=pair("float32", "float32", seed=46)),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float64="at-offset prefix-5-f32",
    float16="prefix-5-f32",
    bfloat16="like-roots",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float32="two-roots",
    float16="two-roots",
    bfloat16="two-roots",
)
