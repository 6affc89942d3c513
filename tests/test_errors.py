"""Messages: a value is shown as far as a line has room for it, and both of its ends where it is longer."""

import pickle
from fractions import Fraction

from refpos.errors import LONGEST, InputError, brief, shortened, shown


def test_values_are_shortened_for_messages():
    for text in ("", "\x1b[31m", "\ud800", "\u202e", "a" * 120, "a" * 121, "\x1b" * 121, "\U000e0001" * 10**5):
        assert len(shortened(text)) <= 120 and shortened(text).isprintable()
        assert len(shown(text, 20)) <= 20 and shown(text, 20).isprintable()
    assert shortened("a" * 120) == "a" * 120 and shown(10**5000).startswith("a value of type int")
    assert brief(10**39) == str(10**39) and brief(-(10**39)) == "-1.0e+39 (40 digits)"
    error = InputError("E_CHOICE", "name", "x\n\x1b" + "y" * 10_000)
    assert len(str(error)) == LONGEST and str(error).isprintable()
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_value_that_is_little_too_long_is_shown_with_its_own_end():
    for value in ("a" * 150 + "the end", b"a" * 150 + b"the end", [*range(10, 49), "the end"]):
        assert shown(value) == shortened(repr(value)) != repr(value)
        assert len(shown(value)) == 120 and "the end" in shown(value)[-10:]


def test_a_number_that_is_no_whole_one_is_shown_by_its_first_and_last_digits():
    assert brief(Fraction(1, 3)) == "1/3"
    assert brief(Fraction(1, 10**60 + 7)) == "1/1000000000000000000000...0000000000007"
