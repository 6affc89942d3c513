"""Conversion between layouts: tables, channels and weights only move, and land where real models read them; the proof
says equal exactly where scores are."""

import re
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest
import torch
from transformers import AttentionInterface, EsmConfig, Gemma4VisionConfig, GPTNeoXConfig, LlamaConfig
from transformers.core_model_loading import PermuteForRope
from transformers.modeling_gguf_pytorch_utils import LlamaTensorProcessor
from transformers.models.cohere import modeling_cohere as cohere
from transformers.models.deepseek_v2 import modeling_deepseek_v2 as deepseek_v2
from transformers.models.deepseek_v3 import modeling_deepseek_v3 as deepseek_v3
from transformers.models.deepseek_v4 import modeling_deepseek_v4 as deepseek_v4
from transformers.models.esm import modeling_esm as esm
from transformers.models.falcon.modeling_falcon import FalconAttention
from transformers.models.gemma4 import modeling_gemma4 as gemma4
from transformers.models.glm import modeling_glm as glm
from transformers.models.gpt_neox import modeling_gpt_neox as gpt_neox
from transformers.models.gpt_oss import modeling_gpt_oss as gpt_oss
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama
from transformers.models.llama4 import modeling_llama4 as llama4
from transformers.models.musicflamingo import modeling_musicflamingo as musicflamingo
from transformers.models.nanochat import modeling_nanochat as nanochat
from transformers.models.pe_audio import modeling_pe_audio as pe_audio
from transformers.models.roformer.modeling_roformer import RoFormerSelfAttention
from transformers.models.sam2_video import modeling_sam2_video as sam2
from transformers.models.wav2vec2_conformer.modeling_wav2vec2_conformer import Wav2Vec2ConformerSelfAttention

from refpos import (
    InputError,
    InputTypeError,
    axial_frequencies,
    compare,
    conformance,
    inverse_frequencies,
    rope,
    rope_table,
)
from refpos.conversion import (
    convert_table,
    layout,
    order,
    prove_orders,
    prove_weights,
    qkv_order,
    qkv_rows,
    reorder,
)
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
    for array, expected in zip(as_arrays(found), as_arrays(WRITTEN[target])):
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
        assert all(np.array_equal(bits(a.astype(b.dtype)), bits(b)) for a, b in zip(pair, back))
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
        # the pair at place 1 of the first layout turns by column 0
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


@pytest.mark.parametrize("heads, dim", [(1, 8), (4, 8), (3, 10)])
def test_transformers_permute_for_rope(heads, dim):
    meta, hf = (layout(dim, pairing=pairing) for pairing in ("interleaved", "half"))
    weight, bias = patterns((heads * dim, 5), "f4"), patterns((heads * dim,), "f4")
    config = SimpleNamespace(num_attention_heads=heads)
    for array in (weight, bias):
        there = PermuteForRope()._permute_for_rope(torch.from_numpy(array), config).numpy()
        back = PermuteForRope(inverse=True)._permute_for_rope(torch.from_numpy(array), config).numpy()
        assert same(reorder(array, meta, hf, num_heads=heads, axis=0), there)
        assert same(reorder(array, hf, meta, num_heads=heads, axis=0), back)


@pytest.mark.parametrize("heads", [8, 2])
def test_gguf_weights_as_transformers_reads_them(heads):
    """llama.cpp stores interleaved channels; the count of key-value heads goes with k."""
    weight = patterns((heads * 8, 5), "f2")
    found = reorder(weight, META, HF, num_heads=heads, axis=0)
    assert same(found, LlamaTensorProcessor({})._reverse_permute_weights(weight, 8, heads))


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


