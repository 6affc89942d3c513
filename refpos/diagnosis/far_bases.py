"""A base from numbers whose positions are all far from 0, where a base beside the right one looks like any other.

Each element moves no faster with the base than some speed, so that a slow one leaves out whole intervals of bases from
one look at their middle, and faster ones do as the intervals become narrower. What is left is a guess to be tried.
"""

from __future__ import annotations

import numpy as np

from ..tensor_files import Tensor
from .call import results
from .numbers import row_numbers
from .places import numbers_of, place_of
from .samples import narrowed, rows_of
from .trial import REFUSED

MOST = 1024  # calls of a search
USUAL = 1000  # a base that moves every element that any base moves
NEAR = 8  # positions at which no such search is needed
WIDEST = 1 << 12  # numbers of a row
PROBES = 16  # positions at which speeds are measured, from half of that of the row on
STEP = 1e-5  # by which part of itself a base is moved for that
SLACK = 1.5  # of speeds, which may be somewhat larger between two probes
ROUNDED = 1 / 64  # of the size of an element, how far off other arithmetic may be
TELLING = 0.5  # of its size, how far an element may move within an interval that it can leave out


def bases_within(study, change, cells):
    """The intervals of bases that may give the numbers, as narrow as the row of the smallest position tells them, from
    intervals [(low, high)] in the order in which they are tried."""
    row = _row(study)
    if row is None or _others_are_off(row, change):
        return
    call, answered, made = row
    count = 0
    for low, high in cells:
        speeds, left = _speeds(row, change, low), [(low, high)]
        count += 2
        while left:
            low, high = left.pop()
            middle, width = (low + high) / 2, SLACK * (high - low) / (2 * low)
            numbers, count = made(change(call, middle)), count + 1
            if speeds is None or numbers is None or count > MOST:
                return
            if _left_out(np.abs(answered - numbers[0]), *speeds, width):
                continue
            speed, size = speeds
            if (speed * width <= ROUNDED * size).all():
                yield low, high
            else:
                left += [(low, middle), (middle, high)]


def _left_out(apart, speed, size, width):
    """Whether most of the elements that can tell are farther from those of a base than one of its interval is."""
    moving, rounding = speed * width, ROUNDED * size
    beyond = ~(apart <= moving + rounding)
    telling = (moving + rounding < TELLING * size) & (speed > STEP * size)
    # of these the fastest tell most, which are few where the interval is narrow
    return any(
        2 * np.count_nonzero(beyond & some) > np.count_nonzero(some)
        for some in (telling, telling & (moving > rounding))
    )


def _others_are_off(row, change):
    """Whether most of the elements that no base moves are off, so that it is not the base alone that is wrong."""
    call, answered, made = row
    speeds, numbers = _speeds(row, change, USUAL), made(call)
    if speeds is None or numbers is None:
        return True
    speed, size = speeds
    still = speed <= STEP * size
    off = ~(np.abs(answered - numbers[0]) <= ROUNDED * size)
    return 2 * np.count_nonzero(off & still) > np.count_nonzero(still)


def _speeds(row, change, base):
    """(how fast each element moves at most with a part of a base, its size); None where there is no such call."""
    call, _, made = row
    numbers, moved = made(change(call, base)), made(change(call, base * (1 + STEP)))
    if numbers is None or moved is None:
        return None
    with np.errstate(invalid="ignore"):  # of infinities
        return np.abs(moved - numbers).max(axis=0) / STEP, np.abs(numbers).max(axis=0)


def _row(study):
    """(call of the row of the smallest position and of probes beside it, its answers, what makes numbers of such a
    call); None where there is no such row, or where positions near 0 tell more."""
    trial = study.trial
    rows, found = rows_of(trial.call, trial.outputs), place_of(trial.call)
    if rows is None or found is None or found[1].values.ndim != 1:
        return None
    size = np.abs(numbers_of(found[1]))
    at = int(np.argmin(size))
    if not size[at] > NEAR:
        return None
    positions = numbers_of(found[1])[at] * np.linspace(1, 0.5, PROBES + 1)
    few, less = narrowed(rows, trial.call, trial.answered)
    call = rows.of_call(few, np.full(PROBES + 1, at, np.int64)).given(**{found[0]: Tensor("float64", positions)})
    answered = row_numbers(rows, rows.of_outputs(less, np.array([at], np.int64)), trial.outputs)[0]
    finite = np.isfinite(answered)  # an infinite channel tells nothing of a base

    def made(call):
        try:
            return row_numbers(rows, results(*call, dtype="float64"), trial.outputs)[:, finite]
        except REFUSED:
            return None

    return (call, answered[finite], made) if 0 < np.count_nonzero(finite) <= WIDEST else None
