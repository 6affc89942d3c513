"""The slopes of ALiBi: powers of two with rational exponents, rounded once."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Literal, get_args

from .. import checks
from ..arithmetic import formats, powers, rounding
from ..catalogue import register
from ..types import Array, DType, Integer, Number

Convention = Literal["recursive", "geometric"]
CONVENTIONS = get_args(Convention)

# 2**-UNDERFLOW times any distance below 2**64 is less than half the smallest float64: larger exponents change nothing
UNDERFLOW = 1200


@register(
    family="relative",
    paper="Press et al. 2022, Train Short, Test Long, arXiv:2108.12409, section 3",
    conventions="recursive (code of the authors, BLOOM, MPT), geometric (formula of the paper for every head count)",
)
def alibi_slopes(
    num_heads: Integer,
    *,
    convention: Convention = "recursive",
    max_bias: Number = 8,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """The slope of each ALiBi head.

        geometric: s_k = 2**(-max_bias k / n),  k = 1 .. n
        recursive: s_k = 2**(-max_bias k / c),  k = 1 .. c,  c the largest power of two <= n;
                   then 2**(-max_bias (2j - 1) / (2c)),  j = 1 .. n - c

    num_heads: n, at least 1. max_bias: a number greater than 0, taken as exactly what it is. Returns (n,) of `dtype`,
    each slope rounded once. The conventions agree where n is a power of two; elsewhere recursive is not monotonic.
    `out` receives the result (for bfloat16 also a uint16 array, as bit patterns).

    Raises E_SIZE (num_heads), E_CHOICE (convention), E_NUMBER (max_bias), E_DTYPE (dtype), E_OUT (out).

    Source: Press et al. 2022, arXiv:2108.12409, section 3; get_slopes in fairseq/models/transformer.py of
    ofirpress/attention_with_linear_biases (recursive; the same as build_alibi_tensor of BLOOM in transformers, and as
    build_mpt_alibi_tensor of MPT, whose alibi_bias_max is max_bias).

    >>> alibi_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])
    """
    num_heads = checks.integer("num_heads", num_heads, 1)
    checks.choice("convention", convention, CONVENTIONS)
    max_bias = checks.positive("max_bias", max_bias)
    fmt = formats.resolve(dtype)
    array, stored = checks.output(out, (num_heads,), fmt)
    formats.bits(stored)[:] = [product(e, 1, fmt) for e in exponents(num_heads, convention, max_bias)]
    return array


def exponents(num_heads, convention, max_bias):
    """The fractions e_k of the slopes 2**-e_k, in the order of the heads."""
    if convention == "geometric":
        steps = [Fraction(k, num_heads) for k in range(1, num_heads + 1)]
    else:
        power = 1 << num_heads.bit_length() - 1
        steps = [Fraction(k, power) for k in range(1, power + 1)]
        steps += [Fraction(2 * j - 1, 2 * power) for j in range(1, num_heads - power + 1)]
    return [min(max_bias * step, Fraction(UNDERFLOW)) for step in steps]


def product(exponent, distance, fmt):
    """Bit pattern of distance * 2**-exponent rounded once; the distance is a whole number."""
    shift, part = divmod(exponent, 1)
    if not part or not distance:
        return rounding.nearest(distance, shift, fmt)

    def enclosure(bits):
        return distance * significand(part, bits) >> shift, (2 * abs(distance) >> shift) + 2

    return rounding.round_exactly(enclosure, fmt)  # ends: an irrational number is no midpoint


@lru_cache(maxsize=64)
def significand(part, bits):
    """2**-part * 2**bits for a fraction 0 < part < 1, off by less than 2."""
    return powers.fixed_product([(Fraction(2), -part)], bits)