@pytest.mark.parametrize("heads, kv_heads, new", [(6, 2, True), (6, 6, False), (6, 1, False)])
def test_falcon_splits_grouped_rows(heads, kv_heads, new):
    """Multi-query (one key-value head) is the same in both fusions."""
    self = SimpleNamespace(new_decoder_architecture=new, num_heads=heads, num_kv_heads=kv_heads, head_dim=4,
                           multi_query=kv_heads == 1)  # fmt: skip
    rows = torch.arange((heads + 2 * kv_heads) * 4)[None, None]
    parts = [part[0, 0] for part in FalconAttention._split_heads(self, rows)]
    for fusion in ("grouped", "concatenated") if kv_heads == 1 else ("grouped",):
        found = qkv_rows(heads, 4, fusion=fusion, num_kv_heads=kv_heads)
        shared = [part[:: heads // kv_heads] if new else part for part in parts[1:]]
        for rows_found, theirs in zip(found, [parts[0], *shared]):
            assert rows_found.tolist() == theirs.reshape(-1).tolist()


def captured(_, query, key, value, mask, **options):
    """An attention that hands out what it is given."""
    CAPTURED.append((query, key, value))
    return torch.zeros_like(query).transpose(1, 2), None


CAPTURED = []
AttentionInterface.register("captured", captured)


def test_gpt_neox_reads_grouped_rows():
    config = GPTNeoXConfig(hidden_size=24, num_attention_heads=3, attention_bias=False)
    config._attn_implementation = "captured"
    module = gpt_neox.GPTNeoXAttention(config, 0).double()
    weight = np.random.default_rng(0).normal(size=(72, 24))
    module.query_key_value.weight.data = torch.from_numpy(weight)
    still = torch.ones(1, 24, 2).double(), torch.zeros(1, 24, 2).double()
    with torch.no_grad():
        module(torch.eye(24).double()[None], None, position_embeddings=still)
    for part, rows in zip(CAPTURED.pop(), qkv_rows(3, 8, fusion="grouped")):
        assert np.array_equal(part[0].transpose(1, 2).reshape(24, 24).numpy(), weight[rows])


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
    # as half pairs that turn by plus the phase
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
        sum(Fraction(a) * Fraction(b) for a, b in zip(left, right))
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
    new = [weight[indices] for weight, indices in zip(old, orders)]
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
        return [sum(Fraction(a) * Fraction(b) for a, b in zip(u, v)) for u in turned[0] for v in turned[1]]

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
        "q is not re-ordered: it is still interleaved, 8 channels; "
        "k is not re-ordered: it is still interleaved, 8 channels"),
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
        "q is not re-ordered: it is still half, 8 channels, inverse; "
        "k is not re-ordered: it is still half, 8 channels, inverse"),
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
    new = [reorder(w.astype("f8"), META, HF, num_heads=heads, axis=0) for w, heads in zip(old, HEADS.values())]
    old = [w.astype("f8") for w in old]
    new[1][3, 2] = np.nextafter(new[1][3, 2], 0)
    proof = prove_weights(old, new, META, HF, **HEADS)
    assert not proof and str(proof) == "1 of the 16 rows of k are none of the old rows: their values differ"
    assert proof.q_fix is None and proof.k_fix is None


def test_biases_and_orientation_count():
    q, k = (w.astype(ml_dtypes.bfloat16) for w in weights(8))
    biases = [np.arange(len(w)).astype("f4") for w in (q, k)]
    orders = [order(META, HF, num_heads=heads) for heads in HEADS.values()]
    old = [(w.T, b) for w, b in zip((q, k), biases)]
    new = [(w[p].T, b[p]) for w, b, p in zip((q, k), biases, orders)]
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

BATCH, HEAD_COUNT, LENGTH = 2, 3, 6
POSITIONS = np.array([0, 1, 2, 255, 4097, 131071])
UNIT = {"f8": 2.0**-53, "f4": 2.0**-24}


def channels(dim, order="bhld", precision="f8", seed=5):
    shape = {"bhld": (BATCH, HEAD_COUNT, LENGTH, dim), "blhd": (BATCH, LENGTH, HEAD_COUNT, dim)}[order]
    return np.random.default_rng(seed).normal(size=shape).astype(precision).astype("f8")


def columns(width, name, base=10000, precision="f8", blocks=None, positions=POSITIONS):
    """The table of refpos in a framework's layout, as torch tensors with a batch axis."""
    table = rope_table(positions, inverse_frequencies(width, base=base), dtype=np.dtype(precision).name)
    return tuple(
        torch.from_numpy(part)[None] for part in as_arrays(convert_table(table, "compact", name, blocks=blocks))
    )


