"""The exponential modulation of Hyena: how fast each channel of a filter dies away."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from .. import checks
from ..arithmetic import formats, formulas, powers
from ..catalogue import register
from ..types import Array, DType, Integer, Number

__all__ = ["exponential_modulation"]


@register(
    family="absolute",
    paper="Poli et al. 2023, Hyena Hierarchy, arXiv:2302.10866, appendix D.3",
    conventions="multiplies a filter; rates evenly from slow to fast; time to 1 inclusive",
    also="Hyena window, Hyena modulation",
)
def exponential_modulation(
    length: Integer,
    channels: Integer,
    *,
    fast: Number = 0.3,
    slow: Number = 1.5,
    target: Number = 0.01,
    shift: Number = 0,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """The exponential window that multiplies each position and channel of a Hyena filter.

        M[p, c] = exp(-t |d_c|) + shift,  t = p / (length - 1),  d_c evenly from ln(target) / slow to ln(target) / fast

    so that channel 0 falls to `target` at t = slow and the last one at t = fast.

    Parameters
    ----------
    length : int
        Number of positions, p = 0 .. length - 1; a single one has t = 0, a single channel the slow rate.
    channels : int
        Number of channels.
    fast : float or Fraction, default 0.3
        Time t at which the last channel falls to target: a number greater than 0, taken as exactly what it
        is.
    slow : float or Fraction, default 1.5
        Time t at which channel 0 falls to target: a number greater than 0, taken as exactly what it is.
    target : float or Fraction, default 0.01
        Value of the window at those times: a number greater than 0, taken as exactly what it is.
    shift : float or Fraction, default 0
        Number that is added to every value, taken as exactly what it is.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (length, channels), each value rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SIZE (length, channels), E_NUMBER (fast, slow, target, shift), E_DTYPE, E_TOO_LARGE, E_OUT.

    References
    ----------
    HazyResearch/safari at c1b5c7b, src/models/sequence/hyena.py, ExponentialModulation.

    Examples
    --------
    >>> exponential_modulation(3, 2, fast=1, slow=2, target=0.25)
    array([[1.        , 1.        ],
           [0.70710678, 0.5       ],
           [0.5       , 0.25      ]])
    """
    length, channels = checks.integer("length", length), checks.integer("channels", channels, 0, checks.WIDEST)
    rates = rates_of(channels, fast, slow)
    target, shift = checks.positive("target", target), checks.real("shift", shift)
    base = min(target, 1 / target)  # the rates count by their size
    fmt = formats.resolve(dtype)
    result, stored = checks.output(out, (length, channels), fmt)
    for p, row in enumerate(stored):
        t = Fraction(p, max(length - 1, 1))
        formulas.fill(row, (_value(base, t * rate, shift) for rate in rates), fmt)
    return result


def rates_of(channels, fast, slow):
    """The rates over |ln target| as fractions."""
    fast, slow = 1 / checks.positive("fast", fast), 1 / checks.positive("slow", slow)
    return [slow + Fraction(c, max(channels - 1, 1)) * (fast - slow) for c in range(channels)]


def _value(base, exponent, shift):
    """base**exponent + shift, a fraction where the base has the root."""
    power = powers.real(base, exponent)
    if power.rational is not None:
        return power.rational + shift
    return partial(_interval, base, exponent, shift)


def _interval(base, exponent, shift, digits):
    return digits.power(base, exponent) + shift
