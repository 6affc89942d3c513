"""Bands: frequencies that are spaced evenly, in a constant ratio, or as powers of two."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, get_args

from .. import checks
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.angles import frequency_sets
from ..steps.angles.frequencies import Frequencies, frequencies_of_powers
from ..types import Integer, Number

__all__ = ["bands"]

BandRule = Literal["linear", "geometric", "powers"]
RULES = get_args(BandRule)
MOST_OCTAVES = 1024  # so many powers of two up or down


@register(
    family="frequencies",
    paper="Mildenhall et al. 2020, NeRF, arXiv:2003.08934, section 5.1",
    conventions="rule linear, geometric or powers; both ends, or without the last",
    outputs=("output",),
    also="frequency bands, Aurora, FourierExpansion",
)
def bands(n: Integer, *, rule: BandRule, low: Number, high: Number, endpoint: bool = True) -> Frequencies:
    """Frequency bands: a given number of frequencies from the lowest to the highest, evenly spaced by rule.

        linear: low + t (high - low),  geometric: low (high / low)**t,  powers: 2**(low + t (high - low))

    with t = i / (n - 1), i = 0 .. n - 1, or i / n without endpoint; one band is at low.

    Parameters
    ----------
    n : int
        Number of bands, 1 or more.
    rule : {'linear', 'geometric', 'powers'}
        Spacing, as stated above.
    low, high : float or Fraction
        Numbers taken as exactly what they are, 0 or more if linear, greater than 0 if geometric; with powers the
        exponents of two from -1024 to 1024, low an integer.
    endpoint : bool, default True
        Whether the last band is at high, t = i / (n - 1).

    Returns
    -------
    Frequencies
        `Frequencies` for `fourier_bands`.

    Raises
    ------
    InputError
        E_SIZE, E_CHOICE, E_NUMBER.

    References
    ----------
    - bmild/nerf, run_nerf_helpers.py (powers 0 to L-1, or linear from 1 to 2**(L-1)); deepmind Perceiver (linear from 1
      to half the resolution).
    - timm, layers/pos_embed_sincos.py, pixel_freq_bands (linear or geometric from 1 to max_freq/2, times pi).
    - gligen/GLIGEN, text_grounding_net.py (geometric from 1 to 100 without endpoint).
    - microsoft/aurora, fourier.py (geometric, 1/wavelength).

    Examples
    --------
    >>> bands(3, rule="powers", low=0, high=2).inv_freq, bands(3, rule="linear", low=1, high=4).inv_freq
    (array([1., 2., 4.]), array([1. , 2.5, 4. ]))
    """
    n, rule = checks.integer("n", n, 1, checks.WIDEST), checks.choice("rule", rule, RULES)
    low, high = (read_end(name, value, rule) for name, value in (("low", low), ("high", high)))
    gaps = max(n - 1, 1) if checks.flag("endpoint", endpoint) else n
    if rule == "linear":
        return frequency_sets.from_fractions(low + Fraction(i, gaps) * (high - low) for i in range(n))
    base, step, scale = (high / low, Fraction(1, gaps), low) if rule == "geometric" else octaves(low, high, gaps)
    if base == 1 or not step:
        return frequency_sets.from_fractions([scale] * n)
    return frequencies_of_powers(2 * n, n, ((base, -step),), scale)


def octaves(low, high, gaps):
    """(base, exponent of each step, scale) of powers of two."""
    return Fraction(2), (high - low) / gaps, Fraction(2) ** low.numerator


def read_end(name, value, rule):
    """The lowest or highest band, or the exponent of two that it has."""
    if rule == "geometric":
        return checks.positive(name, value)
    number = checks.real(name, value)
    if rule == "linear" and number < 0:
        raise InputError("E_NUMBER", name, f"{name} must be 0 or more, got {shown(value)}")
    if rule == "powers" and (abs(number) > MOST_OCTAVES or (name == "low" and number.denominator != 1)):
        kind = "an integer" if name == "low" else "an exponent"
        raise InputError("E_NUMBER", name, f"{name} must be {kind} from -1024 to 1024, got {shown(value)}")
    return number