def agrees(theirs, ours, x, where, precision="f8"):
    """Same numbers in the same places.

    In precision u the table is off by u, each product by u, their sum by u, and ours by 2**-53: together less than
    4 u (|x1| + |x2|) (1 + 4 u). Copied channels are copied.
    """
    unit, n = UNIT[precision], where.pairs
    size = np.zeros(x.shape)
    size[..., where.written[: 2 * n]] = np.tile(sum(np.split(abs(x[..., where.read[: 2 * n]]), 2, -1)), 2)
    error = abs(theirs.detach().numpy().astype("f8") - ours)
    assert theirs.shape == ours.shape == x.shape and not np.array_equal(ours, x)
    return bool((error <= 4 * unit * size * (1 + 2.0**-20)).all())


def both(function):
    """A function of q and k, on one tensor."""
    return lambda x, *tables, **options: function(x, x, *tables, **options)[1]


def tensor(x, precision="f8"):
    return torch.from_numpy(x.astype(precision))


@pytest.mark.parametrize(
    "apply, name, axis",
    [
        (both(llama.apply_rotary_pos_emb), "tiled", -2),
        (both(gpt_oss.apply_rotary_pos_emb), "compact", -2),
        (lambda x, *t: llama.apply_rotary_pos_emb(x, x, *t, unsqueeze_dim=2)[0], "tiled", -3),
        (lambda x, *t: gemma4.apply_rotary_pos_emb(x, *t, unsqueeze_dim=2), "tiled", -3),
    ],
)
def test_half(apply, name, axis):
    x = channels(16, "bhld" if axis == -2 else "blhd")
    theirs = apply(tensor(x), *columns(16, name))
    where = layout(16, pairing="half")
    assert agrees(theirs, rope(x, POSITIONS, pairing="half", seq_axis=axis), x, where)
    assert not agrees(theirs, rope(x, POSITIONS, pairing="interleaved", seq_axis=axis), x, where)


def test_half_of_the_first_channels():
    x = channels(16)
    theirs = both(gpt_neox.apply_rotary_pos_emb)(tensor(x), *columns(4, "tiled"))
    ours = rope(x, POSITIONS, pairing="half", rotary_dim=4)
    assert agrees(theirs, ours, x, layout(16, pairing="half", rotary_dim=4))


@pytest.mark.parametrize(
    "apply, name, axis, precision",
    [
        (both(glm.apply_rotary_pos_emb), "tiled", -2, "f8"),
        (lambda x, *t: gptj.apply_rotary_pos_emb(x, *t[0].chunk(2, -1)), "sin-cos", -3, "f8"),
        (both(cohere.apply_rotary_pos_emb), "repeated", -2, "f4"),
        (both(sam2.apply_rotary_pos_emb_2d), "repeated", -2, "f4"),
        (both(deepseek_v2.apply_rotary_emb), "complex", -2, "f4"),
        (both(llama4.apply_rotary_emb), "complex", -3, "f4"),
        (
            lambda x, *t: RoFormerSelfAttention.apply_rotary_position_embeddings(t[0][:, None], x, x)[1],
            "sin-cos",
            -2,
            "f8",
        ),
        (both(pe_audio.apply_rotary_pos_emb), "tiled", -2, "f8"),
    ],
)
def test_interleaved(apply, name, axis, precision):
    x = channels(16, "bhld" if axis == -2 else "blhd", precision)
    theirs = apply(tensor(x, precision), *columns(16, name, precision=precision))
    where = layout(16, pairing="interleaved")
    assert agrees(theirs, rope(x, POSITIONS, pairing="interleaved", seq_axis=axis), x, where, precision)
    assert not agrees(theirs, rope(x, POSITIONS, pairing="half", seq_axis=axis), x, where, precision)


