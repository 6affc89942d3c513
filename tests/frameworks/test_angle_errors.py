"""Coordinates of programs in torch, against the bounds of their errors."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from test_angle_errors import U

from refpos import coordinates
from refpos.conformance.derivations.angles import coordinate_error, stretched

F = torch.float32


def steps(size):
    return torch.arange(size, dtype=F)


def dinov3(size, count):
    return 2.0 * (torch.arange(0.5, size, dtype=F) / count) - 1.0


def spaced(size, start, stop):
    return torch.linspace(start, stop, size, dtype=F)


#: how programs compute coordinates in float32, beside the exact ones
PROGRAMS = {
    "EVA-02": lambda n, k: (steps(n) / n * k, coordinates.affine(n, step=Fraction(k, n))),
    "interpolated": lambda n, k: (steps(n) * (1 / k), coordinates.affine(n, step=Fraction(1, k))),
    "Cosmos": lambda n, k: (steps(n) / k * 24, coordinates.affine(n, step=Fraction(24, k))),
    "DINOv3": lambda n, k: (dinov3(n, n), coordinates.half_pixel(n)),
    "DINOv3, the other side": lambda n, k: (dinov3(n, n + k), coordinates.half_pixel(n, count=n + k)),
    "DINOv3, offset": lambda n, k: (
        2.0 * ((steps(n) + 0.5 + k / 8) / n) - 1.0, coordinates.half_pixel(n, offset=Fraction(k, 8))
    ),
    "middles": lambda n, k: ((steps(n) + 0.5) / n, coordinates.half_pixel(n, span="unit")),
    "crop without the end": lambda n, k: (
        spaced(n, k, k + 45 * (n - 1) / n), coordinates.linspace(k, k + 45, n)
    ),
    "crop, thirds": lambda n, k: (
        spaced(n, k / 3, 100 / 3), coordinates.linspace(Fraction(k, 3), Fraction(100, 3), n, endpoint=True)
    ),
    "backwards": lambda n, k: (spaced(n, k, 0.1), coordinates.linspace(k, Fraction(1, 10), n, endpoint=True)),
    "LTX": lambda n, k: ((steps(n) * 8 / k) / 20 * 2 - 1, coordinates.affine(n, start=-1, step=Fraction(8, 10 * k))),
}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_coordinates_of_programs_stay_within_their_bound(program):
    largest = 0.0
    for size in [*range(1, 70), 99, 128, 255, 1000]:
        for parameter in (1, 3, 7, 16, 25, 48):
            computed, exact = PROGRAMS[program](size, parameter)
            if exact.unit == 1:  # i / n * n is taken to be i
                continue
            (group,) = exact.groups
            off = [
                abs(float(Fraction(c) - m * exact.unit))
                for c, m in zip(computed.tolist(), np.asarray(group.multipliers).tolist(), strict=True)
            ]
            limit = coordinate_error(exact) * U
            assert (off <= limit).all(), (size, parameter, np.argmax(off - limit))
            largest = max(largest, (off / np.where(limit > 0, limit, 1)).max())
    assert largest > 0.02  # of the worst case, which needs every rounding at its limit and of one sign


def test_stretched_coordinates_of_mochi_stay_within_their_bound():
    """Middles between edges that are evenly spaced, as diffusers makes them."""
    largest = 0.0
    for height in (*range(1, 60), 120):
        for width in (1, 7, 30):
            square = Fraction(192 * 192, height * width)
            stop = height * float(square) ** 0.5 / 2
            edges = torch.linspace(-stop, stop, height + 1, dtype=F)
            computed = ((edges[:-1] + edges[1:]) / 2).double().numpy()
            exact, spread = stretched(coordinates.affine(height, start=Fraction(1 - height, 2)), float(square))
            assert (abs(computed - exact) <= spread * U).all(), (height, width)
            largest = max(largest, (abs(computed - exact) / np.where(spread > 0, spread, 1) / U).max())
    assert largest > 0.02
