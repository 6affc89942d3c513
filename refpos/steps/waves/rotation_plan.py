"""Rotation plans: what a kernel needs to turn rows by their phases, and which angle each entry has.

Many evenly spaced positions are reached by angle addition: seeds at every 64th row at most, the anchors, and seeds for
the steps from an anchor to its rows. Few positions, and others, are anchors each, with the one step 0.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..angles import attention_factor, axis_runs, phases
from ..angles.frequencies import Frequencies
from ..angles.phases import Angle
from ..angles.seeds import knots, make_seeds, step_zero
from ..positions.exact_positions import as_int64

STEPS = 64  # rows to one anchor, at most
DIRECT = 1 << 13  # entries up to which every row is an anchor


class RotationPlan(NamedTuple):
    """Rows that rotate by one position each, or by a position on each of several axes.

    groups: their `positions.Group`, one for each axis. per_position: turns per multiplier, uint64 (5, half). steps: the
    seeds of the steps from an anchor to its rows, times the factor, float64 (planes, rows_per_anchor, half).
    axis_columns: of several axes the first column of each, and where the columns go (None: they stay); else empty.
    columns: of several axes (frequencies, number among them, number of the group) of each column; else None.
    """

    frequencies: Frequencies
    groups: tuple
    per_position: np.ndarray
    steps: np.ndarray
    axis_columns: tuple = ()
    columns: dict | None = None

    @property
    def rows_per_anchor(self):
        """How many neighbouring rows are reached from the same seeds."""
        return self.steps.shape[1]

    def kernel_arguments(self, start, stop):
        """What kernels take before the arrays, for some rows: multipliers, phases per position, knots, steps."""
        if len(self.groups) == 1:
            multipliers = as_int64(self.groups[0].multipliers[start:stop])
        else:
            multipliers = np.concatenate([as_int64(group.multipliers[start:stop]) for group in self.groups])
        return multipliers, self.per_position, knots(), self.steps

    def locate(self, row, column):
        """The `phases.Angle` of one entry."""
        frequencies, number, k = (self.frequencies, column, 0) if self.columns is None else self.columns[column]
        group = self.groups[k]
        return Angle(frequencies, number, int(group.multipliers[row]), group.exponent)


def by_one_position(frequencies, group, fmt, most=STEPS):
    """The plan of a group of rows with one position each, `most` of them to one anchor at most."""
    per_position = phases.per_position(frequencies, group.exponent)
    count, rows = planes(fmt), len(group.multipliers)
    rows_per_anchor = 1
    if isinstance(group.multipliers, range) and rows * len(frequencies) > DIRECT:
        rows_per_anchor = min(most, math.isqrt(rows - 1) + 1)  # fewest seeds: as many anchors as rows to one
    if rows_per_anchor > 1:
        steps = np.arange(rows_per_anchor, dtype=np.int64) * group.multipliers.step
        steps = make_seeds(steps, per_position, count)
    else:
        steps = step_zero(count, per_position.shape[1])
    steps = attention_factor.multiply_seeds(steps, frequencies.factor)
    return RotationPlan(frequencies, (group,), per_position, steps)


def by_position_of_each_axis(frequencies, axes, fmt):
    """The plan of rows with a position on each axis; None where an axis has positions of several exponents."""
    used = sorted(set(frequencies.axes))
    if any(len(axes[k].groups) != 1 or axes[k].groups[0].index is not None for k in used):
        return None
    per_position, starts, order, ranks, columns = by_axis(
        frequencies, tuple((k, axes[k].groups[0].exponent, axes[k].unit) for k in used)
    )
    groups = tuple(axes[k].groups[0] for k in ranks)
    steps = attention_factor.multiply_seeds(step_zero(planes(fmt), len(frequencies)), frequencies.factor)
    return RotationPlan(frequencies, groups, per_position, steps, (starts, order), columns)


def planes(fmt):
    """How many planes seeds have: float64 needs pairs of doubles, cosine and sine each."""
    return 4 if fmt.width == 64 else 2


@lru_cache(maxsize=64)
def by_axis(frequencies, scales):
    """The phases per position (5, half) axis by axis, in the order in which the axes first occur.

    Returns (phases, first column of each axis, where the columns go or None, the axes in order, {pair: (frequencies,
    number among them, number of the axis in that order)}).
    """
    scales = {axis: (exponent, unit) for axis, exponent, unit in scales}
    ranks = list(dict.fromkeys(frequencies.axes))
    runs = sorted(axis_runs.runs(frequencies), key=lambda run: ranks.index(run.axis))
    limbs, order, columns = [], [], {}
    for run in runs:
        exponent, unit = scales[run.axis]
        chosen = axis_runs.in_units(run.frequencies, unit)
        limbs.append(phases.per_position(chosen, exponent))
        pairs = range(len(frequencies))[run.pairs]
        order.extend(pairs)
        columns.update((pair, (chosen, number, ranks.index(run.axis))) for number, pair in enumerate(pairs))
    starts = np.searchsorted([ranks.index(frequencies.axes[i]) for i in order], range(len(ranks) + 1))
    moved = None if order == list(range(len(order))) else np.array(order, np.int64)
    return np.concatenate(limbs, axis=1), starts.astype(np.int64), moved, ranks, columns
