"""Golden cases of the gradient of KERPLE for its two parameters: sums over distances, rounded once."""

from ...case import extreme, listed, paper, scattered, suite, tiny
from ...telling_inputs import DTYPES
from .._gradients import cotangents_refused, in_each, special

value, refused = suite("vjp_kerple", paper("Chi et al. 2022, KERPLE, arXiv:2205.09921, section 4"))
KINDS = ("log", "power", "weight")
#: numbers that float16 holds, in the order of the heads
P, A = (1.25, 0.7734375, 0.125), (0.3125, 0.8125, 1.5)


def held(*values):
    """The parameters, of bfloat16 in float32: uint16 would be integers."""
    return lambda dtype: listed(values, "float32" if dtype == "bfloat16" else dtype)


def along(**sums):
    """The cotangent of one head and one query at position 9, from the distances d1, d2, ..."""
    numbers = [0.0] * 10
    for name, one in sums.items():
        numbers[9 - int(name[1:])] = one
    return lambda dtype: listed(numbers, dtype, (1, 1, 10))


def one(slug, about, kind, p, a, cotangent, flags=("Cancellation",), **more):
    """One head, in every format."""
    return [
        case
        for dtype in DTYPES
        for case in in_each(value, slug, about, {"p": held(p), "a": held(a), "cotangent": cotangent}, kind=kind,
                            dtype=dtype, dtypes=(dtype,), flags=flags, query_len=1, key_len=10, **more)
    ]


CASES = [
    case
    for dtype in DTYPES
    for kind in KINDS
    for case in (
        *in_each(value, f"{kind}", f"{kind}, three heads, 3 queries, 5 keys", {
            "p": held(*P), "a": held(*A), "cotangent": (3, 3, 5)}, kind=kind, query_len=3, key_len=5, dtype=dtype,
            dtypes=(dtype,), flags=("UnequalLengths",)),
        *in_each(value, f"{kind}-offset", f"{kind}, queries at positions 3 and 4 of 8 keys, and another least number", {
            "p": held(0.25, 1.75), "a": held(1.0, 0.0625), "cotangent": (2, 2, 8)}, kind=kind, query_len=2, key_len=8,
            query_offset=3, least=0.125, dtype=dtype, dtypes=(dtype,), flags=("OffByOne", "UnequalLengths")),
        *in_each(value, f"{kind}-limits", f"{kind}, numbers at the limits and beyond", {
            "p": held(2.0, 2.5, 0.0078125, 1.0), "a": held(1.0, 1.0, 1.0, 0.0078125), "cotangent": (4, 2, 4)},
            kind=kind, query_len=2, key_len=4, dtype=dtype, dtypes=(dtype,), flags=("UnequalLengths",)),
        *in_each(value, f"{kind}-not-finite", f"{kind}, infinities and NaN at each distance", {
            "p": held(*P), "a": held(*A), "cotangent": special(3, 2, 4)}, kind=kind, query_len=2, key_len=4,
            dtype=dtype, dtypes=(dtype,), flags=("UnequalLengths",)),
        *in_each(value, f"{kind}-extreme", f"{kind}, the largest cotangents", {
            "p": held(*P), "a": held(*A), "cotangent": lambda held: extreme(held, (3, 3, 5))}, kind=kind, query_len=3,
            key_len=5, dtype=dtype, dtypes=(dtype,), flags=("UnequalLengths",)),
        *in_each(value, f"{kind}-subnormal", f"{kind}, the smallest cotangents", {
            "p": held(*P), "a": held(*A), "cotangent": lambda held: tiny(held, (3, 3, 3), 5)}, kind=kind, query_len=3,
            key_len=3, dtype=dtype, dtypes=(dtype,), flags=("Subnormal",)),
        *in_each(value, f"{kind}-far", f"{kind}, a query at position 2**24 + 1", {
            "p": held(0.5, 0.125), "a": held(0.75, 0.25), "cotangent": (2, 1, 3)}, kind=kind, query_len=1, key_len=3,
            query_offset=2**24 + 1, dtype=dtype, dtypes=(dtype,), flags=("LongContextInteger", "UnequalLengths")),
    )
]  # fmt: skip
CASES += [
    *one("log-cancelling", "2 ln 2 - ln 4 is 0", "log", 0.5, 1.0, along(d1=2.0, d3=-1.0)),
    *one("power-roots", "the roots of 4 and 9 are integers, and so is the sum", "power", 0.5, 1.0,
         along(d4=1.0, d9=0.25, d1=-2.0)),
    *one("power-cancelling", "the root of 2 less half that of 8 is 0", "power", 0.5, 1.5, along(d2=1.0, d8=-0.5)),
    *one("power-logarithms", "2 ln 2 - ln 4 is 0", "power", 1.0, 1.5, along(d2=1.0, d4=-0.25)),
    *one("weight-vanishing", "weights below the smallest number of every format: signed zeros", "weight", 1.0, 20000.0,
         along(d2=1.0, d4=-0.5), flags=("Subnormal",)),
    *one("weight-underflow", "weights below the smallest float32", "weight", 1.0, 128.0, along(d1=1.0, d2=-0.5),
         flags=("Subnormal",)),
    *in_each(value, "no-keys", "no keys", {"p": held(*P), "a": held(*A), "cotangent": (3, 2, 0)}, kind="log",
             query_len=2, key_len=0, dtype="float32", dtypes=("float32",)),
    *in_each(value, "no-queries", "no queries", {"p": held(*P), "a": held(*A), "cotangent": (3, 0, 2)}, kind="power",
             query_len=0, key_len=2, dtype="float32", dtypes=("float32",)),
    *in_each(value, "one-token", "one token, whose bias is 0", {"p": held(*P), "a": held(*A), "cotangent": (3, 1, 1)},
             kind="weight", query_len=1, key_len=1, dtype="float32", dtypes=("float32",)),
    value("vanishing-scale", "a weight of e**-(2**900)", kind="weight", query_len=1, key_len=3,
          inputs={"p": listed([2.0], "float64"), "a": listed([2.0**900], "float64"),
                  "cotangent": scattered("float64", (1, 1, 3), 602)}, flags=("Subnormal", "UnequalLengths")),
    value("huge-scale", "a of 2**900", kind="log", query_len=1, key_len=3,
          inputs={"p": listed([2.0], "float64"), "a": listed([2.0**900], "float64"),
                  "cotangent": scattered("float64", (1, 1, 3), 603)}, flags=("UnequalLengths",)),
    value("whole-numbers", "integers have no gradient", kind="power", query_len=2, key_len=3,
          inputs={"p": listed([1.5], "float64"), "a": listed([2]), "cotangent": scattered("float64", (1, 2, 3), 604)},
          flags=("UnequalLengths",)),
    *cotangents_refused(refused, "p", (3,), (3, 2, 4), inputs={"a": (3,)}, kind="log", query_len=2, key_len=4,
                        dtype="float32"),
    refused("kind", "an unknown kernel", "E_CHOICE", "kind", kind="original", query_len=1, key_len=2,
            inputs={"p": listed([1.0], "float64"), "a": listed([1.0], "float64"),
                    "cotangent": listed([1.0, 1.0], "float64", (1, 1, 2))}),
]  # fmt: skip
