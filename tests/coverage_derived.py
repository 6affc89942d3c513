"""The rows of docs/coverage.md, with one for each function that coverage_rows.py does not name, which is made of its
docstring, golden cases and witness. Where it has been compared with code of others it gets a row by hand."""

from coverage_rows import SECTIONS as BY_HAND
from coverage_rows import Row
from proving import RULES, WITNESSES

from refpos import catalogue

#: the title of the section for the functions of a family
SECTION = {
    "frequencies": "Frequencies and their scalings",
    "absolute": "Tables for sequences",
    "rotary": "Application",
    "relative": "Relative positions",
    "scores": "Attention",
    "positions": "Positions",
    "tables": "Learned tables",
    "operators": "Operators",
}


def row_of(entry):
    what = entry.summary.rstrip(".")
    return Row("", what, entry.name, cases=f"{entry.name}/*", witness=witness_of(entry.name), tests="test_golden.py")


def witness_of(name):
    """The function below tests that confirms the golden cases of a function."""
    found = RULES.get(name, WITNESSES[name])
    return f"{found.__module__.removeprefix('witness.')}.{found.__name__}"


def sections(entries):
    """[(title, rows)] with a row for each of these functions."""
    named = {name for _, rows in BY_HAND for row in rows for name in row.calls.split()}
    made = {title: [] for title, _ in BY_HAND}
    for entry in entries:
        if entry.name not in named:
            made[SECTION[entry.family]].append(row_of(entry))
    return [(title, [*rows, *made[title]]) for title, rows in BY_HAND]


SECTIONS = sections(catalogue.ENTRIES.values())
