"""Reading a table of sines and cosines, whichever way its rows and columns are arranged."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..errors import InputError
from ..tensor_files import Tensor
from .column_tables import read_columns
from .grid_tables import read_grid
from .held_format import held, narrowed
from .one_value import of_one_value
from .reading_result import Reading
from .row_tables import read_rows, solved_rows
from .wave_rules import GRIDS

FUNCTIONS = ("sinusoidal", "timestep_embedding", *GRIDS)


def read_wave_table(y, name):
    """The `Reading` of a table as one of `sinusoidal`, `timestep_embedding` or a grid; the call of another of these is
    printed where it alone has the numbers."""
    y = held(y, "y")
    if len(y.shape) < 1 or not y.tensor.values.size:
        raise InputError("E_SHAPE", "y", f"y must have the shape (.., dim) with at least one number, got {y.shape}")
    y = narrowed(y, "y")
    found = of_one_value([y]) if not y.tensor.values.any() else _any_way(y, name)
    return found or _transposed(y, name) or _unknown(y)


def _any_way(y, name):
    """The reading with a call, by the first arrangement that has one; else the first one that was measured."""
    grid = partial(read_grid, y, partial(solved_rows, name=GRIDS[0]))
    rows = partial(read_rows, y, "sinusoidal" if name in GRIDS else name)
    best = None
    for way in (*((grid, rows) if name in GRIDS else (rows, grid)), partial(read_columns, y)):
        found = way()
        if found is not None and found.call is not None:
            return found
        best = best or found
    return best


def _transposed(y, name):
    """The reading of the transposed array, (dim, rows)."""
    if len(y.shape) != 2 or 1 in y.shape:
        return None
    found = _any_way(y._replace(tensor=Tensor(y.format, np.ascontiguousarray(y.tensor.values.T))), name)
    if found is None:
        return None
    call = None if found.call is None else f"{found.call}.T"
    return replace(found, summary=f"transposed {found.summary}", call=call)


def _unknown(y):
    """The reading of numbers that are no table of sines and cosines."""
    summary = "no sinusoidal table: columns are no sines and cosines of one frequency, in pairs, in blocks or alone"
    constant = of_one_value([y])
    summary = summary if constant is None else constant.summary
    with np.errstate(invalid="ignore"):
        values = y.numbers()
        beyond = np.isfinite(values) & (np.abs(values) > 1)
    notes = [] if np.isfinite(values).any() else ["no number is finite"]
    rows = values.reshape(-1, y.shape[-1])
    constant = np.flatnonzero((rows == rows[:1]).all(axis=0)) if len(rows) > 1 else []
    if len(constant):
        notes.append(f"{len(constant)} of {y.shape[-1]} columns have one number in all rows")
    if beyond.any():
        notes.append(f"{int(beyond.sum())} of {values.size} numbers are larger than 1 in size")
    return Reading("unknown", summary, y.format, notes=(*((y.note,) if y.note else ()), *notes))
