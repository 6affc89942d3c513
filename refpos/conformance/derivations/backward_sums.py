"""Error bounds of gradients that are sums of cotangents, exact and rounded once: those of learned tables.

A sum of n numbers that a program adds in any order is off by at most (n - 1) u of the sum of their sizes, whatever n is
(Rump 2012, Error estimation of floating-point summation and dot product, BIT 52).
"""

import math
from functools import partial

import numpy as np

from ... import catalogue, checks
from .backward import bounds_gradients, numbers
from .rounding_errors import INFLATE, compound, conversion_error, followed_by, unit_roundoff
from .running_error import Bounded


@bounds_gradients("learned")
def _learned(given, fmt):
    """The cotangents of each row, times the scale where there is one."""
    factor = None if given["scale"] is None else checks.real("scale", given["scale"])
    summed = _gradient_of("learned", {**given, "scale": None})
    return {"weight": _sums(summed, numbers(given["cotangent"], fmt), factor)}


@bounds_gradients("mean_of_rows")
def _mean_of_rows(given, fmt):
    """Each cotangent over the n rows of its span, or times the reciprocal of n, once for each of them."""
    rows, dy = np.asarray(given["rows"]), numbers(given["cotangent"], fmt)
    kept = rows >= 0
    n = np.maximum(kept.sum(-1), 1)[..., None]
    size, least = np.abs(dy.values) / n, _smallest_normal(fmt)
    of_quotient = np.where(np.frexp(n)[0] == 0.5, 0.0, compound(2 * unit_roundoff(fmt)))  # powers of two are exact
    error = dy.error / n + of_quotient * (size + dy.error / n)
    error = error + np.where((n > 1) & (size > 0) & (size < 2 * least), least, 0.0)

    def of_tokens(part):
        return np.broadcast_to(part[..., None, :], (*rows.shape, part.shape[-1]))[kept]

    summed = _gradient_of("learned", {"weight": given["weight"], "rows": rows[kept], "dtype": "float64"})
    return {"weight": _sums(summed, Bounded(of_tokens(dy.values / n), of_tokens(error), fmt))}


def _of_copies(name, given, fmt):
    """The cotangents of all places where an element was copied to."""
    (argument,) = catalogue.find(name).gradients
    return {argument: _sums(_gradient_of(name, given), numbers(given["cotangent"], fmt))}


for _name in ("learned_axes", "relative_bias", "t5_bias", "tile_table", "window_bias"):
    bounds_gradients(_name)(partial(_of_copies, _name))


def _gradient_of(name, given):
    """The gradient of a call, the only one that it has, as a function of the cotangents."""

    def summed(cotangent):
        (gradient,) = catalogue.find(catalogue.VJP + name).function(**{**given, "cotangent": cotangent}).values()
        return gradient

    return summed


def _sums(summed, terms, factor=None):
    """The sums that `summed` takes of the `Bounded` terms; a program multiplies by the factor before them or after.

    Where numbers below the normal range are flushed to zero, as XLA does in float64 too, an addition loses one of them,
    a term or the sum, so that a sum of n loses n at most; and none where all terms, and so all of their sums, are
    multiples of the smallest normal number. Products lose one for each term, or that of the sum.
    """
    u, least = unit_roundoff(terms.fmt), _smallest_normal(terms.fmt)
    size = 1.0 if factor is None else abs(float(factor))
    sizes = np.abs(terms.values) + terms.error
    small = (sizes > 0) & (np.abs(terms.values) < math.ldexp(least, terms.fmt.precision))
    count = summed(np.ones(sizes.shape))
    additions = np.maximum(count - 1, 0) * u
    if factor is None:
        relative, lost = additions, (summed(small.astype(np.float64)) > 0) * count * least
    else:
        relative = followed_by(additions, u + conversion_error(factor, terms.fmt))
        lost = count * (size + 2) * least * (size > 0)
    error = size * (summed(terms.error) + relative * summed(sizes)) + lost
    return Bounded(size * summed(terms.values), error * INFLATE, terms.fmt)


def _smallest_normal(fmt):
    """Where float32 and float64 may be flushed to zero."""
    return math.ldexp(1.0, fmt.lowest + fmt.precision - 1)
