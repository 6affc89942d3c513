"""Sandwich: the bias that the products of sinusoidal encodings give without their words."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Literal, get_args

from .. import checks
from ..arithmetic import formats, rounding
from ..catalogue import register
from ..steps.angles import phases
from ..steps.angles.frequencies import geometric_frequencies
from ..steps.distances import bias
from ..types import Array, DType, Integer, Number

SandwichMode = Literal["clipped", "symmetric"]
MODES = get_args(SandwichMode)
FIRST = 160  # bits of the first enclosure


@register(
    family="relative",
    paper="Chi et al. 2023, Sandwich, arXiv:2212.10356, section 5",
    conventions="first frequency 0 or 1, with or without dim / 2 less (no defaults); mode clipped or symmetric",
    also="Sandwich",
)
def sandwich(
    num_heads: Integer,
    query_len: Integer,
    key_len: Integer,
    *,
    dim: Integer,
    first: Integer,
    subtract: bool,
    mode: SandwichMode = "clipped",
    base: Number = 10000.0,
    query_offset: Integer | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    view: bool = False,
    threads: Integer | None = None,
) -> Array:
    """The Sandwich bias: the inner product of sinusoids of the distance, added to attention scores.

        B[h, i, j] = (sum of cos(d base**(-2k / dim)) over k - (dim/2 if subtract)) / (8 (h + 1) / num_heads)

    with k = first .. first + dim/2 - 1, h = 0 .. num_heads - 1, and d = max(i - j, 0) if clipped, |i - j| if symmetric;
    positions i, j as in `alibi`.

    Parameters
    ----------
    num_heads : int
        Number of heads.
    query_len : int
        Number of queries.
    key_len : int
        Number of keys.
    dim : int
        Number of channels of the sinusoids, even; it is not a width of the model.
    first : int
        The first k, 0 or 1.
    subtract : bool
        Whether dim/2 is subtracted from the sum.
    mode : {'clipped', 'symmetric'}, default 'clipped'
        Distance d, as stated above.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    query_offset : int, optional
        Position of the first query; by default key_len - query_len, so that the queries are the last tokens.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    view : bool, default False
        True returns a read-only view of num_heads * (query_len + key_len - 1) values.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (num_heads, query_len, key_len) of `dtype`: the exact sum and quotient, rounded once.

    Raises
    ------
    InputError
        E_SIZE (num_heads, query_len, key_len, first, threads), E_ODD_DIM (dim), E_CHOICE (subtract, mode, view), E_BASE
        (base), E_POSITION (query_offset, beyond +-2**53), E_DTYPE, E_TOO_LARGE, E_OUT.

    References
    ----------
    NVIDIA/NeMo 1.23.0, nlp/modules/common/megatron/position_embedding/sandwich_relative_position_embedding.py (first 1,
    subtract, clipped unless bidirectional), for as many queries as keys: with fewer, it clips as if the first query
    stood at key 0. The paper has first 0 and subtracts nothing.

    Examples
    --------
    >>> sandwich(1, 1, 2, dim=2, first=0, subtract=False)
    array([[[0.06753779, 0.125     ]]])
    """
    num_heads = checks.integer("num_heads", num_heads, 1)
    query_len, key_len = checks.integer("query_len", query_len), checks.integer("key_len", key_len)
    dim = checks.even_width("dim", dim)
    less = dim // 2 if checks.flag("subtract", subtract) else 0
    first = checks.integer("first", first, 0, 1)
    checks.choice("mode", mode, MODES)
    frequencies = frequencies_of(dim, first, checks.positive("base", base, "E_BASE"))
    query_offset = key_len - query_len if query_offset is None else bias.read_offset(query_offset)
    checks.thread_count(threads)
    fmt = formats.resolve(dtype)

    def fill(values):
        distances = distances_of(bias.relative_positions(query_len, key_len, query_offset), mode).tolist()
        _sum.cache_clear()
        for k, distance in enumerate(distances):
            for head in range(num_heads):
                scale = Fraction(num_heads, 8 * (head + 1))
                formats.bits(values)[head, k] = _value(frequencies, first, dim // 2, less, distance, scale, fmt)

    return bias.toeplitz(fill, (num_heads, query_len, key_len), fmt, out=out, view=view, threads=threads)


def distances_of(relative, mode):
    """The distances of int64 relative positions, key minus query."""
    return abs(relative) if mode == "symmetric" else -relative.clip(max=0)


def frequencies_of(dim, first, base):
    """The frequencies base**(-2k / dim), k = 0 .. first + dim/2 - 1, of which those from `first` on are used."""
    count = dim // 2 + first
    return geometric_frequencies(2 * count, count, Fraction(2, dim), base)


def _value(frequencies, first, count, less, distance, scale, fmt):
    """Bit pattern of scale (sum of cosines - less). At distance 0 it is a fraction; else the sum is transcendental, as
    the exponentials of different algebraic numbers are independent (Lindemann and Weierstrass)."""
    if not distance:
        return rounding.nearest_fraction(scale * (count - less), fmt)

    def enclosure(bits):
        total, error = _sum(frequencies, first, count, distance, bits)
        total -= less << bits
        return total * scale.numerator // scale.denominator, error * scale.numerator // scale.denominator + 2

    return rounding.round_exactly(enclosure, fmt, FIRST)


@lru_cache(maxsize=1024)
def _sum(frequencies, first, count, distance, bits):
    """The sum of the cosines times 2**bits, and a bound on its error."""
    waves = [phases.cos_sin(phases.Angle(frequencies, k, distance, 0), bits) for k in range(first, first + count)]
    return sum(cos for cos, _, _ in waves), sum(error for _, _, error in waves)
