"""Ladders put together: several into one width, multiples of pi, and frequencies that somebody has written down."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

from ..arithmetic import reals
from ..errors import InputError
from .frequencies import Frequencies, scaled


def joined(ladders, order):
    """One width from several ladders: its i-th frequency is number j of ladder k, for order[i] = (k, j)."""
    factors = {ladder.factor.rational or ladder.factor for ladder in ladders}
    if len(factors) > 1:
        values = ", ".join(str(ladder.attention_factor) for ladder in ladders)
        raise InputError("E_NUMBER", "frequencies", f"frequencies must have one attention factor, got {values}")
    return Frequencies(
        2 * len(order),
        partial(_joined_fixed, ladders, order),
        partial(_joined_known, [ladder.rational for ladder in ladders], order),
        factor=ladders[0].factor,
        turns=partial(_joined_known, [ladder.turns for ladder in ladders], order),
    )


def _joined_fixed(ladders, order, bits):
    values = [ladder.fixed(bits) for ladder in ladders]
    return tuple(values[k][j] for k, j in order)


def _joined_known(rules, order, i):
    k, j = order[i]
    return rules[k](j)


def picked(frequencies, indices):
    """Some of the frequencies, in that order, without axes."""
    return joined([replace(frequencies, axes=None)], [(0, i) for i in indices])


def times_pi(frequencies, number):
    """The frequencies times number * pi, for a fraction: positions then count half turns."""
    number = Fraction(number)
    multiplier = reals.evaluated(partial(_multiple_of_pi, number)) if number else reals.rational(0)
    found = scaled(frequencies, (multiplier,) * len(frequencies))
    return replace(found, turns=partial(_halved, frequencies.rational, number))


def _multiple_of_pi(number, digits):
    return digits.pi() * number


def _halved(rational, number, i):
    value = rational(i)
    return None if value is None else value * number / 2


def given(values):
    """Frequencies that are fractions already."""
    values = tuple(values)
    return Frequencies(2 * len(values), partial(_given_fixed, values), values.__getitem__)


def numbers(values):
    """Frequencies that are any `Real` numbers."""
    values = tuple(values)
    return Frequencies(2 * len(values), partial(_numbers_fixed, values), partial(_number_known, values))


def _numbers_fixed(values, bits):
    return tuple(value.fixed(bits) for value in values)


def _number_known(values, i):
    return values[i].rational


def _given_fixed(values, bits):
    return tuple((value.numerator << bits) // value.denominator for value in values)
