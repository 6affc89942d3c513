"""exp, log, log1p, sigmoid, logsigmoid, tanh, softplus and erf of float64 arrays, each correctly rounded.

Every value is computed as a pair of doubles with an error radius that is derived in docs/numbers.md, exp first with a
larger one (`quick_exponential`). Where both ends of the radius round alike that is the value (Ziv 1991); the few others
are rounded from enclosures that shrink. What is
exact, such as exp 0, and what no radius decides because it is closer to a float than any of them, is told apart first.
At all other doubles exp, log, log1p, sigmoid, tanh and softplus are transcendental (Lindemann and Weierstrass), so no
value is halfway between two floats. For erf that is not proven: an enclosure that stays undecided is refused.

NaN stays NaN. No function of the C library or of NumPy but + - * / and moves of bits takes part.
"""

from fractions import Fraction

import numpy as np

from . import error_function, exponentials, quick_exponential, reals
from .double_double import add, divide, multiply, two_sum
from .exponentials import EXP_ERROR, LOG_ERROR, NEAR
from .hard_cases import BLOCK, Pairs

__all__ = ["erf", "exp", "log", "log1p", "logsigmoid", "sigmoid", "softplus", "tanh"]

LEAST = 746.0  # exp(-LEAST) rounds to 0, and exp(LEAST) overflows
TINY = 2.0**-60  # below it log(1 + x) rounds to x and sigmoid to 1/2
SMALL = 2.0**-30  # below it tanh x = x - x**3 / 3 .. rounds to x
LARGE = 64.0  # from here on softplus rounds to x, and tanh to 1


# -- the functions ----------------------------------------------------------------------------------------------------


def exp(x):
    """e**x rounded once: 1 at 0, infinity from 709.8 on, subnormal below -708.3, 0 below -745.2."""
    ordinary = np.abs(x) < LEAST
    return _rounded(x, ordinary, _exp, lambda digits, x: digits.exp(x), _exp_elsewhere, quick_exponential.rounded)


def log(x):
    """The natural logarithm rounded once: -infinity at 0, NaN below."""
    return _rounded(x, (x > 0) & (x < np.inf) & (x != 1), _log, lambda digits, x: digits.log(x), _log_elsewhere)


def log1p(x):
    """log(1 + x) rounded once: x itself below 2**-60 in size, -infinity at -1, NaN below."""
    ordinary = (x > -1) & (x < np.inf) & (np.abs(x) >= TINY)
    return _rounded(x, ordinary, _log1p, lambda digits, x: digits.log(1 + x), _log1p_elsewhere)


def sigmoid(x):
    """1 / (1 + e**-x) rounded once: 1/2 at 0, 0 below -745.2, 1 above 37."""
    ordinary = (np.abs(x) < LEAST) & (np.abs(x) >= TINY)
    return _rounded(x, ordinary, _sigmoid, lambda digits, x: 1 / (digits.exp(-x) + 1), _sigmoid_elsewhere)


def tanh(x):
    """The hyperbolic tangent rounded once: x itself below 2**-30 in size, 1 or -1 above 19."""
    size = np.abs(x)
    values = _rounded(size, (size >= SMALL) & (size < LARGE), _tanh, _tanh_interval, lambda x: np.minimum(x, 1.0))
    return _canonical(np.copysign(values, x))


def softplus(x):
    """log(1 + e**x) rounded once: x itself from 64 on, 0 below -745.2."""
    ordinary = (x > -LEAST) & (x < LARGE)
    return _rounded(x, ordinary, _softplus, _softplus_interval, lambda x: np.maximum(x, 0.0))


def logsigmoid(x):
    """log(sigmoid x) = -softplus(-x), rounded once."""
    return _canonical(-softplus(-x))


def erf(x):
    """The error function rounded once: 1 or -1 from 6 in size on."""
    size = np.abs(x)
    ordinary = (size > 0) & (size < error_function.LARGEST)
    values = _rounded(size, ordinary, _erf, error_function.interval, lambda x: np.minimum(x, 1.0))
    return _canonical(np.copysign(values, x))


# -- as pairs ---------------------------------------------------------------------------------------------------------


def _exp(x):
    high, low, exponent = exponentials.exponential(x)
    return Pairs(high, low, high * EXP_ERROR, exponent)


def _log(x):
    return _with_sign(*exponentials.logarithm_of_pair(x, np.zeros_like(x), x - 1, 0.0))


def _log1p(x):
    high, low = two_sum(1.0, x)
    return _with_sign(*exponentials.logarithm_of_pair(high, low, x, 0.0))


def _with_sign(high, low, radius):
    """Pairs of any sign; what is rounded is symmetric, so that the radius stays that of the size."""
    return Pairs(high, low, radius, np.zeros(high.shape, np.int64))


def _sigmoid(x):
    """u / (1 + u) with u = e**x for x < 0, else 1 / (1 + u) with u = e**-x."""
    high, low, exponent = exponentials.exponential(-np.abs(x))
    u, u_low = _unscaled(high, low, exponent)
    negative = x < 0
    top, top_low = np.where(negative, high, 1.0), np.where(negative, low, 0.0)
    q, q_low = divide(top, top_low, *add(1.0, 0.0, u, u_low))
    return Pairs(q, q_low, q * 2.0**-98, np.where(negative, exponent, 0))


def _unscaled(high, low, exponent):
    """A pair times its power of two: what becomes subnormal is lost, as beside 1 it may be."""
    shift = exponent.astype(np.int32)
    return np.ldexp(high, shift), np.ldexp(low, shift)


