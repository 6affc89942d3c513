"""docs/texts.md has every point of the introductory texts, with calls that are there."""

import re
from pathlib import Path

import refpos
from refpos import catalogue

PAGE = Path(__file__).resolve().parent.parent / "docs" / "texts.md"
CALL = re.compile(r"`(refpos(?:\.\w+)+)`")


def rows(text):
    """(point, calls, page) of each row of the table."""
    cells = [line.strip("| ").split(" | ") for line in text.partition("## Points of the texts")[2].splitlines()[1:]]
    return [row for row in cells if len(row) == 3 and row[0] not in ("point", "---")]


def points(text):
    """{point: its calls} of the table."""
    return {point: CALL.findall(calls) for point, calls, _ in rows(text)}


def missing(calls):
    """The calls that refpos does not have."""
    for call in calls:
        value = refpos
        for name in call.split(".")[1:]:
            value = getattr(value, name, None)
        if not callable(value):
            yield call


def section(text, title):
    """A section of a page by its anchor, or nothing."""
    for part in re.split(r"^(?=#+ )", text, flags=re.MULTILINE):
        head = re.sub(r"[^\w -]", "", part.partition("\n")[0].lstrip("# ").lower())
        if head.replace(" ", "-") == title:
            return part
    return ""


def not_explained(text):
    """(point, call) of the calls that none of the pages of their row has."""
    prose = text.partition("## Points of the texts")[0]
    for point, calls, links in rows(text):
        explained = ""
        for link in re.findall(r"\]\(([^)]*)\)", links):
            file, _, title = link.partition("#")
            page = (PAGE.parent / file).read_text() if file else prose
            explained += section(page, title) if title else page
        for call in CALL.findall(calls):
            if not re.search(rf"\b{call.rpartition('.')[2]}\b", explained):
                yield point, call


def test_pages_have_the_calls_of_their_points():
    text = PAGE.read_text()
    assert [*not_explained(text)] == []
    assert [*not_explained(text.replace("`refpos.learned`", "`refpos.learned_boxes`"))]
    assert [*not_explained(text.replace("(claims.md#scores-and-distances)", "(claims.md#scores)"))]


def test_every_point_has_a_call():
    held = points(PAGE.read_text())
    assert len(held) == 39
    assert [point for point, calls in held.items() if not calls or [*missing(calls)]] == []


def test_a_point_without_a_call_is_seen():
    rows = "| point | call | page |\n| --- | --- | --- |\n| a | `refpos.rope` | b |\n| c | d | e |\n"
    text = f"## Points of the texts\n{rows}"
    assert points(text) == {"a": ["refpos.rope"], "c": []}
    assert [*missing(["refpos.rope", "refpos.ropes", "refpos.relative.rope", "refpos.absolute"])] == [
        "refpos.ropes", "refpos.relative.rope", "refpos.absolute",
    ]  # fmt: skip


def test_statements_about_models_are_those_of_show():
    for word, name in (("dit", "sincos_2d"), ("transformer_xl", "xl_scores")):
        assert name in catalogue.called(word)
    assert "all" in refpos.from_config({"model_type": "gpt_neox"}).parts["text"].rotaries
