"""Configurations of types with code of their own, of models without a rotation, and of Llama 4 Scout.

The code of the custom types is not installed: what it computes is written here once more from its formulas, in float64.
"""

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES, model_type_to_module_name

import refpos
from refpos import InputError, from_config
from refpos.configs.encodings import encoding_rows
from refpos.configs.model_defaults import rows

from . import test_config

# -- Llama 4 Scout ----------------------------------------------------------------------------------------------------

SCOUT = {"model_type": "llama4_text", "hidden_size": 5120, "num_attention_heads": 40, "head_dim": 128,
         "rope_theta": 5e5, "max_position_embeddings": 10485760, "num_hidden_layers": 48,
         "rope_scaling": {"factor": 16.0, "high_freq_factor": 1.0, "low_freq_factor": 1.0,
                          "original_max_position_embeddings": 8192, "rope_type": "llama3"}}  # fmt: skip


def test_llama_4_scout_against_transformers():
    rotary = test_config.assert_frequencies_and_table("llama4_text", SCOUT)
    plain = refpos.inverse_frequencies(128, base=5e5).inv_freq
    assert [i for i in range(64) if rotary.inv_freq[i] != plain[i]] == list(range(35, 64))
    whole = from_config({"model_type": "llama4", "text_config": SCOUT, "vision_config": {}})
    assert np.array_equal(whole.rotary("text").inv_freq, rotary.inv_freq)


# -- types with code of their own -------------------------------------------------------------------------------------


def thetas(base, width):
    """base**(-2i / width) in float64: the power, its exponent and its base, 2**-53 ln(base) each at most."""
    return float(base) ** -(np.arange(0, width, 2) / width)


def grown(base, width, alpha):
    return base * alpha ** (width / (width - 2))


HF = {"hidden_size": 4096, "num_attention_heads": 32}
NOMIC = {"model_type": "nomic_bert", "n_embd": 768, "n_head": 12, "n_positions": 8192, "rotary_emb_fraction": 1.0,
         "rotary_emb_interleaved": False, "rotary_emb_scale_base": None, "rotary_scaling_factor": None}  # fmt: skip
QWEN = {"model_type": "qwen", **HF, "kv_channels": 128, "seq_length": 2048, "rotary_pct": 1.0,
        "rotary_emb_base": 10000, "use_dynamic_ntk": True, "use_logn_attn": True}  # fmt: skip
GLM = {"model_type": "chatglm", **HF, "kv_channels": 128, "seq_length": 131072}
EPOCH = {"model_type": "stablelm_epoch", **HF}
MINIMAX = {"model_type": "minimax_text_01", "hidden_size": 6144, "num_attention_heads": 64, "head_dim": 128,
           "rotary_dim": 64, "rope_theta": 10000000}  # fmt: skip


