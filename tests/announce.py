"""A new function in the changelog: its fragment in docs/changes, and the row of the values that its cases are in.

`python tests/announce.py NAME` writes both, from the docstring and the lock; the fragment may then be edited."""

import json
import re
import sys
import textwrap
from pathlib import Path

import changelog

from refpos import catalogue
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
    text = f"`{entry.public}`: {entry.summary} {entry.paper} ([{entry.family}](encodings/{entry.family}.md))."
    return textwrap.fill(text, changelog.WIDEST, break_long_words=False, break_on_hyphens=False) + "\n"


def with_values(page, entry, lock):
    """The page with a row of the locked values, which says that they have the suite of the function."""
    count = f"{len(lock['cases'])} in {len({id.partition('/')[0] for id in lock['cases']})} suites"
    version, suite = lock["values_version"], f"suite `{entry.name}`"
    newest = ROW.search(page)
    if newest[1] != version:
        return f"{page[: newest.start()]}| {version} | {count} | {suite} |\n{page[newest.start() :]}"
    changed = newest[3] if suite in newest[3] else f"{newest[3]}; {suite}"
    return f"{page[: newest.start()]}| {version} | {count} | {changed} |{page[newest.end() :]}"


def main(names):
    for name in names:
        entry = catalogue.find(name)
        path = ROOT / "docs" / "changes" / f"{name.replace('_', '-')}.added.txt"
        if not is_announced(name):
            path.write_text(fragment(entry), encoding="utf-8")
        PAGE.write_text(with_values(PAGE.read_text(encoding="utf-8"), entry, read_lock()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
