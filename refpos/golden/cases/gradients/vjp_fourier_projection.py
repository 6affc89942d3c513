"""Golden cases of the gradient of Fourier features: sums of sines and cosines with exact weights, rounded once."""

import math

from ...case import call, extreme, fraction, grid, listed, paper, scattered, suite, tiny
from .._gradients import cotangents_refused, in_each, numbers, special, whole

PAPER = paper("Tancik et al. 2020, Fourier Features, arXiv:2006.10739, section 5")
value, refused = suite("vjp_fourier_projection", PAPER)
FRACTIONS, LARGE = ("FractionalPosition",), ("FractionalPosition", "LargeArgument")
TWO_PI = {"factor": "2pi", "layout": "sin-cos"}
RADIANS = {"factor": 1, "layout": "sin-cos"}
TWELFTHS = [call("listed", values=[fraction(k, 12) for k in range(-2, 5)])]
#: of 0 to 360 degrees in steps of 36: the cosines of 36 and 108 degrees add up to 1/2
TENTHS = [call("listed", values=[fraction(k, 10) for k in range(10)])]


def spread(shape, seed, size=0):
    """Numbers below 2**size, of which angles are moderate."""
    return lambda dtype: scattered(dtype, shape, seed, size)


def points(shape, seed, size=0):
    """Coordinates likewise; uint16 are integers here, so that bfloat16 has integers."""
    whole_ones = [(k * k * seed + 5 * k) % 17 - 8 for k in range(math.prod(shape))]
    return lambda dtype: (
        listed(whole_ones, "int64", shape) if dtype == "bfloat16" else scattered(dtype, shape, seed, size)
    )


def places(*values, shape):
    """Coordinates that every format holds; of bfloat16 eight times as much, as integers."""
    return lambda dtype: (
        listed([int(8 * value) for value in values], "int64", shape)
        if dtype == "bfloat16"
        else listed(values, dtype, shape)
    )


def smallest(dtype):
    """Subnormal coordinates, of bfloat16 integers."""
    return points((2, 2), 7)(dtype) if dtype == "bfloat16" else tiny(dtype, (2, 2), 7)


