"""What a configuration file says: keys, numbers, parts, switches, and what is refused."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest
import test_docs

import refpos
from refpos import InputError, from_config

# -- scalings ---------------------------------------------------------------------------------------------------------

YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}


@pytest.mark.parametrize("name", ["su", "yarn", "longrope"])
def test_phi3_names_of_longrope(name):
    lists = {"short_factor": [1.0] * 32, "long_factor": [2.0] * 32}
    values = {"model_type": "phi3", "hidden_size": 512, "num_attention_heads": 8, "max_position_embeddings": 131072}
    values |= {"original_max_position_embeddings": 4096, "rope_scaling": {"type": name, **lists}}
    assert from_config(values).rotary().parameters["rope_type"] == "longrope"


NESTED_SCALING = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 8192, "truncate": False}


def test_a_nested_truncate_is_not_read():
    """transformers looks for it beside the layer types: inside one it is true, whatever it says."""
    values = {"model_type": "olmo3", "rope_parameters": {"full_attention": NESTED_SCALING, "sliding_attention": {}}}
    result = from_config(values)
    assert "beside the layer types" in result.ignored["rope_parameters.full_attention.truncate"]
    call = {name: value for name, value in NESTED_SCALING.items() if name not in ("rope_type", "truncate")}
    rotary = result.rotary(layer_type="full_attention")
    assert np.array_equal(rotary.inv_freq, refpos.yarn(128, base=5e5, **call).inv_freq)
    assert not np.array_equal(rotary.inv_freq, refpos.yarn(128, base=5e5, **call, truncate=False).inv_freq)


# -- pairings ---------------------------------------------------------------------------------------------------------


def rotated_by_pairs(rotary, x, c, s):
    """x (channels,) with integers in place of cosines and sines, pair by pair: what a Rotary says in words."""
    width, count = rotary.rotary_dim, rotary.rotary_dim // 2
    start = 0 if rotary.placement == "first" else rotary.head_dim - width
    y = x.copy()
    size = width // rotary.blocks
    for i in range(count):
        block, j = divmod(i, size // 2)
        if rotary.pairing == "half":
            one = start + block * size + j
            two = one + size // 2
        else:
            one, two = start + 2 * i, start + 2 * i + 1
        to_one, to_two = (start + i, start + count + i) if rotary.deinterleaved else (one, two)
        sign = -1 if rotary.inverse else 1
        y[to_one] = x[one] * c[i] - sign * x[two] * s[i]
        y[to_two] = x[two] * c[i] + sign * x[one] * s[i]
    return y


@pytest.mark.parametrize(
    "values",
    [
        {"model_type": "llama", "head_dim": 8},
        {"model_type": "nanochat", "head_dim": 8},
        {"model_type": "gpt_neox", "hidden_size": 16, "num_attention_heads": 1, "rotary_pct": 0.5},
        {"model_type": "cohere", "head_dim": 8},
        {"model_type": "deepseek_v3", "qk_rope_head_dim": 8, "qk_nope_head_dim": 4},
        {"model_type": "deepseek_v3", "qk_rope_head_dim": 8, "qk_nope_head_dim": 4, "rope_interleave": False},
        {"model_type": "gemma4_vision", "head_dim": 16},
        {"model_type": "deepseek_v4", "head_dim": 16, "qk_rope_head_dim": 8},
    ],
    ids=lambda values: "-".join(map(str, values.values())),
)
def test_rotate_turns_the_pairs_that_a_rotary_names(values):
    """Rotary.rotate against the same words, at an angle of a quarter turn and others, in float64."""
    rotary = next(iter(from_config(values).parts.values())).rotaries.values().__iter__().__next__()
    axes = 1 if rotary.frequencies.axes is None else 2
    where = np.array([[3]] * axes) if axes > 1 else np.array([3])
    cos, sin = (table[0] for table in rotary.table(where))
    x = np.random.default_rng(7).standard_normal((1, rotary.head_dim))
    expected = rotated_by_pairs(rotary, x[0], cos, sin)
    # one product of each pair is exact, the others are rounded: three roundings of float64 and that of the table
    assert np.max(np.abs(rotary.rotate(x, where)[0] - expected)) <= 8 * 2.0**-53 * np.max(np.abs(x))


# -- what is refused --------------------------------------------------------------------------------------------------

LLAMA = {"model_type": "llama", "hidden_size": 512, "num_attention_heads": 8, "max_position_embeddings": 8192}
LISTS = {"rope_type": "longrope", "short_factor": [1.0] * 32, "long_factor": [1.0] * 32, "factor": 4.0}


@pytest.mark.parametrize(
    "more, code, argument, words",
    [
        ({"rope_scaling": {"rope_type": "linear", "factor": 2.0},
          "rope_parameters": {"rope_type": "linear", "factor": 4.0}}, "E_CHOICE", "factor", "must agree with"),
        ({"rope_scaling": {"rope_type": "linear", "factor": 2.0},
          "rope_parameters": {"rope_theta": 1e4}}, "E_CHOICE", "rope_type", "must agree with"),
        ({"rope_scaling": {"type": "linear", "rope_type": "yarn", "factor": 2.0}}, "E_CHOICE", "rope_type", "'linear'"),
        ({"rope_theta": 1e4, "rope_parameters": {"rope_theta": 5e5}}, "E_CHOICE", "rope_theta", "500000.0, got 10"),
        ({"rope_scaling": {"rope_type": "linear"}}, "E_NUMBER", "factor", "rope_scaling.factor must be given"),
        ({"rope_scaling": {"rope_type": "dynamic"}}, "E_NUMBER", "factor", "rope_scaling.factor must be given"),
        ({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, "E_NUMBER", "low_freq_factor", "must be given"),
        ({"rope_scaling": {"rope_type": "linear", "factor": 0}}, "E_NUMBER", "factor", "got 0"),
        ({"rope_scaling": {"rope_type": "linear", "factor": "8"}}, "E_NUMBER", "factor", "'8'"),
        ({"rope_scaling": {"rope_type": "ntk", "factor": 8}}, "E_CHOICE", "rope_type", "'yarn'"),
        ({"rope_scaling": {**LISTS, "short_factor": [1.0] * 31}}, "E_SHAPE", "short_factor", "must have 32 numbers"),
        ({"rope_scaling": {**LISTS, "long_factor": 2.0}}, "E_NUMBER", "long_factor", "must be a list"),
        ({"rope_scaling": [1, 2]}, "E_NUMBER", "rope_scaling", "must be an object"),
        ({"rope_theta": 0}, "E_BASE", "base", "got 0"),
        ({"rope_theta": "10000"}, "E_NUMBER", "rope_theta", "'10000'"),
        ({"rope_theta": float("nan")}, "E_BASE", "base", "nan"),
        ({"head_dim": 0}, "E_SIZE", "head_dim", "at least 1"),
        ({"head_dim": 64.5}, "E_SIZE", "head_dim", "64.5"),
        ({"head_dim": 65}, "E_ODD_DIM", "head_dim", "head_dim of llama must be even, got 65"),
        ({"hidden_size": None}, "E_NUMBER", "hidden_size", "must be a number, got None"),
        ({"rope_theta": None}, "E_NUMBER", "rope_theta", "must be a number, got None"),
        ({"model_type": "gptj", "rotary_dim": None}, "E_NUMBER", "rotary_dim", "must be a number, got None"),
        ({"model_type": "gptj", "rotary_dim": 300}, "E_ROTARY_DIM", "rotary_dim", "width of a head, 64, got 300"),
        ({"model_type": "gemma3_text", "num_hidden_layers": 6, "layer_types": ["full_attention"]}, "E_SHAPE",
         "layer_types", "a type for each of 6 layers, got 1"),
        ({"num_hidden_layers": -1}, "E_SIZE", "num_hidden_layers", "at least 0, got -1"),
        ({"num_hidden_layers": 10**9}, "E_SIZE", "num_hidden_layers", "at most 65536"),
        ({"rope_parameters": {"full_attention": {"rope_theta": 1e6}}, "rope_theta": 5e5}, "E_CHOICE",
         "rope_parameters", "one set for all layers, got one for each of full_attention"),
        ({"model_type": "deepseek_v3", "head_dim": 128}, "E_ROTARY_DIM", "head_dim", "must be 64, got 128"),
        ({"model_type": "mistral4", "head_dim": 64}, "E_ROTARY_DIM", "head_dim", "must be 128, got 64"),
        ({"partial_rotary_factor": 0.5, "rope_scaling": {"rope_type": "linear", "factor": 2.0}},
         "E_ROTARY_DIM", "partial_rotary_factor",
         "must be that of the rotated vector, 64, got 32, of partial_rotary_factor 0.5"),
        ({"model_type": "gemma2", "rope_scaling": {"type": "linear", "factor": 2, "partial_rotary_factor": 0.5}},
         "E_ROTARY_DIM", "partial_rotary_factor", "got 128, of rope_scaling.partial_rotary_factor 0.5"),
        ({"partial_rotary_factor": 0.5, "rope_parameters": {"partial_rotary_factor": 0.25}},
         "E_CHOICE", "partial_rotary_factor", "must agree with"),
        ({"original_max_position_embeddings": 4096, "rope_scaling": YARN | {"original_max_position_embeddings": 2048}},
         "E_CHOICE", "original_max_position_embeddings", "4096, got 2048"),
        ({"model_type": "mamba"}, "E_CHOICE", "model_type", "'mamba'"),
        ({"model_type": None}, "E_CHOICE", "model_type", "None"),
        ({"model_type": "vjepa2"}, "E_CHOICE", "model_type", "no rotation"),
        ({"model_type": "musicflamingo", "rope_scaling": YARN}, "E_CHOICE", "rope_type", "default or linear, got"),
        ({"model_type": "musicflamingo", "rope_theta": 0}, "E_BASE", "base", "got 0"),
        ({"model_type": "musicflamingo", "partial_rotary_factor": 0.75}, "E_ROTARY_DIM", "partial_rotary_factor",
         "at most 1280, got 1920"),
        ({"model_type": "esmfold2_atom_encoder", "num_uid_rope_pairs": 27}, "E_SHAPE", "head_dim", "66, got 64"),
        ({"model_type": "esmfold2_atom_encoder", "num_uid_rope_pairs": 0}, "E_SIZE", "num_uid_rope_pairs", "got 0"),
        ({"model_type": "stablelm", "head_dim": 60, "partial_rotary_factor": 0.25},
         "E_ODD_DIM", "partial_rotary_factor", "must be even, got 15"),
        ({"rope_scaling": {"type": "mrope", "mrope_section": [16, 8, 8]}}, "E_CHOICE", "rope_type", "'mrope'"),
        ({"model_type": "qwen2_vl_text", "rope_scaling": {"type": "mrope", "mrope_section": [16, 16]}},
         "E_SHAPE", "sections", "three"),
        ({"model_type": "gemma4_text", "rope_parameters": {"rope_type": "default"}},
         "E_NUMBER", "rope_parameters", "for each layer type"),
        ({"model_type": "laguna", "num_hidden_layers": 2, "layer_types": ["full_attention", "sliding_attention"],
          "rope_parameters": {"full_attention": {"rope_type": "default"}}}, "E_MISSING", "rope_parameters", "sliding"),
        ({"model_type": "smollm3", "num_hidden_layers": 4, "no_rope_layers": [1, 0]}, "E_SHAPE", "no_rope_layers", "4"),
        ({"model_type": "step3p5", "rope_theta": [1e4], "layer_types": ["full_attention", "sliding_attention"]},
         "E_SHAPE", "rope_theta", "each layer"),
        ({"text_config": {"model_type": "unheard_of", "rope_theta": 1e4}}, "E_CHOICE", "model_type", "text_config"),
    ],
)  # fmt: skip
def test_files_that_mean_nothing_are_refused(more, code, argument, words):
    with pytest.raises(InputError) as error:
        from_config({**LLAMA, **more})
    assert (error.value.code, error.value.argument) == (code, argument), error.value
    assert words in str(error.value)


def test_sections_of_a_gguf_file_are_those_of_its_three_axes():
    """Four numbers, of which the last is 0: pairs that turn by frame, row and column."""
    keys = {"general.architecture": "qwen2vl", "qwen2vl.embedding_length": 4096, "qwen2vl.attention.head_count": 32,
            "qwen2vl.rope.freq_base": 1e6, "qwen2vl.rope.dimension_sections": [16, 24, 24, 0]}  # fmt: skip
    found = from_config(keys).rotary().frequencies
    expected = refpos.frequencies.mrope_frequencies(128, sections=[16, 24, 24], arrangement="chunked", base=1e6)
    assert found.axes == expected.axes == (0,) * 16 + (1,) * 24 + (2,) * 24
    assert found.inv_freq.tobytes() == expected.inv_freq.tobytes()


# -- what is told -----------------------------------------------------------------------------------------------------


def test_every_key_is_accounted_for():
    scaling = {**YARN, "mscale": 0.7, "finetuned": True, "beta_slow": 2}
    result = from_config({**LLAMA, "rope_theta": 5e5, "rope_scaling": scaling, "vocab_size": 9, "rope_dim": 3})
    assert set(result.used) == {"model_type", "hidden_size", "num_attention_heads", "rope_theta"} | {
        f"rope_scaling.{name}" for name in ("rope_type", "factor", "original_max_position_embeddings", "beta_slow")
    }
    assert set(result.ignored) == {"rope_scaling.mscale", "rope_scaling.finetuned"}
    assert set(result.unread) == {"rope_dim"}
    assert "both" in result.ignored["rope_scaling.mscale"]
    assert result.assumed == {"rope_scaling.beta_fast": 32, "rope_scaling.truncate": True}
    assert result.rotary().parameters == {
        "rope_type": "yarn", "rope_theta": 5e5, "factor": 4.0, "original_max_position_embeddings": 4096, "beta_slow": 2
    }  # fmt: skip


def test_what_the_class_of_the_model_fixes_is_told():
    result = from_config({"model_type": "llama"})
    assert result.assumed == {"rope_type": "default"} | {
        "rope_theta": 10000.0, "hidden_size": 4096, "num_attention_heads": 32
    }  # fmt: skip
    assert result.rotary().head_dim == 128


def test_numbers_are_what_float64_reads():
    theta = 123456789012345678
    one = from_config({**LLAMA, "rope_theta": theta}).rotary()
    assert np.array_equal(one.inv_freq, refpos.inverse_frequencies(64, base=theta).inv_freq)
    tenth = from_config({**LLAMA, "rope_scaling": {"rope_type": "linear", "factor": 0.1}}).rotary()
    assert np.array_equal(tenth.inv_freq, refpos.linear(64, factor=0.1).inv_freq)


@pytest.mark.parametrize(
    "values, without",
    [
        ({"model_type": "smollm3", "num_hidden_layers": 8}, (3, 7)),
        ({"model_type": "smollm3", "num_hidden_layers": 3, "no_rope_layers": [0, 1, 1]}, (0,)),
        ({"model_type": "llama4_text", "num_hidden_layers": 5}, (3,)),
        ({"model_type": "cohere2", "num_hidden_layers": 8}, (3, 7)),
        ({"model_type": "afmoe", "num_hidden_layers": 4}, (3,)),
        ({"model_type": "exaone4", "num_hidden_layers": 8, "sliding_window": 4096}, (3, 7)),
        ({"model_type": "exaone4", "num_hidden_layers": 8, "sliding_window": None}, ()),
        ({"model_type": "muse_glimmer_text", "num_hidden_layers": 5}, (0, 4)),
        ({"model_type": "granite_swa", "num_hidden_layers": 3, "layer_rope_theta": [1e4, 0, 5e5]}, (1,)),
        ({"model_type": "beam", "num_hidden_layers": 7}, (5, 6)),
        ({"model_type": "qwen3_next", "layer_types": ["linear_attention", "full_attention"]}, (0,)),
        ({"model_type": "qwen3_next", "num_hidden_layers": 8}, (0, 1, 2, 4, 5, 6)),
        ({"model_type": "qwen3_next", "num_hidden_layers": 4, "full_attention_interval": 2}, (0, 2)),
        ({"model_type": "lfm3", "num_hidden_layers": 5}, (0, 1, 3)),
        ({"model_type": "lfm2", "num_hidden_layers": 4, "full_attn_idxs": [2]}, (0, 1, 3)),
        ({"model_type": "bamba", "num_hidden_layers": 3, "attn_layer_indices": [1]}, (0, 2)),
        ({"model_type": "bamba", "num_hidden_layers": 2}, (0, 1)),
        ({"model_type": "minimax", "num_hidden_layers": 4}, (1, 3)),
        ({"model_type": "olmo_hybrid", "num_hidden_layers": 2}, (0,)),
        ({"model_type": "bailing_hybrid", "num_hidden_layers": 4, "layer_group_size": 3}, (0, 1, 3)),
        ({"model_type": "recurrent_gemma", "num_hidden_layers": 5}, (0, 1, 3, 4)),
        ({"model_type": "recurrent_gemma", "num_hidden_layers": 3, "block_types": ["attention", "recurrent"]}, (1,)),
        ({"model_type": "mllama_text_model", "num_hidden_layers": 9}, (3, 8)),
        ({"model_type": "zamba2", "use_mem_rope": True, "num_hidden_layers": 8}, (0, 1, 2, 3, 4, 5, 7)),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else str(value),
)
def test_layers_without_rotation_are_named(values, without):
    (part,) = from_config(values).parts.values()
    assert part.without_rope == without
    assert {name for name in part.layers if name} <= set(part.rotaries)


def test_the_key_that_decides_the_layers_is_in_the_log():
    found = from_config({"model_type": "lfm2", "num_hidden_layers": 3, "full_attn_idxs": [1]})
    assert found.used["full_attn_idxs"] == "the layers of the type full_attention"
    assert from_config({"model_type": "qwen3_next"}).assumed["full_attention_interval"] == 4
    values = {"model_type": "qwen3_next", "num_hidden_layers": 2, "full_attention_interval": 2}
    assert from_config(values).used["full_attention_interval"] == "which layers have full attention"
    both = {**values, "layer_types": ["linear_attention", "full_attention"]}
    assert from_config(both).ignored["full_attention_interval"] == "layer_types has the type of each layer"
    assert refpos.same_encoding(values, both).same
    assert not refpos.same_encoding(values, {**values, "full_attention_interval": 1}).same
    with pytest.raises(InputError, match="block_types must hold one type or more, got none"):
        from_config({"model_type": "recurrent_gemma", "block_types": []})


def test_a_base_for_each_layer():
    values = {"model_type": "granite_swa", "num_hidden_layers": 3, "layer_rope_theta": [1e4, 0, 5e5]}
    (part,) = from_config(values).parts.values()
    assert part.layers == ("rope_theta 10000", None, "rope_theta 500000")
    for name, base in (("rope_theta 10000", 1e4), ("rope_theta 500000", 5e5)):
        assert np.array_equal(part.rotaries[name].inv_freq, refpos.inverse_frequencies(128, base=base).inv_freq)


def test_switches():
    assert from_config({"model_type": "falcon", "alibi": False}).rotary().rotary_dim == 64
    for values in ({"model_type": "falcon", "alibi": True}, {"model_type": "esm", "pad_token_id": 1}):
        with pytest.raises(InputError, match="which has") as error:
            from_config(values).rotary()
        assert error.value.code == "E_MISSING"
    with pytest.raises(InputError, match="recurrence"):
        from_config({"model_type": "zamba2"})


# -- parts and files --------------------------------------------------------------------------------------------------


def test_a_nested_part_with_few_keys():
    """As Gemma 3 was published: the class fixes what is not there."""
    text = {"hidden_size": 2560, "model_type": "gemma3_text", "num_hidden_layers": 34, "sliding_window": 1024,
            "rope_scaling": {"factor": 8.0, "rope_type": "linear"}}  # fmt: skip
    result = from_config({"model_type": "gemma3", "text_config": text, "vision_config": {"model_type": "siglip"}})
    part = result.parts["text"]
    assert part.rotaries["full_attention"].inv_freq[0] == 0.125 and part.rotaries["sliding_attention"].inv_freq[0] == 1
    assert part.layers.count("full_attention") == 5 and part.layers[5] == "full_attention"
    assert result.rotary("text", "full_attention").head_dim == 256


def test_files_and_folders(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    for source in (tmp_path, str(tmp_path), tmp_path / "config.json"):
        assert from_config(source).rotary().rotary_dim == 64
    for name, text in (("text", "no json"), ("list.json", "[]"), ("deep", "[" * 100000)):
        (tmp_path / name).write_text(text)
        with pytest.raises(refpos.FileError):
            from_config(tmp_path / name)
    with pytest.raises(refpos.FileError):
        from_config(tmp_path / "absent")
    with pytest.raises(refpos.InputTypeError):
        from_config(3)


def test_a_type_that_is_not_known_can_be_read_as_another():
    values = {**LLAMA, "model_type": "unheard_of"}
    with pytest.raises(InputError, match="model_type="):
        from_config(values)
    assert from_config(values, model_type="llama").rotary().rotary_dim == 64


@pytest.mark.parametrize("source", [{**LLAMA, "rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}, LLAMA])
def test_the_length_of_the_sequence(source):
    new, short, long = (from_config(source, seq_len=n).rotary() for n in (None, 100, 100000))
    assert np.array_equal(new.inv_freq, short.inv_freq)
    assert np.array_equal(new.inv_freq, long.inv_freq) == ("rope_scaling" not in source)
    for bad in (0, -1, 2.5, True):
        with pytest.raises(InputError) as error:
            from_config(source, seq_len=bad)
        assert error.value.argument == "seq_len"


# -- GGUF -------------------------------------------------------------------------------------------------------------

QWEN = {"general.architecture": "qwen2", "qwen2.embedding_length": 4096, "qwen2.attention.head_count": 32}
YARN_KEYS = {"scaling.type": "yarn", "scaling.factor": 4.0, "scaling.original_context_length": 32768}


def metadata(**more):
    return {**QWEN, **{f"qwen2.rope.{name}": value for name, value in more.items()}}


def test_gguf_metadata():
    rotary = from_config(metadata(freq_base=1e6, **YARN_KEYS)).rotary()
    expected = refpos.yarn(128, base=1e6, factor=4.0, original_max_position_embeddings=32768)
    assert np.array_equal(rotary.inv_freq, expected.inv_freq) and rotary.pairing == "half"
    assert rotary.attention_factor == expected.attention_factor
    assert from_config({**QWEN}).rotary().parameters["rope_theta"] == 10000.0
    assert from_config(metadata(**{"scaling.type": "linear", "scaling.factor": 2.0})).rotary().inv_freq[0] == 0.5
    assert from_config(metadata(scale_linear=2.0)).rotary().inv_freq[0] == 0.5
    assert from_config(metadata(**{"scaling.type": "none", "scaling.factor": 2.0})).rotary().inv_freq[0] == 1
    assert from_config(metadata(dimension_count=64)).rotary().rotary_dim == 64
    llama = {name.replace("qwen2", "llama"): value for name, value in QWEN.items()}
    assert from_config({**llama, "general.architecture": "llama"}).rotary().pairing == "interleaved"


@pytest.mark.parametrize("multiplier, own", [(0.0, 1.0), (1.0, 1.0), (0.5, 1.0), (0.5, 1.5), (1.0, 1.5)])
def test_the_factor_on_cosine_and_sine_of_a_gguf_file(multiplier, own):
    """attn_factor m(s, 1) / m(s, multiplier), to a few roundings of float64."""
    keys = {**YARN_KEYS, "scaling.yarn_log_multiplier": multiplier, "scaling.attn_factor": own}
    own_keys = {name.replace("qwen2", "mistral3"): value for name, value in metadata(**keys).items()}
    reader = {**own_keys, "general.architecture": "mistral3"} if multiplier else metadata(**keys)
    found = from_config(reader).rotary().attention_factor
    m = 0.1 * math.log(4.0) + 1
    expected = own * m / (0.1 * multiplier * math.log(4.0) + 1 if multiplier else 1)
    assert abs(found - expected) <= 8 * 2.0**-53 * expected
    deepseek = {name.replace("qwen2", "deepseek2"): value for name, value in metadata(**keys).items()}
    found = from_config({**deepseek, "general.architecture": "deepseek2"}).rotary().attention_factor
    assert found == own if multiplier else abs(found - own * m) <= 8 * 2.0**-53 * m


@pytest.mark.parametrize(
    "values, code, argument",
    [
        ({"general.architecture": "mamba"}, "E_CHOICE", "general.architecture"),
        ({"general.architecture": "qwen2"}, "E_NUMBER", "embedding_length"),
        (metadata(**{"scaling.type": "longrope"}), "E_CHOICE", "rope.scaling.type"),
        (metadata(dimension_count=256), "E_ROTARY_DIM", "rope.dimension_count"),
        (metadata(dimension_count=63), "E_ODD_DIM", "dim"),
        (metadata(**{"scaling.type": "yarn", "scaling.factor": 4.0}), "E_NUMBER", "context_length"),
    ],
)
def test_gguf_metadata_that_mean_nothing(values, code, argument):
    with pytest.raises(InputError) as error:
        from_config(values)
    assert (error.value.code, error.value.argument) == (code, argument)


# -- the command ------------------------------------------------------------------------------------------------------


def command(*arguments, folder):
    words = [sys.executable, "-m", "refpos", "config", *map(str, arguments)]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)


GPT_OSS = {"model_type": "gpt_oss", "head_dim": 64, "rope_theta": 150000,
           "rope_scaling": {"rope_type": "yarn", "factor": 32.0, "truncate": False, "beta_fast": 32.0,
                            "beta_slow": 1.0, "original_max_position_embeddings": 4096}}  # fmt: skip


def test_the_command_says_what_a_file_means(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(GPT_OSS))
    done = command("config.json", folder=tmp_path)
    rotary = from_config(GPT_OSS).rotary()
    assert done.returncode == 0 and done.stderr == ""
    for words in ("yarn", "150000", "half", "64", "truncate", repr(rotary.attention_factor)):
        assert words in done.stdout
    assert repr(float(rotary.inv_freq[-1])) in done.stdout
    found = json.loads(command(".", "--json", folder=tmp_path).stdout)
    said = found["parts"]["text"]["layer_types"]["all"]
    assert said["inv_freq"] == rotary.inv_freq.tolist() and said["attention_factor"] == rotary.attention_factor
    assert (said["pairing"], said["rotary_dim"]) == ("half", 64)
    assert found["used"]["rope_scaling.truncate"]


def test_the_command_says_what_multiplies_the_softmax_scale(tmp_path):
    mscales = {"mscale": 0.707, "mscale_all_dim": 0.707}
    deepseek = {"model_type": "deepseek_v2", "rope_scaling": {**YARN, "factor": 40.0, **mscales}}
    (tmp_path / "config.json").write_text(json.dumps(deepseek))
    with mpmath.workdps(50):
        expected = float((mpmath.mpf(0.707) * mpmath.log(40) / 10 + 1) ** 2)
    assert from_config(deepseek).rotary().softmax_factor == expected
    text, found = command(".", folder=tmp_path).stdout, json.loads(command(".", "--json", folder=tmp_path).stdout)
    assert re.search(rf"^  softmax_factor +{re.escape(repr(expected))}$", text, re.MULTILINE)
    assert re.search(r"^  attention_factor +1\.0$", text, re.MULTILINE)
    assert found["parts"]["text"]["layer_types"]["all"]["softmax_factor"] == expected
    assert from_config({**deepseek, "model_type": "llama"}).rotary().softmax_factor == 1  # whose code does not read it
    del deepseek["rope_scaling"]["factor"]
    with pytest.raises(InputError, match=r"rope_scaling\.factor must be given, got only") as caught:
        from_config(deepseek)
    assert caught.value.code == "E_NUMBER"


@pytest.mark.exhaustive
def test_the_command_for_one_layer_type(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "gemma3_text"}))
    both = json.loads(command(".", "--json", folder=tmp_path).stdout)["parts"]["text"]["layer_types"]
    one = json.loads(command(".", "--json", "--layer-type", "full_attention", folder=tmp_path).stdout)
    assert set(both) == {"full_attention", "sliding_attention"}
    assert one["parts"]["text"]["layer_types"] == {"full_attention": both["full_attention"]}
    assert "sliding_attention (0-4, 6-10" in command(".", folder=tmp_path).stdout


def test_the_command_takes_a_length(tmp_path):
    values = {**LLAMA, "rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}
    (tmp_path / "config.json").write_text(json.dumps(values))
    for length in (None, 100000):
        options = [] if length is None else ["--seq-len", length]
        found = json.loads(command(".", "--json", *options, folder=tmp_path).stdout)
        expected = from_config(values, seq_len=length).rotary().inv_freq.tolist()
        assert found["parts"]["text"]["layer_types"]["all"]["inv_freq"] == expected


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "text, options, words",
    [
        (None, (), "E_FILE"),
        ("{", (), "E_FILE"),
        ('{"model_type": "mamba"}', (), "E_CHOICE: model_type"),
        ('{"model_type": "llama", "rope_scaling": {"type": "linear"}}', (), "E_NUMBER: rope_scaling.factor"),
        ('{"model_type": "llama"}', ("--layer-type", "sliding"), "E_CHOICE: layer_type"),
        ('{"model_type": "llama"}', ("--part", "vision"), "E_CHOICE: part"),
        ('{"model_type": "llama"}', ("--seq-len", "0"), "E_SIZE: seq_len"),
    ],
)
def test_the_command_refuses(text, options, words, tmp_path):
    if text is not None:
        (tmp_path / "config.json").write_text(text)
    done = command("config.json", *options, folder=tmp_path)
    lines = [line for line in done.stderr.splitlines() if " kernels, " not in line]
    assert done.returncode == 2 and done.stdout == "" and len(lines) == 1 and words in lines[0]


# -- the page ---------------------------------------------------------------------------------------------------------

PAGE = Path(__file__).resolve().parent.parent / "docs" / "configs.md"


@pytest.mark.exhaustive
def test_the_page_shows_what_the_command_prints(tmp_path):
    files, shown = test_docs.blocks(PAGE, "json"), list(test_docs.transcripts(PAGE.read_text()))
    assert len(files) == len(shown) >= 2
    for file, (words, expected, _) in zip(files, shown, strict=True):
        (tmp_path / "config.json").write_text(file)
        assert test_docs.run(words, tmp_path) == expected
