"""`refpos show` and `refpos find` answer the words that people use: other names of functions, and types of models."""

import json
from pathlib import Path

import pytest
from tiers import sampled

from refpos import catalogue, cli
from refpos.cli.find import matching, rows
from refpos.configs.encodings.uses_of_types import uses
from refpos.errors import letters
from refpos.words import words

#: what each word, as papers, libraries and users have it, must lead to
LEADS = {
    "RoPE": "rope", "rotary": "rope", "rotate_half": "rope", "apply_rotary_pos_emb": "rope", "PaLM": "rope",
    "pythia": "rope", "freqs_cis": "rope_table", "cos_sin_cache": "rope_table", "inv_freq": "inverse_frequencies",
    "rope_theta": "inverse_frequencies", "pi": "linear", "position-interpolation": "linear",
    "position interpolation": "linear",
    "YaRN": "yarn", "NTK-aware": "ntk", "dynamic NTK": "dynamic_ntk", "su": "longrope",
    "p-RoPE": "proportional",
    "2D RoPE": "rope_2d", "M-RoPE": "mrope", "mrope_section": "mrope_frequencies",
    "xPos": "xpos", "ALiBi": "alibi", "slopes": "alibi_slopes", "T5": "t5_bias", "bucket": "t5_buckets",
    "Swin": "window_bias", "swinv2": "distance_mlp", "CPB": "distance_mlp", "relative_position_index": "window_rows",
    "Shaw": "relative_scores", "transformer_xl": "xl_scores", "XLNet": "xl_scores", "DeBERTa": "deberta_scores",
    "disentangled attention": "deberta_scores", "MAE": "sincos_2d", "DiT": "sincos_2d", "ddpm": "timestep_embedding",
    "timestep": "timestep_embedding", "NeRF": "fourier_bands", "DETR": "masked_sine_2d",
    "mip-NeRF": "integrated_fourier",
    "wpe": "learned", "position_ids": "table_rows", "interpolate_pos_encoding": "resize_table", "SDPA": "attention",
    "CoPE": "cope", "FIRE": "fire", "KERPLE": "kerple", "DCA": "dual_chunk_positions", "Informer": "fixed_temporal",
    "RWSE": "random_walk_positions", "LapPE": "laplacian_positions", "sinusoidal positional encoding": "sinusoidal",
    "positional encoding": "sinusoidal", "relative position bias": "relative_bias", "wavelength": "inverse_frequencies",
}  # fmt: skip
#: types of models, or the first word of several, and what their encodings must name
TYPES = {"mistral": "rope", "gemma": "rope", "qwen": "rope", "deepseek": "rope", "llama": "rope", "t5": "t5_bias",
         "swin": "window_bias", "bloom": "alibi", "vit_mae": "sincos_2d", "roformer": "rope"}  # fmt: skip
#: {word or phrase as people type it: names of functions, models or model types, each of which would be a right answer}
TYPED = {
    typed: right.split()
    for typed, _, right in (
        line.partition(" = ")
        for line in (Path(__file__).parent / "data/words.txt").read_text().splitlines()
        if not line.startswith("#")
    )
}
FIRST, BELOW = 616, {
    "length extrapolatable transformer", "dual chunk attention", "dual-chunk", "positional encodings", "relative",
    "Shaw et al. 2018", "self-attention with relative position representations", "minicpm",
}  # of the words; and those whose right answer is second or third  # fmt: skip


def right(row, names):
    """Whether a row is one of those, or a model type with one of the functions."""
    if row.kind == "model type":
        return row.name in names or any(use.function.rpartition(".")[2] in names for use in uses(row.name) or ())
    name = row.name.rpartition(".")[2]
    return name in names or (row.kind == "named model" and any(name.startswith(one) for one in names))


def shown(capsys, *words):
    """(status, out) of a command."""
    status = cli.main([*words])
    return status, capsys.readouterr().out


@pytest.mark.parametrize("word", LEADS)
def test_a_word_leads_to_its_function(word, capsys):
    status, out = shown(capsys, "show", word)
    assert status == 0 and catalogue.find(LEADS[word]).public in out


