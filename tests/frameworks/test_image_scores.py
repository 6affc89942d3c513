"""Scores of places in images beside transformers and timm: random grids, and what whole modules pass on."""

from functools import partial
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import refpos
from refpos import conformance
from refpos.scores.convit_attention import features

from ._timm import timm_module

NUMBER = 200  # configurations of integers, whose scores have no rounding errors
OTHERS = 24  # those of other numbers, judged by their class
KINDS = {"float32": torch.float32, "float64": torch.float64}
#: the class of programs that compute in each format
CLASS = {"float32": "sequence32", "float64": "sequence64"}
mvit, convit = timm_module("models.mvitv2"), timm_module("models.convit")
bottleneck, halo, lambdas = (timm_module(f"layers.{name}") for name in ("bottleneck_attn", "halo_attn", "lambda_layer"))
vitdet, sam, got = (
    import_module(f"transformers.models.{name}.modeling_{name}") for name in ("vitdet", "sam", "got_ocr2")
)


def normal(rng, *shape):
    """Numbers that both formats hold."""
    return rng.standard_normal(shape).astype(np.float32)


def met(name, theirs, dtype, inputs, **arguments):
    """Whether an array of torch is one of its class; the expected values and their bounds come from the same call."""
    theirs = theirs.detach().numpy()
    exact = refpos.catalogue.find(name).function(**inputs, **arguments, dtype=dtype)
    limits = conformance.bounds(name, arguments, inputs, dtype)
    assert theirs.shape == exact.shape and theirs.dtype == exact.dtype and theirs.size
    report = refpos.compare(theirs, exact, bounds={name: limit["output"] for name, limit in limits.items()})
    return report.classes[CLASS[dtype]].met


def drawn(rng, n, *shape):
    """Small integers, or of the last configurations numbers of full precision."""
    return rng.integers(-8, 9, shape).astype(np.float32) if n < NUMBER else normal(rng, *shape)


def agrees(n, theirs, dtype, inputs, **arguments):
    """Whether scores of torch have the bits of ours, or of the last configurations are of their class."""
    if n >= NUMBER:
        return met("decomposed_scores", theirs, dtype, inputs, **arguments)
    ours = refpos.scores.decomposed_scores(**inputs, **arguments, dtype=dtype)
    return ours.size > 0 and ours.dtype == theirs.detach().numpy().dtype and np.array_equal(ours, theirs.detach())


def tensors(inputs, dtype):
    return [torch.tensor(array, dtype=KINDS[dtype]) for array in inputs.values()]


def assert_all(name, equal, wanted=NUMBER + OTHERS):
    print(f"{name}: {equal} of {wanted}")
    assert equal == wanted


# -- decomposed: MViTv2, ViTDet, SAM, GOT-OCR 2 -----------------------------------------------------------------------


def pair(rng):
    """Sizes of queries and keys along an axis whose rows float32 finds: equal, or one a multiple of the other."""
    one, times = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    return [(one, one), (one * times, one), (one, one * times)][rng.integers(0, 3)]


def grids(seed):
    """Random (number, rng, dtype, query grid, key grid)."""
    rng = np.random.default_rng(seed)
    for n in range(NUMBER + OTHERS):
        yield n, rng, list(KINDS)[n % 2], *(list(grid) for grid in zip(pair(rng), pair(rng), strict=True))


def arrays(rng, lead, query, lengths, dim, n=NUMBER):
    return {
        "q": drawn(rng, n, *lead, query[0] * query[1], dim),
        "weight_h": drawn(rng, n, lengths[0], dim),
        "weight_w": drawn(rng, n, lengths[1], dim),
    }


def longest(query, key):
    return [2 * max(pair) - 1 for pair in zip(query, key, strict=True)]


def of_vitdet(q, weight_h, weight_w, query, key):
    zeros = torch.zeros(len(q), query[0] * query[1], key[0] * key[1], dtype=q.dtype)
    return vitdet.add_decomposed_relative_positions(zeros, q, weight_h, weight_w, query, key)


