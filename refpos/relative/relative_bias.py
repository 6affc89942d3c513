"""A bias of one learned number for each head and clipped distance."""

from __future__ import annotations

from typing import Literal, get_args

from .. import checks
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.distances import bias, offsets
from ..steps.rows import gather
from ..steps.rows.table_gradients import of_copies
from ..types import Array, ArrayLike, Integer

__all__ = ["relative_bias"]

Outside = Literal["clip", "refuse"]
OUTSIDES = get_args(Outside)


@register(
    family="relative",
    paper="Shaw et al. 2018, Self-Attention with Relative Position Representations, arXiv:1803.02155, section 3.2",
    conventions="weight (rows, heads); sign key minus query, query minus key or absolute (no default)",
    copies="weight",
    gradients={"weight": of_copies("weight")},
    also=(
        "relative position bias, relative attention bias, learned relative bias, relative position, "
        "relative position encoding, RPE, RPB"
    ),
)
def relative_bias(
    weight: ArrayLike,
    query_len: Integer,
    key_len: Integer,
    *,
    sign: offsets.Sign,
    low: Integer | None = None,
    high: Integer | None = None,
    outside: Outside = "clip",
    query_offset: Integer = 0,
    out: Array | None = None,
    view: bool = False,
    threads: Integer | None = None,
) -> Array:
    """Relative position bias: one learned number for each head and clipped distance.

        bias[h, i, j] = weight[min(max(d, low), high) - low, h],  d = j - p or p - j or |j - p|,  p = query_offset + i

    Parameters
    ----------
    weight : array_like
        Shape (rows, heads) of float64, float32, float16 or bfloat16 in any strides and byte order, or uint16 bit
        patterns.
    query_len : int
        Number of queries.
    key_len : int
        Number of keys.
    sign : {'key-query', 'query-key', 'absolute'}
        Sign of the distance: "key-query" d = j - p, "query-key" d = p - j, "absolute".
    low, high : int, optional
        The distances of the first and the last row. Left out, the middle row is that of distance 0, so that 2 m - 1
        rows clip to m - 1 and 2 m + 1 rows to m; with "absolute" the first row is that of 0.
    outside : {'clip', 'refuse'}, default 'clip'
        "clip" reads the nearest row for distances beyond them, "refuse" refuses distances without a row.
    query_offset : int, default 0
        Position of the first query.
    out : ndarray, optional
        Array that receives the result.
    view : bool, default False
        True returns a read-only view of heads * (query_len + key_len - 1) values.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (heads, query_len, key_len) of the dtype of weight: bits are copied.

    Raises
    ------
    InputError
        E_DTYPE and E_SHAPE (weight), E_SIZE, E_POSITION (query_offset), E_CHOICE, E_NUMBER (low, high; key_len where a
        distance is refused), E_TOO_LARGE, E_OUT.

    References
    ----------
    - Shaw et al. 2018, arXiv:1803.02155, equation 3, for scalars.
    - Phi4MultimodalAudioRelativeAttentionBias in models/phi4_multimodal/modeling_phi4_multimodal.py (transformers
      5.23.0), which has low -m and high m - 1.

    Examples
    --------
    >>> import numpy as np
    >>> relative_bias(np.array([[0.0], [1.0], [2.0]]), 2, 3, sign="key-query")
    array([[[1., 2., 2.],
            [0., 1., 2.]]])
    """
    table = gather.read_table("weight", weight, ("rows", "heads"))
    checks.choice("sign", sign, offsets.SIGNS)
    checks.choice("outside", outside, OUTSIDES)
    low, high = _ends(table.shape[0], sign, low, high)
    shape = (table.shape[1], checks.integer("query_len", query_len), checks.integer("key_len", key_len))
    query_offset = bias.read_offset(query_offset)
    checks.thread_count(threads)

    def fill(values):
        relative = offsets.signed(bias.relative_positions(*shape[1:], query_offset), sign)
        gather.fill(values, table, offsets.rows(relative, low, high, outside, "key_len"), threads=threads)

    return bias.toeplitz(fill, shape, table.fmt, out=out, view=view, apart_from=(table.patterns,), threads=threads)


def _ends(count, sign, low, high):
    """The distances of the first and the last of `count` rows."""
    if not count:
        raise InputError("E_SHAPE", "weight", "weight must have at least 1 row, got 0")
    if low is None:
        if high is not None:
            raise InputError("E_NUMBER", "high", f"high must be None where low is, got {shown(high)}")
        if sign != "absolute" and not count % 2:
            sentence = "weight must have an odd number of rows, that of distance 0 in the middle, where low is None"
            raise InputError("E_SHAPE", "weight", f"{sentence}, got {count}")
        low = 0 if sign == "absolute" else -(count // 2)
    low, last = offsets.read_ends(low, low if high is None else high)
    if high is not None and last - low + 1 != count:
        sentence = f"weight must have high - low + 1 = {last - low + 1} rows"
        raise InputError("E_SHAPE", "weight", f"{sentence}, got {count}")
    return low, low + count - 1
