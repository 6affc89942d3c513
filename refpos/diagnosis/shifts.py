"""Positions that are shifted by more than is tried one by one: the shift that comes nearest on one row."""

from __future__ import annotations

import numpy as np

from ..tensor_files import Tensor
from .call import results
from .mistake import Mistake
from .numbers import apart, row_numbers
from .places import FARTHER, moved, numbers_of, place_of
from .samples import narrowed, rows_of
from .trial import REFUSED

MOST = 4096  # positions to either side
LARGEST, AT_ONCE = 1 << 20, 1 << 16  # numbers of the rows that are looked at, and those that are together


def other_shifts(study):
    """The positions moved by as many as brings one row nearest to its answers."""
    trial = study.trial
    rows, found = rows_of(trial.call, trial.outputs), place_of(trial.call)
    if rows is None or found is None or found[1].values.ndim != 1:
        return
    name, tensor = found
    at = int(np.argmax(study.off)) if study.off is not None else len(tensor.values) - 1
    few, less = narrowed(rows, trial.call, trial.answered)
    answered = row_numbers(rows, rows.of_outputs(less, np.array([at], np.int64)), trial.outputs)[0]
    most = min(MOST, LARGEST // (2 * answered.size))
    shifts, step = np.arange(-most, most + 1, dtype=np.int64), max(1, AT_ONCE // answered.size)
    apart_by = []
    for start in range(0, len(shifts), step):
        some = shifts[start : start + step]
        try:
            call = rows.of_call(few, np.full(len(some), at, np.int64))
            made = results(*call.given(**{name: Tensor("float64", numbers_of(tensor)[at] + some)}))
        except REFUSED:
            return
        numbers = row_numbers(rows, made, trial.outputs)
        apart_by.append(apart(np.broadcast_to(answered, numbers.shape), numbers).mean(axis=1))
    shift = int(shifts[np.argmin(np.concatenate(apart_by))])
    if abs(shift) > max(FARTHER):
        text = f"{name} {'+' if shift > 0 else '-'} {abs(shift)}"
        yield Mistake("positions", text, name, moved(name, lambda values: values + shift))