def of_sam(q, weight_h, weight_w, query, key):
    """SAM and GOT-OCR 2, which give the same bits."""
    results = []
    for cls in (sam.SamVisionAttention, got.GotOcr2VisionAttention):
        space = SimpleNamespace(get_rel_pos=partial(cls.get_rel_pos, None))
        made = cls.get_decomposed_rel_pos(space, q, weight_h, weight_w, query, key)
        results.append(made.reshape(len(q), query[0] * query[1], key[0] * key[1]))
    assert torch.equal(*results)
    return results[0]


@pytest.mark.parametrize("name, real", [("vitdet", of_vitdet), ("sam, got_ocr2", of_sam)])
def test_decomposed_scores_of_transformers(name, real):
    equal = 0
    for n, rng, dtype, query, key in grids(len(name)):
        lengths = longest(query, key) if n < NUMBER else rng.integers(1, 20, 2).tolist()
        inputs = arrays(rng, (2,), query, lengths, int(rng.integers(1, 6)), n)
        theirs = real(*tensors(inputs, dtype), query, key)
        options = {"query_grid": query, "key_grid": key, "sign": "query-key", "resize": "linear"}
        equal += agrees(n, theirs, dtype, inputs, **options)
    assert_all(name, equal)


def test_decomposed_scores_of_timm():
    equal = 0
    for n, rng, dtype, query, key in grids(1):
        first, lead, dim = int(rng.integers(0, 2)), rng.integers(1, 4, 2), int(rng.integers(1, 6))
        inputs = arrays(rng, lead, query, longest(query, key), dim, n)
        inputs["q"] = drawn(rng, n, *lead, query[0] * query[1] + first, dim)
        q, *tables = tensors(inputs, dtype)
        zeros = torch.zeros(*q.shape[:3], key[0] * key[1] + first, dtype=q.dtype)
        theirs = mvit.cal_rel_pos_type(zeros, q, bool(first), query, key, *tables)
        options = {"query_grid": query, "key_grid": key, "sign": "query-key", "class_token": bool(first)}
        equal += agrees(n, theirs, dtype, inputs, **options)
    assert_all("mvitv2", equal)


@pytest.mark.parametrize("dtype", KINDS)
def test_mistakes_of_decomposed_scores_are_seen(dtype):
    rng, query, key = np.random.default_rng(2), [3, 5], [3, 5]
    inputs = arrays(rng, (2,), query, longest(query, key), 4)
    theirs = of_vitdet(*tensors(inputs, dtype), query, key)
    options = {"query_grid": query, "key_grid": key, "sign": "query-key"}
    assert met("decomposed_scores", theirs, dtype, inputs, **options)
    assert not met("decomposed_scores", theirs, dtype, inputs, **{**options, "sign": "key-query"})
    assert not met("decomposed_scores", theirs, dtype, {**inputs, "q": inputs["q"] / 2}, **options)  # scaled
    turned = {"q": inputs["q"], "weight_h": inputs["weight_w"], "weight_w": inputs["weight_h"]}
    assert not met("decomposed_scores", theirs, dtype, turned, resize="linear", **options)


def test_float32_misses_rows_of_16_and_7():
    """15 of 112 pairs: there code in float32 reads the row before, and is in no class."""
    rng, query, key = np.random.default_rng(3), [16, 1], [7, 1]
    inputs = arrays(rng, (1,), query, longest(query, key), 4)
    theirs = of_vitdet(*tensors(inputs, "float32"), query, key)
    options = {"query_grid": query, "key_grid": key, "sign": "query-key"}
    assert not met("decomposed_scores", theirs, "float32", inputs, **options)
    ours = refpos.scores.decomposed_scores(**inputs, **options)
    assert np.count_nonzero(np.abs(theirs.numpy() - ours) > 1e-3) == 15  # rows that differ do so by more


def recorded(monkeypatch, module, name):
    """[(arguments, result)] of a function that a module calls."""
    calls, real = [], getattr(module, name)

    def heard(first, *rest):
        given = (first.clone(), *rest)  # timm adds in place
        calls.append((given, real(first, *rest)))
        return calls[-1][1]

    monkeypatch.setattr(module, name, heard)
    return calls


