"""The binary digits of each position."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..steps.positions.exact_positions import read_whole_positions
from ..types import ArrayLike, Integer, Integers

MOST_BITS = 62


@register(
    family="absolute",
    paper="none: binary numbers, with which textbooks compare sinusoids",
    conventions="lowest_first (no default)",
    whole=True,
    also="binary position encoding, binary encoding",
)
def binary_code(positions: ArrayLike, bits: Integer, *, lowest_first: bool, out: Integers | None = None) -> Integers:
    """The binary digits of each position, one digit in each channel.

        B[p, j] = floor(p / 2**j) mod 2            with lowest_first
        B[p, j] = floor(p / 2**(bits - 1 - j)) mod 2   without

    Parameters
    ----------
    positions : int or array_like
        An int n (meaning 0 .. n-1) or an array of integers from 0 to 2**53, any shape.
    bits : int
        Number of digits, 1 to 62, and enough for the largest position.
    lowest_first : bool
        Whether channel 0 changes from each position to the next, as the first sine does, or stands for the highest
        power of two, as numbers are written.
    out : ndarray of int64, optional
        Array that receives the result.

    Returns
    -------
    ndarray of int64
        Shape (*positions.shape, bits).

    Raises
    ------
    InputError
        E_SIZE (bits), E_POSITION (positions; one that needs more bits), E_CHOICE (lowest_first), E_OUT, E_TOO_LARGE.

    References
    ----------
    - The formula.
    - without lowest_first the digits of numpy.binary_repr(p, bits).

    Examples
    --------
    >>> binary_code([5, 6], 4, lowest_first=True)
    array([[1, 0, 1, 0],
           [0, 1, 1, 0]])
    """
    bits = checks.integer("bits", bits, 1, MOST_BITS)
    positions = read_whole_positions("positions", positions)
    largest = int(positions.max(initial=0))
    if largest >> bits:
        sentence = f"positions must be below 2**bits = {2**bits}, got {largest}"
        raise InputError("E_POSITION", "positions", sentence)
    powers = np.arange(bits, dtype=np.int64)
    powers = powers if checks.flag("lowest_first", lowest_first) else powers[::-1]
    array, stored = checks.output(out, (*positions.shape, bits), checks.INT64, apart_from=(positions,))
    np.right_shift(positions[..., None], powers, out=stored)
    stored &= 1
    return array
