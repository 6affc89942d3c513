"""Attention of torch, onnxruntime and tiny modules of transformers, judged by the bounds of `refpos.attention`."""

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from onnx import TensorProto, helper
from torch.nn.attention.bias import causal_lower_right
from transformers import (
    BeitConfig,
    BloomConfig,
    Gemma2Config,
    LlamaConfig,
    MptConfig,
    Swinv2Config,
    T5Config,
)
from transformers.models.beit.modeling_beit import BeitAttention, BeitRelativePositionBias
from transformers.models.bloom.modeling_bloom import BloomAttention
from transformers.models.gemma2.modeling_gemma2 import Gemma2Attention
from transformers.models.llama.modeling_llama import LlamaAttention, apply_rotary_pos_emb
from transformers.models.mpt.modeling_mpt import MptAttention
from transformers.models.swinv2.modeling_swinv2 import Swinv2SelfAttention
from transformers.models.t5.modeling_t5 import T5Attention

import refpos
from refpos import conformance

KINDS = {"float32": torch.float32, "float64": torch.float64}
#: the class of programs that compute in each format
CLASS = {"float32": "sequence32", "float64": "sequence64"}
CONFIGURATIONS = 240
INF = float("inf")
SDPA = torch.nn.functional.scaled_dot_product_attention


def within(found, inputs, kind, **options):
    """Whether results by name, of a program of that class, are within their bounds; which is not is printed."""
    names = list(found)
    dtype = next(iter(found.values())).dtype.name
    inputs = {name: array for name, array in inputs.items() if array is not None}
    exact = refpos.attention(**inputs, **options, outputs=names, dtype=dtype)
    limits = conformance.bounds("attention", {**options, "outputs": names}, inputs, dtype)
    met = []
    for name, ours in zip(names, exact, strict=True):
        bounds = {one: limit[name] for one, limit in limits.items()}
        assert found[name].shape == ours.shape and found[name].size
        report = refpos.compare(found[name], ours, bounds=bounds)
        met.append(report.classes[kind].met)
        if not met[-1]:
            print(name, report)
    return all(met)


def numbers(*shape, seed, dtype="float32", size=1.0):
    """Numbers that both formats hold."""
    return (np.random.default_rng(seed).standard_normal(shape) * size).astype(np.float32).astype(dtype)


# -- torch ------------------------------------------------------------------------------------------------------------


def configuration(rng, dtype):
    """(inputs of refpos, options of refpos, options of torch) at random."""
    groups, group, batch = (int(n) for n in rng.integers(1, [3, 4, 3]))
    queries, keys = (int(n) for n in rng.choice([1, 2, 3, 5, 8, 17, 40], 2))
    dim, channels = (int(n) for n in rng.choice([1, 3, 4, 7, 8, 16, 33], 2))
    size, seed = float(rng.choice([0.1, 1, 5])), int(rng.integers(1 << 30))
    shape, (q, k, v) = (
        (batch, groups * group, queries, keys),
        (
            numbers(batch, heads, length, width, seed=seed + j, dtype=dtype, size=size)
            for j, (heads, length, width) in enumerate(
                ((groups * group, queries, dim), (groups, keys, dim), (groups, keys, channels))
            )
        ),
    )
    inputs, options, theirs = {"q": q, "k": k, "v": v}, {}, {"enable_gqa": True}
    if rng.random() < 0.3:
        options["scale"] = theirs["scale"] = float(rng.choice([1.0, 0.1, 0.7]))
    kind = rng.choice(["none", "causal", "lower", "mask", "bias", "infinite"])
    if kind == "causal":
        options["causal"], theirs["is_causal"] = "upper-left", True
    elif kind == "lower" and queries <= keys:
        options["causal"], theirs["attn_mask"] = "lower-right", causal_lower_right(queries, keys)._materialize("cpu")
    elif kind == "mask":
        inputs["mask"] = rng.random(shape if rng.random() < 0.5 else (batch, 1, queries, keys)) < rng.choice([0.2, 0.8])
        theirs["attn_mask"] = torch.tensor(inputs["mask"])
    elif kind in ("bias", "infinite"):
        bias = numbers(*(shape if rng.random() < 0.5 else shape[-2:]), seed=seed + 3, dtype=dtype, size=2)
        bias = np.where((rng.random(bias.shape) < 0.3) & (kind == "infinite"), -INF, bias).astype(dtype)
        inputs["bias"], theirs["attn_mask"] = bias, torch.tensor(bias)
    return inputs, options, theirs


