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


@pytest.mark.parametrize("kind", ["olmo3", "gemma3_text"])
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


# -- one set or one for each layer type -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["gpt_oss", "apertus", "cwm", "ministral3", "muse_spark_text"])
def test_an_empty_object_of_rope_parameters_is_no_missing_one(kind):
    """transformers takes the scaling of the class for null and for no key alone."""
    empty = from_config({"model_type": kind, "rope_parameters": {}, "rope_theta": 4242.0})
    (own,) = empty.parts["text"].rotaries.values()
    assert own.inv_freq.tolist() == refpos.inverse_frequencies(own.rotary_dim, base=4242.0).inv_freq.tolist()
    assert own.parameters["rope_type"] == "default" and own.attention_factor == 1
    missing = ({}, {"rope_parameters": None}, {"rope_scaling": {}})
    classes = [from_config({"model_type": kind, **more}) for more in missing]
    (first, *others) = (next(iter(one.parts["text"].rotaries.values())) for one in classes)
    assert all(other.inv_freq.tolist() == first.inv_freq.tolist() for other in others)


def test_an_empty_object_is_refused_where_each_layer_type_has_a_set():
    with pytest.raises(InputError, match="an object for each layer type, got no key"):
        from_config({"model_type": "gemma4_text", "rope_parameters": {}})


@pytest.mark.parametrize("kind", ["bamba", "mllama_text_model", "mistral_large4_text", "qwen4_exp_text", "smollm3"])
def test_a_set_for_each_layer_type_is_refused_where_the_code_reads_one(kind):
    sets = {f"{name}_attention": {"rope_type": "default", "rope_theta": base} for name, base in (("full", 1e4),
            ("sliding", 5e5), ("linear", 1e4), ("cross", 1e4))}  # fmt: skip
    for spelling in ("rope_parameters", "rope_scaling"):
        with pytest.raises(InputError, match="must be one set for all layers, got one for each of full_attention"):
            from_config({"model_type": kind, spelling: sets})


# -- widths -----------------------------------------------------------------------------------------------------------

YARN_OF_16 = {"rope_type": "yarn", "factor": 16.0, "original_max_position_embeddings": 8192}


@pytest.mark.parametrize(
    "values, width",
    [
        ({"model_type": "ernie4_5", "head_dim": None}, 64),
        ({"model_type": "afmoe", "head_dim": None, "hidden_size": 1024}, 64),
        ({"model_type": "dots3_note_audio_encoder", "head_dim": 96}, 32),
        ({"model_type": "wav2vec2-conformer", "position_embeddings_type": "rotary", "head_dim": 96}, 64),
        ({"model_type": "glm4_moe_lite", "qk_rope_head_dim": 8, "head_dim": 8}, 8),
        ({"model_type": "glm4_moe_lite", "head_dim": 8}, 8),
        ({"model_type": "deepseek_v3", "head_dim": None, "hidden_size": 1024, "num_attention_heads": 16}, 64),
        ({"model_type": "axk1", "head_dim": None, "hidden_size": 1024, "num_attention_heads": 16}, 64),
        ({"model_type": "youtu", "head_dim": None, "hidden_size": 1024, "num_attention_heads": 16}, 64),
        ({"model_type": "deepseek_v2", "head_dim": None}, 64),
        ({"model_type": "mistral4", "rope_parameters": YARN_OF_16}, 64),
        ({"model_type": "mistral4", "rope_parameters": {"rope_type": "default"}, "qk_nope_head_dim": 0}, 64),
        ({"model_type": "mistral4", "rope_scaling": {**YARN_OF_16, "partial_rotary_factor": 0.5}}, 64),
    ],
)
def test_widths_of_keys_that_some_classes_read_otherwise(values, width):
    (rotary,) = next(iter(from_config(values).parts.values())).rotaries.values()
    assert rotary.rotary_dim == width


