"""A Python block of a page runs when it is copied with nothing else, or the site copies the blocks above with it."""

import contextlib
import io
import re
import sys

import pages
import pytest

sys.path.insert(0, str(pages.DOCS / "site"))

import sessions

README = pages.DOCS.parent / "README.md"
FIRST = README, pages.DOCS / "tour.md", pages.DOCS / "usage.md"
#: a program with arguments, which tests/test_golden.py runs, and one that needs dask, which tests/test_docs.py runs
OTHERWISE = {"golden-format.md", "dask.md"}


def codes(page):
    """The Python blocks of a page."""
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def run_alone(code, folder, monkeypatch):
    """A block as a reader runs it who copies nothing else."""
    monkeypatch.chdir(folder)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, "copied", "exec"), {"__name__": "__main__"})


def alone(page, folder, monkeypatch):
    """How many blocks of a page run alone, each in an empty folder: those with which the site copies no other."""
    found = [code for code in codes(page) if not sessions.goes_on(code)]
    for k, code in enumerate(found):
        (folder / f"{page.stem}-{k}").mkdir()
        run_alone(code, folder / f"{page.stem}-{k}", monkeypatch)
    return len(found)


@pytest.mark.parametrize("page", FIRST, ids=lambda page: page.stem)
def test_every_block_of_the_first_pages_runs_alone(page, tmp_path, monkeypatch):
    assert alone(page, tmp_path, monkeypatch) == len(codes(page)) > 1


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "page",
    [
        page
        for page in sorted(pages.DOCS.rglob("*.md"))
        if codes(page) and page.name not in OTHERWISE and page not in FIRST
    ],
    ids=lambda page: page.stem,
)
def test_blocks_that_do_not_go_on_run_alone(page, tmp_path, monkeypatch):
    """And the first one of a page does, on which the others go on."""
    assert not sessions.goes_on(codes(page)[0])
    assert alone(page, tmp_path, monkeypatch) > 0


def test_the_configuration_of_deepseek_runs_alone():
    (code,) = [one for one in codes(pages.DOCS / "configs.md") if "deepseek_v3" in one]
    assert not sessions.goes_on(code)


def test_a_block_that_does_not_run_alone_is_noticed(tmp_path, monkeypatch):
    assert sessions.goes_on("import numpy as np\nx = np.ones(3)\nrope(x, 3)")
    assert not sessions.goes_on("try:\n    x = [k for k in ()]\nexcept ValueError as error:\n    print(error, x)")
    with pytest.raises(FileNotFoundError):
        run_alone("print(open('answers.npz'))", tmp_path, monkeypatch)
    with pytest.raises(NameError):
        run_alone("print(table)", tmp_path, monkeypatch)
