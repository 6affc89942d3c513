"""Which tests of a run the entries of a record belong to, also where a file of tests has another name by now."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def entries_of(
    record: dict[str, Any], tests: Iterable[str], is_there: Callable[[str], bool]
) -> tuple[dict[str, list[str]], list[str]]:
    """({test: the entries it is held against}, entries that no test of the run belongs to).

    record: by node ids of pytest, "file::name". tests: the node ids of the run. A test is held against the entry of its
    node id; one that has none, against those of its name whose own test is gone. is_there: whether a file of the record
    still has its tests, although they are not in this run.
    """
    tests = list(dict.fromkeys(tests))
    moved: dict[str, list[str]] = {}
    for entry in sorted(set(record) - set(tests)):
        moved.setdefault(_name(entry), []).append(entry)
    held = {test: [test] for test in tests if test in record}
    new = [test for test in tests if test not in record]
    for test in new:
        entries = [entry for entry in moved.get(_name(test), ()) if not is_there(entry.partition("::")[0])]
        if entries:
            held[test] = entries
    names = [_name(test) for test in new]
    gone = [entry for name, entries in moved.items() for entry in entries if len(entries) > names.count(name)]
    return held, gone


def _name(test):
    return test.partition("::")[2] or test
