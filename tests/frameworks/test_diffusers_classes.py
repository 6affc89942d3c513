"""config.json of diffusers against the classes themselves: their defaults, and the angles that real ones rotate by."""

import inspect

import diffusers
import numpy as np
import pytest
import torch

import refpos
from refpos.configs.diffusers.class_keys import DEFAULTS
from refpos.configs.diffusers.diffusers_classes import CLASSES, ROWS, defaults


@pytest.mark.parametrize("name", ROWS)
def test_a_class_has_these_keys_and_defaults(name):
    row, expected = ROWS[name], defaults(name)
    parameters = inspect.signature(getattr(diffusers, name).__init__).parameters
    if row.widths:
        assert tuple(parameters[row.widths].default) == tuple(expected["widths"])
    if row.base:
        assert parameters[row.base].default == expected["base"]
    for key, name_of_it in ((row.factors, row.factors), (row.times, "times")):
        if key:
            assert parameters[key].default == expected[name_of_it]
    if isinstance(row.head, str):
        assert parameters[row.head].default == expected["head_dim"]
    else:
        size, heads = (parameters[key].default for key in row.head)
        assert size // heads == expected["head_dim"]


@pytest.mark.parametrize("name", CLASSES)
def test_the_defaults_of_other_keys(name):
    parameters = inspect.signature(getattr(diffusers, name).__init__).parameters
    for key, value in DEFAULTS.get(name, {}).items():
        of_class = parameters[key].default
        assert (of_class[0] if key == "block_out_channels" else of_class) == value, key


SMALL = {"num_layers": 1, "num_attention_heads": 2, "in_channels": 4}
#: class -> the arguments of a small one, and (cosines, sines) of its rotary module at ids (rows, axes)
BUILT = {
    "FluxTransformer2DModel": (
        {**SMALL, "num_single_layers": 1, "attention_head_dim": 16, "joint_attention_dim": 8,
         "pooled_projection_dim": 8, "axes_dims_rope": (4, 6, 6)},
        lambda model, ids: model.pos_embed(ids),
    ),
    "Flux2Transformer2DModel": (
        {**SMALL, "num_single_layers": 1, "attention_head_dim": 32, "joint_attention_dim": 8, "rope_theta": 300,
         "axes_dims_rope": (8, 8, 10, 6)},
        lambda model, ids: model.pos_embed(ids),
    ),
    "ChromaTransformer2DModel": (
        {**SMALL, "num_single_layers": 1, "attention_head_dim": 16, "joint_attention_dim": 8,
         "axes_dims_rope": (4, 6, 6)},
        lambda model, ids: model.pos_embed(ids),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BUILT)
def test_angles_of_a_real_model(name):
    arguments, tables = BUILT[name]
    model = getattr(diffusers, name)(**arguments)
    rotary = refpos.from_config({**model.config, "_class_name": name}).rotary()
    axes = rotary.frequencies.axes
    ids = np.random.default_rng(3).integers(0, 50, (9, max(axes) + 1))
    angles = ids[:, list(axes)] * rotary.inv_freq
    cos, sin = (part.numpy() for part in tables(model, torch.tensor(ids)))
    # each pair of neighbours has its cosine and sine twice
    assert np.abs(cos - np.repeat(np.cos(angles), 2, axis=-1)).max() < 2e-6
    assert np.abs(sin - np.repeat(np.sin(angles), 2, axis=-1)).max() < 2e-6


def test_the_head_of_a_real_hunyuan_video_and_wan():
    video = diffusers.HunyuanVideoTransformer3DModel(
        num_layers=1, num_single_layers=1, num_refiner_layers=1, num_attention_heads=2, attention_head_dim=16,
        in_channels=4, text_embed_dim=8, pooled_projection_dim=8, rope_axes_dim=(4, 6, 6), rope_theta=100.0,
    )  # fmt: skip
    rotary = refpos.from_config({**video.config, "_class_name": "HunyuanVideoTransformer3DModel"}).rotary()
    cos, _ = video.rope(torch.zeros(1, 4, 3, 4, 10))  # patches of 1 x 2 x 2: a grid of 3, 2 and 5
    ids = np.stack(np.meshgrid(range(3), range(2), range(5), indexing="ij"), -1).reshape(-1, 3)
    expected = np.cos(ids[:, list(rotary.frequencies.axes)] * rotary.inv_freq)
    assert np.abs(cos.numpy() - np.repeat(expected, 2, axis=-1)).max() < 2e-6

    wan = diffusers.WanTransformer3DModel(
        num_layers=1, num_attention_heads=2, attention_head_dim=20, in_channels=4, ffn_dim=8, text_dim=8, freq_dim=8
    )
    rotary = refpos.from_config({**wan.config, "_class_name": "WanTransformer3DModel"}).rotary()
    cos, _ = wan.rope(torch.zeros(1, 4, 3, 4, 10))
    expected = np.cos(ids[:, list(rotary.frequencies.axes)] * rotary.inv_freq)
    assert np.abs(cos.numpy().reshape(len(ids), -1) - np.repeat(expected, 2, axis=-1)).max() < 2e-6
