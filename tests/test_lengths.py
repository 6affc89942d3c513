"""Beyond the trained length: xPos, Self-Extend, ReRoPE, dual chunk attention and the factors on queries.

Values against the witness bit for bit, at random and in every golden case; positions and distances against what the
projects' code computes, written again with torch in float64; and what the papers promise, with derived bounds.
"""

import random
from dataclasses import replace
from fractions import Fraction

import ml_dtypes
import mpmath
import numpy as np
import pytest
from witness import lengths as witness
from witness.digits import patterns, round_fraction

import refpos
from refpos import coordinates
from refpos.arithmetic import powers, reals
from refpos.positions import self_extend_distances
from refpos.steps.waves import scaled_rotation

FORMATS = ("float64", "float32", "float16", "bfloat16")


def bits(array):
    return array.view(f"u{array.dtype.itemsize}")


def dtype_of(name):
    return ml_dtypes.bfloat16 if name == "bfloat16" else np.dtype(name)


def assert_same(found, wanted, what=""):
    assert found.shape == wanted.shape and found.dtype == wanted.dtype, (found.shape, wanted.shape, what)
    wrong = np.argwhere(found != wanted)
    if len(wrong):
        at = tuple(wrong[0])
        raise AssertionError(f"{len(wrong)} of {found.size} differ, {at}: {found[at]!r} for {wanted[at]!r}, {what}")


# -- xPos against the witness -----------------------------------------------------------------------------------------


def places(rng, kind, count):
    """Positions of one kind."""
    if kind == "run":
        return np.arange(count) + int(rng.integers(0, 9000))
    if kind == "descending":
        return np.arange(count)[::-1] * int(rng.integers(1, 99)) - 50
    if kind == "scattered":
        return rng.integers(-(2**20), 2**20, count)
    if kind == "far":
        return rng.integers(-(2**53), 2**53, count, endpoint=True)
    if kind == "eighths":
        return rng.integers(-(2**14), 2**14, count) / 8
    assert kind == "floats"
    return np.ldexp(rng.uniform(-1, 1, count), rng.integers(-40, 40, count))


def options(chooser, kind):
    """Random parameters; the lengths are such that the powers stay within float64, mostly."""
    found = {
        "centring": chooser.choice(["floor", "ceil"]),
        "downscale": chooser.random() < 0.5,
        "length": chooser.choice([None, 0, 5000, 131071]),
        "scale_base": chooser.choice([512, 512, 1000, 300.5, 1]),
        "gamma": chooser.choice([Fraction(2, 5), Fraction(2, 5), 0.4, 1, 3.75]),
    }
    if kind == "far":
        found.update(scale_base=chooser.choice([1e12, 2**53]), length=chooser.choice([None, 0, 2**53]))
    return found


def random_calls(seed, rounds=3):
    rng, chooser = np.random.default_rng(seed), random.Random(seed)
    for kind in ("run", "descending", "scattered", "far", "eighths", "floats") * rounds:
        yield rng, chooser, places(rng, kind, 24), options(chooser, kind)


def as_asked(given):
    """The options as the function takes them: gamma 2/5 by its default."""
    return {**given, "gamma": None} if given["gamma"] == Fraction(2, 5) else given


@pytest.mark.exhaustive
@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("name", FORMATS)
def test_xpos_is_the_witness_bit_for_bit(name):
    seen = 0
    for rng, chooser, positions, given in random_calls(FORMATS.index(name)):
        width = chooser.choice([2, 6, 20])
        rotary = chooser.choice([None, 2, width])
        x = (rng.standard_normal((len(positions), width)) * 2.0 ** rng.integers(-12, 9)).astype(dtype_of(name))
        x[3, 0], x[4], x[5, -1] = 0, 0, -0.0
        turn = {"pairing": chooser.choice(["half", "interleaved"]), "inverse": chooser.random() < 0.3}
        turn.update(base=chooser.choice([10000, 5e5, 20000.5]), rotary_dim=rotary)
        found = refpos.rotary.xpos(x, positions, **turn, **as_asked(given))
        wanted = witness.xpos(x.astype(np.float64), positions, name, **turn, **given)
        assert_same(bits(found), wanted, (positions[:3], turn, given))
        seen += len(np.unique(wanted))
    assert seen > 2000


