"""Proportional rotation: the lowest frequencies of the whole width are 0."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from .. import checks
from ..arithmetic import reals
from ..catalogue import register
from ..errors import InputError, brief
from ..steps.angles.frequencies import Frequencies, scaled
from ..types import Integer, Number
from .inverse_frequencies import inverse_frequencies

__all__ = ["proportional"]


@register(
    family="frequencies",
    paper="Barbero et al. 2024, Round and Round We Go, arXiv:2410.06205, section 6.1",
    conventions="exponents over the whole width; pairs with frequency 0 behind",
    also="p-RoPE, proportional RoPE",
)
def proportional(
    dim: Integer, *, base: Number = 10000.0, partial_rotary_factor: Number, factor: Number = 1
) -> Frequencies:
    """Proportional RoPE (p-RoPE): exponents over the whole head dimension, all but the first frequencies 0.

        theta_i = base**(-2i / dim) / factor for i < n,  0 for n <= i < dim/2,  n = floor(partial_rotary_factor dim / 2)

    Parameters
    ----------
    dim : int
        The head dimension, even: tables have that width, and pairs with frequency 0 stay as they are.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    partial_rotary_factor : float or Fraction
        Share of the head that rotates, a number from 0 to 1.
    factor : float or Fraction, default 1
        Scaling factor, finite and greater than 0.

    Returns
    -------
    Frequencies
        `Frequencies`, rounded once where they are read, with the attention factor 1.

    Raises
    ------
    InputError
        E_ODD_DIM, E_BASE, E_NUMBER (partial_rotary_factor, factor).

    Notes
    -----
    Partial rotation has other frequencies, inverse_frequencies(partial_rotary_factor * dim), and other pairs.

    Numbers given are taken as exactly what they are, but partial_rotary_factor * dim is rounded to float64 before it is
    cut to n, as the code of every model does: 0.7 of 80 is 56, though the float is below 0.7.

    References
    ----------
    Transformers 5.23.0, modeling_rope_utils.py, _compute_proportional_rope_parameters.

    Examples
    --------
    >>> proportional(8, base=10000, partial_rotary_factor=0.5).inv_freq
    array([1. , 0.1, 0. , 0. ])
    """
    dim = checks.even_width("dim", dim)
    frequencies = inverse_frequencies(dim, base=base)
    share = checks.real("partial_rotary_factor", partial_rotary_factor)
    if not 0 <= share <= 1:
        raise InputError(
            "E_NUMBER", "partial_rotary_factor", f"partial_rotary_factor must lie in 0 .. 1, got {brief(share)}"
        )
    nonzero = floor(_float64(share * dim) / 2)
    multiplier = reals.rational(1 / checks.positive("factor", factor))
    return scaled(frequencies, (multiplier,) * nonzero + (reals.rational(0),) * (dim // 2 - nonzero))


def _float64(value):
    return Fraction(float(reals.rational(value)))
