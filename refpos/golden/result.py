"""What a verification found: case by case, and what the failing cases have in common."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ..conformance import CLASSES
from ..conformance.error_map import ErrorMap
from ..conformance.report import Report, in_all, says_nothing
from ..diagnosis.explanation import MEASURED, Explanation
from ..guard import guarded
from ..measure.panels import Panel
from .flags import FLAGS

SHOWN = 10


@guarded
@dataclass(frozen=True)
class Finding:
    """What was found of one case.

    Attributes
    ----------
    id : str
        Id of the case.
    state : str
        "met", "differs", "untold", "missing" or "unusable". "untold": it meets only classes whose bounds would admit
        wrong tensors as well, so that it cannot be told whether it is right.
    met : str or None
        The strictest of `classes`.
    output : str or None
        Name of the output that is worst.
    sentence : str
        What was found, in words.
    report : Report or None
        Report of the output that is worst.
    flags : tuple of str
        Flags of the case.
    classes : tuple of str
        The classes that all outputs meet.
    explanations : tuple of Explanation or None
        The wrong calls whose numbers these are, the likeliest first; None where none were tried.
    errors : ErrorMap or None
        A picture of that output, where one was asked for.
    panels : tuple of Panel
        What was measured of the answers as curves, beside what is expected, where pictures were asked for.
    silent : pair of int or None
        (of how many elements the bounds of `met` say nothing, how many there are); None where nothing was compared.
    """

    id: str
    state: str
    met: str | None = None
    output: str | None = None
    sentence: str = ""
    report: Report | None = None
    flags: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    explanations: tuple[Explanation, ...] | None = None
    errors: ErrorMap | None = field(default=None, compare=False, repr=False)
    panels: tuple[Panel, ...] = field(default=(), compare=False, repr=False)
    silent: tuple[int, int] | None = None

    @property
    def partial(self) -> str:
        """The class that is met, where its bounds say nothing of some elements, with how many; else nothing."""
        if self.state != "met" or not self.silent or not self.silent[0]:
            return ""
        return f"met {self.met}{says_nothing(*self.silent)}"

    def to_json(self) -> dict[str, Any]:
        """The finding as plain JSON values."""
        report = None if self.report is None else self.report.to_json()
        return {
            "id": self.id,
            "state": self.state,
            "met": self.met,
            "output": self.output,
            "sentence": self.sentence,
            "flags": list(self.flags),
            "silent": None if self.silent is None else self.silent[0],
            "elements": None if self.silent is None else self.silent[1],
            "report": report,
            "explanations": None if self.explanations is None else [one._asdict() for one in self.explanations],
        }

    def __str__(self) -> str:
        lines = [
            f"{'cannot be told' if self.state == 'untold' else self.state} {self.id}"
            + (f"/{self.output}" if self.output else "")
            + (f": {self.sentence}" if self.sentence else "")
        ]
        if self.report is not None and self.state == "differs":
            lines += ["  " + line for line in str(self.report).splitlines()]
        return "\n".join(lines)


@guarded
@dataclass(frozen=True)
class Result:
    """The findings of one verification; true when the cases meet what was asked for.

    It is true when every case that was expected meets the class that was asked for, or cannot be told, and at least one
    meets it.

    Attributes
    ----------
    subject : str
        What was verified.
    findings : tuple of Finding
        A finding for each case.
    conformance : str or None
        The class that was asked for.
    unknown : tuple of str
        Names of tensors that belong to no case.
    absent : int
        Number of cases of the lock that a golden directory does not hold, being of other suites or tiers.
    unanswered : list of str or None
        Ids of the cases that were left out because nothing answers them; None where every case had to be answered.
    unreadable : tuple of str
        Sentences on files that could not be read, beside others.
    """

    subject: str
    findings: tuple[Finding, ...]
    conformance: str | None = None
    unknown: tuple[str, ...] = ()
    absent: int = 0
    unanswered: list[str] | None = field(default=None, repr=False)
    unreadable: tuple[str, ...] = ()

    @property
    def expected(self) -> int:
        """How many cases were expected."""
        return len(self.findings)

    @property
    def ran(self) -> int:
        """How many cases could be compared."""
        return sum(f.state in ("met", "differs", "untold") for f in self.findings)

    def of(self, state: str) -> list[Finding]:
        """The findings of one state."""
        return [f for f in self.findings if f.state == state]

    @property
    def partial(self) -> list[Finding]:
        """The findings that pass, of some of whose elements the class that they meet says nothing."""
        return [finding for finding in self.findings if finding.partial]

    @property
    def met(self) -> str | None:
        """The strictest class that every compared case meets; None when there is none. Correct values are in all."""
        compared = [f for f in self.findings if f.state in ("met", "differs")]
        common = (
            k for k in CLASSES if all(f.met and (k in (f.met, *f.classes) or f.met == "correct") for f in compared)
        )
        return next(common, None) if compared else None

    @property
    def counts(self) -> dict[str, int]:
        """{class: how many cases meet it and no stricter one}."""
        counts = {name: sum(f.met == name for f in self.findings) for name in CLASSES}
        return {name: count for name, count in counts.items() if count}

    @property
    def flags(self) -> dict[str, tuple[int, int]]:
        """Flags of the failing cases, best fit first: {flag: (failing cases with it, compared cases with it)}.

        The fit is the share of failing cases among those that fail or have the flag; a flag of all failing cases and no
        other has 1.
        """
        failing = self.of("differs")
        compared = failing + self.of("met")
        counts = {
            name: (sum(name in f.flags for f in failing), sum(name in f.flags for f in compared)) for name in FLAGS
        }
        fit = {name: bad / (len(failing) + run - bad) for name, (bad, run) in counts.items() if bad}
        return {name: counts[name] for name in sorted(fit, key=lambda name: (-fit[name], name))}

    @property
    def tried(self) -> list[Finding]:
        """The failing cases for which wrong calls were tried."""
        return [finding for finding in self.findings if finding.explanations is not None]

    @property
    def explanations(self) -> list[tuple[str, str, dict[str, list[str]]]]:
        """[(mistake, what was computed, {what is asked for: ids of failing cases})], those of most cases first.

        Every case stands once, with the wrong call that gives every element of its answer and of most other answers.
        """
        left = {finding.id: finding.explanations or () for finding in self.tried}
        found = []
        while True:
            counts = Counter((one.mistake, one.computed) for explained in left.values() for one in explained)
            if not counts:
                return found
            best = max(counts, key=lambda key: counts[key])  # the first of equals, which is the likeliest
            asked: dict[str, list[str]] = {}
            for id, explained in list(left.items()):
                fits = [one for one in explained if (one.mistake, one.computed) == best]
                if fits:
                    asked.setdefault(fits[0].asked, []).append(id)
                    del left[id]
            found.append((*best, asked))

    @property
    def shared_flags(self) -> list[str]:
        """The flags that every failing case has."""
        failing = len(self.of("differs"))
        return [name for name, (bad, _) in self.flags.items() if bad == failing]

    @property
    def exit_code(self) -> int:
        """0 when all is met, 1 when numbers differ, 2 when something is missing or unusable, or nothing can be told."""
        if self.of("differs"):
            return 1
        if self.unknown or self.unreadable:
            return 2
        return 2 if self.ran < self.expected or not self.of("met") else 0

    def __bool__(self) -> bool:
        return self.exit_code == 0

    def to_json(self) -> dict[str, Any]:
        """The result as plain JSON values."""
        states = {state: len(self.of(state)) for state in ("met", "differs", "untold", "missing", "unusable")}
        flags = [
            {"flag": name, "failing": bad, "compared": run, **FLAGS[name]._asdict(), "links": list(FLAGS[name].links)}
            for name, (bad, run) in self.flags.items()
        ]
        return {
            "subject": self.subject,
            "passed": bool(self),
            "exit_code": self.exit_code,
            "ran": self.ran,
            "expected": self.expected,
            "class_met": self.met,
            "required": self.conformance,
            **states,
            "explanations": [
                {"mistake": mistake, "computed": computed, "asked": wanted, "cases": ids}
                for mistake, computed, asked in self.explanations
                for wanted, ids in asked.items()
            ],
            "partial": self._partial(),
            "tried": len(self.tried),
            "flags": flags,
            "shared_flags": self.shared_flags,
            "unknown": list(self.unknown),
            "unreadable": list(self.unreadable),
            "absent": self.absent,
            "unanswered": None if self.unanswered is None else len(self.unanswered),
            "findings": [f.to_json() for f in self.findings],
        }

    def __str__(self) -> str:
        lines = [f"{self.subject}: ran {self.ran} of {self.expected}"]
        headings = {"differs": "differ", "untold": "cannot be told", "unusable": "unusable", "missing": "missing"}
        for state, heading in headings.items():
            findings = self.of(state)
            lines += [str(finding) for finding in findings[:SHOWN]]
            if len(findings) > SHOWN:
                lines.append(f"... and {len(findings) - SHOWN} more cases {heading}")
        lines += [f"not known: {name!a}" for name in self.unknown[:SHOWN]]
        lines += [f"unreadable: {sentence}" for sentence in self.unreadable[:SHOWN]]
        lines += self.partly
        lines += self._meaning()
        lines.append(f"classes met: {named(self.counts) or 'none'}")
        lines += filter(None, (self.elsewhere if self.absent else "", self.left_out))
        lines.append(self._verdict())
        return "\n".join(lines)

    @property
    def elsewhere(self) -> str:
        """One sentence on the cases of the lock that are not in the directory."""
        return f"not here, being of other suites or tiers: {self.absent} of {self.absent + self.expected} locked cases"

    @property
    def left_out(self) -> str:
        """One sentence on the cases that nothing answers, where those are left out."""
        if self.unanswered is None:
            return ""
        count = len(self.unanswered)
        return f"not answered, and left out: {count} of {count + self.expected} cases"

    @property
    def passing(self) -> str:
        """What is true of the cases when none of them fails."""
        untold = len(self.of("untold"))
        every = "every case that can be told" if untold else "every case"
        told = f"{every} meets {self.met}" if self.met else f"{every} meets a class: {named(self.counts)}"
        return f"{told}; {_cases(untold)} cannot be told" if untold else told

    @property
    def partly(self) -> list[str]:
        """Lines on the cases of `partial`: their sum, and the first of them."""
        lines = [f"{finding.id}: {finding.partial}" for finding in self.partial]
        more = [f"... and {len(lines) - SHOWN} more, which to_json() and the reports count"]
        head = [self.in_part] if len(lines) > 1 else []
        return head + lines[:SHOWN] + (more if len(lines) > SHOWN else [])

    @property
    def in_part(self) -> str:
        """One sentence on the cases of `partial`, with the sum of their elements; nothing where there are none."""
        return in_all([finding.silent for finding in self.partial], "case")

    def _partial(self):
        """How many cases `partial` has, and the sums of their elements."""
        silent, elements = (sum(finding.silent[k] for finding in self.partial) for k in (0, 1))
        return {"cases": len(self.partial), "silent": silent, "elements": elements}

    @property
    def nothing_told(self) -> str:
        """One sentence where every case that was compared cannot be told; else nothing."""
        alone = self.of("untold") and not self.of("met") + self.of("differs")
        return "nothing was excluded: wrong numbers would meet the same classes" if alone else ""

    @property
    def wrong_calls(self) -> list[str]:
        """Sentences on the wrong calls whose numbers the answers are; none where nothing was tried."""
        if not self.tried:
            return []
        failing = sum(not finding.classes for finding in self.of("differs"))
        lines = []
        for mistake, computed, asked in self.explanations[:SHOWN]:
            those = "measured:" if mistake == MEASURED else "those of"
            for wanted, ids in list(asked.items())[:SHOWN]:
                lines.append(f"{_cases(len(ids))}: your numbers are {those} {computed} (asked: {wanted})")
        unexplained = sum(not finding.explanations for finding in self.tried)
        if unexplained:
            lines.append(f"{_cases(unexplained)}: the numbers of no call that was tried")
        if len(self.tried) < failing:
            lines.append(f"{_cases(failing - len(self.tried))}: not tried")
        return lines

    @property
    def likely_flags(self) -> dict[str, tuple[int, int]]:
        """The flags that may say what is wrong: none where a wrong call explains every case that was tried, and none
        most of whose cases pass."""
        if self.tried and all(finding.explanations for finding in self.tried):
            return {}
        return {name: (bad, run) for name, (bad, run) in self.flags.items() if 2 * bad >= run}

    def _meaning(self):
        failing = len(self.of("differs"))
        lines = [f"wrong calls were tried, and compared on every element: {line}" for line in self.wrong_calls]
        for name, (bad, run) in list(self.likely_flags.items())[:4]:
            flag = FLAGS[name]
            counts = f"{bad} of {failing} failing cases, {bad} of {run} compared with it fail"
            lines.append(f"{name} ({flag.kind}): {counts}. {flag.description}")
            lines.append("  " + " ".join(flag.links))
        return lines

    def _verdict(self):
        if self:
            return f"passed: {self.passing}"
        counts = [(len(self.of(state)), state) for state in ("differs", "missing", "unusable")]
        counts += [(len(self.unknown), "without a case"), (len(self.unreadable), "unreadable")]
        counts += [(len(self.of("untold")), "cannot be told")]
        told = ", ".join(f"{n} {state}" for n, state in counts if n) or "nothing to verify"
        return "; ".join(filter(None, (f"not passed: {told}", self.nothing_told)))


def _cases(count):
    return "1 case" if count == 1 else f"{count} cases"


def named(counts):
    """Names with their counts, in a line."""
    return ", ".join(f"{name} {count}" for name, count in counts.items())
