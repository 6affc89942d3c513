"""Which golden cases a test was handed, which of them it compared, and whether their arguments were read."""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import contextmanager
from typing import NamedTuple


class Handed(NamedTuple):
    """Ids of cases whose arguments or numbers were read, subjects of the comparisons that passed, and of others; and of
    the cases that were read those whose arguments were, and those whose numbers were."""

    given: set[str]
    compared: set[str]
    differed: set[str]
    arguments: set[str]
    numbers: set[str]


#: the innermost last; the first hears what no test runs. Of the process and not of a thread, since a test may have its
#: own threads
_OPEN = [Handed(set(), set(), set(), set(), set())]


def give(id: str) -> None:
    """The arguments or the numbers of a case were read."""
    _OPEN[-1].given.add(id)


def read(id: str, arguments: bool) -> None:
    """The arguments, or else the numbers, of a case were read, of whichever object of it."""
    give(id)
    (_OPEN[-1].arguments if arguments else _OPEN[-1].numbers).add(id)


def is_unanswered(id: str, own_arguments: bool, own_numbers: bool) -> bool:
    """Whether the numbers of a case were read and its arguments never, so that no code computed an answer from them.

    own_arguments, own_numbers: whether those of the object that compares were read. Beside these count those of other
    objects of the case: of the test that runs, and outside of all tests, where the tests of a fixture share its answer.
    """
    if own_arguments or any(id in held.arguments for held in _OPEN[1:]):
        return False
    return own_numbers or (any(id in held.numbers for held in _OPEN) and id not in outermost().arguments)


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
def handed(arguments: Set[str] = frozenset(), numbers: Set[str] = frozenset(), lasts: bool = False) -> Iterator[Handed]:
    """What is read and compared within a `with` block.

    arguments, numbers: ids of cases whose arguments, or numbers, the test of the block has read before it. lasts:
    whether what is read is there for all tests, as what pytest collects and a fixture of several tests.
    """
    held = Handed(set(), set(), set(), set(arguments), set(numbers))
    _OPEN.append(held)
    try:
        yield held
    finally:
        _OPEN.pop()
        if lasts:
            outermost().arguments.update(held.arguments)
            outermost().numbers.update(held.numbers)
