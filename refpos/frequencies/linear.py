"""Linear scaling: every frequency divided by one factor."""

from __future__ import annotations

from .. import checks
from ..arithmetic import reals
from ..catalogue import register
from ..errors import InputError
from ..steps.angles.frequencies import Frequencies, checked, scaled
from ..types import Integer, Number
from .inverse_frequencies import inverse_frequencies

__all__ = ["linear"]


@register(
    family="frequencies",
    paper="Chen et al. 2023, Extending Context Window via Positional Interpolation, arXiv:2306.15595, section 2.3",
    conventions="the factor divides the frequencies",
    also="position interpolation, positional interpolation, PI, linear scaling, context extension",
)
def linear(
    dim: Integer, *, base: Number = 10000.0, factor: Number, frequencies: Frequencies | None = None
) -> Frequencies:
    """Linear RoPE scaling (position interpolation): every frequency divided by one factor.

        theta_i = base**(-2i / dim) / factor

    Parameters
    ----------
    dim : int
        Rotary dimension, even.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0, taken as exactly what it is.
    factor : float or Fraction
        Scaling factor, finite and greater than 0, taken as exactly what it is.
    frequencies : Frequencies, optional
        `Frequencies` of that width to divide instead of those of base, as where scalings stack.

    Returns
    -------
    Frequencies
        `Frequencies`, rounded once where they are read; the attention factor is 1, or that of `frequencies`. What
        exceeds the largest float64 is infinite in `inv_freq`, as rounding says; tables and rotations take the exact
        value.

    Raises
    ------
    InputError
        E_ODD_DIM, E_BASE, E_NUMBER (factor, frequencies), E_ROTARY_DIM when frequencies have another width.

    References
    ----------
    - Chen et al. 2023, arXiv:2306.15595, section 2.3.
    - transformers 5.23.0, modeling_rope_utils.py, _compute_linear_scaling_rope_parameters.
    - diffusers, embeddings.py, linear_factor of get_1d_rotary_pos_embed.

    Examples
    --------
    >>> linear(4, base=10000, factor=8).inv_freq
    array([0.125  , 0.00125])
    """
    dim = checks.even_width("dim", dim)
    frequencies = inverse_frequencies(dim, base=base) if frequencies is None else checked(frequencies)
    if frequencies.dim != dim:
        raise InputError("E_ROTARY_DIM", "frequencies", f"frequencies must have the width {dim}, got {frequencies.dim}")
    return scaled(frequencies, (reals.rational(1 / checks.positive("factor", factor)),) * len(frequencies))
