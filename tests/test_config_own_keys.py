"""Keys that one model type alone reads, or does not read where others do, and what they decide."""

import numpy as np
import pytest

import refpos
from refpos import InputError, from_config

YARN = {"rope_type": "yarn", "factor": 16, "original_max_position_embeddings": 65536}

# -- DeepSeek-V4 ------------------------------------------------------------------------------------------------------

#: the keys of DeepSeek-V4-Flash: the first two layers and the one behind the last have no compressor
FLASH = {"model_type": "deepseek_v4", "num_hidden_layers": 43, "head_dim": 512, "qk_rope_head_dim": 64,
         "num_attention_heads": 64, "rope_theta": 10000, "compress_rope_theta": 160000, "rope_scaling": YARN,
         "compress_ratios": [0, 0, 4] + [128, 4] * 20 + [0]}  # fmt: skip


def test_layers_of_deepseek_v4_without_a_compressor_have_the_plain_rotation():
    model = from_config(FLASH)
    part = model.parts["text"]
    assert part.layers == ("main", "main") + ("compress",) * 41
    assert "compress_ratios" in model.used and not model.unread
    plain = refpos.inverse_frequencies(64, base=10000)
    scaled = refpos.yarn(64, base=160000, factor=16, original_max_position_embeddings=65536, attention_factor=1.0)
    assert np.array_equal(part.rotaries["main"].inv_freq, plain.inv_freq)
    assert np.array_equal(part.rotaries["compress"].inv_freq, scaled.inv_freq)
    assert from_config({**FLASH, "layer_types": ["sliding_attention"] * 43}).parts["text"].layers == ("main",) * 43


@pytest.mark.parametrize(
    "ratios, code, received",
    [([0] * 42, "E_SHAPE", "got 42"), ([0, 2] * 22, "E_CHOICE", "got 2"), ("0", "E_NUMBER", "a list")],
)
def test_ratios_that_mean_nothing_are_refused(ratios, code, received):
    with pytest.raises(InputError, match=received) as error:
        from_config({**FLASH, "compress_ratios": ratios})
    assert (error.value.code, error.value.argument) == (code, "compress_ratios")


@pytest.mark.parametrize("place", ["inside", "beside", "flat"])
def test_truncate_of_deepseek_v4_is_not_read(place):
    inner = {**YARN, "rope_theta": 1e4, "partial_rotary_factor": 0.125}
    main = {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.125}
    nested = {"main": main, "compress": inner}
    files = {
        "inside": {"main": main, "compress": {**inner, "truncate": False}},
        "beside": {**nested, "truncate": False},
        "flat": {**inner, "truncate": False},
    }
    own, other = (
        from_config({"model_type": "deepseek_v4", "rope_parameters": values})
        for values in (files[place], inner if place == "flat" else nested)
    )
    (path,) = (path for path in own.ignored if path.endswith(".truncate"))
    assert path not in own.used
    both = [model.rotary("text", "compress").inv_freq for model in (own, other)]
    assert np.array_equal(*both)


# -- dots3-note -------------------------------------------------------------------------------------------------------


def test_truncate_of_dots3_note_is_read_beside_the_layer_types():
    plain = {"rope_type": "default", "rope_theta": 1e4}
    scaled = {**YARN, "factor": 8.0, "original_max_position_embeddings": 8192, "rope_theta": 1e4}

    def frequencies(inside, **beside):
        sets = {"indexed_attention": {**scaled, **inside}, "sliding_attention": plain, **beside}
        model = from_config({"model_type": "dots3_note_text", "rope_parameters": sets})
        return model, model.rotary("text", "indexed_attention").inv_freq

    model, inside = frequencies({"truncate": False})
    assert "rope_parameters.indexed_attention.truncate" in model.ignored
    model, beside = frequencies({}, truncate=False)
    assert "rope_parameters.truncate" in model.used
    assert np.array_equal(inside, frequencies({})[1]) and not np.array_equal(beside, inside)
    flat = from_config({"model_type": "dots3_note_text", "rope_parameters": {**scaled, "truncate": False}})
    assert "rope_parameters.truncate" in flat.ignored
    assert np.array_equal(flat.rotary("text", "indexed_attention").inv_freq, inside)


# -- keys that a class reads by one of its names alone ----------------------------------------------------------------


@pytest.mark.parametrize("kind", ["gpt_neox", "gpt_neox_japanese"])
def test_gpt_neox_reads_its_own_names(kind):
    values = {"model_type": kind, "hidden_size": 6144, "num_attention_heads": 64}
    model = from_config({**values, "rope_theta": 5e5, "partial_rotary_factor": 0.5})
    assert model.rotary().parameters["rope_theta"] == 10000.0
    assert model.rotary().rotary_dim == from_config(values).rotary().rotary_dim
    assert {"rope_theta", "partial_rotary_factor"} <= {*model.ignored}
    assert from_config({**values, "rotary_emb_base": 5e5}).rotary().parameters["rope_theta"] == 5e5
    assert from_config({**values, "rope_parameters": {"rope_theta": 3e4}}).rotary().parameters["rope_theta"] == 3e4
    with pytest.raises(InputError, match="rotary_emb_base must agree with rope_theta"):
        from_config({**values, "rope_theta": 1e4, "rotary_emb_base": 5e5})


