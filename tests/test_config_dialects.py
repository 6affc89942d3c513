"""Configurations of litgpt, Megatron-LM, TensorRT-LLM and open_clip; folders of diffusers and sentence-transformers."""

import json
import math

import numpy as np
import pytest
from test_config_hostile import HOSTILE
from test_config_hostile import check as outcomes
from test_params_json import LLAMA_3_1, plain, scaled

import refpos
from refpos.errors import InputError

OF_LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
LITGPT = {
    "name": "Llama-3.1-8B", "n_layer": 4, "n_head": 32, "n_embd": 4096, "head_size": None, "rotary_percentage": 1.0,
    "rope_base": 500000, "rope_condense_ratio": 1, "rope_adjustments": {**OF_LLAMA3, "original_max_seq_len": 8192},
    "rope_interleave": False, "rope_local_base_freq": None, "rope_indices": None, "latent_attention": None,
}  # fmt: skip
PLAIN_LITGPT = {**LITGPT, "rope_adjustments": None, "rope_base": 10000}
MEGATRON = {
    "position_embedding_type": "rope", "num_layers": 8, "hidden_size": 4096, "num_attention_heads": 32,
    "kv_channels": None, "rotary_percent": 1.0, "rotary_base": 500000, "rotary_interleaved": False,
    "rotary_seq_len_interpolation_factor": None, "use_rope_scaling": False, "rope_scaling_factor": 8.0,
    "no_rope_freq": None, "apply_rope_fusion": True, "multi_latent_attention": False, "max_position_embeddings": 8192,
    "relative_attention_num_buckets": 32, "relative_attention_max_distance": 128, "mrope_section": None,
    "rotary_scaling_factor": 1.0, "mscale": 1.0, "mscale_all_dim": 0.0,
}  # fmt: skip
YARN = {
    "yarn_rotary_scaling_factor": 32.0, "yarn_original_max_position_embeddings": 4096, "yarn_beta_fast": 32.0,
    "yarn_beta_slow": 1.0, "yarn_mscale": 0.707, "yarn_mscale_all_dim": 0.0,
    "yarn_correction_range_round_to_int": False,
}  # fmt: skip
LLAMA = {
    "architecture": "LlamaForCausalLM", "dtype": "bfloat16", "hidden_size": 4096, "num_hidden_layers": 32,
    "num_attention_heads": 32, "head_size": 128, "position_embedding_type": "rope_gpt_neox", "rotary_base": 500000.0,
    "rotary_scaling": None, "max_position_embeddings": 131072, "quantization": {"quant_algo": "FP8"},
}  # fmt: skip
GPT = {**LLAMA, "architecture": "GPTForCausalLM"}
GPTJ = {**LLAMA, "architecture": "GPTJForCausalLM", "head_size": None, "position_embedding_type": "rope_gptj",
        "rotary_base": 10000.0, "rotary_dim": 64}  # fmt: skip
CLIP = {
    "embed_dim": 512, "vision_cfg": {"image_size": 224, "layers": 12, "width": 768, "patch_size": 32},
    "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 512, "heads": 8, "layers": 12},
}  # fmt: skip


