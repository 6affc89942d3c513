"""Absolute encodings by what they are for, where golden cases and witnesses do not say it."""

import numpy as np
import pytest
from witness import fourier
from witness.digits import patterns

import refpos

LAYOUTS = ("interleaved", "sin-cos", "cos-sin")


@pytest.mark.parametrize("endpoint", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("offset", [1, -3, 0.25, 4096])
def test_a_shift_matrix_carries_the_table(offset, layout, endpoint):
    options = {"layout": layout, "endpoint": endpoint, "base": 500}
    positions = np.array([0.0, 1.0, 2.5, 100.0, -7.0])
    before, after = (refpos.sinusoidal(p, 10, **options) for p in (positions, positions + offset))
    matrix = refpos.absolute.shift_matrix(offset, 10, **options)
    # each element is a sum of two products, each factor rounded once
    np.testing.assert_allclose(before @ matrix.T, after, rtol=0, atol=5 * 2.0**-53)
    assert np.abs(before @ matrix - after).max() > 1e-2
    back = refpos.absolute.shift_matrix(-offset, 10, **options)
    assert np.array_equal(back, matrix.T)


@pytest.mark.parametrize("bits", [1, 7, 10])
def test_binary_digits_are_those_that_numpy_writes(bits):
    written = [[int(digit) for digit in np.binary_repr(p, bits)] for p in range(2**bits)]
    highest = refpos.absolute.binary_code(2**bits, bits, lowest_first=False)
    assert np.array_equal(highest, written)
    lowest = refpos.absolute.binary_code(np.arange(2**bits, dtype=np.uint16), bits, lowest_first=True)
    assert np.array_equal(lowest, highest[:, ::-1])
    assert (lowest[:-1, 0] != lowest[1:, 0]).all()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("factor", [1, "2pi"])
def test_many_projected_points_are_those_of_the_witness(factor, dtype):
    """Several blocks of angles, of coordinates of many sizes: a few of them once more."""
    rng = np.random.default_rng(3)
    points = rng.standard_normal((500, 3)) * 10.0 ** rng.integers(-30, 12, (500, 3))
    points[7:300:60] = 0
    weight, phase = rng.standard_normal((3, 40)), rng.standard_normal(40)
    phase[::7] = 0  # where the angle is 0, in later blocks too, the sum decides
    options = {"factor": factor, "layout": "sin-cos", "phase": phase}
    values = refpos.absolute.fourier_projection(points, weight, **options, dtype=dtype)
    some = [0, 7, 67, 203, 204, 205, 247, 410, 499]  # also beside the ends of blocks
    digits = fourier.fourier_projection(points[some], weight, **options)
    assert np.array_equal(values[some].view(f"u{values.itemsize}"), patterns(digits, dtype))
