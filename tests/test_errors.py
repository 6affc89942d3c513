"""Messages: a value is shown as far as a line has room for it, and both of its ends where it is longer."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

from refpos.errors import LONGEST, InputError, brief, shortened, shown
from refpos.operators import group_query_attention, mlx_rope
from refpos.rotary import rope_in_qkv


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


def behind_a_past(new, past, total, batch=1):
    """A call of GroupQueryAttention with one head."""
    tensors = [np.zeros((batch, new, 8))] * 3 + [np.zeros((batch, 1, past, 8))] * 2
    return group_query_attention(*tensors, np.zeros(batch, np.int64), total, num_heads=1, kv_num_heads=1)


@pytest.mark.parametrize(
    ("call", "argument", "sentence"),
    [
        (lambda: behind_a_past(0, 0, 0), "total_sequence_length", "at least 1, with a past or new tokens, got 0"),
        (lambda: behind_a_past(3, 0, 2), "total_sequence_length", "must be 3, the room of the past and the new tokens"),
        (lambda: behind_a_past(1, 4, 9), "total_sequence_length", "1 .. 4, at most the room of the past, or 5,"),
        (lambda: behind_a_past(2, 4, 4, 2), "query", "one sequence where several tokens follow cached ones, got 2"),
        (lambda: rope_in_qkv(np.ones(12), 1, num_heads=4, num_kv_heads=1, fusion="concatenated", pairing="half"), "x",
         "must have a sequence axis and a channel axis, got shape (12,)"),
        (lambda: mlx_rope(np.ones((2, 3, 4)), 4, traditional=True, base=1e4, scale=1.0, offset=[[7]]), "offset",
         "must be one number or (2,), (batch,), got shape (1, 1)"),
    ],
)  # fmt: skip
def test_messages_of_operators_say_what_is_wrong(call, argument, sentence):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument and sentence in str(caught.value)
