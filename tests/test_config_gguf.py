"""GGUF metadata by architecture: which layers are rotated, with which base, as the graphs of llama.cpp have it."""

import mpmath
import numpy as np
import pytest

import refpos
from refpos import InputError, from_config
from refpos.configs.dialects.gguf_rows import ROWS, WITH_SECTIONS, WITHOUT, Row

FULL, SLIDING = "full_attention", "sliding_attention"
LINEAR = {"rope.scaling.type": "linear", "rope.scaling.factor": 8.0}
YARN = {"rope.scaling.type": "yarn", "rope.scaling.factor": 8.0, "rope.scaling.original_context_length": 8192}


def read(architecture, **keys):
    own = {"embedding_length": 4096, "attention.head_count": 32, **keys}
    return from_config({"general.architecture": architecture, **{f"{architecture}.{k}": v for k, v in own.items()}})


def layers(architecture, **keys):
    return read(architecture, **keys).parts["text"].layers


# -- which layers -----------------------------------------------------------------------------------------------------

EVERY_FOURTH = ("all", "all", "all", None)
CASES = {
    "smollm3": ({}, EVERY_FOURTH),
    "cohere2": ({"attention.sliding_window": 4096}, EVERY_FOURTH),
    "exaone-moe": ({"attention.sliding_window": 128}, EVERY_FOURTH),
    "muse-glimmer": ({"attention.sliding_window": 128}, (SLIDING, SLIDING, SLIDING, None)),
    "llama4": ({}, (SLIDING, SLIDING, SLIDING, None)),
    "afmoe": ({"attention.sliding_window": 2048}, (SLIDING, SLIDING, SLIDING, None)),
    "smallthinker": ({"attention.sliding_window": 4096}, (None, SLIDING, SLIDING, SLIDING)),
    "gemma2": ({}, (SLIDING, FULL)),
    "gpt-oss": ({"attention.sliding_window": 128}, (SLIDING, FULL)),
    "gemma3": ({"attention.sliding_window": 1024}, (SLIDING,) * 5 + (FULL,)),
    "gemma3n": ({"attention.sliding_window": 512}, (SLIDING,) * 4 + (FULL,)),
    "gemma-embedding": ({"attention.sliding_window": 512}, (SLIDING,) * 5 + (FULL,)),
    "modern-bert": ({"attention.sliding_window": 128}, (FULL, SLIDING, SLIDING)),
    "plamo3": ({"attention.sliding_window": 2048}, (SLIDING,) * 7 + (FULL,)),
    "olmo2": ({"attention.sliding_window": 4096}, (SLIDING,) * 3 + (FULL,)),
    "mellum": ({"attention.sliding_window": 4096}, (SLIDING,) * 3 + (FULL,)),
}


@pytest.mark.parametrize("architecture", CASES)
def test_layers_of_an_architecture(architecture):
    keys, period = CASES[architecture]
    assert layers(architecture, block_count=24, **keys) == (period * 24)[:24]
    with pytest.raises(InputError, match="block_count must be given"):
        read(architecture, **keys)


def test_every_architecture_whose_layers_differ_has_a_case():
    assert {name for name, row in ROWS.items() if row.every or row.layers == "step"} == {*CASES, "exaone4"}


@pytest.mark.parametrize("architecture", ["gemma3", "modern-bert", "plamo3", "olmo2", "mellum", "smallthinker"])
def test_without_a_window_all_layers_are_alike(architecture):
    for keys in ({}, {"attention.sliding_window": 0}):
        part = read(architecture, block_count=24, **keys).parts["text"]
        assert part.layers == () and list(part.rotaries) == ["all"]


def test_layers_by_the_size_of_the_model():
    assert layers("exaone4", block_count=64) == EVERY_FOURTH * 16
    assert layers("exaone4", block_count=30) == ()
    assert layers("baichuan", block_count=32) == ()
    with pytest.raises(InputError, match="block_count must be 32 for a rotation, got 40"):
        read("baichuan", block_count=40)


