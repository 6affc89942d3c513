"""params.json of Meta and Mistral: the frequencies of the code that reads them, and what is refused."""

import json

import numpy as np
import pytest

import refpos
from refpos.errors import InputError

LLAMA_3_1 = {
    "dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8, "vocab_size": 128256, "ffn_dim_multiplier": 1.3,
    "multiple_of": 1024, "norm_eps": 1e-05, "rope_theta": 500000.0, "use_scaled_rope": True,
}  # fmt: skip
LLAMA_2 = {"dim": 4096, "multiple_of": 256, "n_heads": 32, "n_layers": 32, "norm_eps": 1e-05, "vocab_size": -1}
SCOUT = {
    "dim": 5120, "n_layers": 48, "n_heads": 40, "n_kv_heads": 8, "vocab_size": 202048, "ffn_dim_multiplier": 1.2,
    "multiple_of": 2048, "norm_eps": 1e-05, "rope_theta": 500000, "use_scaled_rope": True, "nope_layer_interval": 4,
    "attn_temperature_tuning": True, "attention_chunk_size": 8192, "use_qk_norm": True, "moe_args": {"num_experts": 16},
}  # fmt: skip
MISTRAL = {
    "dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14336, "n_heads": 32, "n_kv_heads": 8,
    "norm_eps": 1e-05, "vocab_size": 32768, "rope_theta": 1000000.0,
}  # fmt: skip
YARN = {"factor": 16, "original_max_position_embeddings": 16384, "beta": 32.0, "alpha": 1.0, "apply_scale": False}
PIXTRAL = {"hidden_size": 1024, "num_attention_heads": 16, "rope_theta": 10000.0, "patch_size": 16}


def scaled(freqs, factor, high):
    """Llama's apply_scaling, written from its code in plain float64: the low factor is 1, the length 8192."""
    rows = []
    for freq in freqs:
        wavelength = 2 * np.pi / freq
        if wavelength < 8192 / high:
            rows.append(freq)
        elif wavelength > 8192:
            rows.append(freq / factor)
        else:
            smooth = (8192 / wavelength - 1) / (high - 1)
            rows.append((1 - smooth) * freq / factor + smooth * freq)
    return np.array(rows)


def plain(width, base):
    return 1.0 / base ** (np.arange(0, width, 2) / width)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (LLAMA_3_1, scaled(plain(128, 500000.0), 8, 4)),
        ({**LLAMA_3_1, "use_scaled_rope": False}, plain(128, 500000.0)),
        ({**LLAMA_3_1, "dim": 2048, "n_layers": 16}, scaled(plain(64, 500000.0), 8, 4)),
        (LLAMA_2, plain(128, 10000.0)),
        ({**LLAMA_2, "rope_theta": 1000000}, plain(128, 1e6)),
        (SCOUT, scaled(plain(128, 500000.0), 16, 1)),
        ({**SCOUT, "rope_scaling_factor": 4.0, "rope_high_freq_factor": 2.0}, scaled(plain(128, 500000.0), 4, 2)),
        (MISTRAL, plain(128, 1e6)),
        ({**MISTRAL, "model_type": "transformer", "rope_theta": None}, plain(128, 1e6)),
        ({**MISTRAL, "rope_theta": None, "sliding_window": 4096}, plain(128, 1e4)),
        ({**MISTRAL, "sliding_window": 4096}, plain(128, 1e6)),
    ],
)
def test_the_frequencies_of_the_code(values, expected):
    rotary = refpos.from_config(values).rotary()
    assert rotary.pairing == "interleaved" and rotary.rotary_dim == 2 * len(expected) and rotary.attention_factor == 1
    assert np.abs(rotary.inv_freq / expected - 1).max() < 1e-14


def test_the_layers_of_llama_4():
    model = refpos.from_config(SCOUT)
    assert model.parts["text"].without_rope == tuple(range(3, 48, 4)) and model.model_type == "llama4"
    assert any("attn_scale=0.1, floor_scale=8192, shift=1" in note for note in model.rotary().notes)
    assert refpos.from_config({**SCOUT, "vision_args": {"dim": 1408}}).unread.keys() == {"vision_args"}


def test_small_models_of_llama_3_2_have_a_note():
    for dim, layers, has_note in ((2048, 16, True), (3072, 28, True), (4096, 32, False)):
        heads = 24 if dim == 3072 else 32
        notes = refpos.from_config({**LLAMA_3_1, "dim": dim, "n_layers": layers, "n_heads": heads}).rotary().notes
        assert any("32 in their config.json" in note for note in notes) == has_note


