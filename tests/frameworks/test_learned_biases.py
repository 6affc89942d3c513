"""Scores of DeBERTa and SEW-D and biases of WavLM, LayoutLM and Mega beside real modules, judged by their classes."""

from functools import cache
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn
from transformers import DebertaConfig, DebertaV2Config, SEWDConfig

import refpos
from refpos import conformance

NUMBER = 200
WRONG = 30  # of them are tried with mistakes, too
KINDS = {"float32": torch.float32, "float64": torch.float64}
#: the class of programs that compute in each format
CLASS = {"float32": "sequence32", "float64": "sequence64"}


def hf(name):
    return import_module(f"transformers.models.{name}.modeling_{name}")


def array(tensor):
    return None if tensor is None else tensor.detach().numpy()


def met(name, theirs, dtype, inputs, **arguments):
    """Whether an array of torch is in the class of its arithmetic; expected values and bounds are of the same call."""
    theirs = array(theirs)
    exact = refpos.catalogue.find(name).function(**inputs, **arguments, dtype=dtype)
    limits = conformance.bounds(name, arguments, inputs, dtype)
    assert theirs.shape == exact.shape and theirs.dtype == exact.dtype and theirs.size
    bounds = {one: limit["output"] for one, limit in limits.items()}
    kind = CLASS[dtype] if CLASS[dtype] in bounds else dtype + "-angle"
    return refpos.compare(theirs, exact, bounds=bounds).classes[kind].met


def assert_all(name, equal):
    print(f"{name}: {equal} of {NUMBER}")
    assert equal == NUMBER


# -- DeBERTa ----------------------------------------------------------------------------------------------------------

TERMS = (["c2p", "p2c"], ["c2p"], ["p2c"])
ATTENTION = {"deberta": DebertaConfig, "deberta_v2": DebertaV2Config, "sew_d": SEWDConfig}


class Found(Exception):
    """Carries the scores out of a module."""


def scores_of(module, name, monkeypatch, *arguments, **more):
    """What a module hands to its softmax."""

    def softmax(scores, *_, **__):
        raise Found(scores)

    with monkeypatch.context() as patch:
        if name == "sew_d":
            patch.setattr(hf(name), "XSoftmax", SimpleNamespace(apply=softmax))
        else:
            patch.setattr(nn.functional, "softmax", softmax)
        with pytest.raises(Found) as found:
            module(*arguments, **more)
    return found.value.args[0]


def attention(name, rng, types, heads, dim, most, buckets, dtype):
    """A module of random weights, in evaluation."""
    shared = {"share_att_key": bool(rng.integers(0, 2))} if name != "deberta" else {}
    config = ATTENTION[name](
        hidden_size=heads * dim, num_attention_heads=heads, pos_att_type=types, relative_attention=True,
        max_relative_positions=most, position_buckets=buckets, max_position_embeddings=64, **shared,
    )  # fmt: skip
    module = hf(name).DisentangledSelfAttention(config).to(KINDS[dtype]).eval()
    for parameter in module.parameters():
        parameter.data = torch.tensor(rng.standard_normal(parameter.shape), dtype=KINDS[dtype])
    return module


def projected(module, name, table, types, shared):
    """Both tables as the module projects them, (heads, rows, dim); None for a term that it lacks."""
    if name == "deberta":
        projections = {"c2p": "pos_proj", "p2c": "pos_q_proj"}
    else:
        projections = {"c2p": "key_proj", "p2c": "query_proj"}
        projections = projections if shared else {term: f"pos_{layer}" for term, layer in projections.items()}
    heads = module.num_attention_heads
    made = [getattr(module, layer)(table) if term in types else None for term, layer in projections.items()]
    return [None if one is None else one.reshape(len(table), heads, -1).swapaxes(0, 1) for one in made]


def queries_keys(module, name, hidden):
    """Queries and keys, (batch, heads, tokens, dim)."""
    heads = module.num_attention_heads
    if name == "deberta":
        q, k, _ = module.transpose_for_scores(module.in_proj(hidden)).chunk(3, dim=-1)
        return q + module.transpose_for_scores(module.q_bias[None, None]), k
    made = (layer(hidden).reshape(*hidden.shape[:2], heads, -1) for layer in (module.query_proj, module.key_proj))
    return [part.swapaxes(1, 2) for part in made]


