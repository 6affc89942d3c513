"""What there is to report: one item for each case or tensor, what is wrong in words, and the verdict."""

from __future__ import annotations

from typing import NamedTuple

from ..conformance.error_map import ErrorMap
from ..conformance.report import Report, in_all, says_nothing
from ..golden import FLAGS, VALUES_VERSION
from ..golden.result import named
from ..measure.panels import Panel

#: what a state of a finding is called in a report
STATES = {"met": "passed", "differs": "failed", "untold": "untold", "missing": "missing", "unusable": "unusable"}
TITLES = {
    "passed": "passed", "failed": "failed", "untold": "cannot be told", "missing": "missing", "unusable": "unusable",
    "skipped": "left out",
}  # fmt: skip
#: states that a report may hold and pass all the same
HARMLESS = ("passed", "skipped", "untold")


class Item(NamedTuple):
    """One case, or one tensor of a file. state: passed, failed, untold, missing, unusable or skipped. causes: the
    wrong calls whose numbers these are, the likeliest first; report and errors: of the output that is worst. silent:
    of one that passes, (of how many elements its class says nothing, how many there are), where that is of any. panels:
    what was measured, as curves."""

    group: str
    name: str
    state: str
    sentence: str = ""
    output: str = ""
    causes: tuple[str, ...] = ()
    report: Report | None = None
    errors: ErrorMap | None = None
    silent: tuple[int, int] | None = None
    panels: tuple[Panel, ...] = ()

    @property
    def full_name(self):
        """The name with that of the output."""
        return f"{self.name}/{self.output}" if self.output else self.name

    @property
    def worst(self):
        """The element that is furthest off, or None."""
        return None if self.report is None else self.report.worst_abs or self.report.worst


class Outcome(NamedTuple):
    """What a command found. causes: sentences on what is wrong everywhere; hints: (flag, what it means, links);
    notes: what else is to be known. passed: whether the command ends with 0."""

    command: str
    subject: str
    verdict: str
    passed: bool
    items: tuple[Item, ...]
    causes: tuple[str, ...] = ()
    hints: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    notes: tuple[str, ...] = ()

    def of(self, *states):
        """The items of these states."""
        return [item for item in self.items if item.state in states]

    def groups(self):
        """{group: its items}."""
        found = {}
        for item in self.items:
            found.setdefault(item.group, []).append(item)
        return found

    @property
    def partial(self):
        """The items that pass by a class that says nothing of some of their elements."""
        return [item for item in self.items if item.state == "passed" and item.silent]

    @property
    def in_part(self):
        """One sentence on these items; nothing where there are none."""
        return in_all([item.silent for item in self.partial], "case" if self.command == "verify" else "tensor")

    def counts(self):
        """{state: how many items}, without those that have none."""
        counts = {state: len(self.of(state)) for state in TITLES}
        return {state: count for state, count in counts.items() if count}


def of_result(result):
    """The Outcome of a verification."""
    items = [_of_finding(finding) for finding in result.findings]
    items += [Item(id.partition("/")[0], id, "skipped", "not answered, and left out") for id in result.unanswered or ()]
    items += [Item("", name, "unusable", "a tensor without a case") for name in result.unknown]
    items += [Item("", f"file {k + 1}", "unusable", sentence) for k, sentence in enumerate(result.unreadable)]
    flags = result.likely_flags
    hints = [
        (name, f"in {bad} of {len(result.of('differs'))} failing cases: {FLAGS[name].description}", FLAGS[name].links)
        for name, (bad, _) in list(flags.items())[:3]
    ]
    notes = [f"values of refpos {VALUES_VERSION}"]
    notes += [f"classes met, strictest first: {named(result.counts)}"] if result.counts else []
    notes += [result.elsewhere] if result.absent else []
    return Outcome(
        "verify", result.subject, _verdict(result), bool(result), *_checked(items, bool(result)),
        tuple(result.wrong_calls), tuple(hints), tuple(notes),
    )  # fmt: skip


def _of_finding(finding):
    causes = tuple(one.told for one in finding.explanations or ())
    silent = says_nothing(*finding.silent) if finding.silent else ""
    sentence = finding.sentence or (f"meets {finding.met}{silent}" if finding.met else "")
    if finding.state == "untold":
        sentence = f"cannot be told: {sentence}"
    group = finding.id.partition("/")[0]
    output = finding.output or ""
    counted = finding.silent if finding.partial else None
    return Item(
        group, finding.id, STATES[finding.state], sentence, output, causes, finding.report, finding.errors, counted,
        finding.panels,
    )  # fmt: skip


