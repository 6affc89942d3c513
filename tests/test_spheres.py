"""Encodings of places and directions on a sphere: what their exact zeros rest on, and what identities say of them."""

from math import gcd

import numpy as np
import pytest
from flint import arb, ctx

import refpos
from refpos.absolute.spherical_harmonics import MOST_DEGREES


def totient(number):
    return sum(gcd(k, number) == 1 for k in range(1, number + 1))


@pytest.fixture
def precise():
    before, ctx.prec = ctx.prec, 400
    yield
    ctx.prec = before


def derivatives(z, degree):
    """{(n, m): balls of the m-th derivatives of the Legendre polynomials at z} below a degree."""
    values, diagonal = {}, arb(1)
    for m in range(degree):
        before, value = arb(0), diagonal
        for n in range(m, degree):
            values[n, m] = value
            before, value = value, ((2 * n + 1) * z * value - (n + m) * before) / (n + 1 - m)
        diagonal *= 2 * m + 1
    return values


@pytest.mark.exhaustive
def test_derivatives_of_legendre_polynomials_vanish_at_rational_angles_only_by_parity(precise):
    """cos(2 pi p / q) has degree totient(q) / 2, and all its conjugates are zeros with it: so few q can occur."""
    degree = MOST_DEGREES
    most = 2 * (degree - 1)
    turns = [q for q in range(1, 7 * most) if totient(q) <= most]  # the totient of a q below 30 000 is above q / 7
    assert turns[-1] > most and 4 in turns
    zeros = set()
    for q in turns:
        values = derivatives((2 * arb.pi() / q).cos() if q != 4 else arb(0), degree)
        zeros |= {(q, n, m) for (n, m), value in values.items() if value.contains(0)}
    assert zeros == {(4, n, m) for n in range(degree) for m in range(n + 1) if (n - m) % 2}


@pytest.mark.parametrize("convention", ["nerfstudio", "tcnn", "satclip-closed-form"])
def test_the_squares_of_one_degree_add_up(convention):
    """Unsoeld: the sum over m of Y**2 is (2 l + 1) / 4 pi at every place."""
    x = {"nerfstudio": [[0.6, 0.0, 0.8]], "tcnn": [[0.8, 0.5, 0.9]]}.get(convention, [[12.5, 48.25]])
    table = refpos.absolute.spherical_harmonics(x, 5, convention=convention)[0]
    sums = [(table[n * n : (n + 1) ** 2] ** 2).sum() for n in range(5)]
    assert np.allclose(sums, (2 * np.arange(5) + 1) / (4 * np.pi), rtol=1e-14, atol=0)


def test_conventions_differ_by_signs_and_by_pi():
    place = [[12.5, 48.25]]
    table, closed = (
        refpos.absolute.spherical_harmonics(place, 4, convention=f"satclip{end}") for end in ("", "-closed-form")
    )
    orders = np.array([abs(m) for n in range(4) for m in range(-n, n + 1)])
    expected = np.where(orders == 0, np.pi, (-1.0) ** orders)
    assert np.allclose(table / closed, expected, rtol=1e-15, atol=0)
