"""Lists of golden cases with reasons: what other code skips, and what it is known to fail.

A line is `rope/llama-*: the reason`; lines that are empty or begin with # say nothing.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import NamedTuple

from .. import golden
from ..errors import nearest, shown
from ..golden.format import refusal
from ..tensor_files import read_bytes
from ..types import AnyPath

LARGEST = 1 << 24  # bytes of a list


class Entry(NamedTuple):
    """A line of a list: the form of ids, the reason, and where it stands."""

    form: str
    reason: str
    place: str

    def names(self, id: str) -> bool:
        """Whether a case of that id is meant."""
        return fnmatchcase(id, self.form)


def read_list(path: AnyPath) -> list[Entry]:
    """The entries of a list, each of which names a golden case; E_FILE where one does not, or says no reason."""
    data = read_bytes(path, LARGEST)
    try:
        lines = data.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise refusal(path, "be text in UTF-8", str(error)) from None
    ids, entries = [case.id for case in golden.cases()], []
    for number, line in enumerate(lines, 1):
        place = f"{path}, line {number}"
        form, _, reason = (part.strip() for part in line.partition(":"))
        if not form or form.startswith("#"):
            continue
        if not reason:
            raise refusal(place, "be `case: reason`, such as `rope/llama-*: no scaling yet`", shown(line, 80))
        if not any(fnmatchcase(id, form) for id in ids):
            like = nearest(form, ids, 2)
            known = f" (did you mean {', '.join(like)}?)" if like else ""
            raise refusal(place, f"name a golden case{known}", shown(form, 60))
        if form in [entry.form for entry in entries]:
            raise refusal(place, "name each case once", f"{shown(form, 60)} twice")
        entries.append(Entry(form, reason, place))
    return entries


def first(entries: list[Entry], id: str) -> Entry | None:
    """The first entry that names a case."""
    return next((entry for entry in entries if entry.names(id)), None)
