"""Factors and powers over the whole range of a float: every result the witness's bits, and none of them endless."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sweep_factors
import witness
from flint import arb
from sweep_factors import EDGES, Call, bits_of, call, limited
from tiers import sampled
from witness import factors
from witness.digits import SHAPES
from witness.formulas import with_specials

import refpos
from refpos import kernels
from refpos.kernels import numpy_kernels

FORMATS = ("float64", "float32", "float16", "bfloat16")
PATHS = {"numpy": numpy_kernels} | ({kernels.name: kernels.active} if kernels.active is not numpy_kernels else {})


@pytest.fixture(params=PATHS)
def path(request, monkeypatch):
    """Once with the kernels in NumPy, and once with those that are active."""
    monkeypatch.setattr(kernels, "active", PATHS[request.param])


def checked(drawn, seconds=sweep_factors.LIMIT):
    """The number of elements of a call, all of which are the witness's."""
    with limited(seconds):
        found = drawn.run()
    wanted, other = sweep_factors.expected(drawn)
    for got, one, two in zip(found, wanted, other, strict=True):
        wrong = np.argwhere((got != one) & (got != two))
        at = tuple(wrong[0]) if len(wrong) else None
        assert at is None, f"{len(wrong)} wrong, at {at}: {got[at]:x} for {one[at]:x}: {drawn.written(at[0])[:1000]}"
    return sum(part.size for part in wanted)


def stored(values, name):
    bits = with_specials(np.asarray(values, float), name)
    return bits if name == "bfloat16" else bits.view(name)


def longrope(factor, half=1, **given):
    lists = {"short_factor": [1.0] * half, "long_factor": [1.0] * half, "original_max_position_embeddings": 64}
    return call("longrope", dim=2 * half, **lists, attention_factor=factor, **given)


# -- the search -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", sampled(range(5), 5))
def test_a_sample_of_the_search(seed, monkeypatch):
    seen = said = 0
    said, number = [], 0
    while seen < 1000:
        kind, drawn = sweep_factors.drawn_call(seed, number, list(sweep_factors.KINDS), 90)
        wanted, other = sweep_factors.expected(drawn)
        for name, kernel in PATHS.items():
            monkeypatch.setattr(kernels, "active", kernel)
            found, trouble = sweep_factors.outcome(drawn.run)
            if trouble is None and not all(
                np.array_equal(np.where(got == two, one, got), one)
                for got, one, two in zip(found, wanted, other, strict=True)
            ):
                trouble = "wrong"
            said += [f"{trouble}: call {number} of seed {seed}, {kind}, {name}"] if trouble else []
        seen, number = seen + sum(part.size for part in wanted), number + 1
    assert said == []


def test_the_search_sees_a_wrong_bit(monkeypatch):
    drawn = Call("rope_table", "float64", longrope(2.0**-3), np.arange(9))
    assert sweep_factors.compared(drawn)[:3] == (18, 0, 0)
    run = Call.run
    monkeypatch.setattr(Call, "run", lambda self, row=None: [part ^ np.uint64(1) for part in run(self, row)])
    assert sweep_factors.compared(drawn)[:3] == (18, 18, 0)


