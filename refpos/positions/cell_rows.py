"""The row of a table of positions that each token of a cell reads, counted from the start of the cell."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..types import ArrayLike, Integer, Integers
from . import _rows


@register(
    family="positions",
    paper="Herzig et al. 2020, TAPAS, arXiv:2004.02349, section 3; a convention of its code",
    conventions="a cell is a column and a row; its positions are clipped to the last row of the table",
)
def cell_rows(columns: ArrayLike, rows: ArrayLike, *, num_rows: Integer | None = None) -> Integers:
    """Positions that start again in every cell of a table of text.

        P[k] = min(k - first, num_rows - 1),  first = the first token of the cell (columns[k], rows[k])

    Parameters
    ----------
    columns, rows : array_like
        Column and row of each token, integers (..., length) from 0, of one shape; tokens outside the table of text, as
        the question, are one cell (0, 0), and those of the header have row 0.
    num_rows : int, optional
        The size of the table of positions, None to clip nothing.

    Returns
    -------
    ndarray of int64
        Shape (..., length).

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE and E_SIZE (columns, rows), E_SIZE (num_rows).

    Notes
    -----
    A cell that other tokens interrupt goes on counting from its first token.

    References
    ----------
    Transformers 5.23.0, models/tapas/modeling_tapas.py, TapasEmbeddings with reset_position_index_per_cell, whose
    num_rows is 1024.

    Examples
    --------
    >>> cell_rows([0, 0, 1, 1, 2, 1], [0, 0, 1, 1, 1, 2])
    array([0, 1, 0, 1, 0, 0])
    """
    columns = checks.integers("columns", columns)
    if not columns.ndim:
        raise InputError("E_SHAPE", "columns", f"columns must have at least one axis, got {columns}")
    shape = columns.shape
    cells = [_rows.read_integers(name, ids, shape, 0) for name, ids in (("columns", columns), ("rows", rows))]
    if num_rows is not None:
        num_rows = checks.integer("num_rows", num_rows, 1)
    sequences = int(np.prod(shape[:-1], dtype=np.int64))
    sequence = np.repeat(np.arange(sequences, dtype=np.int64), shape[-1])
    keys = np.stack([sequence, *(ids.reshape(-1) for ids in cells)])
    _, first, cell = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    counted = np.arange(keys.shape[1], dtype=np.int64) - first[cell.reshape(-1)]
    return np.minimum(counted, checks.LARGEST_SIZE if num_rows is None else num_rows - 1).reshape(shape)
