"""Which golden cases a test was handed, and which of them it compared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Handed(NamedTuple):
    """Ids of cases whose arguments or numbers were read, subjects of the comparisons that passed, and of others."""

    given: set[str]
    compared: set[str]
    differed: set[str]


#: the innermost last; the first hears what no test runs. Of the process and not of a thread, since a test may have its
#: own threads
_OPEN = [Handed(set(), set(), set())]


def give(id: str) -> None:
    """The arguments or the numbers of a case were read."""
    _OPEN[-1].given.add(id)


def compared(subject: str) -> None:
    """A comparison of a case passed."""
    _OPEN[-1].compared.add(subject)


def differs(subject: str) -> None:
    """A comparison of a case found numbers that differ."""
    _OPEN[-1].differed.add(subject)


def outermost() -> Handed:
    """What was read and compared outside of every `handed` block."""
    return _OPEN[0]


@contextmanager
def handed() -> Iterator[Handed]:
    """What is read and compared within a `with` block."""
    _OPEN.append(Handed(set(), set(), set()))
    try:
        yield _OPEN[-1]
    finally:
        _OPEN.pop()
