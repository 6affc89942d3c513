"""Resized tables of bfloat16 and float16 by programs that round weights, and by others, at the class `weights16`."""

import ml_dtypes
import numpy as np
import pytest

from refpos import conformance, resize_table
from refpos.conformance.compare import compare

F = np.float32
KINDS = [np.float16, ml_dtypes.bfloat16]
CALL = {"method": "cubic", "align": "half-pixel", "cubic": -0.75}
SIZES = [((4, 5), (7, 6)), ((14, 14), (20, 17)), ((9, 3), (4, 8))]


def read_rows(old, new, slope):
    """(rows, weights) of the four rows of each new one in float32, rows beyond the ends taken at the ends."""
    at = (np.arange(new, dtype=F) + F(0.5)) * F(old / new) - F(0.5)
    t = at - np.floor(at)

    def near(x):
        return ((slope + F(2)) * x - (slope + F(3))) * x * x + F(1)

    def far(x):
        return ((slope * x - F(5) * slope) * x + F(8) * slope) * x - F(4) * slope

    rows = np.floor(at).astype(int)[:, None] + np.arange(-1, 3)
    return np.clip(rows, 0, old - 1), np.stack([far(t + 1), near(t), near(1 - t), far(2 - t)], -1)


def program(table, size, weights=lambda w: w, between=lambda sums: sums, slope=-0.75):
    """A bicubic resize in float32, whose weights and sums along the first axis may be rounded."""
    values = table.astype(F)
    for axis, new in enumerate(size):
        rows, held = read_rows(table.shape[axis], new, F(slope))
        read = np.moveaxis(values, axis, 0)[rows]
        values = np.moveaxis((read * weights(held)[..., None, None]).sum(1, dtype=F), 0, axis)
        values = between(values) if axis == 0 else values
    return values.astype(table.dtype)


def report(table, size, made):
    name = np.dtype(table.dtype).name
    found = conformance.bounds("resize_table", {"size": size, **CALL}, {"weight": table}, name)
    limits = {kind: limit["output"] for kind, limit in found.items()}
    return compare(made, resize_table(table, size, **CALL), bounds=limits)


def tables(kind, count):
    return [np.random.default_rng(seed).standard_normal((*SIZES[seed % 3][0], 8)).astype(kind) for seed in range(count)]


@pytest.mark.parametrize("kind", KINDS)
def test_weights_of_16_bits_are_in_their_class(kind):
    for seed, table in enumerate(tables(kind, 6)):
        size = SIZES[seed % 3][1]
        found = report(table, size, program(table, size, lambda w: w.astype(kind).astype(F)))
        assert found.classes["weights16"].met and found.max_ulp > 1, found
        assert kind is np.float16 or found.met == "weights16", found  # two in three of float16
        assert report(table, size, program(table, size)).met in ("correct", "faithful", "float32-resize")


@pytest.mark.parametrize("kind", KINDS)
def test_other_weights_are_not(kind):
    """Weights of half the bits of the format, sums rounded after the first axis, and another slope."""
    coarse = ml_dtypes.float8_e4m3fn
    for seed, table in enumerate(tables(kind, 6)):
        size = SIZES[seed % 3][1]
        for made in (program(table, size, lambda w: w.astype(coarse).astype(F)), program(table, size, slope=-0.5)):
            found = report(table, size, made)
            assert found.met is None, found


def test_wider_outputs_have_no_such_class():
    table = tables(np.float16, 1)[0]
    assert "weights16" not in conformance.bounds("resize_table", {"size": (7, 6), **CALL}, {"weight": table}, "float32")
