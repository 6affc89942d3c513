"""ALiBi: a bias on attention scores that falls linearly with distance, each head with its own slope."""

import math

import numpy as np

from .. import bias, checks, formats, rounding
from ..catalogue import register
from .alibi_slopes import CONVENTIONS, exponents, product, significand

MODES = ("causal", "symmetric", "linear")

# the fast path: slopes from 2**-900 up (nothing in it underflows) and distances whose products with 21 bits are exact
SMALLEST = 900
NEAR = 2**32
BLOCK = 2**16  # products at a time


@register(
    family="relative",
    paper="Press et al. 2022, Train Short, Test Long, arXiv:2108.12409",
    conventions="mode causal, symmetric or linear; slopes recursive or geometric",
)
def alibi(
    num_heads,
    query_len,
    key_len,
    *,
    mode="causal",
    convention="recursive",
    max_bias=8,
    query_offset=None,
    dtype="float64",
    out=None,
    view=False,
    threads=None,
):
    """The ALiBi bias, added to attention scores before the softmax.

        causal:    slope_h (j - i) for j <= i, -inf for j > i
        symmetric: -slope_h |j - i|
        linear:    slope_h (j - i)

    with key position j = 0 .. key_len - 1 and query position i = query_offset + 0 .. query_len - 1; query_offset defaults
    to key_len - query_len (the queries are the last positions). Slopes as in `alibi_slopes`. Returns (num_heads,
    query_len, key_len) of `dtype`: the product of the exact slope and the distance, rounded once (a slope is not rounded
    first). Distance 0 gives +0.0 in every mode; beyond the largest number float16 gives infinity, as rounding does.

    view=True returns a read-only view of num_heads * (query_len + key_len - 1) values instead of a full array. `out`
    receives the result (for bfloat16 also a uint16 array, as bit patterns). The values do not depend on `threads`.

    Raises E_SIZE (num_heads, query_len, key_len, threads), E_CHOICE (mode, convention, view), E_NUMBER (max_bias),
    E_POSITION (query_offset, beyond +-2**53), E_DTYPE (dtype), E_TOO_LARGE, E_OUT (out).

    Source: Press et al. 2022, arXiv:2108.12409. BLOOM adds slope * j (equal under the softmax), MPT slope * (j - key_len + 1).

    >>> alibi(1, 3, 3, mode="symmetric", max_bias=1)
    array([[[ 0. , -0.5, -1. ],
            [-0.5,  0. , -0.5],
            [-1. , -0.5,  0. ]]])
    """
    shape = (checks.integer("num_heads", num_heads, 1), checks.integer("query_len", query_len), checks.integer("key_len", key_len))
    checks.choice("mode", mode, MODES)
    checks.choice("convention", convention, CONVENTIONS)
    max_bias = checks.positive("max_bias", max_bias)
    query_offset = bias.offset(shape[2] - shape[1] if query_offset is None else query_offset)
    checks.thread_count(threads)
    fmt = formats.resolve(dtype)

    def fill(values):
        distances = bias.relative_positions(*shape[1:], query_offset)
        if mode == "symmetric":
            distances = -abs(distances)
        elif mode == "causal":
            future = np.searchsorted(distances, 1)
            formats.bits(values)[:, future:] = (1 << fmt.width) - (1 << fmt.precision - 1)  # -inf
            values, distances = values[:, :future], distances[:future]
        step = max(1, BLOCK // max(1, len(distances)))
        powers = exponents(shape[0], convention, max_bias)
        for head in range(0, shape[0], step):
            multiply(powers[head : head + step], distances, values[head : head + step], fmt)

    return bias.toeplitz(fill, shape, fmt, out=out, view=view)


def multiply(powers, distances, values, fmt):
    """Write 2**-power * distance, rounded once, for every power and int64 distance: shape (powers, distances)."""
    with np.errstate(all="ignore"):
        certain = _fast(np.array([_parts(e) for e in powers]), distances.astype(np.float64), values, fmt)
    certain &= (abs(distances) < NEAR) & np.array([[e <= SMALLEST] for e in powers])
    patterns = formats.bits(values)
    for head, at in np.argwhere(~certain).tolist():
        patterns[head, at] = product(powers[head], int(distances[at]), fmt)


def _parts(exponent):
    """Three floats that sum to 2**-exponent (the first two of 21 bits) within 2**-94 of it, and 0 if exact, else 1."""
    whole, part = divmod(exponent, 1)
    if not part:
        return math.ldexp(1.0, -whole), 0.0, 0.0, 0.0
    n = significand(part, 160)
    high, middle, low = n >> 139, n >> 118 & 0x1FFFFF, n & (1 << 118) - 1
    return math.ldexp(high, -21 - whole), math.ldexp(middle, -42 - whole), math.ldexp(low, -160 - whole), 1.0


def _fast(parts, distances, values, fmt):
    """Write the products, and say which are certain to be rounded right."""
    high, middle, low, inexact = parts.T[:, :, None]
    first, second = high * distances, middle * distances  # exact: 21 + 32 bits
    total = first + second
    rest = second - (total - first) + low * distances
    total, rest = total + rest, rest - ((total + rest) - total)
    # slope = 2**-w m, 1/2 < m < 1. Off by at most 2**-95 |distance| 2**-w each: low (below 2**-42) as a float, its product,
    # and the sum that made rest; together 2**-93 |distance| 2**-w <= 2**-92 |product|. The last line above is exact.
    if fmt.width == 64:
        radius = abs(total) * (inexact * 2.0**-90)  # four times the bound: rest + radius is itself rounded
        values[:] = total
        return (total + (rest + radius) == total) & (total + (rest - radius) == total)
    # total is within 2**-52 of the product, so the product lies between the two ends; where slopes are powers of two,
    # total is the product and an exact tie is rounded to even
    margin = total * (inexact * 2.0**-51)
    values[:] = rounding.narrow(total + margin, fmt)
    return rounding.narrow(total - margin, fmt) == values
