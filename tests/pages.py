"""The generated pages of the documentation: the index of encodings and a page for each family, from the docstrings."""

import inspect
import re
import textwrap
from pathlib import Path

from refpos import catalogue
from refpos.cli import listing

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
INDEX = DOCS / "encodings.md"
MARK = "<!-- generated below this line by tests/test_docs.py -->\n"


def family_page(family):
    return DOCS / "encodings" / f"{family}.md"


def generated():
    """{page: what stands below its mark}."""
    texts = {INDEX: "\n".join(map(contents, catalogue.FAMILIES))}
    for family in catalogue.FAMILIES:
        texts[family_page(family)] = "\n".join(map(section, entries(family)))
    return texts


def with_generated(text, below):
    """The text of a page with other lines below its mark."""
    head, mark, _ = text.partition(MARK)
    assert mark, f"the page must hold the line {MARK!r}"
    return f"{head}{mark}\n{below}"


def entries(family):
    return [entry for entry in listing.by_family() if entry.family == family]


# -- the index --------------------------------------------------------------------------------------------------------


def contents(family):
    """The encodings of one family, a list item each."""
    title = f"## [{family.capitalize()}](encodings/{family}.md): {catalogue.FAMILIES[family]}"
    return "\n".join([title, "", *map(item, entries(family)), ""])


def item(entry):
    return wrapped(f"- [`{entry.name}`](encodings/{entry.family}.md#{entry.name}): {escaped(entry.summary)}")


# -- a section for each encoding --------------------------------------------------------------------------------------


def section(entry):
    """The docstring as Markdown: its formula and its example in blocks of their own."""
    text, _, example = inspect.getdoc(entry.function).partition("\n\n>>> ")
    summary, *lines = text.splitlines()
    parts = [f"## {entry.name}", escaped(summary), fenced("text", signature(entry)), *blocks_of(lines)]
    for title, words in ("Conventions", entry.conventions), ("Paper", entry.paper):
        parts.append(wrapped(f"**{title}:** {escaped(words)}."))
    parts.append(f"**Picture:** [gallery](../gallery.md#{entry.name}).")
    return "\n\n".join([*parts, fenced("pycon", f">>> {example}")]) + "\n"


def blocks_of(lines):
    """Lines of a docstring as Markdown: what is indented is a formula, and stays as it is."""
    for formula, run in grouped(lines):
        text = "\n".join(run).strip("\n")
        if text:
            yield fenced("text", textwrap.dedent(text)) if formula else prose(text)


def grouped(lines):
    """Runs of lines: (whether they are indented, the lines). An empty line belongs to the run before it."""
    run, indented = [], False
    for line in lines:
        kind = line.startswith("    ") if line else indented
        if kind != indented:
            yield indented, run
            run = []
        run, indented = [*run, line], kind
    yield indented, run


def prose(text):
    """What is returned, what is raised and the source stand in paragraphs of their own."""
    text = re.sub(r"(?<=\.)[ \n](?=(?:Returns|Raises) |Source:)", "\n\n", text)
    return re.sub(r"^(Raises|Returns|Source:)", r"**\1**", escaped(text), flags=re.MULTILINE)


def escaped(text):
    """Text whose stars, outer underscores and angle brackets stay what they are; code spans are left as they are."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(one if one.startswith("`") else re.sub(r"[*<]|(?<!\w)_|_(?!\w)", r"\\\g<0>", one) for one in pieces)


def wrapped(text):
    """A paragraph, or an item of a list, in lines of the length of the code."""
    indent = "  " if text.startswith("- ") else ""
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def fenced(language, text):
    return f"```{language}\n{text}\n```"


def signature(entry):
    """The call without annotations, a line for as many arguments as fit."""
    call = inspect.signature(entry.function)
    names = [parameter.replace(annotation=parameter.empty) for parameter in call.parameters.values()]
    bare = call.replace(parameters=names, return_annotation=call.empty)
    text = f"refpos.{entry.name}{bare}"
    return textwrap.fill(text, 88, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
