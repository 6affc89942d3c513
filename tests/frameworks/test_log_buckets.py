"""Buckets beside the models that have them, at random sizes, lengths and tables."""

from importlib import import_module
from types import SimpleNamespace

import numpy as np
import torch
from torch import nn

import refpos
from refpos.relative import log_buckets

NUMBER = 200


def hf(name):
    return import_module(f"transformers.models.{name}.modeling_{name}")


def configurations(seed):
    """Random (rng, buckets, distance): an even number of buckets, and a distance beyond them."""
    rng = np.random.default_rng(seed)
    for _ in range(NUMBER):
        buckets = 4 * int(rng.integers(1, 80))
        yield rng, buckets, int(rng.integers(buckets, 8 * buckets))


def assert_all(name, equal, least=NUMBER):
    print(f"{name}: {equal} of {NUMBER}")
    assert equal >= least


def agree(real, ours):
    """Whether all are equal; logarithms in float32 may put the first distance of a bucket into its neighbour."""
    real, ours = np.asarray(real).astype(np.int64), np.asarray(ours)
    for at in np.nonzero(real != ours)[0]:
        assert real[at] in (ours[at - 1], ours[at + 1]) and abs(real[at] - ours[at]) == 1
    return bool((real == ours).all())


def test_deberta_and_sew_d():
    relative, equal = np.arange(-600, 601), np.zeros(2, int)
    for _, buckets, most in configurations(1):
        ours = log_buckets(relative, rule="deberta", num_buckets=buckets, max_distance=most)
        for k, name in enumerate(("deberta_v2", "sew_d")):
            equal[k] += agree(hf(name).make_log_bucket_position(torch.from_numpy(relative), buckets, most), ours)
    for name, count in zip(("deberta_v2", "sew_d"), equal, strict=True):
        assert_all(name, count, NUMBER - 10)


def test_rows_of_deberta():
    """Both orders of the arguments: SEW-D and DeBERTa build the same positions; where they are gathered, rows clip."""
    equal, build = 0, hf("deberta_v2").build_relative_position
    for rng, buckets, most in configurations(2):
        queries, keys = (int(one) for one in rng.integers(1, 40, 2))
        layers = torch.zeros(1, queries, 1), torch.zeros(1, keys, 1)
        real = build(*layers, bucket_size=buckets, max_position=most)[0]
        real = torch.clamp(real + buckets, 0, 2 * buckets - 1)
        pairs = np.arange(queries)[:, None] - np.arange(keys)
        ours = log_buckets(pairs, rule="deberta", num_buckets=buckets, max_distance=most)
        np.testing.assert_array_equal(np.clip(ours + buckets, 0, 2 * buckets - 1), real)
        equal += 1
    assert_all("build_relative_position", equal)


def test_deberta_v1_has_no_buckets():
    equal = 0
    for rng, _, _ in configurations(3):
        queries, keys, span = (int(one) for one in rng.integers(1, 40, 3))
        layers = torch.zeros(1, queries, 1), torch.zeros(1, keys, 1)
        real = torch.clamp(hf("deberta").build_relative_position(*layers)[0] + span, 0, 2 * span - 1)
        ours = refpos.relative.relative_rows(queries, keys, sign="query-key", low=-span, high=span - 1, outside="clip")
        np.testing.assert_array_equal(ours, real)
        equal += 1
    assert_all("deberta", equal)


def test_cpm_ant():
    equal = 0
    for rng, buckets, most in configurations(4):
        config = SimpleNamespace(num_attention_heads=2, position_bias_num_buckets=buckets,
                                 position_bias_max_distance=most, segment_types=6)  # fmt: skip
        module = hf("cpmant").CpmAntSegmentPositionEmbedding(config)
        nn.init.normal_(module.relative_attention_bias)
        queries, keys = (int(one) for one in rng.integers(1, 30, 2))
        query, key = rng.integers(0, 6, (2, queries)), rng.integers(0, 6, (2, keys))
        query[0], key[0] = 3, 3
        places = torch.zeros(2, keys), torch.zeros(2, queries)
        real = module(*places, torch.from_numpy(key), torch.from_numpy(query)).detach().numpy()
        pairs = np.broadcast_to(np.arange(keys) - np.arange(queries)[:, None], (2, queries, keys))
        rows = log_buckets(pairs, rule="cpm_ant", num_buckets=buckets, max_distance=most, query_segments=query,
                                  key_segments=key, num_segments=6)  # fmt: skip
        weight = module.relative_attention_bias.detach().numpy()
        np.testing.assert_array_equal(np.moveaxis(weight[rows], -1, 1), real)
        equal += 1
    assert_all("cpmant", equal)


