"""Gradients of kernels of distance: sums that are fractions, and those of which digits decide nothing at first."""

import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import refpos
from refpos.arithmetic import formats, formulas, independence
from refpos.relative import kerple
from refpos.steps.distances import kernel_gradients

HALF = Fraction(1, 2)


def of_one_query(sums, kind, p, a):
    """The gradients of one head and one query, from {distance: cotangent}."""
    dy = np.zeros((1, 1, 40))
    for distance, one in sums.items():
        dy[0, 0, 39 - distance] = one
    found = refpos.vjp(kerple, [p], [a], 1, 40, kind=kind, cotangent=dy)
    return float(found["p"][0]), float(found["a"][0])


@pytest.mark.parametrize("seed", range(40))
def test_sums_of_logarithms_vanish_where_their_digits_do(seed):
    made = random.Random(seed)
    primes = [made.choice((2, 3, 5, 7)) for _ in range(3)]
    numbers = [Fraction(primes[0] * primes[1], primes[2]), *map(Fraction, primes)]
    terms = list(zip(numbers, (1, -1, -1, 1 + made.randint(0, 1)), strict=True))
    with mpmath.workdps(50):
        total = mpmath.fsum(size * mpmath.log(mpmath.mpf(x.numerator) / x.denominator) for x, size in terms)
    assert independence.logarithms_vanish(terms) == (abs(total) < 1e-40)


def test_powers_are_added_up_in_classes():
    two, eight, nine = Fraction(2), Fraction(8), Fraction(9)
    assert independence.power_sum([(two, Fraction(1)), (eight, -HALF)], HALF) == 0
    assert independence.power_sum([(two, Fraction(1)), (eight, -HALF), (nine, HALF)], HALF) == Fraction(3, 2)
    assert independence.power_sum([(two, Fraction(1)), (eight, HALF)], HALF) is None
    assert independence.power_sum([(two, Fraction(1)), (eight, -HALF)], Fraction(1, 3)) is None


def test_powers_of_logarithms_vanish():
    terms = [(2, Fraction(1)), (4, Fraction(-1, 4))]
    assert independence.power_logarithms_vanish(terms, Fraction(1))
    assert not independence.power_logarithms_vanish(terms, HALF)
    assert independence.power_logarithms_vanish([(6, Fraction(1)), (6, Fraction(-1))], HALF)


@pytest.mark.parametrize("numbers", [(2, 4, 8), (6, 10, 15), (12, 18), (7,), (1, 1), (2**40 * 3**5, 2**3 * 3**9)])
def test_a_coprime_base_gives_all_numbers(numbers):
    base = independence.coprime_base(numbers)
    assert all(np.gcd(one, other) == 1 for k, one in enumerate(base) for other in base[:k])
    for number in numbers:
        for one in base:
            number //= one ** independence.exponent(number, one)
        assert number == 1


def test_sums_that_cancel_are_0_and_others_are_not():
    assert of_one_query({1: 2.0, 3: -1.0}, "log", 0.5, 1.0)[0] == 0
    assert of_one_query({2: 1.0, 8: -0.5}, "power", 0.5, 1.5)[1] == 0
    assert of_one_query({2: 1.0, 4: -0.25}, "power", 1.0, 1.5)[0] == 0
    assert 0 < abs(of_one_query({2: 1.0, 4: -0.5}, "power", 1 - 2.0**-52, 1.5)[1]) < 1e-15


def test_a_sum_that_is_halfway_goes_to_the_even_number():
    """-(1 + 2**-52 * 3 * 4**(1/2) / 4) is halfway between two values."""
    assert of_one_query({1: 1.0, 4: 3 * 2.0**-54}, "power", 0.5, 1.0)[1] == -(1 + 2.0**-51)
    assert of_one_query({1: 1.0, 4: 2.0**-54}, "power", 0.5, 1.0)[1] == -1


@pytest.mark.parametrize("kind", ["log", "power", "weight"])
def test_digits_that_decide_nothing_are_made_again(kind, monkeypatch):
    """From intervals of 2 digits on: the same bits."""
    p, a, dy = [0.625, 1.5], [0.375, 0.75], np.random.default_rng(1).standard_normal((2, 3, 5))
    wanted = refpos.vjp(kerple, p, a, 3, 5, kind=kind, cotangent=dy)
    monkeypatch.setattr(formulas, "FIRST", 2)
    found = refpos.vjp(kerple, p, a, 3, 5, kind=kind, cotangent=dy)
    assert all((found[name] == wanted[name]).all() for name in wanted)


@pytest.mark.parametrize("sign", [1, -1])
def test_weights_that_vanish_leave_the_sign_of_the_first(sign):
    fmt = formats.FORMATS["float64"]
    for a in (10**5, 2**1000):
        kernel = kernel_gradients.Kernel(Fraction(1), Fraction(a), [(2, Fraction(sign)), (3, Fraction(-sign * 9))])
        assert kernel_gradients.pattern("a", "weight", kernel, [], fmt) == (1 << 63 if sign > 0 else 0)


def test_distances_are_those_of_the_bias():
    """The first query at 5: distance 1 is at key 4 of the first query and at key 5 of the second."""
    for cell, distance in {(0, 4): 1, (1, 5): 1, (1, 2): 4, (0, 5): 0, (0, 6): 0}.items():
        dy = np.zeros((1, 2, 7))
        dy[0][cell] = 1
        found = refpos.vjp(kerple, [1.0], [1.0], 2, 7, kind="power", query_offset=5, cotangent=dy)
        assert found["a"] == [-distance]


def test_numbers_beyond_the_limits_have_no_slope():
    dy = np.full((4, 1, 3), np.inf)
    found = refpos.vjp(kerple, [0.001, 2.0, 2.5, 1.0], [1.0, 1.0, 1.0, 0.001], 1, 3, kind="power", cotangent=dy)
    assert found["p"][0] == 0 and np.isnan(found["p"][1]) and found["p"][2] == 0
    assert found["a"].tolist() == [-np.inf, -np.inf, -np.inf, 0]
