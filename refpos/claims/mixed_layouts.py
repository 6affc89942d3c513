"""A rotation whose table is laid out for one pairing of the channels and used with the other: a mistake of lessons."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

from .. import checks
from ..frequencies.inverse_frequencies import inverse_frequencies
from ..guard import guarded
from ..rotary._two_angles import rope_by_two_angles
from ..steps.angles import frequency_sets
from ..steps.positions.exact_positions import PositionsLike
from ..steps.waves import rotary_arguments
from ..types import Array, ArrayLike, DType, Number, OneBlockPairing

PAIRINGS = get_args(OneBlockPairing)
TableLayout = Literal["tiled", "repeated"]
LAYOUTS = get_args(TableLayout)


@guarded
def mixed_layouts(
    x: ArrayLike,
    positions: PositionsLike,
    *,
    table: TableLayout,
    pairing: OneBlockPairing,
    base: Number = 10000.0,
    dtype: DType | None = None,
) -> Array:
    """Rotate pairs of channels by a table made for another pairing, a mistake of published tutorials.

        y1 = x1 cos(p theta_j) - x2 sin(p theta_j),  y2 = x2 cos(p theta_k) + x1 sin(p theta_k)
        j and k: the frequencies of channels c1 and c2 of the pair; of channel c in a table of dim channels
        c mod dim/2 for table "tiled",  floor(c / 2) for "repeated";  theta_i = base**(-2i / dim)

    Parameters
    ----------
    x : array_like
        Shape (..., seq, dim), dim even.
    positions : int or array_like
        An int (0 .. n-1, n = seq), an array (seq,), or (batch..., seq), as in `rope`.
    table : {'tiled', 'repeated'}
        The layout of the cosines and sines, "tiled" for all angles and then all again, "repeated" for each angle twice
        in place.
    pairing : {'interleaved', 'half'}
        Which channels are rotated together, as in `rope`.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    dtype : str or dtype, optional
        "bfloat16" if x holds bit patterns as uint16.

    Returns
    -------
    ndarray
        An array of the shape and dtype of x, every element the exact value rounded once.

    Raises
    ------
    InputError
        E_CHOICE (table, pairing), and what `rope` raises (E_DTYPE, E_SHAPE, E_AXIS, E_ODD_DIM, E_ROTARY_DIM, E_BASE,
        E_POSITION, E_OUT).

    Notes
    -----
    "tiled" with "half" and "repeated" with "interleaved" are `rope`.

    It is here to show what `distance_only` says of it.

    References
    ----------
    rasbt/LLMs-from-scratch, pull request 750, and raiyanyahya/how-to-train-your-gpt, pull request 7, which correct it.

    Examples
    --------
    >>> import numpy as np
    >>> mixed_layouts(np.ones((1, 4)), [1], table="tiled", pairing="interleaved")[0]
    array([-0.30116868,  1.00994983, -0.30116868,  1.00994983])
    """
    x, _ = rotary_arguments.read_channels(x, dtype)
    dim = checks.even_width("x", x.shape[-1] if x.ndim else 0)
    rungs = rungs_of(dim, table, pairing)
    plain = inverse_frequencies(dim, base=base)
    frequencies = tuple(replace(frequency_sets.picked(plain, part), axes=None) for part in rungs)
    return rope_by_two_angles(x, positions, pairing=pairing, frequencies=frequencies, dtype=dtype)


def rungs_of(dim, table, pairing):
    """For the first and the second channels of all pairs: the numbers of their frequencies."""
    checks.choice("table", table, LAYOUTS)
    checks.choice("pairing", pairing, PAIRINGS)
    half = dim // 2
    channels = [list(range(half)), list(range(half, dim))]
    if pairing == "interleaved":
        channels = [list(range(0, dim, 2)), list(range(1, dim, 2))]
    return [[c % half if table == "tiled" else c // 2 for c in part] for part in channels]
