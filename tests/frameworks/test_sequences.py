"""Learned positional modules of transformers, diffusers and timm in float32 and float64, judged by their classes."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from diffusers.models.transformers.transformer_cosmos import CosmosLearnablePositionalEmbed
from transformers.models.data2vec.modeling_data2vec_audio import Data2VecAudioPositionalConvLayer
from transformers.models.hubert.modeling_hubert import HubertPositionalConvEmbedding
from transformers.models.mllama.modeling_mllama import MllamaPrecomputedPositionEmbedding
from transformers.models.patchtsmixer.modeling_patchtsmixer import PatchTSMixerPositionalEncoding
from transformers.models.patchtst.modeling_patchtst import PatchTSTPositionalEncoding
from transformers.models.wav2vec2.modeling_wav2vec2 import Wav2Vec2PositionalConvEmbedding
from transformers.models.wavlm.modeling_wavlm import WavLMPositionalConvEmbedding

import refpos
from refpos import conformance

from . import _timm

KINDS = {"float32": torch.float32, "float64": torch.float64}
#: the class of programs that compute in each format
CLASS = {"float32": "sequence32", "float64": "sequence64"}


def numbers(*shape, seed):
    """Numbers that both formats hold."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def judged(name, theirs, dtype, inputs, **arguments):
    """The report on an array of torch; the expected values and their bounds come from the same call."""
    theirs = theirs.detach().numpy()
    exact = refpos.catalogue.find(name).function(**inputs, **arguments, dtype=dtype)
    limits = conformance.bounds(name, arguments, inputs, dtype)
    assert theirs.shape == exact.shape and theirs.dtype == exact.dtype
    return refpos.compare(theirs, exact, bounds={name: limit["output"] for name, limit in limits.items()})


def audio(**more):
    """What the audio modules read of a configuration."""
    options = {"hidden_size": 12, "num_conv_pos_embedding_groups": 3, "feat_extract_activation": "gelu", **more}
    return SimpleNamespace(**options)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("kernel_size", [8, 5])
@pytest.mark.parametrize(
    "kind", [Wav2Vec2PositionalConvEmbedding, HubertPositionalConvEmbedding, WavLMPositionalConvEmbedding]
)
def test_convolutions_with_a_weight_norm(kind, kernel_size, dtype):
    module = kind(audio(num_conv_pos_embeddings=kernel_size)).to(KINDS[dtype])
    weight, magnitude = numbers(12, 4, kernel_size, seed=1), np.abs(numbers(kernel_size, seed=2))
    x, bias = numbers(2, 19, 12, seed=3), numbers(12, seed=4)
    parts = module.conv.parametrizations.weight
    parts.original0.data = torch.tensor(magnitude.reshape(1, 1, -1), dtype=KINDS[dtype])
    parts.original1.data = torch.tensor(weight, dtype=KINDS[dtype])
    module.conv.bias.data = torch.tensor(bias, dtype=KINDS[dtype])
    theirs = module(torch.tensor(x, dtype=KINDS[dtype]))
    inputs = {"x": x, "weight": weight, "bias": bias, "magnitude": magnitude}
    options = {"groups": 3, "padding": "same", "activation": "gelu"}
    assert judged("conv_positions", theirs, dtype, inputs, **options).classes[CLASS[dtype]].met
    # zeros on the other side, of an even kernel, and a norm that is forgotten are seen
    if kernel_size % 2 == 0:
        wrong = judged("conv_positions", theirs, dtype, inputs, **{**options, "padding": "causal"})
        assert not wrong.classes[CLASS[dtype]].met
    del inputs["magnitude"]
    assert not judged("conv_positions", theirs, dtype, inputs, **options).classes[CLASS[dtype]].met


@pytest.mark.parametrize("dtype", KINDS)
def test_convolutions_of_data2vec(dtype):
    module = Data2VecAudioPositionalConvLayer(audio(conv_pos_kernel_size=7)).to(KINDS[dtype])
    x = numbers(2, 11, 12, seed=5)
    weight, bias = (part.detach().numpy() for part in (module.conv.weight, module.conv.bias))
    theirs = module(torch.tensor(x, dtype=KINDS[dtype]).mT).mT
    inputs = {"x": x, "weight": weight, "bias": bias}
    options = {"groups": 3, "padding": "same", "activation": "gelu", "norm_eps": 1e-5}
    assert judged("conv_positions", theirs, dtype, inputs, **options).classes[CLASS[dtype]].met


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("size", [(3, 5), (1, 1), (6, 2)])
def test_convolutions_of_twins_and_coat(size, dtype):
    x = numbers(2, *size, 4, seed=6)
    tokens = torch.tensor(x.reshape(2, -1, 4), dtype=KINDS[dtype])
    options = {"groups": 4, "padding": "same", "activation": "identity", "residual": True}
    for module, first in (
        (_timm.timm_module("models.twins").PosConv(4, 4), 0),
        (_timm.timm_module("models.coat").ConvPosEnc(4), 1),
    ):
        module = module.to(KINDS[dtype])
        conv = module.proj[0] if first == 0 else module.proj
        inputs = {"x": x, "weight": conv.weight.detach().numpy(), "bias": conv.bias.detach().numpy()}
        cls = torch.ones(2, first, 4, dtype=KINDS[dtype])
        theirs = module(torch.cat([cls, tokens], 1), size)[:, first:].reshape(x.shape)
        assert judged("conv_positions", theirs, dtype, inputs, **options).classes[CLASS[dtype]].met
        if size == (3, 5):
            turned = {**inputs, "weight": np.swapaxes(inputs["weight"], 2, 3)}
            assert not judged("conv_positions", theirs, dtype, turned, **options).classes[CLASS[dtype]].met


