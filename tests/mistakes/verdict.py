"""How good an answer of `refpos.diagnose` is, by the words that were written down before."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

NUMBER = re.compile(r"(?<![\w)])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:/\d+)?", re.ASCII)
# words of answers that say the same as those that were written down
SAME = {"from its end to its beginning": "reversed", "minus ": "negated, of the other sign"}
CLOSE = 0.005  # numbers of an answer are printed with about six digits, those of the words with four

# what can be said of a program with a mistake, the best first, and of one without
WRONG = ("named", "measured", "silent", "misnamed", "passed", "failed")
RIGHT = ("clean", "accused", "failed")
MEANING = {
    "named": "the first explanation says what the mistake was, and of a mistake in a region also where",
    "measured": "the numbers or the place are right, without a name for them",
    "silent": "the numbers are called wrong, unexplained or described by a measurement that no call verifies",
    "misnamed": "another cause is given",
    "passed": "the numbers meet a class of the call, or it cannot be told",
    "clean": "a program without a mistake of which nothing bad is said",
    "accused": "a program without a mistake that is called wrong",
    "failed": "an exception",
}


def numbers(text):
    """The numbers of a text, 1/4 and 1e-05 among them."""
    return [float(Fraction(found)) for found in NUMBER.findall(text) if not found.endswith("/0")]


def plain(text):
    """In lower case, with signs beside their numbers and without separators of thousands."""
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text.lower())
    text = " ".join([text, *(other for said, other in SAME.items() if said in text)])
    return re.sub(r"([+-]) (?=\d)", r"\1", text)


def has(word, text):
    """Whether a word is in a text, as a number where it is one."""
    word, text = word.lower(), plain(text)
    if NUMBER.fullmatch(word):
        wanted = float(Fraction(word))
        return any(abs(found - wanted) <= CLOSE * abs(wanted) for found in numbers(text))
    return re.search(re.escape(word) + (r"(?!\d)" if word[-1].isdigit() else ""), text) is not None


def has_all(alternatives, text):
    """Whether all words of one of the sets are in the text; no sets ask for nothing."""
    return not alternatives or any(all(has(word, text) for word in words) for words in alternatives)


def measured(alternatives, text):
    """Whether the text has all numbers of a set that has some, or is nothing but the slopes that were measured."""
    if text.startswith("the slopes ") and "(" not in text:
        return True
    sets = [[word for word in words if NUMBER.fullmatch(word)] for words in alternatives]
    return any(words and all(has(word, text) for word in words) for words in sets)


class Told(NamedTuple):
    """What an answer says: what was computed by its first explanation, and the sentences on what differs where. The
    state "measured" is that of a measurement whose call the bounds verify, "described" of one without."""

    state: str
    said: str = ""
    place: str = ""

    @classmethod
    def of(cls, found):
        """That of a Diagnosis."""
        if found.met is not None or found.untold:
            return cls("met" if found.met is not None else "untold")
        if not found.explanations:
            return cls("unexplained", "", " ".join(found.where))
        first = found.explanations[0]
        state = "explained" if first.mistake != "measured" else "measured" if first.met else "described"
        return cls(state, first.computed, " ".join(found.where))


def of_region(plant, told):
    """The verdict on a mistake in a region, of which the place must be told too."""
    all_of = f"{told.said} {told.place}"
    located = has_all(plant.where, all_of)
    if told.said and located and has_all(plant.accepted, told.said):
        return "named"
    if located and (not told.said or has_all(plant.accepted, all_of)):
        return "measured"
    return "measured" if measured((), told.said) else unnamed(told)


def unnamed(told):
    """The verdict on an answer that has none of the words: a measurement gives no cause."""
    return {"explained": "misnamed", "measured": "measured"}.get(told.state, "silent")


def of(plant, told):
    """One of WRONG for a program with a mistake, one of RIGHT for one without."""
    if plant.kind == "right":
        return "clean" if told.state in ("met", "untold") else "accused"
    if told.state in ("met", "untold"):
        return "passed"
    if plant.where:
        return of_region(plant, told)
    if told.said and has_all(plant.accepted, told.said):
        return "named"
    if has_all(plant.accepted, f"{told.said} {told.place}") or measured(plant.accepted, told.said):
        return "measured"
    return unnamed(told)
