"""The page of model types: which encoding each has, read from its own configuration without a value.

`python tests/test_model_types.py` writes it anew.
"""

import pages

from refpos import catalogue
from refpos.configs.encodings import encoding_rows
from refpos.configs.encodings.uses_of_types import model_types, uses

PAGE = pages.DOCS / "model-types.md"


def row_of(name):
    """The line of a type, or None where its name alone does not say the encoding."""
    found = uses(name)
    if found is None:
        return None
    said = [f"{use.part}: {', '.join([link(use.function), *use.words])}" for use in found]
    return f"| `{name}` | {'<br>'.join(said)} |"


def link(name):
    if name not in catalogue.ENTRIES:  # what refpos does not compute is said in words
        return name
    return f"[`{name}`](encodings/{catalogue.find(name).family}.md#{name})"


ALONE = (
    "A configuration of one of these types has to say more than its type before it means an encoding: which parts it "
    "has, which encoding is switched on, or a size. `refpos config config.json` reads such a file, and names what it "
    "lacks."
)

NONE = (
    "A file of one of these alone is refused with the reason, by `refpos config config.json` too. Some are parts of "
    "larger models, whose own files say which encodings there are."
)
WITHOUT, GROUPS = encoding_rows.reasons(), encoding_rows.without()


def below():
    """What stands below the mark of the page: the table, and the types that need more than their name."""
    rows = {name: row_of(name) for name in model_types()}
    alone = ", ".join(f"`{name}`" for name, row in rows.items() if row is None)
    table = "\n".join(["| model_type | part: encoding, where |", "| --- | --- |", *filter(None, rows.values())])
    without = [f"- {reason}: {', '.join(f'`{name}`' for name in names)}" for reason, names in GROUPS.items()]
    sections = [table, "## Types whose name is not enough", *map(pages.wrapped, (ALONE, alone))]
    sections += ["## Types that encode no positions", pages.wrapped(NONE), "\n".join(map(pages.wrapped, without))]
    return "\n\n".join(sections) + "\n"


def test_the_page_says_what_configurations_mean():
    assert PAGE.read_text() == pages.with_generated(PAGE.read_text(), below()), "run: python tests/test_model_types.py"


def test_every_type_is_on_the_page():
    text = PAGE.read_text()
    assert len(model_types()) > 650 and all(f"`{name}`" in text for name in {*model_types(), *WITHOUT})
    assert text.count("\n| `") > 600


def test_each_type_without_an_encoding_has_one_reason():
    listed = [name for names in GROUPS.values() for name in names]
    assert len(listed) == len({*listed}) == len(WITHOUT) > 90 and not {*listed} & {*model_types()}
    assert all(names == sorted(names) for names in GROUPS.values())
    assert all(reason.startswith(("whose ", "which ")) for reason in GROUPS)


def test_known_types_have_what_their_authors_wrote():
    rows = {name: row_of(name) for name in model_types()}
    assert "[`rope`](encodings/rotary.md#rope), half, base 10 000" in rows["llama"]
    assert "learned" in rows["bert"] and "t5_bias" in rows["t5"] and "alibi" in rows["bloom"]
    assert "2 axes" in rows["qwen2_vl"] and "3 axes" in rows["qwen2_vl"]
    assert rows["esm"] is None  # which of two it has its file must say


if __name__ == "__main__":
    PAGE.write_text(pages.with_generated(PAGE.read_text(), below()))
