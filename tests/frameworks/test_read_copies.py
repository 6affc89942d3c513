"""`refpos.read` of the biases, rows and position ids that modules of transformers and timm make."""

from fractions import Fraction
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

import refpos

from ._timm import timm_module

layers, levit = timm_module("layers.pos_embed_rel"), timm_module("models.levit")


def hf(name):
    return import_module(f"transformers.models.{name}.modeling_{name}")


def filled(parameter):
    nn.init.normal_(parameter)
    return parameter.detach().numpy()


def assert_named(y, function, table=None):
    """One call has all numbers, and gives them where it is evaluated."""
    y = y.detach().numpy()
    found = refpos.read(y, function, *(() if table is None else (table,)))
    made = np.asarray(
        eval(found.call, {"refpos": refpos, "np": np, "table": table, "found": found, "Fraction": Fraction})
    )
    assert found.complete and made.shape == y.shape, str(found)
    if found.met == "correct" and made.dtype == y.dtype:
        np.testing.assert_array_equal(made, y)
    if made.dtype == np.uint16:
        made = (made.astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_allclose(made, y, rtol=4e-6)
    return found


def test_t5_encoder_and_decoder():
    place = hf("t5")
    for decoder, said in ((False, "bidirectional=True"), (True, "bidirectional=False")):
        config = place.T5Config(num_heads=6, d_model=24, d_kv=4, is_decoder=decoder)
        module = place.T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
        weight = filled(module.relative_attention_bias.weight)
        found = assert_named(module.compute_bias(150, 170), refpos.t5_bias, weight)
        assert said in found.call and "max_distance=128" in found.call


def test_swin():
    module = hf("swin").SwinRelativePositionBias(4, (7, 5))
    weight = filled(module.relative_position_bias_table)
    found = assert_named(module()[0] if module().ndim == 4 else module(), refpos.relative.window_bias, weight)
    assert "(table, 7, 5, sign='query-key')" in found.call


def test_beit():
    config = SimpleNamespace(image_size=(6, 6), patch_size=1, num_attention_heads=4)
    module = hf("beit").BeitRelativePositionBias(config)
    weight = filled(module.relative_position_bias_table)
    found = assert_named(module((6, 6))[0], refpos.relative.window_bias, weight)
    assert "class_token=True" in found.call


def test_timm():
    module = layers.RelPosBias((5, 4), 3, prefix_tokens=0)
    weight = filled(module.relative_position_bias_table)
    assert_named(module.get_bias(), refpos.relative.window_bias, weight)
    module = levit.Attention(16, 8, 2, resolution=(6, 6))
    module.eval()
    weight = filled(module.attention_biases)
    found = assert_named(module.get_attention_biases("cpu"), refpos.relative.window_bias, weight)
    assert "table.T, 6, 6, sign='absolute'" in found.call


@pytest.mark.parametrize("heads", [8, 12, 16])
def test_alibi(heads):
    mask = torch.ones(2, 40, dtype=torch.long)
    for y in (hf("bloom").build_alibi_tensor(mask, heads, torch.float32), hf("mpt").build_mpt_alibi_tensor(heads, 40)):
        found = assert_named(y, refpos.alibi)
        assert f"refpos.alibi({heads}, 1, 40" in found.call
    found = assert_named(hf("mpt").build_mpt_alibi_tensor(heads, 40, 5), refpos.alibi)
    assert "max_bias=5" in found.call


def test_falcon():
    mask = torch.ones(1, 30, dtype=torch.long)
    y = hf("falcon").build_alibi_tensor(mask, 8, torch.float32)
    found = refpos.read(y.numpy() / 8, refpos.alibi)
    assert found.complete and "refpos.alibi(8, 1, 30" in found.call and "head_dim=64" in found.call


def test_rows_of_learned_tables():
    tokens = torch.zeros(3, 20, dtype=torch.long)
    for name, cls in (("bart", "BartLearnedPositionalEmbedding"), ("mbart", "MBartLearnedPositionalEmbedding")):
        module = getattr(hf(name), cls)(64, 16)
        weight = filled(module.weight)
        found = refpos.read(module(tokens, 3).detach().numpy(), refpos.learned, weight)
        assert found.complete and "np.arange(5, 25)" in found.call
    module = hf("opt").OPTLearnedPositionalEmbedding(64, 16)
    weight = filled(module.weight)
    found = refpos.read(module(torch.ones(1, 20, dtype=torch.long)).detach().numpy(), refpos.learned, weight)
    assert found.complete and "np.arange(2, 22)" in found.call


def test_ids_of_roberta():
    tokens = torch.tensor([[5, 6, 7, 1, 1, 1], [5, 6, 7, 8, 9, 1], [5] * 6])
    embeddings = hf("roberta").RobertaEmbeddings
    ids = embeddings.create_position_ids_from_input_ids(tokens, 1)
    found = assert_named(ids, refpos.positions.table_rows)
    assert "padding_idx=1" in found.call


def test_ids_of_left_padding():
    mask = torch.tensor([[0, 0, 1, 1, 1, 1], [1] * 6])
    ids = (mask.cumsum(-1) - 1).masked_fill(mask == 0, 0)
    found = assert_named(ids, refpos.positions.attention_mask_positions)
    assert "masked=0" in found.call


def test_buckets_of_deberta():
    place = hf("deberta_v2")
    q = torch.zeros(1, 90, 4)
    rows = place.build_relative_position(q, q, bucket_size=32, max_position=64)[0] + 32
    weight = np.random.default_rng(0).standard_normal((64, 12)).astype(np.float32)
    found = assert_named(torch.from_numpy(weight)[rows.clip(0, 63)], refpos.relative.log_buckets, weight)
    assert "rule='deberta', num_buckets=32, max_distance=64" in found.call
