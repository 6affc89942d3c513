"""The row of a table of distances of one axis, where queries and keys are grids of different sizes."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..catalogue import register
from ..types import Integer, Integers

__all__ = ["decomposed_rows"]


@register(
    family="relative",
    paper="Li et al. 2022, MViTv2, arXiv:2112.01526, section 4.1",
    conventions="query minus key, in steps of the finer of both grids; floor of the exact fraction",
    whole=True,
    also="get_rel_pos",
)
def decomposed_rows(query: Integer, key: Integer, *, out: Integers | None = None) -> Integers:
    """The relative position index of queries and keys along one axis, as in SAM and MViTv2.

        row[i, j] = floor(i a - j b + (key - 1) b),  a = max(key / query, 1),  b = max(query / key, 1)

    Parameters
    ----------
    query, key : int
        Number of queries and of keys along the axis, on grids that cover the same image.
    out : ndarray of int64, optional
        Array that receives the result.

    Returns
    -------
    ndarray of int64
        Shape (query, key), decided in integers; float32 code misses rows where neither size divides the other.

    Raises
    ------
    InputError
        E_SIZE, E_TOO_LARGE, E_OUT.

    Notes
    -----
    Rows and columns have a table each: the score of query (r, c) and key (r', c') gets q . Rh[row[r, r']] + q .
    Rw[row[c, c']]. A table of another length is resized first, `resize_table(weight, 2 * max(query, key) - 1,
    method="linear", align="half-pixel")`.

    References
    ----------
    get_rel_pos in models/vitdet/modeling_vitdet.py and models/sam/modeling_sam.py (transformers 5.23.0),
    cal_rel_pos_type in timm/models/mvitv2.py (timm 1.0.31).

    Examples
    --------
    >>> decomposed_rows(2, 4)
    array([[3, 2, 1, 0],
           [5, 4, 3, 2]])
    """
    query, key = (checks.integer(name, one, 0, checks.WIDEST) for name, one in (("query", query), ("key", key)))
    array, stored = checks.output(out, (query, key), checks.INT64)
    i, back = np.arange(query, dtype=np.int64)[:, None], np.arange(key - 1, -1, -1, dtype=np.int64)
    stored[...] = i * key // max(query, 1) + back if key >= query else i + back * query // max(key, 1)
    return array