def test_layers_without_chunks_of_llama_4():
    """Its step is then the number of layers, so that the graph leaves out the last one."""
    assert layers("llama4", block_count=4, **{"attention.sliding_window": 0}) == ("all", "all", "all", None)
    assert layers("afmoe", block_count=5) == (*EVERY_FOURTH, "all")


def test_the_pattern_of_a_file():
    window = {"block_count": 4, "attention.sliding_window": 1024}
    name = "attention.sliding_window_pattern"
    assert layers("gemma3", **window, **{name: [False, True, True, False]}) == (FULL, SLIDING, SLIDING, FULL)
    assert layers("gemma3", **window, **{name: 2}) == (SLIDING, FULL, SLIDING, FULL)
    assert layers("gemma3", **window, **{name: 0}) == (SLIDING,) * 4
    assert layers("modern-bert", **window, **{name: 2}) == (FULL, SLIDING, FULL, SLIDING)
    with pytest.raises(InputError, match="a flag for each of 4 layers, got 3"):
        read("gemma3", **window, **{name: [True] * 3})


# -- which rotation ---------------------------------------------------------------------------------------------------


def powers(base, factor=1.0):
    frequencies = refpos.inverse_frequencies(128, base=base)
    return refpos.linear(128, factor=factor, frequencies=frequencies).inv_freq


def test_sliding_layers_with_a_base_of_their_own():
    window = {"block_count": 6, "attention.sliding_window": 1024, "rope.freq_base": 1e6, **LINEAR}
    for more, base in (({}, 1e4), ({"rope.freq_base_swa": 2e4}, 2e4)):
        part = read("gemma3", **window, **more).parts["text"]
        assert np.array_equal(part.rotaries[SLIDING].inv_freq, powers(base))
        assert np.array_equal(part.rotaries[FULL].inv_freq, powers(1e6, 8.0))
    part = read("gemma2", **window).parts["text"]
    assert np.array_equal(part.rotaries[SLIDING].inv_freq, powers(1e6, 8.0))
    part = read("gemma2", **window, **{"rope.freq_base_swa": 2e4}).parts["text"]
    assert np.array_equal(part.rotaries[SLIDING].inv_freq, powers(2e4, 8.0))
    part = read("muse-glimmer", **window).parts["text"]
    assert list(part.rotaries) == [SLIDING] and np.array_equal(part.rotaries[SLIDING].inv_freq, powers(1e6))


def test_sliding_layers_without_a_scaling():
    keys = {"block_count": 4, "attention.sliding_window": 4096, **YARN, "rope.scaling.attn_factor": 2.0}
    for architecture in ("olmo2", "mellum"):
        part = read(architecture, **keys).parts["text"]
        assert np.array_equal(part.rotaries[SLIDING].inv_freq, powers(1e4))
        assert part.rotaries[SLIDING].attention_factor == 1.0
        assert part.rotaries[FULL].parameters["rope_type"] == "yarn" and part.rotaries[FULL].attention_factor > 2
    part = read("gemma3", **keys).parts["text"]
    assert part.rotaries[SLIDING].attention_factor == 2.0


@pytest.mark.parametrize("architecture", ["granite", "granitehybrid"])
def test_the_switch_of_granite(architecture):
    assert read(architecture).rotary().pairing == "interleaved"
    assert "granite" in "".join(read(architecture, **{"rope.scaling.finetuned": True}).used)
    with pytest.raises(InputError, match="no layer is rotated") as error:
        read(architecture, **{"rope.scaling.finetuned": False})
    assert error.value.code == "E_MISSING"
    for other in ("granitemoe", "llama"):
        assert f"{other}.rope.scaling.finetuned" in read(other, **{"rope.scaling.finetuned": False}).ignored


