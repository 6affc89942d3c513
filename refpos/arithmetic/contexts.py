"""Decimal contexts of which nothing is left to `decimal.DefaultContext`, which a process may have changed."""

from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, DivisionByZero, InvalidOperation, Overflow

TRAPS = [InvalidOperation, DivisionByZero, Overflow]


def context(digits, rounding=ROUND_HALF_EVEN):
    """The context of so many digits, with the widest range of exponents."""
    return Context(digits, rounding, MIN_EMIN, MAX_EMAX, 1, 0, [], TRAPS)