def test_interleaved_first_channels():
    x = channels(16)
    tables = columns(8, "tiled")
    theirs = both(glm.apply_rotary_pos_emb)(tensor(x), *tables)
    where = layout(16, pairing="interleaved", rotary_dim=8)
    assert agrees(theirs, rope(x, POSITIONS, pairing="interleaved", rotary_dim=8), x, where)
    # MusicFlamingo rotates embeddings (batch, seq, dim), and its function of the name rotate_half turns neighbours
    rows = x[:, 0]
    theirs = musicflamingo.apply_rotary_time_emb(tensor(rows), *columns(8, "repeated"))
    assert agrees(theirs, rope(rows, POSITIONS, pairing="interleaved", rotary_dim=8), rows, where)


@pytest.mark.parametrize("model", ["gpt_neox", "glm", "gpt_oss", "gptj", "deepseek_v2"])
def test_whole_pipelines_are_float32_angle(model):
    """Tables and rotation as the models compute them, in float32."""
    parameters = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5}
    config = SimpleNamespace(
        rope_parameters=parameters, head_dim=16, hidden_size=48, num_attention_heads=3, max_position_embeddings=131072
    )
    at, x = torch.from_numpy(POSITIONS)[None], channels(16, "blhd" if model == "gptj" else "bhld", "f4").astype("f4")
    half, axis = model in ("gpt_neox", "gpt_oss"), -3 if model == "gptj" else -2
    rotary_dim = 8 if model in ("gpt_neox", "glm") else 16
    if model == "gptj":
        sin, cos = gptj.create_sinusoidal_positions(131072, 16)[at].chunk(2, -1)
        theirs = gptj.apply_rotary_pos_emb(torch.from_numpy(x), sin, cos)
    else:
        name = {"gpt_neox": "GPTNeoX", "glm": "Glm", "gpt_oss": "GptOss", "deepseek_v2": "DeepseekV2"}[model]
        module = getattr(globals()[model], f"{name}RotaryEmbedding")(config)
        table = module(torch.zeros(1), at)
        apply = deepseek_v2.apply_rotary_emb if model == "deepseek_v2" else globals()[model].apply_rotary_pos_emb
        theirs, _ = apply(*[torch.from_numpy(x)] * 2, *(table if isinstance(table, tuple) else (table,)))
    call = {"pairing": "half" if half else "interleaved", "base": 10000, "rotary_dim": rotary_dim, "seq_axis": axis}
    limits = conformance.bounds("rope", call, {"x": x, "positions": POSITIONS}, "float32")
    limits = {kind: limit["output"] for kind, limit in limits.items()}
    report = compare(theirs.numpy(), rope(x, POSITIONS, **call), bounds=limits)
    assert report.classes["float32-angle"].met and not report.classes["float64-angle"].met
    call["pairing"] = "interleaved" if half else "half"
    assert not compare(theirs.numpy(), rope(x, POSITIONS, **call), bounds=limits).classes["float32-angle"].met


def test_matrices():
    """PE-Audio builds 2x2 matrices from a tiled table."""
    cos, sin = columns(16, "tiled")
    ours = convert_table((cos.numpy(), sin.numpy()), "tiled", "matrix")
    assert same(pe_audio.stack_freqs(cos, sin).numpy(), ours)


def test_the_sine_table_of_gpt_j_and_the_module_of_llama():
    table = gptj.create_sinusoidal_positions(300, 16).numpy()
    cos, sin = convert_table(table, "sin-cos", "compact")
    assert same(cos, table[:, 8:]) and same(sin, table[:, :8]) and cos[0].tolist() == [1] * 8
    config = LlamaConfig(head_dim=16, rope_parameters={"rope_type": "default", "rope_theta": 10000.0})
    tiled = tuple(part.numpy() for part in llama.LlamaRotaryEmbedding(config)(torch.zeros(1), torch.arange(300)[None]))
    assert convert_table(tiled, "tiled", "compact")[0].shape == (1, 300, 8)
    with pytest.raises(InputError, match="its columns are tiled"):
        convert_table(tiled, "repeated", "compact")


