"""NTK-aware scaling as the HunYuan models name it."""

from __future__ import annotations

from .. import checks
from ..catalogue import register
from ..steps.angles.frequencies import Frequencies
from ..types import Integer, Number
from .ntk import stretched

__all__ = ["ntk_alpha"]


@register(
    family="frequencies",
    paper="Sun et al. 2024, Hunyuan-Large, arXiv:2411.02265, section 2.3",
    conventions="alpha in place of factor; any length",
    also="NTK alpha, HunYuan alpha",
)
def ntk_alpha(dim: Integer, *, base: Number = 10000.0, alpha: Number) -> Frequencies:
    """NTK scaling by alpha: the base times alpha**(dim / (dim - 2)), at every length.

        theta_i = (base alpha**(dim / (dim - 2)))**(-2i / dim)

    Parameters
    ----------
    dim : int
        Rotary dimension, even, at least 4.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0, taken as exactly what it is.
    alpha : float or Fraction
        Scaling number, finite and greater than 0, taken as exactly what it is.

    Returns
    -------
    Frequencies
        `Frequencies`, rounded once where they are read, with the attention factor 1.

    Raises
    ------
    InputError
        E_ODD_DIM, E_SIZE (dim 2), E_BASE, E_NUMBER (alpha).

    Notes
    -----
    It is `ntk` with factor = alpha; checkpoints call it "dynamic", though no length enters.

    References
    ----------
    Transformers 5.23.0, models/hunyuan_v1_dense/modeling_hunyuan_v1_dense.py, compute_ntk_alpha_rope_parameters.

    Examples
    --------
    >>> float(ntk_alpha(4, base=10000, alpha=1000).inv_freq[1])
    1e-05
    """
    dim = checks.even_width("dim", dim)
    return stretched(dim, checks.positive("base", base, "E_BASE"), checks.positive("alpha", alpha))
