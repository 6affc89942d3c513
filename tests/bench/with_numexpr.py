"""numexpr: the float64 expressions of the textbook, fused, on every core."""

import numexpr
import numpy as np

from .with_numpy import cache, frequencies

LIBRARY = "numexpr"


def peers(work, job):
    if work.kind == "sinusoidal" and work.dtype in ("float32", "float64"):
        yield "numexpr", _sinusoidal(work, **job.inputs)
    if work.kind == "rope_table":
        yield "numexpr", _rope_table(work, **job.inputs)
    if work.kind == "rope" and work.dtype == "float32":
        yield "numexpr, ready cache", _rope(work, **job.inputs)


def _sinusoidal(work, positions, dim):
    def call():
        angle = {"p": positions[:, None], "theta": frequencies(dim)}
        table = np.empty((len(positions), dim), work.dtype)
        numexpr.evaluate("sin(p * theta)", angle, out=table[:, 0::2], casting="same_kind")
        numexpr.evaluate("cos(p * theta)", angle, out=table[:, 1::2], casting="same_kind")
        return table

    return call


def _rope_table(work, positions, dim):
    def call():
        angle = {"p": positions[:, None], "theta": frequencies(dim)}
        table = np.empty(work.shape, work.dtype)
        numexpr.evaluate("cos(p * theta)", angle, out=table[0], casting="same_kind")
        numexpr.evaluate("sin(p * theta)", angle, out=table[1], casting="same_kind")
        return table

    return call


def _rope(work, x, positions, dim, pairing):
    cos, sin = cache(positions, dim, work.dtype)
    if pairing == "half":
        first, second = slice(dim // 2), slice(dim // 2, None)
    else:
        first, second = slice(0, None, 2), slice(1, None, 2)

    def call():
        parts, y = {"a": x[..., first], "b": x[..., second], "c": cos, "s": sin}, np.empty_like(x)
        numexpr.evaluate("a * c - b * s", parts, out=y[..., first])
        numexpr.evaluate("b * c + a * s", parts, out=y[..., second])
        return y

    return call
