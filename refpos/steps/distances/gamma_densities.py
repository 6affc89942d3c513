"""Gamma densities of whole shapes at integers, over the largest of them: factorials, powers and an exponential."""

from fractions import Fraction
from functools import lru_cache
from math import factorial
from typing import Literal

from ...arithmetic import formulas, reals, rounding

Normalise = Literal["table", "row"]


class GammaDensities:
    """The densities g_j(x) = r**c x**(c - 1) e**(-r x) / (c - 1)! with c = 4 (j + 1)**2 and r = 4 n (j + 1) / L."""

    def __init__(self, length, count, distances, eps, normalise):
        self.shapes = [4 * (j + 1) ** 2 for j in range(count)]
        self.rates = [Fraction(4 * count * (j + 1), length) for j in range(count)]
        self.eps, self.distances, self.normalise = eps, distances, normalise
        self.log_of_number = lru_cache(maxsize=None)(self._log_of_number)
        self.log_of_constant = lru_cache(maxsize=None)(self._log_of_constant)
        self.largest = lru_cache(maxsize=None)(self._largest)
        self.divisor = lru_cache(maxsize=64)(self._divisor)

    def feature(self, x, j):
        """The formula of (g_j(x) + eps) / (largest + eps): transcendental but where it is 1, as the exponentials of
        different fractions are independent (Lindemann and Weierstrass)."""
        best = self.largest(x if self.normalise == "row" else None)
        if best is None or (x and self._same((x, j), best)):
            return Fraction(1)
        return lambda digits: self._raised(x, j, digits) / self.divisor(best, digits.count)

    def _raised(self, x, j, digits):
        """The interval of g_j(x) + eps."""
        return digits.exp(self._log(x, j, digits)) + self.eps if x else digits.of(self.eps)

    def _divisor(self, best, count):
        return self._raised(*best, reals.Digits(count))

    def _log(self, x, j, digits):
        """The interval of the logarithm of g_j(x), x not 0."""
        logs = self.log_of_constant(j, digits.count) + self.log_of_number(x, digits.count) * (self.shapes[j] - 1)
        return logs - self.rates[j] * x

    def _log_of_number(self, x, count):
        return reals.Digits(count).log(x)

    def _log_of_constant(self, j, count):
        digits, shape = reals.Digits(count), self.shapes[j]
        return digits.log(self.rates[j]) * shape - digits.log(factorial(shape - 1))

    def _largest(self, row):
        """(x, j) of the largest density, of one x or of all; None where all are 0."""
        if row is not None:
            return self._best([(row, j) for j in range(len(self.rates))]) if row else None
        candidates = []
        for j, (shape, rate) in enumerate(zip(self.shapes, self.rates)):
            mode = (shape - 1) // rate  # the density rises up to (c - 1) / r and falls from there on
            candidates += [(x, j) for x in (min(mode, self.distances - 1), mode + 1) if 0 < x < self.distances]
            if mode < 1 < self.distances:
                candidates.append((1, j))
        return self._best(list(dict.fromkeys(candidates))) if candidates else None

    def _best(self, pairs):
        for count in rounding.precisions(formulas.FIRST):
            digits = reals.Digits(count)
            logs = [self._log(*pair, digits) for pair in pairs]
            lowest = max(log.low for log in logs)
            pairs = [pair for pair, log in zip(pairs, logs) if log.high >= lowest]
            if all(self._same(pair, pairs[0]) for pair in pairs):
                return pairs[0]

    def _same(self, one, other):
        """Whether two densities are equal: only where their exponentials are, and the fractions before them."""
        if one == other:
            return True
        (x, j), (y, k) = one, other
        return self.rates[j] * x == self.rates[k] * y and self._fraction(x, j) == self._fraction(y, k)

    def _fraction(self, x, j):
        shape = self.shapes[j]
        return self.rates[j] ** shape * x ** (shape - 1) / factorial(shape - 1)
