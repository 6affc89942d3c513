"""Learned tables of each axis of a grid, put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic import reals
from ..catalogue import register
from ..errors import InputError, shown
from ..kernels.threads import for_blocks
from ..steps.positions.axis_order import AxisOrder, read_order
from ..steps.rows import addition, gather, learned_tables, table_gradients
from ..steps.rows.learned_tables import floats
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["learned_axes"]

Combine = Literal["sum", "concat"]
COMBINES = get_args(Combine)
BLOCK = 1 << 16  # sums that a thread makes at a time


def _gradient(function, given, cotangent):
    """For each table the sums over the other axes; of a sequence of tables a list."""
    table_gradients.check_options(given)
    grid, tables, order = _read(*(given[name] for name in ("weights", "grid", "combine", "axis_order")))
    fmt = learned_tables.result_format(tables[0], given["dtype"])
    cotangent = table_gradients.read_cotangent(cotangent, (*grid, _channels(tables, order)), fmt)
    gradients = [None] * len(tables)
    start = 0
    for axis in range(len(tables)) if order is None else order:
        stop = start + tables[axis].shape[1]
        part = gather.Table(cotangent.patterns[..., start:stop], cotangent.fmt)
        along = np.arange(grid[axis], dtype=np.int64).reshape([-1 if k == axis else 1 for k in range(len(grid))])
        gradients[axis] = table_gradients.add_rows(tables[axis], np.broadcast_to(along, grid), part)
        start = start if order is None else stop
    return gradients if isinstance(given["weights"], (list, tuple)) else np.stack(gradients)


@register(
    family="tables",
    paper="Carion et al. 2020, DETR, arXiv:2005.12872; Kitaev et al. 2020, Reformer, arXiv:2001.04451, appendix A",
    conventions="combine sum or concat; axis_order hw, wh, thw and so on: the axes in the order of the channels",
    no_error_bound="rows are copied, or added in the order of each program",
    also=(
        "row and column embedding, axial position embedding, factorised position embedding, PositionEmbeddingLearned"
    ),
    gradients={"weights": _gradient},
)
def learned_axes(
    weights: ArrayLike | Sequence[ArrayLike],
    grid: Sequence[Integer],
    *,
    combine: Combine,
    axis_order: AxisOrder | None = None,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Learned row and column embeddings of each cell (and frame), added or concatenated.

        "sum":    E[r, c] = weights[0][r] + weights[1][c]
        "concat": E[r, c] = [weights[0][r] | weights[1][c]]   for axis_order "hw",  [weights[1][c] | weights[0][r]] "wh"

    Parameters
    ----------
    weights : array_like or sequence of array_like
        Tables (positions, channels), of rows and columns, or of frames, rows and columns, all of one dtype; an array
        (axes, positions, channels) holds tables of one shape.
    grid : sequence of int
        The sizes (height, width) or (frames, height, width), each at most the positions of its table.
    combine : {'sum', 'concat'}
        Whether the embeddings are added ("sum") or concatenated ("concat"), as stated above.
    axis_order : {'hw', 'wh', 'thw', 'twh', 'htw', 'hwt', 'wth', 'wht'} or sequence of them, optional
        Order of the axes in the channels, needed for "concat"; a sum has none.
    dtype : str or dtype, optional
        Format of the result, by default that of weights: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (*grid, channels) in `dtype` or that of weights: "concat" copies bits where the dtype is the same, signs
        of zeros in any; of "sum" each element is the exact sum rounded once, and 0 is +0.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE (weights, grid), E_SIZE, E_POSITION (a size beyond its table), E_CHOICE, E_AXIS, E_OUT,
        E_TOO_LARGE.

    Notes
    -----
    Weights of uint16 are read as bit patterns of bfloat16. The first L rows of the flattened grid are Reformer's.

    References
    ----------
    - transformers 5.23.0, models/detr/modeling_detr.py, DetrLearnedPositionEmbedding ("concat", "wh").
    - models/reformer/modeling_reformer.py, AxialPositionEmbeddings ("concat", "hw").
    - models/gemma4/modeling_gemma4.py ("sum", columns are table 0 there).
    - diffusers 0.42.1, models/embeddings.py, ImagePositionalEmbeddings ("sum").

    Examples
    --------
    >>> import numpy as np
    >>> learned_axes(np.array([[[1.0], [2.0]], [[10.0], [20.0]]]), (2, 2), combine="sum")[..., 0]
    array([[11., 21.],
           [12., 22.]])
    """
    checks.thread_count(threads)
    grid, tables, order = _read(weights, grid, combine, axis_order)
    fmt = learned_tables.result_format(tables[0], dtype)
    apart_from = [table.patterns for table in tables]
    array, stored = checks.output(out, (*grid, _channels(tables, order)), fmt, apart_from=apart_from)
    if order is None:
        _fill_sums(stored, tables, grid, fmt, threads)
        return array
    start = 0
    for axis in order:
        part = learned_tables.in_format(tables[axis].part(slice(grid[axis])), fmt).patterns.view(stored.dtype)
        along = (*(size if k == axis else 1 for k, size in enumerate(grid)), part.shape[1])
        stored[..., start : start + part.shape[1]] = part.reshape(along)
        start += part.shape[1]
    return array


