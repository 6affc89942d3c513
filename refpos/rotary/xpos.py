"""Rotary position encoding whose queries grow and keys shrink with the position (xPos)."""

from __future__ import annotations

from typing import get_args

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError
from ..steps.angles.frequencies import Frequencies, checked
from ..steps.positions.exact_positions import PositionsLike, read_positions
from ..steps.waves import rotary_arguments, scaled_rotation
from ..steps.waves.rotation_gradient import rotate_back
from ..types import Array, ArrayLike, DType, Integer, Number, OneBlockPairing
from .xpos_scale import Centring, growth_of

__all__ = ["xpos"]

PAIRINGS = get_args(OneBlockPairing)


@register(
    family="rotary",
    paper="Sun et al. 2022, A Length-Extrapolatable Transformer, arXiv:2212.10554, algorithm 1",
    conventions="pairing interleaved or half, centring ceil (torchscale) or floor (lucidrains), both without default",
    also="xPos, extrapolatable position embedding, LeX, torchscale, length extrapolation",
    gradients={"x": rotate_back},
)
def xpos(
    x: ArrayLike,
    positions: PositionsLike,
    *,
    pairing: OneBlockPairing,
    centring: Centring,
    downscale: bool = False,
    length: Integer | None = None,
    scale_base: Number = 512,
    gamma: Number | None = None,
    frequencies: Frequencies | None = None,
    base: Number = 10000.0,
    rotary_dim: Integer | None = None,
    inverse: bool = False,
    seq_axis: Integer = -2,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """xPos: RoPE with each pair scaled by a factor that decays with the position.

        y1 = s (x1 cos(p theta_j) - x2 sin(p theta_j))
        y2 = s (x2 cos(p theta_j) + x1 sin(p theta_j))      s = zeta_j**((p - c) / scale_base)
        zeta_j = (2j + gamma d) / ((1 + gamma) d),  c = floor(N / 2) or ceil(N / 2);  for keys 1 / s

    The score of a query at m and a key at n is then sum_j zeta_j**((m - n) / scale_base) times that of `rope`: far keys
    fade, the fast pairs first.

    Parameters
    ----------
    x : array_like
        Queries or keys, shape (..., seq, ..., dim) of float64, float32, float16 or bfloat16.
    positions : int or array_like
        An int (0 .. n-1, n = seq), an array (seq,), or (batch..., seq), as in `rope`.
    pairing : {'interleaved', 'half'}
        Channels of a pair: "interleaved" (2i, 2i+1) or "half" (i, i + rotary_dim/2).
    centring : {'floor', 'ceil'}
        Rule of the centre c, as in `xpos_scale`.
    downscale : bool, default False
        True for keys.
    length : int, optional
        Number N of all tokens, as in `xpos_scale`.
    scale_base : float or Fraction, default 512
        Divisor of the exponent, at least 1, as in `xpos_scale`.
    gamma : float or Fraction, optional
        Number of zeta, as in `xpos_scale`; None is 2/5.
    frequencies : Frequencies, optional
        What `inverse_frequencies` or a scaling with one axis returns, instead of base.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    rotary_dim : int, optional
        How many leading channels are rotated, by default all; the others are copied.
    inverse : bool, default False
        Whether to rotate back, by -p; the factor stays.
    seq_axis : int, default -2
        Axis of the sequence: -2 for (batch, heads, seq, dim), -3 for (batch, seq, heads, dim).
    dtype : str or dtype, optional
        "bfloat16" if x holds bit patterns as uint16.
    out : ndarray, optional
        Array that receives the result, as in `rope`.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        An array of the shape and dtype of x: the exact value of the formula for the exact x rounded once.

    Raises
    ------
    InputError
        What `rope` and `xpos_scale` raise; E_SHAPE when frequencies have axes (E_DTYPE, E_AXIS, E_ODD_DIM,
        E_ROTARY_DIM, E_BASE, E_POSITION, E_CHOICE, E_OUT, E_SIZE, E_NUMBER, E_TOO_LARGE).

    Notes
    -----
    The width d is the one that is rotated. The rotation begins at position 0, whatever c is. With queries decoded one
    at a time give positions [N - 1] and the keys range(N), and both length N or none.

    Where x is not finite the formula holds in IEEE arithmetic, and every NaN is the positive quiet one.

    References
    ----------
    - Sun et al. 2022, arXiv:2212.10554, algorithm 1.
    - ceil: microsoft/torchscale, component/xpos_relative_position.py.
    - floor: lucidrains/x-transformers, RotaryEmbedding, and rotary-embedding-torch (until its pull request 34 the
      factors were tiled over adjacent pairs: the two channels of a pair took different ones).

    Examples
    --------
    >>> xpos([[1.0, 0.0]] * 3, 3, pairing="interleaved", centring="floor").round(6)
    array([[ 1.00245 ,  0.      ],
           [ 0.540302,  0.841471],
           [-0.41513 ,  0.907075]])
    """
    x, fmt = rotary_arguments.read_channels(x, dtype)
    checks.choice("pairing", pairing, PAIRINGS)
    axis = rotary_arguments.sequence_axis(x, seq_axis)
    frequencies = rotary_arguments.choose_frequencies(x.shape[-1], frequencies, base, rotary_dim)
    positions = read_one_axis(positions, frequencies)
    tokens = rotary_arguments.TokenPositions(positions.shape, (positions,))
    tokens.check(x.shape, axis)
    growth = growth_of(positions, frequencies.dim, centring, downscale, length, scale_base, gamma)
    backwards = checks.flag("inverse", inverse)
    result, stored = rotary_arguments.result_like(x, out, fmt)
    checks.thread_count(threads)
    if not x.size:
        return result
    for source, target, (rows,) in tokens.sequences(formats.storage(x, fmt), stored, axis):
        scaled_rotation.rotate(source, target, rows, pairing, frequencies, growth, fmt, backwards, threads)
    return result


def read_one_axis(positions, frequencies):
    """The argument `positions` for frequencies that rotate by one number for each token."""
    if checked(frequencies).axes is not None:
        raise InputError("E_SHAPE", "frequencies", "frequencies must have no axes, got one axis for each frequency")
    return read_positions(positions)
