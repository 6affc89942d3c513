"""Learned tables repeated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..steps.rows import gather, learned_tables
from ..steps.rows.table_gradients import of_copies
from ..types import Array, ArrayLike, Integer

__all__ = ["tile_table"]


@register(
    family="tables",
    paper="Ryali et al. 2023, Hiera, arXiv:2306.00989; Bolya et al. 2023, arXiv:2311.05613, section 4",
    conventions="cell j reads cell j modulo the old size; the last tile is cut",
    copies="weight",
    gradients={"weight": of_copies("weight")},
)
def tile_table(
    weight: ArrayLike,
    size: Integer | Sequence[Integer],
    *,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """A learned table tiled along its axes and cropped to a size (SAM 3).

        E[j] = weight[j_k mod old_k, ...]

    Parameters
    ----------
    weight : array_like
        Learned table, shape (*old, channels), with one to three axes, of float64, float32, float16, bfloat16 or uint16
        bit patterns.
    size : int or sequence of int
        The new sizes, one for each axis; any number of tiles, also less than one.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (*size, channels) of the dtype of weight: bits are copied.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE (weight, size), E_SIZE, E_OUT, E_TOO_LARGE.

    References
    ----------
    - transformers 5.23.0, models/sam3/modeling_sam3.py, _tile_position_embeddings.
    - The window part of SAM 2 and Hiera, which is added to the resized global part (models/sam2/modeling_sam2.py,
      _get_pos_embed).

    Examples
    --------
    >>> import numpy as np
    >>> tile_table(np.array([[1.0], [2.0], [3.0]]), 5).T
    array([[1., 2., 3., 1., 2.]])
    """
    checks.thread_count(threads)
    size = learned_tables.read_size(size)
    table = gather.read_table("weight", weight, (*learned_tables.AXES[-len(size) :], "channels"))
    if 0 in table.shape[:-1]:
        sentence = f"weight must have at least one row along each axis, got shape {table.shape}"
        raise InputError("E_SHAPE", "weight", sentence)
    array, stored = checks.output(out, (*size, table.shape[-1]), table.fmt, apart_from=(table.patterns,))
    rows = np.ix_(*(np.arange(new, dtype=np.int64) % old for new, old in zip(size, table.shape)))
    gather.fill(stored, table, *rows, axes=range(len(size)), others="last", threads=threads)
    return array
