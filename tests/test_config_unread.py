"""What a configuration says and nothing reads: named in the answer, refused where the file is read as another type."""

import json
import subprocess
import sys

import pytest

from refpos import InputError, from_config, same_encoding
from refpos.configs import unread

HF = {"hidden_size": 4096, "num_attention_heads": 32}
TEXT = {"model_type": "llama", **HF}

#: what is said of a type that is not known, of which some part is
OWN = {"model_type": "own, not known: its parts alone are described"}

# -- objects ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, inner, said",
    [
        ("vision_config", {"model_type": "own_vision", "image_size": 560}, "own_vision, not described"),
        ("vision_config", {"image_size": 560}, "no model_type, not described"),
        ("tower", {"_class_name": "OwnTransformer2DModel"}, "OwnTransformer2DModel, not described"),
        ("thinker_config", {"model_type": "own", "text_config": TEXT}, "own, not described"),
    ],
)
def test_an_object_of_a_model_is_read_or_named(name, inner, said):
    model = from_config({"model_type": "own", "text_config": TEXT, name: inner})
    assert model.unread == {**OWN, name: said} and list(model.parts) == ["text"]


@pytest.mark.parametrize("inner", [{"model_type": "clip_vision_model"}, {"model_type": "resnet"}, {}, None])
def test_an_object_that_is_read_or_encodes_no_positions_is_not_named(inner):
    assert from_config({"model_type": "own", "text_config": TEXT, "vision_config": inner}).unread == OWN


# -- keys -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["compress_ratios", "alibi_slopes", "rel_pos_bins", "pos_emb_width", "yarn", "swa_theta", "position_encoding"],
)
def test_a_key_for_positions_that_nothing_reads_is_named(name):
    said = {name: "not read, though its name is that of a key for positions"}
    assert from_config({**TEXT, name: {"a": 1}}).unread == said
    assert from_config({**TEXT, "inner": {name: 3}}).unread == {f"inner.{name}": said[name]}
    for value in (None, False, {}, []):
        assert from_config({**TEXT, name: value}).unread == {}


@pytest.mark.parametrize(
    "name", ["property", "mlp_ratio", "max_position_embeddings", "scope", "position_ids", "vocab_size"]
)
def test_a_key_for_something_else_is_not_named(name):
    assert from_config({**TEXT, name: 3}).unread == {}


#: keys of a llama that decide positions by their names, and that no class reads at the top of a file
OUTSIDE = {
    **dict.fromkeys(["use_rope", "apply_rope", "use_rotary_embeddings", "rotary"], False),
    "rope_type": "yarn", "type": "yarn", "factor": 4.0, "original_max_position_embeddings": 512, "scaling_factor": 4.0,
    "short_factor": [1.0] * 64, "long_factor": [1.0] * 64, "attention_factor": 1.5, "mscale": 0.7,
    "position_scale": 2.0, "position_offset": 2, "nope_layers": [1], "low_freq_factor": 1.0,
}  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_switch_that_is_off_and_a_scaling_outside_its_object_are_named(name):
    given = {name: OUTSIDE[name]}
    said = {name: "not read, though its name is that of a key for positions"}
    assert from_config({**TEXT, **given}).unread == said
    vision = {"model_type": "clip_vision_model"}
    model = from_config({"model_type": "llava", "text_config": {**TEXT, **given}, "vision_config": vision})
    assert model.unread == {f"text_config.{name}": said[name]}
    assert not same_encoding(TEXT, {**TEXT, **given}).same
    with pytest.raises(InputError, match=f"^{name} must be a key that llama reads, got "):
        from_config({**TEXT, **given, "model_type": "own"}, model_type="llama")


@pytest.mark.parametrize("inner", [{"scaling_factor": 4.0, "type": "yarn", "factor": 4.0}, {"type": "text"}])
def test_keys_of_a_scaling_in_an_object_for_something_else_are_not_named(inner):
    assert from_config({**TEXT, "quantization_config": inner, "type": "text", "use_rope": None}).unread == {}


def test_the_length_of_pretraining_that_phi_3_reads_with_a_scaling_alone():
    model = from_config({**TEXT, "model_type": "phi3", "original_max_position_embeddings": 4096})
    assert model.unread == {} and model.ignored["original_max_position_embeddings"]


# -- files read as another type ---------------------------------------------------------------------------------------