@pytest.mark.exhaustive
@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("name", FORMATS)
def test_factors_and_tables_are_the_witness_bit_for_bit(name):
    for _, chooser, positions, given in random_calls(10 + FORMATS.index(name), 2):
        width = chooser.choice([2, 6, 20])
        found = refpos.rotary.xpos_scale(positions, width, dtype=name, **as_asked(given))
        assert_same(bits(found), patterns(witness.xpos_scale(positions, width, **given), name), given)
        tables = refpos.rotary.xpos_table(positions, refpos.inverse_frequencies(width), dtype=name, **as_asked(given))
        for found, digits in zip(tables, witness.xpos_table(positions, width, **given), strict=True):
            assert_same(bits(found), patterns(digits, name), given)


def test_the_witness_of_the_factors_agrees_with_mpmath():
    mpmath.mp.prec = 300
    for _, _, positions, given in random_calls(30, 1):
        digits = witness.xpos_scale(positions, 6, **given)
        first = witness.smallest(
            max(map(Fraction, positions.tolist())) + 1 if given["length"] is None else given["length"],
            given["centring"],
        )
        for row, place in enumerate(map(Fraction, positions.tolist())):
            raised = (place + first) / Fraction(given["scale_base"]) * (-1 if given["downscale"] else 1)
            for j in range(3):
                zeta = (2 * j + Fraction(given["gamma"]) * 6) / ((1 + Fraction(given["gamma"])) * 6)
                value = mpmath.power(mpmath.mpf(zeta.numerator) / zeta.denominator,
                                     mpmath.mpf(raised.numerator) / raised.denominator)  # fmt: skip
                if 2.0**-500 < value < 2.0**500:
                    near = Fraction(int(mpmath.floor(mpmath.ldexp(value, 800))), 2**800)
                    assert patterns(digits[row : row + 1, j], "float64")[0] == round_fraction(near, "float64")


def test_what_is_not_finite_or_zero_follows_ieee():
    x = np.array([[np.inf, 1, np.nan, 1], [0.0, -0.0, -0.0, 3], [1, -np.inf, 0, 0], [-0.0, -0.0, 2, -0.0]])
    for positions in (np.arange(4), np.array([0, 0, 2**40, 2**52]), np.array([0, 0, 0, 0])):
        for given in ({"downscale": False}, {"downscale": True}):
            turn = {"pairing": "half", "centring": "ceil", **given}
            assert_same(
                bits(refpos.rotary.xpos(x, positions, **turn)), witness.xpos(x, positions, "float64", **turn), positions
            )


def test_the_slow_path_alone_gives_the_same_bits(monkeypatch):
    x = np.random.default_rng(5).standard_normal((9, 6)).astype(np.float32)
    calls = [lambda: refpos.rotary.xpos(x, 9, pairing="half", centring="ceil"),
    lambda: refpos.rotary.xpos_scale(9, 6, centring="floor"),
             lambda: refpos.rotary.xpos_table(9, refpos.inverse_frequencies(6), centring="ceil")[1]]  # fmt: skip
    fast = [call() for call in calls]
    monkeypatch.setattr(scaled_rotation, "PAIR_RADIUS", 2.0)
    monkeypatch.setattr(scaled_rotation, "DOUBLE_RADIUS", 2.0)
    for call, wanted in zip(calls, fast, strict=True):
        assert_same(bits(call()), bits(wanted))


def test_the_fast_path_errs_by_less_than_its_radius():
    # the powers as pairs and in double, against the slow path's
    bases = tuple(witness.zeta(j, 64) for j in (0, 7, 31))
    step, start = Fraction(1, 512), Fraction(-700, 512)
    numbers = np.random.default_rng(6).integers(0, 2**54, 300)
    for pairs, most in ((True, 2.0**-99), (False, 2.0**-48.7)):
        found = powers.scaled_powers(bases, start, step, numbers, 2**54, reals.rational(1), pairs)
        worst = 0
        for row, k in enumerate(numbers.tolist()):
            for j, base in enumerate(bases):
                n, e = powers.floating(base, start + step * k, 256)
                low = Fraction(0) if found.low is None else Fraction(found.low[row, j])
                near = (Fraction(found.high[row, j]) + low) / n
                error = abs(near * Fraction(2) ** (int(found.exponent[row, j]) - e) - 1)
                worst = max(worst, error)
        assert worst < most
        assert worst > most / 64  # the bound is no guess
        lows = 0.0 if found.low is None else np.abs(found.low / found.high)
        assert np.all(lows <= 2.0**-53), "what rotation_power_pairs.g takes as given"


