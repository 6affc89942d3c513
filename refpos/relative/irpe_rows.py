"""The bucket of a two-dimensional offset by the four methods of iRPE."""

from __future__ import annotations

from math import floor, isqrt
from typing import Literal, get_args

import numpy as np

from .. import checks
from ..catalogue import register
from ..steps.distances import windows
from ..types import Integer, Integers, Number
from .log_buckets import log_buckets
from .window_rows import window_rows

__all__ = ["irpe_rows"]

Method = Literal["euclidean", "quant", "cross-rows", "cross-columns", "product"]
METHODS = get_args(Method)
BLOCK = 1 << 16  # indices that are made at a time


@register(
    family="relative",
    paper="Wu et al. 2021, Rethinking and Improving Relative Position Encoding for Vision Transformer,"
    " arXiv:2107.14222, sections 3.2 and 3.3",
    conventions="query minus key; method euclidean, quant, cross-rows, cross-columns or product (no default)",
    whole=True,
    also="iRPE, image relative position encoding",
)
def irpe_rows(
    height: Integer,
    width: Integer,
    *,
    method: Method,
    alpha: Number,
    beta: Number,
    gamma: Number,
    prefix: Integer = 0,
    out: Integers | None = None,
) -> Integers:
    """The bucket index of image relative position encoding (iRPE) for every query and key of a grid.

        g = log_buckets(., rule="irpe", alpha, beta, gamma),  b = floor(beta),  dr, dc: query minus key
        euclidean: g(round(sqrt(dr**2 + dc**2))) + b        quant: g(dr**2 + dc**2) + b
        cross-rows: g(dr) + b                               cross-columns: g(dc) + b
        product: (g(dr) + b) (2 b + 1) + g(dc) + b

    Parameters
    ----------
    height : int
        Rows of cells.
    width : int
        Columns of cells.
    method : {'euclidean', 'quant', 'cross-rows', 'cross-columns', 'product'}
        Which distance is bucketed, as stated above.
    alpha, beta, gamma : float or Fraction
        Numbers of the buckets, as for `log_buckets`; those of the paper are 1, 2 and 8 times a ratio, for a ratio of
        1.9 Fraction(19, 10), Fraction(38, 10) and Fraction(152, 10).
    prefix : int, default 0
        Number of tokens in front, which read one row more, that of number (2 b + 1)**2 with "product", else 2 b + 1.
    out : ndarray of int64, optional
        Array that receives the result.

    Returns
    -------
    ndarray of int64
        Shape (prefix + height * width, the same), decided in integers.

    Raises
    ------
    InputError
        E_SIZE (height, width, prefix), E_CHOICE (method), E_NUMBER (alpha, beta, gamma), E_TOO_LARGE, E_OUT.

    Notes
    -----
    "cross" of the paper adds what both cross methods read.

    References
    ----------
    get_bucket_ids_2d in iRPE/DeiT-with-iRPE/irpe.py (microsoft/Cream, commit 12aed81), with logarithms and roots in
    float32.

    Examples
    --------
    >>> irpe_rows(1, 3, method="product", alpha=1, beta=2, gamma=8)
    array([[12, 11, 11],
           [13, 12, 11],
           [13, 13, 12]])
    """
    checks.choice("method", method, METHODS)
    height, width, _ = windows.read_window(height, width, "query-key", False, 1)
    prefix = checks.integer("prefix", prefix, 0, checks.WIDEST)
    buckets = _offset_rows(height, width, method, {"alpha": alpha, "beta": beta, "gamma": gamma})
    array, stored = checks.output(out, (prefix + height * width,) * 2, checks.INT64)
    middle = floor(checks.real("beta", beta))
    stored[...] = (2 * middle + 1) ** (2 if method == "product" else 1)
    offsets = stored[prefix:, prefix:]
    window_rows(height, width, sign="query-key", out=offsets)
    step = max(1, BLOCK // len(offsets))
    for start in range(0, len(offsets), step):
        block = offsets[start : start + step]
        block[...] = buckets[block]
    return array


def _offset_rows(height, width, method, options):
    """The row of each offset, in the order of `window_rows`."""
    down = np.arange(1 - height, height, dtype=np.int64)[:, None]
    across = np.arange(1 - width, width, dtype=np.int64)[None]
    middle = floor(checks.real("beta", options["beta"]))

    def bucket(distance):
        return log_buckets(distance, rule="irpe", **options) + middle

    if method == "product":
        made = bucket(down) * (2 * middle + 1) + bucket(across)
    elif method in ("quant", "euclidean"):
        square = down**2 + across**2
        made = bucket(square if method == "quant" else _roots(square))
    else:
        made = bucket(down if method == "cross-rows" else across)
    return np.broadcast_to(made, (2 * height - 1, 2 * width - 1)).reshape(-1)


def _roots(squares):
    """The integers nearest to the square roots; a root of an integer is never a half."""
    distinct, where = np.unique(squares, return_inverse=True)
    roots = [isqrt(n) + (n > isqrt(n) * (isqrt(n) + 1)) for n in distinct.tolist()]
    return np.array(roots, np.int64)[where].reshape(squares.shape)
