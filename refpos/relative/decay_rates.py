"""The rates of decay: by how much each head of linear attention forgets from one token to the next."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Literal, get_args

from .. import checks
from ..arithmetic import formats, formulas
from ..catalogue import register
from ..errors import InputError, shown
from ..types import Array, DType, Integer, Number

DecayRule = Literal["lightning", "retnet"]
RULES = get_args(DecayRule)
MOST_HEADS = 2**12


@register(
    family="relative",
    paper="Qin et al. 2024, Lightning Attention-2, arXiv:2401.04658; Sun et al. 2023, RetNet, arXiv:2307.08621",
    conventions="rule lightning (exponents, by layer) or retnet (factors); no default",
    also="RetNet decay, retention decay rates",
)
def decay_rates(
    num_heads: Integer,
    *,
    rule: DecayRule,
    layer: Integer | None = None,
    layers: Integer | None = None,
    eps: Number = 1e-5,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """The rate of decay of each head of retention or linear attention.

        lightning: s_h = 2**(-8 (h + 1) / n) (1 - layer / (layers - 1 + eps) + eps),  a token later counts exp(-s_h)
        retnet:    g_h = 1 - 2**(-5 - h),                                             a token later counts g_h

    Parameters
    ----------
    num_heads : int
        Number n of heads, 1 to 4096; h = 0 .. n - 1.
    rule : {'lightning', 'retnet'}
        Which rates, as stated above.
    layer : int, optional
        Number of the layer, from 0; for lightning only.
    layers : int, optional
        Number of layers; for lightning only.
    eps : float or Fraction, default 1e-05
        A number greater than 0, taken as exactly what it is; with it the last layer still decays.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (n,) of `dtype`, each rate rounded once.

    Raises
    ------
    InputError
        E_SIZE (num_heads, layer, layers), E_CHOICE (rule, layer, layers), E_NUMBER (eps), E_DTYPE, E_OUT.

    References
    ----------
    - transformers 5.23.0, models/minimax/modeling_minimax.py, MiniMaxLightningAttention.get_slope_rate (eps 1e-5
      twice).
    - microsoft/torchscale, component/retnet.py, RetNetRelPos (h from 0).

    Examples
    --------
    >>> decay_rates(4, rule="retnet")
    array([0.96875   , 0.984375  , 0.9921875 , 0.99609375])
    """
    rates = read_rates(num_heads, rule, layer, layers, eps)
    fmt = formats.resolve(dtype)
    result, stored = checks.output(out, (len(rates),), fmt)
    formulas.fill(stored, rates, fmt)
    return result


def read_rates(num_heads, rule, layer, layers, eps):
    """The rates of the checked arguments, as formulas."""
    num_heads, eps = checks.integer("num_heads", num_heads, 1, MOST_HEADS), checks.positive("eps", eps)
    if checks.choice("rule", rule, RULES) == "retnet":
        for name, value in (("layer", layer), ("layers", layers)):
            if value is not None:
                raise InputError("E_CHOICE", name, f"{name} must be None with rule 'retnet', got {shown(value)}")
        return [1 - Fraction(1, 2 ** (5 + h)) for h in range(num_heads)]
    layers = checks.integer("layers", layers, 1)
    layer = checks.integer("layer", layer, 0, layers - 1)
    factor = 1 - layer / (layers - 1 + eps) + eps
    return [_rate(Fraction(8 * (h + 1), num_heads), factor) for h in range(num_heads)]


def _rate(exponent, factor):
    """factor * 2**-exponent; of whole exponents only it is a fraction."""
    return factor / 2**exponent.numerator if exponent.denominator == 1 else partial(_times_power, exponent, factor)


def _times_power(exponent, factor, digits):
    return digits.power(Fraction(2), -exponent) * factor
