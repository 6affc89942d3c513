"""The slopes of ALiBi: powers of two with rational exponents, rounded once."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Literal, get_args

from .. import checks
from ..arithmetic import formats, hard_cases, powers, reals, rounding
from ..catalogue import register
from ..errors import InputError, shown
from ..types import Array, DType, Integer, Number

Convention = Literal["recursive", "geometric", "halving"]
CONVENTIONS = get_args(Convention)

# 2**-UNDERFLOW times any distance below 2**64 is less than half the smallest float64: larger exponents change nothing
UNDERFLOW = 1200
FEW = 32  # slopes that are made one by one


@register(
    family="relative",
    paper="Press et al. 2022, Train Short, Test Long, arXiv:2108.12409, section 3",
    conventions="recursive (code of the authors, BLOOM, MPT), geometric (formula of the paper for every head count), "
    "halving (tutorials)",
    also="ALiBi slopes, get_slopes, slopes",
)
def alibi_slopes(
    num_heads: Integer,
    *,
    convention: Convention = "recursive",
    max_bias: Number = 8,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """The slope of each ALiBi head, a geometric sequence.

        geometric: s_k = 2**(-max_bias k / n),  k = 1 .. n
        recursive: s_k = 2**(-max_bias k / c),  k = 1 .. c,  c the largest power of two <= n;
                   then 2**(-max_bias (2j - 1) / (2c)),  j = 1 .. n - c
        halving:   s_k = 2**-(k - 1),  k = 1 .. n, a simplification of tutorials

    Parameters
    ----------
    num_heads : int
        Number n of heads, at least 1.
    convention : {'recursive', 'geometric', 'halving'}, default 'recursive'
        Which sequence, as stated above.
    max_bias : float or Fraction, default 8
        Exponent of the last slope, a number greater than 0, taken as exactly what it is; with halving, whose slopes do
        not depend on it, only 8.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result (for bfloat16 also a uint16 array, as bit patterns).

    Returns
    -------
    ndarray
        Shape (n,) of `dtype`, each slope rounded once.

    Raises
    ------
    InputError
        E_SIZE (num_heads), E_CHOICE (convention), E_NUMBER (max_bias), E_DTYPE (dtype), E_OUT (out).

    Notes
    -----
    Recursive and geometric agree where n is a power of two; elsewhere recursive is not monotonic. With 8 heads halving
    is twice the others.

    References
    ----------
    - Press et al. 2022, arXiv:2108.12409, section 3.
    - get_slopes in fairseq/models/transformer.py of ofirpress/attention_with_linear_biases (recursive; the same as
      build_alibi_tensor of BLOOM in transformers, and as build_mpt_alibi_tensor of MPT, whose alibi_bias_max is
      max_bias).

    Examples
    --------
    >>> alibi_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])
    """
    num_heads = checks.integer("num_heads", num_heads, 1)
    checks.choice("convention", convention, CONVENTIONS)
    max_bias = read_max_bias(max_bias, convention)
    fmt = formats.resolve(dtype)
    array, stored = checks.output(out, (num_heads,), fmt)
    fill(stored, exponents(num_heads, convention, max_bias), fmt)
    return array


def fill(stored, known, fmt):
    """Write 2**-e for fractions e, rounded once."""
    if len(known) <= FEW:
        formats.bits(stored)[:] = [product(e, 1, fmt) for e in known]
        return
    hard_cases.round_hard_cases(
        stored, fmt, lambda start, stop: hard_cases.inverse_powers_of_two(known[start:stop]), lambda k: _power(known[k])
    )


def _power(exponent):
    """The formula of 2**-exponent, a fraction where the exponent is whole."""
    if exponent.denominator == 1:
        return Fraction(1, 1 << exponent.numerator)
    return lambda digits: digits.power(Fraction(2), -exponent)


def read_max_bias(max_bias, convention):
    """The argument `max_bias` as a fraction; the slopes of "halving" have none of their own."""
    value = checks.positive("max_bias", max_bias)
    if convention == "halving" and value != 8:
        raise InputError("E_NUMBER", "max_bias", f"max_bias must be 8 or left out with halving, got {shown(max_bias)}")
    return value


def exponents(num_heads, convention, max_bias):
    """The fractions e_k of the slopes 2**-e_k, in the order of the heads."""
    if convention == "halving":
        return [Fraction(min(k, UNDERFLOW)) for k in range(num_heads)]
    if convention == "geometric":
        steps = [Fraction(k, num_heads) for k in range(1, num_heads + 1)]
    else:
        power = 1 << num_heads.bit_length() - 1
        steps = [Fraction(k, power) for k in range(1, power + 1)]
        steps += [Fraction(2 * j - 1, 2 * power) for j in range(1, num_heads - power + 1)]
    return [min(max_bias * step, Fraction(UNDERFLOW)) for step in steps]


def without_twos(square):
    """(t, o): the fraction is 4**t o, its numerator and denominator odd; t has halves."""
    up, down = ((part & -part).bit_length() - 1 for part in (square.numerator, square.denominator))
    return Fraction(up - down, 2), Fraction(square.numerator >> up, square.denominator >> down)


def product(exponent, distance, fmt, square=Fraction(1)):
    """Bit pattern of distance * 2**-exponent * sqrt(square), rounded once; the distance is an integer."""
    twos, odd = without_twos(square)
    shift, part = divmod(exponent - twos, 1)
    if not distance or (not part and odd == 1):
        return rounding.nearest(distance, shift, fmt)
    root = reals.root(odd)
    if not part and root is not None:
        return rounding.nearest_fraction(distance * root * Fraction(2) ** -shift, fmt)

    def enclosure(bits):
        n = distance * significand(part, bits, odd)
        return (
            (n >> shift, (2 * abs(distance) >> shift) + 2) if shift >= 0 else (n << -shift, 2 * abs(distance) << -shift)
        )

    return rounding.round_exactly(enclosure, fmt)  # ends: an irrational number is not a midpoint


@lru_cache(maxsize=64)
def significand(part, bits, odd=Fraction(1)):
    """2**-part sqrt(odd) * 2**bits for a fraction 0 <= part < 1, off by less than 2 (odd below 2**90)."""
    return powers.fixed_product([(Fraction(2), -part), (odd, Fraction(1, 2))], bits)
