"""What a check found: one verdict for each positional tensor, and the exit status of all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..conformance.report import Report
from ..errors import shortened
from ..guard import guarded

State = Literal["right", "fits", "differs", "not described", "unreadable"]
#: states in which something was held against the configuration
COMPARED = ("right", "fits", "differs")
LONGEST_NAME, LONGEST_LINE = 200, 2000


class Finding(NamedTuple):
    """The verdict on one tensor, or on one run of a module.

    part: what it was held against, such as "text, sliding_attention". report: the comparison of its numbers, None where
    only shapes were compared.
    """

    tensor: str
    state: State
    sentence: str
    part: str = ""
    report: Report | None = None


@guarded
@dataclass(frozen=True)
class CheckResult:
    """What `check` found; its truth value is `passed`.

    Attributes
    ----------
    source : str
        The file, the folder or the class of the module that was checked.
    findings : tuple of Finding
        For each positional tensor its name, `state` (right, fits, differs, not described, unreadable), a sentence, the
        part of the configuration that it was held against, and the `Report` of its numbers.
    notes : tuple of str
        What else is to be known.
    """

    source: str
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()

    def of(self, *states: State) -> tuple[Finding, ...]:
        """The findings of these states."""
        return tuple(one for one in self.findings if one.state in states)

    @property
    def status(self) -> int:
        """0 where all that was compared is right, 1 where something differs, 2 where nothing was compared or a tensor
        could not be read."""
        if self.of("differs"):
            return 1
        return 2 if self.of("unreadable") or not self.of(*COMPARED) else 0

    @property
    def passed(self) -> bool:
        """Whether the status is 0."""
        return self.status == 0

    def __bool__(self) -> bool:
        return self.passed

    @property
    def verdict(self) -> str:
        """One sentence on all findings."""
        compared, off = len(self.of(*COMPARED)), len(self.of("differs"))
        if not compared:
            return f"nothing was compared: none of {len(self.findings)} is both described and readable"
        told = f"{off} of {compared} differ" if off else f"all {compared} compared are as the configuration says"
        others = {state: len(self.of(state)) for state in ("not described", "unreadable")}
        return ", ".join([told, *(f"{count} {state}" for state, count in others.items() if count)])

    def lines(self) -> list[str]:
        """The result as lines of text."""
        told = [f"{shortened(one.tensor, LONGEST_NAME)}: {one.sentence}" for one in self.findings]
        told += [*(f"note: {note}" for note in self.notes), f"{self.source}: {self.verdict}"]
        return [shortened(line, LONGEST_LINE) for line in told]

    def to_json(self) -> dict[str, Any]:
        """The result as plain JSON values."""
        reports = [None if one.report is None else one.report.to_json() for one in self.findings]
        findings = [{**one._asdict(), "report": report} for one, report in zip(self.findings, reports)]
        head = {"source": self.source, "passed": self.passed, "status": self.status, "verdict": self.verdict}
        return {**head, "findings": findings, "notes": list(self.notes)}

    def __str__(self) -> str:
        return "\n".join(self.lines())


def finding_of_error(name, error):
    """The finding of a tensor that could not be read or compared."""
    return Finding(name, "unreadable", f"unreadable: {error}")
