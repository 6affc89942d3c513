"""Powers of fractions with fractional exponents: exactly, and as doubles or pairs of doubles with a power of two.

The powers at many integers k are products of a few: one table of 64 powers for each digit of k to base 64, made in
integers of 192 bits.
"""

from fractions import Fraction
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from . import formats, reals, rounding

RADIX_BITS = 6
WORK = 192
#: bits of numerator and denominator up to which a fraction is kept: any longer one is not a midpoint of two floats
LONGEST_FRACTION = 1 << 14
#: a power beyond 2**+-LARGEST_EXPONENT times any number of float64 overflows, or becomes 0, as that power of two does
LARGEST_EXPONENT = 1 << 13


class ScaledPairs(NamedTuple):
    """Numbers (high + low) * 2**exponent, float64 and int64 of one shape, high in 2**-11 .. 1.

    Powers as pairs are off by less than 2**-99 of themselves; in plain double (low is None) by less than 2**-48.7.
    Both hold for integers k up to 2**54.
    """

    high: np.ndarray
    low: np.ndarray | None
    exponent: np.ndarray


# -- one power --------------------------------------------------------------------------------------------------------


def floating(base, exponent, bits=WORK):
    """(n, e): base**exponent lies within n * 2**e (1 +- 2**(3 - bits)), for fractions, the base greater than 0."""
    if base == 1 or not exponent:
        return 1 << bits, -bits
    sizes = (v.bit_length() for v in (base.numerator, base.denominator, exponent.numerator, exponent.denominator))
    count = -(-((bits + sum(sizes)) * 302 // 1000 + reals.SPARE) // 16) * 16
    for precision in rounding.precisions(count, 8 * count):
        digits = reals.Digits(precision)
        try:
            log, log_2 = digits.of(exponent) * _log(base, precision), _log(2, precision)
            power_of_two = int(digits.up.divide(log.low, log_2.low))
            low, high = digits.exp(log - log_2 * power_of_two).scaled(bits)
            if high - low <= 2:
                return low + high >> 1, power_of_two - bits
        except reals.Undecided:
            pass


def fixed_product(factors, bits):
    """The product of base**exponent over pairs of fractions, times 2**bits, cut to an integer.

    It is off by less than 1 + 2**-48 times the product.
    """
    n, e = 1, 0
    for base, exponent in factors:
        own, shift = floating(base, exponent, bits + 64)
        n, e = n * own, e + shift
    return n >> -(e + bits) if e + bits < 0 else n << e + bits


@lru_cache(maxsize=512)
def _log(base, digits):
    return reals.Digits(digits).log(base)


def real(base, exponent):
    """base**exponent as a `Real`; beyond 2**+-LARGEST_EXPONENT it is that power of two."""
    n, e = floating(base, exponent, 64)
    size = n.bit_length() + e
    if abs(size) > LARGEST_EXPONENT:
        return reals.rational(Fraction(2) ** (LARGEST_EXPONENT if size > 0 else -LARGEST_EXPONENT))
    known = _rational(base, exponent)
    square = None if known is not None else _rational(base, 2 * exponent)
    return reals.Real(partial(_fixed, base, exponent, size), known, square, partial(floating, base, exponent))


def _rational(base, exponent):
    """base**exponent where it is a fraction that is not too long; numerator and denominator then have integer roots."""
    parts = [integer_root(part, exponent.denominator) for part in (base.numerator, base.denominator)]
    if None in parts or abs(exponent.numerator) * max(parts).bit_length() > LONGEST_FRACTION:
        return None
    return Fraction(*parts) ** exponent.numerator


def integer_root(number, degree):
    """The root of an integer from 1 on where it is an integer, else None."""
    if degree >= number.bit_length():
        return 1 if number == 1 else None
    low, high = 1, 1 << -(-number.bit_length() // degree)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle - 1)
    return low if low**degree == number else None


@lru_cache(maxsize=256)
def _fixed(base, exponent, size, bits):
    n, e = floating(base, exponent, max(bits + size, 0) + 64)
    shift = -(e + bits)
    return n + (1 << shift - 1) >> shift if shift > 0 else n << -shift


# -- many powers ------------------------------------------------------------------------------------------------------


def scaled_powers(bases, start, step, numbers, most, factor, pairs):
    """factor * base**(start + step * k) at integers k (n,) from 0 to `most`, for each base: `ScaledPairs` (n, bases).

    factor: a `Real` that is not 0.
    """
    high, low, exponent = _first_powers(bases, start, factor)
    high, low = (high, low) if pairs else (high + low, None)
    for place, table in enumerate(_digit_tables(bases, step, max(1, -(-most.bit_length() // RADIX_BITS)))):
        digit = (numbers >> place * RADIX_BITS & (1 << RADIX_BITS) - 1).astype(np.intp)
        exponent = exponent + table.exponent[digit]
        if pairs:
            high, low = multiply(high, low, table.high[digit], table.low[digit])
        else:
            high = high * (table.high + table.low)[digit]
    return ScaledPairs(high, low, exponent)


@lru_cache(maxsize=64)
def _first_powers(bases, start, factor):
    scale = factor.floating(WORK + 1)
    return as_pairs([_product(floating(base, start), scale) for base in bases], (len(bases),))


@lru_cache(maxsize=64)
def _digit_tables(bases, step, count):
    """`ScaledPairs` (64, bases) for the digit at each place: base**(step * 64**place * digit)."""
    return tuple(_table(bases, step * 2 ** (place * RADIX_BITS)) for place in range(count))


def _table(bases, step):
    ratios = [floating(base, step) for base in bases]
    values = [(1 << WORK, -WORK)] * len(bases)
    for _ in range((1 << RADIX_BITS) - 1):
        values += [_product(value, ratio) for value, ratio in zip(values[-len(bases) :], ratios)]
    return as_pairs(values, (1 << RADIX_BITS, len(bases)))


def _product(one, other):
    n, e = one[0] * other[0], one[1] + other[1]
    drop = max(0, n.bit_length() - WORK - 1)
    return n >> drop, e + drop


def as_pairs(values, shape):
    """A list of (n, e) as `ScaledPairs` of that shape, its highs of 53 bits in 1/2 .. 1; off by less than 2**-105."""
    high, low = np.empty((2, len(values)))
    exponent = np.empty(len(values), np.int64)
    for k, (n, e) in enumerate(values):
        size = n.bit_length()
        n, e = (n >> size - 106, e + size - 106) if size > 106 else (n << 106 - size, e - (106 - size))
        high[k], low[k] = (n >> 53) * 2.0**-53, (n & (1 << 53) - 1) * 2.0**-106
        exponent[k] = e + 106
    return ScaledPairs(*(part.reshape(shape) for part in (high, low, exponent)))


def round_pairs(high, low, radius, exponent, fmt):
    """(high + low) * 2**exponent rounded once, in the storage dtype, and where that is certain.

    high + low is off by less than the radius; all are float64, exponent int64, of shapes that fit. For the narrower
    formats the radius must be larger than the spacing of doubles at high, to which both ends are rounded first.
    """
    ends = [_narrowed(high + (low + side * radius), exponent, fmt) for side in (-1, 1)]
    return ends[1], (formats.bits(ends[0]) == formats.bits(ends[1])) & _keeps_bits(high, exponent, fmt)


def _keeps_bits(values, exponent, fmt):
    """Where values * 2**exponent keeps all its bits in float64 or is surely 0; true for the narrower formats."""
    if fmt.width != 64:
        return True
    top = np.frexp(values)[1] + exponent
    return (top > -1000) | (top < -1100)


def _narrowed(values, exponent, fmt):
    """values * 2**exponent rounded to the format, in its storage dtype."""
    with np.errstate(all="ignore"):
        return rounding.narrow(np.ldexp(values, np.clip(exponent, -4000, 4000).astype(np.int32)), fmt)


# -- pairs of doubles -------------------------------------------------------------------------------------------------


def multiply(high, low, other_high, other_low):
    """A product of pairs, off by less than 2**-103 of itself, or 2**-102.3 where one low is up to an ulp."""
    product, rest = exact_product(high, other_high)
    rest = rest + (high * other_low + low * other_high)
    total = product + rest
    return total, rest - (total - product)


def exact_product(one, other):
    """one * other as a sum of two doubles, exactly (Dekker), where nothing over- or underflows."""
    product = one * other
    one_high, other_high = upper_26_bits(one), upper_26_bits(other)
    one_low, other_low = one - one_high, other - other_high  # 26 bits and a sign
    rest = one_high * other_high - product
    return product, ((rest + one_high * other_low) + one_low * other_high) + one_low * other_low


def upper_26_bits(values):
    """The significand rounded to 26 bits."""
    bits = np.ascontiguousarray(values).view(np.uint64)
    return (bits + np.uint64(1 << 26) & np.uint64(0xFFFF_FFFF_F800_0000)).view(np.float64)
