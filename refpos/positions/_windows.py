"""What the rules beyond the trained length share: whole positions, pairs of them, and fractions rounded once."""

from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic import exponentials, formats, rounding
from ..arithmetic.double_double import add, divide
from ..arithmetic.hard_cases import Pairs, round_hard_cases
from ..errors import InputError, shown
from ..steps.positions.exact_positions import LIMIT, read_whole_positions

#: largest divisor of a position and largest window, so that no product leaves int64
MOST = 2**31
Role = Literal["query", "key"]
ROLES = get_args(Role)


def read_queries_and_keys(query_positions, key_positions):
    """Positions of queries (q, 1) and of keys (k,), which broadcast to all pairs."""
    checked = []
    for name, positions in (("query_positions", query_positions), ("key_positions", key_positions)):
        array = read_whole_positions(name, positions)
        if array.ndim != 1:
            raise InputError("E_SHAPE", name, f"{name} must have one axis, got shape {array.shape}")
        checked.append(array)
    return checked[0][:, None], checked[1]


def read_size(name, value, minimum=1):
    """A window, a group or a chunk: an integer from minimum to 2**31."""
    return checks.integer(name, value, minimum, MOST)


def read_fraction(name, value):
    """(numerator, denominator) of a number that is at least 1, each at most 2**31."""
    number = checks.real(name, value)
    if number < 1 or max(number.numerator, number.denominator) > MOST:
        limit = "at least 1" if number < 1 else "a fraction of integers up to 2**31"
        raise InputError("E_NUMBER", name, f"{name} must be {limit}, got {shown(value)}")
    return number.numerator, number.denominator


def round_once(whole_part, numerator, denominator, dtype, out, what):
    """The array whole_part + numerator / denominator, each rounded once to `dtype`: "int64" or one of the formats.

    whole_part, numerator: int64 of one shape, 0 <= numerator. what: which argument makes fractions of integers.
    """
    fmt = checks.INT64 if isinstance(dtype, str) and dtype == "int64" else formats.resolve(dtype)
    carry, rest = np.divmod(numerator, denominator)
    whole_part = whole_part + carry
    result, stored = checks.output(out, whole_part.shape, fmt)
    if fmt is checks.INT64:
        if rest.any():
            sentence = f"dtype must be a float format where {what} leaves a rest, got 'int64'"
            raise InputError("E_DTYPE", "dtype", sentence)
        stored[...] = whole_part
    elif (not rest.any() and not whole_part.size) or (not rest.any() and abs(whole_part).max() <= LIMIT):
        stored[...] = rounding.narrow(whole_part.astype(np.float64), fmt)
    else:
        places, rests = whole_part.reshape(-1), rest.reshape(-1)

        def pairs(start, stop):
            return _pairs(places[start:stop], rests[start:stop], denominator)

        round_hard_cases(stored, fmt, pairs, lambda k: int(places[k]) + Fraction(int(rests[k]), denominator))
    return result


def _pairs(places, rests, denominator):
    """The `Pairs` of place + rest / denominator."""
    high, low = exponentials.integers(places)
    over, over_low = divide(rests.astype(np.float64), 0.0, float(denominator), 0.0)
    total, rest = add(high, low, over, over_low)
    radius = np.where(rests == 0, 0.0, (np.abs(high) + 1) * 2.0**-100)
    return Pairs(total, rest, radius, np.zeros(places.shape, np.int64))
