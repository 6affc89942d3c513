"""Choosing golden cases by the arguments of their calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Any

from .. import catalogue, checks
from ..errors import InputError, nearest, shown
from ..golden import run

_ALWAYS = ("dtype",)  # which cases(dtype=) chooses


def taking_only(members: Sequence[Any], only: Iterable[str]) -> list[Any]:
    """The cases whose arguments are those of `only`, arguments without a default, and others at their defaults.

    Raises E_CHOICE for a name that is no argument of the functions of the cases, and where no case is left.
    """
    given = list(only) if isinstance(only, Set) else [only] if isinstance(only, str) else only
    names = checks.listed("only", given, "names of arguments", "E_CHOICE")
    entries = {case.suite: catalogue.find(case.suite) for case in members}
    known = sorted({name for entry in entries.values() for name in entry.parameters})
    for name in (name for name in names if name not in known):
        like = nearest(name, known, 3) if isinstance(name, str) else []
        hint = f" (did you mean {', '.join(like)}?)" if like else ""
        sentence = f"only must name arguments of {', '.join(sorted(entries))[:200]}{hint}, got {shown(name)}"
        raise InputError("E_CHOICE", "only", sentence)
    chosen = [case for case in members if _others(case, entries[case.suite]) <= set(names)]
    if not chosen:
        raise InputError("E_CHOICE", "only", f"only must name the arguments of a case, got {shown(given)}")
    return chosen


def _others(case, entry):
    """Names of the arguments of a case that are not at their defaults."""
    given = {name for name, value in case.arguments.items() if _differs(value, entry.defaults.get(name, value))}
    return (given | set(case.inputs)) & set(entry.defaults) - set(_ALWAYS)


def _differs(value, default):
    value = run.call(value)
    return isinstance(value, (dict, list)) or isinstance(value, bool) != isinstance(default, bool) or value != default
