"""Golden cases that several tests share: what a fixture read, or put on their class or module, or hands out lazily."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Any, NamedTuple

from .nested import cases_in, unmade_in

UNMADE = "cases that a generator makes"  # in place of ids that are not known before it runs
PLACES = ("instance", "cls", "module")  # where a fixture may put what it does not return


class Shared(NamedTuple):
    """A fixture that hands out cases to the tests of a class, a module or a session."""

    name: str
    node: Any  # the class, module or folder of these tests
    ids: set[str]
    returned: set[str]  # of `ids` those that each test that is given `value` must compare one of
    value: Any = None
    fixture: Any = None
    first: str = ""  # the test for which the fixture was made; it may have asked for it by name

    def is_used_by(self, item: Any) -> bool:
        """Whether a test has asked for the fixture."""
        is_named = self.name in getattr(item, "fixturenames", ()) and self.node in item.listchain()
        return is_named or self.first == item.nodeid

    def is_compared_by(self, compared: set[str]) -> bool:
        """Whether one of the cases was compared."""
        return any_compared(self.ids, compared)

    def key(self) -> str:
        """The same words for the same fixture and cases, in each process of a run."""
        name = re.sub(r"^_(?:xunit|unittest)_(\w+?)_fixture_.*", r"\1", self.name)
        return f"{name} of {self.node.nodeid or 'the session'} hands out {first_of(self.ids)}"


def first_of(ids: set[str]) -> str:
    """Few words for several cases."""
    more = f" (and {len(ids) - 1} more)" if len(ids) > 1 else ""
    return f"{min(ids)}{more}"


def any_compared(ids: Set[str], compared: Set[str]) -> bool:
    """Whether one of these cases was compared; where a generator makes them, any case counts as one of them."""
    return bool(ids & compared) or (UNMADE in ids and any("/" in subject for subject in compared))


def ids_in(*values: Any) -> tuple[set[str], set[str]]:
    """(Ids of the cases in values, ids of those that generators among them are made from)."""
    ids = {case.id for case in cases_in(*values)}
    lazy = {case.id for case in cases_in(*values, lazily=True)} - ids
    return ids, lazy | ({UNMADE} if unmade_in(*values) else set())


def attributes(of: Any) -> dict[tuple[str, str], Any]:
    """What the instance, the class and the module of a test or of a fixture hold."""
    held = {place: getattr(getattr(of, place, None), "__dict__", {}) for place in PLACES}
    return {(place, name): value for place, names in held.items() for name, value in names.items()}


def stored(before: dict[tuple[str, str], Any], of: Any, *places: str) -> set[str]:
    """Ids of the cases in attributes that were set since `before`, in these places or in all."""
    new = {name: value for name, value in attributes(of).items() if name not in before or before[name] is not value}
    return set().union(*ids_in(*(value for name, value in new.items() if not places or name[0] in places)))
