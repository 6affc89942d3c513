"""Resonance: wavelengths rounded to integers of positions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial

from ..arithmetic import fixed_point, reals
from ..arithmetic.reals import Real
from ..catalogue import register
from ..errors import InputError
from ..steps.angles.frequencies import Frequencies, checked

__all__ = ["resonance"]


@register(
    family="frequencies",
    paper="Wang et al. 2024, Resonance RoPE, arXiv:2403.00071, section 4.1",
    conventions="wavelengths to the nearest integer, of two to the even one",
    also="Resonance RoPE",
)
def resonance(frequencies: Frequencies) -> Frequencies:
    """Resonance RoPE: wavelengths rounded to integers, so that angles repeat exactly.

        theta_i = 2 pi / l_i,  l_i = round(2 pi / w_i), half to even

    Parameters
    ----------
    frequencies : Frequencies
        `Frequencies` w, less than 4 pi, from `inverse_frequencies` or another scaling such as `yarn`. A frequency of 0
        stays 0.

    Returns
    -------
    Frequencies
        `Frequencies`, rounded once where they are read, with `turns` 1 / l_i and the attention factor and axes of those
        given.

    Raises
    ------
    InputError
        E_NUMBER when frequencies are no Frequencies, or one of them is so high that its wavelength rounds to 0.

    References
    ----------
    - Wang et al. 2024, arXiv:2403.00071, section 4.1.
    - sheryc/resonance_rope, rotary_resonance.py.

    Examples
    --------
    >>> from refpos import inverse_frequencies
    >>> resonance(inverse_frequencies(4, base=10000)).turns(1)
    Fraction(1, 628)
    """
    checked(frequencies)
    wavelengths = tuple(_wavelength(frequencies, i) for i in range(len(frequencies)))
    turns = tuple(Fraction(1, length) if length else Fraction(0) for length in wavelengths)
    return replace(
        frequencies,
        fixed=partial(_fixed, turns),
        rational=partial(_rational, turns),
        turns=turns.__getitem__,
    )


def _wavelength(frequencies, i):
    """The wavelength of one frequency as an integer; 0 stands for a frequency of 0."""
    turns = frequencies.turns(i)
    if frequencies.rational(i) == 0 or turns == 0:
        return 0
    if turns is not None:
        length = reals.nearest(reals.rational(1 / turns))
    else:
        theta = Real(lru_cache(maxsize=8)(lambda bits: frequencies.fixed(bits)[i]), frequencies.rational(i))
        length = reals.nearest(reals.evaluated(lambda digits: 2 * digits.pi() / digits.of(theta)))
    if length <= 0:
        value = frequencies.inv_freq[i]
        raise InputError("E_NUMBER", "frequencies", f"frequencies must be less than 4 pi, got {value:.6g} at {i}")
    return length


@lru_cache(maxsize=64)
def _fixed(turns, bits):
    double = fixed_point.pi(bits + 4) << 1  # off by less than 2 * 2**-(bits + 4)
    return tuple(((double * turn.numerator // turn.denominator) + 8) >> 4 for turn in turns)


def _rational(turns, i):
    return Fraction(0) if turns[i] == 0 else None
