"""The rows of tables that the box of each word reads: its corners, its height and its width."""

from __future__ import annotations

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..steps.positions.boxes import rows_of
from ..types import ArrayLike, Integer, Integers


@register(
    family="positions",
    paper="Xu et al. 2020, LayoutLM, arXiv:1912.13318, section 2.2",
    conventions="left, upper, right, lower, height, width; clip of heights and widths, or None (no default)",
)
def box_rows(boxes: ArrayLike, *, clip: Integer | None, num_rows: Integer | None = None) -> Integers:
    """Table indices of a box (LayoutLM): one for each side, and those of its height and width.

        (x0, y0, x1, y1) gives (x0, y0, x1, y1, y1 - y0, x1 - x0)

    Parameters
    ----------
    boxes : array_like
        Integers (..., 4) from 0, in thousandths of the page: left, upper, right, lower.
    clip : int or None
        The largest height and width, where negative ones are 0 and larger ones are clip (LayoutLMv3: 1023); None
        refuses a box whose right or lower side is less than the left or upper one (LayoutLM, LayoutLMv2, LiLT).
    num_rows : int, optional
        The size of the tables, None for tables without end.

    Returns
    -------
    ndarray of int64
        Shape (..., 6): of tables of x, y, x, y, height and width, the order in which LayoutLMv2, v3 and LiLT put their
        vectors side by side.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE and E_POSITION (boxes, a side beyond the table, a negative size), E_SIZE (clip, num_rows).

    References
    ----------
    - transformers 5.23.0, models/layoutlm/modeling_layoutlm.py, LayoutLMEmbeddings.
    - models/layoutlmv3/modeling_layoutlmv3.py, calculate_spatial_position_embeddings.

    Examples
    --------
    >>> box_rows([[10, 20, 110, 50], [5, 5, 0, 5]], clip=1023)
    array([[ 10,  20, 110,  50,  30, 100],
           [  5,   5,   0,   5,   0,   0]])
    """
    rows = rows_of(boxes, clip)
    if num_rows is not None and rows.max(initial=0) >= checks.integer("num_rows", num_rows, 1):
        sentence = f"boxes must read rows below num_rows = {num_rows}, the size of the tables, got row {rows.max()}"
        raise InputError("E_POSITION", "boxes", sentence)
    return rows
