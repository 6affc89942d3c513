"""The fixed temporal embedding of Informer: sinusoids of month, day, day of the week, hour and quarter, added up."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from .. import checks
from ..arithmetic import formats, rounding
from ..arithmetic.exact_sums import rounded_sum, total_of
from ..catalogue import register
from ..errors import InputError
from ..kernels.threads import for_blocks
from ..steps.angles import phases
from ..steps.angles.frequencies import sinusoid_inv_freq
from ..steps.angles.phases import Angle
from ..steps.waves import tables
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["fixed_temporal"]

#: each column, from its first to its last value; its table has last + 1 rows
COLUMNS = {"month": (1, 12), "day": (1, 31), "weekday": (0, 6), "hour": (0, 23), "minute": (0, 3)}
MOST = 32  # rows of the longest table
BITS = 160  # of the first sines
PAIR_ERROR = 2.0**-104  # of a sine as a pair of doubles
BLOCK = 1 << 14  # elements that are added at a time


@register(
    family="absolute",
    paper="Zhou et al. 2021, Informer, arXiv:2012.07436, appendix B; its code",
    conventions="month first; month and day count from 1, the minute is its quarter of the hour, 0 to 3; sine first",
    also="Informer, FixedEmbedding, temporal embedding, timeF",
)
def fixed_temporal(
    rows: ArrayLike,
    dim: Integer,
    *,
    base: Number = 10000.0,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """The fixed temporal embedding of Informer: a sinusoid for each field of a time, summed.

        E[t] = PE(month) + PE(day) + PE(weekday) + PE(hour) [+ PE(quarter)],
        PE(x)[2i] = sin(x base**(-2i / dim)),  PE(x)[2i + 1] = cos(x base**(-2i / dim))

    Parameters
    ----------
    rows : array_like
        Integers (..., 4) or (..., 5) as `calendar_rows` gives them with rule "informer": month 1 .. 12, day 1 .. 31,
        day of the week 0 .. 6, hour 0 .. 23, and perhaps the quarter of the hour 0 .. 3, minute // 15. The tables of
        Informer have 13, 32, 7, 24 and 4 rows; rows 0 of month and day are never read.
    dim : int
        Width of the embedding, even.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., dim), each element the exact sum rounded once to `dtype`; Informer adds tables of float32.

    Raises
    ------
    InputError
        E_DTYPE and E_SHAPE (rows), E_POSITION (rows beyond their range, as minute 45), E_ODD_DIM, E_SIZE, E_BASE,
        E_OUT, E_TOO_LARGE.

    Notes
    -----
    All fields share the same frequencies: hour 7 and day 7 add the same vector.

    References
    ----------
    zhouhaoyi/Informer2020, models/embed.py at 29f2a73, FixedEmbedding and TemporalEmbedding.

    Examples
    --------
    >>> fixed_temporal([1, 1, 0, 0], 2)
    array([1.68294197, 3.08060461])
    """
    dim, fmt = checks.even_width("dim", dim), formats.resolve(dtype)
    frequencies = sinusoid_inv_freq(dim, checks.positive("base", base, "E_BASE"), False)
    rows = read_rows(rows)
    checks.thread_count(threads)
    result, stored = checks.output(out, (*rows.shape[:-1], dim), fmt, apart_from=(rows,))
    flat = rows.reshape(-1, rows.shape[-1])
    if not flat.size:
        return result
    waves = _pairs(frequencies)
    with tables.rows_of(stored) as target:

        def work(start, stop):
            target[start:stop] = _sums(flat[start:stop], waves, frequencies, fmt)

        for_blocks(work, len(flat), max(1, BLOCK // dim), threads)
    return result


def read_rows(rows):
    """Rows (..., 4) or (..., 5) as int64, each within the range of its column."""
    found = checks.integers("rows", rows)
    if not found.ndim or found.shape[-1] not in (4, 5):
        sentence = f"rows must be (..., 4), {', '.join(COLUMNS)[:-8]}, or (..., 5) with minute, got shape {found.shape}"
        raise InputError("E_SHAPE", "rows", sentence)
    for k, (name, (first, last)) in enumerate(list(COLUMNS.items())[: found.shape[-1]]):
        column = found[..., k]
        if column.size and (column.min() < first or column.max() > last):
            worst = column.min() if column.min() < first else column.max()
            what = "minute // 15" if name == "minute" else name
            sentence = f"rows must have {what} from {first} to {last} in column {k}, got {worst}"
            raise InputError("E_POSITION", "rows", sentence)
    return found.astype(np.int64)


@lru_cache(maxsize=8)
def _pairs(frequencies):
    """Sines and cosines of 0 .. MOST - 1 as pairs of doubles, (2, MOST, dim), each off by less than PAIR_ERROR."""
    half = len(frequencies)
    pairs = np.empty((2, MOST, 2 * half))
    for x in range(MOST):
        for i in range(half):
            for kind, n in enumerate(_wave(frequencies, i, x, BITS)[:2]):
                high = n / (1 << BITS)
                pairs[:, x, 2 * i + kind] = high, (n - int(high * math.ldexp(1.0, BITS))) / (1 << BITS)
    return pairs


def _wave(frequencies, i, x, bits):
    """(sine, cosine, error) of x times frequency i, times 2**bits; exact at 0."""
    if not x:
        return 0, 1 << bits, 0
    cos, sin, error = phases.cos_sin(Angle(frequencies, i, x, 0), bits)
    return sin, cos, error


def _sums(rows, waves, frequencies, fmt):
    """(n, dim) sums of the waves of rows (n, columns), rounded once, in the storage of the format."""
    terms = [(*waves[:, column], None) for column in rows.T]
    with np.errstate(all="ignore"):
        high, low, lost, _ = total_of(terms)
        result, sure = rounded_sum(high, low, 2 * lost + len(terms) * PAIR_ERROR, 0, fmt)
    patterns = formats.bits(result)
    for row, channel in zip(*(part.tolist() for part in np.nonzero(~sure))):
        patterns[row, channel] = _exactly(frequencies, *divmod(channel, 2), rows[row].tolist(), fmt)
    return result


@lru_cache(maxsize=1 << 12)
def _of_numbers(frequencies, i, kind, numbers, fmt):
    """The pattern of a sum of sines or cosines of integers, one at least greater than 0.

    Frequencies are algebraic and not 0, so the sum is not a fraction (Lindemann and Weierstrass): enclosures decide.
    """

    def enclosure(bits):
        found = [_wave(frequencies, i, x, bits) for x in numbers]
        return sum(wave[kind] for wave in found), sum(wave[2] for wave in found)

    return rounding.round_exactly(enclosure, fmt, BITS)


def _exactly(frequencies, i, kind, numbers, fmt):
    return _of_numbers(frequencies, i, kind, tuple(sorted(numbers)), fmt)
