"""The exponential modulation of Hyena: how fast each channel of a filter dies away."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np

from .. import checks
from ..arithmetic import exponentials, formats, powers
from ..arithmetic.double_double import add, multiply
from ..arithmetic.exponentials import as_pair
from ..arithmetic.hard_cases import Pairs, exponentials_of, round_hard_cases
from ..catalogue import register
from ..types import Array, DType, Integer, Number

__all__ = ["exponential_modulation"]

SMALLEST, LARGEST = 2.0**-50, 2.0**50  # numbers in size between which pairs are as good as they say


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
    steps = [rate / max(length - 1, 1) for rate in rates]
    logs = np.array([_log(base, step) for step in steps]).reshape(-1, 2).T

    def exact(k):
        return _value(base, k // channels * steps[k % channels], shift)

    round_hard_cases(stored, fmt, partial(_pairs, logs, as_pair(shift)), exact)
    return result


def _log(base, step):
    """ln(base) step as a pair, minus infinity where that is not within what pairs hold."""
    if base == 1:
        return 0.0, 0.0
    high, low = exponentials.pair_of(lambda digits: digits.log(base) * step)
    return (high, low) if SMALLEST <= -high <= LARGEST else (-np.inf, 0.0)


def _pairs(logs, shift, start, stop):
    """The `Pairs` of exp(log p) + shift for these entries of the table."""
    row, channel = np.divmod(np.arange(start, stop, dtype=np.int64), logs.shape[1])
    log, log_low = logs[:, channel]
    known = np.isfinite(log)
    if shift[0] and not SMALLEST <= abs(shift[0]) <= LARGEST:
        known[:] = False
    high, low = multiply(np.where(known, log, 0.0), log_low, row.astype(np.float64), 0.0)
    value = exponentials_of(high, low, -high * 2.0**-100)
    if shift[0]:
        value = _added(value, shift)
    return value._replace(radius=np.where(known, value.radius, np.inf))


def _added(value, shift):
    """A `Pairs` of numbers up to 1 plus a pair: what underflows is beside it below its radius."""
    high, low, radius = (np.ldexp(part, value.exponent.astype(np.int32)) for part in value[:3])
    total, rest = add(high, low, *shift)
    radius = radius + (high + abs(shift[0])) * 2.0**-103 + 2.0**-1000
    return Pairs(total, rest, radius, np.zeros(total.shape, np.int64))


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
