"""Conversion between layouts: tables, channels and weights only move, and land where real models read them; the proof
says equal exactly where scores are."""

import re
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from refpos import InputError, InputTypeError, rope
from refpos.conversion import convert_table, layout, order, prove_orders, prove_weights, qkv_order, qkv_rows, reorder
from refpos.conversion.layout import PLACES
from refpos.conversion.qkv import FUSIONS
from refpos.conversion.table import FORMS

META, HF = (layout(8, pairing=pairing) for pairing in ("interleaved", "half"))

# layouts of 12 channels of which 8 are rotated
PARTIAL = {"head_dim": 12, "rotary_dim": 8}
LAYOUTS = [
    layout(**PARTIAL, pairing="interleaved"),
    layout(**PARTIAL, pairing="half"),
    layout(**PARTIAL, pairing="half", place="last"),
    layout(**PARTIAL, pairing="block-half", blocks=(2, 6)),
    layout(**PARTIAL, pairing="interleaved", output="half", place="last"),
    layout(**PARTIAL, pairing="half", output="interleaved", columns=(2, 0, 3, 1)),
    layout(**PARTIAL, pairing="half", inverse=True),
    layout(**PARTIAL, pairing="interleaved", output="block-half", inverse=True, blocks=(4, 4), columns=(0, 2, 1, 3)),
]


def bits(array):
    return np.ascontiguousarray(array).view(np.uint8)


def same(one, other):
    return one.dtype == other.dtype and one.shape == other.shape and np.array_equal(bits(one), bits(other))


def patterns(shape, dtype, seed=0):
    """Arrays of random bits: signalling NaNs, infinities and negative zeros among them."""
    size = np.dtype(dtype).itemsize
    raw = np.random.default_rng(seed).integers(0, 256, (*shape, size), dtype=np.uint8)
    raw[..., -1] |= 0x7F * (np.arange(raw[..., 0].size).reshape(shape) % 5 == 0).astype(np.uint8)
    return raw.view(dtype)[..., 0]


# -- tables -----------------------------------------------------------------------------------------------------------

C, S = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])
WRITTEN = {
    "compact": ([[1, 2]], [[3, 4]]),
    "tiled": ([[1, 2, 1, 2]], [[3, 4, 3, 4]]),
    "repeated": ([[1, 1, 2, 2]], [[3, 3, 4, 4]]),
    "cos-sin": [[1, 2, 3, 4]],
    "cos-sin-tiled": [[1, 2, 1, 2, 3, 4, 3, 4]],
    "cos-sin-repeated": [[1, 1, 2, 2, 3, 3, 4, 4]],
    "sin-cos": [[3, 4, 1, 2]],
    "sin-cos-tiled": [[3, 4, 3, 4, 1, 2, 1, 2]],
    "sin-cos-repeated": [[3, 3, 4, 4, 1, 1, 2, 2]],
    "complex": [[1 + 3j, 2 + 4j]],
    "matrix": [[[[1, -3], [3, 1]], [[2, -4], [4, 2]]]],
}


def as_arrays(tables):
    return tables if isinstance(tables, tuple) else (tables,)


@pytest.mark.parametrize("target", WRITTEN)
def test_a_table_in_each_layout(target):
    assert set(WRITTEN) == set(FORMS)
    found = convert_table((C, S), "compact", target)
    assert isinstance(found, tuple) == isinstance(WRITTEN[target], tuple)
    for array, expected in zip(as_arrays(found), as_arrays(WRITTEN[target]), strict=True):
        assert array.dtype == (complex if target == "complex" else float)
        assert array.tolist() == expected


