"""`refpos find`: functions, named models, model types, emulations, flags and classes by the words that people use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from .. import catalogue
from ..errors import InputError, letters, shown
from ..public import FAMILIES, dotted, in_reading_order, is_core
from ..words import COMMON_FORM, common, words
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
        return rank(self, Asked(name, letters(name), words(name))) <= SAME or begins


def find(options):
    """What is called by these words, or described with all of them; the best matches first."""
    text = " ".join(options.words)
    found = matching(text)
    if not found:
        sentence = f"WORDS must occur in a name or description that refpos has, got {shown(text)}"
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
    from ..configs.encodings.uses_of_types import uses

    said = uses(model_type)
    if said is None:
        return "its name alone does not say its encodings; `refpos config` reads its config.json"
    return "; ".join(f"{use.part} {', '.join([use.function, *use.words])}" for use in said)


def matching(text: str) -> list[Row]:
    """The rows that the words name or describe: exact names first, then beginnings of names, then descriptions.

    A word that nothing has is read as the one of a name that it resembles. Where no row has all of the words, those
    are given that have the rarest of them."""
    asked = Asked(text, letters(text), words(text))
    ranked = _ranked(asked)
    if not ranked and asked.words:
        asked = asked._replace(words=tuple(map(_respelled, asked.words)))
        ranked = _ranked(asked) if all(asked.words) else []
        ranked = ranked or (_partly(asked.words) if all(asked.words) else [])
    return [row for _, _, row in sorted(ranked, key=lambda one: one[:2])]


class Asked(NamedTuple):
    """A question as typed, its letters, and its words in their common form."""

    text: str
    letters: str
    words: tuple[str, ...]


#: how well a row fits, the best first: SAME and below are whole names
NAME, OTHER_NAME, SAME, BEGINS, WITHIN, PARAMETER, DESCRIBED, CITED, NOT = range(9)


def rank(row: Row, asked: Asked) -> int:
    """How well a row fits, 0 best; NOT where it does not."""
    known = _known(row)
    by_words = _by_words(known, asked.words)
    if row.kind in ("flag", "class") and row.name != asked.text:  # their names consist of the words of everything else
        return max(DESCRIBED, by_words)
    if asked.letters in known.own:
        return NAME
    if asked.letters in known.also:
        return OTHER_NAME
    if any(name.startswith(asked.letters) for name in (*known.own, *known.also)):
        return min(by_words, BEGINS)
    return min(by_words, PARAMETER) if asked.letters in known.parameters else by_words


def _by_words(known, asked):
    """The rank by words: all of one name in any order, some of one name, some of the description or of the source."""
    if not asked:
        return NOT
    if _joined(sorted(asked)) in known.names:
        return SAME
    if any(all(_has(name, word) for word in asked) for name in known.names):
        return WITHIN
    if all(_has(known.described, word) for word in asked):
        return DESCRIBED
    return CITED if all(_has(known.cited, word) for word in asked) else NOT


class Known(NamedTuple):
    """What a row is compared by: the letters of its own names, of its others and of its parameters; the words, joined,
    of each name, of names and summary, and of these with paper and conventions."""

    own: tuple[str, ...]
    also: tuple[str, ...]
    parameters: tuple[str, ...]
    names: list[str]
    described: str
    cited: str


@cache
def _known(row):
    name = row.name.rpartition(".")[2]
    entry = catalogue.ENTRIES.get(name) if row.kind == "function" else None
    names = [sorted(words(one)) for one in (name, *row.also)]
    described = [*words(row.summary), *(word for one in names for word in one)]
    source = words(f"{entry.paper} {entry.conventions}") if entry else ()
    parameters = tuple(map(letters, entry.parameters)) if entry else ()
    own, also = (letters(row.name), letters(name)), tuple(map(letters, row.also))
    return Known(own, also, parameters, [*map(_joined, names)], _joined(described), _joined([*described, *source]))


def _joined(held):
    """Words in one text, a space before and after each."""
    return f" {' '.join(held)} "


def _has(held, word):
    """Whether one of the joined words begins with that word; a short word must be equal."""
    return f" {word}" in held if len(word) > 2 else f" {word} " in held


def _ranked(asked):
    ranked = [(rank(row, asked), k, row) for k, row in enumerate(rows())] if asked.letters else []
    return [one for one in ranked if one[0] < NOT]


def _respelled(word):
    """The word, or the one of a name that it resembles; empty where none does."""
    from difflib import get_close_matches

    known = [_known(row) for row in rows()]
    if any(_has(one.cited, word) for one in known):
        return word
    held = dict.fromkeys(one for row in known for name in row.names for one in name.split())
    near = get_close_matches(word, [*held, *COMMON_FORM], 1, 0.8) if len(word) > 3 else []
    return common(near[0]) if near else ""


def _partly(asked):
    """Rows with the rarest of the words, as `_ranked` gives them."""
    held = [(k, row, [word for word in asked if _has(_known(row).cited, word)]) for k, row in enumerate(rows())]
    counts = Counter(word for _, _, some in held for word in some)
    weighed = [(-sum(1 / counts[word] for word in some), k, row) for k, row, some in held if some]
    best = min(weighed)[0] if weighed else 0
    return [one for one in weighed if one[0] <= best / 2]


def rows() -> Iterator[Row]:
    """Everything that has a name: functions first, those that many models use before all others."""
    from .. import emulate, models
    from ..conformance import CLASSES
    from ..golden.flags import FLAGS

    names = [name for family in FAMILIES for name in in_reading_order(family)]
    for name in sorted(names, key=lambda name: (dotted(name).count("."), not is_core(name))):
        entry = catalogue.ENTRIES[name]
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
    from ..configs.encodings.uses_of_types import ALSO, model_types

    for name in model_types():
        yield Row("model type", name, ALSO.get(name, ()), "")
