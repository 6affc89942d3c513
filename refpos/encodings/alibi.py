"""ALiBi: a bias on attention scores that falls linearly with distance, each head with its own slope."""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic import formats, rounding
from ..catalogue import register
from ..steps import bias
from ..types import Array, DType, Integer, Number
from .alibi_slopes import CONVENTIONS, Convention, exponents, product, significand

Mode = Literal["causal", "symmetric", "linear"]
MODES = get_args(Mode)

# the fast path: slopes from 2**-900 up (nothing in it underflows) and distances whose products with 21 bits are exact
SMALLEST_SLOPE = 900
LARGEST_EXACT = 2**32
BLOCK = 2**16  # products at a time


@register(
    family="relative",
    paper="Press et al. 2022, Train Short, Test Long, arXiv:2108.12409",
    conventions="mode causal, symmetric or linear; slopes recursive or geometric",
)
def alibi(
    num_heads: Integer,
    query_len: Integer,
    key_len: Integer,
    *,
    mode: Mode = "causal",
    convention: Convention = "recursive",
    max_bias: Number = 8,
    query_offset: Integer | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    view: bool = False,
    threads: Integer | None = None,
) -> Array:
    """The ALiBi bias, added to attention scores before the softmax.

        causal:    slope_h (j - i) for j <= i, -inf for j > i
        symmetric: -slope_h |j - i|
        linear:    slope_h (j - i)

    with key positions j = 0 .. key_len - 1 and query positions i = query_offset .. query_offset + query_len - 1, by
    default key_len - query_len .. key_len - 1 (the last ones). Slopes as in `alibi_slopes`. Returns (num_heads,
    query_len, key_len) of `dtype`: the product of the exact slope and the distance, rounded once (the slope is not
    rounded first). Distance 0 gives +0.0 in every mode; what is too large for float16 is infinite, as rounding says.

    view=True returns a read-only view of num_heads * (query_len + key_len - 1) values instead of a full array. `out`
    receives the result (for bfloat16 also a uint16 array, as bit patterns). The values do not depend on `threads`.

    Raises E_SIZE (num_heads, query_len, key_len, threads), E_CHOICE (mode, convention, view), E_NUMBER (max_bias),
    E_POSITION (query_offset, beyond +-2**53), E_DTYPE (dtype), E_TOO_LARGE, E_OUT (out).

    Source: Press et al. 2022, arXiv:2108.12409, section 3. BLOOM adds slope j and MPT slope (j - key_len + 1) to every
    query, which differ from `causal` by a constant for each query, to which the softmax is blind.

    >>> alibi(1, 3, 3, mode="symmetric", max_bias=1)
    array([[[ 0. , -0.5, -1. ],
            [-0.5,  0. , -0.5],
            [-1. , -0.5,  0. ]]])
    """
    num_heads = checks.integer("num_heads", num_heads, 1)
    query_len = checks.integer("query_len", query_len)
    key_len = checks.integer("key_len", key_len)
    checks.choice("mode", mode, MODES)
    checks.choice("convention", convention, CONVENTIONS)
    max_bias = checks.positive("max_bias", max_bias)
    query_offset = key_len - query_len if query_offset is None else bias.read_offset(query_offset)
    checks.thread_count(threads)
    fmt = formats.resolve(dtype)

    def fill(values):
        distances = bias.relative_positions(query_len, key_len, query_offset)
        if mode == "symmetric":
            distances = -abs(distances)
        elif mode == "causal":
            future = np.searchsorted(distances, 1)
            formats.bits(values)[:, future:] = (1 << fmt.width) - (1 << fmt.precision - 1)  # -inf
            values, distances = values[:, :future], distances[:future]
        step = max(1, BLOCK // max(1, len(distances)))
        powers = exponents(num_heads, convention, max_bias)
        for head in range(0, num_heads, step):
            multiply(powers[head : head + step], distances, values[head : head + step], fmt)

    return bias.toeplitz(fill, (num_heads, query_len, key_len), fmt, out=out, view=view, threads=threads)


def multiply(powers, distances, values, fmt):
    """Write 2**-power * distance, rounded once, for every power and int64 distance: shape (powers, distances)."""
    with np.errstate(all="ignore"):
        parts = np.array([_parts(e) for e in powers]).T[:, :, None]  # (4, powers, 1)
        certain = _round(*_pair(*parts[:3], distances.astype(np.float64)), parts[3], values, fmt)
    certain &= (abs(distances) < LARGEST_EXACT) & np.array([[e <= SMALLEST_SLOPE] for e in powers])
    patterns = formats.bits(values)
    for head, at in np.argwhere(~certain).tolist():
        patterns[head, at] = product(powers[head], int(distances[at]), fmt)


def _parts(exponent):
    """Floats high, middle (21 bits each) and low that sum to 2**-exponent, and 0.0 where they do exactly, else 1.0."""
    shift, part = divmod(exponent, 1)
    if not part:
        return math.ldexp(1.0, -shift), 0.0, 0.0, 0.0
    n = significand(part, 160)
    high, middle, low = n >> 139, n >> 118 & 0x1FFFFF, n & (1 << 118) - 1
    return math.ldexp(high, -21 - shift), math.ldexp(middle, -42 - shift), math.ldexp(low, -160 - shift), 1.0


def _pair(high, middle, low, distances):
    """The products as float64 and the rest, together less than 2**-92 of the product away from it."""
    first, second = high * distances, middle * distances  # exact: 21 + 32 bits
    total = first + second
    rest = second - (total - first) + low * distances
    # slope = m 2**-w with 1/2 < m <= 1. Of m, low is less than 2**-42; as a float it is off by 2**-95, its product by
    # 2**-95 |distance|, and the sum that made rest by slightly more: together less than 2**-93 |distance| 2**-w, so
    # less than 2**-92 |product|. All else is exact: |first| > |second| and |total| > |rest|, so no digit is lost.
    nearest = total + rest
    return nearest, rest - (nearest - total)


def _round(total, rest, inexact, values, fmt):
    """Write the products rounded to the format, and say which are certain to be rounded right."""
    if fmt.width == 64:
        radius = abs(total) * (inexact * 2.0**-90)  # four times the bound: rest + radius is itself rounded
        values[:] = total
        return (total + (rest + radius) == total) & (total + (rest - radius) == total)
    # total is within 2**-52 of the product, so the product lies between the two ends; where slopes are powers of two,
    # total is the product and an exact tie is rounded to even
    margin = total * (inexact * 2.0**-51)
    values[:] = rounding.narrow(total + margin, fmt)
    return rounding.narrow(total - margin, fmt) == values
