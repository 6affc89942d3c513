"""The second opinion, one number at a time: mpmath to many digits, then exact fractions."""

from fractions import Fraction

import mpmath

DIGITS = 1500  # enough for every number asked of it, checked by computing again with more


def to_fraction(number):
    """The exact value of an mpf."""
    sign, man, exponent, _ = number._mpf_
    return (-1) ** sign * Fraction(int(man)) * Fraction(2) ** exponent


def _agreed(compute):
    # the fraction, once 40 more digits do not move its first 300 bits
    with mpmath.workdps(DIGITS):
        once = to_fraction(compute())
    with mpmath.workdps(DIGITS + 40):
        again = to_fraction(compute())
    assert abs(once - again) <= abs(again) / 2**300, "not enough digits"
    return again


def _mpf(value):
    value = Fraction(value)
    return mpmath.mpf(value.numerator) / value.denominator


def frequency(i, step, base, scale=1):
    """scale * base**(-i * step)."""
    return _agreed(lambda: _mpf(scale) * mpmath.power(_mpf(base), -_mpf(i * Fraction(step))))


def sine_cosine(position, i, step, base, scale=1):
    """sin and cos of position * frequency."""

    def angle():
        return _mpf(position) * _mpf(scale) * mpmath.power(_mpf(base), -_mpf(i * Fraction(step)))

    return _agreed(lambda: mpmath.sin(angle())), _agreed(lambda: mpmath.cos(angle()))


def rotated(a, b, position, i, step, base):
    """(a cos - b sin, b cos + a sin)."""

    def both(which):
        angle = _mpf(position) * mpmath.power(_mpf(base), -_mpf(i * Fraction(step)))
        turned = mpmath.mpc(_mpf(a), _mpf(b)) * mpmath.expj(angle)
        return turned.imag if which else turned.real

    return _agreed(lambda: both(0)), _agreed(lambda: both(1))


def slope_times(exponent, distance):
    """2**-exponent * distance."""
    return _agreed(lambda: mpmath.power(2, -_mpf(exponent)) * distance)