def _read(weights, grid, combine, axis_order):
    """The sizes of the grid, a `Table` for each axis, and the axes in the order of the channels, None of a sum."""
    grid, tables = _read_tables(weights, grid)
    if checks.choice("combine", combine, COMBINES) == "concat":
        return grid, tables, read_order(axis_order, len(grid))
    if axis_order is not None:
        raise InputError("E_CHOICE", "axis_order", f"axis_order must be left out with 'sum', got {shown(axis_order)}")
    widths = [table.shape[1] for table in tables]
    if len(set(widths)) > 1:
        raise InputError("E_SHAPE", "weights", f"weights must have one width to be added, got {widths}")
    return grid, tables, None


def _channels(tables, order):
    """The channels of the result."""
    widths = [table.shape[1] for table in tables]
    return widths[0] if order is None else sum(widths)


def _read_tables(weights, grid):
    """The sizes of the grid and a `Table` for each axis."""
    sizes = [checks.integer("grid", size, 0, checks.WIDEST) for size in checks.listed("grid", grid, "sizes")]
    parts = weights if isinstance(weights, (list, tuple)) else checks.array("weights", weights)
    if len(sizes) not in (2, 3) or getattr(parts, "ndim", 1) == 0 or len(parts) != len(sizes):
        wanted = "two or three sizes, and weights a table for each"
        raise InputError("E_SHAPE", "grid", f"grid must be {wanted}, got {shown(grid)}")
    tables = [gather.read_table("weights", part, ("positions", "channels")) for part in parts]
    if len({table.fmt.name for table in tables}) > 1:
        names = ", ".join(table.fmt.name for table in tables)
        raise InputError("E_DTYPE", "weights", f"weights must have one dtype, got {names}")
    for table, size in zip(tables, sizes):
        if size > table.shape[0]:
            sentence = f"grid must lie within the {table.shape[0]} rows of its table, got {size}"
            raise InputError("E_POSITION", "grid", sentence)
    return tuple(sizes), tables


def _fill_sums(stored, tables, grid, fmt, threads):
    """Each cell as the exact sum of a row of each table."""
    if len(tables) == 2 and tables[0].fmt.name == fmt.name:
        _fill_sums_of_two(stored, tables, grid, threads)
        return
    values = np.concatenate([learned_tables.values(table.part(slice(size))) for table, size in zip(tables, grid)])
    starts = [sum(grid[:k]) for k in range(len(grid))]
    cells = np.stack([part.reshape(-1) + start for part, start in zip(np.indices(grid, dtype=np.int64), starts)], 1)
    learned_tables.fill_sums(stored, values, cells, fmt, threads)


def _fill_sums_of_two(stored, tables, grid, threads):
    """The same of two tables in the format of the result."""
    of_both = addition.Term(floats(tables[0].fmt), reals.rational(1))
    first, second = (table.part(slice(size)).patterns.view(stored.dtype) for table, size in zip(tables, grid))
    zero = np.zeros((), stored.dtype)  # of all formats the pattern of +0, which added to -0 is +0

    def work(start, stop):
        block = stored[start:stop]
        if block.size:
            addition.fill(block, first[start:stop, None], second[None], of_both, of_both)
            addition.fill(block, block, zero, of_both, of_both)

    for_blocks(work, len(stored), max(1, BLOCK // max(1, second.size)), threads)
