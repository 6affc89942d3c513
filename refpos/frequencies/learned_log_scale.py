"""Frequencies multiplied by exponentials of learned numbers."""

from __future__ import annotations

from collections.abc import Sequence

from .. import checks
from ..arithmetic import reals
from ..catalogue import register
from ..errors import InputError, shown_number
from ..steps.angles.frequencies import Frequencies, checked, scaled
from ..types import ArrayLike, Number

__all__ = ["learned_log_scale"]

LARGEST = 2**10  # the exponential is beyond every format long before


@register(
    family="frequencies",
    paper="Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.2.2; transformers, models/mistral_large4",
    conventions="exp of one number for each frequency",
)
def learned_log_scale(frequencies: Frequencies, alpha: ArrayLike | Sequence[Number]) -> Frequencies:
    """Frequencies multiplied each by the exponential of a learned number.

        theta_i = w_i exp(alpha_i)

    Parameters
    ----------
    frequencies : Frequencies
        `Frequencies` w to be multiplied.
    alpha : array_like
        A list or array (dim/2,) of numbers from -1024 to 1024, taken as exactly what they are; 0 changes nothing.

    Returns
    -------
    Frequencies
        `Frequencies`, rounded once where they are read, with the attention factor and axes of those given.

    Raises
    ------
    InputError
        E_NUMBER, E_SHAPE when alpha has not one number for each frequency.

    References
    ----------
    Transformers 5.23.0, models/mistral_large4/modeling_mistral_large4.py, MistralLarge4TextRotaryEmbedding.

    Examples
    --------
    >>> from refpos import inverse_frequencies
    >>> learned_log_scale(inverse_frequencies(4, base=10000), [0, 1]).inv_freq
    array([1.        , 0.02718282])
    """
    checked(frequencies)
    alpha = checks.numbers("alpha", alpha, len(frequencies))
    return scaled(frequencies, tuple(_multiplier(checks.real("alpha", value)) for value in alpha))


def _multiplier(value):
    if abs(value) > LARGEST:
        limit = f"between -{LARGEST} and {LARGEST}"
        raise InputError("E_NUMBER", "alpha", f"alpha must be {limit}, got {shown_number(value)}")
    return reals.evaluated(lambda digits: digits.exp(value)) if value else reals.rational(1)
