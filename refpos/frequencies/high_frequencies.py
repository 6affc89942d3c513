"""HoPE: only the frequencies that make a whole turn within the length of training; the others do not turn."""

from __future__ import annotations

from functools import lru_cache

from .. import checks
from ..arithmetic import reals
from ..arithmetic.reals import Real
from ..catalogue import register
from ..steps.angles.frequencies import Frequencies, checked, scaled
from ..types import Integer

__all__ = ["high_frequencies"]


@register(
    family="frequencies",
    paper="Chen et al. 2024, HoPE, arXiv:2410.21216, section 4",
    conventions="a period as long as the length is kept; one of three papers that are called HoPE",
    also="frequency truncation",
)
def high_frequencies(frequencies: Frequencies, length: Integer) -> Frequencies:
    """HoPE frequencies: those whose period fits into a length; the others are 0.

        theta_i = w_i if 2 pi / |w_i| <= length else 0

    Parameters
    ----------
    frequencies : Frequencies
        `Frequencies` w, from `inverse_frequencies` or another scaling.
    length : int
        Length of training, 1 or more.

    Returns
    -------
    Frequencies
        `Frequencies` with the attention factor and axes of those given.

    Raises
    ------
    InputError
        E_NUMBER (frequencies), E_SIZE (length).

    Notes
    -----
    The channels of a frequency of 0 are left as they are. The comparison is exact.

    References
    ----------
    Chen et al. 2024, arXiv:2410.21216, section 4 (High-frequency rotary position encoding, not the hyperbolic nor the
    hybrid one that share its name).

    Examples
    --------
    >>> from refpos import inverse_frequencies
    >>> high_frequencies(inverse_frequencies(8, base=10000), 629).inv_freq
    array([1.  , 0.1 , 0.01, 0.  ])
    """
    checked(frequencies)
    length = checks.integer("length", length, 1)
    kept = (reals.rational(int(_fits(frequencies, i, length))) for i in range(len(frequencies)))
    return scaled(frequencies, tuple(kept))


def _fits(frequencies, i, length):
    """Whether a frequency makes a whole turn within the length."""
    turns, known = frequencies.turns(i), frequencies.rational(i)
    if known == 0:
        return False
    if turns is not None:
        return abs(turns) * length >= 1
    theta = Real(lru_cache(maxsize=8)(lambda bits: abs(frequencies.fixed(bits)[i])), known and abs(known))
    # pi is no algebraic number, and no product of pi and a fraction comes here
    return reals.sign(reals.evaluated(lambda digits: digits.of(theta) * length - digits.pi() * 2)) > 0
