"""Golden cases of the gradient of Time2Vec: sums of sines or cosines with exact weights, rounded once."""

from ...case import extreme, listed, paper, scattered, suite, tiny
from ...telling_inputs import DTYPES
from .._gradients import cotangents_refused, in_each, numbers, special, whole

value, refused = suite("vjp_time2vec", paper("Kazemi et al. 2019, Time2Vec, arXiv:1907.05321, section 4"))
FRACTIONS, LARGE = ("FractionalPosition",), ("FractionalPosition", "LargeArgument")
SINES = {"linear": "first", "kind": "sin"}


def spread(shape, seed, size=0):
    """Numbers below 2**size, of which angles are moderate."""
    return lambda dtype: scattered(dtype, shape, seed, size)


def times(shape, seed, size=0):
    """Times likewise; uint16 are integers here, so that bfloat16 has integers."""
    return lambda dtype: whole(3, -1, 0, 12, shape=shape)(dtype) if dtype == "bfloat16" else scattered(
        dtype, shape, seed, size)  # fmt: skip


CASES = [
    case
    for dtype in DTYPES
    for case in (
        *in_each(value, "first", "the first channel is linear", {
            "t": times((4,), 501), "weight": spread((3,), 502), "phase": spread((3,), 503), "cotangent": (4, 3)},
            **SINES, dtype=dtype, dtypes=(dtype,), flags=FRACTIONS),
        *in_each(value, "last-cosines", "the last channel is linear, cosines", {
            "t": times((2, 2), 504), "weight": spread((4,), 505), "phase": spread((4,), 506),
            "cotangent": (2, 2, 4)}, linear="last", kind="cos", dtype=dtype, dtypes=(dtype,), flags=FRACTIONS),
        *in_each(value, "cosines", "TGAT: cosines alone", {
            "t": times((4,), 507), "weight": spread((5,), 508), "phase": spread((5,), 509), "cotangent": (4, 5)},
            linear=None, kind="cos", dtype=dtype, dtypes=(dtype,), flags=FRACTIONS),
        *in_each(value, "seconds", "times of a calendar, far from 0", {
            "t": whole(1735689600, 1735689601, 0), "weight": spread((3,), 510), "phase": spread((3,), 511),
            "cotangent": (3, 3)}, linear="last", kind="sin", dtype=dtype, dtypes=(dtype,), flags=LARGE),
        *in_each(value, "not-finite", "infinities and NaN at angles of 0 and others", {
            "t": whole(0, 1, 2, -1, 0, 0, 3, 1), "weight": numbers(0.5, 1.0, 0.0), "phase": numbers(1.0, 0.0, 0.0),
            "cotangent": special(8, 3)}, **SINES, dtype=dtype, dtypes=(dtype,), flags=FRACTIONS),
        *in_each(value, "not-finite-cosines", "infinities and NaN of cosines", {
            "t": whole(0, 1, 2, -1, 0, 0, 3, 1), "weight": numbers(0.5, 1.0, 0.0), "phase": numbers(1.0, 0.0, 0.0),
            "cotangent": special(8, 3)}, linear="last", kind="cos", dtype=dtype, dtypes=(dtype,), flags=FRACTIONS),
        *in_each(value, "line", "the linear channel alone: exact sums that may be ties", {
            "t": whole(1, 1, 3, -1), "weight": numbers(0.75), "phase": numbers(0.5),
            "cotangent": numbers(1.0, 0.0078125, -0.0, 0.0078125, shape=(4, 1))}, **SINES, dtype=dtype,
            dtypes=(dtype,), flags=FRACTIONS),
        *in_each(value, "cancelling", "two times whose sines and cosines cancel", {
            "t": whole(5, 5, -5), "weight": numbers(1.5, 0.25, 1.0), "phase": numbers(0.0, 0.0, 0.0),
            "cotangent": numbers(1.0, 2.0, 3.0, -1.0, -2.0, 0.5, 0.0, 1.0, -3.5, shape=(3, 3))}, linear=None,
            kind="sin", dtype=dtype, dtypes=(dtype,), flags=(*FRACTIONS, "Cancellation")),
        *in_each(value, "subnormal", "the smallest weights and cotangents", {
            "t": times((4,), 512), "weight": lambda kind: tiny(kind, (3,), 5), "phase": spread((3,), 513),
            "cotangent": lambda kind: tiny(kind, (4, 3), 6)}, **SINES, dtype=dtype, dtypes=(dtype,),
            flags=(*FRACTIONS, "Subnormal")),
        *in_each(value, "extreme", "the largest cotangents", {
            "t": times((4,), 514), "weight": spread((3,), 515), "phase": spread((3,), 516),
            "cotangent": lambda kind: extreme(kind, (4, 3))}, **SINES, dtype=dtype, dtypes=(dtype,), flags=FRACTIONS),
    )
]  # fmt: skip
CASES += [
    *in_each(value, "single", "one time", {"t": numbers(0.625, shape=()), "weight": (2,),
             "phase": (2,), "cotangent": (2,)}, **SINES, dtype="float32", dtypes=("float32",), flags=FRACTIONS),
    *in_each(value, "none", "no times", {"t": (0,), "weight": (2,), "phase": (2,), "cotangent": (0, 2)}, **SINES,
             dtype="float32", dtypes=("float32",)),
    value("far-apart", "times of 2**900 and 2**-900", linear=None, kind="sin",
          inputs={"t": listed([2.0**900, 2.0**-900], "float64"), "weight": listed([1.5, -(2.0**-300)], "float64"),
                  "phase": listed([0.0, 0.0], "float64"), "cotangent": scattered("float64", (2, 2), 518)}, flags=LARGE),
    value("whole-weights", "integers have no gradient", **SINES,
          inputs={"t": scattered("float64", (3,), 519, 0), "weight": listed([1, -3]), "phase": listed([0, 2]),
                  "cotangent": scattered("float64", (3, 2), 520)}, flags=FRACTIONS),
    *cotangents_refused(refused, "weight", (3,), (4, 3), inputs={"phase": (3,), "t": (4,)}, dtype="float32", **SINES),
    refused("linear", "an unknown place of the linear channel", "E_CHOICE", "linear", linear="middle", kind="sin",
            inputs={"t": listed([0.0], "float64"), "weight": listed([1.0], "float64"),
                    "phase": listed([1.0], "float64"), "cotangent": listed([1.0], "float64", (1, 1))}),
]  # fmt: skip
