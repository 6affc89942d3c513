"""The plugin of pytest: lists of cases to skip or to fail, a record of what was met, and no case without a comparison.

It acts on tests that are handed a case of `refpos.testing.cases`, and where one of its options is given.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import pytest

from .expected import judge
from .listening import Heard, file_of, ledger_of, listening
from .outside import Outside
from .partial import InPart, properties
from .reporting import COMPARED, HELD, MARK, OWED, Owing, Reporting, of_whole_folders

if TYPE_CHECKING:
    from ..testing.shared import Shared

FILES = {
    "skip": "golden cases to skip: lines of `case: reason`",
    "xfail": "golden cases whose numbers are known to differ: lines of `case: reason`",
    "record": "the record of a good run, below which no test may fall",
}
STATE: pytest.StashKey[State] = pytest.StashKey()
#: what was read and compared while the fixtures of a test were made, and while it ran
SETUP: pytest.StashKey[Heard] = pytest.StashKey()
CALL: pytest.StashKey[Heard] = pytest.StashKey()
#: (ids of the cases of the parameters of a test, ids of those that their generators are made from)
OWN: pytest.StashKey[tuple[set[str], set[str]]] = pytest.StashKey()
#: the fixtures that hand out cases, until they are torn down
SHARED: pytest.StashKey[list[Shared]] = pytest.StashKey()
#: the node id of the test that runs
RUNS: pytest.StashKey[str] = pytest.StashKey()
NONE: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())


class State:
    """What the options of a run say, and what its tests compared; a class, since hooks share it."""

    def __init__(self, config: pytest.Config) -> None:
        from ..testing import lists, record

        paths = {name: _path(config, name) for name in FILES}
        read = {name: lists.read_list(paths[name]) if paths[name] else [] for name in ("skip", "xfail")}
        self.skip, self.xfail = read["skip"], read["xfail"]
        self.path, self.write = paths["record"], config.getoption("refpos_write_record")
        if self.write and not self.path:
            raise pytest.UsageError(
                "--refpos-write-record needs --refpos-record FILE, or refpos_record in the ini file, got neither"
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
        from ..errors import InputError

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
    reports = not hasattr(config, "workerinput")  # a process that pytest-xdist started reports to the one that did
    if reports:
        config.pluginmanager.register(Owing(), "refpos-owing")
        config.pluginmanager.register(InPart(), "refpos-in-part")
        config.pluginmanager.register(Outside(config), "refpos-outside")
    if _is_used(config):
        state = _state(config)
        if reports:
            config.pluginmanager.register(Reporting(config, state), "refpos-reporting")


# -- what is collected ------------------------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, Any, Any]:
    """Hear what a conftest reads that pytest loads first."""
    with listening(early_config, lasts=True) as heard:
        result = yield
    ledger_of(early_config).owe("", heard.given)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """Hear what a file of tests reads while pytest collects it."""
    with listening(collector.config, lasts=True) as heard:
        result = yield
    ledger_of(collector.config).owe(file_of(collector.nodeid), heard.given)
    return result


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Remember of which files tests are left out."""
    for item in items:
        ledger_of(item.config).left.add(file_of(item.nodeid))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send what a process of pytest-xdist read and compared to the one that started it."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["refpos"] = ledger_of(session.config).plain()


@pytest.hookimpl(tryfirst=True)  # before -k and -m leave tests out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the cases of the lists; each entry, and each test of the record, must be there in a run of whole folders."""
    if not _is_used(config):
        return
    state, held = _state(config), {item: _cases_in(*_parameters_of(item)) for item in items}
    for item, cases in held.items():
        for case in cases:
            _mark(item, case, state)
    whole = of_whole_folders(config)
    _hold(items, state, config, whole)
    if not whole:
        return
    ids = {case.id for cases in held.values() for case in cases}
    for entry in state.skip + state.xfail:
        if not any(entry.names(id) for id in ids):
            raise pytest.UsageError(f"refpos: {entry.place} must name a case of a test of this run, got {entry.form!r}")