DTYPES = ["f8", "f4", "f2", ml_dtypes.bfloat16, "u2", ">f4", ">f8"]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("source", FORMS)
def test_tables_come_back_bit_for_bit(source, dtype):
    if source == "complex" and np.dtype(dtype).itemsize == 2:
        dtype = "f4"
    pair = patterns((3, 2, 6), dtype, 1), patterns((3, 2, 6), dtype, 2)
    tables = convert_table(pair, "compact", source)
    for target in FORMS if np.dtype(dtype).itemsize > 2 else set(FORMS) - {"complex"}:
        there = convert_table(tables, source, target)
        back = convert_table(convert_table(there, target, source), source, "compact")
        assert all(np.array_equal(bits(a.astype(b.dtype)), bits(b)) for a, b in zip(pair, back, strict=True))
        assert not np.dtype(dtype).isnative or all(map(same, pair, back))


def test_blocks_are_tiled_one_by_one():
    cos, sin = np.arange(5.0), -np.arange(5.0)
    tiled, _ = convert_table((cos, sin), "compact", "tiled", blocks=(4, 6))
    assert tiled.tolist() == [0, 1, 0, 1, 2, 3, 4, 2, 3, 4]
    back, _ = convert_table((tiled, -tiled), "tiled", "compact", blocks=(4, 6))
    assert back.tolist() == cos.tolist()
    whole, _ = convert_table((tiled, -tiled), "tiled", "repeated", blocks=[4, 6])
    assert whole.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_a_table_that_is_not_in_the_layout_named_is_refused():
    tiled, repeated = (convert_table((C, S), "compact", name) for name in ("tiled", "repeated"))
    with pytest.raises(InputError, match=r"in 'repeated' cos at \(0, 0\) and \(0, 1\) .* 1.0 and 2.0; .* are tiled"):
        convert_table(tiled, "repeated", "compact")
    with pytest.raises(InputError, match=r"in 'tiled' cos at \(0, 0\) and \(0, 2\) .* 1.0 and 2.0; .* are repeated"):
        convert_table(repeated, "tiled", "compact")
    with pytest.raises(InputError, match=r"in 'tiled' sin at \(0, 1\) and \(0, 3\) are equal, got 4.0 and 5.0$") as e:
        convert_table((tiled[0], np.array([[3.0, 4.0, 3.0, 5.0]])), "tiled", "compact")
    assert e.value.code == "E_CHOICE" and e.value.argument == "source"
    # 0 and -0 are not the same bits
    with pytest.raises(InputError, match="at"):
        convert_table((np.array([0.0, -0.0]), np.zeros(2)), "tiled", "compact")
    matrices = convert_table((C, S), "compact", "matrix")
    with pytest.raises(
        InputError, match=r"\[\[cos, -sin\], \[sin, cos\]\], got \[\[1.0, 3.0\], \[3.0, 1.0\]\] at \(0, 0\)"
    ):
        convert_table(abs(matrices), "matrix", "compact")
    # the transposed matrices are rotations too, by minus the phase
    assert np.array_equal(convert_table(matrices.swapaxes(-1, -2), "matrix", "compact"), (C, -S))


@pytest.mark.parametrize(
    "tables, source, target, blocks, code",
    [
        ((C, S), "half", "tiled", None, "E_CHOICE"),
        ((C, S), "compact", "interleaved", None, "E_CHOICE"),
        ((C, S), "compact", "repeated", (2, 2), "E_CHOICE"),
        ((C, S), "compact", "tiled", (2, 4), "E_SHAPE"),
        ((C, S), "compact", "tiled", (1, 3), "E_ODD_DIM"),
        (C, "compact", "tiled", None, "E_SHAPE"),
        ((C, S), "complex", "tiled", None, "E_SHAPE"),
        ((C, S[:, :1]), "compact", "tiled", None, "E_SHAPE"),
        ((C, S.astype("f4")), "compact", "tiled", None, "E_SHAPE"),
        ((C[:, :1], S[:, :1]), "tiled", "compact", None, "E_SHAPE"),
        (np.zeros(3), "sin-cos", "compact", None, "E_SHAPE"),
        (np.zeros((3, 2)), "matrix", "compact", None, "E_SHAPE"),
        (C, "complex", "compact", None, "E_DTYPE"),
        ((C.astype(int), S.astype(int)), "compact", "tiled", None, "E_DTYPE"),
        ((C.astype("f2"), S.astype("f2")), "compact", "complex", None, "E_DTYPE"),
    ],
)
def test_tables_refused(tables, source, target, blocks, code):
    with pytest.raises(InputError) as caught:
        convert_table(tables, source, target, blocks=blocks)
    assert caught.value.code == code and " must " in str(caught.value) and ", got " in str(caught.value)


