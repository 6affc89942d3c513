"""Cosine and sine tables of xPos, its factors multiplied in."""

from __future__ import annotations

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputTypeError
from ..steps.angles.frequencies import Frequencies
from ..steps.positions.exact_positions import PositionsLike
from ..steps.waves import scaled_rotation
from ..steps.waves.tables import rows_of
from ..types import Array, DType, Integer, Number
from .xpos import read_one_axis
from .xpos_scale import Centring, growth_of

__all__ = ["xpos_table"]


@register(
    family="rotary",
    paper="Sun et al. 2022, A Length-Extrapolatable Transformer, arXiv:2212.10554, algorithm 1",
    conventions="centring ceil (torchscale) or floor (lucidrains), no default; one column for each pair of channels",
    outputs=("cos", "sin"),
    also="xPos table",
)
def xpos_table(
    positions: PositionsLike,
    frequencies: Frequencies,
    *,
    centring: Centring,
    downscale: bool = False,
    length: Integer | None = None,
    scale_base: Number = 512,
    gamma: Number | None = None,
    dtype: DType = "float64",
    out: tuple[Array, Array] | None = None,
    threads: Integer | None = None,
) -> tuple[Array, Array]:
    """Cosine and sine tables of xPos, each times its scale.

        cos[p, j] = a s[p, j] cos(p theta_j),  sin[p, j] = a s[p, j] sin(p theta_j),  a = attention_factor

    s is what `xpos_scale` gives for the width of the frequencies; with downscale 1 / s, for keys.

    Parameters
    ----------
    positions : int or array_like
        An int n or an array, any shape; angles begin at position 0 whatever the centre of s is.
    frequencies : Frequencies
        What `inverse_frequencies` or a scaling with one axis returns.
    centring : {'floor', 'ceil'}
        Rule of the centre c, "ceil" or "floor", as in `xpos_scale`.
    downscale : bool, default False
        True for keys.
    length : int, optional
        Number of all tokens, as in `xpos_scale`.
    scale_base : float or Fraction, default 512
        Divisor of the exponent, at least 1, as in `xpos_scale`.
    gamma : float or Fraction, optional
        Number of zeta, as in `xpos_scale`; None is 2/5.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : tuple of two ndarrays, optional
        A pair of arrays that receive the results.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    cos, sin : ndarray
        (cos, sin), each (*shape, dim/2) for positions of that shape, every element the exact value rounded once to
        `dtype`.

    Raises
    ------
    InputError
        What `xpos_scale` raises, and E_NUMBER when frequencies are no Frequencies, E_SHAPE when they have axes
        (E_POSITION, E_ODD_DIM, E_CHOICE, E_SIZE, E_DTYPE, E_OUT, E_TOO_LARGE).

    References
    ----------
    - as `xpos_scale`.
    - torchscale, apply_rotary_pos_emb, multiplies the tables by the factor.

    Examples
    --------
    >>> from refpos import inverse_frequencies
    >>> cos, sin = xpos_table(3, inverse_frequencies(4), centring="floor", dtype="float32")
    >>> cos
    array([[ 1.0024498 ,  1.0008633 ],
           [ 0.5403023 ,  0.99995   ],
           [-0.41512984,  0.9989376 ]], dtype=float32)
    """
    positions = read_one_axis(positions, frequencies)
    growth = growth_of(positions, frequencies.dim, centring, downscale, length, scale_base, gamma)
    fmt = formats.resolve(dtype)
    checks.thread_count(threads)
    if out is None:
        out = None, None
    elif not isinstance(out, (tuple, list)) or len(out) != 2:
        raise InputTypeError("E_OUT", "out", f"out must be a pair (cos, sin) of arrays, got {type(out).__name__}")
    shape = (*positions.shape, len(frequencies))
    cos, stored_cos = checks.output(out[0], shape, fmt)
    sin, stored_sin = checks.output(out[1], shape, fmt, apart_from=[cos])
    with rows_of(stored_cos) as cos_rows, rows_of(stored_sin) as sin_rows:
        scaled_rotation.fill(cos_rows, sin_rows, positions, frequencies, growth, fmt, threads)
    return cos, sin
