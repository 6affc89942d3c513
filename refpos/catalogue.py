"""The list of everything refpos computes; each function enters itself where it is defined.

Exports, the command line, the docs tables, the golden corpus and the generic tests are derived from this list.
"""

import importlib
import pkgutil
from dataclasses import dataclass
from typing import Callable

from .errors import InputError

FAMILIES = {
    "absolute": "added to embeddings",
    "rotary": "rotates queries and keys",
    "relative": "added to attention scores",
    "frequencies": "angles per position, before any encoding",
    "factors": "multiplies queries, keys or scores",
    "positions": "which position each token has",
}


@dataclass(frozen=True)
class Entry:
    """One registered function and what a reader must know about it."""

    name: str
    family: str
    paper: str
    conventions: str
    function: Callable

    @property
    def summary(self):
        """First line of the docstring."""
        return self.function.__doc__.strip().splitlines()[0]


ENTRIES: dict[str, Entry] = {}


def register(*, family, paper, conventions="none"):
    """Enter the decorated function into the catalogue under its own name."""

    def enter(function):
        name = function.__name__
        if family not in FAMILIES:
            raise InputError("E_CHOICE", "family", f"family must be one of {', '.join(FAMILIES)}, got {family!r}")
        if name in ENTRIES:
            raise InputError("E_CHOICE", "name", f"a catalogue name must be new, got {name!r} twice")
        ENTRIES[name] = Entry(name, family, paper, conventions, function)
        return function

    return enter


def find(name):
    """The entry of that name; an unknown name lists the known ones."""
    if name not in ENTRIES:
        raise InputError("E_CHOICE", "name", f"name must be one of {', '.join(ENTRIES)}, got {name!r}")
    return ENTRIES[name]


def import_all(name, path):
    """Import every module of a package, so that each function in it enters itself."""
    for module in sorted(found.name for found in pkgutil.iter_modules(path)):
        importlib.import_module(f"{name}.{module}")
