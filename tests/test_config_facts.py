"""Facts of single classes that other classes of transformers do not share, as `frameworks/test_config_facts.py` sees
them in the classes themselves."""

import json

import pytest

from refpos import from_config, same_encoding
from refpos.errors import InputError

YARN = {"rope_type": "yarn", "factor": 4.0}
PLAIN = {"rope_type": "default", "rope_theta": 1e4}


def layers(**values):
    return from_config(values).parts["text"].layers


def widths(**values):
    """{layer type: the channels of a head that are rotated}."""
    return {name: rotary.rotary_dim for name, rotary in from_config(values).parts["text"].rotaries.items()}


# -- which layers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model_type", ["gemma4_text", "gemma4_unified_text", "diffusion_gemma_text", "embedding_gemma2_text"]
)
def test_the_last_layer_is_full_whatever_a_file_says(model_type):
    types = ["full_attention", "sliding_attention"]
    found = layers(model_type=model_type, num_hidden_layers=4, layer_types=types * 2)
    assert found == ("full_attention", "sliding_attention", "full_attention", "full_attention")
    assert layers(model_type="gemma3_text", num_hidden_layers=4, layer_types=types * 2) == tuple(types * 2)


@pytest.mark.parametrize(
    ("values", "bare"),
    [
        ({}, [3, 7]),
        ({"first_k_dense_replace": 3}, [6]),
        ({"first_k_dense_replace": 3, "prefix_dense_sliding_window_pattern": 2}, [1, 6]),
        ({"mlp_layer_types": ["dense"] * 4 + ["sparse"] * 4}, [7]),
    ],
)
def test_dense_layers_of_cohere2_moe_have_a_pattern_of_their_own(values, bare):
    found = layers(model_type="cohere2_moe", num_hidden_layers=8, **values)
    assert [i for i, name in enumerate(found) if name is None] == bare
    plain = {"model_type": "cohere2_moe", "num_hidden_layers": 8}
    assert same_encoding(plain, {**plain, **values}).same == (values == {})


def test_windows_of_ultrabert_are_read():
    full, slides = "full_attention", "sliding_attention"
    assert layers(model_type="ultrabert", num_hidden_layers=3, attention_windows=[0, 128, 128]) == (
        full,
        slides,
        slides,
    )
    assert layers(model_type="ultrabert", num_hidden_layers=2, attention_windows=[None, 128]) == (full, slides)
    assert layers(model_type="ultrabert", num_hidden_layers=3) == (slides, slides, full)
    for wrong in ([0, 128], [0, 128, "a"], [0, 128, -1]):
        with pytest.raises(InputError, match=r"^attention_windows must hold an integer or null for each of 3 layers"):
            from_config({"model_type": "ultrabert", "num_hidden_layers": 3, "attention_windows": wrong})


@pytest.mark.parametrize(
    ("values", "types"),
    [
        ({"use_sliding_window": False}, ["indexed_attention"] * 6),
        ({"use_sliding_window": None}, ["indexed_attention"] * 6),
        ({"use_dsa": False}, ["full_attention"] * 2 + ["sliding_attention"] * 3 + ["full_attention"]),
        ({"layer_types": ["full_attention"] * 6}, ["indexed_attention"] * 6),
    ],
)
def test_switches_of_dots3_note_choose_the_types(values, types):
    assert layers(model_type="dots3_note_text", num_hidden_layers=6, **values) == tuple(types)


def test_layers_of_inkling_are_those_of_a_list():
    plain = {"model_type": "inkling_text", "num_hidden_layers": 6}
    listed = {**plain, "local_layer_ids": [5]}
    assert [one.weights["layers"] for one in from_config(plain).encodings] == [[0, 1, 2, 3, 4], [5]]
    assert [one.weights["layers"] for one in from_config(listed).encodings] == [[5], [0, 1, 2, 3, 4]]
    assert from_config(listed).encodings[0].parameters["tensor"].startswith("layers.5.")
    typed = {**plain, "layer_types": ["hybrid"] * 5 + ["hybrid_sliding"]}
    assert same_encoding(listed, typed).same and not same_encoding(plain, listed).same
    assert same_encoding(plain, {**plain, "num_hidden_layers": 12}).same


@pytest.mark.parametrize("wrong", [["a", ""], [0.5, None], [2, -1], [1, 2]])
def test_flags_of_layers_are_0_and_1(wrong):
    with pytest.raises(InputError, match=r"^no_rope_layers must "):
        from_config({"model_type": "smollm3", "num_hidden_layers": 2, "no_rope_layers": wrong})