# -- channels ---------------------------------------------------------------------------------------------------------

FIRST, LAST = (
    {pairing: layout(6, pairing=pairing, rotary_dim=4, place=place) for pairing in ("interleaved", "half")}
    for place in ("first", "last")
)


@pytest.mark.parametrize(
    "source, target, rotated, expected",
    [
        (META, HF, False, [0, 2, 4, 6, 1, 3, 5, 7]),
        (HF, META, False, [0, 4, 1, 5, 2, 6, 3, 7]),
        (FIRST["interleaved"], FIRST["half"], False, [0, 2, 1, 3, 4, 5]),
        (FIRST["half"], LAST["half"], False, [4, 5, 0, 1, 2, 3]),
        (LAST["interleaved"], LAST["half"], False, [0, 1, 2, 4, 3, 5]),
        (HF, layout(8, pairing="block-half", blocks=(4, 4)), False, [0, 1, 4, 5, 2, 3, 6, 7]),
        (HF, layout(8, pairing="half", inverse=True), False, [4, 5, 6, 7, 0, 1, 2, 3]),
        (META, layout(8, pairing="interleaved", inverse=True), False, [1, 0, 3, 2, 5, 4, 7, 6]),
        (META, layout(8, pairing="interleaved", output="half"), False, [0, 1, 2, 3, 4, 5, 6, 7]),
        (META, layout(8, pairing="interleaved", output="half"), True, [0, 2, 4, 6, 1, 3, 5, 7]),
        # the pair at place 1 of the first layout rotates by column 0
        (layout(6, pairing="half", columns=(2, 0, 1)), layout(6, pairing="half"), False, [1, 2, 0, 4, 5, 3]),
    ],
)  # fmt: skip
def test_orders(source, target, rotated, expected):
    found = order(source, target, rotated=rotated)
    assert found.dtype == np.int64 and found.tolist() == expected
    two = order(source, target, num_heads=2, rotated=rotated)
    assert two.tolist() == expected + [source.head_dim + k for k in expected]


@pytest.mark.parametrize("rotated", [False, True])
def test_orders_compose(rotated):
    for a in LAYOUTS:
        assert order(a, a, rotated=rotated).tolist() == list(range(12))
        for b in LAYOUTS:
            there = order(a, b, num_heads=3, rotated=rotated)
            assert sorted(there) == list(range(36))
            for c in LAYOUTS:
                further = order(b, c, num_heads=3, rotated=rotated)
                assert np.array_equal(there[further], order(a, c, num_heads=3, rotated=rotated))


@pytest.mark.parametrize("dtype", [*DTYPES, "i1", "c8"], ids=str)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_reorder_only_moves_bits(dtype, axis):
    shape = [3, 4, 5]
    shape[axis] = 16
    array = patterns(tuple(shape), dtype).swapaxes(0, 2).copy().swapaxes(0, 2)
    found = reorder(array, META, HF, num_heads=2, axis=axis)
    moved = np.moveaxis(array, axis, 0)[[0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15]]
    assert same(found, np.moveaxis(moved, 0, axis)) and not np.array_equal(bits(found), bits(array))
    assert same(reorder(found, HF, META, num_heads=2, axis=axis), array)


