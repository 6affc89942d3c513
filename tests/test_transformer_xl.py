"""Scores of Transformer-XL and its kin: terms that are left out, the order of the scale, refusals, Funnel's places."""

import numpy as np
import pytest
from witness.transformer_xl import funnel_positions

import refpos
from refpos import InputError, conformance


def whole(*shape, seed=0):
    """Small integers, with which nothing is rounded."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float64)


def call(heads=2, queries=3, keys=5, dim=4):
    """Arguments of a small call with a table of all distances."""
    rows = refpos.relative.relative_rows(queries, keys, sign="key-query", low=-queries, high=keys, outside="refuse")
    return {
        "q": whole(heads, queries, dim), "k": whole(heads, keys, dim, seed=1), "rows": rows,
        "projected": whole(heads, queries + keys + 1, dim, seed=2), "u": whole(heads, dim, seed=3),
        "v": whole(heads, dim, seed=4),
    }  # fmt: skip


def test_the_formula_by_loops():
    given = call()
    found = refpos.scores.xl_scores(**given, scale=0.5)
    q, k, table, u, v = (given[name] for name in ("q", "k", "projected", "u", "v"))
    for h, i, j in np.ndindex(2, 3, 5):
        position = table[h, j - i + 3]  # the row of distance j - i, of which the first is -3
        assert found[h, i, j] == 0.5 * ((q[h, i] + u[h]) @ k[h, j] + (q[h, i] + v[h]) @ position)


def test_the_scale_decides_only_what_is_rounded():
    given = call()
    exact = [refpos.scores.xl_scores(**given, scale=0.25, scaled=scaled) for scaled in ("sum", "parts", "queries")]
    np.testing.assert_array_equal(exact[0], exact[1])
    np.testing.assert_array_equal(exact[0], exact[2])
    given["q"] = np.random.default_rng(0).standard_normal(given["q"].shape)
    found = []
    for scaled in ("sum", "parts", "queries"):
        options = {"scale": 1 / 3, "scaled": scaled}
        limits = conformance.bounds("xl_scores", options, given, "float64")["sequence64"]["output"]
        found.append((refpos.scores.xl_scores(**given, **options), limits))
    for (one, limit), (other, more) in ((found[0], found[1]), (found[0], found[2]), (found[1], found[2])):
        assert (one != other).any() and (np.abs(one - other) <= limit + more).all()


def test_the_default_scale_is_the_root_of_the_width():
    given = call(dim=16)
    np.testing.assert_array_equal(refpos.scores.xl_scores(**given), refpos.scores.xl_scores(**given, scale=0.25))


def test_a_row_of_minus_one_adds_nothing():
    given = call()
    content = (given["q"] + given["u"][:, None]) @ given["k"].swapaxes(-1, -2)
    given["projected"][:] = np.nan  # no row is read
    nothing = np.full_like(given["rows"], -1)
    np.testing.assert_array_equal(refpos.scores.xl_scores(**{**given, "rows": nothing}, scale=1), content)
    some = np.where(given["rows"] == 4, 4, -1)
    found = refpos.scores.xl_scores(**{**given, "rows": some}, scale=1)
    np.testing.assert_array_equal(np.isnan(found), np.broadcast_to(some == 4, found.shape))


def test_no_bias_is_a_bias_of_zeros():
    given = call()
    for name in "uv":
        zeros = {**given, name: np.zeros((2, 4))}
        np.testing.assert_array_equal(
            refpos.scores.xl_scores(**{**given, name: None}), refpos.scores.xl_scores(**zeros)
        )
        assert (refpos.scores.xl_scores(**given) != refpos.scores.xl_scores(**zeros)).any()


def test_segments_are_a_third_term():
    given, ids = call(), np.array([0, 0, 1, 1, 1])
    rows = refpos.relative.segment_rows(ids[:3], ids, order="same-different")
    vectors, s = whole(2, 2, 4, seed=5), whole(2, 4, seed=6)
    term = (given["q"] + s[:, None]) @ vectors.swapaxes(-1, -2)
    term = np.where(ids[:3, None] == ids, term[..., :1], term[..., 1:])
    found = refpos.scores.xl_scores(**given, scale=2, segments=vectors, segment_rows=rows, s=s)
    np.testing.assert_array_equal(found, refpos.scores.xl_scores(**given, scale=2) + 2 * term)


def test_blocks_are_the_band_of_the_whole():
    """Gemma computes block by block; by index every pair reads the same without blocks."""
    length, block, left, right = 7, 3, 3, 1
    q, k, table = whole(2, length, 4), whole(2, length, 4, seed=1), whole(2, left + right + 1, 4, seed=2)
    ends = {"sign": "key-query", "low": -left, "high": right, "outside": "zero"}
    rows = refpos.relative.relative_rows(length, length, **ends)
    whole_sequence = refpos.scores.xl_scores(q, k, table, rows, u=None, v=None)
    contexts = refpos.positions.context_rows(length, block=block, left=left, right=right)
    keys = np.where(contexts[..., None] >= 0, k[:, contexts], 0).swapaxes(0, 1)
    queries = np.pad(q, [(0, 0), (0, 2), (0, 0)]).reshape(2, 3, block, 4).swapaxes(0, 1)
    inner = refpos.relative.relative_rows(block, left + block + right, **ends, query_offset=left)
    blocks = refpos.scores.xl_scores(queries, keys, table, inner, u=None, v=None)
    assert blocks.shape == (3, 2, 3, 7)
    compared = 0
    for b, w, c in np.ndindex(3, block, 7):
        i, j = b * block + w, contexts[b, c]
        if i < length and j >= 0:
            assert (blocks[b, :, w, c] == whole_sequence[:, i, j]).all()
            compared += 1
    assert compared > 30


@pytest.mark.parametrize(
    ("change", "code", "sentence"),
    [
        ({"rows": np.full((3, 5), 9)}, "E_POSITION", "rows must be -1 or a row of the 9 in its table, got 9"),
        ({"rows": np.zeros((5, 3), int)}, "E_SHAPE", r"rows must be \(3, 5\), queries and keys, or broadcast to"),
        ({"projected": np.zeros((9, 3))}, "E_SHAPE", r"projected must be \(rows, 4\) or \(2, rows, 4\), as q has"),
        ({"u": np.zeros(4)}, "E_SHAPE", r"u must be \(2, 4\), a number for each head and channel of q, got shape"),
        ({"s": np.zeros((2, 4))}, "E_MISSING", "segments must be given with s, got None"),
        ({"scaled": "keys"}, "E_CHOICE", "scaled must be one of 'sum', 'parts', 'queries', got 'keys'"),
    ],
)
def test_refusals_say_what_is_expected(change, code, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        refpos.scores.xl_scores(**{**call(), **change})
    assert caught.value.code == code


def test_the_scales_of_untrained_channels():
    assert refpos.scores.per_dim_scale(np.zeros(16), 16).tolist() == [0.25] * 16
    assert refpos.scores.per_dim_scale(np.array([-np.inf, np.inf]), 4).tolist() == [0.0, np.inf]


@pytest.mark.parametrize("flags", [(False, False), (True, False), (True, True)])
def test_pooled_positions_of_funnel(flags):
    compared = 0
    for length in range(40):
        for block in range(7):
            options = {"block": block, "separate_cls": flags[0], "truncate_seq": flags[1]}
            found = refpos.positions.funnel_positions(length, **options).tolist()
            assert found == funnel_positions(length, **options)
            assert np.ptp(np.diff(found)) == 0 if len(found) > 1 else True
            compared += bool(found)
    assert compared == 39 * 7
