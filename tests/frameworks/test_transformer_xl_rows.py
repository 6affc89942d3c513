"""Rows of Transformer-XL and its kin beside the shifts of real code: entry k of a table of scores holds k.

Where a model has no row the shift leaves something without meaning, which the model masks.
"""

from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn
from transformers import FunnelConfig

import refpos

NUMBER = 200


def hf(name):
    return import_module(f"transformers.models.{name}.modeling_{name}")


def counted(queries, rows):
    """Scores (1, 1, queries, rows) that say in which row they stand."""
    return torch.arange(float(rows)).expand(1, 1, queries, -1)


def whole(tensor):
    array = tensor.detach().numpy()
    assert (array == np.rint(array)).all()
    return array.astype(np.int64)


# -- shifts: each makes a random configuration, and returns what the code reads and the call of relative_rows ---------


def transformer_xl(rng, queries, more):
    """Appendix B of the paper as transformers 4.40.2 had it: a column of zeros before, cut anew without the first."""
    keys = queries + more
    wide = torch.cat([torch.zeros(queries, 1), counted(queries, keys)[0, 0]], 1)
    real = wide.reshape(keys + 1, queries)[1:].reshape(queries, keys)
    return real, keys, {"low": 1 - keys, "high": 0, "query_offset": more, "outside": "zero"}


def xlnet_bi(rng, queries, more):
    keys = queries + more
    real = hf("xlnet").XLNetRelativeAttention.rel_shift_bnij(counted(queries, keys + queries), keys)[0, 0]
    return real, keys, {"low": -keys, "high": queries - 1, "query_offset": more, "outside": "refuse"}


def xlnet_uni(rng, queries, more):
    keys = queries + more
    real = hf("xlnet").XLNetRelativeAttention.rel_shift_bnij(counted(queries, keys + 1), keys)[0, 0]
    return real, keys, {"low": -keys, "high": 0, "query_offset": more, "outside": "zero"}


def xlnet_old(rng, queries, more):
    """Its other shift, of scores (queries, rows, batch, heads)."""
    keys = queries + more
    rows = counted(queries, keys + queries).permute(2, 3, 0, 1)
    real = hf("xlnet").XLNetRelativeAttention.rel_shift(rows, keys)[..., 0, 0]
    return real, keys, {"low": -keys, "high": queries - 1, "query_offset": more, "outside": "refuse"}


def conformer(rng, queries, more, name="wav2vec2_conformer"):
    module = SimpleNamespace(linear_pos=nn.Identity(), head_size=1, scaling=1, pos_bias_u=torch.zeros(1, 1),
                             pos_bias_v=torch.zeros(1, 1))  # fmt: skip
    query, rows = torch.ones(1, 1, queries, 1), torch.arange(float(2 * queries - 1))[None, :, None]
    real = hf(name)._apply_relative_position_encoding(module, query, query, rows)[1][0, 0]
    return real, queries, {"low": 1 - queries, "high": queries - 1, "outside": "refuse"}


def seamless(rng, queries, more):
    return conformer(rng, queries, more, "seamless_m4t")


def fastspeech2(rng, queries, more):
    shift = hf("fastspeech2_conformer").FastSpeech2ConformerAttention.shift_relative_position_tensor
    real = shift(None, counted(queries, 2 * queries - 1))[0, 0]
    return real, queries, {"low": 1 - queries, "high": queries - 1, "outside": "refuse"}


def nemotron(rng, queries, more):
    """Parakeet with a cache: the table has the distances of all of the keys."""
    keys = queries + more
    shift = hf("nemotron_asr_streaming").NemotronAsrStreamingEncoderAttention._rel_shift
    real = shift(None, counted(queries, 2 * keys - 1))[0, 0, :, :keys]
    return real, keys, {"low": 1 - keys, "high": keys - 1, "query_offset": more, "outside": "refuse"}