@pytest.mark.parametrize(
    "values, seq_len, expected, head, pairing",
    [
        ({**NOMIC, "rotary_emb_base": 10000.0}, None, thetas(1e4, 64), 64, "half"),
        ({**NOMIC, "rotary_emb_base": 1000}, 8192, thetas(1e3, 64), 64, "half"),
        ({**NOMIC, "rotary_emb_base": 1000, "rotary_emb_fraction": 0.5}, None, thetas(1e3, 32), 64, "half"),
        ({**NOMIC, "rotary_emb_base": 1000, "rotary_emb_interleaved": True}, None, thetas(1e3, 64), 64, "interleaved"),
        ({**NOMIC, "rotary_emb_base": 1000, "rotary_scaling_factor": 2, "max_trained_positions": 1024}, 4096,
         thetas(grown(1000, 64, 2 * 4096 / 1024 - 1), 64), 64, "half"),
        ({**NOMIC, "rotary_emb_base": 1000, "rotary_scaling_factor": 2}, 2048, thetas(1e3, 64), 64, "half"),
        ({"model_type": "internlm2", **HF, "rope_theta": 1e6}, None, thetas(1e6, 128), 128, "half"),
        ({"model_type": "internlm2", **HF, "max_position_embeddings": 2048,
          "rope_scaling": {"type": "dynamic", "factor": 2.0}}, 4096, thetas(grown(1e4, 128, 3), 128), 128, "half"),
        ({"model_type": "baichuan", **HF, "max_position_embeddings": 4096}, None, thetas(1e4, 128), 128, "half"),
        (GLM, None, thetas(1e4, 64), 128, "interleaved"),
        ({**GLM, "rope_ratio": 500}, None, thetas(5e6, 64), 128, "interleaved"),
        (QWEN, None, thetas(1e4, 128), 128, "half"),
        (QWEN, 2048, thetas(1e4, 128), 128, "half"),
        *[
            (QWEN, length, thetas(grown(1e4, 128, 2 ** math.ceil(math.log2(length / 2048) + 1) - 1), 128), 128, "half")
            for length in (2049, 4095, 4096, 4097, 8192, 30000)
        ],
        ({**QWEN, "use_dynamic_ntk": False, "rotary_pct": 0.5}, 30000, thetas(1e4, 64), 128, "half"),
        ({**EPOCH, "hidden_size": 2560}, None, thetas(1e4, 20), 80, "half"),
        ({**EPOCH, "rope_pct": 0.5, "rope_theta": 1e5}, None, thetas(1e5, 64), 128, "half"),
        (MINIMAX, None, thetas(1e7, 64), 128, "half"),
        ({**MINIMAX, "model_type": "MiniMaxText01", "rotary_dim": None}, None, thetas(1e7, 128), 128, "half"),
    ],
)  # fmt: skip
def test_types_with_code_of_their_own(values, seq_len, expected, head, pairing):
    result = from_config(values, seq_len=seq_len)
    rotary = result.rotary()
    assert (rotary.rotary_dim, rotary.head_dim, rotary.pairing) == (2 * len(expected), head, pairing)
    assert rotary.attention_factor == 1.0 and rotary.placement == "first" and not rotary.inverse
    assert np.all(np.abs(rotary.inv_freq / expected - 1) <= 2.0**-53 * 64)
    assert "transformers" not in rotary.source["project"] and not set(values) & {*result.ignored}


def test_every_custom_type_is_among_those_tests_and_is_no_class_of_transformers():
    (mark,) = test_types_with_code_of_their_own.pytestmark
    read = {from_config(values, seq_len=length).model_type for values, length, *_ in mark.args[1]}
    assert read == {kind for kind, row in rows().items() if row.is_custom} and not read & {*CONFIG_MAPPING_NAMES}


def test_half_of_a_head_of_chatglm_turns_by_neighbours():
    """Its apply_rotary_pos_emb, with integers: (..., 2) of the first half of a head, the rest untouched."""
    rotary = from_config(GLM).rotary()
    x = np.random.default_rng(1).integers(1, 100, (1, 128)).astype(np.float64)
    cos, sin = (table[0] for table in rotary.table([3]))
    first, second = x[0, :64].reshape(32, 2).T
    turned = np.stack([first * cos - second * sin, second * cos + first * sin], -1).reshape(-1)
    found = rotary.rotate(x, [3])[0]
    assert np.array_equal(found[64:], x[0, 64:]) and np.max(np.abs(found[:64] - turned)) < 1e-12


def test_layers_of_minimax_text():
    part = from_config({**MINIMAX, "attn_type_list": [0, 0, 1, 0]}).parts["text"]
    assert part.layers == (None, None, "all", None)


@pytest.mark.parametrize(
    "values, code, argument, words",
    [
        ({"model_type": "baichuan"}, "E_MISSING", "hidden_size", "5120"),
        ({**GLM, "position_encoding_2d": True}, "E_CHOICE", "position_encoding_2d", "ChatGLM-6B"),
        ({**NOMIC}, "E_NUMBER", "rotary_emb_base", "must be given"),
        ({**NOMIC, "rotary_emb_base": 1000, "rotary_emb_scale_base": 512}, "E_CHOICE", "rotary_emb_scale_base", "xpos"),
        ({"model_type": "internlm2", "rope_scaling": {"type": "yarn", "factor": 2}}, "E_CHOICE", "rope_type", "'yarn'"),
        ({**MINIMAX, "rotary_dim": 256}, "E_ROTARY_DIM", "rotary_dim", "at most 128, got 256, of rotary_dim 256"),
    ],
)
def test_files_of_custom_types_that_are_refused(values, code, argument, words):
    with pytest.raises(InputError, match=words) as error:
        from_config(values)
    assert (error.value.code, error.value.argument) == (code, argument)


