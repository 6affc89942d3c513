"""Cases that are read outside of the tests, while pytest collects them or tears fixtures down, must be compared too."""

from __future__ import annotations

from typing import Any

import pytest

from .listening import Ledger, file_of, ledger_of


class Outside:
    """Ends a run with status 1, in the process that started it, where no test compared what was read outside of tests.

    Where each test of a file ran and passed, each case is compared; where some are left out, skipped or expected to
    fail, and others pass, at least one is.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config, self.ledger = config, Ledger()
        self.passed: set[str] = set()
        self.left: set[str] = set()
        self.lines: list[str] = []
        self.runs = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> None:
        """Not all that collects tests goes on to run them: `--fixtures` and the like do not."""
        option = self.config.option
        self.runs = not (option.collectonly or option.setuponly or option.setupplan)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Gather in which files tests pass, and in which some compare nothing, as they may."""
        if report.skipped:
            self.left.add(file_of(report.nodeid))
        elif report.when == "call" and report.passed:
            self.passed.add(file_of(report.nodeid))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add what a process of pytest-xdist read and compared."""
        sent = getattr(node, "workeroutput", None) or {}
        if "refpos" in sent:
            self.ledger.add(sent["refpos"])

    @pytest.hookimpl(tryfirst=True)  # no record of such a run is written
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Such a run has not passed."""
        if not self.runs:
            return
        self.ledger.add(ledger_of(self.config).plain())
        self.left |= self.ledger.left
        for place, ids in sorted(self.ledger.read.items()):
            missing = self._missing(place, ids)
            if missing:
                self.lines.append(_sentence(place, missing))
        if self.lines:
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def _missing(self, place, ids):
        """The cases that a test should have compared."""
        is_part = any("::" in str(argument) for argument in self.config.args)
        if not (is_part or any(_is_of(file, place) for file in self.left)):
            return ids - self.ledger.compared
        passes = any(_is_of(file, place) for file in self.passed)
        return ids if passes and not ids & self.ledger.compared else set()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say what was not compared."""
        for line in self.lines:
            terminalreporter.write_line(line, red=True)


def _is_of(file, place):
    """Whether a file of tests is that place, or in that folder."""
    return place in ("", file) or file.startswith(f"{place}/")


def _sentence(place, ids):
    from ..testing.shared import first_of

    what = f"outside of the tests of {place}" if place else "outside of the tests"
    advice = "call case.check(...), or choose among cases by case.golden.arguments"
    return f"refpos: {what}, {first_of(ids)} was read and no test of this run compared it: {advice}"
