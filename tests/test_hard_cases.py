"""Functions that round pairs of doubles: the pairs are as near as they say, and hard cases are few and the same."""

from fractions import Fraction
from functools import partial
from importlib import import_module

import numpy as np
import pytest
from mpmath import mp, mpf
from tiers import sampled

from refpos.absolute import exponential_modulation
from refpos.arithmetic import exponentials, formats, hard_cases, powers
from refpos.relative import decay, kerple
from refpos.scores import log_n_scale

DISTANCES = np.array([*range(1, 40), 1000, 2**20 + 1, 2**40 - 1, 2**53 + 1, 2**54 - 1], np.int64)

#: calls with irrational values; most values of the last ones are hard cases, since they are halfway or out of range
CALLS = {
    "log_n_scale": partial(log_n_scale, [*range(3000, 3100), 2**52, 2**53], training_length=2048),
    "kerple log": partial(kerple, [0.7, 1e-3], [1.3, 2.0**-40], 2, 60, kind="log", least=1e-15),
    "kerple power": partial(kerple, [0.7, 1.9], [1.3, 1e-7], 2, 60, kind="power", least=1e-9),
    "kerple weight": partial(kerple, [0.7, 0.01], [1.3, 1e-7], 2, 60, kind="weight", least=1e-9),
    "decay lightning": partial(decay, 5, 2, 60, rule="lightning", layer=1, layers=6),
    "decay retnet": partial(decay, 5, 2, 60, rule="retnet", query_offset=10_000),
    "exponential_modulation": partial(exponential_modulation, 50, 7),
    "exponential_modulation, shifted": partial(exponential_modulation, 50, 7, shift=-0.37),
    "kerple power of 1": partial(kerple, [1], [0.25], 1, 600, kind="power"),
    "kerple with huge parameters": partial(kerple, [0.7], [1e300], 1, 60, kind="log"),
    "decay with tiny rates": partial(decay, 3, 2, 60, rule="lightning", layer=5, layers=6, eps=1e-15),
    "decay to 0": partial(decay, 2, 1, 3000, rule="lightning", layer=0, layers=6),
    "exponential_modulation, steep": partial(exponential_modulation, 5, 3, fast=1e-30, shift=1e-30),
}


def patterns(call, dtype):
    """The bits of the values, which need no dtype for bfloat16."""
    out = np.empty(CALLS[call]().shape, "uint16" if dtype == "bfloat16" else dtype)
    return formats.bits(CALLS[call](dtype=dtype, out=out)).tolist()


@pytest.mark.parametrize("dtype", sampled(["float64", "bfloat16", "float32", "float16"], 4))
@pytest.mark.parametrize("call", CALLS)
def test_what_pairs_decide_is_what_formulas_give(call, dtype, monkeypatch):
    values = patterns(call, dtype)
    asked = []

    def undecided(high, low, radius, exponent, fmt):
        rounded, certain = powers_round_pairs(high, low, radius, exponent, fmt)
        asked.append(np.count_nonzero(radius))
        return rounded, certain & (radius == 0)

    powers_round_pairs = powers.round_pairs
    monkeypatch.setattr(powers, "round_pairs", undecided)
    assert patterns(call, dtype) == values and sum(asked) >= 2


@pytest.mark.parametrize("call", list(CALLS)[:8])
def test_hard_cases_are_fewer_than_100_in_a_million(call, monkeypatch):
    """Of irrational values in float64, a radius of 2**-80 of the number leaves some 2**-26 of them."""
    hard, count = [], []

    def counted(high, low, radius, exponent, fmt):
        rounded, certain = powers_round_pairs(high, low, radius, exponent, fmt)
        hard.append(np.count_nonzero(~certain))
        count.append(np.count_nonzero(radius))
        return rounded, certain

    powers_round_pairs = powers.round_pairs
    monkeypatch.setattr(powers, "round_pairs", counted)
    CALLS[call]()
    assert sum(count) >= 50 and sum(hard) <= sum(count) * 100e-6


