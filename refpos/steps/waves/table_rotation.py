"""Rotation by given cosines and sines: x cos - y sin of the exact numbers, rounded once.

Where both products are float64 numbers, as those of formats below 64 bits are, their sum is rounded once. Others are
added as pairs of doubles with a bound for the error, and what that leaves undecided by fractions.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...arithmetic import formats, powers, rounding
from ...arithmetic.exact_sums import LARGEST, SMALLEST_VALUE, rounded_sum, total_of
from ...arithmetic.formats import Format
from ..rows.addition import sum_of_exact
from .rotation import pair_views

BLOCK = 1 << 15  # channels of heads that are rotated at a time


class Tables(NamedTuple):
    """Cosines and sines (batch, seq, half), exactly as float64, and the format that they had."""

    cos: np.ndarray
    sin: np.ndarray
    fmt: Format


def rotate(source, stored, tables, pairing, fmt):
    """Rotate the first channels of source (batch, seq, heads, dim) into stored by the tables, and copy the others.

    source may be stored itself; its byte order is its own.
    """
    batch, seq, heads, dim = source.shape
    rotary_dim, step = 2 * tables.cos.shape[-1], max(1, BLOCK // max(1, heads * dim))
    stored[..., rotary_dim:] = source[..., rotary_dim:]
    exact = fmt.precision + tables.fmt.precision <= 53
    for k in range(batch):
        for start in range(0, seq, step):
            at = k, slice(start, start + step)
            x, y = (rounding.widen(view, fmt) for view in pair_views(source[at], pairing, rotary_dim))
            cos, sin = (np.broadcast_to(part[at][:, None], x.shape) for part in tables[:2])
            first, second = pair_views(stored[at], pairing, rotary_dim)
            first[...] = _sums((x, cos), (-y, sin), fmt, exact)
            second[...] = _sums((y, cos), (x, sin), fmt, exact)


def _sums(one, other, fmt, exact):
    """The sums of two products of arrays, rounded once to the format, in its storage; every NaN is the quiet one."""
    with np.errstate(all="ignore"):
        p, q = one[0] * one[1], other[0] * other[1]
        total, finite = p + q, np.isfinite([*one, *other]).all(0)
        if exact:
            result = sum_of_exact(p, q, fmt)
        else:
            result, sure = _by_pairs(one, other, fmt)
            special = ~finite | _is_zero(one) & _is_zero(other)
            result[special] = rounding.narrow(total[special], fmt)
            for at in zip(*np.nonzero(~(sure | special))):
                terms = ([float(factor[at]) for factor in term] for term in (one, other))
                formats.bits(result)[at] = _exactly(*terms, fmt)
    # the products of finite numbers may overflow both, and their sum is none the less a number
    formats.bits(result)[np.isnan(total) & ~finite] = fmt.nan
    return result


def _is_zero(term):
    return (term[0] == 0) | (term[1] == 0)


def _by_pairs(one, other, fmt):
    """(sums rounded to the format, which of them are surely right)."""
    sizes = np.abs([*one, *other])
    held = ((sizes == 0) | (sizes >= SMALLEST_VALUE) & (sizes <= 1 / SMALLEST_VALUE)).all(0)
    terms = [[np.where(held, part, 0.0) for part in term] for term in (one, other)]
    high, low, lost, size = total_of([(*powers.exact_product(*term), None) for term in terms])
    result, sure = rounded_sum(high, low, np.broadcast_to(lost, high.shape) * (1 + 2.0**-40), 0, fmt)
    return result, sure & held & (size < LARGEST)


def _exactly(one, other, fmt):
    """Bit pattern of the sum of two products of finite floats; an exact 0 is +0."""
    return rounding.nearest_fraction(sum(Fraction(x) * Fraction(c) for x, c in (one, other)), fmt)
