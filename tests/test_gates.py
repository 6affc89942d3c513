"""Perceptrons and gates of distances, and scores merged, against loops, each other and what they mean."""

import math
import sys

import numpy as np
import pytest
from witness import gates as witness

import refpos
from refpos import InputError
from refpos.conformance.classes import FLOAT64
from refpos.conformance.derivations import gated_attention as bounds
from refpos.conformance.derivations import running_error
from refpos.scores import dape, merge_outputs, merge_scores

START = {"c": 0.1, "length": 512, "eps": 1e-6, "activation": "relu"}


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def lines(inputs, hidden, heads):
    return drawn(hidden, inputs), drawn(hidden, seed=1), drawn(heads, hidden, seed=2), drawn(heads, seed=3)


# -- FIRE and DAPE ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["clipped", "symmetric"])
def test_fire_against_a_loop(mode):
    arrays = lines(1, 5, 3)
    for queries, keys, length in ((4, 4, 512), (3, 7, 2), (7, 3, 0.5), (1, 1, 1)):
        found = refpos.relative.fire(*arrays, queries, keys, mode=mode, **{**START, "length": length})
        lists = [part.tolist() for part in arrays]
        options = {"c": 0.1, "length": length, "eps": 1e-6, "mode": mode, "activation": "relu"}
        np.testing.assert_array_equal(found, witness.fire(range(queries), range(keys), lists, **options))


def test_fire_looks_back_alike_in_both_modes_and_ahead_only_in_one():
    arrays = lines(1, 6, 2)
    clipped, symmetric = (refpos.relative.fire(*arrays, 6, 6, mode=mode, **START) for mode in ("clipped", "symmetric"))
    np.testing.assert_array_equal(np.tril(clipped), np.tril(symmetric))
    assert (clipped[:, 0] == clipped[:, :1, 0]).all() and not (symmetric[:, 0] == symmetric[:, :1, 0]).all()


def test_a_query_behind_a_cache_has_the_row_of_its_position():
    arrays = lines(1, 6, 2)
    whole = refpos.relative.fire(*arrays, 9, 9, mode="clipped", **{**START, "length": 3})
    step = refpos.relative.fire(*arrays, [8], 9, mode="clipped", **{**START, "length": 3})
    np.testing.assert_array_equal(whole[:, 8:], step)


def test_fire_at_a_divisor_of_zero():
    arrays = ([1.0], None, [[1.0]], None)
    found = refpos.relative.fire(*arrays, 2, 2, mode="symmetric", c=1, length=0, eps=0, activation="relu")
    assert np.isnan(found[0, 0, 0]) and found[0, 0, 1] == np.inf and found[0, 1].tolist() == [1.0, 0.0]
    assert not np.signbit(found[0, 0, 0])


def test_blocks_of_pairs_change_nothing(monkeypatch):
    arrays, wide, scores, bias = lines(1, 6, 2), lines(4, 6, 2), drawn(3, 2, 7, 5), drawn(2, 7, 5, seed=1)

    def both():
        return refpos.relative.fire(*arrays, 7, 5, mode="symmetric", **START), dape(scores, bias, *wide)

    whole = both()
    for pairs in (1, 11, 17):
        monkeypatch.setattr(sys.modules["refpos.relative.fire"], "PAIRS", pairs)
        monkeypatch.setattr(sys.modules["refpos.scores.dape"], "PAIRS", pairs)
        for one, other in zip(whole, both(), strict=True):
            np.testing.assert_array_equal(one, other)


def test_dape_is_scores_and_bias_where_nothing_is_learned():
    first, _, last, _ = lines(6, 4, 3)
    scores, bias = drawn(2, 3, 4, 5), drawn(3, 4, 5, seed=1)
    np.testing.assert_array_equal(dape(scores, bias, first, None, np.zeros_like(last), None), scores + bias)


# -- gates ------------------------------------------------------------------------------------------------------------


def test_equal_gates_are_alibi():
    """A gate of sigmoid(x) has the slope -log(sigmoid(x)): of gates of a half the sums are whole times log 2."""
    half = refpos.relative.forget_gate(np.zeros((1, 4)), mode="causal")
    alibi = refpos.alibi(1, 4, 4, max_bias=0.5) * (math.log(2) / 2**-0.5)
    finite = np.isfinite(alibi)
    assert (np.isfinite(half) == finite).all() and abs(half - np.where(finite, alibi, 0))[finite].max() < 2.0**-50


