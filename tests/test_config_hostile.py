"""Configurations that nobody would publish: each is read, or refused with one short sentence, and quickly."""

import collections
import itertools
import json
import os
import subprocess
import sys
import time
import tracemalloc

import pytest

import refpos
from refpos import InputError, from_config
from refpos.configs.model_defaults import rows

SECONDS = 5.0  # of one file, on a machine that does other things too; what is refused takes milliseconds

HOSTILE = (
    None, True, 0, -1, 3, 65536, 10**9, 10**400, 0.5, 5e-324, 1e308, float("nan"), -float("inf"), "", "yarn",
    "x" * 5000, "\ud800\x1b[31m", [], [[]], [None], [{}], [1e308, -1], [10**9] * 3, ["full_attention", "x"], b"x",
    {}, {1: 2},
    {"rope_type": []}, {"type": {}, "rope_type": "linear"}, {"full_attention": {}, "0": {"head_dim": []}},
    {"sliding_attention": None, "full_attention": {"rope_type": 3}}, {"model_type": []}, {"rope_type": "yarn"},
)  # fmt: skip
# what many types read and a minimal file does not say
COMMON = (
    "model_type", "rope_scaling", "rope_parameters", "rope_theta", "head_dim", "hidden_size", "num_attention_heads",
    "num_hidden_layers", "layer_types", "partial_rotary_factor", "text_config",
)  # fmt: skip
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096, "mscale": 1, "mscale_all_dim": 1}
PARAMETERS = (
    {"rope_type": "linear", "factor": 2.0, "rope_theta": 1e4, "partial_rotary_factor": 1.0},
    {"rope_type": "dynamic", "factor": 2.0, "alpha": 2.0},
    {**YARN, "beta_fast": 32, "beta_slow": 1, "truncate": False, "attention_factor": None},
    {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
     "original_max_position_embeddings": 8192},
    {"rope_type": "longrope", "short_factor": [1.0] * 64, "long_factor": [2.0] * 64, "factor": 2.0,
     "original_max_position_embeddings": 4096, "attention_factor": None, "short_mscale": 1.0, "long_mscale": 1.0},
    {"rope_type": "proportional", "partial_rotary_factor": 0.5, "mrope_section": [16, 24, 24]},
)  # fmt: skip
GGUF = {
    "general.architecture": "qwen2vl", "qwen2vl.embedding_length": 4096, "qwen2vl.attention.head_count": 32,
    "qwen2vl.attention.key_length": 128, "qwen2vl.rope.freq_base": 1e6, "qwen2vl.rope.dimension_count": 128,
    "qwen2vl.rope.dimension_sections": [16, 24, 24, 0], "qwen2vl.rope.scaling.type": "yarn",
    "qwen2vl.rope.scaling.factor": 4.0, "qwen2vl.rope.scaling.original_context_length": 4096,
    "qwen2vl.rope.scaling.attn_factor": 1.0, "qwen2vl.rope.scaling.yarn_log_multiplier": 0.0,
}  # fmt: skip


def rotary_types():
    return [kind for kind, row in rows().items() if row.has_rotation]


def minimal_files():
    """The smallest file of each type; of those that are nested, as a part too."""
    for kind, row in rows().items():
        yield {"model_type": kind}
        if row.parts:
            yield {"model_type": kind, **{name: {"hidden_size": 512, "num_attention_heads": 8} for name in row.parts}}


def names_read(values):
    """The keys of the top level that the reader asks of a file."""
    try:
        found = from_config(values)
    except InputError:
        return COMMON
    named = [name.partition(".")[0] for name in (*found.used, *found.assumed)]
    return tuple(dict.fromkeys((*COMMON, *named)))