# -- xPos: what it promises -------------------------------------------------------------------------------------------


def score(q, k):
    """(q . k exactly, a bound on what rounding q and k changed)."""
    products = [Fraction(a) * Fraction(b) for a, b in zip(q.tolist(), k.tolist(), strict=True)]
    return sum(products), sum(map(abs, products)) * Fraction(2) ** -51


@pytest.mark.parametrize("pairing", ["half", "interleaved"])
def test_scores_depend_on_distances_alone_and_the_centre_cancels(pairing):
    rng = np.random.default_rng(7)
    q, k = rng.standard_normal((2, 1, 16))
    known = []
    for m, n in ((5, 2), (105, 102), (4103, 4100)):
        for centring in ("ceil", "floor"):
            for length in (None, 0, 777, 8192):
                # with no length each would take its own centre
                shared = {
                    "pairing": pairing,
                    "centring": centring,
                    "length": max(m, n) + 1 if length is None else length,
                }
                known.append(
                    score(
                        refpos.rotary.xpos(q, [m], **shared)[0], refpos.rotary.xpos(k, [n], downscale=True, **shared)[0]
                    )
                )
    for value, bound in known[1:]:
        assert abs(value - known[0][0]) <= bound + known[0][1]
    other, bound = score(
        refpos.rotary.xpos(q, [6], **shared)[0], refpos.rotary.xpos(k, [2], downscale=True, **shared)[0]
    )
    assert abs(other - known[0][0]) > bound + known[0][1]


def test_scores_fade_with_the_distance():
    ones = np.ones((1, 64))
    shared = {"pairing": "half", "centring": "ceil", "length": 4096}
    norms = refpos.rotary.xpos_scale([0, 1, 100, 4095], 64, centring="ceil", length=4096)
    assert (np.diff(norms, axis=0) < 0).all() and (np.diff(norms[0]) < 0).all()
    keys = refpos.rotary.xpos_scale([0, 1, 100, 4095], 64, centring="ceil", length=4096, downscale=True)
    product = norms * keys
    assert np.abs(product - 1).max() <= 2.0**-52
    # at equal positions nothing is left of the factor
    value, bound = score(
        refpos.rotary.xpos(ones, [9], **shared)[0], refpos.rotary.xpos(ones, [9], downscale=True, **shared)[0]
    )
    assert abs(value - 64) <= bound


def test_the_token_in_the_middle_is_only_rotated():
    x = np.random.default_rng(8).standard_normal((5, 8)).astype(np.float32)
    for centring, row in (("ceil", 3), ("floor", 2)):
        found = refpos.rotary.xpos(x, 5, pairing="half", centring=centring)
        rotated = refpos.rope(x, 5, pairing="half")
        assert_same(bits(found[row]), bits(rotated[row]))
        assert (found != rotated).any(1).sum() == 4


def test_decoding_one_token_gives_the_row_of_the_whole():
    x = np.random.default_rng(9).standard_normal((50, 8))
    for centring in ("ceil", "floor"):
        whole = refpos.rotary.xpos(x, 50, pairing="interleaved", centring=centring)
        for given in ({}, {"length": 50}):
            one = refpos.rotary.xpos(x[-1:], [49], pairing="interleaved", centring=centring, **given)
            assert_same(bits(one[0]), bits(whole[-1]))


