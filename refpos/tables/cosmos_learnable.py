"""Learned vectors of frame, row and column, added and divided by their size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError, shown
from ..kernels.threads import for_blocks
from ..steps.rows import doubles
from ..steps.scores import ordered_sums
from ..steps.waves.tables import rows_of
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["cosmos_learnable"]

AXES = ("positions", "channels")
BLOCK = 1 << 15  # sums that are made at a time


@register(
    family="tables",
    paper="NVIDIA 2025, Cosmos World Foundation Model Platform for Physical AI, arXiv:2501.03575, section 5.1",
    conventions="eps is added to the root mean square, after its scale",
    contract="written",
    also="Cosmos",
)
def cosmos_learnable(
    weights: ArrayLike | Sequence[ArrayLike],
    grid: Sequence[Integer],
    *,
    eps: Number = 1e-6,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Cosmos' learnable position embedding: vectors of frame, row and column, added and normalised.

        S = (weights[0][t] + weights[1][r]) + weights[2][c],   E = S / (eps + sqrt(1 / n) sqrt(sum of S**2))

    Parameters
    ----------
    weights : array_like or sequence of array_like
        Tables (positions, channels) of frames, rows and columns, one array (3, positions, channels) or three of one
        width n and dtype.
    grid : sequence of int
        (frames, height, width), each at most the positions of its table.
    eps : float or Fraction, default 1e-06
        Added to the norm, from 0 on.
    dtype : str or dtype, optional
        Format of the result, by default that of weights: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (*grid, channels) in `dtype` or that of weights, of class `sequence64`: each operation, in the order of
        the formula, is rounded to float64, the sum of squares goes through the channels from 0 on, and the result is
        rounded once to its dtype.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE (weights, grid), E_SIZE, E_POSITION (a size beyond its table), E_NUMBER (eps), E_OUT,
        E_TOO_LARGE.

    Notes
    -----
    A vector of zeros stays zeros where eps is not 0. uint16 is read as bit patterns of bfloat16.

    References
    ----------
    Diffusers 0.42.1, models/transformers/transformer_cosmos.py, CosmosLearnablePositionalEmbed.

    Examples
    --------
    >>> import numpy as np
    >>> cosmos_learnable(np.array([[[3.0, 0.0]], [[0.0, 4.0]], [[0.0, 0.0]]]), (1, 1, 1), eps=0)
    array([[[[0.84852814, 1.13137085]]]])
    """
    checks.thread_count(threads)
    sizes = [checks.integer("grid", size, 0, checks.WIDEST) for size in checks.listed("grid", grid, "sizes")]
    parts = weights if isinstance(weights, (list, tuple)) else checks.array("weights", weights)
    tables, kind = read_tables(parts, sizes)
    eps = doubles.number("eps", eps)
    if eps < 0:
        raise InputError("E_NUMBER", "eps", f"eps must be 0 or more, got {shown(eps)}")
    fmt = kind if dtype is None else formats.resolve(dtype)
    result, stored = checks.output(out, (*sizes, tables[0].shape[1]), fmt, apart_from=doubles.arrays(*parts))
    if not stored.size:
        return result

    def work(start, stop):
        at = np.unravel_index(np.arange(start, stop, dtype=np.int64), sizes)
        cells = sums(*(table[index] for table, index in zip(tables, at)))
        doubles.store(rows[start:stop], normalised(cells, eps), fmt)

    with rows_of(stored) as rows:
        for_blocks(work, len(rows), max(1, BLOCK // rows.shape[1]), threads)
    return result


def read_tables(parts, sizes):
    """([the rows that are used, as float64], format) of the tables."""
    if len(sizes) != 3 or getattr(parts, "ndim", 1) == 0 or len(parts) != 3:
        raise InputError("E_SHAPE", "grid", f"grid must be three sizes, and weights three tables, got {shown(sizes)}")
    tables, kinds = zip(*(doubles.read("weights", part, AXES) for part in parts))
    if len({kind.name for kind in kinds}) > 1:
        names = ", ".join(kind.name for kind in kinds)
        raise InputError("E_DTYPE", "weights", f"weights must have one dtype, got {names}")
    widths = [table.shape[1] for table in tables]
    if len(set(widths)) > 1:
        raise InputError("E_SHAPE", "weights", f"weights must have one width to be added, got {widths}")
    for table, size in zip(tables, sizes):
        if size > len(table):
            raise InputError(
                "E_POSITION", "grid", f"grid must lie within the {len(table)} rows of its table, got {size}"
            )
    return [table[:size] for table, size in zip(tables, sizes)], kinds[0]


def sums(frames, rows, columns):
    """(frame + row) + column of each cell."""
    with np.errstate(all="ignore"):
        return (frames + rows) + columns


def normalised(cells, eps):
    """Cells (m, n) over eps + sqrt(1 / n) times the root of the sum of squares."""
    share = np.sqrt(1.0 / cells.shape[-1])
    with np.errstate(all="ignore"):
        size = np.sqrt(ordered_sums.row_sums(cells * cells))
        return ordered_sums.canonical(cells / (eps + share * size)[..., None])