def random_scores(name, rng, dtype, monkeypatch, dims, types):
    """(scores of a real module, the arrays of the call of deberta_scores), of random sizes and weights."""
    heads, tokens, batch = (int(one) for one in rng.integers(1, (4, 12, 3)))
    most, buckets = int(rng.integers(8, 17)), 2 * int(rng.integers(2, 5)) if rng.integers(0, 3) else -1
    buckets = -1 if name == "deberta" else buckets
    module = attention(name, rng, types, heads, int(rng.choice(dims)), most, buckets, dtype)
    hidden = torch.tensor(rng.standard_normal((batch, tokens, module.all_head_size)), dtype=KINDS[dtype])
    span = buckets if buckets > 0 else most
    table = torch.tensor(rng.standard_normal((2 * span, module.all_head_size)), dtype=KINDS[dtype])
    pairs = np.arange(tokens)[:, None] - np.arange(tokens)
    mask, more = torch.ones(batch, 1, tokens, tokens), {}
    if name == "deberta":
        more = {"relative_pos": hf(name).build_relative_position(hidden, hidden)}
    theirs = scores_of(module, name, monkeypatch, hidden, mask, rel_embeddings=table, **more)
    if name == "deberta":  # it reads the middle of its table
        span, low = min(tokens, most), most - min(tokens, most)
        table = table[low : low + 2 * span]
    if buckets > 0:
        pairs = refpos.relative.log_buckets(pairs, rule="deberta", num_buckets=buckets, max_distance=most)
    rows = np.clip(pairs, -span, span - 1) + span
    tables = projected(module, name, table, types, getattr(module, "share_att_key", False))
    arrays = map(array, (*queries_keys(module, name, hidden), *tables))
    return theirs, dict(zip(("q", "k", "key_table", "query_table", "rows"), (*arrays, rows), strict=True))


def split(inputs):
    """(arrays, arguments that are None)."""
    arrays = {name: one for name, one in inputs.items() if one is not None}
    return arrays, {name: None for name, one in inputs.items() if one is None}


SCALING = {"deberta": "queries", "deberta_v2": "products", "sew_d": "products"}
#: the root of dim times the number of terms is an integer, so that a root in float32 is one in float64
SQUARES = {3: (3, 12, 27), 2: (2, 8, 18)}


