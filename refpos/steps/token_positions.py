"""Angles: the positions that a rotary call is given, matched to the axes its frequencies turn by."""

from typing import NamedTuple, Optional

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..errors import InputError
from . import axis_runs, grids, phases, tables
from . import positions as steps
from .grids import Grid, Part
from .layouts import as_rows


class Places(NamedTuple):
    """The shape of the positions, and for each axis its `positions.Positions`; grid: the `Grid` they form, or None."""

    shape: tuple
    axes: tuple
    grid: Optional[Grid] = None


def read(positions, frequencies):
    """Positions as exact numbers: one array where frequencies have no axes, else one for each axis, or a grid."""
    if isinstance(positions, Grid):
        axes = positions.axes
        _check_count(len(axes), frequencies)
        return Places(positions.shape, axes, positions)
    if frequencies.axes is None:
        where = steps.read(positions)
        return Places(where.shape, (where,))
    positions = lines(positions)
    _check_count(len(positions), frequencies)
    axes = tuple(map(steps.read, positions))
    if len({axis.shape for axis in axes}) != 1:
        shapes = ", ".join(str(axis.shape) for axis in axes)
        raise InputError("E_SHAPE", "positions", f"positions must have the same shape on each axis, got {shapes}")
    return Places(axes[0].shape, axes)


def lines(positions):
    """The positions along each of several axes, as they were given; what is no list or array is those of one axis."""
    if isinstance(positions, np.ndarray):
        positions = checks.array("positions", positions)
    one = not isinstance(positions, (np.ndarray, list, tuple)) or isinstance(positions, steps.Positions)
    return [positions] if one or isinstance(positions, np.ndarray) and not positions.ndim else positions


def along_sequence(places):
    """The cells of a grid as one sequence; other places as they are."""
    if places.grid is None:
        return places
    axes = tuple(grids.cells(places.grid, k) for k in range(len(places.axes)))
    return Places(axes[0].shape, axes)


def _check_count(count, frequencies):
    wanted = axis_runs.axis_count(frequencies)
    if count < wanted:
        raise InputError("E_SHAPE", "positions", f"positions must have {wanted} axes first, got {count}")


def fill(cos, sin, places, frequencies, fmt, threads):
    """Fill cos and sin (*shape, half), of the storage dtype."""
    runs = axis_runs.runs(frequencies)
    if places.grid is not None:
        _fill_grid(cos, sin, places, runs, fmt, threads)
        return
    (cos, cos_back), (sin, sin_back) = as_rows(cos), as_rows(sin)
    for run in runs:
        _fill_run(cos[:, run.pairs], sin[:, run.pairs], places.axes[run.axis], run, fmt, threads)
    cos_back(), sin_back()


def _fill_run(cos, sin, where, run, fmt, threads):
    if run.still:
        patterns = phases.rounded_cos_sin(run.frequencies, 0, 0, 0, fmt)
        formats.bits(cos)[...], formats.bits(sin)[...] = patterns
    else:
        tables.fill(cos, sin, where, run.frequencies, fmt, threads)


def _fill_grid(cos, sin, places, runs, fmt, threads):
    parts = [], []
    for run in runs:
        where = places.grid.axes[run.axis]
        made = np.empty((2, where.shape[0], len(run.frequencies)), fmt.storage)
        _fill_run(*made, where, run, fmt, threads)
        for found, table in zip(parts, made):
            found.append(Part(run.axis, run.pairs, table))
    grids.outer(cos, parts[0], threads)
    grids.outer(sin, parts[1], threads)
