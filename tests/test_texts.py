"""docs/texts.md has every point of the introductory texts, with calls that are there."""

import re
from pathlib import Path

import refpos
from refpos import catalogue

PAGE = Path(__file__).resolve().parent.parent / "docs" / "texts.md"
CALL = re.compile(r"`(refpos(?:\.\w+)+)`")


def points(text):
    """{point: its calls} of the table."""
    rows = [line.strip("| ").split(" | ") for line in text.partition("## Points of the texts")[2].splitlines()[1:]]
    return {row[0]: CALL.findall(row[1]) for row in rows if len(row) == 3 and row[0] not in ("point", "---")}


def missing(calls):
    """The calls that refpos does not have."""
    for call in calls:
        value = refpos
        for name in call.split(".")[1:]:
            value = getattr(value, name, None)
        if not callable(value):
            yield call


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
