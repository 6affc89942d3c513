"""Golden cases of KERPLE."""

from ...case import listed, paper, project, suite
from ...telling_inputs import SHORT, narrow
from .._formats import in_formats

value, refused = suite("kerple", paper("Chi et al. 2022, KERPLE, arXiv:2205.09921, section 4"))
AUTHORS = project("chijames/KERPLE", "73f1ee2d24722cdbe277d473899321218f5cbd00", "megatron/mpu/layers.py")
#: numbers as they are drawn at the start of training: p below 2, a below 1; the last of each is below the least
P, A = (1.25, 0.7734375, 0.1, 0.001), (0.3, 0.8125, 0.99, 0.005)


def _case(slug, about, kind, queries, keys, dtype="float64", p=P, a=A, flags=(), held="float64", **more):
    unequal = ("UnequalLengths",) if queries != keys else ()
    return value(slug, about, kind=kind, query_len=queries, key_len=keys, dtype=dtype,
                 inputs={"p": listed(p, held), "a": listed(a, held)},
                 flags=tuple({*flags, *unequal, *narrow(dtype)}), **more)


CASES = [
    *[
        _case(f"{kind}-{queries}x{keys}-{SHORT[dtype]}", f"{kind}, {queries} queries, {keys} keys, {dtype}", kind,
              queries, keys, dtype, source=AUTHORS)
        for kind, queries, keys, dtype in (
            ("log", 4, 4, "float64"), ("log", 3, 7, "float32"), ("log", 7, 3, "bfloat16"), ("log", 3, 5, "float16"),
            ("power", 4, 4, "float64"), ("power", 3, 7, "float32"), ("power", 5, 4, "bfloat16"),
            ("power", 2, 6, "float16"), ("weight", 4, 4, "float64"), ("weight", 3, 7, "float32"),
            ("weight", 7, 3, "bfloat16"), ("weight", 3, 5, "float16"),
        )
    ],
    _case("power-square-roots", "p 1/2: 4**(1/2), 9**(1/2) are whole, p 3/2, p 1, and p 3 that counts as 2", "power",
          1, 17, p=(0.5, 1.5, 1.0, 3.0), a=(1.0, 0.75, 1.0, 0.5)),
    _case("power-square-roots-f32", "the same in float32", "power", 1, 10, "float32", p=(0.5, 1.5, 1.0, 3.0),
          a=(1.0, 0.75, 1.0, 0.5)),
    _case("weight-far", "weights that are below the smallest float64", "weight", 1, 40, p=(2.0, 1.0), a=(1.0, 20.0),
          flags=("Subnormal",)),
    _case("log-offset", "queries at positions 3, 4 of 8 keys", "log", 2, 8, query_offset=3, flags=("OffByOne",)),
    _case("log-far", "a query at position 2**24 + 1", "log", 1, 3, query_offset=2**24 + 1,
          flags=("LongContextInteger",)),
    _case("log-float32-numbers", "numbers that are held in float32", "log", 2, 3, "float32", p=(0.5, 1.75),
          a=(0.25, 1.0), held="float32", source=AUTHORS),
    _case("no-keys", "no keys", "power", 3, 0),
    refused("heads-differ", "more p than a", "E_SHAPE", "a", kind="log", query_len=2, key_len=2,
            inputs={"p": listed([1.0, 2.0], "float64"), "a": listed([1.0], "float64")}),
    refused("p-nan", "a p that is no number", "E_NUMBER", "p", kind="log", query_len=2, key_len=2,
            inputs={"p": listed([float("nan")], "float64"), "a": listed([1.0], "float64")}),
    refused("no-heads", "no heads", "E_SHAPE", "p", kind="log", query_len=2, key_len=2,
            inputs={"p": listed([], "float64"), "a": listed([], "float64")}),
    refused("kind", "an unknown kernel", "E_CHOICE", "kind", kind="original", query_len=2, key_len=2,
            inputs={"p": listed([1.0], "float64"), "a": listed([1.0], "float64")}),
    refused("least-zero", "a least number of 0", "E_NUMBER", "least", kind="log", query_len=2, key_len=2, least=0,
            inputs={"p": listed([1.0], "float64"), "a": listed([1.0], "float64")}),
]

# what no other case tells apart
CASES += [
    value("least-half-f32", "no p or a below 1/2, in float32", kind="log", query_len=2, key_len=4, least=0.5,
          dtype="float32", inputs={"p": listed((0.25, 2.0), "float64"), "a": listed((1.5, 0.125), "float64")}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="least-half-f32",
    float32="log-offset",
    float16="log-offset least-half-f32",
    bfloat16="log-offset least-half-f32",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float32="log-far",
    float16="log-far",
    bfloat16="log-far",
)

# what no other case tells apart
CASES += [
    _case("weight-limit-f32", "p 3 counts as 2 in the exponent of a weight, in float32", "weight", 2, 5, "float32",
          p=(3.0, 0.5), a=(0.125, 0.5)),
    _case("log-no-limit-f32", "p 3 before a logarithm is 3, in float32", "log", 2, 5, "float32", p=(3.0, 0.5),
          a=(0.5, 2.0)),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="weight-limit-f32 log-no-limit-f32",
    float16="weight-limit-f32 log-no-limit-f32 power-square-roots-f32",
    bfloat16="weight-limit-f32 log-no-limit-f32 power-square-roots-f32",
)