def _tanh(x):
    """(1 - u) / (1 + u) with u = e**(-2 x), for x > 0: the difference is off by less than EXP_ERROR, absolute."""
    u, u_low = _unscaled(*exponentials.exponential(-2 * x))
    q, q_low = divide(*add(1.0, 0.0, -u, -u_low), *add(1.0, 0.0, u, u_low))
    return Pairs(q, q_low, np.full(x.shape, 2.0**-97), np.zeros(x.shape, np.int64))


def _tanh_interval(digits, x):
    u = digits.exp(-2 * x)
    return (1 - u) / (u + 1)


def _softplus(x):
    """max(x, 0) + log(1 + u) with u = e**-|x|; where x < 0 and u is small, u (1 - u/2 + ..) with the exponent of u."""
    high, low, exponent = exponentials.exponential(-np.abs(x))
    u, u_low = _unscaled(high, low, exponent)
    far = (x < 0) & (u < NEAR)
    one, one_low = add(1.0, 0.0, u, u_low)
    m, power = exponentials.normalised(one)
    one_low = np.ldexp(one_low, -power.astype(np.int32))
    total, rest = exponentials.log_of_power(power, *exponentials.logarithm(m, one_low))
    total, rest = add(total, rest, np.maximum(x, 0.0), 0.0)
    # log(1 + u) / u is 1 - u (1/2 - u/3 ..): the series of 1 + u times u, over u
    small, small_low = np.where(far, u, 0.0), np.where(far, u_low, 0.0)
    share, share_low = exponentials.log_1_plus_over(small, small_low)
    tail, tail_low = multiply(high, low, share, share_low)
    radius = np.where(far, tail * exponentials.near_error(small), LOG_ERROR * 2 + total * 2.0**-100)
    return Pairs(np.where(far, tail, total), np.where(far, tail_low, rest), radius, np.where(far, exponent, 0))


def _softplus_interval(digits, x):
    return digits.log(digits.exp(x) + 1)


def _erf(x):
    """Below 2**-300 the first term is all of it."""
    m, exponent = np.frexp(x)
    tiny = exponent < -300
    m, exponent = np.where(tiny, m, x), np.where(tiny, exponent, 0).astype(np.int64)
    high, low = error_function.error_function(np.where(tiny, 0.5, m))
    highs, lows = error_function.coefficients()
    first, first_low = multiply(m, 0.0, highs[1, 0], lows[1, 0])
    high, low = np.where(tiny, first, high), np.where(tiny, first_low, low)
    return Pairs(high, low, high * error_function.ERROR, exponent)


# -- where they are not needed ----------------------------------------------------------------------------------------


def _exp_elsewhere(x):
    return np.maximum(x, 0.0) * 2.0**1023  # from LEAST on beyond float64


def _log_elsewhere(x):
    return np.where(x == 1, 0.0, np.where(x == 0, -np.inf, np.where(x > 0, x, np.nan)))


def _log1p_elsewhere(x):
    return np.where(x == -1, -np.inf, np.where(x < -1, np.nan, x))


def _sigmoid_elsewhere(x):
    return np.where(np.abs(x) < TINY, 0.5, np.where(x > 0, 1.0, np.where(x < 0, 0.0, x)))


# -- rounding ---------------------------------------------------------------------------------------------------------


def _rounded(x, ordinary, pairs, interval, elsewhere, quick=None):
    """The function of a float64 array: rounded once where it is ordinary, else as `elsewhere`."""
    x = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        if 0 < x.size <= BLOCK and ordinary.all():
            return _of_ordinary(x.reshape(-1), pairs, interval, quick).reshape(x.shape)
        source, places = x.reshape(-1), np.flatnonzero(ordinary)
        result = elsewhere(source)
        for start in range(0, len(places), BLOCK):
            at = places[start : start + BLOCK]
            result[at] = _of_ordinary(source[at], pairs, interval, quick)
        result[np.isnan(result)] = np.nan  # which one a machine makes is not said by IEEE 754
    return result.reshape(x.shape)


def _of_ordinary(x, pairs, interval, quick):
    """The values of some numbers: by what `quick` decides where there is one, then by pairs, then exactly."""
    values, sure = _nearest(pairs(x)) if quick is None else quick(x)
    if sure.all():
        return values
    if quick is not None:
        left = np.flatnonzero(~sure)
        values[left], sure[left] = _nearest(pairs(x[left]))
    for k in np.flatnonzero(~sure).tolist():
        values[k] = _exactly(interval, x[k].item())
    return values


def _canonical(values):
    """Every NaN becomes the positive quiet one: which one a machine makes is not said by IEEE 754."""
    values = np.asarray(values)
    return np.where(np.isnan(values), np.nan, values)


def _nearest(pairs):
    """Pairs rounded once to float64, and where that is certain."""
    high, low, radius, exponent = pairs
    # subnormal results have their last bit at 2**-1074, as numbers from 2**-1022 to 2**-1021 have
    small = np.frexp(high)[1] + exponent < -1021
    anchor = np.where(small, np.ldexp(1.0, np.where(small, -1022 - exponent, 0).astype(np.int32)), 0.0)
    total, rest = two_sum(anchor, high)
    radius = radius + np.where(small, np.abs(rest) * 2.0**-52, 0.0)
    shift = exponent.astype(np.int32)
    ends = [np.ldexp((total + (rest + (low + side * radius))) - anchor, shift) for side in (-1, 1)]
    return ends[1], ends[0] == ends[1]


def _exactly(interval, x):
    """The function of one double, rounded once from enclosures that shrink."""
    x = Fraction(x)
    return float(reals.evaluated(lambda digits: interval(digits, x)).rounded("float64"))
