"""LieRE, PoPE and PaTH: every bit against the witness, exact cases, bounds, extremes and refusals."""

import math
from dataclasses import replace
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from flint import arb, arb_mat, ctx
from mpmath import mp, mpf
from witness import generalised, geometric, patterns, round_fraction
from witness.axes import ball, cells

import refpos
from refpos import coordinates, grid
from refpos.arithmetic import formats, matrix_exponential, reals
from refpos.rotary.liere import _skew_symmetric
from refpos.steps.waves import polar

DTYPES = {"float64": np.float64, "float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}


@pytest.fixture(autouse=True)
def precision():
    """What mpmath computes is rounded once, by float()."""
    with mp.workprec(300):
        yield


def bits(array):
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def skew_matrices(rng, *shape, size=1.0):
    upper = np.triu(rng.standard_normal(shape) * size, 1)
    return upper - upper.swapaxes(-1, -2)


# -- LieRE ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n, own, inverse", [(1, 1, False), (2, 2, True), (3, 1, True), (4, 2, False), (7, 1, False)])
def test_liere_is_the_witness(n, own, inverse, dtype):
    rng = np.random.default_rng(n)
    x = rng.standard_normal((2, 6, 2 * n + 1)).astype(DTYPES[dtype])
    generators = skew_matrices(rng, 2, own, 2, n, n, size=3).astype(np.float32)
    thirds = [Fraction(i, 3) for i in range(3)]
    found = refpos.rotary.liere(x, grid(2, coordinates.affine(3, step=Fraction(1, 3))), generators, inverse=inverse)
    wanted = generalised.liere(x.astype(float), cells([0, 1], thirds), generators.astype(float), inverse)
    np.testing.assert_array_equal(bits(found), patterns(wanted, dtype))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_blocks_of_two_are_mixed_rope(dtype):
    rng = np.random.default_rng(2)
    x = rng.standard_normal((2, 2, 6, 6)).astype(dtype)
    x[0, 0, :2] = [[-0.0, 1, -0.0, -1, 0, 0], [0, -0.0, np.inf, 1, np.nan, 2]]
    generators = skew_matrices(rng, 2, 2, 3, 2, 2)
    wanted = refpos.rotary.mixed_rope(x, grid(2, 3), generators[..., 1, 0], pairing="interleaved")
    np.testing.assert_array_equal(bits(refpos.rotary.liere(x, grid(2, 3), generators)), bits(wanted))
    back = refpos.rotary.mixed_rope(x, grid(2, 3), -generators[..., 1, 0], pairing="interleaved")
    np.testing.assert_array_equal(bits(refpos.rotary.liere(x, grid(2, 3), generators, inverse=True)), bits(back))
    # and so they are by the steps of larger blocks
    numbers, divisor = _skew_symmetric("generators", generators)
    fmt = formats.FORMATS[dtype]
    for token, place in enumerate(((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2))):
        matrix, more = matrix_exponential.weighted_sum(numbers[:, 1, 2], list(map(Fraction, place)))
        rows = x[:, 1, token, 4:].astype(float)
        np.testing.assert_array_equal(
            matrix_exponential.rotated(matrix, divisor * more, rows, fmt), bits(wanted[:, 1, token, 4:])
        )


@pytest.mark.parametrize("dtype", DTYPES)
def test_bit_patterns_of_bfloat16_and_lists(dtype):
    rng = np.random.default_rng(3)
    x, generators = rng.standard_normal((1, 2, 4)).astype(DTYPES[dtype]), skew_matrices(rng, 1, 1, 1, 4, 4)
    found = refpos.rotary.liere(x, [[0, 1]], generators.tolist())
    assert found.dtype == x.dtype
    if dtype == "bfloat16":
        np.testing.assert_array_equal(refpos.rotary.liere(bits(x), [[0, 1]], generators, dtype=dtype), bits(found))
    np.testing.assert_array_equal(refpos.rotary.liere(x.astype(x.dtype.newbyteorder()), [[0, 1]], generators), found)


def test_what_does_not_move_keeps_its_bits():
    rng = np.random.default_rng(4)
    generators = skew_matrices(rng, 2, 1, 1, 5, 5)
    x = rng.standard_normal((1, 3, 5))
    x[0, :, 0] = -0.0
    still = refpos.rotary.liere(x, [[0, 0, 0], [0, 0.0, 0]], generators)
    np.testing.assert_array_equal(bits(still), bits(x))
    generators[:, :, :, 0], generators[..., 0] = 0, 0  # the first channel is in no plane
    found = refpos.rotary.liere(x, [[1, 2, 3], [4, 5, 6]], generators)
    np.testing.assert_array_equal(bits(found[..., 0]), bits(x[..., 0]))
    assert (found[..., 1:] != x[..., 1:]).all()
    zeros = np.array([[[0.0, -0.0, 0.0, -0.0, 0.0]]])
    np.testing.assert_array_equal(bits(refpos.rotary.liere(zeros, [[7], [8]], generators)), bits(zeros))


def test_channels_along_an_axis_stand_still_and_zeros_end():
    """x in the kernel of the sum, a zero among its channels: no enclosure of that zero would ever decide."""
    a, b, c = 3.0, 0.0, -1.5
    x = np.array([[[a, b, c]]])
    cross = np.array([[0.0, -c, b], [c, 0.0, -a], [-b, a, 0.0]])  # with any vector the cross product of x
    np.testing.assert_array_equal(refpos.rotary.liere(x, [[5]], cross[None, None, None]), x)
    # two planes of four channels, one of which cancels what the other adds: channel 0 comes from zeros alone
    generators = np.zeros((1, 1, 1, 4, 4))
    generators[0, 0, 0, 0, 1], generators[0, 0, 0, 1, 0] = -1, 1
    found = refpos.rotary.liere(np.array([[[0.0, 0.0, 2.0, 3.0]]]), [[1]], generators)
    assert found.tolist() == [[[0.0, 0.0, 2.0, 3.0]]]


@pytest.mark.parametrize("place", [1e300, -1e300, 5e-324, 2.0**53 - 1, 1e-9])
def test_liere_at_far_and_near_positions(place):
    rng = np.random.default_rng(5)
    generators, x = skew_matrices(rng, 1, 1, 1, 3, 3), rng.standard_normal((1, 1, 3))
    found = refpos.rotary.liere(x, [[place]], generators)
    np.testing.assert_array_equal(bits(found), patterns(generalised.liere(x, [[place]], generators), "float64"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_liere_of_tiny_and_huge_channels(dtype):
    rng = np.random.default_rng(6)
    info = ml_dtypes.finfo(DTYPES[dtype])
    x = np.array([[[info.max, -info.max, info.max], [info.smallest_subnormal, 0, -info.smallest_subnormal],
                   [info.max, info.smallest_subnormal, 1]]], DTYPES[dtype])  # fmt: skip
    generators = skew_matrices(rng, 1, 1, 1, 3, 3)
    found = refpos.rotary.liere(x, [[1, 2, 3]], generators)
    wanted = generalised.liere(x.astype(float), [[1, 2, 3]], generators)
    np.testing.assert_array_equal(bits(found), patterns(wanted, dtype))


@pytest.mark.parametrize("n", [1, 2, 3, 8])
@pytest.mark.parametrize("size", [1e-3, 1, 300, 1e12])
def test_the_error_of_the_exponential_is_within_its_bound(n, size):
    rng = np.random.default_rng(n)
    for count in (64, 160, 500):
        generators = skew_matrices(rng, n, n, size=size)
        matrix, divisor = _skew_symmetric("generators", generators)
        found, error = matrix_exponential.exponential(matrix, divisor, count)
        before, ctx.prec = ctx.prec, 2 * count + 200
        try:
            truth = arb_mat([list(map(ball, row)) for row in generators.tolist()]).exp() * arb(2) ** count
            worst = max(abs(arb(int(found[i, j])) - truth[i, j]) for i in range(n) for j in range(n))
            assert worst < error and error <= 2 * n + 4
        finally:
            ctx.prec = before


def test_scores_depend_on_differences_where_generators_commute():
    rng = np.random.default_rng(8)
    one = skew_matrices(rng, 4, 4)
    commuting, other = np.array([one, 0.5 * one])[:, None, None], skew_matrices(rng, 2, 1, 1, 4, 4)
    q, k = rng.standard_normal((2, 1, 1, 4))
    moved = []
    for generators in (commuting, other):
        scores = [
            float(
                np.sum(
                    refpos.rotary.liere(q, [[2 + d], [1 + d]], generators)
                    * refpos.rotary.liere(k, [[d], [3 + d]], generators)
                )
            )
            for d in (0, 5)
        ]
        moved.append(abs(scores[1] - scores[0]))
    assert moved[0] < 1e-13 < 1e-3 < moved[1]


def test_liere_refusals():
    x, good = np.ones((2, 3, 4)), np.zeros((1, 1, 1, 4, 4))
    bad = good.copy()
    bad[0, 0, 0, 1, 2], bad[0, 0, 0, 2, 1] = 0.5, 0.25
    cases = [
        ((x, [range(3)], bad), "E_NUMBER", r"got 0.5 at \[0, 0, 0, 1, 2\] and 0.25 at \[0, 0, 0, 2, 1\]"),
        ((x, [range(3)], np.eye(4)[None, None, None]), "E_NUMBER", "skew-symmetric, got 1.0"),
        ((x, [range(3)], np.full_like(good, np.inf)), "E_NUMBER", "generators must be finite"),
        ((x, [range(3)], good[..., :3]), "E_SHAPE", "generators must be"),
        ((x[0], [range(3)], good), "E_SHAPE", "generators must be"),
        ((x, [range(3)], np.zeros((1, 3, 1, 4, 4))), "E_SHAPE", "generators must be"),
        ((x, [range(3)], np.zeros((1, 1, 0, 4, 4))), "E_SHAPE", "generators must be"),
        ((x, 3, good), None, None),
        ((x, [range(3), range(3)], good), "E_SHAPE", "positions must be"),
        ((x, range(4), good), "E_SHAPE", "positions must be"),
        ((x.astype(complex), [range(3)], good), "E_DTYPE", "x must have dtype"),
        ((x, [[0, 1, np.nan]], good), "E_POSITION", "positions must be finite"),
    ]
    for arguments, code, words in cases:
        if code is None:
            refpos.rotary.liere(*arguments)
            continue
        with pytest.raises(refpos.InputError, match=words) as caught:
            refpos.rotary.liere(*arguments)
        assert caught.value.code == code
    with pytest.raises(refpos.InputError, match="weight must be square"):
        refpos.rotary.liere_generators(np.zeros((3, 4)))
    with pytest.raises(refpos.InputError, match="weight must have dtype"):
        refpos.rotary.liere_generators(np.zeros((3, 3), int))


# -- PoPE -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("pairing", ["half", "interleaved"])
@pytest.mark.parametrize("magnitude", ["softplus", "given"])
def test_pope_is_the_witness(magnitude, pairing, dtype):
    rng = np.random.default_rng(10)
    x = (rng.standard_normal((2, 5, 7)) * 4).astype(DTYPES[dtype])
    bias = (rng.standard_normal((2, 6)) * 4).astype(np.float32)
    places = [0, 1, 4097, 131071, 2**31 - 1]
    frequencies = refpos.inverse_frequencies(12, base=500000)
    found = refpos.rotary.pope(x, places, pairing=pairing, bias=bias, magnitude=magnitude, frequencies=frequencies)
    np.testing.assert_array_equal(bits(found[..., 12:]), bits(x[..., 6:]))
    rule = geometric(6, Fraction(1, 6), 500000)
    wanted = generalised.pope(x[..., :6].astype(float), [places], rule, (0,) * 6, bias.astype(float), magnitude)
    parts = [slice(0, 6), slice(6, 12)] if pairing == "half" else [slice(0, 12, 2), slice(1, 12, 2)]
    for part, digits in zip(parts, wanted, strict=True):
        np.testing.assert_array_equal(bits(found[..., part]), patterns(digits, dtype))


def test_pope_along_axes_and_of_batches():
    rng = np.random.default_rng(12)
    x = rng.standard_normal((2, 1, 6, 5))
    frequencies = refpos.frequencies.axial_frequencies((6, 4))
    found = refpos.rotary.pope(x, grid(2, 3), pairing="half", frequencies=frequencies)
    down, along = np.repeat([0, 1], 3), np.tile([0, 1, 2], 2)
    rows = refpos.rotary.pope(x[..., :3], down, pairing="half")
    columns = refpos.rotary.pope(x[..., 3:], along, pairing="half")
    wanted = np.concatenate([rows[..., :3], columns[..., :2], rows[..., 3:], columns[..., 2:]], -1)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(refpos.rotary.pope(x, [down, along], pairing="half", frequencies=frequencies), wanted)
    ids = rng.integers(0, 5000, (2, 1, 6))
    found = refpos.rotary.pope(x, ids, pairing="half")
    for k in range(2):
        np.testing.assert_array_equal(found[k], refpos.rotary.pope(x[k], ids[k, 0], pairing="half"))


def test_a_scaling_comes_with_its_factor():
    yarn = refpos.yarn(8, base=10000, factor=4, original_max_position_embeddings=64)
    cos, sin = refpos.rope_table(range(1, 20), yarn)
    found = refpos.rotary.pope(np.ones((19, 4)), range(1, 20), pairing="half", magnitude="given", frequencies=yarn)
    np.testing.assert_array_equal(found, np.concatenate([cos, sin], -1))


def test_a_factor_multiplies_numbers_that_tie():
    """At position 0 what is given comes out times the factor: 3/2 of odd subnormals lies halfway, and goes to even."""
    frequencies = replace(refpos.inverse_frequencies(2), factor=reals.rational(Fraction(3, 2)))
    x = np.array([[5e-324]]) * np.array([[1], [3], [5]])
    found = refpos.rotary.pope(x, [0, 0, 0], pairing="half", magnitude="given", frequencies=frequencies)
    assert found[:, 0].tolist() == [2 * 5e-324, 4 * 5e-324, 8 * 5e-324] and not found[:, 1].any()


def test_angles_that_are_zero():
    found = refpos.rotary.pope(np.ones((1, 2, 2)), [1, 2], pairing="half", base=16, bias=[[-1, -0.5]])  # 1 and 1/4
    assert found[0, 0, 0] == found[0, 1, 1] and found[0, 0, 2] == 0 == found[0, 1, 3]
    assert not np.signbit(found[0, 0, 2]) and found[0, 0, 3] < 0
    assert found[0, 0, 0] == float(mp.log(1 + mp.e))


def test_a_bias_is_kept_within_one_turn():
    turn = 2 * math.pi  # a little less than 2 pi
    x = np.random.default_rng(13).standard_normal((1, 3, 5))
    bias = [[-turn, math.nextafter(-turn, -7), -7.0, 0.5, np.float32(-turn)]]
    found = refpos.rotary.pope(x, 3, pairing="interleaved", bias=bias)
    plain = refpos.rotary.pope(x, 3, pairing="interleaved")
    same = [(found[..., 2 * j : 2 * j + 2] == plain[..., 2 * j : 2 * j + 2]).all() for j in range(5)]
    # float32 rounds 2 pi up, float64 down
    assert same == [False, True, True, True, True]


def test_pope_of_numbers_far_from_one():
    x = np.array([[1e308, -1e300, -745.0, -744.0, 700.0, -1e-300, 5e-324, 0.0]])
    found = refpos.rotary.pope(x, [0], pairing="half")[0]
    with mp.workprec(3000):
        wanted = [float(mp.log1p(mp.exp(mpf(v)))) if abs(v) < 1e4 else max(v, 0.0) for v in x[0].tolist()]
    assert found.tolist() == wanted + [0.0] * 8
    assert 0 < wanted[2] < wanted[3] < 1e-322
    turned = refpos.rotary.pope(np.array([[-1e300, -3000.0]]), [3], pairing="half", base=1)
    assert np.signbit(turned).tolist() == [[True, True, False, False]] and not turned.any()
    narrow = refpos.rotary.pope(np.array([[-17.5, -17.0, 65504.0]], np.float16), [0], pairing="half")
    assert narrow[0, :3].tolist() == [0.0, 5.960464477539063e-08, 65504.0]


def test_pope_where_channels_are_not_finite_or_zero():
    x = np.array([[np.inf, -np.inf, np.nan, 0.0, -0.0]])
    found = refpos.rotary.pope(x, [3], pairing="half", base=1)[0]  # cos 3 < 0 < sin 3
    assert found[:2].tolist() == [-np.inf, -0.0] and np.signbit(found[1]) and found[5:7].tolist() == [np.inf, 0.0]
    assert (bits(found[[2, 7]]) == 0x7FF8000000000000).all()
    given = refpos.rotary.pope(x, [3], pairing="half", base=1, magnitude="given")[0]
    assert given[:2].tolist() == [-np.inf, np.inf]
    assert np.signbit(given[[3, 4, 8, 9]]).tolist() == [True, False, False, True]
    still = refpos.rotary.pope(x[:, :1], [0], pairing="half")
    assert still[0, 0] == np.inf and bits(still)[0, 1] == 0x7FF8000000000000


@pytest.mark.exhaustive
@pytest.mark.parametrize("count", [20, 160, 700])
def test_enclosures_of_softplus_hold(count):
    rng = np.random.default_rng(count)
    values = [*(rng.standard_normal(30) * 10).tolist(), *(rng.standard_normal(10) * 1000).tolist(), 0.0, 5e-324, 1e308]
    with mp.workprec(4 * count + 6000):
        for x in values:
            found = polar.softplus(x)
            n, error = found.fixed(count)
            truth = mp.log1p(mp.exp(mpf(max(x, polar.LEAST)))) if x < 1e4 else mpf(x)
            assert abs(mpf(n) - truth * mpf(2) ** (count - found.exponent)) <= error
            assert error <= 4 + 8 * (abs(n) >> count)  # of a large number it is relative


@pytest.mark.parametrize("x", [-20, -46, -47, -60, -300, 0, 3])
def test_intervals_of_softplus_hold(x):
    found = polar._softplus(reals.Digits(20), Fraction(x))
    with mp.workdps(400):
        low, truth, high = mpf(str(found.low)), mp.log1p(mp.exp(x)), mpf(str(found.high))
        assert low <= truth <= high and high - low <= mpf(10) ** -18 * max(truth, 1 if x > 0 else 0)


def test_pope_at_fractions_of_a_turn():
    """Angles 2 pi p / 12: cosine and sine are 0 and 1/2 exactly; a bias makes them transcendental again."""
    frequencies = refpos.frequencies.axial_frequencies((2,), times_pi=Fraction(1, 6))
    x, places = np.full((1, 4, 1), 2.0), [1, 2, 3, 6]
    found = refpos.rotary.pope(x, places, pairing="half", frequencies=frequencies)[0]
    one = mp.log1p(mp.exp(2))
    assert found[[0, 1], [1, 0]].tolist() == [float(one / 2)] * 2
    assert found[2].tolist() == [0.0, float(one)] and found[3].tolist() == [-float(one), 0.0]
    given = refpos.rotary.pope(x, places, pairing="half", frequencies=frequencies, magnitude="given")[0]
    assert given[0, 1] == given[1, 0] == 1.0 and given[2].tolist() == [0.0, 2.0]
    shifted = refpos.rotary.pope(x, places, pairing="half", frequencies=frequencies, bias=[[-0.5]])[0]
    for place, row in zip(places, shifted.tolist(), strict=True):
        angle = mp.pi * place / 6 - 0.5
        assert row == [float(one * mp.cos(angle)), float(one * mp.sin(angle))]


def test_pope_takes_patterns_and_lists():
    x = np.random.default_rng(14).standard_normal((3, 2)).astype(ml_dtypes.bfloat16)
    wanted = refpos.rotary.pope(x, 3, pairing="half")
    np.testing.assert_array_equal(refpos.rotary.pope(bits(x), 3, pairing="half", dtype="bfloat16"), bits(wanted))
    assert refpos.rotary.pope([[0.5, 1.0]], 1, pairing="half").shape == (1, 4)
    assert refpos.rotary.pope(np.zeros((0, 3)), 0, pairing="half").shape == (0, 6)


def test_pope_refusals():
    x = np.ones((2, 3, 4))
    cases = [
        ({"pairing": "block-half"}, "E_CHOICE", "pairing must be one of"),
        ({"magnitude": "relu"}, "E_CHOICE", "magnitude must be one of"),
        ({"bias": np.zeros((2, 3))}, "E_SHAPE", "bias must be"),
        ({"bias": np.full((2, 4), np.inf)}, "E_NUMBER", "bias must be finite"),
        ({"frequencies": refpos.inverse_frequencies(10)}, "E_SHAPE", "at most the 4 channels of x, got 5"),
        ({"frequencies": refpos.inverse_frequencies(8), "base": 5}, "E_BASE", "base must be left out"),
        ({"positions": 4}, "E_SHAPE", "positions must end in the sequence length 3"),
        ({"base": 0}, "E_BASE", "base must be"),
    ]
    for options, code, words in cases:
        with pytest.raises(refpos.InputError, match=words) as caught:
            refpos.rotary.pope(x, **{"positions": 3, "pairing": "half", **options})
        assert caught.value.code == code


# -- PaTH -------------------------------------------------------------------------------------------------------------


def householders(seq, dim, kind=np.float32):
    """q, k, w and beta of random numbers."""
    rng = np.random.default_rng(seq)
    q, k, w = rng.standard_normal((3, seq, dim)).astype(kind)
    return q, k, w / np.linalg.norm(w, axis=-1, keepdims=True), (rng.random(seq) * 2).astype(kind)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", DTYPES.values())
def test_path_is_the_witness(kind, dtype):
    given = [array.astype(kind) for array in householders(7, 3)]
    gate = np.log(np.random.default_rng(20).random(7)).astype(kind)
    found = bits(refpos.rotary.path(*given, gate=gate, dtype=dtype))
    wanted = generalised.path(*(array.astype(float) for array in given), gate.astype(float))
    masked = int(bits(np.array([-np.inf], DTYPES[dtype]))[0])
    for row, scores in zip(found.tolist(), wanted, strict=True):
        assert row == [masked if score is None else round_fraction(score, dtype) for score in scores]


def test_path_of_one_reflection_depends_on_distances():
    w = np.tile([[0.6, 0.8]], (6, 1))
    q, k = np.ones((6, 2)), np.tile([[1.0, -3.0]], (6, 1))
    beta = np.full(6, 2.0)
    found = refpos.rotary.path(q, k, w, beta, dtype="float32")
    for distance in range(5):
        assert len(set(np.diagonal(found, -distance).tolist())) == 1
    assert found[1, 0] != found[0, 0] == found[2, 0]


def test_path_in_heads_into_an_array_and_out_of_range():
    given = [np.stack([array, array[::-1]]) for array in householders(4, 3)]
    out = np.empty((2, 4, 4), np.uint16)
    assert refpos.rotary.path(*given, dtype="bfloat16", out=out) is out
    for head in range(2):
        one = refpos.rotary.path(*(array[head] for array in given), dtype="bfloat16")
        np.testing.assert_array_equal(out[head], bits(one))
    large = refpos.rotary.path([[1e30]], [[1e30]], [[0.0]], [0.0], dtype="float32")
    assert large[0, 0] == np.inf
    assert refpos.rotary.path(np.zeros((3, 0, 2)), *[np.zeros((3, 0, 2))] * 2, np.zeros((3, 0))).shape == (3, 0, 0)


def test_path_refusals():
    given = dict(zip(("q", "k", "w", "beta"), householders(3, 2), strict=True))
    cases = [
        ({"w": given["w"][:2]}, "E_SHAPE", r"w must have shape \(3, 2\) for q \(3, 2\), got \(2, 2\)"),
        ({"gate": np.zeros((3, 1))}, "E_SHAPE", "gate must have shape"),
        ({"q": np.float32(3)}, "E_SHAPE", "q must have a sequence axis"),
        ({"k": np.full((3, 2), np.nan)}, "E_NUMBER", "k must be finite"),
        ({"beta": np.arange(3)}, "E_DTYPE", "beta must have dtype"),
        ({"dtype": "int8"}, "E_DTYPE", "dtype must be one of"),
        ({"out": np.empty((3, 2))}, "E_OUT", "out must have shape"),
    ]
    for options, code, words in cases:
        with pytest.raises(refpos.InputError, match=words) as caught:
            refpos.rotary.path(**{**given, **options})
        assert caught.value.code == code
