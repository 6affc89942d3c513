"""Forward passes of small random models, whose rotations of queries and keys are held against the configuration."""

import contextlib
import inspect
import sys
import textwrap

import numpy as np
import pytest
import torch
import transformers
from transformers.models.llama import modeling_llama

import refpos
from frameworks.small_models import ROTARY, made, sentences
from refpos import InputError

transformers.logging.set_verbosity_error()
IDS = torch.arange(3, 15)[None].repeat(2, 1)
#: what a forward pass of small models of these types needs besides
RUNS = {"deepseek_v2": {"num_key_value_heads": 4, "num_experts_per_tok": 2}, "deepseek_v3": {"num_key_value_heads": 4},
        "helium": {"head_dim": 16}, "olmoe": {"num_experts_per_tok": 2}, "qwen3_moe": {"num_experts_per_tok": 2},
        "qwen3_5_text": {"num_hidden_layers": 4}}  # fmt: skip
#: layers of these that rotate, of how many there are
ROTATED = {"minimax": 1, "qwen3_5_text": 1, "gemma3_text": 6}


def passes(model, config=None, **inputs):
    """The findings of a forward pass alone."""
    found = refpos.check(model, config, inputs={"input_ids": IDS, **inputs})
    return [one for one in found.findings if one.tensor.endswith("()") or one.tensor.startswith("layer ")]


@pytest.mark.parametrize("kind", ROTARY)
def test_queries_and_keys_of_each_layer_are_right(kind):
    found = passes(made(kind, **RUNS.get(kind, {})))
    assert len(found) == 2 * ROTATED.get(kind, 2) and {one.state for one in found} == {"right"}, found


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("kind", ["llama", "gpt_neox", "glm4", "cohere2"])
def test_a_model_in_16_bits_with_frequencies_in_float32(kind, dtype):
    model = made(kind)
    frequencies = {name: one.clone() for name, one in model.named_buffers() if "inv_freq" in name}
    model.to(dtype)
    for name, held in frequencies.items():
        path, _, leaf = name.rpartition(".")
        setattr(model.get_submodule(path), leaf, held)
    found = passes(model)
    assert len(found) == 4 and {one.state for one in found} == {"right"}, found


def test_given_positions_are_those_that_are_compared():
    positions = torch.stack([torch.arange(12) + 5, 3 * torch.arange(12)])
    assert {one.state for one in passes(made("llama"), position_ids=positions)} == {"right"}


