"""Positions in batches: random batches against the witness, laws, inputs of any dtype, strides and size, mistakes."""

import tracemalloc
from importlib import import_module

import numpy as np
import pytest
from witness import batches as witness

from refpos import InputError, diagnose
from refpos import positions as P

NUMBER = 100
context_parallel_indices = import_module("refpos.positions.batches.context_parallel_indices")
ORDERS = ("contiguous", "striped", "zigzag")


def assert_equal(got, expected):
    """Whether each array has the expected numbers, as fresh int64."""
    got, expected = (one if isinstance(one, tuple) else (one,) for one in (got, expected))
    for one, other in zip(got, expected, strict=True):
        assert one.dtype == np.int64 and one.flags.writeable and one.dtype.isnative
        np.testing.assert_array_equal(one, np.asarray(other, np.int64).reshape(one.shape))


def lengths_of(rng, multiple=1):
    """Lengths of 0 to 6 sequences, some of them without tokens."""
    return rng.integers(0, 9, rng.integers(0, 7)) * multiple


def bounds_of(lengths):
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def tree_of(rng, nodes):
    """Parents of a forest, the nodes in random order."""
    parents = np.array([rng.integers(-1, k) for k in range(nodes)], np.int64)
    order = rng.permutation(nodes)
    shuffled = np.empty_like(parents)
    shuffled[order] = np.where(parents < 0, -1, order[parents])
    return shuffled


# -- against the witness ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(NUMBER))
def test_packed_batches_are_those_of_the_witness(seed):
    rng = np.random.default_rng(seed)
    lengths = lengths_of(rng)
    bounds, offsets = bounds_of(lengths), rng.integers(0, 2**40, len(lengths))
    assert_equal(P.cu_seqlens(lengths, rule="lengths"), witness.cu_seqlens(lengths, rule="lengths"))
    assert_equal(P.sequence_ids(bounds), witness.sequence_ids(bounds))
    for restart in (True, False):
        for offset in (0, 7, offsets):
            found = P.packed_positions(bounds, restart=restart, offsets=offset)
            assert_equal(found, witness.packed_positions(bounds, restart=restart, offsets=offset))


@pytest.mark.parametrize("seed", range(NUMBER))
def test_boundaries_are_found_again(seed):
    rng = np.random.default_rng(seed)
    bounds = bounds_of(lengths_of(rng) + 1)
    restarted, ids = P.packed_positions(bounds, restart=True, offsets=2), P.sequence_ids(bounds)
    assert_equal(P.cu_seqlens(ids * 3 - 5, rule="segments"), bounds)
    assert_equal(P.cu_seqlens(restarted, rule="first"), bounds)
    assert_equal(P.cu_seqlens(restarted - 2, rule="zeros"), bounds)
    assert_equal(P.cu_seqlens(restarted, rule="jumps"), bounds)
    drawn = np.concatenate([[0], rng.integers(0, 4, 12)])
    for rule in ("segments", "first", "zeros", "jumps"):
        assert_equal(P.cu_seqlens(drawn, rule=rule), witness.cu_seqlens(drawn, rule=rule))


@pytest.mark.parametrize("seed", range(NUMBER))
def test_padding_is_taken_away_and_put_back(seed):
    rng = np.random.default_rng(seed)
    mask = rng.integers(0, 2, rng.integers(1, 7, 2))
    found = P.unpad_indices(mask)
    assert_equal(found, witness.unpad_indices(mask))
    x = rng.integers(1, 1000, mask.shape)
    back = np.append(x.reshape(-1)[found.indices], 0)[found.inverse]
    np.testing.assert_array_equal(back, x * mask)
    kept = mask[mask.any(1)]
    if kept.size:
        counted = P.attention_mask_positions(kept, masked=0)[kept == 1]
        assert_equal(P.packed_positions(found.cu_seqlens, restart=True), counted)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(NUMBER))
