"""What was compared: whoever runs a test is told of each comparison in it, and of the classes that it met."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Comparison(NamedTuple):
    """A comparison that passed: a case or a function, the strictest class that was met, and all that were."""

    subject: str
    met: str
    classes: tuple[str, ...]


#: the listeners, the innermost last; of the process and not of a thread, since a test may compare in threads of its own
_LISTENERS: list[list[Comparison]] = []


def notice(subject: str, met: str, classes: tuple[str, ...] = ()) -> None:
    """Tell the innermost listener, if there is one, of a comparison that passed."""
    if _LISTENERS:
        _LISTENERS[-1].append(Comparison(subject, met, (met, *classes)))


@contextmanager
def noticed() -> Iterator[list[Comparison]]:
    """The comparisons that pass within a `with` block."""
    heard: list[Comparison] = []
    _LISTENERS.append(heard)
    try:
        yield heard
    finally:
        _LISTENERS.pop()