# -- which channels and which ramp ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "where"),
    [
        ("gemma3_text", "rope_scaling"), ("gemma3n_text", "rope_scaling"), ("olmo3", "rope_scaling"),
        ("modernbert", "nested"), ("lfm3", "nested"),
    ],
)  # fmt: skip
def test_a_length_beside_sets_of_layer_types_is_not_read(kind, where):
    outer = {"original_max_position_embeddings": 1024}
    types = ("full_attention", "sliding_attention")
    nested = {"rope_parameters": {name: {**YARN, "rope_theta": 1e4} for name in types}}
    scaled = {"rope_scaling": YARN} if where == "rope_scaling" else nested
    values = {"model_type": kind, "num_hidden_layers": 6, "max_position_embeddings": 4096, **scaled}
    model = from_config({**values, **outer})
    assert "beside one set for all layers" in model.ignored["original_max_position_embeddings"]
    assert same_encoding(values, {**values, **outer}).same
    one_set = {"model_type": "llama", "max_position_embeddings": 4096, "rope_scaling": YARN}
    assert not same_encoding(one_set, {**one_set, **outer}).same


def test_null_for_truncate_is_false():
    scaling = {**YARN, "original_max_position_embeddings": 4096}
    files = [{"model_type": "llama", "rope_scaling": {**scaling, **more}} for more in ({}, {"truncate": None})]
    absent, null = map(from_config, files)
    false = from_config({"model_type": "llama", "rope_scaling": {**scaling, "truncate": False}})
    assert null.rotary().inv_freq.tolist() == false.rotary().inv_freq.tolist() != absent.rotary().inv_freq.tolist()
    assert "read as false" in null.used["rope_scaling.truncate"]


@pytest.mark.parametrize("name", ["rope_theta", "rope_type", "type"])
def test_null_in_a_set_is_refused(name):
    with pytest.raises(InputError, match=rf"^rope_parameters\.{name} must .* or be left out, got null"):
        from_config({"model_type": "llama", "rope_parameters": {"rope_theta": 1e4, name: None}})
    read = from_config(
        {"model_type": "llama", "rope_parameters": {"rope_type": "default", "rope_theta": 5e5, "type": None}}
    )
    assert read.rotary().parameters["rope_theta"] == 5e5
    with pytest.raises(
        InputError, match=r"^rope_scaling\.original_max_position_embeddings must be a number or be left out"
    ):
        from_config({"model_type": "llama", "rope_scaling": {**YARN, "original_max_position_embeddings": None}})


def test_the_part_of_a_head_beside_sets_of_layer_types():
    nested = {"main": PLAIN, "compress": {**PLAIN, "rope_theta": 1e5}}
    assert widths(model_type="deepseek_v4") == {"main": 64, "compress": 64}
    assert widths(model_type="deepseek_v4", rope_parameters=nested) == {"main": 512, "compress": 512}
    assert widths(model_type="deepseek_v4", rope_parameters=nested, qk_rope_head_dim=128)["main"] == 512
    assert widths(model_type="deepseek_v4", rope_parameters=nested, partial_rotary_factor=0.25)["main"] == 128


@pytest.mark.parametrize(
    ("kind", "name", "plain", "scaled"),
    [("zaya", "hybrid", 128, 32), ("laguna", "full_attention", 128, 32), ("mimo_v2_flash", "full_attention", 64, 48)],
)
def test_plain_sets_do_not_take_the_part_beside_them(kind, name, plain, scaled):
    values = {"model_type": kind, "num_hidden_layers": 2, "partial_rotary_factor": 0.25}
    names = ("full_attention", "sliding_attention") if kind == "mimo_v2_flash" else (name,)
    linear = {"rope_type": "linear", "rope_theta": 1e4, "factor": 2.0}
    values |= {"layer_types": [name] * 2} if kind == "laguna" else {}
    assert widths(**values, rope_parameters=dict.fromkeys(names, PLAIN))[name] == plain
    assert widths(**values, rope_parameters=dict.fromkeys(names, linear))[name] == scaled


def test_cohere2_moe_does_not_read_the_part_at_the_top():
    scaling = {"rope_type": "proportional", "rope_theta": 1e4}
    model = from_config({"model_type": "cohere2_moe", "partial_rotary_factor": 0.25, "rope_parameters": scaling})
    assert (model.rotary().inv_freq > 0).sum() == 64 and "partial_rotary_factor" in model.ignored