def test_sections_decide_the_pairs_of_glm4():
    assert read("glm4").rotary().pairing == "interleaved"
    rotary = read("glm4", **{"rope.dimension_sections": [16, 24, 24, 0]}).rotary()
    assert rotary.pairing == "half" and set(rotary.frequencies.axes) == {0, 1, 2}
    assert read("glm4", **{"rope.dimension_sections": [0, 0, 0, 0]}).rotary().pairing == "interleaved"


@pytest.mark.parametrize("architecture", ["cogvlm", "deepseek2-ocr"])
def test_graphs_that_read_no_rope_key(architecture):
    model = read(architecture, **{"rope.freq_base": 5e5, "rope.dimension_count": 64, **LINEAR})
    assert np.array_equal(model.rotary().inv_freq, powers(1e4)) and model.rotary().pairing == "half"
    assert f"{architecture}.rope.freq_base" in model.ignored and not model.unread


def test_other_places_and_keys():
    for architecture in ("deepseek2", "deepseek32", "glm-dsa", "minicpm3", "mistral4", "plm"):
        assert read(architecture, **{"rope.dimension_count": 64}).rotary().placement == "last"
    with pytest.raises(InputError, match="alpha must be 0"):
        read("hunyuan-dense", **{"rope.scaling.alpha": 1000.0})
    assert [*read("llama", **{"rope.freq_base_swa": 1e4}).unread] == ["llama.rope.freq_base_swa"]
    assert read("llama").rotary().notes and not read("qwen2").rotary().notes


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("architecture", WITHOUT)
def test_architectures_without_a_rotation(architecture):
    with pytest.raises(InputError, match="must be one with a rotation, got") as error:
        read(architecture)
    assert error.value.code == "E_CHOICE" and WITHOUT[architecture] in str(error.value)


@pytest.mark.parametrize("architecture", ["gemma4", "deepseek4", "step35", "laguna", "mimo2", "mllama", "unheard"])
def test_architectures_whose_graph_was_not_read(architecture):
    with pytest.raises(InputError, match=f"one of the {len(ROWS)} known ones, got '{architecture}'"):
        read(architecture)


def test_rows_make_each_choice():
    """A choice that no row makes is one that no file can meet."""
    rows = [*ROWS.values(), *WITH_SECTIONS.values()]
    assert not {*ROWS} & {*WITHOUT} and {*WITH_SECTIONS} <= {*ROWS}
    assert {row.pairing for row in rows} == {"interleaved", "half"}
    assert {row.placement for row in rows} == {"first", "last"}
    assert {row.layers for row in rows} == {"all", "sliding", "step", "step from first", "finetuned", "blocks"}
    assert {row.slides for row in rows} == {"always", "key", "unless 0", "64 layers"}
    assert {row.sliding for row in rows} == {"same", "own", "own unscaled", "own scaled", "plain"}
    for field in Row._fields:
        assert len({getattr(row, field) for row in rows}) > 1, field
    for name, row in ROWS.items():
        assert row.every or (row.slides == "always" and row.sliding == "same"), name


@pytest.mark.parametrize("architecture", ["qwen3next", "qwen35", "qwen35moe"])
def test_hybrids_have_attention_in_every_fourth_layer(architecture):
    model = read(architecture, block_count=9)
    assert model.parts["text"].layers == (None, None, None, "all") * 2 + (None,)
    assert read(architecture, block_count=4, full_attention_interval=2).parts["text"].without_rope == (0, 2)


@pytest.mark.parametrize("architecture", ["lfm2", "lfm2moe", "plamo2", "granitehybrid"])
def test_layers_without_heads_for_keys_have_no_rotation(architecture):
    heads = {"attention.head_count_kv": [0, 8, 0, 4]}
    assert read(architecture, block_count=4, **heads).parts["text"].layers == (None, "all", None, "all")
    assert read(architecture, block_count=4, **{"attention.head_count_kv": 8}).parts["text"].without_rope == ()
    with pytest.raises(InputError, match="a number for each of 5 layers, got 4"):
        read(architecture, block_count=5, **heads)


