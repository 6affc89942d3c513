"""The rows of the model types, and the log of the keys: each row is read, and each path in the log is true."""

import dataclasses
import json
import re
import subprocess
import sys

import pytest
from test_lint import ROOT

from refpos import InputError, from_config
from refpos.configs import model_defaults
from refpos.configs.model_defaults import ModelDefaults, rows
from refpos.configs.rotary import audio_and_molecules, layers, model_specific, rope_types


def once(pairs):
    assert len(dict(pairs)) == len(pairs), f"a key that stands twice among {[name for name, _ in pairs]}"
    return dict(pairs)


DATA = json.loads(model_defaults.DATA.read_text("utf-8"), object_pairs_hook=once)
IN_DATA_ALONE = {"folder"}


# -- rows -------------------------------------------------------------------------------------------------------------


def test_rows_are_sorted_and_say_no_default():
    """A row is what differs: then the next release of transformers is a diff of rows."""
    assert list(DATA["types"]) == sorted(DATA["types"]) and len(DATA["types"]) > 370
    names = {field.name for field in dataclasses.fields(ModelDefaults)} - {"model_type", "version"}
    plain = ModelDefaults(model_type="", project="transformers", version="", file="")
    seen = set()
    for name, row in DATA["types"].items():
        seen |= row.keys()
        for field, value in row.items():
            assert field in names | IN_DATA_ALONE, f"{name}: ModelDefaults has no field {field}"
            assert field in IN_DATA_ALONE or value != getattr(plain, field), f"{name} states a default: {field}"
        assert row.get("folder") != name.replace("-", "_")
        assert ("project" in row) == ("file" in row)
        assert rows()[name].is_known != bool(rows()[name].not_described)
    assert seen == names | IN_DATA_ALONE, "fields that no row has"


def test_rows_name_types_that_have_a_row():
    for name, row in rows().items():
        for key, part in row.parts.items():
            assert rows()[part].is_known, f"{name}: {key}"
        assert all(rows()[other].is_custom for other in row.other_type_by_key.values())
    assert not {*model_defaults.aliases()} & {*rows()}
    for rules in (model_specific.RULES, layers.PATTERNS, audio_and_molecules.ROTARIES):
        assert rules and {*rules} <= {*rows()}


CHOICES = {
    "pairing": {"half", "interleaved"},
    "placement": {"first", "last"},
    "rotates_part": {"no", "table", "even", "key"},
    "rotated_layers": {
        "all",
        "sliding",
        "sliding_window",
        "no_rope_layers",
        "layer_rope_theta",
        "layer_rope_theta flags",
    },
    "mrope_arrangement": {None, "chunked", "interleaved", "alternating"},
}


@pytest.mark.parametrize("field", CHOICES)
def test_each_choice_is_made_by_some_row(field):
    assert {getattr(row, field) for row in rows().values()} == CHOICES[field]


def test_widths_and_counts_of_rows_are_numbers():
    for name, row in rows().items():
        numbers = [getattr(row, field.name) for field in dataclasses.fields(row) if field.type == "int | None"]
        numbers += [row.num_hidden_layers, row.head_dim, row.hidden_size]
        assert all(value is None or (type(value) is int and value > 0) for value in numbers), name
        assert row.rope_theta is None or (type(row.rope_theta) is float and row.rope_theta > 1), name


def test_a_result_that_is_changed_changes_no_row():
    before = dict(rows())
    for name, row in rows().items():
        if row.rope_parameters or row.mrope_section:
            try:
                result = from_config({"model_type": name, "head_dim": 128})
            except InputError:
                continue
            for value in (*result.assumed.values(), *(p for part in result.parts.values()
                          for rotary in part.rotaries.values() for p in rotary.parameters.values())):  # fmt: skip
                if isinstance(value, list):
                    value[:] = [1] * len(value)
    model_defaults.rows.cache_clear()
    assert rows() == before


def test_the_rows_are_read_when_a_configuration_is():
    code = "import sys, refpos; assert not [name for name in sys.modules if name.startswith('refpos.configs')]"
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == 0


# -- rope types -------------------------------------------------------------------------------------------------------

LENGTH = {"original_max_position_embeddings": 4096}
#: the keys with which a Llama of each rope type is read below
READ = {
    "default": {},
    "axial": {},
    "linear": {"factor": 2.0},
    "dynamic": {"factor": 2.0},
    "yarn": {"factor": 4.0, **LENGTH},
    "longrope": {"short_factor": [1.0] * 64, "long_factor": [2.0] * 64, "factor": 4.0, **LENGTH},
    "llama3": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, **LENGTH},
    "proportional": {"factor": 2.0},
}