@pytest.mark.parametrize(
    "values, code, words",
    [
        ({"model_type": "gpt_oss", "head_dim": None}, "E_NUMBER", "head_dim of gpt_oss must be a number, got None"),
        ({"model_type": "jetmoe", "kv_channels": None}, "E_NUMBER", "must be a number, got None"),
        ({"model_type": "phi", "partial_rotary_factor": None}, "E_NUMBER", "of phi must be a number, got None"),
        ({"model_type": "gpt_neox", "rotary_pct": None}, "E_NUMBER", "rotary_pct of gpt_neox must be a number"),
        ({"model_type": "glm", "rope_parameters": {"partial_rotary_factor": None}}, "E_NUMBER",
         "rope_parameters.partial_rotary_factor must be a number, got None"),
        ({"model_type": "longcat_flash", "qk_rope_head_dim": 48}, "E_ROTARY_DIM", "head_dim must be 48, got 64"),
        *(({"model_type": kind, "head_dim": None}, "E_ROTARY_DIM", f"head_dim null means, must be 64, got {width}$")
          for kind, width in (("axk1", 112), ("deepseek_v3", 56), ("youtu", 128))),
        *(({"model_type": kind, "head_dim": None}, "E_NUMBER", f"head_dim of {kind} must be a number, got None")
          for kind in ("glm4_moe_lite", "longcat_flash", "mistral4", "dots3_note_text", "axk2", "bailing_hybrid",
                       "deepseek_v32", "glm_moe_dsa", "hy_v4", "mistral_large4_text")),
        *(({"model_type": "zamba2", "use_mem_rope": True, name: None}, "E_NUMBER", "of zamba2 must be a number")
          for name in ("head_dim", "attention_head_dim")),
        *(({"model_type": "deepseek_v2", name: None}, "E_NUMBER", f"^{name} of deepseek_v2 must be a number, got None")
          for name in ("qk_rope_head_dim", "qk_nope_head_dim")),
        ({"model_type": "mistral4", "rope_scaling": YARN_OF_16}, "E_ROTARY_DIM", "must be given with this spelling"),
        ({"model_type": "mistral4", "rope_parameters": {"rope_type": "default"}}, "E_ROTARY_DIM", "64, got 128"),
        ({"model_type": "mistral4", "rope_parameters": {**YARN_OF_16, "partial_rotary_factor": 0.25}}, "E_ROTARY_DIM",
         "64, got 32, of rope_parameters.partial_rotary_factor 0.25"),
        ({"model_type": "mistral4", "rope_parameters": {**YARN_OF_16, "partial_rotary_factor": 0.495}}, "E_ODD_DIM",
         "rotary width must be even, got 63"),
        ({"model_type": "mistral4", "rope_parameters": {**YARN_OF_16, "partial_rotary_factor": None}}, "E_NUMBER",
         "rope_parameters.partial_rotary_factor must be a number, got None"),
        ({"model_type": "dbrx", "max_position_embeddings": 8192, "rope_scaling": {"type": "yarn", "factor": 4.0}},
         "E_MISSING", "original_max_position_embeddings must be given where max_seq_len is called"),
    ],
)  # fmt: skip
def test_a_width_or_length_that_the_code_cannot_use_is_refused(values, code, words):
    with pytest.raises(InputError, match=words) as error:
        from_config(values)
    assert error.value.code == code


def test_a_share_of_mistral4_that_is_cut_to_an_odd_width_has_the_frequencies_of_that_width():
    scaling = {"rope_type": "linear", "factor": 4.0, "partial_rotary_factor": 0.495}
    rotary = from_config({"model_type": "mistral4", "rope_parameters": scaling}).rotary()
    plain = refpos.inverse_frequencies(64, exponent_dim=63)
    assert rotary.inv_freq.tolist() == (plain.inv_freq / 4).tolist()


def test_a_share_beside_rope_parameters_of_mistral4_is_not_read():
    model = from_config({"model_type": "mistral4", "rope_parameters": YARN_OF_16, "partial_rotary_factor": 0.25})
    assert "partial_rotary_factor" in model.ignored and model.rotary().rotary_dim == 64


