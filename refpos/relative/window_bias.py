"""A bias of one learned number for each head and two-dimensional offset of two cells of a window."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..steps.distances import offsets, windows
from ..steps.rows import gather
from ..steps.rows.table_gradients import of_copies
from ..types import Array, ArrayLike, Integer

__all__ = ["window_bias"]


@register(
    family="relative",
    paper="Liu et al. 2021, Swin Transformer, arXiv:2103.14030, section 3.2",
    conventions="weight (rows, heads); sign query minus key (Swin, BEiT), key minus query or absolute (no default)",
    copies="weight",
    gradients={"weight": of_copies("weight")},
    also=(
        "Swin, Swin Transformer, BEiT, relative position bias, relative_position_bias_table, RPB, window attention, "
        "MaxViT, CoAtNet"
    ),
)
def window_bias(
    weight: ArrayLike,
    height: Integer,
    width: Integer,
    *,
    sign: offsets.Sign,
    class_token: bool = False,
    stride: Integer = 1,
    out: Array | None = None,
    view: bool = False,
    threads: Integer | None = None,
) -> Array:
    """Relative position bias of a window (Swin): one learned number for each head and 2D offset.

        bias[h, i, j] = weight[window_rows(height, width, sign, class_token, stride)[i, j], h]

    Parameters
    ----------
    weight : array_like
        Shape (rows, heads) of float64, float32, float16 or bfloat16 in any strides and byte order, or uint16 bit
        patterns; (2 height - 1) (2 width - 1) rows, with sign="absolute" height * width, and with class_token three
        more. A weight (heads, 2 height - 1, 2 width - 1), as MaxViT has, is given as weight.reshape(heads, -1).T.
    height : int
        Rows of the window.
    width : int
        Columns of the window.
    sign : {'key-query', 'query-key', 'absolute'}
        Sign of the offsets, as in `window_rows`.
    class_token : bool, default False
        Whether there is a first query and key with three rows of their own, as in `window_rows`.
    stride : int, default 1
        The queries stand on every stride-th row and column.
    out : ndarray, optional
        Array that receives the result.
    view : bool, default False
        True returns a read-only view (heads, rows of queries, columns of queries, height, width) of about heads * 2
        height * width**2 values, not possible with a class token.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (heads, queries, keys) of the dtype of weight: bits are copied.

    Raises
    ------
    InputError
        E_DTYPE and E_SHAPE (weight), E_SIZE (height, width, stride), E_CHOICE, E_TOO_LARGE, E_OUT.

    References
    ----------
    SwinSelfAttention in models/swin/modeling_swin.py (transformers 5.23.0), RelPosBias and RelPosBiasTf in
    timm/layers/pos_embed_rel.py (timm 1.0.31).

    Examples
    --------
    >>> import numpy as np
    >>> window_bias(np.array([[0.0], [1.0], [2.0]]), 1, 2, sign="query-key")
    array([[[1., 0.],
            [2., 1.]]])
    """
    height, width, stride = windows.read_window(height, width, sign, class_token, stride)
    view = windows.check_view(view, out, class_token)
    table = gather.read_table("weight", weight, ("rows", "heads"))
    wanted = windows.count_rows(height, width, sign, class_token)
    if table.shape[0] != wanted:
        rule = "height * width" if sign == "absolute" else "(2 height - 1) (2 width - 1)"
        rule += " + 3" if class_token else ""
        raise InputError("E_SHAPE", "weight", f"weight must have {rule} = {wanted} rows, got {table.shape[0]}")
    threads = checks.thread_count(threads)

    def values_at(rows):
        values = np.empty((table.shape[1], *rows.shape), table.fmt.storage)
        gather.fill(values, table, rows, threads=threads)
        return values

    if view:
        array, values = checks.output(
            None, (table.shape[1], *windows.lines(height, width, sign, stride).shape), table.fmt
        )
        values[...] = values_at(windows.lines(height, width, sign, stride))
        return windows.blocks(array, height, width, stride)
    shape = (table.shape[1], *windows.shape(height, width, class_token, stride))
    array, stored = checks.output(out, shape, table.fmt, apart_from=(table.patterns,))
    windows.fill(values_at, stored, height, width, sign, class_token, stride, threads)
    return array