def test_nomic_in_the_format_of_transformers_is_its_class():
    config = transformers.NomicBertConfig()
    (module,) = [f.module.NomicBertRotaryEmbedding for f in test_config.found_modules() if f.kind == "nomic_bert"]
    theirs = module(config).inv_freq.numpy()
    for values in ({"model_type": "nomic_bert"}, {**config.to_dict(), "model_type": "nomic_bert"}):
        assert np.allclose(from_config(values).rotary().inv_freq, theirs, rtol=1e-6)


# -- read as another type ---------------------------------------------------------------------------------------------

READ_AS = {
    "rope_ratio": ({**GLM, "rope_ratio": 500}, "glm"),
    "rope_pct": ({"model_type": "stablelm_epoch", **HF, "rope_pct": 0.5}, "stablelm"),
    "rotary_dim": (MINIMAX, "minimax"),
    "rotary_pct": ({"model_type": "own", **HF, "rotary_pct": 0.25}, "llama"),
    "rotary_emb_base": ({"model_type": "own", **HF, "rotary_emb_base": 1e6}, "llama"),
    "rotary_emb_fraction": ({"model_type": "own", **HF, "rotary_emb_fraction": 0.5}, "qwen2"),
    "partial_rotary_factor": ({"model_type": "own", **HF, "partial_rotary_factor": 0.5}, "llama"),
    "rope_scaling": ({"model_type": "own", **HF, "rope_scaling": {"type": "linear", "factor": 2}}, "stablelm_epoch"),
    "alibi": ({**HF, "alibi": True}, "llama"),
}


@pytest.mark.parametrize("name", READ_AS)
def test_a_file_read_as_another_type_does_not_lose_a_key(name):
    values, kind = READ_AS[name]
    with pytest.raises(InputError, match=f"{name} must be a key that {kind} reads") as error:
        from_config(values, model_type=kind)
    assert error.value.argument == name and error.value.code == "E_CHOICE"


@pytest.mark.parametrize(
    "values, kind",
    [
        ({**GLM, "rope_ratio": 1}, "glm"),
        ({"model_type": "own", **HF, "rotary_pct": 1.0, "rope_scaling": None, "alibi": False}, "llama"),
        ({"model_type": "own", **HF, "rotary_dim": 128, "rotary_emb_base": 10000}, "llama"),
        ({"model_type": "own", **HF, "rotary_pct": 0.5, "rotary_emb_base": 1e6}, "gpt_neox"),
        ({"model_type": "own", **HF, "rope_scaling": {"type": "linear", "factor": 2}}, "llama"),
        ({"model_type": "minimax", "rotary_dim": 64}, "minimax"),
    ],
)
def test_a_file_may_be_read_as_another_type_where_nothing_is_lost(values, kind):
    assert from_config(values, model_type=kind).model_type == kind


# -- models without a rotation ----------------------------------------------------------------------------------------

MODELS = Path(transformers.__file__).parent / "models"


#: types whose folder has other models too; test_config_towers builds their modules, as those of all others
PARTS = {kind for kind in encoding_rows.reasons() if model_type_to_module_name(kind) != kind.replace("-", "_")}


@pytest.mark.parametrize("kind", sorted({*encoding_rows.without()[encoding_rows.BY_ORDER]} - PARTS))
def test_types_that_encode_no_positions(kind):
    text = "".join(path.read_text() for path in (MODELS / kind).glob("modeling_*.py"))
    assert kind in CONFIG_MAPPING_NAMES and text and not re.search(r"(?i)position_embed|rotary|positional", text)