def test_the_gate_of_the_later_token_counts():
    logits = np.zeros((1, 4))
    logits[0, 2] = np.inf  # forgets nothing
    forward = refpos.relative.forget_gate(logits, mode="bidirectional", backward=np.full((1, 4), np.inf))[0]
    assert forward[2, 1] == 0 and forward[3, 2] != 0 and forward[3, 1] == forward[3, 2]
    backward = refpos.relative.forget_gate(np.full((1, 4), np.inf), mode="bidirectional", backward=logits)[0]
    assert backward[1, 2] == 0 and backward[2, 3] != 0 and backward[1, 3] == backward[2, 3]
    assert not np.signbit(forward[forward == 0]).any() and not np.signbit(backward[backward == 0]).any()


@pytest.mark.parametrize("mode", ["causal", "linear", "bidirectional"])
def test_the_last_queries_are_rows_of_all(mode):
    logits = drawn(2, 3, 7)
    backward = drawn(2, 3, 7, seed=1) if mode == "bidirectional" else None
    whole = refpos.relative.forget_gate(logits, mode=mode, backward=backward)
    for count in (0, 1, 4):
        part = refpos.relative.forget_gate(logits, mode=mode, backward=backward, query_len=count)
        np.testing.assert_array_equal(part, whole[..., 7 - count :, :])


def test_cope_counts_open_gates():
    """Gates that are open count keys, from the key itself to the query; a table of squares shows which row is read."""
    rows = (np.arange(8.0) ** 2)[:, None]
    mask = np.tril(np.ones((6, 6), int))
    found = refpos.scores.cope(np.full((6, 6), 800.0), np.ones((6, 1)), rows, scale=1, mask=mask)
    i, j = np.indices((6, 6))
    np.testing.assert_array_equal(found, np.where(j <= i, (i - j + 1.0) ** 2, 0.0))
    short = refpos.scores.cope(np.full((6, 6), 800.0), np.ones((6, 1)), rows[:3], scale=1, mask=mask)
    np.testing.assert_array_equal(short, np.where(j <= i, np.minimum(i - j + 1.0, 2) ** 2, 0.0))


def test_cope_masks_as_minus_infinity_does():
    scores, q, weight = drawn(2, 4, 6), drawn(2, 4, 3), drawn(5, 3)
    mask = (drawn(4, 6, seed=2) > 0).astype(int)
    hidden = np.where(mask, scores, -np.inf)
    one, other = (
        refpos.scores.cope(scores, q, weight, scale=None, mask=mask),
        refpos.scores.cope(hidden, q, weight, scale=None),
    )
    np.testing.assert_array_equal(one, other)


# -- scores merged ----------------------------------------------------------------------------------------------------


def turned(x, positions, dim):
    """x turned by its positions, and how far float64 may have that from exact arithmetic."""
    found = refpos.rope(x, positions, pairing="half")
    return running_error.Bounded(found, np.abs(found) * 2.0**-53, FLOAT64)


def by_distances(q, k, distances):
    """q[i] turned by each distance, times k[j]: what the merged scores stand for, with its error."""
    queries, keys = distances.shape
    each = np.broadcast_to(q[:, None], (queries, keys, q.shape[1])).reshape(-1, q.shape[1])
    own = turned(np.ascontiguousarray(each), distances.reshape(-1), q.shape[1])
    own = running_error.Bounded(*(part.reshape(queries, keys, 1, -1) for part in own[:2]), FLOAT64)
    other = np.broadcast_to(k[None, :, None], (queries, keys, 1, k.shape[1]))
    found = running_error.scores(own, running_error.Bounded(other, np.zeros(other.shape), FLOAT64))
    return found.values[..., 0, 0], found.error[..., 0, 0]


