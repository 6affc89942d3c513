"""ALiBi of images: a bias that falls with the straight distance between two patches."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..types import Array, DType, Integer, Number
from .alibi import multiply, slopes_of
from .alibi_slopes import CONVENTIONS, Convention, read_max_bias


@register(
    family="relative",
    paper="Fuller et al. 2023, CROMA, arXiv:2311.00566, section 3",
    conventions="straight (Euclidean) distances; slopes recursive, geometric or halving; class token in row 0",
    also="2D ALiBi",
)
def alibi_2d(
    num_heads: Integer,
    height: Integer,
    width: Integer,
    *,
    class_token: bool = False,
    convention: Convention = "recursive",
    max_bias: Number = 8,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """The ALiBi bias between the patches of an image, added to attention scores.

        B[h, p, q] = -slope_h sqrt((y_p - y_q)**2 + (x_p - x_q)**2)

    for patches p = y width + x, row by row, with the slopes of `alibi_slopes`.

    Parameters
    ----------
    num_heads : int
        Number of heads.
    height : int
        Rows of patches.
    width : int
        Columns of patches.
    class_token : bool, default False
        Whether there is a token before the patches, whose bias is 0; n is then one more.
    convention : {'recursive', 'geometric', 'halving'}, default 'recursive'
        How slopes are chosen, as in `alibi_slopes`.
    max_bias : float or Fraction, default 8
        Exponent of the slopes, as in `alibi_slopes`, greater than 0.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (num_heads, n, n) of `dtype`, n = height * width: the exact product rounded once.

    Raises
    ------
    InputError
        E_SIZE (num_heads, height, width), E_CHOICE (class_token, convention), E_NUMBER (max_bias), E_DTYPE,
        E_TOO_LARGE, E_OUT.

    References
    ----------
    antofuller/CROMA at c66df8f, pretrain_croma.py, get_alibi (square images, no class token).

    Examples
    --------
    >>> alibi_2d(1, 1, 3, class_token=True, max_bias=1)[0]
    array([[ 0. ,  0. ,  0. ,  0. ],
           [ 0. ,  0. , -0.5, -1. ],
           [ 0. , -0.5,  0. , -0.5],
           [ 0. , -1. , -0.5,  0. ]])
    """
    num_heads = checks.integer("num_heads", num_heads, 1)
    height, width = checks.integer("height", height), checks.integer("width", width)
    first = int(checks.flag("class_token", class_token))
    checks.choice("convention", convention, CONVENTIONS)
    max_bias, fmt = read_max_bias(max_bias, convention), formats.resolve(dtype)
    size = first + height * width
    result, stored = checks.output(out, (num_heads, size, size), fmt)
    formats.bits(stored)[:, :first] = 0
    formats.bits(stored)[:, :, :first] = 0
    distinct, which = np.unique(squares(height, width), return_inverse=True)
    values, one = np.empty((num_heads, len(distinct)), fmt.storage), np.array([-1], np.int64)
    for k, square in enumerate(distinct.tolist()):
        slopes = slopes_of(num_heads, convention, max_bias, Fraction(max(square, 1)))
        multiply(slopes, one if square else one - one, values[:, k : k + 1], fmt)
    for head, row in zip(stored, values):
        head[first:, first:] = row[which.reshape(size - first, size - first)]
    return result


def squares(height, width):
    """The squared distances between all patches, int64 (height * width, height * width)."""
    y, x = (one.reshape(-1) for one in np.indices((height, width), np.int64))
    return (y[:, None] - y) ** 2 + (x[:, None] - x) ** 2