def test_each_rope_type_has_a_test_and_a_row_in_the_page():
    page = (ROOT / "docs/configs.md").read_text("utf-8").partition("## Rope types")[2].partition("## ")[0]
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall("`([^`]*)`", row)}
    known = {*rope_types.FIELDS}
    assert named == known, f"docs/configs.md must have a row for each rope type, not so: {sorted(named ^ known)}"
    assert {*READ} == known, f"READ must have keys for each rope type, not so: {sorted({*READ} ^ known)}"


@pytest.mark.parametrize("rope_type", READ)
def test_each_rope_type_is_read_by_its_keys(rope_type):
    """Every key decides something, and the frequencies of a scaling are not those without one."""
    keys = READ[rope_type]
    values = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 1e4}
    result = from_config({**values, "rope_scaling": {"rope_type": rope_type, **keys}}, seq_len=8192)
    assert {f"rope_scaling.{name}" for name in ("rope_type", *keys)} <= {*result.used}
    plain = from_config(values).rotary().inv_freq.tolist()
    assert (result.rotary().inv_freq.tolist() == plain) == (rope_type in ("default", "axial"))


# -- the log of the keys ----------------------------------------------------------------------------------------------

YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096, "mscale": 1.0}
SCALED = {"rope_theta": 5e5, "rope_scaling": YARN}
NESTED = {"rope_parameters": {"full_attention": YARN, "sliding_attention": {"rope_type": "default"}}}
FLAT = {"rope_parameters": {**YARN, "rope_theta": 5e5, "partial_rotary_factor": 1.0}}
FILES = {"minimal": {}, "scaled": SCALED, "nested": NESTED, "flat": FLAT, "both": {**FLAT, "rope_scaling": YARN}}


def paths(values, prefix=""):
    """The dotted paths of the keys of a file that are not null."""
    for name, value in values.items():
        if value is not None:
            yield prefix + name
        if isinstance(value, dict):
            yield from paths(value, f"{prefix}{name}.")


def values_among(there):
    """The paths of rope parameters that hold no object."""
    return {path for path in there if path.startswith("rope") and not any(p.startswith(path + ".") for p in there)}


@pytest.mark.parametrize("more", FILES.values(), ids=FILES)
def test_the_log_names_keys_of_the_file_and_every_rope_parameter(more):
    """What was used and ignored is in the file, what was assumed is not, and no rope parameter is without a note."""
    read = 0
    for name in rows():
        values = {"model_type": name, **more}
        try:
            result = from_config(values)
        except InputError:
            continue
        read += 1
        there = {*paths(values)}
        assert {*result.used} | {*result.ignored} <= there, name
        assert not {*result.assumed} & there, name
        inside = tuple(f"{path}." for path in (*result.ignored, *result.unread))
        without = values_among(there) - {*result.used} - {*result.ignored} - {*result.unread}
        assert not [path for path in without if not path.startswith(inside)], name
    assert read > (50 if more is NESTED else 150)  # most classes read one set for all layers


def test_a_key_that_stands_twice_is_noted_twice():
    result = from_config({"model_type": "gptj", "n_embd": 4096, "hidden_size": 4096, **FILES["both"]})
    assert result.used["rope_scaling.factor"] == "says the same as rope_parameters.factor"
    assert result.used["n_embd"] == "says the same as hidden_size"
    assert result.used["rope_parameters.factor"] == "divides the low frequencies" and "hidden_size" in result.used


def test_a_set_for_each_layer_type_is_refused_where_layers_are_alike():
    """Not dropped without a word."""
    for name in ("internlm2", "minimax_m2", "molmo2_text", "pixtral"):
        with pytest.raises(InputError, match="one set for all layers, got one for each of full_attention, sliding"):
            from_config({"model_type": name, **NESTED})


@pytest.mark.parametrize(
    "values, received",
    [
        ({"model_type": "llama", "rope_scaling": {"type": "linear"}}, "got only rope_type"),
        ({"model_type": "gemma4_text", "rope_parameters": {"rope_type": "default", "factor": 2}},
         "got only rope_type, factor"),
        ({"model_type": "cohere_compass_text"}, "got no key"),
        ({"model_type": "baichuan", "hidden_size": 6144}, "got 6144"),
        ({"model_type": "nomic_bert", "n_embd": 768}, "got only model_type, hidden_size"),
        ({"model_type": "llama", "rope_theta": 10**400}, "got an integer of 1329 bits"),
        ({"model_type": "zaya", **NESTED}, "hybrid too, got full_attention, sliding_attention"),
        ({"general.architecture": "llama"}, "got no key"),
    ],
)  # fmt: skip
def test_a_refusal_says_what_was_received(values, received):
    with pytest.raises(InputError) as error:
        from_config(values)
    assert received in str(error.value)
    assert not re.search("got (none|more|a larger one|a configuration)", str(error.value))