@pytest.mark.parametrize("dtype", KINDS)
def test_scaled_dot_product_attention_of_torch(dtype):
    rng, met, empty, unequal = np.random.default_rng(11), 0, 0, 0
    for _ in range(CONFIGURATIONS // 2):
        inputs, options, theirs = configuration(rng, dtype)
        q, k, v = (torch.tensor(inputs[name]) for name in "qkv")
        found = {"output": SDPA(q, k, v, **theirs).numpy()}
        met += within(found, inputs, CLASS[dtype], **options)
        counts = inputs.get("mask", inputs.get("bias", np.zeros(1)) > -INF)
        empty += not counts.any(-1).all()
        unequal += q.shape[-2] != k.shape[-2]
    print(f"{met} of {CONFIGURATIONS // 2}, {empty} of them with a query that no key counts for")
    assert met == CONFIGURATIONS // 2 and empty > 5 and unequal > 50


@pytest.mark.parametrize("dtype", KINDS)
def test_mistakes_are_told_apart_from_torch(dtype):
    q, k, v = (numbers(2, 4, n, 8, seed=n, dtype=dtype) for n in (6, 9, 10))
    k, v = k[..., :9, :], v[..., :9, :]
    bias = numbers(4, 6, 9, seed=3, dtype=dtype)
    found = {"output": SDPA(*map(torch.tensor, (q, k, v)), attn_mask=torch.tensor(bias)).numpy()}
    inputs = {"q": q, "k": k, "v": v, "bias": bias}
    assert within(found, inputs, CLASS[dtype])
    assert not within(found, inputs, CLASS[dtype], scale=32**-0.5)  # the width of the model
    assert not within(found, inputs, CLASS[dtype], scale=1)
    assert not within(found, {**inputs, "bias": bias / np.sqrt(8).astype(dtype)}, CLASS[dtype])  # before the scale
    assert not within(found, {**inputs, "bias": bias.swapaxes(0, 1)[:4, :4].repeat(3, 1)[:, :6]}, CLASS[dtype])
    found = {"output": SDPA(*map(torch.tensor, (q, k, v)), is_causal=True).numpy()}
    del inputs["bias"]
    assert within(found, inputs, CLASS[dtype], causal="upper-left")
    assert not within(found, inputs, CLASS[dtype], causal="lower-right")
    grouped = {**inputs, "k": k[:, :2], "v": v[:, :2]}
    tensors = [torch.tensor(grouped[name]) for name in "qkv"]
    found = {"output": SDPA(*tensors, enable_gqa=True).numpy()}
    assert within(found, grouped, CLASS[dtype])
    tiled = {name: np.tile(grouped[name], (1, 2, 1, 1)) for name in "kv"}  # 0 1 0 1 in place of 0 0 1 1
    assert not within(found, {**grouped, **tiled}, CLASS[dtype])


def test_what_torch_does_with_nan_at_a_masked_key():
    """It lets NaN through (pytorch/pytorch#101967); here a key that does not count takes no part."""
    q, k, v = (numbers(1, 3, 4, seed=n) for n in (1, 2, 3))
    mask = np.array([True, True, False])
    clean = refpos.attention(q, k, v, mask=mask)
    k[:, 2], v[:, 2] = np.nan, INF
    theirs = SDPA(*map(torch.tensor, (q, k, v)), attn_mask=torch.tensor(mask).expand(3, 3))
    assert torch.isnan(theirs).any()
    assert np.array_equal(refpos.attention(q, k, v, mask=mask), clean)


# -- onnxruntime ------------------------------------------------------------------------------------------------------


def onnx_attention(feeds, **attributes):
    """Y of a graph of one Attention of opset 23."""
    kinds = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(bool): TensorProto.BOOL}
    given = [helper.make_tensor_value_info(name, kinds[array.dtype], array.shape) for name, array in feeds.items()]
    node = helper.make_node("Attention", list(feeds), ["Y"], **attributes)
    made = [helper.make_tensor_value_info("Y", TensorProto.FLOAT, [None] * 4)]
    graph = helper.make_graph([node], "attention", given, made)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    onnx.checker.check_model(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)[0]