def rotations(name, queries, keys):
    """The positions of queries and keys in each rotation, the regions, and the distances."""
    if name == "rerope":
        places = [(p, p) for p in (np.arange(keys),)]
        places.append(tuple(refpos.positions.rerope_positions(keys, role=role, window=4) for role in ("query", "key")))
        where = (
            refpos.positions.window_regions(keys, keys, window=4),
            refpos.positions.rerope_distances(keys, keys, window=4),
        )
    elif name == "self_extend":
        options = {"group_size": 2, "neighbor_window": 4, "shift": "floor"}
        far = tuple(refpos.positions.self_extend_positions(keys, role=role, **options) for role in ("query", "key"))
        places = [(np.arange(keys), np.arange(keys)), far]
        where = (
            refpos.positions.window_regions(keys, keys, window=4),
            refpos.positions.self_extend_distances(keys, keys, **options),
        )
    else:
        options = {"chunk_size": 6, "local_size": 2}
        role = {
            role: refpos.positions.dual_chunk_positions(keys, role=role, version="chunkllama", **options)
            for role in ("intra", "successive", "inter", "key")
        }
        places = [(role[one], role["key"]) for one in ("intra", "successive", "inter")]
        where = (
            refpos.positions.dual_chunk_regions(keys, keys, **options),
            refpos.positions.dual_chunk_distances(keys, keys, version="chunkllama", **options),
        )
    return [(q[keys - queries :], k) for q, k in places], *(part[keys - queries :] for part in where)


@pytest.mark.parametrize("queries, keys", [(17, 17), (1, 17), (5, 13)])
@pytest.mark.parametrize("name", ["rerope", "self_extend", "dual_chunk"])
def test_merged_scores_are_those_of_the_distances(name, queries, keys):
    """R(a) q . R(b) k = R(a - b) q . k: within the errors of rounded rotations and of the sums."""
    q, k = drawn(queries, 8), drawn(keys, 8, seed=1)
    places, regions, distances = rotations(name, queries, keys)
    each = [running_error.scores(turned(q, a, 8), turned(k, b, 8)) for a, b in places]
    merged = merge_scores([one.values for one in each], regions)
    exact, error = by_distances(q, k, np.where(regions < 0, 0, distances))
    past = np.arange(keys)[None, :] <= np.arange(keys - queries, keys)[:, None]
    chosen = np.choose(np.maximum(regions, 0), [one.error for one in each]) + error
    assert (abs(merged - exact) <= chosen)[past & (regions >= 0)].all()
    assert len(np.unique(regions[past])) == len(each) if queries > 1 else True
    wrong = merge_scores([one.values for one in each[::-1]], regions)
    assert not (abs(wrong - exact) <= chosen)[past & (regions >= 0)].all()


def off(values, error=0.0):
    """Numbers that float64 code has with an error."""
    return running_error.Bounded(values, np.broadcast_to(np.float64(error), np.shape(values)), FLOAT64)


def log_sum(scores, counts):
    """log of the sum of exp(score) over the keys that count, with its error; -infinity where none does."""
    top = np.where(counts, scores, -np.inf).max(1)
    level = np.where(np.isfinite(top), top, 0.0)
    powers = running_error.exp(running_error.subtract(off(np.where(counts, scores, 0.0)), off(level[:, None])))
    powers = running_error.Bounded(*(np.where(counts, part, 0.0) for part in powers[:2]), FLOAT64)
    whole = running_error.total(powers)
    known = running_error.Bounded(
        *(np.where(counts.any(1), part, 1.0 - k) for k, part in enumerate(whole[:2])), FLOAT64
    )
    found = running_error.add(bounds.logarithm(known), off(level))
    return running_error.Bounded(np.where(counts.any(1), found.values, -np.inf), found.error, FLOAT64)


def attended(scores, counts, values):
    """Softmax of the scores that count, times the values."""
    weights = running_error.softmax(off(np.where(counts, scores, 0.0)), counts)
    return running_error.matmul(weights, off(values))


def test_parts_merged_are_one_softmax():
    """What flash attention gives over each region, merged, is the softmax of merged scores, within both errors."""
    scores, values = drawn(3, 4, 9), drawn(9, 5, seed=1)
    regions = np.random.default_rng(2).integers(-1, 3, (4, 9))
    regions[0], regions[1, :5] = -1, 1  # a query without keys, and one with few parts
    whole = attended(merge_scores(scores, regions), regions >= 0, values)
    counts = [regions == region for region in range(3)]
    parts = [attended(*pair, values) for pair in zip(scores, counts, strict=True)]
    sums = [log_sum(*pair) for pair in zip(scores, counts, strict=True)]
    outputs = [np.where(own.any(1)[:, None], part.values, np.nan) for own, part in zip(counts, parts, strict=True)]
    found = merge_outputs(np.array(outputs), np.array([one.values for one in sums]))
    assert found[0].tolist() == [0.0] * 5 and np.isfinite(found).all()
    logits = running_error.Bounded(*(np.stack(part, -1) for part in list(zip(*sums, strict=True))[:2]), FLOAT64)
    weights = running_error.softmax(logits)
    weights = running_error.Bounded(*(part[:, None] for part in weights[:2]), FLOAT64)
    rows = running_error.Bounded(*(np.stack(part, -2) for part in list(zip(*parts, strict=True))[:2]), FLOAT64)
    error = running_error.matmul(weights, rows).error[:, 0] + whole.error
    assert (abs(found - whole.values) <= error).all() and error[1:].max() < 1e-12
    swapped = merge_outputs(np.array(outputs), np.array([one.values for one in sums[::-1]]))
    assert not (abs(swapped - whole.values) <= error)[2:].any()


