"""ALiBi: a bias on attention scores that falls linearly with distance, each head with its own slope."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import numpy as np

from .. import checks
from ..arithmetic import formats, rounding
from ..catalogue import register
from ..errors import InputError
from ..steps.distances import bias
from ..types import Array, ArrayLike, DType, Integer, Number
from .alibi_slopes import CONVENTIONS, Convention, exponents, product, read_max_bias, significand, without_twos

Mode = Literal["causal", "symmetric", "linear", "clipped"]
MODES = get_args(Mode)
Anchor = Literal["query", "key", "last"]
ANCHORS = get_args(Anchor)

# the fast path: slopes from 2**-900 up (nothing in it underflows) and distances whose products with 21 bits are exact
SMALLEST_SLOPE = 900
LARGEST_EXACT = 2**32
ONE = Fraction(1)
BLOCK = 2**16  # products at a time
MOST_KEPT = 1024  # heads whose slopes are kept for the next call
MOST_PRODUCTS = 2**15  # that are kept for the next call


@register(
    family="relative",
    paper="Press et al. 2022, Train Short, Test Long, arXiv:2108.12409",
    conventions="mode causal, symmetric, linear or clipped; slopes recursive, geometric or halving; distances from "
    "the query, the first key (BLOOM, Falcon) or the last (MPT)",
    also=(
        "ALiBi, attention with linear biases, linear bias, BLOOM, MPT, train short test long, "
        "build_alibi_tensor, length extrapolation"
    ),
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
    anchor: Anchor | None = None,
    mask: ArrayLike | None = None,
    head_dim: Integer | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    view: bool = False,
    threads: Integer | None = None,
) -> Array:
    """The ALiBi bias: a slope for each head times the distance, added to attention scores.

        causal:    slope_h (j - i) for j <= i, -inf for j > i
        symmetric: -slope_h |j - i|
        linear:    slope_h (j - i)
        clipped:   slope_h (j - i) for j <= i, 0 for j > i

    with key positions j = 0 .. key_len - 1 and query positions i = query_offset .. query_offset + query_len - 1, by
    default key_len - query_len .. key_len - 1 (the last ones). The slopes are those of `alibi_slopes`.

    Parameters
    ----------
    num_heads : int
        Number of heads.
    query_len : int
        Number of queries.
    key_len : int
        Number of keys.
    mode : {'causal', 'symmetric', 'linear', 'clipped'}, default 'causal'
        What the bias is on either side of the query, as stated above.
    convention : {'recursive', 'geometric', 'halving'}, default 'recursive'
        How slopes are chosen, as in `alibi_slopes`.
    max_bias : float or Fraction, default 8
        Exponent of the slopes, as in `alibi_slopes`, greater than 0.
    query_offset : int, optional
        Position of the first query; by default key_len - query_len, so that the queries are the last tokens.
    anchor : {'query', 'key', 'last'}, optional
        Position that the distance is counted from: None or "query" as stated above; "key" has j in place of j - i, and
        "last" j - (key_len - 1): a constant for each query is left out, which the softmax does not see; mode is then
        "causal" or "linear".
    mask : array_like, optional
        For "key", an array (..., key_len) of 0 and 1, whose tokens are counted in place of j: (number of ones up to j,
        less 1) where it is 1, and 0 where it is 0; the result is then (..., num_heads, query_len, key_len).
    head_dim : int, optional
        Divides everything by sqrt(head_dim).
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result (for bfloat16 also a uint16 array, as bit patterns).
    view : bool, default False
        True returns a read-only view of num_heads * (query_len + key_len - 1) values instead of a full array (of
        num_heads * key_len for other anchors, which must be linear).
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (num_heads, query_len, key_len) of `dtype`: the product of the exact slope and the distance, rounded once
        (the slope is not rounded first).

    Raises
    ------
    InputError
        E_SIZE (num_heads, query_len, key_len, head_dim, threads), E_CHOICE (mode, convention, anchor, view), E_NUMBER
        (max_bias), E_POSITION (query_offset, beyond +-2**53), E_SHAPE (mask), E_DTYPE (dtype), E_TOO_LARGE, E_OUT.

    Notes
    -----
    Distance 0 gives +0.0 in every mode; what is too large for float16 is infinite, as rounding defines.

    References
    ----------
    - Press et al. 2022, arXiv:2108.12409, section 3.
    - transformers 5.23.0, build_alibi_tensor of models/bloom/modeling_bloom.py ("key", linear, mask), the same of
      models/falcon/modeling_falcon.py, which its attention divides by sqrt(head_dim), and build_mpt_alibi_tensor of
      models/mpt/modeling_mpt.py ("last").

    Examples
    --------
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
    max_bias = read_max_bias(max_bias, convention)
    query_offset = key_len - query_len if query_offset is None else bias.read_offset(query_offset)
    if threads is not None:
        checks.thread_count(threads)
    fmt = formats.resolve(dtype)
    square = ONE if head_dim is None else Fraction(1, checks.integer("head_dim", head_dim, 1, checks.WIDEST))
    of = num_heads, convention, max_bias, square
    anchor = "query" if anchor is None else checks.choice("anchor", anchor, ANCHORS)
    if anchor != "query" or mask is not None:
        _check_anchored(mode, anchor, mask, view)
        bias.check_size((num_heads, query_len, key_len), fmt)
        positions, ranks = positions_of_keys(anchor, key_len, mask)
        values = np.empty((num_heads, key_len), fmt.storage)
        _fill(values, of, positions, fmt)
        start = query_offset if mode == "causal" else None
        rows = values[:, ranks]  # (heads, ..., keys)
        return bias.repeated(np.moveaxis(rows, 0, -2), query_len, start, fmt, out=out, view=view, threads=threads)

    def fill(values):
        distances = bias.relative_positions(query_len, key_len, query_offset)
        if mode == "symmetric":
            distances = -abs(distances)
        elif mode != "linear":
            future = np.searchsorted(distances, 1)
            formats.bits(values)[:, future:] = bias.minus_infinity(fmt) if mode == "causal" else 0
            values, distances = values[:, :future], distances[:future]
        _fill(values, of, distances, fmt)

    return bias.toeplitz(fill, (num_heads, query_len, key_len), fmt, out=out, view=view, threads=threads)