@pytest.mark.parametrize(
    ("queries", "keys", "heads", "groups"), [(3, 5, 4, 2), (4, 4, 2, 2), (5, 3, 2, 1), (1, 7, 6, 3)]
)
def test_attention_of_onnxruntime(queries, keys, heads, groups):
    q, k, v = (
        numbers(2, heads, queries, 8, seed=1),
        numbers(2, groups, keys, 8, seed=2),
        numbers(2, groups, keys, 6, seed=3),
    )
    mask = np.random.default_rng(4).random((2, 1, queries, keys)) < 0.6
    mask[0, 0, 0] = False  # a query that no key counts for
    bias = numbers(2, heads, queries, keys, seed=5)
    bias[..., 1:][bias[..., 1:] < -1] = -INF  # softcap must come before it: of -infinity it would make -softcap
    inputs, feeds = {"q": q, "k": k, "v": v}, {"Q": q, "K": k, "V": v}
    compared = 0
    for theirs, ours, more in (
        ({}, {}, {}),
        ({"scale": 0.3}, {"scale": float(np.float32(0.3))}, {}),
        ({"softcap": 0.5}, {"softcap": 0.5}, {}),
        ({"is_causal": 1}, {"causal": "upper-left"}, {}),
        ({}, {}, {"mask": mask}),
        ({}, {}, {"bias": bias}),
        ({"softcap": 0.5}, {"softcap": 0.5}, {"bias": bias}),
        ({"softcap": 0.5}, {"softcap": 0.5}, {"mask": mask}),
    ):
        found = onnx_attention({**feeds, **dict(zip("M" * len(more), more.values(), strict=True))}, **theirs)
        assert within({"output": found}, {**inputs, **more}, "sequence32", **ours), (theirs, list(more))
        compared += 1
    assert compared == 8
    if queries != keys:  # the text of onnx 1.23 says lower-right for this operator
        found = onnx_attention(feeds, is_causal=1)
        assert not within({"output": found}, inputs, "sequence32", causal="lower-right")


# -- modules of transformers ------------------------------------------------------------------------------------------


def made(kind, *args, dtype, **more):
    """A module with random weights, in the format, that drops nothing and computes its softmax as it is written."""
    torch.manual_seed(7)
    for config in args:
        if hasattr(config, "_attn_implementation"):
            config._attn_implementation = "eager"
    module = kind(*args, **more).to(KINDS[dtype]).eval()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return module


def untouched(line):
    """The last line of a module as one that changes nothing."""
    line.weight.data[:] = torch.eye(len(line.weight))
    if line.bias is not None:
        line.bias.data[:] = 0


def hidden(length, width, dtype, batch=2):
    return torch.tensor(numbers(batch, length, width, seed=8, dtype=dtype))


def split(x, heads):
    """(batch, length, heads * dim) as (batch, heads, length, dim)."""
    return x.view(*x.shape[:-1], heads, -1).transpose(1, 2)


def merged(x):
    """(batch, heads, length, dim) of NumPy as modules give it back."""
    return np.ascontiguousarray(x.detach().numpy())


def results(output, weights, heads):
    """The arrays to compare; the output by heads again."""
    return {"output": merged(split(output, heads)), "weights": merged(weights)}


def bare(*tensors):
    return [tensor.detach().numpy() for tensor in tensors]


def after_the_query(length, dtype):
    """What modules add to scores to hide the keys after a query."""
    above = torch.full((length, length), torch.finfo(KINDS[dtype]).min, dtype=KINDS[dtype]).triu(1)
    return above[None, None]


@pytest.mark.parametrize("dtype", KINDS)
def test_bloom(dtype):
    """ALiBi from the first key, beside 1 / sqrt(head_dim); softmax in float32 whatever the module computes in."""
    module = made(BloomAttention, BloomConfig(hidden_size=18, n_head=3), layer_idx=0, dtype=dtype)
    untouched(module.dense)
    x = hidden(7, 18, dtype)
    q, k, v = bare(*module._reshape(module.query_key_value(x)))
    alibi = refpos.alibi(3, 1, 7, anchor="key", mode="linear", dtype=dtype)  # (heads, 1, keys)
    theirs = torch.tensor(np.tile(alibi, (2, 1, 1)))
    output, weights = module(x, torch.zeros_like(x), theirs, after_the_query(7, dtype), output_attentions=True)[:2]
    inputs = {"q": q, "k": k, "v": v, "bias": alibi}
    found = results(output, weights, 3)
    assert within(found, inputs, "sequence32", causal="lower-right")
    # softmax is blind to what is the same for all keys of a query
    paper = {**inputs, "bias": refpos.alibi(3, 7, 7, mode="linear", dtype=dtype)}
    assert within(found, paper, "sequence32", causal="lower-right")
    assert not within(found, inputs, "sequence32", causal="lower-right", scale=18**-0.5)
    assert not within(found, {**inputs, "bias": -alibi}, "sequence32", causal="lower-right")