def test_half_within_blocks():
    """Gemma 4 vision: two axes, each a block of half the head; its module tiles each block."""
    x, at = channels(16, "blhd"), np.random.default_rng(1).integers(0, 64, (BATCH, LENGTH, 2))
    config = Gemma4VisionConfig(head_dim=16, rope_parameters={"rope_type": "axial", "rope_theta": 100.0})
    module = gemma4.Gemma4VisionRotaryEmbedding(config)
    theirs = [part.numpy() for part in module(torch.zeros(1), torch.from_numpy(at))]
    found = convert_table(theirs, "tiled", "compact", blocks=(8, 8))
    expected = [rope_table(at[..., axis], inverse_frequencies(8, base=100)) for axis in (0, 1)]
    for which in (0, 1):
        table = np.concatenate([expected[0][which], expected[1][which]], -1)
        assert abs(found[which] - table).max() < 64 * 2.0**-21 and found[which].shape == table.shape
    exact = [np.concatenate([expected[0][which], expected[1][which]], -1) for which in (0, 1)]
    tables = [torch.from_numpy(part) for part in convert_table(exact, "compact", "tiled", blocks=(8, 8))]
    theirs = gemma4.apply_multidimensional_rope(tensor(x), *tables, torch.from_numpy(at))
    parts = [rope(x[..., k * 8 : k * 8 + 8], at[..., k], pairing="half", base=100, seq_axis=-3) for k in (0, 1)]
    at_once = rope(
        x,
        np.moveaxis(at, -1, 0),
        pairing="block-half",
        frequencies=axial_frequencies((8, 8), base=100),
        seq_axis=-3,
    )
    assert same(at_once, np.concatenate(parts, -1))
    blocks = layout(16, pairing="block-half", blocks=(8, 8))
    assert agrees(theirs, np.concatenate(parts, -1), x, blocks)


def test_deinterleaved_output():
    """DeepSeek-V3 reads neighbours and writes halves."""
    x = channels(16)
    theirs = both(deepseek_v3.apply_rotary_pos_emb_interleave)(tensor(x), *columns(16, "tiled"))
    read, written = layout(16, pairing="interleaved"), layout(16, pairing="interleaved", output="half")
    ours = rope(x, POSITIONS, pairing="interleaved")
    assert agrees(theirs, reorder(ours, read, written, rotated=True), x, written)
    assert not agrees(theirs, ours, x, read)
    # scores are those of the interleaved layout, without touching a weight
    assert prove_orders(np.arange(48), np.arange(48), read, written, num_heads=3)


def test_last_channels_and_rotated_outputs():
    """DeepSeek-V4 rotates the last channels of q and of the one k that is v too, then turns the output back."""
    x = channels(24, precision="f4")
    cos, sin = columns(16, "compact", precision="f4")
    theirs = deepseek_v4.apply_rotary_pos_emb(tensor(x, "f4"), cos, sin)
    where = layout(24, pairing="interleaved", rotary_dim=16, place="last")
    ours = x.copy()
    ours[..., -16:] = rope(x[..., -16:], POSITIONS, pairing="interleaved")
    assert agrees(theirs, ours, x, where, "f4")
    back = deepseek_v4.apply_rotary_pos_emb(tensor(x, "f4"), cos, -sin)
    ours[..., -16:] = rope(x[..., -16:], POSITIONS, pairing="interleaved", inverse=True)
    assert agrees(back, ours, x, where, "f4")


def test_the_other_direction():
    x = channels(16)
    theirs = both(nanochat.apply_rotary_pos_emb)(tensor(x), *columns(16, "tiled"))
    where = layout(16, pairing="half", inverse=True)
    ours = rope(x, POSITIONS, pairing="half", inverse=True)
    assert agrees(theirs, ours, x, where)
    assert not agrees(theirs, rope(x, POSITIONS, pairing="half"), x, where)
    # the same as Llama's rotation of swapped halves
    llamas = layout(16, pairing="half")
    assert same(reorder(rope(reorder(x, where, llamas), POSITIONS, pairing="half"), llamas, where), ours)


def test_rotated_values():
    """RoFormer with rotary_value: v is rotated as q and k are."""
    q, k, v = (channels(16, seed=seed) for seed in (1, 2, 3))
    (table,) = columns(16, "sin-cos")
    theirs = RoFormerSelfAttention.apply_rotary_position_embeddings(table[:, None], *map(tensor, (q, k, v)))
    for found, x in zip(theirs, (q, k, v), strict=True):
        assert agrees(found, rope(x, POSITIONS, pairing="interleaved"), x, layout(16, pairing="interleaved"))


