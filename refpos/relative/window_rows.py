"""The row of a table of two-dimensional offsets that each pair of cells of a window reads."""

from __future__ import annotations

from .. import checks
from ..catalogue import register
from ..steps.distances import offsets, windows
from ..types import Integer, Integers

__all__ = ["window_rows"]


@register(
    family="relative",
    paper="Liu et al. 2021, Swin Transformer, arXiv:2103.14030, section 3.2",
    conventions="sign query minus key (Swin, BEiT), key minus query or absolute (no default); cells row by row",
    whole=True,
    also="Swin relative position index, relative_position_index, BEiT relative position index",
)
def window_rows(
    height: Integer,
    width: Integer,
    *,
    sign: offsets.Sign,
    class_token: bool = False,
    stride: Integer = 1,
    out: Integers | None = None,
) -> Integers:
    """The relative position index of a window: which row of a bias table every query and key read.

        "query-key", "key-query":  row = (dr + height - 1) (2 width - 1) + dc + width - 1
        "absolute":                row = |dr| width + |dc|

    dr and dc are the offsets of rows and of columns, query minus key or key minus query.

    Parameters
    ----------
    height : int
        Rows of the window.
    width : int
        Columns of the window.
    sign : {'key-query', 'query-key', 'absolute'}
        Sign of the offsets, as stated above.
    class_token : bool, default False
        Whether there is a first query and key, which read three rows behind the others: class to token, token to class,
        class to class.
    stride : int, default 1
        The queries stand on every stride-th row and column, of which there are ceil(height / stride) and ceil(width /
        stride).
    out : ndarray of int64, optional
        Array that receives the result.

    Returns
    -------
    ndarray of int64
        Shape (queries, keys).

    Raises
    ------
    InputError
        E_SIZE (height, width, stride), E_CHOICE (sign; class_token with a stride), E_TOO_LARGE, E_OUT.

    References
    ----------
    SwinSelfAttention in models/swin/modeling_swin.py, BeitRelativePositionBias in models/beit/modeling_beit.py and,
    without signs, LevitAttention in models/levit/modeling_levit.py (transformers 5.23.0), which numbers offsets in the
    order in which the first query meets them: this one. gen_relative_position_index of timm 1.0.31.

    Examples
    --------
    >>> window_rows(1, 3, sign="query-key")
    array([[2, 1, 0],
           [3, 2, 1],
           [4, 3, 2]])
    """
    height, width, stride = windows.read_window(height, width, sign, class_token, stride)
    array, stored = checks.output(out, windows.shape(height, width, class_token, stride), checks.INT64)
    windows.fill(lambda rows: rows[None], stored[None], height, width, sign, class_token, stride, 1)
    return array
