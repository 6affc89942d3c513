"""A sinusoidal table whose entries have mean 0 and one standard deviation."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError
from ..steps.positions.exact_positions import PositionsLike, read_positions
from ..steps.rows import doubles
from ..steps.scores import ordered_sums
from ..steps.waves import tables
from ..types import Array, DType, Integer, Number
from .sinusoidal import sinusoidal

__all__ = ["normalised_sinusoidal"]

BLOCK = 1 << 16  # entries at a time
TIMES = 10.0  # the standard deviation becomes 1 / TIMES


@register(
    family="absolute",
    paper="Nie et al. 2023, A Time Series is Worth 64 Words, arXiv:2211.14730; its code normalises the table of "
    "Vaswani et al. 2017",
    conventions="mean and unbiased standard deviation of all entries together, divided by 10 times the deviation",
    contract="written",
)
def normalised_sinusoidal(
    positions: PositionsLike,
    dim: Integer,
    *,
    base: Number = 10000.0,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Standardised sinusoidal table: minus its mean, divided by ten times its standard deviation.

        C = PE - mean(PE),   E = C / (10 std(C)),   std(C)**2 = sum((C - mean(C))**2) / (n - 1) over all n entries

    Parameters
    ----------
    positions : int or array_like
        An int n (meaning 0 .. n-1) or an array of any shape: the entries of all of them are normalised together.
    dim : int
        Number of channels, from 1 on, with at least two entries in all.
    base : float or Fraction, default 10000
        Base of the frequencies, as in `sinusoidal`, whose layout "interleaved" this has.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (*positions.shape, dim) of class `sequence64`: PE is rounded once to float64, and so is each operation
        after it, sums from 0 on through positions and channels; then rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SIZE (dim, and fewer than two entries), E_POSITION, E_BASE, E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    Entries that are all equal give NaN, 0 / 0.

    References
    ----------
    Transformers 5.23.0, models/patchtst/modeling_patchtst.py and models/patchtsmixer/modeling_patchtsmixer.py.

    Examples
    --------
    >>> normalised_sinusoidal(1, 2)
    array([[-0.07071068,  0.07071068]])
    """
    dim, fmt = checks.integer("dim", dim, 1), formats.resolve(dtype)
    axis = read_positions(positions)
    result, stored = checks.output(out, (*axis.shape, dim), fmt, apart_from=doubles.arrays(positions))
    if result.size == 1:
        raise InputError("E_SIZE", "positions", "positions and dim must make at least 2 entries, got 1")
    if not result.size:
        return result
    # a table of float64 is made where it is returned
    in_place = fmt.name == "float64" and stored.flags.c_contiguous
    table = sinusoidal(axis, dim, base=base, out=stored if in_place else None, threads=threads)
    divisor = centre(table.reshape(-1))
    with tables.rows_of(stored) as rows:
        centred, step = table.reshape(rows.shape), max(1, BLOCK // dim)
        for start in range(0, len(rows), step):
            with np.errstate(all="ignore"):
                quotients = ordered_sums.canonical(centred[start : start + step] / divisor)
            doubles.store(rows[start : start + step], quotients, fmt)
    return result


def centre(entries):
    """Subtract their mean from entries (n,), in place; TIMES the standard deviation of what is left."""
    blocks = [entries[start : start + BLOCK] for start in range(0, len(entries), BLOCK)]
    mean = ordered_sums.total_of(blocks) / len(entries)
    for block in blocks:
        block -= mean
    mean = ordered_sums.total_of(blocks) / len(entries)
    squares = ((block - mean) * (block - mean) for block in blocks)
    return np.sqrt(ordered_sums.total_of(squares) / (len(entries) - 1)) * TIMES