def test_before_the_heads_are_split():
    """LTX-Video turns neighbours of the whole width, so each head has frequencies of its own."""
    x = channels(48)[:, 0]
    cos, sin = (part.numpy() for part in columns(48, "repeated"))
    neighbours = np.stack([-x[..., 1::2], x[..., 0::2]], -1).reshape(x.shape)
    theirs = torch.from_numpy(x * cos + neighbours * sin)
    ours = rope(x, POSITIONS, pairing="interleaved")
    assert agrees(theirs, ours, x, layout(48, pairing="interleaved"))
    heads = rope(x.reshape(BATCH, LENGTH, 3, 16), POSITIONS, pairing="interleaved", seq_axis=1)
    assert not np.array_equal(heads.reshape(x.shape), ours)


def test_before_the_projection():
    """Wav2Vec2-Conformer rotates the input of the layer, head by head, and projects q and k from the result."""
    x = channels(48)[:, 0]
    cos, sin = (part[0, :, None, None] for part in columns(16, "tiled"))
    module = SimpleNamespace(num_heads=3, head_size=16)
    theirs = Wav2Vec2ConformerSelfAttention._apply_rotary_embedding(module, tensor(x), torch.stack([cos, sin]))
    heads = x.reshape(BATCH, LENGTH, 3, 16)
    ours = rope(heads, POSITIONS, pairing="half", seq_axis=1)
    assert agrees(theirs.reshape(heads.shape), ours, heads, layout(16, pairing="half"))


def test_scaled_queries():
    """ESM scales q before the rotation, which for a width of 4**k is the same to the bit as after it."""
    config = EsmConfig(hidden_size=48, num_attention_heads=3, position_embedding_type="rotary", vocab_size=8)
    config._attn_implementation = "captured"
    module = esm.EsmSelfAttention(config)
    states = torch.from_numpy(channels(48)[:, 0].astype("f4"))
    tables = columns(16, "tiled", precision="f4")
    with torch.no_grad():
        module(states, position_embeddings=tables)
        q, k = (f(states).view(BATCH, LENGTH, 3, 16).transpose(1, 2).numpy() for f in (module.query, module.key))
    (query, key, _), half = CAPTURED.pop(), layout(16, pairing="half")
    scaled = q.astype("f8") * 16**-0.5
    assert agrees(query, rope(scaled, POSITIONS, pairing="half"), scaled, half, "f4")
    assert agrees(key, rope(k.astype("f8"), POSITIONS, pairing="half"), k.astype("f8"), half, "f4")
    assert same(rope(scaled, POSITIONS, pairing="half"), rope(q.astype("f8"), POSITIONS, pairing="half") * 16**-0.5)


@pytest.mark.parametrize(
    "apply, name", [(llama.apply_rotary_pos_emb, "repeated"), (cohere.apply_rotary_pos_emb, "tiled")]
)
def test_a_table_in_the_wrong_layout_leaves_the_first_and_the_last_channel(apply, name):
    x = channels(16)
    pairing = "half" if apply is llama.apply_rotary_pos_emb else "interleaved"
    theirs = apply(tensor(x), tensor(x), *columns(16, name))[0].numpy()
    ours = rope(x, POSITIONS, pairing=pairing)
    near = (abs(theirs - ours) < 1e-6).all(axis=(0, 1))
    assert near[1:].nonzero()[1].tolist() == [0, 15] * 5
    size, change = (abs(np.linalg.norm(t, axis=-1) / np.linalg.norm(x, axis=-1) - 1)[..., 1:] for t in (ours, theirs))
    assert size.max() < 1e-12 and change.min() > 1e-6


PAGE = (Path(__file__).resolve().parent.parent / "docs" / "layouts.md").read_text()


def test_the_page_names_every_choice():
    for name in [*FORMS, *FUSIONS, *PLACES]:
        assert f"`{name}`" in PAGE or f'"{name}"' in PAGE, name
    headings = {
        re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")
        for title in re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    }
    assert set(re.findall(r"\(layouts.md#([\w-]+)\)", PAGE)) <= headings
