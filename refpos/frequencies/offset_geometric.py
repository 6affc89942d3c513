"""Frequencies of AlphaGenome: reciprocals of sums of an integer and a power."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from .. import checks
from ..arithmetic import powers, reals
from ..catalogue import register
from ..steps.angles import frequency_sets
from ..steps.angles.frequencies import Frequencies
from ..types import Integer

__all__ = ["offset_geometric"]


@register(
    family="frequencies",
    paper="Avsec et al. 2026, AlphaGenome, doi:10.1038/s41586-025-10014-0, methods",
    conventions="the last power is max_position - dim/2 + 1",
    outputs=("output",),
)
def offset_geometric(dim: Integer, *, max_position: Integer = 8192) -> Frequencies:
    """Frequencies of AlphaGenome: the i-th period is i plus a power (times 2 pi).

        theta_i = 1 / (i + (max_position - n + 1)**(i / (n - 1))),  i = 0 .. n - 1,  n = dim / 2

    Parameters
    ----------
    dim : int
        Rotary dimension, even.
    max_position : int, default 8192
        Number that sets the longest period, n or more; the longest period is 2 pi max_position.

    Returns
    -------
    Frequencies
        `Frequencies`, for interleaved pairs (`rope` with pairing="interleaved").

    Raises
    ------
    InputError
        E_ODD_DIM, E_SIZE.

    Notes
    -----
    A single frequency is 1.

    References
    ----------
    google-deepmind/alphagenome_research at 0072ba8, src/alphagenome_research/model/attention.py, apply_rope, which
    rounds the frequencies to the dtype of x: of bfloat16 that is another rotation.

    Examples
    --------
    >>> offset_geometric(6, max_position=11).inv_freq
    array([1.        , 0.25      , 0.09090909])
    """
    count = checks.width("dim", dim) // 2
    last = checks.integer("max_position", max_position, count, checks.LARGEST_SIZE) - count + 1
    return frequency_sets.from_reals(
        _reciprocal(i, Fraction(last), Fraction(i, max(count - 1, 1))) for i in range(count)
    )


def _reciprocal(i, base, exponent):
    power = powers.real(base, exponent)
    return (
        reals.evaluated(partial(_interval, i, power))
        if power.rational is None
        else reals.rational(1 / (i + power.rational))
    )


def _interval(i, power, digits):
    return 1 / (digits.of(power) + i)
