"""Rows of distances and clipped biases beside the modules that read them: row k of a table holds k."""

from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn
from witness import distances as witness

import refpos

NUMBER = 200


def hf(name, file=None):
    return import_module(f"transformers.models.{name}.modeling_{file or name}")


def numbered(rows):
    """A table of one channel."""
    return nn.Embedding.from_pretrained(torch.arange(float(rows))[:, None])


def whole(tensor):
    array = tensor.detach().numpy()
    assert (array == np.rint(array)).all()
    return array.astype(np.int64)


# -- models: each makes a random configuration and returns what the code reads, and the call of relative_rows ---------


def speecht5(rng, queries, keys):
    most = int(rng.integers(1, 9))
    module = hf("speecht5").SpeechT5RelativePositionalEncoding(1, most)
    module.pe_k = numbered(2 * most)
    real = module(torch.zeros(1, queries, 1))[..., 0]
    return real, queries, {"sign": "query-key", "low": -most, "high": most - 1, "outside": "clip"}


def wav2vec2_bert(rng, queries, keys):
    left, right = (int(one) for one in rng.integers(0, 9, 2))
    module = SimpleNamespace(
        left_max_position_embeddings=left, right_max_position_embeddings=right, scaling=1,
        distance_embedding=numbered(left + right + 1),
    )  # fmt: skip
    query, key = torch.ones(1, 1, queries, 1), torch.ones(1, 1, keys, 1)
    real = hf("wav2vec2_bert")._apply_relative_key_position_encoding(module, query, key)[1][0, 0]
    return real, keys, {"sign": "key-query", "low": -left, "high": right, "outside": "clip"}


def vits(rng, queries, keys):
    window, cls = int(rng.integers(1, 6)), hf("vits").VitsAttention
    table = torch.arange(1.0, 2 * window + 2)[None, :, None]
    rows = cls._get_relative_embeddings(SimpleNamespace(window_size=window), table, queries)[0, :, 0]
    logits = rows.expand(1, queries, 2 * queries - 1)
    real = cls._relative_position_to_absolute_position(None, logits)[0] - 1
    return real, queries, {"sign": "key-query", "low": -window, "high": window, "outside": "zero"}


def xlnet(rng, queries, keys):
    keys = queries + keys
    rows = torch.arange(float(keys + queries)).expand(1, 1, queries, -1)
    real = hf("xlnet").XLNetRelativeAttention.rel_shift_bnij(rows, keys)[0, 0]
    ends = {"low": -keys, "high": queries - 1, "query_offset": keys - queries}
    return real, keys, {"sign": "key-query", "outside": "refuse", **ends}


def funnel(rng, queries, keys):
    """Blocks of Funnel; with shift 2 half as many queries, two positions apart."""
    module = hf("funnel")
    shift = int(rng.integers(1, 3))
    positions = list(range(shift * queries))
    pooled = positions[::2] if shift == 2 else None
    distance = module.FunnelAttentionStructure.relative_pos(None, positions, 1, pooled, shift=shift)
    keys = len(positions)
    assert distance.tolist() == list(range(keys, -keys, -1))
    rows = torch.arange(float(len(distance))).expand(1, 1, queries, -1)
    real = module._relative_shift_gather(rows, keys, shift)[0, 0]
    ends = {"low": -keys, "high": keys - 1, "query_step": shift}
    return real, keys, {"sign": "key-query", "outside": "refuse", **ends}


def conformer(rng, queries, keys):
    rows = torch.arange(float(2 * queries - 1))[None, :, None]
    module = SimpleNamespace(linear_pos=nn.Identity(), head_size=1, scaling=1, pos_bias_u=torch.zeros(1, 1),
                             pos_bias_v=torch.zeros(1, 1))  # fmt: skip
    query = torch.ones(1, 1, queries, 1)
    real = hf("wav2vec2_conformer")._apply_relative_position_encoding(module, query, query, rows)[1][0, 0]
    ends = {"low": 1 - queries, "high": queries - 1}
    return real, queries, {"sign": "key-query", "outside": "refuse", **ends}