def _check_anchored(mode, anchor, mask, view):
    if mask is not None and anchor != "key":
        raise InputError("E_CHOICE", "mask", f"mask must be None unless anchor is 'key', got {anchor!r}")
    if mode not in ("causal", "linear"):
        raise InputError("E_CHOICE", "mode", f"mode must be 'causal' or 'linear' with anchor {anchor!r}, got {mode!r}")
    if checks.flag("view", view) and mode == "causal":
        raise InputError("E_CHOICE", "view", f"view must be False with mode 'causal' and anchor {anchor!r}, got True")


def positions_of_keys(anchor, key_len, mask):
    """The positions that keys can have, ascending, and which of them each key has."""
    ranks = np.arange(key_len, dtype=np.int64)
    if mask is not None:
        mask = bias.read_mask(mask, key_len)
        ranks = (np.cumsum(mask, -1, dtype=np.int64) - 1) * mask
    return np.arange(key_len, dtype=np.int64) - (key_len - 1 if anchor == "last" else 0), ranks


def _fill(values, of, distances, fmt):
    """Write slope times distance, rounded once, for all int64 distances and slopes; of: what `slopes_of` takes."""
    kept = _kept_products(of, distances, fmt)
    if kept is None:
        _fill_some_slopes_at_a_time(values, slopes_of(*of), distances, fmt)
    else:
        values[:] = kept


