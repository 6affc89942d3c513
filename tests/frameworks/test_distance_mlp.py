"""Networks of offsets beside x-transformers, transformers and timm, and as CrossFormer has them."""

from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn
from x_transformers.x_transformers import DynamicPositionBias

import refpos
from refpos import conformance

from ._timm import timm_module

NUMBER, EACH = 200, 10  # configurations, and those of one network
KINDS = {"float32": torch.float32, "float64": torch.float64}
#: the class of programs that compute in each format
CLASS = {"float32": "sequence32", "float64": "sequence64"}
swinv2 = import_module("transformers.models.swinv2.modeling_swinv2")
layers, cr = timm_module("layers.pos_embed_rel"), timm_module("models.swin_transformer_v2_cr")
WINDOW, ROW = {"sign": "query-key"}, {"sign": "query-key", "outside": "refuse"}


def limits_of(dtype, inputs, **arguments):
    """{class: bounds} of a table."""
    limits = conformance.bounds("distance_mlp", arguments, inputs, dtype)
    return {name: limit["output"] for name, limit in limits.items()}


def middle(limits, sizes):
    """Bounds of a smaller table, whose offsets are the middle ones of a larger: coordinates do not know the size."""
    return {
        name: limit[
            tuple(
                slice((n + 1) // 2 - size, (n + 1) // 2 + size - 1) for n, size in zip(limit.shape, sizes, strict=False)
            )
        ]
        for name, limit in limits.items()
    }


def met(theirs, dtype, inputs, gather, limits=None, **arguments):
    """Whether biases of torch are those of their class. gather: the biases (heads, queries, keys) of a table."""
    theirs = theirs.detach().numpy()
    exact = gather(refpos.relative.distance_mlp(**inputs, **arguments, dtype=dtype))
    limits = limits_of(dtype, inputs, **arguments) if limits is None else limits
    assert theirs.shape == exact.shape and theirs.dtype == exact.dtype and theirs.size
    bounds = {name: np.ascontiguousarray(gather(limit)) for name, limit in limits.items()}
    return refpos.compare(theirs, exact, bounds=bounds).classes[CLASS[dtype]].met


def assert_all(name, equal, wanted=NUMBER):
    print(f"{name}: {equal} of {wanted}")
    assert equal == wanted


def of_window(height, width):
    return lambda table: refpos.window_bias(table.reshape(-1, table.shape[-1]), height, width, **WINDOW)


def weights_of(lines, norms=()):
    """The arguments that lines and norms of torch stand for; a norm without a bias has zeros."""

    def both(weight_name, bias_name, parts):
        weights = [part.weight if hasattr(part, "weight") else part.gamma for part in parts]
        biases = [w * 0 if getattr(p, "bias", None) is None else p.bias for w, p in zip(weights, parts, strict=True)]
        return {weight_name: torch.stack(weights), bias_name: torch.stack(biases)}

    first, *middle, last = lines
    found = {"weight_in": first.weight, "bias_in": first.bias, "weight_out": last.weight, "bias_out": last.bias,
             **(both("weights", "biases", middle) if middle else {}),
             **(both("norm_weights", "norm_biases", norms) if norms else {})}  # fmt: skip
    return {name: None if one is None else one.detach().numpy() for name, one in found.items()}


def drawn(module):
    """The module with biases and norms drawn anew, so that none is 0 or 1."""
    for parameter in module.parameters():
        if parameter.ndim == 1:
            nn.init.normal_(parameter)
    return module


# -- x-transformers ---------------------------------------------------------------------------------------------------


def dynamic(rng, dtype, log, norm):
    """A module, and the arguments of its weights."""
    dim, heads, depth = (int(n) for n in rng.integers(1, 6, 3))
    module = drawn(DynamicPositionBias(dim, heads=heads, depth=depth, log_distance=log, norm=norm)).to(KINDS[dtype])
    lines = [one for one in module.modules() if isinstance(one, nn.Linear)]
    norms = [block[1] for block in module.mlp if norm and not isinstance(block, nn.Linear)]
    options = {"coordinates": "log" if log else "offset", "activation": "silu", "norm_eps": 1e-5 if norm else None}
    return module, weights_of(lines, norms), options


@pytest.mark.parametrize("norm", [False, True])
def test_x_transformers(norm, monkeypatch):
    monkeypatch.setattr(torch.Tensor, "float", lambda x: x.to(torch.get_default_dtype()))
    equal, rng = 0, np.random.default_rng(20 + norm)
    for n in range(NUMBER):
        if n % EACH == 0:
            dtype, log = list(KINDS)[n // EACH % 2], bool(rng.integers(0, 2))
            module, inputs, options = dynamic(rng, dtype, log, norm)
            limits = limits_of(dtype, inputs, size=12, **options)
            monkeypatch.setattr(torch, "get_default_dtype", lambda dtype=dtype: KINDS[dtype])
        keys = int(rng.integers(1, 13))
        queries = int(rng.integers(1, keys + 1))
        made = module(queries, keys)

        def gather(table, queries=queries, keys=keys, offset=0):
            return refpos.relative_bias(table, queries, keys, query_offset=keys - queries - offset, **ROW)

        equal += met(made, dtype, inputs, gather, middle(limits, [keys]), size=keys, **options)
    assert_all(f"x-transformers, norm {norm}", equal)


def test_mistakes_are_seen():
    rng = np.random.default_rng(22)
    module, inputs, options = dynamic(rng, "float32", True, False)
    made, options = module(4, 7), {**options, "size": 7}

    def gather(table, offset=3, sign="query-key"):
        return refpos.relative_bias(table, 4, 7, sign=sign, query_offset=offset)

    assert met(made, "float32", inputs, gather, **options)
    assert not met(made, "float32", inputs, lambda table: gather(table, 0), **options)  # queries from the first key on
    assert not met(made, "float32", inputs, lambda table: gather(table, 2), **options)  # offset i - 1
    assert not met(made, "float32", inputs, lambda table: gather(table, sign="key-query"), **options)
    assert not met(made, "float32", inputs, gather, **{**options, "coordinates": "offset"})
    assert not met(made, "float32", inputs, gather, **{**options, "activation": "relu"})


# -- Swin v2 ----------------------------------------------------------------------------------------------------------


def scores_of_swin(monkeypatch, module, size):
    """What the softmax of the module gets, whose queries are zeros: the biases alone."""
    heard, real = [], nn.functional.softmax
    monkeypatch.setattr(nn.functional, "softmax", lambda scores, dim: heard.append(scores) or real(scores, dim=dim))
    module.query.weight.data[:], module.query.bias.data[:] = 0, 0
    module(torch.ones(1, size[0] * size[1], module.all_head_size, dtype=module.query.weight.dtype))
    monkeypatch.undo()
    return heard[0][0]


@pytest.mark.parametrize("size, pretrained", [((3, 5), (0, 0)), ((8, 8), (0, 0)), ((4, 6), (8, 3)), ((1, 1), (0, 0))])
@pytest.mark.parametrize("dtype", KINDS)
def test_swinv2_of_transformers(size, pretrained, dtype, monkeypatch):
    module = swinv2.Swinv2SelfAttention(
        SimpleNamespace(qkv_bias=True, attention_probs_dropout_prob=0.0), 6, 3, size, pretrained
    ).to(KINDS[dtype])
    options = {"size": list(size), "coordinates": "swin-v2", "activation": "relu", "sigmoid": 16}
    trained = list(pretrained) if pretrained[0] else None
    if dtype == "float64":  # its coordinates stay those of float32
        own = refpos.relative.log_coordinates(*size, rule="swin-v2", pretrained=trained)
        assert abs(module.relative_coords_table[0].numpy() - own).max() < 1e-6
        module.relative_coords_table = torch.tensor(own)[None]
    made = scores_of_swin(monkeypatch, module, size)
    mlp = module.continuous_position_bias_mlp
    inputs = weights_of([mlp[0], mlp[2]])
    assert met(made, dtype, inputs, of_window(*size), pretrained=trained, **options)
    if size == (3, 5):
        assert not met(made, dtype, inputs, of_window(*size), **{**options, "sigmoid": None})
        assert not met(made, dtype, inputs, of_window(*size), pretrained=[8, 8], **options)
        turned = {**inputs, "weight_in": inputs["weight_in"][:, ::-1].copy()}
        assert not met(made, dtype, turned, of_window(*size), **options)


@pytest.mark.parametrize("mode", ["swin", "cr"])
def test_rel_pos_mlp_of_timm(mode):
    equal, rng, number = 0, np.random.default_rng(23), NUMBER // 5
    for n in range(number):
        dtype, size = list(KINDS)[n % 2], [int(one) for one in rng.integers(2, 7, 2)]
        heads, hidden = (int(one) for one in rng.integers(1, 7, 2))
        module = drawn(layers.RelPosMlp(size, heads, hidden, mode=mode)).to(KINDS[dtype]).eval()
        options = {"coordinates": "swin-v2", "sigmoid": 16} if mode == "swin" else {"coordinates": "log"}
        if dtype == "float64":  # its coordinates stay those of float32
            rule = "swin-v2" if mode == "swin" else "cr"
            module.rel_coords_log = torch.tensor(refpos.relative.log_coordinates(*size, rule=rule))
        inputs = weights_of([module.mlp.fc1, module.mlp.fc2])
        arguments = {"size": size, "activation": "relu", **options}
        equal += met(module.get_bias()[0], dtype, inputs, of_window(*size), **arguments)
    assert_all(f"timm, {mode}", equal, number)


@pytest.mark.parametrize("size", [(3, 5), (1, 1), (1, 4)])
def test_swin_v2_cr_of_timm(size):
    module = drawn(cr.WindowMultiHeadAttention(6, 3, size, meta_hidden_dim=9)).eval()
    inputs = weights_of([module.meta_mlp.fc1, module.meta_mlp.fc2])
    options = {"size": list(size), "coordinates": "log", "activation": "relu"}
    assert met(module._relative_positional_encodings()[0], "float32", inputs, of_window(*size), **options)


def test_a_window_of_one_cell_is_nan_in_timm():
    module = layers.RelPosMlp((1, 1), 2, 4, mode="swin").eval()
    assert torch.isnan(module.get_bias()).all()
    inputs = weights_of([module.mlp.fc1, module.mlp.fc2])
    ours = refpos.relative.distance_mlp([1, 1], **inputs, coordinates="swin-v2", activation="relu", sigmoid=16)
    assert np.isfinite(ours).all()


# -- CrossFormer ------------------------------------------------------------------------------------------------------


def crossformer(dim, heads):
    """The network of a layer of width dim, which its code divides by 4 twice: a line, then three times a norm, a
    rectifier and a line."""
    hidden = dim // 4 // 4
    outs = [hidden, hidden, heads]
    blocks = [nn.Sequential(nn.LayerNorm(hidden), nn.ReLU(), nn.Linear(hidden, out)) for out in outs]
    return nn.Sequential(nn.Linear(2, hidden), *blocks)


def test_crossformer():
    equal, rng = 0, np.random.default_rng(24)
    for n in range(NUMBER):
        if n % EACH == 0:
            dtype, heads = list(KINDS)[n // EACH % 2], int(rng.integers(1, 5))
            module = drawn(crossformer(16 * int(rng.integers(1, 5)), heads)).to(KINDS[dtype])
            lines = [one for one in module.modules() if isinstance(one, nn.Linear)]
            norms = [one for one in module.modules() if isinstance(one, nn.LayerNorm)]
            options = {"coordinates": "offset", "activation": "relu", "norm_eps": 1e-5}
            inputs = weights_of(lines, norms)
            limits = limits_of(dtype, inputs, size=[5, 6], **options)
        height, width = int(rng.integers(1, 6)), int(rng.integers(1, 7))
        axes = [torch.arange(1 - one, one, dtype=KINDS[dtype]) for one in (height, width)]
        table = module(torch.cartesian_prod(*axes))
        rows = refpos.relative.window_rows(height, width, sign="query-key")
        made = table.T[:, torch.tensor(rows)]
        size = [height, width]
        equal += met(made, dtype, inputs, of_window(*size), middle(limits, size), size=size, **options)
    assert_all("crossformer", equal)
    assert inputs["weight_in"].shape[0] * 16 in (16, 32, 48, 64)
