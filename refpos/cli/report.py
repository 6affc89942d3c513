"""What a person reads of a verification: counts, failing cases, what they have in common, the verdict."""

import math

from . import screen

DETAILED, ABSENT, SHOWN = 3, 5, 20  # failing cases with their worst element; names of missing cases; of another kind


def described(result):
    """The report."""
    parts = _counts(result), _failing(result), _absent(result), _wrong_calls(result), _flags(result), _verdict(result)
    return "\n\n".join(filter(None, ("\n".join(part) for part in parts)))


def _counts(result):
    """A row for each suite; those without one answer share a row at the end."""
    states = {}
    for finding in result.findings:
        states.setdefault(finding.id.partition("/")[0], []).append(finding.state)
    silent = [suite for suite in states if set(states[suite]) == {"missing"}]
    if 1 < len(silent) < len(states):
        states[f"{len(silent)} other suites"] = [state for suite in silent for state in states.pop(suite)]
    rows = [("suite", "ran", "of", "met", "differ", "missing", "unusable")]
    for suite, all_of in sorted(states.items(), key=lambda row: (row[0][0].isdigit(), row[0])):
        met, differ, missing, unusable = (all_of.count(state) for state in ("met", "differs", "missing", "unusable"))
        rows.append((suite, met + differ, len(all_of), met, differ, missing, unusable))
    return screen.columns(rows) if states else []


def _failing(result):
    failing = result.of("differs")
    for finding in failing[:DETAILED]:
        yield screen.paragraph(f"{_name(finding)}: {finding.sentence}", 0, 2)
        if finding.report is not None:
            yield from _differences(finding.report)
    yield from _names("also differ", map(_name, failing[DETAILED:]))


def _name(finding):
    return f"{finding.id}/{finding.output}" if finding.output else finding.id


def _names(heading, names, shown=SHOWN):
    names = list(names)
    if names:
        more = f" and {len(names) - shown} more, which --json lists" if len(names) > shown else ""
        yield screen.paragraph(f"{heading}: {', '.join(names[:shown])}{more}", 0, 2)


def _differences(report):
    yield f"  {report.different:,} of {report.count:,} elements of {report.dtype} off"
    worst = report.worst_abs or report.worst
    if worst:
        far = "not a number" if worst.ulp == math.inf else f"{worst.ulp:,} ulp, {worst.abs_error:.3g}"
        yield f"  worst at [{', '.join(map(str, worst.index))}], {far}:"
        got = "    got", worst.actual, f"0x{worst.actual_bits}"
        expected = "    expected", worst.expected, f"0x{worst.expected_bits}"
        yield from screen.columns([got, expected])


def _absent(result):
    unusable = result.of("unusable")
    for finding in unusable[:DETAILED]:
        yield screen.paragraph(f"unusable: {finding.id}: {finding.sentence}", 0, 2)
    yield from _names("also unusable", (finding.id for finding in unusable[DETAILED:]))
    yield from _names("missing", (finding.id for finding in result.of("missing")), ABSENT)
    yield from _names("tensors without a case", result.unknown)
    for sentence in result.unreadable[:SHOWN]:
        yield screen.paragraph(f"unreadable: {sentence}", 0, 2)


def _wrong_calls(result):
    """The wrong calls that were tried and give the numbers of the answers."""
    lines = result.wrong_calls
    if lines:
        yield screen.paragraph("Wrong calls were tried for cases that meet no class, and compared on every element:")
        yield from (screen.paragraph(line, 2, 4) for line in lines)


def _flags(result):
    """The flags that all failing cases share, or the one that fits best, with meaning and links; others in a line."""
    from ..golden import FLAGS

    failing, likely = len(result.of("differs")), result.likely_flags
    shared = [name for name in result.shared_flags if name in likely] or list(likely)[:1]
    for name in shared:
        bad, compared = likely[name]
        yield f"{name}: in {bad} of {failing} failing cases, and {bad} of {compared} cases that have it fail"
        yield screen.paragraph(FLAGS[name].description, 2)
        yield from (f"  {link}" for link in FLAGS[name].links)
    others = [f"{name} {bad} of {failing}" for name, (bad, _) in likely.items() if name not in shared]
    if others:
        yield screen.paragraph(f"other flags of the failing cases: {', '.join(others)}", 0, 2)


def _verdict(result):
    if result.counts:
        from ..golden.result import named

        yield screen.paragraph(f"classes met, strictest first: {named(result.counts)}", 0, 2)
    if result.absent:
        yield screen.paragraph(result.elsewhere, 0, 2)
    if result.left_out:
        yield screen.paragraph(result.left_out, 0, 2)
    states = {"differs": "differ", "missing": "are missing", "unusable": "are unusable"}
    trouble = [f"{len(result.of(state))} {verb}" for state, verb in states.items() if result.of(state)]
    if result.unknown:
        trouble.append(f"{len(result.unknown)} without a case")
    if result.unreadable:
        trouble.append(f"{len(result.unreadable)} unreadable")
    if result:
        trouble = [result.passing]
    required = [f"{result.conformance} was required"] if result.conformance else []
    told = ", ".join(trouble + required) or "nothing to compare"
    yield screen.paragraph(f"ran {result.ran} of {result.expected}: {told}", 0, 2)
