"""The errors refpos raises: one sentence, what was expected, then what was received, and a neutral code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import SupportsFloat

SHOWN = 120  # characters of a value in a message
LONGEST = 800  # characters of a message
LONGEST_NUMBER = 40  # characters of a number that is written out in a message
SUGGESTED = 5  # names in a message


def shown(value: object, most: int = SHOWN) -> str:
    """repr(value) for a message, on one line and shortened.

    >>> shown("x" * 1000, 20)
    "'xxxxxxxxxx...xxxxx'"
    """
    try:
        # of a long value only the beginning is wanted
        text = repr(value[: 2 * most] if isinstance(value, (str, bytes, list, tuple)) else value)
        if type(value).__module__ == "ml_dtypes":  # whose scalars look like Python's numbers
            text = f"{type(value).__name__}({text})"
    except Exception:  # whatever the value says of itself; of integers with thousands of digits, Python
        text = f"a value of type {type(value).__name__}"
    return shortened(" ".join(text.split()), most)


def shown_number(value: SupportsFloat) -> str:
    """A fraction for a message: the nearest float, or the fraction itself where no float is near.

    >>> from fractions import Fraction
    >>> shown_number(Fraction(1, 3))
    '0.3333333333333333'
    """
    try:
        return shown(float(value))
    except OverflowError:
        return brief(value)


def brief(value: object) -> str:
    """str(value) of a number for a message; of one with many digits, the first of them and how many there are.

    >>> brief(-123 * 10**400)
    '-1.2e+402 (403 digits)'
    """
    try:
        text = str(value)
    except ValueError:  # of integers with thousands of digits, Python
        return "a number of thousands of digits"
    digits = text.lstrip("-")
    if len(text) <= LONGEST_NUMBER:
        return text
    if not digits.isdigit():
        return shortened(text, LONGEST_NUMBER)
    sign = "-" if text.startswith("-") else ""
    return f"{sign}{digits[0]}.{digits[1]}e+{len(digits) - 1} ({len(digits)} digits)"


def shortened(text: str, most: int = SHOWN) -> str:
    """The text on one line of at most `most` characters, its middle left out, control characters escaped.

    >>> shortened("a\\x1b[31m\\n")
    'a\\\\x1b[31m\\\\n'
    """
    if len(text) > most:
        text = f"{text[: most - most // 3 - 3]}...{text[len(text) - most // 3 :]}"
    if text.isprintable():
        return text
    # a terminal obeys escape sequences, and a lone surrogate cannot be written at all
    clean = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    return clean if len(clean) <= most else shortened(clean, most)


def nearest(value: str, names: Iterable[str], most: int = SUGGESTED) -> list[str]:
    """The names that resemble the value, the nearest first, whatever their case and punctuation; perhaps none.

    >>> nearest("YARN", ["rope", "yarn", "yarn_softmax_scale"])
    ['yarn', 'yarn_softmax_scale']
    """
    from difflib import get_close_matches  # when a name is wrong, and not when refpos is imported

    text, spelled = letters(value[:SHOWN]), {}
    for name in names:
        spelled.setdefault(letters(name), []).append(name)
    same = [text] if text in spelled else []
    longer = sorted((one for one in spelled if one.startswith(text)), key=len) if len(text) > 1 else []
    within = [one for one in spelled if text in one or (len(one) > 3 and one in text)] if len(text) > 2 else []
    order = dict.fromkeys([*same, *longer, *get_close_matches(text, spelled, most, 0.7), *within])
    return [name for one in order for name in spelled[one]][:most]


def letters(text: str) -> str:
    """The letters and digits of a text in lower case: names are alike where these are."""
    return re.sub(r"[\W_]+", "", text.lower())


class InputError(ValueError):
    """A value that cannot be used; `code` is neutral between languages and `argument` names the culprit."""

    def __init__(self, code: str, argument: str, sentence: str) -> None:
        super().__init__(shortened(sentence, LONGEST))
        self.code = code
        self.argument = argument

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str, str]]:
        return type(self), (self.code, self.argument, str(self))


class InputTypeError(InputError, TypeError):
    """A value of a kind that cannot be used at all, such as a complex array."""


class FileError(InputError):
    """A file that is missing, truncated, edited or of an unknown kind."""


#: every code, with what it says; golden error cases use these names
CODES = {
    "E_ODD_DIM": "a width must be even (or a multiple of 4) and is not",
    "E_SIZE": "a size or count is not an integer in the allowed range",
    "E_TOO_LARGE": "the sizes multiply to more than an array can hold",
    "E_ROTARY_DIM": "rotary_dim does not fit the width or the frequencies",
    "E_BASE": "base is not a finite number greater than 0",
    "E_NUMBER": "a parameter is not a finite real number in its range",
    "E_POSITION": "a position is NaN, infinite or outside the exact range",
    "E_TIME": "a time is no day of the calendar, or has a zone where none is meant, or none where one is",
    "E_CHOICE": "a name is not one of the known ones",
    "E_DTYPE": "a dtype is not one of those supported",
    "E_SHAPE": "a shape does not fit the other arguments",
    "E_AXIS": "an axis is out of range or already taken",
    "E_OUT": "out has the wrong shape, dtype or byte order, is read-only or overlaps an input",
    "E_UNDECIDED": "a value is so close to halfway between two numbers of the format that its rounding is not known",
    "E_FILE": "a file is missing, truncated, edited or of an unknown kind",
    "E_MISSING": "a case or tensor that was expected is not there",
}
