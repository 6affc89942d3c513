"""Tables larger than memory, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ... import checks
from ...errors import InputError, InputTypeError, shown
from ...guard import guarded
from ...kernels.mapped_memory import give_back
from ...types import Array, Integer
from .exact_positions import PositionsLike

LARGEST_COUNT = 2**53


@guarded
def blocks(
    table: Callable[..., Any],
    positions: PositionsLike,
    *arguments: Any,
    rows: Integer = 8192,
    out: Array | tuple[Array, Array] | None = None,
    **options: Any,
) -> Iterator[tuple[int, Any]]:
    """The blocks of rows of table(positions, ...), in order, for tables that no memory holds at once.

        concatenation of the blocks = table(positions, *arguments, **options), bit for bit

    Parameters
    ----------
    table : callable
        A function of positions, `sinusoidal` or `rope_table`.
    positions : int or array_like
        As it takes them; an array of several axes is cut along the first.
    *arguments : arguments
        What else it takes.
    rows : int, default 8192
        Number of rows of a block, the last of which may be shorter.
    out : ndarray or pair of ndarrays, optional
        Array of the whole table (or a pair) that receives the rows; the blocks are views of it.
    **options : keywords
        What else it takes by keyword.

    Returns
    -------
    (int, ndarray or pair of ndarrays)
        Pairs (start, block), where block holds the rows start .. start + rows of the table (the last block may be
        shorter), a pair of arrays where the table is a pair.

    Raises
    ------
    InputError
        E_SIZE (rows), E_SHAPE (positions without an axis), E_OUT (out), and what `table` raises, when the first piece
        is asked for.

    Notes
    -----
    Without `out` each block is a fresh array. Of an np.memmap (mode "r+" or "w+") a block stays in memory only until
    the next one is asked for; then its pages are given back, so that the memory in use is that of one block however
    large the file.

    Every value is rounded once, as `table` does, so that the cut changes none.

    Examples
    --------
    >>> import refpos
    >>> [(start, block.shape) for start, block in blocks(refpos.sinusoidal, 10, 4, rows=4)]
    [(0, (4, 4)), (4, (4, 4)), (8, (2, 4))]
    """
    checks.function("table", table)
    rows = checks.integer("rows", rows, 1)
    positions = _in_rows(positions)
    outs = () if out is None else tuple(out) if isinstance(out, (tuple, list)) else (out,)
    for array in outs:
        _check_out(array, len(positions))
    # without positions there is one block, without rows
    for start in range(0, max(len(positions), 1), rows):
        parts = tuple(array[start : start + rows] for array in outs)
        if outs:
            options["out"] = parts if isinstance(out, (tuple, list)) else parts[0]
        yield start, table(positions[start : start + rows], *arguments, **options)
        for part in parts:
            give_back(part)


def _in_rows(positions):
    """The positions as what can be cut along its first axis."""
    positions = checks.of_numpy("positions", positions)
    if isinstance(positions, range) and positions[LARGEST_COUNT:]:
        sentence = f"positions must be at most 2**53, got {shown(positions)}"
        raise InputError("E_POSITION", "positions", sentence)
    if isinstance(positions, (list, tuple, range)):
        return positions
    if isinstance(positions, np.ndarray) and positions.ndim:
        return positions
    if isinstance(positions, (float, np.floating, np.ndarray)):
        sentence = f"positions must have an axis to cut along, got {shown(positions)}"
        raise InputError("E_SHAPE", "positions", sentence)
    return range(checks.integer("positions", positions, 0, LARGEST_COUNT, code="E_POSITION"))


def _check_out(out, rows):
    if not isinstance(out, np.ndarray):
        raise InputTypeError("E_OUT", "out", f"out must be a NumPy array, got {type(out).__name__}")
    if not out.ndim or len(out) != rows:
        raise InputError("E_OUT", "out", f"out must have {rows} rows, one for each position, got shape {out.shape}")
