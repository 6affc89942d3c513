"""What a person reads of a verification: counts, failing cases, what they have in common, the verdict."""

import math

from ..errors import shortened
from . import screen

DETAILED, ABSENT, SHOWN = 3, 5, 20  # failing cases with their worst element; names of missing cases; of another kind


def described(result):
    """The report; one sentence where nothing is named after a case."""
    if result.unknown and result.findings == tuple(result.of("missing")) and not result.unreadable:
        return _own_numbers(result)
    parts = _counts, _failing, _untold, _absent, _wrong_calls, _flags, _verdict
    parts = [part(result) for part in parts]
    return "\n\n".join(filter(None, ("\n".join(part) for part in parts)))


def _own_numbers(result):
    names = ", ".join(shortened(name, 40) for name in result.unknown[:ABSENT])
    more = f" and {len(result.unknown) - ABSENT} more" if len(result.unknown) > ABSENT else ""
    ids = "tensors must be named after golden cases, such as rope/llama-3-128-f32 (`refpos show rope/` lists ids)"
    call = "the call that they should be: refpos diagnose FILE \"rope(x, 4096, pairing='half')\""
    return screen.paragraph(f"{ids}, got {names}{more}; to check numbers of your own, name {call}", 0, 2)


def _counts(result):
    """A row for each suite; those without one answer share a row at the end."""
    states = {}
    for finding in result.findings:
        states.setdefault(finding.id.partition("/")[0], []).append(finding.state)
    silent = [suite for suite in states if set(states[suite]) == {"missing"}]
    if 1 < len(silent) < len(states):
        states[f"{len(silent)} other suites"] = [state for suite in silent for state in states.pop(suite)]
    untold = bool(result.of("untold"))  # a column where there are such cases
    rows = [("suite", "ran", "of", "met", "differ", *["cannot be told"] * untold, "missing", "unusable")]
    for suite, all_of in sorted(states.items(), key=lambda row: (row[0][0].isdigit(), row[0])):
        states_of = ("met", "differs", "untold", "missing", "unusable")
        met, differ, silent, missing, unusable = (all_of.count(state) for state in states_of)
        ran = met + differ + silent
        rows.append((suite, ran, len(all_of), met, differ, *[silent] * untold, missing, unusable))
    return screen.columns(rows) if states else []


def _failing(result):
    failing = result.of("differs")
    for finding in failing[:DETAILED]:
        yield screen.paragraph(f"{_name(finding)}: {finding.sentence}", 0, 2)
        if finding.report is not None:
            yield from _differences(finding.report)
    yield from _names("also differ", map(_name, failing[DETAILED:]))


def _untold(result):
    """The cases that cannot be told, and those of some of whose elements nothing is told."""
    untold = result.of("untold")
    for finding in untold[:DETAILED]:
        yield screen.paragraph(f"cannot be told: {finding.id}: {finding.sentence}", 0, 2)
    yield from _names("also cannot be told", (finding.id for finding in untold[DETAILED:]))
    partial = result.partial
    if len(partial) > 1:
        yield screen.paragraph(result.in_part, 0, 2)
    for finding in partial[:DETAILED]:
        yield screen.paragraph(f"{finding.id}: {finding.partial}", 0, 2)
    others = ("{} ({} of {})".format(finding.id, *finding.silent) for finding in partial[DETAILED:])
    yield from _names("also met in part of the elements", others, ABSENT)


def _name(finding):
    return f"{finding.id}/{finding.output}" if finding.output else finding.id


def _names(heading, names, shown=SHOWN):
    names = list(names)
    if names:
        more = f" and {len(names) - shown} more, which --json and the reports list" if len(names) > shown else ""
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
    states = {"differs": "differ", "missing": "are missing", "unusable": "are unusable", "untold": "cannot be told"}
    trouble = [f"{len(result.of(state))} {verb}" for state, verb in states.items() if result.of(state)]
    if result.unknown:
        trouble.append(f"{len(result.unknown)} without a case")
    if result.unreadable:
        trouble.append(f"{len(result.unreadable)} unreadable")
    if result:
        trouble = [result.passing]
    trouble += [result.nothing_told] if result.nothing_told else []
    required = [f"{result.conformance} was required"] if result.conformance else []
    told = ", ".join(trouble + required) or "nothing to compare"
    yield screen.paragraph(f"ran {result.ran} of {result.expected}: {told}", 0, 2)
