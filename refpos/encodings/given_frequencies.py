"""Frequencies that a model has stored."""

import numpy as np

from .. import checks, ladders
from ..catalogue import register
from ..errors import InputError

__all__ = ["given_frequencies"]


@register(
    family="frequencies",
    paper="Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.2.2",
    conventions="none",
)
def given_frequencies(inv_freq):
    """Frequencies taken from a model as they are: learned ones, or a rounded buffer of a checkpoint.

        theta_i = inv_freq[i]

    inv_freq: a list or array (dim/2,) of ints, finite floats or fractions, each taken as exactly what it is, in radians
    per position. Returns `Frequencies`.

    Raises E_SHAPE when inv_freq has not one axis, E_NUMBER for values that are not finite.

    Source: the buffer `inv_freq` of transformers, models/llama/modeling_llama.py, LlamaRotaryEmbedding.

    >>> given_frequencies(np.array([1.0, 0.1], dtype=np.float32)).inv_freq
    array([1. , 0.1])
    """
    if np.ndim(inv_freq) != 1 or not len(inv_freq):
        raise InputError("E_SHAPE", "inv_freq", f"inv_freq must have one axis, got shape {np.shape(inv_freq)}")
    if isinstance(inv_freq, np.ndarray):
        # float32 and narrower are exact in float64
        inv_freq = inv_freq.astype(np.float64).tolist() if inv_freq.dtype.kind not in "iuO" else inv_freq.tolist()
    return ladders.given(checks.real("inv_freq", value) for value in inv_freq)
