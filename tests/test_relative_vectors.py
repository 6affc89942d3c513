"""Scores and values with the vectors of distances: conventions told apart, refusals, what is not finite, and memory."""

import math
import tracemalloc

import numpy as np
import pytest
from witness import relative_vectors as witness

import refpos
from refpos import InputError
from refpos.relative import relative_rows
from refpos.scores import relative_scores, relative_values

ROWS = np.array([[0, 1, 2], [-1, 0, 1]])


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def pairs(queries, keys, low, high, sign="key-query", outside="clip", **options):
    return relative_rows(queries, keys, sign=sign, low=low, high=high, outside=outside, **options)


# -- right told from wrong: each wrong convention changes the numbers of the inputs that the golden cases have --------


def test_conventions_are_told_apart():
    x, table = drawn(2, 3, 4), drawn(5, 4, seed=1)
    shaw = relative_scores(x, table, pairs(3, 7, -2, 2, query_offset=4), by="query")
    assert shaw.shape == (2, 3, 7)
    wrong = {
        "queries at the start": (table, pairs(3, 7, -2, 2)),
        "query minus key": (table, pairs(3, 7, -2, 2, "query-key", query_offset=4)),
        "zero for clip": (table, pairs(3, 7, -2, 2, outside="zero", query_offset=4)),
        "ends swapped": (table, 4 - pairs(3, 7, -2, 2, query_offset=4)),
        "one more row": (drawn(6, 4, seed=1), 1 + pairs(3, 7, -2, 2, query_offset=4)),
    }
    for name, (weight, rows) in wrong.items():
        assert not np.array_equal(relative_scores(x, weight, rows, by="query"), shaw), name
    square = drawn(2, 3, 4)
    rows = pairs(3, 3, -2, 2)
    by_query, by_key = (relative_scores(square, table, rows, by=by) for by in ("query", "key"))
    assert not np.array_equal(by_query, by_key)
    assert not np.array_equal(relative_scores(square, table, rows.T, by="key"), by_key)


def test_both_ends_are_clipped():
    """13 keys behind and before: distances -2 and 2 hold all that lie further."""
    scores = relative_scores(drawn(13, 4), drawn(5, 4, seed=1), pairs(13, 13, -2, 2), by="query")
    assert (scores[6, :5] == scores[6, 4]).all() and (scores[6, 8:] == scores[6, 8]).all()
    assert len(np.unique(scores[6])) == 5
    outside = relative_scores(drawn(13, 4), drawn(5, 4, seed=1), pairs(13, 13, -2, 2, outside="zero"), by="query")
    assert (outside[6, :4] == 0).all() and (outside[6, 9:] == 0).all() and (outside[6, 4:9] == scores[6, 4:9]).all()


def test_one_scale_divides_keys_and_vectors():
    """Shaw's root divides q . (k + r); a vector that is not scaled counts sqrt(dim) times as much."""
    q, k, table, rows = drawn(3, 16), drawn(7, 16, seed=1), drawn(5, 16, seed=2), pairs(3, 7, -2, 2, query_offset=4)
    meant = (q[:, None] * (k + table[rows])).sum(-1) / 4
    scaled = q @ k.T / 4 + relative_scores(q, table, rows, by="query", scale=1 / math.sqrt(16))
    np.testing.assert_allclose(scaled, meant, rtol=0, atol=1e-13)
    unscaled = q @ k.T / 4 + relative_scores(q, table, rows, by="query")
    assert np.abs(unscaled - meant).max() > 0.5


def test_nezha_numbers_its_rows_from_zero():
    """The sinusoid of row k is that of position k, not of the distance k - m."""
    rows, states = pairs(5, 5, -3, 3), drawn(2, 5, 8)
    numbered, signed = refpos.sinusoidal(7, 8), refpos.sinusoidal(np.arange(-3, 4), 8)
    found = relative_scores(states, numbered, rows, by="query")
    assert np.abs(found - relative_scores(states, signed, rows, by="query")).max() > 0.1


def test_values_are_summed_by_key_and_not_by_row():
    shares, table = np.array([[1e16, 1.0, 1.0]]), np.array([[1.0]])
    assert relative_values(shares, table, [[0, 0, 0]])[0, 0] == 1e16  # (1e16 + 1) + 1, not 1e16 + 2
    assert relative_values(shares[:, ::-1], table, [[0, 0, 0]])[0, 0] == 1e16 + 2


# -- shapes: rows and tables of some of the leading axes --------------------------------------------------------------


