"""Error bounds of the class `sequence64`: the same operations in float64 or float32, their sums in any order; or in 16
bits, where each step computes in float32 and its result is rounded to 16 bits.

Each step takes numbers with a bound on how far a program may have them from those of exact arithmetic, and gives the
same of its result. The expected values are off too, by the bound of float64, and `limits` adds both.
"""

from typing import NamedTuple

import numpy as np

from ...arithmetic import elementary, rounding
from ...steps.scores import convolution as convolutions
from ...steps.scores import ordered_sums
from ...steps.scores.activations import ACTIVATIONS
from ..classes import FLOAT32, FLOAT64
from .rounding_errors import DERIVATION, INFLATE, rounded_bound, underflow_error, unit_roundoff

SEQUENCES = {"sequence64": FLOAT64, "sequence32": FLOAT32}
LIBRARY = 16  # what a program may be off in an activation, in units of 2**-precision: 8 ulp
#: the slopes of activations are at most this; of GELU 1.129, of SiLU 1.0999
STEEPEST = {"gelu": 1.13, "gelu_tanh": 1.13, "silu": 1.1, "sigmoid": 0.25}
#: results that a program in 16 bits may round inside an activation that it writes out, in units of its size
COMPOSED = {"gelu": 3, "gelu_tanh": 6, "silu": 4, "sigmoid": 3, "softplus": 3}


class Bounded(NamedTuple):
    """Values, and how far a program that computes in `fmt` may be from exact arithmetic."""

    values: np.ndarray
    error: np.ndarray
    fmt: object


def sequences(fmt):
    """{class: the format that each step is rounded to} of programs whose results are in fmt."""
    return {**SEQUENCES, "sequence16": fmt} if fmt.width == 16 else SEQUENCES


def inside(fmt):
    """The format of sums and of library functions before their result is rounded: of 16 bits float32."""
    return FLOAT32 if fmt.width == 16 else fmt


def step_roundoff(fmt, units, results=1):
    """Relative error of so many operations inside a step, of which a program in 16 bits rounds some results."""
    own = units * unit_roundoff(inside(fmt))
    return own if inside(fmt) is fmt else own + results * unit_roundoff(fmt)


