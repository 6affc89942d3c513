"""Former names of functions and of arguments, which work for two minor versions and warn: docs/deprecations.md.

Nothing imports this module before something is renamed, or a name is asked for that nothing has.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from inspect import signature
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar, cast

from .errors import InputError, InputTypeError, shown
from .guard import like

F = TypeVar("F", bound=Callable[..., Any])

_PLACE = str(Path(__file__).parent)
#: {former name of a function: (its name, the version without the former one)}, by those whose modules are imported
FUNCTIONS: dict[str, tuple[str, str]] = {}
#: {(function, former name of an argument): (its name, the version without the former one)}
ARGUMENTS: dict[tuple[str, str], tuple[str, str]] = {}


def renamed(*, until: str, **names: str) -> Renamed:
    """Let a function take arguments by their former names as well, with a FutureWarning: @renamed(theta="base",
    until="0.4"). Version `until` no longer takes them.

    It stands below `register` and above `guarded`. The signature is that of the function."""
    return Renamed({old: (new, checked(until)) for old, new in names.items()})


class Renamed:
    """A decorator that knows {former name of an argument: (its name, the version without the former one)}."""

    def __init__(self, names: Mapping[str, tuple[str, str]]) -> None:
        self.names = dict(names)

    def __call__(self, function: F) -> F:
        """The function, which takes the former names too; `register` and another `renamed` put it around anew."""
        alike: Any = function
        before = getattr(function, "__renamed__", None)
        if before is not None:
            alike = Renamed({**before.names, **self.names})(alike.__wrapped__)
            return cast(F, alike)
        name, parameters = function.__name__, list(signature(function).parameters)
        for old, (new, until) in self.names.items():
            if new not in parameters or old in parameters:
                sentence = f"former names must lead to arguments of {name}, got {shown(old)} for {shown(new)}"
                raise InputError("E_CHOICE", "names", sentence)
            ARGUMENTS[f"{function.__module__}.{name}", old] = new, until
        names, current = self.names, self.current

        def made(*given, **named):
            if not names.keys().isdisjoint(named):
                named = current(name, named, parameters[: len(given)])
            return function(*given, **named)

        alike = like(made, function)
        alike.__renamed__ = self
        return cast(F, alike)

    def current(self, function: str, named: Mapping[str, Any], by_place: list[str] | tuple[()] = ()) -> dict[str, Any]:
        """The arguments of a call by the names that they have now; `by_place` are those given without a name."""
        again = dict(named)
        for old, (new, until) in self.names.items():
            if old not in named:
                continue
            if new in again or new in by_place:
                sentence = f"{new} must be given once, got it and {old}, its former name"
                raise InputTypeError("E_CHOICE", new, sentence)
            warn(f"{old} of {function} is called {new}: call {function}(..., {new}=...). refpos {until} takes no {old}")
            again[new] = again.pop(old)
        return again


def enter(old: str, new: str, until: str) -> None:
    """Note the former name of a function, once."""
    if old in FUNCTIONS and FUNCTIONS[old][0] != new:
        sentence = f"formerly must be a name that one function had, got {shown(old)} of {FUNCTIONS[old][0]} and {new}"
        raise InputError("E_CHOICE", "formerly", sentence)
    FUNCTIONS[old] = new, checked(until)


def checked(until: str) -> str:
    """The version, which must be two numbers."""
    if not isinstance(until, str) or not re.fullmatch(r"\d+\.\d+", until):
        raise InputError("E_CHOICE", "until", f'until must be a version such as "0.4", got {shown(until)}')
    return until


def warn(sentence: str) -> None:
    """A FutureWarning in the line outside of refpos that is responsible."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_back is not None and _passing(frame.f_code.co_filename):
        frame = frame.f_back
    assert frame is not None
    at = frame.f_globals
    registry = at.setdefault("__warningregistry__", {})
    named = at.get("__name__", "<unknown>")
    warnings.warn_explicit(sentence, FutureWarning, frame.f_code.co_filename, frame.f_lineno, named, registry)


def _passing(file: str) -> bool:
    """Whether code of that file only passes a call on: refpos, its guard, and the import system."""
    return file.startswith((_PLACE, "<guard of ", "<frozen importlib"))


def due(version: str) -> Iterator[str]:
    """One sentence for each former name that a version must not have, or promises for too long."""
    major, minor = map(int, version.split(".")[:2])
    entered = [(f"function {new}", old, until) for old, (new, until) in FUNCTIONS.items()]
    entered += [(f"{new} of {place}", old, until) for (place, old), (new, until) in ARGUMENTS.items()]
    for what, old, until in entered:
        end = tuple(map(int, until.split(".")))
        if end <= (major, minor):
            yield f"{what} is still called {old} in {version}, and was until {until}: remove the former name"
        elif end > ((major, minor + 2) if end[0] == major else (major + 1, 1)):
            yield f"{what} is called {old} until {until}, which is more than two minor versions from {version}"
