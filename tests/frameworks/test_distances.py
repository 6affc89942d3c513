"""Biases, decays and features of distances beside the code of transformers and x-transformers, 200 random
configurations of each, and beside formulas of repositories that are not installed, in torch."""

import itertools
import math

import numpy as np
import pytest
import torch
from transformers import MiniMaxConfig
from transformers.models.bloom.modeling_bloom import build_alibi_tensor as bloom
from transformers.models.falcon.modeling_falcon import build_alibi_tensor as falcon
from transformers.models.minimax.modeling_minimax import MiniMaxLightningAttention
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor as mpt
from x_transformers.x_transformers import AlibiPositionalBias

import refpos
from refpos.conformance import error_bounds

COUNT = 200


def meets(name, call, theirs, kind, dtype="float32", inputs=None):
    """Whether an answer is within the bounds of a class of the call."""
    inputs = inputs or {}
    ours = refpos.catalogue.find(name).function(**call, **inputs, dtype=dtype)
    limits = error_bounds.bounds(name, call, inputs, dtype)
    theirs = np.asarray(theirs)
    assert theirs.shape == ours.shape and theirs.size, (name, call)
    limits = {kind: limit["output"] for kind, limit in limits.items()}
    return refpos.compare(theirs, ours, bounds=limits).classes[kind].met


def all_meet(name, one, report):
    """How many of COUNT calls of `one(rng)`, which returns what `meets` takes after the name, meet their class."""
    rng = np.random.default_rng(20)
    wrong = [call for call in (one(rng) for _ in range(COUNT)) if not meets(name, *call)]
    print(f"{report}: {COUNT - len(wrong)} of {COUNT}", *(call[0] for call in wrong[:1]))
    return COUNT - len(wrong)


def test_bloom():
    def one(rng):
        heads, keys = int(rng.integers(1, 129)), int(rng.integers(1, 60))
        mask = rng.integers(0, 2, (int(rng.integers(1, 4)), keys))
        theirs = bloom(torch.from_numpy(mask), heads, torch.float32).numpy().reshape(-1, heads, 1, keys)
        call = {"num_heads": heads, "query_len": 1, "key_len": keys, "anchor": "key", "mode": "linear"}
        return call, theirs, "float32-power", "float32", {"mask": mask}

    assert all_meet("alibi", one, "BLOOM, masks") == COUNT
    assert refpos.alibi(1, 1, 5, anchor="key", mode="linear", max_bias=1, mask=[0, 0, 1, 1, 1]).tolist() == [
        [[0.0, 0.0, 0.0, 0.5, 1.0]]
    ]


def test_mpt():
    def one(rng):
        heads, keys, max_bias = int(rng.integers(1, 129)), int(rng.integers(1, 60)), int(rng.integers(1, 17))
        call = {"num_heads": heads, "query_len": 1, "key_len": keys, "max_bias": max_bias}
        theirs = mpt(heads, keys, max_bias).numpy()
        return {**call, "anchor": "last", "mode": "linear"}, theirs, "float32-power"

    assert all_meet("alibi", one, "MPT, alibi_bias_max") == COUNT


def test_falcon():
    """Its slopes, positions and products are rounded to bfloat16 (2**-8 each), the first after a float32 power."""
    exact = 0
    rng = np.random.default_rng(3)
    for _ in range(COUNT):
        heads, keys, width = int(rng.integers(1, 129)), int(rng.integers(1, 500)), int(rng.integers(1, 200))
        mask = rng.integers(0, 2, (2, keys))
        bias = falcon(torch.from_numpy(mask), heads, torch.float32).double() / math.sqrt(width)
        ours = refpos.alibi(heads, 1, keys, anchor="key", mode="linear", mask=mask, head_dim=width)
        theirs = bias.numpy().reshape(ours.shape)
        exact += bool((abs(theirs - ours) <= abs(ours) * (3 * 2.0**-8 + 2.0**-12)).all())
    print(f"Falcon, within three roundings to bfloat16: {exact} of {COUNT}")
    assert exact == COUNT
    # position 400 of head 1 of 71: the distance itself is no longer what it says
    mask = torch.ones(1, 401, dtype=torch.long)
    assert abs(falcon(mask, 71, torch.float32) - bloom(mask, 71, torch.float32)).max() > 1


