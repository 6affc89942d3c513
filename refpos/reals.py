"""Real numbers as rules that give them to any number of bits: what scalings and factors are made of.

A rule is a formula in `decimal`, evaluated at the precision asked for; it can be compared, cut to a whole number and
rounded once, because it can always be asked for more.
"""

from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, getcontext, localcontext
from fractions import Fraction
from functools import partial
from typing import Callable, Optional

import numpy as np

from . import exact, formats, rounding

GUARD = 40  # decimal digits beyond those asked for: what a formula of some dozen operations may lose


@dataclass(frozen=True)
class Real:
    """A real number: `fixed(bits)` is an integer n with |value - n * 2**-bits| <= 2**-bits.

    `rational` is the number as a fraction where it is known to be one.
    """

    fixed: Callable[[int], int]
    rational: Optional[Fraction] = None

    def rounded(self, dtype):
        """The number rounded once to one of the four formats, as a scalar of that dtype."""
        fmt = formats.resolve(dtype)
        pattern = np.array([_pattern(self, fmt)], f"u{fmt.width // 8}")
        return pattern.view(formats.array_dtype(fmt))[0]

    def __float__(self):
        return float(self.rounded("float64"))


def _pattern(real, fmt):
    if real.rational is not None:
        return rounding.nearest_fraction(real.rational, fmt)
    return rounding.decide(lambda bits: (real.fixed(bits), 1), fmt)


def rational(value):
    """A fraction as a `Real`."""
    value = Fraction(value)
    return Real(partial(_fixed_fraction, value), value)


def _fixed_fraction(value, bits):
    return (value.numerator << bits) // value.denominator


def evaluated(rule):
    """The `Real` that the function `rule()` gives as a Decimal, in the arithmetic of the precision then in force."""
    return Real(partial(_fixed_decimal, rule))


def _fixed_decimal(rule, bits):
    with localcontext(_context(bits)):
        value = rule()
        # the digits before the point were not among those asked for
        more = max(0, value.adjusted()) if value else 0
        if more:
            with localcontext(_context(bits + 4 * more)):
                return int((rule() * (1 << bits)).to_integral_value())
        return int((value * (1 << bits)).to_integral_value())


def _context(bits):
    return Context(prec=max(bits, 64) * 302 // 1000 + GUARD, Emax=MAX_EMAX, Emin=MIN_EMIN)


def decimal(value):
    """A whole number or fraction as a Decimal of the precision in force."""
    value = Fraction(value)
    return Decimal(value.numerator) / Decimal(value.denominator)


def pi():
    """pi as a Decimal of the precision in force."""
    bits = getcontext().prec * 4
    return Decimal(exact.pi(bits)) / (1 << bits)


def floor(real):
    """The largest whole number that is not greater."""
    if real.rational is not None:
        return real.rational.numerator // real.rational.denominator
    bits = 128
    while True:
        n = real.fixed(bits)
        if n - 1 >> bits == n + 1 >> bits:
            return n >> bits
        bits *= 2


def ceiling(real):
    """The smallest whole number that is not less; for numbers known to be no whole numbers, or fractions."""
    if real.rational is not None:
        return -(-real.rational.numerator // real.rational.denominator)
    return floor(real) + 1
