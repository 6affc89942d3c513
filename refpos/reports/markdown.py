"""A report as Markdown, for the summary of a continuous integration run: the verdict, the causes, what failed."""

import re

from .junit import places
from .outcome import TITLES

DETAILED = 20  # rows of failing items


def summary(outcome):
    """The Markdown text."""
    parts = [
        f"## refpos {outcome.command}: {'passed' if outcome.passed else 'not passed'}",
        f"{_text(outcome.verdict)}",
    ]
    if outcome.causes:
        parts.append("\n".join(f"- **{_text(line)}**" for line in outcome.causes))
    elif outcome.hints:
        parts.append("\n".join(f"- {_text(name)}: {_text(words)}" for name, words, _ in outcome.hints))
    wrong = outcome.of("failed", "missing", "unusable", "untold")
    if wrong:
        rows = ["| case | what | where |", "| --- | --- | --- |", *map(_row, wrong[:DETAILED])]
        parts.append("\n".join(rows))
    if len(wrong) > DETAILED:
        parts.append(f"and {len(wrong) - DETAILED} more")
    if outcome.partial:  # all of them, since a row of what passes stands nowhere else
        rows = [f"| {_code(item.full_name)} | {_text(item.sentence)} |" for item in outcome.partial]
        parts += [_text(outcome.in_part), "\n".join(["| case | what |", "| --- | --- |", *rows])]
    parts.append(_counted(outcome))
    parts += [_text(note) for note in outcome.notes]
    return "\n\n".join(parts) + "\n"


def _row(item):
    what = item.causes[0] if item.causes else item.sentence
    where = places(item.errors) if item.errors is not None and item.errors.wrong else _worst(item)
    what = what if item.state == "untold" else f"{item.state}: {what}"
    return f"| {_code(item.full_name)} | {_text(what)} | {_text(where)} |"


def _worst(item):
    worst = item.worst
    return f"worst at {list(worst.index)}: {worst.actual} for {worst.expected}" if worst else ""


def _counted(outcome):
    """A table of counts by group; groups in which all passed share a row."""
    groups = outcome.groups()
    whole = [name for name, items in groups.items() if all(item.state == "passed" for item in items)]
    rows = {name or "tensors without a case": items for name, items in groups.items() if name not in whole}
    if len(whole) > 1:
        rows[f"{len(whole)} suites that pass"] = [item for name in whole for item in groups[name]]
    else:
        rows |= {name: groups[name] for name in whole}
    states = list(outcome.counts())
    lines = [f"| suite | {' | '.join(TITLES[state] for state in states)} |", "| --- |" + " ---: |" * len(states)]
    for name, items in rows.items():
        kinds = [item.state for item in items]
        lines.append(f"| {_code(name)} | {' | '.join(str(kinds.count(state)) for state in states)} |")
    return "\n".join(lines)


def _text(text):
    """Text that stays what it is within a line or a cell."""
    plain = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in " ".join(text.split())
    )
    return re.sub(r"([\\`*_{}\[\]<>#|~&!])", r"\\\1", plain)


def _code(text):
    """A name, as code where it holds nothing that would end it."""
    return f"`{text}`" if re.fullmatch(r"[\w/.+ -]+", text) else _text(text)