@pytest.mark.parametrize(
    "call, code",
    [
        (lambda: layout(0, pairing="half"), "E_SIZE"),
        (lambda: layout(7, pairing="half"), "E_ODD_DIM"),
        (lambda: layout(8, pairing="half", rotary_dim=3), "E_ODD_DIM"),
        (lambda: layout(8, pairing="half", rotary_dim=10), "E_ROTARY_DIM"),
        (lambda: layout(8, pairing="neox"), "E_CHOICE"),
        (lambda: layout(8, pairing="half", place="tail"), "E_CHOICE"),
        (lambda: layout(8, pairing="half", output="tiled"), "E_CHOICE"),
        (lambda: layout(8, pairing="block-half"), "E_CHOICE"),
        (lambda: layout(8, pairing="half", blocks=(8,)), "E_CHOICE"),
        (lambda: layout(8, pairing="half", inverse=1), "E_CHOICE"),
        (lambda: layout(8, pairing="block-half", blocks=(4, 2)), "E_SHAPE"),
        (lambda: layout(8, pairing="block-half", blocks=(5, 3)), "E_ODD_DIM"),
        (lambda: layout(8, pairing="half", columns=(0, 1, 1, 2)), "E_SHAPE"),
        (lambda: order("half", HF), "E_CHOICE"),
        (lambda: order(HF, layout(10, pairing="half")), "E_SHAPE"),
        (lambda: order(HF, layout(8, pairing="half", rotary_dim=4)), "E_ROTARY_DIM"),
        (lambda: order(META, HF, num_heads=0), "E_SIZE"),
        (lambda: order(META, HF, rotated=None), "E_CHOICE"),
        (lambda: reorder(np.zeros((16, 3)), META, HF, num_heads=2), "E_SHAPE"),
        (lambda: reorder(np.zeros(8), META, HF, axis=1), "E_AXIS"),
        (lambda: reorder(0.0, META, HF), "E_SHAPE"),
        (lambda: qkv_rows(4, 8, fusion="per head"), "E_CHOICE"),
        (lambda: qkv_rows(4, 8, fusion="grouped", num_kv_heads=3), "E_SIZE"),
        (lambda: qkv_order(META, HF, num_heads=2, fusion="grouped", to_fusion="fused"), "E_CHOICE"),
        (lambda: prove_orders(np.arange(8.0), np.arange(8), META, HF, num_heads=1), "E_DTYPE"),
        (lambda: prove_orders(np.arange(9), np.arange(8), META, HF, num_heads=1), "E_SHAPE"),
        (lambda: prove_orders(np.arange(8), np.arange(8) + 1, META, HF, num_heads=1), "E_SHAPE"),
        (lambda: prove_orders(np.arange(8), np.arange(8), None, HF, num_heads=1), "E_CHOICE"),
        (lambda: prove_weights(np.eye(8), (np.eye(8),) * 2, META, HF, num_heads=1), "E_SHAPE"),
        (lambda: prove_weights((np.eye(8),) * 2, (np.eye(9),) * 2, META, HF, num_heads=1), "E_SHAPE"),
        (lambda: prove_weights((np.eye(8),) * 2, (np.eye(8, dtype="f4"),) * 2, META, HF, num_heads=1), "E_DTYPE"),
        (lambda: prove_weights((np.eye(8),) * 2, (np.eye(8),) * 2, META, HF, num_heads=1, axis=2), "E_AXIS"),
    ],
)
def test_refused(call, code):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.code == code and " must " in str(caught.value) and ", got " in str(caught.value)
    if code == "E_DTYPE" and "integer" in str(caught.value):
        assert isinstance(caught.value, InputTypeError)