CASES = [
    *[
        case
        for dtype in ("float64", "float32", "float16", "bfloat16")
        for case in (
            *in_each(value, "sin-cos", "three coordinates, sines first", {
                "coordinates": points((3, 3), 411), "weight": spread((3, 2), 412), "cotangent": (3, 4)},
                **TWO_PI, dtype=dtype, dtypes=(dtype,), flags=FRACTIONS),
            *in_each(value, "radians", "two coordinates in radians, with phases", {
                "coordinates": points((4, 2), 413), "weight": spread((2, 3), 414),
                "phase": spread((3,), 415), "cotangent": (4, 6)}, **RADIANS, dtype=dtype, dtypes=(dtype,),
                flags=FRACTIONS),
            *in_each(value, "half-turns", "cosines first, times pi, with phases", {
                "coordinates": points((2, 2), 416), "weight": spread((2, 3), 417),
                "phase": spread((3,), 418), "cotangent": (2, 6)}, factor="pi", layout="cos-sin", dtype=dtype,
                dtypes=(dtype,), flags=FRACTIONS),
            *in_each(value, "sines", "sines alone, a factor of a third", {
                "coordinates": points((5, 1), 419), "weight": spread((1, 3), 420), "cotangent": (5, 3)},
                factor=fraction(1, 3), layout="sin", dtype=dtype, dtypes=(dtype,), flags=FRACTIONS),
            *in_each(value, "cosines", "cosines alone, tokens of shape (2, 2)", {
                "coordinates": points((2, 2, 1), 421), "weight": spread((1, 2), 422),
                "phase": spread((2,), 423), "cotangent": (2, 2, 2)}, factor="2pi", layout="cos", dtype=dtype,
                dtypes=(dtype,), flags=FRACTIONS),
            *in_each(value, "interleaved", "sine and cosine in turn, integers as coordinates", {
                "coordinates": whole(3, -1, 0, 0, 2, 7, shape=(3, 2)), "weight": spread((2, 3), 424),
                "cotangent": (3, 6)}, factor=1.5, layout="interleaved", dtype=dtype, dtypes=(dtype,), flags=FRACTIONS),
            *in_each(value, "huge", "angles of 2**60 and more", {
                "coordinates": points((2, 1), 425, 12), "weight": spread((1, 2), 426, 12),
                "phase": spread((2,), 427, 12), "cotangent": (2, 4)}, factor=2**40, layout="sin-cos",
                dtype=dtype, dtypes=(dtype,), flags=LARGE),
            *in_each(value, "not-finite", "infinities and NaN of sines and cosines", {
                "coordinates": places(0.0, 0.5, 0.25, 1.0, 0.125, -0.5, 0.75, 0.0, shape=(4, 2)),
                "weight": numbers(1.0, 0.5, 0.0, 1.0, shape=(2, 2)), "cotangent": special(4, 4)}, **TWO_PI,
                dtype=dtype, dtypes=(dtype,), flags=FRACTIONS),
            *in_each(value, "not-finite-radians", "infinities and NaN at angles of 0 and others", {
                "coordinates": places(0.0, 0.5, 0.25, 1.0, 0.125, -0.5, 0.75, 0.0, shape=(8, 1)),
                "weight": numbers(1.0, 0.5, shape=(1, 2)), "cotangent": special(8, 4)}, **RADIANS,
                dtype=dtype, dtypes=(dtype,), flags=FRACTIONS),
            *in_each(value, "zeros", "angles of 0: slopes are the cotangents of the sines, and sums may be ties", {
                "coordinates": places(0.0, 0.0, 0.0, shape=(3, 1)), "weight": spread((1, 2), 428),
                "cotangent": numbers(1.0, 2.0, 3.0, -1.0, 0.0078125, -2.0, -0.0, 5.0, 0.0, 0.0, 1.0, -0.0, shape=(3, 4))
                }, **RADIANS, dtype=dtype, dtypes=(dtype,), flags=FRACTIONS),
            *in_each(value, "subnormal", "the smallest coordinates and cotangents", {
                "coordinates": smallest, "weight": spread((2, 2), 429),
                "cotangent": lambda kind: tiny(kind, (2, 4), 9)}, **RADIANS, dtype=dtype, dtypes=(dtype,),
                flags=(*FRACTIONS, "Subnormal")),
            *in_each(value, "extreme", "the largest cotangents", {
                "coordinates": points((4, 1), 430), "weight": spread((1, 2), 431),
                "cotangent": lambda kind: extreme(kind, (4, 4))}, **TWO_PI, dtype=dtype, dtypes=(dtype,),
                flags=FRACTIONS),
            *in_each(value, "grid", "cells of a grid, which have no gradient", {
                "weight": spread((2, 2), 432), "cotangent": (2, 3, 4)}, coordinates=grid(2, 3), **TWO_PI,
                dtype=dtype, dtypes=(dtype,), flags=(*FRACTIONS, "NonSquare", "AxisOrder")),
            *in_each(value, "twelfths", "twelfths of a turn: sums that are 0", {
                "weight": numbers(1.0, 3.0, shape=(1, 2)), "cotangent": lambda kind: listed(
                    [1.0] * 28, kind, (7, 4))}, coordinates=TWELFTHS, **TWO_PI, dtype=dtype, dtypes=(dtype,),
                flags=(*FRACTIONS, "Cancellation")),
        )
    ],
    value("tenths", "cosines of tenths of a turn add up to a fraction, or to 0", **TWO_PI, coordinates=TENTHS,
          inputs={"weight": listed([1.0, 1.0], "float64", (1, 2)), "phase": listed([0.0, 0.0], "float64", (2,)),
                  "cotangent": listed([k % 2 + c for k in range(10) for c in (0.0, 1.0, 0.0, 0.0)], "float64",
                                      (10, 4))},
          flags=(*FRACTIONS, "Cancellation")),
    value("repeated", "tokens that are the same, and one that is their opposite", **RADIANS,
          inputs={"coordinates": listed([0.7, 0.7, -0.7, 0.1], "float64", (4, 1)),
                  "weight": listed([1.0, 3.0], "float64", (1, 2)),
                  "cotangent": listed([1.0, 2.0, 0.5, 0.25, -1.0, 1.0, -0.5, 1.0, 0.0, 3.0, 0.0, 1.25,
                                       0.0, 0.0, 0.0, 0.0], "float64", (4, 4))}, flags=(*FRACTIONS, "Cancellation")),
    value("far-apart", "coordinates of 2**900 and 2**-900", **RADIANS,
          inputs={"coordinates": listed([2.0**900, 2.0**-900], "float64", (2, 1)),
                  "weight": listed([1.5, -2.0**-300], "float64", (1, 2)),
                  "cotangent": scattered("float64", (2, 4), 433)}, flags=LARGE),
    value("whole-weights", "integers have no gradient", **RADIANS,
          inputs={"coordinates": scattered("float64", (2, 1), 434, 0), "weight": listed([1, -3], "int64", (1, 2)),
                  "phase": listed([0, 2], "int64", (2,)), "cotangent": scattered("float64", (2, 4), 435)},
          flags=FRACTIONS),
    *in_each(value, "none", "no tokens", {"coordinates": (0, 2), "weight": (2, 2), "cotangent": (0, 4)}, **TWO_PI,
             dtype="float32", dtypes=("float32",)),
    *cotangents_refused(refused, "weight", (2, 3), (4, 6), inputs={"coordinates": (4, 2)}, dtype="float32", **TWO_PI),
    refused("logarithm", "a transform has no gradient", "E_CHOICE", "transform", transform="ln", **TWO_PI,
            inputs={"coordinates": scattered("float64", (2, 1), 1), "weight": scattered("float64", (1, 2), 2),
                    "cotangent": scattered("float64", (2, 4), 3)}),
    refused("layout", "an unknown layout", "E_CHOICE", "layout", factor=1, layout="both",
            inputs={"coordinates": scattered("float64", (2, 1), 1), "weight": scattered("float64", (1, 2), 2),
                    "cotangent": scattered("float64", (2, 4), 3)}),
]  # fmt: skip
