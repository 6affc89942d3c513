"""Tables of several axes: each run of columns filled from the positions along its own axis."""

import numpy as np

from ...arithmetic import formats
from ..angles import axis_runs, phases
from . import grids, tables


def fill_table(cos, sin, tokens, frequencies, fmt, threads):
    """Fill cos and sin (*shape, half), of the storage dtype, at `rotary_arguments.TokenPositions`."""
    runs = axis_runs.runs(frequencies)
    if tokens.grid is not None:
        _fill_grid(cos, sin, tokens.grid, runs, fmt, threads)
        return
    with tables.rows_of(cos) as cos_rows, tables.rows_of(sin) as sin_rows:
        for run in runs:
            fill_run(cos_rows[:, run.pairs], sin_rows[:, run.pairs], tokens.axes[run.axis], run, fmt, threads)


def fill_run(cos, sin, positions, run, fmt, threads):
    """Fill cos and sin (n, pairs) of one run at the positions along its axis."""
    if run.is_zero:
        cos_bits, sin_bits = phases.rounded_cos_sin(phases.Angle(run.frequencies, 0, 0, 0), fmt)
        formats.bits(cos)[...], formats.bits(sin)[...] = cos_bits, sin_bits
    else:
        tables.fill(cos, sin, positions, run.frequencies, fmt, threads)


def _fill_grid(cos, sin, grid, runs, fmt, threads):
    parts_of_cos, parts_of_sin = [], []
    for run in runs:
        positions = grid.axes[run.axis]
        along_axis = np.empty((2, positions.shape[0], len(run.frequencies)), fmt.storage)
        fill_run(*along_axis, positions, run, fmt, threads)
        for parts, table in zip((parts_of_cos, parts_of_sin), along_axis):
            parts.append(grids.Part(run.axis, run.pairs, table))
    grids.fill_cells(cos, parts_of_cos, threads)
    grids.fill_cells(sin, parts_of_sin, threads)
