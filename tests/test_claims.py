"""What papers claim about encodings: true and false claims are told apart, and wrong numbers never pass."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import tiers

import refpos
from refpos import claims
from refpos.arithmetic import formats, rounding
from refpos.claims import distance_only as rotary
from refpos.claims import exact, rotary_claims
from refpos.errors import InputError
from refpos.frequencies import axial_frequencies
from refpos.steps.distances import bias as toeplitz
from refpos.steps.scores import ordered_sums

FORMATS = ("float64", "float32", "float16")
GENERATORS = np.zeros((2, 1, 1, 3, 3))
GENERATORS[0, 0, 0, 0, 1], GENERATORS[0, 0, 0, 1, 0] = 1, -1
GENERATORS[1, 0, 0, 0, 2], GENERATORS[1, 0, 0, 2, 0] = 1, -1
AXES2, AXES3 = [[0, 1, 5, 2], [3, 0, 1, 1]], [[0, 1, 5, 2], [3, 0, 1, 1], [2, 2, 0, 7]]
HALF, PAIRS = {"pairing": "half"}, {"pairing": "interleaved"}


def qk(*shape, dtype="float64", seed=1):
    return np.random.default_rng(seed).normal(size=(2, *shape)).astype(dtype)


# -- rotary -----------------------------------------------------------------------------------------------------------

FREQUENCIES = {
    "frequencies": refpos.inverse_frequencies(8, base=500),
    "linear": refpos.linear(8, factor=4),
    "yarn": refpos.yarn(8, factor=4, original_max_position_embeddings=32),
    "llama3": refpos.llama3(
        8, factor=8, low_freq_factor=1, high_freq_factor=4, original_max_position_embeddings=64, base=10000
    ),
    "some are 0": refpos.frequencies.given_frequencies([1, 0.5, 0, 0]),
    "all are 0": refpos.frequencies.given_frequencies([0, 0, 0, 0]),
}


@pytest.mark.parametrize("dtype", [*FORMATS, "bfloat16"])
@pytest.mark.parametrize("pairing", ["half", "interleaved"])
@pytest.mark.parametrize("name", FREQUENCIES)
def test_rope_depends_on_the_distance_whatever_its_frequencies(name, pairing, dtype):
    q, k = qk(5, 12, dtype="float32" if dtype == "bfloat16" else dtype)
    more = {"pairing": pairing, "frequencies": FREQUENCIES[name]}
    if dtype == "bfloat16":
        q, k = ((part.view(np.uint32) >> 16).astype(np.uint16) for part in (q, k))
        more["dtype"] = dtype
    claim = claims.distance_only(refpos.rope, q, k, [0, 3, 4, 1000, 2**20], shift=2**20, **more)
    assert claim and claim.holds and claim.compared == 25 and claim.dtype == dtype
    assert 0 < claim.bound and (claim.ulp > 0) == (name != "all are 0")


ROTARY = {
    "grid": (refpos.rope_2d, (4, 8), (2, 2), (3, 1), {**PAIRS, "axis_order": "hw"}, True),
    "coordinates": (refpos.rope_2d, (5, 8), refpos.grid(1, refpos.coordinates.linspace(0, 2, 5)), (0, Fraction(1, 3)),
                    {**HALF, "axis_order": "wh"}, True),
    "volume": (refpos.rope_3d, (8, 12), (2, 2, 2), (1, 0, 5), {**PAIRS, "axis_order": "thw", "widths": (4, 4, 4)},
               True),
    "mrope": (refpos.mrope, (4, 12), AXES3, (7, 0, 1), {**HALF, "sections": (2, 2, 2), "arrangement": "interleaved"},
              True),
    "cells": (refpos.rope, (6, 8), refpos.grid(2, 3), (1, 2), {**HALF, "frequencies": axial_frequencies((4, 4))},
              True),
    "xpos": (refpos.rotary.xpos, (4, 8), 4, 100, {**PAIRS, "centring": "floor", "keys": {"downscale": True}}, True),
    "xpos, keys that grow": (refpos.rotary.xpos, (4, 8), 4, 100, {**PAIRS, "centring": "floor"}, False),
    "mixed": (refpos.rotary.mixed_rope, (2, 4, 6), AXES2, (1, 2), {**HALF, "weight": qk(2, 3)}, True),
    "polar": (refpos.rotary.pope, (1, 3, 4), 3, 2, {**HALF, "keys": {"bias": -np.ones((1, 4))}}, True),
    "lie": (refpos.rotary.liere, (1, 3, 3), [[0, 1, 2], [1, 1, 0]], (1, 0), {"generators": GENERATORS}, False),
    "lie, one axis": (refpos.rotary.liere, (1, 3, 3), [[0, 1, 2]], (1,), {"generators": GENERATORS[:1]}, True),
    "lie, parallel": (refpos.rotary.liere, (1, 3, 3), [[0, 1, 2], [1, 1, 0]], (1, 0),
                      {"generators": GENERATORS[[0, 0]] * np.array([1, -3.5])[:, None, None, None, None]}, True),
    "vjepa2": (refpos.rotary.vjepa2_rope, (4, 24), AXES3, (1, 0, 0), {}, False),
    "vjepa2, base 1": (refpos.rotary.vjepa2_rope, (4, 24), AXES3, (1, 0, 0), {"base": 1}, True),
    "vjepa2, one pair": (refpos.rotary.vjepa2_rope, (4, 8), AXES3, (1, 0, 0), {}, True),
    "hunyuan": (refpos.rotary.xdrope, (4, 12), AXES2, (1, 0), {"sections": (3, 3)}, False),
    "hunyuan, one axis": (refpos.rotary.xdrope, (4, 12), AXES2[:1], (1,), {"sections": (6,)}, True),
    "ernie": (refpos.rotary.ernie_image_rope, (4, 8), AXES2, (0, 1), {"widths": (4, 4), "base": 10000}, False),
    "tiled, neighbours": (claims.mixed_layouts, (4, 8), 4, 1, {**PAIRS, "table": "tiled"}, False),
    "repeated, halves": (claims.mixed_layouts, (4, 8), 4, 1, {**HALF, "table": "repeated"}, False),
    "tiled, halves": (claims.mixed_layouts, (4, 8), 4, 1, {**HALF, "table": "tiled"}, True),
    "repeated, neighbours": (claims.mixed_layouts, (4, 8), 4, 1, {**PAIRS, "table": "repeated"}, True),
}  # fmt: skip


def claim_of(name, dtype="float64"):
    encoding, shape, positions, shift, more, holds = ROTARY[name]
    q, k = qk(*shape, dtype=dtype)
    return claims.distance_only(encoding, q, k, positions, shift=shift, **more), holds


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("name", ROTARY)
def test_what_depends_on_the_distance_only(name, dtype):
    claim, holds = claim_of(name, dtype)
    assert claim.holds == holds == bool(claim) and claim.why
    # where the formula has not the property, the numbers are further apart than rounding explains, and say so
    assert (claim.difference <= claim.bound) == holds and "do not show" not in claim.why
    assert holds or claim.index is not None


def exactly(pairs, x):
    """Rows of x turned by (first channel, second channel, angle of the first, of the second) of each token."""
    y = [[mpmath.mpf(float(value)) for value in row] for row in x]
    for row, turns in zip(y, pairs, strict=True):
        for c1, c2, alpha, beta in turns:
            a, b = row[c1], row[c2]
            row[c1], row[c2] = (
                a * mpmath.cos(alpha) - b * mpmath.sin(alpha),
                b * mpmath.cos(beta) + a * mpmath.sin(beta),
            )
    return y


def theta(j, dim, base=10000):
    return mpmath.power(base, -mpmath.mpf(2 * j) / dim)


def tiled_blocks(where, dim):
    """V-JEPA 2: each axis has a block of m channels, neighbours are pairs, channel c takes frequency c mod m/2."""
    m = dim // 3 // 2 * 2
    for a, p in enumerate(where):
        for c in range(0, m, 2):
            yield a * m + c, a * m + c + 1, p * theta(c % (m // 2), m), p * theta((c + 1) % (m // 2), m)


def sections_of_tiles(where, dim):
    """HunYuan-VL with two equal sections: channels of the first half go by the first axis, the others by the second."""
    for i in range(dim // 2):
        yield i, i + dim // 2, where[0] * theta(i, dim), where[1] * theta(i, dim)


def repeated_in_halves(where, dim):
    """ERNIE-Image with two equal widths: angles of all axes in a row, each twice, channel i with channel i + dim/2."""
    angles = [p * theta(j, dim // 2) for p in where for j in range(dim // 4) for _ in range(2)]
    for i in range(dim // 2):
        yield i, i + dim // 2, angles[i], angles[i + dim // 2]


def tiles_of_neighbours(where, dim):
    for i in range(dim // 2):
        angles = [where[0] * theta(c % (dim // 2), dim) for c in (2 * i, 2 * i + 1)]
        yield 2 * i, 2 * i + 1, *angles


def repeats_of_halves(where, dim):
    for i in range(dim // 2):
        yield i, i + dim // 2, where[0] * theta(i // 2, dim), where[0] * theta((i + dim // 2) // 2, dim)


def plain(where, dim):
    for i in range(dim // 2):
        yield i, i + dim // 2, where[0] * theta(i, dim), where[0] * theta(i, dim)


@pytest.mark.parametrize(
    ("name", "turns"),
    [("vjepa2", tiled_blocks), ("vjepa2, one pair", tiled_blocks), ("hunyuan", sections_of_tiles),
     ("ernie", repeated_in_halves), ("tiled, neighbours", tiles_of_neighbours), ("tiled, halves", plain),
     ("repeated, halves", repeats_of_halves)],
)  # fmt: skip
def test_the_exact_scores_say_the_same(name, turns):
    """The formulas written once more, at 60 digits: how far a shift moves the scores, and where most."""
    claim, holds = claim_of(name)
    _, shape, positions, shift, _, _ = ROTARY[name]
    q, k = qk(*shape)
    tokens = list(zip(*positions, strict=True)) if isinstance(positions, list) else [(p,) for p in range(positions)]
    shift = np.atleast_1d(shift).tolist()
    with mpmath.workdps(60):
        scores = []
        for moved in (0, 1):
            where = [[p + moved * s for p, s in zip(token, shift, strict=True)] for token in tokens]
            turned = [exactly([turns(place, shape[-1]) for place in where], x) for x in (q, k)]
            scores.append([[mpmath.fdot(a, b) for b in turned[1]] for a in turned[0]])
        far = max(abs(a - b) for one, two in zip(*scores, strict=True) for a, b in zip(one, two, strict=True))
        assert (far < mpmath.mpf(10) ** -50) == holds
        assert holds or far > max(0.01, claim.difference - claim.bound)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_numbers_and_what_their_rounding_lost(dtype):
    """[1.5, 48] with one exponent: the numbers, and half of the last place of each, as integers times 2**exponent."""
    fmt, values = formats.resolve(dtype), np.array([1.5, 48.0])
    (found,) = exact.whole("x", [rounding.narrow(values, fmt)], fmt)
    unit = Fraction(2) ** found.exponent
    assert [number * unit for number in found.numbers.tolist()] == [Fraction(3, 2), 48]
    halves = [Fraction(2) ** -fmt.precision, 32 * Fraction(2) ** -fmt.precision]
    assert [half * unit for half in found.halves.tolist()] == halves


def test_the_lesson_is_what_is_said_of_it():
    x, p = np.array([[1.0, 2.0, 3.0, 4.0]]), 3
    for table, pairing, turns in (
        ("tiled", "interleaved", tiles_of_neighbours),
        ("repeated", "half", repeats_of_halves),
    ):
        with mpmath.workdps(60):
            wanted = [float(value) for value in exactly([turns([p], 4)], x)[0]]
        assert claims.mixed_layouts(x, [p], table=table, pairing=pairing)[0].tolist() == wanted
    with pytest.raises(InputError, match="must be one of"):
        claims.mixed_layouts(x, [p], table="half", pairing="half")


def test_text_does_not_show_what_an_image_shows():
    q, k = qk(6, 12)
    claim = claims.distance_only(refpos.rotary.xdrope, q, k, [range(6), range(6)], shift=(9, 9), sections=(3, 3))
    assert not claim and not claim.holds and claim.difference <= claim.bound
    assert claim.why.endswith("these numbers do not show it")


WRONG = {
    "a position more": lambda x, place: x * 0 + refpos.rope(x, [p + (p > 5) for p in range(len(x))], **HALF),
    "a factor": lambda x, place: x * (1 + 2.0**-45 * place),
    "turned back": lambda x, place: refpos.rope(x, [int(place)] * len(x), inverse=True, **HALF),
    "a constant": lambda x, place: x + 1e-12 * place,
}


@pytest.mark.parametrize("name", WRONG)
def test_numbers_that_are_wrong_are_found(name, monkeypatch):
    real = rotary.__globals__["_encoded"]

    def wrong(encoding, which, x, where, arguments):
        result = real(encoding, which, x, where, arguments)
        place = float(where[0].fractions()[0])
        return WRONG[name](result, place) if place else result

    q, k = qk(8, 8)
    right = claims.distance_only(refpos.rope, q, k, 8, shift=3, **HALF)
    monkeypatch.setitem(rotary.__globals__, "_encoded", wrong)
    claim = claims.distance_only(refpos.rope, q, k, 8, shift=3, **HALF)
    # a rotation of both by the same angle more changes no score
    assert right and claim.holds and bool(claim) == (name == "turned back")
    assert bool(claim) or claim.why.endswith("further apart than rounding explains")


@pytest.mark.parametrize("name", ["vjepa2", "hunyuan", "ernie", "tiled, neighbours", "lie", "xpos, keys that grow"])
def test_a_rule_that_is_wrong_is_found(name, monkeypatch):
    monkeypatch.setitem(rotary_claims.RULES, claim_name(name), rotary_claims.one_angle)
    claim, _ = claim_of(name)
    assert claim.holds and not claim and claim.why.endswith("further apart than rounding explains")


def claim_name(name):
    return ROTARY[name][0].__name__


def test_equal_frequencies_of_two_bases_are_not_told_apart_for_ever():
    third = refpos.inverse_frequencies(4, base=9)  # 1 and 1/3
    assert rotary_claims.same_angle(third, 0, 1, 0, 0) is False
    assert rotary_claims.same_angle(refpos.frequencies.given_frequencies([0.5, 0.5]), 0, 1, 0, 0) is True
    assert rotary_claims.same_angle(refpos.frequencies.given_frequencies([0.0, 0.0]), 0, 1, 0, 1) is True
    assert rotary_claims.same_angle(refpos.frequencies.given_frequencies([0.5, 0.5]), 0, 1, 0, 1) is False
    twice = refpos.inverse_frequencies(6, base=2)
    both = rotary_claims.Angles(axial_frequencies((6, 6), base=2), None, None).frequencies
    assert rotary_claims.same_angle(twice, 1, 2, 0, 0) is False
    with pytest.raises(InputError, match="4096 bits"):
        rotary_claims.same_angle(both, 1, 4, 0, 0)


@pytest.mark.parametrize(
    ("change", "code"),
    [({"q": np.empty((0, 8)), "k": np.empty((0, 8)), "positions": 0}, "E_SHAPE"), ({"shift": 0}, "E_NUMBER"),
     ({"q": np.empty((3, 0)), "k": np.empty((3, 0))}, "E_SHAPE"), ({"k": np.ones((3, 8), "f4")}, "E_SHAPE"),
     ({"k": np.ones((2, 8))}, "E_SHAPE"), ({"q": np.full((3, 8), np.nan)}, "E_NUMBER"), ({"positions": 4}, "E_SHAPE"),
     ({"shift": (1, 2)}, "E_SHAPE"), ({"keys": {"base": 3}}, "E_CHOICE"), ({"encoding": refpos.sinusoidal}, "E_CHOICE"),
     ({"q": np.full((3, 8), 1e308), "k": np.full((3, 8), 1e308)}, "E_NUMBER"), ({"shift": 2.0**60}, "E_POSITION")],
)  # fmt: skip
def test_nothing_passes_without_a_comparison(change, code):
    call = {"encoding": refpos.rope, "q": np.ones((3, 8)), "k": np.ones((3, 8)), "positions": 3, "shift": 1, **HALF}
    assert claims.distance_only(**call)
    with pytest.raises(InputError) as error:
        claims.distance_only(**{**call, **change})
    assert error.value.code == code


# -- biases and tables ------------------------------------------------------------------------------------------------

TABLE = qk(16, 3)[0]
BIASES = {
    "alibi": (refpos.alibi, (6, 7, 9), {}, 3, True),
    "alibi, linear": (refpos.alibi, (6, 7, 9), {"mode": "linear", "dtype": "float16"}, 3, True),
    "alibi, first key": (refpos.alibi, (6, 7, 9), {"mode": "linear", "anchor": "key"}, 3, False),
    "alibi, last key": (refpos.alibi, (6, 7, 9), {"mode": "causal", "anchor": "last"}, 3, False),
    "t5": (refpos.t5_bias, (qk(32, 2)[0], 30, 40), {"bidirectional": True}, 11, True),
    "relative": (refpos.relative_bias, (qk(7, 2)[0], 8, 6), {"sign": "key-query"}, 2, True),
    "bfloat16": (refpos.relative_bias, (np.arange(7, dtype=np.uint16)[:, None], 8, 6), {"sign": "absolute"}, 2, True),
    "kerple": (refpos.relative.kerple, ([0.5, 1.5], [1.0, 0.1], 6, 6), {"kind": "power"}, 1, True),
    "sandwich": (refpos.relative.sandwich, (2, 6, 6), {"dim": 6, "first": 1, "subtract": True}, 2, True),
    "decay": (refpos.relative.decay, (4, 6, 6), {"rule": "retnet"}, 2, True),
    "window": (refpos.window_bias, (qk(45, 2)[0], 3, 5), {"sign": "query-key"}, (1, 2), True),
    "window, class": (
        refpos.window_bias,
        (qk(48, 2)[0], 3, 5),
        {"sign": "query-key", "class_token": True},
        (0, 4),
        True,
    ),
    "window, view": (refpos.window_bias, (qk(45, 2)[0], 3, 5), {"sign": "key-query", "view": True}, (2, 0), True),
    "patches": (refpos.relative.alibi_2d, (4, 3, 5), {"class_token": True}, (1, 1), True),
    "learned": (refpos.learned, (TABLE, 16), {}, 1, False),
    "learned, constant": (refpos.learned, (TABLE[[2] * 16], 16), {}, 1, True),
    "sinusoidal": (refpos.sinusoidal, (16, 6), {"dtype": "bfloat16"}, 5, False),
}


@pytest.mark.parametrize("name", BIASES)
def test_what_a_shift_leaves_as_it_is(name):
    encoding, arguments, options, shift, holds = BIASES[name]
    claim = claims.shift_invariant(encoding, *arguments, shift=shift, **options)
    assert claim.holds == holds == bool(claim) and claim.compared > 0 and claim.bound == 0
    assert (claim.ulp, claim.index, claim.difference) == (0, None, 0) if holds else claim.difference > 0


def test_how_many_numbers_a_shift_compares():
    def compared(name):
        encoding, arguments, options, shift, _ = BIASES[name]
        return claims.shift_invariant(encoding, *arguments, shift=shift, **options).compared

    assert compared("alibi") == 6 * (7 - 3) * (9 - 3) and compared("learned") == 15 * 3
    assert compared("window") == 2 * ((3 - 1) * (5 - 2)) ** 2 and compared("window, class") == 2 * (3 * (5 - 4)) ** 2
    assert compared("patches") == 4 * (2 * 4) ** 2


def test_the_difference_of_an_anchor_is_slope_times_shift():
    claim = claims.shift_invariant(refpos.alibi, 2, 6, 6, mode="linear", anchor="key", max_bias=2, shift=4)
    assert claim.difference == 4 * 2.0**-1 and claim.index[0] == 0


def test_a_bias_that_is_wrong_in_one_place_is_found(monkeypatch):
    real = toeplitz.expand

    def wrong(values, stored, threads):
        real(values, stored, threads)
        stored[1, 4, 3] = np.nextafter(stored[1, 4, 3], 1)

    monkeypatch.setattr(toeplitz, "expand", wrong)
    for name in ("alibi, linear", "t5", "decay", "sandwich", "kerple"):
        encoding, arguments, options, _, _ = BIASES[name]
        claim = claims.shift_invariant(encoding, *arguments, shift=1, **{**options, **DOUBLE.get(name, {})})
        assert claim.holds and not claim and claim.ulp == 1 and claim.why.endswith("than rounding explains")


DOUBLE = {"alibi, linear": {"dtype": "float64"}}


@pytest.mark.parametrize(
    ("name", "shift"),
    [("alibi", 0), ("alibi", 7), ("alibi", -1), ("alibi", (1, 1)), ("window", (0, 0)), ("window", (3, 0)),
     ("window", 1), ("learned", 16), ("patches", (1, 1, 1))],
)  # fmt: skip
def test_a_shift_that_compares_nothing_is_refused(name, shift):
    encoding, arguments, options, _, _ = BIASES[name]
    with pytest.raises(InputError, match="shift"):
        claims.shift_invariant(encoding, *arguments, shift=shift, **options)


def test_what_has_no_positions_to_move_is_refused():
    for arguments in ((4, 0, 0), (4, 1, 5), (4, 0, 9)):
        with pytest.raises(InputError, match="at least 2"):
            claims.shift_invariant(refpos.alibi, *arguments, shift=1)
    with pytest.raises(InputError, match="stride must be 1"):
        claims.shift_invariant(refpos.window_bias, qk(16, 2)[0], 4, 4, sign="absolute", stride=2, shift=(1, 1))
    with pytest.raises(InputError, match="encoding must be"):
        claims.shift_invariant(refpos.rope, 4, 4, shift=1)


# -- attention without positions --------------------------------------------------------------------------------------

ORDER = [3, 1, 5, 0, 2, 4, 7, 6]


def attention(shape=(2, 8, 4), **options):
    q, k, v = np.random.default_rng(3).normal(size=(3, *shape))
    return claims.permutation_equivariant(q, k, v, **{"order": ORDER, **options})


def test_attention_without_positions_does_not_know_the_order():
    plain = attention()
    assert plain and plain.compared == 64 and 0 < plain.difference < plain.bound < 1e-13
    assert plain.ulp > 0  # sums in another order
    assert attention(bias=np.ones((8, 8))) and attention(mask=np.ones((8, 8), bool))
    # the softmax is blind to what all keys of a query have
    assert attention(bias=np.arange(8.0)[:, None] * 0.3)
    # two classes of tokens, whose order stays
    same = np.zeros((8, 8))
    same[:6, :6] = 1
    assert attention(bias=same)
    assert attention(mask=same.astype(bool))


@pytest.mark.parametrize(
    ("options", "why"),
    [({"mask": np.tri(8, dtype=bool)}, "sees key"), ({"bias": refpos.alibi(2, 8, 8, mode="linear")}, "another after"),
     ({"bias": refpos.alibi(2, 8, 8)}, "sees key"),
     ({"bias": refpos.t5_bias(qk(32, 2)[0], 8, 8, bidirectional=True)}, "another after"),
     ({"bias": np.arange(8.0)}, "another after"), ({"bias": np.eye(8) * 2.0**-40, "order": ORDER}, None)],
)  # fmt: skip
def test_positions_tell_the_order(options, why):
    claim = attention(**options)
    assert claim.holds == bool(claim) == (why is None) and (why or "as before") in claim.why
    assert (claim.difference <= claim.bound) == (why is None)


def test_an_added_table_is_no_secret():
    """x + PE: the same tokens in another order have other rows."""
    x, table = qk(8, 4)[0], refpos.sinusoidal(8, 4)
    one, other = x + table, x[ORDER] + table
    right = ordered_sums.softmax(ordered_sums.matmul(one, one.T)) @ one
    wrong = ordered_sums.softmax(ordered_sums.matmul(other, other.T)) @ other
    assert abs(wrong - right[ORDER]).max() > 0.1


def test_a_sum_that_forgets_a_key_is_found(monkeypatch):
    monkeypatch.setattr(ordered_sums, "total", lambda x, threads=None: x[..., :-1].sum(-1))
    claim = attention()
    assert claim.holds and not claim and claim.why.endswith("than rounding explains")


@pytest.mark.parametrize(
    ("change", "code"),
    [({"order": list(range(8))}, "E_NUMBER"), ({"order": [0] * 8}, "E_NUMBER"), ({"order": ORDER[:5]}, "E_NUMBER"),
     ({"shape": (2, 0, 4), "order": []}, "E_SHAPE"), ({"shape": (2, 8, 0)}, "E_SHAPE"),
     ({"shape": (0, 8, 4)}, "E_SHAPE"), ({"bias": np.full((8, 8), np.nan)}, "E_NUMBER"),
     ({"mask": np.ones((8, 8))}, "E_SHAPE"), ({"bias": np.ones((3, 3))}, "E_SHAPE"), ({"scale": np.inf}, "E_NUMBER"),
     ({"scale": 1e308}, "E_NUMBER")],
)  # fmt: skip
def test_no_permutation_without_a_comparison(change, code):
    with pytest.raises(InputError) as error:
        attention(**change)
    assert error.value.code == code


# -- the matrix of a shift --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*FORMATS, "bfloat16"])
@pytest.mark.parametrize("layout", tiers.sampled(["interleaved", "sin-cos", "cos-sin"], 2))
@pytest.mark.parametrize("endpoint", [False, True])
def test_a_shift_of_the_sinusoidal_table_is_linear(endpoint, layout, dtype):
    where = [0, 1, -3, 0.5, 2**20]
    claim = claims.shift_is_linear(where, 12, shift=2**20, layout=layout, endpoint=endpoint, dtype=dtype)
    assert claim and claim.compared == 60 and 0 < claim.ulp and claim.difference > claim.bound / 100
    assert claims.shift_is_linear(where, 12, shift=-0.75, layout=layout, endpoint=endpoint, dtype=dtype)


def test_no_matrix_makes_a_row_from_zeros():
    claim = claims.shift_is_linear(5, 8, shift=3, zero_row=1)
    assert not claim.holds and not claim and claim.difference > 0.5 and claim.index[0] == 1
    behind = claims.shift_is_linear(5, 8, shift=3, zero_row=100)
    assert not behind.holds and behind.why.endswith("these numbers do not show it")


@pytest.mark.parametrize("wrong", ["transposed", "sign", "float32", "another position", "another width"])
def test_a_wrong_matrix_is_found(wrong, monkeypatch):
    scope = claims.shift_is_linear.__globals__
    real = refpos.absolute.shift_matrix

    def matrix(offset, dim, **options):
        if wrong == "another position":
            return real(offset + Fraction(1, 2**40), dim, **options)
        if wrong == "another width":
            return real(offset, dim, **{**options, "base": 10001})
        right = real(offset, dim, **options)
        return {"transposed": right.T, "sign": -right, "float32": right.astype("f4").astype("f8")}[wrong]

    monkeypatch.setitem(scope, "shift_matrix", matrix)
    claim = claims.shift_is_linear(5, 8, shift=3)
    assert claim.holds and not claim and claim.why.endswith("than rounding explains")


@pytest.mark.parametrize(
    ("change", "code"),
    [({"positions": 0}, "E_SHAPE"), ({"positions": []}, "E_SHAPE"), ({"shift": 0}, "E_NUMBER"),
     ({"dim": 7}, "E_ODD_DIM"), ({"dim": 0}, "E_ODD_DIM"),
     ({"shift": None}, "E_NUMBER"), ({"layout": "half"}, "E_CHOICE")],
)  # fmt: skip
def test_no_matrix_without_a_comparison(change, code):
    with pytest.raises(InputError) as error:
        claims.shift_is_linear(**{"positions": 3, "dim": 8, "shift": 1, **change})
    assert error.value.code == code


def test_a_claim_says_what_it_is():
    claim = claims.shift_is_linear(3, 4, shift=1, dtype="float32")
    assert str(claim).startswith("holds: the sum theorem") and "12 numbers of float32" in str(claim)
    false = claims.shift_is_linear(3, 4, shift=1, zero_row=0)
    assert str(false).startswith("does not hold: row 0") and "at (0, " in str(false)