def parakeet(rng, queries, keys):
    rows = torch.arange(float(2 * queries - 1)).expand(1, 1, queries, -1)
    real = hf("parakeet").ParakeetEncoderAttention._rel_shift(None, rows)[0, 0, :, :queries]
    ends = {"low": 1 - queries, "high": queries - 1}
    return real, queries, {"sign": "key-query", "outside": "refuse", **ends}


def gemma3n(rng, queries, keys):
    left, right = (int(one) for one in rng.integers(0, 6, 2))
    context, span = queries + left + right, left + right + 1
    rows = torch.arange(1.0, span + 1).expand(1, 1, 1, queries, -1)
    shift = hf("gemma3n").Gemma3nAudioRelativePositionEmbedding._relative_shift
    real = shift(None, rows, 1, 1, 1, queries, context, span)[0, 0, 0] - 1
    ends = {"low": -left, "high": right, "query_offset": left}
    return real, context, {"sign": "key-query", "outside": "zero", **ends}


def gemma4(rng, queries, keys):
    before = int(rng.integers(0, 2 * queries))
    context = queries + before
    rows = torch.arange(1.0, context // 2 + 2).expand(1, 1, 1, queries, -1)
    shift = hf("gemma4").Gemma4AudioAttention._rel_shift
    real = shift(SimpleNamespace(context_size=context), rows)[0, 0, 0] - 1
    ends = {"low": -(context // 2), "high": 0, "query_offset": context // 2}
    return real, context, {"sign": "key-query", "outside": "zero", **ends}


def inkling(rng, queries, keys, name="inkling", cls="InklingRelativeLogits"):
    extent, start = (int(one) for one in rng.integers(1, 9, 2))
    module = getattr(hf(name), cls)(1, extent)
    module.proj = nn.Parameter(torch.arange(1.0, extent + 1)[None])
    positions = torch.arange(start, start + queries), torch.arange(keys)
    real = module(torch.ones(1, queries, 1, 1), *positions)[0, 0] - 1
    ends = {"low": 0, "high": extent - 1, "query_offset": start}
    return real, keys, {"sign": "query-key", "outside": "zero", **ends}


def inkling2(rng, queries, keys):
    return inkling(rng, queries, keys, "inkling2", "Inkling2RelativeLogits")


MODELS = [speecht5, wav2vec2_bert, vits, xlnet, funnel, conformer, parakeet, gemma3n, gemma4, inkling, inkling2]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_rows_are_those_that_the_model_reads(model):
    rng, equal = np.random.default_rng(7), 0
    for _ in range(NUMBER):
        queries, keys = (int(one) for one in rng.integers(1, 14, 2))
        real, keys, options = model(rng, queries, keys)
        real = whole(real)
        ours = refpos.relative.relative_rows(queries, keys, **options)
        np.testing.assert_array_equal(witness.relative_rows(queries, keys, **options), ours)
        # what these tricks leave above the diagonal is masked by their models: rows of keys before the block, or -1
        known = ours >= 0 if model in (gemma3n, gemma4) else np.ones(ours.shape, bool)
        assert known.any()
        np.testing.assert_array_equal(ours[known], real[known])
        equal += 1
    print(f"{model.__name__}: {equal} of {NUMBER}")
    assert equal == NUMBER


# -- proteins ---------------------------------------------------------------------------------------------------------


def test_pairs_of_residues():
    rng, equal = np.random.default_rng(8), 0
    for _ in range(NUMBER):
        bins, shape = int(rng.integers(1, 33)), tuple(rng.integers(1, 9, 2))
        residues, mask = rng.integers(0, 80, shape), rng.integers(0, 4, shape) > 0
        module = hf("esm", "esmfold").EsmFoldRelativePosition(SimpleNamespace(position_bins=bins, pairwise_state_dim=1))
        module.embedding = numbered(2 * bins + 2)
        real = whole(module(torch.from_numpy(residues), torch.from_numpy(mask))[..., 0])
        rows = (
            refpos.relative.relative_rows(residues, residues, sign="key-query", low=-bins, high=bins, outside="clip")
            + 1
        )
        np.testing.assert_array_equal(np.where(mask[:, :, None] & mask[:, None], rows, 0), real)
        equal += 1
    print(f"esmfold: {equal} of {NUMBER}")


def test_pairs_of_esmfold2():
    rng, equal = np.random.default_rng(9), 0
    module = hf("esmfold2")
    for _ in range(NUMBER):
        bins, chains, shape = int(rng.integers(1, 33)), int(rng.integers(1, 4)), tuple(rng.integers(1, 9, 2))
        config = SimpleNamespace(num_relative_residx_bins=bins, num_relative_chain_bins=chains, pairwise_hidden_size=1)
        encoding = module.EsmFold2RelativePositionEncoding(config)
        encoding.embed = nn.Identity()
        encoding.embed.weight = torch.zeros(1)
        residue, token = rng.integers(0, 70, shape), rng.integers(0, 70, shape)
        chain, copy, entity = (rng.integers(0, most, shape) for most in (2, 5, 2))
        real = encoding(*map(torch.from_numpy, (residue, chain, copy, entity, token))).numpy()
        same_chain = chain[:, :, None] == chain[:, None]
        parts = (
            (residue, bins, same_chain),
            (token, bins, same_chain & (residue[:, :, None] == residue[:, None])),
            (copy, chains, ~same_chain),
        )
        ours = [pairs(*part) for part in parts]
        sizes = [2 * bins + 2, 2 * bins + 2, 1, 2 * chains + 2]
        first, second, _, third = np.split(real, np.cumsum(sizes)[:-1], -1)
        for rows, part in zip(ours, (first, second, third), strict=True):
            assert (part.sum(-1) == 1).all()
            np.testing.assert_array_equal(rows, part.argmax(-1))
        equal += 1
    print(f"esmfold2: {equal} of {NUMBER}")


def pairs(index, bins, kept):
    """The bins of ESMFold2: query minus key, and the last bin where a pair is left out."""
    rows = refpos.relative.relative_rows(index, index, sign="query-key", low=-bins, high=bins, outside="clip")
    return np.where(kept, rows, 2 * bins + 1)


# -- biases -----------------------------------------------------------------------------------------------------------


def test_bias_of_phi4_audio():
    rng, equal = np.random.default_rng(10), 0
    cls = hf("phi4_multimodal").Phi4MultimodalAudioRelativeAttentionBias
    for _ in range(NUMBER):
        most, heads, length = (int(one) for one in rng.integers(1, 12, 3))
        symmetric = bool(rng.integers(0, 2)) and length <= most  # else its code reads beyond its table
        config = SimpleNamespace(bias_max_distance=most, bias_symmetric=symmetric, num_attention_heads=heads)
        module = cls(config)
        weight = module.bias_values.weight.detach().numpy()
        real = module(torch.zeros(1, length, 1))[0].detach().numpy()
        options = {"sign": "absolute"} if symmetric else {"sign": "key-query", "low": -most}
        np.testing.assert_array_equal(refpos.relative_bias(weight, length, length, **options), real)
        equal += 1
    print(f"phi4_multimodal: {equal} of {NUMBER}")


class Clipped(nn.Module):
    """The bias as it is taught, in two forms: 2m - 1 rows by key minus query, 2m + 1 rows by query minus key."""

    def __init__(self, most, heads, form):
        super().__init__()
        self.most, self.form = most, form
        self.table = nn.Parameter(torch.randn(2 * most + (-1 if form == "key-query" else 1), heads))

    def forward(self, queries, keys):
        query, key = torch.arange(queries)[:, None], torch.arange(keys)[None]
        if self.form == "key-query":
            index = torch.clamp(key - query, -self.most + 1, self.most - 1) + self.most - 1
        else:
            index = torch.clamp(query - key, -self.most, self.most) + self.most
        return self.table[index].permute(2, 0, 1)


def test_both_sizes_of_the_taught_bias():
    rng, equal = np.random.default_rng(11), 0
    for k in range(NUMBER):
        most, heads, queries, keys = (int(one) for one in rng.integers(1, 12, 4))
        form = ("key-query", "query-key")[k % 2]
        module = Clipped(most, heads, form)
        weight, real = module.table.detach().numpy(), module(queries, keys).detach().numpy()
        for view in (False, True):
            ours = refpos.relative_bias(weight, queries, keys, sign=form, view=view)
            np.testing.assert_array_equal(ours, real)
        equal += 1
    print(f"taught, both sizes and signs: {equal} of {NUMBER}")
