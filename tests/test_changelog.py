"""The fragments of the changelog, and what a release makes of them (tests/changelog.py)."""

from dataclasses import replace
from pathlib import Path

import announce
import changelog
import pytest

from refpos import catalogue

PAGE = "# Changelog\n\n## Values\n\n| a |\n\n## Package\n\n### 0.1.0, not yet released\n\nNewest first:\n\n- Old.\n"
GOOD = "Masked arrays are `recognised` ([usage](usage.md)).\n"


@pytest.fixture
def root(tmp_path):
    """A repository with two fragments."""
    (tmp_path / "docs" / "changes").mkdir(parents=True)
    (tmp_path / "docs" / "usage.md").write_text("# Use\n")
    (tmp_path / "docs" / "changelog.md").write_text(PAGE)
    (tmp_path / "docs" / "changes" / "zeros.added.txt").write_text("Zeros\n" + "and more\n" * 20 + "zeros.\n")
    (tmp_path / "docs" / "changes" / "arrays.fixed.txt").write_text(GOOD)
    return tmp_path


def test_every_fragment_is_as_it_should_be():
    assert changelog.wrong() == []


@pytest.mark.parametrize(
    "name, text, sentence",
    [
        ("Arrays.fixed.txt", GOOD, "must be called"),
        ("arrays.mended.txt", GOOD, "must be called"),
        ("arrays.fixed.md", GOOD, "must be called"),
        ("arrays.txt", GOOD, "must be called"),
        ("a.fixed.txt", "masked arrays are recognised.\n", "must be a sentence"),
        ("a.fixed.txt", "Masked arrays are recognised\n", "must be a sentence"),
        ("a.fixed.txt", "", "must be a sentence"),
        ("a.fixed.txt", "One.\n\nTwo.\n", "must be one paragraph"),
        ("a.fixed.txt", "Both:\n- one,\n- two.\n", "must be one paragraph"),
        ("a.fixed.txt", "Long " * 200 + "words.", "must have at most"),
        ("a.fixed.txt", "See [a page](nothing.md).\n", "must link to pages"),
    ],
)
def test_a_fragment_that_is_wrong_is_named(name, text, sentence, root):
    (root / "docs" / "changes" / name).write_text(text)
    found = changelog.wrong(root)
    assert [sentence in one and one.startswith(name) for one in found] == [True], found


def test_what_is_right_is_not_named(root):
    assert changelog.wrong(root) == [] and changelog.wrong(root / "nowhere") == []


def test_a_release_puts_fragments_above_what_was_noted_and_deletes_them(root):
    changelog.release("0.1.0", "2026-12-01", root)
    page = (root / "docs" / "changelog.md").read_text()
    head, _, items = page.partition("### 0.1.0, 2026-12-01\n\nNewest first:\n\n")
    assert head == PAGE.partition("### 0")[0] and changelog.fragments(root) == []
    first, *rest = items.split("\n- ")
    assert first.startswith("- **Added.** Zeros and") and rest == [f"**Fixed.** {GOOD.strip()}", "Old.\n"]
    assert max(map(len, items.splitlines())) <= 120 and "\n  and" in first


def test_a_version_after_that_has_its_section_above(root):
    changelog.release("0.1.0", "2026-12-01", root)
    (root / "docs" / "changes" / "b.removed.txt").write_text("What was there is gone.\n")
    changelog.release("0.2.0", "2027-01-01", root)
    page = (root / "docs" / "changelog.md").read_text()
    assert "## Package\n\n### 0.2.0, 2027-01-01\n\n- **Removed.** What was there is gone.\n\n### 0.1.0, 2026" in page
    with pytest.raises(SystemExit, match=r"no section of 0\.2\.0 yet"):
        changelog.release("0.2.0", "2027-01-01", root)


def test_the_command(root, monkeypatch, capsys):
    monkeypatch.setattr(changelog, "fragments", lambda where=root, of=changelog.fragments: of(root))
    assert changelog.main([]) == 0 and capsys.readouterr().out == "2 fragments\n"
    assert changelog.main(["draft"]) == 0 and "- **Fixed.** Masked" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        changelog.main(["release", "1.0"])
    (root / "docs" / "changes" / "a.fixed.txt").write_text("no sentence")
    assert changelog.main(["draft"]) == 1 and "must be a sentence" in capsys.readouterr().err


def test_the_kinds_stand_in_the_page_that_says_how():
    page = (Path(__file__).resolve().parent.parent / "docs" / "contributing.md").read_text()
    assert all(f"| `{kind}` | {meaning} |" in page for kind, meaning in changelog.KINDS.items())


# -- new functions (tests/announce.py) --------------------------------------------------------------------------------

ENTRY = catalogue.ENTRIES["alibi"]
LOCK = {"values_version": "1.1.0", "cases": {"alibi/a": "", "alibi/b": "", "rope/a": ""}}


def test_a_new_function_must_be_announced(root, monkeypatch):
    monkeypatch.setattr(announce, "FIRST", frozenset())
    monkeypatch.setattr(announce, "PAGE", root / "docs" / "changelog.md")
    monkeypatch.setattr(changelog, "fragments", lambda of=changelog.fragments: of(root))
    path = root / "docs" / "changes" / "alibi.added.txt"
    assert not announce.is_announced("alibi")
    path.write_text(announce.fragment(replace(ENTRY, name="alibi_2d")))
    assert not announce.is_announced("alibi") and announce.is_announced("alibi_2d")
    path.write_text(announce.fragment(ENTRY))
    assert announce.is_announced("alibi")
    assert path.read_text().startswith("`refpos.alibi`: The ALiBi bias")


@pytest.mark.parametrize("entry", catalogue.ENTRIES.values(), ids=catalogue.ENTRIES)
def test_the_fragment_of_a_function_is_as_it_should_be(entry):
    path = announce.ROOT / "docs" / "changes" / "spiral.added.txt"
    assert list(changelog.faults(path, announce.fragment(entry))) == []


def test_the_values_get_a_row_or_a_word_in_theirs():
    page = "| version | cases | what changed |\n| --- | --- | --- |\n| 1.0.0 | 1 in 1 suites | rope |\n\n## Package\n"
    once = announce.with_values(page, "suite `alibi`", LOCK)
    assert once == page.replace("| 1.0.0", "| 1.1.0 | 3 in 2 suites | suite `alibi` |\n| 1.0.0")
    assert announce.with_values(once, "suite `alibi`", LOCK) == once
    again = announce.with_values(once, "model `flux`", LOCK)
    assert again == once.replace("suite `alibi`", "suite `alibi`; model `flux`")


def test_a_named_model_is_announced_by_its_name(root, monkeypatch):
    page = root / "docs" / "changelog.md"
    page.write_text("| version | cases | what changed |\n| --- | --- | --- |\n| 1.0.0 | 1 in 1 suites | rope |\n")
    for name, value in (("ROOT", root), ("PAGE", page), ("read_lock", lambda: LOCK)):
        monkeypatch.setattr(announce, name, value)
    announce.main(["gpt_neox"])
    assert "| 1.1.0 | 3 in 2 suites | model `gpt_neox` |" in page.read_text()
    (path,) = (root / "docs" / "changes").glob("gpt-neox.*")
    assert path.read_text().startswith("`refpos.models.load('gpt_neox')`: ")
    there = Path(changelog.__file__).parents[1] / "docs" / "changes" / path.name
    assert list(changelog.faults(there, path.read_text())) == []
