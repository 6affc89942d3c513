"""Ladders put together: several into one width, multiples of pi, and frequencies that are listed one by one."""

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
        partial(_joined_rational, [ladder.rational for ladder in ladders], order),
        factor=ladders[0].factor,
        turns=partial(_joined_rational, [ladder.turns for ladder in ladders], order),
    )


def _joined_fixed(ladders, order, bits):
    values = [ladder.fixed(bits) for ladder in ladders]
    return tuple(values[k][j] for k, j in order)


def _joined_rational(rules, order, i):
    k, j = order[i]
    return rules[k](j)


def picked(frequencies, indices):
    """The frequencies of those indices, in that order, without axes."""
    return joined([replace(frequencies, axes=None)], [(0, i) for i in indices])


def times_pi(frequencies, number):
    """The frequencies times number * pi, for a fraction: positions then count half turns."""
    number = Fraction(number)
    multiplier = reals.evaluated(partial(_multiple_of_pi, number)) if number else reals.rational(0)
    multiplied = scaled(frequencies, (multiplier,) * len(frequencies))
    return replace(multiplied, turns=partial(_turns_of_half_turns, frequencies.rational, number))


def _multiple_of_pi(number, digits):
    return digits.pi() * number


def _turns_of_half_turns(rational, number, i):
    value = rational(i)
    return None if value is None else value * number / 2


def from_fractions(values):
    """Frequencies that are listed as fractions."""
    values = tuple(values)
    return Frequencies(2 * len(values), partial(_fixed_of_fractions, values), values.__getitem__)


def from_reals(values):
    """Frequencies that are listed as `Real` numbers."""
    values = tuple(values)
    return Frequencies(2 * len(values), partial(_fixed_of_reals, values), partial(_rational_of_reals, values))


def _fixed_of_reals(values, bits):
    return tuple(value.fixed(bits) for value in values)


def _rational_of_reals(values, i):
    return values[i].rational


def _fixed_of_fractions(values, bits):
    return tuple((value.numerator << bits) // value.denominator for value in values)
