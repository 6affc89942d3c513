"""Intervals of decimals, logarithms and products of powers, against mpmath."""

from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from refpos.arithmetic import powers, reals

RNG = np.random.default_rng(7)
POSITIVE = [
    Fraction(2), Fraction(10000), Fraction(1, 3), 1 + Fraction(1, 2**60), 1 - Fraction(1, 2**70), Fraction(5, 2**300),
    Fraction(3) ** 200, *(Fraction(float(value)) for value in RNG.uniform(0.001, 1e6, 40)),
]  # fmt: skip


def exact(value):
    """A fraction or a decimal as an mpmath number."""
    value = Fraction(value)
    return mpmath.mpf(value.numerator) / value.denominator


def widths(digits):
    """Intervals of many widths, none of them by the engine itself."""
    for low in POSITIVE[:12]:
        for more in (Fraction(0), Fraction(1, 10**30), Fraction(1, 7), Fraction(1), Fraction(40)):
            ends = digits.of(low).low, digits.of(low + more).high
            yield reals.Interval(digits, *ends)


@pytest.mark.parametrize("function", ["log", "exp", "sqrt"])
@pytest.mark.parametrize("count", [20, 50])
def test_an_interval_contains_the_function_of_both_its_ends(function, count):
    digits, truth = reals.Digits(count), getattr(mpmath, function)
    compared = 0
    with mpmath.workdps(400):
        for interval in widths(digits):
            if function == "exp" and interval.high > 500:  # a fraction of e**500 is long enough
                continue
            result = getattr(digits, function)(interval)
            assert exact(result.low) <= truth(exact(interval.low)), (function, interval)
            assert exact(result.high) >= truth(exact(interval.high)), (function, interval)
            compared += 1
    assert compared > (20 if function == "exp" else 50)


@pytest.mark.parametrize("function", ["log", "exp", "sqrt"])
def test_an_interval_of_one_number_stays_narrow(function):
    """Of 50 digits all but the last few are known."""
    digits = reals.Digits(50)
    for value in POSITIVE[:3]:
        result = getattr(digits, function)(min(value, Fraction(100)))
        assert 0 < (result.high - result.low) / abs(result.low) < Decimal("1e-45")


def test_float_log_is_the_logarithm_rounded_once():
    assert reals.float_log(Fraction(1)) == 0.0
    with mpmath.workdps(400):
        for value in POSITIVE:
            with mpmath.workprec(53):
                expected = float(mpmath.mpf(log_of(value)))
            assert reals.float_log(value) == expected, value


def log_of(value):
    with mpmath.workdps(400):
        return mpmath.log(exact(value))


def test_a_product_of_powers_is_off_by_little_more_than_the_cut():
    with mpmath.workdps(400):
        for bits in (64, 160, 1000):
            for base, other in zip(POSITIVE[1:12], POSITIVE[12:23], strict=True):
                factors = [(base, Fraction(-2, 130)), (other, Fraction(int(RNG.integers(-9, 9)), 7))]
                truth = mpmath.mpf(2) ** bits
                for number, exponent in factors:
                    truth *= mpmath.power(exact(number), exact(exponent))
                error = abs(powers.fixed_product(factors, bits) - truth)
                assert error < 1 + truth * mpmath.mpf(2) ** (-bits - 48), (bits, factors)


@pytest.mark.parametrize(
    "slope", [Fraction(1), Fraction(-7, 3), Fraction(1, 10**40), Fraction(-(3**90)), Fraction(2**64)]
)
@pytest.mark.parametrize("offset", [Fraction(0), Fraction(-1, 3), Fraction(5**50), Fraction(1, 7**60)])
def test_a_multiple_of_a_number_plus_a_fraction_is_off_by_one_at_most(slope, offset):
    for root in (2, 3**41, Fraction(1, 10**9)):
        number = reals.affine(reals.square_root(Fraction(root)), slope, offset)
        for bits in (0, 1, 8, 53, 300):
            with mpmath.workprec(2000):
                truth = exact(slope) * mpmath.sqrt(exact(root)) + exact(offset)
                assert abs(number.fixed(bits) - truth * mpmath.mpf(2) ** bits) <= 1, (root, bits)


def test_numbers_are_compared_with_fractions_next_to_them():
    two = reals.square_root(Fraction(2))
    for bits in (10, 200, 1000):
        below, above = (Fraction(two.fixed(bits) + step, 2**bits) for step in (-1, 1))
        assert reals.compare(two, below) == 1 and reals.compare(two, above) == -1
        assert reals.compare(below, two) == -1 and reals.compare(above, two) == 1