@pytest.mark.parametrize("dtype", ["f8", "f4", ml_dtypes.bfloat16], ids=str)
@pytest.mark.parametrize("inverse", [False, True])
def test_rotation_commutes_with_reordering(dtype, inverse):
    """Rotating half of re-ordered channels is re-ordering what rotating interleaved channels gives: every bit."""
    x = np.random.default_rng(3).normal(size=(2, 3, 5, 12)).astype(dtype)
    positions = np.array([0, 1, 77, 4096, 131071])
    partial = {"rotary_dim": 8, "inverse": inverse}
    first, second = LAYOUTS[:2]
    interleaved, half = (rope(x, positions, pairing=p, **partial) for p in ("interleaved", "half"))
    assert same(
        rope(reorder(x, first, second), positions, pairing="half", **partial), reorder(interleaved, first, second)
    )
    assert same(
        rope(reorder(x, second, first), positions, pairing="interleaved", **partial), reorder(half, second, first)
    )
    # the other direction is the rotation of swapped pairs
    back = layout(**PARTIAL, pairing="half", inverse=True)
    turned = rope(reorder(x, second, back), positions, pairing="half", rotary_dim=8, inverse=not inverse)
    assert same(reorder(turned, back, second), half)
    # rotated channels last, as a slice
    tail = layout(**PARTIAL, pairing="half", place="last")
    moved = reorder(x, second, tail)
    moved[..., 4:] = rope(moved[..., 4:], positions, pairing="half", inverse=inverse)
    assert same(reorder(moved, tail, second), half)


# -- weights of real checkpoints --------------------------------------------------------------------------------------


def test_weights_in_other_shapes():
    weight = patterns((24, 5), "f4")
    expected = reorder(weight, META, HF, num_heads=3, axis=0)
    assert same(reorder(weight.T, META, HF, num_heads=3, axis=1), expected.T)
    assert same(reorder(weight.reshape(3, 8, 5), META, HF, axis=1), expected.reshape(3, 8, 5))
    assert same(reorder(weight.T.reshape(5, 3, 8), META, HF), expected.T.reshape(5, 3, 8))
    # the shape of a square weight does not say which axis has the channels
    square = patterns((24, 24), "f4")
    rows, columns_ = (reorder(square, META, HF, num_heads=3, axis=axis) for axis in (0, 1))
    assert same(rows, square[order(META, HF, num_heads=3)]) and same(columns_, square[:, order(META, HF, num_heads=3)])


@pytest.mark.parametrize("before", ["concatenated", "grouped"])
@pytest.mark.parametrize("after", [None, "concatenated", "grouped"])
@pytest.mark.parametrize("kv_heads", [1, 2, 4])
def test_fused_rows_are_converted_part_by_part(before, after, kv_heads):
    weight = patterns(((4 + 2 * kv_heads) * 8, 3), "u2")
    indices = qkv_order(META, HF, num_heads=4, num_kv_heads=kv_heads, fusion=before, to_fusion=after)
    assert sorted(indices) == list(range(len(weight)))
    old = [weight[rows] for rows in qkv_rows(4, 8, fusion=before, num_kv_heads=kv_heads)]
    new = [weight[indices][rows] for rows in qkv_rows(4, 8, fusion=after or before, num_kv_heads=kv_heads)]
    assert same(new[0], reorder(old[0], META, HF, num_heads=4, axis=0))
    assert same(new[1], reorder(old[1], META, HF, num_heads=kv_heads, axis=0)) and same(new[2], old[2])
    counts = {"num_heads": 4, "num_kv_heads": kv_heads}
    assert prove_weights(old[:2], new[:2], META, HF, **counts)


# -- the proof --------------------------------------------------------------------------------------------------------

HEADS = {"num_heads": 4, "num_kv_heads": 2}


def rotated(x, where, positions):
    """The channels x (heads, seq, dim) read and written as a layout says, rotated by refpos in float64."""
    # as half pairs that rotate by plus the phase
    y = rope(x[..., where.read], positions, pairing="half", rotary_dim=2 * where.pairs, base=100)
    result = np.empty_like(y)
    result[..., where.written] = y
    return result


