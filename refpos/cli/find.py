"""`refpos find`: functions, named models, model types, emulations, flags and classes by the words that people use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .. import catalogue
from ..errors import InputError, letters, shown
from . import screen

MOST = 12  # rows that are printed


class Row(NamedTuple):
    """Something that has a name: its kind, the names it goes by, and one line about it."""

    kind: str
    name: str
    also: tuple[str, ...]
    summary: str

    def fits(self, name: str) -> bool:
        """Whether it has that name, whatever the case and punctuation; model types also by the first of their words:
        qwen for qwen2_vl."""
        rest = letters(self.name).removeprefix(letters(name))
        begins = self.kind == "model type" and rest != letters(self.name) and (rest[:1].isdigit() or "_" in self.name)
        return rank(self, letters(name), []) <= SAME or begins


def find(options):
    """What is called by these words, or described with all of them; the best matches first."""
    words = " ".join(options.words)
    found = matching(words)
    if not found:
        sentence = f"WORDS must occur in a name or description that refpos has, got {shown(words)}"
        raise InputError("E_CHOICE", "words", sentence)
    if options.json:
        screen.as_json([row._asdict() for row in found])
        return 0
    print("\n".join(lines(found)))
    return 0


def lines(found, indent=0):
    """Name, kind and summary of the first rows, and how many more there are."""
    for row in found[:MOST]:
        summary = _encodings(row.name) if row.kind == "model type" else row.summary
        yield screen.paragraph(f"{row.name} ({row.kind}): {summary}", indent, indent + 4)
    if len(found) > MOST:
        yield " " * indent + f"... and {len(found) - MOST} more, which --json lists"


def _encodings(model_type):
    """The encodings of a model type on one line."""
    from ..configs.uses_of_types import uses

    said = uses(model_type)
    if said is None:
        return "its name alone does not say its encodings; `refpos config` reads its config.json"
    return "; ".join(f"{use.part} {', '.join([use.function, *use.words])}" for use in said)


def matching(words: str) -> list[Row]:
    """The rows that the words name or describe: exact names first, then beginnings of names, then descriptions."""
    asked = letters(words)
    parts = [letters(word) for word in words.split() if letters(word)]
    ranked = [(rank(row, asked, parts), k, row) for k, row in enumerate(rows())] if asked else []
    return [row for best, _, row in sorted(ranked, key=lambda one: one[:2]) if best is not None and best < NOT]


SAME, NOT = 1, 6


def rank(row, asked, parts):
    """How well a row fits, 0 best; NOT where it does not."""
    names = [letters(row.name), *map(letters, row.also)]
    if asked == names[0]:
        return 0
    if asked in names:
        return 1
    if any(name.startswith(asked) for name in names):
        return 2
    if not parts:
        return NOT
    if all(any(part in name for name in names) for part in parts):
        return 3
    if all(part in letters(row.summary) or any(part in name for name in names) for part in parts):
        return 4
    return NOT


def rows() -> Iterator[Row]:
    """Everything that has a name, functions first."""
    from .. import emulate, models
    from ..conformance import CLASSES
    from ..golden.flags import FLAGS

    for entry in catalogue.ENTRIES.values():
        yield Row("function", entry.public, (entry.name, *entry.also), entry.summary)
    for name in models.names():
        yield Row("named model", name, (), models.find(name).summary)
    yield from type_rows()
    for name in emulate.PROFILES:
        yield Row("emulation", name, (), emulate.PROFILES[name].meaning)
    for name, flag in FLAGS.items():
        yield Row("flag", name, (), flag.description)
    for name, one in CLASSES.items():
        yield Row("class", name, (), one.meaning)


def type_rows() -> Iterator[Row]:
    """The model types; what they are made of is read when one is shown."""
    from ..configs.uses_of_types import model_types

    for name in model_types():
        yield Row("model type", name, (), "")