@pytest.mark.parametrize(("low", "expected"), [(2.0**-80, 1 + 2.0**-23), (-(2.0**-80), 1.0), (0.0, 1.0)])
def test_a_double_halfway_between_floats_is_decided_by_the_rest(low, expected):
    """The double nearest to 1 + 2**-24 + low is halfway between two numbers of float32, and the number is not."""
    stored, high = np.empty(3, np.float32), np.full(3, 1 + 2.0**-24)
    exact = Fraction(high[0]) + Fraction(low)

    def pairs(start, stop):
        return hard_cases.Pairs(high, np.full(3, low), np.full(3, 2.0**-100), np.zeros(3, np.int64))

    hard_cases.round_hard_cases(stored, formats.FORMATS["float32"], pairs, lambda k: exact)
    assert stored.tolist() == [expected] * 3


def distance_from(exact, pairs):
    """How far pairs are from exact numbers, as parts of their radii; 0 for numbers that vanish."""
    high, low, radius, exponent = (np.broadcast_to(part, (len(exact),)).tolist() for part in pairs)
    return [
        abs(mp.ldexp(mpf(h) + mpf(rest), e) - x) / mp.ldexp(mpf(r), e) if abs(x) > mpf(2) ** -1080 else 0
        for h, rest, r, e, x in zip(high, low, radius, exponent, exact, strict=True)
    ]


@pytest.mark.parametrize("p", [Fraction(7, 10), Fraction(1, 3), Fraction(2), Fraction(1, 10**9)])
@pytest.mark.parametrize("a", [Fraction(13, 10), Fraction(1, 2**45), Fraction(10**9, 3)])
@pytest.mark.parametrize("kind", ["log", "power", "weight"])
def test_pairs_of_kernels_are_within_their_radius(kind, p, a):
    rules = import_module("refpos.relative.kerple").RULES
    with mp.workprec(400):
        size, slope = mpf(p.numerator) / p.denominator, mpf(a.numerator) / a.denominator
        exact = {
            "log": lambda d: -size * mp.log1p(slope * d),
            "power": lambda d: -slope * mpf(d) ** size,
            "weight": lambda d: mp.exp(-slope * mpf(d) ** size),
        }[kind]
        numbers = [exact(int(d)) for d in DISTANCES]
        with np.errstate(all="ignore"):
            pairs = rules[kind][1](exponentials.as_pair(p), exponentials.as_pair(a), *exponentials.integers(DISTANCES))
        assert max(distance_from(numbers, pairs)) < 0.9


@pytest.mark.parametrize("low", [0.0, 2.0**-60, -(2.0**-41), 2.0**-40])
def test_exponentials_of_pairs_are_within_their_radius(low):
    high = np.array([0.0, -(2.0**-30), -0.1, -1.0, -37.3, -699.9, 0.3, 600.1])
    value, value_low, exponent = exponentials.exponential_of_pair(high, np.full(high.shape, low))
    with mp.workprec(400):
        exact = [mp.exp(mpf(h) + mpf(low)) for h in high.tolist()]
        pairs = hard_cases.Pairs(value, value_low, value * 2.0**-96, exponent)
        assert max(distance_from(exact, pairs)) < 0.9


def test_inverse_powers_of_two_are_within_their_radius():
    exponents = [Fraction(k, 97) for k in range(300)] + [Fraction(1, 3**60), Fraction(7, 10**18), Fraction(2399, 2)]
    with mp.workprec(400):
        exact = [mpf(2) ** -(mpf(e.numerator) / e.denominator) for e in exponents]
        assert max(distance_from(exact, hard_cases.inverse_powers_of_two(exponents))) < 0.9


def test_integers_are_pairs_exactly():
    high, low = exponentials.integers(DISTANCES)
    assert [int(h) + int(rest) for h, rest in zip(high.tolist(), low.tolist(), strict=True)] == DISTANCES.tolist()
    assert log_n_scale([2**53], training_length=2**53)[0] == 1
