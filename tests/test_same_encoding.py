"""`same_encoding`: pairs of published configurations, whose verdicts were written before they were compared, random
pairs, first positions, overrides, and what is refused."""

import json
import random

import numpy as np
import pytest
from published_pairs import INTERNLM_2, LLAMA_2_7B, LLAVA_1_5_7B, PAIRS, QWEN_3_8B, QWEN_3_YARN, SAME
from test_cli import complaint, refpos_command
from tiers import sampled

import refpos
from refpos import InputError, from_config, same_encoding
from refpos.configs.model_defaults import rows
from refpos.configs.same.differences import TOLERANCE, runs
from refpos.configs.same.first_position import first_position
from refpos.configs.same.overrides import overridden, read_overrides

# -- published pairs --------------------------------------------------------------------------------------------------


def named(one):
    """A difference as the table above has it."""
    layers = f" {runs(one.layers)}" if one.layers else ""
    return f"{one.part}{layers}{'' if one.seq_len is None else f' @{one.seq_len}'}: {one.what}"


@pytest.mark.parametrize("name", PAIRS)
def test_published_pairs(name):
    a, b, options, expected = PAIRS[name]
    result = same_encoding(a, b, **options)
    assert [named(one) for one in result.differences] == expected
    assert result.same == bool(result) == (expected == SAME)
    assert len(PAIRS) >= 60 and sum(pair[3] == SAME for pair in PAIRS.values()) >= 25


@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_the_other_way_round_differs_in_the_same(name):
    a, b, options, _ = PAIRS[name]
    other_way = {"override_a": "override_b", "override_b": "override_a"}
    result = same_encoding(a, b, **options)
    back = same_encoding(b, a, **{other_way.get(option, option): value for option, value in options.items()})
    there = {(named(one), str(one.a), str(one.b), one.position, one.distance) for one in result.differences}
    assert there == {(named(one), str(one.b), str(one.a), one.position, one.distance) for one in back.differences}


# -- random pairs -----------------------------------------------------------------------------------------------------

#: model types whose files have the flat keys of Llama, and the architecture of their GGUF files where q and k keep
#: their layout
TYPES = {"llama": None, "mistral": None, "mixtral": None, "qwen2": "qwen2", "qwen3": "qwen3", "olmo2": "olmo2",
         "starcoder2": "starcoder2", "gemma2": "gemma2", "seed_oss": "seed_oss", "cohere": None}  # fmt: skip
LAYERS = {"gemma2": 26}  # of a file that does not say it
SCALINGS = ("default", "linear", "dynamic", "yarn", "llama3", "longrope")