#: files of other formats, and the key that a class of transformers would lose
FOREIGN = {
    "params.json of Meta": (
        "use_scaled_rope",
        {"dim": 4096, "n_heads": 32, "rope_theta": 5e5, "use_scaled_rope": True},
    ),
    "params.json of Meta, sizes alone": ("dim", {"dim": 4096, "n_heads": 32, "rope_theta": 5e5}),
    "params.json of Mistral": ("yarn", {"dim": 5120, "n_heads": 32, "rope_theta": 1e9, "yarn": {"factor": 16}}),
    "NeMo": ("rotary_base", {**HF, "rotary_base": 5e5, "position_embedding_type": "rope"}),
    "TensorRT-LLM": ("rotary_base", {**HF, "rotary_base": 5e5, "rotary_scaling": {"factor": 8}}),
    "litgpt": ("rope_base", {"n_embd": 4096, "n_head": 32, "rope_base": 500000}),
    "GPT-NeoX arguments": ("pos_emb", {**HF, "pos_emb": "rotary"}),
    "inside an object": ("inner.yarn", {**HF, "inner": {"yarn": {"factor": 4}}}),
    "a name with dots": ("a.b.alibi_scale", {**HF, "a.b": {"alibi_scale": 2}}),
}


@pytest.mark.parametrize("path, values", FOREIGN.values(), ids=FOREIGN)
def test_a_file_of_another_format_is_refused(path, values):
    with pytest.raises(InputError) as error:
        from_config(values, model_type="llama")
    assert str(error.value).startswith(f"{path} must be a key that llama reads, got ")
    assert (error.value.code, error.value.argument) == ("E_CHOICE", path.rpartition(".")[2])


def test_keys_that_say_nothing_do_not_hinder():
    values = {**HF, "use_scaled_rope": False, "yarn": None, "alibi": False, "rope_dim": 0}
    assert from_config(values, model_type="llama").rotary().rotary_dim == 128
    assert unread.SIZES and from_config({"n_embd": 4096, "n_head": 16}, model_type="gptj").rotary().head_dim == 256


def test_a_neutral_value_inside_an_object_does_not_hinder():
    values = {"text_config": {**TEXT, "rope_ratio": 1}, "model_type": "own"}
    assert from_config(values, model_type="llava").model_type == "llava"
    with pytest.raises(InputError, match="rope_ratio must be a key that llava reads, got 2"):
        from_config({**values, "text_config": {**TEXT, "rope_ratio": 2}}, model_type="llava")


# -- the command ------------------------------------------------------------------------------------------------------


def command(folder, values, *options):
    (folder / "config.json").write_text(json.dumps(values))
    words = [sys.executable, "-m", "refpos", "config", "config.json", *options]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)


def test_the_command_says_what_it_leaves_out(tmp_path):
    values = {"model_type": "own", "text_config": TEXT, "vision_config": {"model_type": "own_vision"}, "alibi_scale": 2}
    done = command(tmp_path, values)
    said = done.stdout[done.stdout.index("\nnot read:\n") :]
    assert done.returncode == 0 and "  vision_config: own_vision, not described\n" in said and "alibi_scale" in said
    found = json.loads(command(tmp_path, values, "--json").stdout)["unread"]
    assert found == from_config(values).unread and list(found) == ["model_type", "vision_config", "alibi_scale"]
    assert "not read" not in command(tmp_path, TEXT).stdout


def test_the_command_refuses_a_file_of_another_format(tmp_path):
    done = command(tmp_path, {**HF, "rotary_base": 5e5}, "--model-type", "llama")
    assert done.returncode == 2 and "rotary_base must be a key that llama reads, got 500000.0" in done.stderr


# -- sizes by other names ---------------------------------------------------------------------------------------------

SIZE = "not read, though its name is that of a size in other formats"


@pytest.mark.parametrize("kind", ["llama", "qwen3", "smollm3"])
def test_sizes_by_other_names_are_named_where_the_class_gives_the_width(kind):
    sizes = {"dim": 2048, "n_heads": 16, "head_size": 96, "n_layers": 16}
    model = from_config({"model_type": kind, **sizes})
    assert model.unread == dict.fromkeys(sorted(sizes), SIZE)
    inner = from_config({"model_type": "llava", "text_config": {"model_type": kind, **sizes}})
    assert {path for path, why in inner.unread.items() if why == SIZE} == {f"text_config.{name}" for name in sizes}
    assert not same_encoding({"model_type": kind, **sizes}, {"model_type": kind, **sizes, "dim": 1024})


def test_sizes_by_other_names_are_not_named_where_they_say_nothing_new():
    assert from_config({**TEXT, "dim": 2048, "n_heads": 16}).unread == {}
    assert from_config({"model_type": "gptj", "n_embd": 4096, "n_head": 16}).unread == {}
    assert from_config({"model_type": "llama", "dim": None}).unread == {}
    assert from_config({"model_type": "t5", "d_model": 512, "num_heads": 8, "num_layers": 6}).unread == {}