@pytest.mark.parametrize("dtype", KINDS)
def test_modules_give_queries_that_are_not_scaled(dtype, monkeypatch):
    """The whole attention of ViTDet and MViTv2, whose keys are zeros: what is left is the score of the places."""
    rng = np.random.default_rng(4)
    config = SimpleNamespace(hidden_size=8, num_attention_heads=2, qkv_bias=True, use_relative_position_embeddings=True)
    module = vitdet.VitDetAttention(config, (3, 5)).to(KINDS[dtype])
    module.qkv.weight.data[8:16], module.qkv.bias.data[8:16] = 0, 0
    for table in (module.rel_pos_h, module.rel_pos_w):
        torch.nn.init.normal_(table)
    x = torch.tensor(normal(rng, 2, 3, 5, 8), dtype=KINDS[dtype])
    heard = []
    monkeypatch.setattr(torch.Tensor, "softmax", lambda scores, dim: heard.append(scores) or torch.softmax(scores, dim))
    module(x)
    q = module.qkv(x).reshape(2, 15, 3, 2, 4).permute(2, 0, 3, 1, 4)[0].reshape(4, 15, 4)
    inputs = {"q": q, "weight_h": module.rel_pos_h, "weight_w": module.rel_pos_w}
    inputs = {name: one.detach().numpy() for name, one in inputs.items()}
    options = {"query_grid": [3, 5], "key_grid": [3, 5], "sign": "query-key"}
    assert met("decomposed_scores", heard.pop(), dtype, inputs, **options)
    calls = recorded(monkeypatch, mvit, "cal_rel_pos_type")
    module = mvit.MultiScaleAttention(8, 8, (8, 8), 2, kernel_q=(3, 3), kernel_kv=(3, 3), stride_kv=(4, 4))
    module = module.to(KINDS[dtype])
    module.norm_k.weight.data[:] = 0
    for table in (module.rel_pos_h, module.rel_pos_w):
        torch.nn.init.normal_(table)
    module(torch.tensor(normal(rng, 2, 65, 8), dtype=KINDS[dtype]), [8, 8])
    (before, q, first, query, key, *tables), after = calls.pop()
    assert (query, key, first) == ([8, 8], [2, 2], True)
    inputs = dict(zip(("q", "weight_h", "weight_w"), (one.detach().numpy() for one in (q, *tables)), strict=True))
    options = {"query_grid": [8, 8], "key_grid": [2, 2], "sign": "query-key", "class_token": True}
    assert not before.any() and met("decomposed_scores", after, dtype, inputs, **options)


# -- key minus query: BoTNet, HaloNet, lambda layers ------------------------------------------------------------------


def test_botnet():
    equal, rng = 0, np.random.default_rng(5)
    for n in range(NUMBER + OTHERS):
        dtype, grid, dim = list(KINDS)[n % 2], rng.integers(1, 7, 2).tolist(), int(rng.integers(1, 6))
        module = bottleneck.PosEmbedRel(grid, dim, 1.0)
        inputs = arrays(rng, (2,), grid, longest(grid, grid), dim, n)
        options = {"query_grid": grid, "key_grid": grid, "sign": "key-query"}
        q, module.height_rel.data, module.width_rel.data = tensors(inputs, dtype)
        theirs = module(q)
        equal += agrees(n, theirs, dtype, inputs, **options)
        if n >= NUMBER and max(grid) > 1:
            assert not met("decomposed_scores", theirs, dtype, inputs, **{**options, "sign": "query-key"})
    assert_all("botnet", equal)


