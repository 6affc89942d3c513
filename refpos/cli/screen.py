"""What a person sees: wrapped text, columns, a progress bar."""

import json
import re
import shutil
import sys
import textwrap

from .docstrings import items, sections


def width():
    """Columns to wrap at: those of the terminal, 100 at most."""
    return max(40, min(100, shutil.get_terminal_size((80, 24)).columns))


def paragraph(text, indent=0, hang=None, less=0):
    """Text wrapped to the width, `less` narrower; lines after the first are indented by `hang` where given."""
    return textwrap.fill(
        escaped(text),
        width() - less,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent if hang is None else hang),
        break_long_words=False,
        break_on_hyphens=False,
    )


def escaped(text):
    """The text with what a terminal would obey, or not show, as escapes; spaces and ends of lines stay."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode("ascii") for c in text)


def columns(rows):
    """Rows of cells as aligned lines: integers to the right, text to the left."""
    rows = [[escaped(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    wide = [max(len(str(cell)) for cell in column) for column in zip(*rows)]
    return ["  ".join(_padded(cell, w) for cell, w in zip(row, wide)).rstrip() for row in rows]


def _padded(cell, size):
    return cell.ljust(size) if isinstance(cell, str) else str(cell).rjust(size)


ITEM = re.compile(r"(?:[a-z_]+(, [a-z_]+)*: |- )")
#: sections whose text is verbatim, and those whose descriptions stand indented below a name or a type
VERBATIM, LISTS = ("Examples",), ("Parameters", "Attributes", "Returns", "Yields", "Raises")


def docstring(text):
    """A docstring wrapped to the width, section by section; formulas (indented) and examples stay as they are."""
    first, *rest = sections(text).items()
    parts = (f"{title}\n{'-' * len(title)}\n{_body(title, body)}" for title, body in rest)
    return "\n\n".join([_prose(first[1]), *parts])


def _body(title, body):
    if title in VERBATIM:
        return body
    if title not in LISTS:
        return _prose(body)
    return "\n".join(
        "\n".join([paragraph(head, 0, 4), *([textwrap.indent(_flowing(below, 4), " " * 4)] if below else [])])
        for head, below in items(body)
    )


def _prose(text):
    return "\n\n".join(block if block.startswith((" ", ">>>")) else _flowing(block) for block in text.split("\n\n"))


def _flowing(block, indent=0):
    return "\n".join(paragraph(item, 0, 2 if ITEM.match(item) else 0, indent) for item in _items(block))


def _items(block):
    """The lines of a paragraph joined; every line that starts as `- `, or in a list as `name:`, is an item."""
    listed = ITEM.match(block)
    found = []
    for line in block.splitlines():
        if found and not (ITEM.match(line) if listed else line.startswith("- ")):
            found[-1] += f" {line.strip()}"
        else:
            found.append(line)
    return found


def as_json(value):
    """The value as JSON on standard output."""
    print(json.dumps(value, indent=2, allow_nan=False))


class Progress:
    """A bar on standard error while that is a terminal, and nothing otherwise; `cases` are the ids worked on."""

    def __init__(self):
        self.shown = sys.stderr.isatty()
        self.length = 0
        self.cases = set()

    def __call__(self, done, total, name=""):
        """Write the line again: `done` of `total` cases or suites, the last one `name`."""
        if "/" in name:
            self.cases.add(name)
        if self.shown:
            filled = 24 * done // max(total, 1)
            self._draw(f"[{'#' * filled}{'.' * (24 - filled)}] {done}/{total} {name}"[: width() - 1])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.length:
            self._draw("")
            sys.stderr.write("\r")

    def _draw(self, line):
        sys.stderr.write("\r" + line.ljust(self.length))
        sys.stderr.flush()
        self.length = len(line)
