"""What the process that started a run makes of the reports of its tests."""

from __future__ import annotations

import os
from typing import Any

import pytest

MARK = "refpos: "  # of the properties of a report that say what was compared
HELD = "refpos-record"  # the property that names the entry of the record that a test is held against
OWED, COMPARED = "refpos-owed", "refpos-compared"  # those that name what tests share, and whether one compared it


def of_whole_folders(config):
    """Whether the run was asked for folders, not for files or single tests of which a list may name others."""
    named = [str(argument).partition("::") for argument in config.args]
    return all(not test and os.path.isdir(os.path.join(config.invocation_params.dir, path)) for path, test, _ in named)


class Owing:
    """Ends a run with status 1, in the process that started it, where no test compared a case of what tests share."""

    def __init__(self) -> None:
        self.owed: set[str] = set()
        self.compared: set[str] = set()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Gather what a test that passed owes, and what was compared."""
        for name, key in report.user_properties:
            if name == COMPARED:
                self.compared.add(key)
            elif name == OWED and report.when == "call" and report.passed:
                self.owed.add(key)

    @pytest.hookimpl(tryfirst=True)  # no record of such a run is written
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Such a run has not passed."""
        if self.owed - self.compared:
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say what was not compared."""
        for key in sorted(self.owed - self.compared):
            sentence = "and no test of this run that uses it compared one of them: call case.check(...)"
            terminalreporter.write_line(f"refpos: {key}, {sentence}", red=True)


class Reporting:
    """Gathers what was compared, in the process that started the run, and writes the record at its end."""

    def __init__(self, config: pytest.Config, state: Any) -> None:
        self.config, self.state, self.seen, self.words = config, state, {}, ""
        self.good: set[str] = set()  # entries of the record whose tests passed
        self.passed_over: set[str] = set()  # and those whose tests were skipped, or failed as was expected
        self.new = 0

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep what a test compared that passed, and which entries of the record it was held against."""
        entries = {entry for name, entry in report.user_properties if name == HELD}
        if report.skipped:
            self.passed_over |= entries
        if report.when == "call" and report.passed:
            found = [(name, kind) for name, kind in report.user_properties if str(name).startswith(MARK)]
            self.good |= entries
            if found:
                self.seen[report.nodeid] = {name.removeprefix(MARK): kind for name, kind in found}
                self.new += not entries

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the record where that is asked for and all is well, and say how this run stands to it."""
        exitstatus = session.exitstatus
        if self.config.option.collectonly:
            self.words = "no test ran"
        elif not self.state.write:
            self._judge(session, exitstatus)
        elif exitstatus or not self.seen:
            session.exitstatus = exitstatus or pytest.ExitCode.TESTS_FAILED
            reason = "the run did not pass" if exitstatus else "no test compared anything"
            self.words = f"{self.state.path} is NOT written: {reason}"
        else:
            self._write(session)

    def _judge(self, session, exitstatus):
        """The last line of a run with a record, which does not pass where nothing was held against it."""
        path, count = self.state.path, len(self.state.record)
        self.words = f"{len(self.good)} of {count} tests as good as {path}, {self.new} not in it"
        if self.passed_over:
            self.words += f", {len(self.passed_over)} of it skipped or expected to fail"
        if self.state.record and not self.good:
            self.words += ": no test of the record passed (-o refpos_record= runs others without it)"
        if self.state.record and (self.passed_over or not self.good):
            session.exitstatus = exitstatus or pytest.ExitCode.TESTS_FAILED

    def _write(self, session):
        from ..errors import InputError
        from ..testing.record import write_record

        path = self.state.path
        try:
            write_record(path, {**self._kept(), **self.seen})
            self.words = f"wrote {path}: {len(self.seen)} tests"
        except InputError as error:
            session.exitstatus, self.words = pytest.ExitCode.TESTS_FAILED, str(error)

    def _kept(self):
        """What the old record says of tests that did not run; nothing after a run of everything."""
        chosen = self.config.option.keyword or self.config.option.markexpr
        if not chosen and of_whole_folders(self.config):
            return {}
        return {entry: held for entry, held in self.state.record.items() if entry not in self.good}

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say it."""
        if self.state.path:
            terminalreporter.write_line(f"refpos: {self.words}")
