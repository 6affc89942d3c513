"""What is read and compared in a process of pytest, and what of it stands outside of the tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest


class Heard:
    """Ids of the cases that are read, subjects whose comparison passed, and subjects that differ; ids of the cases of
    which the arguments are read, and of those of which the numbers are."""

    def __init__(self) -> None:
        self.given: set[str] = set()
        self.compared: set[str] = set()
        self.differed: set[str] = set()
        self.arguments: set[str] = set()
        self.numbers: set[str] = set()


class Ledger:
    """What this process reads outside of tests, what it compares anywhere, and where tests are left out.

    read: {file or folder of tests: ids}; of a conftest that pytest loads first, the file is "".
    left: the files of tests that -k, -m or another option leaves out.
    """

    def __init__(self) -> None:
        self.read: dict[str, set[str]] = {}
        self.compared: set[str] = set()
        self.left: set[str] = set()

    def owe(self, place: str, ids: set[str]) -> None:
        """Remember what was read outside of tests."""
        if ids:
            self.read.setdefault(place, set()).update(ids)

    def add(self, other: dict[str, Any]) -> None:
        """Add what `plain` gives in another process."""
        for place, ids in other["read"].items():
            self.owe(place, set(ids))
        self.compared.update(other["compared"])
        self.left.update(other["left"])

    def plain(self) -> dict[str, Any]:
        """The ledger as lists, which pytest-xdist sends."""
        read = {place: sorted(ids) for place, ids in self.read.items()}
        return {"read": read, "compared": sorted(self.compared), "left": sorted(self.left)}


LEDGER: pytest.StashKey[Ledger] = pytest.StashKey()


def ledger_of(config: pytest.Config) -> Ledger:
    """The Ledger of this process."""
    return config.stash.setdefault(LEDGER, Ledger())


def file_of(nodeid: str) -> str:
    """The file of a test, or the folder of a collector."""
    file = nodeid.partition("::")[0]
    return "" if file == "." else file


@contextmanager
def listening(config: pytest.Config, before: Heard | None = None, lasts: bool = False) -> Iterator[Heard]:
    """What is read and compared within a `with` block, filled at its end.

    before: what was heard of the same test. lasts: whether what is read is there for all tests.
    """
    heard, before = Heard(), before or Heard()
    with ExitStack() as stack:
        handing = sys.modules.get("refpos.testing.handing")
        made = handing.handed(before.arguments, before.numbers, lasts) if handing else None
        held = stack.enter_context(made) if made else None
        try:
            yield heard
        finally:
            handing = sys.modules.get("refpos.testing.handing")  # which the block may have imported
            held = held or (handing.outermost() if handing else None)
            if held:
                heard.given |= held.given
                heard.compared |= held.compared
                heard.differed |= held.differed
                heard.arguments |= held.arguments
                heard.numbers |= held.numbers
                ledger_of(config).compared.update(held.compared | held.differed)
