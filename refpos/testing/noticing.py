"""What was compared: whoever runs a test is told of each comparison in it, and of the classes that it met."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from .handing import compared


class Comparison(NamedTuple):
    """A comparison that found nothing wrong: a case or a function, the strictest class that was met, and all that were;
    `untold`: why it cannot be told whether the numbers are right, and then `met` says so. `silent`: of how many of the
    `elements` the bounds of the class say nothing."""

    subject: str
    met: str
    classes: tuple[str, ...]
    untold: str = ""
    silent: int = 0
    elements: int = 0


#: the listeners, the innermost last; of the process and not of a thread, since a test may compare in threads of its own
_LISTENERS: list[list[Comparison]] = []


def notice(
    subject: str, met: str, classes: tuple[str, ...] = (), untold: str = "", silent: tuple[int, int] = (0, 0)
) -> None:
    """Tell the innermost listener, if there is one, of a comparison that found nothing wrong."""
    compared(subject)
    if _LISTENERS:
        _LISTENERS[-1].append(Comparison(subject, met, (met, *classes), untold, *silent))


def listened() -> bool:
    """Whether somebody is told of comparisons."""
    return bool(_LISTENERS)


@contextmanager
def noticed() -> Iterator[list[Comparison]]:
    """The comparisons that pass within a `with` block."""
    heard: list[Comparison] = []
    _LISTENERS.append(heard)
    try:
        yield heard
    finally:
        _LISTENERS.pop()
