"""Values that the rounding test cannot decide: products with fractions of a turn, small sines, and loops that end."""

from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf
from tiers import sampled

import refpos
from refpos.arithmetic import formats, powers, reals, rounding
from refpos.steps.angles import phases, small_angles

FLOAT64, FLOAT16 = formats.FORMATS["float64"], formats.FORMATS["float16"]


def is_simple(value):
    """Whether a number of 300 digits is a fraction with a denominator below 10**6."""
    likely = Fraction(int(mp.nint(value * mpf(10) ** 100)), 10**100).limit_denominator(10**6)
    return abs(value - mpf(likely.numerator) / likely.denominator) < mpf(10) ** -90


@pytest.mark.parametrize("square", sampled([2, 1, 3, 6, Fraction(3, 2), 5], 6))
def test_products_with_fractions_of_a_turn_are_rational_where_they_are_found_to_be(square):
    factor = reals.square_root(Fraction(square))
    seen = set()
    with mp.workdps(300):
        root = mp.sqrt(mpf(Fraction(square).numerator) / Fraction(square).denominator)
        for denominator in range(1, 33):
            for numerator in range(denominator):
                turns = Fraction(numerator, denominator)
                if turns.denominator != denominator:
                    continue
                angle = 2 * mp.pi * numerator / denominator
                for a, b in ((1, 0), (0, 1), (1, 1), (1, -1), (3, 2), (-2, 5), (7, 7), (0, -4)):
                    known = phases.exact_product(factor, a, b, turns)
                    value = root * (a * mp.cos(angle) + b * mp.sin(angle))
                    assert (known is not None) == is_simple(value), (turns, a, b)
                    if known is not None:
                        assert abs(value - mpf(Fraction(known).numerator) / Fraction(known).denominator) < 1e-250
                        seen.add(denominator)
    # where a fraction comes out that is not 0 for the factor 1 alone, and what each root adds
    assert {1: {1, 2, 3, 4, 6, 12, 8}, 2: {8}, 3: {3, 6, 12}, 6: {24}}.get(square, set()) <= seen


def test_roots_multiply_to_fractions():
    assert (reals.square_root(Fraction(2)) * reals.square_root(Fraction(8))).rational == 4
    assert (reals.square_root(Fraction(2)) * reals.rational(3)).square == 18
    assert powers.real(Fraction(2), Fraction(1, 2)).square == 2
    assert powers.real(Fraction(2), Fraction(1, 3)).square is None
    third = reals.square_root(Fraction(1, 3))
    with mp.workprec(300):
        assert abs(mpf(third.fixed(200)) / mpf(2) ** 200 - 1 / mp.sqrt(3)) < mpf(2) ** -199


@pytest.mark.parametrize("exponent", [-1074, -1022, -300, -1, 0, 1, 127, 128, 1023])
def test_floating_finds_the_size_first(exponent):
    n, e = reals.rational(3 * Fraction(2) ** exponent).floating(107)
    assert n.bit_length() == 107
    assert n * Fraction(2) ** e == 3 * Fraction(2) ** exponent


def test_what_cannot_be_decided_is_refused():
    with pytest.raises(refpos.InputError, match="halfway") as caught:
        rounding.round_exactly(lambda bits: ((2049 << bits) + 1 >> 12, 2), FLOAT16)  # 2049 / 4096 is halfway in float16
    assert caught.value.code == "E_UNDECIDED"
    with pytest.raises(refpos.InputError):
        reals.sign(reals.evaluated(lambda digits: digits.sqrt(2) * digits.sqrt(2) - 2))


