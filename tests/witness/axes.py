"""Rotations along several axes, as balls: positions are fractions, one list for each axis."""

from fractions import Fraction

import numpy as np
from flint import arb, fmpq

from .balls import leading


def ball(number):
    """A fraction as a ball at the current precision."""
    number = Fraction(number)
    return arb(fmpq(number.numerator, number.denominator))


def _one():
    return arb(1)


def table(positions, axes, rule, factor=_one, rational=None):
    """Digits (cos, sin) of factor * cosine and sine of position * theta, each (tokens, pairs).

    axes: the axis of each pair. rule() and factor() give balls at the current precision; rational is the factor where
    it is a fraction, needed only where an angle is a fraction of a turn.
    """
    pairs, tokens = len(axes), len(positions[0])

    def evaluate(rows, bits):
        thetas, scale = rule(), factor()
        found = []
        for k in range(tokens * pairs) if rows is None else rows:
            token, i = divmod(k, pairs)
            sine, cosine = (thetas[i] * ball(positions[axes[i]][token])).sin_cos()
            found.append((cosine * scale, sine * scale))
        return found

    def exact(row):
        return tuple(_decided(value, factor(), rational) for value in evaluate([row], None)[0])

    both = leading(tokens * pairs, 2, evaluate, exact=exact).reshape(tokens, pairs, 2)
    return both[..., 0], both[..., 1]


def _decided(value, factor, rational):
    # cosines and sines of fractions of a turn are 0, 1/2 or 1, or irrational (Niven)
    found = Fraction(int((2 * value / factor + arb(0.5)).floor().mid().unique_fmpz()), 2)
    assert value.rad() < 2.0**-1000
    if (value / factor).contains(ball(found)):
        return found * rational
    return Fraction(int((value * arb(2) ** 4000).floor().unique_fmpz()) * 2 + 1, 2**4001)


def rotate(a, b, positions, axes, rule, factor=_one, other=None):
    """Digits of factor * (a cos - b sin, b cos + a sin), each (tokens, pairs), for angles that are no fraction of a turn.

    other: (axes, rule) of the second results, where they turn by angles of their own.
    """
    tokens, pairs = a.shape
    second_axes, second_rule = other or (axes, rule)
    size = np.frexp(np.maximum(np.abs(a), np.abs(b)))[1].reshape(-1)

    def evaluate(rows, bits):
        thetas, others, scale = rule(), second_rule(), factor()
        found = []
        for k in range(tokens * pairs) if rows is None else rows:
            token, i = divmod(k, pairs)
            p, q = arb(float(a[token, i])) * scale, arb(float(b[token, i])) * scale
            s, c = (thetas[i] * ball(positions[axes[i]][token])).sin_cos()
            u, d = (others[i] * ball(positions[second_axes[i]][token])).sin_cos()
            found.append((p * c - q * s, q * d + p * u))
        return found

    both = leading(tokens * pairs, 2, evaluate, size).reshape(tokens, pairs, 2)
    return both[..., 0], both[..., 1]
