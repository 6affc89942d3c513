"""Sums of cosines of fractions of a turn: whether one is exactly 0, in a basis of the field of roots of unity.

Let e(t) be the point of the unit circle at t turns. For a prime p the p numbers e(t + j / p) add up to 0. If t is a
fraction whose part of denominator p**k is a / p**k, those with a < p**(k-1) are replaced by the others of their p; what
is left, for every p, is linearly independent over the fractions.
"""

from collections import defaultdict
from fractions import Fraction
from math import lcm

QUARTER = Fraction(1, 4)


def vanishes(terms):
    """Whether the sum of of_cos cos + of_sin sin of turns is 0, for {fraction of a turn: (of_cos, of_sin)}."""
    points = defaultdict(int)  # twice the sum, since 2 cos = e(t) + e(-t)
    for turn, sizes in terms.items():
        for size, at in zip(sizes, (turn, turn - QUARTER)):
            for point in (at % 1, -at % 1):
                points[point] += size
    order = lcm(*(point.denominator for point in points))
    for prime, power in _prime_powers(order):
        points = _reduced(points, prime, power)
    return not any(points.values())


def _prime_powers(order):
    """(p, p**k) of an integer."""
    prime = 2
    while order > 1:
        if prime * prime > order:
            prime = order
        power = 1
        while not order % prime:
            order, power = order // prime, power * prime
        if power > 1:
            yield prime, power
        prime += 1


def _reduced(points, prime, power):
    """The same sum without the points that stand for the others of their prime."""
    left = defaultdict(int)
    for point, size in points.items():
        digits = point.numerator * pow(point.denominator // _part(point, prime), -1, power) * (
            power // _part(point, prime)) % power  # fmt: skip
        if digits >= power // prime:
            left[point] += size
        else:
            for j in range(1, prime):
                left[(point + Fraction(j, prime)) % 1] -= size
    return left


def _part(point, prime):
    """The power of the prime in the denominator."""
    part = 1
    while not point.denominator % (part * prime):
        part *= prime
    return part
