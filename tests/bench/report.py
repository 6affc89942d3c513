"""The tables, as Markdown: a short one of the works, a long one of all programs, and the machine they belong to."""

import datetime
import re

MARKS = r"(<!-- {0} -->\n).*?(<!-- /{0} -->)"


def described(machine, versions, absent, lines, runs):
    """Everything that stands between the two marks of the page, line by line."""
    yield of_machine(machine | versions)
    if absent:
        yield ""
        yield "Absent: " + "; ".join(f"{name} ({why})" for name, why in absent.items()) + "."
    yield ""
    yield from _short(lines)
    yield ""
    if any(line.name.startswith("rival") for line in lines):
        yield "The time of the rival by that of refpos, with the same kernels and threads; above 1 refpos is faster:"
        yield ""
        yield from _beside_the_rival(lines)
        yield ""
    yield f"All programs, medians of {runs} (of {-(-runs // 3)} where marked \\*):"
    yield ""
    yield from _long(lines, runs)


def of_machine(facts):
    """What the numbers belong to, {name: value}, in a sentence."""
    day = datetime.date.today().isoformat()
    return f"Measured on {day}: {', '.join(f'{name} {value}' for name, value in facts.items())}."


def table(head, rows):
    """A table of Markdown, line by line."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def _short(lines):
    rows = []
    for work in dict.fromkeys(line.work for line in lines):
        here = {line.name: line for line in lines if line.work == work}
        ours, limit = here["refpos"], next(name for name in here if name.startswith("limit"))
        rival = f"{here['rival'].times_refpos:.2f}" if "rival" in here else ""
        peers = [line for line in here.values() if line.errors and not line.name.startswith("rival")]
        peers.sort(key=lambda line: line.ms)
        nearest = [f"{line.name}, {line.times_refpos:.2f}" for line in peers[:2]] + ["none", "none"]
        rows.append((work, f"{ours.ms:.3f}", limit.split(": ")[1], f"{ours.of_limit:.2f}", rival, *nearest[:2]))
    head = "work", "refpos ms", "limit", "of the limit", "rival, times refpos", "fastest peer, times refpos", "second"
    return table(head, rows)


def _beside_the_rival(lines):
    times = {(line.work, line.name): line.ms for line in lines}
    names = dict.fromkeys(line.name.removeprefix("rival") for line in lines if line.name.startswith("rival"))
    rows = []
    for work in dict.fromkeys(line.work for line in lines if line.name == "rival"):
        both = [(times.get((work, f"rival{name}")), times.get((work, f"refpos{name}"))) for name in names]
        rows.append((work, *(f"{rival / ours:.2f}" if rival and ours else "" for rival, ours in both)))
    return table(("work", *(name.removeprefix(", ") or "all threads" for name in names)), rows)


def _long(lines, runs):
    head = "program", "ms", "times refpos", "of the limit", "largest error", "largest ulp", "differ"
    for work in dict.fromkeys(line.work for line in lines):
        yield f"### {work}"
        yield ""
        yield from table(head, _rows([line for line in lines if line.work == work], runs))
        yield ""


def _rows(lines, runs):
    for line in lines:
        mark = " \\*" if line.runs < runs else ""
        wrong = ("", "", "")
        if line.errors:
            wrong = f"{line.errors.absolute:.1e}", f"{line.errors.ulp:.3g}", f"{100 * line.errors.share:.3g} %"
        elif line.name.startswith("refpos"):
            wrong = "correctly rounded", "", ""
        times = f"{line.ms:.3f}{mark}", f"{line.times_refpos:.2f}", f"{line.of_limit:.3f}"
        yield line.name, *times, *wrong


def into_page(text, table, mark="measured"):
    """The text of a page with the table between its two marks."""
    marks = re.compile(MARKS.format(mark), re.DOTALL)
    new, count = marks.subn(lambda found: f"{found[1]}{table}\n{found[2]}", text)
    if count != 1:
        raise ValueError(f"the page must have one pair of marks, got {count}")
    return new
