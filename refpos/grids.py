"""Grids: cells in row-major order, whose positions along each axis are independent: tables of one axis suffice."""

from itertools import product
from typing import NamedTuple

import numpy as np

from . import kernels, positions, tables
from .coordinates import listed
from .errors import InputError
from .pages import give_back
from .positions import Group, Positions, whole
from .threads import for_blocks

TEMPLATE = 1 << 20  # bytes of the block that holds what two axes share


class Grid(NamedTuple):
    """The cells of a grid, row-major; `axes` holds the positions along each axis, each of shape (n,)."""

    axes: tuple

    @property
    def shape(self):
        """The number of cells along each axis."""
        return tuple(axis.shape[0] for axis in self.axes)


def grid(*coordinates):
    """The cells of a grid, in row-major order, with those coordinates along each axis.

    coordinates: for each axis an int n (meaning 0 .. n-1), a list of numbers, or what a function of
    `refpos.coordinates` returns. Tables of a grid have its shape; rotations take its cells as one sequence.

    Returns a `Grid`, which stands for positions wherever frequencies have as many axes. Raises E_POSITION, E_SHAPE.

    >>> grid(2, 3).shape
    (2, 3)
    """
    if not coordinates:
        raise InputError("E_SHAPE", "coordinates", "coordinates must be given for at least one axis, got none")
    return Grid(tuple(_one_unit(axis) for axis in coordinates))


def _one_unit(coordinates):
    axis = positions.read(coordinates)
    if len(axis.shape) != 1:
        raise InputError("E_SHAPE", "coordinates", f"coordinates must have one axis, got shape {axis.shape}")
    if len(axis.groups) == 1 and axis.groups[0].index is None:
        return axis
    return listed(np.asarray(coordinates).tolist())


def cells(grid, axis):
    """The positions of all cells along one axis: of shape (cells,)."""
    shape = grid.shape
    along = grid.axes[axis]
    group = along.groups[0]
    ones = [n if k == axis else 1 for k, n in enumerate(shape)]
    # a copy: of an axis of one cell, reshape alone leaves a view without steps
    values = np.ascontiguousarray(np.broadcast_to(whole(group.multipliers).reshape(ones), shape).reshape(-1))
    return Positions((values.size,), [Group(None, values, group.exponent)], along.unit)


class Part(NamedTuple):
    """The columns of a grid that depend on one axis: table (n, columns) goes to stored[..., columns]."""

    axis: int
    columns: slice
    table: np.ndarray


def outer(stored, parts, threads):
    """Fill stored (*shape, width) with the tables of its axes, each repeated along the others."""
    if not stored.size:
        return
    if stored.nbytes < tables.STREAM or not stored.flags.c_contiguous or stored.ndim < 3:
        for part in parts:
            stored[..., part.columns] = _along(part.table, part.axis, stored.ndim)
        return
    *lead, height, width, channels = stored.shape
    rows = max(1, TEMPLATE // stored[(0,) * len(lead)][0].nbytes)
    blocks = [slice(k, min(k + rows, height)) for k in range(0, height, rows)]
    # (leading, height * width * channels): the cells of some rows lie together
    flat = stored.reshape(-1, height * width * channels)
    indices = list(product(*map(range, lead)))
    each = max(1, len(indices) // 8)
    work = [(block, start) for block in blocks for start in range(0, len(indices), each)]

    def write(first, last):
        for block, start in work[first:last]:
            place = slice(block.start * width * channels, block.stop * width * channels)
            targets = flat[start : start + each, place].view(np.uint8)[:, None, None]
            _write_block(targets, parts, block, indices[start : start + each], stored)

    for_blocks(write, len(work), 1, threads)


def _write_block(targets, parts, block, indices, stored):
    """One block of rows of the grid, at several indices of the leading axes: what those share is laid out once."""
    front = stored.ndim - 3
    template = np.empty((block.stop - block.start, *stored.shape[-2:]), stored.dtype)
    changing = []
    for part in parts:
        view = template[..., part.columns]
        if part.axis >= front:
            view[...] = _along(part.table[block] if part.axis == front else part.table, part.axis - front, 3)
        else:
            # each row of the table, repeated over the cells of the block
            rows = np.broadcast_to(part.table[:, None, None], (len(part.table), *view.shape))
            changing.append((part.axis, rows, view))
    whole = template.view(np.uint8).reshape(1, 1, -1)
    as_bytes = [
        (axis, rows.view(np.uint8), view.view(np.uint8), kernels.active.spread)
        if view.strides[-1] == view.itemsize
        else (axis, rows, view, lambda source, target, stream: np.copyto(target, source))
        for axis, rows, view in changing
    ]
    for target, index in zip(targets, indices):
        for axis, rows, view, lay in as_bytes:
            lay(rows[index[axis]], view, False)
        kernels.active.spread(whole, target, True)
        give_back(target)


def _along(table, axis, ndim):
    """The table (n, columns) as a view of so many dimensions, n at `axis`."""
    shape = [1] * (ndim - 1) + [table.shape[1]]
    shape[axis] = table.shape[0]
    return table.reshape(shape)