def test_a_null_that_no_class_reads_does_no_harm():
    for kind, name in (("llama", "partial_rotary_factor"), ("bamba", "partial_rotary_factor"), ("llama", "head_dim"),
                       ("gpt_neox", "partial_rotary_factor")):  # fmt: skip
        with_null, plain = (from_config({"model_type": kind, **more}).rotary() for more in ({name: None}, {}))
        assert with_null.inv_freq.tolist() == plain.inv_freq.tolist()


SECTIONS = {"mrope_section": [24, 20, 20]}
PLAIN = {"rope_type": "default"}
SETS = ("full_attention", "sliding_attention")


@pytest.mark.parametrize(
    "values, code, words",
    [
        ({"model_type": "lfm3", "rope_parameters": {}}, "E_NUMBER", "^rope_parameters must hold an object for each"),
        ({"model_type": "lfm3", "rope_scaling": PLAIN}, "E_NUMBER", "^rope_scaling must hold an object for each"),
        ({"model_type": "lfm3", "rope_parameters": {"full_attention": PLAIN, "sliding_attention": None}}, "E_NUMBER",
         "^rope_parameters.sliding_attention of lfm3 must be an object, got null$"),
        ({"model_type": "cosmos3_edge_text", "rope_parameters": {}}, "E_MISSING",
         "^rope_parameters.mrope_section of cosmos3_edge_text must be given, got none$"),
        ({"model_type": "cosmos3_edge_text", "rope_scaling": PLAIN, "mrope_section": [24, 20, 20]}, "E_MISSING",
         "^rope_scaling.mrope_section of cosmos3_edge_text must be given, got none$"),
        ({"model_type": "cosmos3_edge_text", "rope_scaling": {"type": "mrope", **SECTIONS}}, "E_CHOICE",
         "^type of cosmos3_edge_text must be 'default', got 'mrope'$"),
        ({"model_type": "cosmos3_edge_text", "head_dim": 64}, "E_SHAPE", "three numbers with the sum 32, got "),
        ({"model_type": "cosmos3_edge_text", "rope_parameters": {"mrope_section": [32, 32]}}, "E_SHAPE", "sum 64, got"),
        ({"model_type": "cohere2_moe", "rope_parameters": {}, "rope_theta": 5e5}, "E_NUMBER",
         "^rope_parameters.rope_theta must be given, got no key$"),
        ({"model_type": "cohere2_moe", "rope_parameters": PLAIN}, "E_NUMBER", "must be given, got only rope_type$"),
        ({"model_type": "cohere2_moe", "rope_parameters": None}, "E_NUMBER", "of cohere2_moe must be an object, got n"),
        ({"model_type": "gemma3_text", "rope_parameters": {}, "rope_scaling": {}}, "E_NUMBER",
         "^rope_parameters.full_attention must be an object beside rope_scaling, got none$"),
        ({"model_type": "ultrabert", "rope_theta": 5e5}, "E_NUMBER", "^rope_theta of ultrabert must be a list, got 5"),
        *(({"model_type": "gemma4_text", "rope_parameters": dict.fromkeys(SETS, PLAIN), "rope_scaling": given},
           "E_NUMBER", f"^rope_scaling replaces rope_parameters of gemma4_text, and must hold .*, got {received}$")
          for given, received in ((None, "null"), ({}, "no key"))),
    ],
)  # fmt: skip
def test_rope_parameters_that_lack_what_the_class_reads_are_refused(values, code, words):
    with pytest.raises(InputError, match=words) as error:
        from_config(values)
    assert error.value.code == code


