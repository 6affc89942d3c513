"""Names that somebody gets wrong: of functions, of tensors in a file of one's own, of arguments that a port has."""

import numpy as np
import pytest
from tiers import sampled

import refpos
from refpos import catalogue, cli, testing
from refpos.errors import InputError


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["diagnose", "{y}", "sinusodal(40, 64)"], "(did you mean sinusoidal?), got 'sinusodal'"),
        (["diagnose", "{y}", "rope_tables(40, inverse_frequencies(8))"], "(did you mean rope_table, "),
        (["diagnose", "{y}", "rope_table(40, inverse_frequencys(8))"], "(did you mean inverse_frequencies"),
        (["show", "sinusodal"], "(did you mean sinusoidal?), got 'sinusodal'"),
        (["verify", "{y}", "--suite", "rop"], "(did you mean 'rope', "),
        (["generate", "{y}", "--suite", "sinusodal"], "(did you mean 'sinusoidal'?), got 'sinusodal'"),
    ],
)
def test_an_unknown_name_is_answered_by_those_that_resemble_it(command, words, tmp_path, capsys):
    np.save(tmp_path / "y.npy", refpos.sinusoidal(40, 64))
    assert cli.main([part.format(y=tmp_path / "y.npy") for part in command]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert words in said and len(said) < 400, said


@pytest.mark.parametrize("name", ["zzzz", "", "\x1b[31m", None, 3, "x" * 10**6])
def test_a_name_that_resembles_none_is_one_short_sentence(name):
    with pytest.raises(InputError, match=r"must be one of the \d+ functions that `refpos list` lists, got ") as caught:
        catalogue.find(name)
    assert len(str(caught.value)) < 250 and "\x1b" not in str(caught.value)


@pytest.mark.parametrize("only_answered", [[], ["--only-answered"]])
@pytest.mark.parametrize("names", sampled([["y"], ["cos", "sin"], [f"layer{k}" for k in range(40)]], 3))
def test_a_file_of_ones_own_is_told_so_in_one_sentence(names, only_answered, tmp_path, capsys):
    np.savez(tmp_path / "y.npz", **dict.fromkeys(names, np.ones((4, 8))))
    assert cli.main(["verify", str(tmp_path / "y.npz"), *only_answered]) == 2
    said = capsys.readouterr().out
    words = " ".join(said.split())
    assert "refpos diagnose FILE" in words and f"got {names[0]}" in words
    assert len(said.splitlines()) <= 5 and "missing" not in said


def test_a_file_with_one_case_among_others_has_its_report(tmp_path, capsys):
    id = "inverse_frequencies/dim-4"
    np.savez(tmp_path / "y.npz", y=np.ones(3), **{id: np.array([1.0, 0.01])})
    assert cli.main(["verify", str(tmp_path / "y.npz"), "--case", id]) == 2
    assert "tensors without a case: y" in capsys.readouterr().out


def test_cases_are_chosen_by_the_arguments_that_a_port_has():
    all_of = testing.cases("timestep_embedding")
    found = testing.cases("timestep_embedding", only={"dim", "flip_sin_to_cos", "downscale_freq_shift"})
    assert 10 < len(found) < len(all_of)
    defaults = {"scale": 1, "max_period": 10000}
    for case in all_of:
        given = case.golden.arguments
        chosen = all(given.get(name, default) == default for name, default in defaults.items())
        assert (case.id in [one.id for one in found]) == chosen, case.id
    assert [case.id for case in testing.cases("timestep_embedding", only=["scale", "max_period"])] == [
        case.id for case in all_of
    ]
    plain = testing.cases("rope", only=(), dtype="float32")
    assert plain and all(set(case.golden.arguments) <= {"positions", "pairing", "dtype"} for case in plain)
    assert all(set(case.golden.inputs) <= {"x", "positions"} for case in plain)
    more = testing.cases("rope", only="frequencies", dtype="float32")
    assert len(plain) < len(more) < len(testing.cases("rope", dtype="float32"))


@pytest.mark.parametrize(
    ("only", "words"),
    [
        ({"scal"}, "only must name arguments of timestep_embedding (did you mean scale, "),
        ({"zzzz"}, "only must name arguments of timestep_embedding, got 'zzzz'"),
        ([3], "only must name arguments of timestep_embedding, got 3"),
        ([["scale"]], "only must name arguments of timestep_embedding, got ['scale']"),
        (3, "only must be a list of names of arguments, got 3"),
        ({"scale": 1}, "only must be a list of names of arguments"),
    ],
)
def test_arguments_that_no_function_has_are_refused(only, words):
    with pytest.raises(InputError) as caught:
        testing.cases("timestep_embedding", only=only)
    assert words in str(caught.value)