SHIFTS = [transformer_xl, xlnet_bi, xlnet_uni, xlnet_old, conformer, seamless, fastspeech2, nemotron]


@pytest.mark.parametrize("shift", SHIFTS, ids=lambda shift: shift.__name__)
def test_rows_are_those_that_the_shift_reads(shift):
    rng, equal, off_by_one = np.random.default_rng(5), 0, 0
    for n in range(NUMBER):
        queries, more = (n % 2 + 1, n // 4) if n < 8 else (int(rng.integers(1, 14)), int(rng.integers(0, 9)))
        real, keys, options = shift(rng, queries, more)
        real = whole(real)
        rows = refpos.relative.relative_rows(queries, keys, sign="key-query", **options)
        known = rows >= 0
        assert known.any() and (known | (np.arange(keys) > np.arange(queries)[:, None] + keys - queries)).all()
        np.testing.assert_array_equal(rows[known], real[known])
        equal += 1
        off_by_one += (rows[known] + 1 != real[known]).all()
    print(f"{shift.__name__}: {equal} of {NUMBER}")
    assert equal == off_by_one == NUMBER


# -- blocks of Gemma --------------------------------------------------------------------------------------------------


def gemma3n(rng, block, left, right):
    """(what its shift reads of a table left .. -right, its blocks of keys, the first row's distance and their count)"""
    cls, context, rows = hf("gemma3n").Gemma3nAudioRelativePositionEmbedding, block + left + right, left + right + 1
    table = torch.arange(1.0, rows + 1).expand(1, 1, 1, block, -1)
    real = cls._relative_shift(None, table, 1, 1, 1, block, context, rows)[0, 0, 0]
    space = SimpleNamespace(chunk_size=block, max_past_horizon=left, max_future_horizon=right, context_size=context)
    audio = hf("gemma3n").Gemma3nAudioAttention
    space._pad_dim1 = lambda *given: audio._pad_dim1(space, *given)
    mask = audio.create_local_causal_valid_mask(space).numpy()
    return real, lambda keys: audio._extract_block_context(space, keys), (left, rows), mask


def gemma4(rng, block, left, right):
    audio, context = hf("gemma4").Gemma4AudioAttention, block + left + right
    space = SimpleNamespace(chunk_size=block, max_past_horizon=left, max_future_horizon=right, context_size=context)
    rows = context // 2 + 1
    real = audio._rel_shift(space, torch.arange(1.0, rows + 1).expand(1, 1, 1, block, -1))[0, 0, 0]
    return real, lambda keys: audio._extract_block_context(space, keys), (context // 2, rows), None


@pytest.mark.parametrize("model", [gemma3n, gemma4], ids=lambda model: model.__name__)
def test_blocks_and_their_contexts(model):
    """Of a block, and of the whole sequence without blocks, where a pair reads the same row."""
    rng, equal = np.random.default_rng(6), 0
    for n in range(NUMBER):
        length, block, left, right = (int(one) for one in rng.integers((1, 1, 0, 0), (20, 8, 7, 4)))
        block, left, right = (3, 3, 1) if n == 0 else (12, 12, 0) if n == 1 else (block, left, right)
        real, blocks_of, (first, count), mask = model(rng, block, left, right)
        real, context = whole(real) - 1, block + left + right
        ends = {"sign": "key-query", "low": -first, "high": count - 1 - first, "outside": "zero"}
        rows = refpos.relative.relative_rows(block, context, **ends, query_offset=first)
        known = rows >= 0
        assert known.any()
        np.testing.assert_array_equal(rows[known], real[known])
        if mask is not None:  # the pairs that Gemma 3n counts are those that have a row
            np.testing.assert_array_equal(mask, known)
        keys = torch.arange(1.0, length + 1)[None, :, None, None]
        contexts = refpos.positions.context_rows(length, block=block, left=left, right=right)
        np.testing.assert_array_equal(contexts, whole(blocks_of(keys)[0, ..., 0, 0]) - 1)
        # key j of query i stands at place left + j - i from it, and the first row is that of place 0
        of_all = refpos.relative.relative_rows(length, length, sign="key-query", low=-left, high=count - 1 - left,
                                      outside="zero")  # fmt: skip
        for b, w, c in np.ndindex(*contexts.shape[:1], block, context):
            if contexts[b, c] >= 0 and b * block + w < length:
                assert of_all[b * block + w, contexts[b, c]] == rows[w, c]
        equal += 1
    print(f"{model.__name__}: {equal} of {NUMBER}")
    assert equal == NUMBER


# -- Funnel -----------------------------------------------------------------------------------------------------------


def pooled(structure, length, blocks):
    """[(positions of queries, positions of keys, shift, stride)] of the attentions of each block, as its code goes."""
    positions, found = list(range(length)), []
    for block in range(blocks):
        if block:
            fewer = structure.stride_pool_pos(positions, block)
            found.append((fewer, positions, 2, 2 ** (block - 1)))
            positions = fewer
        found.append((positions, positions, 1, 2**block))
    return found


def test_rows_of_funnel():
    rng, equal, module = np.random.default_rng(7), 0, hf("funnel")
    for k in range(NUMBER):
        length, blocks, flags = int(rng.integers(1, 33)), int(rng.integers(1, 5)), (bool(k & 1), bool(k & 2))
        structure = module.FunnelAttentionStructure(FunnelConfig(separate_cls=flags[0], truncate_seq=flags[1]))
        options, compared = {"separate_cls": flags[0], "truncate_seq": flags[1]}, 0
        attentions = pooled(structure, length, blocks)
        for n, (queries, keys, shift, stride) in enumerate(attentions):
            block = (n + 1) // 2
            if shift == 2 and len(queries) == len(keys):
                continue  # its code takes the attention for one of shift 1, with a table of other distances
            ours = [
                refpos.positions.funnel_positions(length, block=b, **options)
                for b in (block, block - 1 if shift == 2 else block)
            ]
            assert [one.tolist() for one in ours] == [queries, keys]
            distances = structure.relative_pos(keys, stride, queries, shift)
            scores = distances.double().expand(1, 1, len(queries), -1)
            real = whole(module._relative_shift_gather(scores, len(keys), shift)[0, 0])
            low = 2**blocks + 2 * length  # its own table, 2 length, is too short for a class token that far
            rows = refpos.relative.relative_rows(*ours, sign="query-key", low=-low, high=low, outside="refuse")
            np.testing.assert_array_equal(rows - low, real)
            compared += 1
        assert compared
        equal += 1
    print(f"funnel: {equal} of {NUMBER}")
    assert equal == NUMBER


def test_segments_of_funnel():
    rng, equal = np.random.default_rng(8), 0
    for n in range(NUMBER):
        separate, cut = bool(n & 1), bool(n & 2)
        structure = hf("funnel").FunnelAttentionStructure(FunnelConfig(separate_cls=separate, truncate_seq=cut))
        ids = rng.integers(0, 4, (2, int(rng.integers(1, 12))))
        real = structure.token_type_ids_to_mat(torch.from_numpy(ids))
        rows = refpos.relative.segment_rows(ids, ids, order="different-same", shared=2)
        np.testing.assert_array_equal(rows, real.numpy())
        # pooled queries have the segments of the tokens in whose place they stand
        tokens = refpos.positions.funnel_positions(ids.shape[1], block=1, separate_cls=separate, truncate_seq=cut).clip(
            0
        )
        rows = refpos.relative.segment_rows(ids[:, tokens], ids, order="different-same", shared=2)
        np.testing.assert_array_equal(rows, structure.stride_pool(real, 1).numpy())
        equal += 1
    print(f"funnel, segments: {equal} of {NUMBER}")
    assert equal == NUMBER
