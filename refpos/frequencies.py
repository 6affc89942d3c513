"""Frequencies: how far each pair of channels turns from one position to the next, exactly.

A frequency is known as a rule that gives it to any number of bits, so every later step can ask for the precision it
needs. Scalings replace the rule and nothing else.
"""

from dataclasses import dataclass, replace
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import lru_cache, partial
from typing import Callable, Optional

import numpy as np

from . import checks, formats, reals, rounding
from .catalogue import register
from .reals import Real


def _unknown(i):
    return None


@dataclass(frozen=True, eq=False)
class Frequencies:
    """The frequencies of one rotary width, exactly, and the factor on the tables that comes with them.

    `fixed(bits)` gives integers n_i with |theta_i - n_i * 2**-bits| <= 2**-bits. `rational(i)` is theta_i as a fraction
    where it is one and None where it is irrational; `turns(i)` is theta_i / 2 pi likewise. `factor` multiplies cosine
    and sine. `axes` says for each frequency which of several positions of a token it turns by; None: there is one.
    `inv_freq` holds the thetas rounded once to float64.
    """

    dim: int
    fixed: Callable[[int], tuple]
    rational: Callable[[int], Optional[Fraction]]
    factor: Real = reals.rational(1)
    turns: Callable[[int], Optional[Fraction]] = _unknown
    axes: Optional[tuple] = None

    def __len__(self):
        return self.dim // 2

    @property
    def attention_factor(self):
        """The factor on cosine and sine that comes with a scaling, as a float rounded once; without one it is 1.0."""
        return float(self.factor)

    @property
    def inv_freq(self):
        """The frequencies as float64, rounded once: shape (dim/2,), radians per position."""
        return self.rounded("float64")

    def rounded(self, dtype):
        """The frequencies rounded once to any of the four formats: shape (dim/2,), radians per position."""
        fmt = formats.resolve(dtype)
        array, stored = checks.output(None, (len(self),), fmt)
        self.fill(stored, fmt)
        return array

    def fill(self, stored, fmt):
        """Write the rounded frequencies into an array of the storage dtype."""
        patterns = formats.bits(stored)
        for i in range(len(self)):
            patterns[i] = _round_frequency(self, i, fmt)


def _round_frequency(frequencies, i, fmt):
    for bits in (256, 1024):
        n = frequencies.fixed(bits)[i]
        low, high = rounding.nearest(n - 1, bits, fmt), rounding.nearest(n + 1, bits, fmt)
        if low == high:
            return low
    # only a rational frequency can lie exactly halfway (or underflow to exactly 0 for every precision)
    value = frequencies.rational(i)
    if value is not None:
        return rounding.nearest_fraction(value, fmt)
    return rounding.decide(lambda bits: (frequencies.fixed(bits)[i], 1), fmt, 4096)


def scaled(frequencies, multipliers, factor=None):
    """The frequencies theta_i * m_i, for a tuple of `reals.Real` m_i >= 0, with another factor if one is given."""
    found = replace(
        frequencies,
        fixed=partial(_scaled_fixed, frequencies, multipliers),
        rational=partial(_scaled_rational, frequencies.rational, multipliers),
        turns=partial(_scaled_rational, frequencies.turns, multipliers),
    )
    return found if factor is None else replace(found, factor=factor)


def _scaled_fixed(frequencies, multipliers, bits):
    # with m < 2**growth and theta < 2**size, both rounded at 2**-work, the product is off by less than 2**-(bits + 2)
    growth = max([0] + [m.fixed(8).bit_length() - 8 for m in multipliers])
    size = max([0] + [n.bit_length() - 8 for n in frequencies.fixed(8)])
    work = bits + max(growth, size) + 4
    pairs = zip(frequencies.fixed(work), (m.fixed(work) for m in multipliers))
    return tuple(n * m + (1 << 2 * work - bits - 1) >> 2 * work - bits for n, m in pairs)


