"""Windows beside transformers and timm: rows, biases and tables of random sizes, rectangles among them."""

from importlib import import_module
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import transformers
from torch import nn

import refpos

from ._timm import timm_module

NUMBER = 200
layers, tiny_vit = timm_module("layers.pos_embed_rel"), timm_module("models.tiny_vit")
levit = timm_module("models.levit")


def hf(name):
    return import_module(f"transformers.models.{name}.modeling_{name}")


def sizes(seed, most=9):
    """Random (rng, height, width, heads)."""
    rng = np.random.default_rng(seed)
    for _ in range(NUMBER):
        yield rng, *(int(one) for one in rng.integers(1, (most, most, 5)))


def assert_all(name, equal):
    print(f"{name}: {equal} of {NUMBER}")
    assert equal == NUMBER


def filled(parameter):
    """Its values, drawn anew."""
    nn.init.normal_(parameter)
    return parameter.detach().numpy()


def test_swin_and_clap():
    equal = 0
    for _, height, width, heads in sizes(1):
        window = (height, width)
        module = hf("swin").SwinRelativePositionBias(heads, window)
        weight = filled(module.relative_position_bias_table)
        real = module()[0].detach()
        for view in (False, True):
            ours = refpos.window_bias(weight, height, width, sign="query-key", view=view)
            np.testing.assert_array_equal(ours.reshape(real.shape), real)
        rows = refpos.relative.window_rows(height, width, sign="query-key")
        clap = hf("clap").ClapAudioSelfAttention.create_relative_position_index
        np.testing.assert_array_equal(rows, clap(SimpleNamespace(window_size=window)))
        np.testing.assert_array_equal(rows, layers.gen_relative_position_index(window))
        equal += 1
    assert_all("swin, clap, timm", equal)


@pytest.mark.parametrize("kind", ["beit", "data2vec-vision"])
def test_the_bias_of_an_image_of_another_size(kind):
    """The calls of a configuration, with numbers of weights, against its model; float32 resizes to a few roundings."""
    values = {"image_size": 64, "patch_size": 16, "hidden_size": 16, "intermediate_size": 16, "num_attention_heads": 2,
              "num_hidden_layers": 1, "use_shared_relative_position_bias": True}  # fmt: skip
    config = transformers.CONFIG_MAPPING[kind](**values)
    model = transformers.AutoModel.from_config(config)
    module = next(one for one in model.modules() if "RelativePositionBias" in type(one).__name__)
    weight = filled(module.relative_position_bias_table)
    encoding = refpos.from_config({**config.to_dict(), "model_type": kind}).encoding(name="window_bias")
    for height, width in ((4, 4), (6, 5), (3, 7)):
        names = {"refpos": refpos, "weight": weight, "height": height, "width": width}
        names["weight"] = eval(encoding.resize, names)
        ours = eval(encoding.call.replace("4, 4", "height, width"), names)
        theirs = module((height, width))[0].detach().numpy()
        np.testing.assert_allclose(ours, theirs, rtol=2**-20, atol=2**-20 * np.abs(weight).max())


def test_beit_and_data2vec():
    equal = 0
    for _, height, width, heads in sizes(2):
        rows = refpos.relative.window_rows(height, width, sign="query-key", class_token=True)
        config = SimpleNamespace(image_size=(height, width), patch_size=1, num_attention_heads=heads)
        data2vec = import_module("transformers.models.data2vec.modeling_data2vec_vision")
        for module in (
            hf("beit").BeitRelativePositionBias(config),
            data2vec.Data2VecVisionRelativePositionBias(config, (height, width)),
        ):
            np.testing.assert_array_equal(rows, module.generate_relative_position_index((height, width)))
            weight = filled(module.relative_position_bias_table)
            if height == width:  # a rectangle they read as (width, height)
                ours = refpos.window_bias(weight, height, width, sign="query-key", class_token=True)
                np.testing.assert_array_equal(ours, module((height, width))[0].detach())
        np.testing.assert_array_equal(rows, layers.gen_relative_position_index((height, width), class_token=True))
        module = layers.RelPosBias((height, width), heads, prefix_tokens=1)
        weight = filled(module.relative_position_bias_table)
        ours = refpos.window_bias(weight, height, width, sign="query-key", class_token=True)
        np.testing.assert_array_equal(ours, module.get_bias()[0].detach())
        equal += 1
    assert_all("beit, data2vec, timm", equal)


