"""Words of a private vocabulary that pages, docstrings and messages once had do not come back."""

import re

import pytest
from test_lint import FILES, ROOT, name_of, text_of

#: (pattern, what to write instead)
BANNED = (
    (r"ladders?", "frequencies"),
    (r"taps?", "weights, or elements of a kernel"),
    (r"settle[sd]?|settling", "decide; of a value: its rounding test passes"),
    (r"written order", "fixed order"),
    (r"whole numbers?", "integer"),
    (r"whereabouts", "position, region"),
    (r"turned", "rotated, transposed, reversed"),
)
#: where the last of them is not looked for yet: local names of tests
ELSEWHERE = "tests/"
#: recorded words of programs, and what they may say
LEFT = ("refpos/golden/data/", "tests/data/", "tests/mistakes/")
#: pages that say what something was called: there code is not looked at
OF_CHANGES = ("docs/changelog.md", "docs/changes/", "docs/golden-format.md")


def banned_in(name, text):
    """(word, what to write) of each banned word in a text."""
    if name.startswith(LEFT):
        return
    if name.startswith(OF_CHANGES):
        text = re.sub(r"`[^`\n]+`", "", text)
    for pattern, instead in BANNED[: -1 if name.startswith(ELSEWHERE) else None]:
        for found in re.finditer(rf"\b({pattern})\b", text, re.IGNORECASE):
            yield found[0], instead


def test_no_private_word():
    kinds = {".py", ".md", ".myst", ".pyx", ".pxi", ".h", ".c", ".cpp", ".rs", ".mjs", ".txt", ".toml", ".yml"}
    texts = [path for path in FILES if path.suffix in kinds and path != ROOT / "tests" / "test_words.py"]
    assert len(texts) > 700
    found = {name_of(path): list(banned_in(name_of(path), text_of(path))) for path in texts}
    assert {name: words for name, words in found.items() if words} == {}


@pytest.mark.parametrize("pattern, instead", BANNED)
def test_the_check_sees_a_private_word(pattern, instead):
    word = re.sub(r"\[.*?\]|\?|s\?", "", pattern.split("|")[0])
    assert list(banned_in("docs/usage.md", f"The {word} of it.\n")) == [(word, instead)]
    assert list(banned_in("tests/data/x.py", f"The {word} of it.\n")) == []


def test_a_former_name_stands_as_code_where_changes_are_told():
    assert list(banned_in("docs/changelog.md", "`ladder` is called `allocation`.\n")) == []
    assert list(banned_in("docs/changelog.md", "the ladder\n")) == [("ladder", "frequencies")]
    assert list(banned_in("docs/usage.md", "`ladder`\n")) == [("ladder", "frequencies")]