@pytest.mark.parametrize(("count", "dim"), [(2, 4), (42, 16), (300, 64)])
def test_tables_of_patchtst_and_its_mixer(count, dim):
    config = SimpleNamespace(positional_encoding_type="sincos", d_model=dim, num_patches=count)
    for theirs in (PatchTSTPositionalEncoding._init_pe(config, count), PatchTSMixerPositionalEncoding._init_pe(config)):
        inputs = {"positions": np.arange(count)}
        assert judged("normalised_sinusoidal", theirs, "float32", inputs, dim=dim).classes["float32-exp-angle"].met
        biased = theirs * np.sqrt(count * dim / (count * dim - 1))
        if count == 2:
            report = judged("normalised_sinusoidal", biased, "float32", inputs, dim=dim)
            assert not report.classes["float32-exp-angle"].met


@pytest.mark.parametrize("gate", [0.0, 0.7, -1.3, 40.0])
def test_gates_of_mllama(gate):
    config = SimpleNamespace(max_num_tiles=2, max_aspect_ratio_id=3, image_size=4, patch_size=2, hidden_size=6)
    module = MllamaPrecomputedPositionEmbedding(config)
    module.gate.data[:] = gate
    tiles, zeros = torch.zeros(1, 2, 5, 6), torch.tensor([0])
    module.tile_embedding.weight.data.zero_()
    patches = module(tiles, zeros)[0, 0]
    inputs = {"weight": module.embedding.detach().numpy(), "gate": module.gate.detach().numpy()}
    assert judged("gated_table", patches, "float32", inputs, complement=True).classes["sequence32"].met
    module.embedding.data.zero_()
    table = numbers(2, 5, 6, seed=7)
    module.tile_embedding.weight.data[0] = torch.tensor(table.reshape(-1))
    inputs["weight"] = table
    theirs = module(tiles, zeros)[0]
    assert judged("gated_table", theirs, "float32", inputs, complement=False).classes["sequence32"].met


@pytest.mark.parametrize("grid", [(2, 3, 4), (1, 1, 1), (4, 3, 2)])
def test_cosmos(grid):
    module = CosmosLearnablePositionalEmbed(6, (4, 6, 10), (1, 2, 2))
    tables = [numbers(n, 6, seed=8 + n) for n in (4, 3, 5)]
    for name, table in zip("thw", tables, strict=True):
        getattr(module, f"pos_emb_{name}").data = torch.tensor(table)
    t, h, w = grid
    theirs = module(torch.zeros(1, 1, t, 2 * h, 2 * w)).reshape(*grid, 6)
    inputs = {"weights": tables}
    assert judged("cosmos_learnable", theirs, "float32", inputs, grid=list(grid)).classes["sequence32"].met
    wrong = judged("cosmos_learnable", theirs, "float32", inputs, grid=list(grid), eps=1e-2)
    assert not wrong.classes["sequence32"].met


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("name", ["relu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh", "identity"])
def test_lines_of_torch(name, dtype):
    functional = torch.nn.functional
    activation = {
        "relu": torch.relu, "gelu": functional.gelu, "silu": functional.silu, "sigmoid": torch.sigmoid,
        "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"), "tanh": torch.tanh, "identity": lambda x: x,
    }[name]  # fmt: skip
    arrays = {"weight_in": numbers(16, 1, seed=9), "bias_in": numbers(16, seed=10),
              "weight_out": numbers(6, 16, seed=11), "bias_out": numbers(6, seed=12)}  # fmt: skip
    tensors = {key: torch.tensor(value, dtype=KINDS[dtype]) for key, value in arrays.items()}
    positions = np.arange(50)
    x = torch.tensor(positions[:, None], dtype=KINDS[dtype]) / 50
    hidden = activation(functional.linear(x, tensors["weight_in"], tensors["bias_in"]))
    theirs = functional.linear(hidden, tensors["weight_out"], tensors["bias_out"])
    inputs = {"positions": positions, **arrays}
    report = judged("mlp_positions", theirs, dtype, inputs, activation=name, divisor=50)
    assert report.classes[CLASS[dtype]].met
    raw = judged("mlp_positions", theirs, dtype, inputs, activation=name)
    assert not raw.classes[CLASS[dtype]].met
