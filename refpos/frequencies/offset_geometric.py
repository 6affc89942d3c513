"""Frequencies of AlphaGenome: reciprocals of sums of an integer and a power."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial

from .. import checks
from ..catalogue import register
from ..steps.angles.frequencies import Frequencies, geometric_frequencies
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
    count = checks.even_width("dim", dim) // 2
    last = checks.integer("max_position", max_position, count, checks.LARGEST_SIZE) - count + 1
    return _of_powers(geometric_frequencies(2 * count, count, Fraction(1, max(count - 1, 1)), Fraction(last)))


@lru_cache(maxsize=64)
def _of_powers(inverses):
    """1 / (i + 1 / g_i) for the frequencies g_i, which are at most 1."""
    return Frequencies(inverses.dim, partial(_fixed, inverses), partial(_rational, inverses))


def _fixed(inverses, bits):
    # g / (1 + i g) is off by less than g is, an eighth of 2**-bits, and its quotient is rounded to nearest
    work = bits + 3
    values = enumerate(inverses.fixed(work))
    return tuple((value << bits + 1) // ((1 << work) + i * value) + 1 >> 1 for i, value in values)


def _rational(inverses, i):
    known = inverses.rational(i)
    return None if known is None else known / (1 + i * known)