def test_x_transformers_alibi():
    def one(rng):
        heads, queries = int(rng.integers(1, 129)), int(rng.integers(1, 12))
        keys = queries + int(rng.integers(0, 12))
        call = {"num_heads": heads, "query_len": queries, "key_len": keys, "mode": "symmetric"}
        return call, AlibiPositionalBias(heads)(queries, keys).numpy(), "float32-power"

    assert all_meet("alibi", one, "x-transformers, ALiBi") == COUNT


def minimax(heads, layer, layers, size):
    config = MiniMaxConfig(
        hidden_size=heads * 2, num_attention_heads=heads, num_hidden_layers=layers, block_size=size, head_dim=2,
        layer_types=["linear_attention"] * layers,
    )  # fmt: skip
    return MiniMaxLightningAttention(config, layer)


def minimax_case(rng):
    heads, layers = int(rng.integers(1, 17)), int(rng.integers(1, 81))
    layer = layers - 1 if rng.random() < 0.2 else int(rng.integers(layers))
    rule = {"num_heads": heads, "rule": "lightning", "layer": layer, "layers": layers}
    return rule, minimax(heads, layer, layers, 5)


def test_minimax_rates():
    def one(rng):
        rule, module = minimax_case(rng)
        return rule, module.slope_rate[:, 0, 0].numpy(), "float32-power"

    assert all_meet("decay_rates", one, "MiniMax, slope_rate") == COUNT


def test_minimax_decays():
    def one(rng):
        rule, module = minimax_case(rng)
        if rng.random() < 0.5:
            call = {**rule, "query_len": 5, "key_len": 5}
            return call, module.diagonal_decay[0].numpy(), "float32-power"
        # the block decays as a key just before it
        call = {**rule, "query_len": 5, "key_len": 1, "query_offset": 1}
        return call, module.query_decay.numpy(), "float32-power"

    assert all_meet("decay", one, "MiniMax, diagonal_decay and query_decay") == COUNT


def test_retnet_formula():
    def one(rng):
        heads, size = int(rng.integers(1, 33)), int(rng.integers(1, 40))
        logs = torch.log(1 - 2 ** (-5 - torch.arange(heads, dtype=torch.float)))
        index = torch.arange(size).to(logs)
        mask = torch.tril(torch.ones(size, size))
        mask = torch.masked_fill(index[:, None] - index[None, :], ~mask.bool(), float("inf"))
        theirs = torch.nan_to_num(torch.exp(mask * logs[:, None, None]))
        call = {"num_heads": heads, "query_len": size, "key_len": size, "rule": "retnet"}
        return call, theirs.numpy(), "float32-power"

    assert all_meet("decay", one, "RetNet, formula of torchscale") == COUNT


def test_croma_formula():
    def one(rng):
        heads, side = int(rng.integers(1, 33)), int(rng.integers(1, 6))
        slopes = torch.tensor(refpos.alibi_slopes(heads)).float()[:, None, None]
        points = list(itertools.product(range(side), range(side)))
        distances = torch.tensor([[math.dist(p, q) for q in points] for p in points]).float()
        call = {"num_heads": heads, "height": side, "width": side}
        return call, (distances * slopes * -1).numpy(), "float32-product"

    assert all_meet("alibi_2d", one, "CROMA, formula") == COUNT