def _scaled_rational(known, multipliers, i):
    value, multiplier = known(i), multipliers[i].rational
    if multiplier == 0:
        return Fraction(0)
    return None if value is None or multiplier is None else value * multiplier


@lru_cache(maxsize=64)
def geometric(base, step, count, scale, bits):
    """scale * base**(-i * step) * 2**bits for i < count, each off by at most 1; base, step and scale are fractions."""
    growth = max(0, 2 - int(float(_log(base, 20)) * float(step) * count * 1.5))  # bits of the largest, where base < 1
    guard = growth + 2 * count.bit_length() + max(0, scale.numerator.bit_length() - scale.denominator.bit_length()) + 16
    work = bits + guard
    ratio = _power(base, -step, work)
    value, values = 1 << work, []
    for _ in range(count):
        values.append(value)
        value = value * ratio >> work
    return tuple((v * scale.numerator // scale.denominator + (1 << guard - 1)) >> guard for v in values)


def rational_power(base, step, scale, i):
    """scale * base**(-i * step) as a fraction, or None where it is irrational."""
    exponent = -i * step
    root = exponent.denominator
    numerator, denominator = _exact_root(base.numerator, root), _exact_root(base.denominator, root)
    if numerator is None or denominator is None:
        return None
    return scale * Fraction(numerator, denominator) ** exponent.numerator


def _exact_root(number, degree):
    low, high = 1, 1 << -(-number.bit_length() // degree)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle - 1)
    return low if low**degree == number else None


def _log(number, digits):
    context = Context(prec=digits + 8, Emax=MAX_EMAX, Emin=MIN_EMIN)
    return context.subtract(context.ln(Decimal(number.numerator)), context.ln(Decimal(number.denominator)))


def _power(base, exponent, bits):
    # base**exponent * 2**bits: the digits cover the bits, the size of the power and the size of the logarithm
    size = abs(int(float(_log(base, 20)) * float(exponent)))
    digits = (bits + 2 * size) * 302 // 1000 + len(str(exponent.numerator)) + 30
    context = Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)
    log = context.divide(
        context.multiply(_log(base, digits), Decimal(exponent.numerator)), Decimal(exponent.denominator)
    )
    return int(context.multiply(context.exp(log), Decimal(1 << bits)))


@lru_cache(maxsize=64)
def ladder(dim, count, step, base, scale=Fraction(1)):
    """The geometric frequencies scale * base**(-i * step), i < count."""
    return Frequencies(dim, partial(geometric, base, step, count, scale), partial(rational_power, base, step, scale))


def sinusoid_ladder(dim, base, endpoint, scale=Fraction(1)):
    """The ladder of a sinusoidal width: (dim+1)/2 exponents 2i/dim, or i/(half-1) with endpoint."""
    count = (dim + 1) // 2
    step = Fraction(1, max(count - 1, 1)) if endpoint else Fraction(2, dim)
    return ladder(2 * count, count, step, base, scale)


@register(
    family="frequencies",
    paper="Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.2.2",
    conventions="exponent 2i/dim",
)
def inverse_frequencies(dim, *, base=10000.0):
    """The frequencies of rotary position encoding, exactly.

        theta_i = base**(-2i / dim),  i = 0 .. dim/2 - 1

    dim: the rotary width, even. base: a finite number greater than 0 (int, float or fraction), taken as exactly what
    it is. Returns `Frequencies`: `inv_freq` (dim/2,) float64 in radians per position, rounded once; `rounded(dtype)`
    for the other formats; `attention_factor` 1.0; and the exact rule behind them.

    Raises E_ODD_DIM when dim is not even and positive, E_BASE when base is not finite and positive.

    Source: Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.2.2.

    >>> inverse_frequencies(4, base=10000).inv_freq
    array([1.  , 0.01])
    """
    dim = checks.multiple("dim", dim, 2)
    return ladder(dim, dim // 2, Fraction(2, dim), checks.positive("base", base, "E_BASE"))