def test_layouts_memory_and_threads_change_no_bit():
    x = np.random.default_rng(10).standard_normal((2, 3, 40, 10)).astype(np.float32)
    turn = {"centring": "ceil", "rotary_dim": 8}
    wanted = refpos.rotary.xpos(x, 40, pairing="half", **turn)
    order = np.r_[np.arange(8).reshape(2, 4).T.reshape(-1), 8, 9]
    assert_same(bits(refpos.rotary.xpos(x[..., order], 40, pairing="interleaved", **turn)), bits(wanted[..., order]))
    assert_same(bits(refpos.rotary.xpos(x.transpose(0, 2, 1, 3), 40, pairing="half", seq_axis=-3, **turn)),
         bits(np.ascontiguousarray(wanted.transpose(0, 2, 1, 3))))  # fmt: skip
    assert_same(bits(refpos.rotary.xpos(x.astype(">f4"), 40, pairing="half", **turn)), bits(wanted))
    for threads in (1, 3):
        assert_same(bits(refpos.rotary.xpos(x, 40, pairing="half", threads=threads, **turn)), bits(wanted))
    out = np.empty_like(x)
    assert refpos.rotary.xpos(x, 40, pairing="half", out=out, **turn) is out
    assert_same(bits(out), bits(wanted))
    copy = x.copy()
    assert refpos.rotary.xpos(copy, 40, pairing="half", out=copy, **turn) is copy
    assert_same(bits(copy), bits(wanted))
    rows = np.broadcast_to(np.arange(40), (2, 40))
    assert_same(
        bits(refpos.rotary.xpos(x[:, 0], rows, pairing="half", **turn)), bits(np.ascontiguousarray(wanted[:, 0]))
    )
    assert_same(bits(refpos.rotary.xpos(x, 40, pairing="half", dtype=None, **turn)), bits(wanted))


def test_a_scaling_and_its_attention_factor_go_into_the_product():
    # integers times 3/4 are exact in each format
    x = np.random.default_rng(11).integers(-9, 9, (6, 8)).astype(np.float32)
    factor = replace(refpos.inverse_frequencies(8), factor=reals.rational(Fraction(3, 4)))
    options = {"pairing": "half", "centring": "floor"}
    for name in FORMATS:
        found = refpos.rotary.xpos(x.astype(dtype_of(name)), 6, frequencies=factor, **options)
        assert_same(bits(found), bits(refpos.rotary.xpos((0.75 * x).astype(dtype_of(name)), 6, **options)))
    yarn = refpos.yarn(8, factor=4, original_max_position_embeddings=64)
    assert yarn.attention_factor != 1
    found = refpos.rotary.xpos(x.astype(np.float64), 6, frequencies=yarn, **options)
    rotated = refpos.rope(x.astype(np.float64), 6, pairing="half", frequencies=yarn)
    scale = np.tile(refpos.rotary.xpos_scale(6, 8, centring="floor"), 2)
    # two roundings and a product in place of one rounding
    assert (np.abs(found - rotated * scale) <= 2.0**-51 * np.abs(found)).all()
    tables = refpos.rotary.xpos_table(6, yarn, centring="floor")
    units = np.tile([1.0] * 4 + [0.0] * 4, (6, 1))
    assert_same(bits(refpos.rotary.xpos(units, 6, frequencies=yarn, **options)), bits(np.concatenate(tables, 1)))


# -- positions and distances against the witness ----------------------------------------------------------------------

EDGES = sorted({abs(v) for n in (0, 4, 12, 13, 24, 96, 1000) for v in (n - 1, n, n + 1)})


def pairs_of(rule, queries, keys):
    found = [[rule(i, j) for j in keys] for i in queries]
    return [[p[0] for p in row] for row in found], [[p[1] for p in row] for row in found]


@pytest.mark.parametrize("shift", ["floor", "exact"])
@pytest.mark.parametrize("group, window", [(2, 4), (3, 4), (6, 1024), (8, 1024), (7, 13), (1, 5), (5, 1), (20, 12)])
def test_self_extend_pair_by_pair(group, window, shift):
    for queries in (range(20), EDGES, [998], []):
        keys = [*range(20), 700, 2000]
        rule = {"group_size": group, "neighbor_window": window, "shift": shift}
        rest = max(queries, default=0), group, window, shift
        regions, distances = pairs_of(lambda i, j, rest=rest: witness.self_extend_pair(i, j, *rest), queries, keys)
        if queries:
            assert_same(
                refpos.positions.window_regions(list(queries), keys, window=window), np.array(regions, np.int64)
            )
        for name in ("int64",) if shift == "floor" else FORMATS:
            wanted = witness.rounded(distances, name) if queries else np.empty((0, len(keys)))
            found = self_extend_distances(list(queries), keys, **rule, dtype=name) if name != "bfloat16" else (
                self_extend_distances(list(queries), keys, **rule, dtype=name,
                                             out=np.empty((len(queries), len(keys)), np.uint16)))  # fmt: skip
            if queries:
                assert_same(found if name == "int64" else bits(found), wanted)
            assert found.shape == wanted.shape