@pytest.mark.parametrize("mode", ["clipped"])
def test_alibi_of_tutorials(mode):
    """min(j - i, 0) / 2**i, without a mask."""
    for heads, size in itertools.product((1, 4, 8, 12), (1, 3, 9)):
        away = torch.arange(size)[None, :] - torch.arange(size)[:, None]
        theirs = away.clamp(max=0) * (0.5 ** torch.arange(heads))[:, None, None]
        ours = refpos.alibi(heads, size, size, mode=mode, convention="halving", dtype="float32")
        assert np.array_equal(theirs.numpy(), ours)
    paper, halving = refpos.alibi_slopes(8), refpos.alibi_slopes(8, convention="halving")
    assert np.array_equal(halving, 2 * paper)


def test_kerple_formula():
    """ParallelKerpleLog and ParallelKerplePower of chijames/KERPLE, in torch."""

    def one(rng):
        heads, size = int(rng.integers(1, 9)), int(rng.integers(1, 12))
        p, a = (torch.from_numpy(rng.uniform(0, high, heads).astype("f4")) for high in (2.2, 1))
        away = torch.tril(torch.arange(size)[:, None] - torch.arange(size)[None, :]).float()
        kind = ("log", "power", "weight")[int(rng.integers(3))]
        slope = a.clamp(min=1e-2)[:, None, None]
        if kind == "log":
            theirs = -p.clamp(min=1e-2)[:, None, None] * torch.log(1 + slope * away)
        else:
            theirs = -slope * away ** p.clamp(min=1e-2, max=2)[:, None, None]
        theirs = theirs.exp() if kind == "weight" else theirs
        inputs = {"p": p.numpy(), "a": a.numpy()}
        call = {"query_len": size, "key_len": size, "kind": kind}
        return call, theirs.numpy(), f"float32-{'logarithm' if kind == 'log' else 'power'}", "float32", inputs

    assert all_meet("kerple", one, "KERPLE, formula") == COUNT


def test_sandwich_formula():
    """SandwichRelativePositionEmbedding of NeMo 1.23.0, in torch. Of fewer queries than keys it clips by the first
    query, as if that stood at key 0: so the lengths differ only where nothing is clipped."""

    def one(rng):
        heads, queries, half = int(rng.integers(1, 33)), int(rng.integers(1, 12)), int(rng.integers(1, 33))
        bidirectional = bool(rng.integers(2))
        keys = queries + int(rng.integers(0, 9)) * bidirectional
        places = torch.arange(1 - keys, 1)
        away = (places[:, None] - places[None, :]).abs()[-queries:, -keys:]
        away = away if bidirectional else torch.tril(away)
        frequencies = 1.0 / (10000 ** (2 * torch.arange(1, half + 1) / (2 * half)))
        total = torch.sum((away[:, :, None] * frequencies).cos(), axis=2)
        theirs = (total - half) / (torch.arange(1, heads + 1)[:, None, None] * 8 / heads)
        call = {"num_heads": heads, "query_len": queries, "key_len": keys, "dim": 2 * half, "first": 1}
        mode = "symmetric" if bidirectional else "clipped"
        return {**call, "subtract": True, "mode": mode}, theirs.numpy(), "float32-angle"

    assert all_meet("sandwich", one, "Sandwich, formula of NeMo") == COUNT


def test_hyena_formula():
    """PositionalEmbedding of HazyResearch/safari, in torch."""

    def one(rng):
        length, bands = int(rng.integers(1, 60)), int(rng.integers(1, 17))
        t = torch.linspace(0, 1, length)[:, None]
        w = 2 * math.pi * torch.linspace(0, length - 1, length)[:, None] / length
        z = torch.exp(-1j * torch.linspace(1e-4, bands - 1, bands)[None] * w)
        theirs = torch.cat([t, z.real, z.imag], dim=-1)
        return {"length": length, "dim": 2 * bands + 1}, theirs.numpy(), "float32-angle"

    assert all_meet("hyena_features", one, "Hyena, formula of safari") == COUNT