def _hold(items, state, config, whole):
    """Tell each test which entries of the record it is held against; in a run of whole folders each entry has one."""
    from ..testing.renamed import entries_of

    def is_there(file):
        return not whole and os.path.exists(os.path.join(config.rootpath, file))

    held, gone = entries_of(state.record, [item.nodeid for item in items], is_there)
    for item in items:
        item.user_properties += [(HELD, entry) for entry in held.get(item.nodeid, ())]
    if whole and gone and not state.write:
        expected = "must name tests of this run (--refpos-write-record writes it anew)"
        raise pytest.UsageError(f"refpos: {state.path} {expected}, got {gone[0]!r}, which is not there")


def _parameters_of(item):
    return getattr(getattr(item, "callspec", None), "params", {}).values()


def _is_imported():
    """Whether there are golden cases in this process; where nothing has imported them there are none."""
    return "refpos.testing" in sys.modules


def _cases_in(*values):
    """The golden cases in values."""
    if not _is_imported():
        return []
    from ..testing.nested import cases_in

    return cases_in(*values)


def _mark(item, case, state):
    from ..testing.lists import first

    skip, xfail = first(state.skip, case.id), first(state.xfail, case.id)
    if skip and xfail:
        raise pytest.UsageError(f"refpos: {case.id} must be skipped or fail, got {skip.place} and {xfail.place}")
    if skip:
        item.add_marker(pytest.mark.skip(reason=skip.reason))
    if xfail:  # numbers that differ are expected, and no other error
        item.add_marker(pytest.mark.xfail(reason=xfail.reason, strict=True, raises=AssertionError))


# -- what is compared -------------------------------------------------------------------------------------------------


def _attributes(of):
    """What the instance, the class and the module of a test hold; before cases were imported they hold none."""
    if not _is_imported():
        return {}
    from ..testing.shared import attributes

    return attributes(of)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> Generator[None, Any, Any]:
    """Remember which fixtures of several tests hand out cases: what one reads is no debt of the first test alone."""
    alone, before = fixturedef.scope == "function", _attributes(request)
    hearing: Any = nullcontext(Heard()) if alone else listening(request.config, lasts=True)
    with hearing as heard:
        result = yield
    if not _is_imported():
        return result
    from ..testing import handing, shared

    (ids, lazy), stored = shared.ids_in(result), shared.stored(before, request)
    if alone:  # these are a debt of the test that runs
        for id in ids:
            handing.give(id)
    returned = lazy if alone else heard.given | ids | lazy
    if not returned | stored <= heard.compared:
        node, first = request.node.parent if alone else request.node, request.config.stash.get(RUNS, "")
        made = shared.Shared(fixturedef.argname, node, returned | stored, returned, result, fixturedef, first)
        request.config.stash.setdefault(SHARED, []).append(made)
    return result


@pytest.hookimpl
def pytest_fixture_post_finalizer(fixturedef: Any, request: Any) -> None:
    """Forget a fixture that is torn down."""
    left = [shared for shared in request.config.stash.get(SHARED, ()) if shared.fixture is not fixturedef]
    request.config.stash[SHARED] = left