@pytest.mark.parametrize("dtype", KINDS)
def test_mpt(dtype):
    module = made(MptAttention, MptConfig(d_model=20, n_heads=5), dtype=dtype)
    untouched(module.out_proj)
    x = hidden(6, 20, dtype)
    q, k, v = bare(*(split(part, 5) for part in module.Wqkv(x).chunk(3, dim=2)))
    alibi = refpos.alibi(5, 1, 6, anchor="last", mode="linear", convention="recursive", dtype=dtype)
    mask = torch.ones(1, 1, 6, 6, dtype=torch.bool).triu(1)
    output, weights = module(x, torch.tensor(alibi), attention_mask=mask)[:2]
    inputs = {"q": q, "k": k, "v": v, "bias": alibi}
    assert within(results(output, weights, 5), inputs, "sequence32", causal="upper-left")
    assert not within(results(output, weights, 5), {**inputs, "bias": None}, "sequence32", causal="upper-left")


@pytest.mark.parametrize("decoder", [False, True])
@pytest.mark.parametrize("dtype", KINDS)
def test_t5(dtype, decoder):
    """No scale; buckets of distances read a table, before which nothing is multiplied."""
    config = T5Config(d_model=24, d_kv=5, num_heads=3, is_decoder=decoder, dropout_rate=0.0)
    module = made(T5Attention, config, has_relative_attention_bias=True, layer_idx=0, dtype=dtype)
    module.o = torch.nn.Identity()
    x = hidden(40, 24, dtype)
    q, k, v = bare(*(split(line(x), 3) for line in (module.q, module.k, module.v)))
    table = module.relative_attention_bias.weight.detach().numpy()
    bias = refpos.t5_bias(table, 40, 40, bidirectional=not decoder)
    mask = after_the_query(40, dtype) if decoder else None
    output = module(x, mask=mask)[0]
    found = {"output": merged(split(output, 3))}
    inputs = {"q": q, "k": k, "v": v, "bias": bias}
    causal = {"causal": "upper-left"} if decoder else {}
    assert within(found, inputs, CLASS[dtype], scale=1, **causal)
    assert not within(found, inputs, CLASS[dtype], **causal)
    wrong = refpos.t5_bias(table, 40, 40, bidirectional=decoder)
    assert not within(found, {**inputs, "bias": wrong}, CLASS[dtype], scale=1, **causal)


@pytest.mark.parametrize("dtype", KINDS)
def test_llama(dtype):
    """Rotary on queries and keys, 6 heads that share 2 of keys."""
    config = LlamaConfig(hidden_size=48, num_attention_heads=6, num_key_value_heads=2)
    module = made(LlamaAttention, config, layer_idx=0, dtype=dtype)
    untouched(module.o_proj)
    x = hidden(9, 48, dtype)
    frequencies = refpos.inverse_frequencies(8, base=10000)
    halves = refpos.rope_table(9, frequencies, dtype=dtype)
    cos, sin = (torch.tensor(np.tile(half, 2))[None] for half in halves)
    output, weights = module(x, (cos, sin), after_the_query(9, dtype))
    q, k, v = (split(line(x), heads) for line, heads in ((module.q_proj, 6), (module.k_proj, 2), (module.v_proj, 2)))
    turned = bare(*apply_rotary_pos_emb(q, k, cos, sin))
    for own, theirs in zip(bare(q, k), turned, strict=True):
        ours = refpos.rope(own, 9, pairing="half", frequencies=frequencies)
        limits = conformance.bounds("rope", {"pairing": "half", "rotary_dim": 8}, {"x": own, "positions": 9}, dtype)
        report = refpos.compare(theirs, ours, bounds={name: limit["output"] for name, limit in limits.items()})
        assert report.classes["float64-angle" if dtype == "float64" else "float32-angle"].met, report
    inputs = dict(zip("qkv", (*turned, v.detach().numpy()), strict=True))
    found = results(output, weights, 6)
    assert within(found, inputs, "sequence32", causal="lower-right")
    plain = dict(zip("qk", bare(q, k), strict=True))
    assert not within(found, {**inputs, **plain}, "sequence32", causal="lower-right")