def test_exponential_modulation_formula():
    """ExponentialModulation of HazyResearch/safari, in torch."""

    def one(rng):
        length, channels, shift = int(rng.integers(1, 12)), int(rng.integers(1, 9)), float(rng.choice([0.0, 0.05]))
        fast, slow = (float(rng.uniform(*ends)) for ends in ((0.1, 0.6), (0.8, 3)))
        deltas = torch.linspace(math.log(0.01) / slow, math.log(0.01) / fast, channels)[None]
        theirs = torch.exp(-torch.linspace(0, 1, length)[:, None] * deltas.abs()) + shift
        call = {"length": length, "channels": channels, "fast": fast, "slow": slow, "shift": shift}
        return call, theirs.numpy(), "float32-power"

    assert all_meet("exponential_modulation", one, "Hyena's modulation, formula of safari") == COUNT


def enformer(length, count, table, dtype):
    """The bases of enformer-pytorch and DeepMind's code, in torch."""
    away = torch.arange(-length + 1, length)
    far = away.abs()[:, None].to(dtype)
    half_life = 2 ** torch.linspace(3.0, math.log2(length), count, dtype=dtype)
    masks = (2 ** torch.arange(1, count + 1) - 1 > far).to(dtype)
    mean, deviation = torch.linspace(length / count, length, count, dtype=dtype), length / (2 * count)
    shape, rate = (mean / deviation) ** 2, mean / deviation**2
    density = torch.xlogy(shape - 1.0, far) - rate * far - (torch.lgamma(shape) - shape * torch.log(rate))
    density = density.exp() + 1e-8
    density = density / (density.max() if table else density.amax(-1, keepdim=True))
    three = torch.cat([torch.exp(-math.log(2.0) / half_life * far), masks, density], -1)
    return torch.cat([three, away.sign()[:, None] * three], -1).numpy()


def test_enformer_formula():
    """In float64 within 2**-38: logarithms up to 2**11 lose as many bits of 53, in four sums."""
    met, rng = 0, np.random.default_rng(4)
    for _ in range(COUNT):
        length, count, table = int(rng.integers(2, 40)), int(rng.integers(1, 9)), bool(rng.integers(2))
        call = {"basis": ["exponential", "central-mask", "gamma"], "rule": "doubling"}
        call["normalise"] = "table" if table else "row"
        ours = refpos.relative.distance_features(length, length, 6 * count, **call)
        met += bool((abs(enformer(length, count, table, torch.float64) - ours) < 2.0**-38).all())
    print(f"Enformer, formula in float64: {met} of {COUNT}")
    assert met == COUNT


def test_float32_gamma_features_are_off():
    """1536 tokens, 192 features: float32 loses the logarithms of densities whose shapes reach 4096."""
    theirs = enformer(1536, 32, True, torch.float32)[1535:, 64:96]
    exact = enformer(1536, 32, True, torch.float64)[1535:, 64:96]
    ours = refpos.relative.distance_features(1, 1536, 32, basis="gamma", normalise="table", symmetric=True)
    assert abs(exact - ours).max() < 2.0**-34 and abs(theirs - ours).max() > 1e-3


def test_alphagenome_formulas():
    """Masks and inverse frequencies of google-deepmind/alphagenome_research, in float64."""
    met, rng = 0, np.random.default_rng(5)
    for _ in range(COUNT):
        count = int(rng.integers(1, 40))
        length = int(rng.integers(count, 700))
        widths = np.arange(count) + np.geomspace(1, length - count + 1, count, endpoint=False)
        far = abs(np.arange(-30, 30))
        near = abs(widths[None] - far[:, None]) < 1e-9  # where float64 cannot tell
        call = {"basis": "central-mask", "rule": "offset-geometric", "symmetric": True}
        ours = refpos.relative.distance_features(31, 30, count, length=length, **call)
        same = ((widths[None] > far[:, None]) == ours) | near
        inverse = 1.0 / (np.arange(count) + np.geomspace(1, length - count + 1, count))
        mine = refpos.frequencies.offset_geometric(2 * count, max_position=length).inv_freq
        met += bool(same.all() and (abs(inverse / mine - 1) < 2.0**-44).all())
    print(f"AlphaGenome, masks and frequencies: {met} of {COUNT}")
    assert met == COUNT
