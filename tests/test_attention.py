"""Attention: its fixed order, what takes no part, the mistakes it is told apart from, memory and threads."""

import math
import tracemalloc

import numpy as np
import pytest
from flint import arb, ctx
from witness import attention as witness

import refpos
from refpos.conformance import bounds
from refpos.steps.scores import attention as steps
from refpos.steps.scores import heads

NAN, INF = float("nan"), float("inf")
ALL = ["scores", "weights", "output"]


def numbers(*shape, seed=1, size=1.0):
    return np.random.default_rng(seed).standard_normal(shape) * size


def plain(q, k, v, **options):
    """The witness for arrays without heads: scores, weights and output, stacked."""
    options = {"bias": None, "mask": None, "scale": None, "softcap": None, "cosine": None, **options}
    rows = [
        witness.of_query(
            q[i].tolist(), k.tolist(), v.tolist(), v.shape[1],
            bias=None if options["bias"] is None else options["bias"][i].tolist(),
            kept=[True] * len(k) if options["mask"] is None else options["mask"][i].tolist(),
            scale=options["scale"], cap=options["softcap"], logit=options["cosine"],
        )
        for i in range(len(q))
    ]  # fmt: skip
    return [np.array(part) for part in zip(*rows, strict=True)]


def bits(array):
    return np.where(np.isnan(array), np.nan, array).view(np.uint64).tolist()


# -- the fixed order ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [
    {}, {"scale": 0.3}, {"softcap": 0.7}, {"cosine": 1.25}, {"cosine": 7.0}, {"bias": numbers(3, 9, seed=4)},
    {"mask": numbers(3, 9, seed=5) > 0}, {"softcap": 2.0, "bias": numbers(3, 9, seed=6), "mask": numbers(3, 9) > -0.5},
], ids=lambda options: "-".join(options) or "plain")  # fmt: skip
def test_bits_are_those_of_plain_floats(kernel, options):
    q, k, v = numbers(3, 7, seed=1, size=2), numbers(9, 7, seed=2), numbers(9, 4, seed=3)
    found = refpos.attention(q, k, v, outputs=ALL, **options)
    for name, ours, theirs in zip(ALL, found, plain(q, k, v, **options), strict=True):
        assert bits(ours) == bits(theirs), name


def test_the_largest_logit_is_the_nearest_to_ln_100():
    ctx.prec = 200
    below, above = (math.nextafter(steps.LARGEST_LOGIT, side * INF) for side in (-1, 1))
    nearest = abs(arb(100).log() - arb(steps.LARGEST_LOGIT))
    assert nearest < abs(arb(100).log() - arb(below)) and nearest < abs(arb(100).log() - arb(above))
    assert witness.LARGEST_LOGIT == steps.LARGEST_LOGIT


def test_blocks_and_threads_change_nothing(monkeypatch):
    q, k, v = numbers(2, 6, 13, 5), numbers(2, 3, 11, 5, seed=2), numbers(2, 3, 11, 4, seed=3)
    bias, mask = numbers(6, 1, 11, seed=4), numbers(2, 1, 13, 11, seed=5) > -1
    options = {"bias": bias, "mask": mask, "causal": "lower-right", "softcap": 3, "outputs": ALL}
    whole = refpos.attention(q, k, v, **options)
    for size in (1, 22, 40):
        monkeypatch.setattr(steps, "BLOCK", size)
        for threads in (1, 3):
            found = refpos.attention(q, k, v, threads=threads, **options)
            assert all(bits(a) == bits(b) for a, b in zip(found, whole, strict=True)), (size, threads)


def test_heads_of_one_block_have_factors_of_their_own():
    q, k, v, cosine = numbers(6, 2, 4), numbers(6, 5, 4, seed=2), numbers(6, 5, 2, seed=3), numbers(6, seed=4)
    together = refpos.attention(q, k, v, cosine=cosine)
    for head in range(6):
        assert bits(together[head]) == bits(refpos.attention(q[head], k[head], v[head], cosine=cosine[head]))


def test_parts_of_unequal_length_are_not_done_together(monkeypatch):
    monkeypatch.setattr(steps, "BLOCK", 6)  # 3 queries at a time, then 2
    q, k = np.zeros((2, 5, 0)), np.zeros((2, 2, 0))
    assert refpos.attention(q, k, None, bias=numbers(2, 5, 2), outputs="scores").tolist() == numbers(2, 5, 2).tolist()