@pytest.mark.parametrize("dtype", KINDS)
def test_gemma2(dtype):
    """Scores over the root of query_pre_attn_scalar, then the cap, then the mask."""
    config = Gemma2Config(hidden_size=24, num_attention_heads=4, num_key_value_heads=2, head_dim=6, num_hidden_layers=2,
                          query_pre_attn_scalar=144, attn_logit_softcapping=0.75)  # fmt: skip
    module = made(Gemma2Attention, config, layer_idx=1, dtype=dtype)
    untouched(module.o_proj)
    x = hidden(8, 24, dtype) * 3
    still = torch.ones(1, 8, 6, dtype=KINDS[dtype]), torch.zeros(1, 8, 6, dtype=KINDS[dtype])
    output, weights = module(x, still, after_the_query(8, dtype))
    q, k, v = (split(line(x), heads) for line, heads in ((module.q_proj, 4), (module.k_proj, 2), (module.v_proj, 2)))
    inputs = dict(zip("qkv", bare(q, k, v), strict=True))
    found, options = results(output, weights, 4), {"causal": "upper-left", "scale": 144**-0.5}
    assert within(found, inputs, "sequence32", softcap=0.75, **options)
    assert not within(found, inputs, "sequence32", **options)
    assert not within(found, inputs, "sequence32", softcap=0.75, causal="upper-left")
    capped = np.tanh(refpos.attention(*inputs.values(), outputs="scores", **options) / 0.75) * 0.75
    wrong = np.exp(capped) / np.exp(capped).sum(-1, keepdims=True)  # the mask before the cap
    assert np.abs(wrong - found["weights"]).max() > 0.1


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("window", [(3, 5), (1, 4)])
def test_swin_v2(window, dtype):
    """Cosines times the exponential of a logit, at most 100, and 16 sigmoid of a table over a window."""
    module = made(Swinv2SelfAttention, Swinv2Config(), 12, 3, window, dtype=dtype)
    module.logit_scale.data[:] = torch.tensor([2.0, 4.7, -0.5])[:, None, None]
    height, width = window
    x = hidden(height * width, 12, dtype)
    output, weights = module(x, output_attentions=True)
    q, k, v = bare(*(split(line(x), 3) for line in (module.query, module.key, module.value)))
    table = module.continuous_position_bias_mlp(module.relative_coords_table).reshape(-1, 3)
    bias = refpos.window_bias(bare(16 * torch.sigmoid(table))[0], height, width, sign="query-key")
    inputs = {"q": q, "k": k, "v": v, "bias": bias, "cosine": bare(module.logit_scale)[0]}
    found = results(output, weights, 3)
    assert within(found, inputs, CLASS[dtype])
    assert not within(found, {**inputs, "cosine": np.full(3, 2.0)}, CLASS[dtype])
    assert not within(found, {**inputs, "cosine": None}, CLASS[dtype])
    assert not within(found, {**inputs, "bias": bias.swapaxes(1, 2)}, CLASS[dtype])


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("window", [(3, 3), (2, 4)])
def test_beit(window, dtype):
    """A table over a window with three rows for the class token, added after the scale."""
    config = BeitConfig(hidden_size=12, num_attention_heads=3, patch_size=1, image_size=window)
    module, table = made(BeitAttention, config, dtype=dtype), made(BeitRelativePositionBias, config, dtype=dtype)
    untouched(module.o_proj)
    height, width = window
    x = hidden(height * width + 1, 12, dtype)
    theirs = table(window)
    theirs = theirs if theirs.ndim == 4 else theirs[None]
    output, weights = module(x, theirs)
    q, k, v = bare(*(split(line(x), 3) for line in (module.q_proj, module.k_proj, module.v_proj)))
    inputs = {"q": q, "k": k, "v": v, "bias": bare(theirs)[0]}
    if height == width:  # of a rectangle it resizes a table that it reads the other way round
        weight = table.relative_position_bias_table.detach().numpy()
        inputs["bias"] = refpos.window_bias(weight, height, width, sign="query-key", class_token=True)
    found = results(output, weights, 3)
    assert within(found, inputs, "sequence32")
    assert not within(found, {**inputs, "bias": inputs["bias"].swapaxes(-1, -2)}, "sequence32")
