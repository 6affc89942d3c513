"""Scalings: what the witness, the papers' edges and the code of transformers say of them."""

import math
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import witness
from proving import RULES
from witness import scalings, suites

import refpos
from refpos import golden
from refpos.arithmetic import reals
from refpos.conformance import error_bounds
from refpos.conformance.compare import compare
from refpos.frequencies.dynamic_ntk import kept_length
from refpos.golden import run
from refpos.steps.angles import frequencies

FORMATS = ("float64", "float32", "float16", "bfloat16")
BASES = (10000.0, 500000.0, 1000000.0, 150000.0, 12000000.0)
LENGTHS = (512, 2048, 4096, 8192, 32768, 131072)


def call(function, **arguments):
    return {"function": function, "arguments": arguments}


def bits(array):
    return np.asarray(array).view(f"u{np.asarray(array).itemsize}")


# -- random parameters ------------------------------------------------------------------------------------------------


def random_call(name, rng):
    """One call of a scaling with parameters as published configs have them, and odd ones."""
    dim = rng.choice([4, 8, 10, 16, 32, 64])
    base = rng.choice([*BASES, rng.uniform(20, 1e6)])
    factor = rng.choice([2, 4.0, 8.0, 32.0, 40.0, rng.uniform(1.01, 60), Fraction(7, 3)])
    trained = rng.choice([*LENGTHS, rng.randint(600, 200000)])
    common = {"dim": dim, "base": base}
    if name in ("linear", "ntk"):  # as tests/frameworks hands them to real code, which has no frequencies to scale
        return call(name, **common, factor=factor)
    if name == "inverse_frequencies":
        return call(name, **common, exponent_dim=rng.choice([None, dim - 1, 3]))
    if name == "ntk_alpha":
        return call(name, **common, alpha=rng.uniform(1, 1000))
    if name == "dynamic_ntk":
        return call(name, **common, factor=factor, max_position_embeddings=trained, seq_len=rng.randint(1, 4 * trained))
    if name in ("yarn", "ntk_by_parts"):
        given = {**common, "factor": factor, "original_max_position_embeddings": trained}
        given["truncate"] = rng.random() < 0.5
        given["clamp"] = rng.choice(["dim-1", "dim/2-1"])
        if name == "yarn" and rng.random() < 0.6:
            given["mscale"], given["mscale_all_dim"] = (rng.choice([None, 0, 0.707, 1]) for _ in range(2))
            given["mscale_rule"] = rng.choice(["both", "ratio"])
        return call(name, **given)
    if name == "llama3":
        low = rng.choice([1, 0.125, rng.uniform(0.5, 3)])
        edges = {"low_freq_factor": low, "high_freq_factor": low * rng.choice([1, rng.uniform(1.5, 30)])}
        return call(name, **common, factor=factor, original_max_position_embeddings=trained, **edges)
    if name == "longrope":
        lists = {side: [rng.uniform(1, 60) for _ in range(dim // 2)] for side in ("short_factor", "long_factor")}
        length = rng.choice([None, trained, trained + 1, rng.randint(1, 2 * trained)])
        return call(name, **common, **lists, original_max_position_embeddings=trained, seq_len=length, factor=factor)
    if name == "proportional":
        share = rng.choice([0.25, 0.5, 0.3, 0.7, 1, rng.random()])
        return call(name, **common, partial_rotary_factor=share, factor=factor)
    if name == "learned_log_scale":
        inner = random_call(rng.choice(["inverse_frequencies", "yarn", "llama3"]), rng)
        count = inner["arguments"]["dim"] // 2
        return call(name, frequencies=inner, alpha=[rng.uniform(-1, 1) for _ in range(count)])
    if name == "resonance":
        return call(name, frequencies=random_call(rng.choice(["inverse_frequencies", "yarn", "linear", "ntk"]), rng))
    if name == "high_frequencies":
        inner = random_call(rng.choice(["inverse_frequencies", "yarn", "linear", "resonance"]), rng)
        return call(name, frequencies=inner, length=rng.randint(1, 20000))
    return call(name, **drawn(name, rng, common))


def drawn(name, rng, common):
    """The arguments of a golden case of a scaling with other numbers, as far as the scaling takes them: its width, its
    base, and each other one times 1/2 to 2; a width that other arguments are as long as stays."""
    cases = [case for case in golden.cases(name) if not case.refusal]
    for _ in range(50):
        case = rng.choice(cases)
        given = {key: run.call(value) for key, value in case.arguments.items() if key != "dtype"}
        given |= {key: suites.widened(*one).tolist() for key, one in run.inputs_of(case).items()}
        as_long = any(isinstance(value, (list, tuple)) for value in given.values())
        taken = refpos.catalogue.ENTRIES[name].parameters
        given = {key: moved(value, rng) if key != "dim" else value for key, value in given.items()}
        given |= {key: value for key, value in common.items() if key in taken and not (as_long and key == "dim")}
        try:
            made(call(name, **given))
        except refpos.InputError:
            continue
        return given
    pytest.fail(f"{name} must take calls near its golden cases, got 50 refusals: give it a line in random_call")


def moved(value, rng):
    """A number other than 0 and 1 times 1/2 to 2, an integer as one; all else stays."""
    if isinstance(value, (list, tuple)):
        return [moved(one, rng) for one in value]
    if type(value) not in (int, float, Fraction) or value in (0, 1):
        return value
    other = value * Fraction(rng.uniform(0.5, 2))
    return max(round(other), 1) if type(value) is int else type(value)(other)


def usable_calls(name, count, seed):
    """Random calls that are not refused, with what they give."""
    rng, found = random.Random(seed), []
    while len(found) < count:
        recipe = random_call(name, rng)
        try:
            found.append((recipe, made(recipe)))
        except refpos.InputError as error:
            # a ramp that goes down, as narrow widths and the other clamp have it
            assert error.argument == "original_max_position_embeddings", error
    return found


def made(recipe):
    given = {
        name: made(value) if isinstance(value, dict) else value
        for name, value in recipe["arguments"].items()
        if value is not None
    }
    return refpos.catalogue.find(recipe["function"]).function(**given)


@pytest.mark.parametrize("name", RULES)
def test_the_witness_agrees_at_random_parameters(name):
    scaled = 0
    for recipe, found in usable_calls(name, 12, 1):
        theta, factor = scalings.scaling_digits(recipe)
        for fmt in FORMATS:
            assert np.array_equal(bits(found.rounded(fmt)), witness.patterns(theta, fmt)), (recipe, fmt)
            assert bits(found.factor.rounded(fmt)) == witness.patterns(factor, fmt), (recipe, fmt)
        plain = refpos.inverse_frequencies(found.dim, base=recipe["arguments"].get("base", 10000.0)).inv_freq
        scaled += not np.array_equal(found.inv_freq, plain)
    assert scaled >= 4


@pytest.mark.parametrize("name", RULES)
def test_calls_near_the_golden_cases_are_taken_and_differ(name):
    """As for a scaling of which random_call knows nothing."""
    rng = random.Random(3)
    calls = [drawn(name, rng, {"dim": rng.choice([8, 16]), "base": rng.uniform(20, 1e6)}) for _ in range(4)]
    cases = [{**case.arguments} for case in golden.cases(name)]
    assert all(made(call(name, **given)).dim for given in calls)
    assert name == "resonance" or all(given not in cases for given in calls)


@pytest.mark.parametrize("name", ["yarn", "llama3", "ntk", "longrope", "proportional", "resonance"])
def test_the_witness_agrees_on_tables(name):
    for recipe, found in usable_calls(name, 3, 2):
        positions = np.array([0, 1, 4097, 131071, -5])
        for fmt in ("float64", "bfloat16"):
            digits = scalings.scaled_table(positions, recipe)
            for mine, exact in zip(refpos.rope_table(positions, found, dtype=fmt), digits, strict=True):
                assert np.array_equal(bits(mine), witness.patterns(exact, fmt)), recipe


# -- exactness at edges -----------------------------------------------------------------------------------------------


def test_ends_of_the_ramp_are_decided_where_float64_is_wrong():
    """Bases for which D(1) lies within 2**-50 of an integer."""
    wrong = 0
    for dim, trained, whole in ((128, 4096, 50), (64, 4096, 19), (64, 8192, 21), (128, 32768, 45), (96, 2048, 27)):
        with mpmath.workdps(60):
            middle = float((mpmath.mpf(trained) / (2 * mpmath.pi)) ** (mpmath.mpf(dim) / (2 * whole)))
            for base in (math.nextafter(middle, 0), middle, math.nextafter(middle, math.inf)):
                exact = dim * mpmath.log(trained / (2 * mpmath.pi)) / (2 * mpmath.log(mpmath.mpf(base)))
                end = int(mpmath.ceil(exact))
                assert abs(exact - whole) < 2.0**-48 and end in (whole, whole + 1)
                found = refpos.frequencies.ntk_by_parts(
                    dim, base=base, factor=4, original_max_position_embeddings=trained
                )
                kept = found.inv_freq / refpos.inverse_frequencies(dim, base=base).inv_freq
                # the first pair that is wholly divided
                assert int(np.argmax(abs(kept - 0.25) < 1e-12)) == end if end < dim // 2 else kept.min() > 0.25
                float64 = math.ceil(dim * math.log(trained / (2 * math.pi)) / (2 * math.log(base)))
                wrong += float64 != end
    assert wrong >= 3


def test_the_largest_end_is_the_one_asked_for():
    given = {"factor": 4, "original_max_position_embeddings": 131072}
    wide, half = (refpos.yarn(64, clamp=clamp, **given) for clamp in ("dim-1", "dim/2-1"))
    assert wide.inv_freq[-1] > half.inv_freq[-1] == refpos.linear(64, factor=4).inv_freq[-1]


@pytest.mark.parametrize("truncate", [True, False])
def test_one_beta_makes_a_step(truncate):
    found = refpos.frequencies.ntk_by_parts(
        32, factor=4, original_max_position_embeddings=4096, beta_fast=4, beta_slow=4, truncate=truncate
    )
    kept = found.inv_freq / refpos.inverse_frequencies(32).inv_freq
    assert set(kept.round(6)) == {1.0, 0.25}


def test_equal_frequency_factors_make_a_step():
    """Llama 4 Scout, against the sentence that describes it: divided where the wavelength is longer than 8192."""
    given = {"factor": 16.0, "low_freq_factor": 1.0, "high_freq_factor": 1.0, "original_max_position_embeddings": 8192}
    found = refpos.llama3(128, base=500000.0, **given)
    with mpmath.workdps(40):
        plain = [mpmath.mpf(500000) ** -(mpmath.mpf(2 * i) / 128) for i in range(64)]
        expected = [float(w / 16 if 2 * mpmath.pi / w > 8192 else w) for w in plain]
    assert found.inv_freq.tolist() == expected
    kept = [expected[i] == float(plain[i]) for i in range(64)]
    assert kept == [True] * 35 + [False] * 29


def test_a_frequency_at_the_edge_of_a_step_may_stand_on_either_side_in_float32():
    """A length at which pair 1 turns as often as the step asks, but for 2**-26 of it."""
    length = 10**8
    with mpmath.workdps(40):
        exact = length * mpmath.mpf(100) ** mpmath.mpf("-0.5") / (2 * mpmath.pi)
        edges = [float(exact * (1 + side * mpmath.mpf(2) ** -26)) for side in (-1, 1)]
    for edge, kept in zip(edges, (1.0, 0.125), strict=True):
        given = {"dim": 4, "base": 100, "factor": 8, "low_freq_factor": edge, "high_freq_factor": edge}
        given["original_max_position_embeddings"] = length
        found = made(call("llama3", **given)).inv_freq
        assert found[1] == 0.1 * kept
        limits = error_bounds.bounds("llama3", given, {}, "float32")["float32-angle"]["inv_freq"]
        assert abs(found[1] - 0.1 * (1.125 - kept)) < limits[1] and limits[0] < 1e-5


@pytest.mark.parametrize(
    "mscale, all_dim, both, ratio",
    [(None, None, 1, 1), (0.707, None, 1, 0.707), (None, 0.707, 1, "/"), (0.707, 0, 1, 0.707), (0, 1, 1, "/"),
     (1, 0.707, "/", "/"), (0.707, 0.707, "/", "/"), (0, 0, 1, 0)],
)  # fmt: skip
def test_the_two_rules_of_mscale(mscale, all_dim, both, ratio):
    """m(40, c), or the ratio of two, as transformers has it and as DeepSeek's own code has it: 1.3689 and 1.2608."""
    one, other = (default if value is None else value for value, default in ((mscale, 1), (all_dim, 0)))

    def m(c):
        return 0.1 * c * math.log(40) + 1

    for rule, expected in (("both", both), ("ratio", ratio)):
        wanted = m(one) / m(other) if expected == "/" else m(expected)
        given = {"factor": 40, "original_max_position_embeddings": 4096, "mscale": mscale, "mscale_all_dim": all_dim}
        found = refpos.yarn(64, **given, mscale_rule=rule).attention_factor
        assert abs(found - wanted) < 1e-15
        limits = error_bounds.bounds("yarn", {"dim": 64, **given, "mscale_rule": rule}, {}, "float32")
        assert limits["float32-angle"]["attention_factor"] < 2e-6
    assert refpos.yarn(64, **given, mscale_rule="ratio", attention_factor=3).attention_factor == 3


def test_longrope_switches_after_the_length_of_pretraining():
    lists = {"short_factor": [1, 1], "long_factor": [2, 4], "original_max_position_embeddings": 4096, "factor": 32}
    first = [refpos.longrope(4, **lists, seq_len=length).inv_freq[0] for length in (None, 1, 4096, 4097)]
    assert first == [1.0, 1.0, 1.0, 0.5]


def test_a_rational_attention_factor_of_longrope_is_known():
    lists = {"short_factor": [1], "long_factor": [1]}
    for factor, trained, value in ((4096**3, 4096, 2), (8**5, 16, None), (2, 8, None), (Fraction(125, 27), 9, None)):
        found = refpos.longrope(2, **lists, original_max_position_embeddings=trained, factor=factor).factor
        assert found.rational == value
        with mpmath.workdps(60):
            root = mpmath.sqrt(1 + mpmath.log(mpmath.mpf(factor.numerator) / factor.denominator) / mpmath.log(trained))
            assert float(found) == float(root)


def test_a_tie_between_two_float16_frequencies_is_rounded_to_even():
    # theta_1 = base**-1/2 / factor at width 4, which lies halfway between two float16 numbers
    tie = Fraction(2049, 2**12)
    base = (1 / tie / 3) ** 2
    found = refpos.ntk(4, base=base, factor=3)
    assert found.rational(1) == tie
    assert found.rounded("float16")[1] == np.float16(0.5)
    assert found.rounded("float64")[1] == float(tie)


def test_powers_that_are_rational_together_are_found():
    found = refpos.ntk(6, base=8, factor=4)
    assert [found.rational(i) for i in range(3)] == [1, Fraction(1, 4), Fraction(1, 16)]
    other = refpos.ntk(128, base=10000, factor=Fraction(7, 2))
    assert [i for i in range(64) if other.rational(i) is not None] == [0]


def test_zero_frequencies_are_exact():
    found = refpos.proportional(16, partial_rotary_factor=0.5)
    assert [found.rational(i) == 0 for i in range(8)] == [False] * 4 + [True] * 4
    cos, sin = refpos.rope_table([3, 10**9], found)
    assert (cos[:, 4:] == 1).all() and (sin[:, 4:] == 0).all() and (sin[:, :4] != 0).all()


def test_shares_are_cut_as_models_cut_them():
    for share in (0.1, 0.25, 0.3, 0.334, 0.5, 0.6, 0.7, 0.9, 1.0):
        for dim in (20, 64, 80, 96, 128, 192, 256):
            turning = sum(refpos.proportional(dim, partial_rotary_factor=share).inv_freq > 0)
            assert turning == int(share * dim // 2)


def test_resonance_repeats():
    for inner in (refpos.inverse_frequencies(64), refpos.yarn(64, factor=4, original_max_position_embeddings=4096)):
        found = refpos.frequencies.resonance(inner)
        lengths = [1 / found.turns(i) for i in range(32)]
        assert all(length.denominator == 1 for length in lengths)
        cos, sin = refpos.rope_table(int(lengths[7]) * np.arange(5, dtype=np.int64), found)
        assert (cos[:, 7] == found.attention_factor).all() and (sin[:, 7] == 0).all()
        assert found.attention_factor == inner.attention_factor
    again = refpos.frequencies.resonance(found)
    assert [again.turns(i) for i in range(32)] == [found.turns(i) for i in range(32)]
    assert np.array_equal(bits(again.inv_freq), bits(found.inv_freq))


def test_resonance_at_a_wavelength_of_one_position_and_of_none():
    found = refpos.frequencies.resonance(refpos.frequencies.given_frequencies(inv_freq=[6.0, 0, 0.25]))
    assert [found.turns(i) for i in range(3)] == [1, 0, Fraction(1, 25)]
    with mpmath.workdps(40):
        assert found.inv_freq.tolist() == [float(2 * mpmath.pi), 0, float(2 * mpmath.pi / 25)]
    assert refpos.frequencies.resonance(found).inv_freq.tolist() == found.inv_freq.tolist()
    cos, sin = refpos.rope_table([1, 7], found)
    assert cos[:, :2].tolist() == [[1, 1]] * 2 and sin[:, :2].tolist() == [[0, 0]] * 2


def test_the_largest_alpha_is_taken():
    frequencies = refpos.inverse_frequencies(4)
    assert refpos.frequencies.learned_log_scale(frequencies, [1024, -1024]).inv_freq.tolist() == [float("inf"), 0]
    with pytest.raises(ValueError, match=r"^alpha must be between -1024 and 1024, got 1024\.25$"):
        refpos.frequencies.learned_log_scale(frequencies, [1024.25, 0])


def test_scalings_stack():
    inner = refpos.yarn(32, factor=16, original_max_position_embeddings=4096)
    outer = refpos.linear(32, factor=2, frequencies=inner)
    assert outer.attention_factor == inner.attention_factor and np.array_equal(outer.inv_freq * 2, inner.inv_freq)
    by_hand = frequencies.scaled(refpos.inverse_frequencies(32), (reals.rational(Fraction(1, 8)),) * 16)
    assert np.array_equal(bits(by_hand.inv_freq), bits(refpos.linear(32, factor=8).inv_freq))


def test_the_attention_temperature_steps_where_its_model_does():
    ours = refpos.scores.attention_temperature(20000, attn_scale=0.1, floor_scale=8192, shift=1)
    assert np.flatnonzero(np.diff(ours)).tolist() == [8190, 16382]
    theirs = refpos.scores.attention_temperature(40000, attn_scale=0.1, floor_scale=16384, shift=0, dtype="float32")
    assert np.flatnonzero(np.diff(theirs)).tolist() == [16383, 32767]
    assert ours[0] == theirs[0] == 1
    with mpmath.workdps(40):
        assert ours[-1] == float(1 + mpmath.mpf(0.1) * mpmath.log(3))


# -- exact reals ------------------------------------------------------------------------------------------------------


def test_intervals_contain_and_shrink():
    def rule(digits):
        return digits.sqrt(digits.log(Fraction(7, 3)) / (digits.pi() - 3)) * digits.exp(Fraction(-5, 2)) - 1

    with mpmath.workdps(400):
        exact = mpmath.sqrt(mpmath.log(mpmath.mpf(7) / 3) / (mpmath.pi - 3)) * mpmath.exp(mpmath.mpf(-5) / 2) - 1
        for count in (20, 50, 300):
            found = rule(reals.Digits(count))
            assert mpmath.mpf(str(found.low)) <= exact <= mpmath.mpf(str(found.high)) and found.low < found.high
        for size in (10, 64, 500, 1200):
            assert abs(reals.evaluated(rule).fixed(size) - exact * mpmath.mpf(2) ** size) <= 1


@pytest.mark.parametrize("name", ["log", "exp", "sqrt"])
def test_functions_round_outwards(name):
    rng = random.Random(9)
    with mpmath.workdps(60):
        for _ in range(200):
            number = Fraction(rng.randint(1, 10**6), rng.randint(1, 10**5))
            found = getattr(reals.Digits(6), name)(number)
            exact = getattr(mpmath, name)(mpmath.mpf(number.numerator) / number.denominator)
            assert mpmath.mpf(str(found.low)) <= exact <= mpmath.mpf(str(found.high)), number


def test_a_rule_that_cancels_is_asked_for_more_digits():
    tiny = Fraction(1, 10**80)
    close = reals.evaluated(lambda digits: (digits.log(2 + tiny) - digits.log(2)) / tiny)
    assert float(close) == 0.5 and reals.sign(close) == 1
    quotient = reals.evaluated(lambda digits: 1 / (digits.log(2 + tiny) - digits.log(2)))
    assert reals.floor(quotient) > 10**80


def test_whole_numbers_of_reals():
    almost = reals.evaluated(lambda digits: digits.exp(Fraction(1, 10**60)) + 4)
    assert (reals.floor(almost), reals.ceiling(almost), reals.nearest(almost)) == (5, 6, 5)
    below = reals.evaluated(lambda digits: -digits.exp(Fraction(1, 10**60)))
    assert (reals.floor(below), reals.ceiling(below), reals.nearest(below)) == (-2, -1, -1)
    assert [reals.nearest(reals.rational(Fraction(n, 2))) for n in (1, 3, 5, -1)] == [0, 2, 2, 0]
    assert reals.compare(almost, 5) == 1 and reals.compare(reals.rational(5), 5) == 0


# -- refusals ---------------------------------------------------------------------------------------------------------

LLAMA = {"factor": 8, "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}
LONG = {"short_factor": [1, 1], "long_factor": [1, 2], "original_max_position_embeddings": 64, "factor": 2}
YARN = {"factor": 4, "original_max_position_embeddings": 4096}
HEAT = {"attn_scale": 0.1, "floor_scale": 8192, "shift": 1}
NAN, INFINITE = float("nan"), float("inf")


@pytest.mark.parametrize(
    "name, sizes, given, code, argument",
    [
        ("linear", (7,), {"factor": 2}, "E_ODD_DIM", "dim"),
        ("linear", (8,), {"factor": 0}, "E_NUMBER", "factor"),
        ("linear", (8,), {"factor": "2"}, "E_NUMBER", "factor"),
        ("linear", (8,), {"factor": 2, "base": NAN}, "E_BASE", "base"),
        ("linear", (8,), {"factor": 2, "frequencies": 3}, "E_NUMBER", "frequencies"),
        ("linear", (8,), {"factor": 2, "frequencies": refpos.inverse_frequencies(6)}, "E_ROTARY_DIM", "frequencies"),
        ("ntk", (2,), {"factor": 2}, "E_SIZE", "dim"),
        ("ntk", (8,), {"factor": -1}, "E_NUMBER", "factor"),
        ("ntk", (8,), {"factor": 2, "rule": "x"}, "E_CHOICE", "rule"),
        ("ntk_alpha", (2,), {"alpha": 2}, "E_SIZE", "dim"),
        ("ntk_alpha", (8,), {"alpha": INFINITE}, "E_NUMBER", "alpha"),
        ("dynamic_ntk", (2,), {"factor": 2, "max_position_embeddings": 8}, "E_SIZE", "dim"),
        ("dynamic_ntk", (8,), {"factor": 2, "max_position_embeddings": 0}, "E_SIZE", "max_position_embeddings"),
        ("dynamic_ntk", (8,), {"factor": 2, "max_position_embeddings": 8, "seq_len": 0}, "E_SIZE", "seq_len"),
        ("ntk_by_parts", (8,), {**YARN, "base": 1}, "E_BASE", "base"),
        ("ntk_by_parts", (8,), {**YARN, "beta_fast": 0.5}, "E_NUMBER", "beta_fast"),
        ("ntk_by_parts", (8,), {**YARN, "beta_slow": 0}, "E_NUMBER", "beta_slow"),
        ("ntk_by_parts", (8,), {**YARN, "truncate": 1}, "E_CHOICE", "truncate"),
        ("ntk_by_parts", (8,), {**YARN, "clamp": "dim"}, "E_CHOICE", "clamp"),
        ("ntk_by_parts", (8,), {**YARN, "original_max_position_embeddings": 4.5}, "E_SIZE",
         "original_max_position_embeddings"),
        ("ntk_by_parts", (8,), {**YARN, "original_max_position_embeddings": 2, "truncate": False}, "E_NUMBER",
         "original_max_position_embeddings"),
        ("ntk_by_parts", (8,), {**YARN, "base": 2}, "E_NUMBER", "original_max_position_embeddings"),
        ("yarn", (8,), {"original_max_position_embeddings": 4096}, "E_NUMBER", "factor"),
        ("yarn", (8,), {"original_max_position_embeddings": 4, "max_position_embeddings": 0}, "E_SIZE",
         "max_position_embeddings"),
        ("yarn", (8,), {**YARN, "attention_factor": 0}, "E_NUMBER", "attention_factor"),
        ("yarn", (8,), {**YARN, "mscale": -1}, "E_NUMBER", "mscale"),
        ("yarn", (8,), {**YARN, "mscale_all_dim": NAN}, "E_NUMBER", "mscale_all_dim"),
        ("yarn_softmax_scale", (0,), {}, "E_NUMBER", "factor"),
        ("yarn_softmax_scale", (2,), {"mscale_all_dim": -1}, "E_NUMBER", "mscale_all_dim"),
        ("yarn_softmax_scale", (2,), {"out": np.zeros(3)}, "E_OUT", "out"),
        ("yarn", (8,), {**YARN, "mscale_rule": "deepseek"}, "E_CHOICE", "mscale_rule"),
        ("llama3", (8,), {**LLAMA, "high_freq_factor": 0.999}, "E_NUMBER", "high_freq_factor"),
        ("llama3", (8,), {**LLAMA, "low_freq_factor": 0}, "E_NUMBER", "low_freq_factor"),
        ("llama3", (8,), {**LLAMA, "factor": NAN}, "E_NUMBER", "factor"),
        ("llama3", (8,), {**LLAMA, "original_max_position_embeddings": 0}, "E_SIZE",
         "original_max_position_embeddings"),
        ("longrope", (4,), {**LONG, "short_factor": [1]}, "E_SHAPE", "short_factor"),
        ("longrope", (4,), {**LONG, "short_factor": [[1, 2]]}, "E_SHAPE", "short_factor"),
        ("longrope", (4,), {**LONG, "long_factor": 3}, "E_SHAPE", "long_factor"),
        ("longrope", (4,), {**LONG, "long_factor": [1, 0]}, "E_NUMBER", "long_factor"),
        ("longrope", (4,), {**LONG, "factor": None}, "E_NUMBER", "factor"),
        ("longrope", (4,), {**LONG, "original_max_position_embeddings": 1}, "E_SIZE",
         "original_max_position_embeddings"),
        ("longrope", (4,), {**LONG, "long_mscale": 0}, "E_NUMBER", "long_mscale"),
        ("longrope", (4,), {**LONG, "seq_len": 2.5}, "E_SIZE", "seq_len"),
        ("proportional", (8,), {"partial_rotary_factor": 1.01}, "E_NUMBER", "partial_rotary_factor"),
        ("proportional", (8,), {"partial_rotary_factor": 0.5, "factor": 0}, "E_NUMBER", "factor"),
        ("learned_log_scale", (4, [0]), {}, "E_NUMBER", "frequencies"),
        ("learned_log_scale", (refpos.inverse_frequencies(4), [0]), {}, "E_SHAPE", "alpha"),
        ("learned_log_scale", (refpos.inverse_frequencies(4), 0), {}, "E_SHAPE", "alpha"),
        ("learned_log_scale", (refpos.inverse_frequencies(4), [0, NAN]), {}, "E_NUMBER", "alpha"),
        ("resonance", (4,), {}, "E_NUMBER", "frequencies"),
        ("resonance", (refpos.linear(4, factor=0.0625),), {}, "E_NUMBER", "frequencies"),
        ("inverse_frequencies", (8,), {"exponent_dim": 0}, "E_SIZE", "exponent_dim"),
        ("attention_temperature", ([-2],), HEAT, "E_POSITION", "positions"),
        ("attention_temperature", (2,), {**HEAT, "floor_scale": 0}, "E_NUMBER", "floor_scale"),
        ("attention_temperature", (2,), {**HEAT, "attn_scale": -1}, "E_NUMBER", "attn_scale"),
        ("attention_temperature", (2,), {**HEAT, "shift": NAN}, "E_NUMBER", "shift"),
    ],
)  # fmt: skip
def test_refusals(name, sizes, given, code, argument):
    with pytest.raises(refpos.InputError, match=r" must .*, got ") as caught:
        refpos.catalogue.find(name).function(*sizes, **given)
    assert (caught.value.code, caught.value.argument) == (code, argument)


def test_the_state_of_a_dynamic_module_is_refused_below_its_start():
    with pytest.raises(refpos.InputError, match="kept must be at least 8, got 7"):
        kept_length(9, 7, max_position_embeddings=8)


# -- transformers -----------------------------------------------------------------------------------------------------


def test_a_scaling_that_is_left_out_is_in_no_class():
    for name in ("linear", "yarn", "llama3"):
        for recipe, found in usable_calls(name, 5, 4):
            limits = error_bounds.bounds(name, recipe["arguments"], {}, "float32")
            plain = refpos.inverse_frequencies(found.dim, base=recipe["arguments"]["base"]).rounded("float32")
            mine = found.rounded("float32")
            if not np.array_equal(plain, mine):
                bounds = {kind: limit["inv_freq"] for kind, limit in limits.items()}
                assert compare(plain, mine, bounds=bounds).met is None


def test_a_rotation_with_a_factor_has_bounds():
    recipe = call("yarn", dim=16, base=10000.0, **YARN)
    positions = np.array([0, 1, 4097, 100000])
    x = np.random.default_rng(5).standard_normal((4, 16)).astype(np.float32)
    limits = error_bounds.bounds("rope", {"pairing": "half", "frequencies": recipe}, {"x": x, "positions": positions},
                                "float32")  # fmt: skip
    exact = refpos.rope(x, positions, pairing="half", frequencies=made(recipe))
    cos, sin = (np.concatenate([t, t], -1) for t in refpos.rope_table(positions, made(recipe), dtype="float32"))
    turned = np.concatenate([-x[:, 8:], x[:, :8]], -1)
    report = compare(x * cos + turned * sin, exact, bounds={kind: limit["output"] for kind, limit in limits.items()})
    assert report.classes["float32-angle"].met and (limits["float32-angle"]["output"][0] > 0).all()
    plain = refpos.rope(x, positions, pairing="half")
    assert compare(plain, exact, bounds={kind: limit["output"] for kind, limit in limits.items()}).met is None


def test_an_adversary_stays_within_the_bound_of_a_table_with_a_factor_and_comes_near_it():
    """The errors of float32-angle at their limits and of one sign, outside of the ramp, in float64 arithmetic."""
    u, dim = 2.0**-24, 128
    recipe = call(
        "yarn", dim=dim, base=10000.0, factor=16.0, original_max_position_embeddings=4096, attention_factor=5.0
    )
    exact = made(recipe)
    positions = np.arange(1, 3000, 7)
    kept = exact.inv_freq / refpos.inverse_frequencies(dim).inv_freq
    # power and reciprocal, the factor and its product, the product with the position
    relative = np.where(kept == 1, 11, 13) * u
    relative[0] = 0
    out_of_ramp = (kept == 1) | (abs(kept * 16 - 1) < 1e-9)
    limits = error_bounds.bounds("rope_table", {"frequencies": recipe}, {"positions": positions}, "float64")[
        "float32-angle"
    ]
    for output, function in (("cos", np.cos), ("sin", np.sin)):
        nearest = np.zeros(limits[output].shape)
        for sign in (1, -1):
            for turn in (1, -1):
                wave = np.clip(
                    function(positions[:, None] * exact.inv_freq * (1 + sign * relative)) * (1 + turn * 5 * u), -1, 1
                )
                # the factor is rounded, and the product
                share = abs(wave * 5 * (1 + turn * 2 * u) - 5 * function(positions[:, None] * exact.inv_freq))
                nearest = np.maximum(nearest, share / limits[output])
        assert nearest.max() <= 1 and np.median(nearest[:, out_of_ramp]) > 0.97


def test_an_adversary_stays_within_the_bound_of_a_growing_base():
    u, given = 2.0**-24, {"dim": 64, "base": 10000.0, "factor": 40.0, "max_position_embeddings": 2048, "seq_len": 2050}
    exact = made(call("dynamic_ntk", **given))
    grown = 1 + 40 * (2050 / 2048 - 1)
    # the lengths cancel: three operations on 40.04, two on 39, and one more
    off = (3 * 40 * 2050 / 2048 + 2 * 39) / grown * u + u
    base = 10000 * (grown * (1 + off)) ** (64 / 62) * (1 + 11 * u)
    computed = base ** -(np.arange(32) / 32) * (1 - 10 * u)
    limit = error_bounds.bounds("dynamic_ntk", given, {}, "float64")["float32-angle"]["inv_freq"]
    share = abs(computed[1:] - exact.inv_freq[1:]) / limit[1:]
    assert share.max() <= 1 and share.min() > 0.8


def test_bounds_of_the_attention_factor_are_narrow():
    limits = error_bounds.bounds("yarn", {"dim": 64, **YARN, "factor": 40}, {}, "float32")
    factor = refpos.yarn(64, **{**YARN, "factor": 40}).attention_factor
    assert 0 < limits["float32-angle"]["attention_factor"] < 8 * 2.0**-24 * factor
    assert limits["float64-angle"]["attention_factor"] < 2.01 * 2.0**-24 * factor