def test_halonet():
    equal, rng = 0, np.random.default_rng(6)
    for n in range(NUMBER + OTHERS):
        dtype, block, around = list(KINDS)[n % 2], int(rng.integers(1, 5)), int(rng.integers(0, 4))
        window, dim = block * int(rng.integers(1, 3)) + 2 * around, int(rng.integers(1, 6))  # a stride leaves less
        module = halo.PosEmbedRel(block, window, dim, 1.0)
        inputs = arrays(rng, (2, 3), [block] * 2, [2 * window - 1] * 2, dim, n)
        options = {"query_grid": [block] * 2, "key_grid": [window] * 2, "sign": "key-query"}
        q, module.height_rel.data, module.width_rel.data = tensors(inputs, dtype)
        theirs = module(q)
        equal += agrees(n, theirs, dtype, inputs, **options)
    assert_all("halonet", equal)


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("scaled", [False, True])
def test_modules_of_botnet_and_halonet(stride, scaled, monkeypatch):
    """Keys of zeros: the softmax gets the scores of the places, times 1 / sqrt(dim) only where the module says so."""
    rng = np.random.default_rng(7)
    options = {"num_heads": 2, "dim_head": 4, "stride": stride, "scale_pos_embed": scaled}
    cases = [(bottleneck.BottleneckAttn(8, feat_size=(4, 6), **options), [4, 6], [4, 6])]
    block = 4 // stride
    cases.append((halo.HaloAttn(8, block_size=4, halo_size=2, **options), [block] * 2, [8] * 2))
    for module, query, key in cases:
        heard, asked = [], []
        module.pos_embed.register_forward_hook(lambda _, given, made, asked=asked: asked.append(given[0]))
        keys = module.qkv.weight.data[8:16] if hasattr(module, "qkv") else module.kv.weight.data
        keys[...] = 0
        real = torch.softmax
        monkeypatch.setattr(torch.Tensor, "softmax", lambda x, dim, heard=heard: heard.append(x) or real(x, dim))
        size = query if hasattr(module, "qkv") else (8, 12)
        module.eval()(torch.tensor(normal(rng, 2, 8, *size)))
        tables = module.pos_embed.height_rel, module.pos_embed.width_rel
        inputs = dict(
            zip(("q", "weight_h", "weight_w"), (one.detach().numpy() for one in (asked[0], *tables)), strict=True)
        )
        arguments = {"query_grid": query, "key_grid": key, "sign": "key-query"}
        assert met("decomposed_scores", heard[0] * (2 if scaled else 1), "float32", inputs, **arguments)
        assert not met("decomposed_scores", heard[0] * (1 if scaled else 2), "float32", inputs, **arguments)


def test_rows_of_lambda_layers():
    equal, rng = 0, np.random.default_rng(8)
    for _ in range(NUMBER):
        height, width = (int(n) for n in rng.integers(1, 9, 2))
        down, across = lambdas.rel_pos_indices((height, width)).numpy()
        rows = refpos.relative.window_rows(height, width, sign="key-query")
        np.testing.assert_array_equal(rows, down * (2 * width - 1) + across)
        equal += 1
    assert_all("lambda", equal, NUMBER)


