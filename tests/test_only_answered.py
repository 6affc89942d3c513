"""A part of the corpus: `generate` for some cases or the starter tier, and `verify --only-answered`."""

import json

import numpy as np
import pytest

from refpos import cli, golden, tensor_files
from refpos.errors import InputError
from refpos.golden.read import DATA
from refpos.golden.run import outputs_of

IDS = ["alibi_slopes/recursive-6-f32", "alibi_slopes/recursive-5-f64", "log_n_scale/far"]
SUITES = ["alibi_slopes", "log_n_scale", "rope_table"]


@pytest.fixture
def answers():
    """The right answers to three cases of two suites."""
    members = [case for suite in SUITES for case in golden.cases(suite) if case.id in IDS]
    return {f"{case.id}/{name}": tensor for case in members for name, tensor in outputs_of(case).items()}


def verified(folder, answers, **options):
    tensor_files.write_npz(folder / "a.npz", answers)
    return golden.verify(folder / "a.npz", suites=SUITES, only_answered=True, **options)


@pytest.mark.exhaustive
def test_what_was_answered_is_judged_and_the_others_are_counted(tmp_path, answers, capsys):
    result = verified(tmp_path, answers)
    expected = [case for suite in SUITES for case in golden.cases(suite, tier="core") if not case.refusal]
    assert result and (result.ran, result.expected, len(result.unanswered)) == (3, 3, len(expected) - 3)
    assert result.to_json()["unanswered"] == len(expected) - 3
    sentence = f"not answered, and left out: {len(expected) - 3} of {len(expected)} cases"
    assert sentence in str(result)
    command = ["verify", str(tmp_path / "a.npz"), "--only-answered"]
    assert cli.main([*command, *(word for suite in SUITES for word in ("--suite", suite))]) == 0
    assert sentence in capsys.readouterr().out
    assert golden.verify(tmp_path / "a.npz", suites=SUITES).exit_code == 2
    assert cli.main([*command, "--dtype", "float32"]) == 0
    assert "ran 1 of 1: " in capsys.readouterr().out
    assert cli.main([*command, "--dtype", "float16"]) == 2


def test_a_wrong_answer_is_wrong(tmp_path, answers):
    name = f"{IDS[0]}/output"
    answers[name] = answers[name].values + np.float32(1)
    assert verified(tmp_path, answers).exit_code == 1


#: each keeps at least two right answers, and none may pass
MISTAKES = {
    "an output of another name": lambda found: found.update({f"{IDS[0]}/out": found.pop(f"{IDS[0]}/output")}),
    "a case of another name": lambda found: found.update({"alibi_slopes/recursive6/output": found[f"{IDS[0]}/output"]}),
    "one of two outputs": lambda found: found.update({"rope_table/dim-2/cos": np.zeros((3, 1))}),
    "another shape": lambda found: found.update({f"{IDS[0]}/output": np.zeros(3, np.float32)}),
}


@pytest.mark.parametrize("planted", MISTAKES)
def test_an_answer_that_is_not_judged_is_not_left_out(planted, tmp_path, answers):
    MISTAKES[planted](answers)
    result = verified(tmp_path, answers)
    assert result.ran >= 2 and not result and result.exit_code == 2, str(result)
    assert str(result).splitlines()[-1].startswith("not passed")


def test_nothing_answered_is_not_enough(tmp_path, capsys):
    """Neither inputs, nor strangers, nor refusals that were not asked for."""
    case = next(case for case in golden.cases("log_n_scale") if case.inputs)
    name = next(iter(case.inputs))
    for answers in ({f"{case.id}/{name}": np.zeros(3)}, {"x": np.zeros(3)}):
        result = verified(tmp_path, answers)
        assert result.exit_code == 2 and result.ran == result.expected == 0
    assert cli.main(["verify", str(tmp_path / "a.npz"), "--only-answered"]) == 2
    with pytest.raises(InputError, match="only_answered must be False for a golden directory"):
        golden.verify(DATA, only_answered=True)
    with pytest.raises(InputError, match="only_answered must be True or False, got 1"):
        golden.verify(tmp_path / "a.npz", only_answered=1)


def test_export_some_cases_for_a_port(tmp_path, capsys):
    options = ["--format", "npz", "--case", "rope/llama-*", "--case", "alibi_slopes/*", "--dtype", "float32", "--json"]
    assert cli.main(["generate", str(tmp_path), *options]) == 0
    wanted = [
        case.id
        for case in golden.cases(tier="core")
        if case.id.startswith(("rope/llama-", "alibi_slopes/")) and not case.refusal
        and "float32" in {tensor.dtype for tensor in outputs_of(case).values()}
    ]  # fmt: skip
    assert len(wanted) > 3 and json.loads(capsys.readouterr().out)["cases"] == len(wanted)
    held = [name for path in tmp_path.iterdir() for name in np.load(path)]
    assert {path.name for path in tmp_path.iterdir()} == {"rope.npz", "alibi_slopes.npz"}
    assert {name.rpartition("/")[0] for name in held} == set(wanted)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--case", "rope/lama-3-128-f32"], "did you mean rope/llama-3-128-f32"),
        (["--case", "rope/*", "--case", "rop/*"], "got 'rop/*'"),
        (["--case", "rope/extended-f32"], "cases must be ids of cases to write"),
        (["--case", "rope/*", "--dtype", "int64"], "dtype must be that of a case that is chosen"),
        (["--tier", "starter", "--suite", "xpos"], "suites must have cases of tier starter, got ['xpos']"),
        (["--tier", "starter", "--case", "xpos/*"], "cases must be ids of cases to write"),
        (["--format", "npz", "--case", "rope/lama-3-128-f32"], "did you mean rope/llama-3-128-f32"),
        (["--format", "npz", "--suite", "rope", "--dtype", "int64"], "dtype must be that of a case that is chosen"),
        (["--format", "npz", "--dtype", "float8"], "dtype must be one of"),
    ],
)
def test_what_cannot_be_chosen_is_refused(arguments, words, tmp_path, capsys):
    assert cli.main(["generate", str(tmp_path / "new"), *arguments]) == 2
    assert words in capsys.readouterr().err and not (tmp_path / "new").exists()