def yarn(width, base, factor, trained, truncate):
    """YaRN as Megatron-core 0.16.1 and TensorRT-LLM compute it, in plain float64, with ends at 32 and 1 rotations."""
    ends = [width * math.log(trained / (turns * 2 * math.pi)) / (2 * math.log(base)) for turns in (32, 1)]
    low, high = (math.floor(ends[0]), math.ceil(ends[1])) if truncate else ends
    low, high = max(low, 0), min(high, width - 1)
    ramp = np.clip((np.arange(width // 2) - low) / (high - low), 0, 1)
    return plain(width, base) * (1 - ramp) + plain(width, base) / factor * ramp


def mscale(factor, number):
    return 0.1 * number * math.log(factor) + 1


def check(values, expected, pairing="half", factor=1.0, layer_type=None):
    rotary = refpos.from_config(values).rotary(layer_type=layer_type)
    assert rotary.pairing == pairing and rotary.rotary_dim == 2 * len(expected)
    assert np.abs(rotary.inv_freq / expected - 1).max() < 1e-14
    assert abs(rotary.attention_factor / factor - 1) < 1e-15
    return rotary


# -- litgpt 0.5.13 ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, plain(128, 1e4)),
        ({"rope_base": 1000000, "rotary_percentage": 0.25}, plain(32, 1e6)),
        ({"head_size": 80, "rotary_percentage": 0.5}, plain(40, 1e4)),
        ({"rope_base": None}, plain(128, 1e4)),
        ({"rope_condense_ratio": 4}, plain(128, 1e4) / 4),
        ({"rope_adjustments": {}}, plain(128, 1e4)),
        ({"rope_adjustments": {"factor": 8.0}}, plain(128, 1e4) / 8),
        ({"rope_adjustments": {"factor": 8.0}, "rope_condense_ratio": 2}, plain(128, 1e4) / 16),
        ({"rope_adjustments": LITGPT["rope_adjustments"], "rope_base": 500000}, scaled(plain(128, 5e5), 8, 4)),
    ],
)
def test_frequencies_of_litgpt(more, expected):
    rotary = check({**PLAIN_LITGPT, **more}, expected)
    assert not rotary.deinterleaved and refpos.from_config({**PLAIN_LITGPT, **more}).unread == {}


def test_channels_of_litgpt():
    rotary = check({**PLAIN_LITGPT, "rope_interleave": True}, plain(128, 1e4), "interleaved")
    assert rotary.deinterleaved  # apply_rope_interleave returns the first channels of all pairs, then the second ones


def test_two_bases_of_litgpt():
    values = {**PLAIN_LITGPT, "rope_adjustments": {"factor": 8.0}, "rope_base": 1000000, "rope_local_base_freq": 10000}
    model = refpos.from_config({**values, "rope_indices": [1, 1, 0, 1, 0]})
    assert model.parts["text"].layers == ("sliding_attention",) * 2 + ("full_attention", "sliding_attention")
    check({**values, "rope_indices": [1, 1, 0, 1]}, plain(128, 1e6) / 8, layer_type="full_attention")
    check({**values, "rope_indices": [1, 1, 0, 1]}, plain(128, 1e4), layer_type="sliding_attention")
    assert refpos.from_config(values).parts["text"].rotaries.keys() == {"sliding_attention"}


def test_a_model_of_litgpt_means_the_same_as_that_of_meta_but_for_the_layout():
    differences = refpos.same_encoding({**LITGPT, "n_layer": 32}, LLAMA_3_1).differences
    assert [one.what for one in differences] == ["layout of q and k"]


@pytest.mark.parametrize(
    ("more", "argument", "words"),
    [
        ({"rope_adjustments": {"factor": 4.0, "beta_fast": 32, "beta_slow": 1, "original_max_seq_len": 4096}},
         "beta_fast", "reverse of the paper"),
        ({"rope_adjustments": {"factor": 4.0, "original_max_seq_len": 4096}}, "rope_adjustments", "alone or with"),
        ({"rope_adjustments": {"factor": 4.0, "mscale_all_dim": 1.0}}, "rope_adjustments", "alone or with"),
        ({"rope_adjustments": 8}, "rope_adjustments", "an object, got 8"),
        ({"latent_attention": {"qk_rope_head_dim": 64}}, "latent_attention", "config.json"),
        ({"rope_indices": [1, 1, 1, 1]}, "rope_indices", "without rope_local_base_freq"),
        ({"rope_local_base_freq": 1e4, "rope_indices": [1]}, "rope_indices", "4 numbers, got 1"),
        ({"rope_local_base_freq": 1e4, "rope_indices": [1, 0, 2, 1]}, "rope_indices", "0 and 1, got 2"),
        ({"rotary_percentage": 0}, "rotary_percentage", "greater than 0"),
        ({"rotary_percentage": 1.5}, "rotary_percentage", "at most 1"),
        ({"rotary_percentage": 0.01}, "rotary_percentage", "at least 2"),
        ({"head_size": 50, "rotary_percentage": 0.5}, "rotary_percentage", "even, got 25"),
        ({"n_head": 33}, "n_embd", "a multiple of n_head"),
    ],
)  # fmt: skip
def test_what_is_refused_of_litgpt(more, argument, words):
    assert refused({**PLAIN_LITGPT, **more}, words) == argument


def refused(values, words):
    """The argument of the error, whose sentence has these words."""
    with pytest.raises(InputError, match=words) as caught:
        refpos.from_config(values)
    return caught.value.argument


# -- Megatron-LM and NeMo ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, plain(128, 5e5)),
        ({"kv_channels": 64, "rotary_percent": 0.5}, plain(32, 5e5)),
        ({"rotary_base": None}, plain(128, 1e4)),
        ({"use_rope_scaling": True}, scaled(plain(128, 5e5), 8, 4)),
        ({"seq_len_interpolation_factor": 4}, plain(128, 5e5) / 4),
        ({"use_rope_scaling": True, "seq_len_interpolation_factor": 4}, scaled(plain(128, 5e5), 8, 4) / 4),
        ({"rotary_percent": None, "rotary_percentage": 0.5}, plain(64, 5e5)),
    ],
)
def test_frequencies_of_megatron(more, expected):
    check({**MEGATRON, **more}, expected)
    assert refpos.from_config({**MEGATRON, **more}).unread == {}


