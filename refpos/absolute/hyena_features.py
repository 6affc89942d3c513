"""The positions that Hyena's filters are made of: a time, and cosines and sines of it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from .. import checks
from ..arithmetic import formats, rounding
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.angles import frequency_sets
from ..steps.positions.exact_positions import read_positions
from ..steps.waves import tables
from ..types import Array, DType, Integer, Number

__all__ = ["hyena_features"]


@register(
    family="absolute",
    paper="Poli et al. 2023, Hyena Hierarchy, arXiv:2302.10866, appendix D.3",
    conventions="time, cosines, sines with a minus; time to 1 inclusive, angles of a whole turn exclusive",
    also="Hyena, HyenaDNA, Evo",
)
def hyena_features(
    length: Integer,
    dim: Integer,
    *,
    low: Number = 1e-4,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """The positional features of Hyena, HyenaDNA and Evo, input of the network that makes a filter.

        F[p] = [p / (length - 1) | cos(2 pi f_b p / length) | -sin(2 pi f_b p / length)]

    for p = 0 .. length - 1 and n = (dim - 1) / 2 bands f_b, evenly from `low` to n - 1; one band is low.

    Parameters
    ----------
    length : int
        Number of positions.
    dim : int
        Number of channels, odd, 3 or more.
    low : float or Fraction, default 0.0001
        The lowest band, a number of 0 or more, taken as exactly what it is.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (length, dim), rounded once to `dtype`: integer numbers of turns, and other twelfths, are exact.

    Raises
    ------
    InputError
        E_SIZE (length, threads), E_ODD_DIM (dim), E_NUMBER (low), E_DTYPE, E_TOO_LARGE, E_OUT.

    Notes
    -----
    A single position has time 0.

    References
    ----------
    HazyResearch/safari at c1b5c7b, src/models/sequence/hyena.py, PositionalEmbedding; shorter filters are made of the
    first rows.

    Examples
    --------
    >>> hyena_features(4, 3, low=1)
    array([[ 0.        ,  1.        ,  0.        ],
           [ 0.33333333,  0.        , -1.        ],
           [ 0.66666667, -1.        ,  0.        ],
           [ 1.        ,  0.        ,  1.        ]])
    """
    length = checks.integer("length", length)
    dim = checks.integer("dim", dim, 0, checks.WIDEST)
    if dim < 3 or dim % 2 == 0:
        raise InputError("E_ODD_DIM", "dim", f"dim must be odd and at least 3, got {dim}")
    bands, fmt = bands_of(dim // 2, low), formats.resolve(dtype)
    checks.thread_count(threads)
    result, stored = checks.output(out, (length, dim), fmt)
    if not length:
        return result
    patterns = formats.bits(stored)
    patterns[:, 0] = [rounding.nearest_fraction(Fraction(p, max(length - 1, 1)), fmt) for p in range(length)]
    frequencies = frequency_sets.times_pi(frequency_sets.from_fractions(2 * band / length for band in bands), 1)
    backward = read_positions(-np.arange(length, dtype=np.int64))  # the sine of -x is -sin x
    tables.fill(*np.split(stored[:, 1:], 2, axis=1), backward, frequencies, fmt, threads)
    return result


def bands_of(count, low):
    """The bands as fractions, evenly from low to count - 1."""
    low = checks.real("low", low)
    if low < 0:
        raise InputError("E_NUMBER", "low", f"low must be 0 or more, got {shown(low)}")
    return [low + Fraction(b, max(count - 1, 1)) * (count - 1 - low) for b in range(count)]
