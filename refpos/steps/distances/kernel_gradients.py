"""Gradients of kernels of a distance for their two parameters: sums over the distances, each rounded once.

    log:    d / dp = -sum c_d ln(1 + a d),        d / da = -p sum c_d d / (1 + a d)
    power:  d / dp = -a sum c_d d**p ln(d),       d / da = -sum c_d d**p
    weight: the same as power, each term times exp(-a d**p)

c_d is the exact sum of the cotangents of all queries and keys of distance d. At distance 0 kernels are constant.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...arithmetic import formulas, independence, reals, rounding
from ..rows import scatter

VANISHED = 10_000  # exp of less than -VANISHED, times any other factor here, is less than half the smallest number


class Kernel(NamedTuple):
    """The parameters as fractions, and pairs (d, c_d) of distances from 1 on with fractions other than 0."""

    p: Fraction
    a: Fraction
    terms: list


def totals_of(cotangent, count):
    """The exact sums (heads, count) of float64 cotangents (heads, queries, keys), in the order of `bias.toeplitz`, and
    those of infinities and NaN, 0 elsewhere."""
    heads, queries, keys = cotangent.shape
    if not cotangent.size:
        return np.full((heads, count), Fraction(0), object), np.zeros((heads, count))
    cells = (np.arange(keys, dtype=np.int64) + queries - 1 - np.arange(queries, dtype=np.int64)[:, None]).reshape(-1)
    vectors = np.moveaxis(cotangent, 0, -1).reshape(-1, heads)
    exact, special = scatter.totals(cells, count, vectors)
    return exact.T, special.T


def pairs(distances, sums):
    """Pairs of the distances from 1 on with their sums, where these are not 0."""
    return [(d, one) for d, one in zip(distances.tolist(), sums.tolist()) if d and one != 0]


def pattern(name, kind, kernel, specials, fmt):
    """The bit pattern of the gradient for "p" or "a" of one head. specials: pairs (d, infinity or NaN)."""
    of_logarithm = name == "p" and kind != "log"  # which is 0 at distance 1
    if specials:
        with np.errstate(invalid="ignore"):
            total = -sum(np.float64(one) * (0 if of_logarithm and d == 1 else 1) for d, one in specials)
        return fmt.nan if np.isnan(total) else rounding.round_float(total, fmt)
    terms = [term for term in kernel.terms if term[0] > 1 or not of_logarithm]
    return RULES[kind, name](kernel._replace(terms=terms), fmt) if terms else 0


def _log_p(kernel, fmt):
    def rule(digits):
        return -sum(digits.log1p(kernel.a * d) * c for d, c in kernel.terms)

    logarithms = [(1 + kernel.a * d, c) for d, c in kernel.terms]
    return _decided(rule, lambda: _zero(independence.logarithms_vanish(logarithms)), fmt)


def _log_a(kernel, fmt):
    return rounding.nearest_fraction(-kernel.p * sum(c * d / (1 + kernel.a * d) for d, c in kernel.terms), fmt)


def _power_p(kernel, fmt):
    def rule(digits):
        return sum(_power(digits, d, kernel.p) * digits.log(d) * c for d, c in kernel.terms) * -kernel.a

    return _decided(rule, lambda: _zero(independence.power_logarithms_vanish(kernel.terms, kernel.p)), fmt)


def _power_a(kernel, fmt):
    def rule(digits):
        return -sum(_power(digits, d, kernel.p) * c for d, c in kernel.terms)

    def known():
        total = independence.power_sum([(Fraction(d), c) for d, c in kernel.terms], kernel.p)
        return None if total is None else -total

    return _decided(rule, known, fmt)


def _weight_p(kernel, fmt):
    return _of_exponentials(kernel, fmt, -kernel.a, lambda digits, d: digits.log(d))


def _weight_a(kernel, fmt):
    return _of_exponentials(kernel, fmt, Fraction(-1), lambda digits, d: 1)


#: of each kind and parameter the bit pattern of the sum
RULES = {
    ("log", "p"): _log_p, ("log", "a"): _log_a, ("power", "p"): _power_p, ("power", "a"): _power_a,
    ("weight", "p"): _weight_p, ("weight", "a"): _weight_a,
}  # fmt: skip


def _of_exponentials(kernel, fmt, factor, more):
    """The bit pattern of factor * sum of c d**p more(d) exp(-a d**p), which is no fraction."""
    first = min(d for d, _ in kernel.terms)

    def scaled(digits):
        """The sum times exp(a first**p)."""
        start, total = _power(digits, first, kernel.p), 0
        for d, c in kernel.terms:
            power = _power(digits, d, kernel.p)
            below = (power - start) * kernel.a
            small = reals.Interval(digits, 0 * below.low, digits.exp(-VANISHED).high)
            total += power * more(digits, d) * c * (small if below.low > VANISHED else digits.exp(-below))
        return total * factor

    def rule(digits):
        return scaled(digits) * digits.exp(_power(digits, first, kernel.p) * -kernel.a)

    if (_power(reals.Digits(formulas.FIRST), first, kernel.p) * kernel.a).low > VANISHED:
        return 1 << fmt.width - 1 if reals.sign(reals.evaluated(scaled)) < 0 else 0
    return formulas.pattern(rule, fmt)


def _power(digits, d, p):
    return digits.power(Fraction(d), p) if d > 1 else digits.of(1)


def _zero(vanishes):
    return Fraction(0) if vanishes else None


def _decided(rule, known, fmt):
    """The bit pattern of a rule; known() gives the fraction that it is, or None, and is asked where digits decide
    nothing."""
    for count in (formulas.FIRST, 2 * formulas.FIRST):
        found = rule(reals.Digits(count)).pattern(fmt)
        if found is not None:
            return found
    value = known()
    return formulas.pattern(rule if value is None else value, fmt)