@pytest.mark.parametrize("kind", sorted({*encoding_rows.without()[encoding_rows.WITH_BARE_ATTENTION]} - PARTS))
def test_types_whose_attention_has_no_positions(kind):
    """Their files define a rotation at most for others: no layer calls it, and no weight is of positions."""
    text = "".join(path.read_text() for path in (MODELS / kind).glob("modeling_*.py"))
    text = re.sub(r"class \w+Vision\w*\((.|\n)*?(?=\n(class|def|@)|\Z)", "", text)  # those of another part
    calls = re.findall(r"(?<!def )apply_rotary_pos_emb\(|RotaryEmbedding\(|nn.Embedding\(config.max_position", text)
    assert kind in CONFIG_MAPPING_NAMES and text and not calls


def test_the_page_of_types_says_how_many_it_names():
    page = Path(__file__).parents[2].joinpath("docs/model-types.md").read_text()
    named = sum(f"`{kind}`" in page for kind in CONFIG_MAPPING_NAMES)
    assert f"name {named} of the {len(CONFIG_MAPPING_NAMES)}\nmodel types of transformers 5.23" in page


@pytest.mark.parametrize("kind", ["internlm3", "iquestcoder"])
@pytest.mark.parametrize("more", [{}, {"head_dim": None, "num_attention_heads": 64}, {"rope_theta": 5e5}])
def test_types_without_model_files_of_their_own(kind, more):
    """Their configurations belong to the model of Llama."""
    config = transformers.CONFIG_MAPPING[kind](**more, num_hidden_layers=1)
    with torch.device("meta"):
        model = transformers.AutoModel.from_config(config)
    assert type(model).__name__ == "LlamaModel"
    theirs, rotary = type(model.rotary_emb)(config).inv_freq, from_config({"model_type": kind, **more}).rotary()
    assert theirs.shape == rotary.inv_freq.shape and np.abs(theirs.numpy() / rotary.inv_freq - 1).max() < 1e-6
    assert rotary.pairing == "half" and rotary.head_dim == model.layers[0].self_attn.head_dim


#: what there is where the key of a type switches its rotation off
SWITCHED_OFF = {
    ("falcon", True): "alibi",
    ("esm", "absolute"): "learned",
    ("evolla_protein_encoder", "absolute"): "learned",
    ("wav2vec2-bert", "relative_key"): "relative_scores",
    ("wav2vec2-bert", "relative"): "xl_scores",
    ("wav2vec2-conformer", "relative"): "xl_scores",
    ("seamless_m4t", "relative"): "xl_scores",
}


@pytest.mark.parametrize("kind, value", SWITCHED_OFF, ids=str)
def test_a_rotation_that_is_switched_off(kind, value):
    model = from_config({"model_type": kind, rows()[kind].switch.key: value, "pad_token_id": 1})
    assert not model.parts and any(one.name.startswith(SWITCHED_OFF[kind, value]) for one in model.encodings)
    with pytest.raises(InputError, match=f"must be one with a rotary encoding, got {kind}, which has") as error:
        model.rotary()
    assert error.value.code == "E_MISSING"


@pytest.mark.parametrize("kind, value", [("granitemoehybrid", None), ("zamba2", False)])
def test_types_without_an_encoding_where_the_rotation_is_off(kind, value):
    with pytest.raises(InputError, match="the order of its recurrence") as error:
        from_config({"model_type": kind, rows()[kind].switch.key: value})
    assert error.value.code == "E_MISSING"


def test_parts_without_a_rotation():
    values = {"model_type": "own", "text_config": {"model_type": "opt"}, "vision_config": {"model_type": "swin"}}
    model = from_config(values)
    assert [(one.part, one.name.split()[0]) for one in model.encodings] == [
        ("text", "learned"),
        ("vision", "window_bias"),
    ]
    assert not model.parts
    values["text_config"] = {"model_type": "llama"}
    for kind in ("own", "clip"):
        model = from_config({**values, "model_type": kind})
        assert list(model.parts) == ["text"] and [one.place for one in model.encodings] == ["scores"]


