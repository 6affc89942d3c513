"""Fourier features: sines and cosines of each coordinate at several bands, in whatever order of the channels."""

from fractions import Fraction
from typing import NamedTuple, get_args

import numpy as np

from ... import checks
from ...arithmetic import reals
from ...types import PiFactor
from ..angles import axis_runs, frequency_sets
from ..angles.frequencies import Frequencies, scaled
from . import axis_tables, grids, points, tables

PI_FACTORS = get_args(PiFactor)


class Factor(NamedTuple):
    """A number that multiplies angles: a fraction, or that fraction times pi."""

    fraction: Fraction
    pi: bool

    def times(self, frequencies):
        """The frequencies times this number."""
        if self.pi:
            return frequency_sets.times_pi(frequencies, self.fraction)
        if self.fraction == 1:
            return frequencies
        return scaled(frequencies, (reals.rational(self.fraction),) * len(frequencies))


class Waves(NamedTuple):
    """The frequencies that multiply one coordinate, and the columns of their sines and cosines; None for no columns."""

    axis: int
    frequencies: Frequencies
    sin: slice | None
    cos: slice | None

    def times(self, factor):
        """The same with its frequencies times a `Factor`."""
        return self._replace(frequencies=factor.times(self.frequencies))


def read_factor(name, value):
    """A number greater than 0, "pi" or "2pi"."""
    if isinstance(value, str):
        return Factor(Fraction(1 + PI_FACTORS.index(checks.choice(name, value, PI_FACTORS))), True)
    return Factor(checks.positive(name, value), False)


def waves(axis, frequencies, order, axes, place, kinds="sin-cos", start=0):
    """The `Waves` of one coordinate, which is number `place` of so many axes, in channels that begin at `start`.

    order: the loops over kind, axis and band, outermost first. kinds: which of sine and cosine there are, in order.
    """
    names = kinds.split("-")
    sizes = {"kind": len(names), "axis": axes, "band": len(frequencies)}
    strides, stride = {}, 1
    for loop in reversed(order.split("-")):
        strides[loop] = stride
        stride *= sizes[loop]

    def columns(kind):
        if kind not in names:
            return None
        first = start + names.index(kind) * strides["kind"] + place * strides["axis"]
        return slice(first, first + (sizes["band"] - 1) * strides["band"] + 1, strides["band"])

    return Waves(axis, frequencies, columns("sin"), columns("cos"))


def fill(stored, tokens, parts, fmt, threads, raw=None):
    """Fill stored (*shape, width) with the `Waves` of the coordinates of tokens; raw: the columns of these themselves.

    tokens: `rotary_arguments.TokenPositions`.
    """
    checks.thread_count(threads)
    if tokens.grid is not None:
        pieces = [
            grids.Part(part.axis, columns, table)
            for part in parts
            for columns, table in _columns_and_tables(part, tokens.axes[part.axis], fmt, threads)
        ]
        if raw is not None:
            columns = range(stored.shape[-1])[raw]
            pieces += [
                grids.Part(k, slice(columns[k], columns[k] + 1), points.rounded(axis, fmt)[:, None])
                for k, axis in enumerate(tokens.axes)
            ]
        return grids.fill_cells(stored, pieces, threads)
    with tables.rows_of(stored) as rows:
        for part in parts:
            cos, sin = (_view(rows, columns, part) for columns in (part.cos, part.sin))
            fill_waves(cos, sin, tokens.axes[part.axis], part, fmt, threads)
        if raw is not None:
            for k, axis in enumerate(tokens.axes):
                rows[:, raw][:, k] = points.rounded(axis, fmt)


def fill_waves(cos, sin, axis, part, fmt, threads):
    """Fill cos and sin (n, bands) at the positions of one coordinate."""
    for run in axis_runs.runs(part.frequencies):
        axis_tables.fill_run(cos[:, run.pairs], sin[:, run.pairs], axis, run, fmt, threads)


def _view(rows, columns, part):
    """Those columns of the rows, or memory for what is not wanted."""
    return np.empty((len(rows), len(part.frequencies)), rows.dtype) if columns is None else rows[:, columns]


def _columns_and_tables(part, axis, fmt, threads):
    """(columns, table) of the sines and of the cosines along one axis of a grid."""
    cos, sin = np.empty((2, axis.shape[0], len(part.frequencies)), fmt.storage)
    fill_waves(cos, sin, axis, part, fmt, threads)
    return [(columns, table) for columns, table in ((part.sin, sin), (part.cos, cos)) if columns is not None]
