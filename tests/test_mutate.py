"""The mutation run: its faults, that it draws the same ones for a seed, and that it goes on where it stopped."""

import json

import mutate
import pytest

SOURCE = '''
def f(x: int, y, n=3):
    """One of 2 + 2 docstrings."""
    if x < y and not x:
        raise ValueError(f"{x + 1}")
    total = [g(x, y) for k in range(n)][: n + 1]
    return h(total)
'''
#: kind: what stands there afterwards
FAULTS = {
    "comparison": ["(x <= y)"],
    "dropped negation": ["(x)"],
    "exchanged arguments": ["(g(y, x))"],
    "off by one": ["(range(n + 1))", ":n + 1 - 1"],
    "operator": ["(n - 1)"],
    "constant": ["(4)", "(2)"],
    "return altered": ["return total"],
}


def found():
    return [mutant for mutant in mutate.mutants_of("refpos/steps/f.py", SOURCE) if mutate.is_sound(SOURCE, mutant)]


def test_every_kind_of_fault_is_made_where_values_are():
    by_kind = {}
    for mutant in found():
        by_kind.setdefault(mutant.kind, []).append(mutant.after)
    assert {kind: sorted(afters) for kind, afters in by_kind.items()} == {
        kind: sorted(afters) for kind, afters in FAULTS.items()
    }
    changed = [mutate.changed(SOURCE, mutant) for mutant in found()]
    assert len(set(changed)) == len(changed)
    # no annotation, docstring or sentence of an error
    assert all("x: int" in text and "2 + 2 docstrings" in text and '{x + 1}"' in text for text in changed)


def test_what_is_no_other_program_is_no_mutant():
    mutant = found()[0]
    assert not mutate.is_sound(SOURCE, mutant._replace(after=mutant.before))
    assert not mutate.is_sound(SOURCE, mutant._replace(after="(("))


def test_a_seed_draws_the_same_mutants_from_every_room():
    paths = [path for path in mutate.package() if path.startswith(("refpos/steps/r", "refpos/cli/", "refpos/scores/a"))]
    drawn = mutate.chosen(7, 5, paths)
    assert drawn == mutate.chosen(7, 5, paths) != mutate.chosen(7, 6, paths) and len(drawn) == 7
    assert {mutant.path.split("/")[1] for mutant in drawn} == {"steps", "cli", "scores"}
    assert [mutant.of_values for mutant in drawn] == sorted((m.of_values for m in drawn), reverse=True)
    assert all(mutate.changed((mutate.ROOT / m.path).read_text(), m) for m in drawn)


@pytest.mark.exhaustive
def test_related_tests_are_those_of_the_module():
    assert sorted(mutate.suites_of("refpos/relative/alibi.py")) == ["alibi", "alibi_2d"]
    assert len(mutate.suites_of("refpos/checks.py")) > 150
    assert mutate.tests_of("refpos/relative/alibi.py", mutate.ROOT)[0] == "tests/test_alibi.py"
    assert "tests/test_cli.py" in mutate.tests_of("refpos/cli/screen.py", mutate.ROOT)


@pytest.mark.exhaustive
def test_a_fault_is_killed_and_the_source_put_back(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # that of refpos is not in this package of one module,
    (tmp_path / "refpos").mkdir()
    (tmp_path / "refpos" / "__init__.py").write_text("")  # which must come before an installed one
    (tmp_path / "tests").mkdir()
    (tmp_path / "refpos" / "twice.py").write_text("def twice(x):\n    return x * 2\n")
    test = "from refpos.twice import twice\n\ndef test_twice():\n    assert twice(3) == 6\n"
    (tmp_path / "tests" / "test_twice.py").write_text(test)
    source = (tmp_path / "refpos" / "twice.py").read_text()
    outcomes = {}
    for mutant in mutate.mutants_of("refpos/twice.py", source):
        outcomes[mutant.after] = mutate.outcome(mutant, tmp_path, 60, False)["outcome"]
        assert (tmp_path / "refpos" / "twice.py").read_text() == source
    assert outcomes == {"(x + 2)": "killed", "(3)": "killed", "return None": "killed"}
    (tmp_path / "tests" / "test_twice.py").write_text(test.replace("twice(3) == 6", "twice(2) == 2 + 2"))
    (operator,) = [m for m in mutate.mutants_of("refpos/twice.py", source) if m.kind == "operator"]
    outcome = mutate.outcome(operator, tmp_path, 60, False)
    assert outcome["outcome"] == "survived"


def test_a_survivor_without_a_reason_is_named(tmp_path):
    fault = {"kind": "constant", "before": "1", "after": "2"}
    ids = [("steps/a.py:1:x", "survived", True), ("cli/a.py:1:x", "survived", False), ("cli/b.py:1:x", "killed", False)]
    rows = [{"id": id, "outcome": outcome, "of_values": of_values, **fault} for id, outcome, of_values in ids]
    reasons = {"cli/a.py:1:x": "a width of the screen"}
    assert mutate.unexplained(rows, reasons) == ["steps/a.py:1:x"]
    assert list(mutate.report(rows, reasons)) == [
        "3 mutants: 1 killed, 0 timeout, 2 survived",
        "survived, values or bounds: steps/a.py:1:x constant: 1 -> 2",
        "    no reason is given in tests/data/survivors.json",
        "survived, elsewhere: cli/a.py:1:x constant: 1 -> 2",
        "    a width of the screen",
    ]
    (tmp_path / "mutants.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert set(mutate.known(tmp_path / "mutants.jsonl")) == {row["id"] for row in rows}
    assert mutate.known(tmp_path / "none.jsonl") == {}