def test_a_scaling_of_cohere2_moe_that_transformers_drops_is_noted():
    scaling = {"rope_type": "linear", "factor": 4.0}
    rotary = from_config({"model_type": "cohere2_moe", "rope_scaling": scaling}).rotary()
    assert rotary.inv_freq[0] == 0.25 and "drops this scaling" in rotary.notes[0]
    read = from_config({"model_type": "cohere2_moe", "rope_parameters": scaling}).rotary()
    assert np.array_equal(read.inv_freq, rotary.inv_freq) and not read.notes


# -- BERT -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["bert", "roberta", "electra", "albert", "xlm-roberta", "layoutlm"])
def test_a_bert_with_relative_keys_is_not_read_as_one_with_a_table(kind):
    values = {"model_type": kind, "position_embedding_type": "absolute"}
    model = from_config(values)
    assert model.encodings[0].name == "learned" and "position_embedding_type" in model.used and not model.unread
    for value in ("relative_key", "relative_key_query", "rotary", "foo", ["absolute"]):
        with pytest.raises(InputError, match="position_embedding_type must be 'absolute', got") as error:
            from_config({**values, "position_embedding_type": value})
        assert (error.value.code, error.value.argument) == ("E_CHOICE", "position_embedding_type")


def test_a_table_that_a_switch_chooses_is_as_before():
    values = {"model_type": "esm", "pad_token_id": 1}
    assert from_config({**values, "position_embedding_type": "absolute"}).encoding().name == "learned"
    assert from_config({**values, "position_embedding_type": "rotary"}).rotary()


# -- keys beside the objects of layer types, and classes that read fewer ----------------------------------------------


def test_a_base_beside_the_layer_types_is_that_of_those_without_one():
    for kind in ("laguna", "mellum", "gemma4_text"):
        sets = {"full_attention": {"rope_type": "default"}, "sliding_attention": {"rope_theta": 3e4}}
        if kind == "laguna":
            sets = {"full_attention": sets["full_attention"]}
        model = from_config({"model_type": kind, "rope_theta": 7e5, "rope_parameters": sets})
        assert model.rotary("text", "full_attention").parameters["rope_theta"] == 7e5
        assert "rope_theta" in model.used


def test_bases_of_ultrabert():
    values = {"model_type": "ultrabert", "layer_types": ["sliding_attention", "full_attention"], "num_hidden_layers": 2}
    part = from_config({**values, "rope_theta": [2e4, 3e5]}).parts["text"]
    assert [part.rotaries[name].parameters["rope_theta"] for name in part.layers] == [2e4, 3e5]
    sets = {name: {"rope_type": "default"} for name in values["layer_types"]}
    model = from_config({**values, "rope_theta": 9e4, "rope_parameters": sets})
    assert "rope_theta" in model.ignored
    assert {one.parameters["rope_theta"] for one in model.parts["text"].rotaries.values()} == {10000.0}


@pytest.mark.parametrize("kind", ["esm", "clvp_encoder", "wav2vec2-bert", "wav2vec2-conformer", "seamless_m4t"])
def test_classes_without_rope_parameters(kind):
    switch = {"esm": "position_embedding_type", "clvp_encoder": "use_rotary_embedding"}
    values = {"model_type": kind, switch.get(kind, "position_embeddings_type"): kind == "clvp_encoder" or "rotary"}
    scaled = {**values, "rope_theta": 5e5, "rope_parameters": {"rope_type": "linear", "factor": 4.0}}
    (one,), (other,) = (from_config(file).parts.values() for file in (values, scaled))
    base = 5e5 if kind == "esm" else 10000.0
    assert other.rotaries["all"].parameters["rope_theta"] == base and other.rotaries["all"].inv_freq[0] == 1.0
    assert np.array_equal(one.rotaries["all"].inv_freq, other.rotaries["all"].inv_freq) == (kind != "esm")
    assert "rope_parameters.factor" in from_config(scaled).ignored or "rope_parameters" in from_config(scaled).ignored


@pytest.mark.parametrize("kind", ["olmo3", "gemma3_text", "modernbert"])
def test_truncate_beside_the_layer_types_of_two_bases_is_read(kind):
    scaled = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 1000, "rope_theta": 5e5}

    def frequencies(**beside):
        sets = {"full_attention": scaled, "sliding_attention": {"rope_type": "default"}, **beside}
        values = {"model_type": kind, "rope_parameters": sets}
        return from_config(values).rotary("text", "full_attention").inv_freq

    assert not np.array_equal(frequencies(truncate=False), frequencies())
    assert np.array_equal(frequencies(truncate=True), frequencies())


def test_the_part_that_is_rotated_with_a_scaling():
    scaled = {"rope_type": "linear", "factor": 4.0}
    for kind, plain, with_scaling in (("moonshine_streaming", 32, 40), ("mimo_v2_flash", 64, 192)):
        sets = dict.fromkeys(("full_attention", "sliding_attention"), scaled) if "mimo" in kind else scaled
        (part,) = from_config({"model_type": kind}).parts.values()
        assert {one.rotary_dim for one in part.rotaries.values()} == {plain}
        (part,) = from_config({"model_type": kind, "rope_parameters": sets}).parts.values()
        assert {one.rotary_dim for one in part.rotaries.values()} == {with_scaling}