def test_the_hybrids_are_these():
    assert {name for name, row in ROWS.items() if row.recurrent} == {
        "granitehybrid", "lfm2", "lfm2moe", "plamo2", "qwen3next", "qwen35", "qwen35moe"}  # fmt: skip


# -- what graphs and versions of llama.cpp do not have in common ------------------------------------------------------


@pytest.mark.parametrize(
    ("architecture", "keys", "argument"),
    [
        ("llama", {**YARN, "rope.scaling.yarn_beta_fast": 64.0}, "rope.scaling.yarn_beta_fast"),
        ("qwen2", {**YARN, "rope.scaling.yarn_beta_slow": 2.0}, "rope.scaling.yarn_beta_slow"),
        ("grok", {**YARN, "rope.scaling.yarn_ext_factor": 0.5}, "rope.scaling.yarn_ext_factor"),
        ("grok", {**LINEAR, "rope.scaling.yarn_ext_factor": 1.0}, "rope.scaling.yarn_ext_factor"),
        ("grok", {**YARN, "rope.scaling.yarn_attn_factor": 2.0}, "rope.scaling.yarn_attn_factor"),
        ("mistral3", YARN, "rope.scaling.yarn_log_multiplier"),
        ("qwen2", {**YARN, "rope.scaling.yarn_log_multiplier": 0.1}, "rope.scaling.yarn_log_multiplier"),
        ("glm-dsa", {"rope.scaling.yarn_log_multiplier": 0.1}, "rope.scaling.yarn_log_multiplier"),
        ("llama", {"rope.dimension_count": 64}, "rope.dimension_count"),
        ("gemma3", {"attention.key_length_swa": 64}, "attention.key_length_swa"),
        ("gemma3", {"rope.dimension_count_swa": 64}, "rope.dimension_count_swa"),
        ("qwen2", {"rope.scaling.type": "longrope"}, "rope.scaling.type"),
    ],
)
def test_numbers_that_graphs_read_differently_are_refused(architecture, keys, argument):
    with pytest.raises(InputError) as caught:
        read(architecture, block_count=24, **{"attention.sliding_window": 512, **keys})
    assert caught.value.argument == argument


def test_the_same_numbers_where_they_change_nothing_or_are_read():
    neutral = {"yarn_beta_fast": 32.0, "yarn_beta_slow": 1.0, "yarn_ext_factor": 1.0, "yarn_attn_factor": 1.0}
    plain = read("llama", **YARN).rotary()
    same = read("llama", **YARN, **{f"rope.scaling.{name}": value for name, value in neutral.items()})
    assert same.rotary().inv_freq.tolist() == plain.inv_freq.tolist() and same.unread == {}
    # 64 rotations end the ramp at another channel than 32 do, and one graph reads them
    other = read("grok", **YARN, **{"rope.scaling.yarn_beta_fast": 64.0}).rotary()
    expected = refpos.yarn(128, base=10000, factor=8, original_max_position_embeddings=8192, beta_fast=64)
    assert other.inv_freq.tolist() == expected.inv_freq.tolist() != plain.inv_freq.tolist()
    keys = {**YARN, "rope.scaling.yarn_log_multiplier": 1.0, "rope.scaling.yarn_beta_fast": 64.0}
    assert read("mistral3", **keys).rotary().attention_factor == 1
    assert read("mistral3", **keys).rotary().inv_freq.tolist() == expected.inv_freq.tolist()
    assert (
        read("gemma3", block_count=6, **{"attention.key_length_swa": 128, "attention.sliding_window": 9}).unread == {}
    )
    assert read("minicpm", **{**LINEAR, "rope.scaling.type": "longrope"}).rotary().inv_freq[0] == 1 / 8


# -- what multiplies the scores ---------------------------------------------------------------------------------------