# -- notes ------------------------------------------------------------------------------------------------------------

YARN = {"rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 1024}
LISTS = {"rope_type": "longrope", "short_factor": [1.0] * 64, "long_factor": [2.0] * 64, "factor": 2.0,
         "original_max_position_embeddings": 1024}  # fmt: skip
NOTED = [
    ("truncate", {"model_type": "llama", "rope_scaling": {**YARN, "truncate": False}}, True),
    ("truncate", {"model_type": "llama", "rope_scaling": {**YARN, "truncate": True}}, False),
    ("truncate", {"model_type": "llama", "rope_scaling": YARN}, False),
    ("by 4", {"model_type": "qwen2_vl_text", "rope_scaling": {**YARN, "mrope_section": [16, 24, 24]}}, True),
    ("by 4", {"model_type": "qwen2_vl_text", "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}}, False),
    ("imrope", {"model_type": "qwen3_vl_text"}, True),
    ("imrope", {"model_type": "qwen3_5_text"}, False),
    ("mscale_rule", {"model_type": "llama", "rope_scaling": {**YARN, "mscale": 0.707}}, True),
    ("mscale_rule", {"model_type": "llama", "rope_scaling": {**YARN, "mscale": 0.707, "mscale_all_dim": 0}}, True),
    ("mscale_rule", {"model_type": "llama", "rope_scaling": {**YARN, "mscale_all_dim": 1}}, True),
    ("mscale_rule", {"model_type": "llama", "rope_scaling": {**YARN, "mscale": 1.0}}, False),
    ("mscale_rule", {"model_type": "llama", "rope_scaling": {**YARN, "mscale": 1, "mscale_all_dim": 0.5}}, False),
    ("mscale_rule", {"model_type": "llama", "rope_scaling": {**YARN, "mscale": 0.5, "attention_factor": 2}}, False),
    ("long_factor", {"model_type": "llama", "rope_scaling": LISTS}, True),
    ("dual_chunk_positions", {"model_type": "qwen2", "dual_chunk_attention_config": {"chunk_size": 262144}}, True),
    ("log_n_scale", QWEN, True),
    ("log_n_scale", {**QWEN, "use_logn_attn": False}, False),
]


@pytest.mark.parametrize("word, values, there", NOTED)
def test_what_other_projects_make_of_the_same_keys_is_noted(word, values, there):
    notes = from_config(values).rotary().notes
    assert any(word in note for note in notes) == there, notes
    assert all(len(note) < 130 for note in notes)


def test_the_pairs_that_llama_cpp_turns_by_a_fourth_position():
    """Its rule for sections (24, 20, 20), pair by pair, against the axes: 61 and 62 alone have no axis of the three."""
    axes = from_config({"model_type": "qwen3_vl_text"}).rotary().frequencies.axes
    theirs = [next((a for a in (1, 2, 0) if i % 3 == a and i < 3 * (24, 20, 20)[a]), 3) for i in range(64)]
    assert [i for i in range(64) if axes[i] != theirs[i]] == [61, 62]


@pytest.mark.parametrize("name", ["dual_chunk_attention_config", "use_dynamic_ntk", "use_logn_attn"])
def test_keys_that_other_code_reads_are_accounted_for(name):
    for kind in ("qwen2", "llama", "qwen"):
        found = from_config({"model_type": kind, name: {"chunk_size": 8} if "chunk" in name else True})
        assert (name in found.used) != (name in found.ignored)
        assert (name in found.used) == (kind == "qwen" and "chunk" not in name)


def test_a_file_without_a_type(tmp_path):
    with pytest.raises(InputError, match="--model-type"):
        from_config({})
    (tmp_path / "config.json").write_text("{}")
    words = [sys.executable, "-m", "refpos", "config", "config.json"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and "model_type must be given" in done.stderr and "--model-type" in done.stderr
    (tmp_path / "config.json").write_text(json.dumps(HF))
    done = subprocess.run([*words, "--model-type", "llama"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "rotary_dim        128" in done.stdout
