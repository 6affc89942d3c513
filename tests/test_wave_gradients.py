"""Gradients through waves: sums that are fractions, what the first bits leave open, arguments without a gradient."""

import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from test_gradients import scattered

import refpos
from refpos.absolute import fourier_projection, time2vec
from refpos.arithmetic import cyclotomic
from refpos.steps.waves import wave_gradients

SINES = {"factor": 1, "layout": "sin"}


def size_of(terms):
    """The sum of cosines and sines of turns at 60 digits."""
    with mpmath.workdps(60):
        angles = {turn: 2 * mpmath.pi * turn.numerator / turn.denominator for turn in terms}
        return abs(mpmath.fsum(a * mpmath.cos(angles[t]) + b * mpmath.sin(angles[t]) for t, (a, b) in terms.items()))


@pytest.mark.parametrize("order", [2, 4, 5, 8, 9, 12, 15, 20, 24, 28, 30, 36, 45])
def test_sums_of_cosines_vanish_where_their_digits_do(order):
    """Of all points of a prime, shifted, added up and sometimes disturbed."""
    made, vanished = random.Random(order), 0
    for _ in range(60):
        terms = {}
        for _ in range(made.randint(1, 3)):
            prime = made.choice([p for p in (2, 3, 5, 7) if not order % p])
            turn, size = Fraction(made.randrange(order), order), (made.randint(-2, 2), made.randint(-2, 2))
            for j in range(prime):
                point = (turn + Fraction(j, prime)) % 1
                terms[point] = tuple(map(sum, zip(size, terms.get(point, (0, 0)), strict=True)))
        if made.random() < 0.5:
            terms[Fraction(made.randrange(order), order)] = (made.randint(-1, 1), 1)
        vanished += cyclotomic.vanishes(terms)
        assert cyclotomic.vanishes(terms) == (size_of(terms) < 1e-50), terms
    assert 15 < vanished < 60


def test_a_sum_over_all_points_of_a_prime_vanishes():
    terms = {Fraction(1, 8) + Fraction(k, 7): (Fraction(2, 3), Fraction(-1, 5)) for k in range(7)}
    assert cyclotomic.vanishes(terms)
    assert not cyclotomic.vanishes({**terms, Fraction(1, 8): (Fraction(2, 3), 0)})


@pytest.mark.parametrize("factor", [1, "pi", "2pi"])
@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_what_the_first_bits_leave_open_is_decided_alike(factor, dtype, monkeypatch):
    x, weight, phase = scattered(5, 2), scattered(2, 3, seed=1, dtype=dtype), scattered(3, seed=2, dtype=dtype)
    options = {"phase": phase, "factor": factor, "layout": "cos-sin", "cotangent": scattered(5, 6, seed=3)}
    wanted = refpos.vjp(fourier_projection, x, weight, **options)
    pattern, asked = wave_gradients._Scale.pattern, []

    def undecided(scale, n, error, bits, fmt):
        asked.append(bits)
        return None if bits < 4 * wave_gradients.FIRST else pattern(scale, n, error, bits, fmt)

    monkeypatch.setattr(wave_gradients._Scale, "pattern", undecided)
    found = refpos.vjp(fourier_projection, x, weight, **options)
    assert max(asked) == 4 * wave_gradients.FIRST
    assert all((found[name] == wanted[name]).all() for name in wanted)


@pytest.mark.parametrize("factor", [1, "2pi"])
def test_enclosures_hold_the_wave(factor):
    """Of angles to 2**200 turns, at 192 bits: the error that is said is larger than the one that is made."""
    for k in range(60):
        made = random.Random(k)
        n, d = made.getrandbits(made.randint(1, 200)) - 2**10, made.getrandbits(60) + 1
        cos, sin, error = wave_gradients._wave(n, d, factor == "2pi", 192)
        with mpmath.workprec(600):
            angle = mpmath.mpf(n) / d * (2 * mpmath.pi if factor == "2pi" else 1)
            assert abs(mpmath.cos(angle) * 2**192 - cos) < error and abs(mpmath.sin(angle) * 2**192 - sin) < error


@pytest.mark.parametrize(("cotangents", "wanted"), [((1.0, 2.0**-11), 1.0), ((1.0, 3 * 2.0**-11), 1.0 + 2.0**-9)])
def test_ties_at_angles_of_0_go_to_the_even_one(cotangents, wanted):
    cotangent = np.array(cotangents)[:, None]
    found = refpos.vjp(fourier_projection, [[0.0], [0.0]], np.ones((1, 1)), **SINES, phase=np.zeros(1, np.float16),
                       cotangent=cotangent)  # fmt: skip
    assert found["phase"].dtype == np.float16 and found["phase"][0] == wanted


def test_sums_of_tenths_of_a_turn_are_0():
    """cos 36 + cos 108 degrees is 1/2, and cos 0 taken half away leaves nothing."""
    x = refpos.coordinates.listed([Fraction(k, 10) for k in (1, 3, 0)])
    options = {"factor": "2pi", "layout": "sin", "phase": np.zeros(1)}
    found = refpos.vjp(fourier_projection, [x], np.ones((1, 1)), **options, cotangent=np.array([[1.0], [1.0], [-0.5]]))
    assert found["phase"] == [0]
    other = refpos.vjp(fourier_projection, [x], np.ones((1, 1)), **options, cotangent=np.array([[1.0], [1.0], [-0.25]]))
    assert abs(other["phase"][0] - np.pi / 2) < 1e-15


def test_the_order_of_tokens_makes_no_difference():
    x, weight, dy = scattered(50, 2), scattered(2, 3, seed=1), scattered(50, 3, seed=2)
    order = np.random.default_rng(3).permutation(50)
    one, other = (refpos.vjp(fourier_projection, a, weight, **SINES, cotangent=b)
                  for a, b in ((x, dy), (x[order], dy[order])))  # fmt: skip
    assert (one["weight"] == other["weight"]).all() and (one["coordinates"][order] == other["coordinates"]).all()


def test_integers_and_exact_positions_have_no_gradient():
    weight, dy = scattered(2, 3), scattered(6, 3, seed=1)
    for coordinates in (np.arange(12).reshape(6, 2), [refpos.coordinates.listed(range(6))] * 2):
        assert list(refpos.vjp(fourier_projection, coordinates, weight, **SINES, cotangent=dy)) == ["weight"]
    cells = refpos.vjp(fourier_projection, refpos.grid(2, 3), weight, **SINES, cotangent=dy.reshape(2, 3, 3))
    assert list(cells) == ["weight"] and cells["weight"].shape == (2, 3)
    waves = {"linear": None, "kind": "sin"}
    assert list(refpos.vjp(time2vec, 3, [1.5], [0], **waves, cotangent=np.ones(1))) == ["weight"]
    assert list(refpos.vjp(time2vec, 3.5, [2], [0.5], **waves, cotangent=np.ones(1))) == ["t", "phase"]


def test_a_gradient_has_the_dtype_of_its_argument():
    weight = np.array([[0x3F80, 0x4000]], np.uint16)  # 1 and 2 as bfloat16
    found = refpos.vjp(fourier_projection, np.zeros((1, 1), np.float32), weight, phase=np.zeros(2, np.float16), **SINES,
                       cotangent=np.array([[3.0, 5.0]]))  # fmt: skip
    assert [one.dtype.name for one in found.values()] == ["float32", "uint16", "float16"]
    assert found["coordinates"] == [[13]] and found["weight"].tolist() == [[0, 0]] and found["phase"].tolist() == [3, 5]
