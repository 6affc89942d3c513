"""Learned vectors of boxes: of their sides, their heights and widths, put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.positions.boxes import rows_of
from ..steps.rows import gather, learned_tables
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["learned_boxes"]

Combine = Literal["sum", "concat"]
COMBINES = get_args(Combine)
#: which of the tables of x, y, height and width each row of a box reads
TABLES = (0, 1, 0, 1, 2, 3)


@register(
    family="tables",
    paper="Xu et al. 2020, LayoutLM, arXiv:1912.13318, section 2.2",
    conventions="combine sum or concat; clip of heights and widths, or None; side by side left, upper, right, lower",
    also="2D position embedding of boxes, LayoutLM",
)
def learned_boxes(
    weights: ArrayLike | Sequence[ArrayLike],
    boxes: ArrayLike,
    *,
    combine: Combine,
    clip: Integer | None,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Learned embeddings of the sides, height and width of boxes, added or concatenated (LayoutLM).

        (x0, y0, x1, y1, h, w) = box_rows(box);  X, Y, H, W = weights
        "sum":    X[x0] + Y[y0] + X[x1] + Y[y1] + H[h] + W[w]
        "concat": [X[x0] | Y[y0] | X[x1] | Y[y1] | H[h] | W[w]]

    Parameters
    ----------
    weights : array_like or sequence of array_like
        Four tables (positions, channels) of one dtype, of x, y, heights and widths, or one array of all.
    boxes : array_like
        Integers (..., 4) as `box_rows` takes them, left, upper, right, lower, and within the tables.
    combine : {'sum', 'concat'}
        Whether the embeddings are added ("sum") or concatenated ("concat"), as stated above.
    clip : int or None
        The largest height and width, as `box_rows` takes it; None refuses negative sizes.
    dtype : str or dtype, optional
        Format of the result, by default that of weights: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (*boxes.shape[:-1], channels) in `dtype` or that of weights: "concat" copies bits where the dtype is the
        same, signs of zeros in any; of "sum" each element is the exact sum rounded once, and 0 is +0. weights of uint16
        are read as bit patterns of bfloat16.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE (weights, boxes), E_POSITION (boxes, beyond a table too), E_SIZE, E_CHOICE, E_OUT, E_TOO_LARGE.

    References
    ----------
    - transformers 5.23.0, models/layoutlm/modeling_layoutlm.py ("sum").
    - models/layoutlmv2/modeling_layoutlmv2.py, models/lilt/modeling_lilt.py ("concat"),
      models/layoutlmv3/modeling_layoutlmv3.py ("concat", clip 1023).

    Examples
    --------
    >>> import numpy as np
    >>> learned_boxes([np.eye(4)[:, :1] + k for k in (10, 20, 30, 40)], [0, 1, 3, 2], combine="sum", clip=None)
    array([131.])
    """
    checks.choice("combine", combine, COMBINES)
    checks.thread_count(threads)
    tables = _read(weights, combine)
    rows = rows_of(boxes, clip)
    for place, which in enumerate(TABLES):
        largest, count = int(rows[..., place].max(initial=-1)), tables[which].shape[0]
        if largest >= count:
            sentence = f"boxes must read rows within the {count} rows of each table, got row {largest}"
            raise InputError("E_POSITION", "boxes", sentence)
    fmt = learned_tables.result_format(tables[0], dtype)
    widths = [tables[which].shape[1] for which in TABLES]
    channels = widths[0] if combine == "sum" else sum(widths)
    apart_from = [*(table.patterns for table in tables), rows]
    array, stored = checks.output(out, (*rows.shape[:-1], channels), fmt, apart_from=apart_from)
    if combine == "sum":
        starts = np.cumsum([0, *(table.shape[0] for table in tables)], dtype=np.int64)[list(TABLES)]
        values = np.concatenate([learned_tables.values(table) for table in tables])
        learned_tables.fill_sums(stored, values, rows + starts, fmt, threads)
        return array
    for place, (which, stop) in enumerate(zip(TABLES, np.cumsum(widths, dtype=np.int64).tolist())):
        part = stored[..., stop - widths[place] : stop]
        table = learned_tables.in_format(tables[which], fmt)
        part[...] = table.patterns.view(stored.dtype)[rows[..., place]]
    return array


def _read(weights, combine):
    """The four tables of one dtype, and to be added of one width."""
    parts = weights if isinstance(weights, (list, tuple)) else checks.array("weights", weights)
    if getattr(parts, "ndim", 1) == 0 or len(parts) != len("xyhw"):
        raise InputError("E_SHAPE", "weights", f"weights must be four tables, of x, y, h and w, got {shown(weights)}")
    tables = [gather.read_table("weights", part, ("positions", "channels")) for part in parts]
    names = [table.fmt.name for table in tables]
    if len(set(names)) > 1:
        raise InputError("E_DTYPE", "weights", f"weights must have one dtype, got {', '.join(names)}")
    widths = [table.shape[1] for table in tables]
    if combine == "sum" and len(set(widths)) > 1:
        raise InputError("E_SHAPE", "weights", f"weights must have one width to be added, got {widths}")
    return tables