@pytest.mark.parametrize(
    "values, base",
    [
        ({"model_type": "lfm3", "rope_scaling": {}}, 1e6),
        ({"model_type": "lfm3", "rope_theta": 4242.0, "rope_parameters": dict.fromkeys(
            ("full_attention", "sliding_attention"), PLAIN)}, 4242.0),
        ({"model_type": "cosmos3_edge_text", "rope_scaling": {}}, 1e8),
        ({"model_type": "cosmos3_edge_text", "rope_parameters": SECTIONS, "rope_theta": 4242.0}, 4242.0),
        ({"model_type": "cohere2_moe", "rope_parameters": {"rope_theta": 4242.0}}, 4242.0),
        ({"model_type": "dots3_note_text", "rope_parameters": {}, "rope_theta": 4242.0}, 4242.0),
        ({"model_type": "dots3_note_text", "rope_scaling": {}, "swa_rope_theta": 4242.0}, 4242.0),
        ({"model_type": "ultrabert", "rope_theta": [5e5, 4242.0], "layer_types": [*SETS]}, 4242.0),
        ({"model_type": "gemma4_text", "rope_parameters": dict.fromkeys(SETS, PLAIN),
          "rope_scaling": {name: {**PLAIN, "rope_theta": 4242.0} for name in SETS}}, 4242.0),
    ],
)  # fmt: skip
def test_rope_parameters_that_hold_what_the_class_reads(values, base):
    rotary = next(reversed(from_config(values).parts["text"].rotaries.values()))
    assert rotary.parameters["rope_theta"] == base


LINEAR = {"rope_type": "linear", "factor": 2.0, "rope_theta": 5e5}


@pytest.mark.parametrize("kind", ["modernbert", "modernbert-decoder", "neomme"])
def test_one_set_is_refused_where_the_class_refuses_it(kind):
    words = f"^rope_parameters of {kind} must hold full_attention and sliding_attention alone, got '(rope_t|truncate)"
    for inner in (LINEAR, {"full_attention": PLAIN, "rope_theta": 5e5}, {"full_attention": PLAIN, "truncate": False}):
        with pytest.raises(InputError, match=words):
            from_config({"model_type": kind, "rope_parameters": inner})
    from_config({"model_type": kind, "rope_parameters": {"full_attention": PLAIN}})


@pytest.mark.parametrize("kind", ["gemma3_text", "gemma3n_text", "olmo3", "t5gemma2_text", "t5gemma2_decoder"])
def test_one_set_is_under_ignored_where_the_class_accepts_it_and_reads_none(kind):
    read, plain = (from_config({"model_type": kind, **more}) for more in ({"rope_parameters": LINEAR}, {}))
    assert {f"rope_parameters.{name}" for name in LINEAR} <= read.ignored.keys()
    for layer_type, rotary in plain.parts["text"].rotaries.items():
        assert read.parts["text"].rotaries[layer_type].inv_freq.tolist() == rotary.inv_freq.tolist()


@pytest.mark.parametrize("spelling", ["rope_scaling", "rope_parameters"])
@pytest.mark.parametrize("kind, words", [("recurrent_gemma", "default"), ("phi3", "default or longrope"),
                                         ("phi4_multimodal", "default or longrope")])  # fmt: skip
def test_a_scaling_that_the_class_refuses(kind, words, spelling):
    with pytest.raises(InputError, match=f"^rope_type of {kind} must be {words}, got linear$"):
        from_config({"model_type": kind, spelling: LINEAR})


@pytest.mark.parametrize("spelling", ["rope_scaling", "rope_parameters"])
@pytest.mark.parametrize("kind", ["llama", "gpt_oss", "deepseek_v3", "gemma3_text"])
def test_yarn_without_its_factor_is_refused(kind, spelling):
    scaling = {"rope_type": "yarn", "rope_theta": 5e5, "original_max_position_embeddings": 1024}
    scaling = scaling if kind != "gemma3_text" or spelling == "rope_scaling" else {"full_attention": scaling}
    values = {"model_type": kind, spelling: scaling}
    with pytest.raises(InputError, match=r"^rope_.*[.]factor must be given, got only rope_type"):
        from_config(values)
    with pytest.raises(InputError, match=r"factor must be given"):
        refpos.same_encoding(values, {"model_type": kind, "rope_scaling": {**scaling, "factor": 4.0}})