@pytest.mark.parametrize("tables", [None, 1, 2, 4])
@pytest.mark.parametrize("lead", [(), (4,), (1, 1), (2, 1), (2, 4), (3, 1, 1)])
def test_leading_axes_broadcast(lead, tables):
    rng = np.random.default_rng(3)
    rows = rng.integers(-1, 5, (*lead, 2, 3))
    weight = rng.standard_normal((5, 2) if tables is None else (tables, 5, 2))
    for by, length in (("query", 2), ("key", 3)):
        x = rng.standard_normal((2, 4, length, 2))
        found = relative_scores(x, weight, rows, by=by, scale=0.7)
        np.testing.assert_array_equal(found, witness.scores(x, weight, rows, by, 0.7))
        assert found.shape == (*np.broadcast_shapes(lead, (2, 4)), 2, 3)
    shares = rng.standard_normal((2, 4, 2, 3))
    np.testing.assert_array_equal(relative_values(shares, weight, rows), witness.values(shares, weight, rows))
    x, layer, bias = rng.standard_normal((3, 2, 2)), rng.standard_normal((15, 2)), rng.standard_normal(15)
    rows = rows if len(lead) < 2 else rows[..., 0, :, :]
    rows = rows if rows.shape[:-2] != (4,) else rows[:3]
    rows = rows if rows.shape[:-2] != (2,) else rows[:1]
    found = refpos.scores.bucket_scores(x, layer, bias, rows, heads=3)
    np.testing.assert_array_equal(found, witness.bucket_scores(x, layer, bias, rows, 3))


def test_many_blocks_are_the_same_as_one(monkeypatch):
    from refpos.steps.scores import relative_vectors

    x, table, shares = drawn(2, 3, 50, 4), drawn(9, 4), drawn(2, 3, 50, 50)
    rows = pairs(50, 50, -4, 4, outside="zero")
    whole = relative_scores(x, table, rows, by="query"), relative_values(shares, table, rows)
    monkeypatch.setattr(relative_vectors, "WORK", 100)
    for threads in (1, 3):
        np.testing.assert_array_equal(relative_scores(x, table, rows, by="query", threads=threads), whole[0])
        np.testing.assert_array_equal(relative_values(shares, table, rows, threads=threads), whole[1])


def test_no_array_of_queries_keys_and_channels():
    """1024 queries and keys and 64 channels would be 512 MiB; the scores are 8."""
    x, table, rows = drawn(1024, 64), drawn(129, 64), pairs(1024, 1024, -64, 64)
    shares = drawn(1024, 1024)
    for call in (
        lambda: relative_scores(x, table, rows, by="query", threads=1),
        lambda: relative_scores(x, table, rows, by="key", threads=1),
        lambda: relative_values(shares, table, rows, threads=1),
    ):
        tracemalloc.start()
        call()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 64 * 2**20, peak


# -- what is not finite -----------------------------------------------------------------------------------------------


def test_row_minus_one_is_zero_beside_what_is_not_finite():
    x = np.array([[np.inf, 1.0], [np.nan, 1.0]])
    scores = relative_scores(x, np.array([[1.0, 2.0], [0.0, 1.0], [np.nan, 0.0]]), ROWS, by="query", scale=-1)
    assert scores[0, 0] == -np.inf and np.isnan(scores[0, 1:]).all() and np.isnan(scores[1, 1:]).all()
    assert scores[1, 0] == 0 and not np.signbit(scores[1, 0])
    shares = np.array([[0.5, 0.5, 0.0], [np.nan, 1.0, 0.0]])
    values = relative_values(shares, np.array([[1.0], [2.0], [np.inf]]), ROWS)
    assert np.isnan(values[0, 0]) and values[1, 0] == 1.0
    assert relative_values([[np.inf]], [[1.0]], [[-1]]).tolist() == [[0.0]]


def test_rows_that_are_not_read_do_not_count():
    table = np.array([[np.nan], [2.0], [np.inf]])
    assert relative_scores([[3.0]], table, [[1, 1]], by="query").tolist() == [[6.0, 6.0]]
    assert relative_values([[1.0, 3.0]], table, [[1, 1]]).tolist() == [[8.0]]


def test_nan_is_the_positive_quiet_one():
    negative = np.array([[-np.nan]])
    for found in (relative_scores(negative, [[1.0]], [[0]], by="query"), relative_values(negative, [[1.0]], [[0]])):
        assert found.view(np.uint64)[0, 0] == 0x7FF8000000000000


def test_dtypes_may_differ():
    x, table = drawn(2, 3).astype("f4"), drawn(3, 3, seed=1).astype("f2")
    wide = relative_scores(x.astype("f8"), table.astype("f8"), ROWS, by="query")
    np.testing.assert_array_equal(relative_scores(x, table, ROWS.astype("i1"), by="query"), wide)
    np.testing.assert_array_equal(relative_scores(x, table, ROWS, by="query", dtype="float32"), wide.astype("f4"))


