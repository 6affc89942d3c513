"""`refpos list` and `refpos show`: the catalogue, one encoding, one golden case."""

import inspect

from .. import catalogue
from ..errors import InputError
from . import screen


def show(options):
    return 0


def list_encodings(options):
    """Every encoding, by family."""
    entries = list(catalogue.ENTRIES.values())
    if options.json:
        screen.as_json([_facts(entry) for entry in entries])
    elif options.markdown:
        print("\n".join(markdown(entries)))
    else:
        print("\n\n".join(_family(name, entries) for name in catalogue.FAMILIES))
    return 0


def _family(name, entries):
    indent = max(len(entry.name) for entry in entries) + 4
    lines = [f"{name}: {catalogue.FAMILIES[name]}"]
    for entry in entries:
        if entry.family == name:
            lines.append(screen.paragraph(entry.name.ljust(indent - 2) + entry.summary, 2, indent))
            lines.append(screen.paragraph(f"conventions: {entry.conventions}", indent))
    return "\n".join(lines)


def markdown(entries):
    """The table of encodings as the README and the documentation hold it, line by line."""
    yield "| encoding | family | conventions | what it does |"
    yield "| --- | --- | --- | --- |"
    for entry in entries:
        cells = f"`{entry.name}`", entry.family, entry.conventions, entry.summary
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _facts(entry):
    return {
        "name": entry.name,
        "family": entry.family,
        "summary": entry.summary,
        "conventions": entry.conventions,
        "paper": entry.paper,
        "signature": signature(entry),
    }


def signature(entry):
    """How the function is called, on one line."""
    return f"{entry.name}{inspect.signature(entry.function)}"