def test_a_null_as_the_factor_of_yarn_is_the_ratio_of_the_lengths():
    lengths = {"original_max_position_embeddings": 1024}
    scalings = [{"rope_type": "yarn", "factor": factor, **lengths} for factor in (None, 4.0)]
    values = {"model_type": "llama", "max_position_embeddings": 4096}
    null, four = (from_config({**values, "rope_scaling": one}).rotary() for one in scalings)
    assert null.inv_freq.tolist() == four.inv_freq.tolist()
    assert null.attention_factor == four.attention_factor > 1


def test_alpha_is_read_by_the_classes_of_hunyuan_alone():
    scaling = {"type": "dynamic", "factor": 1.0, "alpha": 1000.0}
    base = refpos.inverse_frequencies(128).inv_freq.tolist()
    for kind, reads in (("hunyuan_v1_dense", True), ("hunyuan_v1_moe", True), ("llama", False), ("qwen2", False)):
        model = from_config({"model_type": kind, "rope_scaling": scaling})
        assert (model.rotary().inv_freq.tolist() != base) == reads
        assert ("rope_scaling.alpha" in model.used) == reads != ("rope_scaling.alpha" in model.ignored)


# -- heads of encodings that are no rotations -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values, place, shape",
    [
        ({"model_type": "prophetnet", "num_decoder_attention_heads": 32}, 2, [1024, 1024]),
        ({"model_type": "prophetnet", "num_attention_heads": 32}, 2, [512, 1024]),
        ({"model_type": "speecht5", "num_attention_heads": 24}, 0, [320, 32]),
        ({"model_type": "speecht5", "encoder_attention_heads": 24}, 0, [320, 32]),
        ({"model_type": "granite_speech5_encoder", "num_attention_heads": 16}, 0, [1025, 64]),
        ({"model_type": "granite_speech5_encoder", "head_dim": None, "hidden_size": 512}, 0, [1025, 64]),
        ({"model_type": "granite_speech5_encoder", "head_dim": 32}, 0, [1025, 32]),
    ],
)
def test_shapes_by_the_heads_that_the_code_reads(values, place, shape):
    assert from_config(values).encodings[place].parameters["shape"] == shape


@pytest.mark.parametrize(
    "found, words", [("rotary", "see rope$"), ("alibi", "see alibi$"), ("relative_key", "see relative_scores$")]
)
def test_a_refused_kind_of_positions_names_the_function_that_has_it(found, words):
    with pytest.raises(InputError, match=f"must be 'absolute', got '{found}': .*{words}"):
        from_config({"model_type": "bert", "position_embedding_type": found})


@pytest.mark.parametrize("kind", ["t5", "umt5", "mt5"])
def test_an_encoder_alone_has_no_bias_of_a_decoder(kind):
    names = ("T5Model", "T5EncoderModel")
    whole, alone = (from_config({"model_type": kind, "architectures": [name]}) for name in names)
    assert {one.part for one in whole.encodings} == {"encoder", "decoder"}
    assert [one.part for one in alone.encodings] == ["encoder"] and "architectures" in alone.used


# -- the first position -----------------------------------------------------------------------------------------------


def test_position_ids_of_paligemma_count_from_1():
    paligemma = {"model_type": "paligemma", "text_config": {"model_type": "gemma"}}
    first = {name: part.first_position for name, part in from_config(paligemma).parts.items()}
    assert first == {"text": 1} and from_config({"model_type": "gemma"}).parts["text"].first_position == 0
    assert from_config({"model_type": "colpali", "vlm_config": paligemma}).part().first_position == 1
    pi0 = {"model_type": "pi0", "vlm_config": paligemma, "dit_config": {"model_type": "gemma"}}
    assert {part.first_position for part in from_config(pi0).parts.values()} == {0}