@pytest.mark.parametrize("dtype", ["float64", "float32", "uint16"])
@pytest.mark.parametrize("parts", [
    [((0, 1), 0, 3)], [((0, 0), 1, 2), ((0, 1), 1, 2)], [((0, 0), 0, 3), ((1, 1), 0, 3)], [((1, 1), 0, 3)] * 2,
    [((0, 1), 0, 3), ((1, 2), 0, 3)], [((0, 0), 0, 2), ((0, 1), 1, 3)], [((1, head), 0, 3) for head in range(3)],
], ids=str)  # fmt: skip
def test_parts_are_rows_of_their_heads_and_cannot_be_written_where_they_are_the_table(parts, dtype):
    array = numbers(2, 3, 3, 4).astype("float32" if dtype == "uint16" else dtype)
    if dtype == "uint16":  # the patterns of bfloat16
        array = (array.view(np.uint32) >> 16).astype(np.uint16)
    table = heads.read_table("q", array)
    found = steps.numbers(table, [(index, slice(start, stop)) for index, start, stop in parts])
    patterns = np.array([array[index][start:stop] for index, start, stop in parts])
    expected = patterns if dtype != "uint16" else (patterns.astype(np.uint32) << 16).view(np.float32)
    assert found.dtype == np.float64 and found.flags.c_contiguous and np.array_equal(found, expected)
    assert not (found.flags.writeable and np.shares_memory(found, array))


def test_a_bias_of_as_many_numbers_in_another_order_of_axes_is_refused():
    q, k = numbers(2, 3, 4), numbers(2, 5, 4)
    assert refpos.attention(q, k, None, bias=numbers(3, 5), outputs="scores").shape == (2, 3, 5)
    for shape in ((2, 5, 3), (30,), (6, 5), (3, 2, 5)):
        with pytest.raises(refpos.InputError, match="bias must broadcast to"):
            refpos.attention(q, k, None, bias=numbers(*shape), outputs="scores")


def test_each_output_is_the_same_alone_and_together():
    q, k, v = numbers(2, 3, 4), numbers(2, 5, 4, seed=2), numbers(2, 5, 3, seed=3)
    together = dict(zip(ALL, refpos.attention(q, k, v, outputs=ALL), strict=True))
    for name in ALL:
        alone = refpos.attention(q, k, None if name != "output" else v, outputs=name)
        (in_a_list,) = refpos.attention(q, k, v, outputs=[name])
        assert bits(alone) == bits(in_a_list) == bits(together[name])
    turned = refpos.attention(q, k, v, outputs=ALL[::-1])
    assert [array.shape for array in turned] == [together[name].shape for name in ALL[::-1]]


