"""The corpus tells every argument of every function apart, in each dtype: a mutant that no case tells has a reason."""

import json
import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import mutants
import pytest
from mutants_untold import UNTOLD, WITHOUT_MUTANTS
from tiers import sampled

from refpos.golden import suite_names

SCORES = Path(__file__).with_name("mutants.json")
#: those that every port has; the fast tier computes them whole, the exhaustive one all
FIRST = ["yarn", "ntk_by_parts", "rope_table", "alibi", "t5_bias", "window_bias"]
SUITES = [*FIRST, *(name for name in (*suite_names(), *mutants.NESTED) if name not in FIRST)]


def held():
    """{suite: {dtype: Score}} of the file."""
    return {
        suite: {dtype: mutants.Score(told, of, tuple(left)) for dtype, (told, of, left) in scores.items()}
        for suite, scores in json.loads(SCORES.read_text()).items()
    }


def reasons(suite, dtype, mutant):
    """The rows that say why a mutant is not told."""
    return [
        row
        for row in UNTOLD
        if fnmatchcase(suite, row.suite)
        and (not row.dtypes or dtype in row.dtypes)
        and any(fnmatchcase(mutant, pattern) for pattern in row.mutants)
    ]


def untold(suites):
    """(suite, dtype, mutant) of each mutant of these suites that no case tells."""
    for suite, found in held().items():
        for dtype, score in found.items() if suite in suites else ():
            yield from ((suite, dtype, mutant) for mutant in score.left)


def unexplained(suites):
    """One sentence for each mutant of these suites that no case tells, and for which no row has a reason."""
    for suite, dtype, mutant in untold(suites):
        if not reasons(suite, dtype, mutant):
            yield (
                f"{suite} in {dtype}: no golden case tells {mutant}: add one to the cases of {suite},"
                " or a reason to tests/mutants_untold.py"
            )


def of_two_tiers(suites):
    """The first suites in the fast tier, the others in the exhaustive one."""
    return [pytest.param(name, marks=[pytest.mark.exhaustive] * (name not in FIRST)) for name in suites]


@pytest.mark.once
@pytest.mark.parametrize("suite", of_two_tiers(SUITES))
def test_the_cases_tell_the_mutants_that_the_file_says(suite):
    assert mutants.score(suite) == held()[suite], "run: python tests/test_mutants.py"


def test_every_suite_and_dtype_is_scored():
    scores = held()
    assert set(scores) == {*suite_names(), *mutants.NESTED}
    for suite, found in scores.items():
        assert set(found) == set(mutants.cases_of(suite)), suite
        for dtype, score in found.items():
            assert score.told + len(score.left) == score.of, (suite, dtype)
            assert (score.of > 0) == (suite not in WITHOUT_MUTANTS), (suite, dtype)


def test_a_mutant_that_no_case_tells_has_a_reason():
    scores = held()
    assert list(unexplained(scores)) == []
    used = {row for suite, dtype, mutant in untold(scores) for row in reasons(suite, dtype, mutant)}
    assert [row for row in UNTOLD if row not in used] == [], "reasons without a mutant"


def test_a_mutant_without_a_reason_is_named(monkeypatch):
    monkeypatch.setattr("test_mutants.held", lambda: {"spiral": {"float32": mutants.Score(4, 5, ("count: +1",))}})
    (sentence,) = unexplained(["spiral", "helix"])
    assert sentence.startswith("spiral in float32: no golden case tells count: +1: add one to the cases of spiral")


def test_a_port_with_another_clamp_fails_in_each_dtype():
    """U3: it passed 85 of 85 cases of float32."""
    name = "yarn clamp: 'dim-1' -> 'dim/2-1'"
    for suite, mutant in (("yarn", name.removeprefix("yarn ")), *((nested, name) for nested in mutants.NESTED)):
        for dtype, score in held()[suite].items():
            assert mutant not in score.left, (suite, dtype)

    def without(suite):
        return {
            dtype: [case for case in cases if not re.search("clamp|small|ramp", case.id)]
            for dtype, cases in mutants.cases_of(suite).items()
        }

    assert all("clamp: 'dim-1' -> 'dim/2-1'" in score.left for score in mutants.score("yarn", without).values())


@pytest.mark.parametrize("dtype", mutants.MOVES)
@pytest.mark.parametrize("suite", sampled(suite_names(), 8))
def test_every_argument_has_mutants(suite, dtype):
    named = {mutant.name.partition(":")[0] for mutant in mutants.mutants_of(suite, dtype)}
    assert {name for name in mutants.hints(suite) if name not in named} <= mutants.WITHOUT, suite


if __name__ == "__main__":
    old = json.loads(SCORES.read_text()) if sys.argv[1:] else {}
    SCORES.write_text(json.dumps(old | mutants.scored(sys.argv[1:]), indent=1, sort_keys=True) + "\n")
