"""The functional time encoding of TGAT: cosines of elapsed time at frequencies from 1 down to 10**-9."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..steps.angles.frequencies import sinusoid_inv_freq
from ..steps.positions.exact_positions import PositionsLike, read_times
from ..steps.waves import tables
from ..types import Array, DType, Integer, Number

__all__ = ["functional_time"]

BLOCK = 1 << 17  # cosines that are made at a time


@register(
    family="absolute",
    paper="Xu et al. 2020, Inductive Representation Learning on Temporal Graphs, arXiv:2002.07962, section 3.1; the "
    "frequencies are those of its code",
    conventions="cosines only; frequencies base**(-j / (dim - 1)), both ends included",
    also="TGAT, TGN, Bochner time encoding, harmonic time encoding",
)
def functional_time(
    times: PositionsLike,
    dim: Integer,
    *,
    base: Number = 10**9,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """The functional time encoding of TGAT and TGN: cosines of elapsed times.

        E[t, j] = cos(t w_j),   w_j = base**(-j / (dim - 1)),  j = 0 .. dim - 1

    Parameters
    ----------
    times : int or array_like
        Numbers of any shape, such as seconds since an earlier event, taken as exactly what they are; an integer alone
        is one time.
    dim : int
        Number of channels, at least 1; of a single channel the frequency is 1.
    base : float or Fraction, default 1000000000
        Base of the frequencies, greater than 0; 10**9 gives 10**(-9 j / (dim - 1)).
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (*times.shape, dim), each element rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SIZE (dim), E_POSITION (times), E_BASE, E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    With frequencies and phases that were learned the encoding is `time2vec` with kind "cos" and linear None.

    Programs compute times, frequencies and products in float32: for seconds, their first digit is wrong before a year
    is over.

    References
    ----------
    StatsDLMathsRecomSys/Inductive-representation-learning-on-temporal-graphs, module.py, TimeEncode at 66b2ccd.

    Examples
    --------
    >>> functional_time([0, 1000], 4)
    array([[1.        , 1.        , 1.        , 1.        ],
           [0.56237908, 0.54030231, 0.9999995 , 1.        ]])
    """
    dim = checks.integer("dim", dim, 1, checks.WIDEST)
    frequencies = sinusoid_inv_freq(2 * dim, checks.positive("base", base, "E_BASE"), True)
    positions, fmt = read_times(times, "times"), formats.resolve(dtype)
    checks.thread_count(threads)
    result, stored = checks.output(out, (*positions.shape, dim), fmt)
    at_once = max(1, BLOCK // dim)
    with tables.rows_of(stored) as rows:
        sines = np.empty((min(at_once, len(rows)), dim), fmt.storage)  # which nobody asked for
        for start in range(0, len(rows), at_once):
            block = rows[start : start + at_once]
            part = positions.part(start, start + len(block))
            tables.fill(block, sines[: len(block)], part, frequencies, fmt, threads)
    return result