# -- refusals ---------------------------------------------------------------------------------------------------------

REFUSALS = [
    (lambda: relative_scores(drawn(2, 3), drawn(3, 3), ROWS + 1, by="query"), "E_NUMBER", "rows",
     "to 2, the last row of weight; one that holds 3 has at least 4 rows, got 3"),
    (lambda: relative_scores(drawn(2, 3), drawn(3, 3), ROWS - 1, by="query"), "E_NUMBER", "rows",
     "rows must be from -1, which reads zeros, to 2, the last row of weight, got -2"),
    (lambda: relative_scores(drawn(2, 3), drawn(3, 4), ROWS, by="query"), "E_SHAPE", "weight",
     r"weight must have 3 channels, as x has, got shape (3, 4)"),
    (lambda: relative_scores(drawn(2, 3), drawn(3, 3), ROWS, by="key"), "E_SHAPE", "rows",
     "rows must be (..., queries, keys) with 2 keys, as x has, got 3"),
    (lambda: relative_scores(drawn(4, 2, 3), drawn(3, 3, 3), ROWS, by="query"), "E_SHAPE", "weight",
     "weight must have heads that divide the 4 of x, got 3"),
    (lambda: relative_scores(drawn(4, 2, 3), drawn(0, 3, 3), ROWS, by="query"), "E_SHAPE", "weight",
     "weight must have heads that divide the 4 of x, got 0"),
    (lambda: relative_scores(drawn(2, 3), drawn(2, 3, 3), ROWS, by="query"), "E_SHAPE", "x",
     "x must have an axis of heads before its last two, as weight has 2, got none"),
    (lambda: relative_scores(drawn(2, 3), drawn(3), ROWS, by="query"), "E_SHAPE", "weight",
     "weight must be (rows, dim) or (heads, rows, dim), got shape (3,)"),
    (lambda: relative_scores(drawn(2, 3), drawn(3, 3), ROWS[0], by="query"), "E_SHAPE", "rows",
     "rows must be (..., queries, keys), got shape (3,)"),
    (lambda: relative_scores(drawn(4, 2, 3), drawn(3, 3), np.array([ROWS] * 3), by="query"), "E_SHAPE", "rows",
     "rows must have leading axes that broadcast with those of x, (4,), got (3,)"),
    (lambda: relative_scores(drawn(2, 3), drawn(3, 3), ROWS, by="query", scale=np.nan), "E_NUMBER", "scale", "scale"),
    (lambda: relative_values(drawn(3, 3), drawn(3, 3), ROWS), "E_SHAPE", "rows",
     "rows must be (..., queries, keys) with (3, 3), as probabilities, got (2, 3)"),
    (lambda: relative_values(drawn(2, 3), drawn(2, 3), ROWS), "E_NUMBER", "rows",
     "to 1, the last row of weight; one that holds 2 has at least 3 rows, got 2"),
    (lambda: refpos.scores.bucket_scores(drawn(2, 3), drawn(5, 3), None, ROWS, heads=2), "E_SHAPE", "weight",
     "weight must have as many rows for each of 2 heads, got 5"),
    (lambda: refpos.scores.bucket_scores(drawn(2, 3), drawn(4, 3), None, ROWS, heads=2), "E_NUMBER", "rows",
     "to 1, the last bucket of weight for 2 heads; one that holds 2 has at least 6 rows, got 2"),
    (lambda: refpos.scores.bucket_scores(drawn(2, 3), drawn(6, 3), drawn(3), ROWS, heads=2), "E_SHAPE", "bias",
     "bias must be (6,), a number for each row of weight, got shape (3,)"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "code", "argument", "sentence"), REFUSALS)
def test_refusals_say_what_is_expected(call, code, argument, sentence):
    with pytest.raises(InputError) as caught:
        call()
    assert (caught.value.code, caught.value.argument) == (code, argument)
    assert sentence in str(caught.value)


def test_heads_none_and_sizes_none():
    assert relative_scores(drawn(0, 2, 3), drawn(0, 3, 3), ROWS, by="query").shape == (0, 2, 3)
    assert relative_scores(drawn(2, 0), drawn(3, 0), ROWS, by="query").tolist() == [[0.0] * 3] * 2
    assert relative_values(drawn(2, 3), drawn(3, 0), ROWS).shape == (2, 0)
    assert relative_values(np.ones((2, 0)), drawn(3, 1), np.zeros((2, 0), int)).tolist() == [[0.0], [0.0]]
    assert refpos.scores.bucket_scores(drawn(2, 0), drawn(6, 0), None, ROWS, heads=2).shape == (2, 2, 3)
