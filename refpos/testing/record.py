"""The record of a run that was good: of each test, each comparison in it and the class that was met."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from ..conformance import CLASSES
from ..golden import strict_json
from ..golden.format import refusal
from ..tensor_files import read_bytes, write_atomically
from ..types import AnyPath
from .noticing import Comparison

LARGEST = 1 << 26  # bytes of a record
#: {test: {what was compared: the class that was met}}
Record = dict[str, dict[str, str]]


def met_in(comparisons: Sequence[Comparison]) -> dict[str, str]:
    """{what was compared: the strictest class that was met}; what is compared again is numbered."""
    return {name: one.met for name, one in numbered(comparisons).items() if not one.untold}


def worse(recorded: Mapping[str, str], comparisons: Sequence[Comparison]) -> list[str]:
    """One sentence for each comparison of the record that is not made, or no longer meets its class."""
    made, lines = numbered(comparisons), []
    for name, kind in recorded.items():
        if name not in made:
            lines.append(f"{name}: nothing was compared, and the record says {kind}")
        elif kind not in made[name].classes and made[name].met != "correct":
            lines.append(f"{name}: meets {made[name].met}, and the record says {kind}")
    return lines


def numbered(comparisons: Iterable[Comparison]) -> dict[str, Comparison]:
    """{what was compared: the comparison}; what is compared again is numbered."""
    held: dict[str, Comparison] = {}
    for one in comparisons:
        count = sum(other.subject == one.subject for other in held.values())
        held[f"{one.subject} #{count + 1}" if count else one.subject] = one
    return held


def read_record(path: AnyPath) -> Record:
    """The record in a file; E_FILE where it is missing, truncated or edited into something else."""
    data = read_bytes(path, LARGEST)
    try:
        record = strict_json.loads(data.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise refusal(path, "be a complete JSON document in ASCII", f"one that says: {error}") from None
    fits = isinstance(record, dict) and record and all(isinstance(held, dict) and held for held in record.values())
    if not fits or not all(
        isinstance(kind, str) and kind in CLASSES for held in record.values() for kind in held.values()
    ):
        expected = "map tests to what they compared, and that to the class it met, as --refpos-write-record does"
        raise refusal(path, expected, "something else")
    return record


def write_record(path: AnyPath, record: Record) -> None:
    """Write a record whole or not at all."""
    text = json.dumps(record, indent=1, sort_keys=True, ensure_ascii=True)
    write_atomically(path, [f"{text}\n".encode("ascii")])
