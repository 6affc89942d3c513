"""Inputs that the cases of the rotary operators share."""

from ...case import extreme, listed, scattered, tiny
from ...telling_inputs import SHORT, narrow

NAN, INF = float("nan"), float("inf")
#: what the operators rotate
DTYPES = ("float32", "float16", "bfloat16")
FLAGS = ("InterleavedVsHalf", "HeadAxis", "OffByOne")


def inputs(dtype, x, cache, seed, ids=None, cache_dtype=None):
    """x and caches of full precision, which are no cosines and sines so that each element tells its place."""
    kind = cache_dtype or dtype
    found = {
        "x": scattered(dtype, x, seed),
        "cos_cache": scattered(kind, cache, seed + 1, spread=0),
        "sin_cache": scattered(kind, cache, seed + 2, spread=0),
    }
    return found if ids is None else {**found, "position_ids": ids}


def rows(*numbers, shape=None):
    """position_ids of one sequence, or in the shape."""
    return listed(numbers, "int64", (1, len(numbers)) if shape is None else shape)


def pairs(dtype, x, cos, sin, ids=None):
    """One token with a head of the channels x, and its row of the caches, written out."""
    found = {"x": listed(x, dtype, (1, 1, 1, len(x)))}
    shape = (1, 1, len(cos)) if ids is None else (1, len(cos))
    found |= {"cos_cache": listed(cos, dtype, shape), "sin_cache": listed(sin, dtype, shape)}
    return found if ids is None else {**found, "position_ids": ids}


def of_numbers(value, inputs_of):
    """Cases of what the sum of two products does to numbers of each dtype; inputs_of(dtype, x, cos, sin)."""
    for dtype in DTYPES:
        yield value(
            f"cancelling-{SHORT[dtype]}", f"products that cancel exactly, or but for a last bit, {dtype}",
            flags=("Cancellation", "FmaContraction", *narrow(dtype)),
            inputs=inputs_of(dtype, (1.5, 0.75, 1.0078125, 3.0, 1.5, 0.75, 1.0, 1.0),
                             (0.5, 0.5, 1.0078125, 0.1875), (1.0, 1.0, 1.0, 0.5625)),
        )  # fmt: skip
        yield value(
            f"specials-{SHORT[dtype]}", f"infinities, NaN and zeros of both signs as IEEE arithmetic has them, {dtype}",
            inputs=inputs_of(dtype, (INF, 1.0, -0.0, 0.0, NAN, 2.0, 1.0, -INF, 0.0, -0.0, 1.0, -INF),
                             (1.0, INF, 1.0, -0.0, 1.0, 0.0), (0.0, 1.0, -0.0, 1.0, 0.0, 0.0)),
        )  # fmt: skip


def of_sizes(value, inputs_of):
    """Cases of subnormal and of the largest numbers; inputs_of(x, cos, sin) of (1, 2, 3, 4) and of (1, 3, 2)."""
    for dtype in DTYPES:
        yield value(
            f"tiny-{SHORT[dtype]}", f"subnormal numbers, {dtype}", flags=("Subnormal", *narrow(dtype)),
            inputs=inputs_of(tiny(dtype, (1, 2, 3, 4), 7), *(scattered(dtype, (1, 3, 2), k, 0) for k in (8, 9))),
        )  # fmt: skip
        yield value(
            f"extreme-{SHORT[dtype]}", f"the largest numbers, some of whose sums are infinite, {dtype}",
            inputs=inputs_of(extreme(dtype, (1, 2, 3, 4)), *(scattered(dtype, (1, 3, 2), k, 1) for k in (11, 12))),
        )  # fmt: skip