def test_channels_and_layers_of_megatron():
    check({**MEGATRON, "rotary_interleaved": True}, plain(128, 5e5), "interleaved")
    assert refpos.from_config({**MEGATRON, "no_rope_freq": 4}).parts["text"].without_rope == (3, 7)
    listed = refpos.from_config({**MEGATRON, "no_rope_freq": [1, 0] * 4}).parts["text"]
    assert listed.without_rope == (0, 2, 4, 6)
    assert refpos.from_config({**MEGATRON, "no_rope_freq": 1}).parts["text"].rotaries == {}


@pytest.mark.parametrize(("first", "second"), [(0.707, 0.0), (1.0, 1.0), (0.5, 1.0)])
@pytest.mark.parametrize("truncate", [True, False])
def test_yarn_of_megatron(first, second, truncate):
    numbers = {"yarn_mscale": first, "yarn_mscale_all_dim": second, "yarn_correction_range_round_to_int": truncate}
    values = {**MEGATRON, "position_embedding_type": "yarn", "rotary_base": 150000, **YARN, **numbers}
    factor = mscale(32, first) / mscale(32, second)
    check({**values, "rotary_percent": 0.5}, yarn(128, 150000, 32, 4096, truncate), factor=factor)
    assert refpos.from_config(values).unread == {}


def test_the_table_of_megatron():
    values = {**MEGATRON, "position_embedding_type": "learned_absolute"}
    table = refpos.from_config(values).encoding()
    assert table.parameters["shape"] == [8192, 4096] and refpos.from_config(values).unread == {}
    assert (
        eval(table.call, {"refpos": refpos, "weight": np.eye(8192, 2), "length": 3}).tolist() == np.eye(3, 2).tolist()
    )
    assert refpos.from_config({**values, "encoder_seq_length": 512}).encoding().parameters["shape"] == [512, 4096]