def mutations():
    """Files with one key replaced by each hostile value, nested parameters and parts too."""
    for values in minimal_files():
        for name, hostile in itertools.product(names_read(values), HOSTILE):
            yield {**values, name: hostile}
        for inner, part in values.items():
            for name, hostile in itertools.product(part if isinstance(part, dict) else (), HOSTILE):
                yield {**values, inner: {**part, name: hostile}}
    for i, (kind, given) in enumerate(itertools.product(rotary_types(), PARAMETERS)):
        for name, hostile in itertools.product(given, HOSTILE):
            changed = {**given, name: hostile}
            nested = {"rope_parameters": {"full_attention": changed, "sliding_attention": given}}
            yield {"model_type": kind, **(nested if i % 2 else {"rope_scaling": changed})}
    for name, hostile in itertools.product(GGUF, HOSTILE):
        yield {**GGUF, name: hostile}
        if name != (key := "qwen2vl.rope.dimension_count"):  # which would be refused first
            yield {other: value for other, value in {**GGUF, name: hostile}.items() if other != key}
    for size, heads in itertools.product(HOSTILE, repeat=2):
        yield {"general.architecture": "llama", "llama.embedding_length": size, "llama.attention.head_count": heads}


def read(values):
    """What becomes of one file: "read" or the code of its refusal; anything else fails."""
    start = time.monotonic()
    try:
        from_config(values)
        outcome = "read"
    except InputError as error:
        sentence, outcome = str(error), error.code
        assert outcome in refpos.errors.CODES and error.argument, (sentence, values)
        assert 10 < len(sentence) <= 320 and "\n" not in sentence and "\x1b" not in sentence, (sentence, values)
    except Exception as error:
        raise AssertionError(f"{type(error).__name__}: {error} of {str(values)[:400]}") from error
    took = time.monotonic() - start
    assert took < SECONDS, (took, str(values)[:400])
    return outcome


def check(files):
    seen = collections.Counter(map(read, files))
    assert seen, "no file was read"
    return seen


@pytest.mark.exhaustive
def test_a_sample_of_mutated_files(capsys):
    """Every 97th mutation: a prime, so that each key meets each value at some type."""
    seen = check(itertools.islice(mutations(), 0, None, 97))
    with capsys.disabled():
        print(f"\n{sum(seen.values())} mutated files: {seen}")
    assert seen["read"] > 500 and {"E_CHOICE", "E_NUMBER", "E_SIZE", "E_BASE", "E_ROTARY_DIM"} <= set(seen)


@pytest.mark.long
def test_every_mutated_file(capsys):
    seen = check(mutations())
    with capsys.disabled():
        print(f"\n{sum(seen.values())} mutated files: {seen}")
    assert sum(seen.values()) > 100000


# -- files that were met ----------------------------------------------------------------------------------------------

MET = {
    "rope_parameters": [
        {"model_type": "muse_glimmer_text", "rope_scaling": {"sliding_attention": {}}},
        {"model_type": "molmo2", "rope_parameters": {"sliding_attention": {}}},
        {"model_type": "glm4v_moe_vision", "rope_parameters": {"sliding_attention": {}}},
        {"model_type": "musicflamingo", "rope_parameters": {"factor": {}}},
    ],
    "rope_theta": [
        {"model_type": "muse_spark", "rope_theta": [], "rope_scaling": {"factor": 2.0}},
        {"model_type": "llama", "rope_theta": 1e-320},
        {"model_type": "llama", "rope_theta": 10**400},
    ],
    "model_type": [{"model_type": "timesfm2_5", "audio_config": {"model_type": ["x"]}}],
    "layer_types": [
        {"model_type": "qwen3_5_moe", "layer_types": [{}], "rope_scaling": {}},
        {"model_type": "dots3_note_text", "layer_types": [{}]},
    ],
    "rope_type": [
        {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "rope_scaling": {"rope_type": []}},
        {"model_type": "llama", "rope_scaling": {"rope_type": "x" * 10000}},
    ],
    "short_factor": [
        {"model_type": "pp_chart2table",
         "rope_parameters": {"rope_type": "longrope", "short_factor": [[], 1.0], "long_factor": []}},
    ],
    "num_attention_heads": [{"model_type": "clvp", "num_attention_heads": 0, "head_dim": 16, "rope_scaling": {}}],
    "factor": [{"model_type": "llama", "rope_scaling": {"type": "linear", "factor": 1e-320}}],
    "partial_rotary_factor": [
        {"model_type": "cosmos3_omni", "rope_parameters": {"rope_type": "linear"}, "partial_rotary_factor": 1e308},
        {"model_type": "openai_privacy_filter", "partial_rotary_factor": 65536},
        {"model_type": "openai_privacy_filter", "partial_rotary_factor": 64},
    ],
    "num_hidden_layers": [
        {"model_type": "afmoe", "hidden_size": 64, "num_attention_heads": 4, "head_dim": 16, "num_hidden_layers": n}
        for n in (10**9, 10**7, -1)
    ],
    "head_dim": [{"model_type": "llama", "head_dim": 10**9}, {"model_type": "llama", "head_dim": 65536}],
    "per_layer_config": [{"model_type": "gemma4_text", "per_layer_config": {"9" * 5000: {"head_dim": 4}}}],
    "embedding_length": [
        {"general.architecture": "llama", "llama.embedding_length": 10**9, "llama.attention.head_count": 1},
    ],
    "attention.key_length": [{"general.architecture": "llama", "llama.attention.key_length": 10**9}],
}  # fmt: skip


