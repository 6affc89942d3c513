"""What a verification found: case by case, and what the failing cases have in common."""

from dataclasses import dataclass

from ..conformance import CLASSES
from .flags import FLAGS

SHOWN = 10


@dataclass(frozen=True)
class Finding:
    """One case: `state` is "met", "differs", "missing" or "unusable"; `report` is that of the output that is worst."""

    id: str
    state: str
    met: str | None = None
    output: str | None = None
    sentence: str = ""
    report: object = None
    flags: tuple = ()

    def to_json(self):
        """The finding as plain JSON values."""
        report = None if self.report is None else self.report.to_json()
        return {
            "id": self.id,
            "state": self.state,
            "met": self.met,
            "output": self.output,
            "sentence": self.sentence,
            "flags": list(self.flags),
            "report": report,
        }

    def __str__(self):
        lines = [
            f"{self.state} {self.id}"
            + (f"/{self.output}" if self.output else "")
            + (f": {self.sentence}" if self.sentence else "")
        ]
        if self.report is not None and self.state == "differs":
            lines += ["  " + line for line in str(self.report).splitlines()]
        return "\n".join(lines)


@dataclass(frozen=True)
class Result:
    """The findings of one verification; true when every case that was expected meets the class that was asked for."""

    subject: str
    findings: tuple
    conformance: str | None = None
    unknown: tuple = ()

    @property
    def expected(self):
        """How many cases were expected."""
        return len(self.findings)

    @property
    def ran(self):
        """How many cases could be compared."""
        return sum(f.state in ("met", "differs") for f in self.findings)

    def of(self, state):
        """The findings of one state."""
        return [f for f in self.findings if f.state == state]

    @property
    def met(self):
        """The strictest class that every compared case meets; None when one meets none."""
        order = list(CLASSES)
        met = [f.met for f in self.findings if f.state in ("met", "differs")]
        return max(met, key=order.index) if met and None not in met else None

    @property
    def flags(self):
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
    def shared_flags(self):
        """The flags that every failing case has."""
        failing = len(self.of("differs"))
        return [name for name, (bad, _) in self.flags.items() if bad == failing]

    @property
    def exit_code(self):
        """0 when all is met, 1 when numbers differ, 2 when something is missing or unusable."""
        if self.of("differs"):
            return 1
        return 2 if self.ran < self.expected or not self.expected else 0

    def __bool__(self):
        return self.exit_code == 0

    def to_json(self):
        """The result as plain JSON values."""
        states = {state: len(self.of(state)) for state in ("met", "differs", "missing", "unusable")}
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
            "met": self.met,
            "required": self.conformance,
            **states,
            "flags": flags,
            "shared_flags": self.shared_flags,
            "unknown": list(self.unknown),
            "findings": [f.to_json() for f in self.findings],
        }

    def __str__(self):
        lines = [f"{self.subject}: ran {self.ran} of {self.expected}"]
        for state, heading in (("differs", "differ"), ("missing", "missing"), ("unusable", "unusable")):
            found = self.of(state)
            lines += [str(f) for f in found[:SHOWN]]
            if len(found) > SHOWN:
                lines.append(f"... and {len(found) - SHOWN} more cases {heading}")
        lines += [f"not known: {name}" for name in self.unknown[:SHOWN]]
        lines += self._meaning()
        classes = {name: sum(f.met == name for f in self.findings) for name in CLASSES}
        lines.append(
            "classes met: " + (", ".join(f"{name} {count}" for name, count in classes.items() if count) or "none")
        )
        lines.append(self._verdict())
        return "\n".join(lines)

    def _meaning(self):
        failing = len(self.of("differs"))
        lines = []
        for name, (bad, run) in list(self.flags.items())[:4]:
            flag = FLAGS[name]
            counts = f"{bad} of {failing} failing cases, {bad} of {run} compared with it fail"
            lines.append(f"{name} ({flag.kind}): {counts}. {flag.description}")
            lines.append("  " + " ".join(flag.links))
        return lines

    def _verdict(self):
        if self:
            return f"passed: every case meets {self.met}" if self.met else "passed"
        counts = [(len(self.of(state)), state) for state in ("differs", "missing", "unusable")]
        return "not passed: " + (", ".join(f"{n} {state}" for n, state in counts if n) or "nothing to verify")