@pytest.mark.parametrize("name", ATTENTION)
def test_scores_of_random_modules(name, monkeypatch):
    rng, equal = np.random.default_rng(1), 0
    for k in range(NUMBER):
        types, dtype = TERMS[k % 3], ("float32", "float64")[k // 3 % 2]
        dims = SQUARES[1 + len(types)] if dtype == "float64" else (1, 3, 4, 8, 16)
        theirs, inputs = random_scores(name, rng, dtype, monkeypatch, dims, types)
        arrays, absent = split(inputs)
        equal += met("deberta_scores", theirs, dtype, arrays, scaling=SCALING[name], **absent)
    assert_all(name, equal)


@pytest.mark.parametrize("name", ATTENTION)
def test_mistakes_in_scores_are_seen(name, monkeypatch):
    rng, seen = np.random.default_rng(2), 0
    while seen < 5:
        theirs, inputs = random_scores(name, rng, "float32", monkeypatch, (8,), TERMS[0])
        tokens = inputs["q"].shape[2]
        if tokens < 4:
            continue
        wrong = [
            {**inputs, "rows": np.ascontiguousarray(inputs["rows"].T)},  # key minus query
            {**inputs, "query_rows": np.ascontiguousarray(inputs["rows"].T)},  # p2c alone transposed
            {**inputs, "key_table": inputs["query_table"], "query_table": inputs["key_table"]},
            {**inputs, "q": 3**0.5 * inputs["q"], "query_table": 3**0.5 * inputs["query_table"]},  # 1 / sqrt(dim)
        ]
        assert met("deberta_scores", theirs, "float32", inputs, scaling=SCALING[name])
        for one in wrong:
            assert not met("deberta_scores", theirs, "float32", one, scaling=SCALING[name])
        seen += 1


@pytest.mark.parametrize("name", ["deberta_v2", "sew_d"])
def test_queries_and_keys_of_unequal_lengths(name, monkeypatch):
    """c2p alone takes them; with p2c the modules refuse, as their p2c has a row for each key."""
    rng = np.random.default_rng(3)
    for types, works in ((TERMS[1], True), (TERMS[0], False)):
        module = attention(name, rng, types, 2, 4, 9, 4, "float32")
        hidden, table = (torch.tensor(rng.standard_normal((*n, 8)), dtype=torch.float32) for n in ((2, 5), (8,)))
        call = hidden, torch.ones(2, 1, 3, 5)
        options = {"query_states": hidden[:, :3], "rel_embeddings": table}
        if not works:
            with pytest.raises(RuntimeError):
                module(*call, **options)
            continue
        theirs = scores_of(module, name, monkeypatch, *call, **options)
        pairs = np.arange(3)[:, None] - np.arange(5)
        rows = np.clip(refpos.relative.log_buckets(pairs, rule="deberta", num_buckets=4, max_distance=9), -4, 3) + 4
        q, k = (array(part) for part in queries_keys(module, name, hidden))
        key_table = array(projected(module, name, table, types, module.share_att_key)[0])
        inputs = {"q": q[:, :, :3], "k": k, "key_table": key_table, "rows": rows}
        assert met("deberta_scores", theirs, "float32", inputs, scaling="products", query_table=None)


def test_p2c_reads_the_transposed_pair(monkeypatch):
    """Distances of the caller that are not those of positions: p2c has minus that of the transposed pair."""
    rng, equal = np.random.default_rng(4), 0
    for _ in range(NUMBER):
        module = attention("deberta_v2", rng, TERMS[0], 2, 4, 9, 4, "float32")
        tokens = int(rng.integers(2, 7))
        hidden, table = (torch.tensor(rng.standard_normal((*n, 8)), dtype=torch.float32) for n in ((1, tokens), (8,)))
        pairs = rng.integers(-6, 7, (tokens, tokens))
        theirs = scores_of(module, "deberta_v2", monkeypatch, hidden, torch.ones(1, 1, tokens, tokens),
                           relative_pos=torch.from_numpy(pairs)[None], rel_embeddings=table)  # fmt: skip
        rows, query_rows = np.clip(pairs, -4, 3) + 4, np.clip(-pairs.T, -4, 3) + 4
        tables = projected(module, "deberta_v2", table, TERMS[0], module.share_att_key)
        arrays = map(array, (*queries_keys(module, "deberta_v2", hidden), *tables))
        inputs = dict(zip(("q", "k", "key_table", "query_table"), arrays, strict=True))
        equal += met("deberta_scores", theirs, "float32", {**inputs, "rows": rows, "query_rows": query_rows},
                     scaling="products")  # fmt: skip
    assert_all("rows of the caller", equal)


def test_buckets_and_distance_exchanged():
    """p2c of DeBERTa v2 where queries and keys differ in number, and SEW-D, which has the right order."""
    rng, equal, v2 = np.random.default_rng(5), 0, hf("deberta_v2")
    for _ in range(NUMBER):
        buckets, queries = 2 * int(rng.integers(2, 60)), int(rng.integers(1, 4))
        most, keys = int(rng.integers(buckets, 5 * buckets)), int(rng.integers(queries + 1, 160))
        if most // 2 == buckets - 1:
            most += 2
        layers = torch.zeros(1, queries, 1), torch.zeros(1, keys, 1)
        theirs = v2.build_rpos(*layers, None, most, buckets)[0]  # as its one call has them: distance, then buckets
        theirs = torch.clamp(theirs + buckets, 0, 2 * buckets - 1)
        pairs = np.arange(keys)[:, None] - np.arange(keys)
        ours = refpos.relative.log_buckets(pairs, rule="deberta_exchanged", num_buckets=buckets, max_distance=most)
        np.testing.assert_array_equal(np.clip(ours + buckets, 0, 2 * buckets - 1), theirs)
        equal += 1
    assert_all("exchanged", equal)


def test_a_root_in_float32_leaves_the_class_of_float64(monkeypatch):
    theirs, inputs = random_scores("deberta", np.random.default_rng(6), "float64", monkeypatch, (64,), TERMS[0])
    assert not met("deberta_scores", theirs, "float64", inputs, scaling="queries")


# -- WavLM ------------------------------------------------------------------------------------------------------------


@cache
def wavlm(heads, dim, buckets, most, dtype):
    return hf("wavlm").WavLMAttention(heads * dim, heads, num_buckets=buckets, max_distance=most).to(KINDS[dtype])


def gated(rng, dtype, monkeypatch):
    """(the gated bias of WavLM, the arrays of the call of gated_bias)."""
    heads, dim, tokens, batch = (int(one) for one in rng.integers(1, (4, 7, 9, 3)))
    module = wavlm(heads, dim, 8, 20, dtype)
    for parameter in module.parameters():
        parameter.data = torch.tensor(rng.standard_normal(parameter.shape), dtype=KINDS[dtype])
    hidden = torch.tensor(rng.standard_normal((batch, tokens, heads * dim)), dtype=KINDS[dtype])

    def attend(states, mask, bias):
        raise Found(bias)

    with monkeypatch.context() as patch:
        patch.setattr(module, "torch_multi_head_self_attention", attend)
        with pytest.raises(Found) as found:
            module(hidden)
    table, line = array(module.rel_attn_embed.weight), module.gru_rel_pos_linear
    bias = refpos.t5_bias(table, tokens, tokens, bidirectional=True, max_distance=20)
    np.testing.assert_array_equal(bias, array(module.compute_bias(tokens, tokens)))
    parts = map(array, (hidden.reshape(batch, tokens, heads, dim).swapaxes(1, 2), line.weight, line.bias))
    inputs = dict(zip(("hidden", "weight", "weight_bias"), parts, strict=True))
    inputs |= {"bias": bias, "constant": array(module.gru_rel_pos_const).reshape(-1)}
    return found.value.args[0].reshape(batch, heads, tokens, tokens), inputs


def test_gates_of_wavlm(monkeypatch):
    rng, equal = np.random.default_rng(7), 0
    for k in range(NUMBER):
        dtype = ("float32", "float64")[k % 2]
        theirs, inputs = gated(rng, dtype, monkeypatch)
        equal += met("gated_bias", theirs, dtype, inputs)
        if k >= WRONG:
            continue
        one = {**inputs, "constant": np.ones_like(inputs["constant"])}
        assert not met("gated_bias", theirs, dtype, one), "a constant of 1 is not that of the module"
    assert_all("wavlm", equal)


# -- LayoutLM ---------------------------------------------------------------------------------------------------------


LAYOUT = {
    "layoutlmv2": ("LayoutLMv2Encoder", "LayoutLMv2SelfAttention"),
    "layoutlmv3": ("LayoutLMv3Encoder", "LayoutLMv3SelfAttention"),
}


def layout(rng, name, dtype, monkeypatch, whole=False):
    """(the bias that the attention of LayoutLM v2 or v3 adds, the arrays and arguments of the call of layout_bias)."""
    heads, tokens, batch, width = (int(one) for one in rng.integers(1, (4, 9, 3, 20)))
    buckets, box_buckets = ((32, 64), (16, 32), (64, 128))[rng.integers(0, 3)]
    config = SimpleNamespace(
        rel_pos_bins=buckets, max_rel_pos=4 * buckets, rel_2d_pos_bins=box_buckets, max_rel_2d_pos=4 * box_buckets,
        num_attention_heads=heads, hidden_size=heads * width, has_relative_attention_bias=True,
        has_spatial_attention_bias=True, num_hidden_layers=0, attention_probs_dropout_prob=0.0, fast_qkv=False,
    )  # fmt: skip
    short, parts = name == "layoutlmv3", [getattr(hf(name), part) for part in LAYOUT[name]]
    encoder = parts[0](config).to(KINDS[dtype])
    tables = [encoder.rel_pos_bias, encoder.rel_pos_x_bias, encoder.rel_pos_y_bias]
    for k, table in enumerate(tables):
        values = rng.integers(0, 100, table.weight.shape) * 100**k if whole else rng.standard_normal(table.weight.shape)
        table.weight.data = torch.tensor(values, dtype=KINDS[dtype])
    boxes = np.sort(rng.integers(0, 1001, (batch, tokens, 2, 2)), axis=2).reshape(batch, tokens, 4)
    places = rng.integers(0, 500, (batch, tokens))
    line, page = ("_cal_1d_pos_emb", "_cal_2d_pos_emb") if short else (
        "_calculate_1d_position_embeddings", "_calculate_2d_position_embeddings")  # fmt: skip
    biases = getattr(encoder, line)(torch.from_numpy(places)), getattr(encoder, page)(torch.from_numpy(boxes))
    module = parts[1](config).to(KINDS[dtype])
    for parameter in module.parameters():
        parameter.data.zero_()  # so that the scores are the bias

    def softmax(scores, *_, **__):
        raise Found(scores)

    with monkeypatch.context() as patch:
        if short:
            patch.setattr(module, "cogview_attention", softmax)
        else:
            patch.setattr(nn.functional, "softmax", softmax)
        with pytest.raises(Found) as found:
            hidden, mask = (
                torch.zeros(batch, tokens, heads * width, dtype=KINDS[dtype]),
                torch.zeros(batch, 1, 1, tokens),
            )
            module(hidden, attention_mask=mask, rel_pos=biases[0], rel_2d_pos=biases[1])
    inputs = dict(zip(("weight", "x_weight", "y_weight"), (array(table.weight).T for table in tables), strict=True))
    inputs |= {"position_ids": places, "boxes": boxes}
    distances = {"max_distance": 4 * buckets, "max_box_distance": 4 * box_buckets}
    return found.value.args[0], inputs, {"head_dim": width if short else None, **distances}


@pytest.mark.parametrize("name", ["layoutlmv2", "layoutlmv3"])
def test_biases_of_layoutlm(name, monkeypatch):
    rng, equal = np.random.default_rng(8), 0
    for k in range(NUMBER):
        dtype = "float32" if name == "layoutlmv2" else ("float32", "float64")[k % 2]  # v2 has its softmax in float32
        theirs, inputs, arguments = layout(rng, name, dtype, monkeypatch)
        equal += met("layout_bias", theirs, dtype, inputs, **arguments)
        if inputs["boxes"].shape[1] < 5 or k >= WRONG:
            continue
        upper = {**inputs, "boxes": inputs["boxes"][..., [0, 3, 2, 1]]}
        turned = {**inputs, "boxes": -inputs["boxes"], "position_ids": -inputs["position_ids"]}
        for one in (upper, turned):
            assert not met("layout_bias", theirs, dtype, one, **arguments)
        other = None if name == "layoutlmv3" else 16
        if arguments["head_dim"] != 1:
            assert not met("layout_bias", theirs, dtype, inputs, **{**arguments, "head_dim": other})
    assert_all(name, equal)


def test_rows_of_layoutlm_are_equal(monkeypatch):
    """Tables of integers, whose sums are exact."""
    rng, equal = np.random.default_rng(9), 0
    for _ in range(NUMBER):
        theirs, inputs, arguments = layout(rng, "layoutlmv2", "float32", monkeypatch, whole=True)
        np.testing.assert_array_equal(refpos.relative.layout_bias(**inputs, **arguments), array(theirs))
        equal += 1
    assert_all("layoutlmv2, integers", equal)


# -- Mega -------------------------------------------------------------------------------------------------------------


def mega(alpha, beta, length, dtype):
    """The rotary bias as transformers 4.40.2 computes it, its frequencies by an exponential in float32."""
    half = alpha.shape[1] // 2
    rates = torch.exp(torch.arange(half, dtype=KINDS[dtype]) * -(np.log(10000) / half))
    angles = torch.arange(length, dtype=KINDS[dtype])[:, None] * rates
    turned = []
    for vector in (alpha, beta):
        first, second = torch.tensor(vector, dtype=KINDS[dtype]).expand(length, -1).chunk(2, dim=-1)
        cos, sin = angles.cos(), angles.sin()
        turned.append(torch.cat([first * cos - second * sin, second * cos + first * sin], dim=1))
    return torch.einsum("mk,nk->mn", *turned)[None]


def test_rotary_bias_of_mega():
    rng, equal = np.random.default_rng(10), 0
    for k in range(NUMBER):
        dtype, dim, length = ("float32", "float64")[k % 2], 2 * int(rng.integers(1, 9)), int(rng.integers(1, 13))
        alpha, beta = rng.standard_normal((2, 1, dim)).astype(np.float32)
        theirs = mega(alpha, beta, length, dtype)
        inputs, sizes = {"alpha": alpha, "beta": beta}, {"query_len": length, "key_len": length}
        equal += met("rotary_bias", theirs, dtype, inputs, **sizes)
        if length > 2 and dim > 2 and k < WRONG:
            turned = {"alpha": beta, "beta": alpha}
            pairs = {name: one.reshape(-1, 2).T.reshape(1, -1) for name, one in inputs.items()}
            for wrong in (turned, pairs):
                assert not met("rotary_bias", theirs, dtype, wrong, **sizes)
    assert_all("mega", equal)