def test_the_search_stops_what_does_not_end():
    def endless():
        while True:
            pass

    with pytest.raises(sweep_factors.Slow), limited(0.05):
        endless()
    assert sweep_factors.outcome(lambda: 1 // 0)[1].startswith("ZeroDivisionError")


# -- an algebraic factor and a fraction of a turn ---------------------------------------------------------------------


def exact(pairs, turns, square, name):
    """Patterns (n, 2) of sqrt(square) (x cos - y sin, y cos + x sin)."""
    square = Fraction(square)
    root = factors.Factor(lambda: (arb(square.numerator) / square.denominator).sqrt(), square)
    wave = factors.Wave(factors.Frequencies(None, [Fraction(turns)], [0], root), 0, 1)
    rows = [digits for x, y in pairs for digits, _ in factors.turned(x, y, wave, root, 1)]
    return factors.as_patterns(rows, name).reshape(-1, 2)


def rooted(divisor, factor):
    return refpos.longrope(
        2, short_factor=[divisor], long_factor=[1.0], original_max_position_embeddings=4096, factor=factor
    )


EIGHTH = 1.2732395447351628  # 4 / pi: resonance makes 8 of its wavelength
TWELFTH = 1.909859317102744


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("name", FORMATS)
def test_the_root_of_two_at_an_eighth_of_a_turn(name):
    precision = SHAPES[name][0]
    pairs = [(1.0, 2.0**-k) for k in range(1, precision + 3)] + [(3.0, 3.0), (-1.25, 1.25), (0.0, 1.0), (7.0, 0.0)]
    wanted = exact(pairs, Fraction(1, 8), 2, name)
    # 1 - 2**-(p + 1) is halfway to 1, and goes there
    assert wanted[precision, 0] == wanted[precision + 1, 0] == witness.round_fraction(Fraction(1), name)
    eighth = refpos.frequencies.axial_frequencies((2,), times_pi=1, frequencies=[rooted(1.0, 4096)])
    tag = {"dtype": name} if name == "bfloat16" else {}
    for frequencies, place in ((eighth, 0.25), (refpos.frequencies.resonance(rooted(EIGHTH, 4096)), 1)):
        with limited():
            found = refpos.rope(
                stored(pairs, name), [place] * len(pairs), pairing="half", frequencies=frequencies, threads=1, **tag
            )
        assert np.array_equal(bits_of(found, name), wanted)


@pytest.mark.usefixtures("path")
def test_random_channels_at_eighths_of_a_turn():
    y = np.random.default_rng(0).standard_normal((8, 2)).astype(np.float16)
    with limited():
        found = refpos.rope(
            y, 8, pairing="half", frequencies=refpos.frequencies.resonance(rooted(EIGHTH, 4096.0)), threads=1
        )
    for row, pair in enumerate(y.astype(float).tolist()):
        if row:
            assert bits_of(found, "float16")[row].tolist() == exact([pair], Fraction(row, 8), 2, "float16")[0].tolist()


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("name", FORMATS)
def test_the_root_of_three_at_a_twelfth_of_a_turn(name):
    top = 2.0 ** (SHAPES[name][0] - 1)
    pairs = [(top + 1, 0.0), (0.0, top + 1), (top + 3, -0.0), (top + 1, top + 1)]
    wanted = exact(pairs, Fraction(1, 12), 3, name)
    frequencies = refpos.frequencies.resonance(rooted(TWELFTH, 4096**2))
    tag = {"dtype": name} if name == "bfloat16" else {}
    with limited():
        found = refpos.rope(stored(pairs, name), [1] * 4, pairing="half", frequencies=frequencies, threads=1, **tag)
    assert np.array_equal(bits_of(found, name), wanted)
    with limited():
        found = refpos.rotary.pope(
            stored([[top + 1]], name), [1], pairing="half", magnitude="given", frequencies=frequencies, **tag
        )
    assert np.array_equal(bits_of(found, name), wanted[:1])


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("square", [6, Fraction(3, 2), 2, Fraction(1, 2)])
def test_roots_at_a_twenty_fourth_of_a_turn(square):
    # cos 15 + sin 15 = sqrt(3/2), cos 15 - sin 15 = sqrt(1/2)
    pairs = [(257.0, -257.0), (257.0, 257.0), (1.0, -1.0), (1025.0, 1025.0), (2.0**52 + 1, 2.0**52 + 1)]
    factor = 4096 ** (Fraction(square) - 1)
    lists = {"short_factor": [24], "long_factor": [1], "original_max_position_embeddings": 4096}
    given = {"factor": factor} if square > 1 else {"attention_factor": 0.75}
    root = square if square > 1 else Fraction(9, 16)
    if isinstance(factor, float):
        given["factor"] = 64  # 4096**(1/2)
    frequencies = refpos.frequencies.axial_frequencies(
        (2,), times_pi=2, frequencies=[refpos.longrope(2, base=1, **lists, **given)]
    )
    for name in FORMATS:
        if SHAPES[name][2] < 53:
            kept = pairs[:4]
        else:
            kept = pairs
        x = stored(kept, name)
        exact_x = sweep_factors.as_doubles(bits_of(x, name), name).tolist()
        tag = {"dtype": name} if name == "bfloat16" else {}
        with limited():
            found = refpos.rope(x, [1] * len(kept), pairing="half", frequencies=frequencies, threads=1, **tag)
        assert np.array_equal(bits_of(found, name), exact(exact_x, Fraction(1, 24), root, name)), name


@pytest.mark.usefixtures("path")
def test_a_power_that_is_a_root_at_an_eighth_of_a_turn():
    eighth = refpos.frequencies.resonance(refpos.frequencies.given_frequencies([0.7853981633974483]))
    given = {"centring": "floor", "length": 0, "scale_base": 2, "frequencies": eighth, "threads": 1}
    for name, small in (("float16", 2.0**-12), ("float64", 2.0**-54), ("float32", 2.0**-25)):
        with limited():
            found = refpos.rotary.xpos(stored([[1, small]], name), [1], pairing="half", gamma=1, **given)
        wanted = exact([(1.0, small)], Fraction(1, 8), Fraction(1, 2), name)
        assert np.array_equal(bits_of(found, name), wanted)
    z = 2 * Fraction(257, 512) ** 2
    for name in FORMATS:
        with limited():
            cos, sin = refpos.rotary.xpos_table([1], gamma=z / (1 - z), dtype=name, **given)
        wanted = exact([(1.0, 0.0)], Fraction(1, 8), z, name)[0]
        assert [bits_of(part, name)[0, 0] for part in (cos, sin)] == wanted.tolist()


# -- what over- and underflows ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("path")
def test_a_rotation_that_overflows_is_infinite_and_one_that_does_not_is_finite():
    stretched = {"short_factor": [1.0], "long_factor": [1.0], "original_max_position_embeddings": 4096, "factor": 32}
    recipe = call("longrope", dim=2, **stretched)
    x = np.array([[1.69e308, 0.1e308], [1.6e308, 0.0], [-1.6e308, 0.0], [0.0, 1.7e308], [1.7e308, 1.7e308]])
    drawn = Call("rope", "float64", recipe, np.array([0.45, 44, 44, 0, 3.5]), x, pairing="half", inverse=False)
    assert checked(drawn) == 10
    frequencies = sweep_factors.made(recipe)
    found = refpos.rope(x, drawn.positions, pairing="half", frequencies=frequencies)
    assert found[0].tolist() == [float.fromhex("0x1.f51dd92ab4d10p+1023"), float.fromhex("0x1.17b6c0d9d2d02p+1023")]
    assert found[1:4, 0].tolist() == [math.inf, -math.inf, 0] and found[3, 1] == math.inf
    yarn = call("yarn", dim=2, factor=40, original_max_position_embeddings=4096)
    near = Call("rope", "float64", yarn, np.array([44]), np.array([[1.4e308, 0.0]]), pairing="half", inverse=False)
    assert checked(near) == 2
    assert refpos.rope(near.x, [44], pairing="half", frequencies=sweep_factors.made(yarn))[0, 0] == math.inf


@pytest.mark.usefixtures("path")
def test_small_channels_times_a_small_factor():
    x = np.zeros((1, 16))
    x[0, 0], x[0, 8] = -float.fromhex("0x1.a3460bd35a2b4p-901"), -float.fromhex("0x1.faa5051ac0522p-900")
    drawn = Call("rope", "float64", longrope(0.75 * 2.0**-130, 8), np.array([1]), x, pairing="half", inverse=False)
    assert checked(drawn) == 16
    found = refpos.rope(x, [1], pairing="half", frequencies=sweep_factors.made(drawn.recipe))
    assert bits_of(found, "float64")[0, 0] == 0xEACB6BE6A3D


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("size", [-1074, -1022, -901, -900, -899, -898, 1018, 1019, 1020, 1021, 1023])
@pytest.mark.parametrize("scale", sampled([0, -150, -130, -4, 1, 2, 100, 300], 4))
def test_channels_on_both_sides_of_the_limits(size, scale):
    """|x| + |y|, with the factor and without, about 2**-900 and 2**1020."""
    rng = np.random.default_rng([size + 2000, scale + 2000])
    rows = 24
    exponents = np.where(np.arange(rows) % 2, size, np.clip(size - scale, -1074, 1023))[:, None]
    exponents = np.clip(exponents - rng.integers(0, 3, (rows, 4)), -1074, 1023)
    x = np.ldexp(rng.uniform(1, 2, (rows, 4)), exponents) * rng.choice([-1, 1], (rows, 4))
    for factor in (0.75 * 2.0**scale, 2.0**scale):
        recipe = longrope(factor, 2)
        drawn = Call("rope", "float64", recipe, np.arange(1, rows + 1), x, pairing="interleaved", inverse=False)
        assert checked(drawn) == 4 * rows


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("edge", sampled(EDGES, 12))
@pytest.mark.parametrize("name", FORMATS)
def test_factors_at_the_edges_of_every_range(edge, name):
    """Powers of two and their neighbours: tables, rotations and powers."""
    rng = np.random.default_rng(edge + 2000)
    middle = 2.0**edge
    for factor in {max(math.nextafter(middle, 0), 2.0**-1074), middle, math.nextafter(middle, math.inf)}:
        recipe, where = longrope(factor, 2), np.array([0, 1, 5, 399, 2**31 - 1])
        drawn = Call("rope_table", name, recipe, where)
        assert checked(drawn) == 20
        powers = {"centring": "floor", "downscale": False, "length": 0, "scale_base": 512, "gamma": None}
        assert checked(Call("xpos_table", name, recipe, where, **powers)) == 20
        for function, options in (("rope", {}), ("xpos", powers)):
            drawn = Call(function, name, recipe, where, pairing="half", inverse=False, **options)
            drawn = sweep_factors.with_channels(drawn, rng, sweep_factors.columns_of(drawn))
            assert checked(drawn) == 20


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("factor", [10**400, Fraction(2) ** 1500, Fraction(3, 2**1500)], ids=["odd", "large", "small"])
@pytest.mark.parametrize("name", FORMATS)
def test_factors_beyond_every_float(factor, name):
    """What is exactly 0 stays 0, of the sign that it has without the factor."""
    pairs = [(0.0, 1.0), (1.0, -0.0), (-0.0, -2.0), (0.0, 0.0), (1.5, -1.0)]
    where = np.array([0, 0, 0, 7, 3])
    recipe = longrope(factor)
    drawn = Call("rope", name, recipe, where, stored(pairs, name), pairing="half", inverse=False)
    assert checked(drawn) == 10
    assert checked(Call("rope_table", name, recipe, where)) == 10


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("size, factor", [(1.79e308, 2.0), (3.0, 2.0**1023), (3.0, 10**400)])
def test_what_cancels_to_nothing_beside_what_overflows(size, factor):
    eighth = longrope(factor, base=1)
    eighth["arguments"]["short_factor"] = [8]
    recipe = call("axial_frequencies", widths=(2,), times_pi=2, frequencies=[eighth])
    x = np.array([[size, size], [size, -size]])
    assert checked(Call("rope", "float64", recipe, np.array([1, 1]), x, pairing="half", inverse=False)) == 4


@pytest.mark.usefixtures("path")
def test_tables_with_factors_that_were_wrong():
    _, sin = refpos.rope_table([1], sweep_factors.made(longrope(1e-65)))
    assert sin[0, 0] == float.fromhex("0x1.c5b862cac5c40p-217")
    assert checked(Call("rope_table", "float64", longrope(1e-65, 4), np.arange(1, 60))) == 472
    given = {"centring": "floor", "downscale": False, "length": 0, "scale_base": 512, "gamma": None}
    for factor, wanted in ((1e-105, "0x1.490bcc01308eap-351"), (1e-116, "0x1.c43ccc35fc370p-388")):
        drawn = Call("xpos_table", "float64", longrope(factor), np.array([5]), **given)
        assert checked(drawn) == 2
        assert refpos.rotary.xpos_table([5], sweep_factors.made(drawn.recipe), centring="floor", length=0)[0][0, 0] == (
            float.fromhex(wanted)
        )


# -- what is slow -----------------------------------------------------------------------------------------------------

COST = 2.0  # seconds of processor time, about ten times what is needed


@pytest.mark.parametrize("name", FORMATS[1:])
def test_the_cost_of_pairs_that_cancel(name):
    # the NumPy kernels leave such pairs to integers, one by one
    count = 100_000 if kernels.name == "compiled" else 10_000
    where = np.arange(1, count + 1)
    cos, sin = refpos.rope_table(where, refpos.inverse_frequencies(2))
    x = stored(np.hstack([sin, cos]), name)
    tag = {"dtype": name} if name == "bfloat16" else {}
    with limited(COST):
        found = refpos.rope(x, where, pairing="half", threads=1, **tag)
    chosen = np.arange(0, count, 997)
    values = sweep_factors.as_doubles(bits_of(x, name), name)
    wanted = witness.rope(values[chosen], where[chosen], name, pairing="half")
    assert np.array_equal(bits_of(found, name)[chosen], wanted)


def test_the_cost_of_a_table_of_small_sines():
    with limited(COST):
        found = refpos.rope_table(1000, refpos.inverse_frequencies(128, base=1e300), threads=1)
    where = np.array([0, 1, 500, 999])
    for got, digits in zip(found, witness.rope_table(where, 128, base=1e300), strict=True):
        assert np.array_equal(bits_of(got[where], "float64"), witness.patterns(digits, "float64"))


@pytest.mark.exhaustive
def test_frequencies_at_both_ends_of_what_is_held():
    """Thetas up to 2**4000 and down to 2**-4000 are rounded; what lies beyond 2**+-4096 is refused."""
    with limited(COST):
        large = refpos.inverse_frequencies(10, base=2.0**-1000, exponent_dim=2)
        small = refpos.inverse_frequencies(10, base=2.0**1000, exponent_dim=2)
        assert large.inv_freq.tolist() == [1.0, 2.0**1000] + [math.inf] * 3
        assert small.inv_freq.tolist() == [1.0, 2.0**-1000] + [0.0] * 3
        for base in (2.0**-1000, 2.0**1000):
            recipe = call("inverse_frequencies", dim=10, base=base, exponent_dim=2)
            for name in FORMATS:
                assert checked(Call("rope_table", name, recipe, np.array([1, -3, 2**53])), COST) == 30
    for dim, base, width in ((100, 1e-300, 1), (138, 1e300, 7)):
        with limited(COST), pytest.raises(refpos.InputError, match="base must"):
            assert refpos.inverse_frequencies(dim, base=base, exponent_dim=width).inv_freq is None


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("name", FORMATS)
def test_a_softplus_next_to_a_boundary(name):
    """ln(1 + e**x) is x and less than any number of bits tells, so that 1.5 x halfway goes up."""
    top = 2.0 ** (SHAPES[name][0] - 1)
    x = stored([[top + 1, top + 3, -top, 8 * (top + 1)]], name)
    lists = {"short_factor": [4] * 4, "long_factor": [1] * 4, "original_max_position_embeddings": 64}
    quarter = call("longrope", dim=8, base=1, attention_factor=1.5, **lists)
    for turns in (None, 2):
        recipe = quarter if turns is None else call(
            "axial_frequencies", widths=(8,), times_pi=turns, frequencies=[quarter])  # fmt: skip
        drawn = Call("pope", name, recipe, np.array([0]), x, pairing="half", magnitude="softplus")
        assert checked(drawn, COST) == 8
    wanted = drawn.run()[0][0, 0]
    assert wanted == witness.round_fraction(Fraction(3, 2) * Fraction(top + 1) + Fraction(1, 100), name)
