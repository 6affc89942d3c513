"""Sums of embeddings and a table of positions, from their definition: in fractions, one element at a time.

Roots are cut to 3000 bits: a sum of two of them that is not 0 and no halfway point is much further from either.
"""

import math
from fractions import Fraction

import numpy as np

from .digits import SHAPES, from_floats, patterns, round_fraction

ROOT_BITS = 3000


def add(x, table, *, dtype, scale=1, squared_scale=None, x_scale=1, squared_x_scale=None, prefix=0, at=None):
    """Bit patterns of x_scale * x + scale * table behind the prefix, and of x in it."""
    factors = [_factor(*pair) for pair in ((x_scale, squared_x_scale), (scale, squared_scale))]
    rows = np.arange(x.shape[-2] - prefix) if at is None else at
    chosen = np.broadcast_to(table[rows], (*x.shape[:-2], x.shape[-2] - prefix, x.shape[-1]))
    result = np.zeros(x.shape, f"u{SHAPES[dtype][3] // 8}")
    result[..., :prefix, :] = _as_is(x[..., :prefix, :], dtype)
    pairs = zip(x[..., prefix:, :].reshape(-1).tolist(), chosen.reshape(-1).tolist(), strict=True)
    sums = [_sum(one, other, *factors, dtype) for one, other in pairs]
    result[..., prefix:, :] = np.array(sums, result.dtype).reshape(chosen.shape)
    return result


def _factor(number, square):
    if square is None:
        return Fraction(number)
    numerator, denominator = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if numerator**2 == square.numerator and denominator**2 == square.denominator:
        return Fraction(numerator, denominator)
    return Fraction(math.isqrt((square.numerator << 2 * ROOT_BITS) // square.denominator), 1 << ROOT_BITS)


def _sum(x, t, a, b, dtype):
    sign = [float((factor > 0) - (factor < 0)) for factor in (a, b)]
    with np.errstate(invalid="ignore", over="ignore"):
        ieee = np.float64(x) * sign[0] + np.float64(t) * sign[1]
    if not (math.isfinite(x) and math.isfinite(t)) or (x * sign[0] == 0 and t * sign[1] == 0):
        return int(_as_is(np.array([ieee]), dtype)[0])
    value = Fraction(x) * a + Fraction(t) * b
    return round_fraction(value, dtype) if abs(value) > Fraction(1, 1 << 2600) else 0


def _as_is(values, dtype):
    """Patterns of values of the format, infinities and NaN among them; a NaN is the positive quiet one."""
    precision, _, _, width = SHAPES[dtype]
    infinity = (1 << width - 1) - (1 << precision - 1)
    finite = np.where(np.isfinite(values), values, 0.0)
    found = patterns(from_floats(finite), dtype).astype(np.uint64)
    found |= np.signbit(finite).astype(np.uint64) << np.uint64(width - 1)
    found[np.isposinf(values)] = infinity
    found[np.isneginf(values)] = infinity | 1 << width - 1
    found[np.isnan(values)] = infinity | 1 << precision - 2
    return found.astype(f"u{width // 8}")
