"""Results of calls that are data, made once for all equal calls."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar

Made = TypeVar("Made")

MOST = 1024  # results that are kept
PLAIN = (int, float, bool, str, Fraction, type(None))


class _Said:
    """A call, equal to every other of the same text."""

    def __init__(self, text: str, call: Any) -> None:
        self.text, self.call = text, call

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Said) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def once(make: Callable[[Any], Made]) -> Callable[[Any], Made]:
    """The function make(call), which keeps what it made of calls that hold nothing but plain numbers and text; what it
    makes must not be changed by anybody."""
    kept = lru_cache(maxsize=MOST)(lambda said: make(said.call))

    def made(call: Any) -> Made:
        try:
            text = _text(call)
        except (TypeError, RecursionError):
            return make(call)  # an array, of which a text need not say all
        return kept(_Said(text, call))

    return made


def _text(value: Any) -> str:
    """The value in words that no other value has; TypeError where there are none."""
    if type(value) is dict:
        return f"{{{', '.join(f'{_text(key)}: {_text(one)}' for key, one in value.items())}}}"
    if type(value) in (list, tuple):
        return f"{type(value).__name__}({', '.join(map(_text, value))})"
    if type(value) not in PLAIN:
        raise TypeError(f"a plain value must be a number, text, list or dict, got {type(value).__name__}")
    return repr(value)
