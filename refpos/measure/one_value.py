"""Arrays all of whose numbers are one: nothing was written, another buffer was read, or all is NaN."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..tensor_files import Tensor
from .held_format import AT_ONCE, Held, numbers
from .reading_result import Reading

FEWEST = 8  # numbers up to which one number says nothing


def of_one_value(parts: Sequence[Held]) -> Reading | None:
    """The `Reading` of arrays whose numbers are all one, or all NaN; None where there are several."""
    values = [_value_of(part) for part in parts]
    if sum(part.tensor.values.size for part in parts) <= FEWEST or None in values:
        return None
    if not all(np.array_equal(values[0], one, equal_nan=True) for one in values):
        return None
    notes = tuple(dict.fromkeys(part.note for part in parts if part.note))
    return Reading("unknown", _sentence(values[0]), parts[0].format, notes=notes)


def _value_of(part):
    """The number that an array has everywhere; None where it has several."""
    flat, value = part.tensor.values.reshape(-1), None
    for start in range(0, flat.size, AT_ONCE):
        some = numbers(Tensor(part.format, flat[start : start + AT_ONCE]))
        value = float(some[0]) if value is None else value
        if not (np.isnan(some).all() if np.isnan(value) else (some == value).all()):
            return None
    return value


def _sentence(value):
    if value == 0:
        return "every number is 0: nothing was written, or another buffer was read"
    if not np.isfinite(value):
        return f"no number is finite: every one is {'NaN' if np.isnan(value) else format(value, 'g')}"
    return f"every number is {value:.9g}"