def test_maxvit():
    equal = 0
    for _, height, width, heads in sizes(3):
        module = layers.RelPosBiasTf((height, width), heads)
        weight = filled(module.relative_position_bias_table)
        ours = refpos.window_bias(weight.reshape(heads, -1).T, height, width, sign="key-query")
        np.testing.assert_array_equal(ours, module.get_bias().detach())
        equal += 1
    assert_all("maxvit, coatnet", equal)


def test_levit_and_tiny_vit():
    equal = 0
    for rng, height, width, heads in sizes(4, 5):
        rows = refpos.relative.window_rows(height, width, sign="absolute")
        for module in (
            levit.Attention(8, 4, heads, resolution=(height, width)),
            tiny_vit.Attention(8, 4, heads, resolution=(height, width)),
        ):
            weight = filled(module.attention_biases)
            np.testing.assert_array_equal(rows, module.attention_bias_idxs)
            ours = refpos.window_bias(weight.T, height, width, sign="absolute")
            np.testing.assert_array_equal(ours, module.get_attention_biases(torch.device("cpu")).detach())
        stride = int(rng.integers(1, 4))
        down = levit.AttentionDownsample(8, 8, 4, heads, stride=stride, resolution=(height, width))
        strided = refpos.relative.window_rows(height, width, sign="absolute", stride=stride)
        np.testing.assert_array_equal(strided, down.attention_bias_idxs)
        square = hf("levit").LevitAttentionSubsample(8, 8, 4, heads, 2, stride, height, -(-height // stride))
        ours = refpos.window_bias(filled(square.attention_biases).T, height, height, sign="absolute", stride=stride)
        np.testing.assert_array_equal(ours, square.get_attention_biases(torch.device("cpu")).detach())
        equal += 1
    assert_all("levit, tiny_vit", equal)


def test_rows_of_botnet_and_halonet():
    """The logits of one axis, where the query is 1 and row k of the table holds k."""
    equal = 0
    for _, length, halo, _ in sizes(5):
        bottleneck, halos = timm_module("layers.bottleneck_attn"), timm_module("layers.halo_attn")
        order = (0, 1, 3, 2, 4)
        table = torch.arange(2.0 * length - 1)[:, None]
        real = bottleneck.rel_logits_1d(torch.ones(1, 1, length, 1), table, order)[0, 0, :, 0]
        ours = refpos.relative.relative_rows(length, length, sign="key-query", low=1 - length, high=length - 1,
                                    outside="refuse")  # fmt: skip
        np.testing.assert_array_equal(ours, real)
        window = length + 2 * halo
        table = torch.arange(2.0 * window - 1)[:, None]
        real = halos.rel_logits_1d(torch.ones(1, 1, length, 1), table, order)[0, 0, :, 0]
        ours = refpos.relative.relative_rows(length, window, sign="key-query", low=1 - window, high=window - 1,
                                    outside="refuse")  # fmt: skip
        np.testing.assert_array_equal(ours, real)
        equal += 1
    assert_all("botnet, halonet", equal)


def test_order_of_offsets_is_that_of_the_first_query():
    for height, width in product(range(1, 5), repeat=2):
        assert refpos.relative.window_rows(height, width, sign="absolute")[0].tolist() == list(range(height * width))


def test_decomposed_rows_at_every_pair_of_sizes():
    """float32 rounds the fraction to an integer or below one, where neither size divides the other."""
    vitdet, equal, pairs = hf("vitdet").get_rel_pos, 0, list(product(range(1, 41), repeat=2))
    for query, key in pairs:
        table = torch.arange(2.0 * max(query, key) - 1)[:, None]
        ours, real = refpos.relative.decomposed_rows(query, key), vitdet(query, key, table)[..., 0].numpy().astype(int)
        np.testing.assert_array_equal(real, hf("sam").SamVisionAttention.get_rel_pos(None, query, key, table)[..., 0])
        assert (abs(ours - real) <= (query % key and key % query > 0)).all()
        equal += bool((ours == real).all())
    print(f"vitdet, sam: {equal} of {len(pairs)}")
    assert equal > 0.9 * len(pairs)


def test_decomposed_rows_of_mvitv2():
    equal, mvit = 0, timm_module("models.mvitv2")
    for rng, height, width, _ in sizes(6):
        ratio = int(rng.integers(1, 4))
        query, key = [(height, width), (height * ratio, width * ratio)][:: 1 if rng.integers(0, 2) else -1]
        tables = [torch.arange(2.0 * max(sides) - 1)[:, None] for sides in zip(query, key, strict=True)]
        cells = [a * b for a, b in (query, key)]
        scores = torch.zeros(1, 1, *cells)
        real = mvit.cal_rel_pos_type(scores, torch.ones(1, 1, cells[0], 1), False, query, key, *tables)
        down, across = (refpos.relative.decomposed_rows(*sides) for sides in zip(query, key, strict=True))
        ours = down[:, None, :, None] + across[None, :, None]
        np.testing.assert_array_equal(ours.reshape(cells), real[0, 0])
        equal += 1
    assert_all("mvitv2", equal)


def assert_close(ours, real, weight):
    """Within what float32 explains: sums of products of numbers up to those of the table."""
    np.testing.assert_allclose(ours, real, rtol=0, atol=64 * 2.0**-24 * max(1, abs(weight).max(initial=0)))


def test_tables_at_another_size():
    equal = 0
    for rng, height, width, heads in sizes(7, 7):
        old, new = (height, width), tuple(int(one) for one in rng.integers(1, 14, 2))
        square = (height, height)
        shape = [((2 * a - 1) * (2 * b - 1), heads) for a, b in (old, square, new)]
        weight = rng.standard_normal(shape[0]).astype(np.float32)
        real = layers.resize_rel_pos_bias_table(torch.from_numpy(weight), new, shape[2], old)
        assert_close(refpos.tables.resize_bias(weight, old, new, method="geometric"), real.numpy(), weight)
        weight = rng.standard_normal(shape[1]).astype(np.float32)
        real = layers.resize_rel_pos_bias_table_simple(torch.from_numpy(weight), new, shape[2])
        assert_close(refpos.tables.resize_bias(weight, square, new, method="swin"), real.numpy(), weight)
        side = int(rng.integers(2, 12))
        weight = rng.standard_normal((height * height, heads)).astype(np.float32)
        real = layers.resize_rel_pos_bias_table_levit(torch.from_numpy(weight), (side * side, heads))
        assert_close(refpos.tables.resize_bias(weight, square, (side, side), method="levit"), real.numpy(), weight)
        module = hf("beit").BeitRelativePositionBias(
            SimpleNamespace(image_size=old, patch_size=1, num_attention_heads=heads)
        )
        weight = filled(module.relative_position_bias_table)
        table = refpos.tables.resize_bias(weight, (width, height), new, method="beit", class_token=True)
        ours = refpos.window_bias(table, *new, sign="query-key", class_token=True)
        assert_close(ours, module(new)[0].detach().numpy(), weight)
        equal += 1
    assert_all("swin, levit, geometric of timm, beit", equal)


def test_coordinates_of_swin_v2():
    """Within the roundings of a quotient, a logarithm and two divisions in float32."""
    equal, swin = 0, hf("swinv2").Swinv2SelfAttention.create_coords_table_and_index
    network = nn.Linear(2, 2)
    for rng, height, width, _ in sizes(9, 30):
        pretrained = [int(one) for one in rng.integers(2, 20, 2)] if rng.integers(0, 2) else None
        window = (height + 1, width + 1)
        known = SimpleNamespace(window_size=window, pretrained_window_size=pretrained or (0, 0),
                                continuous_position_bias_mlp=network)  # fmt: skip
        ours = refpos.relative.log_coordinates(*window, rule="swin-v2", pretrained=pretrained)
        cr = refpos.relative.log_coordinates(*window, rule="cr")
        for real, exact in (
            (swin(known)[0][0], ours),
            (layers.gen_relative_log_coords(window, tuple(pretrained or (0, 0))), ours),
            (layers.gen_relative_log_coords(window, mode="cr"), cr),
        ):
            np.testing.assert_allclose(real.numpy(), exact, rtol=8 * 2.0**-24, atol=0)
        equal += 1
    assert_all("swinv2, timm", equal)
