"""Rows of docs/coverage.md whose real code runs nowhere else: functions and modules of transformers, without weights.

How far float32 code may be off follows from its operations, as tests/test_models.py counts them.
"""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from transformers import LlamaConfig, MistralLarge4TextConfig, SmolLM3Config
from transformers.models.deepseek_v3.modeling_deepseek_v3 import yarn_apply_mscale
from transformers.models.hunyuan_vl import modeling_hunyuan_vl as hunyuan_vl
from transformers.models.ministral3.modeling_ministral3 import get_llama_4_attn_scale
from transformers.models.mistral_large4.modeling_mistral_large4 import MistralLarge4TextRotaryEmbedding
from transformers.models.vjepa2.modeling_vjepa2 import VJEPA2RopeAttention

import refpos
from refpos import compare, coordinates, grid
from refpos.conformance import error_bounds
from refpos.conformance.derivations.rounding_errors import POWER, SINE

U = 2.0**-24


def bounds_of(name, arguments, inputs, dtype, output):
    return {kind: limit[output] for kind, limit in error_bounds.bounds(name, arguments, inputs, dtype).items()}


@pytest.mark.parametrize("factor, mscale", [(40.0, 1.0), (40.0, 0.707), (16.0, 1.0), (1.0, 1.0), (0.5, 1.0)])
def test_the_softmax_scale_of_deepseek(factor, mscale):
    parameters = {"rope_type": "yarn", "factor": factor, "mscale_all_dim": mscale}
    theirs = np.float64(yarn_apply_mscale(parameters, 1.0))
    ours = refpos.scores.yarn_softmax_scale(factor=factor, mscale_all_dim=mscale)
    bounds = bounds_of("yarn_softmax_scale", {"factor": factor, "mscale_all_dim": mscale}, {}, "float64", "output")
    assert compare(theirs, ours, bounds=bounds).classes["float64-logarithm"].met
    if factor > 1:
        assert compare(np.sqrt(theirs), ours, bounds=bounds).met is None


def test_the_attention_temperature_of_ministral():
    positions = np.arange(16300, 16500)
    given = {"attn_scale": 0.1, "floor_scale": 16384, "shift": 0}
    theirs = get_llama_4_attn_scale(torch.from_numpy(positions)[None], 0.1, 16384)[0, 0, :, 0]
    ours = refpos.scores.attention_temperature(positions, **given, dtype="float32")
    bounds = bounds_of("attention_temperature", given, {"positions": positions}, "float32", "output")
    assert compare(theirs.numpy(), ours, bounds=bounds).classes["float32-logarithm"].met


def test_the_learned_scale_of_mistral_large():
    config = MistralLarge4TextConfig(head_dim=64, rope_parameters={"rope_type": "default", "rope_theta": 1e4})
    module = MistralLarge4TextRotaryEmbedding(config)
    alpha = np.linspace(-1, 0.5, 32).astype(np.float32)
    module.alpha = torch.from_numpy(alpha)
    positions = np.array([0, 1, 100, 4097, 131071])
    theirs = module(torch.zeros(1), torch.from_numpy(positions)[None])
    plain = {"function": "inverse_frequencies", "arguments": {"dim": 64, "base": 1e4}}
    made = refpos.frequencies.learned_log_scale(refpos.inverse_frequencies(64), alpha=alpha)
    recipe = {"function": "learned_log_scale", "arguments": {"frequencies": plain, "alpha": alpha}}
    exact = refpos.rope_table(positions, made, dtype="float32")
    for output, mine, other in zip(("cos", "sin"), exact, theirs, strict=True):
        bounds = bounds_of("rope_table", {"frequencies": recipe}, {"positions": positions}, "float32", output)
        assert compare(other[0, :, :32].numpy(), mine, bounds=bounds).met == "float32-angle"


def test_layers_without_rotation():
    for kind, config in (("smollm3", SmolLM3Config(num_hidden_layers=9)), ("llama", LlamaConfig())):
        (part,) = refpos.from_config(config.to_dict()).parts.values()
        flags = getattr(config, "no_rope_layers", [1] * config.num_hidden_layers)
        assert part.without_rope == tuple(layer for layer, turned in enumerate(flags) if not turned), kind
    assert part.without_rope == ()


# -- what is not a rotation ------------------------------------------------------------------------------------