def _ids_of(item):
    """(Ids of the cases of the parameters of a test, ids of those that their generators are made from)."""
    if not _is_imported():
        return NONE
    from ..testing.shared import ids_in

    return ids_in(*_parameters_of(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    """Look at the parameters of a test before anything moves their iterators; hear what its fixtures read."""
    item.config.stash[RUNS] = item.nodeid
    item.stash[OWN] = _ids_of(item)
    with listening(item.config) as item.stash[SETUP]:
        result = yield
    return result


def _used_by(item):
    """What a test shares with others."""
    return [shared for shared in item.config.stash.get(SHARED, ()) if shared.is_used_by(item)]


def _put_aside(item, before):
    """What setUp of unittest, which pytest does not run as a fixture, put on the instance of a test."""
    if not _is_imported() or getattr(item, "instance", None) is None:
        return []
    from ..testing import shared

    ids = shared.stored(before, item, "instance")
    return [shared.Shared("self", item.parent, ids, set())] if ids else []


@contextmanager
def _hearing(item):
    """Hear what a test reads and compares, and note for what it shares whether a case was compared, or
    the test was skipped or failed, as nobody expected."""
    before, is_over = _attributes(item), False
    try:
        with listening(item.config, item.stash.get(SETUP, None)) as item.stash[CALL]:
            yield item.stash[CALL]
    except BaseException as error:
        expected = isinstance(error, pytest.xfail.Exception) or item.get_closest_marker("xfail")
        is_over = isinstance(error, pytest.skip.Exception) or not expected
        raise
    finally:
        for shared in [*_used_by(item), *_put_aside(item, before)]:
            is_done = is_over or shared.is_compared_by(_compared_by(item) | _differed_in(item))
            item.user_properties.append((COMPARED if is_done else OWED, shared.key()))


def _heard_by(item):
    """What a test heard while its fixtures were made and while it ran."""
    return [item.stash[key] for key in (SETUP, CALL) if key in item.stash]


def _compared_by(item):
    return {subject for heard in _heard_by(item) for subject in heard.compared}


def _differed_in(item):
    return {subject for heard in _heard_by(item) for subject in heard.differed}


def _handed_to(item):
    """The ids of all cases that a test has, alone or with others."""
    own, lazy = item.stash.get(OWN, NONE)
    read = {id for heard in _heard_by(item) for id in heard.given}
    return set().union(read, own, lazy, *(shared.ids for shared in _used_by(item)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Hear the comparisons of a test: one that is handed a case must compare it, and as well as the record says."""
    used = _is_used(item.config)
    if not (used or "refpos.testing" in sys.modules):
        with _hearing(item):
            result = yield
        _all_compared(item)
        return result
    from ..testing.noticing import noticed
    from ..testing.record import met_in, worse
    from ..testing.untold import reason_to_skip

    with noticed() as comparisons, _hearing(item) as heard:
        result = yield
    _all_compared(item)
    state = _state(item.config) if used else None
    entries = [entry for name, entry in item.user_properties if name == HELD] if state and not state.write else []
    lines = [line for entry in entries for line in worse(state.record[entry], comparisons)]
    if lines:
        pytest.fail("\n".join(["worse than the record:", *lines]), pytrace=False)
    untold = reason_to_skip(comparisons, heard.given | item.stash[OWN][0])
    if untold:
        pytest.skip(untold)
    item.user_properties += [(MARK + name, kind) for name, kind in met_in(comparisons).items()]
    item.user_properties += properties(one for one in comparisons if not one.untold)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    """A fixture may compare, when it is torn down, what its tests have computed; what it reads, a test compares."""
    used = _used_by(item)
    with listening(item.config) as heard:
        result = yield
    item.user_properties += [(COMPARED, shared.key()) for shared in used if shared.is_compared_by(heard.compared)]
    ledger_of(item.config).owe(file_of(item.nodeid), heard.given)
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)  # after pytest has said that the failure was expected
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """A test that is handed a case and is expected to fail must differ."""
    report = yield
    if report.when != "teardown":
        judge(report, _handed_to(item), _differed_in(item))
    return report


def _all_compared(item):
    """Fail a test that passed without comparing a case that it was handed."""
    (own, lazy), compared = item.stash[OWN], _compared_by(item)
    left = {id for heard in _heard_by(item) for id in heard.given}.union(own) - compared
    if left:
        from ..testing.shared import first_of

        sentence = "the test passed without comparing it: call case.check(...), or case.raises"
        pytest.fail(f"{first_of(left)}: {sentence}", pytrace=False)
    arguments = getattr(item, "funcargs", None) or {}
    handed = [
        (f"the fixture {shared.name}", shared.returned)
        for shared in _used_by(item)
        if shared.value is not None and arguments.get(shared.name) is shared.value
    ]
    from ..testing.shared import any_compared

    for what, ids in [*handed, ("a generator among the parameters", lazy)]:
        if ids and not any_compared(ids, compared):
            sentence = "hands out golden cases, and the test passed without comparing one of them"
            pytest.fail(f"{what} {sentence}: call case.check(...)", pytrace=False)
