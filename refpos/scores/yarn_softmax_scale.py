"""What models with YaRN multiply their softmax scale by."""

from __future__ import annotations

from fractions import Fraction

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError, shown
from ..frequencies.yarn import softmax_scale
from ..types import Array, DType, Number

__all__ = ["yarn_softmax_scale"]


@register(
    family="scores",
    paper="Peng et al. 2023, YaRN, arXiv:2309.00071, section 3.4",
    conventions="squared, as it scales queries and keys",
    also="mscale_all_dim, YaRN softmax scale",
)
def yarn_softmax_scale(
    factor: Number, *, mscale_all_dim: Number = 1, dtype: DType = "float64", out: Array | None = None
) -> Array:
    """The factor on the softmax scale 1/sqrt(dim) where YaRN scales scores and not tables (DeepSeek).

        m(factor, mscale_all_dim)**2,  m(s, c) = c ln(s) / 10 + 1 for s > 1,  1 for s <= 1

    Parameters
    ----------
    factor : float or Fraction
        Scaling factor of YaRN, a number greater than 0.
    mscale_all_dim : float or Fraction, default 1
        Number c of the factor, not below 0.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        An array of shape (), the exact value rounded once to `dtype`.

    Raises
    ------
    InputError
        E_NUMBER, E_DTYPE, E_OUT.

    Notes
    -----
    Both numbers are taken as exactly what they are. Models that use it give `yarn` the same mscale and mscale_all_dim,
    so that its attention factor is 1.

    References
    ----------
    Transformers 5.23.0, models/deepseek_v3/modeling_deepseek_v3.py, yarn_apply_mscale.

    Examples
    --------
    >>> float(yarn_softmax_scale(40))
    1.8738542070926265
    """
    factor, scale = checks.positive("factor", factor), checks.real("mscale_all_dim", mscale_all_dim)
    if scale < 0:
        sentence = f"mscale_all_dim must be at least 0, got {shown(mscale_all_dim)}"
        raise InputError("E_NUMBER", "mscale_all_dim", sentence)
    fmt = formats.resolve(dtype)
    result, stored = checks.output(out, (), fmt)
    once = softmax_scale(factor, Fraction(scale))
    formats.bits(stored)[...] = (once * once).pattern(fmt)
    return result
