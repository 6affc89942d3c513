"""Fourier features of a time between two given periods or frequencies."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, get_args

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..steps.angles import frequency_sets
from ..steps.angles.frequencies import geometric_frequencies
from ..steps.positions.exact_positions import PositionsLike, read_times
from ..steps.waves import sinusoids
from ..types import Array, DType, Integer, Number

__all__ = ["timestep_fourier"]

Ends = Literal["periods", "frequencies"]
ENDS = get_args(Ends)


@register(
    family="absolute",
    paper="Black et al. 2024, pi0: A Vision-Language-Action Flow Model, arXiv:2410.24164, appendix B",
    conventions="ends periods or frequencies, and flip_sin_to_cos (no defaults); both ends are reached",
    also="Fourier timestep embedding, GaussianFourierProjection",
)
def timestep_fourier(
    timesteps: PositionsLike,
    dim: Integer,
    *,
    ends: Ends,
    first: Number,
    last: Number,
    flip_sin_to_cos: bool,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Fourier timestep embedding: sines and cosines of 2 pi times a time at geometrically spaced frequencies.

        E[t] = [sin(2 pi f_0 t) ... sin(2 pi f_(h-1) t) | cos(2 pi f_0 t) ... cos(2 pi f_(h-1) t)],   h = dim / 2
        r_i = first * (last / first)**(i / (h - 1));   f_i = r_i for ends="frequencies", 1 / r_i for ends="periods"

    Parameters
    ----------
    timesteps : int or array_like
        Numbers of any shape, integers to 2**53 in size or finite floats, taken as exactly what they are; a single
        number is one timestep.
    dim : int
        Number of channels, even; with dim 2 the only r is first.
    ends : {'periods', 'frequencies'}
        Whether first and last are frequencies or periods.
    first, last : float or Fraction
        Both ends of the range, which are reached exactly, greater than 0, in either order.
    flip_sin_to_cos : bool
        True puts the cosines first.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (*timesteps.shape, dim), every element the exact value rounded once to `dtype`.

    Raises
    ------
    InputError
        E_ODD_DIM (an odd dim), E_NUMBER (first, last), E_BASE (ends further apart than 2**4096), E_POSITION
        (timesteps), E_CHOICE, E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    Where f_i t is a fraction, so is the share of a turn: sines and cosines of twelfths of a turn are exact.

    References
    ----------
    - transformers, models/pi0/modeling_pi0.py, PI0TimestepEmbeddings (periods 0.004 to 4, sines first).
    - diffusers, models/transformers/transformer_stable_audio3.py, StableAudio3ExpoFourierFeatures (frequencies 0.5 to
      10000, cosines first).

    Examples
    --------
    >>> timestep_fourier([0.25], 4, ends="frequencies", first=1, last=3, flip_sin_to_cos=True)
    array([[ 0.,  0.,  1., -1.]])
    """
    dim, fmt = checks.multiple("dim", dim, 2), formats.resolve(dtype)
    checks.choice("ends", ends, ENDS)
    layout, half = sinusoids.halves(flip_sin_to_cos), dim // 2
    start, stop = checks.positive("first", first), checks.positive("last", last)
    if ends == "periods":
        start, stop = 1 / start, 1 / stop
    turns = geometric_frequencies(dim, half, Fraction(1, max(half - 1, 1)), start / stop, start, "last")
    times = read_times(timesteps)
    result, stored = checks.output(out, (*times.shape, dim), fmt)  # which refuses a width of too many frequencies
    sinusoids.fill(stored, times, frequency_sets.times_pi(turns, 2), layout, half, fmt, threads)
    return result