@pytest.mark.parametrize("word", LEADS)
def test_case_and_punctuation_do_not_count(word):
    names = [row.name for row in matching(word.upper().replace("-", " ").replace("_", " ")) if row.fits(word)]
    assert catalogue.find(LEADS[word]).public in names


@pytest.mark.parametrize("name", TYPES)
def test_a_model_type_is_shown_with_its_encodings(name, capsys):
    status, out = shown(capsys, "show", name.title())
    assert status == 0 and TYPES[name] in out and "model type" in out
    status, out = shown(capsys, "show", name, "--json")
    assert status == 0 and json.loads(out)


@pytest.mark.parametrize("part", sampled(range(4), 4))
def test_what_people_type_leads_to_the_right_answer(part, monkeypatch):
    everything = tuple(rows())
    monkeypatch.setattr("refpos.cli.find.rows", lambda: everything)  # the same for each word
    some = dict(list(TYPED.items())[part::4])
    places = {typed: [right(row, names) for row in matching(typed)[:3]] for typed, names in some.items()}
    assert [typed for typed, found in places.items() if not any(found)] == []
    assert {typed for typed, found in places.items() if not found[0]} == BELOW & {*some}


def test_no_word_is_lost():
    assert len(TYPED) == FIRST + len(BELOW) and {*TYPED} >= BELOW


@pytest.mark.parametrize(
    ("typed", "name"), [("roatry", "rope"), ("sinusodial", "sinusoidal"), ("embeding", "sinusoidal")]
)
def test_a_typing_error_is_read_as_the_nearest_word(typed, name):
    assert matching(typed)[0].name == f"refpos.{name}"


def test_names_have_one_form_whatever_the_plural_order_and_synonym():
    assert words("Rotary Positional Encodings") == words("rope pos emb") == words("rotary_position_embedding")
    assert catalogue.called("embedding of rotary positions") == ["rope"] == catalogue.called("RoPE")
    assert words("the") == ("the",) and words("-") == ()


def test_every_function_has_its_own_name_and_no_name_stands_twice_in_it():
    for entry in catalogue.ENTRIES.values():
        assert catalogue.called(entry.name.upper())[0] == entry.name or entry.name in catalogue.called(entry.name)
        assert len({*entry.also}) == len(entry.also) and all(map(letters, entry.also))
    assert sum(len(entry.also) for entry in catalogue.ENTRIES.values()) > 300


def test_find_puts_names_before_descriptions(capsys):
    found = [row.name for row in matching("relative position bias")]
    assert found[:2] == ["refpos.relative_bias", "refpos.window_bias"] and "refpos.t5_bias" in found
    assert matching("yarn")[0].name == "refpos.yarn"
    status, out = shown(capsys, "find", "low", "frequencies", "ramp")
    assert status == 0 and "refpos.llama3" in out
    status, out = shown(capsys, "find", "rope", "--json")
    assert status == 0 and json.loads(out)[0]["name"] == "refpos.rope" and len(json.loads(out)) > 12
    assert "which --json lists" in shown(capsys, "find", "rope")[1]


@pytest.mark.parametrize("words", [["nothingofthekind"], ["-"], ["rope", "qqqq"]])
def test_what_is_not_there_is_refused(words, capsys):
    assert cli.main(["find", "--", *words]) == 2
    out, err = capsys.readouterr()
    assert not out and err.startswith("refpos: E_CHOICE: WORDS must occur in a name or description")


def test_everything_with_a_name_is_found_by_it():
    kinds = {}
    for row in rows():
        kinds[row.kind] = kinds.get(row.kind, 0) + 1
    assert kinds["function"] == len(catalogue.ENTRIES) and kinds["model type"] > 650
    assert {"named model", "emulation", "flag", "class"} <= {*kinds}


def test_errors_suggest_what_is_also_called_so():
    with pytest.raises(catalogue.InputError, match=r"did you mean relative_scores\?"):
        catalogue.find("shaw")
