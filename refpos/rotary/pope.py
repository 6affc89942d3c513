"""Polar coordinate positional embedding (PoPE): content is the length of a pair, position its angle."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic import formats, reals, rounding
from ..catalogue import register
from ..errors import InputError
from ..frequencies.inverse_frequencies import inverse_frequencies
from ..steps.angles.frequencies import Frequencies, checked
from ..steps.angles.phases import Angle
from ..steps.waves import polar, rotary_arguments
from ..steps.waves.grids import PositionsOfAxes
from ..steps.waves.rotation import pair_views
from ..types import Array, ArrayLike, DType, Number, OneBlockPairing

__all__ = ["pope"]

PAIRINGS = get_args(OneBlockPairing)
Magnitude = Literal["softplus", "given"]
MAGNITUDES = {"softplus": polar.softplus, "given": polar.unchanged}


@register(
    family="rotary",
    paper="Gopalakrishnan et al. 2025, Decoupling the What and Where With Polar Coordinate Positional Embeddings,"
    " arXiv:2509.10534, section 3",
    conventions="pairs interleaved (PoPE-pytorch) or in halves (x-transformers), no default; one frequency a channel",
    no_error_bound="libraries state no error of softplus",
    also="PoPE, polar position embedding",
)
def pope(
    x: ArrayLike,
    positions: PositionsOfAxes,
    *,
    pairing: OneBlockPairing,
    bias: ArrayLike | None = None,
    magnitude: Magnitude = "softplus",
    frequencies: Frequencies | None = None,
    base: Number = 10000.0,
    dtype: DType | None = None,
) -> Array:
    """PoPE: each channel becomes a pair whose length is its softplus and whose angle is the position's.

        y1 = ln(1 + e**x_j) cos(p theta_j + delta_j),  y2 = ln(1 + e**x_j) sin(p theta_j + delta_j)
        theta_j = base**(-j / dim), j = 0 .. dim - 1;  delta_j = bias[head, j], kept within -2 pi .. 0

    Parameters
    ----------
    x : array_like
        Queries or keys, shape (..., seq, dim), or (..., heads, seq, dim) with a bias.
    positions : array_like or sequence of array_like
        An int (0 .. n-1, n = seq), an array (seq,), or (batch..., seq), or (axes, ..., seq) or a `grid` with
        frequencies of several axes, as in `rope`.
    pairing : {'interleaved', 'half'}
        "interleaved" (y1 and y2 at 2j, 2j + 1) or "half" (at j, j + dim).
    bias : array_like, optional
        Learned, for keys alone, (heads, dim), in radians.
    magnitude : {'softplus', 'given'}, default 'softplus'
        Length of each pair: "softplus" of the channel; "given" takes the channels themselves in place of their
        softplus.
    frequencies : Frequencies, optional
        One for each channel that is rotated, such as `axial_frequencies` of twice the widths (axial PoPE), instead of
        base; channels beyond them are copied behind the pairs.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    dtype : str or dtype, optional
        "bfloat16" if x holds bit patterns as uint16.

    Returns
    -------
    ndarray
        Shape (..., seq, 2 dim), or dim plus the number of frequencies, of the dtype of x: the exact value of the
        formula rounded once, the factor of scaled frequencies included.

    Raises
    ------
    InputError
        E_SHAPE, E_CHOICE, E_DTYPE, E_POSITION, E_NUMBER (bias), E_BASE.

    Notes
    -----
    Where x is not finite, and for zeros, the formula holds in IEEE arithmetic, and every NaN is the positive quiet one.
    PyTorch's softplus returns x itself above 20, 2e-9 less.

    It is made to check other code: some 0.2 ms for each channel of each token.

    References
    ----------
    - lucidrains/PoPE-pytorch, PoPE_pytorch/pope.py (interleaved).
    - lucidrains/x-transformers, PolarEmbedding and apply_polar_pos_emb (half).

    Examples
    --------
    >>> import numpy as np
    >>> pope(np.zeros((2, 2)), 2, pairing="half")
    array([[0.69314718, 0.69314718, 0.        , 0.        ],
           [0.37450902, 0.69311252, 0.58326324, 0.00693136]])
    """
    x, fmt = rotary_arguments.read_channels(x, dtype)
    checks.choice("pairing", pairing, PAIRINGS)
    magnitude_of = MAGNITUDES[checks.choice("magnitude", magnitude, tuple(MAGNITUDES))]
    axis, dim = rotary_arguments.sequence_axis(x, -2), x.shape[-1]
    frequencies = _choose_frequencies(dim, frequencies, base)
    count = len(frequencies)
    tokens = rotary_arguments.read_token_positions(positions, frequencies).along_sequence()
    tokens.check(x.shape, axis)
    kind = fmt if x.dtype.name == fmt.name else checks.UINT16
    result, _ = checks.output(None, (*x.shape[:-1], dim + count), kind)
    shifts = _shifts(bias, x.shape, count)
    if not x.size:
        return result
    values = rounding.widen(formats.storage(x, fmt)[..., :count], fmt)
    result[..., 2 * count :] = x[..., count:]
    pairs = [formats.bits(view) for view in pair_views(formats.storage(result, fmt), pairing, 2 * count)]
    rows = np.arange(math.prod(tokens.shape), dtype=np.int64)
    rows = rows.reshape(*tokens.shape[:-1], *[1] * (axis - len(tokens.shape) + 1), -1)
    rows = np.broadcast_to(rows, x.shape[:-1])
    angles_of = _angles([along.fractions() for along in tokens.axes], frequencies, shifts)
    for at in np.ndindex(x.shape[:-1]):
        angles = angles_of(int(rows[at]), at[-2] if len(shifts) > 1 else 0)
        for i, value in enumerate(values[at].tolist()):
            products = polar.products(magnitude_of(value), angles[i], fmt)
            for view, pattern in zip(pairs, products):
                view[(*at, i)] = pattern
    return result


def _choose_frequencies(dim, frequencies, base):
    if frequencies is None:
        return inverse_frequencies(2 * dim, base=base)
    if len(checked(frequencies)) > dim:
        raise InputError(
            "E_SHAPE", "frequencies", f"frequencies must be at most the {dim} channels of x, got {len(frequencies)}"
        )
    return rotary_arguments.choose_frequencies(2 * dim, frequencies, base, None)


def _shifts(bias, shape, count):
    """What is added to the angles, a tuple of fractions for each head; one for all where there is no bias."""
    if bias is None:  # where x holds nothing, no angle is asked for
        return [(Fraction(0),) * (count if math.prod(shape) else 0)]
    bias = checks.array("bias", bias)
    if len(shape) < 3 or bias.shape != (shape[-3], count):
        raise InputError(
            "E_SHAPE", "bias", f"bias must be (heads, {count}) of x (..., heads, seq, dim) {shape}, got {bias.shape}"
        )
    return [tuple(_clamped(checks.real("bias", value)) for value in row) for row in bias.tolist()]


def _clamped(value):
    """The angle clamped to -2 pi .. 0; -2 pi is a whole turn, and so 0."""
    within = value < 0 and reals.compare(reals.evaluated(_whole_turn), -value) > 0
    return value if within else Fraction(0)


def _whole_turn(digits):
    return digits.pi() * 2


def _angles(axes, frequencies, shifts):
    """angles(row, head): the `phases.Angle` of each frequency at the flat row of the positions along the axes."""
    axis_of = frequencies.axes or (0,) * len(frequencies)

    @cache
    def angles(row, head):
        positions = tuple(axes[axis][row] for axis in axis_of)
        shifted = polar.shifted(frequencies, positions, shifts[head])
        return [Angle(shifted, i, 1, 0) for i in range(len(shifted))]

    return angles