@pytest.mark.parametrize(
    ("more", "argument", "words"),
    [
        ({"position_embedding_type": "mrope"}, "position_embedding_type", "one of learned_absolute, rope, yarn"),
        ({"position_embedding_type": "none"}, "position_embedding_type", "got 'none'"),
        ({"use_rope_scaling": True, "rope_scaling_factor": 32}, "rope_scaling_factor", "differ in whether"),
        ({"rotary_seq_len_interpolation_factor": 2}, "rotary_seq_len_interpolation_factor", "differ in whether"),
        ({"multi_latent_attention": True}, "multi_latent_attention", "keys of its own"),
        ({"scale_positional_embedding": True}, "scale_positional_embedding", "constants of its code"),
        ({"rope_scaling": True}, "rope_scaling", "use_rope_scaling"),
        ({"no_rope_freq": 3}, "no_rope_freq", "divide num_layers, 8, got 3"),
        ({"no_rope_freq": [1, 0]}, "no_rope_freq", "8 numbers"),
        ({"no_rope_freq": [1, 2] * 4}, "no_rope_freq", "8 numbers"),
        ({"no_rope_freq": "([0]*3+[1])*2"}, "no_rope_freq", "an integer"),
        ({"rotary_percent": 0.5, "rotary_percentage": 0.25}, "rotary_percentage", "agree with"),
        ({"rotary_interleaved": "yes"}, "rotary_interleaved", "true or false"),
        ({"position_embedding_type": "yarn"}, "yarn_rotary_scaling_factor", "must be given"),
        ({"position_embedding_type": "yarn", **YARN, "rotary_interleaved": True}, "rotary_interleaved", "false with"),
        ({"position_embedding_type": "learned_absolute", "use_rotary_position_embeddings": True},
         "position_embedding_type", "agree"),
        ({"position_embedding_type": "learned_absolute", "add_position_embedding": False},
         "position_embedding_type", "agree"),
    ],
)  # fmt: skip
def test_what_is_refused_of_megatron(more, argument, words):
    assert refused({**MEGATRON, **more}, words) == argument


def test_a_key_of_megatron_that_nothing_reads_is_named():
    assert refpos.from_config({**MEGATRON, "rope_theta_of_a_fork": 3}).unread.keys() == {"rope_theta_of_a_fork"}


# -- TensorRT-LLM -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "expected", "pairing"),
    [
        (LLAMA, plain(128, 5e5), "half"),
        ({**LLAMA, "head_size": None, "rotary_base": None, "rotary_embedding_dim": 128}, plain(128, 1e4), "half"),
        ({**LLAMA, "rotary_scaling": {"type": "linear", "factor": 4}}, plain(128, 5e5) / 4, "half"),
        ({**LLAMA, "rotary_scaling": {"type": "llama3"}}, scaled(plain(128, 5e5), 8, 4), "half"),
        ({**LLAMA, "rotary_scaling": {"rope_type": "llama3", **OF_LLAMA3, "factor": 32}},
         scaled(plain(128, 5e5), 32, 4), "half"),
        ({**GPT, "rotary_pct": 0.25}, plain(32, 5e5), "half"),
        ({**GPT, "position_embedding_type": "rope_gptj"}, plain(128, 5e5), "interleaved"),
        (GPTJ, plain(64, 1e4), "interleaved"),
        ({**LLAMA, "architecture": "QWenForCausalLM"}, plain(128, 5e5), "half"),
    ],
)  # fmt: skip
def test_frequencies_of_tensorrt_llm(values, expected, pairing):
    check(values, expected, pairing)
    check({"version": "1.0", "pretrained_config": values, "build_config": {"max_seq_len": 8192}}, expected, pairing)
    assert refpos.from_config(values).unread == {}