@pytest.mark.parametrize("name, values", [(name, one) for name, files in MET.items() for one in files],
                         ids=lambda value: value if isinstance(value, str) else "")  # fmt: skip
def test_files_that_once_ended_in_a_traceback(name, values):
    tracemalloc.start()
    start = time.monotonic()
    with pytest.raises(InputError) as error:
        from_config(values)
    took, (_, most) = time.monotonic() - start, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert error.value.argument == name and len(str(error.value)) <= 320
    assert took < SECONDS and most < 200e6


def nested(depth):
    values = {}
    for _ in range(depth):
        values = {"text_config": values}
    return {"model_type": "llama", **values}


def test_objects_in_objects_without_end():
    endless = {"model_type": "llama"}
    endless["text_config"] = endless
    for values in (endless, nested(40), nested(100000), {"model_type": "llama", "rope_theta": [nested(500)]}):
        with pytest.raises(InputError, match="at most 32 levels"):
            from_config(values)
    assert from_config(nested(20)).rotary().rotary_dim == 128


def test_files_that_are_no_configuration(tmp_path):
    big, twice, deep = tmp_path / "big", tmp_path / "twice", tmp_path / "deep"
    big.write_bytes(b" " * (2**22 + 1))
    twice.write_text('{"model_type": "llama", "rope_scaling": {"factor": 2.0, "type": "linear", "factor": 4.0}}')
    deep.write_text('{"a":' * 5000 + "1" + "}" * 5000)
    cases = [(big, "at most 4194304 bytes"), (twice, "each key once, got 'factor' twice"), (deep, "must"),
             ("a\0b", "must be a path"), (os.fsencode(tmp_path / "absent").decode(), "can be read")]  # fmt: skip
    if os.path.exists("/dev/zero"):
        cases.append(("/dev/zero", "at most 4194304 bytes"))
    for path, words in cases:
        start = time.monotonic()
        tracemalloc.start()
        with pytest.raises(InputError, match=words) as error:
            from_config(path)
        assert tracemalloc.get_traced_memory()[1] < 200e6
        tracemalloc.stop()
        assert error.value.code == "E_FILE" and time.monotonic() - start < SECONDS
    for text in (b"\xff\xfe", b"", b"[1", b'{"a": ' + b"9" * 5000 + b"}", b'{"a\\u001b[31m": 1}', b'{"\\ud800": 1}'):
        big.write_bytes(text)
        with pytest.raises(InputError) as error:
            from_config(big)
        assert error.value.code == "E_FILE" and "\x1b" not in str(error.value)


@pytest.mark.exhaustive
def test_the_command_ends_in_one_sentence(tmp_path):
    """Status 2 and a line of at most a few hundred characters, whatever the file holds."""
    cases = {"long": {"model_type": "x" * 10000}, "loud": {"model_type": "\x1b[31mred\ud800"}, "none": {}}
    for name, values in cases.items():
        (tmp_path / name).write_text(json.dumps(values))
        done = subprocess.run([sys.executable, "-m", "refpos", "config", name], cwd=tmp_path, capture_output=True,
                              text=True, timeout=120)  # fmt: skip
        (line,) = [line for line in done.stderr.splitlines() if " kernels, " not in line]
        assert done.returncode == 2 and done.stdout == "" and len(line) < 400 and "\x1b" not in line
