"""Scores and values with the vectors of distances beside the modules that read them.

With integers for weights and states every sum is exact in any order, and the numbers must be equal. With random
weights they must lie within the derived bound of the class, in double and in float.
"""

import math
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

import refpos
from refpos.conformance import bounds
from refpos.conformance.classes import FLOAT32, FLOAT64
from refpos.conformance.derivations import running_error

NUMBER = 200


def hf(name):
    return import_module(f"transformers.models.{name}.modeling_{name}")


def array(tensor):
    return tensor.detach().numpy().astype(np.float64)


class Draws:
    """Random sizes, and tensors of one of three kinds: integers, or reals in double or in float."""

    def __init__(self, seed, kind):
        self.rng, self.kind = np.random.default_rng(seed), kind
        self.dtype = torch.float32 if kind == "float" else torch.float64

    def size(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def dim(self):
        """A width of heads whose root is a power of two where numbers are whole."""
        return (1, 4, 16)[self.size(0, 2)] if self.kind == "whole" else self.size(1, 9)

    def tensor(self, *shape):
        drawn = self.rng.integers(-3, 4, shape) if self.kind == "whole" else self.rng.standard_normal(shape)
        return torch.tensor(drawn, dtype=self.dtype)

    def filled(self, module):
        """The module with weights of that kind."""
        module = module.to(self.dtype).eval()
        with torch.no_grad():
            for weight in module.parameters():
                weight.copy_(self.tensor(*weight.shape))
        return module


def softmax_inputs(monkeypatch, forward):
    """(what the softmaxes of a forward were given, what they returned, the result of the forward)."""
    given, returned, softmax = [], [], nn.functional.softmax

    def record(x, *args, **options):
        given.append(x.clone())
        returned.append(softmax(x, *args, **options))
        return returned[-1]

    with monkeypatch.context() as patched, torch.no_grad():
        patched.setattr(nn.functional, "softmax", record)
        result = forward()
    assert given
    return given, returned, result


def of_heads(x, heads):
    """(..., length, heads * dim) as (..., heads, length, dim)."""
    return x.unflatten(-1, (heads, -1)).transpose(-3, -2)


def clipped(queries, keys, sign, low, high, outside="clip", **options):
    return refpos.relative.relative_rows(queries, keys, sign=sign, low=low, high=high, outside=outside, **options)


# -- models: each returns the real scores, q, k, what is added to q . k as (x, table, rows, by), and the scale --------


def wav2vec2_bert(draws, monkeypatch):
    left, right, heads, dim, length = (draws.size(0, 6), draws.size(0, 6), draws.size(1, 3), draws.dim(),
                                       draws.size(1, 9))  # fmt: skip
    module = hf("wav2vec2_bert")
    config = import_module("transformers").Wav2Vec2BertConfig(
        hidden_size=heads * dim, num_attention_heads=heads, position_embeddings_type="relative_key",
        left_max_position_embeddings=left, right_max_position_embeddings=right, attn_implementation="eager",
    )  # fmt: skip
    layer = draws.filled(module.Wav2Vec2BertSelfAttention(config))
    x = draws.tensor(2, length, heads * dim)
    scores = softmax_inputs(monkeypatch, lambda: layer(x))[0][0]
    rows = clipped(length, length, "key-query", -left, right)
    q = of_heads(layer.linear_q(x), heads)
    parts = [(q, layer.distance_embedding.weight, rows, "query")]
    return scores, q, of_heads(layer.linear_k(x), heads), parts, dim**-0.5


def seamless_m4t_v2(draws, monkeypatch):
    left, right, heads, dim, length = (draws.size(0, 6), draws.size(0, 6), draws.size(1, 3), draws.dim(),
                                       draws.size(1, 9))  # fmt: skip
    config = import_module("transformers").SeamlessM4Tv2Config(
        hidden_size=heads * dim, speech_encoder_attention_heads=heads, position_embeddings_type="relative_key",
        left_max_position_embeddings=left, right_max_position_embeddings=right, attn_implementation="eager",
    )  # fmt: skip
    layer = draws.filled(hf("seamless_m4t_v2").SeamlessM4Tv2ConformerSelfAttention(config))
    x = draws.tensor(2, length, heads * dim)
    scores = softmax_inputs(monkeypatch, lambda: layer(x))[0][0]
    rows = clipped(length, length, "key-query", -left, right)
    q = of_heads(layer.linear_q(x), heads)
    parts = [(q, layer.distance_embedding.weight, rows, "query")]
    return scores, q, of_heads(layer.linear_k(x), heads), parts, dim**-0.5


def speecht5(draws, monkeypatch):
    most, heads, dim, length = draws.size(1, 6), draws.size(1, 3), draws.dim(), draws.size(1, 9)
    module = hf("speecht5")
    layer = draws.filled(module.SpeechT5Attention(heads * dim, heads))
    places = draws.filled(module.SpeechT5RelativePositionalEncoding(dim, most))
    x = draws.tensor(2, length, heads * dim)
    scores = softmax_inputs(monkeypatch, lambda: layer(x, position_bias=places(x)))[0][0].unflatten(0, (2, heads))
    rows = clipped(length, length, "query-key", -most, most - 1)
    q = of_heads(layer.q_proj(x) * layer.scaling, heads)
    return scores, q, of_heads(layer.k_proj(x), heads), [(q, places.pe_k.weight, rows, "query")], None


def vits_layer(draws):
    window, heads, dim, length = draws.size(1, 5), draws.size(1, 3), draws.dim(), draws.size(1, 12)
    config = import_module("transformers").VitsConfig(
        hidden_size=heads * dim, num_attention_heads=heads, window_size=window
    )
    layer = draws.filled(hf("vits").VitsAttention(config))
    rows = clipped(length, length, "key-query", -window, window, "zero")
    return layer, draws.tensor(2, length, heads * dim), rows, heads


def vits(draws, monkeypatch):
    layer, x, rows, heads = vits_layer(draws)
    scores = softmax_inputs(monkeypatch, lambda: layer(x))[0][0].unflatten(0, (2, heads))
    q = of_heads(layer.q_proj(x) * layer.scaling, heads)
    return scores, q, of_heads(layer.k_proj(x), heads), [(q, layer.emb_rel_k[0], rows, "query")], None


def inkling(draws, monkeypatch, name="inkling", cls="InklingRelativeLogits"):
    extent, start, queries, keys = (draws.size(1, 8) for _ in range(4))
    layer = draws.filled(getattr(hf(name), cls)(draws.dim(), extent))
    state = draws.tensor(2, queries, 3, layer.proj.shape[0])
    scores = layer(state, torch.arange(start, start + queries), torch.arange(keys))
    rows = clipped(queries, keys, "query-key", 0, extent - 1, "zero", query_offset=start)
    return scores, None, None, [(state.transpose(1, 2), layer.proj.T, rows, "query")], None


def inkling2(draws, monkeypatch):
    return inkling(draws, monkeypatch, "inkling2", "Inkling2RelativeLogits")


# -- formulas: of papers, and of code that transformers 5 no longer has -----------------------------------------------


def drawn_heads(draws, cached=False):
    """q and k of two sequences and some heads; cached: more keys than queries, which stand at the end."""
    heads, dim, queries = draws.size(1, 3), draws.dim(), draws.size(1, 8)
    keys = queries + (draws.size(0, 6) if cached else 0)
    return draws.tensor(2, heads, queries, dim), draws.tensor(2, heads, keys, dim)


def shaw(draws, monkeypatch):
    """Each query meets the sum of a key and the vector of its distance; one root of the width divides it."""
    q, k = drawn_heads(draws, cached=True)
    most, (queries, dim), keys = draws.size(1, 5), q.shape[-2:], k.shape[-2]
    table = draws.tensor(2 * most + 1, dim)
    place = torch.arange(keys - queries, keys)
    distance = torch.clamp(torch.arange(keys) - place[:, None], -most, most)
    scores = (q[..., :, None, :] * (k[..., None, :, :] + table[distance + most])).sum(-1) / math.sqrt(dim)
    rows = clipped(queries, keys, "key-query", -most, most, query_offset=keys - queries)
    return scores, q, k, [(q, table, rows, "query")], dim**-0.5


def music_transformer(draws, monkeypatch):
    """Products with the rows of distances 1 - L .. 0, a column of zeros in front, cut anew into rows."""
    q, k = drawn_heads(draws)
    length, dim = q.shape[-2:]
    table = draws.tensor(length, dim)
    skewed = nn.functional.pad(q @ table.T, (1, 0)).reshape(*q.shape[:2], length + 1, length)[..., 1:, :]
    scores = (q @ k.mT + torch.tril(skewed)) / math.sqrt(dim)
    rows = clipped(length, length, "key-query", 1 - length, 0, "zero")
    return scores, q, k, [(q, table, rows, "query")], dim**-0.5


def bert(draws, monkeypatch, both=False):
    """Rows by query minus key of one table; a query that follows a cache stands at the last key."""
    q, k = drawn_heads(draws)
    if draws.size(0, 1):
        q = q[..., -1:, :]
    (queries, dim), keys = q.shape[-2:], k.shape[-2]
    most = keys + draws.size(0, 3)
    table = draws.tensor(2 * most - 1, dim)
    place = torch.arange(keys)[keys - queries :]
    vectors = table[place[:, None] - torch.arange(keys) + most - 1]
    scores = q @ k.mT + torch.einsum("bhid,ijd->bhij", q, vectors)
    rows = clipped(queries, keys, "query-key", 1 - most, most - 1, "refuse", query_offset=keys - queries)
    parts = [(q, table, rows, "query")]
    if both:
        scores = scores + torch.einsum("bhjd,ijd->bhij", k, vectors)
        parts.append((k, table, rows, "key"))
    return scores / math.sqrt(dim), q, k, parts, dim**-0.5


def bert_key_query(draws, monkeypatch):
    return bert(draws, monkeypatch, both=True)


def mctct(draws, monkeypatch):
    """Products with the whole table, of which query i reads a window that begins at row M - 1 - i."""
    q, k = drawn_heads(draws)
    length, dim = q.shape[-2:]
    most = length + draws.size(0, 3)
    table, q = draws.tensor(2 * most - 1, dim), q / math.sqrt(dim)
    products = q @ table.T
    windows = [products[..., i, most - 1 - i : most - 1 - i + length] for i in range(length)]
    rows = clipped(length, length, "key-query", 1 - most, most - 1, "refuse")
    return q @ k.mT + torch.stack(windows, -2), q, k, [(q, table, rows, "query")], None


def nezha(draws, monkeypatch):
    """The vectors of a clipped distance on the keys; the root divides the sum."""
    q, k = drawn_heads(draws)
    most, (length, dim) = draws.size(1, 5), q.shape[-2:]
    table = draws.tensor(2 * most + 1, dim)
    place = torch.arange(length)
    vectors = table[torch.clamp(place - place[:, None], -most, most) + most]
    scores = (q @ k.mT + torch.einsum("bhid,ijd->bhij", q, vectors)) / math.sqrt(dim)
    return scores, q, k, [(q, table, clipped(length, length, "key-query", -most, most), "query")], dim**-0.5


def irpe_options(draws):
    grid = draws.size(1, 3), draws.size(1, 3)
    method = ("euclidean", "quant", "cross-rows", "product")[draws.size(0, 3)]
    ratio = draws.size(1, 3)
    options = {"alpha": ratio, "beta": 2 * ratio, "gamma": 8 * ratio}
    count = (4 * ratio + 1) ** (2 if method == "product" else 1)
    return grid, refpos.relative.irpe_rows(*grid, method=method, prefix=1, **options), count + 1


def irpe(draws, monkeypatch):
    """On keys the query meets the bucket of (query, key); on queries the key meets that of (key, query)."""
    (height, width), rows, buckets = irpe_options(draws)
    dim, heads = draws.dim(), draws.size(1, 3)
    q, k = (draws.tensor(2, heads, height * width + 1, dim) for _ in range(2))
    on_keys, on_queries = (draws.tensor(heads, dim, buckets) for _ in range(2))
    q, k = q * dim**-0.5, k * dim**-0.5
    read = torch.tensor(rows).expand(2, heads, -1, -1)
    scores = q @ (k * dim**0.5).mT + torch.gather(q @ on_keys, -1, read)
    scores = scores + torch.gather(k @ on_queries, -1, read).mT
    parts = [(q, on_keys.mT, rows, "query"), (k, on_queries.mT, rows.T, "key")]
    return scores, q, k * dim**0.5, parts, None


MODELS = [wav2vec2_bert, seamless_m4t_v2, speecht5, vits, inkling, inkling2]
FORMULAS = [shaw, music_transformer, bert, bert_key_query, mctct, nezha, irpe]
SCALES_EACH = (wav2vec2_bert, seamless_m4t_v2)


def expected(q, k, parts, scale):
    """The scores by refpos, and the products of queries and keys."""
    added = [refpos.scores.relative_scores(array(x), array(table), rows, by=by) for x, table, rows, by in parts]
    total = sum(added) if q is None else array(q) @ array(k).swapaxes(-1, -2) + sum(added)
    return total if scale is None else scale * total


def limits(q, k, parts, scale, each, fmt):
    """How far scores of a program in fmt may be off, from the bounds of its products and sums."""

    def read(x, table, rows, by):
        rows = rows if by == "query" else rows.T
        products = running_error.matmul(x, table)
        zero = np.zeros((*products.values.shape[:-1], 1))
        where = np.broadcast_to(rows, (*products.values.shape[:-2], *rows.shape))
        found = [np.take_along_axis(np.concatenate([one, zero], -1), where, -1) for one in products[:2]]
        return running_error.Bounded(*(one if by == "query" else one.swapaxes(-1, -2) for one in found), products.fmt)

    def sequence(arithmetic):
        def given(tensor):
            return running_error.from_input(array(tensor), arithmetic)

        terms = [] if q is None else [running_error.matmul(given(q), given(k.mT))]
        terms += [read(given(x), given(table.mT), rows, by) for x, table, rows, by in parts]
        factor = None if scale is None else running_error.from_input(scale, arithmetic)
        if each and factor is not None:
            terms = [running_error.multiply(term, factor) for term in terms]
        total = terms[0]
        for term in terms[1:]:
            total = running_error.add(total, term)
        return total if each or factor is None else running_error.multiply(total, factor)

    return running_error.limits(sequence, fmt)["sequence32" if fmt is FLOAT32 else "sequence64"]["output"]


@pytest.mark.parametrize("model", [*MODELS, *FORMULAS], ids=lambda model: model.__name__)
def test_scores_of_whole_numbers_are_equal(model, monkeypatch):
    draws, equal, outside = Draws(5, "whole"), 0, 0
    for _ in range(NUMBER):
        scores, q, k, parts, scale = model(draws, monkeypatch)
        np.testing.assert_array_equal(expected(q, k, parts, scale), array(scores))
        assert array(scores).size
        outside += any((rows < 0).any() for _, _, rows, _ in parts)
        equal += 1
    print(f"{model.__name__}: {equal} of {NUMBER}")
    assert equal == NUMBER and (outside > 0) == (model in (vits, inkling, inkling2, music_transformer))


@pytest.mark.parametrize("kind", ["double", "float"])
@pytest.mark.parametrize("model", [*MODELS, *FORMULAS], ids=lambda model: model.__name__)
def test_scores_of_random_weights_are_within_the_bound(model, kind, monkeypatch):
    draws, fmt, near = Draws(6, kind), FLOAT32 if kind == "float" else FLOAT64, 0
    for _ in range(20):
        scores, q, k, parts, scale = model(draws, monkeypatch)
        assert scores.dtype == draws.dtype
        off = np.abs(expected(q, k, parts, scale) - array(scores))
        limit = limits(q, k, parts, scale, model in SCALES_EACH, fmt)
        assert np.isfinite(limit).all() and (off <= limit).all(), (off.max(), limit.max())
        near += (off > 0).any()
    assert near  # roundings differ, so that the bound was needed


# -- values -----------------------------------------------------------------------------------------------------------


def value_limits(shares, table, rows, fmt):
    arguments = {"probabilities": shares, "weight": table, "rows": rows}
    return bounds("relative_values", {}, arguments, fmt.name)["sequence32" if fmt is FLOAT32 else "sequence64"][
        "output"
    ]


def test_values_of_vits_of_whole_numbers_are_equal():
    draws, equal = Draws(7, "whole"), 0
    for _ in range(NUMBER):
        layer, x, rows, heads = vits_layer(draws)
        length = x.shape[1]
        shares = draws.tensor(2 * heads, length, length)
        by_distance = layer._absolute_position_to_relative_position(shares)
        real = by_distance @ layer._get_relative_embeddings(layer.emb_rel_v, length)
        ours = refpos.scores.relative_values(array(shares), array(layer.emb_rel_v[0]), rows)
        np.testing.assert_array_equal(ours, array(real))
        equal += 1
    print(f"vits, values: {equal} of {NUMBER}")


@pytest.mark.parametrize("kind", ["double", "float"])
def test_output_of_vits_is_within_the_bound(kind, monkeypatch):
    """Values of its own are 0, and its last map copies: what is left are the vectors of distances."""
    draws, fmt, near = Draws(8, kind), FLOAT32 if kind == "float" else FLOAT64, 0
    for _ in range(20):
        layer, x, rows, heads = vits_layer(draws)
        with torch.no_grad():
            for weight in (layer.v_proj.weight, layer.v_proj.bias, layer.out_proj.bias):
                weight.zero_()
            layer.out_proj.weight.copy_(torch.eye(len(layer.out_proj.weight)))
        _, shares, (output, _) = softmax_inputs(monkeypatch, lambda layer=layer, x=x: layer(x))
        shares, real = array(shares[0].unflatten(0, (2, heads))), array(of_heads(output, heads))
        ours = refpos.scores.relative_values(shares, array(layer.emb_rel_v[0]), rows)
        off, limit = np.abs(ours - real), value_limits(shares, array(layer.emb_rel_v[0]), rows, fmt)
        assert np.isfinite(limit).all() and (off <= limit).all()
        near += (off > 0).any()
    assert near


@pytest.mark.parametrize("family", ["shaw", "nezha", "irpe"])
def test_values_by_formula_are_equal(family):
    """What each query makes of its keys' vectors, gathered for every pair."""
    draws, equal = Draws(9, "whole"), 0
    for _ in range(NUMBER):
        dim, heads = draws.dim(), draws.size(1, 3)
        if family == "irpe":
            _, rows, buckets = irpe_options(draws)
            table = draws.tensor(heads, buckets, dim)
        else:
            most, queries, keys = draws.size(1, 5), draws.size(1, 8), draws.size(0, 6)
            keys = queries + (keys if family == "shaw" else 0)
            rows = clipped(queries, keys, "key-query", -most, most, query_offset=keys - queries)
            table = draws.tensor(2 * most + 1, dim)
        shares, values = draws.tensor(2, heads, *rows.shape), draws.tensor(2, heads, rows.shape[1], dim)
        vectors = table[..., torch.tensor(rows), :]
        if family == "shaw":  # the sum of value and vector
            real = (shares[..., None] * (values[..., None, :, :] + vectors)).sum(-2)
        elif family == "nezha":
            real = shares @ values + torch.einsum("bhij,ijd->bhid", shares, vectors)
        else:
            real = shares @ values + torch.einsum("bhij,hijd->bhid", shares, vectors)
        ours = array(shares) @ array(values) + refpos.scores.relative_values(array(shares), array(table), rows)
        np.testing.assert_array_equal(ours, array(real))
        equal += 1
    print(f"{family}, values: {equal} of {NUMBER}")


# -- ProphetNet -------------------------------------------------------------------------------------------------------


def prophetnet(draws):
    """A layer, its hidden states (batch, streams, length, width), and the buckets of both kinds of streams."""
    config = SimpleNamespace(
        num_buckets=draws.size(2, 8), relative_max_distance=draws.size(9, 20),
        num_decoder_attention_heads=draws.size(1, 3),
        attention_dropout=0.0, dropout=0.0, hidden_size=0, ngram=draws.size(1, 3),
    )  # fmt: skip
    config.hidden_size = config.num_decoder_attention_heads * draws.dim()
    layer = draws.filled(hf("prophetnet").ProphetNetNgramSelfAttention(config))
    batch, length = draws.size(1, 2), draws.size(1, 7)
    x = draws.tensor(batch, 1 + config.ngram, length, config.hidden_size)
    positions = np.arange(1, length + 1)
    keys = positions, np.concatenate([positions - 1, positions])
    options = {"num_buckets": config.num_buckets, "max_distance": config.relative_max_distance}
    rows = [refpos.t5_buckets(part - positions[:, None], bidirectional=False, **options) for part in keys]
    real = hf("prophetnet").compute_all_stream_relative_buckets(*options.values(), torch.tensor(positions)[None])
    return layer, x, rows, [one.expand(batch, -1, -1) for one in real]


def of_layer(layer, x, rows):
    weight, bias = layer.relative_pos_embeddings.weight, layer.relative_pos_embeddings.bias
    return refpos.scores.bucket_scores(array(x), array(weight), array(bias), rows, heads=layer.num_attn_heads)


def out_of_order(layer, x, rows):
    """What transformers 5 adds for predicting streams: rows (position, stream, head) read as (stream, head, position).

    x: (batch, streams, length, width).
    """
    batch, streams, length, _ = x.shape
    every = np.arange(layer.num_buckets)[None]
    numbers = of_layer(layer, x.transpose(1, 2)[..., None, :], every)[..., 0, :]
    numbers = numbers.reshape(batch, streams, layer.num_attn_heads, length, layer.num_buckets)
    return np.take_along_axis(numbers, np.broadcast_to(rows, (*numbers.shape[:-1], rows.shape[-1])), -1)


def test_both_streams_of_prophetnet(monkeypatch):
    draws, equal, misplaced = Draws(10, "whole"), 0, 0
    for _ in range(NUMBER):
        layer, x, rows, buckets = prophetnet(draws)
        for ours, real in zip(rows, buckets, strict=True):
            np.testing.assert_array_equal(np.broadcast_to(ours, real.shape), real.numpy())
        names = ("main_relative_position_buckets", "predict_relative_position_buckets")
        states, options = x.flatten(1, 2), dict(zip(names, buckets, strict=True))
        given, _, _ = softmax_inputs(monkeypatch, lambda layer=layer, s=states, o=options: layer(s, **o))
        q, k = (of_heads(project(x), layer.num_attn_heads) for project in (layer.query_proj, layer.key_proj))
        q, k = array(q) / layer.head_dim**0.5, array(k)
        main = q[:, 0] @ k[:, 0].swapaxes(-1, -2) + of_layer(layer, x[:, 0], rows[0])
        np.testing.assert_array_equal(main, array(given[0]))
        both = np.concatenate([np.broadcast_to(k[:, :1], k[:, 1:].shape), k[:, 1:]], -2)
        products = q[:, 1:] @ both.swapaxes(-1, -2)
        np.testing.assert_array_equal(products + out_of_order(layer, x[:, 1:], rows[1]), array(given[1]))
        meant = of_layer(layer, x[:, 1:], rows[1])
        np.testing.assert_array_equal(meant, array(first_release(layer, x[:, 1:], buckets[1])))
        misplaced += not np.array_equal(meant, out_of_order(layer, x[:, 1:], rows[1]))
        equal += 1
    print(f"prophetnet, main and predicting: {equal} of {NUMBER}; {misplaced} in another order than was meant")
    assert equal == NUMBER and misplaced > NUMBER // 2


def first_release(layer, x, buckets):
    """The order of transformers 4.0: (batch, stream, head, position) throughout."""
    numbers = layer.relative_pos_embeddings(x).unflatten(-1, (layer.num_buckets, layer.num_attn_heads))
    numbers = numbers.permute(0, 1, 4, 2, 3)
    return torch.gather(numbers, -1, buckets[:, None, None].expand(*numbers.shape[:-1], -1).long())


def test_prophetnet_behind_a_cache():
    draws, equal = Draws(11, "whole"), 0
    for _ in range(NUMBER):
        layer, x, _, _ = prophetnet(draws)
        batch, keys, state = len(x), draws.size(1, 30), x[:, 0, :1]
        shape = torch.zeros(batch, layer.num_attn_heads, 1, keys)
        real = layer.get_main_relative_pos_embeddings(state, shape, torch.tensor([[keys]]), None)
        distance = np.arange(1, keys + 1)[None] - keys
        options = {"num_buckets": layer.num_buckets, "max_distance": layer.relative_max_distance}
        rows = refpos.t5_buckets(distance, bidirectional=False, **options)
        np.testing.assert_array_equal(of_layer(layer, state, rows), array(real))
        equal += 1
    print(f"prophetnet, one query behind a cache: {equal} of {NUMBER}")


@pytest.mark.parametrize("kind", ["double", "float"])
def test_bias_of_prophetnet_is_within_the_bound(kind):
    draws, near = Draws(12, kind), 0
    for _ in range(20):
        layer, x, rows, buckets = prophetnet(draws)
        shape = torch.zeros(len(x), layer.num_attn_heads, x.shape[2], x.shape[2])
        real = array(layer.get_main_relative_pos_embeddings(x[:, 0], shape, None, buckets[0]))
        ours = of_layer(layer, x[:, 0], rows[0])
        part = layer.relative_pos_embeddings
        inputs = {"x": array(x[:, 0]), "weight": array(part.weight), "bias": array(part.bias), "rows": rows[0]}
        name, dtype = ("sequence32", "float32") if kind == "float" else ("sequence64", "float64")
        limit = bounds("bucket_scores", {"heads": layer.num_attn_heads}, inputs, dtype)[name]["output"]
        assert np.isfinite(limit).all() and (np.abs(ours - real) <= limit).all()
        near += (ours != real).any()
    assert near
