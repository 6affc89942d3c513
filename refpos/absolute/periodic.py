"""Sine and cosine of a number that repeats: the hour of the day, the day of the week."""

from __future__ import annotations

from fractions import Fraction

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..steps.angles import frequency_sets
from ..steps.positions.exact_positions import PositionsLike, read_times
from ..steps.waves import sinusoids
from ..types import Array, DType, Integer, Number

__all__ = ["periodic"]


@register(
    family="absolute",
    paper="none: a custom of forecasting code, often called cyclical features",
    conventions="sine first; the period is the count of values, 24 for hours, and not the largest of them",
    also="cyclical encoding, cyclic encoding, cyclical features",
)
def periodic(
    x: PositionsLike,
    period: Number,
    *,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Sine and cosine of a periodic quantity, such as the hour of a day.

        E[..., 0] = sin(2 pi x / P),   E[..., 1] = cos(2 pi x / P)

    Parameters
    ----------
    x : int or array_like
        Numbers of any shape, as the fields of a calendar: integers to 2**53 in size or finite floats, taken as exactly
        what they are; an integer alone is one value.
    period : float or Fraction
        P, greater than 0, in the unit of x: 24 for hours counted from 0 (with 23 the last hour would be the first), 7
        for days, 12 for months, 365.25 for days of many years.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (*x.shape, 2), each rounded once to `dtype`; at every twelfth of the period where sine or cosine is 0, 1/2
        or 1, the result is exactly that, however large x is.

    Raises
    ------
    InputError
        E_POSITION (x), E_NUMBER (period), E_DTYPE, E_OUT.

    References
    ----------
    The formula.

    Examples
    --------
    >>> periodic([0, 6, 12], 24)
    array([[ 0.,  1.],
           [ 1.,  0.],
           [ 0., -1.]])
    """
    frequencies = turning(checks.positive("period", period))
    fmt = formats.resolve(dtype)
    return sinusoids.filled(read_times(x, "x"), frequencies, 2, "sin-cos", 1, fmt, out, threads)


def turning(period):
    """The one frequency of a period, 2 pi / period."""
    return frequency_sets.times_pi(frequency_sets.from_fractions([Fraction(2) / period]), 1)
