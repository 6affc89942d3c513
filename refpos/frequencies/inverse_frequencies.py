"""The frequencies of rotary position encoding."""

from __future__ import annotations

from fractions import Fraction

from .. import checks
from ..catalogue import register
from ..steps.angles.frequencies import Frequencies, geometric_frequencies
from ..types import Integer, Number

__all__ = ["inverse_frequencies"]


@register(
    family="frequencies",
    paper="Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.2.2",
    conventions="exponent 2i/dim, or 2i/exponent_dim",
    outputs=("output",),
    also=(
        "inv_freq, inverse frequency, rope_theta, rope base, theta, RoPE frequencies, wavelength, frequency, 10000, "
        "adjusted base frequency, ABF"
    ),
)
def inverse_frequencies(dim: Integer, *, base: Number = 10000.0, exponent_dim: Integer | None = None) -> Frequencies:
    """The inverse frequencies of rotary position embedding, base**(-2i/dim), exactly.

        theta_i = base**(-2i / exponent_dim),  i = 0 .. dim/2 - 1

    Parameters
    ----------
    dim : int
        Rotary dimension, even.
    base : float or Fraction, default 10000
        Base of the frequencies, a finite number greater than 0 (int, float or fraction), taken as exactly what it is.
    exponent_dim : int, optional
        The width that divides the exponent where that is not dim (None), at least 1: models with an odd rotary width d
        have (d+1)/2 frequencies base**(-2i/d), which is dim = d + 1 with exponent_dim = d.

    Returns
    -------
    Frequencies
        `Frequencies`: `inv_freq` (dim/2,) float64 in radians per position, rounded once; `rounded(dtype)` for the other
        formats; `attention_factor` 1.0; and the exact rule behind them.

    Raises
    ------
    InputError
        E_ODD_DIM when dim is not even and positive, E_BASE when base is not finite and positive, E_SIZE (exponent_dim).

    References
    ----------
    Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.2.2. exponent_dim: transformers 5.23.0,
    modeling_rope_utils.py, with odd head_dim * partial_rotary_factor.

    Examples
    --------
    >>> inverse_frequencies(4, base=10000).inv_freq
    array([1.  , 0.01])
    >>> inverse_frequencies(4, base=1000, exponent_dim=3).inv_freq
    array([1.  , 0.01])
    """
    dim = checks.multiple("dim", dim, 2)
    width = dim if exponent_dim is None else checks.integer("exponent_dim", exponent_dim, 1)
    return geometric_frequencies(dim, dim // 2, Fraction(2, width), checks.positive("base", base, "E_BASE"))
