"""The timestep embedding of diffusion models."""

from __future__ import annotations

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.angles.frequencies import geometric_frequencies
from ..steps.positions.exact_positions import PositionsLike, read_times
from ..steps.waves import sinusoids
from ..types import Array, DType, Integer, Number

__all__ = ["timestep_embedding"]


@register(
    family="absolute",
    paper="Ho et al. 2020, Denoising Diffusion Probabilistic Models, arXiv:2006.11239, appendix B",
    conventions="flip_sin_to_cos and downscale_freq_shift (no defaults); a zero as last channel of an odd width",
    also=(
        "timestep, diffusion timestep, DDPM, get_timestep_embedding, Timesteps, noise level embedding, Stable Diffusion"
    ),
)
def timestep_embedding(
    timesteps: PositionsLike,
    dim: Integer,
    *,
    flip_sin_to_cos: bool,
    downscale_freq_shift: Number,
    scale: Number = 1,
    max_period: Number = 10000,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Diffusion timestep embedding: sines and cosines of each timestep, in two halves.

        E[t] = [sin(t w_0) ... sin(t w_(h-1)) | cos(t w_0) ... cos(t w_(h-1))],   h = dim // 2
        w_i = scale * max_period**(-i / (h - downscale_freq_shift))

    Parameters
    ----------
    timesteps : int or array_like
        Numbers of any shape, integers to 2**53 in size or finite floats, taken as exactly what they are; a single
        number is one timestep (an integer is not a count here).
    dim : int
        Number of channels, at least 2; the last channel of an odd one is zero.
    flip_sin_to_cos : bool
        True puts the cosines first, as Stable Diffusion and DiT have them; DDPM has the sines first.
    downscale_freq_shift : float or Fraction
        0 gives the frequencies of Stable Diffusion and nearly all others, 1 those of DDPM, whose last frequency is
        scale / max_period; any other number, such as 1/2, except dim // 2, by which the formula divides by zero.
    scale : float or Fraction, default 1
        Factor of the timesteps, greater than 0.
    max_period : float or Fraction, default 10000
        Base of the frequencies, greater than 0.
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
        E_ODD_DIM (dim below 2), E_NUMBER (a shift of dim // 2, scale), E_BASE (max_period), E_POSITION (timesteps),
        E_SIZE, E_CHOICE, E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    Programs multiply by scale either the timestep or the angle: the exact value is the same.

    The values are those of `sinusoidal` with odd="pad", layout "sin-cos" or "cos-sin", position_scale=scale, and with
    endpoint=True for a shift of 1.

    Where a program rounds its timesteps to bfloat16 and that is what is meant, give the rounded ones.

    References
    ----------
    - Ho et al. 2020.
    - hojonathanho/diffusion, diffusion_tf/nn.py, get_timestep_embedding.
    - diffusers, models/embeddings.py, get_timestep_embedding, whose own defaults (sines first, shift 1) nearly no model
      uses.

    Examples
    --------
    >>> timestep_embedding([0, 1], 4, flip_sin_to_cos=True, downscale_freq_shift=0, dtype="float32")
    array([[1.        , 1.        , 0.        , 0.        ],
           [0.5403023 , 0.99995   , 0.84147096, 0.00999983]], dtype=float32)

    As UNet2DConditionModel of diffusers, for Stable Diffusion, with 320 channels:

    >>> table = timestep_embedding([999, 500], 320, flip_sin_to_cos=True, downscale_freq_shift=0, dtype="float32")
    >>> table.shape
    (2, 320)
    >>> table[0, :3]
    array([ 0.9996499 ,  0.802681  , -0.27811402], dtype=float32)
    """
    dim, fmt = checks.integer("dim", dim, 2, code="E_ODD_DIM"), formats.resolve(dtype)
    half, layout = dim // 2, sinusoids.halves(flip_sin_to_cos)
    span = half - checks.real("downscale_freq_shift", downscale_freq_shift)
    if not span:
        sentence = f"downscale_freq_shift must not be dim // 2 = {half}, got {shown(downscale_freq_shift)}"
        raise InputError("E_NUMBER", "downscale_freq_shift", sentence)
    base, factor = checks.positive("max_period", max_period, "E_BASE"), checks.positive("scale", scale)
    frequencies = geometric_frequencies(2 * half, half, 1 / span, base, factor, "max_period")
    return sinusoids.filled(read_times(timesteps), frequencies, dim, layout, half, fmt, out, threads)
