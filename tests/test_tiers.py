"""The count of each tier: what ran is counted, and a count that fell is refused in one sentence."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tiers

import refpos

ROOT = Path(__file__).resolve().parent.parent


def test_counts_are_those_of_tests_not_of_instruction_sets():
    ran = [("t.py::a[avx2-float32]", ()), ("t.py::a[avx512-float32]", ()), ("t.py::a[avx2-float16]", ()),
           ("t.py::b[numpy]", {"exhaustive"}), ("f/t.py::c", {"frameworks", "exhaustive"}),
           ("t.py::d", {"long"})]  # fmt: skip
    assert tiers.counted(ran) == {"fast": 2, "exhaustive": 1, "frameworks": 1}


def test_a_count_that_fell_is_refused():
    least = tiers.least()
    assert set(least) == set(tiers.TIERS) and all(count > 100 for count in least.values())
    assert list(tiers.fallen(least, tiers.TIERS)) == []
    found = {**least, "exhaustive": least["exhaustive"] - 1, "fast": 0}
    assert list(tiers.fallen(found, ["frameworks"])) == []
    assert list(tiers.fallen(found, tiers.TIERS)) == [
        f"the fast tier must pass {least['fast']} tests at least (tests/counts.json), got 0",
        f"the exhaustive tier must pass {least['exhaustive']} tests at least (tests/counts.json), got "
        + str(least["exhaustive"] - 1),
    ]
    assert list(tiers.fallen(found, ["all"])) == [
        "REFPOS_REQUIRE_TIERS must name tiers of fast, exhaustive, frameworks, got 'all'"
    ]


def test_a_run_without_what_runs_once_must_pass_the_others(monkeypatch, tmp_path):
    held = {"fast": 9, "exhaustive": 5, "frameworks": 3, "once": {"fast": 2, "exhaustive": 0, "frameworks": 1}}
    (tmp_path / "counts.json").write_text(json.dumps(held))
    monkeypatch.setattr(tiers, "COUNTS", tmp_path / "counts.json")
    marks, others = "not long and not once", {"fast": 7, "exhaustive": 5, "frameworks": 2}
    assert tiers.least(marks) == others and tiers.least("not long") == {"fast": 9, "exhaustive": 5, "frameworks": 3}
    assert list(tiers.fallen(others, tiers.TIERS, marks)) == []
    assert list(tiers.fallen({**others, "fast": 6}, tiers.TIERS, marks)) == [
        "the fast tier must pass 7 tests at least (tests/counts.json), got 6"
    ]
    # a number of those that run once which is too large would let the others fall
    everything = {"fast": 9, "exhaustive": 5, "frameworks": 3}
    assert list(tiers.fallen(everything, tiers.TIERS, "not long", held["once"])) == []
    assert list(tiers.fallen(everything, tiers.TIERS, "not long", {**held["once"], "frameworks": 0})) == [
        "the frameworks tier must pass 1 tests that are marked once (tests/counts.json), got 0"
    ]


def test_a_floor_far_below_what_passed_is_refused(monkeypatch, tmp_path):
    held = {"fast": 990, "exhaustive": 5, "frameworks": 3, "once": {"fast": 198, "exhaustive": 5, "frameworks": 3}}
    (tmp_path / "counts.json").write_text(json.dumps(held))
    monkeypatch.setattr(tiers, "COUNTS", tmp_path / "counts.json")
    once = held["once"]
    assert list(tiers.low({**held, "fast": 1000}, tiers.TIERS, {**once, "fast": 200})) == []
    assert list(tiers.low({**held, "fast": 1001, "exhaustive": 6}, ["fast"], {**once, "fast": 1000})) == [
        "tests/counts.json must say 996 for fast, of which 1001 passed, got 990",
        "tests/counts.json must say 995 for once of fast, of which 1000 passed, got 198",
    ]
    # the numbers that tests/counts.json is told are accepted
    (tmp_path / "counts.json").write_text(json.dumps({**held, "fast": 996, "once": {**once, "fast": 995}}))
    assert list(tiers.low({**held, "fast": 1001}, ["fast"], {**once, "fast": 1000})) == []
    # without those that run once, fewer pass
    assert list(tiers.low({**held, "fast": 5000}, tiers.TIERS, None)) == []


def test_a_count_that_is_not_held_is_refused(monkeypatch):
    least = tiers.least()
    monkeypatch.setattr(tiers, "least", lambda marks: {"fast": 0, "exhaustive": 1})
    assert list(tiers.fallen(least, tiers.TIERS)) == [
        "tests/counts.json must say how many tests the fast tier has, got 0",
        "tests/counts.json must say how many tests the frameworks tier has, got None",
    ]


def test_the_summary_says_what_ran_how_long_and_what_did_not_run():
    least = tiers.least()
    spent = tiers.seconds([((), 1.25), ((), 0.5), ({"exhaustive"}, 2.0), ({"frameworks", "exhaustive"}, 0.25)])
    assert spent == {"fast": 1.75, "exhaustive": 2.0, "frameworks": 0.25}
    assert tiers.summary({"fast": 7, "exhaustive": 1, "frameworks": 0}, spent) == (
        f"tiers: 7 of {least['fast']} fast (2 s), 1 of {least['exhaustive']} exhaustive (2 s), "
        f"0 of {least['frameworks']} frameworks (0 s)"
    )


# -- a run of a small folder of tests, with one thing wrong -----------------------------------------------------------

TEST = "import pytest\n\n{mark}\ndef test_it():\n    assert True\n"


def scratch(folder):
    """The conftest, tiers and pytest options of this repository with one test in each tier."""
    (folder / "tests" / "frameworks").mkdir(parents=True)
    for name in ("conftest.py", "seeds.py", "tiers.py", "unlocked.py"):
        shutil.copy(ROOT / "tests" / name, folder / "tests")
    shutil.copy(ROOT / "pyproject.toml", folder)
    held = dict.fromkeys(tiers.TIERS, 1) | {"once": dict.fromkeys(tiers.TIERS, 0)}
    (folder / "tests" / "counts.json").write_text(json.dumps(held))
    (folder / "tests" / "test_fast.py").write_text(TEST.format(mark=""))
    (folder / "tests" / "test_slow.py").write_text(TEST.format(mark="@pytest.mark.exhaustive"))
    (folder / "tests" / "frameworks" / "test_torch.py").write_text(TEST.format(mark=""))


def replaced(path, old, new):
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def a_marker_is_renamed_everywhere(folder):
    replaced(folder / "pyproject.toml", "exhaustive", "slow")
    replaced(folder / "tests" / "test_slow.py", "exhaustive", "slow")


#: what is changed in the folder, and what the run then says
CHANGES = {
    "nothing": (lambda folder: None, "tiers: 1 of 1 fast"),
    "no tests of frameworks": (
        lambda folder: (folder / "tests" / "frameworks" / "test_torch.py").unlink(),
        "the frameworks tier must pass 1 tests at least (tests/counts.json), got 0",
    ),
    "a renamed marker": (a_marker_is_renamed_everywhere, "the exhaustive tier must pass 1 tests at least"),
    "an unknown marker": (
        lambda folder: replaced(folder / "tests" / "test_slow.py", "exhaustive", "slow"),
        "'slow' not found in `markers` configuration option",
    ),
    "a count of 0": (
        lambda folder: replaced(folder / "tests" / "counts.json", '"exhaustive": 1', '"exhaustive": 0'),
        "tests/counts.json must say how many tests the exhaustive tier has, got 0",
    ),
    "a count that is gone": (
        lambda folder: replaced(folder / "tests" / "counts.json", ', "exhaustive": 1', ""),
        "tests/counts.json must say how many tests the exhaustive tier has, got None",
    ),
    "a test that is gone": (
        lambda folder: replaced(folder / "tests" / "counts.json", '"fast": 1', '"fast": 2'),
        "the fast tier must pass 2 tests at least (tests/counts.json), got 1",
    ),
    "a count that is far too low": (
        lambda folder: (folder / "tests" / "test_fast.py").write_text(
            "import pytest\n\n@pytest.mark.parametrize('k', range(300))\ndef test_it(k):\n    assert True\n"
        ),
        "tests/counts.json must say 299 for fast, of which 300 passed, got 1",
    ),
    "a test that is skipped": (
        lambda folder: replaced(folder / "tests" / "test_fast.py", "assert True", "pytest.skip()"),
        "NOT RUN, which counts as failed: tests/test_fast.py::test_it",
    ),
    "a test that is marked twice": (
        lambda folder: replaced(folder / "tests" / "test_fast.py", "\n\n\ndef", "\n\n@pytest.mark.long\ndef"),
        "the fast tier must pass 1 tests at least (tests/counts.json), got 0",
    ),
}  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("change", CHANGES)
def test_a_run_that_lost_tests_fails_and_says_so(change, tmp_path):
    edit, said = CHANGES[change]
    scratch(tmp_path)
    edit(tmp_path)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("REFPOS_", "PYTEST_"))}
    environment["PYTHONPATH"] = str(Path(refpos.__file__).resolve().parent.parent)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not long"]
    done = subprocess.run(
        command, cwd=tmp_path, env={**environment, "REFPOS_REQUIRE_TIERS": " ".join(tiers.TIERS)}, capture_output=True,
        text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode == 0) == (change == "nothing"), done.stdout + done.stderr
    assert said in " ".join((done.stdout + done.stderr).split())


# -- what .ci/run makes of that ---------------------------------------------------------------------------------------

CI = ROOT / ".ci" / "run"
PRINTED = """refpos 0.1.0 (source tree): compiled kernels (for a reason)
tiers: 12 of 12 fast (2 s), 3 of 3 exhaustive (4 s), 0 of 5 frameworks (0 s)
15 passed in 6.02s
"""
#: what pytest printed otherwise, and the sentence that ends the check
OTHERWISE = {
    "15 passed": ("no tests ran", "FAILED: no test passed"),
    "15 passed in": ("1 failed, 14 passed in", "FAILED: not all ran and passed"),
    "15 passed in 6": ("14 passed, 1 skipped in 6", "FAILED: not all ran and passed"),
    "compiled kernels": ("compiled", "FAILED: pytest does not name the kernels"),
    "tiers: 12": ("parts: 12", "FAILED: pytest does not count the tiers"),
    "3 of 3 exhaustive": ("3 of 3 slow", "FAILED: pytest does not count the exhaustive tier"),
    "12 of 12": ("12 of 13", "FAILED: the fast tier fell: 13 tests must pass (tests/counts.json), got 12"),
    "3 of 3": ("3 of 0", "FAILED: the exhaustive tier fell: 0 tests must pass (tests/counts.json), got 3"),
}

if CI.exists():  # a source distribution does not have it

    def ci_counts(path):
        """What .ci/run says of a file of what pytest printed."""
        functions = re.findall(r"^(?:fail|counted)\(\) \{.*?^\}$", CI.read_text(), re.MULTILINE | re.DOTALL)
        assert len(functions) == 2
        script = "\n".join(["set -euo pipefail", "passed=0", "walls=()", *functions])
        script += f'\ncounted "both tiers" {path} fast exhaustive\nprintf "%s\\n" "${{walls[@]}}" "$passed passed"'
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True)

    def test_ci_counts_what_pytest_printed(tmp_path):
        (tmp_path / "said").write_text(PRINTED)
        done = ci_counts(tmp_path / "said")
        assert done.returncode == 0 and done.stdout.splitlines()[1:] == [
            "fast: 12 passed, 12 must",
            "exhaustive: 3 passed, 3 must",
            "both tiers: 15 passed in 6.02s",
            f"    {PRINTED.splitlines()[1]}",
            "15 passed",
        ]

    @pytest.mark.parametrize("what", OTHERWISE)
    def test_ci_refuses_what_does_not_count(what, tmp_path):
        instead, sentence = OTHERWISE[what]
        replaced_text = PRINTED.replace(what, instead)
        assert replaced_text != PRINTED
        (tmp_path / "said").write_text(replaced_text)
        done = ci_counts(tmp_path / "said")
        assert done.returncode == 1 and done.stdout.splitlines()[-1] == sentence