def agree_as_float32(theirs, ours, x, angles):
    """Whether outputs of products of x (..., dim) with cosines and sines are those of a float32 pipeline.

    angles: (tokens, dim) of the largest angle that an output depends on, times its relative error.
    """
    reach = 2 * np.abs(x).max()
    allowed = reach * (angles + SINE * U + 3 * U) * 1.001
    assert allowed.max() < 0.05 * reach
    assert (np.abs(theirs - ours) <= allowed).all()


def moved(positions, dim, base, more=0):
    """Errors of float32 angles of positions (tokens,) at dim/2 frequencies, tiled: (tokens, dim).

    An exponent, a power, a reciprocal, two roundings of the position, a product, and so many more.
    """
    theta = refpos.inverse_frequencies(dim, base=base).inv_freq
    relative = (np.abs(np.log(theta)) + POWER + 4 + more) * U
    return np.tile(np.abs(np.asarray(positions, np.float64))[:, None] * theta * relative, 2)


def vjepa2(head_dim, side):
    """The attention of V-JEPA 2 without weights: who turns queries and keys."""
    third = 2 * ((head_dim // 3) // 2)
    own = SimpleNamespace(d_dim=third, h_dim=third, w_dim=third, attention_head_size=head_dim, grid_size=side)
    for name in ("_get_frame_pos", "_get_height_pos", "get_position_ids", "apply_rotary_embeddings"):
        setattr(own, name, getattr(VJEPA2RopeAttention, name).__get__(own))
    return own


def test_the_real_vjepa2():
    head_dim, side, frames = 64, 5, 3
    x = np.random.default_rng(1).standard_normal((1, 2, frames * side * side, head_dim)).astype(np.float32)
    own = vjepa2(head_dim, side)
    ids = own.get_position_ids(torch.zeros(1, x.shape[-2], 1))
    theirs = own.apply_rotary_embeddings(torch.from_numpy(x), ids).numpy()
    ours = refpos.rotary.vjepa2_rope(x, grid(frames, side, side))
    third = 20
    errors = [moved(axis.numpy(), third, 10000) for axis in ids]
    errors = np.concatenate([np.repeat(e.max(1, keepdims=True), third, 1) for e in errors], 1)
    agree_as_float32(theirs[..., :60], ours[..., :60], x, errors)
    assert np.array_equal(theirs[..., 60:], x[..., 60:]) and np.array_equal(ours[..., 60:], x[..., 60:])


def test_action_tokens_and_other_grids_of_vjepa2_are_short_calls():
    """V-JEPA 2-AC: rows and columns rescaled to the grid trained on; action tokens rotate by their frame alone."""
    head_dim, side = 24, 3
    x = np.random.default_rng(2).standard_normal((2 * side * side, head_dim)).astype(np.float32)
    step = coordinates.affine(side, step=Fraction(4, side))
    patches = refpos.rotary.vjepa2_rope(x, grid(2, step, step))
    own = vjepa2(head_dim, side)
    frame, row, column = own.get_position_ids(torch.zeros(1, len(x), 1))
    ids = (frame.float(), row * (4 / side), column * (4 / side))
    theirs = own.apply_rotary_embeddings(torch.from_numpy(x)[None, None], ids)[0, 0].numpy()
    errors = np.concatenate([np.repeat(moved(axis.numpy(), 8, 10000).max(1, keepdims=True), 8, 1) for axis in ids], 1)
    agree_as_float32(theirs, patches, x, errors)
    action = refpos.rotary.vjepa2_rope(x[:2], [[0, 1], [0, 0], [0, 0]])
    assert np.array_equal(action[:, 8:], x[:2, 8:]) and not np.array_equal(action[1, :8], x[1, :8])


@pytest.mark.parametrize("alpha", [None, 1000.0])
def test_the_real_hunyuan_vl_on_images(alpha):
    head_dim, base = 64, 10000.0
    parameters = {"rope_type": "dynamic" if alpha else "default", "rope_theta": base, "mrope_section": [8, 8, 8, 8]}
    parameters |= {"alpha": alpha} if alpha else {}
    config = SimpleNamespace(rope_parameters=parameters, head_dim=head_dim, max_position_embeddings=4096,
                             hidden_size=head_dim, num_attention_heads=1)  # fmt: skip
    ids = np.random.default_rng(3).integers(0, 900, (4, 1, 24))
    x = np.random.default_rng(4).standard_normal((1, 2, 24, head_dim)).astype(np.float32)
    cos, sin = hunyuan_vl.HunYuanVLRotaryEmbedding(config)(torch.zeros(1), torch.from_numpy(ids))
    theirs = hunyuan_vl.apply_rotary_pos_emb(torch.from_numpy(x), torch.from_numpy(x), cos, sin)[0].numpy()
    frequencies = refpos.frequencies.ntk_alpha(head_dim, base=base, alpha=alpha) if alpha else None
    ours = refpos.rotary.xdrope(x, ids[:, 0], sections=(8, 8, 8, 8), frequencies=frequencies)
    far = np.abs(ids[:, 0]).max(0)
    grown = base * (alpha or 1) ** (head_dim / (head_dim - 2))
    agree_as_float32(theirs, ours, x, moved(far, head_dim, grown, more=1))  # the grown base is rounded
    # no rotation: lengths change
    assert abs(math.hypot(*ours[0, 0, 3]) - math.hypot(*x[0, 0, 3])) > 1e-3


# -- compositions that docs/coverage.md names -------------------------------------------------------------------------


def in_float64(x, angles):
    """x (heads, tokens, dim) turned in halves by angles (heads, tokens, dim / 2), in torch."""
    cos, sin = torch.cos(angles).repeat(1, 1, 2), torch.sin(angles).repeat(1, 1, 2)
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat([-second, first], -1) * sin


IDS = np.array([[0, 1, 2, 2, 2, 900], [0, 1, 2, 2, 3, 17], [0, 1, 2, 3, 2, 41]])


def test_heads_that_turn_by_one_axis_each_are_a_call_for_each_axis():
    """MHRoPE: 2 heads by time, 1 by row, 1 by column, each with all frequencies, and 1 left alone."""
    sections, dim = (2, 1, 1), 16
    x = np.random.default_rng(5).standard_normal((5, 6, dim))
    inv_freq = 1e6 ** -(torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    angles = torch.from_numpy(IDS)[:, :, None] * inv_freq
    by_head = torch.cat([angles.repeat_interleave(torch.tensor(sections), 0), torch.zeros(1, *angles.shape[1:])])
    theirs = in_float64(torch.from_numpy(x), by_head).numpy()
    ours, head = x.copy(), 0
    for axis, count in enumerate(sections):
        ours[head : head + count] = refpos.rope(x[head : head + count], IDS[axis], pairing="half", base=1e6)
        head += count
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11)
    assert np.abs(ours - x).max(-1).max(-1)[-1] == 0 < np.abs(ours - x).max(-1).max(-1)[:-1].min()


@pytest.mark.parametrize("kind", ["LD", "AP"])
def test_generators_that_commute_are_liere(kind):
    """ComRoPE: multiples of one generator for all axes (LD), or blocks that rotate by one axis each (AP)."""
    rng = np.random.default_rng(7)
    blocks, n = 4, 3
    weight = rng.standard_normal((2, 1 if kind == "LD" else 2, blocks, n, n))  # (heads, axes, blocks, n, n)
    generators = weight - weight.swapaxes(-1, -2)
    if kind == "LD":
        generators = generators * rng.standard_normal((1, 2, blocks, 1, 1))
    else:
        generators = generators * np.eye(2)[:, [0, 0, 1, 1]][None, :, :, None, None]
    x, places = rng.standard_normal((2, 5, blocks * n)), rng.integers(0, 40, (2, 5)) / 8
    total = torch.einsum("habij,at->htbij", torch.from_numpy(generators), torch.from_numpy(places))
    turned = torch.matrix_exp(total.contiguous()) @ torch.from_numpy(x).reshape(2, 5, blocks, n, 1)
    ours = refpos.rotary.liere(x, places, generators.swapaxes(0, 1))
    np.testing.assert_allclose(ours, turned.reshape(x.shape).numpy(), rtol=0, atol=1e-11)
    # what commutes depends on differences of positions alone
    moved = refpos.rotary.liere(x, places + 3, generators.swapaxes(0, 1))
    scores, others = (turned @ turned.swapaxes(1, 2) for turned in (ours, moved))
    np.testing.assert_allclose(others, scores, rtol=0, atol=1e-11)
