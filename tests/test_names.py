"""Names that are not known: a few that resemble them, whatever their case, or the command that lists them; and the
named models on the command line."""

import json
import re

import pytest
from tiers import sampled

from refpos import catalogue, cli, golden, models
from refpos.errors import InputError, nearest
from refpos.golden.read import DATA


def sentence_of(call):
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value)


def show(capsys, *arguments):
    """(status, standard output, standard error) of a command."""
    status = cli.main(list(arguments))
    return status, *capsys.readouterr()


@pytest.mark.parametrize(
    "name, names",
    [
        ("yarm", ["yarn"]),
        ("Rope-Tabel", ["rope_table"]),
        ("narrowangel", ["NarrowAngle"]),
        ("FLUXX", ["flux"]),
        ("vison", ["vision"]),
        ("relative", ["relative (refpos list --family relative)"]),
        ("diffusion", ["diffusion (refpos list models --family diffusion)"]),
        ("float32-angel", ["float32-angle"]),
    ],
)
def test_show_suggests_names_that_resemble(name, names, capsys):
    status, out, err = show(capsys, "show", name)
    assert (status, out) == (2, "") and all(f" {known}" in err for known in names), err
    suggested = re.search(r"did you mean (.*)\?\), got", err)[1]
    assert 1 <= len(suggested.split(", ")) <= 5 and len(err) < 300


@pytest.mark.parametrize("name", ["wavelet", "qqqq", "", "x" * 5000, "\u0000"])
def test_show_says_what_lists_the_names_where_nothing_resembles(name, capsys):
    status, out, err = show(capsys, "show", name)
    assert (status, out) == (2, "") and "`refpos list` or `refpos list models`" in err and len(err) < 300


#: every door that takes a name, as a function of it
DOORS = {
    "golden.cases": lambda name: golden.cases(name),
    "golden.generate": lambda name: golden.generate("nowhere", suites=name),
    "golden.export_npz": lambda name: golden.export_npz("nowhere", suites=[name]),
    "golden.verify(suites=)": lambda name: golden.verify(DATA, suites=name),
    "golden.verify(cases=)": lambda name: golden.verify(DATA, cases=name),
    "golden.load": lambda name: golden.load(name),
    "golden.load(directory)": lambda name: golden.load(name, "d" * 4000),
    "models.find": models.find,
    "models.load": models.load,
    "models.positions": models.positions,
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "name", sampled(["nothing", "x" * 5000, "ROPE_TABL", "QWEN2", "rope/nothing", "a/" + "b" * 500], 3)
)
def test_no_message_lists_all_names(door, name):
    sentence = sentence_of(lambda: DOORS[door](name))
    assert len(sentence) < 300, sentence
    assert name[:10] in sentence and sum(known in sentence for known in catalogue.ENTRIES) < 15
    assert "`refpos list" in sentence or "such as " in sentence or "did you mean " in sentence


def test_a_misspelt_case_is_answered_by_its_neighbours(tmp_path):
    for call in (lambda id: golden.load(id), lambda id: golden.verify(DATA, cases=[id])):
        assert "did you mean rope/llama-3-128-f32" in sentence_of(lambda: call("rope/LAMA-3-128-f32"))
    beyond = golden.cases("rope_table", tier="extended")[0].id
    assert "refpos generate --tier full" in sentence_of(lambda: golden.load(beyond))
    golden.generate(tmp_path, suites=["alibi_slopes", "log_n_scale"])
    sentence = sentence_of(lambda: golden.verify(tmp_path, suites="rope"))
    assert "which has alibi_slopes, log_n_scale, got 'rope'" in sentence


def test_the_nearest_names():
    names = ["rope", "rope_2d", "mrope", "NarrowAngle", "yarn"]
    assert nearest("Rope 2D", names)[0] == "rope_2d" and nearest("NARROW", names) == ["NarrowAngle"]
    assert nearest("rope", names)[0] == "rope" and nearest("zzz", names) == nearest("", names) == []
    assert len(nearest("case", [f"case-{k}" for k in range(99)])) == 5


# -- named models -----------------------------------------------------------------------------------------------------


def test_list_models_has_each_model_on_one_line_below_its_family(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = show(capsys, "list", "models")
    family, listed = None, {}
    for line in out.splitlines():
        assert len(line) <= 80
        if heading := re.match(r"(\w+): ", line):
            family = heading[1]
        elif row := re.match(r"  (\w+)  +\S", line):
            listed[row[1]] = family
    assert status == 0 and listed == {name: models.find(name).family for name in models.names()}
    assert set(listed.values()) == set(models.families())


def test_list_takes_a_family(capsys):
    _, out, _ = show(capsys, "list", "models", "--family", "vision", "--json")
    found = json.loads(out)
    assert found and {row["family"] for row in found} == {"vision"}
    _, out, _ = show(capsys, "list", "--family", "relative", "--json")
    relative = {entry.name for entry in catalogue.ENTRIES.values() if entry.family == "relative"}
    assert {row["name"] for row in json.loads(out)} == relative
    for arguments in (["--family", "Rotary"], ["models", "--family", "rotary"]):
        status, out, err = show(capsys, "list", *arguments)
        assert (status, out) == (2, "") and f"got {arguments[-1]!r}" in err
    assert show(capsys, "list", "models", "--markdown")[0] == 2


@pytest.mark.parametrize("name", sampled(models.names(), 5))
def test_show_a_named_model(name, capsys):
    status, out, _ = show(capsys, "show", name)
    preset, encoding, flowing = models.find(name), models.load(name), " ".join(out.split())
    parts = [preset.summary, preset.angles, encoding.source["version"], *encoding.notes, f"models.load({name!r})"]
    assert status == 0 and all(" ".join(part.split()) in flowing for part in parts)
    status, out, _ = show(capsys, "show", name, "--json")
    found = json.loads(out)
    added = isinstance(encoding, models.Absolute)
    size = ("function", encoding.function) if added else ("head_dim", encoding.head_dim)
    assert (found["name"], found["source"], found[size[0]]) == (name, encoding.source, size[1])
    assert {case.id for case in golden.cases()} >= set(found["golden_cases"])


def test_the_golden_cases_of_a_model_are_shown(capsys):
    out = show(capsys, "show", "flux")[1]
    assert "golden cases: rope/model-flux, rope_table/model-flux" in out
