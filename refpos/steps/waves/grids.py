"""Grids: cells in row-major order, whose positions along each axis are independent: tables of one axis suffice."""

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple, Union

import numpy as np

from ... import checks, kernels
from ...errors import InputError
from ...guard import guarded
from ...kernels.mapped_memory import give_back
from ...kernels.threads import for_blocks
from ..positions.coordinates import listed
from ..positions.exact_positions import Group, Positions, PositionsLike, as_int64, read_line
from . import tables

SMALL = 1 << 22  # bytes of a grid that NumPy copies before a copy with threads has begun


class Grid(NamedTuple):
    """The cells of a grid, row-major; `axes` holds the positions along each axis, each of shape (n,)."""

    axes: tuple[Positions, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of cells along each axis."""
        return tuple(axis.shape[0] for axis in self.axes)


guarded(Grid, quiet=False)  # read in every call, where a microsecond counts


#: positions, those of each axis, or the cells of a grid
PositionsOfAxes = Union[PositionsLike, Sequence[PositionsLike], Grid]


@guarded
def grid(*coordinates: PositionsLike) -> Grid:
    """The cells of a grid, in row-major order, with those coordinates along each axis.

    Parameters
    ----------
    *coordinates : int or array_like
        For each axis an int n (meaning 0 .. n-1), a list of numbers, or what a function of `refpos.coordinates`
        returns.

    Returns
    -------
    Grid
        A `Grid`, which stands for positions wherever frequencies have as many axes.

    Raises
    ------
    InputError
        E_POSITION, E_SHAPE.

    Notes
    -----
    Tables of a grid have its shape; rotations take its cells as one sequence.

    Examples
    --------
    >>> grid(2, 3).shape
    (2, 3)
    """
    if not coordinates:
        raise InputError("E_SHAPE", "coordinates", "coordinates must be given for at least one axis, got none")
    if len(coordinates) > checks.MOST_AXES:
        sentence = f"coordinates must be given for at most {checks.MOST_AXES} axes, got {len(coordinates)}"
        raise InputError("E_SHAPE", "coordinates", sentence)
    return Grid(tuple(_read_axis(axis) for axis in coordinates))


def _read_axis(coordinates):
    axis = read_line(coordinates)
    if len(axis.groups) == 1 and axis.groups[0].index is None:
        return axis
    return listed(np.asarray(coordinates).tolist())


def cells(grid, axis):
    """The positions of all cells along one axis: of shape (cells,)."""
    shape = grid.shape
    along = grid.axes[axis]
    group = along.groups[0]
    ones = [n if k == axis else 1 for k, n in enumerate(shape)]
    checks.empty("out", shape, np.int64)  # of few numbers along each axis come cells that no memory holds
    # a copy, since reshape may return a view with strides of 0
    values = np.ascontiguousarray(np.broadcast_to(as_int64(group.multipliers).reshape(ones), shape).reshape(-1))
    return Positions((values.size,), [Group(None, values, group.exponent)], along.unit)


def output_of_cells(out, shape, width, extra_tokens, fmt, apart_from=()):
    """(The result, its cells (*shape, width)), where a count of extra tokens makes the result the rows of a sequence:
    so many of zeros, and then the cells."""
    if extra_tokens is None:
        return checks.output(out, (*shape, width), fmt, apart_from=apart_from)
    leading = checks.integer("extra_tokens", extra_tokens)
    result, stored = checks.output(out, (leading + math.prod(shape), width), fmt, apart_from=apart_from)
    stored[:leading] = 0
    return result, stored[leading:].reshape(*shape, width)


class Part(NamedTuple):
    """The columns of a grid that depend on one axis: table (n, columns) goes to stored[..., columns]."""

    axis: int
    columns: slice
    table: np.ndarray


def fill_cells(stored, parts, threads):
    """Fill stored (*shape, width) with the tables of its axes, each repeated along the others."""
    parts = [part for part in parts if part.table.size]
    if not stored.size or not parts:
        return
    if stored.nbytes <= SMALL:
        for part in parts:
            stored[..., part.columns] = _along(part.table, part.axis, stored.ndim)
        return
    small = stored.nbytes < max(tables.STREAM, kernels.active.CACHED_BYTES) or not stored.flags.c_contiguous
    if stored.ndim == 3 and (small or _shortest_run(stored, parts) >= kernels.active.LONG_RUN):
        for part in parts:
            target = stored[..., part.columns]
            tables.copy_repeated(np.broadcast_to(_along(part.table, part.axis, 3), target.shape), target, threads)
    elif stored.ndim < 3 or small:
        for part in parts:
            stored[..., part.columns] = _along(part.table, part.axis, stored.ndim)
    else:
        _fill_by_blocks(stored, parts, threads)


def _shortest_run(stored, parts):
    """The fewest bytes that lie together of one part and cell."""
    views = [stored[0, 0, part.columns] for part in parts]
    return min(view.nbytes if view.strides[-1] == view.itemsize else view.itemsize for view in views)


def _fill_by_blocks(stored, parts, threads):
    """Fill stored (*leading, height, width, channels) block by block, each made in the cache and then copied."""
    *leading, height, width, channels = stored.shape
    rows = max(1, kernels.active.TEMPLATE_BYTES // (width * channels * stored.itemsize))
    blocks = [slice(k, min(k + rows, height)) for k in range(0, height, rows)]
    indices = list(product(*map(range, leading)))
    indices_at_once = max(1, len(indices) // 8)
    blocks_at_once = max(-(-8 // indices_at_once), len(blocks) // 8)
    corners = list(product(range(0, len(blocks), blocks_at_once), range(0, len(indices), indices_at_once)))

    def write(first, last):
        for block, index in corners[first:last]:
            chosen = blocks[block : block + blocks_at_once], indices[index : index + indices_at_once]
            _write_blocks(stored, parts, *chosen)

    for_blocks(write, len(corners), 1, threads)


def _write_blocks(stored, parts, blocks, indices):
    """Some blocks of rows, each at several indices of the leading axes: what these share is written once."""
    front = stored.ndim - 3
    template = np.empty((blocks[0].stop - blocks[0].start, *stored.shape[-2:]), stored.dtype)
    for part in parts:
        if part.axis == front + 1:
            _write_part(template, part, part.table)
    for block in blocks:
        cells = template[: block.stop - block.start]
        for part in parts:
            if part.axis == front:
                _write_part(cells, part, part.table[block, None])
        # each row of a table, repeated over the cells of the block
        changing = [(part.axis, _copier(cells, part, part.table[:, None, None])) for part in parts if part.axis < front]
        all_cells = cells.reshape(1, 1, -1).view(np.uint8)
        for index in indices:
            for axis, (copy, rows, view) in changing:
                copy(rows[index[axis]], view, False)
            target = stored[(*index, block)]
            kernels.active.copy_runs(all_cells, target.reshape(1, 1, -1).view(np.uint8), True)
            give_back(target)


def _write_part(cells, part, values):
    """Write the values of a part, repeated, to its columns of the cells (rows, width, channels)."""
    copy, (rows,), view = _copier(cells, part, values[None])
    copy(rows, view, False)


def _copier(cells, part, values):
    """How to copy one of several values, (count, 1 or rows, 1 or width, columns), to the columns of a part: (function,
    its source for each value, its target)."""
    view = cells[..., part.columns]
    rows = np.broadcast_to(values, (len(values), *view.shape))
    if view.strides[-1] == view.itemsize:
        return kernels.active.copy_runs, rows.view(np.uint8), view.view(np.uint8)
    return lambda source, target, stream: np.copyto(target, source), rows, view


def _along(table, axis, ndim):
    """The table (n, columns) as a view of so many dimensions, n at `axis`."""
    shape = [1] * (ndim - 1) + [table.shape[1]]
    shape[axis] = table.shape[0]
    return table.reshape(shape)