@pytest.mark.parametrize("factor", [None, 1, 2, 16, 3, 2.5, Fraction(7, 3)])
@pytest.mark.parametrize("window", [1, 3, 12, 512])
def test_rerope_pair_by_pair(window, factor):
    for queries in (range(20), EDGES, [131071]):
        keys = [*range(20), 700, 2000]
        regions, distances = pairs_of(lambda i, j: witness.rerope_pair(i, j, window, factor), queries, keys)
        assert_same(refpos.positions.window_regions(list(queries), keys, window=window), np.array(regions, np.int64))
        for name in ("int64",) if factor in (None, 1) else ("float64", "float32", "float16"):
            found = refpos.positions.rerope_distances(list(queries), keys, window=window, factor=factor, dtype=name)
            assert_same(found if name == "int64" else bits(found), witness.rounded(distances, name))
    causal = refpos.positions.rerope_distances(30, 30, window=window)
    apart = np.subtract.outer(np.arange(30), np.arange(30))
    assert (causal[apart >= 0] == np.minimum(apart, window)[apart >= 0]).all()


@pytest.mark.parametrize("version", ["paper", "chunkllama"])
@pytest.mark.parametrize("chunk, local", [(10, 4), (10, 0), (12, 4), (96, 24), (20, 10), (2, 1)])
def test_dual_chunks_pair_by_pair(chunk, local, version):
    queries, keys = [*range(40), *EDGES], [*range(40), 700, 2000]
    regions, distances = pairs_of(lambda i, j: witness.dual_chunk_pair(i, j, chunk, local, version), queries, keys)
    after = np.less.outer(np.array(queries), np.array(keys))
    size = {"chunk_size": chunk, "local_size": local}
    assert_same(refpos.positions.dual_chunk_regions(queries, keys, **size), np.where(after, -1, np.array(regions)))
    found = refpos.positions.dual_chunk_distances(queries, keys, **size, version=version)
    assert_same(found, np.where(after, 0, witness.rounded(distances, "int64")))
    top = chunk - 1 if version == "paper" else chunk
    assert found.min() >= 0 and found.max() <= top
    # the nearest keys have their own distance
    apart = np.subtract.outer(np.array(queries), np.array(keys))
    near = (apart >= 0) & (apart <= local) & (apart < chunk - local)
    assert (found == apart)[near].all()


#: what the author of datamllab/LongLM issue 40 printed
ISSUE_40 = {
    "self-extend": [
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0, 0, 0, 0, 0],
        [3, 2, 1, 0, 0, 0, 0, 0, 0, 0], [4, 3, 2, 1, 0, 0, 0, 0, 0, 0], [4, 4, 3, 2, 1, 0, 0, 0, 0, 0],
        [5, 5, 4, 3, 2, 1, 0, 0, 0, 0], [5, 5, 4, 4, 3, 2, 1, 0, 0, 0], [6, 6, 5, 5, 4, 3, 2, 1, 0, 0],
        [6, 6, 5, 5, 4, 4, 3, 2, 1, 0],
    ],
    "rerope": [
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0, 0, 0, 0, 0],
        [3, 2, 1, 0, 0, 0, 0, 0, 0, 0], [4, 3, 2, 1, 0, 0, 0, 0, 0, 0], [5, 4, 3, 2, 1, 0, 0, 0, 0, 0],
        [6, 5, 4, 3, 2, 1, 0, 0, 0, 0], [6, 6, 5, 4, 3, 2, 1, 0, 0, 0], [6, 6, 6, 5, 4, 3, 2, 1, 0, 0],
        [6, 6, 6, 6, 5, 4, 3, 2, 1, 0],
    ],
}  # fmt: skip


