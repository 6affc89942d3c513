"""A new function or named model in the changelog: its fragment in docs/changes, and the row of the values that its
cases are in.

`python tests/announce.py NAME` writes both, from the docstring and the lock; the fragment may then be edited."""

import json
import re
import sys
import textwrap
from pathlib import Path

import changelog

from refpos import catalogue, models
from refpos.golden.read import read_lock

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "changelog.md"
#: the functions of the first version, of which the changelog has no line each
FIRST = frozenset(json.loads((ROOT / "tests" / "data" / "first.json").read_text(encoding="utf-8")))
#: a row of the table of values: version, what it counts, what changed
ROW = re.compile(r"^\| (\d[\d.]*) \| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)


def is_announced(name):
    """Whether the changelog, or a fragment of it, names the function in backticks as it is called."""
    texts = [path.read_text(encoding="utf-8") for path in (PAGE, *changelog.fragments())]
    called = rf"`refpos\.(\w+\.)?{name}\b"
    return name in FIRST or any(re.search(called, text) for text in texts)


def fragment(entry):
    """The paragraph that says what is new."""
    paper = "" if entry.paper.startswith("none") else f"{entry.paper} "
    text = f"`{entry.public}`: {entry.summary} {paper}([{entry.family}](encodings/{entry.family}.md))."
    return textwrap.fill(text, changelog.WIDEST, break_long_words=False, break_on_hyphens=False) + "\n"


def fragment_of_model(name):
    """The paragraph that says which named model is new."""
    text = f"`refpos.models.load({name!r})`: {models.find(name).summary} ([models](models.md))."
    return textwrap.fill(text, changelog.WIDEST, break_long_words=False, break_on_hyphens=False) + "\n"


def with_values(page, new, lock):
    """The page with a row of the locked values, which says what is new in them."""
    count = f"{len(lock['cases'])} in {len({id.partition('/')[0] for id in lock['cases']})} suites"
    version, newest = lock["values_version"], ROW.search(page)
    if newest[1] != version:
        return f"{page[: newest.start()]}| {version} | {count} | {new} |\n{page[newest.start() :]}"
    changed = newest[3] if new in newest[3] else f"{newest[3]}; {new}"
    return f"{page[: newest.start()]}| {version} | {count} | {changed} |{page[newest.end() :]}"


def main(names):
    for name in names:
        path = ROOT / "docs" / "changes" / f"{name.replace('_', '-')}.added.txt"
        is_model = name in models.names()
        if is_model:
            path.write_text(fragment_of_model(name), encoding="utf-8")
        elif not is_announced(name):
            path.write_text(fragment(catalogue.find(name)), encoding="utf-8")
        new = f"{'model' if is_model else 'suite'} `{name}`"
        PAGE.write_text(with_values(PAGE.read_text(encoding="utf-8"), new, read_lock()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
