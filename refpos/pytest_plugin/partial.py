"""What the tests of a run that pass say nothing of: elements at which the bounds of a class exclude no wrong number."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

SAYS = "refpos says nothing: "  # of a property of a report, before what was compared; pytest writes them as JUnit XML
SHOWN = 3  # comparisons that are named on the terminal


def properties(comparisons: Iterable[Any]) -> list[tuple[str, str]]:
    """The properties of a test that made these comparisons; of those whose class says something of all, none."""
    from ..testing.record import numbered

    named = numbered(comparisons).items()
    return [(SAYS + name, f"{one.silent} of {one.elements} elements") for name, one in named if one.silent]


class InPart:
    """Says at the end of a run of how many elements its comparisons say nothing, in the process that started it."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Gather what tests say that passed."""
        if report.when == "call" and report.passed:
            held = [(str(name), value) for name, value in report.user_properties]
            self.found += [(name.removeprefix(SAYS), value) for name, value in held if name.startswith(SAYS)]

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """One line: the sum, and the first of them."""
        if not self.found:
            return
        from ..conformance.report import in_all

        words = [value.split() for _, value in self.found]
        total = in_all([(int(silent), int(elements)) for silent, _, elements, _ in words], "comparison")
        named = ", ".join(f"{name} ({value.removesuffix(' elements')})" for name, value in self.found[:SHOWN])
        more = len(self.found) - SHOWN
        named += f" and {more} more, which --junit-xml writes as properties" if more > 0 else ""
        terminalreporter.write_line(f"refpos: {total}: {named}")