def random_file(random):
    """(model type, head_dim, base, length, scaling) of a file."""
    head_dim, kind = random.choice((64, 80, 96, 128)), random.choice(SCALINGS)
    length = random.choice((2048, 4096, 32768))
    numbers = {
        "default": {},
        "linear": {"factor": random.choice((2.0, 4.0, 7.5))},
        "dynamic": {"factor": random.choice((2.0, 4.0))},
        "yarn": {"factor": random.choice((4.0, 16.0)), "original_max_position_embeddings": length,
                 **random.choice(({}, {"beta_fast": 16.0}, {"beta_slow": 2.0, "attention_factor": 1.5}))},
        "llama3": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                   "original_max_position_embeddings": length},
        "longrope": {"short_factor": [1.0 + k / 9 for k in range(head_dim // 2)], "factor": 32.0,
                     "long_factor": [2.0 + k for k in range(head_dim // 2)],
                     "original_max_position_embeddings": length},
    }  # fmt: skip
    base = random.choice((1e4, 5e4, 5e5, 1e6, 8e6))
    return random.choice(list(TYPES)), head_dim, base, length, {"rope_type": kind, **numbers[kind]}


def flat(model_type, head_dim, base, length, scaling):
    """As transformers 4 writes it."""
    values = {"model_type": model_type, "hidden_size": 8 * head_dim, "num_attention_heads": 8, "head_dim": head_dim,
              "max_position_embeddings": length, "rope_theta": base}  # fmt: skip
    kind = scaling["rope_type"]
    older = {"type": kind, **{name: value for name, value in scaling.items() if name != "rope_type"}}
    return {**values, "rope_scaling": None if kind == "default" else older}


def deep(model_type, head_dim, base, length, scaling):
    """As transformers 5 writes it."""
    values = flat(model_type, head_dim, base, length, {"rope_type": "default"})
    del values["rope_theta"], values["rope_scaling"]
    return {**values, "rope_parameters": {**scaling, "rope_theta": base}}


def gguf(model_type, head_dim, base, length, scaling):
    """As its GGUF metadata have it; None where they cannot."""
    name, kind = TYPES[model_type], scaling["rope_type"]
    if name is None or kind not in ("default", "linear", "yarn") or "attention_factor" in scaling:
        return None
    if scaling.get("beta_fast", 32) != 32:  # the graphs of these architectures read no end of the ramp
        return None
    values = {"general.architecture": name, f"{name}.attention.key_length": head_dim, f"{name}.rope.freq_base": base,
              f"{name}.context_length": length, f"{name}.block_count": LAYERS.get(name, 32)}  # fmt: skip
    keys = {"factor": "factor", "original_max_position_embeddings": "original_context_length",
            "beta_fast": "yarn_beta_fast"}  # fmt: skip
    more = {f"{name}.rope.scaling.{keys[key]}": value for key, value in scaling.items() if key in keys}
    return {**values, **more, f"{name}.rope.scaling.type": "none" if kind == "default" else kind}


def changed(random, model_type, head_dim, base, length, scaling):
    """The same file with another number, of those that decide a frequency or the factor at any length."""
    scaling = dict(scaling)
    what = random.choice(["base", "head_dim", *({"factor", "attention_factor", "short_factor"} & {*scaling})])
    if what == "base":
        base *= random.choice((2, 1.5, 1.0000001))
    elif what == "head_dim" and scaling["rope_type"] != "longrope":
        head_dim *= 2
    elif what == "short_factor" or what == "head_dim":
        k = random.randrange(1, head_dim // 2)
        scaling["short_factor"] = [value + (j == k) for j, value in enumerate(scaling["short_factor"])]
    else:
        scaling[what] *= 1.25
    return model_type, head_dim, base, length, scaling


@pytest.mark.parametrize("block", sampled(range(10), 10))
def test_random_files_are_the_same_in_two_spellings_and_differ_by_one_number(block):
    names = random.Random(block)
    for _ in range(50):
        file = random_file(names)
        spellings = [one for one in (flat(*file), deep(*file), gguf(*file)) if one is not None]
        a, b = names.sample(spellings, 2)
        assert (same_encoding(a, b).differences, a, b) == ((), a, b)
        other = changed(names, *file)
        c = names.choice((flat, deep))(*other)
        assert not same_encoding(a, c).same and not same_encoding(c, b).same, (a, c)


# -- first positions and distances ------------------------------------------------------------------------------------


def rotary(**values):
    return from_config({"model_type": "llama", "head_dim": 64, **values}).rotary()


def yarn(factor, attention_factor):
    return {"rope_scaling": {**QWEN_3_YARN, "factor": factor, "attention_factor": attention_factor}}


@pytest.mark.parametrize("seed", range(24))
def test_the_first_position_is_that_of_whole_tables(seed):
    numbers = random.Random(seed)
    base = 10 ** numbers.uniform(3, 7)
    factors = numbers.choice(((1.0, 1.0), (1.2, 1.2), (1.0, 1.0004), (1.0, 1.002)))
    a, b = (
        rotary(rope_theta=base * (1 + change), **yarn(numbers.choice((1.0, 2.0)), factor))
        for change, factor in zip((0, 10 ** numbers.uniform(-6, -1)), factors, strict=True)
    )
    tables = [np.stack(one.table(1 << 13)) for one in (a, b)]
    differs = (np.abs(tables[0] - tables[1]) > TOLERANCE).any((0, 2))
    expected = int(differs.argmax()) if differs.any() else None
    assert first_position(a, b, 1 << 13) == expected
    if expected is not None:
        assert first_position(a, b, expected) is None and first_position(a, b, expected + 1) == expected


def test_a_pair_that_one_model_lacks_differs_where_its_angle_does():
    narrow, wide = (from_config({"model_type": "phi", "hidden_size": 64, "num_attention_heads": 1,
                                 "partial_rotary_factor": share}).rotary() for share in (0.5, 1.0))  # fmt: skip
    assert (len(narrow.frequencies), len(wide.frequencies), first_position(narrow, wide, 100)) == (16, 32, 1)


def test_the_first_position_of_other_directions_and_factors():
    from dataclasses import replace

    a = rotary()
    assert first_position(a, replace(a, inverse=True), 100) == 1
    assert first_position(a, rotary(**yarn(1.0, 1.0015)), 100) == 0
    assert first_position(a, rotary(**yarn(1.0, 1.0005)), 100) is None
    # factors apart by TOLERANCE itself, and a pair that turns alike: 0 / 0 must not decide
    one, other = rotary(**yarn(1.0, TOLERANCE)), rotary(rope_theta=1000.0, **yarn(1.0, 2 * TOLERANCE))
    cos, sin = (np.abs(this - that) for this, that in zip(one.table(100), other.table(100), strict=True))
    assert first_position(one, other, 100) == np.flatnonzero((np.maximum(cos, sin) > TOLERANCE).any(1))[0] == 2
    assert first_position(a, a, 100) is None and first_position(a, rotary(rope_theta=2.0), 0) is None


def test_the_first_position_is_below_the_shorter_length():
    a = {**LLAMA_2_7B, "rope_theta": 500000.0, "max_position_embeddings": 1 << 24}
    (found,) = same_encoding(a, {**a, "rope_theta": 500000.5}).differences
    assert found.position == 35687 and found.below == 1 << 20
    (short,) = same_encoding(a, {**a, "rope_theta": 500000.5, "max_position_embeddings": 4096}).differences
    assert (short.position, short.below) == (None, 4096)
    assert "no cosine or sine below position 4096 differs by more than 0.001" in str(short)


def test_the_first_distance_of_t5_and_alibi():
    encoder, decoder = same_encoding(*PAIRS["t5 distance"][:2]).differences
    rows = [refpos.t5_buckets(-np.arange(100), bidirectional=True, max_distance=most) for most in (128, 256)]
    assert encoder.distance == np.flatnonzero(rows[0] != rows[1])[0]
    assert decoder.distance > encoder.distance and "first distance whose biases, or their rows, differ" in str(decoder)
    (bias,) = same_encoding(*PAIRS["mpt bias"][:2], **PAIRS["mpt bias"][2]).differences
    assert bias.distance == 1
    mild = same_encoding(*PAIRS["mpt bias"][:2], override_b={"attn_config.alibi_bias_max": 8.0001}).differences[0]
    slopes = [refpos.alibi_slopes(32, max_bias=most) for most in (8, 8.0001)]
    assert mild.distance == int(TOLERANCE / np.abs(slopes[0] - slopes[1]).max()) + 1 > 1


def test_the_first_distance_of_clipped_rows():
    speech = {"model_type": "speecht5"}
    found = same_encoding(speech, {**speech, "encoder_max_relative_position": 80}).differences
    # 79 has the last row of its own among the keys before a query of the shorter table
    assert [(one.what, one.distance) for one in found] == [("low", 80), ("high", 80), ("shape of the table", 80)]


# -- the result -------------------------------------------------------------------------------------------------------


def test_the_result_says_all_in_lines_and_as_json():
    result = same_encoding(LLAMA_2_7B, {**LLAMA_2_7B, "rope_theta": 160000, "max_position_embeddings": 8192})
    assert str(result).splitlines() == [
        "a and b: different encodings (text)",
        "text: base 10000 against 160000; first position whose cosines or sines differ by more than 0.001: 1",
        "note: text: max_position_embeddings 4096 against 8192",
    ]
    plain = json.loads(json.dumps(result.to_json()))
    assert plain["same"] is False and plain["notes"] == list(result.notes)
    (difference,) = plain["differences"]
    assert difference == {"part": "text", "what": "base", "a": 10000.0, "b": 160000.0, "layers": [], "position": 1,
                          "distance": None, "below": 4096, "seq_len": None}  # fmt: skip
    with pytest.raises(AttributeError):
        result.same = True
    assert bool(same_encoding(LLAMA_2_7B, LLAMA_2_7B)) is True


def test_notes_name_what_changes_no_number():
    draft, target, *_ = PAIRS["gemma-3 1b and 4b"]
    assert "text: b has 8 layers more, of the same kinds" in same_encoding(draft, target).notes
    assert any("deinterleaved" in note for note in same_encoding(*PAIRS["deepseek gguf"][:2]).notes)
    layouts = same_encoding(*PAIRS["llama-2 gguf"][:2])
    assert layouts.notes[-1].startswith("text: layout of q and k: the same rotation in two layouts, where")
    mscale = {"rope_scaling": {**QWEN_3_YARN, "mscale": 1.0}}
    result = same_encoding({**QWEN_3_8B, **mscale}, QWEN_3_8B, override_b={"rope_scaling": QWEN_3_YARN})
    assert result.same and any("rope_scaling.mscale has no effect" in note for note in result.notes)


def test_a_key_that_is_not_read_is_a_difference_where_only_one_file_has_it():
    unread = {**LLAMA_2_7B, "rope_ratio": 8}
    (found,) = same_encoding(unread, LLAMA_2_7B).differences
    assert (found.part, found.what, found.a, found.b) == ("keys", "rope_ratio, which is not read,", 8, None)
    assert same_encoding(unread, unread).same
    inner = {**LLAVA_1_5_7B, "text_config": unread}
    assert not same_encoding(inner, LLAVA_1_5_7B, part="text").same
    assert same_encoding(inner, LLAVA_1_5_7B, part="vision").same


COMPOSITE = {"model_type": "foo_vl", "text_config": {"model_type": "llama"}}


@pytest.mark.parametrize(
    "a, b, what",
    [
        ({"rope_ratio": 2}, {"rope_ratio": 3}, "rope_ratio"),
        ({"rope_ratio": 2}, {}, "rope_ratio"),
        ({"rope_ratio": 2}, {"rope_ratio": 2, "model_type": "bar_vl"}, "rope_ratio"),
        ({"audio_config": {"model_type": "clip_text_model", "rope_ratio": 2}},
         {"audio_config": {"model_type": "clip_text_model", "rope_ratio": 3}}, "audio_config.rope_ratio"),
        ({"vision_config": {"model_type": "foo", "depth": 2}}, {"vision_config": {"model_type": "foo", "depth": 3}},
         "vision_config"),
        ({"vision_config": {"model_type": "foo"}}, {}, "vision_config"),
    ],
)  # fmt: skip
def test_what_the_reading_of_a_composite_file_leaves_out_is_a_difference(a, b, what):
    a, b = {**COMPOSITE, **a}, {**COMPOSITE, **b}
    (found,) = same_encoding(a, b).differences
    assert (found.part, found.what) == ("keys", f"{what}, which is not read,")
    assert same_encoding(a, a).same and same_encoding(b, b).same


def test_an_object_of_an_unknown_type_is_the_same_below_another_type():
    a = {**COMPOSITE, "vision_config": {"model_type": "foo", "depth": 2}}
    assert same_encoding(a, {**a, "model_type": "bar_vl"}).same
    assert same_encoding(a, COMPOSITE, part="text").same


def test_the_table_of_a_vision_tower_as_published_is_compared():
    a, b = ({"model_type": "qwen3_vl", "vision_config": {"model_type": "qwen3_vl", "num_position_embeddings": count}}
            for count in (2304, 1024))  # fmt: skip
    assert not same_encoding(a, b).same and same_encoding(a, a).same


def test_values_that_json_does_not_have_are_written_as_text():
    odd = {**LLAMA_2_7B, "rope_ratio": float("nan"), "rotary_list": (np.float32(2), {"a": float("inf")})}
    assert same_encoding(odd, {**odd, "rope_ratio": float("nan")}).same
    found = json.loads(json.dumps(same_encoding(LLAMA_2_7B, odd).to_json(), allow_nan=False))["differences"]
    assert [one["b"] for one in found] == ["nan", [2.0, {"a": "inf"}]]


def test_every_model_type_is_the_same_as_itself():
    """And none has a note: what is read twice is read alike."""
    found = {}
    for model_type in rows():
        try:
            found[model_type] = same_encoding({"model_type": model_type}, {"model_type": model_type})
        except InputError:  # a file of that type must say more
            continue
    assert {name: result for name, result in found.items() if not result.same or result.notes} == {}
    assert len(found) > 200


def test_paths_name_the_files(tmp_path):
    for name, values in (("draft", LLAMA_2_7B), ("target", LLAMA_2_7B)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(values))
    result = same_encoding(tmp_path / "draft", str(tmp_path / "target" / "config.json"))
    assert (result.a, result.b) == (str(tmp_path / "draft"), str(tmp_path / "target" / "config.json")) and result.same


# -- overrides --------------------------------------------------------------------------------------------------------


def test_overrides_replace_values_at_dotted_keys():
    values = {"a": {"b": 1, "c": 2}, "d.e": 3, "n": None}
    changes = {"a.b": 5, "d.e": 6, "f.g": [7], "n.m": 8, "a.c": None, "a.z": None}
    assert overridden(values, changes) == {"a": {"b": 5}, "d.e": 6, "n": {"m": 8}, "f": {"g": [7]}}
    assert values == {"a": {"b": 1, "c": 2}, "d.e": 3, "n": None}
    metadata = {"general.architecture": "qwen2"}
    assert overridden(metadata, {"qwen2.rope.freq_base": 5.0}) == {**metadata, "qwen2.rope.freq_base": 5.0}


def test_overrides_of_the_command_are_json_or_text():
    texts = ["a.b=4", 'c={"d": [1, 2.5]}', "e=yarn", "f=null", "g=true", 'h="4"', "i=a=b", "j="]
    assert read_overrides("--override", texts) == {
        "a.b": 4, "c": {"d": [1, 2.5]}, "e": "yarn", "f": None, "g": True, "h": "4", "i": "a=b", "j": ""}  # fmt: skip
    assert read_overrides("--override", None) == {}


def test_an_override_that_no_part_reads_is_a_note():
    result = same_encoding(LLAVA_1_5_7B, LLAVA_1_5_7B, override={"num_crops": 4, "text_config.rope_theta": 5})
    assert result.notes == ("a: the override num_crops has no effect: no part of the model reads it",
                            "b: the override num_crops has no effect: no part of the model reads it")  # fmt: skip


# -- what is refused --------------------------------------------------------------------------------------------------

GEMMA_12 = {"model_type": "gemma3_text", "num_hidden_layers": 12}
LLAMA_4 = {"model_type": "llama", "num_hidden_layers": 4}
REFUSED = {
    "no file": ("E_FILE", {"a": "nowhere.json"}, "nowhere.json must be a file that can be read"),
    "no path": ("E_FILE", {"a": 5}, "a: source must be a path or a dict, got int"),
    "params.json of Meta": ("E_CHOICE", {"a": {"dim": 4096, "n_heads": 32, "rope_theta": 500000.0}},
                            "a: model_type must be given"),
    "unknown type": ("E_CHOICE", {"b": {"model_type": "lama"}}, "b: model_type must be one of"),
    "no encoding": ("E_CHOICE", {"b": {"model_type": "mamba"}}, "b: model_type must be one with a position encoding"),
    "contradiction": ("E_CHOICE", {"b": {**LLAMA_2_7B, "rope_parameters": {"rope_theta": 5.0}}}, "b: "),
    "part": ("E_CHOICE", {"part": "vision"}, "part must be one of 'text', got 'vision'"),
    "layers of text": ("E_SHAPE", {"layers": "0-3"}, "layers must be a list of integers, got '0-3'"),
    "no layers": ("E_SHAPE", {"layers": []}, "layers must hold one layer or more, got none"),
    "negative layers": ("E_SIZE", {"layers": [-1]}, "layers must be at least 0, got -1"),
    "layers beyond": ("E_SIZE", {"a": PAIRS["gemma-3 pattern"][0], "b": PAIRS["gemma-3 pattern"][1], "layers": [6]},
                      "layers must be below 6, the layers of text, got 6"),
    "a layer beyond and one below": ("E_SIZE", {"a": GEMMA_12, "b": {**GEMMA_12, "rope_local_base_freq": 5.0},
                                     "layers": [100, 5]}, "layers must be below 12, the layers of text, got 100"),
    "a layer beyond alike ones": ("E_SIZE", {"a": LLAMA_4, "b": {**LLAMA_4, "num_hidden_layers": 3}, "layers": [99]},
                                  "layers must be below 4, the layers of text, got 99"),
    "a layer beyond those of two dialects": ("E_SIZE", {"a": LLAMA_4, "b": {
        "general.architecture": "llama", "llama.embedding_length": 4096, "llama.attention.head_count": 32,
        "llama.block_count": 3}, "layers": [4]}, "layers must be below 4, the layers of text, got 4"),
    "length": ("E_SIZE", {"seq_len": 0}, "seq_len must be at least 1, got 0"),
    "overrides in a list": ("E_CHOICE", {"override": [("rope_theta", 5)]}, "override must be a dict of dotted keys"),
    "override of a number": ("E_CHOICE", {"override_a": {"rope_theta.x": 5}},
                             "a: override_a rope_theta.x must lead through objects, got 10000.0 at rope_theta"),
    "override without a step": ("E_CHOICE", {"override_b": {"rope_scaling..factor": 5}},
                                "b: override_b must have dotted keys such as rope_scaling.factor, got"),
    "override by a number": ("E_CHOICE", {"override": {5: 5}}, "a: override must have dotted keys, got 5"),
    "override that is no number": ("E_NUMBER", {"override_b": {"rope_theta": "fast"}},
                                   "b: rope_theta must be a number"),
    "override that is no value": ("E_FILE", {"override": {"rope_theta": {1, 2}}},
                                  "a: rope_theta must be a value of JSON"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_which_of_the_two(name):
    code, call, sentence = REFUSED[name]
    with pytest.raises(InputError) as caught:
        same_encoding(**{"a": LLAMA_2_7B, "b": LLAMA_2_7B, **call})
    assert caught.value.code == code and str(caught.value).startswith(sentence)


# -- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    for name, values in {"a": LLAMA_2_7B, "b": {**LLAMA_2_7B, "rope_theta": 160000}, "dynamic": INTERNLM_2,
                         "gemma": PAIRS["gemma-3 1b and 4b"][0]}.items():  # fmt: skip
        (tmp_path / f"{name}.json").write_text(json.dumps(values))
    return tmp_path


@pytest.mark.parametrize(
    "words, status, text",
    [
        (["a.json", "a.json"], 0, "a.json and a.json: the same encoding (text)\n"),
        (["a.json", "b.json"], 1, "text: base 10000 against 160000; first position"),
        (["a.json", "b.json", "--override", "rope_theta=5"], 0, "the same encoding"),
        (["a.json", "b.json", "--override-a", "rope_theta=160000"], 0, "the same encoding"),
        (["a.json", "b.json", "--override-b", "rope_theta=20000"], 1, "base 10000 against 20000"),
        (["a.json", "b.json", "--part", "text"], 1, "base"),
        (
            ["gemma.json", "gemma.json", "--override-b", "rope_local_base_freq=5", "--layers", "3-5,11"],
            1,
            "layers 3-4: b",
        ),
        (["gemma.json", "gemma.json", "--override-b", "rope_local_base_freq=5", "--layers", "5,11"], 0, "the same"),
        (["dynamic.json", "dynamic.json", "--override-b", "rope_scaling=null"], 1, "sequence length 32769: scaling"),
        (["dynamic.json", "dynamic.json", "--override-b", "rope_scaling=null", "--seq-len", "9"], 0, "the same"),
        (["a.json", "--override", "rope_theta=160000", "--override", "depth=3"], 0, "depth: no part of the model"),
    ],
)
def test_the_command_compares_two_files(words, status, text, files):
    done = refpos_command("config", *words, folder=files)
    assert (done.returncode, done.stderr) == (status, "") and text in " ".join(done.stdout.split()) + "\n"


def test_the_command_prints_json(files):
    done = refpos_command("config", "a.json", "b.json", "--json", folder=files)
    assert done.returncode == 1 and json.loads(done.stdout)["differences"][0]["position"] == 1


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["a.json", "nowhere.json"], "nowhere.json must be a file that can be read"),
        (["a.json", "a.json", "--layer-type", "full_attention"], "--layer-type must stand with one file"),
        (["a.json", "--layers", "0"], "--layers must stand with two files, got one"),
        (["a.json", "--override-a", "rope_theta=5"], "--override-a must stand with two files, got one"),
        (["a.json", "--override-b", "rope_theta=5"], "--override-b must stand with two files, got one"),
        (["a.json", "a.json", "--layers", "3-1"], "--layers must be such as 0-3,7, got '3-1'"),
        (["a.json", "a.json", "--layers", "one"], "--layers must be such as 0-3,7, got 'one'"),
        (["a.json", "a.json", "--layers", "0-99999"], "--layers must be such as 0-3,7, got '0-99999'"),
        (["a.json", "--override", "rope_theta"], "--override must be KEY=VALUE, such as rope_scaling.factor=4"),
        (["a.json", "a.json", "--override-b", "=5"], "--override-b must be KEY=VALUE"),
        (["a.json", "--override", "truncate=False"], "--override truncate must be JSON, false, got False"),
        (["a.json", "--override", "x={1}"], "--override x must be JSON, got '{1}'"),
        (["a.json", "--override", "x=1", "--override", "x=2"], "--override must give each key once, got x twice"),
        (["a.json", "--override", "rope_theta.x=1"], "--override rope_theta.x must lead through objects"),
    ],
)
def test_the_command_ends_with_2_where_it_cannot_compare(words, sentence, files):
    assert sentence in complaint(refpos_command("config", *words, folder=files))


# -- what multiplies the scores beside the table ----------------------------------------------------------------------

QWEN_1 = {"model_type": "qwen", "seq_length": 2048, "use_logn_attn": True}
LLAMA_4 = {"model_type": "llama4_text", "attn_scale": 0.1, "floor_scale": 8192, "attn_temperature_tuning": True}
MINISTRAL_3 = {"model_type": "ministral3", "rope_parameters": {
    "rope_type": "yarn", "factor": 16.0, "rope_theta": 1e6, "original_max_position_embeddings": 16384,
    "llama_4_scaling_beta": 0.1}}  # fmt: skip


@pytest.mark.parametrize(
    "values, key, other, call",
    [
        (MINISTRAL_3, "rope_parameters.llama_4_scaling_beta", 0.2,
         "attention_temperature(attn_scale=0.1, floor_scale=16384, shift=0)"),
        ({**MINISTRAL_3, "model_type": "mistral4"}, "rope_parameters.llama_4_scaling_beta", 0.2,
         "attention_temperature(attn_scale=0.1, floor_scale=16384, shift=0)"),
        (QWEN_1, "seq_length", 8192, "log_n_scale(training_length=2048)"),
        (LLAMA_4, "attn_scale", 0.2, "attention_temperature(attn_scale=0.1, floor_scale=8192, shift=1)"),
        (LLAMA_4, "floor_scale", 4096, "attention_temperature(attn_scale=0.1, floor_scale=8192, shift=1)"),
        (LLAMA_4, "attn_temperature_tuning", False, "attention_temperature(attn_scale=0.1, floor_scale=8192, shift=1)"),
    ],
)  # fmt: skip
def test_values_of_the_temperature_are_compared(values, key, other, call):
    (difference,) = same_encoding(values, values, override_b={key: other}).differences
    assert difference.what == "scale of the scores" and call in difference.a
    assert str(other) in difference.b if not isinstance(other, bool) else difference.b is None
    assert key in from_config(values).used


def test_a_temperature_of_an_integer_and_of_the_same_float_is_the_same():
    assert same_encoding(LLAMA_4, LLAMA_4, override_b={"floor_scale": 8192.0})


def test_notes_carry_the_sizes_of_dual_chunks():
    a, b = ({"model_type": "qwen3", "dual_chunk_attention_config": {"chunk_size": size, "local_size": 1}}
            for size in (8, 16))  # fmt: skip
    found = refpos.same_encoding(a, b)
    notes = [f"{name}, text: dual_chunk_attention_config (chunk_size={size}, local_size=1): vLLM reads it"
             for name, size in (("a", 8), ("b", 16))]  # fmt: skip
    assert found.same and [note.rpartition(": ")[0] for note in found.notes if "(chunk" in note] == notes
    assert not [note for note in refpos.same_encoding(a, a).notes if "(chunk" in note]