def test_the_matrices_that_others_printed():
    found = self_extend_distances(10, 10, group_size=2, neighbor_window=4, shift="floor")
    assert np.tril(found).tolist() == ISSUE_40["self-extend"]
    assert np.tril(refpos.positions.rerope_distances(10, 10, window=6)).tolist() == ISSUE_40["rerope"]


# -- positions against the projects' code in float64 ------------------------------------------------------------------


def test_the_critical_queries_of_vllm():
    ids = np.array([0, 5, 6, 7, 100])
    size = {"chunk_size": 10, "local_size": 4, "version": "chunkllama"}
    found = [
        refpos.positions.dual_chunk_positions(ids, role=f"{role}-critical", **size) for role in ("successive", "inter")
    ]
    assert [a.tolist() for a in found] == [(ids % 6 + 6).tolist(), (ids % 6 + 10).tolist()]


# -- factors on queries -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version, slope", [("chunkllama", Fraction(1, 20)), ("vllm", Fraction(1, 10))])
@pytest.mark.parametrize("name", ["float64", "float32", "float16"])
def test_dual_chunk_factors_are_the_witness_bit_for_bit(version, slope, name):
    for scale in (0.5, 1, 1 + 2.0**-52, 1.25, 2, 4, Fraction(1010000, 262144), 40, 1e300):
        found = refpos.scores.dual_chunk_mscale(scale, version=version, dtype=name)
        assert_same(bits(found), patterns(witness.mscale(scale, slope), name))
    # the same as YaRN's factor on the softmax scale, before its square
    if version == "vllm":
        assert (
            abs(
                float(refpos.scores.dual_chunk_mscale(40, version=version)) ** 2
                - float(refpos.scores.yarn_softmax_scale(40))
            )
            < 1e-15
        )


# -- interpolated positions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [2, 3, 8, Fraction(8, 3)])
@pytest.mark.parametrize("name", FORMATS)
def test_positions_divided_are_frequencies_divided(name, factor):
    x = np.random.default_rng(14).standard_normal((300, 16)).astype(dtype_of(name))
    positions = coordinates.affine(300, step=1 / Fraction(factor))
    divided = refpos.linear(16, factor=factor)
    assert_same(
        bits(refpos.rope(x, positions, pairing="half")), bits(refpos.rope(x, 300, pairing="half", frequencies=divided))
    )
    ours = refpos.rotary.xpos(x, positions, pairing="half", centring="floor", length=0)
    other = refpos.rotary.xpos(x, 300, pairing="half", centring="floor", length=0, scale_base=512 * Fraction(factor),
                        frequencies=divided)  # fmt: skip
    assert_same(bits(ours), bits(other))


def test_in_float32_they_are_not():
    theta, p = refpos.inverse_frequencies(64).rounded("float32"), np.arange(4096, dtype=np.float32)
    assert (np.outer(p / np.float32(3), theta) != np.outer(p, theta / np.float32(3))).any()


# -- refusals ---------------------------------------------------------------------------------------------------------


def test_other_refusals():
    axes = refpos.frequencies.mrope_frequencies(8, sections=(2, 1, 1), arrangement="chunked")
    with pytest.raises(refpos.InputError, match="frequencies must have no axes"):
        refpos.rotary.xpos(np.ones((3, 8)), 3, pairing="half", centring="ceil", frequencies=axes)
    with pytest.raises(refpos.InputError, match="length must be an integer"):
        refpos.rotary.xpos_scale(3, 4, centring="ceil", length=3.0)
    with pytest.raises(refpos.InputError, match="out must be a pair"):
        refpos.rotary.xpos_table(3, refpos.inverse_frequencies(4), centring="ceil", out=np.empty((3, 2)))
    with pytest.raises(refpos.InputError, match="factor must be a fraction of integers"):
        refpos.positions.rerope_positions(3, role="key", window=2, factor=1 + 2.0**-50, dtype="float64")
    with pytest.raises(refpos.InputError, match="positions must be a rectangular array"):
        refpos.scores.log_n_scale([[1], [1, 2]], training_length=4)