# -- what stands beside the numbers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "axes"),
    [
        ("sam2_video", "column and row, from 0"), ("edgetam_video", "column and row, from 0"),
        ("sam3_tracker_video", "column and row, from 0"),
        ("sam3_vit_model", "column and row, from 0; layers over the whole image multiply both by window_size over"),
        ("muse_glimmer_vision", "column and row, from 1"), ("muse_spark_vision", "column and row, from 1"),
        ("inkling2_vision", "row and column, from 1; the class token is at (0, 0)"),
        ("qwen2_vl_vision", "row and column, from 0"),
    ],
)  # fmt: skip
def test_the_order_of_the_axes_is_that_of_the_class(kind, axes):
    (part,) = from_config({"model_type": kind}).parts.values()
    assert any(note.startswith(f"positions: {axes}") for note in part.rotaries["all"].notes)


def test_clamped_distances_of_xlnet():
    plain, clamped = ({"model_type": "xlnet", **more} for more in ({}, {"clamp_len": 3}))
    (one,) = from_config(clamped).encodings
    assert "range(3, -4, -1)" in one.table and "low=-3, high=3" in one.call and 'outside="clip"' in one.call
    assert not same_encoding(plain, clamped).same and same_encoding(plain, {**plain, "clamp_len": 0}).same
    with pytest.raises(InputError, match=r"^clamp_len must be at most 0 beside attn_type 'uni', got 3"):
        from_config({**clamped, "attn_type": "uni"})


VISION = {"model_type": "clip_vision_model"}


def test_missing_parts_are_told():
    said = "missing: the class builds the default llama, which is left out here"
    for more in ({}, {"text_config": None}):
        assert from_config({"model_type": "llava", "vision_config": VISION, **more}).unread == {"text_config": said}
    text = {"model_type": "llama"}
    assert from_config({"model_type": "llava", "vision_config": VISION, "text_config": text}).unread == {}
    found = from_config({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text"}}).unread
    assert [*found] == ["vision_config"] and "siglip_vision_model" in found["vision_config"]


@pytest.mark.parametrize("wrong", ["llama", 5, [1], True])
def test_a_part_that_is_no_object_is_refused(wrong):
    with pytest.raises(InputError, match=r"^text_config of llava must be an object, got "):
        from_config({"model_type": "llava", "vision_config": VISION, "text_config": wrong})


def test_an_object_in_place_of_a_name_is_no_layer_type():
    with pytest.raises(InputError, match=r"^rope_scaling\.type must name a scaling, got {}"):
        from_config({"model_type": "llama", "rope_scaling": {"type": {}, "factor": 2}})


# -- what is the same -------------------------------------------------------------------------------------------------

BLOOM = {"model_type": "bloom", "n_head": 16, "hidden_size": 1024}
FALCON = {"model_type": "falcon", "alibi": True, "num_attention_heads": 16, "hidden_size": 1024}
T5 = {"model_type": "t5", "num_heads": 8, "d_model": 512}
DEBERTA = {"model_type": "deberta-v2", "relative_attention": True}


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (BLOOM, FALCON, "divided_by none against sqrt(head_dim)"),
        (T5, {**T5, "model_type": "umt5"}, "table of the first layer against of each layer"),
        ({**DEBERTA, "pos_att_type": ["c2p"]}, {**DEBERTA, "pos_att_type": ["p2c"]}, "terms"),
    ],
)
def test_other_biases_are_different(a, b, words):
    found = same_encoding(a, b)
    assert not found.same and words in str(found)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (BLOOM, {"model_type": "mpt", "n_heads": 16, "d_model": 1024, "attn_config": {"alibi": True}}),
        ({**DEBERTA, "pos_att_type": ["c2p", "p2c"]}, {**DEBERTA, "pos_att_type": ["p2c", "c2p"]}),
        (T5, {**T5, "model_type": "mt5"}),
    ],
)
def test_what_changes_no_probability_is_no_difference(a, b):
    assert same_encoding(a, b).same


def test_a_component_without_its_file_is_told(tmp_path):
    index = {
        "_class_name": "FluxPipeline", "scheduler": ["diffusers", "FlowMatchEulerDiscreteScheduler"],
        "tokenizer": ["transformers", "CLIPTokenizer"], "text_encoder": ["transformers", "CLIPTextModel"],
        "transformer": ["diffusers", "FluxTransformer2DModel"],
    }  # fmt: skip
    (tmp_path / "text_encoder").mkdir()
    (tmp_path / "model_index.json").write_text(json.dumps(index))
    (tmp_path / "text_encoder" / "config.json").write_text(json.dumps({"model_type": "clip_text_model"}))
    said = "missing: transformer/config.json of 'FluxTransformer2DModel'"
    assert from_config(tmp_path).unread == {"transformer": said}
