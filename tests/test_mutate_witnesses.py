"""The run that plants errors in the witnesses: its changes, and that it tells a function that no case depends on."""

import ast

import mutate_witnesses
import pytest
import witness.lengths

SOURCE = """
def f(x, n=3):
    if x < n and not x:
        return -x
    return x * n if x in (1, 2) else x // 2
"""
NAME = "witness.lengths"


def test_each_kind_of_change():
    tree = ast.parse(SOURCE).body[0]
    made = [ast.unparse(one).splitlines() for _, one in mutate_witnesses.changes_of(tree)]
    assert made[-1][:2] == ["def f(x, n=3):", "    return None"]
    lines = {line.strip() for one in made[:-1] for line in one}
    assert len({tuple(one) for one in made}) == len(made) > 8 and ast.dump(tree) == ast.dump(ast.parse(SOURCE).body[0])
    assert lines & {
        "if x <= n and (not x):",
        "if x < n or not x:",
        "return x",
        "return x + n if x in (1, 2) else x // 2",
    }


@pytest.mark.exhaustive
def test_a_function_that_cases_depend_on_and_one_that_none_does(monkeypatch):
    def lonely(x):
        return x + 1

    known = mutate_witnesses.modules()
    ids = mutate_witnesses.suites_and_cases()["log_n_scale"]
    by_function = mutate_witnesses.runs_of_suite(ids)
    functions = mutate_witnesses.functions_of(witness.lengths)
    of_suite = {name: ids for (file, name), ids in by_function.items() if file == witness.lengths.__file__}
    assert of_suite and of_suite.keys() <= functions.keys()
    for name, read in of_suite.items():
        before = functions[name][0].__code__
        what, tried = mutate_witnesses.of_function(*functions[name], read, known)
        assert what is not None and tried > 0 and functions[name][0].__code__ is before
    tree = ast.parse("def lonely(x):\n    return x + 1").body[0]
    assert mutate_witnesses.of_function(lonely, tree, ids, known) == (None, 3)
    assert not any(map(mutate_witnesses.differs, ids))
