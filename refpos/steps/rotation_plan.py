"""Turning: what a kernel needs to rotate rows of pairs, by one position a row or by one for each of several axes."""

from functools import lru_cache
from typing import Callable, NamedTuple

import numpy as np

from . import attention_factor, axis_runs, phases, tables
from .positions import whole


class Turning(NamedTuple):
    """near: rows to one anchor. arguments(start, stop): of the kernel, before the arrays. axes: after them, the first
    column of each axis and where the columns go, or nothing. place(row, i): of one pair, its frequencies, its number
    among them and its position (multiplier, exponent)."""

    factor: object
    near: int
    arguments: Callable
    axes: tuple
    place: Callable


def by_one(frequencies, multipliers, exponent, fmt):
    """Pairs that turn by one position a row."""
    # pairs of doubles do not add up to pairs: float64 takes its seeds directly
    most = 1 if fmt.width == 64 else tables.STEPS
    near, arguments = tables.plan(multipliers, exponent, frequencies, fmt, most=most)

    def place(row, i):
        return frequencies, i, (int(multipliers[row]), exponent)

    return Turning(frequencies.factor, near, arguments, (), place)


def by_many(frequencies, axes, fmt):
    """Pairs that turn by a position on the axis of each; None where an axis has positions of several exponents."""
    used = sorted(set(frequencies.axes))
    if any(len(axes[k].groups) != 1 or axes[k].groups[0].index is not None for k in used):
        return None
    limbs, starts, order, ranks, places = _columns(
        frequencies, tuple((k, axes[k].groups[0].exponent, axes[k].unit) for k in used)
    )
    groups = {k: axes[k].groups[0] for k in used}
    multipliers = np.stack([whole(groups[k].multipliers) for k in ranks])
    steps = attention_factor.times(tables.no_step(4 if fmt.width == 64 else 2, len(frequencies)), frequencies.factor)

    def arguments(start, stop):
        return multipliers[:, start:stop].reshape(-1), limbs, tables.knots(), steps

    def place(row, i):
        own, number, axis = places[i]
        return own, number, (int(groups[axis].multipliers[row]), groups[axis].exponent)

    return Turning(frequencies.factor, 1, arguments, (starts, order), place)


@lru_cache(maxsize=64)
def _columns(frequencies, scales):
    """The phases per position (5, half) axis by axis, in the order in which the axes first occur: (phases, first
    column of each axis, where the columns go or None, axes, (frequencies, number, axis) of each pair)."""
    scales = {axis: (exponent, unit) for axis, exponent, unit in scales}
    ranks = list(dict.fromkeys(frequencies.axes))
    runs = sorted(axis_runs.runs(frequencies), key=lambda run: ranks.index(run.axis))
    limbs, order, places = [], [], {}
    for run in runs:
        exponent, unit = scales[run.axis]
        own = axis_runs.in_units(run.frequencies, unit)
        limbs.append(phases.per_position(own, exponent))
        columns = range(len(frequencies))[run.pairs]
        order.extend(columns)
        places.update((i, (own, number, run.axis)) for number, i in enumerate(columns))
    starts = np.searchsorted([ranks.index(frequencies.axes[i]) for i in order], range(len(ranks) + 1))
    moved = None if order == list(range(len(order))) else np.array(order, np.int64)
    return np.concatenate(limbs, axis=1), starts.astype(np.int64), moved, ranks, places