DEEPSEEK = {"embedding_length": 7168, "attention.head_count": 128, "attention.key_length": 192,
            "rope.dimension_count": 64, "context_length": 163840, "rope.scaling.type": "yarn",
            "rope.scaling.factor": 40.0, "rope.scaling.original_context_length": 4096}  # fmt: skip
#: the formula of src/models/deepseek2.cpp and src/llama-context.cpp: {multiplier: log_mul}, in float32 as there
LOG_MULS = {0.1: "1", 0.0707: "0.70699995756149291992", 0.0: "0"}
#: architectures whose graph scales the softmax: the multipliers that their loaders read
LATENT = [
    (kind, multiplier)
    for kind in ("deepseek2", "deepseek32", "mistral4", "glm-dsa")
    for multiplier in (LOG_MULS if kind != "glm-dsa" else [0.0])
]


@pytest.mark.parametrize("architecture, multiplier", LATENT)
@pytest.mark.parametrize("own", [1.0, 1.5])
def test_the_softmax_scale_of_latent_attention(architecture, multiplier, own):
    keys = {**DEEPSEEK, "rope.scaling.yarn_log_multiplier": multiplier, "rope.scaling.attn_factor": own}
    with mpmath.workdps(50):
        log = mpmath.log(40) / 10
        log_mul = mpmath.mpf(float(np.float32(LOG_MULS[multiplier])))
        mscale = log_mul if architecture == "deepseek2" and log_mul else 1
        org = own * (1 + mscale * log) / (1 + log_mul * log)
        exact = (org * (1 + log_mul * log)) ** 2
    rotary = read(architecture, **keys).rotary()
    assert rotary.attention_factor == float(org)
    assert rotary.softmax_factor == float(exact)
    (note,) = (note for note in rotary.notes if note.startswith("the softmax scale"))
    assert repr(float(exact)) in note


@pytest.mark.parametrize("architecture", ["deepseek2", "deepseek32", "mistral4", "glm-dsa"])
def test_the_softmax_scale_of_latent_attention_without_yarn(architecture):
    plain = {name: value for name, value in DEEPSEEK.items() if "scaling" not in name}
    assert read(architecture, **plain).rotary().softmax_factor == 1
    assert read(architecture, **plain, **{"rope.scaling.attn_factor": 1.5}).rotary().softmax_factor == 2.25
    with mpmath.workdps(50):
        linear = float((1 + mpmath.log(8) / 10) ** 2)
    assert read(architecture, **plain, **LINEAR).rotary().softmax_factor == linear
    other = read("qwen2", **plain, **LINEAR).rotary()  # whose graph has no such scale
    assert other.softmax_factor == 1 and not other.notes


MISTRAL = {**YARN, "rope.scaling.yarn_log_multiplier": 1.0, "attention.temperature_scale": 0.1}


@pytest.mark.parametrize(
    "architecture, keys, step",
    [
        ("mistral3", MISTRAL, 8192),
        ("mistral3", {"attention.temperature_scale": 0.1, "context_length": 4096}, 4096),
        ("deepseek2", {**DEEPSEEK, "attention.temperature_scale": 0.1, "attention.temperature_length": 2048}, 2048),
        ("mistral4", {**DEEPSEEK, "attention.temperature_scale": 0.1, "attention.temperature_length": 2048}, 2048),
    ],
)
def test_the_temperature_of_queries(architecture, keys, step):
    model = read(architecture, **keys)
    call = f"attention_temperature(attn_scale=0.1, floor_scale={step}, shift=0)"
    assert f"queries are multiplied by {call}" in model.rotary().notes
    assert f"{architecture}.attention.temperature_scale" in model.used and not model.unread
    off = read(architecture, **{**keys, "attention.temperature_scale": 0.0})
    assert not any("temperature" in note for note in off.rotary().notes)


