"""Projections: angles that are sums of coordinates, each times frequencies of its own, added up as fractions of a turn.

Each product is reduced modulo 1 to 96 bits, as any phase is, so that n of them are off by less than n 2**-93 radians in
all. What the rounding test then leaves undecided is rounded from the exact sum.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ... import kernels
from ...arithmetic import fixed_point
from ...kernels import numpy_kernels
from ..angles import frequency_sets, phases
from ..angles.axis_runs import in_units
from ..angles.seeds import knots, step_zero
from ..positions.exact_positions import Group, Positions, as_int64, read_positions
from . import tables
from .fourier import Factor

PRODUCT_ERROR = 2.0**-93  # of a phase of 96 bits, in radians
LOW32, SHIFT32 = numpy_kernels.LOW32, numpy_kernels.SHIFT32


class Projection(NamedTuple):
    """Angles factor * (sum of x_a weight[a]) of tokens: the `Positions` x_a, and frequencies factor * weight[a] in
    their units. weights are ints (axes, m) over 2**shift."""

    axes: tuple
    frequencies: tuple
    weights: np.ndarray
    shift: int
    factor: Factor

    def fill(self, cos, sin, start, fmt, threads):
        """Fill cos and sin (n, m) of the tokens from `start` on."""
        top, rest = self._turns(start, *sin.shape)
        limbs = np.zeros((phases.LIMBS, sin.size), np.uint64)
        limbs[4], limbs[3], limbs[2] = (part.reshape(-1) for part in (top >> SHIFT32, top & LOW32, rest & LOW32))
        flat = cos.reshape(1, -1), sin.reshape(1, -1)
        undecided = tables.room_for_undecided(flat[1])
        steps = step_zero(4 if fmt.width == 64 else 2, sin.size)
        error = len(self.axes) * PRODUCT_ERROR
        radii = tables.radius(fmt) + error, tables.SEED_RADIUS + error
        count, _ = kernels.active.table(
            np.ones(1, np.int64), limbs, knots(), steps, *flat, fmt, *radii, False, undecided
        )  # fmt: skip
        if count:
            exact = frequency_sets.from_fractions(self._sums(start, *np.divmod(undecided[:count], sin.shape[1])))
            rounded = np.empty((2, 1, count), sin.dtype)
            tables.fill(*rounded, read_positions([1]), self.factor.times(exact), fmt, threads)
            for target, values in zip(flat, rounded):
                target[0, undecided[:count]] = values[0]

    def _turns(self, start, rows, columns):
        """The sums in turns modulo 1: uint64 (rows, columns), 64 bits and the next 32."""
        top, rest = np.zeros((2, rows, columns), np.uint64)
        for axis, inv_freq in zip(self.axes, self.frequencies):
            for index, multipliers, exponent in axis.within(start, start + rows):
                at = slice(None) if index is None else index
                upper, lower = numpy_kernels.turns(as_int64(multipliers), phases.per_position(inv_freq, exponent))
                top[at] += upper
                rest[at] += lower
        top += rest >> SHIFT32
        return top, rest

    def _sums(self, start, rows, columns):
        """The exact sums without the factor."""
        points = {row: [self._coordinate(axis, start + row) for axis in self.axes] for row in set(rows.tolist())}
        for row, column in zip(rows.tolist(), columns.tolist()):
            total = sum(x * weight for x, weight in zip(points[row], self.weights[:, column]))
            yield Fraction(total) / (1 << self.shift)

    @staticmethod
    def _coordinate(axis, row):
        multiplier, exponent = axis.at(row)
        return multiplier * axis.unit * Fraction(2) ** exponent


def projection(tokens, weight, phase, factor):
    """The `Projection` of tokens; a phase is the weight of one more coordinate, which is 1."""
    axes = [axis._replace(shape=(-1,)) for axis in tokens.along_sequence().axes]
    if phase.any():
        count = sum(len(group.multipliers) for group in axes[0].groups)
        axes.append(Positions((-1,), [Group(None, np.ones(count, np.int64), 0)]))
        weight = np.concatenate([weight, phase[None]])
    weights, shift = fixed_point.as_integers(weight)
    along = [
        in_units(factor.times(frequency_sets.from_quotients(row.tolist(), 1 << shift)), axis.unit)
        for row, axis in zip(weights, axes)
    ]
    return Projection(tuple(axes), tuple(along), weights, shift, factor)