@pytest.mark.parametrize(("first", "second"), [(None, None), (0.707, 0.707), (0.5, None)])
def test_yarn_of_tensorrt_llm(first, second):
    scaling = {"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096}
    scaling |= {} if first is None else {"mscale": first}
    scaling |= {} if second is None else {"mscale_all_dim": second}
    factor = mscale(40, first or 1.0) / mscale(40, second or 0.0)
    rotary = check({**LLAMA, "rotary_scaling": scaling}, yarn(128, 5e5, 40, 4096, True), factor=factor)
    assert rotary.parameters["rope_type"] == "yarn"


def test_other_encodings_of_tensorrt_llm():
    table = refpos.from_config({**GPT, "position_embedding_type": "learned_absolute"})
    assert table.encoding().parameters["shape"] == [131072, 4096] and table.unread == {}
    bloom = {**LLAMA, "architecture": "BloomForCausalLM", "position_embedding_type": "alibi"}
    hf = refpos.from_config({"model_type": "bloom", "n_head": 32, "hidden_size": 4096}).encoding()
    assert refpos.from_config(bloom).encoding().call == hf.call and "32" in hf.call


@pytest.mark.parametrize(
    ("values", "argument", "words"),
    [
        ({**LLAMA, "architecture": "Gemma3ForCausalLM"}, "architecture", "known classes"),
        ({**LLAMA, "position_embedding_type": "rope_gptj"}, "position_embedding_type", "one of rope_gpt_neox, got"),
        ({**LLAMA, "position_embedding_type": None}, "position_embedding_type", "got None"),
        ({**LLAMA, "rotary_pct": 0.5}, "rotary_pct", "128 of 128"),
        ({**LLAMA, "rotary_embedding_dim": 64}, "rotary_embedding_dim", "must be 128"),
        ({**LLAMA, "rope_local_base_freq": 1e4}, "rope_local_base_freq", "left out"),
        ({**LLAMA, "rotary_scaling": {"type": "dynamic", "factor": 2}}, "rope_type", "linear, llama3, yarn, got 'dyn"),
        ({**LLAMA, "rotary_scaling": {"type": "linear", "rope_type": "yarn"}}, "type", "agree with"),
        ({**GPT, "position_embedding_type": "mrope"}, "position_embedding_type", "got 'mrope'"),
        ({**GPTJ, "rotary_base": 5e5}, "rotary_base", "does not read it"),
        ({**GPTJ, "rotary_scaling": {"type": "linear", "factor": 2}}, "rotary_scaling", "does not read it"),
        ({**GPTJ, "rotary_dim": None}, "rotary_dim", "must be given"),
        ({**GPTJ, "rotary_dim": 63}, "rotary_dim", "even"),
    ],
)
def test_what_is_refused_of_tensorrt_llm(values, argument, words):
    assert refused(values, words) == argument


# -- open_clip --------------------------------------------------------------------------------------------------------


def test_the_tables_of_open_clip():
    model = refpos.from_config({"model_cfg": CLIP, "preprocess_cfg": {"mean": [0.5]}})
    text, vision = model.encoding("text"), model.encoding("vision")
    assert text.parameters["shape"] == [77, 512] and text.parameters["tensor"] == "positional_embedding"
    assert vision.parameters["shape"] == [50, 768] and vision.parameters["grid"] == [7, 7]
    assert "antialias=True" in vision.resize and model.unread == {}
    coca = {**CLIP, "custom_text": True, "text_cfg": {"context_length": 76, "embed_cls": True}, "multimodal_cfg": {}}
    model = refpos.from_config(coca)
    assert model.encoding("text").parameters["shape"] == [77, 512] and model.unread.keys() == {"multimodal_cfg"}
    assert model.encoding("text").parameters["tensor"] == "text.positional_embedding"


@pytest.mark.parametrize(
    ("vision", "words"),
    [
        ({"timm_model_name": "vit_base_patch16_siglip_224"}, "timm"),
        ({"layers": [3, 4, 6, 3], "width": 64, "patch_size": None}, "ResNet"),
        ({"pos_embed_type": "sin_cos_2d"}, "sin_cos_2d"),
    ],
)
def test_towers_of_open_clip_that_are_not_described_are_named(vision, words):
    model = refpos.from_config({**CLIP, "vision_cfg": {**CLIP["vision_cfg"], **vision}})
    assert [one.part for one in model.encodings] == ["text"] and words in model.unread["vision_cfg"]
    text = {"hf_model_name": "roberta-base"}
    assert "transformers" in refpos.from_config({**CLIP, "text_cfg": text}).unread["text_cfg"]


# -- folders ----------------------------------------------------------------------------------------------------------


def write(path, values):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(values if isinstance(values, str) else json.dumps(values))


BERT = {"model_type": "bert", "hidden_size": 384}


def test_a_folder_of_sentence_transformers(tmp_path):
    write(tmp_path / "modules.json", [{"idx": 0, "name": "0", "path": "0_Transformer", "type": "Transformer"}])
    write(tmp_path / "0_Transformer" / "config.json", BERT)
    assert refpos.from_config(tmp_path).encoding().parameters["shape"] == [512, 384]
    for path in ("../0_Transformer", "..", "", None, "a/b"):
        write(tmp_path / "modules.json", [{"path": path}])
        with pytest.raises(InputError, match="folders beside it"):
            refpos.from_config(tmp_path)
    for text, words in (("{}", "a list"), ("[", "JSON"), ("[]", "folders beside it"), ("[3]", "folders beside it")):
        write(tmp_path / "modules.json", text)
        with pytest.raises(InputError, match=words):
            refpos.from_config(tmp_path)


FLUX = {"_class_name": "FluxTransformer2DModel", "attention_head_dim": 128, "axes_dims_rope": [16, 56, 56]}
INDEX = {
    "_class_name": "FluxPipeline", "_diffusers_version": "0.30.0", "scheduler": ["diffusers", "EulerScheduler"],
    "text_encoder": ["transformers", "CLIPTextModel"], "text_encoder_2": ["transformers", "T5EncoderModel"],
    "transformer": ["diffusers", "FluxTransformer2DModel"], "vae": ["diffusers", "AutoencoderKL"],
    "feature_extractor": [None, None],
}  # fmt: skip


def pipeline(folder, **components):
    write(folder / "model_index.json", INDEX)
    write(folder / "scheduler" / "scheduler_config.json", {})
    for name, values in components.items():
        write(folder / name / "config.json", values)
    return folder


def test_a_pipeline_of_diffusers(tmp_path):
    folder = pipeline(
        tmp_path, transformer=FLUX, vae={"_class_name": "AutoencoderKL"},
        text_encoder={"model_type": "clip_text_model", "hidden_size": 768}, text_encoder_2={"model_type": "t5"},
    )  # fmt: skip
    for source in (folder, folder / "model_index.json"):
        model = refpos.from_config(source)
        assert model.rotary("transformer").inv_freq.tolist() == refpos.from_config(FLUX).rotary().inv_freq.tolist()
        assert {one.part for one in model.encodings} >= {"text_encoder"} and model.model_type == "FluxPipeline"
        assert [one.part for one in model.encodings if one.name == "t5_bias"] == ["text_encoder_2.encoder"]
        assert "AutoencoderKL" in model.unread["vae"]
        (times,) = (one for one in model.encodings if one.name == "timestep_embedding")
        assert times.part == "transformer" and times.parameters["dim"] == 256
        assert "transformer.axes_dims_rope" in model.used


def test_a_component_that_is_wrong_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"^transformer: axes_dims_rope"):
        refpos.from_config(pipeline(tmp_path, transformer={**FLUX, "axes_dims_rope": [16, 56, 57]}))
    with pytest.raises(InputError, match="a component must have an encoding"):
        refpos.from_config(pipeline(tmp_path, transformer={"_class_name": "Transformer2DModel"}))


