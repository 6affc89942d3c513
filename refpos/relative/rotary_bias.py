"""The rotary bias of Mega: the product of two learned vectors, rotated by the positions of the query and the key."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from .. import checks
from ..arithmetic import formats, rounding
from ..catalogue import register
from ..errors import InputError
from ..steps.angles import phases
from ..steps.angles.frequencies import geometric_frequencies
from ..steps.distances import bias
from ..steps.rows import doubles
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["rotary_bias"]

FIRST = 160  # bits of the first enclosure


@register(
    family="relative",
    paper="Ma et al. 2023, Mega: Moving Average Equipped Gated Attention, arXiv:2209.10655, appendix B",
    conventions="channels paired in halves; both vectors rotate by their positions",
)
def rotary_bias(
    alpha: ArrayLike,
    beta: ArrayLike,
    query_len: Integer,
    key_len: Integer,
    *,
    base: Number = 10000.0,
    query_offset: Integer | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    view: bool = False,
    threads: Integer | None = None,
) -> Array:
    """A bias of rotated vectors: a learned vector for queries times one for keys, each rotated by its position.

        B[h, i, j] = R(p) alpha_h . R(j) beta_h,  p = query_offset + i
                   = sum over k of C_k cos(d theta_k) + S_k sin(d theta_k),  d = j - p,  theta_k = base**(-2k / dim)
        C_k = alpha_k beta_k + alpha_k' beta_k',  S_k = alpha_k' beta_k - alpha_k beta_k',  k' = k + dim/2

    Parameters
    ----------
    alpha, beta : array_like
        Shape (heads, dim), dim even, of finite numbers taken as exactly what they are; Mega has one head and calls beta
        b_param.
    query_len : int
        Number of queries.
    key_len : int
        Number of keys.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    query_offset : int, optional
        The position of the first query; None puts the last query at the last key.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    view : bool, default False
        True returns a read-only view of heads * (query_len + key_len - 1) values.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (heads, query_len, key_len) of `dtype`: the exact value, rounded once.

    Raises
    ------
    InputError
        E_SHAPE and E_NUMBER (alpha, beta), E_DTYPE, E_ODD_DIM (alpha), E_SIZE, E_BASE, E_POSITION (query_offset, beyond
        +-2**53), E_CHOICE (view), E_TOO_LARGE, E_OUT.

    References
    ----------
    Transformers 4.40.2, models/mega/modeling_mega.py, MegaRotaryRelativePositionalBias.

    Examples
    --------
    >>> rotary_bias([[1.0, 0.0]], [[2.0, 0.0]], 2, 2)
    array([[[2.        , 1.08060461],
            [1.08060461, 2.        ]]])
    """
    factors, dim = read(alpha, beta)
    frequencies = geometric_frequencies(dim, dim // 2, Fraction(2, dim), checks.positive("base", base, "E_BASE"))
    shape = (len(factors), checks.integer("query_len", query_len), checks.integer("key_len", key_len))
    query_offset = shape[2] - shape[1] if query_offset is None else bias.read_offset(query_offset)
    checks.thread_count(threads)
    fmt = formats.resolve(dtype)
    same = checks.positive("base", base, "E_BASE") == 1  # then all frequencies are 1

    def fill(values):
        _waves.cache_clear()
        relative = bias.relative_positions(*shape[1:], query_offset)
        for column in np.argsort(abs(relative), kind="stable").tolist():  # d and -d have the same waves
            for head, pair in enumerate(factors):
                formats.bits(values)[head, column] = _value(frequencies, *pair, int(relative[column]), same, fmt)

    return bias.toeplitz(fill, shape, fmt, out=out, view=view, apart_from=doubles.arrays(alpha, beta), threads=threads)


def read(alpha, beta):
    """The factors (C, S) of each head, lists of fractions, and dim."""
    first, _ = doubles.read("alpha", alpha, ("heads", "dim"))
    dim = checks.even_width("alpha", first.shape[1])
    second = doubles.read_shaped("beta", beta, first.shape, "as alpha is")
    if second is None:
        raise InputError("E_SHAPE", "beta", f"beta must be {first.shape}, as alpha is, got None")
    for name, values in (("alpha", first), ("beta", second)):
        if not np.isfinite(values).all():
            wrong = float(values[~np.isfinite(values)][0])
            raise InputError("E_NUMBER", name, f"{name} must be finite, got {wrong}")
    return [_factors(*pair, dim // 2) for pair in zip(first.tolist(), second.tolist())], dim


def _factors(alpha, beta, half):
    """C and S of one head."""
    a, b = ([Fraction(value) for value in values] for values in (alpha, beta))
    cosines = [a[k] * b[k] + a[k + half] * b[k + half] for k in range(half)]
    sines = [a[k + half] * b[k] - a[k] * b[k + half] for k in range(half)]
    return cosines, sines


def _value(frequencies, cosines, sines, distance, same, fmt):
    """Bit pattern of the sum. At distance 0, and where all factors are 0, it is a fraction; else transcendental, as the
    exponentials of different algebraic numbers are independent (Lindemann and Weierstrass)."""
    if not distance:
        return rounding.nearest_fraction(sum(cosines), fmt)
    if same:
        cosines, sines = [sum(cosines)], [sum(sines)]
    used = [k for k, pair in enumerate(zip(cosines, sines)) if pair != (0, 0)]
    if not used:
        return rounding.nearest_fraction(Fraction(0), fmt)
    size = max(max(abs(cosines[k]), abs(sines[k])) for k in used)
    exponent = size.numerator.bit_length() - size.denominator.bit_length() + 1
    unit = Fraction(2) ** -exponent  # factors times this are below 2

    def enclosure(bits):
        total, error = 0, 1
        for k in used:
            cos, sin, off = _waves(frequencies, k, abs(distance), bits)
            c, s = cosines[k] * unit, (sines[k] if distance > 0 else -sines[k]) * unit
            total += cos * c.numerator // c.denominator + sin * s.numerator // s.denominator
            error += 4 * off + 2
        return total, error

    return rounding.round_exactly(enclosure, fmt, FIRST, exponent)


@lru_cache(maxsize=1 << 12)
def _waves(frequencies, k, distance, bits):
    """Cosine and sine of a distance, and a bound on their errors, times 2**bits."""
    return phases.cos_sin(phases.Angle(frequencies, k, distance, 0), bits)
