"""What a release is refused for (tests/release.py); .github/workflows/release.yml runs all of it."""

import subprocess

import pytest
import release

import refpos
from refpos import golden
from refpos.golden.read import read_lock

GOOD = "# Changelog\n\n## Package\n\n### 0.2.0, 2026-12-01\n\n- **Added.** More.\n"


@pytest.fixture
def root(tmp_path):
    """A repository that can be released as 0.2.0."""
    (tmp_path / "refpos").mkdir()
    (tmp_path / "docs" / "changes").mkdir(parents=True)
    (tmp_path / "refpos" / "_version.py").write_text('"""The version."""\n\n__version__ = "0.2.0"\n')
    (tmp_path / "docs" / "changelog.md").write_text(GOOD)
    for words in ("init -q", "add -A", "-c user.name=a -c user.email=a@b.example commit -q -m all"):
        subprocess.run(["git", *words.split()], cwd=tmp_path, check=True)
    return tmp_path


def test_nothing_is_refused_where_all_is_done(root):
    assert list(release.refusals("v0.2.0", root)) == []


@pytest.mark.parametrize(
    "file, text, sentence",
    [
        ("refpos/_version.py", '__version__ = "0.2.0"\nx = 1\n', "everything must be committed, got 1 changed"),
        ("docs/changelog.md", GOOD.replace("2026-12-01", "not yet released"), "got 0.2.0, not yet released"),
        ("docs/changelog.md", GOOD.replace("0.2.0", "0.1.0"), "must begin with 0.2.0 and its date, got 0.1.0"),
        ("docs/changelog.md", "# Changelog\n\n## Package\n", "must begin with 0.2.0 and its date, got None"),
        ("docs/changes/a.fixed.txt", "A fix.\n", "python tests/changelog.py release 0.2.0, got 1 fragments"),
    ],
)
def test_what_is_not_done_is_named(file, text, sentence, root):
    (root / file).write_text(text)
    assert sum(sentence in one for one in release.refusals("v0.2.0", root)) == 1


@pytest.mark.parametrize("tag", ["", "0.2.0", "v0.2", "v0.2.1"])
def test_another_tag_is_refused(tag, root):
    assert list(release.refusals(tag, root)) == [f"the tag must be v0.2.0, got {tag or 'none'}"]


def test_a_version_that_is_none_is_refused(root):
    (root / "refpos" / "_version.py").write_text('__version__ = "0.2.0.dev1"\n')
    assert any("three numbers, got 0.2.0.dev1" in one for one in release.refusals("v0.2.0", root))


def test_values_that_do_not_agree_are_named():
    lock = {"values_version": "2.1.0", "cases": {"rope/one": "", "rope/two": ""}}
    page = "| version |\n| 2.1.0 | 2 in 1 suites | x |\n| 2.0.0 | 1 in 1 suites | y |\n"
    assert list(release.refusals_of_values(page, lock, ["rope/two", "rope/one"])) == []
    (sentence,) = release.refusals_of_values(page.replace("2.1.0", "2.2.0"), lock, ["rope/two", "rope/one"])
    assert "must begin with values 2.1.0 and 2 cases, got 2.2.0 and 2" in sentence
    (sentence,) = release.refusals_of_values(page, lock, ["rope/two", "rope/three"])
    assert "got 2 apart: rope/one" in sentence


def test_this_package_is_refused_for_nothing_that_a_release_does_not_write():
    assert release.version() == refpos.__version__
    assert list(release.refusals_of_package(refpos.__version__)) == []
    assert len(read_lock()["cases"]) == len(golden.cases())


def test_the_version_is_that_of_former_names():
    from refpos import deprecations

    deprecations.enter("no_such_function", "rope", "9.9")
    try:
        assert any("9.9" in one for one in release.refusals_of_package("0.1.0"))
    finally:
        del deprecations.FUNCTIONS["no_such_function"]
