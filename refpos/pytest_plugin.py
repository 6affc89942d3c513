"""The plugin of pytest: lists of cases to skip or to fail, a record of what was met, and no case without a comparison.

It acts on tests that take a case of `refpos.testing.cases`, and where one of its options is given.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from typing import Any

import pytest

FILES = {
    "skip": "golden cases to skip: lines of `case: reason`",
    "xfail": "golden cases whose numbers are known to differ: lines of `case: reason`",
    "record": "the record of a good run, below which no test may fall",
}
STATE: pytest.StashKey[State] = pytest.StashKey()
MARK = "refpos: "  # of the properties of a report that say what was compared


class State:
    """What the options of a run say, and what its tests compared; a class, since hooks share it."""

    def __init__(self, config: pytest.Config) -> None:
        from .testing import lists, record

        paths = {name: _path(config, name) for name in FILES}
        read = {name: lists.read_list(paths[name]) if paths[name] else [] for name in ("skip", "xfail")}
        self.skip, self.xfail = read["skip"], read["xfail"]
        self.path, self.write = paths["record"], config.getoption("refpos_write_record")
        if self.write and not self.path:
            raise pytest.UsageError(
                "--refpos-write-record needs --refpos-record FILE, or refpos_record in the ini file"
            )
        old = self.path and (not self.write or os.path.exists(self.path))
        self.record: record.Record = record.read_record(self.path) if old and self.path else {}


def _path(config, name):
    """The file of an option, from the folder of the command, or from that of the ini file."""
    given = config.getoption(f"refpos_{name}")
    if given:
        return os.path.join(config.invocation_params.dir, given)
    held = config.getini(f"refpos_{name}")
    return os.path.join(config.rootpath, held) if held else None


def _state(config):
    """The State of a run, read on its first use; what is wrong with a file ends the run."""
    if STATE not in config.stash:
        from .errors import InputError

        try:
            config.stash[STATE] = State(config)
        except InputError as error:
            raise pytest.UsageError(f"refpos: {error}") from None
    return config.stash[STATE]


def _is_used(config):
    return any(_path(config, name) for name in FILES) or config.getoption("refpos_write_record")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, each with an entry of the ini file of the same name."""
    group = parser.getgroup("refpos", "golden cases of positional encodings")
    for name, text in FILES.items():
        group.addoption(f"--refpos-{name}", dest=f"refpos_{name}", metavar="FILE", help=text)
        parser.addini(f"refpos_{name}", help=text)
    text = "write the record of this run, where all its tests pass, in place of holding it against the old one"
    group.addoption("--refpos-write-record", dest="refpos_write_record", action="store_true", help=text)


def pytest_configure(config: pytest.Config) -> None:
    """Read the files that are named, so that a mistake in one ends the run at once."""
    if _is_used(config):
        state = _state(config)
        if not hasattr(config, "workerinput"):  # a process that pytest-xdist started reports to the one that did
            config.pluginmanager.register(Reporting(config, state), "refpos-reporting")


# -- what is collected ------------------------------------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)  # before -k and -m leave tests out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the cases of the lists; each entry, and each test of the record, must be there in a run of whole folders."""
    if not _is_used(config):
        return
    state, held = _state(config), {item: _cases_of(item) for item in items}
    for item, cases in held.items():
        for case in cases:
            _mark(item, case, state)
    if not _of_whole_folders(config):
        return
    ids = {case.id for cases in held.values() for case in cases}
    for entry in state.skip + state.xfail:
        if not any(entry.names(id) for id in ids):
            raise pytest.UsageError(f"refpos: {entry.place} must name a case of a test of this run, got {entry.form!r}")
    gone = sorted(set(state.record) - {item.nodeid for item in items})
    if gone and not state.write:
        expected = "must name tests of this run (--refpos-write-record writes it anew)"
        raise pytest.UsageError(f"refpos: {state.path} {expected}, got {gone[0]!r}, which is not there")


def _cases_of(item):
    """The golden cases among the parameters of a test; there are none where nothing has imported them."""
    imported = sys.modules.get("refpos.testing.cases")
    if imported is None:
        return []
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    return [value for value in parameters.values() if isinstance(value, imported.TestCase)]


def _mark(item, case, state):
    from .testing.lists import first

    skip, xfail = first(state.skip, case.id), first(state.xfail, case.id)
    if skip and xfail:
        raise pytest.UsageError(f"refpos: {case.id} must be skipped or fail, got {skip.place} and {xfail.place}")
    if skip:
        item.add_marker(pytest.mark.skip(reason=skip.reason))
    if xfail:  # numbers that differ are expected, and no other error
        item.add_marker(pytest.mark.xfail(reason=xfail.reason, strict=True, raises=AssertionError))


def _of_whole_folders(config):
    """Whether the run was asked for folders, not for files or single tests of which a list may name others."""
    named = [str(argument).partition("::") for argument in config.args]
    return all(not test and os.path.isdir(os.path.join(config.invocation_params.dir, path)) for path, test, _ in named)


# -- what is compared -------------------------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Hear the comparisons of a test: one that takes a case must make one, and as good a one as the record says."""
    cases, used = _cases_of(item), _is_used(item.config)
    if not (cases or used):
        return (yield)
    from .testing.noticing import noticed
    from .testing.record import met_in, worse

    with noticed() as heard:
        result = yield
    subjects = {one.subject for one in heard}
    for case in cases:
        if case.id not in subjects:
            pytest.fail(
                f"{case.id}: the test passed without comparing it: call case.check(...), or case.raises", pytrace=False
            )
    state = _state(item.config) if used else None
    if state and not state.write:
        lines = worse(state.record.get(item.nodeid, {}), heard)
        if lines:
            pytest.fail("\n".join(["worse than the record:", *lines]), pytrace=False)
    item.user_properties += [(MARK + name, kind) for name, kind in met_in(heard).items()]
    return result


class Reporting:
    """Gathers what was compared, in the process that started the run, and writes the record at its end."""

    def __init__(self, config: pytest.Config, state: State) -> None:
        self.config, self.state, self.seen, self.words = config, state, {}, ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep what a test compared that passed."""
        if report.when == "call" and report.passed:
            found = [(name, kind) for name, kind in report.user_properties if str(name).startswith(MARK)]
            if found:
                self.seen[report.nodeid] = {name.removeprefix(MARK): kind for name, kind in found}

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the record where that is asked for and all is well, and say how this run stands to it."""
        from .errors import InputError
        from .testing.record import write_record

        path, record, seen = self.state.path, self.state.record, self.seen
        if not self.state.write:
            good, new = sum(name in seen for name in record), sum(name not in record for name in seen)
            self.words = f"{good} of {len(record)} tests as good as {path}, {new} not in it"
        elif exitstatus or not seen:
            session.exitstatus = exitstatus or pytest.ExitCode.TESTS_FAILED
            reason = "the run did not pass" if exitstatus else "no test compared anything"
            self.words = f"{path} is NOT written: {reason}"
        else:
            try:
                write_record(path, {**self._kept(), **seen})
                self.words = f"wrote {path}: {len(seen)} tests"
            except InputError as error:
                session.exitstatus, self.words = pytest.ExitCode.TESTS_FAILED, str(error)

    def _kept(self):
        """What the old record says of tests that did not run; nothing after a run of everything."""
        chosen = self.config.option.keyword or self.config.option.markexpr
        return self.state.record if chosen or not _of_whole_folders(self.config) else {}

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say it."""
        if self.state.path:
            terminalreporter.write_line(f"refpos: {self.words}")
