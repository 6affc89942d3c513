"""Sums of logarithms and of powers of fractions: whether one is a fraction.

Logarithms of multiplicatively independent fractions are linearly independent over the algebraic numbers (Baker 1966),
and so are real powers d**p of one rational p over the fractions where no quotient of two is a fraction (Mordell 1953).
"""

from fractions import Fraction
from math import gcd

from . import powers


def logarithms_vanish(terms):
    """Whether the sum of size ln(x) is 0, for pairs (x, size) of fractions, x greater than 0; else it is
    transcendental."""
    base = coprime_base([part for x, _ in terms for part in (x.numerator, x.denominator)])
    return not any(
        sum(size * (exponent(x.numerator, one) - exponent(x.denominator, one)) for x, size in terms) for one in base
    )


def power_sum(terms, p):
    """The sum of size d**p where it is a fraction, for pairs (d, size) of fractions, d greater than 0; else None."""
    known = [[Fraction(1), Fraction(0)]]  # d, and the sum of its class in units of d**p
    for d, size in terms:
        for one in known:
            ratio = powers.real(d / one[0], p).rational
            if ratio is not None:
                one[1] += size * ratio
                break
        else:
            known.append([d, size])
    return None if any(size for _, size in known[1:]) else known[0][1]


def power_logarithms_vanish(terms, p):
    """Whether the sum of size d**p ln(d) is 0, for pairs (d, size), d integers from 1 on; else it is transcendental."""
    base = coprime_base([d for d, _ in terms])
    return all(power_sum([(Fraction(d), size * exponent(d, one)) for d, size in terms], p) == 0 for one in base)


def coprime_base(numbers):
    """Integers greater than 1 that are prime to each other, of which all the numbers are products."""
    base, left = [], [number for number in numbers if number > 1]
    while left:
        number = left.pop()
        for k, one in enumerate(base):
            common = gcd(number, one)
            if common > 1:
                del base[k]
                left += [part for part in (common, number // common, one // common) if part > 1]
                break
        else:
            base.append(number)
    return base


def exponent(number, base):
    """How often an integer of the base divides the number."""
    times = 0
    while not number % base:
        number, times = number // base, times + 1
    return times
