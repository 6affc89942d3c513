"""Real numbers as rules that give them to any number of bits: what scalings and factors are made of.

A rule is a formula in intervals of decimals that surely contain the number. Where an interval is too wide to say what
was asked, the rule is evaluated again with more digits; nothing rests on a guess of how many are lost.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from math import isqrt

import numpy as np

from ..types import DType
from . import fixed_point, formats, long_functions, rounding
from .contexts import context

MOST_DIGITS = 10_000  # decimal digits of the finest intervals, unless many bits are asked for
SPARE = 12  # decimal digits beyond those asked for, so that most rules are evaluated once
LARGEST_EXPONENT = 10**5  # exp of more is not computed, nor an integer of more decimal digits made


@dataclass(frozen=True, eq=False)
class Real:
    """A real number: `fixed(bits)` is an integer n with |value - n * 2**-bits| <= 2**-bits.

    `rational` is the number as a fraction where it is known to be one, `root_of` the fraction whose positive square
    root it is. A number greater than 0 with neither has no fraction for its square. `relative(bits)`, which numbers of
    any size have, is (n, e): the number is n * 2**e, off by less than 2**(4 - bits) of itself.
    """

    fixed: Callable[[int], int]
    rational: Fraction | None = None
    root_of: Fraction | None = None
    relative: Callable[[int], tuple[int, int]] | None = None

    @property
    def square(self) -> Fraction | None:
        """The square of the number where that is a fraction, else None."""
        return self.root_of if self.rational is None else self.rational**2

    def __mul__(self, other: "Real") -> "Real":
        if 1 in (self.rational, other.rational):
            return other if self.rational == 1 else self
        if None not in (self.rational, other.rational):
            return rational(self.rational * other.rational)
        if None not in (self.square, other.square):
            return square_root(self.square * other.square)
        product = evaluated(lambda digits: digits.of(self) * digits.of(other))
        return replace(product, relative=partial(_relative_product, self, other))

    def floating(self, bits: int) -> tuple[int, int]:
        """(n, e): a number greater than 0 is n * 2**e, off by less than 2 units of n, which has so many bits."""
        n, e = self.relative(bits + 8) if self.relative else self._enough_bits(bits)
        drop = n.bit_length() - bits
        return n >> drop, e + drop

    def _enough_bits(self, bits):
        """(n, e): from the first precision at which n has so many bits."""
        for precision in rounding.precisions(bits):
            n = self.fixed(precision)
            if n.bit_length() >= bits:
                return n, -precision

    def rounded(self, dtype: DType) -> np.generic:
        """The number rounded once to one of the four formats, as a scalar of that dtype."""
        fmt = formats.resolve(dtype)
        return np.array([self.pattern(fmt)], f"u{fmt.width // 8}").view(formats.array_dtype(fmt))[0]

    def pattern(self, fmt: formats.Format) -> int:
        """The bit pattern of the number rounded once to a format; an irrational one is never halfway."""
        if self.rational is not None:
            return rounding.nearest_fraction(self.rational, fmt)
        return rounding.round_exactly(lambda bits: (self.fixed(bits), 1), fmt)

    def __float__(self) -> float:
        return float(self.rounded("float64"))


def _relative_product(one, other, bits):
    (n, e), (m, f) = one.floating(bits), other.floating(bits)
    return n * m, e + f


def rational(value):
    """A fraction as a `Real`."""
    value = Fraction(value)
    return Real(partial(_fixed_fraction, value), value)


def _fixed_fraction(value, bits):
    return (value.numerator << bits) // value.denominator


def root(value):
    """The square root of a fraction that is one itself, else None."""
    numerator, denominator = isqrt(value.numerator), isqrt(value.denominator)
    square = numerator**2 == value.numerator and denominator**2 == value.denominator
    return Fraction(numerator, denominator) if square else None


def square_root(value):
    """The square root of a fraction greater than 0 as a `Real`."""
    known = root(value)
    if known is not None:
        return rational(known)
    return Real(partial(_fixed_root, value), root_of=value)


def _fixed_root(value, bits):
    return isqrt((value.numerator << 2 * bits) // value.denominator)


def sum_of_roots(terms):
    """The sum of r sqrt(q) over pairs (r, q) of fractions, as a `Real`.

    q > 0 is 1 or no square, and no two q have a square for their ratio: the roots are linearly independent then.
    """
    terms = tuple((r, q) for r, q in terms if r)
    if all(q == 1 for _, q in terms):
        return rational(sum(r for r, _ in terms))
    if len(terms) == 1 and terms[0][0] > 0:
        return square_root(terms[0][0] ** 2 * terms[0][1])
    return Real(partial(_fixed_roots, terms))


def _fixed_roots(terms, bits):
    # each isqrt is off by less than 2 at 2**-work, their sum by less than 2**-(bits + 1)
    guard = len(terms).bit_length() + 2
    total = 0
    for r, q in terms:
        square = r * r * q
        size = isqrt((square.numerator << 2 * (bits + guard)) // square.denominator)
        total += size if r > 0 else -size
    return total + (1 << guard - 1) >> guard


def affine(real, slope, offset):
    """slope * real + offset as a `Real`, for fractions and an irrational number."""
    return Real(partial(_fixed_affine, real, slope, offset))


def _fixed_affine(real, slope, offset, bits):
    # slope times the error of real is below 2**-(bits + 2), and the quotient is rounded to nearest
    guard = max(0, slope.numerator.bit_length() - slope.denominator.bit_length() + 1) + 2
    sum_ = real.fixed(bits + guard) * slope.numerator * offset.denominator
    sum_ += offset.numerator * slope.denominator << bits + guard
    unit = slope.denominator * offset.denominator << guard
    return (2 * sum_ + unit) // (2 * unit)


def evaluated(rule):
    """The irrational `Real` that lies in the interval `rule(digits)` at every number of digits."""
    return Real(lru_cache(maxsize=8)(partial(_fixed_interval, rule)))


def _fixed_interval(rule, bits):
    count = bits * 302 // 1000 + SPARE
    for digits in rounding.precisions(count, max(MOST_DIGITS, 8 * count)):
        try:
            low, high = rule(Digits(digits)).scaled(bits)
            if high - low <= 2:
                return low + high >> 1
        except Undecided:
            pass


class Undecided(ArithmeticError):
    """An interval is too wide for what is asked of it, such as a quotient by one that holds 0: more digits are
    needed."""


class Digits:
    """Arithmetic with intervals of decimals that have so many digits."""

    def __init__(self, count):
        self.count = count

    @cached_property
    def down(self):
        """The context that rounds down."""
        return context(self.count, ROUND_FLOOR)

    @cached_property
    def up(self):
        """The context that rounds up."""
        return context(self.count, ROUND_CEILING)

    def of(self, value):
        """The interval of an integer, a fraction or a `Real`."""
        if isinstance(value, Interval):
            return value
        if isinstance(value, Real) and value.rational is None:
            bits = self.count * 4
            n = value.fixed(bits)
            return Interval(self, *self._quotients(n - 1, n + 1, 1 << bits))
        value = Fraction(value.rational if isinstance(value, Real) else value)
        if value.denominator == 1 and value.numerator.bit_length() > 16 * self.count:
            return self._of_long(value.numerator)
        return Interval(self, *self._quotients(value.numerator, value.numerator, value.denominator))

    def _of_long(self, number):
        """The interval of an integer of far more digits: those that count are cut off first, which is faster."""
        power = number.bit_length() * 3 // 10 - 3 * self.count  # log10(2) is a little more than 3/10
        low, rest = divmod(number, 10**power)
        low, high = self._quotients(low, low + (rest > 0), 1)
        return Interval(self, low.scaleb(power, self.down), high.scaleb(power, self.up))

    def _quotients(self, low, high, denominator):
        denominator = Decimal(denominator)
        return self.down.divide(Decimal(low), denominator), self.up.divide(Decimal(high), denominator)

    def pi(self):
        """The interval of pi."""
        bits = self.count * 4
        n = fixed_point.pi(bits)
        return Interval(self, *self._quotients(n - 1, n + 1, 1 << bits))

    # ln and exp are taken at the low end only, and their slope bounds how much larger they are at the high end

    def log(self, value):
        """The interval of the natural logarithm."""
        value = self.of(value)
        if value.low <= 0:
            raise Undecided
        up = self.up
        low, high = long_functions.log(value.low, self.down, up) or self._around(up.ln(value.low))
        rise = up.divide(up.subtract(value.high, value.low), value.low)  # ln(low + d) <= ln(low) + d / low
        return Interval(self, low, up.add(high, rise))

    def log1p(self, value):
        """The interval of ln(1 + x) for an x greater than 0, with half of the digits or more however small x is."""
        x = self.of(value)
        if x.low <= 0 or x.high.adjusted() >= -(self.count // 2):
            return self.log(x + 1)
        return Interval(self, (x - x * x).low, x.high)  # x - x**2 / 2 < ln(1 + x) < x

    def _around(self, nearest):
        """The neighbours of what `decimal` rounds to nearest whatever the context says: ln, exp and sqrt."""
        return nearest.next_minus(self.down), nearest.next_plus(self.up)

    def exp(self, value):
        """The interval of the exponential."""
        value = self.of(value)
        if value.high > LARGEST_EXPONENT:
            raise Undecided
        up = self.up
        low, high = self._exp(value.low)
        width = up.subtract(value.high, value.low)
        if width <= 1:  # e**d <= 1 + 2 d for 0 <= d <= 1
            high = up.multiply(high, up.add(1, up.multiply(2, width)))
        else:
            high = self._exp(value.high)[1]
        return Interval(self, low, high)

    def _exp(self, value):
        return long_functions.exp(value, self.down, self.up) or self._around(self.up.exp(value))

    def sqrt(self, value):
        """The interval of the square root."""
        value = self.of(value)
        if value.low <= 0:
            raise Undecided
        return Interval(self, self._around(self.up.sqrt(value.low))[0], self._around(self.up.sqrt(value.high))[1])

    def power(self, base, exponent):
        """The interval of base**exponent, both fractions, the base greater than 0."""
        return self.exp(self.of(exponent) * self.log(base)) if exponent else self.of(1)


@lru_cache(maxsize=1024)
def float_log(number):
    """The natural logarithm of a fraction greater than 0, rounded once to float64."""
    if number == 1:
        return 0.0
    for count in rounding.precisions(40):
        log = Digits(count).log(number)
        if float(log.low) == float(log.high):
            return float(log.low)


@dataclass(frozen=True, eq=False)
class Interval:
    """All numbers from low to high; operations give intervals that contain every result."""

    digits: Digits
    low: Decimal
    high: Decimal

    def __add__(self, other):
        other = self.digits.of(other)
        down, up = self.digits.down.add, self.digits.up.add
        return Interval(self.digits, down(self.low, other.low), up(self.high, other.high))

    def __neg__(self):
        return Interval(self.digits, self.high.copy_negate(), self.low.copy_negate())

    def __sub__(self, other):
        return self + -self.digits.of(other)

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        other = self.digits.of(other)
        pairs = [(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        down, up = self.digits.down.multiply, self.digits.up.multiply
        return Interval(self.digits, min(down(a, b) for a, b in pairs), max(up(a, b) for a, b in pairs))

    def __truediv__(self, other):
        other = self.digits.of(other)
        if other.low <= 0 <= other.high:
            raise Undecided
        pairs = [(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        down, up = self.digits.down.divide, self.digits.up.divide
        return Interval(self.digits, min(down(a, b) for a, b in pairs), max(up(a, b) for a, b in pairs))

    def __rtruediv__(self, other):
        return self.digits.of(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def pattern(self, fmt):
        """The bit pattern to which all numbers of the interval round; None where there are two."""
        low, high = (rounding.nearest_decimal(end, fmt) for end in (self.low, self.high))
        return low if low == high else None

    def scaled(self, bits):
        """(low, high) times 2**bits as integers, rounded outwards."""
        one = Decimal(1 << bits)
        ends = (self.low, ROUND_FLOOR), (self.high, ROUND_CEILING)
        if any(end.adjusted() > LARGEST_EXPONENT for end, _ in ends):
            raise Undecided
        count = max(len(end.as_tuple().digits) for end, _ in ends) + len(one.as_tuple().digits) + 2
        exact = context(count, ROUND_FLOOR)  # holds the products without rounding
        return tuple(int(exact.multiply(end, one).to_integral_value(direction)) for end, direction in ends)


# -- questions --------------------------------------------------------------------------------------------------------


def sign(real):
    """-1, 0 or 1; a number that is not known to be a fraction must not be 0."""
    if real.rational is not None:
        return (real.rational > 0) - (real.rational < 0)
    for bits in rounding.precisions(64):
        n = real.fixed(bits)
        if abs(n) > 1:
            return 1 if n > 0 else -1


def compare(one, other):
    """The sign of one - other, of `Real`, fractions or integers; irrational ones must differ."""
    one, other = (value if isinstance(value, Real) else rational(value) for value in (one, other))
    if one.rational is not None and other.rational is not None:
        return sign(rational(one.rational - other.rational))
    if other.rational is not None:
        return sign(affine(one, Fraction(1), -other.rational))
    return sign(evaluated(lambda digits: digits.of(one) - digits.of(other)))


def floor(real):
    """The largest integer that is not greater."""
    if real.rational is not None:
        return real.rational.numerator // real.rational.denominator
    for bits in rounding.precisions(128):
        n = real.fixed(bits)
        if n - 1 >> bits == n + 1 >> bits:
            return n >> bits


def ceiling(real):
    """The smallest integer that is not less."""
    if real.rational is not None:
        return -(-real.rational.numerator // real.rational.denominator)
    return floor(real) + 1


def nearest(real):
    """The nearest integer, of two the even one."""
    if real.rational is not None:
        return round(real.rational)
    return floor(evaluated(lambda digits: digits.of(real) + Fraction(1, 2)))