def test_merged_bits_are_copied():
    raw = np.frombuffer(np.random.default_rng(1).bytes(2 * 3 * 5 * 4), np.uint32).reshape(2, 3, 5)
    regions = np.random.default_rng(2).integers(-1, 2, (3, 5))
    found = merge_scores(raw.view(np.float32), regions).view(np.uint32)
    expected = np.where(regions < 0, np.uint32(0xFF800000), np.where(regions == 1, raw[1], raw[0]))
    np.testing.assert_array_equal(found, expected)
    listed = merge_scores(list(raw.view(np.float32)), regions).view(np.uint32)
    np.testing.assert_array_equal(listed, expected)
    half = merge_scores(raw.astype(np.uint16), regions)
    assert half.dtype == np.uint16 and (half[regions < 0] == 0xFF80).all()


def test_abacus_rows():
    ids = np.random.default_rng(3).integers(0, 13, (4, 50))
    found = refpos.positions.abacus_positions(ids, range(10), offset=7)
    np.testing.assert_array_equal(found, witness.abacus_positions(ids, range(10), 7))
    assert set(found[ids >= 10].tolist()) == {0} and found[ids < 10].min() == 8


# -- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call, code, argument, said", [
    (lambda: refpos.relative.fire(*lines(1, 3, 2), 2, 2, mode="clipped", **{**START, "eps": -1}), "E_NUMBER", "eps",
     "eps must be 0 or more, got -1"),
    (lambda: dape(drawn(2, 3, 3), drawn(2, 3, 3), *lines(2, 3, 2)), "E_SHAPE", "weight_in",
     r"must be \(hidden, 4\), a column for the score and the bias of each head, got \(3, 2\)"),
    (lambda: dape(drawn(2, 3, 3), drawn(3, 3), *lines(4, 3, 2)), "E_SHAPE", "bias", r"\(heads, queries, keys\)"),
    (lambda: refpos.scores.cope(drawn(2, 3), drawn(3, 4), drawn(5, 4), scale=1), "E_SHAPE", "q",
     r"q must be \(2, dim\), a row for each of scores, got shape \(3, 4\)"),
    (lambda: refpos.scores.cope(drawn(2, 3), drawn(2, 4), drawn(4, 5), scale=1), "E_SHAPE", "weight",
     r"weight must be \(positions, 4\), at least one row as wide as q, got \(4, 5\)"),
    (lambda: refpos.relative.forget_gate(drawn(2, 3), mode="bidirectional"), "E_CHOICE", "backward",
     "must be an array of logits with mode 'bidirectional', got None"),
    (lambda: merge_scores(drawn(2, 3, 3), [[0, 1, 2]]), "E_NUMBER", "regions",
     "regions must be from -1 to 1, the last of 2 scores, got 2"),
    (lambda: merge_scores([drawn(3, 3), drawn(3, 4)], [[0]]), "E_SHAPE", "scores",
     r"scores must have one shape, got \(3, 3\), \(3, 4\)"),
    (lambda: merge_scores([drawn(3, 3), drawn(3, 3).astype("f4")], [[0]]), "E_DTYPE", "scores", "one dtype"),
    (lambda: merge_scores([], [[0]]), "E_SHAPE", "scores", "at least one rotation"),
    (lambda: merge_outputs(drawn(2, 3, 4), drawn(2, 4)), "E_SHAPE", "log_sums", r"\(2, 3\), .* got \(2, 4\)"),
    (lambda: refpos.positions.abacus_positions(5, [1]), "E_SHAPE", "tokens", "at least one axis, got 5"),
])  # fmt: skip
def test_refused(call, code, argument, said):
    with pytest.raises(InputError, match=said) as caught:
        call()
    assert (caught.value.code, caught.value.argument) == (code, argument)