def test_heads_are_read_in_groups():
    q, k, v = numbers(6, 2, 4), numbers(3, 5, 4, seed=2), numbers(3, 5, 2, seed=3)
    grouped = refpos.attention(q, k, v)
    assert bits(grouped) == bits(refpos.attention(q, *(np.repeat(part, 2, axis=0) for part in (k, v))))
    assert bits(grouped) != bits(refpos.attention(q, *(np.tile(part, (2, 1, 1)) for part in (k, v))))
    for head in range(6):
        assert bits(grouped[head]) == bits(refpos.attention(q[head], k[head // 2], v[head // 2]))


# -- what takes no part -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hidden", [NAN, INF, -INF, 1e308])
@pytest.mark.parametrize("how", ["mask", "bias", "causal"])
def test_a_key_that_does_not_count_takes_no_part(how, hidden):
    q, k, v = numbers(4, 3), numbers(5, 3, seed=2), numbers(5, 2, seed=3)
    counts = np.arange(5) < np.arange(1, 5)[:, None] if how == "causal" else np.arange(5)[None] < 3
    options = {
        "mask": {"mask": counts},
        "bias": {"bias": np.where(counts, 0.25, -INF)},
        "causal": {"causal": "upper-left"},
    }[how]
    clean = refpos.attention(q, k, v, outputs=ALL, **options)
    nowhere = ~counts.any(0)
    assert nowhere.any()
    k[nowhere], v[nowhere] = hidden, -hidden
    found = refpos.attention(q, k, v, outputs=ALL, **options)
    assert all(bits(a) == bits(b) for a, b in zip(found, clean, strict=True))
    scores, weights, output = found
    assert (scores[np.broadcast_to(~counts, scores.shape)] == -INF).all()
    assert (weights[np.broadcast_to(~counts, scores.shape)] == 0).all() and np.isfinite(output).all()


def test_numbers_that_are_no_numbers_reach_only_keys_that_count():
    """A row of NaN among those that count, and another with an infinite bias; every NaN is the positive quiet one."""
    q, k, v = numbers(3, 4, seed=1), numbers(5, 4, seed=2), numbers(5, 2, seed=3)
    bias, mask = numbers(3, 5, seed=4), np.ones((3, 5), bool)
    bias.view(np.uint64)[0, 2], bias[1, 3], mask[:2, 1] = 0xFFF8000000000001, INF, False
    scores, weights, output = refpos.attention(q, k, v, bias=bias, mask=mask, outputs=ALL)
    counted = mask[:2]
    assert np.isnan(weights[:2][counted]).all() and (weights[:2][~counted] == 0).all()
    for part, wanted in zip((scores, weights, output), plain(q, k, v, bias=bias, mask=mask), strict=True):
        assert bits(part) == bits(wanted)
        assert {*part[np.isnan(part)].view(np.uint64).tolist()} <= {0x7FF8000000000000}


def test_a_value_that_some_queries_read_reaches_only_those():
    q, k = numbers(3, 2), numbers(4, 2, seed=2)
    v = np.array([[1.0, 2], [NAN, 3], [4, INF], [5, 6]])
    mask = np.array([[1, 1, 0, 0], [1, 0, 1, 1], [1, 0, 0, 1]], bool)
    output = refpos.attention(q, k, v, mask=mask)
    assert np.isnan(output[0, 0]) and np.isfinite(output[0, 1])
    assert np.isfinite(output[1, 0]) and output[1, 1] == INF
    assert bits(output[2]) == bits(refpos.attention(q[2:], k[[0, 3]], v[[0, 3]])[0])


def test_a_query_that_no_key_counts_for_is_zeros():
    q, k, v = numbers(3, 2), numbers(4, 2, seed=2), np.full((4, 2), NAN)
    mask = np.array([[1] * 4, [0] * 4, [1] * 4], bool)
    clean = refpos.attention(q, k, np.ones((4, 2)), mask=mask)
    scores, weights, output = refpos.attention(q, k, v, mask=mask, outputs=ALL)
    assert (scores[1] == -INF).all() and (weights[1] == 0).all() and (output[1] == 0).all()
    assert np.isnan(output[[0, 2]]).all() and (clean[1] == 0).all()
    later = refpos.attention(
        q, k[:1], np.ones((1, 2)), causal="lower-right"
    )  # the last of 3 queries reads the only key
    assert later.tolist() == [[0, 0], [0, 0], [1, 1]]
    assert refpos.attention(q, k[:0], v[:0]).tolist() == [[0, 0]] * 3
    assert refpos.attention(q, k, v, bias=-INF).tolist() == [[0, 0]] * 3


def test_the_corners_of_causal_masks():
    for queries, keys in ((2, 5), (5, 2), (4, 4), (1, 3)):
        for corner, offset in (("upper-left", 0), ("lower-right", keys - queries)):
            q, k, v = numbers(queries, 3), numbers(keys, 3, seed=2), numbers(keys, 2, seed=3)
            mask = np.arange(keys) <= np.arange(queries)[:, None] + offset
            ours = refpos.attention(q, k, v, causal=corner, outputs=ALL)
            theirs = refpos.attention(q, k, v, mask=mask, outputs=ALL)
            assert all(bits(a) == bits(b) for a, b in zip(ours, theirs, strict=True))


# -- mistakes ---------------------------------------------------------------------------------------------------------


def mistaken(q, k, v, bias, mask, *, width=None, biased_first=False, capped_last=False, cap=0.5):
    """The output of a program in NumPy with a mistake."""
    width = q.shape[-1] if width is None else width
    s = q @ k.swapaxes(-1, -2)
    s = (s + bias) / np.sqrt(width) if biased_first else s / np.sqrt(width)
    hidden = np.where(mask, 0.0, -INF)
    s = cap * np.tanh((s + hidden) / cap) if capped_last else cap * np.tanh(s / cap) + hidden
    s = s if biased_first else s + bias
    powers = np.exp(s - s.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True) @ v


@pytest.mark.parametrize("kind", ["sequence64", "sequence32"])
@pytest.mark.parametrize(("mistake", "options"), [
    (None, {}),
    ("the root of the model's width", {"width": 12}),
    ("no scale", {"width": 1}),
    ("the bias before the scale", {"biased_first": True}),
    ("the cap after the mask", {"capped_last": True}),
    ("another cap", {"cap": 0.6}),
], ids=str)  # fmt: skip
def test_mistakes_are_out_of_the_bound(kind, mistake, options):
    q, k, v = numbers(3, 6, 4), numbers(3, 5, 4, seed=2), numbers(3, 5, 2, seed=3)
    bias, mask = numbers(3, 6, 5, seed=4), np.arange(5) < 4
    inputs = {"q": q, "k": k, "v": v, "bias": bias, "mask": mask}
    limit = bounds("attention", {"softcap": 0.5}, inputs, "float64")[kind]["output"]
    error = np.abs(mistaken(**inputs, **options) - refpos.attention(**inputs, softcap=0.5))
    assert (error <= limit).all() == (mistake is None)


def test_heads_that_are_not_cut_apart_are_another_scale():
    """8 numbers of 2 heads: each head divides by the root of 4, not of 8."""
    q, k = numbers(2, 3, 4), numbers(2, 5, 4, seed=2)
    scores = refpos.attention(q, k, None, outputs="scores")
    assert bits(scores) == bits(refpos.attention(q, k, None, outputs="scores", scale=0.5))
    assert bits(scores) != bits(refpos.attention(q, k, None, outputs="scores", scale=1 / math.sqrt(8)))


# -- what the paper says of it ----------------------------------------------------------------------------------------


def test_without_positions_the_order_of_keys_is_not_seen():
    """Scores and weights go with their keys; the output is the same but for the order of its sum."""
    q, k, v = numbers(2, 3, 4), numbers(2, 6, 4, seed=2), numbers(2, 6, 3, seed=3)
    order = np.random.default_rng(4).permutation(6)
    first, second = (refpos.attention(q, k[:, j], v[:, j], outputs=ALL) for j in (slice(None), order))
    assert bits(first[0][..., order]) == bits(second[0])
    limit = bounds("attention", {"outputs": ALL}, {"q": q, "k": k, "v": v}, "float64")["sequence64"]
    assert (np.abs(first[1][..., order] - second[1]) <= 2 * limit["weights"][..., order]).all()
    assert (np.abs(first[2] - second[2]) <= 2 * limit["output"]).all()
    rows = refpos.attention(q[:, ::-1], k, v)
    assert bits(rows[:, ::-1]) == bits(first[2])


# -- memory, bounds and arguments -------------------------------------------------------------------------------------


def test_no_more_than_a_block_of_scores_is_held():
    q, k, v = (numbers(8, 512, 8, seed=n).astype(np.float32) for n in (1, 2, 3))
    bias = np.broadcast_to(np.float32(0.5), (8, 512, 512))
    out = np.empty((8, 512, 8), np.float32)
    refpos.attention(q, k, v, bias=bias, causal="upper-left", dtype="float32", out=out, threads=1)
    tracemalloc.start()
    refpos.attention(q, k, v, bias=bias, causal="upper-left", dtype="float32", out=out, threads=1)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert held < 8 * 512 * 512 * 8 * 2  # all scores as float64, twice; a block of them and what exp needs is less
    assert held < 30 * steps.BLOCK * 8


@pytest.mark.parametrize("size", [1e-3, 1.0, 30.0, 1e4])
def test_a_program_in_numpy_keeps_within_the_bound(size):
    rng = np.random.default_rng(9)
    for _ in range(12):
        queries, keys, dim = (int(n) for n in rng.choice([1, 2, 5, 16, 40], 3))
        q, k, v = (numbers(n, dim, seed=int(rng.integers(1 << 20))) for n in (queries, keys, keys))
        q, inputs = q * size, {}
        inputs = {"q": q, "k": k, "v": v}
        exact = refpos.attention(**inputs, outputs=ALL)
        limits = bounds("attention", {"outputs": ALL}, inputs, "float64")
        for kind, dtype in (("sequence64", np.float64), ("sequence32", np.float32)):
            a, b, c = (part.astype(dtype) for part in (q, k, v))
            scores = (a * dtype(dim) ** dtype(-0.25)) @ (b * dtype(dim) ** dtype(-0.25)).T
            powers = np.exp(scores - scores.max(-1, keepdims=True))
            weights = powers / powers.sum(-1, keepdims=True)
            found = scores, weights, (powers @ c) / powers.sum(-1, keepdims=True)
            for name, theirs, ours in zip(ALL, found, exact, strict=True):
                assert (np.abs(theirs - ours) <= limits[kind][name]).all(), (name, kind)


def test_large_arguments_are_refused():
    q, k = np.ones((1, 2)), np.ones((3, 2))
    for name in ("scale", "softcap", "cosine"):
        with pytest.raises(refpos.InputError) as caught:
            refpos.attention(q, k, k, **{name: 2**1030})
        assert caught.value.code == "E_NUMBER" and caught.value.argument == name
    with pytest.raises(refpos.InputError) as caught:
        heads.read_scale(2**1030, 4)
    assert caught.value.code == "E_NUMBER"


def test_out_is_one_array_or_as_many_as_names():
    q, k, v = numbers(1, 2), numbers(3, 2), numbers(3, 4)
    out = [np.empty((1, 3)), np.empty((1, 4))]
    found = refpos.attention(q, k, v, outputs=["weights", "output"], out=out)
    assert isinstance(found, tuple) and found[0] is out[0] and found[1] is out[1]
    single = np.empty((1, 4))
    assert refpos.attention(q, k, v, out=single) is single and bits(single) == bits(out[1])
    for wrong in (out[:1], single, (out[0], out[0]), (k[:1], out[1])):
        with pytest.raises(refpos.InputError) as caught:
            refpos.attention(q, k, v, outputs=["weights", "output"], out=wrong)
        assert caught.value.code == "E_OUT"
