"""What was compared: whoever runs a test is told of each comparison in it, and of the classes that it met."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Comparison(NamedTuple):
    """A comparison that passed: a case or a function, the strictest class that was met, and all that were."""

    subject: str
    met: str
    classes: tuple[str, ...]


_LISTENER: ContextVar[list[Comparison] | None] = ContextVar("refpos_comparisons", default=None)


def notice(subject: str, met: str, classes: tuple[str, ...] = ()) -> None:
    """Tell the listener, if there is one, of a comparison that passed."""
    heard = _LISTENER.get()
    if heard is not None:
        heard.append(Comparison(subject, met, (met, *classes)))


@contextmanager
def noticed() -> Iterator[list[Comparison]]:
    """The comparisons that pass within a `with` block."""
    heard: list[Comparison] = []
    token = _LISTENER.set(heard)
    try:
        yield heard
    finally:
        _LISTENER.reset(token)
