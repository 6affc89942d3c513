"""Sets of frequencies: several joined into one width, multiples of pi, and frequencies listed one by one."""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial

from ...arithmetic import reals
from ...errors import InputError
from .frequencies import Frequencies, scaled


def joined(parts, order):
    """One width from several sets: its i-th frequency is number j of set k, for order[i] = (k, j)."""
    factors = {part.factor.rational or part.factor for part in parts}
    if len(factors) > 1:
        values = ", ".join(str(part.attention_factor) for part in parts)
        raise InputError("E_NUMBER", "frequencies", f"frequencies must have one attention factor, got {values}")
    return Frequencies(
        2 * len(order),
        partial(_joined_fixed, parts, order),
        partial(_joined_rational, [part.rational for part in parts], order),
        factor=parts[0].factor,
        turns=partial(_joined_rational, [part.turns for part in parts], order),
    )


@lru_cache(maxsize=64)
def joined_on_axes(parts, order, axes):
    """The same of tuples, with the axis of each frequency."""
    return with_axes(joined(parts, order), axes)


@lru_cache(maxsize=64)  # plans are kept by the frequencies they are of
def with_axes(frequencies, axes):
    """The frequencies with the axis of each, or None."""
    return replace(frequencies, axes=axes)


def _joined_fixed(parts, order, bits):
    values = [part.fixed(bits) for part in parts]
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


def from_quotients(numerators, denominator):
    """Frequencies that are listed as integers over one denominator."""
    fixed, rational = partial(_fixed_of_quotients, numerators, denominator), partial(_quotient, numerators, denominator)
    return Frequencies(2 * len(numerators), fixed, rational)


def _fixed_of_quotients(numerators, denominator, bits):
    return tuple((value << bits) // denominator for value in numerators)


def _quotient(numerators, denominator, i):
    return Fraction(numerators[i], denominator)


def of_logarithms(numbers, weights, phases, shift):
    """For each fraction x greater than 0, and then for each whole weight and phase, (weight ln x + phase) / 2**shift.

    As x is a fraction, this is one only where x is 1 or the weight is 0.
    """
    logs = [reals.rational(0) if x == 1 else reals.evaluated(partial(_logarithm, x)) for x in numbers]
    fixed = partial(_fixed_of_logarithms, logs, weights, phases, shift)
    return Frequencies(2 * len(numbers) * len(weights), fixed, partial(_rational_sum, logs, weights, phases, shift))


def _logarithm(number, digits):
    return digits.log(number)


def _fixed_of_logarithms(logs, weights, phases, shift, bits):
    # a logarithm is off by 1 unit of 2**-(bits + guard), its product by less than 1/4 of 2**-bits
    guard = 2 + max(abs(weight) for weight in weights).bit_length()
    drop = shift + guard
    return tuple(
        log * weight + (phase << bits + guard) + (1 << drop - 1) >> drop
        for log in [log.fixed(bits + guard) for log in logs]
        for weight, phase in zip(weights, phases)
    )


def times_logarithms(frequencies, numbers):
    """For each fraction greater than 0 its logarithm times each frequency; a fraction only where the number is 1.

    With an algebraic frequency the angle's sine and cosine are transcendental then (Gelfond and Schneider).
    """
    logs = [reals.rational(0) if x == 1 else reals.evaluated(partial(_logarithm, x)) for x in numbers]
    fixed = lru_cache(maxsize=8)(partial(_fixed_products, logs, frequencies))  # many hard cases ask for the same bits
    return Frequencies(len(numbers) * frequencies.dim, fixed, partial(_zero_at_one, logs, len(frequencies)))


def _fixed_products(logs, frequencies, bits):
    # both are off by 1 unit of 2**-work, their product by less than a quarter of 2**-bits
    sizes = [n.bit_length() - 8 for n in (*frequencies.fixed(8), *(log.fixed(8) for log in logs))]
    work = bits + max(0, *sizes) + 4
    drop = 2 * work - bits
    thetas = frequencies.fixed(work)
    return tuple(log * theta + (1 << drop - 1) >> drop for log in [log.fixed(work) for log in logs] for theta in thetas)


def _zero_at_one(logs, count, i):
    return logs[i // count].rational


def _rational_sum(logs, weights, phases, shift, i):
    row, column = divmod(i, len(weights))
    is_known = logs[row].rational == 0 or not weights[column]
    return Fraction(phases[column], 1 << shift) if is_known else None


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
