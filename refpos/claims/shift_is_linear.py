"""The claim that a sinusoidal table is carried from one position to another by one matrix."""

from __future__ import annotations

import math

import numpy as np

from .. import checks
from ..absolute.shift_matrix import shift_matrix
from ..absolute.sinusoidal import sinusoidal
from ..arithmetic import formats
from ..errors import InputError, shown
from ..guard import guarded
from ..steps.positions.coordinates import listed
from ..steps.positions.exact_positions import PositionsLike, read_positions
from ..types import DType, Integer, Number, SinusoidLayout
from . import exact
from .claim import Claim, judged

HOLDS = "the sum theorem: sin((p + s) theta) and cos((p + s) theta) are cos(s theta) and sin(s theta) times those of p"
MOST = 2**16  # positions; each is a fraction


@guarded
def shift_is_linear(
    positions: PositionsLike,
    dim: Integer,
    *,
    shift: Number,
    base: Number = 10000.0,
    layout: SinusoidLayout = "interleaved",
    endpoint: bool = False,
    zero_row: Integer | None = None,
    dtype: DType = "float64",
) -> Claim:
    """Whether one matrix carries each row of a sinusoidal table to the row that is `shift` further.

        PE[p + s] = M(s) PE[p]    for all p, with M of `shift_matrix`

    Parameters
    ----------
    positions : int or array_like
        At which the table is compared, from one to 2**16.
    dim : int
        Number of channels, even: the last sine of an odd width has no cosine, of which the shifted sine is made.
    shift : float or Fraction
        s, not 0.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    layout : {'interleaved', 'sin-cos', 'cos-sin'}, default 'interleaved'
        Order of the channels, as in `sinusoidal`.
    endpoint : bool, default False
        Frequencies whose last one is 1/base, as in `sinusoidal`.
    zero_row : int, optional
        Position at which all channels are zeros, as in `sinusoidal`.
    dtype : str or dtype, default 'float64'
        Format of the table: float64, float32, float16 or bfloat16.

    Returns
    -------
    Claim
        A `Claim`, true where the formula holds and the numbers agree within the bound; `holds` and `why` speak of the
        formula.

    Raises
    ------
    InputError
        E_SHAPE (no positions), E_NUMBER (shift), and what `sinusoidal` and `shift_matrix` raise (E_SIZE, E_ODD_DIM,
        E_BASE, E_POSITION, E_CHOICE, E_DTYPE, E_OUT, E_TOO_LARGE).

    Notes
    -----
    `holds` is said of the formula: true by the sum theorem, except with a zero_row, since no matrix makes a row from
    zeros. The numbers compared are M PE[p], both as they are rounded to dtype, its products summed exactly, and PE[p +
    s] rounded; the bound is what half a unit in the last place of each makes of them.

    References
    ----------
    Vaswani et al. 2017, arXiv:1706.03762, section 3.5: "for any fixed offset k, PE[pos + k] can be represented as a
    linear function of PE[pos]".

    Examples
    --------
    >>> claim = shift_is_linear([0, 1, 1000], 8, shift=2**20, dtype="float32")
    >>> bool(claim), claim.compared
    (True, 24)
    >>> shift_is_linear(4, 8, shift=3, zero_row=1).holds
    False
    """
    offset, fmt = checks.real("shift", shift), formats.resolve(dtype)
    if not offset:
        raise InputError("E_NUMBER", "shift", f"shift must not be 0, got {shown(shift)}")
    where = read_positions(positions)
    if not 0 < math.prod(where.shape) <= MOST:
        sentence = f"positions must be at least one and at most 2**16, got shape {where.shape}"
        raise InputError("E_SHAPE", "positions", sentence)
    where = where.fractions()
    table = {"base": base, "layout": layout, "endpoint": endpoint, "dtype": fmt.name}
    width = checks.even_width("dim", dim)
    matrix = shift_matrix(offset, width, **table, out=_room(width, width, fmt))
    rows, moved = (
        sinusoidal(listed([p + s for p in where]), width, **table, zero_row=zero_row, out=_room(len(where), width, fmt))
        for s in (0, offset)
    )
    m, before, after = exact.whole("the table", [matrix, rows, moved], fmt)
    sums, errors = _carried(m, before)
    wanted, half = (part << -m.exponent for part in (after.numbers, after.halves))  # in units of the products
    differences, bounds = (exact.as_floats(part, 2 * m.exponent) for part in (abs(sums - wanted), errors + half))
    pair = [exact.patterns(part, 2 * m.exponent, fmt) for part in (sums, wanted)]
    why = HOLDS if zero_row is None else f"row {zero_row} is zeros, and no matrix maps zeros to another row"
    return judged(zero_row is None, why, fmt, pair, differences, bounds)


def _room(rows, columns, fmt):
    """An array for bit patterns of bfloat16, whose dtype NumPy has not; None for the other formats."""
    return np.empty((rows, columns), np.uint16) if fmt.name == "bfloat16" else None


def _carried(m, rows):
    """M times each row, and what rounding may add; the zeros of M, which are no rounded numbers, take no part."""
    sums, errors = np.zeros(rows.numbers.shape, object), np.zeros(rows.numbers.shape, object)
    for channel, entries in enumerate(m.numbers):
        used = np.flatnonzero(entries != 0)
        a = exact.Whole(rows.numbers[:, used], rows.halves[:, used], rows.exponent)
        b = exact.Whole(entries[used, None], m.halves[channel, used, None], m.exponent)
        sums[:, channel], errors[:, channel] = (part[:, 0] for part in exact.products(a, b))
    return sums, errors
