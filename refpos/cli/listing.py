"""`refpos list`: the catalogue."""

from .. import catalogue, checks
from ..public import in_reading_order, is_core
from . import screen


def list_names(options):
    """Every encoding, named model or emulation, or those of one family."""
    if options.what == "models":
        from . import models

        return models.list_models(options)
    if options.what == "emulations":
        from . import emulations

        return emulations.list_emulations(options)
    families = list(catalogue.FAMILIES)
    if options.family is not None:
        families = [checks.choice("family", options.family, tuple(families))]
    entries = [entry for entry in by_family() if entry.family in families]
    if options.json:
        screen.as_json([facts(entry) for entry in entries])
    elif options.markdown:
        print("\n".join(markdown(entries)))
    else:
        whole = options.all or options.family is not None
        print("\n\n".join(_family(name, entries, whole) for name in families))
    return 0


def by_family():
    """The entries in the order of their families, those of most models first."""
    return [catalogue.ENTRIES[name] for family in catalogue.FAMILIES for name in in_reading_order(family)]


def _family(name, entries, whole):
    """A family: functions that most models need with their conventions, and the names of the others, or all."""
    entries = [entry for entry in entries if entry.family == name]
    first = entries if whole else [entry for entry in entries if is_core(entry.name)]
    indent = max(len(entry.name) for entry in first) + 4
    lines = [f"{name}: {catalogue.FAMILIES[name]}"]
    for entry in first:
        lines.append(screen.paragraph(entry.name.ljust(indent - 2) + entry.summary, 2, indent))
        lines.append(screen.paragraph(f"conventions: {entry.conventions}", indent))
    rest = [entry.name for entry in entries if entry not in first]
    if rest:
        lines.append(screen.paragraph(f"and {len(rest)} more (refpos list --family {name}): {', '.join(rest)}", 2, 4))
    return "\n".join(lines)


def markdown(entries):
    """The encodings as a table in Markdown, line by line."""
    yield "| encoding | family | what it does | conventions |"
    yield "| --- | --- | --- | --- |"
    for entry in entries:
        cells = f"`{entry.name}`", entry.family, entry.summary, entry.conventions
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def facts(entry):
    """What the catalogue says of an encoding, as JSON values."""
    return {
        "name": entry.name,
        "call": entry.public,
        "also": list(entry.also),
        "family": entry.family,
        "summary": entry.summary,
        "conventions": entry.conventions,
        "paper": entry.paper,
        "signature": f"{entry.name}{catalogue.signature_text(entry.function)}",
    }