def test_shards_are_those_of_the_witness_and_can_be_put_together(order, seed):
    rng = np.random.default_rng(seed)
    ranks = int(rng.integers(1, 6))
    bounds = bounds_of(lengths_of(rng, 2 * ranks))
    found = P.context_parallel_indices(bounds, ranks=ranks, order=order)
    assert_equal(found, witness.context_parallel_indices(bounds, ranks=ranks, order=order))
    x = rng.standard_normal((bounds[-1], 2))
    shards = [x[of_rank] for of_rank in found.indices]
    np.testing.assert_array_equal(np.concatenate(shards)[found.inverse], x)
    assert_equal(P.inverse_permutation(found.indices), found.inverse)


@pytest.mark.parametrize("seed", range(NUMBER))
def test_any_permutation_is_taken_back(seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(int(rng.integers(0, 60)))
    inverse = P.inverse_permutation(order)
    assert_equal(order[inverse], np.arange(len(order)))
    assert_equal(inverse, np.argsort(order))


@pytest.mark.parametrize("seed", range(NUMBER))
def test_trees_are_those_of_the_witness(seed):
    rng = np.random.default_rng(seed)
    rows, nodes = rng.integers(1, 4), int(rng.integers(0, 20))
    trees, past = (
        np.array([tree_of(rng, nodes) for _ in range(rows)]).reshape(rows, nodes),
        rng.integers(0, 2**40, rows),
    )
    assert_equal(P.tree_depths(trees, past_length=past), witness.tree_depths(trees, past_length=past))
    assert_equal(P.tree_depths(trees[0], past_length=3), witness.tree_depths(trees[0], past_length=3))


@pytest.mark.parametrize("seed", range(NUMBER))
def test_caches_are_those_of_the_witness(seed):
    rng = np.random.default_rng(seed)
    options = dict(sinks=int(rng.integers(0, 6)), window=int(rng.integers(1, 9)))
    length = int(rng.integers(0, 40))
    for order in ("sequential", "rolling"):
        found = P.streaming_positions(length, order=order, **options)
        assert_equal(found, witness.streaming_positions(length, order=order, **options))
    assert_equal(np.sort(found.indices), P.streaming_positions(length, order="sequential", **options).indices)
    ratio, past = int(rng.integers(1, 9)), int(rng.integers(0, 40))
    found = P.compressed_positions(length, ratio=ratio, past_length=past)
    assert_equal(found, witness.compressed_positions(length, ratio=ratio, past_length=past))


def test_rows_of_chunks_are_those_of_the_whole():
    whole, rows, start = P.compressed_positions(50, ratio=4), [], 0
    for length in (3, 1, 0, 12, 9, 25):
        part = P.compressed_positions(length, ratio=4, past_length=start)
        rows.append(part.positions)
        assert_equal(part.visible, whole.visible[start : start + length])
        start += length
    assert_equal(np.concatenate(rows), whole.positions)


@pytest.mark.parametrize("version", ["transformers-4.57.1", "transformers-5.23.0"])
@pytest.mark.parametrize("seed", range(NUMBER // 4))
def test_packed_images_are_those_of_each_sequence(seed, version):
    rng = np.random.default_rng(seed)
    kinds, grids, lengths = [], [], []
    for _ in range(rng.integers(1, 5)):
        row = [0] * int(rng.integers(0, 4))
        for _ in range(rng.integers(0, 3)):
            height, width = 2 * rng.integers(1, 4, 2)
            grids.append([1, height, width])
            row += [1] * (height * width // 4) + [0] * int(rng.integers(1, 3))
        kinds, lengths = kinds + row, [*lengths, len(row)]
    if not kinds:
        kinds, lengths = [0], [1]
    options = dict(version=version, image_grid_thw=np.array(grids) if grids else None, spatial_merge_size=2)
    bounds = bounds_of(lengths)
    assert_equal(
        tuple(P.packed_mrope_positions(bounds, kinds, **options)),
        witness.packed_mrope_positions(bounds, kinds, **options),
    )


# -- inputs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["i1", "u1", ">i2", "<i4", ">i4", ">i8", "u8"])
def test_any_integer_dtype_and_any_strides(dtype):
    def spread(values):
        return np.repeat(np.array(values, dtype), 3, -1)[..., ::3]

    bounds = spread([0, 4, 8])
    assert_equal(P.packed_positions(bounds, restart=True, offsets=spread([5, 100])), [5, 6, 7, 8, 100, 101, 102, 103])
    assert_equal(P.cu_seqlens(spread([3, 2]), rule="lengths"), [0, 3, 5])
    assert_equal(P.cu_seqlens(spread([0, 1, 0]), rule="first"), [0, 2, 3])
    assert_equal(P.sequence_ids(bounds), [0] * 4 + [1] * 4)
    assert_equal(P.context_parallel_indices(bounds, ranks=2, order="zigzag").indices[0], [0, 3, 4, 7])
    assert_equal(P.inverse_permutation(spread([2, 0, 1])), [1, 2, 0])
    assert_equal(P.unpad_indices(spread([[0, 1], [1, 1]])).indices, [1, 2, 3])
    if np.dtype(dtype).kind == "i":
        assert_equal(P.tree_depths(spread([-1, 0, 1]), past_length=spread([9])), [9, 10, 11])


def test_sizes_may_be_sums_that_a_narrow_dtype_does_not_hold():
    assert_equal(P.cu_seqlens(np.full(5, 100, np.int8), rule="lengths"), [0, 100, 200, 300, 400, 500])
    most = np.array([2**31 - 1] * 3, np.int32)
    assert P.cu_seqlens(most, rule="lengths")[-1] == 3 * (2**31 - 1)
    jumps = P.cu_seqlens(np.array([2**63 - 1, 0], np.int64), rule="jumps")
    assert_equal(jumps, [0, 1, 2])
    with pytest.raises(InputError, match="at most 9223372036854775807"):
        P.cu_seqlens(np.array([2**63], np.uint64), rule="lengths")
    with pytest.raises(InputError, match=r"sum of at most 9007199254740992, got 18446744073709551614"):
        P.cu_seqlens([2**63 - 1, 2**63 - 1], rule="lengths")


def test_nothing_and_one_token():
    for empty in ([0], [0, 0], 0):
        assert_equal(P.packed_positions(empty, restart=True), [])
        assert_equal(P.sequence_ids(empty), [])
        found = P.context_parallel_indices(empty, ranks=3, order="zigzag")
        assert found.indices.shape == (3, 0) and found.inverse.shape == (0,)
    assert_equal(P.packed_positions(1, restart=False), [0])
    assert P.unpad_indices(np.zeros((0, 4), np.int64)).inverse.shape == (0, 4)
    assert_equal(P.unpad_indices(np.zeros((0, 4), np.int64)).cu_seqlens, [0])
    assert P.tree_depths(np.zeros((3, 0), np.int64)).shape == (3, 0)
    assert P.tree_depths(np.zeros((0, 3), np.int64)).shape == (0, 3)
    with pytest.raises(InputError, match="for each of 1 rows, got 2"):
        P.tree_depths([-1, 0], past_length=[1, 2])


def test_out_of_any_strides_is_written():
    for strided in (np.zeros((8, 3), np.int64)[:, 1], np.zeros(8, np.int64)[::-1], np.zeros(16, np.int64)[::2]):
        assert P.packed_positions([0, 3, 8], restart=True, out=strided) is strided
        np.testing.assert_array_equal(strided, [0, 1, 2, 0, 1, 2, 3, 4])
        assert P.sequence_ids([0, 3, 3, 8], out=strided) is strided
        np.testing.assert_array_equal(strided, [0, 0, 0, 2, 2, 2, 2, 2])
    with pytest.raises(InputError, match="out must have shape"):
        P.packed_positions([0, 3], restart=True, out=np.zeros(4, np.int64))


@pytest.mark.parametrize("call", [
    lambda bounds, out: P.sequence_ids(bounds, out=out),
    lambda bounds, out: P.packed_positions(bounds, restart=True, out=out),
    lambda bounds, out: P.packed_positions([0, 2, 9], restart=True, offsets=bounds[1:], out=out),
])  # fmt: skip
def test_out_that_overlaps_an_input_is_refused(call):
    buffer = np.array([0, 2, 9] + [0] * 9, np.int64)
    with pytest.raises(InputError, match="out must not overlap another argument") as caught:
        call(buffer[:3], buffer[:9])
    assert (caught.value.code, caught.value.argument) == ("E_OUT", "out")
    assert buffer.tolist() == [0, 2, 9] + [0] * 9
    assert call(buffer[:3], buffer[3:])[0] in (0, 2)  # beside it


def test_the_slots_of_a_cache_need_no_memory_but_the_result():
    length, window = 10**6 + 7, 2**17
    tracemalloc.start()
    found = P.streaming_positions(length, sinks=4, window=window, order="rolling")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.indices[4 + (length - 4) % window] == length - window
    assert peak < 1.1 * (found.indices.nbytes + found.positions.nbytes)


def test_what_memory_does_not_hold_is_refused_with_its_code(monkeypatch):
    def larger(*given):
        raise MemoryError

    monkeypatch.setattr(context_parallel_indices, "_first_and_step", larger)
    with pytest.raises(InputError, match="must fit into memory, got 8 tokens") as caught:
        P.context_parallel_indices(8, ranks=2, order="zigzag")
    assert (caught.value.code, caught.value.argument) == ("E_TOO_LARGE", "out")


def test_inputs_stay_as_they_are():
    bounds, parents = np.array([0, 4, 8]), np.array([-1, 0, 1, 2])
    P.packed_positions(bounds, restart=False, offsets=bounds[1:])
    P.context_parallel_indices(bounds, ranks=2, order="striped")
    P.tree_depths(parents)
    assert bounds.tolist() == [0, 4, 8] and parents.tolist() == [-1, 0, 1, 2]


@pytest.mark.parametrize(("name", "arguments", "options", "code", "argument", "said"), [
    ("packed_positions", ([0, 3, 2],), dict(restart=True), "E_POSITION", "cu_seqlens", "never fall, got 2 after 3"),
    ("packed_positions", ([-1, 2],), dict(restart=True), "E_POSITION", "cu_seqlens", "begin with 0, got -1"),
    ("packed_positions", ([0, -2],), dict(restart=True), "E_POSITION", "cu_seqlens", "never fall, got -2 after 0"),
    ("packed_positions", ([],), dict(restart=True), "E_SHAPE", "cu_seqlens", "at least one boundary"),
    ("packed_positions", ([0, 2**53 + 1],), dict(restart=True), "E_SIZE", "cu_seqlens", "at most 9007199254740992"),
    ("packed_positions", (2**53,), dict(restart=True), "E_TOO_LARGE", "out", "must"),
    ("packed_positions", (2.0,), dict(restart=True), "E_DTYPE", "cu_seqlens", "got float64"),
    ("packed_positions", ([0, 2],), dict(restart=True, offsets=[[1]]), "E_SHAPE", "offsets", "(sequences,)"),
    ("cu_seqlens", ([3, -1],), dict(rule="lengths"), "E_SIZE", "values", "at least 0, got -1"),
    ("packed_mrope_positions", ([0], []), dict(version="transformers-5.23.0"), "E_SHAPE", "mm_token_type_ids",
     "must have at least one token, as cu_seqlens, got 0"),
    ("cu_seqlens", ([0, True],), dict(rule="lengths"), "E_DTYPE", "values", "must be integers, got [0, True]"),
    ("cu_seqlens", ([0, 2**63],), dict(rule="segments"), "E_DTYPE", "values", "below 2**63, got 9223372036854775808"),
    ("cu_seqlens", ([3, 4],), dict(rule="zeros"), "E_POSITION", "values", "a sequence, 0, got 3"),
    ("cu_seqlens", ([[0]],), dict(rule="jumps"), "E_SHAPE", "values", "(tokens,), got (1, 1)"),
    ("context_parallel_indices", (6,), dict(ranks=2, order="zigzag"), "E_SIZE", "cu_seqlens", "2 * ranks = 4, got 6"),
    ("context_parallel_indices", (5,), dict(ranks=2, order="striped"), "E_SIZE", "cu_seqlens", "ranks = 2, got 5"),
    ("inverse_permutation", ([0, 1, 1],), {}, "E_POSITION", "indices", "got token 2 in no shard"),
    ("inverse_permutation", ([0, 2, 4],), {}, "E_POSITION", "indices", "between 0 and 2, one for each token, got 4"),
    ("tree_depths", ([1, 2, 0, -1],), {}, "E_POSITION", "parents", "a cycle above node 0"),
    ("tree_depths", ([[-1, 0], [-1, 1]],), {}, "E_POSITION", "parents", "a cycle above node 1"),
    ("tree_depths", (np.zeros((1, 1, 1), np.int64),), {}, "E_SHAPE", "parents", "got (1, 1, 1)"),
    ("unpad_indices", ([[0, 2]],), {}, "E_CHOICE", "attention_mask", "must be 0 or 1, got 2"),
    ("streaming_positions", (9,), dict(sinks=0, window=0, order="rolling"), "E_SIZE", "window", "at least 1, got 0"),
    ("compressed_positions", (9,), dict(ratio=0), "E_SIZE", "ratio", "at least 1, got 0"),
    ("compressed_positions", (2**60,), dict(ratio=4), "E_TOO_LARGE", "out", "must"),
    ("packed_mrope_positions", ([0, 2], [0]), dict(version="transformers-5.23.0"), "E_SHAPE", "mm_token_type_ids",
     "must have 2 tokens, as many as cu_seqlens says, got 1"),
])  # fmt: skip
def test_refused(name, arguments, options, code, argument, said):
    with pytest.raises(InputError) as caught:
        getattr(P, name)(*arguments, **options)
    assert (caught.value.code, caught.value.argument) == (code, argument), str(caught.value)
    assert said in str(caught.value)


# -- diagnosis --------------------------------------------------------------------------------------------------------

BOUNDS, TREE = [0, 4, 8], [-1, 0, 0, 1]
SHARDS = dict(ranks=2, order="zigzag")


def row_numbers_of(found):
    """Compressed rows at their numbers."""
    return (found.positions // 4, found.visible)


@pytest.mark.parametrize(("name", "computed", "arguments", "options", "said"), [
    ("packed_positions", lambda f: f(BOUNDS, restart=False), (BOUNDS,), dict(restart=True), "restart=False"),
    ("packed_positions", lambda f: f(BOUNDS, restart=True), (BOUNDS,), dict(restart=True, offsets=[4, 9]),
     "offsets left out"),
    ("packed_positions", lambda f: f(BOUNDS, restart=True, offsets=5), (BOUNDS,), dict(restart=True, offsets=4),
     "offsets + 1"),
    ("tree_depths", lambda f: f(TREE), (TREE,), dict(past_length=9), "past_length left out"),
    ("tree_depths", lambda f: np.arange(9, 13), (TREE,), dict(past_length=9), "by the number of the node"),
    ("context_parallel_indices", lambda f: tuple(f(8, **SHARDS)), (BOUNDS,), SHARDS, "shared out as a whole"),
    ("context_parallel_indices", lambda f: tuple(f(BOUNDS, ranks=2, order="striped")), (BOUNDS,), SHARDS, "'striped'"),
    ("compressed_positions", lambda f: row_numbers_of(f(9, ratio=4)), (9,), dict(ratio=4), "rows at their number"),
    ("compressed_positions", lambda f: tuple(f(9, ratio=4)), (9,), dict(ratio=4, past_length=8),
     "past_length left out"),
    ("streaming_positions", lambda f: tuple(f(12, sinks=2, window=4, order="sequential")), (12,),
     dict(sinks=2, window=4, order="rolling"), "order='sequential'"),
    ("cu_seqlens", lambda f: f([0, 1, 1, 0], rule="jumps"), ([0, 1, 1, 0],), dict(rule="segments"), "rule='jumps'"),
])  # fmt: skip
def test_mistakes_are_named(name, computed, arguments, options, said):
    function = getattr(P, name)
    found = str(diagnose(computed(function), function, *arguments, **options)).splitlines()[0]
    assert said in found and "unexplained" not in found, found
