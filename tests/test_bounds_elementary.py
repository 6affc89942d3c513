"""What the proofs of elementary functions take as given, and radii of the code, which are not below what is proved."""

import itertools
import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from bounds import exponentials, logarithms, registry, source, tools

from refpos.arithmetic import double_double, quick_exponential
from refpos.arithmetic import exponentials as code

ELEMENTARY = "refpos/arithmetic/elementary.py"


@pytest.fixture
def without_sollya(monkeypatch):
    def enclosure(expression):
        assert expression == "log(2)"
        middle = exactly(mpmath.log(2))
        return middle - Fraction(1, 2**190), middle + Fraction(1, 2**190)

    with mpmath.workprec(250):
        monkeypatch.setattr(tools, "enclosure", enclosure)
        yield


def exactly(value):
    """An mpf as a fraction."""
    mantissa, exponent = abs(value).man_exp
    return Fraction(int(mantissa)) * Fraction(2) ** exponent * int(mpmath.sign(value))


def power_of_two(exponent):
    return exactly(mpmath.mpf(2) ** (mpmath.mpf(exponent.numerator) / exponent.denominator))


def test_constants_of_scripts_are_those_of_the_code(without_sollya):
    made, known = exponentials.constants(), code.constants()
    assert made.parts == list(known.parts) and made.log_2 == known.log_2
    assert made.inverse_factorials == known.inverse_factorials
    assert exponentials.quick_constants()["c"].parts == quick_exponential.constants().parts
    assert exponentials.quick_constants()["c"].scale == quick_exponential.constants().scale


def test_tables_are_off_by_what_scripts_take_as_given(without_sollya):
    high, low, exponent = code.constants().powers
    for j in range(code.STEPS):
        value = (Fraction(high[j]) + Fraction(low[j])) * Fraction(2) ** int(exponent[j])
        assert abs(value / power_of_two(Fraction(j, code.STEPS)) - 1) < Fraction(1, 2**105)
        assert 0.5 <= high[j] < 1 and 0 <= low[j] < 2.0**-53
    table = quick_exponential.constants()
    scale = quick_exponential.STEPS
    most = max(
        abs(Fraction(table.high[j]) + Fraction(table.low[j]) - power_of_two(Fraction(j, scale))) for j in range(scale)
    )
    assert most < Fraction(1, 2**80)
    assert np.array_equal(np.rint(table.high * 2.0**26) * 2.0**-26, table.high)
    assert np.abs(table.low).max() <= 134217729 * 2.0**-54 and 0.99 < table.high.min() <= table.high.max() < 1.9999
    cells = range(int(0.7 * code.CELLS), int(1.5 * code.CELLS) + 1)
    logs = [abs(Fraction(code.constants().logs[c]) - exactly(mpmath.log(mpmath.mpf(c) / code.CELLS))) for c in cells]
    assert max(logs) < Fraction(1, 2**54) and len(logs) > 100


class Few:
    """A number of four bits and an unlimited exponent, rounded to nearest even."""

    BITS = 4

    def __init__(self, value):
        self.value = Fraction(value)

    @classmethod
    def rounded(cls, value):
        if not value:
            return cls(0)
        ulp = Fraction(2) ** (abs(value).numerator.bit_length() - abs(value).denominator.bit_length() - cls.BITS)
        while abs(value) >= ulp * 2**cls.BITS:
            ulp *= 2
        return cls(round(value / ulp) * ulp)  # to even

    def __add__(self, other):
        return self.rounded(self.value + other.value)

    def __sub__(self, other):
        return self.rounded(self.value - other.value)


def pairs_of_numbers():
    """All pairs of positive and negative numbers, the first in 1 .. 2, as far apart as they can matter."""
    top = 1 << Few.BITS - 1
    for one, other, shift, sign in itertools.product(range(top, 2 * top), range(top, 2 * top), range(-7, 8), (-1, 1)):
        yield Few(Fraction(one, top)), Few(sign * Fraction(other, top) * Fraction(2) ** shift)


def lossy(function):
    """Of how many pairs the two numbers are not the sum."""
    wrong = 0
    for one, other in pairs_of_numbers():
        if function.__name__ == "two_sum" or abs(one.value) >= abs(other.value):
            total, rest = function(one, other)
            wrong += total.value + rest.value != one.value + other.value
    return wrong


def test_sums_of_few_bits_lose_nothing():
    """two_sum and fast_two_sum, of which the scripts take it as given (Knuth 1969; Dekker 1971), for all pairs."""
    assert lossy(double_double.two_sum) == 0 and lossy(double_double.fast_two_sum) == 0

    def two_sum(one, other):
        total = one + other
        return total, other - (total - one)

    assert lossy(two_sum) > 100, "a sum without half of its operations must lose something"


def stated(name):
    return 2.0 ** -float(registry.stated()[name])


def test_radii_are_not_below_what_is_proved():
    text = source.text(ELEMENTARY)
    assert stated("exponential") < code.EXP_ERROR and stated("logarithm") < code.LOG_ERROR
    assert stated("quick_exponential") < quick_exponential.RADIUS
    for pattern, name in (
        (r"Pairs\(q, q_low, q \* 2\.0\*\*-(\d+), np\.where", "sigmoid"),
        (r"np\.full\(x\.shape, 2\.0\*\*-(\d+)\)", "tanh"),
    ):
        (bits,) = re.findall(pattern, text)
        assert stated(name) < 2.0 ** -int(bits)
    assert re.findall(r"LOG_ERROR \* 2 \+ total \* 2\.0\*\*-100\)", text)
    assert stated("softplus") + 2.0**-104 * 64 * 2.0**-6 < 2 * code.LOG_ERROR
    assert re.findall(r"LOG_ERROR \+ size \* 2\.0\*\*-101\)", source.text(exponentials.FILE))
    assert stated("log_of_power") <= 2.0**-101
    (bits,) = re.findall(r"value \* \(radius \* 2 \+ 2\.0\*\*-(\d+)\)", source.text("refpos/arithmetic/hard_cases.py"))
    assert stated("exp_of_pair") < 2.0 ** -int(bits)
    assert stated("log_near") <= 2.0**-98 and logarithms.FILE == exponentials.FILE
