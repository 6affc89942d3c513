"""What Gemma's audio encoder and TimesFM multiply the channels of a query by: a learned scale of each."""

from __future__ import annotations

import math

import numpy as np

from .. import checks
from ..arithmetic import elementary, formats
from ..catalogue import register
from ..steps.rows import doubles
from ..steps.scores import ordered_sums
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["per_dim_scale"]


@register(
    family="scores",
    paper="Gemma team 2025, Gemma 3n, its audio encoder; a convention of its code",
    conventions="1 / sqrt(dim) where the weight is 0",
    contract="written",
    also="per_dim_scale",
)
def per_dim_scale(weight: ArrayLike, dim: Integer, *, dtype: DType = "float64", out: Array | None = None) -> Array:
    """The learned scale of each query channel, through a softplus (Gemma 3n audio).

        softplus(weight) / softplus(0) / sqrt(dim),   softplus(x) = ln(1 + exp x)

    Parameters
    ----------
    weight : array_like
        Any shape, mostly (dim,).
    dim : int
        The head dimension, 1 to 2**20.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        An array of the shape of weight of class `sequence64`: softplus, which is ln 2 at 0, both quotients and the root
        are each rounded to float64, then the result once to `dtype`.

    Raises
    ------
    InputError
        E_DTYPE (weight, dtype), E_SIZE (dim), E_OUT, E_TOO_LARGE.

    Notes
    -----
    The models multiply their queries by it and have no other scale: `xl_scores(q * per_dim_scale(weight, dim), ...,
    scale=1)`. The keys of Gemma 4 are multiplied by `per_dim_scale(1.0, 1)`, ln(1 + e) / ln 2.

    References
    ----------
    - transformers 5.23.0, models/gemma3n/modeling_gemma3n.py, Gemma3nAudioAttention.
    - models/gemma4, Gemma4AudioAttention.
    - models/timesfm, TimesFmAttention, which rounds 1 / ln 2 to ten digits.

    Examples
    --------
    >>> per_dim_scale([0.0, 1.0, -1.0], 4)
    array([0.5       , 0.94731806, 0.22597054])
    """
    numbers, _ = doubles.read("weight", weight)
    dim, fmt = checks.integer("dim", dim, 1, checks.WIDEST), formats.resolve(dtype)
    result, stored = checks.output(out, numbers.shape, fmt, apart_from=doubles.arrays(weight))
    at_zero = elementary.softplus(np.zeros(1))
    with np.errstate(all="ignore"):
        factors = elementary.softplus(numbers) / at_zero / math.sqrt(dim)
    doubles.store(stored, ordered_sums.canonical(factors), fmt)
    return result
