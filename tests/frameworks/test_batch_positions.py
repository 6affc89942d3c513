"""Positions in batches as transformers and torch make them."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from test_batch_positions import NUMBER, assert_equal, bounds_of, lengths_of
from torch.distributed.tensor.experimental._context_parallel import _load_balancer
from transformers import masking_utils
from transformers.data.data_collator import DataCollatorWithFlattening
from transformers.modeling_flash_attention_utils import _get_unpad_data, prepare_fa_kwargs_from_position_ids
from transformers.models.deepseek_v4.modeling_deepseek_v4 import DeepseekV4HCACache, DeepseekV4HCACompressor
from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLModel

from refpos import positions as P


@pytest.mark.parametrize("seed", range(NUMBER))
def test_the_collator_packs_so(seed):
    rng = np.random.default_rng(seed)
    lengths = lengths_of(rng)
    if not len(lengths):
        lengths = np.array([1])
    start = int(rng.integers(0, 4))
    collate = DataCollatorWithFlattening(
        return_tensors="pt", return_flash_attn_kwargs=True, return_seq_idx=True, position_ids_start=start
    )
    batch = collate([{"input_ids": rng.integers(5, 9, length).tolist()} for length in lengths])
    bounds = P.cu_seqlens(lengths, rule="lengths")
    assert_equal(bounds, batch["cu_seq_lens_q"].numpy())
    assert_equal(P.packed_positions(batch["cu_seq_lens_q"], restart=True, offsets=start), batch["position_ids"].numpy())
    assert_equal(P.sequence_ids(bounds), batch["seq_idx"].numpy())


@pytest.mark.parametrize("seed", range(NUMBER))
def test_boundaries_are_searched_so(seed):
    rng = np.random.default_rng(seed)
    ids = torch.from_numpy(np.concatenate([[0], rng.integers(0, 4, rng.integers(0, 12))]))
    (found, _), _ = prepare_fa_kwargs_from_position_ids(ids[None])
    assert_equal(P.cu_seqlens(ids, rule="first"), found.numpy())
    masked = masking_utils.find_packed_sequence_indices(ids[None])
    expected = np.zeros(len(ids), np.int64) if masked is None else masked[0].numpy()
    assert_equal(P.sequence_ids(P.cu_seqlens(ids, rule="jumps")), expected)


@pytest.mark.parametrize("seed", range(NUMBER))
def test_padding_is_taken_away_so(seed):
    rng = np.random.default_rng(seed)
    mask = torch.from_numpy(rng.integers(0, 2, rng.integers(1, 8, 2)))
    indices, bounds, _ = _get_unpad_data(mask)
    found = P.unpad_indices(mask)
    assert_equal(found.indices, indices.numpy())
    assert_equal(found.cu_seqlens, bounds.numpy())


@pytest.mark.parametrize("seed", range(NUMBER))
def test_torch_shares_out_heads_and_tails_so(seed):
    rng = np.random.default_rng(seed)
    ranks = int(rng.integers(1, 6))
    lengths = (lengths_of(rng) + 1) * 2 * ranks
    if not len(lengths):
        lengths = np.array([2 * ranks])
    total = int(lengths.sum())
    whole = _load_balancer._HeadTailLoadBalancer(total, ranks, "cpu")
    parts = _load_balancer._PerDocumentHeadTailLoadBalancer([lengths.tolist()], ranks, "cpu")
    found = P.context_parallel_indices(total, ranks=ranks, order="zigzag")
    assert_equal(found.indices.reshape(-1), whole._generate_indices()[0].numpy())
    assert_equal(found.inverse, whole._generate_indices(restore=True)[0].numpy())
    # its ranks come one after the other within each document, and not the documents within each rank
    theirs = parts._generate_indices()[0].numpy()
    bounds = bounds_of(lengths)
    by_document = [theirs[a:b].reshape(ranks, -1) for a, b in itertools.pairwise(bounds)]
    found = P.context_parallel_indices(bounds, ranks=ranks, order="zigzag")
    assert_equal(found.indices, np.concatenate(by_document, 1))


@pytest.mark.parametrize("chunks", [(9,), (3, 3, 3), (1,) * 9, (4, 5), (7, 2)])
def test_deepseek_v4_places_compressed_rows_so(chunks):
    """The real compressor and its cache, in chunks; what masks its rows says which of them a query sees."""
    ratio, start, placed = 4, 0, []

    def rotary(x, position_ids, layer_type):
        placed.append(position_ids[0].numpy())
        return torch.ones(1, position_ids.shape[1], 1), torch.zeros(1, position_ids.shape[1], 1)

    rates = {"heavily_compressed_attention": ratio}
    cache = SimpleNamespace(layers=[DeepseekV4HCACache(SimpleNamespace(sliding_window=8, compress_rates=rates))])
    compressor = SimpleNamespace(
        compress_rate=ratio, kv_proj=lambda x: x, gate_proj=lambda x: x, kv_norm=lambda x: x, head_dim=2,
        position_bias=torch.zeros(ratio, 2), rotary_emb=rotary, rope_layer_type="compress",
    )  # fmt: skip
    for length in chunks:
        before, ids = len(placed), torch.arange(start, start + length)[None]
        rows, bias = DeepseekV4HCACompressor.forward(compressor, torch.zeros(1, length, 2), None, ids, cache, 0)
        found = P.compressed_positions(length, ratio=ratio, past_length=start)
        assert_equal(found.positions, np.concatenate([np.zeros(0, np.int64), *placed[before:]]))
        assert rows.shape[2] == (start + length) // ratio
        if bias is not None:
            assert_equal(found.visible, (bias[0, 0] == 0).sum(1).numpy())
        start += length
    assert_equal(np.concatenate(placed), [0, 4])


@pytest.mark.parametrize("seed", range(NUMBER // 4))
def test_qwen2_vl_numbers_each_sequence_so(seed):
    rng = np.random.default_rng(seed)
    sides = 2 * rng.integers(1, 4, (3, 2))
    kinds, expected = [], []
    config = SimpleNamespace(vision_config=SimpleNamespace(spatial_merge_size=2))
    model = SimpleNamespace(config=config, get_vision_position_ids=None)
    model.get_vision_position_ids = Qwen2VLModel.get_vision_position_ids.__get__(model)
    for height, width in sides:
        row = [0] * int(rng.integers(1, 4)) + [1] * int(height * width // 4) + [0] * int(rng.integers(0, 3))
        theirs, _ = Qwen2VLModel.get_rope_index(
            model, torch.zeros(1, len(row), dtype=torch.int64), mm_token_type_ids=torch.tensor([row]),
            image_grid_thw=torch.tensor([[1, height, width]]),
        )  # fmt: skip
        kinds.append(row)
        expected.append(theirs[:, 0].numpy())
    bounds = torch.tensor(bounds_of([len(row) for row in kinds]), dtype=torch.int32)
    grids = np.concatenate([np.ones((3, 1), np.int64), sides], 1)
    found = P.packed_mrope_positions(bounds, np.concatenate(kinds), image_grid_thw=grids, version="transformers-5.23.0")
    assert_equal(found.positions, np.concatenate(expected, 1))
