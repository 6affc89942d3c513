"""The generators of LieRE from the weights that its checkpoints hold."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..arithmetic import formats, rounding
from ..catalogue import register
from ..errors import InputError
from ..steps.waves import rotary_arguments
from ..types import Array, ArrayLike, DType

__all__ = ["liere_generators"]


@register(
    family="rotary",
    paper="Ostmeier et al. 2024, LieRE: Lie Rotational Positional Encodings, arXiv:2406.10322, section 4",
    conventions="weights above the diagonal as they are, their negatives below: a block of 2 rotates by -weight",
    no_error_bound="weights and their negatives are copied, so that programs agree to the last bit",
    also="LieRE generators",
)
def liere_generators(weight: ArrayLike, *, dtype: DType | None = None) -> Array:
    """LieRE generators: the skew-symmetric matrices made from the weights of a checkpoint.

        U = triu(weight, 1) - 1/2,  G = U - U^T:  G[i, j] = weight[i, j] and G[j, i] = -weight[i, j] for i < j

    Parameters
    ----------
    weight : array_like
        Shape (..., n, n), finite; LieRE has (axes, layers, generators, n, n), the generators of all heads in turn where
        heads have their own: [:, layer].reshape(axes, heads, blocks, n, n) is what `liere` takes.
    dtype : str or dtype, optional
        "bfloat16" if weight holds bit patterns as uint16.

    Returns
    -------
    ndarray
        An array of the shape and dtype of weight, exactly; zeros are +0.

    Raises
    ------
    InputError
        E_SHAPE, E_NUMBER, E_DTYPE.

    Notes
    -----
    The halves cancel. In float32 the source rounds weight - 1/2, so that small weights lose bits that are kept here.

    References
    ----------
    StanfordMIMI/LieRE, models/rope_vit.py, LierePositionEncoder.

    Examples
    --------
    >>> liere_generators([[7.0, 0.25], [9.0, 8.0]])
    array([[ 0.  ,  0.25],
           [-0.25,  0.  ]])
    """
    weight, fmt = rotary_arguments.read_channels(weight, dtype, "weight")
    if weight.ndim < 2 or weight.shape[-1] != weight.shape[-2]:
        raise InputError("E_SHAPE", "weight", f"weight must be square matrices (..., n, n), got shape {weight.shape}")
    values = rounding.widen(formats.storage(weight, fmt), fmt)
    if not np.isfinite(values).all():
        checks.real("weight", float(values[~np.isfinite(values)][0]))
    result, stored = rotary_arguments.result_like(weight, None, fmt)
    upper = np.triu(values, 1)
    stored[...] = rounding.narrow(upper - upper.swapaxes(-1, -2) + 0.0, fmt)  # a weight of -0 is a zero like others
    return result