def test_wavlm_and_mpnet_and_layoutlm():
    """Copies of the rule of T5, WavLM's with its sum before the cut."""
    relative = np.arange(-600, 601)
    tensor = torch.from_numpy(relative)
    forms = {
        "wavlm": lambda buckets, most: hf("wavlm").WavLMAttention._relative_positions_bucket(
            SimpleNamespace(num_buckets=buckets, max_distance=most), tensor),
        "mpnet": lambda buckets, most: hf("mpnet").MPNetEncoder.relative_position_bucket(tensor, buckets, most),
        "layoutlmv2": lambda buckets, most: hf("layoutlmv2").relative_position_bucket(tensor, True, buckets, most),
        "layoutlmv3": lambda buckets, most: hf("layoutlmv3").LayoutLMv3Encoder.relative_position_bucket(
            None, tensor, True, buckets, most),
    }  # fmt: skip
    equal = dict.fromkeys(forms, 0)
    for _, buckets, most in configurations(5):
        ours = log_buckets(relative, rule="t5", bidirectional=True, num_buckets=buckets, max_distance=most)
        for name, real in forms.items():
            equal[name] += agree(real(buckets, most), ours)
    for name, count in equal.items():
        assert_all(name, count, NUMBER - 10)


def test_prophetnet_in_both_streams():
    equal = 0
    for rng, buckets, most in configurations(6):
        positions = np.sort(rng.integers(1, 60, (2, int(rng.integers(1, 12)))), axis=-1)
        streams = hf("prophetnet").compute_all_stream_relative_buckets(buckets, most, torch.from_numpy(positions))
        options = {"bidirectional": False, "num_buckets": buckets, "max_distance": most}
        for keys, real in zip((positions, np.concatenate([positions - 1, positions], -1)), streams, strict=True):
            ours = refpos.t5_buckets(keys[:, None] - positions[..., None], **options)
            np.testing.assert_array_equal(ours, real)
        equal += 1
    assert_all("prophetnet", equal)


def test_udop_in_three_directions():
    """Boxes are float32 from 0 to 1: 100 times the difference of two means, each rounded, is cut toward 0."""
    module, equal = hf("udop"), 0
    for rng, _, _ in configurations(7):
        length = int(rng.integers(1, 12))
        boxes, mask = torch.from_numpy(rng.random((2, length, 4), np.float32)), torch.ones(2, length)
        for kind, sides in (
            (module.RelativePositionBias1D, None),
            (module.RelativePositionBiasHorizontal, [0, 2]),
            (module.RelativePositionBiasVertical, [1, 3]),
        ):
            bias = kind(num_heads=1)
            middle = np.arange(length)[None] if sides is None else boxes[..., sides].mean(-1).numpy()
            relative = middle[:, None] - middle[..., None]
            relative = relative if sides is None else (relative * np.float32(100)).astype(np.int64)
            ours = refpos.t5_buckets(relative, bidirectional=True, max_distance=128 if sides is None else 100)
            np.testing.assert_array_equal(ours, bias.get_bucket(mask, boxes))
        equal += 1
    assert_all("udop", equal)


def test_longt5_local_and_global():
    module, equal = hf("longt5"), 0
    for rng, buckets, most in configurations(8):
        size, block = int(rng.integers(1, 9)), int(rng.integers(1, 6))
        config = SimpleNamespace(
            is_decoder=False, relative_attention_num_buckets=buckets, relative_attention_max_distance=most, d_model=4,
            d_kv=2, num_heads=2, local_radius=size - 1, dropout_rate=0, global_block_size=block,
            layer_norm_epsilon=1e-6,
        )  # fmt: skip
        local = module.LongT5LocalAttention(config, has_relative_attention_bias=True)
        weight = local.relative_attention_bias.weight.detach().numpy()
        options = {"bidirectional": True, "num_buckets": buckets, "max_distance": most}
        ours = refpos.t5_bias(weight, size, 3 * size, query_offset=size, **options)
        np.testing.assert_array_equal(ours, local.compute_bias(size)[0, 0].detach())
        mask = torch.from_numpy((rng.random((2, int(rng.integers(1, 20)))) < 0.8).astype(np.int64))
        # its floats of 1 / block_size add up below integers, where block_size is not a power of two
        exact = block & (block - 1) == 0
        ids = refpos.positions.global_block_ids(mask.numpy(), block_size=block)
        if exact:
            np.testing.assert_array_equal(ids, module._make_global_fixed_block_ids(mask, block)[0])
            relative = np.arange(mask.shape[1] // block) - ids[..., None]
            np.testing.assert_array_equal(relative, module._make_side_relative_position_ids(mask, block))
        equal += 1
    assert_all("longt5", equal)
