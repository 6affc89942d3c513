"""A report as JUnit XML: one testcase for each case, as continuous integration reads it."""

from xml.sax.saxutils import escape, quoteattr

#: state of an item -> the element of its testcase
ELEMENTS = {"failed": "failure", "missing": "error", "unusable": "error", "untold": "skipped", "skipped": "skipped"}


def document(outcome):
    """The XML text."""
    suites = [_suite(group, items) for group, items in outcome.groups().items()]
    name = f"name={_attribute(f'refpos {outcome.command}')} {_counts(outcome.items)}"
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {name}>", *suites, "</testsuites>", ""])


def _suite(group, items):
    cases = "\n".join(_case(item) for item in items)
    return f"<testsuite name={_attribute(group or 'tensors without a case')} {_counts(items)}>\n{cases}\n</testsuite>"


def _counts(items):
    kinds = [ELEMENTS.get(item.state) for item in items]
    failures, errors, skipped = (kinds.count(kind) for kind in ("failure", "error", "skipped"))
    return f'tests="{len(kinds)}" failures="{failures}" errors="{errors}" skipped="{skipped}"'


def _case(item):
    # the time is not measured case by case; readers ask for the attribute
    head = f'<testcase classname={_attribute(f"refpos.{item.group}")} name={_attribute(item.name)} time="0"'
    if item.state == "passed":
        said = escape(_visible(f"{item.full_name}: {item.sentence}"))
        return f"{head}>\n<system-out>{said}</system-out>\n</testcase>" if item.silent else f"{head}/>"
    kind = ELEMENTS[item.state]
    text = escape(_visible("\n".join(told(item))))
    return f"{head}>\n<{kind} message={_attribute(cause_of(item))}>{text}</{kind}>\n</testcase>"


def cause_of(item):
    """What is wrong in one sentence: the wrong call where one is known."""
    return f"{item.output}: {item.causes[0]}" if item.causes and item.output else item.sentence


def told(item):
    """All that is known of an item, in lines."""
    yield f"{item.full_name}: {item.sentence}"
    yield from item.causes
    if item.errors is not None and item.errors.wrong:
        yield f"wrong: {places(item.errors)}"
    if item.report is not None:
        yield from str(item.report).splitlines()


def places(errors):
    """Where something is wrong, axis by axis."""
    many = len(errors.places) > 1
    parts = [f"axis {axis}: {words}" if many else words for axis, words in enumerate(errors.places)]
    return "; ".join(parts) or "the only element"


def _attribute(text):
    return quoteattr(_visible(" ".join(text.split())))


def _visible(text):
    """The text with what XML 1.0 cannot hold as escapes."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode("ascii") for c in text)
