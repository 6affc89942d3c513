"""Sinusoidal position encoding."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal, get_args

from .. import checks
from ..arithmetic import formats, reals
from ..catalogue import register
from ..errors import InputError
from ..steps.angles.frequencies import sinusoid_inv_freq
from ..steps.positions.exact_positions import LIMIT, PositionsLike, read_positions, rows_at
from ..steps.waves import fast_path, sinusoids
from ..steps.waves.tables import LAYOUTS
from ..types import Array, DType, Integer, Number, SinusoidLayout

__all__ = ["sinusoidal"]

OddRule = Literal["truncate", "pad"]
Divisor = Literal["sqrt-dim"]
ODD_RULES, DIVISORS = get_args(OddRule), get_args(Divisor)
PLAIN = frozenset([int, float, bool, str, type(None)])  # types of options whose frequencies are kept


@register(
    family="absolute",
    paper="Vaswani et al. 2017, Attention Is All You Need, arXiv:1706.03762, section 3.5",
    conventions="layout interleaved, sin-cos or cos-sin; exponents i/half or i/(half-1) (endpoint); "
    "odd truncate or pad",
    also=(
        "sinusoidal position embedding, sinusoidal positional encoding, positional encoding, "
        "position encoding, absolute position encoding, positional embedding, sin-cos, Vaswani, "
        "Attention is all you need, fixed position encoding, APE, fairseq, original transformer, tensor2tensor, "
        "timing signal, SinusoidalPositionalEmbedding"
    ),
)
def sinusoidal(
    positions: PositionsLike,
    dim: Integer,
    *,
    base: Number = 10000.0,
    layout: SinusoidLayout = "interleaved",
    endpoint: bool = False,
    odd: OddRule = "truncate",
    position_scale: Number = 1,
    zero_row: Integer | None = None,
    divisor: Divisor | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Sines and cosines of each position at geometrically spaced frequencies.

        PE[p, 2i] = sin(p theta_i),  PE[p, 2i+1] = cos(p theta_i),  theta_i = position_scale * base**(-2i / dim)

    Parameters
    ----------
    positions : int or array_like
        An int n (meaning 0 .. n-1) or an array of integers (to 2**53 in size) or finite floats, any shape, taken as
        exactly what they are.
    dim : int
        Number of channels.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    layout : {'interleaved', 'sin-cos', 'cos-sin'}, default 'interleaved'
        "interleaved" [s0 c0 s1 c1 ...], "sin-cos" [s0 s1 ... | c0 c1 ...] or "cos-sin" [c0 c1 ... | s0 s1 ...].
    endpoint : bool, default False
        Whether to take the frequencies base**(-i / (half - 1)) whose last frequency is 1/base (half = number of
        frequencies; 1 if half is 1).
    odd : {'truncate', 'pad'}, default 'truncate'
        For an odd dim, "truncate" takes (dim+1)/2 frequencies base**(-2i / dim) and drops the last cosine; "pad" takes
        (dim-1)/2 frequencies of the width dim-1 and adds a zero as last channel.
    position_scale : float or Fraction, default 1
        Factor of the positions, finite and greater than 0.
    zero_row : int, optional
        None, or the integer position, from 0 to 2**53, at which all channels are zeros, as that of padding.
    divisor : {'sqrt-dim'}, optional
        None, or "sqrt-dim" for the exact quotient of every channel and the root of dim.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (*positions.shape, dim), every element the exact value rounded once to `dtype` (float64, float32, float16,
        bfloat16).

    Raises
    ------
    InputError
        E_SIZE, E_ODD_DIM (dim 1 padded), E_BASE, E_NUMBER, E_POSITION, E_CHOICE, E_DTYPE, E_OUT, E_TOO_LARGE.

    References
    ----------
    - Vaswani et al. 2017, section 3.5.
    - The endpoint frequencies: tensor2tensor, layers/common_attention.py, get_timing_signal_1d (which pads odd widths).
    - truncation: transformers, models/informer/modeling_informer.py.
    - zero_row: fairseq, modules/sinusoidal_positional_embedding.py, and transformers,
      models/m2m_100/modeling_m2m_100.py.
    - divisor: transformers, models/canary/modeling_canary.py, CanaryPositionalEmbedding.

    Examples
    --------
    >>> sinusoidal([0, 1], 4, base=10000, dtype="float32")
    array([[0.        , 1.        , 0.        , 1.        ],
           [0.84147096, 0.5403023 , 0.00999983, 0.99995   ]], dtype=float32)
    """
    dim = checks.integer("dim", dim, 1)
    fmt = formats.resolve(dtype)
    checks.choice("layout", layout, LAYOUTS)
    options = dim, base, endpoint, odd, position_scale, divisor
    frequencies = (_known_frequencies if PLAIN.issuperset(map(type, options)) else _frequencies)(*options)
    cosines = len(frequencies) if odd == "pad" else dim - len(frequencies)
    if out is None and zero_row is None and fast_path.on_one_thread(threads):
        rows = fast_path.sinusoids(positions, frequencies, dim, layout, cosines, fmt)
        if rows is not None:
            return rows
    positions = read_positions(positions)
    zeros = () if zero_row is None else rows_at(positions, checks.integer("zero_row", zero_row, 0, LIMIT))
    return sinusoids.filled(positions, frequencies, dim, layout, cosines, fmt, out, threads, zeros)


def divided(frequencies, dim, divisor):
    """The frequencies with the factor that the divisor means."""
    if divisor is None:
        return frequencies
    checks.choice("divisor", divisor, DIVISORS)
    return replace(frequencies, factor=reals.square_root(Fraction(1, dim)))


def _frequencies(dim, base, endpoint, odd, position_scale, divisor):
    checks.choice("odd", odd, ODD_RULES)
    padded = dim % 2 if odd == "pad" else 0
    if dim == padded:
        raise InputError("E_ODD_DIM", "dim", 'dim must be at least 2 when odd="pad", got 1')
    base, scale = checks.positive("base", base, "E_BASE"), checks.positive("position_scale", position_scale)
    return divided(sinusoid_inv_freq(dim - padded, base, checks.flag("endpoint", endpoint), scale), dim, divisor)


_known_frequencies = lru_cache(maxsize=64, typed=True)(_frequencies)