def _verdict(result):
    if result:
        count = len(result.of("met"))
        every = f"all {count}" if count == result.expected else f"{count} of {result.expected}"
        return f"{every} cases that were expected pass: {result.passing}"
    counts = [f"{len(result.of(state))} {word}" for state, word in _TROUBLE.items() if result.of(state)]
    clean = "all right" if result.ran else "nothing to compare"
    told = f"{', '.join(counts) or clean}, of {result.expected} cases"
    lost = len(result.unknown)
    told += f"; {lost} tensor{'s' if lost > 1 else ''} without a case" if lost else ""
    broken = len(result.unreadable)
    told += f"; {broken} file{'s' if broken > 1 else ''} that cannot be read" if broken else ""
    told += f"; {result.nothing_told}" if result.nothing_told else ""
    return told + (f"; {result.conformance} was required" if result.conformance else "")


_TROUBLE = {"differs": "wrong", "missing": "missing", "unusable": "unusable", "untold": "that cannot be told"}


def of_comparison(reports, unused, missing, files, errors, unusable):
    """The Outcome of two files, actual and expected. reports: {name: Report}; unused, missing: names that only one of
    the files has; errors: {name: ErrorMap}; unusable: {name: why it cannot be compared}."""
    items = [
        Item("tensors", name, "passed" if report else "failed", str(report).splitlines()[0], "", (), report,
             errors.get(name), _silent_of(report))
        for name, report in reports.items()
    ]  # fmt: skip
    for names, file in zip((unused, missing), files):
        items += [Item("tensors", name, "missing", f"only in {file}") for name in names]
    items += [Item("tensors", name, "unusable", sentence) for name, sentence in unusable.items()]
    equal = sum(map(bool, reports.values()))
    verdict = f"{equal} of {len(items)} tensors equal"
    passed = equal == len(items)
    return Outcome("compare", " and ".join(files), verdict, passed, *_checked(items, passed))


def of_diagnosis(found, examined, subject, errors, panels=()):
    """The Outcome of a `Diagnosis` of answers that were `Examined`. errors: {output: ErrorMap} of what is wrong;
    panels: what was measured, which stands beside the first output that is wrong."""
    causes = tuple(one.told for one in found.explanations)
    items = []
    for name, (_, report) in examined.judged.items():
        off = name in examined.off
        sentence = f"meets {report.met}{says_nothing(report.silent, report.count)}" if report.met else "meets no class"
        state, known = ("failed", causes) if off else ("untold" if found.untold else "passed", ())
        if found.untold:
            sentence = f"cannot be told: {found.untold}"
        curves = panels if examined.off[:1] == [name] else ()
        held = report, errors.get(name), _silent_of(report), curves
        items.append(Item(found.function, found.function, state, sentence, name, known, *held))
    told = [
        f"{'or' if k else 'your numbers are'} {cause.replace('the numbers', 'those', 1)}"
        for k, cause in enumerate(causes)
    ]
    if found.unexplained:
        told = ["these are the numbers of no call that was tried"]
    off = len(examined.off)
    verdict = _wrong_outputs(off, len(items)) if off else str(found)
    passed = found.met is not None
    return Outcome("diagnose", subject, verdict, passed, *_checked(items, passed), tuple(told), (), found.where)


def _wrong_outputs(off, count):
    if count == 1:
        return "the output is wrong"
    return f"{off} of {count} outputs {'is' if off == 1 else 'are'} wrong"


#: what a state of a finding of a check is called in a report
STATES_OF_CHECK = {"right": "passed", "fits": "passed", "differs": "failed", "not described": "skipped",
                   "unreadable": "unusable"}  # fmt: skip


def of_check(found):
    """The Outcome of a `CheckResult`."""
    items = []
    for one in found.findings:
        silent = _silent_of(one.report) if one.state == "right" and one.report is not None else None
        group = one.part.split(",")[0] or "tensors"
        held = {"report": one.report, "silent": silent}
        items.append(Item(group, one.tensor, STATES_OF_CHECK[one.state], one.sentence, **held))
    return Outcome(
        "check", found.source, found.verdict, found.passed, *_checked(items, found.passed), (), (), found.notes
    )


def _silent_of(report):
    """The counts of one output, where nothing is said of some of its elements."""
    return (report.silent, report.count) if report.silent else None


def of_error(command, subject, sentence):
    """The Outcome of a command that could not be carried out."""
    return Outcome(command, subject, sentence, False, (Item("refpos", command, "unusable", sentence),))


def _checked(items, passed):
    """The items, of which at least one says that something is wrong where the command does not pass."""
    if not passed and all(item.state in HARMLESS for item in items):
        untold = any(item.state == "untold" for item in items)
        why = "nothing was excluded: wrong numbers would meet the same classes" if untold else "nothing was compared"
        items = [*items, Item("refpos", "nothing", "unusable", why)]
    return (tuple(items),)