def scores(q, k, where, num_heads, num_kv_heads):
    """The exact scores, as fractions, of integer weights on integer inputs at positions 3 and 8."""
    inputs = np.random.default_rng(9).integers(-4, 5, (2, q.shape[1]))
    turned = []
    for weight, heads in ((q, num_heads), (k, num_kv_heads)):
        x = (inputs @ weight.T).reshape(2, heads, -1).swapaxes(0, 1).astype(float)
        turned.append(rotated(x, where, [3, 8]).tolist())
    share = num_heads // num_kv_heads
    return [
        sum(Fraction(a) * Fraction(b) for a, b in zip(left, right, strict=True))
        for h in range(num_heads)
        for left in turned[0][h]
        for right in turned[1][h // share]
    ]


def weights(dim, seed=0):
    q, k = (np.random.default_rng(seed + heads).integers(-99, 100, (heads * dim, 7)) for heads in HEADS.values())
    assert len(np.unique(q, axis=0)) == len(q)
    return q, k


@pytest.mark.parametrize("source", LAYOUTS, ids=str)
@pytest.mark.parametrize("target", LAYOUTS, ids=str)
def test_proved_weights_have_the_scores(source, target):
    """Exactly those: rotations in float64 are the same numbers in other places."""
    old = weights(12)
    orders = [order(source, target, num_heads=heads) for heads in HEADS.values()]
    new = [weight[indices] for weight, indices in zip(old, orders, strict=True)]
    proof = prove_weights(old, new, source, target, **HEADS)
    assert proof and proof.equal and str(proof).startswith("equal: every row") and f"{target}" in str(proof)
    assert prove_orders(*orders, source, target, **HEADS)
    assert scores(*old, source, **HEADS) == scores(*new, target, **HEADS)
    # and without the re-ordering they are others, which the proof knows, and knows how to mend
    unmoved = prove_weights(old, old, source, target, **HEADS)
    assert bool(unmoved) == (scores(*old, source, **HEADS) == scores(*old, target, **HEADS))
    mended = old[0][unmoved.q_fix], old[1][unmoved.k_fix]
    assert prove_weights(old, mended, source, target, **HEADS)
    assert unmoved or all(map(same, mended, new))


@pytest.mark.exhaustive
def test_the_proof_is_true_exactly_where_scores_are_equal():
    """All orders of the rows of a head with two pairs and two copied channels, q and k alike or k left as it is."""
    source, target = (layout(6, pairing=pairing, rotary_dim=4) for pairing in ("interleaved", "half"))
    q, k = (np.random.default_rng(seed).integers(-99, 100, (6, 5)) for seed in (1, 2))

    def exact(q, k, where):
        inputs = np.random.default_rng(9).integers(-4, 5, (2, 5))
        turned = []
        for weight in (q, k):
            x = (inputs @ weight.T).astype(float)[:, where.read]
            y = np.empty_like(x)
            y[:, where.written] = rope(x, [3, 8], pairing="half", rotary_dim=4, base=100)
            turned.append(y.tolist())
        return [sum(Fraction(a) * Fraction(b) for a, b in zip(u, v, strict=True)) for u in turned[0] for v in turned[1]]

    old, right = exact(q, k, source), order(source, target)
    proved = 0
    for indices in permutations(range(6)):
        for other in (indices, right):
            proof = prove_orders(np.array(indices), np.array(other), source, target, num_heads=1)
            assert bool(proof) == (exact(q[list(indices)], k[list(other)], target) == old), (indices, str(proof))
            assert proof or (
                proof.q_fix is not None
                and prove_orders(
                    np.array(indices)[proof.q_fix], np.array(other)[proof.k_fix], source, target, num_heads=1
                )
            )
            proved += bool(proof)
    assert proved == 3  # the right one, twice, and both copied channels swapped in q and in k


NANOCHAT = layout(8, pairing="half", inverse=True)
NARROW, WIDE = ([layout(dim, pairing=pairing) for pairing in ("interleaved", "half")] for dim in (4, 20))
WRONG = {
    "un-permuted": (lambda q, k: (np.arange(32), np.arange(16)), META, HF,
        ("q is not re-ordered: it is still interleaved, 8 channels; "
         "k is not re-ordered: it is still interleaved, 8 channels")),
    "q but not k": (lambda q, k: (q, np.arange(16)), META, HF,
        "k is not re-ordered: it is still interleaved, 8 channels"),
    "the wrong way": (lambda q, k: (order(HF, META, num_heads=4), k), META, HF,
        "q is re-ordered the wrong way round, from half, 8 channels to interleaved, 8 channels"),
    "twice": (lambda q, k: (q, k[k]), *WIDE, "k is re-ordered twice"),
    "k with the heads of q": (lambda q, k: (q, order(*NARROW, num_heads=4)),
        META, HF, "k is re-ordered as 4 x 4 channels (heads x width)"),
    "q as one head": (lambda q, k: (order(*(layout(32, pairing=p) for p in ("interleaved", "half"))), k),
        META, HF, "q is re-ordered as 1 x 32 channels (heads x width)"),
    "across heads": (lambda q, k: (np.roll(q, 1), k), META, HF,
        "q has rows moved between heads: channel 0 of head 0 comes from head 3"),
    "whole heads": (lambda q, k: (np.roll(q, 8), k), META, HF, "q has whole heads moved: head 0 holds head 3"),
    "one pair turned round": (lambda q, k: (q[[4, 1, 2, 3, 0, *range(5, 32)]], k), META, HF,
        "q has pair 0 of head 0 from channels (1, 0) of the source, whose pair 0 is (0, 1)"),
    "direction": (lambda q, k: (np.arange(32), np.arange(16)), NANOCHAT, HF,
        ("q is not re-ordered: it is still half, 8 channels, inverse; "
         "k is not re-ordered: it is still half, 8 channels, inverse")),
    "other direction": (lambda q, k: (order(META, NANOCHAT, num_heads=4), k), META, HF,
        "q is re-ordered for the other direction: half, 8 channels, inverse"),
    "whole heads of partial": (lambda q, k: (order(META, HF, num_heads=4), k),
        layout(8, pairing="interleaved", rotary_dim=4), layout(8, pairing="half", rotary_dim=4),
        "q is re-ordered over whole heads, copied channels and all"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said(name):
    mistake, source, target, sentence = WRONG[name]
    right = [order(source, target, num_heads=heads) for heads in HEADS.values()]
    given = mistake(*right)
    proof = prove_orders(*given, source, target, **HEADS)
    assert not proof and str(proof) == sentence
    assert "; ".join(proof.reasons) == sentence
    old = weights(source.head_dim)
    new = old[0][given[0]], old[1][given[1]]
    assert scores(*old, source, **HEADS) != scores(*new, target, **HEADS)
    found = prove_weights(old, new, source, target, **HEADS)
    assert not found and str(found) == sentence
    mended = new[0][found.q_fix], new[1][found.k_fix]
    assert scores(*old, source, **HEADS) == scores(*mended, target, **HEADS)


def test_copied_channels_must_keep_company():
    source = layout(8, pairing="half", rotary_dim=4)
    q = np.array([0, 1, 2, 3, 5, 4, 6, 7])
    proof = prove_orders(q, np.arange(8), source, source, num_heads=1)
    assert not proof and str(proof) == "copied channel 4 of head 0 is channel 5 of q and 4 of k"
    assert prove_orders(q, q, source, source, num_heads=1)
    twice = np.array([0, 1, 2, 3, 4, 4, 6, 7])
    proof = prove_orders(twice, twice, source, source, num_heads=1)
    assert not proof and "uses a copied channel twice" in str(proof) and proof.q_fix is None


def test_copied_channels_keep_company_in_each_group_of_heads():
    source = layout(8, pairing="half", rotary_dim=4)
    swapped, whole = np.array([0, 1, 2, 3, 5, 4, 6, 7]), np.arange(8)

    def heads(*orders):
        return np.concatenate([8 * h + one for h, one in enumerate(orders)])

    k = heads(swapped, whole)  # of heads 0 and 1, and of heads 2 and 3
    assert prove_orders(heads(swapped, swapped, whole, whole), k, source, source, **HEADS)
    proof = prove_orders(heads(swapped, whole, swapped, whole), k, source, source, **HEADS)
    assert not proof and str(proof) == "copied channel 4 of head 1 is channel 4 of q and 5 of k"


def test_values_that_differ_are_no_re_ordering():
    old = weights(8)
    new = [
        reorder(w.astype("f8"), META, HF, num_heads=heads, axis=0) for w, heads in zip(old, HEADS.values(), strict=True)
    ]
    old = [w.astype("f8") for w in old]
    new[1][3, 2] = np.nextafter(new[1][3, 2], 0)
    proof = prove_weights(old, new, META, HF, **HEADS)
    assert not proof and str(proof) == "1 of the 16 rows of k are none of the old rows: their values differ"
    assert proof.q_fix is None and proof.k_fix is None


def test_biases_and_orientation_count():
    q, k = (w.astype(ml_dtypes.bfloat16) for w in weights(8))
    biases = [np.arange(len(w)).astype("f4") for w in (q, k)]
    orders = [order(META, HF, num_heads=heads) for heads in HEADS.values()]
    old = [(w.T, b) for w, b in zip((q, k), biases, strict=True)]
    new = [(w[p].T, b[p]) for w, b, p in zip((q, k), biases, orders, strict=True)]
    assert prove_weights(old, new, META, HF, **HEADS, axis=1)
    forgotten = [new[0], (new[1][0], biases[1])]
    assert not prove_weights(old, forgotten, META, HF, **HEADS, axis=1)


def test_equal_rows_do_not_confuse_the_proof():
    old = np.zeros((32, 3)), np.zeros((16, 3))
    assert prove_weights(old, old, META, HF, **HEADS)


def test_equal_rows_are_taken_for_the_right_ones():
    """Rows 0 and 1 of q have the same bits; the copied channels are swapped in q and in k."""
    source, swapped = layout(8, pairing="half", rotary_dim=4), [0, 1, 2, 3, 5, 4, 6, 7]
    q, k = (np.random.default_rng(seed).normal(size=(8, 3)) for seed in (0, 1))
    q[1] = q[0]
    assert prove_weights((q, k), (q[swapped], k[swapped]), source, source, num_heads=1)
    assert not prove_weights((q, k), (q, k[swapped]), source, source, num_heads=1)


def test_nanochat_weights_become_llama_weights():
    """Rotating back is rotating swapped pairs: swap the halves of q and k, or negate the second half of each."""
    orders = [order(NANOCHAT, HF, num_heads=heads) for heads in HEADS.values()]
    assert orders[1].tolist() == [4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11]
    q, k = weights(8)
    old = scores(q, k, NANOCHAT, **HEADS)
    assert scores(q[orders[0]], k[orders[1]], HF, **HEADS) == old != scores(q, k, HF, **HEADS)
    signs = np.repeat([1, -1], 4)
    assert scores(q * np.tile(signs, 4)[:, None], k * np.tile(signs, 2)[:, None], HF, **HEADS) == old


# -- how real models apply it -----------------------------------------------------------------------------------------

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "layouts.md").read_text()


def test_the_page_names_every_choice():
    for name in [*FORMS, *FUSIONS, *PLACES]:
        assert f"`{name}`" in PAGE or f'"{name}"' in PAGE, name
    headings = {
        re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")
        for title in re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    }
    assert set(re.findall(r"\(layouts.md#([\w-]+)\)", PAGE)) <= headings