def test_the_u_net_of_a_pipeline(tmp_path):
    write(tmp_path / "model_index.json", {**INDEX, "unet": ["diffusers", "UNet2DConditionModel"]})
    write(tmp_path / "unet" / "config.json", {"_class_name": "UNet2DConditionModel"})
    model = refpos.from_config(tmp_path)
    assert [(one.part, one.name) for one in model.encodings] == [("unet", "timestep_embedding")] and not model.parts


def test_a_configuration_of_timm_names_no_encoding():
    with pytest.raises(InputError, match="of timm names an architecture, and no encoding, got None"):
        refpos.from_config({"architecture": "vit_base_patch16_224", "num_classes": 1000, "pretrained_cfg": {}})


def test_yaml_is_refused_with_the_way_to_read_it(tmp_path):
    write(tmp_path / "model_config.yaml", "n_embd: 4096\nrotary_percentage: 1.0\n")
    for source in (tmp_path, tmp_path / "model_config.yaml"):
        with pytest.raises(InputError, match=r"yaml\.safe_load"):
            refpos.from_config(source)


# -- files that nobody would publish ----------------------------------------------------------------------------------

FILES = {
    "litgpt": {**LITGPT, "rope_local_base_freq": 1e4, "rope_indices": [1, 1, 0, 1]},
    "megatron": {**MEGATRON, "no_rope_freq": 4, "use_rope_scaling": True, "seq_len_interpolation_factor": 2},
    "megatron yarn": {**MEGATRON, "position_embedding_type": "yarn", **YARN},
    "megatron table": {**MEGATRON, "position_embedding_type": "learned_absolute"},
    "tensorrt-llm": {**LLAMA, "rotary_scaling": {"type": "llama3", **OF_LLAMA3}},
    "tensorrt-llm yarn": {**GPT, "rotary_pct": 0.5, "rotary_scaling": {"type": "yarn", "factor": 4.0}},
    "tensorrt-llm engine": {"pretrained_config": GPTJ},
    "open_clip": {"model_cfg": CLIP},
    "pipeline": {"_class_name": "FluxPipeline", "transformer": FLUX, "text_encoder": BERT},
}


