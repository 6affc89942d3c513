"""The tests of the documentation see a mistake that is planted in a page."""

import re
import shutil

import pages as generated
import pytest
import test_docs

STRUCTURAL = (
    test_docs.test_the_generated_pages_are_those_of_the_catalogue,
    test_docs.test_the_transcripts_show_a_whole_corpus_and_one_wrong_call,
    test_docs.test_every_command_of_a_page_is_in_a_block_that_is_run,
    test_docs.test_every_block_is_of_a_kind_that_a_test_reads,
    test_docs.test_the_commands_stand_where_a_script_finds_them,
    test_docs.test_every_link_leads_to_a_page_and_to_a_heading_of_it,
    test_docs.test_every_page_is_reached_from_the_readme_by_way_of_the_index,
)
#: the page that shows how to verify, and the one that shows the way there
TEXTS = {name: (test_docs.ROOT / name).read_text() for name in ("README.md", *test_docs.SESSIONS)}
README, VERIFY = TEXTS["README.md"], TEXTS["docs/verify.md"]


@pytest.fixture
def pages(tmp_path, monkeypatch):
    """The tests of the documentation on a copy of it, with what the unchanged page shows for what is printed."""
    recorded = {command: output for text in TEXTS.values() for command, output, _ in test_docs.transcripts(text)}
    shutil.copytree(test_docs.ROOT / "docs", tmp_path / "docs")
    shutil.copytree(test_docs.ROOT / "tests" / "bounds", tmp_path / "tests" / "bounds")  # which pages link to
    shutil.copy(test_docs.ROOT / "README.md", tmp_path)
    paths = [tmp_path / "README.md", *sorted((tmp_path / "docs").rglob("*.md"))]
    for module, name, value in (
        (test_docs, "README", paths[0]),
        (test_docs, "PAGES", paths),
        (test_docs, "SESSIONS", {name: tmp_path / name for name in test_docs.SESSIONS}),
        (generated, "DOCS", tmp_path / "docs"),
        (generated, "INDEX", tmp_path / "docs" / "encodings.md"),
        (test_docs, "run", lambda command, folder: recorded.get(command, "refpos: another command\n")),
    ):
        monkeypatch.setattr(module, name, value)

    def passes(name, text, tests=STRUCTURAL):
        page = tmp_path / name
        unchanged, printed = page.read_text(), test_docs.blocks(test_docs.ROOT / name, "text")
        page.write_text(text)
        try:
            for test in tests:
                test()
            test_docs.test_the_code_of_a_session_prints_what_its_page_shows((page, tmp_path, printed))
            if name in test_docs.SESSIONS:
                test_docs.test_a_session_shows_what_its_commands_print((page, tmp_path, printed))
        except AssertionError:
            return False
        finally:
            page.write_text(unchanged)
        return True

    return passes


def with_other(pattern, new, flags=re.MULTILINE):
    """(name of a page, its text once with each match of a pattern replaced)."""
    planted = [
        (name, text[: match.start()] + match.expand(new) + text[match.end() :])
        for name, text in TEXTS.items()
        for match in re.finditer(pattern, text, flags)
    ]
    assert planted, pattern
    return planted


def without(pattern):
    """(name of a page, its text once without each match of a pattern)."""
    return with_other(pattern, "", re.MULTILINE | re.DOTALL)


#: kind of mistake -> pages with one each
PLANTED = {
    "a block of commands gone": without(r"^```console\n.*?^```\n"),
    "a block of output gone": without(r"^```text\n.*?^```\n"),
    "a block for scripts gone": [page for page in without(r"^```sh\n.*?^```\n") if page[0] == "README.md"],
    "a block of another kind": with_other(r"^```(\w)(\w+)$", r"```\2"),
    "a block of no kind": with_other(r"^```\w+$", "```"),
    "an output gone": with_other(r"^(\$ .*\n)([^$`\n].*\n)+?(?=[$`])", r"\1"),
    "a mark gone": without(r"^<!-- (?!numbers vary).*?-->$"),
    "a mark under another name": with_other(r"^<!-- (?!numbers vary)(/?)\w+", r"<!-- \1other"),
    "a command outside": [("README.md", README + f"\n{indent}$ refpos list\n") for indent in ("", "    ")],
    "another command": with_other(r"^\$ refpos (\w+)", r"$ refpos \1x"),
    "an index that is not linked": [("README.md", README.replace("docs/README.md", "docs/models.md"))],
    "a link to another page": with_other(r"(?<=\()([\w/-]+)\.md\)", r"\1x.md)"),
    "another number in an output": with_other(r"^0\.94866836", "0.94866837"),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", PLANTED)
def test_a_page_with_a_mistake_is_red(kind, pages):
    assert all(pages(name, text) for name, text in TEXTS.items())
    assert [n for n, (name, text) in enumerate(PLANTED[kind]) if pages(name, text)] == []


@pytest.mark.exhaustive
def test_every_count_of_a_transcript_is_compared(pages):
    """Each number that stands outside the values of failing cases, one more at a time."""
    planted = 0
    for name, text in TEXTS.items():
        for block in test_docs.CONSOLE.finditer(text):
            values = [match.span(match.lastgroup) for match in test_docs.VALUES.finditer(block[2])] if block[1] else []
            for number in re.finditer(r"\d+", block[2]):
                if not any(start <= number.start() < stop for start, stop in values):
                    start, stop = (block.start(2) + end for end in number.span())
                    planted += 1
                    assert not pages(name, text[:start] + str(int(number[0]) + 1) + text[stop:], ()), number
    assert planted > 400


def test_an_empty_page_is_not_the_readme():
    assert list(test_docs.transcripts("")) == [] and list(test_docs.transcripts(VERIFY))
