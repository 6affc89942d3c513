"""Pairs of doubles (high, low) that stand for high + low, |low| at most half an ulp of high: 106 bits in float64 steps.

Each operation is off by less than the part of the result that its line says (Dekker 1971; Joldes, Muller and Popescu
2017, Tight and rigorous error bounds for basic building blocks of double-word arithmetic), where nothing over- or
underflows.
"""

from .powers import exact_product, multiply

__all__ = ["add", "divide", "exact_product", "fast_two_sum", "multiply", "two_sum"]


def two_sum(one, other):
    """one + other as a double and what it is off by, exactly (Knuth 1969)."""
    total = one + other
    back = total - one
    return total, (one - (total - back)) + (other - back)


def fast_two_sum(large, small):
    """The same where `large` is 0 or the larger in size."""
    total = large + small
    return total, small - (total - large)


def add(high, low, other_high, other_low):
    """A sum of pairs, off by less than 2**-104 (|one| + |other|)."""
    total, rest = two_sum(high, other_high)
    return fast_two_sum(total, rest + (low + other_low))


def divide(high, low, other_high, other_low):
    """A quotient of pairs, off by less than 2**-101 of itself."""
    quotient = high / other_high
    product, rest = exact_product(quotient, other_high)
    # high - product is exact: they are neighbours
    remainder = (high - product) - rest + (low - quotient * other_low)
    return fast_two_sum(quotient, remainder / other_high)