def from_input(values, fmt):
    """Numbers of the caller: a program rounds them to its format."""
    values = np.asarray(values, np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        nearest = rounding.widen(rounding.narrow(values, fmt), fmt).astype(np.float64)
        return Bounded(values, np.abs(values - nearest), fmt)


def rounded(values, error, fmt):
    """An operation: its own rounding is added to what it inherits."""
    return Bounded(
        values, (error + unit_roundoff(fmt) * (np.abs(values) + error) + underflow_error(fmt)) * INFLATE, fmt
    )


def add(a, b):
    """A sum of two."""
    return rounded(a.values + b.values, a.error + b.error, a.fmt)


def subtract(a, b):
    """A difference."""
    return rounded(a.values - b.values, a.error + b.error, a.fmt)


def multiply(a, b):
    """A product."""
    error = np.abs(a.values) * b.error + np.abs(b.values) * a.error + a.error * b.error
    return rounded(a.values * b.values, error, a.fmt)


def divide(a, b):
    """A quotient; where the divisor may be 0 there is no bound."""
    least = np.abs(b.values) - b.error
    quotient = a.values / b.values
    error = np.where(least > 0, (a.error + np.abs(quotient) * b.error) / np.where(least > 0, least, 1.0), np.inf)
    return rounded(quotient, error, a.fmt)


def root(a):
    """A square root: |sqrt(a + e) - sqrt(a)| is at most e / sqrt(a), and at most sqrt(e)."""
    value = np.sqrt(a.values)
    with np.errstate(divide="ignore"):
        steep = np.where(value > 0, a.error / np.where(value > 0, value, 1.0), np.inf)
    return rounded(value, np.minimum(steep, np.sqrt(a.error)), a.fmt)


def sums(summed, a, b, terms):
    """Sums of products that `summed(a, b)` takes, in any order: (n + 2) units of the sum of sizes for n terms."""
    sizes, others = np.abs(a.values) + a.error, np.abs(b.values) + b.error
    inherited = summed(np.abs(a.values), b.error) + summed(a.error, others)
    arithmetic = inside(a.fmt)
    n = terms + 2
    units = n * unit_roundoff(arithmetic)
    error = inherited + units / (1 - units) * summed(sizes, others) + n * underflow_error(arithmetic)
    return rounded_after(summed(a.values, b.values), error * INFLATE, a.fmt)


def rounded_after(values, error, fmt):
    """A result with the errors of what stands inside its step: in 16 bits it is rounded once more."""
    return Bounded(values, error, fmt) if inside(fmt) is fmt else rounded(values, error, fmt)


def matmul(a, b):
    """Products of matrices, summed in any order."""
    return sums(ordered_sums.matmul, a, b, a.values.shape[-1])


def linear(x, weight, bias=None):
    """x (..., in) times the rows of weight (out, in), + bias."""
    result = matmul(x, Bounded(weight.values.T, weight.error.T, weight.fmt))
    return result if bias is None else add(result, bias)


def total(x):
    """Sums over the last axis."""
    ones = np.ones((x.values.shape[-1], 1))
    result = matmul(x, Bounded(ones, np.zeros(ones.shape), x.fmt))
    return Bounded(result.values[..., 0], result.error[..., 0], x.fmt)


def mean(x):
    """Means over the last axis."""
    return divide(total(x), from_input(float(x.values.shape[-1]), x.fmt))


def deviations(x):
    """Differences from the mean."""
    return subtract(x, last_axis(mean(x)))


def standard_deviation(x, *, unbiased, eps=None):
    """The root of the variance, to which eps is added."""
    centred = deviations(x)
    count = from_input(float(x.values.shape[-1] - unbiased), x.fmt)
    variance = divide(total(multiply(centred, centred)), count)
    return root(variance if eps is None else add(variance, from_input(eps, x.fmt)))


def layer_norm(x, eps):
    """(x - mean) / sqrt(variance + eps)."""
    return divide(deviations(x), last_axis(standard_deviation(x, unbiased=False, eps=eps)))


def activate(name, x):
    """An activation; those that are products with x are off by units of |x|."""
    values = ACTIVATIONS[name](x.values)
    if name == "identity":
        return x
    size = np.maximum(np.abs(values), np.abs(x.values)) if name in ("gelu", "gelu_tanh", "silu") else np.abs(values)
    own = 0.0 if name == "relu" else library(x, size, COMPOSED.get(name, 1))
    return Bounded(values, (STEEPEST.get(name, 1.0) * x.error + own) * INFLATE, x.fmt)


def library(x, size, results=1):
    """How far a library's function, of which 16 bits round so many results, may be off a value of this size."""
    return step_roundoff(x.fmt, LIBRARY, results) * size + underflow_error(x.fmt)


def scores(q, k):
    """q . k of queries (..., queries, dim) and keys (..., keys, dim)."""
    return matmul(q, Bounded(k.values.swapaxes(-1, -2), k.error.swapaxes(-1, -2), k.fmt))


def exp(x):
    """e**x: the error of x is one of the exponent."""
    values = elementary.exp(x.values)
    inherited = elementary.exp(x.values + x.error) - values
    return Bounded(values, (inherited + library(x, values + inherited)) * INFLATE, x.fmt)


def log(x):
    """The logarithm of numbers from 1 on: an error e of x is one of at most -log(1 - e / x)."""
    values = elementary.log(x.values)
    inherited = -elementary.log1p(-np.minimum(x.error / x.values, 0.5))
    return Bounded(values, (np.where(x.error < x.values / 2, inherited, np.inf) + library(x, values)) * INFLATE, x.fmt)


def softmax(x, mask=None, rescalings=0, *, kept_sums=False, values=None):
    """exp(x - maximum) / sum over the last axis, whatever maximum a program finds; mask: True where an entry counts.

    Differences d from the maximum are off by e = error + units of |d|; the factor that all entries of a row share
    cancels. So each weight lies between exp(d - e) and exp(d + e), divided by the most and the least sum of these.
    rescalings: how often a program that reads a row in blocks multiplies what it has by exp(old - new maximum).
    kept_sums: whether a program may have kept maximum + log sum, and have the weights from it again.
    values: the weights themselves, where they are known.
    """
    mask = np.ones(x.values.shape, bool) if mask is None else np.broadcast_to(mask, x.values.shape)
    values = ordered_sums.softmax(x.values, mask) if values is None else values
    counted = np.where(mask, x.values, -np.inf)
    most = np.max(counted, axis=-1, keepdims=True, initial=-np.inf)
    d = counted - np.where(np.isfinite(most), most, 0.0)
    e = _exponent_errors(x, d, mask)
    if kept_sums:
        e = e + _kept_errors(x, d, most)
    low, high = elementary.exp(d - e), elementary.exp(d + e)
    # each exponential, the sum of n and the quotient are rounded: relative errors, and underflow of the first and last
    n = x.values.shape[-1]
    # (in 16 bits those of a number and of the others, the sum and the quotient)
    relative = step_roundoff(x.fmt, 2 * LIBRARY + n + 3 + 2 * rescalings * (LIBRARY + 1), 4)
    relative += (n + 8) * 2.0**-53  # the sums and quotients here
    relative = relative / (1 - relative) if relative < 1 else np.inf
    least, whole = (ordered_sums.total(part)[..., None] for part in (low, high))
    above = high / np.where(least > 0, least, 1.0) * (1 + relative) - values
    below = values - low / np.where(whole > 0, whole, 1.0) * (1 - relative)
    # the largest exponential of a program is 1, so that n lost ones and one lost quotient are absolute errors
    error = np.maximum(above, below) + 4 * (n + 2 + rescalings) * underflow_error(x.fmt)
    error = np.where(least > 0, np.minimum(error * INFLATE, 2.0), 2.0)  # weights are from 0 to a little above 1
    return Bounded(values, np.where(mask & (whole > 0), error, 0.0), x.fmt)


def _exponent_errors(x, d, mask):
    """How far the exponents of a program are from d, but for what all of a row share."""
    shift = np.max(np.where(d == 0, x.error, 0.0), axis=-1, keepdims=True, initial=0.0)
    # what a program takes for the maximum is off by no more than the largest error of those that may be it
    near = np.where(mask & (d + x.error >= -shift), x.error, 0.0)
    shift = np.max(near, axis=-1, keepdims=True, initial=0.0)
    e = x.error + unit_roundoff(x.fmt) * (np.abs(d) + x.error + shift)
    return np.where(np.isfinite(d), e + DERIVATION * np.abs(d), 0.0)


def _kept_errors(x, d, most):
    """How far the logarithm of a sum of n moves an exponent: the logarithm, at most log2 n, its sum with the maximum,
    the difference from it, and a product with log 2 before and after."""
    most, grown = np.where(np.isfinite(most), np.abs(most), 0.0), max(0, x.values.shape[-1] - 1).bit_length()
    own = (LIBRARY + 4) * grown + 4 * (most + np.max(x.error, axis=-1, keepdims=True, initial=0.0))
    return np.where(np.isfinite(d), unit_roundoff(x.fmt) * (own + np.abs(np.where(np.isfinite(d), d, 0.0))), 0.0)


def last_axis(x):
    """The same with an axis of one more, last."""
    return Bounded(x.values[..., None], x.error[..., None], x.fmt)


def convolution(x, weight, groups, around):
    """Sums over input channels and kernel elements, in any order."""

    def convolved(a, b):
        return convolutions.convolution(a, b, groups=groups, padding=around)

    return sums(convolved, x, weight, weight.values[0].size)


def weight_norm(direction, size):
    """size * direction / |direction|, the norm over both kinds of channels: (out, in, kernel)."""
    squares = multiply(direction, direction)
    rows = Bounded(*(np.moveaxis(part, 2, 0).reshape(part.shape[2], -1) for part in squares[:2]), direction.fmt)
    norm = root(total(rows))
    norm = Bounded(norm.values[None, None], norm.error[None, None], norm.fmt)
    return multiply(direction, divide(size, norm))


def limits(sequence, fmt, largest=np.inf, programs=None):
    """{class: {"output": bounds}} of a sequence, a function of the format of a program that gives an `Bounded`.

    largest: what no such program exceeds, whatever its errors; programs: {class: format} of these, where they are not
    those of `sequences`. Where a value is not finite, only equality passes.
    """
    with np.errstate(all="ignore"):
        exact = sequence(FLOAT64)
        bounds = {}
        for name, arithmetic in (programs or sequences(fmt)).items():
            bounds[name] = {"output": bound(sequence(arithmetic), exact, fmt, largest)}
    return bounds


def bound(program, exact, fmt, largest=np.inf):
    """Bounds of what a program rounds to fmt, from the expected values, which have the error of float64."""
    sizes = np.abs(exact.values)
    error = np.minimum(program.error + exact.error, sizes + largest)
    limit = rounded_bound(error, sizes, program.fmt, fmt)
    return np.where(np.isfinite(sizes), np.where(np.isnan(limit), np.inf, limit), 0.0)