def _fill_some_slopes_at_a_time(values, slopes, distances, fmt):
    step = max(1, BLOCK // max(1, len(distances)))
    for head in range(0, len(values), step):
        heads = slice(head, head + step)
        some = Slopes(slopes.powers[heads], slopes.square, slopes.parts[:, heads], slopes.large[heads])
        multiply(some, distances, values[heads], fmt)


def _kept_products(of, distances, fmt):
    """The products (heads, distances) of few heads with consecutive distances up to 0, as those of one query are, from
    which the next queries read too; else None."""
    first, last = (int(distances[0]), int(distances[-1])) if len(distances) else (0, 0)
    reach = 1 << (-first).bit_length()  # a power of two: keys that are added one by one seldom need new products
    if last > 0 or last - first != len(distances) - 1 or of[0] * reach > MOST_PRODUCTS:
        return None
    products = _products_up_to_0(*of, fmt, reach)
    return None if products is None else products[:, reach - 1 + first : reach + last]


@lru_cache(maxsize=8)
def _products_up_to_0(num_heads, convention, max_bias, square, fmt, reach):
    """The products with the distances 1 - reach .. 0, read-only; None where many are computed with integers."""
    slopes = slopes_of(num_heads, convention, max_bias, square)
    if not slopes.large.all():
        return None
    values = np.empty((num_heads, reach), fmt.storage)
    _fill_some_slopes_at_a_time(values, slopes, np.arange(1 - reach, 1, dtype=np.int64), fmt)
    values.flags.writeable = False
    return values


class Slopes(NamedTuple):
    """Slopes 2**-power sqrt(square)."""

    powers: tuple  # of fractions, one for each head
    square: Fraction
    parts: np.ndarray  # (4, heads, 1), the `_parts` of each
    large: np.ndarray  # (heads, 1), whether nothing underflows


def slopes_of(num_heads, convention, max_bias, square=ONE):
    """The `Slopes` of the heads, kept for as many as models have."""
    made = _slopes if num_heads <= MOST_KEPT else _slopes.__wrapped__
    return made(num_heads, convention, max_bias, square)


@lru_cache(maxsize=64)
def _slopes(num_heads, convention, max_bias, square):
    powers = tuple(exponents(num_heads, convention, max_bias))
    parts = np.array([_parts(power, square) for power in powers]).T[:, :, None]
    large = np.array([[power <= SMALLEST_SLOPE] for power in powers])
    parts.flags.writeable = large.flags.writeable = False
    return Slopes(powers, square, parts, large)


def multiply(slopes, distances, values, fmt):
    """Write slope times distance, rounded once, for every slope and int64 distance: (slopes, distances)."""
    known = abs(distances) < LARGEST_EXACT
    with np.errstate(all="ignore"):
        *parts, inexact = slopes.parts
        if not inexact.any() and slopes.large.all() and known.all():  # powers of two: the products are exact
            values[:] = rounding.narrow(parts[0] * distances, fmt)
            return
        certain = _round(*_pair(*parts, distances.astype(np.float64)), inexact, values, fmt)
    certain &= known & slopes.large
    patterns = formats.bits(values)
    for head, at in np.argwhere(~certain).tolist():
        patterns[head, at] = product(slopes.powers[head], int(distances[at]), fmt, slopes.square)


def _parts(exponent, square=Fraction(1)):
    """Floats high, middle (21 bits each) and low that sum to the slope 2**-exponent sqrt(square), and 0.0 where they do
    exactly, else 1.0."""
    twos, odd = without_twos(square)
    shift, part = divmod(exponent - twos, 1)
    if not part and odd == 1:
        return math.ldexp(1.0, -shift), 0.0, 0.0, 0.0
    n = significand(part, 160, odd)
    while n >> 160 or not n >> 159:  # the slope is n 2**-(160 + shift)
        twos = -1 if n >> 160 else 1
        odd, shift = odd * Fraction(4) ** twos, shift + twos
        n = significand(part, 160, odd)
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
        certain = (total + (rest + radius) == total) & (total + (rest - radius) == total)
        if fmt.marked:
            certain &= ~rounding.unmarked(total) | ((inexact == 0) & (rest == 0))
        return certain
    # total is within 2**-52 of the product, so the product lies between the two ends; where slopes are powers of two,
    # total is the product and an exact tie is rounded to even
    margin = total * (inexact * 2.0**-51)
    values[:] = rounding.narrow(total + margin, fmt)
    return rounding.narrow(total - margin, fmt) == values
