"""Frequencies that a model has stored."""

from __future__ import annotations

from collections.abc import Sequence

from .. import checks
from ..catalogue import register
from ..steps.angles import frequency_sets
from ..steps.angles.frequencies import Frequencies
from ..types import ArrayLike, Number

__all__ = ["given_frequencies"]


@register(
    family="frequencies",
    paper="Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.2.2",
    conventions="none",
    outputs=("output",),
    also="custom inv_freq, inv_freq buffer, learned frequencies",
)
def given_frequencies(inv_freq: ArrayLike | Sequence[Number]) -> Frequencies:
    """Frequencies taken from a model as they are: learned ones, or the rounded `inv_freq` of a checkpoint.

        theta_i = inv_freq[i]

    Parameters
    ----------
    inv_freq : array_like
        A list or array (dim/2,) of ints, finite floats or fractions, each taken as exactly what it is, in radians per
        position.

    Returns
    -------
    Frequencies
        `Frequencies`.

    Raises
    ------
    InputError
        E_SHAPE when inv_freq does not have one axis, E_NUMBER for values that are not finite.

    References
    ----------
    The buffer `inv_freq` of transformers, models/llama/modeling_llama.py, LlamaRotaryEmbedding.

    Examples
    --------
    >>> import numpy as np
    >>> given_frequencies(np.array([1.0, 0.1], dtype=np.float32)).inv_freq
    array([1. , 0.1])
    """
    return frequency_sets.from_fractions(
        checks.real("inv_freq", value) for value in checks.numbers("inv_freq", inv_freq)
    )