def test_sections_of_axes_with_positions_of_their_own():
    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [4, 2, 2], "mrope_interleaved": True}
    model = made("qwen3_vl_text", head_dim=16, rope_parameters=rope)
    count = torch.arange(12)
    positions = torch.stack([count, count // 3, count % 3])[:, None].repeat(1, 2, 1)
    assert {one.state for one in passes(model, position_ids=positions)} == {"right"}
    swapped = {**model.config.to_dict(), "rope_parameters": {**rope, "mrope_section": [2, 4, 2]}}
    assert {one.state for one in passes(model, swapped, position_ids=positions)} == {"differs"}


ROTATE = modeling_llama.apply_rotary_pos_emb
PLANTED = {
    "keys are not rotated": (lambda q, k, cos, sin, **_: (ROTATE(q, k, cos, sin)[0], k), {"keys"}, "positions all 0"),
    "rotated backwards": (lambda q, k, cos, sin, **_: ROTATE(q, k, cos, -sin), {"queries", "keys"}, "inverse=True"),
    "rotated twice": (lambda q, k, c, s, **_: ROTATE(*ROTATE(q, k, c, s), c, s), {"queries", "keys"}, "positions"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_wrong_rotation_is_found_and_named(name, monkeypatch):
    wrong, which, words = PLANTED[name]
    monkeypatch.setattr(modeling_llama, "apply_rotary_pos_emb", wrong)
    off = [one for one in passes(made("llama")) if one.state == "differs"]
    assert {one.tensor.split()[1] for one in off} == which and len(off) == 2 * len(which)
    assert all(words in one.sentence for one in off), off


ONE_LAYER = {
    "values for keys": ("query_states, value_states = apply_rotary_pos_emb(query_states, value_states, cos, sin)",
                        {"values are rotated", "its output is not rotated"}),
    "keys twice": (("query_states, key_states = apply_rotary_pos_emb("
                    "*apply_rotary_pos_emb(query_states, key_states, cos, sin), cos, sin)"), {"rotated twice"}),
}  # fmt: skip


@pytest.mark.parametrize("name", ONE_LAYER)
def test_one_layer_that_rotates_other_tensors_or_twice(name):
    line = "query_states, key_states = apply_rotary_pos_emb(query_states, key_states, cos, sin)"
    wrong, words = ONE_LAYER[name]
    source = textwrap.dedent(inspect.getsource(modeling_llama.LlamaAttention.forward))
    assert line in source
    made_here = {}
    exec(compile(source.replace(line, wrong), "forward", "exec"), vars(modeling_llama), made_here)
    model = made("llama")
    attention = model.layers[1].self_attn
    attention.forward = made_here["forward"].__get__(attention)
    off = [one for one in refpos.check(model, inputs={"input_ids": IDS}).findings if one.state == "differs"]
    assert off and all("layers.1." in one.tensor for one in off), off
    assert all(any(word in one.sentence for one in off) for word in words), off


def rotate_pairs(x):
    """What rotate_half is for pairs (2i, 2i + 1)."""
    return torch.stack([-x[..., 1::2], x[..., 0::2]], -1).flatten(-2)


def test_the_other_pairing_and_positions_that_are_off(monkeypatch):
    model = made("llama")
    forward = model.rotary_emb.forward
    model.rotary_emb.forward = lambda x, position_ids: forward(x, position_ids + 1)
    assert all("positions + 1" in one.sentence for one in passes(model))
    monkeypatch.setattr(modeling_llama, "rotate_half", rotate_pairs)
    assert {one.state for one in passes(made("llama"))} == {"differs"}


def paligemma():
    text = {"model_type": "gemma", "head_dim": 16, "vocab_size": 99}
    vision = {"model_type": "siglip_vision_model", "image_size": 28, "patch_size": 14, "num_hidden_layers": 1}
    sizes = {"hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 64}
    text |= {"num_hidden_layers": 2, "num_key_value_heads": 2}
    torch.manual_seed(0)
    return transformers.PaliGemmaConfig(text_config={**sizes, **text}, vision_config={**sizes, **vision})


@pytest.mark.parametrize(
    "shift, words", [(0, "as the"), (1, "positions + 1"), (2, "positions + 2"), (-1, "positions - 1")]
)
@pytest.mark.parametrize("inside", [False, True])
def test_paligemma_counts_from_1(shift, words, inside):
    """In its forward, with position ids or without; a shift beside that is told, its text model alone counts from 0."""
    model, config = transformers.AutoModel, paligemma()
    if inside:
        model = transformers.ColPaliForRetrieval(transformers.ColPaliConfig(vlm_config=config))
        language = model.vlm.language_model
    else:
        model = model.from_config(config)
        language = model.language_model
    forward = language.rotary_emb.forward
    language.rotary_emb.forward = lambda x, position_ids: forward(x, position_ids + shift)
    for one, inputs in ((model, {}), (model, {"position_ids": torch.arange(12)[None] + 5}), (language, {})):
        found = passes(one, **inputs)
        assert len(found) == 4 and {one.state for one in found} == {"differs" if shift else "right"}
        assert all(words in one.sentence for one in found), found


def test_channels_that_are_not_rotated_stay(monkeypatch):
    model = made("glm4")
    file = sys.modules[type(model).__module__]
    rotate = file.apply_rotary_pos_emb

    def scaled(q, k, *tables):
        q, k = rotate(q, k, *tables)
        return torch.cat([q[..., :64], 2 * q[..., 64:]], -1), k

    monkeypatch.setattr(file, "apply_rotary_pos_emb", scaled)
    found = passes(model)
    assert [one.state for one in found] == ["differs", "right"] * 2
    assert "channels 64 to 127 are not rotated, and changed" in found[0].sentence


def test_a_scaling_that_the_model_does_not_have():
    model = made("llama")
    linear = {"rope_type": "linear", "factor": 2.0, "rope_theta": 10000.0}
    found = passes(model, {**model.config.to_dict(), "rope_parameters": linear})
    assert all("linear dropped" in one.sentence for one in found)


def test_layers_without_a_rotation():
    model = made("smollm3", num_hidden_layers=4)
    assert model.config.no_rope_layers == [1, 1, 1, 0] and len(passes(model)) == 6
    for layers, words in (
        ([1, 1, 0, 1], ["rotated, in a layer without a rotation"] * 2 + ["not rotated in this pass"]),
        ([1, 1, 1, 1], ["not rotated in this pass"]),
    ):
        off = [
            one for one in passes(model, {**model.config.to_dict(), "no_rope_layers": layers}) if one.state != "right"
        ]
        assert [one.sentence.partition(": ")[2] for one in off] == words


def test_a_rotation_in_place_is_compared_with_what_stood_there(monkeypatch):
    def in_place(q, k, cos, sin, **_):
        for one, rotated in zip((q, k), ROTATE(q, k, cos, sin), strict=True):
            one.copy_(rotated)
        return q, k

    monkeypatch.setattr(modeling_llama, "apply_rotary_pos_emb", in_place)
    # of one head queries and keys are contiguous, and nothing else copies them
    single = made("llama", num_attention_heads=1, num_key_value_heads=1, head_dim=64)
    assert {one.state for one in passes(single)} == {"right"}


def test_layers_that_never_call_the_function(monkeypatch):
    """The attention of layers 1 and 2 takes raw queries and keys."""
    attention = modeling_llama.LlamaAttention.forward

    def forward(self, hidden_states, position_embeddings=None, **named):
        cos, sin = position_embeddings
        with monkeypatch.context() as layer:  # undone before the check takes its own function away
            if self.layer_idx:
                layer.setattr(modeling_llama, "apply_rotary_pos_emb", lambda q, k, *tables: (q, k))
            return attention(self, hidden_states, position_embeddings=(cos, sin), **named)

    monkeypatch.setattr(modeling_llama.LlamaAttention, "forward", forward)
    found = passes(made("llama", num_hidden_layers=3))
    assert [one.state for one in found] == ["right", "right", "differs", "differs"]
    assert [one.tensor for one in found[2:]] == ["layer 1", "layer 2"]


def test_all_is_as_it_was_after_the_pass():
    model = made("gpt_oss")
    file = sys.modules[type(model).__module__]
    before = {name: value for name, value in vars(file).items() if callable(value)}
    for inputs in ({"input_ids": IDS}, {"input_ids": IDS, "unknown_argument": torch.ones(3), "labels": "x"}):
        with contextlib.suppress(InputError):
            refpos.check(model, inputs=inputs)
        assert {name: value for name, value in vars(file).items() if callable(value)} == before
        assert not any(one._forward_hooks or one._forward_pre_hooks for one in model.modules())


def test_a_model_without_a_rotation_is_not_described():
    (one,) = passes(made("bert"))
    assert one.state == "not described" and "no function of the model's files that rotates" in one.sentence


@pytest.mark.parametrize(
    ("inputs", "words"),
    [({}, "tensors of torch, got nothing"), ({"ids": IDS}, "tensors of torch, got ids"), (IDS, "must be a dict"),
     ({"input_ids": IDS.float() * 0.5}, "LlamaModel, got RuntimeError")],
)  # fmt: skip
def test_inputs_that_are_refused(inputs, words):
    with pytest.raises(InputError, match=words):
        refpos.check(made("llama"), inputs=inputs)


def test_a_file_has_no_inputs(tmp_path):
    np.savez(tmp_path / "model.npz", inv_freq=np.ones(4, np.float32))
    with pytest.raises(
        InputError, match="inputs must be a dict of what the forward of a live module takes, got the path"
    ):
        refpos.check(tmp_path / "model.npz", {"model_type": "llama"}, inputs={})


def test_a_whole_result_says_both_kinds():
    found = refpos.check(made("llama"), inputs={"input_ids": IDS})
    assert found.status == 0 and len(found.of("right")) == 3 + 4, sentences(found)


def test_past_keys_need_positions():
    model = made("llama")
    cache = model(IDS, use_cache=True).past_key_values
    found = refpos.check(model, inputs={"input_ids": IDS[:, :3], "past_key_values": cache})
    assert "position_ids" in found.findings[-1].sentence and found.findings[-1].state == "not described"
    cache = model(IDS, use_cache=True).past_key_values
    positions = torch.arange(12, 15)[None].repeat(2, 1)
    found = passes(model, input_ids=IDS[:, :3], past_key_values=cache, position_ids=positions)
    assert len(found) == 4 and {one.state for one in found} == {"right"}


@pytest.mark.parametrize("original", [60, 100, 101])
def test_longrope_with_a_short_original_context(original):
    rope = {"rope_type": "longrope", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": original,
            "short_factor": [1.0] * 8, "long_factor": [2.0] * 8}  # fmt: skip
    model = made("llama", head_dim=16, max_position_embeddings=4 * original, rope_parameters=rope)
    found = refpos.check(model).findings
    assert any("(position_ids)" in one.tensor for one in found) and {one.state for one in found} == {"right"}, found


def test_coordinates_of_a_grid_are_no_position_ids():
    config = transformers.Sam3ViTConfig(
        hidden_size=64, intermediate_size=64, num_hidden_layers=1, num_attention_heads=4
    )
    found = {one.tensor: one.state for one in refpos.check(transformers.Sam3ViTModel(config)).findings}
    assert found["layers.0.position_ids"] == "not described" and "differs" not in found.values()


def test_stacks_of_layers_that_run_in_cycles():
    config = transformers.HrmTextConfig(
        vocab_size=64, hidden_size=64, intermediate_size=64, num_attention_heads=4, head_dim=16,
        num_layers_per_stack=2, H_cycles=1, L_cycles=1,
    )  # fmt: skip
    found = passes(transformers.AutoModel.from_config(config))
    assert len(found) >= 8 and {one.state for one in found} == {"right"}, found


def test_longrope_after_a_long_sequence():
    rope = {"rope_type": "longrope", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": 128,
            "short_factor": [1.0] * 8, "long_factor": [2.0] * 8}  # fmt: skip
    model = made("llama", head_dim=16, max_position_embeddings=512, rope_parameters=rope)
    long, short = torch.zeros(1, 200, dtype=torch.long), torch.zeros(1, 10, dtype=torch.long)
    for ids in (long, short):
        model(ids)
        found = refpos.check(model).findings
        assert any(one.tensor.endswith("long_inv_freq") for one in found)
        assert {one.state for one in found} == {"right"}, found
    model.rotary_emb.long_inv_freq *= 1.5
    off = {one.tensor for one in refpos.check(model).findings if one.state == "differs"}
    assert off == {"rotary_emb.long_inv_freq", "rotary_emb(position_ids)"}