def test_a_temperature_that_no_graph_is_known_to_read_is_named():
    keys = {"attention.temperature_scale": 0.1, "attention.temperature_length": 2048}
    assert list(read("glm-dsa", **keys).unread) == [f"glm-dsa.{name}" for name in keys]
    for architecture in ("deepseek2", "mistral4"):
        with pytest.raises(InputError, match="temperature_length must be given"):
            read(architecture, **{**DEEPSEEK, "attention.temperature_scale": 0.1})


def test_the_temperature_of_llama4_is_that_of_its_graph_in_layers_without_rotation():
    theirs = {"model_type": "llama4_text", "num_hidden_layers": 4, "head_dim": 128, "num_attention_heads": 32}
    note = "queries of layers without rotation are multiplied by attention_temperature(attn_scale=0.1, floor_scale=8192"
    model = read("llama4", block_count=4, **{"attention.sliding_window": 4096, "rope.freq_base": 5e5})
    ours, (original,) = model.rotary(), from_config(theirs).parts["text"].rotaries.values()
    (found,) = (one for one in ours.notes if one.startswith(note))
    assert found in original.notes
    values = {"general.architecture": "llama4", "llama4.block_count": 4, "llama4.embedding_length": 4096,
              "llama4.attention.head_count": 32, "llama4.rope.freq_base": 5e5}  # fmt: skip
    assert refpos.same_encoding(values, theirs)
    bare = {"llama4.attention.sliding_window": 0}
    assert not refpos.same_encoding(values, {**values, **bare})


def test_a_llama4_file_whose_layers_do_not_slide_has_no_temperature_in_all_versions():
    keys = {"rope.scaling.finetuned": True, "attention.sliding_window": 0}
    (note,) = read("llama4", block_count=4, **keys).rotary().notes[-1:]
    assert note.startswith("some versions of llama.cpp stop at the layers without rotation")


@pytest.mark.parametrize("name", ["attention.temperature_scale", "rope.scaling.yarn_log_multiplier"])
@pytest.mark.parametrize("architecture", ["mistral3", "deepseek2", "mistral4", "deepseek32"])
def test_files_that_scale_their_scores_otherwise_differ(architecture, name):
    own = {**DEEPSEEK, **MISTRAL, "attention.temperature_length": 2048}
    values = {"general.architecture": architecture, **{f"{architecture}.{key}": one for key, one in own.items()}}
    assert refpos.same_encoding(values, values)
    assert not refpos.same_encoding(values, {**values, f"{architecture}.{name}": 0.05})


@pytest.mark.parametrize("seq_len, tensor", [(None, "short"), (4096, "short"), (4097, "long")])
def test_the_length_that_chooses_the_factors_of_phi3_is_used(seq_len, tensor):
    tensors = {"rope_factors_long.weight": [2.0] * 64, "rope_factors_short.weight": [1.0] * 64}
    own = {"embedding_length": 4096, "attention.head_count": 32, "context_length": 131072,
           "rope.scaling.original_context_length": 4096}  # fmt: skip
    values = {"general.architecture": "phi3", **{f"phi3.{name}": value for name, value in own.items()}, **tensors}
    found = from_config(values, seq_len=seq_len)
    assert found.rotary().inv_freq[0] == {"short": 1.0, "long": 0.5}[tensor]
    assert "phi3.rope.scaling.original_context_length" in found.used and not found.unread
    assert "phi3.context_length" not in found.used
    del values["phi3.rope.scaling.original_context_length"]
    assert "phi3.context_length" in from_config(values, seq_len=seq_len).used


@pytest.mark.parametrize("name", ["rope.scaling.factor", "rope.scale_linear"])
def test_a_factor_beside_the_scaling_none_is_ignored(name):
    found, plain = read("llama", **{"rope.scaling.type": "none", name: 4.0}), read("llama")
    assert found.ignored == {f"llama.{name}": "rope.scaling.type is none"}
    assert found.rotary().inv_freq.tolist() == plain.rotary().inv_freq.tolist()
    assert found.rotary().parameters == plain.rotary().parameters