def changed(values):
    """The file with each key, of inner objects too, in turn replaced by each hostile value."""
    for name, inner in values.items():
        yield from ({**values, name: hostile} for hostile in HOSTILE)
        if isinstance(inner, dict):
            yield from ({**values, name: other} for other in changed(inner))


@pytest.mark.parametrize("name", FILES)
def test_hostile_values_are_read_or_refused(name):
    assert refpos.from_config(FILES[name]).used
    seen = outcomes(changed(FILES[name]))
    assert seen["read"] and sum(seen.values()) > 100 and len(seen) > 2


# -- NeMo 2 -----------------------------------------------------------------------------------------------------------

LLAMA_31_8B = "nemo.collections.llm.gpt.model.llama.Llama31Config8B"


@pytest.mark.parametrize(
    "values, received",
    [
        ({"_target_": LLAMA_31_8B, **MEGATRON}, f"got _target_ {LLAMA_31_8B} of NeMo 2"),
        ({"_target_": "nemo.collections.llm.gpt.model.llama.LlamaModel", "config": {"_target_": LLAMA_31_8B}},
         "got _target_ nemo.collections.llm.gpt.model.llama.LlamaModel of NeMo 2"),
        ({"objects": {}, "root": {}, "refcounts": {}, "version": "0.0.1"},
         "got the keys objects, refcounts, root, version of NeMo 2"),
    ],
)  # fmt: skip
def test_the_content_of_files_of_nemo_2_is_refused(values, received):
    """Its class multiplies frequencies by the factor of Llama 3.1, of which the arguments say nothing."""
    with pytest.raises(refpos.FileError, match=received) as error:
        refpos.from_config(values)
    assert error.value.code == "E_FILE" and "give the config.json that NeMo exports" in str(error.value)


def test_arguments_of_megatron_with_a_target_of_another_project_are_read():
    model = refpos.from_config({"_target_": "megatron.core.GPTModel", **MEGATRON})
    assert model.rotary().parameters["rope_theta"] == 500000


@pytest.mark.parametrize("source", ["", "context", "context/io.json", "context/model.yaml"])
def test_folders_of_nemo_2_are_refused(tmp_path, source):
    context = tmp_path / "context"
    context.mkdir()
    (context / "io.json").write_text(json.dumps({"objects": {}, "root": {}, "refcounts": {}, "version": "0.0.1"}))
    (context / "model.yaml").write_text(f"_target_: {LLAMA_31_8B}\n")
    with pytest.raises(refpos.FileError, match="of NeMo 2, whose classes hold the base and the scaling"):
        refpos.from_config(tmp_path / source)
    (context / "config.json").write_text(json.dumps({"model_type": "llama"}))  # of an export into the same folder
    assert source != "context" or refpos.from_config(tmp_path / source).model_type == "llama"