def test_sines_of_small_angles_keep_their_bound():
    rng = np.random.default_rng(8)
    factor = 2.0**900 / 3
    frequencies = refpos.linear(8, base=500, factor=factor)
    columns = rng.integers(0, 4, 1500)
    multipliers = rng.integers(1, 2**53, 1500) * rng.choice([-1, 1], 1500)
    exponent = 831
    high, low, scale, _ = small_angles.sines(frequencies, columns, multipliers, exponent)
    cos, sin, certain = small_angles.round_cos_sin(frequencies, columns, multipliers, exponent, FLOAT64)
    assert certain.mean() > 0.99
    worst = 0
    with mp.workprec(400):
        for k in np.flatnonzero(certain):
            angle = int(multipliers[k]) * mpf(2) ** exponent * mpf(500) ** (-mpf(int(columns[k])) / 4) / mpf(factor)
            sine = mp.sin(angle)
            worst = max(worst, abs((mpf(float(high[k])) + mpf(float(low[k]))) * mpf(2) ** int(scale[k]) / sine - 1))
            assert float(sine) == sin[k]
            assert float(mp.cos(angle)) == cos[k]
    assert 2.0**-86 < worst < 2.0**-79
    assert worst < small_angles.RADIUS / 2


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_tables_of_tiny_positions_equal_the_slow_path(dtype, monkeypatch):
    ones = {"short_factor": [1, 3], "long_factor": [1, 3]}
    frequencies = refpos.longrope(4, **ones, original_max_position_embeddings=8, factor=5)
    positions = np.random.default_rng(1).standard_normal(300) * 10.0 ** -np.arange(0, 300)
    cos, sin = refpos.rope_table(positions, frequencies, dtype=dtype)
    monkeypatch.setattr(small_angles, "LARGEST", -5000)
    for fast, slow in zip((cos, sin), refpos.rope_table(positions, frequencies, dtype=dtype), strict=True):
        assert fast.tobytes() == slow.tobytes()


def test_frequencies_that_no_phase_could_be_computed_from_are_refused():
    with pytest.raises(refpos.InputError, match=r"2\*\*97665") as caught:
        refpos.inverse_frequencies(100, base=1e-300, exponent_dim=1)
    assert caught.value.code == "E_BASE"
    assert refpos.inverse_frequencies(16, base=Fraction(1, 10**600)).inv_freq[7] == np.inf
    assert refpos.inverse_frequencies(16, base=10**600).inv_freq[7] == 0


def test_zeros_have_the_sign_that_ieee_arithmetic_gives():
    quarter = refpos.frequencies.resonance(refpos.frequencies.given_frequencies([np.pi / 2]))
    turned = refpos.rope([[-1.0, 0.0]], [1], pairing="half", frequencies=quarter)
    assert np.signbit(turned).tolist() == [[True, True]] and turned[0, 0] == 0
    assert np.signbit(refpos.rope([[-0.0, 5.0]], [0], pairing="half")).tolist() == [[True, False]]
    assert np.signbit(refpos.rope([[-0.0, -0.0]], [1], pairing="half")).tolist() == [[False, False]]


@pytest.mark.parametrize("dim, last", [(2, 1), (4, 1), (6, 9), (6, 10), (64, 8161), (130, 1), (130, 2**60)])
def test_frequencies_with_an_offset_are_within_their_unit_and_fractions_where_the_power_is(dim, last):
    count, fractions = dim // 2, 0
    found = refpos.frequencies.offset_geometric(dim, max_position=last + count - 1)
    with mp.workdps(300):
        exact = [1 / (i + mpf(last) ** (mpf(i) / max(count - 1, 1))) for i in range(count)]
        for bits in (0, 1, 7, 64, 500):
            errors = [abs(value * mpf(2) ** bits - n) for value, n in zip(exact, found.fixed(bits), strict=True)]
            assert len(errors) == count and max(errors) <= 0.625, bits  # 1/2 and an eighth
        for i, value in enumerate(exact):
            known = found.rational(i)
            assert known is not None or not is_simple(value)
            if known is not None:
                assert abs(value - mpf(known.numerator) / known.denominator) < 1e-250
                fractions += 1
    assert fractions == {(6, 9): 3, (130, 1): 65, (130, 2**60): 5}.get((dim, last), min(count, 2))
