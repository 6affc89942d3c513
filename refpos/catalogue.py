"""The list of everything refpos computes; each function enters itself where it is defined.

Exports, the command line, the docs tables, the golden corpus and the generic tests are derived from this list.
"""

import importlib
import inspect
import pkgutil
from dataclasses import dataclass
from typing import Any, Callable, TypeVar

from .errors import InputError

FAMILIES = {
    "positions": "which position each token has",
    "frequencies": "angles per position, before any encoding",
    "absolute": "added to embeddings",
    "rotary": "rotates queries and keys",
    "relative": "added to attention scores",
    "factors": "multiplies queries, keys or scores",
}

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Entry:
    """One registered function and what a reader must know about it."""

    name: str
    family: str
    paper: str
    conventions: str
    function: Callable[..., Any]

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return self.function.__doc__.strip().splitlines()[0]


ENTRIES: dict[str, Entry] = {}


def register(*, family: str, paper: str, conventions: str = "none") -> Callable[[F], F]:
    """Enter the decorated function into the catalogue under its own name."""

    def enter(function: F) -> F:
        name = function.__name__
        if family not in FAMILIES:
            raise InputError("E_CHOICE", "family", f"family must be one of {', '.join(FAMILIES)}, got {family!r}")
        if name in ENTRIES:
            raise InputError("E_CHOICE", "name", f"a catalogue name must be new, got {name!r} twice")
        ENTRIES[name] = Entry(name, family, paper, conventions, function)
        return function

    return enter


def find(name: str) -> Entry:
    """The entry of that name; an unknown name lists the known ones."""
    if name not in ENTRIES:
        raise InputError("E_CHOICE", "name", f"name must be one of {', '.join(ENTRIES)}, got {name!r}")
    return ENTRIES[name]


def signature_text(function):
    """The parameters of a function and their defaults, as text without types."""
    signature = inspect.signature(function)
    bare = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))


def import_all(name, path):
    """Import every module of a package, so that each function in it enters itself."""
    for module in sorted(found.name for found in pkgutil.iter_modules(path)):
        importlib.import_module(f"{name}.{module}")
