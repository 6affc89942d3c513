"""Steps that the rules beyond the trained length share: whole positions, pairs of them, and fractions rounded once."""

from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic import formats, rounding
from ..encodings.t5_buckets import INDEX
from ..errors import InputError, shown

LARGEST = 2**53
#: largest divisor of a position and largest window, so that no product leaves int64
MOST = 2**31
Role = Literal["query", "key"]
ROLES = get_args(Role)


def whole(name, positions):
    """Whole positions from 0 to 2**53 as int64, of any shape; an int n means 0 .. n-1."""
    if positions is not None and not isinstance(positions, np.ndarray) and np.isscalar(positions):
        return np.arange(checks.integer(name, positions, 0, LARGEST, code="E_POSITION"), dtype=np.int64)
    array = checks.integers(name, positions, "E_POSITION")
    if array.size and (array.min() < 0 or array.max() > LARGEST):
        wrong = array.min() if array.min() < 0 else array.max()
        raise InputError("E_POSITION", name, f"{name} must lie within 0 .. 2**53, got {wrong}")
    return array.astype(np.int64)


def lines(query_positions, key_positions):
    """Positions of queries (q, 1) and of keys (k,), which broadcast to all pairs."""
    found = []
    for name, positions in (("query_positions", query_positions), ("key_positions", key_positions)):
        array = whole(name, positions)
        if array.ndim != 1:
            raise InputError("E_SHAPE", name, f"{name} must have one axis, got shape {array.shape}")
        found.append(array)
    return found[0][:, None], found[1]


def size(name, value, minimum=1):
    """A window, a group or a chunk: a whole number from minimum to 2**31."""
    return checks.integer(name, value, minimum, MOST)


def parts_of(name, value):
    """(numerator, denominator) of a number that is at least 1, each at most 2**31."""
    number = checks.real(name, value)
    if number < 1 or max(number.numerator, number.denominator) > MOST:
        limit = "at least 1" if number < 1 else "a fraction of whole numbers up to 2**31"
        raise InputError("E_NUMBER", name, f"{name} must be {limit}, got {shown(value)}")
    return number.numerator, number.denominator


def result(whole_part, numerator, denominator, dtype, out, what):
    """The array whole_part + numerator / denominator, each rounded once to `dtype`: "int64" or one of the formats.

    whole_part, numerator: int64 of one shape, 0 <= numerator. what: which argument makes fractions of whole numbers.
    """
    fmt = INDEX if isinstance(dtype, str) and dtype == "int64" else formats.resolve(dtype)
    carry, rest = np.divmod(numerator, denominator)
    whole_part = whole_part + carry
    found, stored = checks.output(out, whole_part.shape, fmt)
    if fmt is INDEX:
        if rest.any():
            sentence = f"dtype must be a float format where {what} leaves a rest, got 'int64'"
            raise InputError("E_DTYPE", "dtype", sentence)
        stored[...] = whole_part
    elif not rest.any() and not whole_part.size or not rest.any() and abs(whole_part).max() <= LARGEST:
        stored[...] = rounding.narrow(whole_part.astype(np.float64), fmt)
    else:
        pairs, places = np.unique(np.stack([whole_part.reshape(-1), rest.reshape(-1)]), axis=1, return_inverse=True)
        patterns = [rounding.nearest_fraction(w + Fraction(r, denominator), fmt) for w, r in pairs.T.tolist()]
        made = np.array(patterns, f"u{fmt.width // 8}")[places.reshape(-1)]
        formats.bits(stored)[...] = made.reshape(whole_part.shape)
    return found