@pytest.mark.parametrize("radius", [None, 3, 4])
def test_lambda_layers(radius):
    """A vector for each pair of cells: of the offset, or of the kernel of a convolution, and zeros beyond them."""
    height, width, dim, rng = 3, 5, 4, np.random.default_rng(9)
    module = lambdas.LambdaLayer(8, feat_size=(height, width), num_heads=2, dim_head=dim, r=radius).double().eval()
    v = torch.tensor(normal(rng, 1, 1, height, width, 3)).double()
    flat = v.reshape(-1, 3).numpy()
    if radius is None:
        table = torch.nn.init.normal_(module.pos_emb).detach().numpy().reshape(-1, dim)
        rows = refpos.relative.window_rows(height, width, sign="key-query")
        theirs = module.pos_emb[tuple(module.rel_pos_indices)].detach().numpy()
        np.testing.assert_array_equal(refpos.learned(table, rows), theirs)
        return
    # an even kernel size makes a map that is larger by one
    made = module.conv_lambda(v)[0, :, :height, :width].detach().numpy()
    low, high = -(radius // 2), radius - 1 - radius // 2
    down, across = (
        refpos.relative.relative_rows(n, n, sign="key-query", low=low, high=high, outside="zero")
        for n in (height, width)
    )
    rows = np.where(
        (down[:, None, :, None] < 0) | (across[None, :, None, :] < 0), -1,
        down[:, None, :, None] * radius + across[None, :, None, :],
    ).reshape(height * width, -1)  # fmt: skip
    table = module.conv_lambda.weight.detach().numpy().reshape(dim, -1).T
    vectors = np.where(rows[..., None] < 0, 0.0, table[rows])
    ours = np.einsum("nmk,mv->knv", vectors, flat).reshape(dim, height, width, 3)
    ours += module.conv_lambda.bias.detach().numpy()[:, None, None, None]
    # sums of height * width products and a bias, each in any order
    sizes = np.einsum("nmk,mv->knv", np.abs(vectors), np.abs(flat)).reshape(ours.shape) + np.abs(ours) + 1
    assert (np.abs(ours - made) <= 2 * (height * width + 2) * 2.0**-53 * sizes).all()
    assert (np.abs(ours[:, :, ::-1] - made) > 1e-3).any()


# -- ConViT -----------------------------------------------------------------------------------------------------------


def test_offsets_of_convit():
    """Every size of a square image from 1 to 14."""
    module, equal = convit.GPSA(4, 2), 0
    for size in range(1, 15):
        real = module.get_rel_indices(size * size)[0].numpy()
        table = features(size, size)
        rows = refpos.relative.window_rows(size, size, sign="key-query")
        np.testing.assert_array_equal(table[rows], real)
        equal += 1
    assert_all("convit offsets", equal, 14)


@pytest.mark.parametrize("strength", [1.0, 0.3, 7.0])
def test_convit_start(strength):
    for num_heads in (1, 4, 9, 16, 25):
        module = convit.GPSA(2 * num_heads, num_heads, locality_strength=strength)
        module.local_init()
        ours = refpos.relative.convit_start(num_heads, strength=np.float32(strength), dtype="float32")
        np.testing.assert_array_equal(ours, module.pos_proj.weight.detach().numpy())


def attention_of(module, x):
    """The inputs of our call, and what the module makes of x."""
    module.rel_indices = module.get_rel_indices(x.shape[1])
    made = module.get_attention(x)
    qk = module.qk(x).reshape(*x.shape[:2], 2, module.num_heads, -1).permute(2, 0, 3, 1, 4)
    parts = {"q": qk[0], "k": qk[1], "weight": module.pos_proj.weight, "bias": module.pos_proj.bias,
             "gate": module.gating_param}  # fmt: skip
    return {name: one.detach().numpy() for name, one in parts.items()}, made


def test_convit():
    equal, rng, number = 0, np.random.default_rng(10), 60
    for n in range(number):
        dtype, size, heads = list(KINDS)[n % 2], int(rng.integers(1, 6)), int(rng.choice([1, 2, 4]))
        module = convit.GPSA(4 * heads, heads, qkv_bias=True, locality_strength=float(rng.uniform(0.1, 2)))
        if heads != 2 and rng.integers(0, 2):
            module.local_init()
        module.gating_param.data = torch.tensor(normal(rng, heads) * int(rng.integers(0, 4)))
        module = module.to(KINDS[dtype])
        x = torch.tensor(normal(rng, 2, size * size, 4 * heads), dtype=KINDS[dtype])
        inputs, theirs = attention_of(module, x)
        options = {"height": size, "width": size}
        equal += met("convit_attention", theirs, dtype, inputs, **options)
        if size == 5 and np.ptp(inputs["weight"][:, :2], axis=1).max() > 0.1:
            other = {**inputs, "weight": inputs["weight"][:, [1, 0, 2]].copy()}
            assert not met("convit_attention", theirs, dtype, other, **options)  # y first
            other = {**inputs, "weight": inputs["weight"] * np.array([-1, -1, 1], inputs["weight"].dtype)}
            assert not met("convit_attention", theirs, dtype, other, **options)  # query minus key
    assert_all("convit", equal, number)