@pytest.mark.parametrize("apply_scale", [True, False, None])
def test_yarn_of_mistral_is_that_of_a_configuration(apply_scale):
    yarn = {name: value for name, value in YARN.items() if name != "apply_scale"}
    yarn |= {} if apply_scale is None else {"apply_scale": apply_scale}
    rotary = refpos.from_config({**MISTRAL, "yarn": yarn}).rotary()
    parameters = {
        "rope_type": "yarn", "rope_theta": 1000000.0, "factor": 16.0, "original_max_position_embeddings": 16384,
        "beta_fast": 32.0, "beta_slow": 1.0, **({"attention_factor": 1.0} if apply_scale is False else {}),
    }  # fmt: skip
    other = refpos.from_config(
        {"model_type": "mistral", "hidden_size": 4096, "num_attention_heads": 32, "rope_parameters": parameters}
    ).rotary()
    assert rotary.inv_freq.tolist() == other.inv_freq.tolist() and rotary.attention_factor == other.attention_factor
    assert (rotary.attention_factor == 1) == (apply_scale is False)


def test_the_scale_of_queries_and_the_vision_encoder():
    scaling = {"original_max_position_embeddings": 16384, "beta": 0.1}
    model = refpos.from_config({**MISTRAL, "llama_4_scaling": scaling, "vision_encoder": PIXTRAL})
    assert any("attn_scale=0.1, floor_scale=16384, shift=0" in note for note in model.rotary("text").notes)
    vision, hf = model.rotary("vision"), refpos.from_config({"model_type": "pixtral", **PIXTRAL}).rotary()
    assert vision.pairing == "interleaved" and hf.pairing == "half"
    # rows turn by every second frequency from the first on, columns by the others
    expected = plain(64, 10000.0)
    assert np.abs(vision.inv_freq / np.concatenate([expected[::2], expected[1::2]]) - 1).max() < 1e-14
    assert vision.frequencies.axes == hf.frequencies.axes == (0,) * 16 + (1,) * 16
    assert refpos.from_config({**MISTRAL, "multimodal": {"whisper_model_args": {}}}).unread.keys() == {"multimodal"}


def test_a_folder_with_params_json_alone(tmp_path):
    (tmp_path / "params.json").write_text(json.dumps(MISTRAL))
    assert refpos.from_config(tmp_path).model_type == "mistral"
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "gemma", "head_dim": 64}))
    assert refpos.from_config(tmp_path).model_type == "gemma"


def test_it_is_the_same_as_a_config_but_for_the_layout():
    config = {
        "model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32,
        "rope_theta": 500000.0, "max_position_embeddings": 131072,
        "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                         "original_max_position_embeddings": 8192},
    }  # fmt: skip
    result = refpos.same_encoding(LLAMA_3_1, config)
    assert [difference.what for difference in result.differences] == ["layout of q and k"]


def test_distilbert_is_no_file_of_these():
    distilbert = {"model_type": "distilbert", "dim": 768, "n_layers": 6, "n_heads": 12, "hidden_dim": 3072}
    assert refpos.from_config(distilbert).model_type == "distilbert"
    with pytest.raises(InputError, match="model_type must be given"):
        refpos.from_config({name: value for name, value in distilbert.items() if name != "model_type"})


@pytest.mark.parametrize(
    ("values", "argument", "words"),
    [
        ({**MISTRAL, "qk_rope_head_dim": 64}, "qk_rope_head_dim", "read from config.json"),
        (
            {**MISTRAL, "hidden_dim": None, "head_dim": None, "qk_rope_head_dim": 64},
            "qk_rope_head_dim",
            "from config.js",
        ),
        ({**LLAMA_2, "qk_rope_head_dim": 64}, "qk_rope_head_dim", "read from config.json"),
        ({**MISTRAL, "yarn": 16}, "yarn", "an object, got 16"),
        ({**MISTRAL, "yarn": {**YARN, "mscale": 1}}, "yarn.mscale", "alone, got 'mscale'"),
        ({**MISTRAL, "yarn": {**YARN, "factor": None}}, "factor", "yarn.factor must be given"),
        ({**MISTRAL, "yarn": {**YARN, "apply_scale": 1}}, "apply_scale", "true or false, got 1"),
        ({**MISTRAL, "llama_4_scaling": {"beta": 0.1}}, "original_max_position_embeddings", "must be given"),
        ({**MISTRAL, "head_dim": None}, "head_dim", "must be given"),
        ({**MISTRAL, "head_dim": 2**20}, "head_dim", "at most 4096"),
        ({**MISTRAL, "rope_theta": "1e6"}, "rope_theta", "a number"),
        ({**LLAMA_2, "n_heads": 33}, "dim", "a multiple of n_heads"),
        ({**LLAMA_2, "n_heads": 0}, "n_heads", "at least 1"),
        ({**LLAMA_2, "dim": 4096.5}, "dim", "an integer"),
        ({**LLAMA_2, "use_scaled_rope": "yes"}, "use_scaled_rope", "true or false"),
        ({**SCOUT, "nope_layer_interval": 0}, "nope_layer_interval", "at least 1"),
        ({**SCOUT, "n_layers": 10**9}, "n_layers", "at most"),
    ],
)
def test_what_is_refused(values, argument, words):
    with pytest.raises(InputError, match=words) as caught:
        refpos.from_config(values)
    assert caught.value.argument == argument
