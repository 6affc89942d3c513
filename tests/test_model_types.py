"""The page of model types: which encoding each has, read from its own configuration without a value.

`python tests/test_model_types.py` writes it anew.
"""

import pages

from refpos import catalogue, from_config
from refpos.configs import encoding_rows, model_defaults
from refpos.errors import InputError

PAGE = pages.DOCS / "model-types.md"


def types():
    """{model type: {key of a part: the type of that part}}."""
    found = {name: dict(row.parts) for name, row in model_defaults.rows().items()}
    for name, row in encoding_rows.rows().items():
        found.setdefault(name, {}).update(row.parts)
    return dict(sorted(found.items()))


def row_of(name, parts):
    """The line of a type, or None where its name alone does not say the encoding."""
    try:
        config = from_config({"model_type": name, **{key: {"model_type": part} for key, part in parts.items()}})
    except InputError:
        return None
    said = [
        rotary(part, layers, one) for part, several in config.parts.items() for layers, one in several.rotaries.items()
    ]
    said += [f"{one.part}: {link(one.name)}, {one.place}" for one in config.encodings]
    return f"| `{name}` | {'<br>'.join(dict.fromkeys(said))} |"


def rotary(part, layers, one):
    """What is said of one rotation."""
    of = one.parameters
    words = [f"{part}: {link('rope')}", one.pairing]
    if one.frequencies.axes is not None:
        words.append(f"{len(set(one.frequencies.axes))} axes")
    if one.rotary_dim != one.head_dim:
        words.append(f"{one.rotary_dim} of {one.head_dim} channels")
    if of.get("rope_theta") is not None:
        words.append(f"base {of['rope_theta']:,.0f}".replace(",", " "))
        if layers == f"rope_theta {of['rope_theta']:g}":  # named after their base alone
            layers = "all"
    if of.get("rope_type") not in (None, "default", "axial"):
        words.append(of["rope_type"])
    return ", ".join([*words, *([] if layers == "all" else [layers])])


def link(name):
    if name not in catalogue.ENTRIES:  # what refpos does not compute is said in words
        return name
    return f"[`{name}`](encodings/{catalogue.find(name).family}.md#{name})"


ALONE = (
    "A configuration of one of these types has to say more than its type before it means an encoding: which parts it "
    "has, which encoding is switched on, or a size. `refpos config config.json` reads such a file, and names what it "
    "lacks."
)


def below():
    """What stands below the mark of the page: the table, and the types that need more than their name."""
    rows = {name: row_of(name, parts) for name, parts in types().items()}
    alone = ", ".join(f"`{name}`" for name, row in rows.items() if row is None)
    table = "\n".join(["| model_type | part: encoding, where |", "| --- | --- |", *filter(None, rows.values())])
    return f"{table}\n\n## Types whose name is not enough\n\n{pages.wrapped(ALONE)}\n\n{pages.wrapped(alone)}\n"


def test_the_page_says_what_configurations_mean():
    assert PAGE.read_text() == pages.with_generated(PAGE.read_text(), below()), "run: python tests/test_model_types.py"


def test_every_type_is_on_the_page():
    text = PAGE.read_text()
    assert len(types()) > 650 and all(f"`{name}`" in text for name in types())
    assert text.count("\n| `") > 600


def test_known_types_have_what_their_authors_wrote():
    rows = {name: row_of(name, parts) for name, parts in types().items()}
    assert "[`rope`](encodings/rotary.md#rope), half, base 10 000" in rows["llama"]
    assert "learned" in rows["bert"] and "t5_bias" in rows["t5"] and "alibi" in rows["bloom"]
    assert "2 axes" in rows["qwen2_vl"] and "3 axes" in rows["qwen2_vl"]
    assert rows["esm"] is None  # which of two it has its file must say


if __name__ == "__main__":
    PAGE.write_text(pages.with_generated(PAGE.read_text(), below()))
